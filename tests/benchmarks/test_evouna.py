"""The script of the figures from EVOUNA: its commands of the pages run on made-up verdicts, and count what they say."""

import json
import re
import shlex
from pathlib import Path

import pytest

from qassay.cli import main

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def script(load_script):
    pytest.importorskip("sklearn", reason="scikit-learn, which the reader's module uses, is not installed")
    return load_script("evouna")


@pytest.fixture
def in_folder(tmp_path, monkeypatch, script):
    """A folder with evouna_nq.json: 60 questions, one of them twice; half of the answers are right."""
    rows = []
    for number in (*range(60), 59):
        row = {"question": f"who won race {number}?", "golden_answer": f"Ada {number}/Ada B", "improper": False}
        for place, system in enumerate(script.SYSTEMS):
            right = (number + place) % 2 == 0
            row |= {f"answer_{system}": f"Ada {number}" if right else "Bo", f"judge_{system}": right}
        rows.append(row)
    rows[3]["judge_fid"] = None
    rows[4]["golden_answer"] = ""
    (tmp_path / "evouna_nq.json").write_text(json.dumps(rows), "utf-8")
    monkeypatch.chdir(tmp_path)


def test_the_commands_of_the_pages(script, in_folder, capsys):
    ran = []
    for page in ("agreement", "human_labels"):
        text = (ROOT / "docs" / f"{page}.md").read_text("utf-8")
        for line in re.search(r"^```bash\n(python benchmarks/evouna\.py.*?)^```", text, re.DOTALL | re.MULTILINE)[
            1
        ].splitlines():
            command, *words = shlex.split(line)
            few = [] if "--table" in words else ["--draws", "2", "--labels", "30"]
            assert not main(words) if command == "qassay" else script.main([*words[1:], *few]) is None
            ran.append(capsys.readouterr().out)
    written, agreement, calibrated = ran
    assert written == "evouna_nq.csv: 299 answers to 59 questions\n"
    assert "299 labelled answers" in agreement and "intervals resample 59 groups of answers" in agreement
    assert re.search(r"fid .* 59 .* 0\.492 ", calibrated) and re.search(r"gpt35 .* 60 .* 0\.517 ", calibrated)


def test_a_row_of_the_table_has_all_gold_answers(script, in_folder):
    script.main(["evouna_nq.json", "--table", "t.csv"])
    head, first, *rest = Path("t.csv").read_text("utf-8").splitlines()
    assert head == ",".join(script.COLUMNS) and len(rest) == 298
    assert first == 'who won race 0?,"[""Ada 0"", ""Ada B""]",Ada 0,1,fid'


def test_labels_of_a_draw_are_as_many_as_asked_for(script, in_folder):
    rows = script.read_rows(Path("evouna_nq.json"))
    scores = script.qassay.score("answer_match", rows.answers, rows.golds)
    one, again, other = (script.calibrated(scores, "f1", rows.accepted, 40, seed) for seed in (0, 0, 1))
    assert one.n_labelled == 40 and one.n == 299
    assert one.value == again.value and (one.labelled, one.value) != (other.labelled, other.value)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (None, "No such file or directory"),
        ("question,answer", "is not JSON"),
        ('[{"question": "who?"}]', "is not a file of EVOUNA: every row needs answer_chatgpt, "),
    ],
)
def test_a_file_that_cannot_be_read_is_one_line(script, tmp_path, text, problem):
    path = tmp_path / "evouna_nq.json"
    if text is not None:
        path.write_text(text, "utf-8")
    with pytest.raises(SystemExit) as stop:
        script.main([str(path)])
    told = str(stop.value)
    assert told.startswith(str(path)) and problem in told and "\n" not in told
    assert told.endswith("the files of EVOUNA are in the repository wangcunxiang/QA-Eval on GitHub")
