"""What only answer_match can be given wrong: its options, layouts of answers, and its other columns."""

import math

import pytest

import qassay
from qassay import score


def row(identifier, text, probability=0.0):
    return {"id": identifier, "prediction_text": text, "no_answer_probability": probability}


def gold(identifier, *texts):
    return {"id": identifier, "answers": {"text": list(texts), "answer_start": [0] * len(texts)}}


@pytest.mark.parametrize(
    "options",
    [
        {"normalizer": "squadd"},
        {"empty_f1": 0.5},
        {"top_k": (1, True)},
        {"no_answer_threshold": math.nan},
        {"no_answer_threshold": 0.5},
        {"whole_answers": ()},
        {"preset": "drop", "no_answer_threshold": 0.5},
        {"preset": "hotpotqa", "empty_gold": "error"},
        {"preset": "gaia", "contains": "substring"},
        {"preset": "docvqa", "normalizer": "squad"},
        {"preset": "serch_r1"},
    ],
    ids=str,
)
def test_bad_options_are_named(options):
    with pytest.raises((TypeError, ValueError), match=list(options)[-1]):
        score("answer_match", ["a"], [["a"]], **options)


class Unprintable:
    def __repr__(self):
        raise RuntimeError


BAD_INPUT = [  # predictions, references, others, error, what the message names
    (["a"], [{"text": None}], {}, ValueError, r"references\[0\] .*'text'"),
    (["a"], ["['a', 'b']"], {}, ValueError, r"references\[0\]"),
    (["a"] * 2, ["('a', 'b')", "('c',)"], {}, ValueError, r"references\[0\] is a list that was written as text"),
    (['{"answer": "b"}'], ['{"answer": "a"}'], {}, ValueError, r"references\[0\] is a dict that was written as text"),
    ({"a": "x", "b": 5}, {"a": ["x"], "b": []}, {}, (TypeError, ValueError), r"predictions\[1\] \(id 'b'\)"),
    ([Unprintable()], [["a"]], {}, (TypeError, ValueError), r"predictions\[0\].* Unprintable"),
    ([["a", "b"]], [["a"]], {}, (TypeError, ValueError), "top_k"),
    ([["a", 1]], [["a"]], {"top_k": 1}, (TypeError, ValueError), r"predictions\[0\]\[1\]"),
    ([row("a", "x"), "y"], [gold("a"), gold("b")], {}, (TypeError, ValueError), r"predictions\[1\]"),
    ([row("a", "x"), {"id": "b", "prediction_text": "x"}], [gold("a"), gold("b")], {}, ValueError,
     r"predictions\[1\].*'no_answer_probability'"),
    ([row("a", "x")], [{"id": "a", "answers": {"txt": []}}], {}, ValueError, r"references\[0\] \(id 'a'\).*txt.*'text'"),
    ([row("a", "x")], [{"id": "a", "answers": [{"text": "x"}, {"start": 1}]}], {}, ValueError, "'text'"),
    (["a"], [{"value": "A", "alias": ["a"]}], {}, ValueError, r"references\[0\].*alias"),
    (["a"], [["a"]], {"no_answer_probabilities": [math.nan]}, ValueError, r"no_answer_probabilities\[0\]"),
    (["a"], [["a"]], {"preset": "drop", "no_answer_probabilities": [0.5]}, ValueError, "no_answer_probabilities"),
    (["a"], [["a"]], {"gold_details": {"supporting_facts": [[]]}}, ValueError, "gold_details are for presets"),
]  # fmt: skip


@pytest.mark.parametrize(("predictions", "references", "others", "error", "named"), BAD_INPUT)
def test_bad_input_names_the_row(predictions, references, others, error, named):
    with pytest.raises(error, match=named) as caught:
        score("answer_match", predictions, references, **others)
    assert "\n" not in str(caught.value)


def test_gold_answers_that_only_look_like_lists_are_texts():
    for text in ("(The Who)", "('tis the season)", "array(3)", "['a', 'b"):
        assert qassay.score("answer_match", [text], [text])["exact_match"] == 1


MESSAGE = {"role": "assistant", "content": "Ann"}


@pytest.mark.parametrize("metric", ["answer_match", "answer_equivalence", "semantic_answer_similarity"])
def test_messages_of_a_chat_are_not_answers(metric):
    """The error says where the text is."""
    options = {} if metric == "answer_match" else {"model": "lite"}
    for answer in ([{"role": "user", "content": "q"}, MESSAGE], MESSAGE, {"choices": [{"message": MESSAGE}]}):
        with pytest.raises(ValueError, match=r"predictions\[1\].*the content of the last message"):
            qassay.score(metric, ["a", answer], [["a"]] * 2, **options)
