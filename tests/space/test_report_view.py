"""The files of a report: they hold the numbers of the page, code and commands give them again, no text is a formula or markup."""

import csv
import dataclasses
import io
import json
import runpy
import shlex
import shutil

import pytest

from qassay.cli import main
from qassay.core.interval_settings import Intervals
from qassay.core.shown import csv_cell
from qassay.pages.uploads import GOLD
from qassay.space.analysis import Settings, analyze
from qassay.space.choices import Choices
from qassay.space.comparisons import CompareChoices, comparison_of
from qassay.space.inputs import find_inputs, sample_inputs
from qassay.space.report_view import (
    FILES,
    command_lines,
    endings,
    examples_csv,
    made,
    make_file,
    python_code,
)
from qassay.space.runs_view import drawn_names
from qassay.space.samples import FOLDER, SAMPLES

SETTINGS = Settings(Intervals(n_resamples=100, seed=3), n_permutations=500)
QUICK = CompareChoices(measures="main", test="t")
ATTACK = "=<script>alert(1)</script>"
SOME = ("answers", "runs", "labels")
ALL = [name if name in SOME else pytest.param(name, marks=pytest.mark.thorough) for name in SAMPLES]


@pytest.fixture(scope="module")
def sample():
    """`sample(name)`: the sample scored with few draws, once."""
    kept = {}
    return lambda name: kept.get(name) or kept.setdefault(name, analyze(sample_inputs(name), SETTINGS))


@pytest.fixture
def told_by(monkeypatch, capsys):
    """`told_by(command, folder)`: (system, measure) -> the row that a command line prints, run in a folder."""

    def call(command, folder):
        monkeypatch.chdir(folder)
        capsys.readouterr()
        assert main([*shlex.split(command)[1:], "--format", "csv"]) == 0
        rows = csv.DictReader(io.StringIO(capsys.readouterr().out))
        return {(row["system"], row["measure"]): row for row in rows}

    return call


@pytest.mark.parametrize("name", ALL)
def test_every_sample_has_every_file_and_program_and_command_give_its_numbers(
    sample, name, tmp_path, monkeypatch, told_by
):
    analysis = sample(name)
    files = {ending: make_file(analysis, QUICK, ending).decode("utf-8") for ending in endings(analysis, QUICK)}
    assert files.keys() == FILES.keys()
    assert json.loads(files[".json"])["systems"] and r"\begin{tabular}" in files[".tex"]
    for signature in analysis.report.signatures.values():
        assert signature in files[".html"] and signature in files[".md"]
    (tmp_path / "program.py").write_text(python_code(analysis, QUICK))
    monkeypatch.chdir(FOLDER.parent)
    found = runpy.run_path(str(tmp_path / "program.py"))
    for system, cells in analysis.report.systems.items():
        scores = found["systems"][system]
        for drawn in drawn_names(analysis):
            kind, _, k = drawn.partition("@")
            assert 100 * getattr(scores, f"{kind}_at")(int(k))[drawn] == pytest.approx(cells[drawn].value)
        cells = {name: cell for name, cell in cells.items() if name not in drawn_names(analysis)}
        values, intervals = scores.summary(list(cells)), scores.interval(list(cells), n_resamples=100, seed=3)
        for measure, cell in cells.items():
            scale = 100 if cell.is_rate else 1
            assert scale * values[measure] == pytest.approx(cell.value, rel=1e-12, nan_ok=True)
            if cell.interval:
                assert [scale * end for end in intervals[measure]] == pytest.approx(cell.interval, nan_ok=True)
    if len(analysis.systems) > 1:
        asked, told = comparison_of(analysis, QUICK).differences, found["comparison"].differences
        assert [of.measure for of in told] == [of.measure for of in asked]
        for mine, of_page in zip(told, asked, strict=True):
            scale = 100 if of_page.is_rate else 1
            assert scale * mine.difference == pytest.approx(of_page.difference, rel=1e-9, abs=1e-12)
            assert mine.p_adjusted == pytest.approx(of_page.p_adjusted, rel=1e-6, abs=1e-12)
    rows = told_by(command_lines(analysis, QUICK).splitlines()[0], FOLDER.parent)
    shown = [cell for cells in analysis.report.systems.values() for cell in cells.values()]
    for row, cell in zip(rows.values(), shown, strict=True):
        assert float(row["value"]) == pytest.approx(float(cell.value), nan_ok=True) and int(row["n"]) == cell.n


