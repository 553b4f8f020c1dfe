"""pass@k and pass^k of repeated runs, and the majority answer: probabilities, measures, refused input."""

import itertools

import numpy as np
import pytest

import qassay

from .some_runs import GOLD, PARTS, numbers


def runs_of(table):
    """Runs of which a row says which questions are right."""
    return qassay.runs([qassay.score("answer_match", ["ba"[int(r)] for r in run], [["a"]] * len(run)) for run in table])


@pytest.mark.parametrize("n", [2, 3, 5])
def test_probabilities_match_all_choices_of_runs(n):
    runs = runs_of([[run < right for right in range(n + 1)] for run in range(n)])  # question c is right in c runs
    for k in range(1, n + 1):
        once, always = runs.pass_at(k).columns[f"pass@{k}"], runs.pass_hat(k).columns[f"pass^{k}"]
        for right in range(n + 1):
            chosen = [sum(choice) for choice in itertools.combinations([1] * right + [0] * (n - right), k)]
            assert once[right] == pytest.approx(np.mean([won > 0 for won in chosen]))
            assert always[right] == pytest.approx(np.mean([won == k for won in chosen]))


def test_pass_at_k_is_the_product_of_chen():
    def of_chen(n, c, k):  # the numerically stable form of the paper
        return 1.0 if n - c < k else 1.0 - np.prod(1.0 - k / np.arange(n - c + 1, n + 1))

    found = runs_of([[run < right for right in (0, 1, 17, 40)] for run in range(40)]).pass_at([1, 10, 40])
    for k, (place, c) in itertools.product((1, 10, 40), enumerate((0, 1, 17, 40))):
        assert found.columns[f"pass@{k}"][place] == pytest.approx(of_chen(40, c, k), abs=1e-12)


def test_pass_at_k_of_runs(runs):
    found = runs.pass_at([1, 2, 3])
    assert found["pass@1"] == pytest.approx(runs["exact_match"])
    assert found.interval()["pass@3"].method == "wilson" and found.counts() == dict.fromkeys(found.measures, 12)
    grouped = qassay.runs([part.with_groups([row // 3 for row in range(12)]) for part in PARTS]).pass_at(2)
    assert grouped.interval() != runs.pass_at(2).interval() and list(found.ids) == list(GOLD)
    named = qassay.runs([qassay.score("answer_match", [a, "b"], ["a", "c"]) for a in "ab"])
    assert named.pass_at(2, "em")["pass@2"] == 0.5


def test_pass_hat_k_of_runs(runs):
    """As the code of tau-bench: the mean over tasks of comb(c, k) / comb(n, k)."""
    found, right = runs.pass_hat([1, 2, 3]), runs.variance(["exact_match"])["exact_match"]
    assert found["pass^1"] == pytest.approx(runs["exact_match"]) and found["pass^3"] == right.always
    tasks = [[1, 1, 1, 1, 0], [1, 1, 0, 0, 0], [1, 1, 1, 1, 1], [0, 0, 0, 0, 0]]  # a row per task, a column per trial
    drawn = runs_of(zip(*tasks, strict=True)).pass_hat([1, 2, 3, 4])
    assert list(drawn.summary().values()) == pytest.approx([0.55, 0.425, 0.35, 0.3])


@pytest.mark.parametrize(
    ("k", "measure", "message"),
    [
        ([1, 4], None, "needs 4 runs or more; there are 3"),
        (1, "f1", "f1 is not a mean of right"),
        (0, None, "k of pass"),
        (1.5, None, "k of pass"),
        ([], None, "ks is empty"),
    ],
)
def test_what_cannot_be_drawn_is_refused(runs, k, measure, message):
    for drawn in (runs.pass_at, runs.pass_hat):
        with pytest.raises((ValueError, TypeError), match=message):
            drawn(k, measure)


def test_measures_without_right_and_wrong_answers_are_refused():
    """Also error rates, scores of classes, counts, and measures of no question."""
    labels = qassay.runs([qassay.score("label_metrics", [found, "b", "a"], ["a", "b", "b"]) for found in "ab"])
    variances = labels.variance(["accuracy", "error_rate"])
    assert (variances["accuracy"].always, variances["accuracy"].never) == pytest.approx((1 / 3, 1 / 3))
    assert variances["error_rate"].always is None
    answers = [["yes", "yes", "no"], ["yes", "no", "no"]]
    yesno = qassay.runs(
        [qassay.score("factoid_accuracy", said, ["yes", "no", "no"], question_type="yesno") for said in answers]
    )
    part = qassay.runs([qassay.score("answer_match", [answer, "b"], [["a"], []]) for answer in "ax"]).take([0])
    for runs, name in (
        (labels, "error_rate"),
        (yesno, "yesno_f1_yes"),
        (yesno, "yesno_macro_f1"),
        (yesno, "total"),
        (part, "no_answer_exact_match"),
    ):
        for drawn in (runs.pass_at, runs.pass_hat):
            with pytest.raises(ValueError, match=name):
                drawn(1, name)
    with pytest.raises(ValueError, match="no usual measure"):
        qassay.runs([numbers([0.2, 0.3]), numbers([0.2, 0.4])]).pass_at(1)


def test_majority_answers_are_a_system():
    seeds = [{"q1": "Rome", "q2": "Basel", "q3": None}, {"q1": "the Rome!", "q2": "Bern", "q3": None}]
    seeds += [{"q3": "x", "q2": "Bern", "q1": "Milan"}]
    voted = qassay.majority_answers(seeds)
    assert voted == {"q1": "Rome", "q2": "Bern", "q3": None}
    assert qassay.majority_answers(seeds, normalizer="none")["q1"] == "Rome"  # each once: the first run
    assert qassay.score("answer_match", voted, {"q1": ["Rome"], "q2": ["Bern"], "q3": ["y"]})["exact_match"] == 2 / 3
    for wrong, error, message in (
        ([["a"]], ValueError, "got 1"),
        ([{"a": "x"}, {"b": "x"}], ValueError, "run 2 and run 1 .*'a'"),
        ([["a"], {"q": "b"}], TypeError, "dicts"),
    ):
        with pytest.raises(error, match=message):
            qassay.majority_answers(wrong)
