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
    series = score(ANSWERS, GOLDS, questions=pd.Series(shuffled), weights=pd.Series({"c": 3, "a": 1, "b": 2}))
    assert series.summary() == in_order.summary()
    listed = score(list(ANSWERS.values()), list(GOLDS.values()), ids=list(ANSWERS), questions=shuffled)
    assert listed.columns["equivalence"].tolist() == in_order.columns["equivalence"].tolist()


def test_questions_of_other_ids_or_without_ids_are_refused():
    for ids, named in (("ab", "questions .*'c'"), ("abcd", "questions .*'d'")):
        with pytest.raises(ValueError, match=named):
            score(ANSWERS, GOLDS, questions=dict.fromkeys(ids, "who?"))
    with pytest.raises(ValueError, match="questions .*no ids"):
        score(["a"], [["a"]], questions={"q1": "who?"})


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


ROW = {"prompt": "who won?", "target": "Ann", "completion": "It is Ann.", "number": 1}
GIVEN = ["--columns", "predictions=completion", "--metric", "answer_equivalence", "--format", "json"]


def test_the_column_of_the_questions_is_found_or_named(tmp_path, capsys):
    found = []
    for name, given in (("query", []), ("prompt", ["--columns", "questions=prompt"])):
        row = {name: ROW["prompt"], **{key: ROW[key] for key in ("target", "completion", "number")}}
        assert main(["score", str(table(tmp_path, row, row)), *GIVEN, *given]) == 0
        out = capsys.readouterr().out
        assert "question:yes" in out
        found.append(json.loads(out)["parts"])
    assert found[0] == found[1]


def test_a_table_without_known_questions_tells_its_unused_columns(tmp_path, capsys):
    row = {**ROW, "input": "a"}
    path = table(tmp_path, row, row)
    assert main(["score", str(path), *GIVEN]) == 0
    out, err = capsys.readouterr()
    assert "question:no" in out and 'prompt, input; say which with columns={"questions": "NAME"}' in err
    assert main(["score", str(path), *GIVEN, "--option", "use_questions=false"]) == 0
    assert '"question"' not in capsys.readouterr().err
    with pytest.warns(UserWarning, match=r'unused: remark.*columns=\{"questions": "NAME"\}'):
        qassay.score("answer_equivalence", [{"reference": ["a"], "prediction": "a", "remark": "b"}])
