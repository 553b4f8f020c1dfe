"""label_metrics as Scores: what the order of rows and the numbering of classes do not change."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import qassay
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


def test_systems_with_other_classes_are_shown_together():
    systems = {"one": score(["a", "b"], ["a", "c"]), "two": score(["a", "d"], ["a", "c"])}
    (part,) = qassay.compare(systems, ["macro_f1"]).to_dict()["parts"]
    assert [(of["system"], of["x"], of["n"]) for of in part["curves"]] == [
        ("one", ["a", "c", "b", "d"], [1, 1, 0, 0]), ("two", ["a", "c", "b", "d"], [1, 1, 0, 0]),
    ]  # fmt: skip


def test_resamples_of_many_classes_take_little_memory():
    rows = [[row] for row in range(50)]
    scores = score(rows, rows[::-1], task="multi", labels=20_000)
    tracemalloc.start()
    scores.interval(names=["macro_f1", "micro_f1"], method="percentile", n_resamples=300)  # all at once: over 500 MB
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 200e6
