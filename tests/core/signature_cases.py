"""Options of every family for tests of signatures: strategies, and objects that a signature only names."""

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

from qassay.core.text import NORMALIZATION_STEPS, list_normalizers
from qassay.registry import FAMILIES
from qassay.retrieval_ranking.measure_parameters import AP_DENOMINATORS
from qassay.semantic_answer_similarity.pair_scorers import PairScorer, PairScores
from qassay.semantic_answer_similarity.scoring import DEFAULT_MODEL

KINDS = {name: family.load()[1] for name, family in FAMILIES.items()}


def shout(text):
    return text.upper()


class OwnScorer(PairScorer):
    """Half of everything."""

    name, mode, revision = "mine|100%", "own", "3"

    def score(self, predictions, references, questions=None):
        halves = np.full(len(predictions), 0.5)
        return PairScores(halves, *np.zeros((2, len(halves)), bool))


COUNTS = {"b": 3, "a": 7.5}
TEXTS = st.text(min_size=1) | st.text("|%,:'72C51", min_size=1)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
MANY = st.integers(1, 10**6)
RANKS = st.none() | MANY | st.lists(MANY, min_size=1, max_size=4)
CHOICES = {
    "missing": st.sampled_from(["zero", "skip", "error"]),
    "duplicates": st.sampled_from(["error", "first", "last"]),
    "normalizer": st.sampled_from([*list_normalizers(), "mlqa", shout])
    | st.lists(st.sampled_from(sorted(NORMALIZATION_STEPS)), min_size=1, max_size=3),
}
POLICIES = {name: CHOICES[name] for name in ("missing", "duplicates")}
EXTRACTING = {
    "extract": st.sampled_from(["answer_tag", "boxed", "json:a|b,c", "regex:a|(b, %7C)", shout]),
    "unextracted": st.sampled_from(["zero", "empty", "whole", "error"]),
}
CURVES = {
    "interpolation": st.sampled_from([None, "none", "voc11", "all_points", "coco101"]),
    "ties": st.sampled_from([None, "grouped", "stable"]),
}
LABELS = st.integers(1, 9) | st.lists(st.text() | st.just("|"), min_size=1, unique=True, max_size=4) | st.just([1, 0])


