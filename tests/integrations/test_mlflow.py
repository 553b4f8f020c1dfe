"""A scorer in MLflow's own evaluation, and Scores logged to its file store."""

import pytest

import qassay

from .harness import need, run_section

need("mlflow", "pandas")

import mlflow  # noqa: E402


@pytest.fixture(autouse=True)
def file_store(tmp_path, monkeypatch):
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    mlflow.set_tracking_uri((tmp_path / "runs").as_uri())


def test_the_recipe_is_true():
    names = run_section("MLflow")
    assert names["found"].metrics == pytest.approx({"exact_match/mean": 0.5, "f1/mean": 5 / 6})
    rows = [
        {"inputs": {"question": "?"}, "outputs": "Rome", "expectations": expectations}
        for expectations in ({"expected_response": "Rome"}, {"other": "Rome"})
    ]
    found = mlflow.genai.evaluate(data=rows, scorers=[names["answers"]])
    assert found.metrics["f1/mean"] == 1.0  # an error is not a score of 0


def test_scores_are_logged():
    scores = qassay.score("answer_match", ["in Rome", "Paris"], [["Rome", "Roma"], ["Paris"]])
    numbers = {name: value for name, value in scores.result(safe_names=True).items() if value is not None}
    with mlflow.start_run() as run:
        mlflow.log_metrics(numbers)
        mlflow.log_table(scores.to_pandas().reset_index(), "examples.json")
    assert mlflow.get_run(run.info.run_id).data.metrics == pytest.approx(numbers)
    table = mlflow.load_table("examples.json", run_ids=[run.info.run_id])
    assert table["f1"].tolist() == pytest.approx([2 / 3, 1])
