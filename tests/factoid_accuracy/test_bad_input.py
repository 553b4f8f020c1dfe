"""Bad input of factoid_accuracy: refused with the row, the id, the column or the option."""

import dataclasses

import numpy as np
import pyarrow as pa
import pytest

import qassay
from qassay.factoid_accuracy.scoring import FactoidOptions

ROW = {"id": "q1", "type": "factoid", "exact_answer": [["dog"]]}
ANSWER = {"id": "q1", "exact_answer": [["dog"]]}
NO_TYPE = {"id": "q2", "exact_answer": [["dog"]]}
A = [["a"], ["a"]]
YES_NO = {"question_type": "yesno"}


def refused(error, message, *columns, **options):
    with pytest.raises(error, match=message):
        qassay.score("factoid_accuracy", *columns, **options)


# what is wrong: type and words of the error, the columns, the options
REFUSED = {
    "a question twice in the gold": (ValueError, r"references id\[1\] .*'q1' of row 0", ([ANSWER], [ROW, ROW]), {}),
    "a question twice in the system": (ValueError, r"predictions id\[1\] .*'q1' of row 0.*duplicates=first or last", ([ANSWER, ANSWER], [ROW]), {"duplicates": "error"}),
    "null for yes or no": ((TypeError, ValueError), r"references\[1\] is null", (["yes", "no"], ["yes", None]), YES_NO),
    "null as a gold answer": ((TypeError, ValueError), r"references\[0\] \(id 'q1'\) is null", ([ANSWER], [{**ROW, "exact_answer": None}]), {}),
    "yes in a list": ((TypeError, ValueError), r"predictions\[0\] .*yes/no question", ([["yes"]], ["yes"]), YES_NO),
    "one question": ((TypeError, ValueError), "predictions is one question", (ANSWER, [ROW]), {}),
    "a table of other columns": (ValueError, "references .*'id'", ([ANSWER], pa.table({"x": [1]})), {}),
    "one row without type": (ValueError, r"references\[1\] has no 'type' .*id, exact_answer", ([ANSWER], [ROW, NO_TYPE]), {}),
    "a type is None": ((TypeError, ValueError), r"references\[0\] \(id 'q1'\) .*None", ([ANSWER], [{**ROW, "type": None}]), {}),
    "a file of no answers": (ValueError, "predictions .*cut off", ({"questions": []}, [ROW]), {}),
    "ids twice": (ValueError, "predictions have ids that differ from the column ids", ([ANSWER], [["a"]], ["q2"]), {}),
    "types twice": (ValueError, "question_types", ([ANSWER], [ROW]), {"question_types": ["list"]}),
    "rows of SQuAD": (ValueError, "'exact_answer' .*prediction_text", ([{"id": "q1", "prediction_text": "dog"}], [ROW]), {}),
    "version 4": (ValueError, "version=4 .*2, 3, 5, 8, 9", (A, A), {"version": 4}),
    "types of documents": (ValueError, "question_types", (A, A), {"phase": "A", "question_types": ["factoid"] * 2}),
    "null documents": ((TypeError, ValueError), r"predictions\[0\] is null", ([None], [["d1"]]), {"phase": "A"}),
    "no gold documents, version 9": (ValueError, r"references\[1\] .*missing=skip", ([["d"], ["d"]], [["d"], []]), {"phase": "A", "missing": "zero"}),
    "no gold documents, version 8": (ValueError, r"references\[1\] .*remove it", ([["d"], ["d"]], [["d"], []]), {"phase": "A", "missing": "zero", "version": 8}),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_refused_input(case):
    error, message, columns, options = REFUSED[case]
    refused(error, message, *columns, **options)


@pytest.mark.parametrize(
    "answer, words",
    [
        ([["dog", None]], r"\[0\]\[1\] .*None"),
        ([True], r"\[0\] .*bool: True"),
        ([{"text": "dog"}], r"\[0\] .*dict"),
        (5, " .*int: 5"),
        ([[["dog"]]], r"\[0\]\[0\] must be a string .*list"),
        ([[float("nan")]], r"\[0\]\[0\] is NaN"),
        (np.array([np.nan]), r"\[0\] is NaN"),
    ],
)
def test_candidates(answer, words):
    error = ValueError if "NaN" in words else (TypeError, ValueError)
    for kind in ("factoid", "list"):
        gold, odd = {**ROW, "type": kind}, {"id": "q1", "type": kind, "exact_answer": answer}
        refused(error, rf"predictions\[0\] \(id 'q1'\){words}", [odd], [gold])
        refused(error, rf"references\[0\] \(id 'q1'\){words}", [ANSWER], [odd])


def test_rows_without_any_type():
    rows = [{"id": "q1", "exact_answer": [["dog"]]}]
    for references in (rows, {"questions": rows}, {"id": ["q1"], "exact_answer": [[["dog"]]]}):
        refused(ValueError, "references have no 'type' in any row", [ANSWER], references)
        for given in ({"question_type": "factoid"}, {"question_types": ["factoid"]}):
            assert qassay.score("factoid_accuracy", [ANSWER], references, **given).summary(["mrr"]) == {"mrr": 1.0}
    assert qassay.score("factoid_accuracy", {"q1": ["dog"]}, {"q1": ["dog"]}).summary(["mrr"]) == {"mrr": 1.0}


@pytest.mark.parametrize("kind", ["factoid", "list"])
def test_a_bare_text_in_a_plain_list(kind):
    refused(
        (TypeError, ValueError),
        r"predictions\[1\] is a bare text, str: 'dog'",
        [["dog"], "dog"],
        [["dog"]] * 2,
        None,
        [kind] * 2,
    )
    for predictions in ([{"id": "q1", "exact_answer": "dog"}], {"q1": "dog"}):
        scores = qassay.score("factoid_accuracy", predictions, [{**ROW, "type": kind}])
        own, other = ("mrr", "list_f1") if kind == "factoid" else ("list_f1", "mrr")
        assert scores.summary([own, other, "unanswered"]) == {own: 0, other: None, "unanswered": 1}
    assert qassay.score("factoid_accuracy", [""], [["dog"]], None, [kind]).summary(["unanswered"]) == {"unanswered": 1}


def test_unknown_types():
    refused(ValueError, r"references\[0\] \(id 'q1'\) .*'facoid' .*'factoid'", [ANSWER], [{**ROW, "type": "facoid"}])
    refused(ValueError, "'yes/no' .*'yesno'", [["a"]], [["a"]], question_types=["yes/no"])


def test_options_survive_a_copy_and_a_change_of_phase():
    for options in (FactoidOptions(), FactoidOptions(phase="a"), FactoidOptions(normalizer="squad", top_k=np.int64(3))):
        assert dataclasses.replace(options) == options
    for options in (FactoidOptions(), FactoidOptions(version=5, duplicates="last")):
        documents = dataclasses.replace(options, phase="A")
        assert documents == FactoidOptions(phase="A", version=options.version, duplicates=options.duplicates)
        assert (options.policy, documents.policy) == ("zero", "skip")
        assert dataclasses.replace(documents, phase="B") == options
    assert FactoidOptions() == FactoidOptions(missing="zero") != FactoidOptions(missing="skip")
