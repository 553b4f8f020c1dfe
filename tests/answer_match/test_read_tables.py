"""Tables with named columns: usual names, given names, cells of text tables, bad cells."""

import pyarrow as pa
import pytest
from pyarrow import parquet

import qassay
from qassay.answer_match.gold_texts import gold_texts
from qassay.files import FileError, read_gold, read_predictions


def score_alone(path, names=None):
    gold = read_gold(path, names)
    return gold, qassay.score("answer_match", **gold.columns, **read_predictions(path, gold, names).columns)


def test_csv_cells(save):
    path = save("t.csv", 'qid,output,answers,topic\n1,Paris,Paris,geo\n2,,,geo\n3,b,"[""a"", ""b""]",x\n4,,"[]",x\n')
    gold, scores = score_alone(path)
    assert gold_texts(gold) == [["Paris"], [], ["a", "b"], []]
    assert gold.details == {"topic": ["geo", "geo", "x", "x"]}
    assert gold.given == {"output": ["Paris", "", "b", ""]}, "what a system gave is not a detail of an example"
    assert scores.ids == ["1", "2", "3", "4"]
    assert scores.summary(["exact_match", "total"]) == {"exact_match": 1.0, "total": 4}


def test_parquet_with_lists_and_hugging_face_answers(tmp_path):
    table = {
        "id": [10, 11],
        "prediction": ["x", ""],
        "answers": [{"text": ["x"], "answer_start": [0]}, {"text": [], "answer_start": []}],
        "na_prob": [0.1, 0.9],
    }
    parquet.write_table(pa.table(table), tmp_path / "t.parquet")
    gold, scores = score_alone(tmp_path / "t.parquet")
    assert gold_texts(gold) == [["x"], []]
    assert scores.ids == [10, 11]
    assert scores.summary(["exact_match", "best_f1"]) == {"exact_match": 1.0, "best_f1": 1.0}


def test_a_null_prediction_is_missing_and_an_empty_one_counts(save):
    path = save(
        "t.jsonl", '{"id": "a", "prediction": "", "gold": ["x"]}\n{"id": "b", "prediction": null, "gold": ["x"]}\n'
    )
    assert score_alone(path)[1].summary(["total", "missing"]) == {"total": 2, "missing": 1}
    path = save(
        "t.jsonl", '{"id": "a", "prediction": "", "gold": ["x"]}\n{"id": "b", "prediction": "x", "gold": ["x"]}\n'
    )
    assert score_alone(path)[1].summary(["exact_match", "total"]) == {"exact_match": 0.5, "total": 2}


def test_answer_is_gold_in_a_gold_file_and_a_prediction_in_the_other(save):
    gold = read_gold(save("g.jsonl", '{"id": 1, "answer": "Paris"}\n{"id": 2, "answer": ""}\n'))
    assert gold_texts(gold) == [["Paris"], []]
    predictions = read_predictions(save("p.csv", "id,answer\n2,\n1,Paris\n"), gold)
    scores = qassay.score("answer_match", **gold.columns, **predictions.columns)
    assert scores.summary(["exact_match", "total"]) == {"exact_match": 1.0, "total": 2}
    assert scores.ids == [1, 2], "the ids of the text table became the numbers of the gold file"
    _, scores = score_alone(save("both.csv", "id,answer,reference\n1,Paris,Paris\n"))
    assert scores.summary(["exact_match"]) == {"exact_match": 1.0}


def test_given_names(save):
    path = save("t.csv", "key,mine,theirs,w,q\nk1,Paris,Paris,3,Where?\nk2,x,y,1,Who?\n")
    names = {"predictions": "mine", "references": "theirs", "ids": "key", "weights": "w", "question": "q"}
    gold, scores = score_alone(path, names)
    assert (gold.details, gold.given) == ({"question": ["Where?", "Who?"]}, {"mine": ["Paris", "x"]})
    assert scores.ids == ["k1", "k2"]
    assert scores.summary(["exact_match"]) == {"exact_match": 0.75}
    # the gold file's name for ids need not be that of the predictions
    predictions = read_predictions(save("p.csv", "id,mine\nk2,y\nk1,z\n"), gold, names)
    assert qassay.score("answer_match", **gold.columns, **predictions.columns).summary(["exact_match"]) == {
        "exact_match": 0.25
    }


def test_ranked_cells_of_a_text_table(save):
    path = save("t.csv", 'id,prediction,reference\n1,"[""x"", ""Paris""]",Paris\n2,Rome,Rome\n')
    gold = read_gold(path).with_options({"top_k": (2,)})
    scores = qassay.score("answer_match", **gold.columns, **read_predictions(path, gold).columns, **gold.options)
    assert scores.summary(["exact_match@2"]) == {"exact_match@2": 1.0}
    plain = read_predictions(path, read_gold(path)).columns["predictions"]
    assert plain[0]["prediction_text"] == '["x", "Paris"]', "without top_k it is the text that was predicted"


def test_only_columns_of_single_values_are_details(save):
    gold = read_gold(save("g.json", [{"answers": ["a"], "tags": ["x"], "size": 3, "ok": True, "note": None}]))
    assert gold.details == {"size": [3], "ok": [True], "note": [None]}
    assert gold.ids is None


