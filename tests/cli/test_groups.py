"""`--groups` and `--interval-method`: what intervals draw, their methods, and how the output describes both."""

import csv
import io
from pathlib import Path

import pytest

import qassay
from qassay.cli.arguments import build_parser
from qassay.cli.completion import complete
from qassay.comparison.cautions import CAUTIONS
from qassay.comparison.paired_tests import PAIRED_TESTS, TEST_MEANINGS
from qassay.core.intervals import INTERVAL_MEANINGS, INTERVAL_METHODS, INTERVAL_WORDS
from qassay.registry import named_groups

from .test_score import GOLD, LARGE, SMALL


@pytest.fixture(scope="module")
def by_article():
    return qassay.score_files(GOLD, SMALL, groups="article")["small_model"]


def test_intervals_are_of_groups_and_the_table_says_so(run, by_article):
    out = run("score", GOLD, SMALL, "--groups", "article")
    low, high = by_article.interval()["f1"]
    assert f"{low:.4f}–{high:.4f}" in next(line for line in out.splitlines() if line.startswith("f1 "))
    n = len(by_article.groups.labels)
    assert f"95 % intervals over {n} groups by article (few: under 30): effective Wilson" in out
    assert "groups" not in run("score", GOLD, SMALL)


def test_thirty_groups_are_not_few(run, put):
    rows = "".join(f"{number},a,{'a' if number % 3 else 'b'},t{number % 35}\n" for number in range(70))
    out = run("score", put("rows.csv", "id,prediction,gold,topic\n" + rows), "--groups", "topic")
    assert "95 % intervals over 35 groups by topic: effective Wilson\n" in out


@pytest.mark.parametrize("form", ["markdown", "latex", "html"])
def test_documents_say_groups_and_method(run, form):
    out = run("score", GOLD, SMALL, "--groups", "article", "--interval-method", "percentile", "--format", form)
    out = out.replace("\\%", "%").replace("\u00a0", " ").replace("~", " ")
    assert "groups by article (few: under 30): percentiles of the bootstrap" in out


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


def test_slices_of_few_groups_are_marked(run):
    out = run("score", GOLD, SMALL, "--groups", "article", "--by", "has_answer")
    assert "* few: under 30 examples or groups" in out and "48*" in out


def test_the_percentile_method_is_the_bootstrap(tree):
    found = tree("score", GOLD, SMALL, "--interval-method", "percentile")["systems"]["small_model"]
    scores = qassay.score_files(GOLD, SMALL)["small_model"]
    assert found["intervals"]["f1"] == list(scores.interval(names=["f1"], method="percentile")["f1"])
    assert set(found["interval_methods"].values()) <= {"percentile", "none"}


def test_unknown_groups_are_refused(fail):
    err = fail("score", GOLD, SMALL, "--groups", "artcle")
    assert "no groups 'artcle' (did you mean 'article'?); available: article, paragraph, title" in err
    assert "gold.json" in err


def test_explain_names_the_groups(run):
    assert "groups (--groups NAME, or any column of the gold file)\n  article    questions about one" in run(
        "explain", "answer_match"
    )
    assert "groups (" not in run("explain", "label_metrics")
    told = run("explain", "documents").split()
    assert told[:7] == "documents: groups of factoid_accuracy, as --groups documents:".split()


def test_explain_names_methods_of_intervals_and_remarks(run):
    docs = " ".join((Path(__file__).parents[2] / "docs" / "error_bars.md").read_text("utf-8").split())
    assert INTERVAL_MEANINGS.keys() == INTERVAL_WORDS.keys()
    for method, words in INTERVAL_WORDS.items():
        told = " ".join(run("explain", method).split())
        assert told.count(f"{method}: a method of intervals: {INTERVAL_MEANINGS[method]}") == 1
        assert INTERVAL_MEANINGS[method] in " ".join(run("explain", words.capitalize()).split())
    for code, text in CAUTIONS.items():
        told = " ".join(run("explain", code).split())
        assert told == f"{code}: a remark of a comparison: {text.format(least=6, alpha=0.05)}"
        assert f"| `{code}` |" in docs
    assert "the same" not in " ".join(INTERVAL_MEANINGS.values())
    assert {*PAIRED_TESTS, "exact permutation", "t over runs"} == TEST_MEANINGS.keys()
    for test, text in TEST_MEANINGS.items():
        assert f"{test}: a test of a comparison: {text}" in " ".join(run("explain", test).split())
    assert "0.05" in run("explain", "too_few_groups") and "{" not in run("explain", "too_few_groups")


