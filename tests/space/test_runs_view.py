"""Repeated runs on the page: files of runs and a column of runs are what `qassay.runs` makes of them, for every metric."""

import re

import pytest

import qassay
from qassay.pages.limits import MAX_ROWS, InputError
from qassay.pages.uploads import GOLD
from qassay.space.analysis import analyze
from qassay.space.choices import Choices
from qassay.space.inputs import MAX_RUNS, find_inputs
from qassay.space.report_view import examples_csv
from qassay.space.score_view import score_html

QUESTIONS = [{"id": f"q{place}", "answers": ["yes"]} for place in range(12)]
RIGHT = {"seed1": range(6), "seed2": range(3, 7), "seed3": (0, 3, 5, 7, 8, 9, 10)}


def answers(right):
    return {f"q{place}": "yes" if place in right else "no" for place in range(12)}


def runs_in_python():
    golds = {row["id"]: row["answers"] for row in QUESTIONS}
    return qassay.runs(
        {f"model_{name}": qassay.score("answer_match", answers(of), golds) for name, of in RIGHT.items()}
    )


@pytest.fixture
def given(put):
    """The gold file and a file of predictions for each run."""
    files = [put(f"model_{name}.json", answers(right)) for name, right in RIGHT.items()]
    return [put("gold.json", QUESTIONS, GOLD), *files]


def test_files_are_runs_as_in_python(given):
    analysis = analyze(find_inputs(given, Choices(names=("model",))).inputs)
    runs, cells = runs_in_python(), analysis.report.systems["model"]
    assert cells["exact_match"].value == pytest.approx(100 * runs["exact_match"])
    ends = [100 * end for end in runs.interval(names=["exact_match"])["exact_match"]]
    assert tuple(cells["exact_match"].interval) == pytest.approx(ends)
    for k in (1, 2, 3):
        assert cells[f"pass@{k}"].value == pytest.approx(100 * runs.pass_at(k)[f"pass@{k}"])
        assert cells[f"majority@{k}"].value == pytest.approx(100 * runs.majority_at(k)[f"majority@{k}"])
    assert analysis.report.runs["model"]["f1"].shares == pytest.approx(runs.variance()["f1"].shares)
    assert analysis.by_run.systems == ["model (model_seed1)", "model (model_seed2)", "model (model_seed3)"]
    assert analysis.rows == 36, "the rows of all runs are kept"
    page = re.sub(r"<[^>]+>", " ", score_html(analysis))
    width = analysis.scores("model").expected_width(runs=6, names=["f1"])["f1"]
    assert f"{100 * width:.2f}" in page and "pass@k" in page and "majority@k" in page
    assert examples_csv(analysis).count("\n") == 1 + 3 * 12, "every answer of every run"


def test_names_say_which_runs_are_of_one_system(given, tmp_path, monkeypatch, capsys):
    found = find_inputs(given, Choices(names=("A", "B", "A"))).inputs
    assert {name: len(files) for name, files in found.runs.items()} == {"A": 2} and list(found.systems) == ["A", "B"]
    analysis = analyze(found)
    assert analysis.report.n_runs == {"A": 2} and analysis.by_run.systems == ["A (model_seed1)", "A (model_seed3)", "B"]


@pytest.mark.parametrize(
    ("choices", "named"),
    [
        ({"names": ("A", "A")}, "2 for 3"),
        ({"names": ("k=1",)}, "'k=1'"),
        ({"names": ("A",), "columns": {"run_id": "seed"}}, "column"),
        ({"names": ("A",), "columns": {"predictions": ("a", "b")}}, "predictions"),
    ],
)
def test_what_cannot_be_runs_is_refused(given, choices, named):
    with pytest.raises(InputError, match=re.escape(named)):
        find_inputs(given, Choices(**choices))


def test_a_file_is_one_run_only_and_there_are_not_too_many(given, put):
    many = [given[0], *[given[1]._replace(path=f"{n}") for n in range(MAX_RUNS + 1)]]
    large = [given[0], *(of._replace(count=MAX_ROWS) for of in many[1:6])]
    for files, named in (([*given, given[1]], "model_seed1.json"), (many, f"{MAX_RUNS}"), (large, "1,000,000 rows")):
        with pytest.raises(InputError, match=named):
            find_inputs(files, Choices(names=("model",)))
    with pytest.raises(InputError, match="7 systems"):
        find_inputs(many[:15], Choices(names=tuple(f"{n // 2}" for n in range(14))))
    short = put("model_seed4.json", {"q0": "yes"})
    with pytest.raises(ValueError, match="model: ") as told:
        analyze(find_inputs([*given, short], Choices(names=("model",), options=("missing=skip",))).inputs)
    assert "/" not in str(told.value)
