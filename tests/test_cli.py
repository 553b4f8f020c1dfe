"""The `karat` command, from arguments to text, files and exit codes."""

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from pyarrow import parquet

import karat
from karat.catalog import describe_metric, one_line, parse_options
from karat.cli import main
from karat.scoring import system_names

SAMPLES = Path(__file__).resolve().parents[1] / "samples" / "answers"
GOLD, SMALL, LARGE, DOUBTS = (
    str(SAMPLES / f"{name}.json") for name in ("gold", "small_model", "large_model", "large_model_no_answer")
)


@pytest.fixture(autouse=True)
def plain_terminal(monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)


@pytest.fixture
def run(capsys):
    def call(*arguments):
        code = main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        assert code == 0, err
        assert err == ""
        return out

    return call


@pytest.fixture
def fail(capsys):
    def call(*arguments):
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as stop:
            code = stop.code
        out, err = capsys.readouterr()
        assert (code, out) == (2, "")
        assert err.startswith("karat: error: ") and err.count("\n") == 1
        return err

    return call


def python(*arguments, **environment):
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, env={**os.environ, **environment}, timeout=60, check=False
    )


# --- score ------------------------------------------------------------------------------------------------------------


def expected(path):
    gold = json.loads(Path(GOLD).read_text(encoding="utf-8"))
    rows = [
        question for article in gold["data"] for paragraph in article["paragraphs"] for question in paragraph["qas"]
    ]
    references = {row["id"]: [answer["text"] for answer in row["answers"]] for row in rows}
    return karat.score("answer_match", json.loads(Path(path).read_text(encoding="utf-8")), references)


def test_the_first_command_of_the_readme(run):
    out = run("score", GOLD, SMALL, LARGE)
    for path in (SMALL, LARGE):
        scores = expected(path)
        for name in ("exact_match", "f1", "contains", "has_answer_f1", "no_answer_exact_match"):
            line = next(line for line in out.splitlines() if line.startswith(f"{name} "))
            low, high = scores.interval()[name]
            assert f"{scores.summary([name])[name]:.4f}  {low:.4f}–{high:.4f}" in line
    assert out.splitlines()[0].split() == ["small_model", "large_model"]
    assert out.splitlines()[-1] == expected(SMALL).signature()
    assert max(map(len, out.splitlines())) <= 80


