"""Gold answers in every layout, and errors that are raised before training."""

import pytest

import qassay
from qassay.registry import get_family

GOLDS = [["Rome", "Roma"], []]


@pytest.mark.parametrize(
    ("metric", "golds", "options"),
    [
        ("answer_match", GOLDS, {"top_k": (1, 3), "missing": "skip"}),
        ("answer_match", [["Rome"], ["Ur"]], {"task": "drop"}),
        ("semantic_answer_similarity", GOLDS, {"model": "lite", "thresholds": (0.3,), "top_k": 2}),
        ("answer_equivalence", GOLDS, {"threshold": 0.3}),
        ("label_metrics", ["up", "down"], {"labels": ["down", "up"], "per_class": True}),
    ],
)
def test_blank_scores_have_the_measures_of_all(metric, golds, options):
    family = get_family(metric)
    _, options_class = family.load()
    answers = [["Rome"], ["Ur"]] if "top_k" in options else ["up", "up"]
    blank = family.score_blank(golds, options=options_class.from_keywords(**options))
    assert list(blank.measures) == list(qassay.score(metric, answers, golds, **options).measures)


def test_no_model_is_loaded_for_blank_scores():
    family = get_family("semantic_answer_similarity")
    _, options_class = family.load()
    assert "sas" in family.score_blank(GOLDS, options=options_class(model="no/such-model")).measures
    family = get_family("answer_equivalence")
    _, options_class = family.load()
    assert "accepted" in family.score_blank(GOLDS, options=options_class(model="no/such-model")).measures
