"""label_metrics as Scores: options, signature, weights, slices, parts, intervals."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qassay.core.measures import Count
from qassay.core.scores import Scores
from qassay.label_metrics.scoring import LabelOptions, score_labels

FAST = settings(max_examples=30, deadline=None)
CLASSES = ["ant", "bee", "cow", "dog"]
PAIRS = st.lists(st.tuples(st.sampled_from(CLASSES), st.sampled_from(CLASSES)), min_size=1, max_size=25)
SETS = st.lists(
    st.tuples(st.lists(st.sampled_from(CLASSES), max_size=4), st.lists(st.sampled_from(CLASSES), max_size=4)),
    min_size=1,
    max_size=20,
)


def score(predictions, references, weights=None, **options):
    return score_labels(predictions, references, weights=weights, options=LabelOptions(**options))


@FAST
@given(PAIRS, st.randoms(), st.sampled_from([None, CLASSES]), st.sampled_from([0.0, 1.0, np.nan]))
def test_properties_of_one_label(pairs, random, labels, undefined):
    found, true = map(list, zip(*pairs, strict=True))
    options = {"labels": labels, "zero_division": undefined}
    scores = score(found, true, **options)
    summary = scores.summary()
    assert all(0 <= value <= 1 for name, value in summary.items() if name != "total")
    assert summary["accuracy"] == pytest.approx(summary["micro_f1"], abs=1e-15)
    assert summary["accuracy"] + summary["error_rate"] == pytest.approx(1, abs=1e-15)
    order = random.sample(range(len(pairs)), len(pairs))
    weights = [random.choice([0.1, 0.7, 1.3]) for _ in pairs]
    weighted = score(found, true, weights, **options)
    moved = score(
        [found[row] for row in order], [true[row] for row in order], [weights[row] for row in order], **options
    )
    assert moved.summary() == weighted.summary()  # to the last bit
    assert moved.interval(n_resamples=10) == weighted.interval(n_resamples=10)
    doubled = score(found * 2, true * 2, **options).summary()
    assert doubled | {"total": 0} == pytest.approx(summary | {"total": 0}, abs=1e-15)
    twice = score(found, true, [2.0] * len(found), **options).summary()
    assert twice == pytest.approx(summary, abs=1e-15)
    same = score(true, true, **options).summary()
    assert same["accuracy"] == same["weighted_f1"] == 1
    if labels is None:
        assert same["macro_f1"] == 1


@FAST
@given(SETS, st.sampled_from([0.0, 1.0, np.nan]))
def test_properties_of_sets(rows, undefined):
    found, true = map(list, zip(*rows, strict=True))
    options = {"task": "multi", "labels": CLASSES, "zero_division": undefined}
    scores = score(found, true, **options)
    rates = {name: value for name, value in scores.summary().items() if scores.measures.get(name, Count()).is_rate}
    assert all(value is None or 0 <= value <= 1 + 1e-15 for value in rates.values()) and len(rates) == 18
    assert score([row[::-1] for row in found], [row * 2 for row in true], **options).columns[
        "f1"
    ].tolist() == pytest.approx(scores.columns["f1"].tolist(), nan_ok=True)
    parts = [
        score(found[start:stop], true[start:stop], **options) for start, stop in ((0, 1), (1, None)) if found[start:]
    ]
    joined = Scores.concat(parts)
    assert joined == scores and joined.summary() == scores.summary()
    same = score(true, true, **options).summary()
    assert same["exact_match"] == 1 and same["hamming_loss"] == 0


def test_parts_join_where_their_classes_are_the_same():
    first, second = score(["a", "b"], ["a", "a"]), score(["b", "a"], ["b", "b"])
    assert Scores.concat([first, second]) == score(["a", "b", "b", "a"], ["a", "a", "b", "b"])
    with pytest.raises(ValueError, match="part 1 .*classes=.*option labels"):
        Scores.concat([first, score(["b"], ["b"])])
    named = [score([label], ["a"], labels=CLASSES[:1] + ["a"]) for label in ("ant", "a")]
    assert Scores.concat(named) == score(["ant", "a"], ["a", "a"], labels=["ant", "a"])