# Family -> the tasks it has, each with a strategy for every option that it takes.
STRATEGIES = {
    "answer_match": [
        {
            **CHOICES,
            "unit": st.sampled_from(["token", "character", "offset"]),
            "top_k": RANKS,
            "empty_gold": st.sampled_from(["drop", "keep", "error"]),
            "empty_f1": st.sampled_from([0, 0.0, 1, 1.0]),
            "no_answer_threshold": st.none() | st.floats(allow_nan=False) | st.integers(-5, 5),
            "contains": st.sampled_from(["token", "substring"]),
            "whole_answers": st.none() | st.lists(st.text() | st.just("a,b|c"), min_size=1, max_size=3).map(tuple),
        },
        {
            "preset": st.sampled_from(list(FAMILIES["answer_match"].load()[1].presets)),
            "empty_f1": st.sampled_from([0, 1.0, None]),
            "normalizer": st.sampled_from([None, "squad", "french"]),
        },
        {"task": st.sampled_from(["drop", "hotpotqa"]), **POLICIES, **EXTRACTING},
    ],
    "retrieval_ranking": [
        {
            "preset": st.sampled_from([None, "nlpcc"]),
            "ties": st.sampled_from(["trec", "stable", "best", "worst"]),
            "score_dtype": st.sampled_from(["float64", "float32"]),
            "missing": CHOICES["missing"],
            "duplicates": st.sampled_from(["error", "first", "best"]),
            "relevance_level": st.integers(0, 9) | st.floats(0, 1e300),
            "ap_denominator": st.sampled_from(AP_DENOMINATORS[:-1]) | MANY,
            "gain": st.sampled_from(["linear", "exp2"])
            | st.dictionaries(st.floats(0, 1e20) | st.integers(0, 5), st.just(2.5) | st.just(3), min_size=1, max_size=1)
            | st.just({-1: 0, 0: 0, 1: 0.1, 2.5: 1e22}),
            "depth": st.none() | MANY,
            "judged_only": st.booleans(),
            "skip_trivial": st.booleans(),
            "drop_identical_ids": st.booleans(),
        },
        {"ties": st.just("expected"), "measures": st.just(("map", "ndcg@10")), "missing": CHOICES["missing"]},
    ],
    "factoid_accuracy": [
        {
            **CHOICES,
            "version": st.sampled_from([2, 3, 5, 8, 9, np.int64(8)]),
            "top_k": st.none() | MANY,
            "question_type": st.sampled_from([None, "factoid", "list", "yesno", "summary"]),
        },
        {"phase": st.sampled_from(["A", "a"]), "version": st.sampled_from([2, 9]), **POLICIES},
    ],
    "retriever_reader": [
        {
            **CHOICES,
            "unit": st.sampled_from(["token", "character"]),
            "ap_denominator": st.sampled_from(["num_relevant", "num_retrieved_relevant"]),
            "denominator": st.sampled_from(["correct_retrievals", "queries"]),
            "top_k": st.none() | MANY,
            "open_domain": st.booleans(),
            "document_field": st.none() | st.text() | TEXTS,
            "document_node": st.none() | TEXTS,
            "answer_node": st.none() | TEXTS,
        },
        {"unit": st.sampled_from([None, "offset"]), "document_field": st.just("None")},
    ],
    "semantic_answer_similarity": [
        {
            **CHOICES,
            "model": TEXTS | st.sampled_from([DEFAULT_MODEL, "a/b,c|d%7C", "None", "1.0"]),
            "revision": st.none() | TEXTS | st.just("None"),
            "mode": st.sampled_from(["auto", "cross", "bi"]),
            "raw": st.booleans(),
            "symmetric": st.booleans(),
            "top_k": RANKS,
            "dtype": st.sampled_from(["float32", "bfloat16", "float16"]),
            "backend": st.sampled_from(["torch", "onnx", "openvino"]),
            "max_length": st.none() | MANY,
        },
        {
            "model": st.just("lite"),
            "encoder": TEXTS,
            "encoder_revision": st.none() | TEXTS,
            "raw": st.booleans(),
            "symmetric": st.booleans(),
            **EXTRACTING,
        },
        {"model": st.builds(OwnScorer), "normalizer": CHOICES["normalizer"]},
    ],
    "answer_equivalence": [
        {
            **POLICIES,
            "model": TEXTS | st.sampled_from(["a/b,c|d%7C", "None", "1.0"]),
            "revision": st.none() | TEXTS | st.just("None"),
            "threshold": st.floats(0, 1),
            "accept_label": st.none() | TEXTS | st.just("None"),
            "input_order": st.sampled_from([None, "question_gold_answer", "answer_gold_question"]),
            "use_questions": st.sampled_from([None, True, False]),
            "dtype": st.sampled_from(["float32", "bfloat16", "float16"]),
            "backend": st.sampled_from(["torch", "onnx", "openvino"]),
            "max_length": st.none() | MANY,
        },
        {"model": st.just("lite"), "use_questions": st.sampled_from([None, True, False]), **EXTRACTING},
        {"model": st.builds(OwnScorer)},
    ],
    "claim_support": [
        {
            "preset": st.sampled_from([None, "simpleqa", "alce"]),
            "task": st.sampled_from(["nuggets", "claims", "citations", "grades"]),
            "unjudged": st.sampled_from(["skip", "zero", "error"]),
            "empty": st.sampled_from(["official", "zero", "skip"]),
            "missing": st.sampled_from(["skip", "zero", "error"]),
            "duplicates": st.sampled_from(["error", "first", "last"]),
        }
    ],
    "label_metrics": [
        {
            "task": st.sampled_from(["single", "multi", "auto"]),
            "labels": LABELS,
            "zero_division": st.sampled_from([0, 1, 0.0, 1.0, "nan", float("nan")]),
        },
        {
            "task": st.sampled_from(["ranked", "auto"]),
            "labels": LABELS,
            "k": MANY | st.lists(MANY, min_size=1, max_size=3),
            "label_counts": st.sampled_from([COUNTS, [3, 4.5]]),
            "n_train": st.integers(10, 10**12),
            "A": st.floats(1e-9, 1e9) | MANY | st.just(np.float32(0.6)),
            "B": st.floats(1e-9, 1e9) | MANY,
        },
        {"inverse_propensities": st.sampled_from([COUNTS, np.array([1.5, 2])]), "k": st.just(3)},
    ],
    "average_precision": [
        {
            "labels": st.integers(1, 9) | st.lists(st.text(), min_size=1, unique=True, max_size=3),
            "pos_label": st.integers()
            | NUMBERS
            | TEXTS
            | st.sampled_from(["yes", "1", "1.0", "nan", "'1'", "None", True]),
            "thresholds": NUMBERS | st.lists(NUMBERS, min_size=1, max_size=3),
            **CURVES,
        },
        {
            "task": st.just("boxes"),
            "labels": LABELS,
            **CURVES,
            "style": st.sampled_from(["coco", "voc"]),
            "box_format": st.sampled_from(["xyxy", "xywh"]),
            "iou_thresholds": st.floats(0.01, 1) | st.lists(st.floats(0.01, 1), min_size=1, max_size=3),
            "max_detections": st.none() | MANY,
        },
    ],
}
NEEDED = {
    "ties",
    "task",
    "model",
    "unit",
    "phase",
    "inverse_propensities",
    "measures",
}  # these options define a later task


@st.composite
def options_of(draw, name):
    """Options of a family, with any part of what one of its tasks takes."""
    number = draw(st.integers(0, len(STRATEGIES[name]) - 1))
    task = STRATEGIES[name][number]
    always = {option: strategy for option, strategy in task.items() if number and option in NEEDED}
    others = {option: strategy for option, strategy in task.items() if option not in always}
    keywords = draw(st.fixed_dictionaries(always, optional=others))
    if "n_train" in task and len({"label_counts", "n_train"} & set(keywords)) < 2:
        keywords = {option: value for option, value in keywords.items() if option in ("task", "labels", "k")}
    try:
        return KINDS[name](**keywords)
    except (TypeError, ValueError) as error:  # what does not go together
        assume(not error)
