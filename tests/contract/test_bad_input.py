"""Every kind of bad input, in every family: it is refused in one line that names the row, the id, the option or the file."""

import math
import pickle
import types

import pytest

import qassay
import qassay.files.score_files
from qassay.core import matching
from qassay.core.file_columns import Gold
from qassay.core.options import keyword_names
from qassay.files import FileError
from qassay.files.content import Content
from qassay.files.systems import OpenedFiles, SystemFile
from qassay.registry import FAMILIES, get_family

from .families import MODULES, smallest_row

LENGTHS = "columns have different lengths: .*"
NO_COLUMN = "must be a column"

# Kind -> functions from a row to each column (None: two rows of both), other columns, type of the error, what it names.
KINDS = {
    "too few predictions": (lambda p, r: ([p], [r, r]), {}, ValueError, LENGTHS + "predictions 1"),
    "too many predictions": (lambda p, r: ([p, p], [r]), {}, ValueError, LENGTHS + "predictions 2"),
    "no rows": (lambda p, r: ([], []), {}, ValueError, "is empty"),
    "no rows by id": (lambda p, r: ({}, {}), {}, ValueError, "is empty"),
    "no predictions": (lambda p, r: (None, [r]), {}, (ValueError, TypeError), "^predictions "),
    "no references": (lambda p, r: ([p], None), {}, (ValueError, TypeError), "^references "),
    "a number of predictions": (lambda p, r: (3, [r]), {}, ValueError, f"predictions {NO_COLUMN}.* int: 3"),
    "a text of predictions": (lambda p, r: ("ab", [r]), {}, ValueError, f"predictions {NO_COLUMN}.* str: 'ab'"),
    "a number of references": (lambda p, r: ([p], 3), {}, ValueError, f"references {NO_COLUMN}.* int: 3"),
    "a prediction of an odd type": (lambda p, r: ([p, object()], [r, r]), {}, (ValueError, TypeError), r"predictions\[1\].* object"),
    "a reference of an odd type": (lambda p, r: ([p, p], [r, object()]), {}, (ValueError, TypeError), r"references\[1\].* object"),
    "a reference is None": (lambda p, r: ([p, p], [r, None]), {}, (ValueError, TypeError), r"references\[1\] .*(None|null)"),
    "dict and list": (lambda p, r: ({"x": p}, [r]), {}, ValueError, "references .*(no ids|plain list).*both"),
    "list and dict": (lambda p, r: ([p], {"x": r}), {}, ValueError, "predictions .*(no ids|plain list).*both"),
    "other ids": (lambda p, r: ({"x1": p}, {"y1": r}), {}, ValueError, "(?=.*'x1')(?=.*'y1')"),
    "1 and its digit are two ids": (lambda p, r: ({1: p, "1": p}, {1: r, "1": r}), {}, (ValueError, TypeError), "'1'|mixed"),
    "too few ids": (None, {"ids": ["a"]}, ValueError, LENGTHS + "ids 1"),
    "an id twice": (None, {"ids": ["a", "a"]}, ValueError, "'a'.*row [01]"),
    "an id is None": (None, {"ids": ["a", None]}, ValueError, "ids?.* None"),
    "an id is 1.5": (None, {"ids": [1.5, 2.5]}, ValueError, "ids?.* float: 1.5"),
    "a number of ids": (None, {"ids": 3}, ValueError, f"ids {NO_COLUMN}"),
    "too few weights": (None, {"weights": [1]}, ValueError, "weights (1;|has 1 number)"),
    "a weight below 0": (None, {"weights": [1, -1]}, ValueError, r"weights\[1\] is -1"),
    "a weight is NaN": (None, {"weights": [1, math.nan]}, ValueError, r"weights\[1\] is nan"),
    "a weight is infinite": (None, {"weights": [1, math.inf]}, ValueError, r"weights\[1\] is inf"),
    "a weight is huge": (None, {"weights": [1, 1e308]}, ValueError, r"weights\[1\] is 1e\+308"),
    "a weight is text": (None, {"weights": [1, "1"]}, ValueError, r"weights\[1\] .* str: '1'"),
    "a weight is None": (None, {"weights": [1, None]}, ValueError, r"weights\[1\] .* None"),
    "all weights are 0": (None, {"weights": [0, 0]}, ValueError, "all weights are 0"),
    "a number of weights": (None, {"weights": 3}, ValueError, f"weights {NO_COLUMN}"),
    "too few groups": (None, {"groups": ["a"]}, ValueError, LENGTHS + "groups 1"),
    "too many groups": (None, {"groups": ["a", "b", "c"]}, ValueError, LENGTHS + "groups 3"),
    "a group is None": (None, {"groups": ["a", None]}, ValueError, r"groups\[1\].* is empty \(None\)"),
    "a group is NaN": (None, {"groups": [math.nan, "a"]}, ValueError, r"groups\[0\].* is empty \(nan\)"),
    "a group is an empty text": (None, {"groups": ["a", ""]}, ValueError, r"groups\[1\].* is empty \(''\)"),
    "a group is a list": (None, {"groups": ["a", ["a"]]}, ValueError, r"groups\[1\].* list"),
    "a group is infinite": (None, {"groups": [math.inf, "a"]}, ValueError, r"groups\[0\]"),
    "a text of groups": (None, {"groups": "ab"}, ValueError, f"groups {NO_COLUMN}"),
    "one group": (None, {"groups": ["a", "a"]}, ValueError, "all 2 examples are in one group, 'a'"),
    "an option of another name": (None, {"wieghts": [1, 1]}, TypeError, r"'wieghts' \(did you mean 'weights'\?\)"),
    "no such option": (None, {"nonsense": 1}, TypeError, "'nonsense'; .*columns are: pred"),
    "no such way with duplicates": (None, {"duplicates": "sum"}, (ValueError, TypeError), "duplicates"),
}  # fmt: skip