def test_a_shell_completes_groups_and_methods():
    parser = build_parser()
    assert complete(parser, "qassay score gold.json model.json --groups ")[:2] == ["article", "paragraph"]
    assert complete(parser, "qassay compare g --metric factoid_accuracy --groups d") == ["documents"]
    assert complete(parser, "qassay score g --interval-method ") == list(INTERVAL_METHODS)


def test_help_names_the_groups_and_methods(capsys):
    for command in ("score", "compare"):
        with pytest.raises(SystemExit):
            build_parser().parse_args([command, "--help"])
        told = " ".join(capsys.readouterr().out.split())
        assert all(f"{name} ({meaning}" in told for name, meaning in named_groups().items())
        assert "{" + ",".join(INTERVAL_METHODS) + "}" in told


def test_compare_swaps_and_draws_groups_and_says_so(run, tree):
    out = run("compare", GOLD, SMALL, LARGE, "--groups", "article", "--texts", "0", "--by", "has_answer")
    assert "intervals over 11 groups by article (few: under 30): effective Wilson, not corrected" in out
    assert next(line for line in out.splitlines() if "difference" in line).split()[:3] == ["measure", "n", "groups"]
    found = tree("compare", GOLD, SMALL, LARGE, "--groups", "article")
    scores = qassay.score_files(GOLD, [SMALL, LARGE], groups="article")
    told = {one["measure"]: one for one in found["differences"]}
    for one in qassay.compare(scores).differences:
        of_file = told[one.measure]
        assert of_file["interval"] == list(one.interval) and of_file["p_value"] == one.p_value
        assert of_file["n_groups"] == one.n_groups == 11
    assert (found["interval"]["requested_method"], found["interval"]["group_name"]) == ("auto", "article")
    plain = run("compare", GOLD, SMALL, LARGE, "--texts", "0")
    assert "groups" not in plain.split("kinds of errors")[0]


def test_compare_by_percentiles(tree):
    found = tree("compare", GOLD, SMALL, LARGE, "--interval-method", "percentile", "--measures", "f1")
    (difference,) = found["differences"]
    scores = qassay.score_files(GOLD, [SMALL, LARGE])
    (expected,) = qassay.compare(scores, "f1", interval_method="percentile").differences
    assert difference["interval"] == list(expected.interval) and difference["interval_method"] == "percentile"
    methods = {of["interval_methods"]["f1"] for of in found["systems"].values()}
    assert methods == {"percentile"}


def test_the_file_of_examples_has_the_group(run, tmp_path):
    path = tmp_path / "examples.csv"
    run("score", GOLD, SMALL, "--groups", "article", "--per-example", path)
    rows = list(csv.DictReader(path.open(encoding="utf-8")))
    assert {row["group"] for row in rows} == {row["title"] for row in rows}


@pytest.mark.parametrize("form", ["table", "markdown", "latex", "html"])
def test_documents_say_on_how_many_groups_measures_and_slices_rest(run, put, form):
    """Topic a has all questions without an answer; language fr is of topic b alone."""
    rows = '{"id": 1, "prediction": "", "gold": [], "topic": "a", "lang": "it"}\n'
    rows += "".join(
        f'{{"id": {number}, "prediction": "x", "gold": ["{gold}"], "topic": "{topic}", "lang": "{lang}"}}\n'
        for number, gold, topic, lang in (
            (2, "x", "a", "it"),
            (3, "y", "b", "it"),
            (4, "x", "b", "fr"),
            (5, "y", "b", "fr"),
        )
    )
    out = run("score", put("rows.jsonl", rows), "--groups", "topic", "--by", "lang", "--format", form)
    assert "over 1 to 2 groups by topic (few: under 30)" in out.replace("\u00a0", " ").replace("~", " ")
    assert "2 in 1 group" in out and "3 in 1 group" not in out


def test_compared_slices_of_one_group_are_marked(run):
    out = run("compare", GOLD, SMALL, LARGE, "--groups", "article", "--by", "title", "--texts", "0")
    assert "in 1 group*" in out
