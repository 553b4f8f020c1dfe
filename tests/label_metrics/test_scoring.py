"""label_metrics as Scores: what the order of rows and the numbering of classes do not change."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qassay.core.scores import Scores
from qassay.label_metrics.scoring import LabelOptions, score_labels

CLASSES = ["ant", "bee", "cow", "dog"]
PAIRS = st.lists(st.tuples(st.sampled_from(CLASSES), st.sampled_from(CLASSES)), min_size=1, max_size=25)


def score(predictions, references, weights=None, **options):
    return score_labels(predictions, references, weights=weights, options=LabelOptions(**options))


@settings(max_examples=30, deadline=None)
@given(PAIRS, st.randoms(), st.sampled_from([None, CLASSES]), st.sampled_from([0.0, 1.0, np.nan]))
def test_the_order_of_rows_changes_no_bit(pairs, random, labels, undefined):
    found, true = map(list, zip(*pairs, strict=True))
    options = {"labels": labels, "zero_division": undefined}
    weights = [random.choice([0.1, 0.7, 1.3]) for _ in pairs]
    order = random.sample(range(len(pairs)), len(pairs))
    weighted = score(found, true, weights, **options)
    moved = score(*([column[row] for row in order] for column in (found, true, weights)), **options)
    assert moved.summary() == weighted.summary()
    assert moved.interval(n_resamples=10) == weighted.interval(n_resamples=10)


def test_parts_join_where_their_classes_are_the_same():
    first, second = score(["a", "b"], ["a", "a"]), score(["b", "a"], ["b", "b"])
    assert Scores.concat([first, second]) == score(["a", "b", "b", "a"], ["a", "a", "b", "b"])
    with pytest.raises(ValueError, match="part 1 .*classes=.*option labels"):
        Scores.concat([first, score(["b"], ["b"])])
    named = [score([label], ["a"], labels=CLASSES[:1] + ["a"]) for label in ("ant", "a")]
    assert Scores.concat(named) == score(["ant", "a"], ["a", "a"], labels=["ant", "a"])