OF_TEXTS = ("answer_match", "semantic_answer_similarity", "answer_equivalence")


@pytest.mark.parametrize("empty", [None, math.nan, "", [], [""]])
@pytest.mark.parametrize("name", OF_TEXTS)
def test_an_empty_gold_cell_is_no_answer_and_an_empty_text_in_a_list_is_one(name, empty):
    prediction, reference, options = smallest_row(name)
    scores = qassay.score(name, [prediction, ""], [reference, empty], **options)
    assert scores.subsets["no_answer"].tolist() == [False, empty != [""]]
    lines = [line for line in scores.remarks if "1 gold answer is empty, first references[1]" in line]
    assert len(lines) == (not isinstance(empty, list))
    missing = qassay.score(name, [prediction, math.nan], [reference, reference], **options)
    assert missing.subsets["missing"].tolist() == [False, True]


@pytest.mark.parametrize("kind", KINDS)
def test_what_no_family_can_score(kind):
    columns, others, error, named = KINDS[kind]
    for name in FAMILIES:
        if kind == "a reference is None" and name in OF_TEXTS:
            continue  # a question without an answer
        prediction, reference, options = smallest_row(name)
        given = columns(prediction, reference) if columns else ([prediction] * 2, [reference] * 2)
        with pytest.raises(error, match=named) as caught:
            qassay.score(name, *given, **others, **options)
            pytest.fail(f"{name} scores {kind}")
        assert "\n" not in str(caught.value) and len(str(caught.value)) < 600, name
        sent = pickle.loads(pickle.dumps(caught.value))  # as from another process
        assert (type(sent), str(sent)) == (type(caught.value), str(caught.value))


@pytest.mark.parametrize("name", FAMILIES)
def test_options_that_are_wrong(name):
    module = MODULES[name]
    (option,) = module.bad
    with pytest.raises(ValueError, match=rf"{option}.*{module.bad[option]}"):
        module.score(**module.bad)
    wrong, right = module.typo
    with pytest.raises(TypeError, match=rf"{name} has no .*'{wrong}' \(did you mean '{right}'\?\)"):
        module.score(**{wrong: 1})
    scores = module.score()
    for call in (lambda: scores.summary(["nothing"]), lambda: scores.interval(names=["nothing"])):
        with pytest.raises(ValueError, match="no measure 'nothing'"):
            call()


