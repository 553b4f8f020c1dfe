"""How well measures agree with labels: figures as those of scikit-learn and scipy, folds, systems, coverage, refused input."""

import json

import numpy as np
import pytest
from scipy import stats

import qassay
from qassay.core.groups import Groups
from qassay.core.interval_settings import Intervals
from qassay.core.measures import Rows
from qassay.human.agreement import FIGURES, figures_of, folds_of
from qassay.human.agreement_measures import (
    FOLD,
    LABEL,
    REJECTS_ALL,
    RIGHT,
    VERDICT,
    Auc,
    BestCut,
    CalibrationError,
    Correlation,
    HeldOutAccuracy,
)
from qassay.semantic_answer_similarity.pair_scorers import PairScorer, PairScores

NAMES = ["Rome", "Oslo", "Bern", "Lima", "Cairo", "Quito", "Minsk", "Accra"]


def rows_of(scores, right, labels=None):
    labels = right if labels is None else labels
    return Rows({"s": scores, LABEL: labels, RIGHT: right, VERDICT: labels}, {}, np.ones(len(scores)))


@pytest.fixture
def drawn():
    """Scores with ties, and verdicts."""
    rng = np.random.default_rng(3)
    scores = rng.integers(0, 21, 300) / 20
    return scores, (rng.random(300) < 0.2 + 0.6 * scores).astype(float)


@pytest.fixture
def table():
    """Forty questions, each answered by a system that is right and one that seldom is."""
    rng = np.random.default_rng(1)
    columns = {"question": [], "gold": [], "answer": [], "system": [], "label": []}
    for number in range(40):
        gold = f"{NAMES[number % 8]} {number}"
        for system, answer in (("good", f"it is {gold}"), ("bad", gold if number % 5 == 0 else "Paris")):
            wrong = rng.random() < 0.1
            label = int((gold in answer) != wrong)
            for name, cell in zip(columns, (f"which, {number}?", gold, answer, system, label), strict=True):
                columns[name].append(cell)
    return columns


def test_auc_and_correlation_match_scikit_learn_and_scipy(drawn, sklearn):
    scores, right = drawn
    rows, correlation = rows_of(scores, right), stats.pearsonr(scores, right).statistic
    assert Auc("s").value_once(rows) == pytest.approx(sklearn.roc_auc_score(right, scores), abs=1e-12)
    assert Correlation("s", (0.5, 0.5)).value_once(rows) == pytest.approx(correlation, abs=1e-12)
    far = Correlation("s", (0.5, 1e9)).value_once(rows_of(scores, right, right + 1e9))
    assert far == pytest.approx(correlation, abs=1e-12)


def test_counts_are_repeated_rows(drawn):
    rows, counts = rows_of(*drawn), np.random.default_rng(0).integers(0, 4, (3, 300))
    rows.columns[FOLD] = np.arange(300) % 5.0
    for measure in (Auc("s"), Correlation("s"), CalibrationError("s"), BestCut("s"), HeldOutAccuracy("s")):
        found = measure.value(rows, counts.astype(float))
        again = [measure.value_once(rows.take(np.repeat(np.arange(300), count))) for count in counts]
        np.testing.assert_allclose(found, again, atol=1e-12)


def test_calibration_error_by_hand():
    rows = rows_of(np.array([0.05, 0.05, 0.95, 1.0]), np.array([0.0, 1.0, 1.0, 1.0]))
    assert CalibrationError("s").value_once(rows) == pytest.approx((abs(0.1 - 1) + abs(1.95 - 2)) / 4, abs=1e-15)


def test_best_threshold_agrees_most_and_is_the_nearest_to_one_half(drawn):
    scores, right = drawn
    cut = BestCut("s").value_once(rows_of(scores, right))
    agreed = {other: ((scores >= other) == right).mean() for other in np.arange(-0.025, 1.05, 0.05)}
    assert ((scores >= cut) == right).mean() == max(agreed.values())
    clear = rows_of(np.array([0.1, 0.2, 0.8, 0.9]), np.array([0.0, 0.0, 1.0, 1.0]))
    assert BestCut("s").value_once(clear) == 0.5
    assert BestCut("s").value_once(rows_of(np.full(3, 0.7), np.array([1.0, 1.0, 0.0]))) == 0.0


def test_the_best_threshold_may_reject_every_answer():
    scores, right = np.tile([0.0, 1.0], 50), np.arange(100) % 10 == 1  # 10 % right, half of the values 1
    rows = rows_of(scores, right.astype(float))
    assert BestCut("s").value_once(rows) == REJECTS_ALL > 1
    rows.columns[FOLD] = np.arange(100) // 20 * 1.0
    assert HeldOutAccuracy("s").value_once(rows) == 0.9


