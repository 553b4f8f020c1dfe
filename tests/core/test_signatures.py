"""Signatures: what they say, and that the options that made them are read back."""

import dataclasses
import re
import warnings
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

import qassay
from qassay.answer_equivalence.judges import Judge
from qassay.core.label_encoding import LabelList
from qassay.core.options import Options, option_of, option_type, signed_fields, signed_text
from qassay.core.signatures import options_of_signature, split_signature
from qassay.core.text import Normalizer
from qassay.core.version import __version__
from qassay.registry import FAMILIES
from qassay.semantic_answer_similarity.pair_scorers import PairScorer
from qassay.semantic_answer_similarity.scoring import LiteScorer

from .signature_cases import COUNTS, KINDS, STRATEGIES, OwnScorer, options_of, shout

END = f"|v:{__version__}"


def data_of(options, signature):
    """The options that are only a name or a fingerprint in a signature."""
    data = {}
    for field in signed_fields(options):
        option = option_of(field)
        text = signed_text(options, field)
        if option_type(type(options), field) is Any and re.match(r"custom:|\d+-\w{8}$", text):
            data[option] = getattr(options, option)
    if isinstance(getattr(options, "model", None), PairScorer):
        data["model"] = options.model
    return {option: value for option, value in data.items() if says(options, option, signature)}


def round_trip(options):
    """Parse both forms, check the result, and return the options of the long form."""
    for short in (False, True):
        text = options.signature(short)
        again = qassay.from_signature(text, **data_of(options, text))
        assert Options.differences(options, again) == [], text
        assert (again.signature(), again.signature(short=True)) == (options.signature(), options.signature(short=True))
        assert type(again)(**again.keywords()) == again
    return again


def says(options, option, text):
    keys = [field.metadata["key"] for field in signed_fields(options) if option_of(field) == option]
    return any(f"|{key}:" in text for key in keys)


@pytest.mark.parametrize("name", FAMILIES)
def test_every_signature_is_parsed_back(name):
    """A new field of a signature needs a line in STRATEGIES."""
    tried = {option for task in STRATEGIES[name] for option in task}
    assert {option_of(field) for field in signed_fields(KINDS[name])} - {None} <= tried

    @settings(max_examples=25, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
    @given(options_of(name))
    def check(options):
        round_trip(options)
        again = type(options)(**options.keywords())
        for field in dataclasses.fields(options):
            assert getattr(again, field.name) == getattr(options, field.name), field.name

    check()


def test_defaults():
    for name, kind in KINDS.items():
        options = kind()
        fingerprint = getattr(options, "fingerprint", None)  # of a built-in scorer
        assert options.signature(short=True) == name + (f"|fingerprint:{fingerprint}" if fingerprint else "") + END
        assert options.keywords() == {}
        assert qassay.from_signature(name + END) == qassay.from_signature(options.signature()) == options


# --- what the text looks like ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "keywords", "long", "short"),
    [
        ("answer_match", {}, "norm:squad|unit:token|refs:max", ""),
        (
            "retriever_reader",
            {"unit": "token", "document_field": "a|b%"},
            "ap:num_relevant|over:correct_retrievals|unit:token|norm:squad|document:a%7Cb%25",
            "unit:token|document:a%7Cb%25",
        ),
        (
            "answer_equivalence",
            {"model": Judge(lambda question, golds, answer: 0.5, name="m", revision="prompt 2")},
            "model:m|revision:prompt 2|question:None",
            "model:m|revision:prompt 2",
        ),
        ("label_metrics", {"labels": 3, "k": (1, 3)}, "task:auto|labels:3|k:1,3", "labels:3|k:1,3"),
        ("average_precision", {"pos_label": "1"}, "task:scores|pos:'1'|interp:none|ties:grouped", "pos:'1'"),
    ],
)
def test_texts(name, keywords, long, short):
    options = KINDS[name](**keywords)
    assert options.signature() == f"{name}|{long}{END}"
    assert options.signature(short=True) == f"{name}|{short}{END}".replace("||", "|")


def test_items_of_a_list_may_hold_commas():
    @dataclasses.dataclass(frozen=True)
    class Fields(Options):
        family = "fields"
        fields: tuple[str, ...] = dataclasses.field(default=(), metadata={"key": "fields"})

    options = Fields(("a,b", "c|d", "50%2C"))
    assert options.signature() == "fields|fields:a%2Cb,c%7Cd,50%252C" + END
    assert options_of_signature(Fields, split_signature(options.signature()), {}) == options


# --- data -----------------------------------------------------------------------------------------------------------


class OtherScorer(OwnScorer):
    name = "other"


