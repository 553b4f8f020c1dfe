"""The official files of HotpotQA and DROP."""

import random
import string
from collections import Counter

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
    assert (gold.kind, gold.options, gold.ids) == ("hotpotqa", {"task": "hotpotqa"}, ["h1", "h2"])
    assert gold.details == {"question": ["Who?", "Same?"], "type": ["bridge", "comparison"]}
    predicted = {"answer": {"h1": "Ada", "h2": "no"}, "sp": {"h1": [["Ada", 0]], "h2": [["Cat", 1]]}}
    scores = score(gold, read_predictions(save("p.json", predicted), gold))
    assert scores.summary(["exact_match", "sp_exact_match", "joint_exact_match"]) == {
        "exact_match": 0.5, "sp_exact_match": 0.5, "joint_exact_match": 0.0,
    }  # fmt: skip
    assert scores.columns["sp_recall"].tolist() == [0.5, 1.0]


def official(gold, predictions):
    """The totals of HotpotQA's script by its definition: each part that a question lacks adds nothing to the sums."""
    names = [prefix + name for prefix in ("", "sp_", "joint_") for name in ("exact_match", "f1", "precision", "recall")]
    sums, lacking = dict.fromkeys(names, 0.0), Counter()

    def words(text):
        kept = "".join(letter for letter in text.lower() if letter not in string.punctuation)
        return [word for word in kept.split() if word not in ("a", "an", "the")]

    def add(prefix, *values):
        for name, value in zip(("exact_match", "f1", "precision", "recall"), values, strict=True):
            sums[prefix + name] += value
        return values[0], values[2], values[3]

    def rates(shared, given, true):
        precision, recall = (shared / size if size else 0.0 for size in (given, true))
        return (2 * precision * recall / (precision + recall) if precision + recall else 0.0), precision, recall

    for question in gold:
        answer = facts = None
        if question["_id"] in predictions["answer"]:
            given, true = words(predictions["answer"][question["_id"]]), words(question["answer"])
            closed = given != true and any(side in (["yes"], ["no"], ["noanswer"]) for side in (given, true))
            shared = 0 if closed else sum((Counter(given) & Counter(true)).values())
            answer = add("", float(given == true), *rates(shared, len(given), len(true)))
        if question["_id"] in predictions["sp"]:
            given, true = (
                {*map(tuple, of)} for of in (predictions["sp"][question["_id"]], question["supporting_facts"])
            )
            facts = add("sp_", float(given == true), *rates(len(given & true), len(given), len(true)))
        lacking.update({"missing": answer is None, "missing_facts": facts is None})
        if answer and facts:
            precision, recall = answer[1] * facts[1], answer[2] * facts[2]
            f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
            add("joint_", answer[0] * facts[0], f1, precision, recall)
    return {name: total / len(gold) for name, total in sums.items()}, lacking


def test_hotpotqa_has_nothing_for_a_missing_half(save):
    """A missing answer is not the empty answer, to which "the" normalises."""
    gold = read_gold(save("g.json", [{"_id": "i0", "answer": "the", "supporting_facts": [["A", 1]]}]))
    scores = score(gold, read_predictions(save("p.json", {"answer": {}, "sp": {"i0": [["A", 1]]}}), gold))
    names = ["exact_match", "sp_exact_match", "joint_exact_match", "missing"]
    assert list(scores.summary(names).values()) == [0, 1, 0, 1] and scores.notes["missing_facts"] == 0
    scores = score(gold, read_predictions(save("p.json", {"answer": {"i0": "a"}, "sp": {}}), gold))
    assert list(scores.summary(names).values()) == [1, 0, 0, 0] and scores.notes["missing_facts"] == 1


