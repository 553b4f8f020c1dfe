"""Measures of labels against scikit-learn, and where the card says that these differ."""

import math

import numpy as np
import pytest

from qassay.label_metrics.scoring import LabelOptions, class_scores, confusion_matrix, score_labels

AVERAGES = ("micro", "macro", "weighted")
METRICS = ("precision", "recall", "f1")
UNDEFINED = (0.0, 1.0, np.nan)
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def check(mine, theirs, case, abs=1e-12):
    """Every value of a peer equals ours; ours is 0 for an undefined value that is NaN there, or None without examples."""
    for name, value in theirs.items():
        value = 0.0 if math.isnan(value) else float(value)
        assert (mine[name] or 0.0) == pytest.approx(value, rel=0, abs=abs), (name, *case)


def averaged(sklearn, true, found, averages=AVERAGES, **keywords):
    """scikit-learn's precision, recall and F1, averaged in every way, by the names of this package."""
    found_by = {
        average: sklearn.precision_recall_fscore_support(true, found, average=average, **keywords)
        for average in averages
    }
    return {f"{average}_{m}": value for average, of in found_by.items() for m, value in zip(METRICS, of, strict=False)}


def of_classes(sklearn, true, found, names, **keywords):
    """scikit-learn's precision, recall, F1 and support of each class."""
    columns = sklearn.precision_recall_fscore_support(true, found, average=None, **keywords)
    pairs = zip((*METRICS, "support"), columns, strict=True)
    return {f"{m}[{name}]": value for m, of in pairs for name, value in zip(names, of, strict=True)}


def random_labels(random):
    n, c = random.integers(1, 25), random.integers(1, 7)
    true, found = random.integers(0, c, (2, n))
    labels = None if random.random() < 0.5 else list(range(c + random.integers(3)))
    if random.random() < 0.5:
        names = np.array([f"class {number}" for number in random.permutation(c + 3)])
        true, found, labels = names[true], names[found], labels and names[labels].tolist()
    return true, found, labels


def random_sets(random):
    n, c = random.integers(1, 12), random.integers(2, 7)
    return (random.random((2, n, c)) < random.choice([0.1, 0.5])).astype(int)


def random_weights(random, n):
    return random.random(n) + 0.01 if random.random() < 0.5 else None


def weights_of_0(random, n):
    weights = np.where(random.random(n) < 0.5, 0.0, random.random(n))
    weights[0] = 1.0
    return weights


def test_one_label(sklearn, scale):
    random = np.random.default_rng(0)
    for _ in range(20 * scale):
        true, found, labels = random_labels(random)
        weights, undefined = random_weights(random, len(true)), random.choice(UNDEFINED)
        options = LabelOptions(zero_division=undefined, labels=labels, per_class=True)
        scores = score_labels(found.tolist(), true.tolist(), weights=weights, options=options)
        keywords, names = {"sample_weight": weights}, scores.options.classes.labels
        theirs = {
            "accuracy": sklearn.accuracy_score(true, found, **keywords),
            "error_rate": sklearn.zero_one_loss(true, found, **keywords),
        }
        if labels is None or len(set(true) | set(found)) == len(labels):
            theirs["balanced_accuracy"] = sklearn.balanced_accuracy_score(true, found, **keywords)
        keywords |= {"labels": names, "zero_division": undefined}
        classes = of_classes(sklearn, true, found, names, **keywords)
        theirs |= averaged(sklearn, true, found, **keywords) | classes
        check(scores.summary(), theirs, (true, found, options))
        for metric in METRICS:
            each = class_scores(scores, metric)
            assert list(each) == list(names)
            for name, result in each.items():
                wanted = classes[f"{metric}[{name}]"], classes[f"support[{name}]"]
                assert (result.value, result.support) == pytest.approx(wanted, abs=1e-12, nan_ok=True)
        listed, matrix = confusion_matrix(scores)
        assert listed == list(names)
        theirs = sklearn.confusion_matrix(true, found, labels=names, sample_weight=weights)
        assert np.allclose(matrix, theirs, rtol=0, atol=1e-12)