def test_the_threshold_of_an_answer_is_chosen_without_its_fold(drawn):
    scores, right = drawn
    groups = Groups.of([row // 6 for row in range(300)])
    folds = folds_of(groups, 0)
    assert all(len(set(folds[groups.codes == code])) == 1 for code in range(50)) and len(set(folds)) == 5
    rows = rows_of(scores, right)
    rows.columns[FOLD] = folds
    agreed = 0
    for fold in range(5):
        cut = BestCut("s").value(rows, (folds != fold)[None].astype(float))[0]
        agreed += ((scores >= cut) == right)[folds == fold].sum()
    assert HeldOutAccuracy("s").value_once(rows) == agreed / 300


def test_figures_and_systems_of_a_table(table, sklearn):
    found = qassay.agreement(table, "answer_match", confidence=0.9)
    scores = qassay.score("answer_match", table["answer"], [[gold] for gold in table["gold"]])
    one, label = found["f1"], np.array(table["label"])
    assert one.auc == pytest.approx(sklearn.roc_auc_score(label, scores.columns["f1"]))
    assert one.accuracy == ((scores.columns["f1"] >= 0.5) == label).mean()
    assert all(low <= getattr(one, name) <= high for name, (low, high) in one.intervals.items())
    good = label[::2].mean()
    assert (found.systems[0].people, found.right) == (good, label.mean())
    assert found.systems[0].means["f1"] == scores.columns["f1"][::2].mean()
    assert found["exact_match"].largest_difference == pytest.approx(good)
    json.loads(json.dumps(found.to_dict()), parse_constant=pytest.fail)
    assert found._repr_html_().count("<table>") == 3
    with pytest.raises(KeyError, match="'em'"):
        found["em"]


def test_answers_that_an_option_omits_take_no_label_with_them(table):
    answers = [None if row % 4 == 0 else answer for row, answer in enumerate(table["answer"])]
    kept = [row for row, answer in enumerate(answers) if answer is not None]
    alone = {name: [column[row] for row in kept] for name, column in {**table, "answer": answers}.items()}
    for drop in ((), ("system",)):
        data, rest = ({name: cells for name, cells in each.items() if name not in drop} for each in (table, alone))
        skipped = qassay.agreement({**data, "answer": answers}, "answer_match", measures="f1", missing="skip")
        one, expected = skipped["f1"], qassay.agreement(rest, "answer_match", measures="f1")["f1"]
        assert (one.n, skipped.n) == (len(kept), 80)
        for name in (*FIGURES, "same_order", "largest_difference"):
            assert name.startswith("best") or getattr(one, name) == getattr(expected, name), name
        assert any("f1: 20" in line for line in skipped.remarks)
    skipped = qassay.agreement({**table, "answer": answers}, "answer_match", measures="f1", missing="skip")
    assert {one.system: (one.n, one.counts["f1"]) for one in skipped.systems} == {"good": (40, 20), "bad": (40, 40)}


def test_people_and_measure_order_systems_by_the_same_answers(table):
    """People reject the omitted answers of "good", so over all answers it is the worse system."""
    data = {name: [*column] for name, column in table.items()}
    for row in range(0, 78, 2):
        data["answer"][row], data["label"][row] = None, 0
    data["label"][78:], data["label"][1:20:2] = [1, 0], [1] * 10
    found = qassay.agreement(data, "answer_match", measures="contains", missing="skip")
    assert [one.system for one in found.systems] == ["bad", "good"]
    one = found["contains"]
    assert (one.same_order, one.pairs, one.n) == (1, 1, 41) and found.systems[1].means["contains"] == 1


def test_the_order_of_rows_changes_nothing(table):
    order = np.random.default_rng(2).permutation(80)
    mixed = {name: [column[row] for row in order] for name, column in table.items()}
    first, second = (qassay.agreement(data, "answer_match", measures=["f1", "contains"]) for data in (table, mixed))
    assert first.to_dict() == second.to_dict()
    blank = {**table, "question": [text if row < 40 else " " for row, text in enumerate(table["question"])]}
    assert qassay.agreement(blank, "answer_match", measures="f1").n_groups == 40  # by their gold answers
    turned = {**table, "label": [1 - label for label in table["label"]]}  # the wrong way round, which a remark says
    found = qassay.agreement(turned, "answer_match", measures=["f1", "contains"])
    assert found["f1"].auc == pytest.approx(1 - first["f1"].auc)
    assert any("AUC" in line for line in found.remarks) and not any("AUC" in line for line in first.remarks)


def test_metrics_measures_model_and_options(table):
    found = qassay.agreement(table, measures=["sas", "f1"], normalizer="french")
    assert [one.measure for one in found.measures] == ["sas", "f1"]
    assert all("norm:french" in one.signature for one in found.measures)

    class SaysYes(PairScorer):
        name, mode = "says yes", "own"

        def score(self, predictions, references, questions=None):
            none = np.zeros(len(predictions), bool)
            return PairScores(np.ones(len(predictions)), none, none)

    one = qassay.agreement(table, "semantic_answer_similarity", model=SaysYes())["sas"]
    assert (one.auc, one.pearson, one.best_threshold) == (0.5, None, 0.0) and "pearson" not in one.intervals


@pytest.mark.parametrize(
    ("error", "message", "settings"),
    [
        (ValueError, "label_metrics", {"metrics": "label_metrics"}),
        (ValueError, "metrics is empty", {"metrics": []}),
        (ValueError, "'f2'; available: exact_match, f1", {"measures": "f2", "metrics": "answer_match"}),
        (TypeError, "answer_match .*'model'", {"metrics": "answer_match", "model": "some/model"}),
        (ValueError, "right_from", {"right_from": float("nan")}),
        (ValueError, "80 labels say right", {"right_from": 0}),
    ],
)
def test_settings_that_are_refused(table, error, message, settings):
    with pytest.raises(error, match=message):
        qassay.agreement(
            {**table, "label": [1 + row % 4 for row in range(80)]} if "right_from" in settings else table, **settings
        )


def test_graded_labels(table):
    graded = {**table, "label": [1 + 4 * label - (row % 7 == 0) * label for row, label in enumerate(table["label"])]}
    with pytest.raises(ValueError, match="1 to 5; .*right_from"):
        qassay.agreement(graded)
    requested = {"metrics": "answer_match", "measures": "f1"}
    found, binary = qassay.agreement(graded, **requested, right_from=4), qassay.agreement(table, **requested)
    assert (found.right, found["f1"].auc, found["f1"].ece) == (binary.right, binary["f1"].auc, binary["f1"].ece)
    assert found["f1"].pearson != binary["f1"].pearson


# --- coverage of the intervals: the figures of docs/people_and_judges.md ------------------------------------------------

CASES = (  # groups, and answers of each
    ("calibrated", 20, 5),
    ("in steps, too low", 100, 5),
    ("right or wrong", 100, 1),
)
DRAWS = 120
# The mean width may be so many times 1 / sqrt(n), where five answers of a group say as much as four. It was 5 to 15 % less.
WIDEST = {"auc": 2.0, "accuracy": 2.0, "best_accuracy": 3.0, "pearson": 3.6, "ece": 2.0, "kappa": 3.8}
WIDEST_THRESHOLDS = 0.55


def sigmoid(values):
    return 1 / (1 + np.exp(-values))


def answers(rng, kind, groups, each):
    """Scores and verdicts of answers, alike within a group."""
    known = (rng.normal(size=groups).repeat(each) + rng.normal(size=groups * each)) * 0.8
    right = (rng.random(len(known)) < sigmoid(1.2 * known + 0.5)).astype(float)
    seen = known + 0.4 * rng.normal(size=len(known))
    scores = {
        "calibrated": sigmoid(1.2 * seen + 0.3),
        "in steps, too low": np.round(sigmoid(2.5 * seen - 1), 1),
        "right or wrong": (seen > 0.3).astype(float),
    }[kind]
    return scores, right


@pytest.mark.thorough
@pytest.mark.parametrize(("kind", "groups", "each"), CASES)
def test_intervals_hold_what_very_many_answers_say(kind, groups, each):
    scores, right = answers(np.random.default_rng(9), kind, 100_000, 5)
    every = rows_of(scores, right)
    measures = (Auc("s"), Correlation("s"), CalibrationError("s"), BestCut("s"))
    names = ("auc", "pearson", "ece", "best_threshold")
    truth = dict(zip(names, (one.value_once(every) for one in measures), strict=True))
    accepted = scores >= 0.5
    truth["accuracy"] = (accepted == right).mean()
    chance = accepted.mean() * right.mean() + (1 - accepted.mean()) * (1 - right.mean())
    truth["kappa"] = (truth["accuracy"] - chance) / (1 - chance)
    held: dict[str, list[bool]] = {figure: [] for figure in FIGURES}
    widths: dict[str, list[float]] = {figure: [] for figure in FIGURES}
    for seed in range(DRAWS):
        scores_of, labels = answers(np.random.default_rng([seed, groups]), kind, groups, each)
        of_groups = Groups.of(np.arange(groups).repeat(each))
        found, intervals = figures_of(scores_of, rows_of(scores_of, labels), of_groups, Intervals(n_resamples=300))
        truth["best_accuracy"] = ((scores >= found["best_threshold"]) == right).mean()
        for figure, (low, high) in intervals.items():
            held[figure].append(low - 1e-9 <= truth[figure] <= high + 1e-9)
            widths[figure].append(high - low)
    assert min(np.mean(of_figure) for of_figure in held.values() if of_figure) >= 0.88
    widest = {figure: times / np.sqrt(groups * min(each, 4)) for figure, times in WIDEST.items()}
    for figure, of_figure in widths.items():
        assert not of_figure or np.mean(of_figure) <= widest.get(figure, WIDEST_THRESHOLDS), figure
