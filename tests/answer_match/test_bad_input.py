"""answer_match refuses what it cannot score: one line that names the row or id and what to do."""

import json
import math

import numpy as np
import pytest

import qassay
from qassay import score


def row(identifier, text, probability=0.0):
    return {"id": identifier, "prediction_text": text, "no_answer_probability": probability}


def gold(identifier, *texts):
    return {"id": identifier, "answers": {"text": list(texts), "answer_start": [0] * len(texts)}}


BAD_OPTIONS = [
    ({"normalizer": "squadd"}, ValueError, "did you mean 'squad'"),
    ({"unit": "word"}, ValueError, "option unit='word' is unknown; it is one of: None, 'token', 'character', 'offset'"),
    ({"task": "squad"}, ValueError, "task='squad' is unknown"),
    ({"empty_f1": 0.5}, ValueError, "empty_f1=0.5"),
    ({"top_k": 0}, ValueError, "at least 1"),
    ({"top_k": (1, True)}, ValueError, "got True"),
    ({"top_k": "5"}, TypeError, "an integer of at least 1, got '5'"),
    ({"top_k": 1.5}, ValueError, "an integer of at least 1, got 1.5"),
    ({"top_k": ()}, ValueError, "at least one rank"),
    ({"task": "drop", "top_k": 1}, ValueError, "task='drop' does not have the option top_k"),
    ({"no_answer_threshold": "0.5"}, ValueError, "must be a number"),
    ({"no_answer_threshold": math.nan}, ValueError, "must be a number"),
    ({"task": "drop", "no_answer_threshold": 0.5}, ValueError, "does not have the option no_answer_threshold"),
    ({"task": "hotpotqa", "empty_gold": "error"}, ValueError, "does not have the option empty_gold"),
    ({"task": "drop", "no_answer_probabilities": [0.5]}, ValueError, "does not use no_answer_probabilities"),
    ({"predicted_facts": [[]], "gold_facts": [[]]}, ValueError, "facts are for task='hotpotqa'"),
]


@pytest.mark.parametrize(("options", "error", "message"), BAD_OPTIONS, ids=lambda value: str(value)[:40])
def test_bad_options(options, error, message):
    with pytest.raises(error, match=message):
        score("answer_match", ["a"], [["a"]], **options)


class Unprintable:
    def __repr__(self):
        raise RuntimeError


# predictions, references, type and words of the error
BAD_COLUMNS = [
    (["a"], [{"text": None}], TypeError, r"references\[0\]: 'text' must be a list, got None"),
    (["a", "b"], ["a", ["b"]], TypeError, r"references\[0\] must be list or tuple, got str: 'a'; .* or one string per"),
    (["a", "b"], [["a"], "b"], TypeError, r"references\[1\] must be list or tuple, got str: 'b'; .* or one string per"),
    (["a", "b"], ["a", None], TypeError, r"references\[1\] is empty \(None\) among texts; give \"\" for a question"),
    (["a", "b"], ["a", math.nan], TypeError, r"references\[1\] is empty \(nan\) among texts"),
    (["a"], ["['a', 'b']"], ValueError, r"references\[0\] is a list that was written as text: str: .* json\.loads"),
    ({"a": "x", "b": 5}, {"a": ["x"], "b": []}, TypeError, r"predictions\[1\] \(id 'b'\) must be str, got"),
    (["a", math.nan], [["a"], []], TypeError, r"predictions\[1\] must be str, got float: nan"),
    ([1], [["a"]], TypeError, r"predictions\[0\] must be str, got int: 1"),
    ([b"a"], [["a"]], TypeError, r"got bytes: b'a'"),
    ([Unprintable()], [["a"]], TypeError, r"got Unprintable: \.\.\."),
    (["a"], [[1]], TypeError, r"references\[0\]\[0\] must be str, got int: 1"),
    (["a"], [[None]], TypeError, r"references\[0\]\[0\] must be str, got None"),
    (["a"], [None], TypeError, r"references\[0\] must be list or tuple, got None; .*\[\] for a question without"),
    ([], [], ValueError, "there are no examples to score"),
    ({"a"}, [["a"]], TypeError, "predictions must be a column"),
    (["a"], np.array(3), TypeError, "references must be a column"),
    ({"a": "x"}, {"b": ["x"]}, ValueError, "no prediction has the id of a reference: references have ids like 'b'"),
    ({}, {"b": ["x"]}, ValueError, "there are none"),
    ({1.5: "x"}, {1.5: ["x"]}, TypeError, "predictions id.0. must be str or int"),
    ([["a", "b"]], [["a"]], TypeError, r"got list: .*give the option top_k"),
    ([{"id": "a"}], [gold("a")], ValueError, r"predictions\[0\] has no 'prediction_text' \(its keys: id\)"),
    ([row("a", "x"), "y"], [gold("a"), gold("b")], TypeError, r"predictions\[1\] must be dict, got str"),
    (
        [row("a", "x"), {"id": "b", "prediction_text": "x"}],
        [gold("a"), gold("b")],
        ValueError,
        r"predictions\[1\] has no 'no_answer_probability'",
    ),
    ([row("a", "x")], [{"id": "a"}], ValueError, r"references\[0\] has no 'answers'"),
    (
        [row("a", "x")],
        [{"id": "a", "answers": {"txt": []}}],
        ValueError,
        r"references\[0\] \(id 'a'\) has the keys txt; answers need 'text'",
    ),
    ([row("a", "x")], [{"id": "a", "answers": {"text": "x"}}], TypeError, r"'text' must be a list, got str"),
    ([row("a", "x")], [{"id": "a", "answers": [{"text": "x"}, {"start": 1}]}], ValueError, "every answer needs 'text'"),
    (
        [row("a", "x")],
        [{"id": "a", "answers": None}],
        TypeError,
        r"references\[0\] \(id 'a'\) must be list or tuple, got None",
    ),
]
# the same with other columns or options
BAD_INPUT = [
    (
        ({"a": (0, 1)}, [{"id": "a", "answers": {"text": [3], "answer_start": [1]}}]),
        {"unit": "offset"},
        TypeError,
        "must contain strings",
    ),
    ((["a"], [["a"]]), {"weights": [10**400]}, ValueError, "give a finite number of at most 1e100"),
    (({"a": "x"}, {"a": ["x"]}), {"ids": ["b"]}, ValueError, "have their own ids"),
    ((["a"], [["a"]]), {"no_answer_probabilities": [math.nan]}, ValueError, r"no_answer_probabilities\[0\].* is nan"),
    ((["a"], [["a"]]), {"no_answer_probabilities": [0.1, 0.2]}, ValueError, "predictions 1, no_answer_probabilities 2"),
    ((["a"], [["a"]]), {"no_answer_probabilities": {"x": 1}}, ValueError, "predictions have no ids"),
    (
        ({"a": "x"}, {"a": []}),
        {"no_answer_probabilities": {"b": 1}},
        ValueError,
        r"no number for the id 'a' \(1 in all\)",
    ),
    (([["a", 1]], [["a"]]), {"top_k": 1}, TypeError, r"predictions\[0\]\[1\] must be str, got int"),
    (
        ([(5, 5)], [[(0, 1)]]),
        {"unit": "offset"},
        ValueError,
        r"predictions\[0\] has tuple: \(5, 5\) instead of a span",
    ),
    (([(0, 5)], [[None]]), {"unit": "offset"}, ValueError, r"references\[0\] has None instead of a span"),
    (([(0, 10**30)], [[(0, 1)]]), {"unit": "offset"}, ValueError, "instead of a span"),
    (
        ({"b": [1], "a": "x"}, {"a": [["x"]], "b": [["y"]]}),
        {"task": "drop"},
        TypeError,
        r"predictions\[0\] \(id 'b'\)\[0\]",
    ),
    ((["a"], [[(0, 1)]]), {"unit": "offset"}, ValueError, "instead of a span"),
    (
        ({"a": (0, 1)}, [gold("a", "x") | {"answers": {"text": ["x"]}}]),
        {"unit": "offset"},
        ValueError,
        "needs an integer 'answer_start'",
    ),
    *(((predictions, references), {}, error, message) for predictions, references, error, message in BAD_COLUMNS),
]