@pytest.mark.parametrize("name", [name for name in FAMILIES if name not in ("label_metrics", "average_precision")])
def test_missing_predictions(name):
    """By id: scored 0 and counted, omitted, or refused with the id."""
    prediction, reference, options = smallest_row(name)
    given = {"x": prediction}, {"x": reference, "y": reference}
    zero, skip = (qassay.score(name, *given, missing=way, **options).summary() for way in ("zero", "skip"))
    assert (zero["total"], zero["missing"], skip["total"]) == (2, 1, 1)
    with pytest.raises(ValueError, match="'y'.* missing=zero or skip"):
        qassay.score(name, *given, missing="error", **options)
    with pytest.raises(ValueError, match=r"missing=zeros is unknown \(did you mean 'zero'\?\)"):
        qassay.score(name, *given, missing="zeros", **options)


@pytest.mark.parametrize(
    ("name", "fewer"), [("answer_match", {"top_k": (1, 2)}), ("retriever_reader", {"top_k": 2, "unit": "token"})]
)
def test_too_many_pairs_of_one_question(name, fewer, monkeypatch):
    """Each answer is compared with each gold answer: thousands of both would take minutes and gigabytes."""
    monkeypatch.setattr(matching, "MOST_PAIRS", 10)
    few, many = ([f"a{number}" for number in range(count)] for count in (3, 4))
    if name == "retriever_reader":
        few, many = (
            {"documents": ["d"], "answers": [{"text": text, "document_id": "d"} for text in t]} for t in (few, many)
        )
    given = {"fine": few, "odd": many}, {"fine": few, "odd": few}
    assert len(qassay.score(name, *given, **fewer)) == 2
    all_of_them = {**fewer, "top_k": (1, 4) if name == "answer_match" else None}
    with pytest.raises(ValueError, match=r"^predictions\[1\] \(id 'odd'\).* 12 pairs .* at most 10 .*top_k="):
        qassay.score(name, *given, **all_of_them)


