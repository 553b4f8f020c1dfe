"""One prediction and its gold answers as texts, and what goes by columns."""

from types import SimpleNamespace

import numpy as np
import pytest

from qassay.core.extraction import get_extraction
from qassay.core.one_text import gold_texts, scored_text


@pytest.mark.parametrize(
    ("gold", "texts"),
    [
        ("Rome", ["Rome"]),
        ("", []),
        ("[1] x", ["[1] x"]),
        ([], []),
        (["", "a"], ["", "a"]),
        (("a",), ("a",)),
        ("['a', 'b']", None),
        (None, None),
        (["a", None], None),
        ([["a"]], None),
        (np.array(["a"]), None),
        ({"text": ["a"]}, None),
        ({"a"}, None),
    ],
    ids=repr,
)
def test_gold_texts(gold, texts):
    assert gold_texts(gold) == texts


def scored(prediction, extract=None, unextracted="zero"):
    return scored_text(prediction, SimpleNamespace(extract=get_extraction(extract), unextracted=unextracted))


def test_scored_text():
    assert scored("a") == ("a", False) and scored("so <answer>a</answer>", "answer_tag") == ("a", False)
    assert scored("<answer></answer>", "answer_tag") == ("", False)
    assert [scored("a", "answer_tag", way) for way in ("zero", "empty", "whole")] == [
        ("", True),
        ("", False),
        ("a", False),
    ]


def test_unusual_predictions_are_scored_by_columns():
    assert scored(None) is scored(["a"]) is scored(np.str_("a")) is None
    assert scored("a", "answer_tag", "error") is scored("a", lambda text: 1) is None
