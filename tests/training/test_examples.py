"""The scripts of examples/: each trains a tiny model offline, picks the best epoch by a measure of qassay, and logs
it.
"""

import importlib.util
import json
from pathlib import Path

import pytest

pytest.importorskip("sentence_transformers", reason='needs sentence_transformers: pip install -e ".[test-all]"')
pytestmark = pytest.mark.thorough

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def script_of(name):
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return script


def run(name, folder, *arguments):
    """The metrics of a script that trains into a folder, and writes nothing elsewhere."""
    metrics = script_of(name).main(["--output", str(folder), *arguments])
    assert not list(Path.cwd().iterdir())
    return metrics


def log_of(folder):
    """The state that Trainer wrote beside the checkpoint that it kept, the best one."""
    last = max(folder.glob("checkpoint-*/trainer_state.json"), key=lambda path: int(path.parent.name.split("-")[1]))
    return json.loads(last.read_text())


@pytest.fixture(autouse=True)
def offline_in_an_empty_folder(monkeypatch, tmp_path_factory):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.chdir(tmp_path_factory.mktemp("working"))


def test_extractive(tmp_path, capsys):
    metrics = run("train_extractive", tmp_path, "--epochs", "3")
    assert metrics["eval_f1"] > 0.8 and metrics["eval_no_answer_f1"] > 0.5
    state = log_of(tmp_path)
    seen = [line["eval_f1"] for line in state["log_history"] if "eval_f1" in line]
    assert state["best_metric"] == max(seen) == metrics["eval_f1"]
    assert "F1 of the best epoch" in capsys.readouterr().out


def test_generative(tmp_path):
    metrics = run("train_generative", tmp_path, "--epochs", "6")
    assert metrics["eval_exact_match"] > 0.5 and metrics["eval_sas"] >= metrics["eval_exact_match"]
    state = log_of(tmp_path)
    seen = [line["eval_exact_match"] for line in state["log_history"] if "eval_exact_match" in line]
    assert state["best_metric"] == max(seen) == metrics["eval_exact_match"]


def test_causal(tmp_path):
    metrics = run("train_causal", tmp_path)
    assert metrics["eval_exact_match"] > 0.9
    state = log_of(tmp_path)
    seen = [line["eval_exact_match"] for line in state["log_history"] if "eval_exact_match" in line]
    assert state["best_metric"] == max(seen) == metrics["eval_exact_match"]


@pytest.mark.parametrize(("kind", "epochs"), [("encoder", 1), ("cross-encoder", 4)])
def test_ranking(kind, epochs, tmp_path):
    metrics = run("train_ranking", tmp_path, "--kind", kind, "--epochs", str(epochs))
    for name in ("dev_ndcg@10", "dev_map"):
        assert metrics[f"before_{name}"] < metrics[name]
        assert metrics[f"{name}_low"] <= metrics[name] <= metrics[f"{name}_high"]
    state = log_of(tmp_path)
    seen = [line["eval_dev_ndcg@10"] for line in state["log_history"] if "eval_dev_ndcg@10" in line]
    assert state["best_metric"] == max(seen) == metrics["dev_ndcg@10"]


@pytest.mark.parametrize("name", ["train_extractive", "train_ranking"])
def test_without_an_output_nothing_is_stored(name, monkeypatch):
    script, seen = script_of(name), []
    monkeypatch.setattr(script, "train_model", lambda *given: seen.append((given[-2], Path(given[-2]).is_dir())))
    script.main([])
    ((folder, there),) = seen
    assert there and not Path(folder).exists() and not list(Path.cwd().iterdir())
