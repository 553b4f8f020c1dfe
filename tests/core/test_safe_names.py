"""Names of measures for trackers, in the letters that MLflow takes, on Windows too."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qassay.core.safe_names import safe_name, with_safe_names


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("p@10", "p_at_10"),
        ("map(rel=2)@100", "map_with_rel_is_2_at_100"),
        ("rbp(p=0.95)_low", "rbp_with_p_is_0.95_low"),
        ("f1[cat]_high", "f1_of_cat_high"),
        ("f1[caf\u00e9 au lait]", "f1_of_caf\u00e9 au lait"),
        ("f1[a/b]", "f1_of_a_x2f_b"),
    ],
)
def test_names(name, safe):
    assert safe_name(name) == safe


@given(st.text())
def test_every_name_is_safe(name):
    assert re.fullmatch(r"[\w. -]*", safe_name(name))


def test_two_measures_do_not_get_one_name():
    with pytest.raises(ValueError, match="the safe name 'f1_of_a_at_b'"):
        with_safe_names({"f1[a@b]": 1, "f1[a_at_b]": 2})
