"""Repeated runs on the page: files of runs, a column of runs, what every tab shows of them, for every family."""

import html
import json
import re
import shlex

import numpy as np
import pytest

import qassay
from qassay.pages.limits import MAX_ROWS, InputError
from qassay.pages.uploads import GOLD, SYSTEM, read_upload
from qassay.spaces_app.address import View
from qassay.spaces_app.analysis import Inputs, Settings, analyze
from qassay.spaces_app.comparisons import CompareChoices
from qassay.spaces_app.errors_address import choice_of
from qassay.spaces_app.errors_choice import chosen_rows
from qassay.spaces_app.inputs import (
    MAX_RUNS,
    find_inputs,
    name_systems,
    name_systems_of_runs,
    offered_by,
    sample_inputs,
)
from qassay.spaces_app.no_answer_view import answered_view
from qassay.spaces_app.report_view import command_lines, examples_csv, make_file, python_code
from qassay.spaces_app.runs_view import runs_html
from qassay.spaces_app.samples import FOLDER, SAMPLES
from qassay.spaces_app.score_view import score_html
from qassay.spaces_app.slices_view import sliced_measures, slices_page, slicings
from qassay.spaces_app.values_view import values_table

ANSWERS = FOLDER / "answers"
GOLD_FILE, SAMPLED = str(ANSWERS / "gold.json"), str(ANSWERS / "sampled_model.csv")
QUESTIONS = [{"id": f"q{place}", "answers": ["yes"]} for place in range(12)]
RIGHT = {"seed1": range(6), "seed2": range(3, 7), "seed3": (0, 3, 5, 7, 8, 9, 10)}


def answers(right):
    return {f"q{place}": "yes" if place in right else "no" for place in range(12)}


def score(right):
    return qassay.score("answer_match", answers(right), {row["id"]: row["answers"] for row in QUESTIONS})


@pytest.fixture
def put_upload(tmp_path):
    """A function of a path and content (text or a JSON value) -> an upload, called by its path or by another name."""

    def call(path, content, slot=SYSTEM, name=None):
        (tmp_path / path).write_text(content if isinstance(content, str) else json.dumps(content))
        return read_upload(str(tmp_path / path), name or path, slot)

    return call


@pytest.fixture
def given(put_upload):
    """The gold file and a file of predictions for each run."""
    files = [put_upload(f"model_{name}.json", answers(right)) for name, right in RIGHT.items()]
    return [put_upload("gold.json", QUESTIONS, GOLD), *files]


@pytest.fixture(scope="module")
def sampled():
    """Four runs of one file with a column of runs."""
    shown = {GOLD_FILE: "gold.json", SAMPLED: "sampled_model.csv"}
    return analyze(Inputs("t", GOLD_FILE, {"sampled": SAMPLED}, columns={"run_id": "seed"}, shown_files=shown))


def test_files_are_runs_as_in_python(given):
    found = find_inputs(given, are_runs=True).inputs
    assert list(found.systems) == ["model"] and len(found.runs["model"]) == 3
    analysis = analyze(found)
    runs = qassay.runs({f"model_{name}": score(right) for name, right in RIGHT.items()})
    cells = analysis.report.systems["model"]
    assert cells["exact_match"].value == pytest.approx(100 * runs["exact_match"])
    assert tuple(cells["exact_match"].interval) == pytest.approx(
        [100 * end for end in runs.interval(names=["exact_match"])["exact_match"]]
    )
    for k in (1, 2, 3):
        assert cells[f"pass@{k}"].value == pytest.approx(100 * runs.pass_at(k)[f"pass@{k}"])
        assert cells[f"majority@{k}"].value == pytest.approx(100 * runs.majority_at(k)[f"majority@{k}"])
    assert analysis.report.runs["model"]["f1"].shares == pytest.approx(runs.variance()["f1"].shares)
    assert analysis.by_run.systems == ["model (model_seed1)", "model (model_seed2)", "model (model_seed3)"]
    assert analysis.rows == 36, "the rows of all runs are kept"


def test_names_say_which_runs_are_of_one_system(given):
    found = find_inputs(given, are_runs=True, names="A\nB\nA").inputs
    assert {name: len(files) for name, files in found.runs.items()} == {"A": 2} and list(found.systems) == ["A", "B"]
    analysis = analyze(found)
    assert analysis.report.n_runs == {"A": 2} and analysis.by_run.systems == ["A (model_seed1)", "A (model_seed3)", "B"]
    command = command_lines(analysis, CompareChoices())
    assert shlex.split(command.splitlines()[0])[2:5] == [
        "gold.json",
        "A=model_seed1.json,model_seed3.json",
        "model_seed2.json",
    ]
    code = python_code(analysis, CompareChoices())
    assert "'A': ['model_seed1.json', 'model_seed3.json'], 'B': 'model_seed2.json'" in code.replace("\n", "")
    assert find_inputs(given, are_runs=True, names="ours").inputs.runs.keys() == {"ours"}


