"""Bad input of factoid_accuracy: refused with the row, the id and what to do."""

import dataclasses

import numpy as np
import pyarrow as pa
import pytest

import qassay
from qassay.factoid_accuracy.scoring import FactoidOptions, score_entities

ROW = {"id": "q1", "type": "factoid", "exact_answer": [["dog"]]}
ANSWER = {"id": "q1", "exact_answer": [["dog"]]}


def refused(error, words, *columns, **options):
    with pytest.raises(error) as caught:
        qassay.score("factoid_accuracy", *columns, **options)
    message = str(caught.value)
    assert words in message
    return message


def test_a_question_twice_in_the_gold():
    refused(
        ValueError,
        "references[1] repeats the id 'q1' of row 0; a question stands in the gold answers once: take one of the two "
        "out (the option duplicates is about predictions only)",
        [ANSWER],
        [ROW, ROW],
    )
    refused(ValueError, "references[2] repeats the id 7", [["a"]] * 3, [["a"]] * 3, [7, 8, 7])


def test_a_question_twice_in_the_system():
    words = "predictions id[1] repeats the id 'q1' of row 0"
    message = refused(ValueError, words, [ANSWER, ANSWER], [ROW], duplicates="error")
    assert "duplicates='first' or 'last'" in message


@pytest.mark.parametrize(
    "answer, words",
    [
        ([["dog", None]], "predictions[0] (id 'q1')[0][1] must be a string (numbers are read as text), got None"),
        ([True], "predictions[0] (id 'q1')[0] must be a string (numbers are read as text), got bool: True"),
        ([{"text": "dog"}], "predictions[0] (id 'q1')[0] must be a string (numbers are read as text), got dict"),
        ([b"dog"], "predictions[0] (id 'q1')[0] must be a string (numbers are read as text), got bytes"),
        (5, "predictions[0] (id 'q1') must be a list of entities, got int: 5; give a list such as"),
        ({"dog"}, "predictions[0] (id 'q1') must be a list of entities, got set"),
        (None, "predictions[0] (id 'q1') is null; leave it out, or give []"),
        ([[["dog"]]], "predictions[0] (id 'q1')[0][0] is nested deeper than the format of BioASQ"),
    ],
)
@pytest.mark.parametrize("kind", ["factoid", "list"])
def test_candidates(answer, words, kind):
    refused(TypeError, words, [{"id": "q1", "exact_answer": answer}], [{**ROW, "type": kind}])
    words = words.replace("predictions", "references")
    refused(TypeError, words, [ANSWER], [{"id": "q1", "type": kind, "exact_answer": answer}])


@pytest.mark.parametrize("answer", [["yes"], [["yes"]], [], True, 1, {"yes": 1}])
def test_yes_and_no_are_texts(answer):
    gold = [{"id": "q1", "type": "yesno", "exact_answer": "yes"}]
    words = "predictions[0] (id 'q1') answers a yes/no question with "
    message = refused(TypeError, words, [{"id": "q1", "exact_answer": answer}], gold)
    assert message.endswith("; give a string with yes or no")


def test_null_is_no_answer_to_a_yes_no_question():
    refused(TypeError, "predictions[1] is null; leave it out", ["yes", None], ["yes", "no"], question_type="yesno")


def test_gold_that_says_neither_yes_nor_no():
    words = "references[1] is a yes/no question with the gold answer 'maybe'; give yes or no"
    refused(ValueError, words, ["yes", "no"], ["yes", "maybe"], question_type="yesno")


def test_rows_without_any_type():
    words = "references have no 'type' in any row; give every row one (factoid, list, yesno, summary), or the column "
    rows, metric = [{"id": "q1", "exact_answer": [["dog"]]}], qassay.load("factoid_accuracy")
    for references in (rows, {"questions": rows}, {"id": ["q1"], "exact_answer": [[["dog"]]]}):
        refused(ValueError, words, [ANSWER], references)
        with pytest.raises(ValueError, match="references have no 'type' in any row"):
            metric.compute(predictions=[ANSWER], references=references)
        for given in ({"question_type": "factoid"}, {"question_types": ["factoid"]}):
            assert qassay.score("factoid_accuracy", [ANSWER], references, **given).summary(["mrr"]) == {"mrr": 1.0}
    assert qassay.score("factoid_accuracy", {"q1": ["dog"]}, {"q1": ["dog"]}).summary(["mrr"]) == {"mrr": 1.0}


@pytest.mark.parametrize("answer", [[[float("nan")]], [np.float32("nan")], np.array([np.nan])])
def test_nan_is_no_name(answer):
    place = r"[0][0]" if isinstance(answer, list) and isinstance(answer[0], list) else "[0]"
    words = f"predictions[0] (id 'q1'){place} is NaN, as an empty cell of a table is"
    refused(ValueError, words, [{"id": "q1", "exact_answer": answer}], [ROW])
    refused(ValueError, "references[0] (id 'q1')[0]", [ANSWER], [{**ROW, "exact_answer": answer}])


