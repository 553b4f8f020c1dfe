"""Repeated runs of one system: values, intervals over questions and runs, comparisons, bad input."""

import copy
import dataclasses
import itertools
import json
import pickle
import re

import numpy as np
import pytest

import qassay
from qassay.core.measures import Mean
from qassay.core.scores import Scores

from .some_runs import GOLD, PARTS, answers, numbers, scored

# Values.


def test_values_of_each_run_and_equal_runs(runs):
    assert list(runs.run_values(["f1"]).values()) == [part.summary(["f1"]) for part in PARTS]
    assert (runs["total"], runs.n_runs, len(runs), runs.counts()["f1"]) == (12, 3, 12, 12)
    assert runs.equal_runs() == [] and qassay.runs([*PARTS, PARTS[0]]).equal_runs() == [["run 1", "run 4"]]
    copies = qassay.compare({"a": runs, "b": qassay.runs([PARTS[0]] * 2)}, ["f1"], n_permutations=20)
    assert any(line.startswith("runs of b with the same values") for line in copies.remarks), "beside other runs too"


def test_runs_are_matched_by_id_in_any_order(runs):
    turned = [part.take(np.arange(len(part))[::-1]) for part in PARTS[1:]]
    again = qassay.runs([PARTS[0], *turned])
    assert again == runs and again.interval() == runs.interval()


def test_slices_and_copies_keep_the_runs(runs):
    odd = [row % 2 for row in range(12)]
    sliced = runs.by(odd)[1]
    assert sliced.n_runs == 3
    assert sliced["f1"] == pytest.approx(np.mean([part.by(odd)[1]["f1"] for part in PARTS]))
    assert pickle.loads(pickle.dumps(runs)) == copy.deepcopy(runs) == runs
    assert pickle.loads(pickle.dumps(runs)).interval() == runs.interval()
    with pytest.raises(ValueError, match="part 1 has several runs"):
        Scores.concat([PARTS[0], runs])


def with_columns(parts, **columns):
    return [dataclasses.replace(part, columns={**part.columns, **columns}) for part in parts]


def test_a_column_named_like_a_column_of_a_run_is_preserved_or_refused():
    names = ["f1 (run 9)", "in subset missing (run 9)"]
    parts = with_columns(PARTS, **dict.fromkeys(names, np.arange(12.0)))
    for part, back in zip(parts, qassay.runs(parts).each_run().values(), strict=True):
        assert (set(back.columns), set(back.subsets)) == (set(part.columns), set(part.subsets))
        assert back.summary(part.measures) == part.summary(part.measures)
    third = with_columns(PARTS, **{"f1 (run 3)": np.ones(12)})
    two, equal = qassay.runs(third[:2]), qassay.runs([third[0]] * 3)  # they compare copies of the runs, six of each
    for refused in (lambda: qassay.runs(third), lambda: qassay.compare({"a": two, "b": equal})):
        with pytest.raises(ValueError, match=re.escape("'f1 (run 3)'")):
            refused()


# Both levels.


def test_the_variance_of_a_mean_has_closed_forms():
    rng = np.random.default_rng(3)
    table = rng.normal(size=(30, 1)) + rng.normal(0, 0.5, (1, 4)) + rng.normal(0, 0.7, (30, 4))
    found = qassay.runs([numbers(column) for column in table.T])
    of = found.variance()["x"]
    n, r = table.shape
    effects = table - table.mean(0) - table.mean(1, keepdims=True) + table.mean()
    noise = (effects**2).sum() / ((n - 1) * (r - 1))  # the mean square of the interaction
    assert of.by_noise == pytest.approx(noise / (n * r))
    assert of.by_question == pytest.approx(table.mean(1).var(ddof=1) / n - noise / (n * r))
    assert of.by_run == pytest.approx((table.mean(0).var(ddof=1) - noise / n) / r)
    assert of.deviation == pytest.approx(table.mean(0).std(ddof=1)) and sum(of.shares.values()) == pytest.approx(1)
    low, high = found.interval()["x"]
    assert (low + high) / 2 == pytest.approx(table.mean())


def test_a_run_without_an_example_of_a_measure_is_omitted_from_its_mean():
    empty = dataclasses.replace(PARTS[0], columns={**PARTS[0].columns, "f1": np.full(12, np.nan)})
    found = qassay.runs([PARTS[0], PARTS[2], empty])
    assert found["f1"] == pytest.approx((PARTS[0]["f1"] + PARTS[2]["f1"]) / 2)
    assert found.variance(["f1"])["f1"][:7] == pytest.approx(
        qassay.runs([PARTS[0], PARTS[2]]).variance(["f1"])["f1"][:7]
    )


