"""The tab Report: every file holds the numbers of the page, code and commands give them again, no text is a formula."""

import csv
import dataclasses
import html
import io
import json
import re
import runpy
import shlex
import shutil

import pytest

import qassay
from qassay.catalog import describe_metric, measure_meaning
from qassay.cli import main
from qassay.cli.arguments import build_parser
from qassay.core.shown import csv_cell
from qassay.core.slices import slice_in_words
from qassay.pages.uploads import GOLD, SYSTEM, read_upload
from qassay.reports.comparison import usual_slices
from qassay.spaces_app.analysis import Settings, analyze
from qassay.spaces_app.comparisons import CompareChoices, comparison_of, comparison_or_why
from qassay.spaces_app.findings import worst_slice
from qassay.spaces_app.inputs import find_inputs, sample_analysis, sample_inputs
from qassay.spaces_app.pasted import read_pasted
from qassay.spaces_app.report_view import (
    FILES,
    ONE_PAGE,
    PAGE,
    citation,
    command_lines,
    definitions,
    endings,
    examples_csv,
    made,
    make_file,
    preview,
    python_code,
    shown_report,
    signatures,
)
from qassay.spaces_app.runs_view import drawn_names
from qassay.spaces_app.samples import FOLDER, SAMPLES

SETTINGS = Settings(n_resamples=100, n_permutations=500, seed=3)
QUICK = CompareChoices(measures="main", test="t")
PASTED_LINES = (
    "# Save as 'pasted answers': the pasted lines as a JSON list, "
    '{"prediction": "...", "references": ["..."]} for each line.'
)
ATTACK = "=<script>alert(1)</script>"


@pytest.fixture(scope="module")
def samples():
    return {name: analyze(sample_inputs(name), SETTINGS) for name in SAMPLES}


FOUR = {"data": [{"paragraphs": [{"context": "", "qas": [
    {"id": place, "question": "?", "answers": [{"text": "x", "answer_start": 0}]} for place in "abcd"
]}]}]}  # fmt: skip


@pytest.fixture
def put(tmp_path):
    """A function of a name and a JSON value or text -> an upload in a folder of its own, as on the server."""

    def call(name, value, slot=SYSTEM):
        folder = tmp_path / f"upload{len(list(tmp_path.iterdir()))}"
        folder.mkdir()
        (folder / name).write_text(value if isinstance(value, str) else json.dumps(value))
        return read_upload(str(folder / name), name, slot)

    return call


def test_every_sample_has_every_file(samples):
    for analysis in samples.values():
        made = {name: make_file(analysis, QUICK, name).decode("utf-8") for name in endings(analysis, QUICK)}
        assert (ONE_PAGE in made) == (len(analysis.systems) > 1) and set(FILES) - set(made) <= {ONE_PAGE}
        assert made[".html"].startswith("<!DOCTYPE html>")
        assert made[".md"].startswith("| measure") and made[".md"] == preview(analysis, QUICK)
        assert r"\begin{tabular}" in made[".tex"]
        assert json.loads(made[".json"])["systems"]
        for name in ("-numbers.csv", "-examples.csv"):
            rows = list(csv.reader(io.StringIO(made[name])))
            assert len(rows) > 1 and len({len(row) for row in rows}) == 1
        for signature in analysis.report.signatures.values():
            assert signature in made[".html"] and signature in made[".md"]


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


def test_answers_with_any_end_of_line_are_cells_of_the_examples(put):
    ends = ["a\rb", "a\r=1+1", "a\r\nb", "a\u2028b", "\r"]
    gold = put("gold.json", {f"q{place}": ["a"] for place in range(len(ends))}, GOLD)
    answers = put("model.json", {f"q{place}": text for place, text in enumerate(ends)})
    analysis = analyze(find_inputs([gold, answers]).inputs, SETTINGS)
    rows = list(csv.DictReader(io.StringIO(examples_csv(analysis), newline="")))
    assert [row["given_answers"] for row in rows] == [*ends[:-1], "'\r"]


