"""Signatures: what they say, and that the options that made them are read back."""

import dataclasses
import json
import re
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import qassay
from qassay.core.label_encoding import LabelList
from qassay.core.options import Options, signed_fields
from qassay.core.text import Normalizer
from qassay.core.version import __version__
from qassay.registry import FAMILIES
from qassay.semantic_answer_similarity.pair_scorers import PairScorer, PairScores

END = f"|v:{__version__}"
KINDS = {name: family.load()[1] for name, family in FAMILIES.items()}


def shout(text):
    return text.upper()


class OwnScorer(PairScorer):
    """Half of everything."""

    name, mode, revision = "mine|100%", "own", "3"

    def score(self, predictions, references, questions=None):
        halves = np.full(len(predictions), 0.5)
        return PairScores(halves, *np.zeros((2, len(halves)), bool))


# --- both forms of every signature are read back ----------------------------------------------------------------------

# Options that no golden number has, and values that look like others.
MORE = [
    *(("average_precision", {"pos_label": label}) for label in ("1", 1, "1.0", 1.0, "nan", "'1'", "None", True)),
    ("answer_match", {"whole_answers": ("a,b|c", ""), "no_answer_threshold": float("inf")}),
    ("answer_match", {"extract": "regex:a|(b, %7C)", "unextracted": "whole", "normalizer": "lower+spaces"}),
    ("retrieval_ranking", {"gain": {-1: 0, 0: 0, 1: 0.1, 2.5: 1e22}, "duplicates": "best"}),
    ("retriever_reader", {"document_field": "None", "document_node": "a|b%", "answer_node": "7", "unit": "token"}),
    ("semantic_answer_similarity", {"model": "a/b,c|d%7C", "revision": "None", "dtype": "bfloat16", "max_length": 7}),
    ("semantic_answer_similarity", {"model": "1.0", "mode": "bi", "backend": "onnx", "top_k": (1, 3)}),
    ("semantic_answer_similarity", {"model": "lite", "raw": True}),
    (
        "answer_equivalence",
        {"model": "a/b", "accept_label": "None", "input_order": "question_gold_answer", "dtype": "float16"},
    ),
    ("answer_equivalence", {"model": "1", "backend": "openvino", "max_length": 9, "threshold": 1}),
    ("answer_equivalence", {"use_questions": False}),
    ("claim_support", {"duplicates": "last"}),
    ("label_metrics", {"labels": 9, "k": (1, 3), "zero_division": "nan"}),
]


def golden_signatures() -> list[str]:
    """All signatures among the golden numbers, which have every option of every family, with the version of today."""
    folder = Path(__file__).resolve().parents[1] / "golden" / "numbers"
    lines = [
        line for name in FAMILIES for path in folder.glob(f"{name}*.jsonl") for line in path.open(encoding="utf-8")
    ]
    signed = [value for key, value in map(json.loads, lines) if key.endswith(("/signature", "/short"))]
    return sorted({value + END for value in signed if isinstance(value, str)})


def test_every_signature_is_read_back():
    signatures = golden_signatures()
    signatures += [KINDS[name](**options).signature(short) for name, options in MORE for short in (False, True)]
    needs_data = re.compile(r"[|:](custom:|\d+-\w{8}\b|model:lists)")
    tried = [text for text in signatures if not needs_data.search(text)]
    assert len(tried) > 500 and len(tried) > 0.9 * len(signatures)
    for text in tried:
        options = qassay.from_signature(text)
        both = (options.signature(), options.signature(short=True))
        assert text.replace("|labels:found", "") in both  # which is of the data
        again = qassay.from_signature(both[1])
        assert again == options and Options.differences(options, again) == [], text
        assert type(options)(**options.keywords()) == options, text
    for name, kind in KINDS.items():
        there = {
            part.partition(":")[0] for text in signatures if text.startswith(f"{name}|") for part in text.split("|")
        }
        assert {field.metadata["key"] for field in signed_fields(kind)} <= there, "a new option needs a golden number"


TEXTS = st.text(min_size=1) | st.text("|%,:'72C51", min_size=1)


@settings(deadline=None)
@given(TEXTS, st.lists(TEXTS, min_size=1, max_size=3).map(tuple), st.floats(allow_nan=False) | st.integers())
def test_any_text_and_number_is_read_back(text, texts, number):
    for options in (
        KINDS["average_precision"](pos_label=text),
        KINDS["average_precision"](pos_label=number if abs(number) < float("inf") else 1),
        KINDS["retriever_reader"](document_field=text, unit="token"),
        KINDS["semantic_answer_similarity"](model="a", revision=text),
        KINDS["answer_match"](whole_answers=texts, no_answer_threshold=number),
    ):
        for short in (False, True):
            assert qassay.from_signature(options.signature(short)) == options


def test_defaults():
    for name, kind in KINDS.items():
        options = kind()
        fingerprint = getattr(options, "fingerprint", None)  # of a built-in scorer
        assert options.signature(short=True) == name + (f"|fingerprint:{fingerprint}" if fingerprint else "") + END
        assert options.keywords() == {}
        assert qassay.from_signature(name + END) == qassay.from_signature(options.signature()) == options


# --- data -----------------------------------------------------------------------------------------------------------


