"""Questions of answer_equivalence: by id, empty, and their column in tables."""

import json
import math

import pandas as pd
import pytest

import qassay
from qassay.cli import main

ANSWERS, GOLDS = {"a": "Paris", "b": "x", "c": "in 1903"}, {"a": ["Paris"], "b": ["y"], "c": ["1911"]}
QUESTIONS = {"a": "capital of France?", "b": "which letter?", "c": "when did she win?"}


def score(answers, golds, **columns):
    return qassay.score("answer_equivalence", answers, golds, **columns)


def test_questions_and_weights_by_id_are_matched_by_id():
    in_order = score(ANSWERS, GOLDS, questions=list(QUESTIONS.values()), weights=[1, 2, 3])
    shuffled = {key: QUESTIONS[key] for key in "cab"}
    by_id = score(ANSWERS, GOLDS, questions=shuffled, weights={"c": 3, "a": 1, "b": 2})
    assert by_id.columns["equivalence"].tolist() == in_order.columns["equivalence"].tolist()
    assert by_id.summary() == in_order.summary() and by_id.weights.tolist() == [1.0, 2.0, 3.0]
    listed = score(list(ANSWERS.values()), list(GOLDS.values()), ids=list(ANSWERS), questions=shuffled)
    assert listed.columns["equivalence"].tolist() == in_order.columns["equivalence"].tolist()
    module = qassay.load("answer_equivalence").compute(predictions=ANSWERS, references=GOLDS, questions=shuffled)
    assert module["equivalence"] == listed.summary()["equivalence"]


@pytest.mark.parametrize("name", ["questions", "weights"])
@pytest.mark.parametrize(
    ("ids", "message"),
    [
        ("ab", r"{} has no value for the id 'c' \(1 in all\); give one for every example"),
        ("abcd", r"{} has the id 'd' \(1 in all\), which no example has; omit it"),
    ],
)
def test_ids_without_a_value_and_values_of_other_ids_are_refused(name, ids, message):
    values = dict.fromkeys(ids, "who?" if name == "questions" else 1)
    with pytest.raises(ValueError, match=message.format(name)):
        score(ANSWERS, GOLDS, **{name: values})


def test_a_dict_for_rows_without_ids_is_refused():
    with pytest.raises(ValueError, match="questions are given by id, but the references have no ids; give ids too"):
        score(["a"], [["a"]], questions={"q1": "who?"})


def test_series_of_questions_and_weights_are_matched_by_their_index():
    in_order = score(ANSWERS, GOLDS, questions=QUESTIONS, weights=[1, 2, 3])
    for answers, golds, ids in ((ANSWERS, GOLDS, None), (list(ANSWERS.values()), list(GOLDS.values()), list("abc"))):
        by_index = score(
            answers,
            golds,
            ids=ids,
            questions=pd.Series(QUESTIONS)[["c", "a", "b"]],
            weights=pd.Series([3, 1, 2], index=list("cab")),
        )
        assert by_index.weights.tolist() == [1.0, 2.0, 3.0] and by_index.summary() == in_order.summary()
    with pytest.raises(ValueError, match="weights has the numbers of the examples as its index, in another order"):
        score(["x", "y"], [["x"], ["x"]], weights=pd.Series([1, 2], index=[1, 0]))
    with pytest.raises(ValueError, match="weights has a duplicate id: a number and its digits are one id"):
        score({1: "x", "b": "y"}, {1: "x", "b": "y"}, weights={1: 1, "1": 2, "b": 3})


def test_weights_by_id_of_other_metrics():
    labels = {"a": "x", "b": "y"}, {"a": "x", "b": "x"}
    assert qassay.score("label_metrics", *labels, weights={"b": 3, "a": 1}).summary()["accuracy"] == 0.25
    assert qassay.score("answer_match", ANSWERS, GOLDS, weights={"b": 1, "c": 0, "a": 3}).summary()["f1"] == 0.75


@pytest.mark.parametrize("empty", [None, math.nan, ""])
def test_an_empty_question_is_no_question_and_counted(empty):
    columns = list(ANSWERS.values()), list(GOLDS.values())
    found = score(*columns, questions=["capital of France?", empty, "when?"])
    assert found.summary(["without_question"]) == {"without_question": 1}
    alone = score(*columns).columns["equivalence"]
    assert found.columns["equivalence"][1] == alone[1]
    asked = []
    score(*columns, questions=["?", empty, "?"], model=lambda question, golds, answer: asked.append(question) or 1.0)
    assert sorted(asked) == ["", "?", "?"]


def table(tmp_path, *rows):
    path = tmp_path / "table.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_an_empty_question_of_a_file(tmp_path, run):
    rows = [{"question": question, "references": ["a"], "prediction": "a"} for question in ("who?", None)]
    path = table(tmp_path, *rows)
    out = run("score", path, "--metric", "answer_equivalence", "--by", "question_word")
    assert "1 judged without the question, which is less certain" in out
    empty = table(tmp_path, rows[0], {**rows[1], "question": ""})
    assert run("score", empty, "--metric", "answer_equivalence", "--by", "question_word") == out


ROW = {"prompt": "who won?", "target": "Ann", "completion": "It is Ann.", "number": 1}


@pytest.mark.parametrize("name", ["prompt", "Input", "user_input", "query"])
def test_the_one_column_that_may_hold_the_questions_is_taken_and_told(tmp_path, capsys, name):
    row = {name: ROW["prompt"], **{key: ROW[key] for key in ("target", "completion", "number")}}
    path = table(tmp_path, row, row)
    given = ["--columns", "predictions=completion", "--metric", "answer_equivalence", "--format", "json"]
    assert main(["score", str(path), *given]) == 0
    out, err = capsys.readouterr()
    assert "question:yes" in out
    assert (f"{name} as question" in err) == (name != "query") and "no column is known" not in err
    assert main(["score", str(path), *given, "--columns", f"question={name}"]) == 0
    assert capsys.readouterr().out == out


@pytest.mark.parametrize(
    ("more", "unused"),
    [({"input": "a"}, "prompt, input"), ({"prompt": None, "remark": "b"}, "remark"), ({"prompt": [], "x": "b"}, "x")],
)
def test_a_table_without_known_questions_tells_its_unused_columns(tmp_path, capsys, more, unused):
    path = table(tmp_path, {**ROW, **more}, {**ROW, **more})
    given = ["score", str(path), "--columns", "predictions=completion", "--metric", "answer_equivalence"]
    assert main(given) == 0
    out, err = capsys.readouterr()
    told = "no column is known to hold the questions, so answers are judged without them"
    assert "question:no" in out and f"{told}; unused: {unused}; say which with --columns question=NAME" in err
    assert main([*given, "--option", "use_questions=false"]) == 0
    assert told not in capsys.readouterr().err
    assert main([*given[:-1], "answer_match"]) == 0
    assert told not in capsys.readouterr().err


def test_a_table_in_python_tells_it_too():
    rows = [{"reference": ["a"], "prediction": "a", "remark": "b"}]
    with pytest.warns(UserWarning, match=r'unused: remark; say which with columns=\{"question": "NAME"\}'):
        qassay.score("answer_equivalence", rows)
    with pytest.warns(UserWarning, match="columns chosen by name: prompt as question"):
        found = qassay.score("answer_equivalence", [{**rows[0], "prompt": "who?"}])
    assert found.options.use_questions


def test_all_metrics_do_not_guess_the_questions(tmp_path):
    path = table(tmp_path, *[{"reference": ["a"], "prediction": "a", "prompt": "who?"}] * 2)
    assert "answer_equivalence" not in qassay.score_files(path, metric="all", model="lite")
