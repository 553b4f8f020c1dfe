"""What a family gets without saying anything: the base of those to come."""

import pytest

import qassay
from qassay.core.family import given_rows
from qassay.files import Gold
from qassay.registry import FAMILIES, Family, get_family


@pytest.fixture
def scores():
    return qassay.score("answer_match", {"a": "x", "b": "y"}, {"b": ["y"], "a": ["z"], "c": []}, missing="zero")


def gold(ids, **details):
    return Gold("gold.json", "table", {}, {}, ids, details)


def test_measures(scores):
    usual = Family().usual_measures(scores)
    assert usual == [name for name in scores.measures if name not in ("total", "missing") and "_total" not in name]
    assert Family().main_measures(scores) == usual[:2] == ["exact_match", "f1"]
    assert Family().shown_measures(["f1"], scores) == ["f1"]
    assert Family().measure_options(["f1"], ["question_word"], gold(None), "table") == {}


def test_counts_and_their_words(scores):
    assert Family().notes_of(scores) == {"missing": 1}
    assert Family().note_words(scores.options)["missing"] == "without a prediction: scored 0"


def test_labels_of_gold_rows_follow_the_ids_of_the_scores(scores):
    there = gold(["a", "b", "x", "c", "b"], question=["Who?", "When?", "Where?", "Why?", "How?"])
    assert Family().slices(there, scores)["question_word"]() == ["when", "who", "why"]
    assert Family().of_examples(["u", "v", "w"], gold(None), scores) == ["u", "v", "w"]
    assert Family().slices(gold(None), scores) == {}


def test_an_unknown_family_is_named_with_those_there_are():
    with pytest.raises(ValueError, match=r"no metric 'retrieval' .*; there are: answer_match, .*retrieval_ranking"):
        get_family("retrieval")


def test_a_family_has_no_kinds_of_errors_unless_it_says_so(scores):
    assert Family().error_kinds(scores) is None and Family().error_kind_order == () and not Family().are_texts
    with pytest.raises(NotImplementedError, match="Family does not say what its examples look like"):
        Family().example_texts(gold(None), {}, scores, [0])
    for family in FAMILIES.values():
        assert type(family).sides is not Family.sides, family.name
        assert len(set(family.error_kind_order)) == len(family.error_kind_order)


@pytest.mark.parametrize("family", FAMILIES.values(), ids=list(FAMILIES))
def test_every_family_says_whose_rules_it_follows_and_what_is_right(family):
    assert family.source and not family.source.endswith(".")
    order = list(family.error_kind_order)
    assert [kind for kind in order if kind in family.right_kinds] == list(family.right_kinds)
    assert bool(order) == bool(family.right_kinds) and order[:1] == list(family.right_kinds[:1])
    assert not (family.are_labels and (family.are_texts or family.ranks_documents))


_BOTH, _TWO_GOLDS = {"1": "a", "2": "b"}, {"1": ["a"], "2": ["b"]}
# Input of which every subset by what a system gave is there, as the keyword arguments of two systems.
_NOTHING_AND_ALL = {
    "answer_match": ({"1": "a"}, _BOTH, _TWO_GOLDS, {"missing": "zero"}),
    "retrieval_ranking": ({"q": {"e": 1.0}}, {"q": {"d": 1.0, "e": 1.0}}, {"q": {"d": 1}}, {}),
    "factoid_accuracy": ([[]], [["a"]], [["a"]], {}),
    "retriever_reader": (
        [{"documents": [], "answers": []}],
        [{"documents": ["d"], "answers": ["a"]}],
        [{"documents": ["d"], "answers": ["a"]}],
        {"denominator": "correct_retrievals"},
    ),
    "semantic_answer_similarity": ({"1": "a"}, _BOTH, _TWO_GOLDS, {"missing": "zero", "model": "lite"}),
    "label_metrics": ([["a"]], [["b", "a"]], [["a"]], {"task": "ranked", "k": (2,)}),
}