def test_percentiles_of_several_runs_are_refused(runs):
    refused = pytest.raises(ValueError, match="method=percentile does not cover other runs")
    with refused:
        runs.interval(method="percentile")
    with refused:
        qassay.compare({"a": runs, "b": PARTS[0]}, method="percentile")


# Compared with other systems.


def averaged(runs):
    """A Scores whose column is the mean over runs of the exact match of each question."""
    mean = np.mean([part.columns["exact_match"] for part in runs.each_run().values()], axis=0)
    return Scores(ids=runs.ids, columns={"x": mean}, measures={"x": Mean("x")}, options=PARTS[0].options)


def test_systems_with_other_numbers_of_runs_are_compared_by_question():
    few = [part.take(np.arange(8)) for part in PARTS]
    more = [scored(*right).take(np.arange(8)) for right in ([0, 1, 2, 3, 4, 5], [0, 2, 5, 6, 7])]
    first, second, single = qassay.runs(few), qassay.runs(more), more[0]
    for other, plain in ((second, averaged(second)), (single, None)):
        found = qassay.compare({"a": first, "b": other}, ["exact_match"]).differences[0]
        plain = averaged(qassay.runs([single, single])) if plain is None else plain
        expected = qassay.compare({"a": averaged(first), "b": plain}, ["x"]).differences[0]
        assert (found.p_value, found.better, found.equal, found.worse) == pytest.approx(
            (expected.p_value, expected.better, expected.equal, expected.worse)
        )
        assert found.values == pytest.approx(expected.values) and found.test == "exact permutation"
        assert found.values == pytest.approx((first["exact_match"], other["exact_match"]))
        assert found.intervals[0] == pytest.approx(first.interval(names=["exact_match"])["exact_match"])


def test_differences_are_over_other_questions_and_other_runs():
    from scipy.stats import t

    rng = np.random.default_rng(2)
    n, tables = 40, []
    for n_runs, shift in ((3, 0.0), (4, 0.7)):
        tables.append(
            rng.normal(0, 0.5, (n, 1)) + rng.normal(shift, 0.5, (1, n_runs)) + rng.normal(0, 0.3, (n, n_runs))
        )
    systems = {name: qassay.runs([numbers(c) for c in table.T]) for name, table in zip("ab", tables, strict=True)}
    found = qassay.compare(systems, ["x"])
    difference = found.differences[0]
    changes = tables[1].mean(1) - tables[0].mean(1)
    variance, inverse = changes.var(ddof=1) / n, 0.0
    carriers = ((changes - changes.mean()) ** 2).sum() ** 2 / ((changes - changes.mean()) ** 4).sum()
    inverse = variance**2 / min(n - 1, 2.5 * carriers)
    for system in systems.values():
        of = system.variance(["x"])["x"]
        variance += of.by_run
        inverse += (of.deviation**2 / system.n_runs) ** 2 / (system.n_runs - 1)
    degrees = variance**2 / inverse
    assert difference.p_value == pytest.approx(2 * t.sf(abs(difference.difference) / variance**0.5, degrees), rel=1e-6)
    assert difference.test == "t over runs" and not difference.is_least(10_000)
    assert "over_runs" in difference.cautions
    low, high = difference.interval
    assert low < difference.difference - 1.9 * variance**0.5 and high > difference.difference + 1.9 * variance**0.5


def test_questions_with_all_runs_are_swapped_if_a_measure_is_not_a_mean():
    gold = list("aabbcc")
    answers = [["abbbcc", "aabbca"], ["abcbca", "bacbcc"]]
    systems = [qassay.runs([qassay.score("label_metrics", list(run), gold) for run in runs]) for runs in answers]

    def difference(swapped):
        both = [["".join(pair[which != swap] for *pair, swap in zip(a, b, swapped)) for a, b in zip(*answers)]
                 for which in (False, True)]  # fmt: skip
        first, second = (
            np.mean([qassay.score("label_metrics", list(run), gold)["macro_f1"] for run in runs]) for runs in both
        )
        return second - first

    every = np.array([difference(swapped) for swapped in itertools.product((False, True), repeat=6)])
    found = qassay.compare(dict(zip("ab", systems)), ["macro_f1"]).differences[0]
    assert found.difference == pytest.approx(every[0])
    assert found.p_value == pytest.approx(np.mean(abs(every) >= abs(every[0]) - 1e-9))


def test_runs_with_classes_of_their_own_are_compared():
    gold = list("abab")
    first = qassay.runs([qassay.score("label_metrics", list(answers), gold) for answers in ("abbb", "abzb")])
    second = qassay.runs([qassay.score("label_metrics", list(answers), gold) for answers in ("aayb", "abab")])
    found = qassay.compare({"a": first, "b": second}, ["micro_f1", "macro_f1"])
    assert found.differences[0].values == pytest.approx((first["micro_f1"], second["micro_f1"]))
    assert all(np.isfinite(difference.interval).all() for difference in found.differences)


