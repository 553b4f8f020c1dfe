"""The descriptors of all families are consistent and complete, and their words agree with the numbers."""

import dataclasses

import pytest

import qassay
from qassay.core.columns import counted
from qassay.core.options import keyword_names
from qassay.files import Gold
from qassay.registry import FAMILIES, get_family

from .families import every_case, every_family


def gold(ids, columns=None, **details):
    return Gold("gold.json", "table", columns or {}, {}, ids, details)


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
        ("retrieval_ranking", [["d"]], [["d"]], {},
         "mrr map ndcg@10 p@10 recall@100 hit_rate@10 num_ret num_rel num_rel_ret", "ndcg@10 map mrr"),
        ("retrieval_ranking", [["d"]], [["d"]], {"measures": ("num_ret", "mrr", "num_rel", "p@5")},
         "mrr p@5 num_ret num_rel", "mrr"),
        ("factoid_accuracy", [["a"], ["a"], "yes", []], [["a"], ["a"], "yes", []], _TYPES,
         "strict_accuracy lenient_accuracy mrr list_precision list_recall list_f1 yesno_accuracy yesno_f1_yes "
         "yesno_f1_no yesno_macro_f1", "mrr list_f1 yesno_macro_f1"),
        ("claim_support", ["CORRECT"], ["a"], {"task": "grades"},
         "correct incorrect not_attempted accuracy_given_attempted f1", "correct accuracy_given_attempted f1"),
        ("label_metrics", ["a", "b"], ["a", "a"], {"per_class": True},
         "accuracy balanced_accuracy macro_precision macro_recall macro_f1 micro_f1 weighted_f1 precision[a] "
         "precision[b] recall[a] recall[b] f1[a] f1[b] support[a] support[b]", "accuracy macro_f1"),
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
         {"no_gold": "scored 0"}),
        ("claim_support", [["support", None], []], [["vital", "okay"], []], {},
         {"unjudged": "omitted from their shares", "empty": "as the official program"}),
        ("label_metrics", [["a"], ["b"]], [["a", "a"], []], {"task": "multi"},
         {"no_labels": "rows without true labels", "repeated_labels": "counted once"}),
        ("label_metrics", [["a", "b"], ["b"]], [["a"], []], {"task": "ranked", "k": (1, 2)},
         {"no_labels": "scored 0", "short": "misses"}),
        ("average_precision", [0.1, 0.9], [1, 0], {"thresholds": [0.5]}, {"below_thresholds": "does not reach 1"}),
        ("average_precision", [{"a": 0.9, "b": 0.2}], ["a"], {}, {"no_positives": "0 in the mean"}),
        ("average_precision", [{**_BOX, "scores": [0.5], "labels": ["b"]}], [_BOX], {"task": "boxes"},
         {"no_positives": "omitted from the mean"}),
    ],
)  # fmt: skip
def test_what_was_counted_is_reported(name, predictions, references, options, notes):
    found, told = qassay.score(name, predictions, references, **options), get_family(name).telling
    assert told.notes_of(found) == dict.fromkeys(notes, 1)
    words = told.note_words(found.options)
    assert [note for note, part in notes.items() if part not in words[note]] == []


@every_family
def test_kinds_of_errors_and_slices(family):
    meanings, right, _ = family.telling.errors
    assert tuple(meanings) == family.telling.errors.order and [*meanings][:1] == [*right[:1]]
    assert [kind for kind in meanings if kind in right] == list(right)
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


@every_case
def test_every_note_has_words(case):
    _, options_class = get_family(case.metric).load()
    options = {**case.options, **({"missing": "skip"} if "missing" in keyword_names(options_class) else {})}
    try:
        scores = dataclasses.replace(case, options=options).score()
    except (TypeError, ValueError) as error:
        assert "missing" in str(error)  # not an option of this task
        scores = case.score()
    assert {*scores.notes, "missing"} <= get_family(case.metric).telling.note_words(scores.options).keys()


def test_counted():
    words = {"questions": "question", "queries": "query", "boxes": "box", "classes": "class"}
    for many, one in words.items():
        assert (counted(1, f"{many} left"), counted(0, many)) == (f"1 {one} left", f"0 {many}")
    assert counted(12345, "without a prediction") == "12,345 without a prediction"


def test_gold_answers_have_the_offsets_of_the_gold_file():
    squad = {"id": "q", "answers": [{"text": "a", "answer_start": 3}, {"text": "b"}]}
    found = {"documents": ["d"], "answers": [{"text": "a", "start": 2}]}
    for name, row, offsets in (("answer_match", squad, {"a": 3, "b": None}), ("retriever_reader", found, {"a": 2})):
        assert get_family(name).telling.gold_offsets(gold(None, {"references": [["x"], row]}), 1) == offsets
