"""A table with a column for each system, on the page: names, numbers, and the commands that give them again."""

import json
import shlex

import pytest

import qassay
from qassay.cli import main
from qassay.pages.uploads import GOLD, SYSTEM, read_upload
from qassay.spaces_app.analysis import analyze
from qassay.spaces_app.choices import chosen_columns
from qassay.spaces_app.comparisons import CompareChoices, compare_command
from qassay.spaces_app.inputs import InputError, find_inputs
from qassay.spaces_app.report_view import python_code

WIDE = "id,lang,gold,small,large\n1,en,Paris,Paris,London\n2,fr,Rome,Roma,Rome\n3,fr,Oslo,Oslo,Oslo\n"
BOTH = {"predictions": ["small", "large"]}


@pytest.fixture
def found(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def call(*texts, columns=BOTH, names=""):
        for place, text in enumerate(texts):
            (tmp_path / f"{'abcd'[place]}.csv").write_text(text, "utf-8")
        paths = [tmp_path / f"{'abcd'[place]}.csv" for place in range(len(texts))]
        uploads = [read_upload(str(path), path.name, SYSTEM if place else GOLD) for place, path in enumerate(paths)]
        return find_inputs(uploads, columns=chosen_columns(columns), names=names)

    return call


@pytest.mark.parametrize("names, called", [("", ["small", "large"]), ("T5\nBERT", ["T5", "BERT"])])
def test_each_column_is_a_system(found, names, called):
    analysis = analyze(found(WIDE, names=names).inputs)
    assert analysis.systems == called
    assert [analysis.report.systems[name]["exact_match"].n for name in called] == [3, 3]
    first, second = (analysis.scores(name).columns["exact_match"].tolist() for name in called)
    assert (first, second) == ([1, 0, 1], [0, 1, 1])


@pytest.mark.parametrize("names", ["", "T5\nBERT"])
def test_the_commands_of_the_page_give_the_same(found, names, capsys):
    analysis = analyze(found(WIDE, names=names).inputs)
    _, *command = shlex.split(compare_command(analysis, CompareChoices()))
    assert main([*command, "--format", "json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert list(printed["systems"]) == ["small", "large"]
    code = python_code(analysis, CompareChoices())
    exec(code, {})  # noqa: S102
    assert all(repr(name).strip("'") in code for name in analysis.systems) and capsys.readouterr().out


def test_several_tables_with_several_systems(found):
    inputs, _ = found(WIDE, WIDE)
    assert list(inputs.systems) == ["a/small", "a/large", "b/small", "b/large"]
    assert analyze(inputs).systems == list(inputs.systems)
    with pytest.raises(InputError, match="8 systems are too many"):
        found(WIDE, WIDE, WIDE, WIDE)
    with pytest.raises(InputError, match="names: 1 for 2 systems"):
        found(WIDE, names="T5")


def test_python_takes_what_the_page_writes(found):
    found(WIDE)
    columns = {"T5": {"predictions": "small"}, "BERT": {"predictions": "large"}}
    scores = qassay.score_files("a.csv", {"T5": "a.csv", "BERT": "a.csv"}, columns=columns)
    assert [of.summary(["exact_match"])["exact_match"] for of in scores.values()] == [pytest.approx(2 / 3)] * 2
