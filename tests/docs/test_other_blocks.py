"""Blocks of the pages that are neither Python from the top of a page nor commands: files, settings, and steps of a list."""

import json
import re
import subprocess
import textwrap
from pathlib import Path

import pytest

import qassay
from qassay import rewards
from qassay.answer_match.presets import PRESETS
from qassay.cli import main

from ..test_documented_code import PAGES

pytestmark = pytest.mark.thorough

ROOT = Path(__file__).resolve().parents[2]
_FENCED = re.compile(r"^( *)```(\w+)([^\n]*)\n(.*?)^ *```", re.DOTALL | re.MULTILINE)


def fenced(page):
    """Each block of a page: whether it is part of a list, its language, what follows the language, its text."""
    found = _FENCED.findall((ROOT / page).read_text("utf-8"))
    return [(bool(indent), language, more.strip(), textwrap.dedent(text)) for indent, language, more, text in found]


def the_block(page, language):
    (text,) = [text for _, of, _, text in fenced(page) if of == language]
    return text


def loaded_yaml(page):
    yaml = pytest.importorskip("yaml", reason='needs yaml: pip install -e ".[test-all]"')
    return yaml.safe_load(the_block(page, "yaml"))


def test_a_row_of_a_pipeline_is_scored(tmp_path, capsys):
    path = tmp_path / "row.jsonl"
    path.write_text(the_block("docs/rag.md", "json"), "utf-8")
    metrics = "--metric retrieval_ranking --metric retriever_reader --metric answer_match".split()
    assert main(["score", str(path), *metrics, "--format", "json"]) == 0
    assert [part["metric"] for part in json.loads(capsys.readouterr().out)["parts"]] == metrics[1::2]


def test_an_output_of_a_pipeline_is_scored(tmp_path, capsys):
    outputs = the_block("metrics/retriever_reader/README.md", "json")
    text = "It lies here in Paris."
    question = {
        "id": "q1",
        "question": "Where?",
        "answers": [{"text": "in Paris", "answer_start": text.index("in Paris")}],
    }
    articles = [{"title": "a", "paragraphs": [{"document_id": "d1", "context": text, "qas": [question]}]}]
    gold, predictions = tmp_path / "gold.json", tmp_path / "outputs.json"
    gold.write_text(json.dumps({"data": articles}), "utf-8")
    predictions.write_text(outputs, "utf-8")
    assert main(["score", str(gold), str(predictions), "--metric", "retriever_reader", "--format", "json"]) == 0
    found = capsys.readouterr().out
    assert '"reader_top1_em"' in found


def test_the_description_of_a_leaderboard_is_read(tmp_path, capsys):
    about = tmp_path / "about.yaml"
    about.write_text(the_block("docs/leaderboard.md", "yaml"), "utf-8")
    loaded_yaml("docs/leaderboard.md")
    systems = [str(ROOT / "samples" / "leaderboard" / "systems" / f"{name}.json") for name in ("alder", "birch")]
    assert main(["leaderboard", str(ROOT / "samples" / "answers" / "gold.json"), *systems, "--about", str(about)]) == 0
    assert "Alder-2" in capsys.readouterr().out


def test_the_action_takes_the_inputs_of_the_page():
    inputs = loaded_yaml("docs/check.md")["steps"][-1]["with"]
    yaml = pytest.importorskip("yaml", reason='needs yaml: pip install -e ".[test-all]"')
    known = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))["inputs"]
    assert inputs.keys() <= known.keys()
    assert {name for name, field in known.items() if field.get("required")} <= inputs.keys()


def test_the_settings_of_verl_make_a_reward():
    settings = loaded_yaml("docs/rewards.md")["custom_reward_function"]
    assert settings["path"] == f"pkg://{rewards.__name__}"
    reward = getattr(rewards, settings["name"])
    row = {"data_source": "nq", "ground_truth": {"target": ["Rome"]}, "extra_info": {}}
    found = reward(solution_str="<answer>Rome</answer>", **row, **settings["reward_kwargs"])
    assert found == {"score": 1.0, "acc": 1.0, "format": 1.0}


def test_the_preset_and_the_rules_of_the_page_score(monkeypatch):
    names = {}
    steps = [text for in_list, language, _, text in fenced("docs/presets.md") if in_list and language == "python"]
    added = steps[0].replace("\nPreset(", "\npreset = Preset(")
    for block in (added, steps[1]):
        exec(compile(block, "docs/presets.md", "exec"), names)  # noqa: S102 - our own page
    monkeypatch.setitem(PRESETS, "mrqa", names["preset"])
    found = qassay.score("answer_match", ["the Seine", ""], [["Seine"], ["Rome"]], preset="mrqa")
    assert found["exact_match"] == 0.5 and found.signature(short=True).startswith("answer_match|preset:mrqa")

    scaled = type(names["preset"])("scaled", "numbers with a scale", "nowhere", rules=names["SCALED"])
    monkeypatch.setitem(PRESETS, "scaled", scaled)
    columns = {"gold_details": {"scale": ["k", "m"]}, "predicted_details": {"scale": ["k", "k"]}}
    assert qassay.score("answer_match", ["5", "5"], [["5"], ["5"]], preset="scaled", **columns)["exact_match"] == 0.5


# The pages whose blocks other tests run: page or folder -> the file of tests that reads it, and what that file calls it.
_RUN_BY = {
    "docs/coming_from/": ("tests/docs/test_coming_from.py", '"coming_from"'),
    "docs/how_it_is_built.md": ("tests/docs/test_how_it_is_built.py", '"how_it_is_built.md"'),
    "docs/check.md": ("tests/check/test_command.py", '"check.md"'),
    "docs/integrations.md": ("tests/integrations/test_adapters.py", "SECTIONS"),
    "docs/your_log.md": ("tests/integrations/test_logs.py", '"your_log.md"'),
}
_HERE = {
    *(("docs/presets.md", language) for language in ("python", "text")),
    *((page, "bash") for page in ("CONTRIBUTING.md",)),
    *((f"docs/{name}.md", "yaml") for name in ("leaderboard", "check", "rewards")),
    *((page, "json") for page in ("docs/rag.md", "metrics/retriever_reader/README.md")),
}


def test_no_block_of_any_page_is_passed_over():
    """Every block is in a language, page and place that a test reads, or listed."""
    pages = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    passed_over = []
    for page in pages.split():
        by, called = next((found for place, found in _RUN_BY.items() if page.startswith(place)), (None, None))
        is_run = by is not None and (ROOT / by).is_file() and called in (ROOT / by).read_text("utf-8")
        for in_list, language, more, _ in fenced(page):
            usual = page in PAGES and not more and not in_list and language in ("python", "bash", "text")
            if not (usual or is_run or language == "bibtex" or (page, language) in _HERE):
                passed_over.append((page, language, more))
    assert not passed_over
