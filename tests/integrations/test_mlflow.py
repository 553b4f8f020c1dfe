"""Scorers in MLflow's own evaluation, and Scores logged to its file store."""

import pytest

from .harness import need, run_page

need("mlflow", "pandas")

import mlflow  # noqa: E402

from qassay.integrations.mlflow import scorer_of  # noqa: E402


@pytest.fixture(autouse=True)
def file_store(tmp_path, monkeypatch):
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    mlflow.set_tracking_uri((tmp_path / "runs").as_uri())


def given(one, **row):
    return {feedback.name: feedback.value for feedback in one(**row)}


def test_the_page_is_true():
    names = run_page("mlflow")
    assert names["found"].metrics == pytest.approx({"exact_match/mean": 0.5, "f1/mean": 5 / 6})
    table = mlflow.load_table("examples_1.json", run_ids=[names["run"].info.run_id])
    assert table["f1"].tolist() == pytest.approx([2 / 3, 1]) and table["error_kind"].tolist() == ["too long", "correct"]


def test_fields_have_names():
    one = scorer_of("answer_equivalence", ["accepted"], gold="golds", prediction="text", columns={"questions": "q"})
    row = {"inputs": {"q": "Capital?"}, "outputs": {"text": "Rome"}, "expectations": {"golds": ["Rome"]}}
    assert given(one, **row) == {"accepted": 1.0}
    for side, told in (("inputs", "columns"), ("outputs", "prediction"), ("expectations", "gold")):
        with pytest.raises(ValueError, match=f"{side}.*{told}="):
            one(**{**row, side: {"other": "Rome"}})
    with pytest.raises(ValueError, match="'expected_response'"):
        scorer_of("answer_match")(outputs="Rome", expectations=None)


def test_an_error_is_not_a_score_of_0():
    rows = [
        {"inputs": {"question": "?"}, "outputs": "Rome", "expectations": expectations}
        for expectations in ({"expected_response": "Rome"}, {"other": "Rome"})
    ]
    found = mlflow.genai.evaluate(data=rows, scorers=[scorer_of("answer_match", ["f1"])])
    assert found.metrics["f1/mean"] == 1.0