def test_shown_commands_and_code_have_groups_and_method(monkeypatch, tmp_path, capsys):
    settings = SETTINGS._replace(interval_method="percentile")
    analysis = analyze(sample_inputs("answers")._replace(groups="article"), settings)
    commands = command_lines(analysis, QUICK).splitlines()
    assert len(commands) == 2
    for command in commands:
        assert "--groups article" in command and "--interval-method percentile" in command
        build_parser().parse_args(shlex.split(command)[1:])
    (tmp_path / "program.py").write_text(python_code(analysis, QUICK))
    monkeypatch.chdir(FOLDER.parent)
    found = runpy.run_path(str(tmp_path / "program.py"))
    capsys.readouterr()
    draws = (settings.level, settings.n_resamples, settings.seed, ["f1"], "percentile")
    for system, cells in analysis.report.systems.items():
        ends = found["systems"][system].interval(*draws)["f1"]
        assert [100 * end for end in ends] == pytest.approx(list(cells["f1"].interval))
    assert found["comparison"].differences[0].n_groups == 11
    assert "over 11 groups by article (few: under 30): percentiles of the bootstrap; 100 resamples" in made(analysis)
    assert "over 11 groups by article" in make_file(analysis, QUICK, ".md").decode("utf-8")


def test_numbers_keep_their_sign_and_texts_are_no_formulas():
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
        for name in drawn_names(analysis):
            kind, _, k = name.partition("@")
            assert 100 * getattr(scores, f"{kind}_at")(int(k))[name] == pytest.approx(cells[name].value)
        cells = {name: cell for name, cell in cells.items() if name not in drawn_names(analysis)}
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


@pytest.fixture
def told_by(monkeypatch, capsys):
    """`told_by(command, folder)`: (system, measure) -> the row that a command line prints, run in a folder."""

    def call(command, folder):
        monkeypatch.chdir(folder)
        assert main([*shlex.split(command)[1:], "--format", "csv"]) == 0
        rows = csv.DictReader(io.StringIO(capsys.readouterr().out))
        return {(row["system"], row["measure"]): row for row in rows}

    return call


@pytest.mark.parametrize("name", SAMPLES)
def test_the_command_gives_the_same_values(samples, name, told_by):
    analysis = samples[name]
    told = told_by(command_lines(analysis, QUICK).splitlines()[0], FOLDER.parent)
    shown = [cell for cells in analysis.report.systems.values() for cell in cells.values()]
    for row, cell in zip(told.values(), shown, strict=True):
        assert float(row["value"]) == pytest.approx(float(cell.value), nan_ok=True)
        assert int(row["n"]) == cell.n


def test_files_of_one_name_are_scored_again_by_names_of_their_own(put, tmp_path, told_by):
    answers = [dict.fromkeys("abcd", "x"), dict.fromkeys("ab", "x") | dict.fromkeys("cd", "y")]
    uploads = [put("gold.json", FOUR, GOLD), *(put("p.json", answer, SYSTEM) for answer in answers)]
    analysis = analyze(find_inputs(uploads).inputs, SETTINGS)
    note, score, compare = command_lines(analysis, QUICK).splitlines()
    assert note == "# Save as 'p (2).json': the other file called p.json."
    assert python_code(analysis, QUICK).splitlines()[:2] == [note, "import qassay"]
    assert shlex.split(compare)[:5] == ["qassay", "compare", "gold.json", "p.json", "p (2).json"]
    for upload, name in zip(uploads, ("gold.json", "p.json", "p (2).json"), strict=True):
        shutil.copy(upload.path, tmp_path / name)
    told = told_by(score, tmp_path)
    assert [float(told[system, "exact_match"]["value"]) for system in ("p", "p (2)")] == [100, 50]
    assert analysis.systems == ["p", "p (2)"]