def test_columns_of_the_terminal_are_kept_to(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    assert max(map(len, run("score", GOLD, SMALL, LARGE).splitlines())) <= 60


def test_json(run):
    tree = json.loads(run("score", GOLD, SMALL, LARGE, "--format", "json", "--by", "language"))
    assert tree["systems"]["large_model"]["values"] == expected(LARGE).summary(expected(LARGE).measures)
    assert set(tree["slices"]["language"]) == {"de", "en", "es", "fr", "ja"}
    assert sum(part["small_model"]["counts"]["f1"] for part in tree["slices"]["language"].values()) == 64


def test_per_cent_has_the_digits_of_the_official_scale(run):
    tree = json.loads(run("score", GOLD, SMALL, "--percent", "--format", "json", "--no-intervals"))
    values = tree["systems"]["small_model"]["values"]
    assert values["exact_match"] == 100.0 * 31 / 64
    assert (tree["scale"], tree["interval"], values["total"]) == (100, None, 64)


def test_no_answer_probabilities(run, fail):
    out = run(
        "score", GOLD, SMALL, LARGE, "--no-answer-probabilities", f"large_model={DOUBTS}", "--measures", "f1", "best_f1"
    )
    best = next(line for line in out.splitlines() if line.startswith("best_f1"))
    assert best.split()[2] == "–"
    alone = json.loads(
        run("score", GOLD, LARGE, "--no-answer-probabilities", DOUBTS, "--format", "json", "--no-intervals")
    )
    assert f"{alone['systems']['large_model']['values']['best_f1']:.4f}" in best
    held = run(
        "score",
        GOLD,
        LARGE,
        "--no-answer-probabilities",
        DOUBTS,
        "--option",
        "no_answer_threshold=-1",
        "--no-intervals",
    )
    assert next(line for line in held.splitlines() if line.startswith("exact_match")).split()[-1] == "0.2500"
    assert "1 for 2 systems" in fail("score", GOLD, SMALL, LARGE, "--no-answer-probabilities", DOUBTS)
    assert "looks like predictions" in fail("score", GOLD, SMALL, "--no-answer-probabilities", SMALL)


def test_probabilities_that_lack_an_id(tmp_path, fail):
    path = tmp_path / "doubts.json"
    path.write_text('{"lighthouse-1": 0.5}', encoding="utf-8")
    assert "no number for the id 'lighthouse-2'" in fail("score", GOLD, LARGE, "--no-answer-probabilities", path)


def test_slices(run):
    tree = json.loads(
        run(
            "score",
            GOLD,
            SMALL,
            "--format",
            "json",
            "--no-intervals",
            "--by",
            "question_word,answer_length",
            "gold_count",
            "--by",
            "has_answer",
        )
    )
    assert list(tree["slices"]) == ["question_word", "answer_length", "gold_count", "has_answer"]
    assert tree["slices"]["has_answer"]["no"]["small_model"]["counts"]["f1"] == 16
    assert tree["slices"]["answer_length"]["0"] == tree["slices"]["gold_count"]["0"]
    assert {"what", "who", "how many/much"} <= tree["slices"]["question_word"].keys()
    for parts in tree["slices"].values():
        assert sum(part["small_model"]["counts"]["f1"] for part in parts.values()) == 64


def test_slices_follow_ids_when_rows_are_left_out(tmp_path, run):
    gold = tmp_path / "gold.jsonl"
    rows = [
        {"id": str(i), "answers": ["x"], "group": "even" if i % 2 == 0 else "odd", "question": "What?"}
        for i in range(6)
    ]
    gold.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    predictions = tmp_path / "p.json"
    predictions.write_text(json.dumps({"5": "y", "2": "x", "4": "x"}), encoding="utf-8")
    tree = json.loads(
        run(
            "score",
            gold,
            predictions,
            "--option",
            "missing=skip",
            "--by",
            "group",
            "--format",
            "json",
            "--no-intervals",
        )
    )
    values = {label: part["p"]["values"]["exact_match"] for label, part in tree["slices"]["group"].items()}
    assert values == {"even": 1.0, "odd": 0.0}
    assert tree["systems"]["p"]["notes"] == {"skipped": 3}


def test_notes_below_the_table(tmp_path, run):
    path = tmp_path / "p.json"
    path.write_text(json.dumps({"lighthouse-1": "x", "zz": "y"}), encoding="utf-8")
    lines = run("score", GOLD, path, "--no-intervals").splitlines()
    assert "63 without a prediction: scored 0" in lines
    assert any(line.startswith("1 predictions with an id that no gold answer has") for line in lines)


def test_options_reach_the_score(run):
    out = run("score", GOLD, SMALL, "--option", "normalizer=lower+spaces", "unit=character", "--no-intervals")
    assert out.splitlines()[-1].startswith("answer_match|norm:lower+spaces|unit:character|")
    out = run("score", GOLD, SMALL, "--option", "top_k=1,3", "--no-intervals", "--measures", "f1@1,f1@3")
    assert [line.split()[0] for line in out.splitlines() if line.startswith("f1@")] == ["f1@1", "f1@3"]


def test_a_table_that_holds_both(tmp_path, run):
    path = tmp_path / "t.tsv"
    path.write_text("qid\tmine\tgold_list\n1\tParis\tParis\n2\t\t\n3\tx\ty\n", encoding="utf-8")
    tree = json.loads(
        run(
            "score",
            path,
            "--columns",
            "predictions=mine",
            "references=gold_list",
            "ids=qid",
            "--format",
            "json",
            "--no-intervals",
        )
    )
    assert tree["systems"]["t"]["values"]["exact_match"] == 2 / 3


@pytest.mark.parametrize("ending", ["parquet", "csv", "jsonl"])
def test_per_example(tmp_path, run, ending):
    path = tmp_path / f"examples.{ending}"
    run("score", GOLD, SMALL, LARGE, "--per-example", path, "--no-intervals")
    if ending == "parquet":
        rows = parquet.read_table(path).to_pylist()
    elif ending == "csv":
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
    else:
        rows = [json.loads(line, parse_constant=pytest.fail) for line in path.read_text(encoding="utf-8").splitlines()]
    assert len(rows) == 128
    assert {"id", "system", "exact_match", "f1", "has_answer", "question", "language"} <= rows[0].keys()
    assert "context" not in rows[0]
    scores = expected(LARGE)
    large = [row for row in rows if row["system"] == "large_model"]
    assert [row["id"] for row in large] == list(scores.ids)
    assert [float(row["f1"]) for row in large] == scores.columns["f1"].tolist()
    assert (
        next(row["question"] for row in large if row["id"] == "lighthouse-1")
        == "When was the tower on Skarrow Head built?"
    )


def test_per_example_with_lone_surrogates_and_mixed_fields(tmp_path, run):
    rows = [
        {"id": "a", "prediction": "x\ud800", "gold": ["x\ud800"], "question": "what \ud800?", "level": 1, "f1": "mine"},
        {"id": 7, "prediction": "", "gold": [], "question": None, "level": "high", "f1": None},
    ]
    gold = tmp_path / "t.json"
    gold.write_text(json.dumps(rows), encoding="utf-8")
    for ending in ("parquet", "csv", "jsonl"):
        path = tmp_path / f"out.{ending}"
        run("score", gold, "--per-example", path, "--no-intervals", "--by", "level", "question_word")
        assert path.stat().st_size > 0
    table = parquet.read_table(tmp_path / "out.parquet").to_pydict()
    assert (table["id"], table["level"], table["f1"], table["gold_f1"]) == (
        ["a", "7"],
        ["1", "high"],
        [1.0, 1.0],
        ["mine", None],
    )
    assert table["question"] == ["what \\ud800?", None]


def test_output_goes_to_a_file(tmp_path, run):
    path = tmp_path / "report.md"
    assert run("score", GOLD, SMALL, "--format", "markdown", "--output", path) == ""
    assert path.read_text(encoding="utf-8").startswith("| measure | n | small_model |")


# --- bad input --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments, words",
    [
        (
            (SMALL, GOLD),
            "small_model.json: this looks like predictions ({id: text}), not a gold file; the gold file comes first",
        ),
        ((GOLD, GOLD), "gold.json: this looks like a SQuAD gold file, not predictions"),
        ((GOLD,), "gold.json: this has gold answers only; give predictions too"),
        ((GOLD, "nothing.json"), "nothing.json: no such file"),
        ((GOLD, str(SAMPLES)), "answers: this is a folder"),
        (
            (GOLD, SMALL, "--option", "topk=3"),
            "answer_match has no option 'topk' (did you mean 'top_k'?); it has: task, normalizer",
        ),
        ((GOLD, SMALL, "--option", "references=max"), "has no option 'references'"),
        ((GOLD, SMALL, "--option", "top_k"), "has no value"),
        ((GOLD, SMALL, "--option", "top_k=a"), "needs numbers with commas between"),
        ((GOLD, SMALL, "--option", "top_k=0"), "whole numbers of at least 1"),
        ((GOLD, SMALL, "--option", "empty_f1=x"), "empty_f1 needs a number"),
        (
            (GOLD, SMALL, "--option", "normalizer=squat"),
            "unknown normalizer 'squat' (did you mean 'squad'?); valid: squad, mlqa:en",
        ),
        ((GOLD, SMALL, "--measures", "f2"), "no measure 'f2'"),
        (
            (GOLD, SMALL, "--by", "langage"),
            "no slice 'langage' (did you mean 'language'?); there are: question_word, answer_length",
        ),
        ((GOLD, SMALL, "--metric", "answer_mach"), "no metric 'answer_mach' (did you mean 'answer_match'?)"),
        ((GOLD, SMALL, "--level", "95"), "level must be between 0 and 1"),
        ((GOLD, SMALL, "--resamples", "0"), "n_resamples must be a whole number of at least 1"),
        ((GOLD, SMALL, "--per-example", "x.xls"), "must end with one of: .parquet, .csv, .jsonl"),
        ((GOLD, SMALL, "--columns", "key=id"), "must be ROLE=NAME with one of the roles: predictions, references"),
        ((GOLD, SMALL, "--columns", "predictions=mine"), "no columns to name"),
        ((GOLD, SMALL, "--format", "xml"), "invalid choice: 'xml'"),
        ((GOLD, SMALL, "--level", "x"), "invalid float value"),
        ((GOLD, SMALL, "--output", str(SAMPLES / "no" / "folder.txt")), "No such file or directory"),
        ((), "required: GOLD"),
    ],
)
def test_wrong_calls_say_what_is_wrong_in_one_line(fail, arguments, words):
    assert words in fail("score", *arguments)


