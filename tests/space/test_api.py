"""The public function of the Space, by gradio_client; by raw HTTP: test_server.py."""

import json
import re
import subprocess
from pathlib import Path

import pytest

pytest.importorskip("gradio", reason='needs gradio: pip install -e ".[test-all]"')

import httpx
from gradio_client import Client, handle_file
from gradio_client.exceptions import AppError

from qassay.cli import main
from qassay.results.page import data_text
from qassay.space.samples import FOLDER, SAMPLES
from qassay.space.scoring import document_of

pytestmark = pytest.mark.thorough

ROOT = Path(__file__).resolve().parents[2]
ANSWERS = FOLDER / "answers"
GOLD, SMALL, LARGE = (ANSWERS / name for name in ("gold.json", "small_model.json", "large_model.json"))


@pytest.fixture(scope="module")
def client(served):
    return Client(served.url, verbose=False, analytics_enabled=False)


@pytest.fixture
def score(client):
    """`score(gold, *systems, options)` of paths."""

    def call(gold, *systems, options=""):
        return client.predict(handle_file(gold), list(map(handle_file, systems)), options, api_name="/score")

    return call


def printed(capsys, *arguments):
    """What the command line prints as JSON."""
    assert main([*map(str, arguments), "--format", "json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_score_is_the_only_endpoint_and_its_arguments_are_described(served):
    info = httpx.get(f"{served.url}/gradio_api/info").json()
    assert set(info["named_endpoints"]) == {"/score"} and info["unnamed_endpoints"] == {}
    parameters = info["named_endpoints"]["/score"]["parameters"]
    assert [one["parameter_name"] for one in parameters] == ["gold", "systems", "options"]


@pytest.mark.parametrize("name", SAMPLES)
def test_every_sample_gives_its_document(score, name, monkeypatch, tmp_path):
    sample = SAMPLES[name]
    gold, *systems = (FOLDER / path for path in (sample.gold, *sample.systems))
    found = score(gold, *systems, options=sample.options)
    for path in (gold, *systems):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    monkeypatch.chdir(tmp_path)
    assert found == json.loads(data_text(document_of(gold.name, [path.name for path in systems], sample.options)))
    json.dumps(found, allow_nan=False)


def test_options_names_and_probabilities(score, capsys):
    settings = "measures=exact_match,f1\nconfidence=0.9\nseed=3\nn_resamples=200\ngroups=article\nmissing=skip"
    probabilities = ANSWERS / "large_model_no_answer.json"
    found = score(GOLD, SMALL, LARGE, probabilities, options=f"{settings}\nnames=small,large_model")
    told = printed(
        capsys, "compare", GOLD, SMALL, LARGE, "--measures", "exact_match", "f1", "--confidence", "0.9", "--seed", "3", "--resamples",
        "200", "--groups", "article", "--option", "missing=skip", "--no-answer-probabilities", f"large_model={probabilities}",
    )  # fmt: skip
    assert [system["name"] for system in found["systems"]] == ["small", "large_model"]
    values = [list(one["parts"][0]["values"].values()) for one in (found, told)]
    assert values[0] == values[1]


# --- what is wrong ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "named"), [("metric=gone", "gone"), ("measures=gone", "gone"), ("names=a,b,c", "3 for 2")]
)
def test_wrong_options_are_named(score, options, named):
    with pytest.raises(AppError, match=named):
        score(GOLD, SMALL, LARGE, options=options)


def test_nothing_that_is_no_number_and_no_lone_surrogate_reaches_a_client(score, tmp_path):
    table = "id,prediction,gold\n1,a,a\n"
    (tmp_path / "table.csv").write_text(table)
    found = score(tmp_path / "table.csv", options="names=x\\ud800")
    json.dumps(found, allow_nan=False, ensure_ascii=False).encode("utf-8")


# --- the documentation ------------------------------------------------------------------------------------------------


def blocks_of_docs(language):
    text = (ROOT / "docs" / "page.md").read_text("utf-8").partition("## From programs")[2]
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


def test_the_documented_calls_work(served, monkeypatch, capfd):
    monkeypatch.chdir(FOLDER.parent)
    (python,) = blocks_of_docs("python")
    exec(python.replace("http://127.0.0.1:7860", served.url), {})  # noqa: S102 - our own page
    assert "large_model" in capfd.readouterr().out
    (shell,) = blocks_of_docs("bash")
    done = subprocess.run(
        ["bash", "-ec", shell.replace("http://127.0.0.1:7860", served.url)], capture_output=True, text=True
    )
    assert done.returncode == 0 and "event: complete" in done.stdout and "small_model" in done.stdout, done
