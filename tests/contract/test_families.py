"""The descriptors of all families are consistent and complete, and their words agree with the numbers."""

import re

import pytest

import qassay
from qassay.core.columns import counted
from qassay.core.examples import Examples, given_places, gold_rows, of_examples
from qassay.core.family import Reading
from qassay.core.family_telling import Telling
from qassay.files import Gold
from qassay.registry import FAMILIES, get_family

from .families import every_family


@pytest.fixture
def scores():
    return qassay.score("answer_match", {"a": "x", "b": "y"}, {"b": ["y"], "a": ["z"], "c": []}, missing="zero")


def gold(ids, columns=None, **details):
    return Gold("gold.json", "table", columns or {}, {}, ids, details)


# Defaults of a family.


def test_defaults_of_a_descriptor(scores):
    told = Telling()
    usual = told.usual_measures(scores)
    assert usual == [name for name in scores.measures if name not in ("total", "missing") and "_total" not in name]
    assert told.main_measures(scores) == usual[:2] == ["exact_match", "f1"]
    assert told.notes_of(scores) == {"missing": 1}
    there = gold(["a", "b", "x", "c", "b"], question=["Who?", "When?", "Where?", "Why?", "How?"])
    assert told.slices(there, scores)["question_word"]() == ["when", "who", "why"]
    assert of_examples(["u", "v", "w"], gold(None), scores) == ["u", "v", "w"]
    assert told.errors.of(scores) is None and told.errors.order == told.answers_are == ()
    for call in (
        lambda: told.example_texts(Examples(gold(None), {}, scores, [0])),
        lambda: Reading().gold_answers([]),
        lambda: told.label_form(scores.options),
        lambda: told.precision_recall(scores, None),
    ):
        with pytest.raises(NotImplementedError):
            call()


def test_rows_of_a_system_belong_to_examples_by_id_or_place(scores):
    there = gold(["b", "a", "c"])
    rows = [{"id": "a", "x": 1}, {"id": "b", "x": 2}, {"id": "a", "x": 3}]
    assert given_places(rows, there, scores, [1, 2, 0], [1, 2, 0]) == [0, None, 1]
    last = qassay.score("answer_match", {"a": "x", "b": "y"}, {"b": ["y"], "a": ["z"], "c": []}, duplicates="last")
    assert given_places(rows, there, last, [1], [1]) == [2]
    assert given_places(["u", "v"], there, scores, [0, 2], [0, 2]) == [0, None]
    assert given_places(["u", "v"], gold(None), scores, [1], [1]) == [1]


def test_rows_follow_the_policy_for_duplicate_ids():
    for duplicates, rows in (("first", [0, 1]), ("last", [2, 1])):
        found = qassay.score("answer_match", {"a": "x", "b": "y"}, {"a": ["x"], "b": []}, duplicates=duplicates)
        assert gold_rows(gold(["a", "b", "a"]), found) == Examples(gold(["a", "b", "a"]), {}, found).places == rows


# Requirements for every family.


@every_family
def test_names_and_sources(family):
    function, options_class = family.load()
    assert FAMILIES[family.name] is family and options_class.family == family.name == family.page().name
    assert callable(function) and family.source and not family.source.endswith(".")
    assert get_family(family.reading.kinds).reading.kinds == family.reading.kinds
    assert family.reading.files().metric == family.reading.kinds


_COUNTS = {  # measures with self-explanatory names
    "retriever_reader": ["total", "has_answer_total", "no_answer_total", "missing", "no_relevant"],
    "semantic_answer_similarity": ["total", "has_answer_total", "no_answer_total", "missing"],
    "label_metrics": ["total"],
    "average_precision": ["total", "missing"],
}


@every_family
def test_measures_have_meanings_and_usual_ones_exist(family):
    listed, told = dict(family.measures()), family.telling.meanings
    assert [name for name, meaning in listed.items() if not meaning] == _COUNTS.get(family.name, [])
    assert {name.removesuffix("_has_answer") for name in told} <= listed.keys()
    function, options_class = family.load()
    for columns, options in family.smallest:
        scores = function(**columns, options=options_class(**options))
        assert family.score_config("default", columns, options) == scores
        usual, main = family.telling.usual_measures(scores), family.telling.main_measures(scores)
        assert len(set(usual)) == len(usual) and main and set(main) <= set(usual) <= scores.measures.keys()


_FOUND = {"documents": ["d"], "answers": ["a"]}
_BOX = {"boxes": [[0, 0, 9, 9]], "labels": ["a"]}
_TYPES = {"question_types": ["factoid", "list", "yesno", "summary"]}


