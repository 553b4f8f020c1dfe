"""Names of measures for trackers: each in the letters that they take, and each read back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qassay.core.safe_names import measure_name, safe_name

# What MLflow takes, on Windows too.
ALLOWED = r"[\w. -]+"


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("p@10", "p_at_10"),
        ("map(rel=2)@100", "map_with_rel_is_2_at_100"),
        ("rbp(p=0.95)_low", "rbp_with_p_is_0.95_end__low"),
        ("f1[cat]_high", "f1_of_cat_end__high"),
        ("f1[caf\u00e9 au lait]", "f1_of_caf\u00e9 au lait"),
        ("f1[a/b]", "f1_of_a_x2f_b"),
        ("f1[look_at]", "f1_of_look_x5f_at"),
        ("f1[_at_@]", "f1_of__x5f_at__at_"),
    ],
)
def test_names(name, safe):
    assert safe_name(name) == safe
    assert measure_name(safe) == name


LABELS = st.text(st.sampled_from("atofwihxend5f_@[]()= .\u00e9\x00"), max_size=8) | st.text(max_size=5)
BASES = st.sampled_from(["f1", "map", "has_answer_f1", "ndcg"])
NAMES = st.one_of(
    BASES,
    st.builds("{}[{}]{}".format, BASES, LABELS, st.sampled_from(["", "_low", "_high"])),
    st.builds("{}@{}{}".format, BASES, st.sampled_from(["1", "0.5", "1e-05"]), st.sampled_from(["", "_low"])),
    st.builds("{}(rel={}){}".format, BASES, st.integers(0, 9), st.sampled_from(["", "@10", "@0.1_low", "_high"])),
)


@given(NAMES)
def test_every_name_is_parsed_back(name):
    import re

    safe = safe_name(name)
    assert measure_name(safe) == name
    assert re.fullmatch(ALLOWED, safe)