def test_the_examples_are_those_of_the_analysis_with_any_end_of_line(sample, put):
    analysis = sample("answers")
    rows = list(csv.DictReader(io.StringIO(examples_csv(analysis))))
    for system in analysis.systems:
        mine = [row for row in rows if row["system"] == system]
        assert [float(row["f1"]) for row in mine] == analysis.by_example(system, "f1").tolist()
        given = [" | ".join(text.answers) for text in analysis.texts(system, range(len(mine)))]
        assert list(map(csv_cell, given)) == [row["given_answers"] for row in mine]
    ends = ["a\rb", "a\r=1+1", "a\r\nb", "a\u2028b", "\r"]
    gold = put("gold.json", {f"q{place}": ["a"] for place in range(len(ends))}, GOLD)
    answers = put("model.json", {f"q{place}": text for place, text in enumerate(ends)})
    analysis = analyze(find_inputs([gold, answers], Choices()).inputs, SETTINGS)
    rows = list(csv.DictReader(io.StringIO(examples_csv(analysis), newline="")))
    assert [row["given_answers"] for row in rows] == [*ends[:-1], "'\r"]


def test_files_of_one_name_are_scored_again_as_they_were(put, tmp_path, told_by):
    gold = put("gold.json", {name: ["x"] for name in "abcd"}, GOLD)
    given = [put("p.json", {name: "x" if name in right else "y" for name in "abcd"}) for right in ("abcd", "ab")]
    analysis = analyze(find_inputs([gold, *given], Choices()).inputs, SETTINGS)
    note, score, compare = command_lines(analysis, QUICK).splitlines()
    assert "'p (2).json'" in note and shlex.split(compare)[2:5] == ["gold.json", "p.json", "p (2).json"]
    for upload, name in zip((gold, *given), ("gold.json", "p.json", "p (2).json"), strict=True):
        shutil.copy(upload.path, tmp_path / name)
    told = told_by(score, tmp_path)
    assert [float(told[system, "exact_match"]["value"]) for system in analysis.systems] == [100, 50]


def test_what_users_write_is_escaped_and_stays_in_its_line(sample, analysis_of, tmp_path):
    analysis = sample("labels")
    hostile = dataclasses.replace(analysis, inputs=analysis.inputs._replace(to_save={"a\nb.json": "x\rprint(1)"}))
    assert command_lines(hostile, QUICK).splitlines()[0].startswith("# ")
    assert python_code(hostile, QUICK).splitlines()[1] == "import qassay"
    gold = [{"id": ATTACK, "question": ATTACK, "answers": {"text": ["x"], "answer_start": [0]}}]
    analysis = analysis_of(gold, {ATTACK: {ATTACK: ATTACK}})
    inputs = analysis.inputs
    shown = {**inputs.shown_files, inputs.gold: f"{ATTACK}.json"}
    analysis = dataclasses.replace(analysis, inputs=inputs._replace(title=ATTACK, shown_files=shown))
    page = make_file(analysis, QUICK, ".html").decode()
    assert "script-src" not in page.replace("script-src 'sha256-", "")
    page += made(analysis)
    assert ATTACK[1:] not in page and "=<script" not in page and str(tmp_path) not in page
    for name in ("-numbers.csv", "-examples.csv"):
        cells = [cell for row in csv.reader(io.StringIO(make_file(analysis, QUICK, name).decode())) for cell in row]
        assert not any(cell.startswith("=") for cell in cells) and any(cell.startswith("'=") for cell in cells)
    compile(python_code(analysis, QUICK), "snippet", "exec")
    assert shlex.split(command_lines(analysis, QUICK))[2] == f"{ATTACK}.json"


def test_remarks_on_the_input_are_on_the_page_and_not_in_the_log(analysis_of, recwarn):
    run, qrels = {"q1": {"d1": 1.5, "d2": 0.5}}, {"q1": {"D7": 1}}
    remarks = analysis_of(qrels, {"run": run}, metric="retrieval_ranking").report.remarks
    assert any("'d1'" in remark and "'D7'" in remark for remark in remarks) and not recwarn.list