def test_two_complete_tables_are_two_systems_of_the_command_too(put, tmp_path, told_by, capsys):
    head = "qid,my_answer,golds\n"
    uploads = [put("a.csv", f"{head}1,x,x\n2,y,z\n", GOLD), put("b.csv", f"{head}2,z,z\n1,x,x\n")]
    columns = {"ids": "qid", "predictions": "my_answer", "references": "golds"}
    analysis = analyze(find_inputs(uploads, columns=columns).inputs, SETTINGS)
    score, compare = command_lines(analysis, QUICK).splitlines()
    assert shlex.split(compare)[:2] == ["qassay", "compare"]
    for upload in uploads:
        shutil.copy(upload.path, tmp_path / upload.name)
    told = told_by(score, tmp_path)
    assert {system: float(told[system, "exact_match"]["value"]) for system in "ab"} == {"a": 50, "b": 100}
    assert analysis.systems == ["a", "b"]
    exec(compile(python_code(analysis, QUICK), "snippet", "exec"), {})  # noqa: S102  the page's own program
    assert "a {" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("predictions", "gold", "notes", "saved"),
    [
        (
            "Paris\nMilan",
            "Paris | in Paris\nRome",
            [PASTED_LINES],
            {"pasted answers": json.dumps([
                {"prediction": "Paris", "references": ["Paris", "in Paris"]},
                {"prediction": "Milan", "references": ["Rome"]},
            ])},
        ),
        (
            "id,prediction\na,Paris\nb,Milan",
            "id,gold\na,Paris\nb,Rome",
            ["# Save as 'pasted gold': the pasted text of gold answers.",
             "# Save as 'pasted predictions': the pasted text of predictions."],
            {"pasted gold": "id,gold\na,Paris\nb,Rome", "pasted predictions": "id,prediction\na,Paris\nb,Milan"},
        ),
    ],
)  # fmt: skip
def test_pasted_text_is_scored_again_once_it_is_saved(predictions, gold, notes, saved, tmp_path, told_by):
    (tmp_path / "uploads").mkdir()
    uploads = read_pasted(predictions, gold, " | ", str(tmp_path / "uploads"))
    analysis = analyze(find_inputs(uploads).inputs, SETTINGS)
    *told, command = command_lines(analysis, QUICK).splitlines()
    assert sorted(told) == notes
    for name, text in saved.items():
        (tmp_path / name).write_text(text)
    (value,) = [row["value"] for (_, measure), row in told_by(command, tmp_path).items() if measure == "exact_match"]
    assert float(value) == 50


def test_systems_that_cannot_be_compared_have_files_of_their_values_and_the_reason(put):
    uploads = [put("gold.json", FOUR, GOLD), put("p.json", {"a": "x", "b": "y"}), put("q.json", {"c": "x", "d": "x"})]
    analysis = analyze(find_inputs(uploads, options=["missing=skip"]).inputs, SETTINGS)
    comparison, why = comparison_or_why(analysis, QUICK)
    assert comparison is None and "no example" in why
    files = {name: make_file(analysis, QUICK, name).decode() for name in endings(analysis, QUICK)}
    assert ONE_PAGE not in files
    for name in (".html", ".md"):
        assert "not compared: " in files[name] and why.partition(":")[0] in files[name].replace("&#x27;", "'")
    assert all("p" in text and "q" in text for text in files.values())
    assert preview(analysis, QUICK) == files[".md"]
    score, note = command_lines(analysis, QUICK).splitlines()
    assert score.startswith("qassay score") and note == f"# Not compared: {why}."
    program = python_code(analysis, QUICK)
    assert note in program and "qassay.compare" not in program
    compile(program, "snippet", "exec")


def test_comments_stay_in_their_line(samples):
    analysis = samples["answers"]
    inputs = analysis.inputs._replace(to_save={"a\nb.json": "x\rprint(1)"})
    hostile = dataclasses.replace(analysis, inputs=inputs)
    assert command_lines(hostile, QUICK).splitlines()[0] == "# Save as 'a b.json': x print(1)."
    assert python_code(hostile, QUICK).splitlines()[1] == "import qassay"