@pytest.mark.parametrize(
    "content, words",
    [
        ("", "this file is empty"),
        ("{", "not valid JSON"),
        ("café".encode("latin-1"), "not text in UTF-8"),
        (
            '{"name": "x", "version": "1", "scripts": {}}',
            "a JSON object with the keys name, version, scripts, not predictions",
        ),
        ('{"other": "x"}', "no prediction has the id of a reference"),
        ('{"lighthouse-1": null}', "(id 'lighthouse-1') must be str, got None"),
        ('{"lighthouse-1": ["a", "b"]}', "top_k"),
        ('{"lighthouse-1": "a", "lighthouse-1": "b"}', "repeats the id 'lighthouse-1'"),
    ],
)
def test_bad_predictions_name_the_file(tmp_path, fail, content, words):
    path = tmp_path / "bad.json"
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    error = fail("score", GOLD, path)
    assert error.startswith(f"karat: error: {path}: ")
    assert words in error


def test_bad_references_name_the_gold_file(tmp_path, fail):
    gold = tmp_path / "gold.jsonl"
    gold.write_text('{"id": "a", "answers": ["x"]}\n{"id": "b", "answers": null}\n', encoding="utf-8")
    predictions = tmp_path / "p.json"
    predictions.write_text('{"a": "x", "b": "y"}', encoding="utf-8")
    error = fail("score", gold, predictions)
    assert error.startswith(f"karat: error: {gold}: references[1]") and "None" in error