# What only some family can have: the file at fault, what the message names, predictions, references, the rest.
DROP, HOTPOT = {"preset": "drop"}, {"preset": "hotpotqa"}
MULTI, BOXES = {"task": "multi"}, {"task": "boxes"}
LITE, PHASE_A, CLAIMS = {"model": "lite"}, {"phase": "A"}, {"task": "claims"}
RUN, QRELS = {"q": {"d": 1.0}}, {"q": {"d": 1}}
FACTS = {"supporting_facts": [[["Paris", 0]]]}
BOX, PIPE = {"boxes": [[0, 0, 1, 1]]}, {"documents": ["d"], "answers": ["a"]}
OWN = {
    "answer_match": [
        ("predictions", "may be swapped", [["a"]], ["a"], {}),
        ("gold", "references[0] (id 'x')", {"x": "a"}, {"x": {"texts": ["a"]}}, {}),
        ("predictions", "predictions[1] has no 'prediction_text'", [{"prediction_text": "a"}, {}], [["a"]] * 2, {}),
        ("gold", "repeats the id 1 of row 0", ["a"] * 2, [{"id": 1, "answers": ["a"]}] * 2, {}),
        ("gold", "references[0] (id 0)", ["a"], [["the"]], {"empty_gold": "error"}),
        ("probabilities", "no_answer_probabilities[0]", ["a"], [["a"]], {"no_answer_probabilities": ["x"]}),
        ("probabilities", "the id 'x'", {"x": "a"}, {"x": ["a"]}, {"no_answer_probabilities": {}}),
        ("gold", "gold_details lacks 'supporting_facts'", ["a"], [["a"]], {"predicted_details": FACTS, **HOTPOT}),
        ("predictions", "predicted_details lacks 'supporting_facts'", ["a"], [["a"]], {"gold_details": FACTS, **HOTPOT}),
    ],
    "semantic_answer_similarity": [
        ("gold", "questions[0]", ["a"], [["a"]], {"questions": [1], **LITE}),
        ("predictions", "questions", ["a"], [["a"]], {"questions": ["a"], **LITE}),
    ],
    "answer_equivalence": [
        ("gold", "questions[0]", ["a"], [["a"]], {"questions": [1]}),
        ("gold", "questions", ["a"], [["a"]], {"use_questions": True}),
    ],
    "claim_support": [
        ("predictions", "predictions[0][0] is 'suport'", [["suport"]], [["vital"]], {}),
        ("gold", "references[0][0] is 'vitl'", [["support"]], [["vitl"]], {}),
        ("predictions", "predictions[0][0] has no 'citations'", [[{"entailed": 1}]], [""], {"task": "citations"}),
    ],
    "factoid_accuracy": [
        ("gold", "references[0]", [["a"]], [[]], {}),
        ("gold", "question_types[0]", [["a"]], [["a"]], {"question_types": ["who"]}),
        ("predictions", "predictions[0]", [3], ["yes"], {"question_types": ["yesno"]}),
        ("predictions", "missing", [["a"]], [[]], {"missing": "skip"}),
    ],
    "retrieval_ranking": [
        ("gold", "document 'd' of query 'q'", RUN, {"q": {"d": "x"}}, {}),
        ("gold", "ndcg of query 'q'", RUN, {"q": {"d": 1e308, "e": 1e308}}, {"measures": ["ndcg"], "gain": "exp2"}),
        ("predictions", "document 'd' of query 'q'", {"q": {"d": "x"}}, QRELS, {}),
        ("gold", "query 0 judges the document 'a' twice", [["a"]], [["a", "a"]], {}),
        ("predictions", "query 0 has the document 'a' twice", [["a", "a"]], [["a"]], {}),
        ("gold", "the id 'q'", RUN, QRELS, {"weights": {}}),
        ("gold", "a column for the relevance", RUN, {"query": ["q"], "document": ["d"]}, {}),
        ("predictions", "a column for the score", {"query": ["q"], "document": ["d"]}, QRELS, {}),
    ],
    "retriever_reader": [
        ("predictions", "predictions[0] has no 'answers'", [{"documents": []}], [PIPE], {}),
        ("gold", "references[0] has no 'answers'", [PIPE], [{"documents": []}], {}),
        ("gold", "references[0] is marked is_impossible", [PIPE], [{**PIPE, "is_impossible": True}], {}),
        ("predictions", "predictions[0]['answers'][0]", [{**PIPE, "answers": [{"start": 1}]}], [PIPE], {}),
    ],
    "label_metrics": [
        ("predictions", "predictions[0] is None", [None], ["a"], {}),
        ("gold", "references[0] is NaN", ["a"], [math.nan], {"task": "single"}),
        ("gold", "references[0] is str: 'b'", ["a"], ["b"], {"labels": ["a"]}),
        ("predictions", "predictions[0] is str: 'b'", ["b"], ["a"], {"labels": ["a"]}),
        ("predictions", "(id 'y') has no prediction", {"x": "a"}, {"x": "a", "y": "b"}, {}),
        ("predictions", "the id 'y'", {"x": "a", "y": "b"}, {"x": "a"}, {}),
    ],
    "average_precision": [
        ("gold", "references[0]", [0.5], ["a"], {}),
        ("predictions", "predictions[0]", ["a"], [True], {}),
        ("gold", "references[0] has no 'boxes'", [BOX], [{}], BOXES),
        ("predictions", "predictions[0]['scores'][0]", [{**BOX, "scores": ["x"]}], [BOX], BOXES),
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", OWN)
def test_what_one_family_cannot_score_is_said_of_its_file(name, monkeypatch):
    keywords = keyword_names(get_family(name).load()[1])
    for file, named, predictions, references, others in OWN[name]:
        options = {key: value for key, value in others.items() if key in keywords}
        columns = {key: value for key, value in others.items() if key not in keywords}
        with pytest.raises((ValueError, TypeError)) as told:
            qassay.score(name, predictions, references, **others)
        assert named in str(told.value)
        gold = Gold("gold", "table", {"references": references}, options, None, {}, metric=name)
        read = types.SimpleNamespace(path="predictions", columns={"predictions": predictions, **columns}, tag=None)
        monkeypatch.setattr(qassay.files.score_files, "with_probabilities", lambda rows, _: rows)
        monkeypatch.setattr(qassay.files.score_files, "read_predictions", lambda *_, read=read, **__: read)
        probabilities = [Content("probabilities", {})] if "no_answer_probabilities" in others else []
        with pytest.raises(FileError) as caught:
            qassay.files.score_files.score_opened(
                OpenedFiles({name: gold}, [SystemFile("predictions", Content("predictions", {}))]),
                probabilities=dict(zip(["predictions"], probabilities)),
            )
        assert str(caught.value).startswith(f"{file}: ") and named in str(caught.value)