def test_every_measure_shown_is_explained(samples):
    for analysis in samples.values():
        html = definitions(analysis)
        for metric, signature in analysis.report.signatures.items():
            assert describe_metric(metric).source.replace("&", "&amp;") in html and signature in signatures(analysis)
        shown = {name for cells in analysis.report.systems.values() for name in cells} - {
            "total",
            *drawn_names(analysis),
        }
        metrics = list(analysis.report.signatures)
        unexplained = [name for name in shown if not any(measure_meaning(metric, name) for metric in metrics)]
        assert unexplained == []


def test_citations_are_those_of_the_cards(samples):
    assert all(describe_metric(name).source for name in qassay.list_metrics())
    for analysis in samples.values():
        text = citation(analysis)
        assert text.startswith("@software{qassay,") and qassay.__version__ in text and text.count("@") >= 2
        assert text.count("{") == text.count("}")


def test_what_users_write_is_escaped(analysis_of, tmp_path):
    gold = [{"id": ATTACK, "question": ATTACK, "answers": {"text": ["x"], "answer_start": [0]}}]
    analysis = analysis_of(gold, {ATTACK: {ATTACK: ATTACK}})
    inputs = analysis.inputs
    shown = {**inputs.shown_files, inputs.gold: f"{ATTACK}.json"}
    analysis = dataclasses.replace(analysis, inputs=inputs._replace(title=ATTACK, shown_files=shown))
    page = make_file(analysis, QUICK, ".html").decode()
    framed = shown_report(analysis, QUICK)
    assert html.unescape(framed.partition('srcdoc="')[2].rpartition('"></iframe>')[0]) == page
    assert 'sandbox="allow-scripts"' in framed and "script-src" not in page.replace("script-src 'sha256-", "")
    page += made(analysis) + definitions(analysis) + framed
    assert ATTACK[1:] not in page and "=<script" not in page and str(tmp_path) not in page
    for name in ("-numbers.csv", "-examples.csv"):
        rows = list(csv.reader(io.StringIO(make_file(analysis, QUICK, name).decode())))
        assert not any(cell.startswith("=") for row in rows for cell in row)
        assert any(cell.startswith("'=") for row in rows for cell in row)
    compile(python_code(analysis, QUICK), "snippet", "exec")
    assert shlex.split(command_lines(analysis, QUICK))[2] == f"{ATTACK}.json"


@pytest.mark.parametrize("name", [name for name in SAMPLES if len(sample_analysis(name).systems) > 1])
def test_one_page_and_the_answer_name_the_same_slice(name):
    analysis = sample_analysis(name)
    page = make_file(analysis, CompareChoices(), ONE_PAGE).decode("utf-8")
    named = re.findall(r'<p class="slice"><strong><bdi>(.*?)</bdi>', page)
    worst = worst_slice(analysis)
    assert named
    if worst:
        assert named[0] == html.escape(slice_in_words(worst.slice, worst.label, ": "))


def test_one_page_and_the_answer_name_a_slice_that_reports_do_not_have(analysis_of):
    """The titles of articles are no usual slices, and here the worst one is a title."""
    golds = [
        {"id": str(n), "question": f"{('who', 'when')[n % 2]} {n}?", "answers": ["a"], "topic": "abc"[n % 3]}
        for n in range(150)
    ]
    systems = {
        "good": {str(n): "a" for n in range(150)},
        "bad": {str(n): "x" if n % 3 == 2 or n % 10 == 0 else "a" for n in range(150)},
    }
    analysis = analysis_of(golds, systems)
    worst = worst_slice(analysis)
    assert (worst.slice, worst.label) == ("topic", "c") and "topic" not in usual_slices(analysis.scored)
    page = make_file(analysis, CompareChoices(), ONE_PAGE).decode("utf-8")
    assert page.index("<strong><bdi>topic: c</bdi>") < page.index("n = 50")
    whole = make_file(analysis, CompareChoices(), PAGE).decode("utf-8")
    assert "topic" not in whole, "the whole report keeps its slices, which its command has"