def test_a_parquet_without_the_named_column(tmp_path, fail):
    import pyarrow as pa

    path = tmp_path / "t.parquet"
    parquet.write_table(pa.table({"id": [1], "guess": ["x"], "gold": [["x"]]}), path)
    assert "there is no column 'gess' (did you mean 'guess'?); it has: id, guess, gold" in fail(
        "score", path, "--columns", "predictions=gess"
    )
    assert "not predictions; name its column of predictions with --columns predictions=NAME" in fail("score", path)


def test_slices_need_few_labels_and_question_words_need_questions(tmp_path, fail):
    path = tmp_path / "t.csv"
    path.write_text("id,prediction,gold,note\n" + "".join(f"{i},x,x,n{i}\n" for i in range(1001)), encoding="utf-8")
    assert "note has 1001 different values" in fail("score", path, "--by", "note", "--no-intervals")
    assert "because the gold file has no questions" in fail("score", path, "--by", "question_word")


# --- the command itself -----------------------------------------------------------------------------------------------


def test_system_names():
    assert system_names(["a.json", "b.jsonl.gz", "dir/c.v2.parquet"]) == ["a", "b", "c.v2"]
    assert system_names(["x/r/p.json", "y/r/p.json", "q.json"]) == ["x/r/p", "y/r/p", "q"]
    assert system_names(["p.json", "p.json", "p.csv"]) == ["p", "p (2)", "p (3)"]
    assert len(set(system_names(["p.json", "a/p.json", "b/a/p.json"]))) == 3


