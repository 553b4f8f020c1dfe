"""A numeric metric of ragas with a measure of qassay."""

import pytest

import qassay

from .harness import need, run_section

need("ragas")


def test_the_recipe_is_true():
    f1 = run_section("ragas")["f1"]
    assert f1.name == "answer_match_f1"
    found = f1.score(response="Rome", reference=5)
    assert found.value is None and "gold answers" in found.reason


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_what_evaluate_writes_has_the_same_means():
    from ragas import EvaluationDataset, SingleTurnSample, evaluate
    from ragas.metrics import ExactMatch, StringPresence

    answers = {
        "Capital of Italy?": ("Roma", "Rome"),
        "Capital of Norway?": ("in Oslo", "Oslo"),
        "Of Peru?": ("Lima", "Lima"),
    }
    samples = [
        SingleTurnSample(
            user_input=question, response=answer, reference=gold, retrieved_contexts=[f"It is {gold}.", "x"]
        )
        for question, (answer, gold) in answers.items()
    ]
    result = evaluate(EvaluationDataset(samples), [ExactMatch(), StringPresence()], show_progress=False)
    frame = result.to_pandas()
    means = {"exact_match": pytest.approx(1 / 3), "string_present": pytest.approx(2 / 3)}
    assert dict(qassay.scores_of(frame, ids="user_input")) == dict(qassay.scores_of(result.scores)) == means
    frame.to_csv("a.csv")
    frame.to_json("b.json")
    frame.to_json("c.jsonl", orient="records", lines=True)
    frame.to_parquet("d.parquet")
    for path in ("a.csv", "b.json", "c.jsonl", "d.parquet"):
        (scores,) = qassay.score_files(path, metric="own_scores", columns={"ids": "user_input"}).values()
        assert dict(scores) == means and list(scores.ids) == list(answers), path
