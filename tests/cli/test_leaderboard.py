"""`qassay leaderboard`: folders, facts from an organiser, absent answers, official numbers, every format, bad input."""

import csv
import io
import json
import shutil
from pathlib import Path

import pytest

import qassay
from qassay.cli import main
from qassay.cli.errors import WRITTEN

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "samples"
GOLD, SYSTEMS, ABOUT = (
    str(SAMPLES / path) for path in ("answers/gold.json", "leaderboard/systems", "leaderboard/about.yaml")
)
ALL = {path.stem: str(path) for path in sorted(Path(SYSTEMS).iterdir())}
FAST = ("--permutations", "200", "--resamples", "200")
TWO = (ALL["alder"], ALL["birch"])


@pytest.fixture
def fault(capsys):
    """Runs a command that must fail with one line; returns the line."""

    def call(*arguments):
        assert main(["leaderboard", *map(str, arguments)]) == 2
        out, err = capsys.readouterr()
        *notes, line = err.partition(WRITTEN)[0].splitlines()
        assert not out and line.startswith("qassay: error: ") and not [note for note in notes if "error" in note]
        return line

    return call


def board(tree, *arguments):
    return tree("leaderboard", *arguments, *FAST)


def test_options_of_the_command_override_the_description(tree):
    more = ("--measures", "exact_match", "--by", "has_answer", "--questions", "common", "--groups", "article")
    report = board(tree, GOLD, SYSTEMS, "--about", ABOUT, *more)
    assert list(report["rankings"]) == ["exact_match"] and list(report["slices"]) == ["has_answer"]
    assert report["parts"][0]["n"] == 60 and report["rankings"]["exact_match"]["n_groups"] == 10
    assert report["unmatched"] == {name: 4 for name in ALL if name != "juniper"}
    assert report["title"] == "Harrowmere reading task"


def test_common_questions_are_those_that_all_answered(tree):
    report = board(tree, GOLD, SYSTEMS, "--questions", "common", "--measures", "f1")
    data = json.loads(Path(GOLD).read_text("utf-8"))["data"]
    rows = [row for article in data for paragraph in article["paragraphs"] for row in paragraph["qas"]]
    gold = {row["id"]: [answer["text"] for answer in row["answers"]] for row in rows}
    kept = {name: texts for name, texts in gold.items() if not name.startswith("teahouse")}
    for of in report["rankings"]["f1"]["systems"]:
        given = json.loads(Path(ALL[of["system"]]).read_text("utf-8"))
        assert of["value"] == qassay.score("answer_match", {one: given[one] for one in kept}, kept)["f1"]


def test_absent_answers_are_refused_and_counted(fault, tmp_path):
    line = fault(GOLD, SYSTEMS)
    assert "juniper lacks 4 of 64 ('teahouse-ja-1', 'teahouse-ja-2', 'teahouse-ja-3' and 1 more)" in line
    assert "--questions common" in line and "--questions count" in line


def test_gold_data_of_a_system_that_lacks_questions_are_refused(fault, put, capsys):
    rows = [{"id": n, "prediction": "a" if n % 2 else "b", "gold": "b"} for n in range(30)]
    few, many = (put(f"{name}.json", of) for name, of in (("few", rows[:20]), ("many", rows)))
    for questions in ("refuse", "count"):
        line = fault(few, many, "--questions", questions)
        assert "few, whose gold answers count, lacks 10 questions of many; give a file that has them all first" in line
        assert "lacks 10 questions of many" in fault(few, many, "--set", "again", many, few, "--questions", questions)
    for files, questions, n in (((few, many), "common", 20), ((many, few), "count", 30)):
        assert main(["leaderboard", *map(str, files), "--questions", questions, *FAST]) == 0
        assert f"2 systems, {n} questions" in capsys.readouterr().out


def test_a_folder_tells_what_it_omits(tmp_path, capsys):
    shutil.copytree(SYSTEMS, tmp_path / "runs")
    for name in (".hidden", "README.md", "a\u202eb.json~"):
        (tmp_path / "runs" / name).write_text("x")
    shutil.copy(GOLD, tmp_path / "runs")
    gold = str(tmp_path / "runs" / "gold.json")
    assert main(["leaderboard", gold, str(tmp_path / "runs"), "--questions", "count", *FAST]) == 0
    told = capsys.readouterr().err.splitlines()
    assert [line.rpartition("omitted: ")[2] for line in told] == [r".hidden, README.md, a\u202eb.json~, gold.json"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([GOLD, ALL["alder"]], "two or more systems; got 1"),
        ([GOLD, f"A={ALL['alder']}", f"A={ALL['birch']}"], "two systems are called A"),
        ([TWO[0], GOLD, TWO[1]], "as gold"),
        ([GOLD, TWO[0], SYSTEMS], "this is a folder"),
        ([GOLD, *TWO, "--measures", "total"], "total is a count"),
        ([GOLD, *TWO, "--by", "error_kind"], "slice 'error_kind' depends on what a system answers"),
        ([GOLD, *TWO, "--option", "missing=skip"], "--questions"),
        ([GOLD, *TWO, "--about", "nowhere.yaml"], "nowhere.yaml: there is no such file"),
        ([GOLD, *TWO, "--about", "about.json", "--output", "about.json"], "about.json"),
    ],
)
def test_bad_input_is_reported_in_one_line(fault, arguments, told, put, tmp_path, monkeypatch):
    put("about.json", {})
    monkeypatch.chdir(tmp_path)
    assert told in fault(*arguments)