@pytest.mark.parametrize("kind, advice", [("factoid", 'candidates, for example ["dog"]'), ("list", '["dog", "cat"]')])
def test_a_bare_text_in_a_plain_list(kind, advice):
    types = [kind] * 2
    message = refused(
        TypeError, "predictions[1] is a bare text, str: 'dog'", [["dog"], "dog"], [["dog"]] * 2, None, types
    )
    assert message.endswith(advice)
    for predictions in ([{"id": "q1", "exact_answer": "dog"}], {"q1": "dog"}):
        scores = qassay.score("factoid_accuracy", predictions, [{**ROW, "type": kind}])
        assert scores.summary(["mrr", "list_f1", "unanswered"]) == {"mrr": 0, "list_f1": 0, "unanswered": 1}
    assert qassay.score("factoid_accuracy", [""], [["dog"]], None, [kind]).summary(["unanswered"]) == {"unanswered": 1}


def test_columns_that_are_no_table():
    refused(TypeError, "predictions is one question; give a list of questions", ANSWER, [ROW])
    columns = {"id": ["q1", "q2"], "exact_answer": [["dog"]]}
    words = "columns have different lengths: predictions['id'] 2, predictions['exact_answer'] 1"
    refused(ValueError, words, columns, [ROW])
    refused(TypeError, "predictions['exact_answer'] must be a column", {"id": ["q1"], "exact_answer": "dog"}, [ROW])
    refused(ValueError, "references is a table without the columns 'id' and", [ANSWER], pa.table({"x": [1]}))


def test_gold_without_type():
    rows = [ROW, {"id": "q2", "exact_answer": [["dog"]]}]
    refused(
        ValueError, "references[1] has no 'type' (its keys: id, exact_answer); give it in every row", [ANSWER], rows
    )
    refused(
        TypeError, "references[0] (id 'q1') must be str, got None; give the type", [ANSWER], [{**ROW, "type": None}]
    )
    types = ["factoid", None]
    refused(TypeError, "question_types[1] must be str, got None", [["a"]] * 2, [["a"]] * 2, question_types=types)


@pytest.mark.parametrize("kind, near", [("facoid", "factoid"), ("yes/no", "yesno"), ("lists", "list")])
def test_unknown_type(kind, near):
    words = (
        f"references[0] (id 'q1') has the unknown type '{kind}' (did you mean '{near}'?); it is one of: factoid, list"
    )
    refused(ValueError, words, [ANSWER], [{**ROW, "type": kind}])
    refused(ValueError, f"(did you mean '{near}'?)", [["a"]], [["a"]], question_types=[kind])
    refused(
        ValueError, f"option question_type='{kind}' is unknown (did you mean '{near}'?)", [], [], question_type=kind
    )


@pytest.mark.parametrize("gold", [[], [[]], [[], []]])
@pytest.mark.parametrize("kind", ["factoid", "list"])
def test_gold_without_an_answer(gold, kind):
    words = "references[1] has no gold answer, so that no answer can be right; give it one, or use the option missing"
    refused(ValueError, words, [["a"], ["a"]], [["a"], gold], question_type=kind)
    row = {"id": "q1", "type": kind, "body": "?"}
    refused(ValueError, "references[0] (id 'q1') has no gold answer", [ANSWER], [row])


def test_nothing_to_score():
    refused(ValueError, "references is empty: there is no question to score", [], [])
    for name, columns in (("predictions", ({"questions": []}, [ROW])), ("references", ([ANSWER], {"questions": []}))):
        refused(ValueError, f"{name} is a BioASQ file without questions; is it cut off?", *columns)
    refused(ValueError, "no question is left to score", {"a": []}, {"a": []}, missing="skip")


def test_no_common_question():
    words = "no prediction has the id of a reference: references have ids like 'q1', predictions other ones, for"
    refused(ValueError, words, [{**ANSWER, "id": "x"}], [ROW])


def test_columns_that_do_not_go_together():
    refused(ValueError, "columns have different lengths: predictions 1, references 2", [["a"]], [["a"], ["b"]])
    refused(ValueError, "question_types 1", [["a"], ["b"]], [["a"], ["b"]], question_types=["factoid"])
    refused(ValueError, "references have no ids to match the dict with; give them as a dict too", {"a": ["a"]}, [["a"]])
    refused(ValueError, "predictions have no ids to match the dict with", [["a"]], {"a": ["a"]})
    refused(
        ValueError, "predictions bring ids of their own, which differ from the column ids", [ANSWER], [["a"]], ["q2"]
    )
    words = "references bring types of their own, which differ from the column question_types"
    refused(ValueError, words, [ANSWER], [ROW], question_types=["list"])
    words = (
        "predictions have no 'exact_answer' in any row (keys of the first: id, prediction_text); give rows of BioASQ"
    )
    refused(ValueError, words, [{"id": "q1", "prediction_text": "dog"}], [ROW])
    refused(TypeError, "predictions[1] must be dict, got list", [ANSWER, ["a"]], [ROW])
    words = "predictions[0] must be dict, got str: 'q1'; give every question as a dict"
    refused(TypeError, words, {"questions": ["q1", ANSWER]}, [ROW])
    refused(TypeError, "predictions must be a column", "dog", ["dog"])


