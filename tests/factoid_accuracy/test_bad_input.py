"""Bad input of factoid_accuracy: refused with the row, the id and what to do."""

import dataclasses

import numpy as np
import pyarrow as pa
import pytest

import qassay
from qassay.factoid_accuracy.scoring import FactoidOptions, score_entities

ROW = {"id": "q1", "type": "factoid", "exact_answer": [["dog"]]}
ANSWER = {"id": "q1", "exact_answer": [["dog"]]}
NO_TYPE = {"id": "q2", "exact_answer": [["dog"]]}
A, B = [["a"], ["b"]], [["a"], ["a"]]


def refused(error, words, *columns, **options):
    with pytest.raises(error) as caught:
        qassay.score("factoid_accuracy", *columns, **options)
    assert words in str(caught.value)


# what is wrong: type and words of the error, the columns, the options
REFUSED = {
    "a question twice in the gold": (ValueError, "references[1] repeats the id 'q1' of row 0; a question is in the gold answers once: remove one of the two (the option duplicates is about predictions only)", ([ANSWER], [ROW, ROW]), {}),
    "a number twice": (ValueError, "references[2] repeats the id 7", ([["a"]] * 3, [["a"]] * 3, [7, 8, 7]), {}),
    "null for yes or no": (TypeError, "references[1] is null; omit it", (["yes", "no"], ["yes", None]), {"question_type": "yesno"}),
    "null under missing=error": (ValueError, "references[1] is not in the predictions (1 in all)", (["yes", None], ["yes", "no"]), {"question_type": "yesno", "missing": "error"}),
    "gold maybe": (ValueError, "references[1] is a yes/no question with the gold answer 'maybe'; give yes or no", (["yes", "no"], ["yes", "maybe"]), {"question_type": "yesno"}),
    "one question": (TypeError, "predictions is one question; give a list of questions", (ANSWER, [ROW]), {}),
    "columns of two lengths": (ValueError, "columns have different lengths: predictions['id'] 2, predictions['exact_answer'] 1", ({"id": ["q1", "q2"], "exact_answer": [["dog"]]}, [ROW]), {}),
    "a text as a column": (TypeError, "predictions['exact_answer'] must be a column", ({"id": ["q1"], "exact_answer": "dog"}, [ROW]), {}),
    "a table of other columns": (ValueError, "references is a table without the columns 'id' and", ([ANSWER], pa.table({"x": [1]})), {}),
    "one row without type": (ValueError, "references[1] has no 'type' (its keys: id, exact_answer); give it in every row", ([ANSWER], [ROW, NO_TYPE]), {}),
    "a type is None": (TypeError, "references[0] (id 'q1') must be str, got None; give the type", ([ANSWER], [{**ROW, "type": None}]), {}),
    "a type of the column is None": (TypeError, "question_types[1] must be str, got None", (B, B), {"question_types": ["factoid", None]}),
    "a row without answer": (ValueError, "references[0] (id 'q1') has no gold answer", ([ANSWER], [{"id": "q1", "type": "list", "body": "?"}]), {}),
    "no questions": (ValueError, "references is empty: there is no question to score", ([], []), {}),
    "a file of no answers": (ValueError, "predictions is a BioASQ file without questions; is it cut off?", ({"questions": []}, [ROW]), {}),
    "a file of no questions": (ValueError, "references is a BioASQ file without questions; is it cut off?", ([ANSWER], {"questions": []}), {}),
    "none left": (ValueError, "no question is left to score", ({"a": []}, {"a": []}), {"missing": "skip"}),
    "no common question": (ValueError, "no prediction has the id of a reference: references have ids like 'q1', predictions have others, for", ([{**ANSWER, "id": "x"}], [ROW]), {}),
    "too few types": (ValueError, "question_types 1", (A, A), {"question_types": ["factoid"]}),
    "ids twice": (ValueError, "predictions have their own ids, which differ from the column ids", ([ANSWER], [["a"]], ["q2"]), {}),
    "types twice": (ValueError, "references have their own types, which differ from the column question_types", ([ANSWER], [ROW]), {"question_types": ["list"]}),
    "rows of SQuAD": (ValueError, "predictions have no 'exact_answer' in any row (keys of the first: id, prediction_text); give rows of BioASQ", ([{"id": "q1", "prediction_text": "dog"}], [ROW]), {}),
    "a list among rows": (TypeError, "predictions[1] must be dict, got list", ([ANSWER, ["a"]], [ROW]), {}),
    "a text among rows": (TypeError, "predictions[0] must be dict, got str: 'q1'; give every question as a dict", ({"questions": ["q1", ANSWER]}, [ROW]), {}),
    "version 4": (ValueError, "option version=4 is unknown; it is one of: 2, 3, 5, 8, 9", (A, A), {"version": 4}),
    "version as text": (ValueError, "option version must be an integer, one of: 2, 3, 5, 8, 9; got str: '5'", (A, A), {"version": "5"}),
    "version 9.0": (ValueError, "option version must be an integer, one of: 2, 3, 5, 8, 9; got float: 9.0", (A, A), {"version": 9.0}),
    "version True": (ValueError, "option version must be an integer, one of: 2, 3, 5, 8, 9; got bool: True", (A, A), {"version": True}),
    "top_k 0": (ValueError, "option top_k must be an integer of at least 1, got 0", (A, A), {"top_k": 0}),
    "phase C": (ValueError, "option phase='C' is unknown; it is one of: 'A', 'B'", (A, A), {"phase": "C"}),
    "duplicates": (ValueError, "(did you mean 'first'?)", (A, A), {"duplicates": "frist"}),
    "normalizer": (ValueError, "bioasq", (A, A), {"normalizer": "bioasp"}),
    "top_k of documents": (ValueError, "does not use the option top_k; omit it", (A, A), {"phase": "A", "top_k": 3}),
    "normalizer of documents": (ValueError, "the option normalizer; omit it", (A, A), {"phase": "A", "normalizer": "squad"}),
    "types of documents": (ValueError, "omit question_types", (A, A), {"phase": "A", "question_types": ["factoid"] * 2}),
    "type of documents": (ValueError, "the option question_type; omit it", (A, A), {"phase": "A", "question_type": "list"}),
    "no documents left": (ValueError, "no question is left to score", ([["d"]], [[]]), {"phase": "A"}),
}  # fmt: skip


