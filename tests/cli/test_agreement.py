"""`qassay agreement`: a page, columns by name, bad input."""

from pathlib import Path

import pytest

SAMPLE = Path(__file__).resolve().parents[2] / "samples" / "answers" / "labelled_answers.csv"
JUDGED = SAMPLE.with_name("judged_answers.csv")
ONE = ("--metric", "answer_match", "--measures", "f1")


def test_a_page_loads_nothing_and_per_cent_is_for_tables(run, fail):
    page = run("agreement", SAMPLE, *ONE, "--format", "html")
    assert page.count("<table>") == 3 and "http" not in page.split("</style>")[1]
    assert "--percent" in fail("agreement", SAMPLE, "--percent", "--format", "csv")


def test_columns_metrics_and_measures_by_name(tree, put):
    renamed = SAMPLE.read_text("utf-8").replace("question,gold_answers,answer,system,label", "q,g,text,bot,ok")
    names = ["questions=q", "references=g", "predictions=text", "system=bot", "labels=ok"]
    renamed_columns = tree(
        "agreement", put("votes.csv", renamed), *ONE, "--columns", *names, "--option", "normalizer=french"
    )
    assert [one["measure"] for one in renamed_columns["measures"]] == ["f1"]
    assert "norm:french" in renamed_columns["measures"][0]["signature"] and len(renamed_columns["systems"]) == 3


def test_refused_input(fail, put):
    bare = put("bare.csv", "gold,answer\n" + "Rome,Rome\n" * 12)
    odd = put("odd.csv", "question,gold,answer,label\n" + "".join(f"q{n},a,b,{n % 5}\n" for n in range(20)))
    for message, *arguments in (
        ('columns={"labels": "NAME"}', bare),
        ("right_from=4", odd),
        ("no role 'label' of columns (did you mean 'labels'?)", SAMPLE, "--columns", "label=label"),
        ("ROLE=NAME", SAMPLE, "--columns", "label"),
        ("odd.csv", odd, "--right-from", "3", "--output", odd),
        ("files come first", "--measures", "f1", SAMPLE),
        ("nothing.csv", "nothing.csv"),
    ):
        assert message in fail("agreement", *arguments)


@pytest.mark.parametrize(
    "option",
    [["--percent"], ["--right-from", 0], ["--metric", "answer_match"], ["--option", "k=1"], ["--measures", "f1"]],
    ids=lambda option: option[0],
)
def test_options_of_raters_and_of_measures_are_not_mixed(fail, option):
    assert f"{option[0]} is for measures of answers" in fail("agreement", JUDGED, *option, "--raters", "ann", "bob")


@pytest.mark.parametrize(("name", "value"), [("scale", "nominal"), ("weights", "none"), ("margin", 0.05)])
def test_options_of_raters_need_raters(fail, run, name, value):
    assert f"has the option '{name}'" in fail("agreement", SAMPLE, f"--{name}", value)
    assert "as good: the difference" in run(
        "agreement", JUDGED, f"--{name}", value, "--raters", "ann", "bob", "--judges", "model"
    )
