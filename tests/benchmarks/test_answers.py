"""benchmarks/answers.py --small: every way of every case gives the same numbers, which it checks before it measures."""

import pytest

import qassay


@pytest.fixture(scope="module")
def script(load_script):
    return load_script("answers")


def test_functions_of_small_cases_agree(script):
    for name, case in script.SMALL_CASES.items():
        ways = script.small_ways(case, qassay.scorer(case.metric, **case.options), 5, None)
        others = {way for way, of_case in (("plain", case.plain), ("reward", case.reward)) if of_case}
        assert {*ways} == {"scorer", "score", *others}, name


def test_a_difference_stops_the_script(script):
    case = script.SMALL_CASES["answers"]._replace(plain=lambda answers, golds: {"f1": 0.123})
    with pytest.raises(SystemExit, match="0.123 by the plain script"):
        script.small_ways(case, qassay.scorer("answer_match"), 5, None)
