"""The descriptors of all families are consistent and complete, and their words agree with the numbers."""

import pytest

import qassay
from qassay.core.file_columns import Gold
from qassay.registry import get_family

from .families import every_family


def gold(ids, columns=None, **details):
    return Gold("gold.json", "table", columns or {}, {}, ids, details)


_COUNTS = {  # measures with self-explanatory names
    "retriever_reader": ["total", "has_answer_total", "no_answer_total", "missing", "no_relevant"],
    "semantic_answer_similarity": ["total", "has_answer_total", "no_answer_total", "missing"],
    "label_metrics": ["total"],
    "average_precision": ["total", "missing"],
}


@every_family
def test_measures_have_meanings_and_usual_ones_exist(family):
    listed, told = dict(family.measures()), family.about.meanings
    assert [name for name, meaning in listed.items() if not meaning] == _COUNTS.get(family.name, [])
    assert {name.removesuffix("_has_answer") for name in told} <= listed.keys()
    function, options_class = family.load()
    for columns, options in family.smallest:
        scores = function(**columns, options=options_class(**options))
        assert family.score_config("default", columns, options) == scores
        usual, main = family.about.usual_measures(scores), family.about.main_measures(scores)
        assert len(set(usual)) == len(usual) and main and set(main) <= set(usual) <= scores.measures.keys()


_FOUND = {"documents": ["d"], "answers": ["a"]}
_BOX = {"boxes": [[0, 0, 9, 9]], "labels": ["a"]}


def test_what_was_counted_is_reported():
    ranked, boxes = {"task": "ranked", "k": (1, 2)}, {"task": "boxes"}
    for name, predictions, references, options, notes in (
        ("factoid_accuracy", {"a": ["d"], "b": ["d"]}, {"a": ["d"], "b": []}, {"phase": "A"}, "no_gold"),
        ("claim_support", [["support", None], []], [["vital", "okay"], []], {}, "unjudged empty"),
        ("label_metrics", [["a"], ["b"]], [["a", "a"], []], {"task": "multi"}, "no_labels repeated_labels"),
        ("label_metrics", [["a", "b"], ["b"]], [["a"], []], ranked, "no_labels short"),
        ("average_precision", [0.1, 0.9], [1, 0], {"thresholds": [0.5]}, "below_thresholds"),
        ("average_precision", [{**_BOX, "scores": [0.5], "labels": ["b"]}], [_BOX], boxes, "no_positives"),
    ):
        found, told = qassay.score(name, predictions, references, **options), get_family(name).about
        assert told.notes_of(found) == dict.fromkeys(notes.split(), 1)
        assert told.note_words(found.options).keys() >= set(notes.split())


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
    told = get_family(name).about
    nothing, everything, golds, options = _NOTHING_AND_ALL[name]
    one, other = (qassay.score(name, predictions, golds, **options) for predictions in (nothing, everything))
    assert one.subsets.keys() == other.subsets.keys()
    differ = {subset for subset, mask in one.subsets.items() if mask.tolist() != other.subsets[subset].tolist()}
    assert differ and differ <= set(told.system_slices)
    offered = {*one.subsets, *told.slices(gold(None), one)}
    assert set(told.system_slices) - {"missing", "error_kind"} <= offered
