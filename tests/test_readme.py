"""The README's commands do what it prints."""

import importlib
import re
import shlex
import shutil
from pathlib import Path

import pytest

import qassay
from qassay.cli import main
from qassay.registry import FAMILIES

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text("utf-8")
BLOCKS = re.findall(r"```(\w*)\n(.*?)```", README, re.DOTALL)


def python_lines(words):
    """The block of Python lines that has these words, and the names that it leaves when it has run."""
    block = next(text for language, text in BLOCKS if language == "python" and words in text)
    names: dict = {}
    exec(block, names)  # noqa: S102 - our own README
    return block, names


def commands(block):
    return [shlex.split(line) for line in block.splitlines() if line.startswith("qassay ")]


def test_the_first_command_prints_the_table(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    monkeypatch.delenv("COLUMNS", raising=False)
    (_, installing), (_, printed) = BLOCKS[0], BLOCKS[1]
    assert installing.startswith("pip install -r requirements.txt && qassay score ")
    assert main(shlex.split(installing.partition("&& qassay ")[2])) == 0
    assert capsys.readouterr().out.rstrip() == printed.rstrip()


def test_the_comparison_prints_the_table(monkeypatch, capsys, tmp_path):
    printed = next(text for _, text in BLOCKS if text.startswith("large_model − small_model"))
    folder = ROOT / "samples" / "answers"
    monkeypatch.delenv("COLUMNS", raising=False)
    files = [str(folder / f"{name}.json") for name in ("gold", "small_model", "large_model")]
    assert main(["compare", *files, "--texts", "0"]) == 0
    assert printed.rstrip() in capsys.readouterr().out


def test_two_logs_are_compared_by_one_command(monkeypatch, capsys, tmp_path):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    lines = importlib.import_module("harness_logs").lm_eval_lines
    (block,) = [text for language, text in BLOCKS if language == "bash" and "--log_samples" in text]
    for model, answers in (
        ("small", ["Paris", "the Nile", "K2", ""]),
        ("large", ["Paris", "Nile", "Everest", "Pacific"]),
    ):
        folder = tmp_path / "out" / model
        folder.mkdir(parents=True)
        (folder / "samples_nq_open_2026-11-23T12-00-00.000000.jsonl").write_bytes(lines({"remove_whitespace": answers}))
        (folder / "results_2026-11-23T12-00-00.000000.json").write_text("{}")
    monkeypatch.chdir(tmp_path)
    ((_, *arguments),) = commands(block)
    assert main(arguments) == 0
    printed = capsys.readouterr().out
    assert "large − small\n" in printed and re.search(r"exact_match +4 +0\.5000 .* 1\.0000", printed)


def test_the_python_lines_about_comparisons_give_what_they_say():
    block, names = python_lines("qassay.compare")
    found = names["comparison"].differences[1]
    assert (found.measure, found.p_value, found.test) == ("f1", 0.5, "exact permutation")
    assert found.difference == pytest.approx(5 / 9)
    ids, changes = names["comparison"].changes("f1")
    assert ids == ["q1", "q3", "q2"] and changes.tolist() == pytest.approx([0, 2 / 3, 1])
    assert list(names["comparison"].slices["kind"]) == ["city", "town"]


@pytest.mark.parametrize(
    ("folder", "at_least"),
    [
        ("samples/answers", 12),
        ("samples/rankings", 5),
        ("samples/factoid", 3),
        ("samples/pipeline", 2),
        ("samples/rag", 3),
        ("samples/labels", 5),
        ("samples/verdicts", 5),
    ],
)
def test_the_other_commands_run(folder, at_least, monkeypatch, capsys, tmp_path):
    block = "".join(text for language, text in BLOCKS if language == "bash" and text.startswith(f"cd {folder}\n"))
    for sample in (ROOT / folder).iterdir():
        (tmp_path / sample.name).write_bytes(sample.read_bytes())
    monkeypatch.chdir(tmp_path)
    assert len(commands(block)) >= at_least
    for _, *arguments in commands(block):
        assert main(arguments) == 0, arguments
        assert capsys.readouterr().out


def test_the_leaderboard_is_written(monkeypatch, capsys, tmp_path):
    (block,) = [text for language, text in BLOCKS if language == "bash" and text.startswith("qassay leaderboard ")]
    shutil.copytree(ROOT / "samples", tmp_path / "samples")
    monkeypatch.chdir(tmp_path)
    ((_, *arguments),) = commands(block)
    assert main(arguments) == 0 and "Alder-2" in (tmp_path / "board.html").read_text("utf-8")


def test_the_python_lines_give_what_they_say():
    block, names = python_lines("qassay.score")
    scores = names["scores"]
    assert scores.interval() == scores.interval(level=0.95)
    assert scores.summary(["exact_match", "total"]) == {"exact_match": 2 / 3, "total": 3}
    assert scores.per_example()["f1"].tolist() == [2 / 3, 1.0, 1.0]
    assert f"'{scores.signature()}'" in block
    assert list(scores.by(["fr", "it", "it"])) == ["fr", "it"]


def test_the_python_lines_about_meaning_give_what_they_say(monkeypatch):
    monkeypatch.chdir(ROOT)
    block, names = python_lines('"semantic_answer_similarity"')
    result = names["metric"].compute(predictions=["30 percent"], references=[["thirty percent"]])
    said = re.search(r"'sas': ([\d.]+)\.\.\., 'sas_accuracy@0.5': ([\d.]+)", block)
    assert str(result["sas"]).startswith(said[1]) and result["sas_accuracy@0.5"] == float(said[2])


def test_the_python_lines_about_verdicts_give_what_they_say():
    block, names = python_lines('"answer_equivalence",')
    assert f"# {names['scores'].summary(['accepted'])}; " in block


def test_the_python_lines_about_labels_and_curves_give_what_they_say():
    block, names = python_lines('"label_metrics"')
    assert names["scores"].summary(["accuracy", "macro_f1"]) == {"accuracy": 2 / 3, "macro_f1": 2 / 3}
    assert names["curve"].summary(["average_precision"]) == {"average_precision": pytest.approx(5 / 6)}


def test_the_python_lines_about_one_table_give_what_they_say(monkeypatch):
    monkeypatch.chdir(ROOT)
    block, names = python_lines('"samples/rag/questions.jsonl", systems, "all"')
    for metric, measure in (("retrieval_ranking", "mrr"), ("answer_match", "f1")):
        assert f"# {names['scores'][metric]['dense'].summary([measure])}" in block


def test_the_python_lines_about_rankings_give_what_they_say():
    block, names = python_lines('"retrieval_ranking"')
    scores = names["scores"]
    summary = scores.summary()
    assert f"{{'mrr@10': {summary['mrr@10']}, 'map': {summary['map']}, 'ndcg@10': {summary['ndcg@10']:.4}"[:-1] in block
    assert scores.per_example()["map"].tolist() == [0.25, 1.0]
    assert names["metric"].compute(run=names["run"], qrels=names["qrels"])["map"] == summary["map"]
    as_lists = qassay.score("retrieval_ranking", [["d3", "d1"], ["d4"]], [["d1", "d2"], ["d4"]])
    assert as_lists.summary(["mrr", "map"]) == {"mrr": 0.75, "map": 0.625}


def test_the_python_lines_about_factoids_give_what_they_say():
    block, names = python_lines('"factoid_accuracy"')
    assert f"# {names['scores'].summary(['strict_accuracy', 'lenient_accuracy', 'mrr'])}\n" in block


def test_every_metric_has_its_card_in_the_readme():
    for name in qassay.list_metrics():
        assert f"(metrics/{name}/README.md)" in README


def test_ci_runs_the_two_commands():
    script = (ROOT / ".ci" / "run").read_text("utf-8")
    for language, text in BLOCKS[:3]:
        if language == "bash":
            assert text.strip().replace("pip install", "pip install --quiet") in script
    assert qassay.__version__ in README


@pytest.mark.parametrize(
    "place", ["README.md", "docs/error_bars.md", *(f"metrics/{name}/README.md" for name in FAMILIES)]
)
def test_each_page_says_which_groups_a_claim_needs(place):
    text = " ".join((ROOT / place).read_text("utf-8").split())
    assert "qassay.runs" in text and re.search(
        r"groups for a claim|no groups otherwise|by the claim|claim decides", text
    )
    claims = re.findall(r"about new paragraphs\b(.{17})", text)
    assert set(claims) <= {" of such articles"} and (claims or "paragraphs as groups" not in text)
