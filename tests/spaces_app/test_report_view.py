"""The tab Report: every file holds the numbers of the page, code and commands give them again, no text is a formula."""

import csv
import io
import json
import runpy
import shlex

import pytest

import karat
from karat.catalog import describe_metric, measure_meaning
from karat.cli import main
from karat.spaces_app.analysis import Inputs, Settings, analyze
from karat.spaces_app.compare_view import CompareChoices, comparison_of
from karat.spaces_app.inputs import sample_inputs
from karat.spaces_app.report_view import (
    FILES,
    citation,
    command_lines,
    csv_cell,
    definitions,
    examples_csv,
    made,
    make_file,
    preview,
    python_code,
    safe_csv,
    signatures,
)
from karat.spaces_app.samples import FOLDER, SAMPLES

SETTINGS = Settings(n_resamples=100, n_permutations=500, seed=3)
QUICK = CompareChoices(measures="main", test="t")
ATTACK = "=<script>alert(1)</script>"


@pytest.fixture(scope="module")
def samples():
    return {name: analyze(sample_inputs(name), SETTINGS) for name in SAMPLES}


def test_every_sample_has_every_file(samples):
    for analysis in samples.values():
        made = {name: make_file(analysis, QUICK, name).decode("utf-8") for name in FILES}
        assert made["karat_report.html"].startswith("<!DOCTYPE html>")
        assert made["karat_report.md"].startswith("| measure") and made["karat_report.md"] == preview(analysis, QUICK)
        assert r"\begin{tabular}" in made["karat_report.tex"]
        assert json.loads(made["karat_report.json"])["systems"]
        for name in ("karat_numbers.csv", "karat_examples.csv"):
            rows = list(csv.reader(io.StringIO(made[name])))
            assert len(rows) > 1 and len({len(row) for row in rows}) == 1
        for signature in analysis.report.signatures.values():
            assert signature in made["karat_report.html"] and signature in made["karat_report.md"]


def test_the_examples_are_those_of_the_analysis(samples):
    analysis = samples["answers"]
    rows = list(csv.DictReader(io.StringIO(examples_csv(analysis))))
    for system in analysis.systems:
        mine = [row for row in rows if row["system"] == system]
        assert [float(row["f1"]) for row in mine] == analysis.by_example(system, "f1").tolist()
        texts = analysis.texts(system, range(len(mine)))
        assert [csv_cell(row) for row in (" | ".join(text.answers) for text in texts)] == [
            row["given_answers"] for row in mine
        ]


def test_numbers_keep_their_sign_and_texts_are_no_formulas():
    assert safe_csv("a,b\n=1+1,-0.25\n+x,-inf\n") == "a,b\n'=1+1,-0.25\n'+x,-inf\n"
    assert [csv_cell(value) for value in ("@x", "-x", -1, 0.5, None, "x=1")] == ["'@x", "'-x", -1, 0.5, "", "x=1"]


@pytest.mark.parametrize("name", SAMPLES)
def test_the_program_gives_the_same_numbers(samples, name, tmp_path, monkeypatch, capsys):
    analysis = samples[name]
    (tmp_path / "program.py").write_text(python_code(analysis, QUICK))
    monkeypatch.chdir(FOLDER.parent)
    found = runpy.run_path(str(tmp_path / "program.py"))
    assert all(system in capsys.readouterr().out for system in analysis.systems[:1])
    for system, cells in analysis.report.systems.items():
        scores = found["systems"][system]
        values, intervals = scores.summary(list(cells)), scores.interval(0.95, 100, 3, list(cells))
        assert set(cells) <= set(found["measures"])
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


@pytest.mark.parametrize("name", SAMPLES)
def test_the_command_gives_the_same_values(samples, name, monkeypatch, capsys):
    analysis = samples[name]
    _, *arguments = shlex.split(command_lines(analysis, QUICK).splitlines()[0])
    monkeypatch.chdir(FOLDER.parent)
    assert main([*arguments, "--format", "csv"]) == 0
    told = {(row["system"], row["measure"]): row for row in csv.DictReader(io.StringIO(capsys.readouterr().out))}
    systems = analysis.report.systems
    assert len(told) == sum(map(len, systems.values()))
    by_place = iter(told.values())
    for cells in systems.values():
        for cell in cells.values():
            row = next(by_place)
            assert float(row["value"]) == pytest.approx(float(cell.value), nan_ok=True)
            assert int(row["n"]) == cell.n


def test_every_measure_shown_is_explained(samples):
    for analysis in samples.values():
        html = definitions(analysis)
        for metric, signature in analysis.report.signatures.items():
            assert describe_metric(metric).source.replace("&", "&amp;") in html and signature in signatures(analysis)
        shown = {name for cells in analysis.report.systems.values() for name in cells} - {"total"}
        metrics = list(analysis.report.signatures)
        unexplained = [name for name in shown if not any(measure_meaning(metric, name) for metric in metrics)]
        assert unexplained == []


def test_every_metric_has_a_source_and_a_citation():
    for name in karat.list_metrics():
        assert describe_metric(name).source


def test_citations_are_those_of_the_cards(samples):
    for analysis in samples.values():
        text = citation(analysis)
        assert text.startswith("@software{karat,") and karat.__version__ in text and text.count("@") >= 2
        assert text.count("{") == text.count("}")


def test_what_users_write_is_escaped(tmp_path):
    gold = [{"id": ATTACK, "question": ATTACK, "answers": {"text": ["x"], "answer_start": [0]}}]
    (tmp_path / "gold.json").write_text(json.dumps(gold))
    (tmp_path / "one.json").write_text(json.dumps({ATTACK: ATTACK}))
    paths = {"gold": str(tmp_path / "gold.json"), "one": str(tmp_path / "one.json")}
    shown = {paths["gold"]: f"{ATTACK}.json", paths["one"]: ATTACK}
    analysis = analyze(Inputs(ATTACK, paths["gold"], {ATTACK: paths["one"]}, shown_files=shown))
    page = make_file(analysis, QUICK, "karat_report.html").decode() + made(analysis) + definitions(analysis)
    assert "<script" not in page and str(tmp_path) not in page
    for name in ("karat_numbers.csv", "karat_examples.csv"):
        rows = list(csv.reader(io.StringIO(make_file(analysis, QUICK, name).decode())))
        assert not any(cell.startswith("=") for row in rows for cell in row)
        assert any(cell.startswith("'=") for row in rows for cell in row)
    compile(python_code(analysis, QUICK), "snippet", "exec")
    assert shlex.split(command_lines(analysis, QUICK))[2] == f"{ATTACK}.json"