def examples_in(path, systems, **columns):
    """The runs of the first system, and the examples that systems answer differently: id -> the answers of each system."""
    qassay.compare(systems).report(path, **columns)
    found = json.loads(path.read_text())
    examples = found["parts"][0]["examples"]
    of_systems = list(examples["systems"].values())
    return found["systems"][0]["runs"], {
        identifier: [of["answers"][place] for of in of_systems]
        for place, identifier in enumerate(examples["ids"])
        if len({of["values"]["f1" if "f1" in of["values"] else "f1@2"][place] for of in of_systems}) > 1
    }


def test_a_comparison_shows_the_answers_of_each_run(runs, tmp_path):
    given = [answers(0, 1, 2, 3, 4), answers(0, 1, 2, 3), answers(0, 2, 5, 6, 7, 8, 9)]
    systems, path = {"a": runs, "b": PARTS[2]}, tmp_path / "report.json"
    names, found = examples_in(path, systems, predictions={"a": given, "b": given[2]}, references=GOLD)
    assert names == ["run 1", "run 2", "run 3"]
    assert found["q1"] == [["yes", "yes", "yes no"], ["yes no"]]
    assert found["q5"] == [["yes no", "yes no", "yes"], ["yes"]]
    by_name = dict(zip(["run 3", "run 1", "run 2"], [list(given[2].values()), *map(list, map(dict.values, given[:2]))]))
    again = examples_in(path, systems, predictions={"a": by_name, "b": given[2]}, references=list(GOLD.values()))
    assert again == (names, found)
    less = [given[0], {name: text for name, text in given[1].items() if name != "q11"}, given[2]]
    for wrong, of in ((given[:2], "a .* 3 runs"), (given[0], "a .* 3 runs"), (less, r"a \(run 2\) .*'q11'")):
        with pytest.raises(ValueError, match=f"predictions of {of}"):
            qassay.compare(systems).report(path, predictions={"a": wrong, "b": given[2]}, references=GOLD)


def test_too_different_numbers_of_runs_are_refused():
    many = {str(n): qassay.runs([PARTS[0]] * n) for n in (9, 10)}
    with pytest.raises(ValueError, match="9 9, 10 10"):
        qassay.compare(many)


# Bad input.


def test_runs_with_different_questions_are_refused_and_counted():
    less, *_ = scored(0, 1).by([name in ("q3", "q7") for name in GOLD]).values()
    with pytest.raises(ValueError, match="run 2 lacks 2 of 12 .'q3', 'q7'.*common=True"):
        qassay.runs([PARTS[0], less])
    kept = qassay.runs([PARTS[0], less], common=True)
    assert len(kept) == 10 and kept.notes["not_in_every_run"] == 2 and kept.summary()["not_in_every_run"] == 2
    other = qassay.score("answer_match", {"z": "yes"}, {"z": ["yes"]})
    for common, message in ((False, "run 1 lacks 1 of 13 .'z'., run 2 lacks 12 of 13"), (True, "no example is in all")):
        with pytest.raises(ValueError, match=message):
            qassay.runs([PARTS[0], other], common=common)


def test_notes_are_sums_over_the_runs_and_measures_that_count_are_means():
    gold = {"q1": ["Paris"], "q2": ["Rome"]}
    answers = [{"q1": "Paris", "elsewhere": "x"}, {"q1": "Paris", "q2": "Rome", "elsewhere": "x"}]
    with pytest.warns(UserWarning, match=r"1 in run 1 \('q2'\)"):
        found = qassay.runs([qassay.score("answer_match", run, gold) for run in answers])
    assert found.notes["unmatched"] == 2 and found.summary(["total", "missing"]) == {"total": 2, "missing": 0.5}


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        ([PARTS[0]], ValueError, "got 1"),
        ([PARTS[0], 3], TypeError, "run 2"),
        ([PARTS[0], scored(0, normalizer="french")], ValueError, "run 1 and run 2 .*french"),
        ([PARTS[0], scored(0, gold={**GOLD, "q3": ["maybe"]})], ValueError, "'q3'"),
        ([PARTS[0], qassay.runs(PARTS)], ValueError, "run 2"),
        (
            [PARTS[0].with_groups(list("aaaaaabbbbbb")), PARTS[1].with_groups(list("aaaaabbbbbbb"))],
            ValueError,
            "'q5' is in group 'a' in run 1",
        ),
    ],
)
def test_runs_that_are_not_runs_of_one_system(wrong, error, message):
    with pytest.raises(error, match=message):
        qassay.runs(wrong)
