"""The error bars hold: a small version of the simulations of benchmarks/interval_coverage.py.

Seeds are fixed; a share of samples is held against what has a chance of 1 in 10^6 where the intervals and tests hold.
"""

import re
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom

DOCS = Path(__file__).resolve().parent.parent.parent / "docs"
DOCUMENTED = (DOCS / "error_bars.md", DOCS / "repeated_runs.md", DOCS / "check.md")
SAMPLES = 300
NULLS = 400
CHANCE = 1e-6
LEAST = binom.ppf(CHANCE, SAMPLES, 0.93) / SAMPLES  # 0.85: of an interval that covers 93 % and more


@pytest.fixture(scope="module")
def script(load_script):
    return load_script("interval_coverage")


def cell(script, kind, n, icc=None, uneven=False):
    return script.Cell(kind, n, SAMPLES, 0.95, 0, icc, uneven)


@pytest.mark.parametrize("n", [20, 50, 200])
def test_shares_are_covered_as_wilson_does(script, n):
    held = script.share_coverage(n, 0.95, "auto")
    assert held.min() > 0.92 and held.max() < 0.985
    assert 0.945 < held.mean() < 0.96


def test_the_exact_coverage_sees_that_percentiles_do_not_hold(script):
    shares = script.SHARES.tolist()
    held = script.share_coverage(50, 0.95, "percentile")
    assert held[shares.index(0.95)] < 0.92 and held[shares.index(0.02)] < 0.65


@pytest.mark.parametrize("kind", ["f1 .97", "rr", "macro"])
def test_intervals_of_fifty_examples_hold(script, kind):
    assert script.mean_coverage(cell(script, kind, 50), ["auto"])["auto"] >= LEAST


@pytest.mark.parametrize(("kind", "icc", "uneven"), [("share .8", 0.9, False), ("f1 .6", 0.3, True)])
def test_intervals_of_ten_groups_hold(script, kind, icc, uneven):
    assert script.mean_coverage(cell(script, kind, 10, icc, uneven), ["auto"])["auto"] >= LEAST


def test_percentiles_and_examples_for_groups_are_found_too_narrow(script, monkeypatch):
    monkeypatch.setattr(script, "PERCENTILES_OF", 1)
    assert script.mean_coverage(cell(script, "f1 .97", 50), ["percentile"])["percentile"] < LEAST
    grouped = cell(script, "share .8", 10, 0.9)
    value, samples = grouped.population.value("first"), [sample["first"] for sample in grouped.draws("first")][:100]
    alone = [sample.with_groups(None).interval()["exact_match"] for sample in samples]
    assert np.mean([low <= value <= high for low, high in alone]) < 0.7


def test_intervals_of_differences_hold(script):
    few = cell(script, "share .8", 50)._replace(samples=100)
    least = binom.ppf(CHANCE, few.samples, 0.93) / few.samples
    for held in script.difference_coverage(few).values():
        assert held >= least


@pytest.mark.parametrize(("test", "kind", "n"), [("t", "f1 .6", 100), ("mcnemar", "share .8", 100)])
def test_systems_that_are_alike_are_seldom_called_different(script, test, kind, n):
    drawn = cell(script, kind, n)
    alike = script.share_called_different(drawn._replace(samples=NULLS), test, "like")
    assert alike <= binom.isf(CHANCE, NULLS, 0.05) / NULLS
    assert alike < script.share_called_different(drawn._replace(samples=30), test, "better")


@pytest.mark.parametrize(
    ("kind", "n", "icc"),
    [
        ("f1 .6", 50, None),
        *(pytest.param(*case, marks=pytest.mark.thorough) for case in (("share .8", 200, None), ("f1 .6", 35, 0.3))),
    ],
)
def test_a_system_that_is_worse_by_the_margin_seldom_passes_the_gate(script, kind, n, icc):
    at_margin, beyond, alike = script.gate_passes(cell(script, kind, n, icc)._replace(samples=200))
    assert beyond <= at_margin <= binom.isf(CHANCE, 200, 0.03) / 200 < alike


def test_an_anticonservative_test_is_found(script, monkeypatch):
    """Answers of a group treated as independent."""
    grouped = cell(script, "share .8", 10, 0.9)._replace(samples=40)
    alone = [
        {name: scores.with_groups(None) for name, scores in drawn.items()} for drawn in grouped.draws("first", "like")
    ]
    monkeypatch.setattr(script.Cell, "draws", lambda *_: alone)
    assert script.share_called_different(grouped, "t", "like") > binom.isf(CHANCE, NULLS, 0.05) / NULLS


def test_type_i_error_and_power_are_of_the_tests_that_fit(script):
    found = script.test_results(cell(script, "f1 .6", 200)._replace(samples=10), ["permutation", "t", "mcnemar"])
    assert list(found) == ["permutation", "t"]  # McNemar's does not fit F1
    for alike, better in found.values():
        assert alike < better