def test_list_and_explain(run, fail):
    assert run("list") == f"answer_match  {one_line('answer_match')}\n"
    text = run("explain", "answer_match")
    description = describe_metric("answer_match")
    assert [entry.name for entry in description.columns][:4] == ["predictions", "references", "ids", "weights"]
    assert {entry.name: entry.default for entry in description.options}["missing"] == "zero"
    assert all(entry.meaning for entry in [*description.columns, *description.options])
    for word in ("best_f1_threshold", "no_answer_exact_match", "empty_gold", "gold_facts", "[needed]"):
        assert word in text
    assert max(map(len, text.splitlines())) <= 80
    assert "no metric 'bleu'; there are: answer_match" in fail("explain", "bleu")


def test_every_option_and_column_is_explained():
    import dataclasses
    import inspect

    from karat.core.answers import AnswerMatchOptions, score_answers

    description = describe_metric("answer_match")
    assert {entry.name for entry in description.options} == {
        f.name for f in dataclasses.fields(AnswerMatchOptions) if f.init
    }
    assert {entry.name for entry in description.columns} == inspect.signature(score_answers).parameters.keys() - {
        "options"
    }


def test_options_are_read_by_their_type():
    pairs = ["top_k=1,5", "no_answer_threshold=none", "unit=none", "empty_f1=0", "normalizer=none", "missing=skip"]
    assert parse_options("answer_match", pairs) == {
        "top_k": (1, 5),
        "no_answer_threshold": None,
        "unit": None,
        "empty_f1": 0.0,
        "normalizer": "none",
        "missing": "skip",
    }


def test_version_and_module(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["--version"])
    assert stop.value.code == 0
    assert capsys.readouterr().out == f"karat {karat.__version__}\n"
    done = python("-m", "karat", "list")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"answer_match  ")


def test_what_is_imported():
    script = "import sys, karat.cli as c; c.main(sys.argv[1:]); print(*sys.modules)"
    loaded = python("-c", script, "list").stdout.decode().split()
    assert "karat.cli" in loaded
    assert not {"numpy", "rich", "pyarrow"} & set(loaded)
    loaded = python("-c", script, "score", GOLD, SMALL, "--format", "json").stdout.decode().split()
    assert "karat.rendering" in loaded
    assert not {"evaluate", "datasets", "torch", "rich", "tqdm"} & set(loaded)


def test_an_old_terminal_gets_plain_characters():
    done = python("-m", "karat", "score", GOLD, SMALL, PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"0.4844  0." in done.stdout and b"----" in done.stdout


@pytest.mark.skipif(os.name == "nt", reason="pipes of POSIX shells")
def test_a_reader_that_goes_away_is_no_error():
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-m", "karat", "score", GOLD, SMALL, "--no-intervals"],
        stdout=write,
        stderr=subprocess.PIPE,
        timeout=60,
        check=False,
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (141, b"")


def test_an_interrupt_is_quiet(monkeypatch, capsys):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("karat.files.read_gold", interrupt)
    assert main(["score", GOLD, SMALL]) == 130
    assert capsys.readouterr() == ("", "")


def test_colors_in_a_terminal_unless_unwanted(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    main(["score", GOLD, SMALL, "--no-intervals"])
    assert "\x1b[" in capsys.readouterr().out
    monkeypatch.setenv("NO_COLOR", "1")
    main(["score", GOLD, SMALL, "--no-intervals"])
    assert "\x1b[" not in capsys.readouterr().out
