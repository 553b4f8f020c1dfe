"""`qassay calibrate` and `qassay agreement`: a page, columns by name, options of one and of the other, bad input."""

from pathlib import Path

import pytest

ANSWERS = Path(__file__).resolve().parents[2] / "samples" / "answers"
FILES, LABELS = (ANSWERS / "gold.json", ANSWERS / "large_model.json"), ANSWERS / "large_model_labels.csv"
SAMPLE, JUDGED = ANSWERS / "labelled_answers.csv", ANSWERS / "judged_answers.csv"
ONE = ("--metric", "answer_match", "--measures", "f1")


def test_columns_of_the_file_of_labels(tree, put):
    text = LABELS.read_text("utf-8").replace("id,label", "uid,right")
    votes = put("votes.csv", text)
    named = ("--label-columns", "ids=uid", "labels=right")
    found = tree("calibrate", *FILES, "--labels", votes, *named)
    assert found == tree("calibrate", *FILES, "--labels", LABELS)


def test_bad_input_of_calibrate(fail, put, tmp_path):
    unknown = put("labels.csv", LABELS.read_text("utf-8") + "nobody-1,1\n")
    few = put("few.csv", "".join(LABELS.read_text("utf-8").splitlines(keepends=True)[:5]))
    for message, *arguments in (
        ("--labels FILE is missing",),
        ("labels.csv: 1 of 41 labels have unknown ids, such as 'nobody-1'", "--labels", unknown),
        ("few.csv: 4 labels are too few", "--labels", few),
        ("none.csv", "--labels", tmp_path / "none.csv"),
        ("--next", "--next", "0"),
        ("got metrics: 1, systems: 2, files of labels: 1", ANSWERS / "small_model.json", "--labels", LABELS),
        ("'ppi2'", "--labels", LABELS, "--method", "ppi2"),
        ("--output", "--labels", LABELS, "--output", LABELS),
        ("ROLE=NAME", "--labels", LABELS, "--label-columns", "x"),
        ("(on the command line: --label-columns ROLE=NAME)", "--labels", put("odd.csv", "uid,right\na,1\n")),
    ):
        assert message in fail("calibrate", *FILES, *arguments)
    message = fail("calibrate", FILES[0], ANSWERS / "sampled_model.csv", "--columns", "run_id=seed", "--labels", LABELS)
    assert "one run" in message


# --- agreement ----------------------------------------------------------------------------------------------------------


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


def test_bad_input_of_agreement(fail, put):
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
    [["--percent"], ["--right-from", 0], ["--metric", "answer_match"], ["--option", "k=1"], ["--measures", "f1"],
     ["--seed", 1], ["--resamples", 50]],
    ids=lambda option: option[0],
)  # fmt: skip
def test_options_of_raters_and_of_measures_are_not_mixed(fail, option):
    assert f"{option[0]} is for measures of answers" in fail("agreement", JUDGED, *option, "--raters", "ann", "bob")


@pytest.mark.parametrize(("name", "value"), [("scale", "nominal"), ("weights", "none"), ("margin", 0.05)])
def test_options_of_raters_need_raters(fail, run, name, value):
    assert f"has the option '{name}'" in fail("agreement", SAMPLE, f"--{name}", value)
    assert "as good: the difference" in run(
        "agreement", JUDGED, f"--{name}", value, "--raters", "ann", "bob", "--judges", "model"
    )
