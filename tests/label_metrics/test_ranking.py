"""P@k, R@k, nDCG@k and MRR against scikit-learn and a plain definition, in every layout."""

import numpy as np
import pytest

from qassay.label_metrics.scoring import LabelOptions, score_labels


def score(predictions, references, weights=None, **options):
    return score_labels(predictions, references, weights=weights, options=LabelOptions(task="ranked", **options))


def plain(rankings, truths, ks):
    """The definitions, row by row: rankings are lists of labels, truths are sets."""
    found = {}
    for k in ks:
        discount = 1 / np.log2(np.arange(2, k + 2))
        p, r, ndcg = [], [], []
        for ranking, truth in zip(rankings, truths, strict=True):
            hits = np.array([label in truth for label in [*ranking[:k], *[None] * k][:k]])
            p.append(hits.sum() / k)
            r.append(hits.sum() / (len(truth) or 1))
            ndcg.append((hits * discount).sum() / (discount[: min(k, len(truth))].sum() or 1))
        found |= {f"p@{k}": np.mean(p), f"r@{k}": np.mean(r), f"ndcg@{k}": np.mean(ndcg)}
    ranks = [[label in truth for label in ranking] for ranking, truth in zip(rankings, truths, strict=True)]
    found["mrr"] = np.mean([1 / (row.index(True) + 1) if any(row) else 0 for row in ranks])
    return found


def random_case(random):
    """Rankings without ties, shorter than k at times, and true sets that may be empty."""
    n, labels = random.integers(1, 9), random.integers(2, 30)
    lengths = random.integers(0, labels + 1, n)
    rankings = [random.permutation(labels)[:length].tolist() for length in lengths]
    truths = [set(np.flatnonzero(random.random(labels) < random.choice([0.0, 0.1, 0.5])).tolist()) for _ in range(n)]
    return rankings, truths, int(labels)


def layouts(rankings, truths, labels):
    """The same rankings in every layout, with the true labels in one that goes with it."""
    scored = [{label: -place / 10 for place, label in enumerate(ranking)} for ranking in rankings]
    shuffled = [dict(sorted(row.items())) for row in scored]
    gold = np.array([[label in truth for label in range(labels)] for truth in truths])
    numbers = np.full((len(rankings), labels + 2), -1, np.int32)
    for row, ranking in enumerate(rankings):
        numbers[row, : len(ranking)] = ranking
    name, names = "label {}".format, {"labels": list(map("label {}".format, range(labels)))}
    yield rankings, truths, {}
    yield scored, list(map(sorted, truths)), {}
    yield shuffled, list(map(tuple, truths)), {}
    yield numbers, truths, {}
    yield numbers, gold, {"labels": labels}
    yield numbers, gold.astype(int), {}
    yield numbers.astype(np.int64), [[name(x) for x in truth] for truth in truths], names
    yield [list(map(name, ranking)) for ranking in rankings], [set(map(name, truth)) for truth in truths], {}


def test_plain_definition(scale):
    random = np.random.default_rng(2)
    for case in range(30 * scale):
        rankings, truths, labels = random_case(random)
        ks = (1, 3, 5, 20) if case % 2 else (2,)
        wanted = plain(rankings, truths, ks)
        forms = layouts(rankings, truths, labels) if case < 5 * scale else [(rankings, truths, {})]
        for predictions, references, options in forms:
            found = score(predictions, references, k=ks, **options).summary(list(wanted))
            assert found == pytest.approx(wanted, rel=0, abs=1e-12), (rankings, truths, options)


def test_scikit_learn(sklearn, scale):
    random = np.random.default_rng(3)
    for _ in range(25 * scale):
        n, labels = random.integers(1, 9), random.integers(2, 12)
        scores = random.permuted(np.tile(np.arange(labels) / labels, (n, 1)), axis=1)
        gold = random.random((n, labels)) < 0.3
        weights = random.random(n) + 0.01
        k = int(random.integers(1, labels + 1))
        found = score(scores, gold, weights=weights, k=k).summary()[f"ndcg@{k}"]
        one = np.eye(labels, dtype=bool)[random.integers(0, labels, n)]
        mrr = score(scores, one, weights=weights, k=1).summary()["mrr"]
        theirs = sklearn.ndcg_score(gold, scores, k=k, sample_weight=weights, ignore_ties=True)
        assert found == pytest.approx(theirs, rel=0, abs=1e-12)
        theirs = sklearn.label_ranking_average_precision_score(one, scores, sample_weight=weights)
        assert mrr == pytest.approx(theirs, rel=0, abs=1e-12)


def test_equal_scores_rank_in_the_order_given():
    for scores in (np.array([[0.0, 1, 0, 0, 1]]), [{1: 1.0, 4: 1.0, 0: 0.0}]):
        assert score(scores, [[1]]).summary()["p@1"] == 1 and score(scores, [[4]], k=1).summary()["mrr"] == 0.5


def test_empty_places_keep_the_ranks_behind_them():
    summary = score(np.array([[3, -1, 5]]), [[5]], k=3).summary()
    assert (summary["mrr"], summary["short"]) == (pytest.approx(1 / 3), 1)