@pytest.mark.parametrize(
    "name, predictions, references, options, usual, main",
    [
        ("answer_match", ["x", ""], [["x"], []], {},
         "exact_match f1 contains has_answer_exact_match has_answer_f1 no_answer_exact_match no_answer_f1",
         "exact_match f1"),
        ("answer_match", ["x"], [["x"]], {"no_answer_probabilities": [0.5]},
         "exact_match f1 contains best_exact_match best_exact_match_threshold best_f1 best_f1_threshold",
         "exact_match f1"),
        ("answer_match", [["x"]], [["x"]], {"top_k": (1, 3)},
         "exact_match@1 exact_match@3 f1@1 f1@3 contains@1 contains@3", "exact_match@1 exact_match@3 f1@1 f1@3"),
        ("answer_match", ["x"], [["x"]], {"predicted_facts": [[]], "gold_facts": [[]], "task": "hotpotqa"},
         "exact_match f1 sp_exact_match sp_f1 joint_exact_match joint_f1", "exact_match f1"),
        ("retrieval_ranking", [["d"]], [["d"]], {},
         "mrr map ndcg@10 p@10 recall@100 hit_rate@10 num_ret num_rel num_rel_ret", "ndcg@10 map mrr"),
        ("retrieval_ranking", [["d"]], [["d"]], {"measures": ("num_ret", "mrr", "num_rel", "p@5")},
         "mrr p@5 num_ret num_rel", "mrr"),
        ("factoid_accuracy", [["a"], ["a"], "yes", []], [["a"], ["a"], "yes", []], _TYPES,
         "strict_accuracy lenient_accuracy mrr list_precision list_recall list_f1 yesno_accuracy yesno_f1_yes "
         "yesno_f1_no yesno_macro_f1", "mrr list_f1 yesno_macro_f1"),
        ("factoid_accuracy", [["d"]], [["d"]], {"phase": "A"}, "precision recall f1 map gmap", "map"),
        ("retriever_reader", [_FOUND], [_FOUND], {},
         "retriever_recall retriever_map retriever_mrr reader_top1_accuracy reader_top1_em reader_top1_f1 "
         "reader_topk_accuracy reader_topk_em reader_topk_f1", "retriever_recall reader_topk_accuracy reader_topk_f1"),
        ("semantic_answer_similarity", ["x", ""], [["x"], []], {"model": "lite"},
         "sas sas_accuracy@0.5 has_answer_sas has_answer_sas_accuracy@0.5 no_answer_sas no_answer_sas_accuracy@0.5",
         "sas"),
        ("answer_equivalence", ["x", ""], [["x"], []], {},
         "equivalence accepted has_answer_equivalence has_answer_accepted no_answer_equivalence no_answer_accepted "
         "estimated_acceptance unsure",
         "equivalence accepted"),
        ("claim_support", [["support"]], [["vital"]], {},
         "strict_vital_score vital_score strict_all_score all_score strict_weighted_score weighted_score",
         "strict_vital_score strict_all_score"),
        ("claim_support", ["CORRECT"], ["a"], {"task": "grades"},
         "correct incorrect not_attempted accuracy_given_attempted f1", "correct accuracy_given_attempted f1"),
        ("claim_support", [{"answer2response": []}], [[]], {"task": "claims"},
         "precision recall f1 claim_recall context_precision context_utilization noise_sensitivity_in_relevant "
         "noise_sensitivity_in_irrelevant hallucination self_knowledge faithfulness", "precision recall f1 faithfulness"),
        ("label_metrics", ["a", "b"], ["a", "a"], {"per_class": True},
         "accuracy balanced_accuracy macro_precision macro_recall macro_f1 micro_f1 weighted_f1 precision[a] "
         "precision[b] recall[a] recall[b] f1[a] f1[b] support[a] support[b]", "accuracy macro_f1"),
        ("label_metrics", [["a"]], [["a"]], {"task": "multi"},
         "exact_match hamming_loss micro_precision micro_recall micro_f1 macro_f1 weighted_f1 samples_f1 "
         "samples_jaccard", "exact_match micro_f1 macro_f1"),
        ("label_metrics", [["a"]], [["a"]], {"task": "ranked", "k": (1, 2)},
         "p@1 p@2 r@1 r@2 ndcg@1 ndcg@2 mrr", "p@1 ndcg@2"),
        ("average_precision", [0.5], [1], {}, "average_precision", "average_precision"),
        ("average_precision", [{"a": 0.9, "b": 0.2}], ["a"], {"per_class": True},
         "map weighted_average_precision micro_average_precision average_precision[a] average_precision[b]", "map"),
        ("average_precision", [{**_BOX, "scores": [0.5]}], [_BOX], {"task": "boxes"},
         "map map@0.5 map@0.75 iou accuracy@0.5 accuracy@0.75", "map iou"),
    ],
)  # fmt: skip
def test_usual_and_main_measures(name, predictions, references, options, usual, main):
    found, told = qassay.score(name, predictions, references, **options), get_family(name).telling
    assert (told.usual_measures(found), told.main_measures(found)) == (usual.split(), main.split())


