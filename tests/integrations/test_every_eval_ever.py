"""Exported records, by the schema and the validator of Every Eval Ever itself."""

import json
from importlib import resources
from pathlib import Path

import pytest

import qassay
from qassay.registry import FAMILIES

from .harness import need

need("every_eval_ever", "jsonschema")
INPUTS = [(name, *inputs) for name, family in FAMILIES.items() for inputs in family.smallest]
ABOUT = {"model": "org/m", "dataset": "org/lights", "date": "2026-01-15", "organization": "us", "relationship": "other"}


@pytest.mark.parametrize("case", INPUTS, ids=lambda case: "-".join([case[0], *map(str, case[2].values())])[:60])
def test_a_record_of_every_family_is_valid(case, tmp_path):
    import jsonschema
    from every_eval_ever.validator.validation_core import validate_file

    name, columns, options = case
    path = Path(qassay.export(qassay.score(name, **columns, **options), tmp_path, {**ABOUT, "split": "test"}))
    where = path.relative_to(tmp_path).as_posix()
    settings = {"available_files": {where}, "read_repo_file": lambda name: (tmp_path / name).read_text("utf-8")}
    found = validate_file(path, repo_path=where, run_semantic_checks=True, **settings)
    assert (found.errors, found.warnings, found.valid) == ([], [], True)
    schema = json.loads((resources.files("every_eval_ever") / "schemas" / "eval.schema.json").read_text("utf-8"))
    jsonschema.Draft7Validator(schema).validate(json.loads(path.read_text("utf-8")))