# The options of a signature, the objects passed with it, and the message.
COUNTED = KINDS["label_metrics"](labels=["b", "a"], label_counts=COUNTS, n_train=9)
WEIGHED = KINDS["label_metrics"](inverse_propensities=[1, 2])
NAMED = KINDS["label_metrics"](labels=["b", "a"])
SHOUTED = KINDS["answer_match"](normalizer=shout)
OWN_NORMALIZER = KINDS["answer_match"](normalizer=Normalizer("mine", "character", shout))
OWN_SCORER = KINDS["semantic_answer_similarity"](model=OwnScorer())
HANDED_IN = [
    (COUNTED, {}, r"option labels, labels:2-"),
    (COUNTED, {"labels": ["b", "a"]}, "option label_counts, label_counts:2-"),
    (COUNTED, {"labels": ["a", "b"], "label_counts": COUNTS}, "option labels comes to labels:2-"),
    (COUNTED, {"labels": ["b", "a"], "label_counts": {"a": 1}}, "option label_counts comes to label_counts:1-"),
    (WEIGHED, {}, "option inverse_propensities"),
    (NAMED, {"labels": ["a", "a"]}, "labels:2-.*'a' twice"),
    (SHOUTED, {}, "option normalizer, norm:custom:shout"),
    (SHOUTED, {"normalizer": str.upper}, "norm:custom:str.upper, but .* norm:custom:shout"),
    (OWN_NORMALIZER, {}, "norm:mine .* your own normalizer"),
    (OWN_SCORER, {}, r"mode:own .* your own model"),
    (OWN_SCORER, {"model": OtherScorer()}, "option model comes to model:other, but .* model:mine"),
    (OWN_SCORER, {"model": LiteScorer()}, "mode='own'"),
]


@pytest.mark.parametrize(("options", "data", "message"), HANDED_IN, ids=range(len(HANDED_IN)))
def test_data_and_objects_that_do_not_fit_are_refused(options, data, message):
    with pytest.raises(ValueError, match=message):
        qassay.from_signature(options.signature(), **data)