@pytest.mark.parametrize(
    "weights, words",
    [
        ([1, -1], "weights[1] is -1; give weights of at least 0"),
        ([0, 0], "all weights are 0"),
        ([1], "references 2, weights 1"),
        ([1, float("nan")], "weights[1] is nan"),
    ],
)
def test_weights(weights, words):
    refused(ValueError, words, [["a"], ["b"]], [["a"], ["b"]], weights=weights)


@pytest.mark.parametrize(
    "k, error", [(0, ValueError), (-1, ValueError), (1.5, ValueError), (True, ValueError), ("5", TypeError)]
)
def test_top_k(k, error):
    refused(error, f"option top_k must be a whole number of at least 1, got {k!r}", [["a"]], [["a"]], top_k=k)


@pytest.mark.parametrize(
    "option, value, words",
    [
        ("version", 4, "option version=4 is unknown; it is one of: 2, 3, 5, 8, 9"),
        ("version", "5", "option version must be a whole number, one of: 2, 3, 5, 8, 9; got str: '5'"),
        ("version", 9.0, "option version must be a whole number, one of: 2, 3, 5, 8, 9; got float: 9.0"),
        ("version", True, "option version must be a whole number, one of: 2, 3, 5, 8, 9; got bool: True"),
        ("phase", "C", "option phase='C' is unknown; it is one of: 'A', 'B'"),
        ("missing", "zer", "option missing='zer' is unknown (did you mean 'zero'?)"),
        ("duplicates", "frist", "(did you mean 'first'?)"),
        ("normalizer", "bioasp", "bioasq"),
    ],
)
def test_options(option, value, words):
    refused(ValueError, words, [["a"]], [["a"]], **{option: value})


def test_unknown_options_and_columns():
    words = "factoid_accuracy has no column or option 'topk' (did you mean 'top_k'?); it has: phase, version, top_k"
    refused(TypeError, words, [["a"]], [["a"]], topk=1)


# --- phase A ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "documents, words",
    [
        (None, "predictions[0] is null; give [] where there are no documents"),
        ("d1", "predictions[0] must be a list of documents, got str: 'd1'"),
        ([1], "predictions[0][0] must be a string, got int: 1; give its address or id"),
        ([["d1"]], "predictions[0][0] must be a string, got list: ['d1']"),
    ],
)
def test_documents(documents, words):
    refused(TypeError, words, [documents], [["d1"]], phase="A")
    refused(TypeError, words.replace("predictions", "references"), [["d1"]], [documents], phase="A")


def test_phase_a_has_no_use_for_everything():
    refused(ValueError, "has no use for the option top_k; leave it out", [["d"]], [["d"]], phase="A", top_k=3)
    refused(ValueError, "the option normalizer; leave it out", [["d"]], [["d"]], phase="A", normalizer="squad")
    refused(ValueError, "leave out question_types", [["d"]], [["d"]], phase="A", question_types=["factoid"])
    refused(ValueError, "the option question_type; leave it out", [["d"]], [["d"]], phase="A", question_type="list")
    words = "references[1] has no gold documents, so that none can be right; give it some, or "
    for version, advice in (
        (9, "use the option missing='skip' to leave such questions out, as the official program does in version 9"),
        (
            8,
            "take it out of the references; with the option missing='skip' it is kept and scores 0, as in the official",
        ),
    ):
        refused(ValueError, words + advice, [["d"], ["d"]], [["d"], []], phase="A", missing="zero", version=version)
    refused(ValueError, "no question is left to score", [["d"]], [[]], phase="A")


# --- what is accepted -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "column",
    [
        (("dog",), ("fox",)),
        np.array([["dog"], ["fox"]]),
        [np.array(["dog"]), np.array(["fox"])],
        np.array([[["dog"]], [["fox"]]]),
        pa.array([["dog"], ["fox"]]),
        iter([["dog"], ["fox"]]),
    ],
)
def test_columns_of_other_kinds(column):
    assert score_entities(column, [["dog"], ["wolf", "fox"]]).summary(["mrr"]) == {"mrr": 1.0}


def test_numbers_of_numpy_are_text_too():
    assert score_entities([[np.int64(5)], [np.float64(5.5)]], ["5", "5.5"]).summary(["mrr"]) == {"mrr": 1.0}


def test_options_survive_a_copy():
    for options in (FactoidOptions(), FactoidOptions(phase="a"), FactoidOptions(normalizer="squad", top_k=np.int64(3))):
        assert dataclasses.replace(options) == options
