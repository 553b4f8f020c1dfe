"""The scripts of examples/: each trains a tiny model offline, picks the best epoch by a measure of qassay, and logs it."""

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


@pytest.fixture(autouse=True)
def offline_in_an_empty_folder(monkeypatch, tmp_path_factory):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.chdir(tmp_path_factory.mktemp("working"))


@pytest.mark.parametrize(
    ("command", "measure", "least"),
    [
        ("train_extractive --epochs 3", "f1", 0.8),
        ("train_generative --epochs 6", "exact_match", 0.5),
        ("train_causal", "exact_match", 0.9),
        ("train_ranking --kind encoder --epochs 1", "dev_ndcg@10", 0),
        ("train_ranking --kind cross-encoder --epochs 4", "dev_ndcg@10", 0),
    ],
)
def test_the_best_epoch_is_chosen_by_the_measure(command, measure, least, tmp_path):
    name, *arguments = command.split()
    metrics = script_of(name).main(["--output", str(tmp_path), *arguments])
    assert not list(Path.cwd().iterdir()), "nothing is written elsewhere"
    best = metrics.get(f"eval_{measure}", metrics.get(measure))
    assert best > metrics.get(f"before_{measure}", least)
    # The state beside the checkpoint that Trainer kept, the best one.
    states = tmp_path.glob("checkpoint-*/trainer_state.json")
    state = json.loads(max(states, key=lambda path: int(path.parent.name.split("-")[1])).read_text())
    seen = [line[f"eval_{measure}"] for line in state["log_history"] if f"eval_{measure}" in line]
    assert state["best_metric"] == max(seen) == best


@pytest.mark.parametrize("name", ["train_extractive", "train_ranking"])
def test_without_an_output_nothing_is_stored(name, monkeypatch):
    script, seen = script_of(name), []
    monkeypatch.setattr(script, "train_model", lambda *given: seen.append((given[-2], Path(given[-2]).is_dir())))
    script.main([])
    ((folder, there),) = seen
    assert there and not Path(folder).exists() and not list(Path.cwd().iterdir())
