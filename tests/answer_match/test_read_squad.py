"""SQuAD gold files, answers by id, lists, and the wrong file in the wrong place."""

import pytest

import qassay
from qassay.answer_match.gold_texts import gold_texts
from qassay.files import FileError, read_gold, read_no_answer_probabilities, read_predictions

QUESTIONS = [
    {
        "id": "q1",
        "question": "Where?",
        "answers": [{"text": "Paris", "answer_start": 0}, {"text": "in Paris", "answer_start": 0}],
    },
    {"id": "q2", "question": "Who?", "answers": [], "is_impossible": True, "level": 3},
]


def squad(questions, **fields):
    return {
        "version": "v2.0",
        "data": [{"title": "T", "paragraphs": [{"context": "Paris.", "qas": questions}]}],
        **fields,
    }


def score(gold, predictions):
    return qassay.score(gold.metric, **gold.columns, **predictions.columns, **gold.options)


def test_gold_file(save):
    gold = read_gold(save("g.json", squad(QUESTIONS)))
    assert (gold.kind, gold.ids, gold.options) == ("squad", ["q1", "q2"], {})
    assert gold_texts(gold) == [["Paris", "in Paris"], []]
    assert gold.details == {
        "title": ["T", "T"],
        "context": ["Paris.", "Paris."],
        "question": ["Where?", "Who?"],
        "is_impossible": [None, True],
        "level": [None, 3],
    }


@pytest.mark.parametrize(
    "predictions, expected",
    [
        ({"q2": "", "q1": "in Paris!"}, 1.0),
        ([{"id": "q2", "prediction_text": "x"}, {"id": "q1", "prediction_text": "Paris"}], 0.5),
        (["Lyon", ""], 0.5),
        ({"id": ["q1", "q2"], "prediction": ["Lyon", "Rome"]}, 0.0),
    ],
)
def test_every_form_of_predictions(save, predictions, expected):
    gold = read_gold(save("g.json", squad(QUESTIONS)))
    scores = score(gold, read_predictions(save("p.json", predictions), gold))
    assert scores.summary(["exact_match"]) == {"exact_match": expected}


@pytest.mark.parametrize(
    "ranked",
    [
        {"q1": ["Lyon", "Paris"], "q2": ["", "x"]},
        {"q1": [{"text": "Lyon", "probability": 0.9}, {"text": "Paris"}], "q2": [""]},
    ],
)
def test_ranked_lists(save, ranked):
    gold = read_gold(save("g.json", squad(QUESTIONS))).with_options({"top_k": (1, 2)})
    scores = score(gold, read_predictions(save("p.json", ranked), gold))
    assert scores.summary(["exact_match@1", "exact_match@2"]) == {"exact_match@1": 0.5, "exact_match@2": 1.0}


def test_offsets_come_along(save):
    gold = read_gold(save("g.json", squad(QUESTIONS[:1]))).with_options({"unit": "offset"})
    scores = score(gold, read_predictions(save("p.json", {"q1": [0, 5]}), gold))
    assert scores.summary(["exact_match"]) == {"exact_match": 1.0}


def test_version_1_is_scored_by_its_own_script(save):
    questions = [{"id": "q1", "question": "?", "answers": [{"text": "the", "answer_start": 0}]}]
    gold = read_gold(save("g.json", squad(questions, version="1.1")))
    assert gold.options == {"empty_gold": "keep", "empty_f1": 0.0}
    scores = score(gold, read_predictions(save("p.json", {"q1": "a"}), gold))
    assert scores.summary(["exact_match", "f1"]) == {"exact_match": 1.0, "f1": 0.0}
    assert read_gold(save("g.json", squad(QUESTIONS, version="1.1"))).options == {}, (
        "it has a question without an answer"
    )


def test_gold_as_lists_by_id_and_without_ids(save):
    gold = read_gold(save("g.json", {"q1": ["Paris"], "q2": []}))
    assert (gold.ids, gold_texts(gold)) == (["q1", "q2"], [["Paris"], []])
    assert score(gold, read_predictions(save("p.json", {"q1": "Paris", "q2": ""}), gold)).summary(["f1"]) == {"f1": 1.0}
    gold = read_gold(save("g.json", ["Paris", ["Rome", "Roma"]]))
    assert (gold.ids, gold_texts(gold)) == (None, [["Paris"], ["Rome", "Roma"]])
    assert score(gold, read_predictions(save("p.json", ["Paris", "Roma"]), gold)).summary(["f1"]) == {"f1": 1.0}
    with pytest.raises(FileError, match="predictions come by id, but .* has no ids"):
        read_predictions(save("p.json", {"q1": "Paris"}), gold)