@pytest.mark.parametrize(
    ("columns", "options", "error", "message"),
    BAD_INPUT,
    ids=lambda value: ascii(value)[:50] if not isinstance(value, tuple) else "",
)
def test_bad_input_names_the_row_and_what_to_do(columns, options, error, message):
    with pytest.raises(error, match=message) as caught:
        score("answer_match", *columns, **options)
    assert "\n" not in str(caught.value)


TRIVIA = {"value": "Ann", "aliases": ["Anna", "Ann"]}
MESSAGE = {"role": "assistant", "content": "Ann"}


@pytest.mark.parametrize("metric", ["answer_match", "answer_equivalence"])
@pytest.mark.parametrize("with_ids", [False, True])
def test_gold_answers_as_dicts_of_other_keys(tmp_path, metric, with_ids):
    told = r"has the keys value, aliases; answers need 'text', or are a list of texts; here give the list in 'aliases'"
    columns = [{"1": "a"}, {"1": TRIVIA}] if with_ids else [["a"], [TRIVIA]]
    with pytest.raises(ValueError, match=rf"references\[0\].* {told}"):
        qassay.score(metric, *columns)
    path = tmp_path / "table.json"
    path.write_text(json.dumps([{**({"id": "1"} if with_ids else {}), "gold": TRIVIA, "prediction": "a"}]))
    with pytest.raises(ValueError, match=rf"table.json: references\[0\].* {told}, in a table as a separate column"):
        qassay.score_files(path, metric=metric)


@pytest.mark.parametrize("metric", ["answer_match", "answer_equivalence", "semantic_answer_similarity"])
@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (
            [{"role": "user", "content": "q"}, MESSAGE],
            r"messages of a chat; give the text of the last one, \[-1\]\['content'\]",
        ),
        (MESSAGE, r"this is a message of a chat; give its text, \['content'\]"),
        (
            {"choices": [{"message": MESSAGE}]},
            r"reply of a chat; give its text, \['choices'\]\[0\]\['message'\]\['content'\]",
        ),
    ],
)
def test_messages_of_a_chat_are_not_answers(metric, answer, message):
    for columns in ([[answer], [["a"]]], [{"1": answer}, {"1": ["a"]}], [["a", answer], [["a"]] * 2]):
        with pytest.raises(TypeError, match=rf"predictions\[[01]\].*{message}"):
            qassay.score(metric, *columns, model="lite") if "match" not in metric else qassay.score(metric, *columns)
