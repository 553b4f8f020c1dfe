"""Names of measures for trackers, in the letters that MLflow takes, on Windows too."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qassay.core.safe_names import safe_name, with_safe_names


@given(st.text())
def test_every_name_is_safe(name):
    assert re.fullmatch(r"[\w. -]*", safe_name(name))


def test_two_measures_do_not_get_one_name():
    with pytest.raises(ValueError, match="the safe name 'f1_of_a_at_b'"):
        with_safe_names({"f1[a@b]": 1, "f1[a_at_b]": 2})
