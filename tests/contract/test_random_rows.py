"""What holds for random rows and options of every metric: the order of rows changes nothing, doubled rows change no rate, a subset
has the values of its rows, and the signature is read back.
"""

import dataclasses

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import qassay
from qassay.core.measures import Count, Total
from qassay.core.options import Options
from qassay.registry import FAMILIES

from .families import CASES, CLASSES

OF_MODELS = {"dtype", "backend", "trust_remote_code", "progress"}  # not for the built-in scorers
COUNTS = ("below_thresholds", "support[")  # besides Count and Total
VALUES = {  # of options without a list of choices
    "normalizer": ("none", "french"), "top_k": (1, 3), "thresholds": ((0.2, 0.7),), "threshold": (0.3,),
    "zero_division": (1.0, float("nan")), "k": ((1, 3),), "depth": (1, 2), "relevance_level": (2,), "gain": ("exp2",),
    "ap_denominator": (2, "num_relevant"), "iou_thresholds": ((0.5, 0.75),), "max_detections": (1,),
}  # fmt: skip


def other_values(family) -> dict[str, list]:
    """Option -> its values besides the default."""
    fields = [field for field in dataclasses.fields(family.load()[1]) if field.init and field.name not in OF_MODELS]
    choices = {field: field.metadata.get("choices") or VALUES.get(field.name, ()) for field in fields}
    found = {field.name: [value for value in values if value != field.default] for field, values in choices.items()}
    return {name: values for name, values in found.items() if values}


CHOICES = {name: other_values(family) for name, family in FAMILIES.items()}


@st.composite
def calls(draw):
    """A function that scores rows by their numbers, how many rows there are, and the options."""
    name = draw(st.sampled_from(sorted(CASES)))
    case = CASES[name]
    rows = draw(st.lists(st.tuples(st.sampled_from(case.rows), st.booleans()), min_size=1, max_size=6))
    is_weighted = draw(st.booleans()) and case.metric != "retrieval_ranking"  # weights are by query
    weights = [draw(st.sampled_from([0, 0.5, 1, 2.5])) if is_weighted and row else 1 for row in range(len(rows))]
    choices = CHOICES[case.metric]
    drawn = {
        option: draw(st.sampled_from(choices[option]))
        for option in draw(st.sets(st.sampled_from(sorted(choices)), min_size=1, max_size=3))
    }
    fixed = {**case.options, **({"labels": CLASSES[name]} if name in CLASSES else {})}

    def score(numbers, options):
        """The scores of these rows, whose numbers are their ids; from len(rows) on they are the same rows again."""
        chosen = [rows[number % len(rows)] for number in numbers]
        given = {"weights": [weights[number % len(rows)] for number in numbers]} if is_weighted else {}
        given |= {
            "predictions": [row[is_wrong] for row, is_wrong in chosen],
            "references": [row[2] for row, _ in chosen],
        }
        return qassay.score(case.metric, **given, ids=[f"q{number}" for number in numbers], **options)

    return score, len(rows), {**drawn, **fixed}, fixed


def approx(summary):
    return {
        name: value if value is None else pytest.approx(value, abs=1e-12, nan_ok=True)
        for name, value in summary.items()
    }


@settings(max_examples=400, deadline=None)
@given(calls(), st.data())
def test_random_rows_and_options(call, data):
    score, n, options, fixed = call
    try:
        whole = score(range(n), options)
    except (TypeError, ValueError):  # options that exclude each other, or do not suit the rows
        options = fixed
        whole = score(range(n), options)
    expected = whole.summary()

    for text in (whole.signature(), whole.signature(short=True)):
        again = qassay.from_signature(text, **({"labels": options["labels"]} if "labels" in options else {}))
        assert Options.differences(again, whole.options) == []

    is_ordered = getattr(whole.options, "ties", None) == "stable" or options.get("task") == "boxes"
    order = data.draw(st.permutations(range(n)))
    if not is_ordered:
        mixed = score(order, options)
        assert mixed == whole and mixed.summary() == approx(expected)

        for name, value in score(range(2 * n), options).summary().items():
            is_count = isinstance(whole.measures.get(name, Count()), (Count, Total)) or name.startswith(COUNTS)
            assert value == approx(expected)[name] or is_count and value == 2 * expected[name], name

    rows = data.draw(st.sets(st.sampled_from(range(n)), min_size=1))
    try:
        alone = score(sorted(rows), options).summary()
    except ValueError:  # for example without a positive row
        return
    part = whole.subset([int(name[1:]) in rows for name in whole.ids]).summary()
    for name in whole.notes:  # they are of all rows
        part.pop(name, None), alone.pop(name, None)
    assert part == approx(alone)