# The options of a signature, the objects passed with it, and the message.
NAMED = KINDS["label_metrics"](labels=["b", "a"])
SHOUTED = KINDS["answer_match"](normalizer=shout)
OWN_NORMALIZER = KINDS["answer_match"](normalizer=Normalizer("mine", "character", shout))
OWN_SCORER = KINDS["semantic_answer_similarity"](model=OwnScorer())
HANDED_IN = [
    (NAMED, {}, "option labels, labels:2-"),
    (NAMED, {"labels": ["a", "a"]}, "'a' twice"),
    (SHOUTED, {}, "option normalizer, norm:custom:shout"),
    (OWN_NORMALIZER, {}, r"norm:mine.* your own object is given by name: from_signature\(text, OPTION=\.\.\.\)"),
    (OWN_SCORER, {}, r"model:mine.* your own object is given by name: from_signature\(text, OPTION=\.\.\.\)"),
]


@pytest.mark.parametrize(("options", "data", "message"), HANDED_IN, ids=range(len(HANDED_IN)))
def test_data_and_objects_that_do_not_fit_are_refused(options, data, message):
    with pytest.raises(ValueError, match=message):
        qassay.from_signature(options.signature(), **data)


def test_data_and_objects_that_fit_are_passed():
    assert "|model:mine%7C100%25|revision:3|mode:own|" in OWN_SCORER.signature()
    for options, data in (
        (NAMED, {"labels": ["b", "a"]}),
        (SHOUTED, {"normalizer": shout}),
        (OWN_NORMALIZER, {"normalizer": OWN_NORMALIZER.normalizer}),
        (OWN_SCORER, {"model": OwnScorer()}),
    ):
        assert qassay.from_signature(options.signature(), **data) == options
        assert qassay.from_signature(options.signature(short=True), **data) == options


def test_labels_that_data_decided():
    scores = qassay.score("label_metrics", ["a", "b"], ["a", "a"])
    assert scores.signature() == "label_metrics|task:single|labels:found" + END
    assert scores.options.signature(short=True) == "label_metrics|task:single" + END
    options = qassay.from_signature(scores.signature())
    assert options == dataclasses.replace(scores.options)
    assert qassay.score("label_metrics", ["a", "b"], ["a", "a"], **options.keywords()) == scores
    with pytest.raises(
        ValueError, match="labels:found of the signature does not fit the given labels, which has labels:2-"
    ):
        qassay.from_signature(scores.signature(), labels=["a", "b"])


def test_options_that_a_signature_does_not_have():
    options = qassay.from_signature("retrieval_ranking|ties:expected" + END, measures=["map"], tie_bounds=False)
    assert options == KINDS["retrieval_ranking"](ties="expected", measures=("map",))
    lite = qassay.from_signature("semantic_answer_similarity|model:lite" + END, batch_size=7)
    assert (lite.batch_size, lite.keywords()) == (7, {"model": "lite", "batch_size": 7})
    with pytest.raises(ValueError, match="preset would change ties, which the signature sets differently"):
        qassay.from_signature("retrieval_ranking" + END, preset="nlpcc")
    with pytest.raises(ValueError, match="labels would change classes, which the signature sets differently; omit it"):
        qassay.from_signature("label_metrics|task:single" + END, labels=["a"])
    with pytest.raises(TypeError, match=r"label_metrics has no option 'lables' \(did you mean 'labels'\?\)"):
        qassay.from_signature("label_metrics|task:single" + END, lables=["a"])
    assert qassay.from_signature("answer_match|k:1,3" + END, top_k=(3, 1)).top_k == (1, 3)


# --- what is not a signature -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "'' is not a signature"),
        ("answer_match|norm:squad", "v:version"),
        ("answer_match|squad" + END, "'squad' is not key:value"),
        ("answer_mach|norm:squad" + END, r"'answer_mach' \(did you mean 'answer_match'\?\)"),
        ("answer_match|nrom:squad" + END, r"'nrom' \(did you mean 'norm'\?\)"),
        ("answer_match|norm:squad|norm:squad" + END, "'norm' twice"),
        ("answer_match|k:3,1" + END, "k:3,1 .* k:1,3"),
        ("answer_match|preset:drop|k:3" + END, "preset=drop .* option top_k"),
        ("answer_match|task:drop|norm:drop" + END, "no 'task': write preset="),
        ("retrieval_ranking|judged_only:maybe" + END, "option judged_only .* judged_only:maybe"),
        ("answer_equivalence|fingerprint:0123456789ab" + END, "fingerprint:0123456789ab .* fingerprint:"),
    ],
)
def test_what_is_not_a_signature(text, message):
    with pytest.raises(ValueError, match=message):
        qassay.from_signature(text)


def test_another_version_warns_and_is_read():
    with pytest.warns(
        UserWarning, match=rf"from qassay 0\.0\.1, this is {re.escape(__version__)}: numbers may differ"
    ) as seen:
        options = qassay.from_signature("answer_match|norm:french|v:0.0.1")
    assert options.normalizer.name == "french" and len(seen) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        qassay.from_signature(f"  answer_match|norm:french{END}\n")


def test_keywords_are_what_differs():
    options = KINDS["label_metrics"](task="single", labels=["a", "b"], per_class=True)
    assert options.keywords() == {"task": "single", "labels": LabelList(["a", "b"]), "per_class": True}
    assert KINDS["retrieval_ranking"](preset="nlpcc", ties="trec").keywords() == {"preset": "nlpcc", "ties": "trec"}
    assert KINDS["factoid_accuracy"](missing="zero").keywords() == {"missing": "zero"}
    assert KINDS["average_precision"](ties="grouped").keywords() == {}
