"""The official files of CoQA, QuAC, HotpotQA, DROP and LoCoMo."""

import pytest

import qassay
from qassay.answer_match.gold_texts import gold_texts
from qassay.files import FileError, read_gold, read_predictions


def turns(*texts):
    return [{"input_text": text, "turn_id": place} for place, text in enumerate(texts, 1)]


STORY = {
    "source": "wikipedia", "id": "s1", "story": "The cat sat.", "questions": turns("Who?", "What?"),
    "answers": turns("a cat", "sat"), "additional_answers": {"0": turns("cat", "it sat"), "1": turns("dog", "sat")},
}  # fmt: skip
SAID = [("s1", 1, "cat"), ("s1", 2, "sat"), ("s2", 1, "dog")]
QUAC = [
    {"id": f"C_1_q#{turn}", "question": "?", "answers": [{"text": text}], "yesno": "y", "followup": "m"}
    for turn, text in enumerate(["the cat", "CANNOTANSWER"])
]
HOTPOT = [
    {"_id": "h1", "question": "Who?", "answer": "Ada", "supporting_facts": [["Ada", 0], ["Bob", 2]], "type": "bridge"},
    {"_id": "h2", "question": "Same?", "answer": "yes", "supporting_facts": [["Cat", 1]], "type": "comparison"},
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
    "p2": {"passage": "More.", "qa_pairs": [{"query_id": "d3", "question": "When?", "answer": DATE}]},
}
LOCOMO = [
    {"question": "Who?", "answer": "Ann", "evidence": [], "category": 5},
    {"question": "Where?", "answer": "Rome", "evidence": [], "category": 1},
    {"question": "Where?", "answer": "Bern", "evidence": [], "category": 1},
]
# Papers leave out categories: a file without the first question has the answers of the others, which have one text.
LOCOMO_SYSTEM = [{"sample_id": "c1", "qa": [{**row, "bot_prediction": row["answer"]} for row in LOCOMO[1:]]}]

# Gold file, predictions, options, ids, some details, and columns of scores.
FILES = {
    "coqa": (
        {"version": "1.0", "data": [STORY, {**STORY, "source": "cnn", "id": "s2"}]},
        [{"id": story, "turn_id": turn, "answer": answer} for story, turn, answer in SAID],
        {},
        ["s1#1", "s1#2", "s2#1", "s2#2"],
        {"source": ["wikipedia"] * 2 + ["cnn"] * 2, "context": ["The cat sat."] * 4},
        {"exact_match": [1.0, 1.0, 2 / 3, 0.0]},
    ),
    "quac": (
        {"data": [{"paragraphs": [{"id": "C_1", "context": "the cat", "qas": QUAC}]}]},
        [
            {"id": "C_1_q#0", "prediction": "cat", "yesno": "y", "followup": "m"},
            {"id": "C_1_q#1", "prediction": "CANNOTANSWER", "yesno": "n", "followup": "m"},
        ],
        {"preset": "quac"},
        ["C_1_q#0", "C_1_q#1"],
        {"yesno": ["y", "y"]},
        {"f1": [1.0, 1.0], "yesno_accuracy": [1.0, 0.0], "followup_accuracy": [1.0, 1.0]},
    ),
    "hotpotqa": (
        HOTPOT,
        {"answer": {"h1": "Ada", "h2": "no"}, "sp": {"h1": [["Ada", 0]], "h2": [["Cat", 1]]}},
        {},
        ["h1", "h2"],
        {"question": ["Who?", "Same?"], "type": ["bridge", "comparison"]},
        {"exact_match": [1, 0], "sp_exact_match": [0, 1], "sp_recall": [0.5, 1.0], "joint_exact_match": [0, 0]},
    ),
    "drop": (
        DROP,
        {"d3": "8 May 1945", "d1": ["blue", "red"], "d2": "red"},
        {},
        ["d1", "d2", "d3"],
        {"passage_id": ["p1", "p1", "p2"]},
        {"exact_match": [1.0, 0.0, 1.0], "f1": [1.0, 0.5, 1.0]},
    ),
    "locomo": (
        [{"sample_id": "c1", "qa": LOCOMO}],
        LOCOMO_SYSTEM,
        {},
        ["c1#1", "c1#2", "c1#3"],
        {"category": [5, 1, 1]},
        {"f1": [0.0, 1.0, 1.0]},
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_official_files(save, name):
    gold_value, predictions, options, ids, details, columns = FILES[name]
    path = save("gold.json", gold_value)
    gold = read_gold(path)
    assert (list(gold.ids), {key: gold.details[key] for key in details}) == (ids, details)
    assert {"preset": name} == (gold.options or options)
    scores = qassay.score_files(path, save("system.json", predictions), **options)["system"]
    assert {key: scores.columns[key].tolist() for key in columns} == columns


def test_gold_answers_of_drop_as_texts(save):
    assert gold_texts(read_gold(save("g.json", DROP))) == [["3", "red blue"], ["red blue"], ["8 May 1945"]]


def test_hotpotqa_answers_alone_are_scored_when_requested(save):
    gold, path = read_gold(save("g.json", HOTPOT)), save("p.json", {"h1": "Ada", "h2": "yes"})
    with pytest.raises(FileError, match="preset=squad_v2"):
        read_predictions(path, gold)
    gold = gold.with_options({"preset": "squad_v2"})
    columns = {**gold.columns, **read_predictions(path, gold).columns}
    assert qassay.score(gold.metric, **columns, **gold.options)["exact_match"] == 1.0


@pytest.mark.parametrize(
    ("value", "named"),
    [
        ([{"answer": "x", "supporting_facts": []}], "HotpotQA gold file, but a part of it lacks 'id'"),
        ({"p1": {"passage": "", "qa_pairs": [{"query_id": "d1"}]}}, "DROP gold file, but a part of it lacks 'answer'"),
        (
            {"p1": {"passage": "", "qa_pairs": [{"answer": NUMBER}]}},
            "DROP gold file, but a part of it lacks 'query_id'",
        ),
        ({"data": [{**STORY, "additional_answers": {"0": turns("cat")}}]}, "story 's1' lacks an answer to turn 2"),
    ],
)
def test_broken_gold_files(save, value, named):
    with pytest.raises(FileError, match=named):
        read_gold(save("g.json", value))


def test_an_id_twice_in_predictions_of_hotpotqa(save):
    path = save("p.json", '{"answer": {"h1": "a", "h1": "b"}, "sp": {"h1": []}}')
    with pytest.raises(FileError, match="'h1' in one object"):
        read_predictions(path, read_gold(save("g.json", HOTPOT)))