def test_data_and_objects_that_fit_are_passed():
    assert "|model:mine%7C100%25|revision:3|mode:own|" in OWN_SCORER.signature()
    for options, data in (
        (COUNTED, {"labels": ["b", "a"], "label_counts": dict(reversed(COUNTS.items()))}),
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
    with pytest.raises(ValueError, match="option labels comes to labels:2-.* was made with labels:found"):
        qassay.from_signature(scores.signature(), labels=["a", "b"])


def test_options_that_a_signature_does_not_have():
    options = qassay.from_signature("retrieval_ranking|ties:expected" + END, measures=["map"], tie_bounds=False)
    assert options == KINDS["retrieval_ranking"](ties="expected", measures=("map",))
    lite = qassay.from_signature("semantic_answer_similarity|model:lite" + END, batch_size=7)
    assert (lite.batch_size, lite.keywords()) == (7, {"model": "lite", "batch_size": 7})
    with pytest.raises(ValueError, match="preset would change ties, which the signature sets differently"):
        qassay.from_signature("retrieval_ranking" + END, preset="nlpcc")
    with pytest.raises(ValueError, match=r"says nothing of labels, which then is at its default; omit it"):
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
        ("bleu score|nrefs:1" + END, "is not a signature"),
        ("answer_mach|norm:squad" + END, r"'answer_mach' \(did you mean 'answer_match'\?\)"),
        ("answer_match|nrom:squad" + END, r"'nrom' \(did you mean 'norm'\?\)"),
        ("answer_match|norm:squad|norm:squad" + END, "'norm' twice"),
        ("answer_match|v:0.1.0" + END, "'v' twice"),
        ("answer_match|norm:squda" + END, r"norm:squda .* \(did you mean 'squad'"),
        ("answer_match|norm:lower+upper" + END, "norm:lower\\+upper .*'upper'"),
        ("answer_match|k:one" + END, "option top_k .* k:one"),
        ("answer_match|k:1,,3" + END, "k:1,,3"),
        ("answer_match|k:0" + END, "k:0 .* got 0"),
        ("answer_match|k:3,1" + END, "k:3,1 .* k:1,3"),
        ("answer_match|refs:min" + END, "refs:min .* refs:max"),
        ("answer_match|task:drop|k:3" + END, "task='drop' .* option top_k"),
        ("retrieval_ranking|judged_only:true" + END, "option judged_only .* judged_only:true"),
        ("retrieval_ranking|gain:1:3;2" + END, "gain:1:3;2 "),
        ("retriever_reader|norm:squad" + END, "norm:squad .* unit='token'"),
        ("semantic_answer_similarity|model:lite|revision:0" + END, "revision:0 "),
        ("answer_equivalence|fingerprint:0123456789ab" + END, "fingerprint:0123456789ab .* fingerprint:"),
        ("label_metrics|n_train:3" + END, "n_train:3 .* label_counts"),
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


# --- scoring again --------------------------------------------------------------------------------------------------

RANKED = ([["b", "a", "c"], ["c", "a", "b"]], [["a", "c"], ["b"]])
AGAIN = [
    ("answer_match", ([["a", "b"], ["c"]], [["b"], ["c"]]), {"top_k": (1, 2), "normalizer": shout}),
    ("retrieval_ranking", ({"q": {"d": 1.0, "e": 1.0}}, {"q": {"d": 2}}), {"ties": "expected", "relevance_level": 2}),
    (
        "retrieval_ranking",
        ({"q": {"d": 1.0, "e": 1.0}}, {"q": {"d": 2, "f": 1}}),
        {"gain": {1: 1, 2: 5}, "preset": "nlpcc"},
    ),
    ("factoid_accuracy", ([["x", "y"]], [["y"]]), {"phase": "A"}),
    ("retriever_reader", ([{"documents": ["d"], "answers": ["a"]}], [{"documents": ["d"], "answers": ["ab"]}]), {}),
    ("semantic_answer_similarity", (["in Paris", "x"], [["Paris, France"], ["y"]]), {"model": OwnScorer()}),
    ("label_metrics", (["a", "b"], ["a", "a"]), {"labels": ["b", "a", "c"], "zero_division": float("nan")}),
    ("label_metrics", RANKED, {"task": "ranked", "label_counts": {"a": 3, "b": 1}, "n_train": 9, "dataset": "amazon"}),
    ("average_precision", ([0.5, 0.9, 0.1], ["1", "2", "1"]), {"pos_label": "1", "thresholds": (0.3, 0.6)}),
    ("average_precision", ([{"a": 0.5, "b": 0.2}, {"a": 0.1, "b": 0.3}], ["a", "a"]), {"interpolation": "voc11"}),
    (
        "average_precision",
        ([{"boxes": [[0, 0, 2, 2]], "scores": [0.5], "labels": [0]}], [{"boxes": [[0, 0, 2, 3]], "labels": [0]}]),
        {"task": "boxes", "style": "voc", "labels": 1},
    ),
]


@pytest.mark.parametrize(
    ("name", "columns", "options"), AGAIN, ids=[f"{one[0]}-{place}" for place, one in enumerate(AGAIN)]
)
def test_a_signature_scores_alike(name, columns, options):
    scores = qassay.score(name, *columns, **options)
    for short in (False, True):
        text = scores.options.signature(short)
        options_again = qassay.from_signature(text, **data_of(scores.options, text))
        again = qassay.score(name, *columns, **options_again.keywords())
        assert again.signature() == scores.signature()
        if "preset" in options:  # it also names the measures, which a signature does not contain
            same = sorted(again.measures.keys() & scores.measures.keys())
            assert len(same) > 5 and again.summary(same) == scores.summary(same)
        else:
            assert again == scores
    assert qassay.score(name, *columns, **scores.options.keywords()) == scores


@dataclasses.dataclass(frozen=True)
class AnnotatedByTexts(Options):
    family = "made_up"
    label: "str | float | None" = dataclasses.field(default=None, metadata={"key": "label"})
    ranks: "tuple[int, ...] | None" = dataclasses.field(default=None, metadata={"key": "k"})
    raw: "bool" = dataclasses.field(default=False, metadata={"key": "raw"})


def test_types_that_are_texts_are_read_as_types():
    """As all annotations are under `from __future__ import annotations`."""
    for label, signed in (("1", "'1'"), (1, "1"), ("none", "none")):
        options = AnnotatedByTexts(label, (1, 5), True)
        text = f"made_up|label:{signed}|k:1,5|raw:yes{END}"
        assert options.signature() == text
        assert options_of_signature(AnnotatedByTexts, split_signature(text), {}) == options


def test_keywords_are_what_differs():
    options = KINDS["label_metrics"](task="single", labels=["a", "b"], per_class=True)
    assert options.keywords() == {"task": "single", "labels": LabelList(["a", "b"]), "per_class": True}
    assert KINDS["retrieval_ranking"](preset="nlpcc", ties="trec").keywords() == {"preset": "nlpcc", "ties": "trec"}
    assert KINDS["factoid_accuracy"](missing="zero").keywords() == {"missing": "zero"}
    assert KINDS["average_precision"](ties="grouped").keywords() == {}
