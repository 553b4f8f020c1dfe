"""Tables with a row per question: CSV, JSONL and rows in memory, beside BioASQ and alone."""

import pandas as pd
import pytest

import qassay
from qassay.files import FileError

ROWS = [
    {"id": 1, "type": "factoid", "golds": ["dog", "canine"], "prediction": ["cat", "Canine"], "lang": "en"},
    {"id": 2, "type": "list", "golds": ["a", "b"], "prediction": ["a", "c"], "lang": "de"},
    {"id": 3, "type": "yesno", "golds": "yes", "prediction": "Yes.", "lang": "en"},
    {"id": 4, "type": "factoid", "golds": "x", "prediction": None, "lang": "en"},
    {"id": 5, "type": "summary", "golds": [], "prediction": "", "lang": "en"},
]
NAMES = ["lenient_accuracy", "mrr", "list_f1", "yesno_accuracy", "total", "missing", "unanswered"]
EXPECTED = [0.5, 0.25, 0.5, 1.0, 5, 1, 0]


def values(scores):
    return list(scores.summary(NAMES).values())


def test_rows_frames_and_files(save):
    assert values(qassay.score("factoid_accuracy", ROWS)) == EXPECTED
    assert values(qassay.score("factoid_accuracy", pd.DataFrame(ROWS))) == EXPECTED
    for name in ("t.jsonl", "t.csv"):
        (scores,) = qassay.score_files(save(name, ROWS), metric="factoid_accuracy").values()
        expected = EXPECTED if name == "t.jsonl" else [*EXPECTED[:5], 0, 1]  # CSV has no null, only an empty cell
        assert values(scores) == expected


def test_names_are_said_where_the_usual_ones_do_not_tell(save):
    rows = [{"q": row["id"], "kind": row["type"], "right": row["golds"], "mine": row["prediction"]} for row in ROWS]
    columns = {"references": "right", "predictions": "mine", "type": "kind", "ids": "q"}
    (scores,) = qassay.score_files(save("t.jsonl", rows), columns=columns).values()  # the role tells the metric
    assert values(scores) == EXPECTED and scores.options.family == "factoid_accuracy"
    with pytest.raises(FileError, match="references|column"):
        qassay.score_files(save("t.jsonl", rows), metric="factoid_accuracy")


def test_a_table_of_predictions_beside_any_gold_file(save):
    """A cell is what the type of its question says, by id and not by place."""
    answers = [{"id": row["id"], "exact_answer": row["prediction"]} for row in reversed(ROWS)]
    bioasq = [
        {"id": row["id"], "type": row["type"], **({"exact_answer": row["golds"]} if row["golds"] else {})}
        for row in ROWS
    ]
    for gold in (save("gold.json", {"questions": bioasq}), save("gold.csv", ROWS)):
        (scores,) = qassay.score_files(gold, [save("system.csv", answers)], metric="factoid_accuracy").values()
        assert values(scores) == [*EXPECTED[:5], 0, 1]


def test_types_that_are_not_given(save):
    plain = [{"golds": "dog", "prediction": "dog"}, {"golds": "no", "prediction": "No idea"}]
    for rows, options, expected in (
        (plain, {}, {"factoid_total": 2, "mrr": 0.5}),
        (plain[1:], {}, {"yesno_total": 1, "yesno_accuracy": 1.0}),
        (plain[1:], {"question_type": "factoid"}, {"mrr": 0.0}),
        (plain, {"question_type": "list"}, {"list_f1": 0.5}),
        ([{**row, "type": "bridge"} for row in plain], {}, {"mrr": 0.5}),  # not a column of types
    ):
        assert qassay.score("factoid_accuracy", rows, **options).summary(list(expected)) == expected
    with pytest.raises(ValueError, match=r"references\[1\] .*'factoids'"):
        qassay.score("factoid_accuracy", [{**plain[0], "type": "list"}, {**plain[1], "type": "factoids"}])


def test_separators(save):
    rows = [
        {"golds": "a;b", "prediction": "b; c", "type": "list"},
        {"golds": "yes", "prediction": "yes", "type": "yesno"},
    ]
    columns = {"separator": ";"}
    (scores,) = qassay.score_files(save("t.csv", rows), metric="factoid_accuracy", columns=columns).values()
    assert scores.summary(["list_f1", "yesno_accuracy"]) == {"list_f1": 0.5, "yesno_accuracy": 1.0}


def test_refusals(save):
    path = save("t.csv", [{"golds": "a", "prediction": "[a"}])
    for more, words in (
        ({}, "row 0: '.a'"),
        ({"phase": "A"}, "phase A .*documents"),
        ({"columns": {"predictions": "golds", "references": "golds"}}, "golds .*predictions .*references"),
    ):
        with pytest.raises(FileError, match=words):
            qassay.score_files(path, metric="factoid_accuracy", **more)