@pytest.mark.parametrize("error, words, columns, options", REFUSED.values(), ids=REFUSED)
def test_refused_input(error, words, columns, options):
    refused(error, words, *columns, **options)


def test_a_duplicate_question_in_the_system():
    words = "predictions id[1] repeats the id 'q1' of row 0"
    for part in (words, "duplicates='first' or 'last'"):
        refused(ValueError, part, [ANSWER, ANSWER], [ROW], duplicates="error")


@pytest.mark.parametrize(
    "answer, words",
    [
        ([["dog", None]], "predictions[0] (id 'q1')[0][1] must be a string (numbers are read as text), got None"),
        ([True], "predictions[0] (id 'q1')[0] must be a string (numbers are read as text), got bool: True"),
        ([{"text": "dog"}], "predictions[0] (id 'q1')[0] must be a string (numbers are read as text), got dict"),
        ([b"dog"], "predictions[0] (id 'q1')[0] must be a string (numbers are read as text), got bytes"),
        (5, "predictions[0] (id 'q1') must be a list of entities, got int: 5; give a list such as"),
        ({"dog"}, "predictions[0] (id 'q1') must be a list of entities, got set"),
        ([[["dog"]]], "predictions[0] (id 'q1')[0][0] is nested deeper than the format of BioASQ"),
    ],
)
@pytest.mark.parametrize("kind", ["factoid", "list"])
def test_candidates(answer, words, kind):
    refused(TypeError, words, [{"id": "q1", "exact_answer": answer}], [{**ROW, "type": kind}])
    words = words.replace("predictions", "references")
    refused(TypeError, words, [ANSWER], [{"id": "q1", "type": kind, "exact_answer": answer}])


@pytest.mark.parametrize("kind", ["factoid", "list"])
def test_null_as_a_gold_answer(kind):
    words = "references[0] (id 'q1') is null; omit it, or give []"
    refused(TypeError, words, [ANSWER], [{"id": "q1", "type": kind, "exact_answer": None}])


@pytest.mark.parametrize("answer", [["yes"], [["yes"]], [], True, 1, {"yes": 1}])
def test_yes_and_no_are_texts(answer):
    gold = [{"id": "q1", "type": "yesno", "exact_answer": "yes"}]
    for words in ("predictions[0] (id 'q1') answers a yes/no question with ", "; give a string with yes or no"):
        refused(TypeError, words, [{"id": "q1", "exact_answer": answer}], gold)


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
def test_nan_is_not_a_name(answer):
    place = r"[0][0]" if isinstance(answer, list) and isinstance(answer[0], list) else "[0]"
    words = f"predictions[0] (id 'q1'){place} is NaN, as an empty cell of a table is"
    refused(ValueError, words, [{"id": "q1", "exact_answer": answer}], [ROW])
    refused(ValueError, "references[0] (id 'q1')[0]", [ANSWER], [{**ROW, "exact_answer": answer}])


@pytest.mark.parametrize("kind, advice", [("factoid", 'candidates, for example ["dog"]'), ("list", '["dog", "cat"]')])
def test_a_bare_text_in_a_plain_list(kind, advice):
    types = [kind] * 2
    for words in ("predictions[1] is a bare text, str: 'dog'", advice):
        refused(TypeError, words, [["dog"], "dog"], [["dog"]] * 2, None, types)
    for predictions in ([{"id": "q1", "exact_answer": "dog"}], {"q1": "dog"}):
        scores = qassay.score("factoid_accuracy", predictions, [{**ROW, "type": kind}])
        assert scores.summary(["mrr", "list_f1", "unanswered"]) == {"mrr": 0, "list_f1": 0, "unanswered": 1}
    assert qassay.score("factoid_accuracy", [""], [["dog"]], None, [kind]).summary(["unanswered"]) == {"unanswered": 1}


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


def test_gold_without_documents():
    words = "references[1] has no gold documents, so that none can be right; give it some, or "
    for version, advice in (
        (9, "use the option missing='skip' to omit such questions, as the official program does in version 9"),
        (
            8,
            "remove it from the references; with the option missing='skip' it is kept and scores 0, as in the official",
        ),
    ):
        refused(ValueError, words + advice, [["d"], ["d"]], [["d"], []], phase="A", missing="zero", version=version)


# --- what is accepted -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "column",
    [
        np.array([["dog"], ["fox"]]),
        [np.array(["dog"]), np.array(["fox"])],
        np.array([[["dog"]], [["fox"]]]),
    ],
)
def test_columns_of_other_kinds(column):
    assert score_entities(column, [["dog"], ["wolf", "fox"]]).summary(["mrr"]) == {"mrr": 1.0}


def test_numbers_of_numpy_are_text_too():
    assert score_entities([[np.int64(5)], [np.float64(5.5)]], ["5", "5.5"]).summary(["mrr"]) == {"mrr": 1.0}


def test_options_survive_a_copy():
    for options in (FactoidOptions(), FactoidOptions(phase="a"), FactoidOptions(normalizer="squad", top_k=np.int64(3))):
        assert dataclasses.replace(options) == options