def test_names_are_divided_at_commas_where_there_are_as_many_as_files():
    files = [f"{place}.json" for place in range(6)]
    assert name_systems_of_runs(files, "m1, m1, m1, m2,m2, m2\n") == ["m1"] * 3 + ["m2"] * 3
    assert name_systems(["a.json", "b.json"], "BERT, T5") == ["BERT", "T5"]
    assert (
        name_systems(["a.json"], "BERT, large") == ["BERT, large"] and name_systems_of_runs(files, "m1") == ["m1"] * 6
    )
    with pytest.raises(
        InputError, match=r"^names: 'm1, m1, m2' is 3 names for 6 files; give one per line in the order"
    ):
        name_systems_of_runs(files, "m1, m1, m2")


@pytest.mark.parametrize(
    ("files", "system"),
    [
        (["a_run1.json", "a_run2.json"], "a"),
        (["model (run 1).json", "model (run 2).json"], "model"),
        (["llama2-seed10.json", "llama2-seed11.json"], "llama2"),
        (["1.json", "2.json"], "system"),
    ],
)
def test_a_system_is_called_by_what_its_files_have_in_common(files, system):
    assert name_systems_of_runs(files) == [system, system]


def test_files_of_one_name_are_told_apart_without_their_folders(put_upload, tmp_path):
    files = []
    for folder, right in RIGHT.items():
        (tmp_path / folder).mkdir()
        files.append(put_upload(f"{folder}/predictions.json", answers(right), name="predictions.json"))
    analysis = analyze(find_inputs([put_upload("gold.json", QUESTIONS, GOLD), *files], are_runs=True).inputs)
    runs = ["predictions", "predictions (2)", "predictions (3)"]
    assert analysis.by_run.systems == [f"predictions ({run})" for run in runs]


def test_no_answer_probabilities_are_of_runs(given, put_upload):
    doubts = [
        put_upload(f"doubt{n}.json", {row["id"]: n / 10 for row in QUESTIONS}, "probabilities") for n in (1, 2, 3)
    ]
    found = find_inputs([*given, *doubts], are_runs=True, metric="answer_match").inputs
    assert list(found.probabilities) == [f"model (model_{name})" for name in RIGHT]
    runs = analyze(found).by_run.main.systems
    assert [of.scores.columns["no_answer_probability"][0] for of in runs.values()] == [0.1, 0.2, 0.3]


@pytest.mark.parametrize(
    ("choices", "words"),
    [
        ({"names": "A\nB"}, "names: 2 for 3 files; give one for all, or one per line"),
        ({"names": "A\nB\nC"}, "runs: no two files of predictions are runs of one system"),
        ({"names": "k=1"}, "cannot be called 'k=1'; give a name without ="),
        ({"columns": {"run_id": "seed"}}, "the files are runs, and a column holds the run too"),
        ({"columns": {"predictions": ("a", "b")}}, "of files of runs one column holds the predictions"),
    ],
)
def test_what_cannot_be_runs_is_refused(given, choices, words):
    with pytest.raises(InputError, match=re.escape(words)):
        find_inputs(given, are_runs=True, **choices)


def test_a_file_is_one_run_only_and_there_are_not_too_many(given, monkeypatch):
    with pytest.raises(InputError, match="model_seed1.json is given as two runs; give it once"):
        find_inputs([*given, given[1]], are_runs=True)
    many = [given[0], *[given[1]._replace(path=f"{n}") for n in range(MAX_RUNS + 1)]]
    with pytest.raises(InputError, match=f"{MAX_RUNS + 1} files of runs are too many; at most {MAX_RUNS}"):
        find_inputs(many, are_runs=True)
    large = [given[0], *(of._replace(count=MAX_ROWS) for of in many[1:6])]
    with pytest.raises(InputError, match="all runs together: 1,000,000 rows are too many; at most 800,000"):
        find_inputs(large, are_runs=True)
    names = "\n".join(f"{n // 2}" for n in range(14))
    with pytest.raises(InputError, match="7 systems are too many"):
        find_inputs([given[0], *[given[1]._replace(path=f"{n}") for n in range(14)]], are_runs=True, names=names)


def test_two_equal_names_without_the_tick_say_what_to_do(given):
    with pytest.raises(InputError, match="unless the files are repeated runs: then tick that"):
        find_inputs(given, names="A\nA\nB")