@pytest.mark.parametrize(
    "text, names, words",
    [
        (
            "id,guess,gold\n1,a,b\n",
            {"predictions": "gues"},
            "there is no column 'gues' (did you mean 'guess'?); it has: id, guess, gold",
        ),
        (
            "id,guess,gold\n1,a,b\n",
            {},
            "this looks like a table (CSV) with the columns id, guess, gold, not predictions",
        ),
        ("id,prediction,output,gold\n1,a,b,c\n", {}, "the predictions could be prediction or output; say which"),
        ("id,prediction,gold,label\n1,a,b,c\n", {}, "the references could be gold or label; say which"),
        ("id,prediction,gold\n1,a,[b\n", {}, "row 0: '[b' is not a JSON list of gold answers"),
        ("id,prediction,gold\n1,a,\"{'text': ['x']}\"\n", {}, "is not a JSON list of gold answers"),
        ("id,prediction,gold,weight\n1,a,b,heavy\n", {}, "row 0: 'heavy' in the column weight is not a number"),
        ("id,prediction,gold,na_prob\n1,a,b,\n", {}, "row 0: '' in the column na_prob is not a number"),
        ("id,prediction,gold\n1,a,b\n", {"ids": "qid"}, "there is no column 'qid' (did you mean 'id'?)"),
    ],
)
def test_bad_tables(save, text, names, words):
    path = save("t.csv", text)
    with pytest.raises(FileError) as caught:
        score_alone(path, names)
    assert str(caught.value).startswith(f"{path}: ")
    assert words in str(caught.value)


def test_a_first_line_that_is_not_a_header(save, usual_csv_limit):
    path = save("t.csv", " " * 200_000 + "x\n")
    words = "its first line is not a header of a table: a cell is too long, or a quote in it is not closed"
    with pytest.raises(FileError, match=words):
        score_alone(path, {})


ASKED = "question,gold\nWho?,Ann\nWhere?,Rome\n"


@pytest.mark.parametrize(
    ("gold", "predictions"),
    [
        (ASKED, "question,prediction\nWhere?,Rome\n Who? ,Ann\n"),  # by order
        ("id,question,gold\n1,Who?,Ann\n2,Where?,Rome\n", "id,query,output\n1,Where?,Rome\n2,Who?,Ann\n"),  # by id
    ],
)
def test_an_answer_to_the_question_of_another_row_is_refused(save, gold, predictions):
    gold = read_gold(save("gold.csv", gold))
    with pytest.raises(
        FileError, match=r"row 0 has the question 'Where\?', which is the question of row 1 of .*gold.csv"
    ):
        read_predictions(save("model.csv", predictions), gold)


def test_questions_as_ids_are_questions_too(save):
    names = {"ids": "question"}
    gold = read_gold(save("gold.csv", ASKED), names)
    predictions = read_predictions(save("model.csv", "question,prediction\nWhere?,Rome\nWho?,Ann\n"), gold, names)
    assert gold.details["question"] == ["Who?", "Where?"]
    scores = qassay.score("answer_match", **gold.columns, **predictions.columns)
    assert scores.columns["exact_match"].tolist() == [1.0, 1.0]


@pytest.mark.parametrize("asked", ["Who?,Where?", "Q: Who?,Q: Where?", "who?,", "Who?,Who?"])
def test_the_same_questions_in_other_words_or_none_are_not_refused(save, asked):
    first, second = asked.split(",")
    twice = second == "Who?"  # a question that the gold file has twice
    gold = read_gold(save("gold.csv", ASKED.replace("Where?", "Who?") if twice else ASKED))
    predictions = save("model.csv", f"question,prediction\n{first},Ann\n{second},Rome\n")
    assert read_predictions(predictions, gold).columns["predictions"] == ["Ann", "Rome"]


@pytest.mark.parametrize(
    "doc_ids, turned, ids, right",
    [
        ((0, 1, 2), (2, 1, 0), [0, 1, 2], 1.0),  # of lm_eval: matched by the id
        (("a", "a", "b"), ("a", "a", "b"), None, 1 / 3),  # of the document of each question: by the order
    ],
)
def test_doc_id_is_the_id_of_a_question_where_no_two_are_alike(save, doc_ids, turned, ids, right):
    answers = ("Rome", "Paris", "Oslo")
    golds = [f'{{"doc_id": {row!r}, "target": "{text}"}}\n'.replace("'", '"') for row, text in zip(doc_ids, answers)]
    gold = read_gold(save("g.jsonl", "".join(golds)))
    given = [f"{row},{text}\n" for row, text in zip(turned, reversed(answers))]
    predictions = read_predictions(save("p.csv", "doc_id,response\n" + "".join(given)), gold)
    assert gold.ids == ids
    assert qassay.score("answer_match", **gold.columns, **predictions.columns)["exact_match"] == right


def test_doc_id_of_predictions_matches_the_ids_of_a_gold_file(save):
    gold = read_gold(save("g.csv", "id,target\nq1,Rome\nq2,Paris\n"))
    for path, right in (("q2,Paris\nq1,Rome\n", 1.0), ("d9,Paris\nd9,Rome\n", 0.0)):  # d9: not the id of a question
        predictions = read_predictions(save("p.csv", f"doc_id,response\n{path}"), gold)
        assert qassay.score("answer_match", **gold.columns, **predictions.columns)["exact_match"] == right
