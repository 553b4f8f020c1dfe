"""`--groups` and `--interval-method`: what intervals draw, and their methods."""

import csv

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