def test_runs_with_other_questions_are_refused_with_the_names_of_files(given, put_upload):
    short = put_upload("model_seed4.json", {"q0": "yes"})
    with pytest.raises(ValueError, match="model: .*11 of 12|missing") as told:
        analyze(find_inputs([*given, short], are_runs=True, options=("missing=skip",)).inputs)
    assert "/" not in str(told.value)


def test_a_gold_table_with_predictions_is_one_of_the_runs(put_upload):
    text = "id,gold,prediction\n" + "".join(f"{n},yes,{{}}\n" for n in range(12))
    files = [put_upload(f"r{n}.csv", text.format(*answers(right).values()), SYSTEM if n else GOLD)
             for n, right in enumerate(RIGHT.values())]  # fmt: skip
    found, notes = find_inputs(files, are_runs=True)
    assert len(found.runs["r"]) == 3 and "r0.csv is one of the runs too: it has predictions" in notes[0]
    runs = qassay.runs(list(map(score, RIGHT.values())))
    assert analyze(found).report.systems["r"]["f1"].value == pytest.approx(100 * runs["f1"])


def test_a_column_of_runs_also_of_the_gold_file_and_of_several_systems(put_upload):
    rows = [
        f"q{n},yes,{answers(right)[f'q{n}']},{answers(RIGHT['seed1'])[f'q{n}']},{run}"
        for run, right in RIGHT.items()
        for n in range(12)
    ]
    table = put_upload("all.csv", "\n".join(["id,gold,one,two,seed", *rows]), GOLD)
    columns = {"run_id": "seed", "references": "gold", "ids": "id", "predictions": ("one", "two")}
    found = find_inputs([table], columns=columns).inputs
    analysis = analyze(found)
    runs = qassay.runs(list(map(score, RIGHT.values())))
    assert analysis.report.systems["one"]["f1"].value == pytest.approx(100 * runs["f1"])
    assert analysis.report.runs["two"]["f1"].deviation == 0
    assert analysis.by_run.systems[:2] == ["one (seed1)", "one (seed2)"]
    assert "seed" not in offered_by([table], None, columns), "the runs are no groups of questions"


def test_the_score_tab_shows_runs(sampled):
    html = score_html(sampled)
    text = re.sub(r"<[^>]+>", " ", html)
    for words in ("Repeated runs", "What more would buy", "pass@k", "majority@k", "has 4 runs", "Right by exact_match"):
        assert words in text, words
    assert html.index("Kinds of errors: share of") < html.index("Repeated runs")
    table = html.partition("the standard deviation, the smallest")[2].partition("</table>")[0]
    assert re.findall('<th scope="col"[^>]*>(?:<bdi>)?(\\w+)', table)[:2] == ["Measure", "Runs"], (
        "the only system is not named again"
    )
    assert "sampled (4)" in text, "the kinds of errors and the value of each run"
    assert "you need about" not in text, "more questions alone do not narrow it by their square root"
    assert "<bdi>pass@" not in html, "pass@k has a table of its own"
    width = sampled.scores("sampled").expected_width(runs=8, names=["f1"])["f1"]
    assert f"<td>{100 * width:.2f}</td>" in html


def test_the_report_has_pass_at_k_and_says_how_it_was_made(sampled):
    command = shlex.split(command_lines(sampled, CompareChoices()))
    assert command[2:] == [
        "gold.json", "sampled_model.csv", "--columns", "run_id=seed", "--pass-at", "1,2,3,4", "--majority-at", "1,2,3,4",
        "--percent",
    ]  # fmt: skip
    assert "pass@4" in make_file(sampled, CompareChoices(), ".md").decode()
    assert "print(scores.pass_at([1, 2, 3, 4]).summary())" in python_code(sampled, CompareChoices())
    assert examples_csv(sampled).count("\n") == 1 + 4 * 64, "every answer of every run"


def test_python_code_gives_the_numbers_of_the_page(sampled, monkeypatch, capsys):
    monkeypatch.chdir(ANSWERS)
    exec(python_code(sampled, CompareChoices()), {})
    value = sampled.report.systems["sampled"]["f1"].value
    assert f"'f1': {value / 100:.6f}"[:-1] in capsys.readouterr().out


def test_several_metrics_have_no_pass_at_k(given):
    found = find_inputs(given, are_runs=True, metric="all", options=("model=lite",)).inputs
    analysis = analyze(found)
    assert len(analysis.scored) > 1 and analysis.drawn == {} and "majority@k" not in score_html(analysis)
    with pytest.raises(ValueError, match="pass@k and majority@k need one metric"):
        analyze(found, Settings(pass_at=(1,)))


