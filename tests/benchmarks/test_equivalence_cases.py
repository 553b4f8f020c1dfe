"""The adversarial table and the script that prints it."""

import sys
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest


@pytest.fixture(scope="module")
def script(load_script):
    return load_script("equivalence_cases")


@pytest.fixture(scope="module")
def cases(script):
    return script.adversarial_cases()


def test_every_kind_has_ten_cases_and_both_verdicts(cases):
    kinds = Counter(case.kind for case in cases)
    accepted = Counter(case.kind for case in cases if case.accept)
    assert len(cases) >= 200 and len(kinds) >= 14
    assert all(10 <= n <= 20 and 3 <= accepted[kind] <= n - 3 for kind, n in kinds.items())


def test_no_case_is_duplicate_or_without_a_gold_answer(cases):
    assert len({(case.question, case.answer[:200] + case.answer[-200:]) for case in cases}) == len(cases)
    assert all(case.question.strip() and case.golds and all(map(str.strip, case.golds)) for case in cases)


def test_a_constant_scorer_fails_every_kind(script, cases):
    for verdict in (True, False):
        shares = script.shares_right(cases, np.full(len(cases), verdict))
        assert script.missed(shares) == list(shares)


def test_very_long_answers_are_written_out(script, cases):
    lengths = [len(case.answer) for case in cases if case.kind == "very_long"]
    assert min(lengths) > 0.99 * script.CHARACTERS
    assert script.long_answer("It is {padding}.", "x " * 5).startswith("It is x x ")
    assert not any("{padding}" in case.answer for case in cases)


def test_command_prints_the_table_and_fails_below_the_targets(script, cases, monkeypatch, capsys):
    right = {(case.question, case.answer): float(case.accept) for case in cases}

    def accept_probabilities(answers, golds, questions):
        return np.array([right[key] for key in zip(questions, answers, strict=True)])

    scorer = SimpleNamespace(accept_probabilities=accept_probabilities)
    monkeypatch.setitem(sys.modules, "knows_all", scorer)
    script.main(["--scorer", "knows_all", "--wrong"])
    assert "knows_all: reaches every target" in capsys.readouterr().out
    scorer.accept_probabilities = lambda answers, golds, questions: np.array([len(text) % 2 for text in answers])
    with pytest.raises(SystemExit):
        script.main(["--scorer", "knows_all", "--wrong"])
    printed = capsys.readouterr().out
    assert "below the target in negation" in printed and "Canberra" in printed