@pytest.mark.parametrize("name", _NOTHING_AND_ALL)
def test_slices_by_what_a_system_gave_are_named(name):
    family = get_family(name)
    nothing, everything, golds, options = _NOTHING_AND_ALL[name]
    one, other = (qassay.score(name, predictions, golds, **options) for predictions in (nothing, everything))
    assert one.subsets.keys() == other.subsets.keys()
    differ = {subset for subset, mask in one.subsets.items() if mask.tolist() != other.subsets[subset].tolist()}
    assert differ and differ <= set(family.system_slices)
    offered = {*one.subsets, *family.slices(gold(None), one)}
    assert set(family.system_slices) - {"missing", "error_kind"} <= offered


@pytest.mark.parametrize("family", FAMILIES.values(), ids=list(FAMILIES))
def test_help_names_the_slices_that_there_are(family):
    score, options = family.load()
    scores = score(**family.smallest, options=options(**({"model": "lite"} if family.loads_model else {})))
    there = Gold("gold.json", "table", {"references": [["a"]]}, {}, None, {"question": ["Who?"]})
    offered = set(family.slices(there, scores))
    assert offered <= set(family.usual_slices)
    assert set(family.usual_slices) - {"error_kind"} <= offered | scores.subsets.keys()
    assert ("error_kind" in family.usual_slices) == bool(family.error_kind_order)


def test_rows_of_a_system_belong_to_examples_by_id_or_place(scores):
    there = gold(["b", "a", "c"])
    rows = [{"id": "a", "x": 1}, {"id": "b", "x": 2}, {"id": "a", "x": 3}]
    assert given_rows(rows, there, scores, [1, 2, 0], [1, 2, 0], False) == [rows[0], None, rows[1]]
    assert given_rows(rows, there, scores, [1], [1], True) == [rows[2]]
    assert given_rows(["u", "v"], there, scores, [0, 2], [0, 2], False) == ["u", None]
    assert given_rows(["u", "v"], gold(None), scores, [1], [1], False) == ["v"]


@pytest.mark.parametrize("family", FAMILIES.values(), ids=list(FAMILIES))
def test_every_family_has_the_page_of_its_metric(family):
    assert family.page().name == family.name


@pytest.mark.parametrize(
    ("name", "row", "offsets"),
    [
        (
            "answer_match",
            {"id": "q", "answers": [{"text": "a", "answer_start": 3}, {"text": "b"}]},
            {"a": 3, "b": None},
        ),
        ("answer_match", [{"text": "a", "start": 1}, {"text": "a", "start": 9}], {"a": 1}),
        ("answer_match", ["a"], {}),
        ("retriever_reader", {"documents": ["d"], "answers": [{"text": "a", "start": 2}]}, {"a": 2}),
        ("semantic_answer_similarity", ["a"], {}),
    ],
)
def test_gold_answers_have_the_offsets_of_the_gold_file(name, row, offsets):
    there = Gold("gold.json", "table", {"references": [["x"], row]}, {}, None, {})
    assert get_family(name).gold_offsets(there, 1) == offsets


@pytest.mark.parametrize(
    ("task", "predicted", "form"), [("single", "a", "single"), ("multi", ["a"], "set"), ("ranked", ["a"], "ranked")]
)
def test_forms_of_labels(task, predicted, form):
    scores = qassay.score("label_metrics", [predicted], [predicted], task=task)
    assert get_family("label_metrics").label_form(scores.options) == form


def test_only_one_score_per_example_has_a_label():
    family = get_family("average_precision")
    score, label = family.score_and_label(qassay.score(family.name, [0.5, 0.25], [True, False]))
    assert score.tolist() == [0.5, 0.25] and label.tolist() == [1.0, 0.0]
    assert family.score_and_label(qassay.score(family.name, [{"a": 0.5}], ["a"])) is None


def test_examples_are_called_what_people_call_them():
    names = {name: family.examples_name for name, family in FAMILIES.items()}
    assert names == {
        "answer_match": "questions",
        "factoid_accuracy": "questions",
        "retriever_reader": "questions",
        "semantic_answer_similarity": "questions",
        "retrieval_ranking": "queries",
        "label_metrics": "examples",
        "average_precision": "examples",
    }