@pytest.mark.parametrize(
    "name, predictions, references, options, notes",
    [
        ("factoid_accuracy", {"a": ["d"], "b": ["d"]}, {"a": ["d"], "b": []}, {"phase": "A"}, {"no_gold": "omitted"}),
        ("factoid_accuracy", {"a": ["d"], "b": ["d"]}, {"a": ["d"], "b": []}, {"phase": "A", "version": 8},
         {"no_gold": "questions without gold documents: scored 0"}),
        ("claim_support", [["support", None], []], [["vital", "okay"], []], {},
         {"unjudged": "omitted from their shares", "empty": "as the official program"}),
        ("claim_support", [["failed"], []], [["vital"], []], {"unjudged": "zero", "empty": "skip"},
         {"unjudged": "counted as not supported", "empty": "omitted"}),
        ("label_metrics", ["a", "b"], ["a", "a"], {}, {}),
        ("label_metrics", [["a"], ["b"]], [["a", "a"], []], {"task": "multi"},
         {"no_labels": "rows without true labels", "repeated_labels": "counted once"}),
        ("label_metrics", [["a", "b"], ["b"]], [["a"], []], {"task": "ranked", "k": (1, 2)},
         {"no_labels": "rows without true labels: scored 0", "short": "misses"}),
        ("average_precision", [0.9], [1], {}, {}),
        ("average_precision", [0.1, 0.9], [1, 0], {"thresholds": [0.5]}, {"below_thresholds": "does not reach 1"}),
        ("average_precision", [{"a": 0.9, "b": 0.2}], ["a"], {}, {"no_positives": "0 in the mean"}),
        ("average_precision", [None], [_BOX], {"task": "boxes"}, {"missing": "no box found"}),
        ("average_precision", [{**_BOX, "scores": [0.5], "labels": ["b"]}], [_BOX], {"task": "boxes"},
         {"no_positives": "omitted from the mean"}),
    ],
)  # fmt: skip
def test_what_was_counted_is_reported(name, predictions, references, options, notes):
    found, told = qassay.score(name, predictions, references, **options), get_family(name).telling
    assert told.notes_of(found) == dict.fromkeys(notes, 1)
    words = told.note_words(found.options)
    assert [note for note, end in notes.items() if end not in words[note] or not words[note].endswith(end)] == []


@every_family
def test_kinds_of_errors_and_of_answers(family):
    meanings, right, _ = family.telling.errors
    assert tuple(meanings) == family.telling.errors.order and [kind for kind in meanings if kind in right] == list(
        right
    )
    assert [*meanings][:1] == [*right[:1]]
    assert [kind for kind, told in meanings.items() if not re.fullmatch(r"[A-Z][^.]+\.", told)] == []
    assert family.telling.answers_are in ((), ("texts",), ("labels",), ("documents",), ("texts", "documents"))


@every_family
def test_help_names_the_slices_that_there_are(family):
    columns, options = family.smallest[0]
    scores = family.score(**columns, **options)
    there = gold(None, {"references": [["a"]]}, question=["Who?"])
    offered, usual = set(family.telling.slices(there, scores)), set(family.telling.usual_slices)
    assert offered <= usual and usual - {"error_kind"} <= offered | scores.subsets.keys()
    assert ("error_kind" in usual) == bool(family.telling.errors.order)


_BOTH, _TWO_GOLDS = {"1": "a", "2": "b"}, {"1": ["a"], "2": ["b"]}
# Input of which every subset by what a system gave is there, as the keyword arguments of two systems.
_NOTHING_AND_ALL = {
    "answer_match": ({"1": "a"}, _BOTH, _TWO_GOLDS, {"missing": "zero"}),
    "retrieval_ranking": ({"q": {"e": 1.0}}, {"q": {"d": 1.0, "e": 1.0}}, {"q": {"d": 1}}, {}),
    "factoid_accuracy": ([[]], [["a"]], [["a"]], {}),
    "retriever_reader": ([{"documents": [], "answers": []}], [_FOUND], [_FOUND], {"denominator": "correct_retrievals"}),
    "semantic_answer_similarity": ({"1": "a"}, _BOTH, _TWO_GOLDS, {"missing": "zero", "model": "lite"}),
    "answer_equivalence": ({"1": "a"}, _BOTH, _TWO_GOLDS, {"missing": "zero"}),
    "claim_support": ({"1": [None]}, {"1": ["support"], "2": []}, {"1": ["vital"], "2": []}, {"missing": "zero"}),
    "label_metrics": ([["a"]], [["b", "a"]], [["a"]], {"task": "ranked", "k": (2,)}),
}


