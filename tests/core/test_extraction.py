"""Answers extracted from the output of a model."""

import pickle
import warnings

import pytest

import qassay
from qassay.core.extraction import extract_answers, get_extraction

CASES = [
    ("answer_tag", "a <answer> x\ny </answer> b", "x\ny"),
    ("answer_tag", "<answer>1</answer> no, <answer>2</answer> <answer>3", "2"),
    ("answer_tag", "<Answer>1</Answer>", None),
    ("answer_tag", "</answer><answer>", None),
    ("after_think", "<think>\nLyon? No.\n</think>\n\nParis\n", "Paris"),
    ("after_think", "Lyon? No.</think> <thinking>Oslo</thinking> It is Paris.", "It is Paris."),
    ("after_think", "<think>It is Paris.</think>\n", None),
    ("boxed", r"\boxed{1} and \boxed{ \frac{1}{2} }", r"\frac{1}{2}"),
    ("boxed", r"\boxed{\text{a \{b\}}}", r"\text{a \{b\}}"),
    ("boxed", r"\boxed{1} then \boxed{2", "1"),
    ("boxed", r"\boxed{1 \boxed{2}", "2"),
    ("final_answer", "**Final Answer:** **Paris**", "Paris"),
    ("final_answer", "final answer:", ""),
    ("final_answer", "the final answer is 2", None),
    ("last_line", " \n\t", None),
    ("json:answer", '```json\n{"answer": "Paris", "p": 0.5}\n```', "Paris"),
    ("json:answer", '{"answer": "1"} {"other": 2} {"answer": 3.5}', "3.5"),
    ("json:answer", '{"answer": "draft"} {"answer": null}', None),
    ("json:answer", '{"answer": 12345678901234567890.5}', "12345678901234567890.5"),
    ("json:answer", '{"in": {"answer": "no"}, "answer": ["a"]}', None),
    ("json:answer", '{"answer": "cut', None),
    ("json:answer", '[{"answer": "a"}, {"answer": "b"}]', "b"),
    ("json:answer", '{"why": "so {"answer": "a"}', "a"),  # an object in a text that breaks off
    ("json:answer", '{"n": [{"answer": 1}, {"answer": 2}, {"answer": 3', "2"),
    ("json:answer", r'{"bad": "\q", "in": {"answer": "\u00e9\""}}', 'é"'),
    ("json:answer", '{"answer": 1,} {"answer": 01} {"answer": "a\nb"} { }', None),
    ("json:answer", '\\frac{1}{2} {"answer" : [{}], "b": {"answer": 1}', "1"),
    ("regex:A=(\\d)|B=(\\d)", "A=1 B=2 A=x", "2"),
    ("regex:(x)(?P<answer>.)", "xa xb", "b"),
    ("regex:(\\d*)", "none", None),
    ("regex:(?=is (\\w))", "is a, is b", "b"),
    ("none", " all of it\n", " all of it\n"),
]


@pytest.mark.parametrize(("name", "text", "answer"), CASES)
def test_what_is_extracted(name, text, answer):
    extract = get_extraction(name)
    assert extract(text) == answer
    again = pickle.loads(pickle.dumps(extract))
    assert again == extract == get_extraction(extract) and again(text) == answer


def test_hostile_texts_take_no_time():
    """Each would take minutes or more by backtracking, or by scanning the rest of the text from every start."""
    for name, part, n in (
        ("answer_tag", "<answer>", 100_000), ("boxed", r"\boxed{", 40_000), ("final_answer", "final answer ", 40_000),
        ("json:a", "{", 1_000_000), ("json:a", "[", 1_000_000), ("json:b", '{"a":', 20_000), ("json:b", '{"a":[', 20_000),
        ("json:b", '{"a":{"a":0},"', 5_000), ("json:b", '{"', 20_000), ("json:b", '{"a":"{\\"', 10_000),
    ):  # fmt: skip
        assert get_extraction(name)(part * n) is None


@pytest.mark.parametrize(
    ("spec", "error", "message"),
    [
        ("boxd", ValueError, r"extract 'boxd' \(did you mean 'boxed'\?\)"),
        ("json:", ValueError, "json:"),
        ("regex:", ValueError, "regex:"),
        ("regex:(", ValueError, "regular expression"),
        (5, TypeError, "option extract .* int: 5"),
    ],
)
def test_refused_input(spec, error, message):
    with pytest.raises(error, match=message):
        get_extraction(spec)


def test_faults_of_a_function_name_row_and_function():
    def broken(text):
        return {}[text]

    def wrong(text):
        return 5

    with pytest.raises(ValueError, match=r"extract custom:.*broken failed on row 1: KeyError: 'b'"):
        extract_answers(get_extraction(broken), [None, "b"], lambda row: f"row {row}")
    with pytest.raises(TypeError, match=r"wrong must return a text, or None .*; for row 0 it returned int: 5"):
        extract_answers(get_extraction(wrong), ["b"], lambda row: f"row {row}")
    with pytest.raises(TypeError, match=r"row 0 must be a text for extract=boxed, got list"):
        extract_answers(get_extraction("boxed"), [["b"]], lambda row: f"row {row}")


WRAPPED = {
    "after_think": "<think>Lyon? No.</think>Paris",
    "answer_tag": "It is <answer>Paris</answer>.",
    "boxed": r"It is \boxed{Paris}.",
    "json:answer": '```json\n{"reason": "known", "answer": "Paris"}\n```',
    "json:output": '{"output": "Paris"}',
}


@pytest.mark.parametrize(
    ("metric", "name"),
    [
        *(("answer_match", name) for name in WRAPPED),
        ("answer_equivalence", "boxed"),
        ("semantic_answer_similarity", "boxed"),
    ],
)
def test_a_warning_names_the_extraction_that_answers_need(metric, name):
    answers, golds = [WRAPPED[name], *["Paris"] * 9], [["Paris"]] * 10
    options = {"model": "lite"} if metric == "semantic_answer_similarity" else {}
    with pytest.warns(UserWarning, match=f'extract="{name}" scores the answer alone'):
        qassay.score(metric, answers, golds, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scores = qassay.score(metric, answers, golds, extract=name, unextracted="whole", **options)
        assert len(set(scores.columns[next(iter(scores.columns))].tolist())) == 1
        qassay.score(metric, [*answers, *["Paris"] * 11], [["Paris"]] * 21, **options)  # too few to be meant
        if not name.startswith("json"):
            qassay.score(metric, answers[:1], [[WRAPPED[name]]], **options)  # so have the gold answers


def test_json_objects_on_both_sides_are_not_compared_in_silence():
    with pytest.warns(UserWarning, match="JSON objects, compared as texts with their keys"):
        qassay.score("answer_match", ['{"city": "Lyon"}'], [['{"city": "Paris"}']])
    with pytest.warns(UserWarning, match="a JSON object with city, why, a, b, .*json:FIELD"):
        qassay.score("answer_match", ['{"city": "Paris", "why": "", "a": 1, "b": 2}'], [["Paris"]])
