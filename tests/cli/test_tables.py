"""Tables with gold answers and predictions: which numbers and answers count, and duplicate roles."""

import csv
import json

import pytest

import qassay

ROLES = ("--columns", "predictions=my_answer", "references=gold", "ids=qid")
A = "qid,question,gold,my_answer\nq1,Where?,Paris,Paris\nq2,Who?,Ann,Bob\n"
B = "qid,question,gold,my_answer\nq2,Who?,Ann,Ann\nq1,Where?,Paris,Rome\n"


def examples_of(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


# --- answers of each system -------------------------------------------------------------------------------------------


def test_every_row_of_examples_has_the_answer_of_its_own_system(put, run, tmp_path):
    a, b, c = put("a.csv", A), put("b.csv", B), put("c.csv", "qid,my_answer\nq1,in Paris\nq2,Ann\n")
    path = tmp_path / "per.csv"
    run("score", a, b, c, *ROLES, "--per-example", path, "--no-intervals")
    rows = examples_of(path)
    assert [(row["system"], row["id"], row["prediction"], row["exact_match"]) for row in rows] == [
        ("a", "q1", "Paris", "1.0"), ("a", "q2", "Bob", "0.0"), ("b", "q1", "Rome", "0.0"), ("b", "q2", "Ann", "1.0"),
        ("c", "q1", "in Paris", "0.0"), ("c", "q2", "Ann", "1.0"),
    ]  # fmt: skip
    assert (rows[0]["question"], rows[0]["gold_answers"]) == ("Where?", '["Paris"]')
    assert "my_answer" not in rows[0], "it is the prediction, which stands there once"


@pytest.mark.parametrize(
    "metric, gold, system",
    [
        ("answer_match", "id,gold,prediction,na_prob,topic\n1,x,MINE,0.123,t\n", "id,prediction\n1,x\n"),
        ("label_metrics", "id,label,prediction,confidence\n1,x,MINE,0.123\n", "id,prediction\n1,x\n"),
        ("average_precision", "id,label,score,output\n1,1,0.123,MINE\n", "id,score\n1,0.5\n"),
    ],
)
def test_cells_of_the_gold_table_are_not_those_of_another_file(put, run, tmp_path, metric, gold, system):
    path, gold = tmp_path / "per.csv", put("gold.csv", gold)
    call = ("--metric", metric, "--per-example", path, "--no-intervals")
    run("score", gold, put("system.csv", system), *call)
    assert not {"MINE", "0.123"} & set(examples_of(path)[0].values())
    run("score", gold, *call)
    assert "MINE" in examples_of(path)[0].values(), "alone they are its own"


def test_an_answer_is_as_the_system_gave_it(put, run, tmp_path):
    gold = put("gold.json", {"1": ["Paris"], "2": [], "3": ["Ann"]})
    path = tmp_path / "per.jsonl"
    doubts = put("doubts.json", {"1": 0.9, "2": 0.9, "3": 0.1})
    run("score", gold, put("p.json", {"1": "Paris", "2": "x", "3": ""}), "--per-example", path, "--no-intervals",
        "--no-answer-probabilities", doubts, "--option", "no_answer_threshold=0.5")  # fmt: skip
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert [(row["prediction"], row["gold_answers"]) for row in rows] == [
        ("Paris", ["Paris"]),
        ("x", []),
        ("", ["Ann"]),
    ]


# --- two tables that are each complete --------------------------------------------------------------------------------


def test_both_tables_are_systems(put, run, values):
    a, b = put("a.csv", A), put("b.csv", B)
    found = values(a, b, *ROLES)
    assert list(found) == ["a", "b"] and found["a"] == values(a, *ROLES)["a"]
    assert found["b"]["exact_match"] == 0.5 and "b − a" in run("compare", a, b, *ROLES)
    third = put("c.csv", A)
    assert list(values(a, b, third, *ROLES)) == ["a", "b", "c"]
    assert list(values(a, a, *ROLES)) == ["a"]
    assert list(values(a, put("p.csv", "qid,my_answer\nq1,x\nq2,y\n"), *ROLES)) == ["p"], "no gold answers: a system"


@pytest.mark.parametrize(
    "metric, head, first, second",
    [
        ("answer_match", "prediction,answers", ["x,x", "y,z"], ["y,x", "w,z"]),
        ("label_metrics", "id,prediction,label", ["1,x,x", "2,y,z"], ["2,z,z", "1,x,x"]),
        ("label_metrics", "prediction,label,separator", ["x;y,x;y,1", "y,z,1"], ["y,y;x,1", "z,z,1"]),
        ("retrieval_ranking", "query,document,score,relevance", ["q,d,1,1", "q,e,2,0"], ["q,e,1,0", "q,d,2,1"]),
    ],
)
def test_both_tables_are_systems_in_every_family(put, metric, head, first, second, values):
    files = [put(f"{name}.csv", "\n".join([head, *rows]) + "\n") for name, rows in (("a", first), ("b", second))]
    more = ("--columns", "separator=;", "--option", "task=multi") if "separator" in head else ()
    found = values(*files, "--metric", metric, *more)
    assert list(found) == ["a", "b"] and found["a"] != found["b"]
    for path in files:
        assert found[path.stem] == values(path, "--metric", metric, *more)[path.stem]


@pytest.mark.parametrize(
    "metric, first, second, words",
    [
        ("answer_match", "id,prediction,gold\n1,x,x\n2,y,z\n", "id,prediction,gold\n2,y,w\n1,x,x\n",
         "b.csv: the id '2' has ['w'] as gold, but ['z'] in {a}"),
        ("answer_match", "prediction,gold\nx,x\n", "prediction,reference\nx,\n",
         "b.csv: row 0 has no answer as gold, but ['x'] in {a}"),
        ("label_metrics", "prediction,label\nx,x\n", "prediction,label\nx,y\n", "row 0 has ['y'] as gold, but ['x'] in {a}"),
        ("retrieval_ranking", "query,document,score,relevance\nq,d,1,1\n", "query,document,score,relevance\nq,e,1,1\n",
         "the document 'e' of the query 'q' has the relevance 1, but it is not judged in {a}"),
    ],
)  # fmt: skip
def test_other_gold_answers_are_refused(put, fail, metric, first, second, words):
    a, b = put("a.csv", first), put("b.csv", second)
    for call in ("score", "compare"):
        message = fail(call, a, b, "--metric", metric)
        assert words.format(a=a) in message
    with pytest.raises(ValueError, match="b.csv"):
        qassay.score_files(a, {"b": b}, metric)


@pytest.mark.parametrize(
    "gold, system, roles",
    [
        ("id,answers\n1,x\n", "id,prediction,label\n1,x,place\n", ()),  # a category of questions
        ("id,answer\n1,x\n", "id,answer,prediction\n1,long,x\n", ()),
        ('id,answers\n1,"[""x"", ""y""]"\n', 'id,prediction,answers\n1,x,"[""y"", "" x ""]"\n', ()),
        ("id,answers\n1,x\n", '[{"id": "1", "prediction": "x", "answers": null}]', ()),
        ("id,gold,other\n1,x,q\n", "id,other,gold\n1,x,x\n", ("--columns", "predictions=other", "references=gold")),
    ],
)  # fmt: skip
def test_systems_without_gold_answers_are_scored_as_before(put, gold, system, roles, values):
    found = values(put("gold.csv", gold), put("system.csv", system), *roles)
    if roles:  # with these names, both files have both columns
        assert found["system"]["exact_match"] == 1 and list(found) == ["gold", "system"]
    else:
        assert list(found) == ["system"] and found["system"]["exact_match"] == 1


# --- duplicate arguments ----------------------------------------------------------------------------------------------


def test_several_columns_of_gold_answers_are_one_list(put, tmp_path, values):
    table = put(
        "t.csv", 'id,prediction,gold1,gold2\n1,Rome,Paris,Rome\n2,x,[],x\n3,,[],\n4,b,a,"[""b"",""c""]"\n5,z,z,\n'
    )
    path = tmp_path / "per.jsonl"
    call = ("--columns", "references=gold1", "references=gold2")
    assert values(table, *call, "--per-example", path)["t"]["exact_match"] == 1
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert [row["gold_answers"] for row in rows] == [["Paris", "Rome"], ["x"], [], ["a", "b", "c"], ["z"]]
    assert [row["has_answer"] for row in rows] == [True, True, False, True, True]
    assert not {"gold1", "gold2"} & rows[0].keys()
    columns = {"references": ["gold1", "gold2"]}
    scores = qassay.score_files(table, columns=columns)["t"]
    assert scores.columns["exact_match"].tolist() == [1, 1, 1, 1, 1]
    lite = qassay.score_files(table, None, "semantic_answer_similarity", columns=columns, model="lite")["t"]
    assert lite.summary(["sas"]) == {"sas": 1.0}
    assert values(table, "--columns", "references=gold1", "references=gold1")["t"]["exact_match"] == 0.4
