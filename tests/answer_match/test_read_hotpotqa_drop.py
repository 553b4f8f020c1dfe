"""The official files of HotpotQA and DROP."""

import pytest

import qassay
from qassay.answer_match.gold_texts import gold_texts
from qassay.files import FileError, read_gold, read_predictions

HOTPOT = [
    {
        "_id": "h1",
        "question": "Who?",
        "answer": "Ada",
        "supporting_facts": [["Ada", 0], ["Bob", 2]],
        "type": "bridge",
        "context": [],
    },
    {
        "_id": "h2",
        "question": "Same?",
        "answer": "yes",
        "supporting_facts": [["Cat", 1]],
        "type": "comparison",
        "context": [],
    },
]
DATE = {"number": "", "date": {"day": "8", "month": "May", "year": "1945"}, "spans": []}
SPANS = {"number": "", "date": {}, "spans": ["red", "blue"]}
NUMBER = {"number": "3", "date": {}, "spans": []}
DROP = {
    "p1": {
        "passage": "Text.",
        "qa_pairs": [
            {"query_id": "d1", "question": "How many?", "answer": NUMBER, "validated_answers": [SPANS]},
            {"query_id": "d2", "question": "Which?", "answer": SPANS},
        ],
    },
    "p2": {
        "passage": "More.",
        "qa_pairs": [{"query_id": "d3", "question": "When?", "answer": DATE, "validated_answers": []}],
    },
}


def score(gold, predictions):
    return qassay.score(gold.metric, **gold.columns, **predictions.columns, **gold.options)


def test_hotpotqa(save):
    gold = read_gold(save("g.json", HOTPOT))
    assert (gold.kind, gold.options, gold.ids) == ("hotpotqa", {"preset": "hotpotqa"}, ["h1", "h2"])
    assert gold.details == {"question": ["Who?", "Same?"], "type": ["bridge", "comparison"]}
    predicted = {"answer": {"h1": "Ada", "h2": "no"}, "sp": {"h1": [["Ada", 0]], "h2": [["Cat", 1]]}}
    scores = score(gold, read_predictions(save("p.json", predicted), gold))
    assert scores.summary(["exact_match", "sp_exact_match", "joint_exact_match"]) == {
        "exact_match": 0.5, "sp_exact_match": 0.5, "joint_exact_match": 0.0,
    }  # fmt: skip
    assert scores.columns["sp_recall"].tolist() == [0.5, 1.0]


def test_hotpotqa_answers_alone_are_scored_when_requested(save):
    gold, path = read_gold(save("g.json", HOTPOT)), save("p.json", {"h1": "Ada", "h2": "yes"})
    with pytest.raises(FileError, match="preset=squad_v2"):
        read_predictions(path, gold)
    gold = gold.with_options({"preset": "squad_v2"})
    assert score(gold, read_predictions(path, gold)).summary(["exact_match"]) == {"exact_match": 1.0}


def test_bad_files(save):
    with pytest.raises(FileError, match="HotpotQA gold file, but a part of it lacks 'id'"):
        read_gold(save("g.json", [{"answer": "x", "supporting_facts": []}]))
    path = save("p.json", '{"answer": {"h1": "a", "h1": "b"}, "sp": {"h1": []}}')
    with pytest.raises(FileError, match="'h1' in one object"):
        read_predictions(path, read_gold(save("g.json", HOTPOT)))
    for lacking in ("query_id", "answer"):
        question = {"query_id": "d1", "question": "?", "answer": NUMBER}
        del question[lacking]
        with pytest.raises(FileError, match=f"DROP gold file, but a part of it lacks '{lacking}'"):
            read_gold(save("g.json", {"p1": {"passage": "", "qa_pairs": [question]}}))


def test_drop(save):
    gold = read_gold(save("g.json", DROP))
    assert (gold.kind, gold.options, gold.ids) == ("drop", {"preset": "drop"}, ["d1", "d2", "d3"])
    assert gold.details["passage_id"] == ["p1", "p1", "p2"]
    assert gold_texts(gold) == [["3", "red blue"], ["red blue"], ["8 May 1945"]]
    predicted = {"d3": "8 May 1945", "d1": ["blue", "red"], "d2": "red"}
    scores = score(gold, read_predictions(save("p.json", predicted), gold))
    assert scores.columns["exact_match"].tolist() == [1.0, 0.0, 1.0]
    assert scores.columns["f1"].tolist() == [1.0, 0.5, 1.0]