@pytest.mark.parametrize("undefined", UNDEFINED)
def test_classes_of_weight_0_of_one_label(sklearn, undefined, scale):
    random, hidden = np.random.default_rng(4), 0
    for _ in range(12 * scale):
        n, c = random.integers(2, 12), random.integers(2, 7)
        true, found = random.integers(0, c, (2, n))
        weights = weights_of_0(random, n)
        options = LabelOptions(zero_division=undefined, per_class=True)
        scores = score_labels(found, true, weights=weights, options=options)
        weighed = weights > 0
        hidden += len({*true, *found}) > len({*true[weighed], *found[weighed]})
        slices = scores.by((weights > 0.3).tolist())
        for part, rows in ((scores, slice(None)), (slices[True], weights > 0.3)):
            given, keywords = (true[rows], found[rows]), {"sample_weight": weights[rows]}
            theirs = averaged(sklearn, *given, zero_division=undefined, **keywords)
            theirs["balanced_accuracy"] = sklearn.balanced_accuracy_score(*given, **keywords)
            check(part.summary(), theirs, (*given, options))
    assert hidden > 3 * scale


def test_hamming_loss_of_a_slice_counts_all_classes_as_its_columns_do(sklearn):
    names, true, found = np.array(list("abc")), np.eye(3, dtype=int)[[0, 0, 0, 1]], np.eye(3, dtype=int)[[0, 1, 2, 2]]
    rows = [[names[row > 0].tolist() for row in side] for side in (found, true)]
    part = score_labels(*rows, options=LabelOptions(task="multi")).subset([True, True, False, False])
    assert part.summary()["hamming_loss"] == sklearn.hamming_loss(true[:2], found[:2]) == 1 / 3
    assert part.summary()["macro_f1"] == sklearn.f1_score(true[:2, :2], found[:2, :2], average="macro")


def test_sets(sklearn, scale):
    random = np.random.default_rng(1)
    for _ in range(20 * scale):
        true, found = random_sets(random)
        weights, undefined = random_weights(random, len(true)), random.choice(UNDEFINED)
        options = LabelOptions(task="multi", zero_division=undefined, per_class=True)
        mine = score_labels(found, true, weights=weights, options=options).summary()
        keywords, names = {"sample_weight": weights}, range(true.shape[1])
        theirs = {
            "exact_match": sklearn.accuracy_score(true, found, **keywords),
            "hamming_loss": sklearn.hamming_loss(true, found, **keywords),
        }
        keywords["zero_division"] = undefined
        theirs |= averaged(sklearn, true, found, (*AVERAGES, "samples"), **keywords)
        theirs |= of_classes(sklearn, true, found, names, **keywords)
        if not np.isnan(undefined):  # its Jaccard has no nan
            for average in (*AVERAGES, "samples"):
                theirs[f"{average}_jaccard"] = sklearn.jaccard_score(true, found, average=average, **keywords)
            each = sklearn.jaccard_score(true, found, average=None, **keywords)
            theirs |= {f"jaccard[{name}]": value for name, value in zip(names, each, strict=True)}
        check(mine, theirs, (true, found, options))


def test_classes_of_weight_0_of_sets(sklearn, scale):
    random = np.random.default_rng(4)
    for _ in range(20 * scale):
        true, found = random_sets(random)
        weights, undefined = weights_of_0(random, len(true)), random.choice(UNDEFINED)
        there = (true | found).any(axis=0)
        if there.sum() < 2:  # one column is not a matrix to scikit-learn
            continue
        lists = [[np.flatnonzero(row).tolist() for row in side] for side in (found, true)]
        options = LabelOptions(task="multi", zero_division=undefined)
        mine = score_labels(*lists, weights=weights, options=options).summary()
        given, keywords = (true[:, there], found[:, there]), {"zero_division": undefined, "sample_weight": weights}
        theirs = averaged(sklearn, *given, **keywords)
        if not np.isnan(undefined):
            for average in AVERAGES:
                theirs[f"{average}_jaccard"] = sklearn.jaccard_score(*given, average=average, **keywords)
        check(mine, theirs, (true, found, options))
