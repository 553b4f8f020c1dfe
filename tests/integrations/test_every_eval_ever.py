"""Exported records and their examples, by the schemas and the validator of Every Eval Ever itself."""

import json
from importlib import resources
from pathlib import Path

import pytest

import qassay
from qassay.cli import main
from qassay.registry import FAMILIES

from .harness import need

need("every_eval_ever", "jsonschema")
SAMPLES = Path(__file__).parents[2] / "samples"
INPUTS = [(name, *inputs) for name, family in FAMILIES.items() for inputs in family.smallest]
ABOUT = {"model": "org/m", "dataset": "org/lights", "date": "2026-01-15", "organization": "us", "relationship": "other"}


@pytest.fixture
def check():
    """Refuses what the schemas, or the checks of its datastore, refuse below a folder; the number of files."""
    import jsonschema
    from every_eval_ever.validator.validation_core import validate_file

    folder = resources.files("every_eval_ever") / "schemas"
    of_record, of_example = (
        jsonschema.Draft7Validator(json.loads((folder / f"{name}.schema.json").read_text("utf-8")))
        for name in ("eval", "instance_level_eval")
    )

    def call(root):
        names = {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()}
        settings = {"available_files": names, "read_repo_file": lambda name: (root / name).read_text("utf-8")}
        for name in names:
            found = validate_file(root / name, repo_path=name, run_semantic_checks=True, **settings)
            assert (found.errors, found.warnings, found.valid) == ([], [], True)
            lines = (root / name).read_text("utf-8").split("\n")[:-1] if name.endswith("l") else []
            for line in lines:
                of_example.validate(json.loads(line))
            if not lines:
                of_record.validate(json.loads((root / name).read_text("utf-8")))
        return len(names)

    return call


@pytest.mark.parametrize("case", INPUTS, ids=lambda case: "-".join([case[0], *map(str, case[2].values())])[:60])
def test_a_record_of_every_family_is_valid(case, check, tmp_path):
    name, columns, options = case
    both = ("predictions", "references")
    texts = {key: columns[key] for key in both if {*both} <= columns.keys()}
    paths = qassay.export(qassay.score(name, **columns, **options), tmp_path, {**ABOUT, "split": "test"}, **texts)
    assert check(tmp_path) == len(paths)


@pytest.mark.parametrize(
    "files",
    [
        ("answers/gold.json", "answers/small_model.json", "--interval-method", "percentile", "--resamples", "20"),
        ("rankings/qrels.txt", "rankings/dense.run", "--measures", "dcg@10", "num_ret", "map"),
        ("rag/questions.jsonl", "rag/dense.jsonl", "--metric", "answer_match"),
    ],
    ids=lambda files: files[0],
)
def test_a_record_of_files_is_valid(files, check, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(SAMPLES)
    about = tmp_path / "about.json"
    about.write_text(json.dumps({**ABOUT, "revision": "a"}), "utf-8")
    records = tmp_path / "records"
    assert main(["score", *files, "--export", str(records), "--about", str(about)]) == 0, capsys.readouterr().err
    assert check(records) == 2