def test_the_population_is_what_it_says(script):
    drawn = cell(script, "share .8", 10, 0.3, True)
    population = drawn.population
    assert population.value("first") == population.value("like")  # exact: each pair of answers occurs in both orders
    assert 0.75 < population.value("first") < 0.85 < population.value("better")
    (one, *_), (again, *_) = list(drawn.draws("first", "like"))[:1], list(drawn.draws("first", "like"))[:1]
    assert one["first"].columns["exact_match"].tolist() == again["first"].columns["exact_match"].tolist()
    assert one["first"].groups == one["like"].groups and len(one["first"].groups.labels) == 10


def test_changes_that_are_skewed_have_a_mean_of_0(script):
    for changes in script.SKEWED.values():
        sizes, shares = np.array(changes).T
        assert shares.sum() == pytest.approx(1) and sizes @ shares == pytest.approx(0)
    errors = script.skewed_errors(next(iter(script.SKEWED)), 50, 40, 0.95, 0)
    assert errors["wilcoxon"] > 0.2 > errors["permutation"]  # ranks are not means


def test_rankings_with_equal_systems_have_their_coverage(script):
    """Two of four systems are better: errors of letters and of rank intervals stay within the level."""
    drawn = script.RankCell("exact match", "two levels", 4, 60, False, 100, 0.95, 0, n_permutations=199)
    found = script.rank_results(drawn)
    assert found.any_wrong <= binom.isf(CHANCE, drawn.samples, 0.05) / drawn.samples
    assert found.least >= binom.ppf(CHANCE, drawn.samples, 0.93) / drawn.samples
    assert found.width < 4 and found.best > 0.25


def documented_tables():
    return "\n###\n".join(path.read_text("utf-8") for path in DOCUMENTED)


def test_the_whole_script(script, monkeypatch, capsys):
    words = ["--samples", "2", "--sizes", "20", "--gate-sizes", "30", "--groups", "10", "--workers", "1", "--markdown"]
    monkeypatch.setattr("sys.argv", ["interval_coverage.py", *words])
    monkeypatch.setattr(script, "PERMUTATIONS", 50)
    monkeypatch.setattr(script, "RUN_SIZES", (30,))
    monkeypatch.setattr(script, "N_RUNS", (2,))
    for name, kinds in {
        "MEANS": ("f1 .6",),
        "GROUPED": ("f1 .9",),
        "COMPARED": ("share .8",),
        "GATED": ("share .8",),
    }.items():
        monkeypatch.setattr(script, name, kinds)
    few = script.RankCell("F1", "two levels", 3, 10, True, 2, 0.95, 0, n_permutations=50)
    monkeypatch.setattr(script, "rank_cells", lambda *_: [few])
    script.main()
    told, documented = capsys.readouterr().out, documented_tables()
    assert re.findall("^### .*", told, re.MULTILINE) == [f"### {title}" for title in TITLES]
    for line in re.findall(r"^\| 20 \| .*", told, re.MULTILINE):  # exact, so equal in the documentation
        assert line in documented


def test_the_documented_tables_have_the_rows_and_the_columns_of_the_script(script):
    """The same number of cells and names of rows; numbers are simulated here."""
    args, documented = script.arguments([]), documented_tables()
    made_up = {
        script.share_coverage: np.zeros(1),
        script.mean_coverage: dict.fromkeys(script.INTERVAL_METHODS, 0.0),
        script.difference_coverage: {"like": 0.0, "better": 0.0},
        script.test_results: dict.fromkeys(script.TESTS, (0.0, 0.0)),
        script.skewed_errors: dict.fromkeys(script.SKEWED_TESTS, 0.0),
        script.run_coverage: [(0.0, 0.0)] * 2,
        script.gate_passes: (0.0, 0.0, 0.0),
        script.rank_results: script.RankResults(*[0.0] * 7),
    }
    for (title, n_names), make in zip(TITLES.items(), script.MAKERS.values(), strict=True):
        table = make(args, lambda simulate, *jobs: [made_up[simulate] for _ in zip(*jobs, strict=True)])
        text = documented.split(f"### {title}\n")[1].split("###")[0]
        head, _, *rows = [line.strip("| ").split(" | ") for line in re.findall(r"^\|.*", text, re.MULTILINE)]
        assert (title, head) == (table.title, table.head)
        assert [row[:n_names] for row in rows] == [row[:n_names] for row in table.rows]
        assert {len(row) for row in rows} == {len(head)}


# Title -> how many cells name a row.
TITLES = {
    "Shares": 2,
    "Intervals": 1,
    "Intervals with groups": 3,
    "Intervals of differences": 1,
    "Paired tests": 2,
    "Skewed differences": 2,
    "Several runs": 2,
    "The gate: how often a new system passes": 3,
    "Ranks": 4,
}
