"""The families by name: listed without being loaded, in one order, and each with its kinds of files."""

import pytest

from qassay.files.kinds import GOLD, PREDICTIONS, all_files, all_kinds
from qassay.registry import DEFAULT, FAMILIES, get_family


def test_families_are_a_mapping_in_order():
    assert list(FAMILIES)[0] == DEFAULT and len(FAMILIES) == len(list(FAMILIES))
    assert FAMILIES["answer_match"] is get_family("answer_match") and "nonsense" not in FAMILIES
    with pytest.raises(KeyError):
        FAMILIES["nonsense"]


def test_kinds_belong_to_their_family_and_have_what_they_serve_as():
    for kind in all_kinds():
        assert kind in all_files()[kind.metric].kinds and kind.fits
        if kind.metric != "retriever_reader":  # reads files of every kind itself
            assert (kind.gold_reader is not None) == (GOLD in kind.serves)
            assert (kind.prediction_reader is not None) == bool(kind.serves - {GOLD})
        assert PREDICTIONS in kind.serves or not kind.is_table