@pytest.mark.parametrize("name", _NOTHING_AND_ALL)
def test_slices_by_what_a_system_gave_are_named(name):
    told = get_family(name).telling
    nothing, everything, golds, options = _NOTHING_AND_ALL[name]
    one, other = (qassay.score(name, predictions, golds, **options) for predictions in (nothing, everything))
    assert one.subsets.keys() == other.subsets.keys()
    differ = {subset for subset, mask in one.subsets.items() if mask.tolist() != other.subsets[subset].tolist()}
    assert differ and differ <= set(told.system_slices)
    offered = {*one.subsets, *told.slices(gold(None), one)}
    assert set(told.system_slices) - {"missing", "error_kind"} <= offered


# Notes.


@pytest.mark.parametrize(
    "name, predictions, references, choices",
    [
        ("answer_match", {"q": "a"}, {"q": ["a"]}, [{"missing": "skip"}]),
        ("retrieval_ranking", {"q": {"d": 1.0, "e": 0.5}}, {"q": {"d": 1}},
         [{"ties": ties, "missing": "skip", "skip_trivial": True} for ties in ("trec", "stable", "best", "expected")]),
        ("factoid_accuracy", {"q": ["a"]}, {"q": ["a"]},
         [{"phase": "A", "missing": "skip"}, {"phase": "B", "missing": "skip"}, {"phase": "B", "missing": "skip", "version": 2}]),
        ("retriever_reader", [_FOUND], [_FOUND], [{}, {"denominator": "correct_retrievals"}]),
        ("semantic_answer_similarity", {"q": "a"}, {"q": ["a"]}, [{"model": "lite", "missing": "skip"}]),
        ("answer_equivalence", {"q": "a"}, {"q": ["a"]}, [{"missing": "skip"}]),
        ("label_metrics", [["a"]], [["a"]], [{"task": "multi"}, {"task": "ranked"}]),
        ("average_precision", [0.5], [True], [{}, {"thresholds": (0.25,)}]),
    ],
)  # fmt: skip
def test_every_note_has_words(name, predictions, references, choices):
    for options in choices:
        scores = qassay.score(name, predictions, references, **options)
        assert {*scores.notes, "missing"} <= get_family(name).telling.note_words(scores.options).keys()


def test_counted():
    words = {"questions": "question", "queries": "query", "boxes": "box", "classes": "class"}
    for many, one in words.items():
        assert (counted(1, f"{many} left"), counted(0, many)) == (f"1 {one} left", f"0 {many}")
    assert counted(12345, "without a prediction") == "12,345 without a prediction"


# Families and their examples.


def test_gold_answers_have_the_offsets_of_the_gold_file():
    for name, row, offsets in (
        (
            "answer_match",
            {"id": "q", "answers": [{"text": "a", "answer_start": 3}, {"text": "b"}]},
            {"a": 3, "b": None},
        ),
        ("answer_match", [{"text": "a", "start": 1}, {"text": "a", "start": 9}], {"a": 1}),
        ("answer_match", ["a"], {}),
        ("retriever_reader", {"documents": ["d"], "answers": [{"text": "a", "start": 2}]}, {"a": 2}),
        ("semantic_answer_similarity", ["a"], {}),
    ):
        assert get_family(name).telling.gold_offsets(gold(None, {"references": [["x"], row]}), 1) == offsets


def test_forms_of_labels_and_scores_with_a_label():
    for task, predicted, form in (("single", "a", "single"), ("multi", ["a"], "set"), ("ranked", ["a"], "ranked")):
        scores = qassay.score("label_metrics", [predicted], [predicted], task=task)
        assert get_family("label_metrics").telling.label_form(scores.options) == form
    told = get_family("average_precision").telling
    score, label = told.score_and_label(qassay.score("average_precision", [0.5, 0.25], [True, False]))
    assert score.tolist() == [0.5, 0.25] and label.tolist() == [1.0, 0.0]
    assert told.score_and_label(qassay.score("average_precision", [{"a": 0.5}], ["a"])) is None