@pytest.mark.parametrize("seed", range(6))
def test_hotpotqa_as_the_official_script(save, seed):
    """Answers, facts or both missing, and ids that no question has."""
    draw = random.Random(seed)
    texts = ["the", "", "yes", "no", "noanswer", "red", "The red fox.", "red red fox", "blue fox"]

    def facts():
        return [[draw.choice("AB"), draw.randrange(2)] for _ in range(draw.randrange(4))]

    ids = [f"i{number}" for number in range(12)]
    rows = [{"_id": key, "answer": draw.choice(texts), "supporting_facts": facts()} for key in ids]
    rows[0]["answer"] = "the"
    ids = ["i1", *ids[2:], "x1", "x2"]
    predicted = {
        "answer": {key: draw.choice(texts) for key in ids if key == "i1" or draw.random() < 0.7},
        "sp": {key: facts() for key in ["i0", *ids] if draw.random() < 0.7},
    }
    expected, lacking = official(rows, predicted)
    gold = read_gold(save("g.json", rows))
    scores = score(gold, read_predictions(save("p.json", predicted), gold))
    assert scores.summary(list(expected)) == pytest.approx(expected, rel=1e-12)
    assert scores.summary(["missing"])["missing"] == lacking["missing"]
    assert scores.notes["missing_facts"] == lacking["missing_facts"]
    assert scores.notes["unmatched"] == len({"x1", "x2"} & {*predicted["answer"], *predicted["sp"]})
    by_hand = qassay.score(  # the same by Python: None, or no row at all
        "answer_match",
        [
            {"id": row["_id"], "prediction_text": predicted["answer"].get(row["_id"]),
             "supporting_facts": predicted["sp"].get(row["_id"])}
            for row in rows if row["_id"] in predicted["answer"] or row["_id"] in predicted["sp"]
        ],
        [{"id": row["_id"], "answers": [row["answer"]], "supporting_facts": row["supporting_facts"]} for row in rows],
        task="hotpotqa",
    )  # fmt: skip
    assert by_hand.summary() == {**scores.summary(), "unmatched": 0}


def test_hotpotqa_missing_answers_are_refused_or_omitted_by_option(save):
    gold = read_gold(save("g.json", HOTPOT))
    path = save("p.json", {"answer": {"h1": "Ada"}, "sp": {"h1": [["Ada", 0]], "h2": [["Cat", 1]]}})
    with pytest.raises(ValueError, match="id 'h2'"):
        score(gold.with_options({"missing": "error"}), read_predictions(path, gold))
    scores = score(gold.with_options({"missing": "skip"}), read_predictions(path, gold))
    assert (list(scores.ids), scores.notes["skipped"]) == (["h1"], 1)


def test_hotpotqa_answers_alone_are_scored_when_requested(save):
    gold, path = read_gold(save("g.json", HOTPOT)), save("p.json", {"h1": "Ada", "h2": "yes"})
    with pytest.raises(FileError, match="--option task=answers"):
        read_predictions(path, gold)
    gold = gold.with_options({"task": "answers"})
    assert score(gold, read_predictions(path, gold)).summary(["exact_match"]) == {"exact_match": 1.0}


def test_bad_files(save):
    for rows in ([{"answer": "x", "supporting_facts": []}], [HOTPOT[0], {"answer": "x", "supporting_facts": []}]):
        with pytest.raises(FileError, match=f"question {len(rows) - 1} has no '_id'"):
            read_gold(save("g.json", rows))
    path = save("p.json", '{"answer": {"h1": "a", "h1": "b"}, "sp": {"h1": []}}')
    with pytest.raises(FileError, match=r"'h1'.*\['answer'\]"):
        read_predictions(path, read_gold(save("g.json", HOTPOT)))
    for lacking in ("query_id", "answer"):
        question = {"query_id": "d1", "question": "?", "answer": NUMBER}
        del question[lacking]
        with pytest.raises(FileError, match=rf"'p1'\['qa_pairs'\]\[0\] has no '{lacking}'"):
            read_gold(save("g.json", {"p1": {"passage": "", "qa_pairs": [question]}}))


def test_drop(save):
    gold = read_gold(save("g.json", DROP))
    assert (gold.kind, gold.options, gold.ids) == ("drop", {"task": "drop"}, ["d1", "d2", "d3"])
    assert gold.details["passage_id"] == ["p1", "p1", "p2"]
    assert gold_texts(gold) == [["3", "red blue"], ["red blue"], ["8 May 1945"]]
    predicted = {"d3": "8 May 1945", "d1": ["blue", "red"], "d2": "red"}
    scores = score(gold, read_predictions(save("p.json", predicted), gold))
    assert scores.columns["exact_match"].tolist() == [1.0, 0.0, 1.0]
    assert scores.columns["f1"].tolist() == [1.0, 0.5, 1.0]
