"""The measures of given verdicts equal the numbers of the official programs.

tests/data/claim_support_official.json has made-up verdicts and what the programs gave for them: `core/metrics.py` of
castorini/nuggetizer (d00dc3e), `computation.py` of amazon-science/RAGChecker (6091f08), `compute_autoais` of
princeton-nlp/ALCE (246c476) with the verdicts in place of its model, and `simpleqa_eval.py` of openai/simple-evals (ee3b031).
"""

import json
from pathlib import Path
from random import Random

import pytest

import qassay

OFFICIAL = json.loads((Path(__file__).parents[1] / "data" / "claim_support_official.json").read_text("utf-8"))
ASSIGNMENTS = {"s": "support", "p": "partial_support", "n": "not_support", "x": "failed"}
IMPORTANCES = {"v": "vital", "o": "okay", "f": "failed"}
VERDICTS = {"E": "Entailment", "N": "Neutral", "C": "Contradiction"}
CLAIMS = (
    "precision", "recall", "f1", "claim_recall", "context_precision", "context_utilization",
    "noise_sensitivity_in_relevant", "noise_sensitivity_in_irrelevant", "hallucination", "self_knowledge", "faithfulness",
)  # fmt: skip


def columns(scores, names):
    return list(zip(*(scores.columns[name].tolist() for name in names), strict=True))


def test_nuggets():
    names = ("strict_vital_score", "vital_score", "strict_all_score", "all_score")
    rows = OFFICIAL["nuggets"]["rows"]
    verdicts = [[ASSIGNMENTS[letter] for letter in given] for _, given, _ in rows]
    golds = [[IMPORTANCES[letter] for letter in importance] for importance, _, _ in rows]
    scores = qassay.score("claim_support", verdicts, golds, preset="nuggets")
    assert len(rows) == 240 and columns(scores, names) == [tuple(expected) for *_, expected in rows]
    assert [scores[name] for name in names] == pytest.approx(OFFICIAL["nuggets"]["all"], rel=1e-15)
    assert scores["unjudged_verdicts"] == sum(given.count("x") for _, given, _ in rows) > 0


def test_claims():
    def read(given):
        return [VERDICTS[each] if each in VERDICTS else read(each) for each in given]

    fields = ("answer2response", "response2answer", "retrieved2response", "retrieved2answer")
    rows = OFFICIAL["claims"]["rows"]
    verdicts = [
        {
            name: [*map(read, given)] if name[0] == "r" and name[3] == "r" else read(given)
            for name, given in zip(fields, row[:4])
        }
        for row in rows
    ]
    scores = qassay.score("claim_support", predictions=verdicts, preset="ragchecker")
    assert len(rows) == 260 and columns(scores, CLAIMS) == [tuple(row[4]) for row in rows]
    assert [round(100 * scores[name], 1) for name in CLAIMS] == OFFICIAL["claims"]["all"]


def test_citations():
    def statement(cited, entailed, alone, without):
        lists = {"alone": [*map(int, alone)] or None, "without": [*map(int, without)] or None}
        return {"citations": cited, "entailed": entailed, **lists}

    names, rows = ("citation_recall", "citation_precision"), OFFICIAL["citations"]["rows"]
    verdicts = [{"docs": docs, "statements": [statement(*each) for each in given]} for docs, given, _ in rows]
    scores = qassay.score("claim_support", predictions=verdicts, preset="alce")
    found = [tuple(100 * value for value in row) for row in columns(scores, names)]
    assert len(rows) == 240 and [row for row in found if row[0] == row[0]] == [tuple(row[2]) for row in rows if row[2]]
    assert [row != row[:0] and row[0] != row[0] for row in found] == [row[2] is None for row in rows]
    assert [100 * scores[name] for name in names] == pytest.approx(OFFICIAL["citations"]["all"], rel=1e-15)
    assert scores["unjudged_verdicts"] == 0


def test_grades():
    names = ("correct", "incorrect", "not_attempted", "accuracy_given_attempted", "f1")
    for grades, expected in OFFICIAL["grades"]["rows"]:
        scores = qassay.score("claim_support", list(grades), preset="simpleqa")
        found = [scores[name] or 0.0 for name in names]  # where nothing is attempted, the program gives 0 and we None
        assert found == pytest.approx(expected, rel=1e-15, abs=0)
    assert sum(len(grades) for grades, _ in OFFICIAL["grades"]["rows"]) > 1000


def test_the_log_of_the_judge_of_longmemeval(tmp_path):
    """The numbers of `print_qa_metrics.py` of xiaowu0162/LongMemEval (9e0b455) for the same two files, to four decimals."""
    random = Random(1)
    types = {
        "single-session-user": 0.6383, "single-session-preference": 0.6, "single-session-assistant": 0.5417, "multi-session": 0.6053,
        "temporal-reasoning": 0.5581, "knowledge-update": 0.5294,
    }  # fmt: skip
    gold = [
        {"question_id": f"q{row}{'_abs' if random.random() < 0.1 else ''}", "question_type": random.choice([*types])}
        for row in range(240)
    ]
    log = [
        {
            "question_id": row["question_id"],
            "hypothesis": "h",
            "autoeval_label": {"model": "gpt-4o-2024-08-06", "label": random.random() < 0.6},
        }
        for row in gold
    ]
    files = tmp_path / "gold.json", tmp_path / "log.jsonl"
    more = {"answer": 7, "answer_session_ids": [], "haystack_session_ids": []}
    files[0].write_text(json.dumps([row | more for row in gold]))
    files[1].write_text("\n".join(map(json.dumps, log)))
    scores = qassay.score_files(*files)["log"]
    assert scores.options == qassay.score("claim_support", [True], preset="longmemeval").options
    by_type = {name: part["correct"] for name, part in scores.by([row["question_type"] for row in gold]).items()}
    assert by_type == pytest.approx(types, abs=5e-5) and round(scores["correct"], 4) == 0.5792
    assert round(sum(by_type.values()) / 6, 4) == 0.5788
    abstained = scores.by(["_abs" in row["question_id"] for row in gold])[True]
    assert (round(abstained["correct"], 4), len(abstained)) == (0.52, 25)
    files[1].write_text(json.dumps({"question_id": "q0", "hypothesis": "h"}) + "\n")
    with pytest.raises(ValueError, match="answers without the verdicts of a judge"):
        qassay.score_files(*files)