def test_duplicate_ids_are_not_lost(save):
    gold = read_gold(save("g.json", squad(QUESTIONS)))
    predictions = read_predictions(save("p.json", '{"q1": "Paris", "q1": "Lyon", "q2": ""}'), gold)
    with pytest.raises(ValueError, match="repeats the id 'q1'"):
        score(gold, predictions)
    first = score(gold.with_options({"duplicates": "first"}), predictions)
    last = score(gold.with_options({"duplicates": "last"}), predictions)
    assert [s.summary(["exact_match"])["exact_match"] for s in (first, last)] == [1.0, 0.5]
    assert first.notes["duplicates"] == 1


def test_no_answer_probabilities(save):
    gold = read_gold(save("g.json", {"7": ["a"]}))
    assert read_no_answer_probabilities(save("n.json", {"7": 0.25}), gold) == {"7": 0.25}
    with pytest.raises(FileError, match=r"looks like predictions \(\{id: text\}\), not no-answer probabilities"):
        read_no_answer_probabilities(save("p.json", {"7": "a"}), gold)
    with pytest.raises(FileError, match="duplicate id '7'"):
        read_no_answer_probabilities(save("n.json", '{"7": 0.5, "7": 0.6}'), gold)


@pytest.mark.parametrize(
    "value, words",
    [
        ({"q1": "Paris"}, "looks like predictions ({id: text}), not a gold file; the gold file comes first"),
        ({"answer": {}, "sp": {}}, "not a gold file"),
        ([{"id": "q1", "prediction_text": "x"}], "looks like predictions (JSON with the columns id, prediction_text)"),
        (
            {"name": "x", "scripts": {"a": "b"}, "version": "1"},
            "a JSON object with the keys name, scripts, version, not a gold file",
        ),
        ({"q1": 0.5}, "no-answer probabilities"),
        (
            [{"id": 1, "body": "x"}],
            "columns id, body, not a gold file; name its column of gold answers with --columns references=NAME",
        ),
        ("text", "looks like plain text beginning with 'text', not a gold file"),
        (
            squad([{"id": "q1"}]),
            "data[0]['paragraphs'][0]['qas'][0] has no 'answers'; is this a test set without answers?",
        ),
        (squad([{"answers": []}]), "['qas'][0] has no 'id'"),
        (squad([{"id": "q1", "answers": "Paris"}]), "['answers'] must be a list, not str"),
        (squad(None), "['qas'] must be a list, not None"),
        (squad([3]), "has no 'answers'"),
        ({"data": [{"paragraphs": [7]}]}, "must be a JSON object as in SQuAD, not int"),
    ],
)
def test_no_gold_file(save, value, words):
    with pytest.raises(FileError) as caught:
        read_gold(save("g.json", value))
    assert words in str(caught.value)


@pytest.mark.parametrize(
    "value, words",
    [
        (squad(QUESTIONS), "looks like a SQuAD gold file, not predictions; the gold file comes first"),
        ({"p": {"qa_pairs": []}}, "looks like a DROP gold file"),
        ({"name": "x", "scripts": {}}, "a JSON object with the keys name, scripts, not predictions"),
        (
            {"q1": 0.5},
            "no-answer probabilities ({id: number}), not predictions; give it with --no-answer-probabilities",
        ),
        ([{"id": 1, "body": "x"}], "name its column of predictions with --columns predictions=NAME"),
    ],
)
def test_no_predictions(save, value, words):
    gold = read_gold(save("g.json", squad(QUESTIONS)))
    with pytest.raises(FileError) as caught:
        read_predictions(save("p.json", value), gold)
    assert words in str(caught.value)


def test_columns_cannot_be_named_where_there_are_none(save):
    path = save("g.json", squad(QUESTIONS))
    with pytest.raises(FileError, match="no columns to name"):
        read_gold(path, {"references": "gold"})
    with pytest.raises(FileError, match="no columns to name"):
        read_predictions(save("p.json", {"q1": "x"}), read_gold(path), {"predictions": "x"})