def test_too_many_systems_are_refused_before_they_are_read(fault, tmp_path):
    for place in range(101):
        (tmp_path / f"{place}.json").write_text("broken")
    assert "a leaderboard ranks up to 100 systems; got 101" in fault(GOLD, tmp_path)


def test_a_failure_leaves_the_board_unchanged(fault, put, tmp_path):
    page = put("board.html", "the board of yesterday")
    assert "bad.json" in fault(GOLD, *TWO, put("bad.json", "<html>"), "--output", page)
    assert "lacks 63 of 64" in fault(GOLD, *TWO, put("few.json", {"comet-1": "x"}), "--output", page)
    assert page.read_text() == "the board of yesterday"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.json", "board.html", "few.json"]


def test_predictions_without_ids_are_refused_if_the_gold_file_has_ids(fault, tree, put):
    """Only their order would match them with the examples."""
    names = ["q1", "q2", "q3"]
    gold, named = (
        put(f"{role}.csv", f"id,{role}\n" + "".join(f"{one},{one}\n" for one in names))
        for role in ("gold", "prediction")
    )
    for rows in (names, names[1:]):
        assert "unnamed.csv: " in fault(gold, named, put("unnamed.csv", "\n".join(["prediction", *rows])))
    files = [put(f"{name}.csv", "\n".join([name[0], *names])) for name in ("gold", "p1", "p2")]
    assert board(tree, *files, "--columns", "references=g", "predictions=p")["parts"][0]["n"] == 3


# --- formats ------------------------------------------------------------------------------------------------------------


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


@pytest.mark.parametrize("ending", ["html", "md", "tex", "csv", "json"])
def test_hostile_names_do_nothing(run, put, tmp_path, ending):
    name = "=cmd|x <script>alert(1)</script> `a` [b](javascript:x) | $x_1$ \\end{tabular}"
    about = {
        "title": "<img src=x onerror=alert(1)> \\input{x}",
        "systems": {"a": {"name": name, "team": "=1+1", "link": "https://x.org/)]<b>", "facts": {"=A1": ""}}},
    }
    page = tmp_path / f"board.{ending}"
    two = (f"a={TWO[0]}", f"b={TWO[1]}")
    run("leaderboard", GOLD, *two, "--about", put("about.json", about), "--output", page, *FAST)
    text = page.read_text("utf-8")
    if ending == "html":
        assert "<script>alert" not in text and "<img" not in text
    elif ending == "md":
        assert r"\[b\](javascript:x) \|" in text and "&lt;script>" in text and "&lt;img" in text
        assert r"https\:\/\/x\.org/)\]&lt;b>" in text
    elif ending == "tex":
        assert r"\textbackslash{}end\{tabular\}" in text and "\n\\input" not in text and text.startswith("% <img")
    elif ending == "csv":
        assert {row["name"] for row in rows_of(text)} == {f"'{name}", "b"}
        assert {row["team"] for row in rows_of(text)} == {"'=1+1", ""} and "'=A1" in rows_of(text)[0]
    else:
        assert name in {system["title"] for system in json.loads(text)["systems"]}


# --- official numbers ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("batch", [1, 2])
def test_bioasq_12b_ranks_as_the_official_scores_say(bioasq, tree, tmp_path, batch):
    official = json.loads((bioasq / "official_scores.json").read_text("utf-8"))["rows"]
    rows = {row["file"]: row["java"] for row in official if f"_batch_{batch}_" in row["file"] and row["e"] == 9}
    for name in rows:
        shutil.copy(bioasq / name, tmp_path / name.replace("_x.json", ".json"))
    report = board(tree, bioasq / f"12B{batch}_golden.json", tmp_path, "--questions", "count")
    for measure, key in (("mrr", "factoid_mrr"), ("list_f1", "list_f1"), ("yesno_macro_f1", "yesno_macro_f1")):
        right = {name.removesuffix(".json").removesuffix("_x"): row[key] for name, row in rows.items()}
        ranked = report["rankings"][measure]["systems"]
        assert {of["system"]: of["rank"] for of in ranked} == {
            name: 1 + sum(other > value for other in right.values()) for name, value in right.items()
        }
        assert all(of["letters"] for of in ranked)
