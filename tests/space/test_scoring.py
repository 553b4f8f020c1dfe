"""The document of a call: equal to the command line's, with the names that the owner of the files gave them."""

import json
import shlex

import pytest

from qassay.cli import main
from qassay.results.read import check_document
from qassay.space.samples import FOLDER, SAMPLES, sample_of
from qassay.space.scoring import document_of
from qassay.space.uploads import GOLD, SYSTEM

ANSWERS = FOLDER / "answers"


def given(*paths):
    """The files of a call: the gold file and those of the systems, under their own names."""
    return [(str(path), path.name, SYSTEM if place else GOLD) for place, path in enumerate(paths)]


@pytest.mark.parametrize("name", SAMPLES)
def test_the_command_of_a_document_makes_its_numbers_again(name, capsys, tmp_path, monkeypatch):
    sample = SAMPLES[name]
    paths = [FOLDER / path for path in (sample.gold, *sample.systems)]
    found = document_of(given(*paths), sample.options)
    check_document(found)
    for path in paths:
        (tmp_path / path.name).write_bytes(path.read_bytes())
    monkeypatch.chdir(tmp_path)
    program, *arguments = shlex.split(found["command"].replace("--report report.html", "--format json"))
    assert program == "qassay" and main(arguments) == 0
    printed = json.loads(capsys.readouterr().out)
    assert found["parts"] == printed["parts"] and found["systems"] == printed["systems"]


def test_every_metric_has_a_sample():
    from qassay import list_metrics

    assert {SAMPLES[sample_of(metric)].metric for metric in list_metrics()} == {*list_metrics()}


def test_files_are_named_as_their_owner_has_them(tmp_path):
    """Whatever they are called on the server, also two of one name, and names that no file can have."""
    for place, name in enumerate(("gold", "small_model", "large_model")):
        (tmp_path / f"file{place}.json").write_bytes((ANSWERS / f"{name}.json").read_bytes())
    names = ("../<b>gold</b>.json", "same.json", "same.json")
    files = [(str(tmp_path / f"file{place}.json"), name, SYSTEM if place else GOLD) for place, name in enumerate(names)]
    found = document_of(files)
    assert found["gold"] == names[0]
    assert [system["file"] for system in found["systems"]] == ["same.json", "same (2).json"]
    assert str(tmp_path) not in json.dumps(found)
    (tmp_path / "file1.json").write_text('{"q": [')
    with pytest.raises(ValueError, match=r"^same\.json: ") as error:
        document_of(files)
    assert str(tmp_path) not in str(error.value)


def test_probabilities_runs_slices_and_groups():
    small, large = ANSWERS / "small_model.json", ANSWERS / "large_model.json"
    gold = ANSWERS / "gold.json"
    found = document_of(
        given(gold, small, large, ANSWERS / "large_model_no_answer.json"), "by=language\ngroups=article"
    )
    assert any(one["text"].startswith("large_model_no_answer.json is taken as") for one in found["remarks"])
    assert found["interval"]["group_name"] == "article"
    assert [one["name"] for one in found["parts"][0]["slices"] if one["requested"]] == ["language"]
    found = document_of(given(gold, small, large), "names=model")
    assert found["kind"] == "score" and found["systems"][0]["runs"] == ["small_model", "large_model"]


def test_systems_without_a_common_example_are_shown_and_not_compared(put):
    gold = put("gold.csv", "id,gold\n1,a\n2,b\n", GOLD)
    files = [put("first.csv", "id,prediction\n1,a\n"), put("second.csv", "id,prediction\n2,b\n")]
    found = document_of([(one.path, one.name, one.slot) for one in (gold, *files)], "missing=skip")
    assert found["kind"] == "score" and len(found["systems"]) == 2
    assert any(one["id"] == "not_compared" for one in found["remarks"])
