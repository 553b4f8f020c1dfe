"""Files of answers that another family reads too: every kind is scored by every family of its readers."""

import json

import pytest

import qassay
from qassay.registry import FAMILIES

QUESTION = {"id": "a", "question": "capital of France?", "answers": [{"text": "Paris", "answer_start": 0}]}
SQUAD = {"data": [{"title": "t", "paragraphs": [{"context": "Paris", "qas": [QUESTION]}]}]}
FILES = {
    "squad 1.1": {"version": "1.1", **SQUAD},
    "squad 2.0": {"version": "v2.0", **SQUAD},
    "by id": {"a": ["Paris"]},
    "rows": [{"id": "a", "question": "capital of France?", "answers": ["Paris"]}],
}
READERS = [name for name, family in FAMILIES.items() if family.scores_outputs and family.files_of == "answer_match"]
OPTIONS = {"semantic_answer_similarity": {"model": "lite"}}


@pytest.mark.parametrize("kind", FILES)
def test_every_family_of_answers_scores_every_kind_of_gold_file(tmp_path, kind):
    gold, predictions = tmp_path / "gold.json", tmp_path / "model.json"
    gold.write_text(json.dumps(FILES[kind]))
    predictions.write_text('{"a": "Paris"}')
    assert len(READERS) == 3
    for metric in READERS:
        (scores,) = qassay.score_files(gold, predictions, metric, **OPTIONS.get(metric, {})).values()
        assert scores.summary(["total"]) == {"total": 1}
        assert next(iter(scores.columns.values()))[0] > 0.9
