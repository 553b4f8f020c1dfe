"""`--groups` and `--interval-method`: what intervals draw, and their methods."""

import csv
import io

import pytest

import qassay
from qassay.cli.arguments import build_parser
from qassay.cli.completion import complete
from qassay.core.intervals import INTERVAL_METHODS

from .test_score import GOLD, LARGE, SMALL


@pytest.fixture(scope="module")
def by_article():
    return qassay.score_files(GOLD, SMALL, groups="article")["small_model"]


def test_intervals_are_of_groups_and_the_table_says_so(run, by_article):
    out = run("score", GOLD, SMALL, "--groups", "article")
    low, high = by_article.interval()["f1"]
    assert f"{low:.4f}–{high:.4f}" in next(line for line in out.splitlines() if line.startswith("f1 "))
    n = len(by_article.groups.labels)
    assert f"{n} groups by article" in out
    assert "groups" not in run("score", GOLD, SMALL)


def test_json_and_csv_have_the_method_of_each_measure(run, tree, by_article):
    found = tree("score", GOLD, SMALL, "--groups", "article", "--by", "language")
    assert (found["interval"]["requested_method"], found["interval"]["group_name"]) == ("auto", "article")
    of_system = found["systems"]["small_model"]
    n = len(by_article.groups.labels)
    assert of_system["group_counts"]["f1"] == n and of_system["interval_methods"]["f1"] == "effective wilson"
    assert found["slices"]["language"]["ja"]["small_model"]["group_counts"]["f1"] < n
    plain = tree("score", GOLD, SMALL)
    assert plain["systems"]["small_model"]["interval_methods"]["exact_match"] == "wilson"
    assert "group_counts" not in plain["systems"]["small_model"] and plain["interval"]["group_name"] is None
    text = run("score", GOLD, SMALL, "--groups", "article", "--measures", "f1", "--format", "csv")
    (row,) = csv.DictReader(io.StringIO(text))
    assert (row["interval_method"], row["n_groups"], row["n"]) == ("effective wilson", str(n), "64")


def test_the_percentile_method_is_the_bootstrap(tree):
    found = tree("score", GOLD, SMALL, "--interval-method", "percentile")["systems"]["small_model"]
    scores = qassay.score_files(GOLD, SMALL)["small_model"]
    assert found["intervals"]["f1"] == list(scores.interval(names=["f1"], method="percentile")["f1"])
    assert set(found["interval_methods"].values()) <= {"percentile", "none"}


def test_unknown_groups_are_refused(fail):
    err = fail("score", GOLD, SMALL, "--groups", "artcle")
    assert "no groups 'artcle' (did you mean 'article'?)" in err
    assert "gold.json" in err


def test_a_shell_completes_groups_and_methods():
    parser = build_parser()
    assert complete(parser, "qassay score gold.json model.json --groups ")[:2] == ["article", "paragraph"]
    assert complete(parser, "qassay compare g --metric factoid_accuracy --groups d") == ["documents"]
    assert complete(parser, "qassay score g --interval-method ") == list(INTERVAL_METHODS)


def test_compare_swaps_and_draws_groups(tree):
    found = tree("compare", GOLD, SMALL, LARGE, "--groups", "article")
    scores = qassay.score_files(GOLD, [SMALL, LARGE], groups="article")
    told = {one["measure"]: one for one in found["differences"]}
    for one in qassay.compare(scores).differences:
        of_file = told[one.measure]
        assert of_file["interval"] == list(one.interval) and of_file["p_value"] == one.p_value
        assert of_file["n_groups"] == one.n_groups == 11
    assert (found["interval"]["requested_method"], found["interval"]["group_name"]) == ("auto", "article")


def test_the_file_of_examples_has_the_group(run, tmp_path):
    path = tmp_path / "examples.csv"
    run("score", GOLD, SMALL, "--groups", "article", "--per-example", path)
    rows = list(csv.DictReader(path.open(encoding="utf-8")))
    assert {row["group"] for row in rows} == {row["title"] for row in rows}