@pytest.mark.parametrize("name", [name for name, sample in SAMPLES.items() if len(sample.systems) > 1])
def test_runs_of_every_family_fill_all_tabs(name):
    sample = sample_inputs(name)
    first, *_ = sample.systems.values()
    found = sample._replace(systems={"both": first}, runs={"both": [*sample.systems.values()]}, probabilities={})
    analysis = analyze(found, Settings(n_resamples=50))
    html = score_html(analysis)
    assert "Repeated runs" in html and "What more would buy" in html
    for slicing in slicings(analysis)[:1]:
        for measure in sliced_measures(analysis, slicing)[:1]:
            assert "both" in slices_page(analysis, slicing, measure)
    assert isinstance(answered_view(analysis.by_run), str)
    assert examples_csv(analysis).count("both (") >= len(analysis.scores("both"))
    assert "both" in make_file(analysis, CompareChoices(), "qassay_report.html").decode()


def linked(body):
    """The links of a page by their names, or their text: [(href, name)]."""
    found = re.findall(r'<a class="go[^"]*" href="([^"]*)"(?: aria-label="([^"]*)")?[^>]*>(.*?)</a>', body)
    return [(html.unescape(href), html.unescape(name or re.sub("<.*?>", "", text))) for href, name, text in found]


def opened(analysis, href):
    """The examples of a run that a link opens, and what was chosen."""
    choice, _, misfits = choice_of(analysis, View.parse(href))
    assert not misfits, href
    return choice, chosen_rows(analysis.by_run, choice)


def rows_of(body, caption):
    """The rows of a table: their links."""
    table = body[body.index(caption) :].split("</table>")[0]
    return [linked(row) for row in table.split("<tr>")[2:]]


def test_numbers_of_runs_lead_to_their_questions(sampled):
    body = runs_html(sampled)
    runs = qassay.runs([sampled.by_run.scores(run) for run in sampled.by_run.systems])
    names, exact = (
        sampled.by_run.systems,
        [sampled.by_run.by_example(run, "exact_match") for run in sampled.by_run.systems],
    )
    values = [100 * column.mean() for column in exact]
    smallest, largest, always, never = rows_of(body, "the standard deviation")[0]
    for (href, text), value in ((smallest, min(values)), (largest, max(values))):
        choice, rows = opened(sampled, href)
        assert choice.system == names[values.index(value)] and len(rows) == 64 and text == f"{value:.2f}"
    variance = runs.variance(["exact_match"])["exact_match"]
    for (href, text), share, kept in (
        (always, variance.always, np.all(exact, axis=0)), (never, variance.never, ~np.any(exact, axis=0)),
    ):  # fmt: skip
        assert sorted(opened(sampled, href)[1]) == np.flatnonzero(kept).tolist() and text == f"{100 * share:.0f} %"
        assert kept.sum() == share * 64 > 0
    for run, row in zip(names, rows_of(body, "Values of single runs"), strict=True):
        assert [opened(sampled, href)[0].system for href, _ in row] == [run] * 3, "its name, exact match and F1"
        assert [len(opened(sampled, href)[1]) for href, _ in row] == [64] * 3
    drawn = [link for row in rows_of(body, "majority@k") for link in row]
    assert len(drawn) == 8 and all(len(opened(sampled, href)[1]) == 64 for href, _ in drawn)
    assert not any(rows_of(body, "Width of the")), "no examples are behind a width that could be"


def test_bars_and_values_of_runs_count_what_they_lead_to(sampled):
    found = linked(score_html(sampled))
    bars = [(href, name) for href, name in found if "the+mean+f1+of+the+runs" in href]
    assert len(bars) > 4 and sum(int(name.rpartition(": ")[2]) for _, name in bars) == 64
    assert all(len(opened(sampled, href)[1]) == int(name.rpartition(": ")[2]) for href, name in bars)
    assert all(opened(sampled, href)[1] for href, _ in found)
    cells = sampled.report.systems["sampled"]
    for view in (View.parse(href) for href, _ in linked(values_table(sampled))):
        assert (
            view.system == sampled.first_run("sampled")
            and len(opened(sampled, view.href())[1]) == cells[view.measure].n
        )


def test_links_to_runs_that_there_are_not_are_refused(sampled):
    run = sampled.first_run("sampled")
    for name in ("the runs of other by exact_match:right in all", "the runs of sampled by much:right in all",
                 "the mean f1 of the runs of sampled from 0 to x:yes"):  # fmt: skip
        assert choice_of(sampled, View("errors", system=run, slice=name))[2]


def test_a_system_with_a_colon_in_its_name_has_no_links_to_other_questions(put_upload):
    files = [put_upload(f"m{name}.json", answers(right)) for name, right in RIGHT.items()]
    given = find_inputs([put_upload("gold.json", QUESTIONS, GOLD), *files], are_runs=True, names="a: b").inputs
    analysis = analyze(given)
    for href, _ in linked(score_html(analysis)):
        assert opened(analysis, href)[1]
