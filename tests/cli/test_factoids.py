"""`qassay score` on files of BioASQ."""

import json
from pathlib import Path

import pytest

from qassay.cli import main

JAVA = (
    "yesno_acc factoid_strict factoid_lenient factoid_mrr list_prec list_rec list_f1 "
    "yesno_macro_f1 yesno_f1_yes yesno_f1_no"
)
CASES = Path(__file__).parents[1] / "data" / "bioasq_edge_cases.json"


@pytest.fixture
def files(samples):
    folder = samples.parent / "factoid"
    return folder / "gold.json", folder / "careful.json", folder / "hasty.json"


def test_options(run, files):
    text = run("score", *files[:2], "--option", "version=5", "top_k=none", "missing=error", "normalizer=squad")
    assert "factoid_accuracy|version:5|k:None|norm:squad|missing:error|" in text
    assert "phase:A|version:3|missing:skip" in run("score", *files, "--option", "phase=A", "version=3", "--percent")


def test_bad_files_and_options(fail, files, tmp_path):
    gold, careful, _ = files
    (tmp_path / "null.json").write_text('{"questions": [{"id": "tolma01", "exact_answer": [null]}]}')
    assert "null.json: predictions[0] (id 'tolma01')[0]" in fail("score", gold, tmp_path / "null.json")
    assert "--format bioasq" in fail("score", *files, "--format", "bioasq")
    assert "slices" in fail("score", gold, careful, "--format", "bioasq", "--by", "type")
    assert "option version" in fail("score", gold, careful, "--option", "version=new")


@pytest.mark.parametrize("version", [None, 5])
@pytest.mark.parametrize("name", ["f_rank6", "f_rank7_of_8", "f_missing_question", "f_gold_missing_exact", "y_mixed"])
def test_the_line_needs_no_options(capsys, tmp_path, name, version):
    """Synthetic cases, with the output of the official program (see tests/factoid_accuracy/test_scoring.py)."""
    case = json.loads(CASES.read_text("utf-8"))[name]
    for side in ("gold", "system"):
        (tmp_path / f"{side}.json").write_text(json.dumps(case[side]), "utf-8")
    expected = case["outputs"][str(version or 9)]
    arguments = ["score", str(tmp_path / "gold.json"), str(tmp_path / "system.json"), "--format", "bioasq"]
    code = main([*arguments, *([] if version is None else ["--option", f"version={version}"])])
    printed = capsys.readouterr()
    if isinstance(expected, list):
        assert (code, printed.out) == (0, " ".join(map(repr, expected)) + "\n")
    elif name == "f_gold_missing_exact":  # the program stops at these
        assert code == 2 and "has no gold answer" in printed.err
    else:
        assert code == 0


def test_options_win_over_the_rules_of_the_line(run, tmp_path):
    case = json.loads(CASES.read_text("utf-8"))["f_rank6"]
    for side in ("gold", "system"):
        (tmp_path / f"{side}.json").write_text(json.dumps(case[side]), "utf-8")
    arguments = ["score", tmp_path / "gold.json", tmp_path / "system.json", "--format", "bioasq", "--option"]
    assert run(*arguments, "top_k=5").split()[1:4] == ["0.0", "0.0", "0.0"]
    assert run(*arguments, "top_k=6").split()[1:4] == ["0.0", "1.0", repr(1 / 6)]


def test_the_line_of_the_official_program(run, bioasq):
    """Of every run in the folder."""
    rows = json.loads((bioasq / "official_scores.json").read_text("utf-8"))["rows"]
    for row in rows:
        gold = bioasq / ("12B1_golden.json" if "batch_1" in row["file"] else "12B2_golden.json")
        line = run("score", gold, bioasq / row["file"], "--format", "bioasq", "--option", f"version={row['e']}")
        assert line == " ".join(repr(row["java"][name]) for name in JAVA.split()) + "\n"
