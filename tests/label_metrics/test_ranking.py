"""P@k, R@k, nDCG@k, MRR, PSP@k and PSnDCG@k against scikit-learn and a plain definition, in every layout."""

from itertools import chain

import numpy as np
import pytest

from qassay.core.ragged import Ragged
from qassay.label_metrics.ranking import inverse_propensity
from qassay.label_metrics.scoring import LabelOptions, score_labels

RANKED, TRUE = ["abcde", "cdbae", "xqyrz"], ["ac", "b", "xyzw"]


def score(predictions, references, weights=None, **options):
    return score_labels(predictions, references, weights=weights, options=LabelOptions(task="ranked", **options))


def plain(rankings, truths, weights_of, ks):
    """The definitions, row by row: rankings are lists of labels, truths are sets."""
    found = {}
    for k in ks:
        discount = 1 / np.log2(np.arange(2, k + 2))
        p, r, ndcg, gains, bests = [], [], [], {"psp": [], "psndcg": []}, {"psp": [], "psndcg": []}
        for ranking, truth in zip(rankings, truths, strict=True):
            hits = np.array([label in truth for label in [*ranking[:k], *[None] * k][:k]])
            idcg = discount[: min(k, len(truth))].sum() or 1
            p.append(hits.sum() / k)
            r.append(hits.sum() / (len(truth) or 1))
            ndcg.append((hits * discount).sum() / idcg)
            won = np.array(
                [weights_of[label] if hit else 0 for label, hit in zip([*ranking, *[0] * k], hits, strict=False)]
            )
            best = np.append(sorted((weights_of[label] for label in truth), reverse=True), np.zeros(k))[:k]
            for name, factor, divisor in (("psp", 1, k), ("psndcg", discount, idcg)):
                gains[name].append((won * factor).sum() / divisor)
                bests[name].append((best * factor).sum() / divisor)
        found |= {f"p@{k}": np.mean(p), f"r@{k}": np.mean(r), f"ndcg@{k}": np.mean(ndcg)}
        for name, gain in gains.items():
            found[f"{name}@{k}"] = np.mean(gain) / np.mean(bests[name]) if any(bests[name]) else 0.0
    ranks = [[label in truth for label in ranking] for ranking, truth in zip(rankings, truths, strict=True)]
    found["mrr"] = np.mean([1 / (row.index(True) + 1) if any(row) else 0 for row in ranks])
    return found


def test_propensities():
    counts, n, a, b = np.array([0, 3, 10]), 100, 0.6, 2.6
    wanted = 1 + (np.log(n) - 1) * (b + 1) ** a * (counts + b) ** -a
    assert np.allclose(inverse_propensity(counts, n, a, b), wanted, rtol=0, atol=1e-14)
    inverse = dict(zip("abc", inverse_propensity(counts, n, a, b).tolist(), strict=True))
    ranked, true = [["a", "b"], ["c"]], [["b"], ["c", "a"]]
    counted = score(ranked, true, label_counts={"b": 3, "c": 10}, n_train=n, dataset="amazon")
    named = score(ranked, true, label_counts={"a": 0, "b": 3, "c": 10}, n_train=n, A=a, B=b)
    given_ = score(ranked, true, inverse_propensities=inverse)
    assert counted.summary() == named.summary() == given_.summary()
    assert counted.options.A == 0.6 and "A:0.6|B:2.6" in counted.signature()
    # A label that is only ranked needs no propensity.
    assert score([["z", "b"]], [["b"]], inverse_propensities={"b": 2.0}).summary()["psp@3"] == 1


def test_an_array_goes_by_the_places_of_the_classes():
    ranked, true = np.array([[0, 1, 2], [1, 0, 2]]), np.array([[0, 1, 0], [0, 0, 1]], bool)
    numbers = [1.0, 5.0, 9.0]  # of the columns
    wanted = score(ranked, true, inverse_propensities=numbers, k=(1, 2)).summary()
    assert wanted["psp@1"] == 0.0 and wanted["psp@2"] == 5 / 14
    for labels in ([2, 0, 1], [7, 3, 5], ["c", "a", "b"]):
        by_label = dict(zip(labels, numbers, strict=True))
        named = [[labels[column] for column in row] for row in ranked.tolist()]
        for column in (ranked, named):
            for given_ in (numbers, np.array(numbers), by_label):
                found = score(column, true, labels=labels, inverse_propensities=given_, k=(1, 2)).summary()
                assert found == wanted, (labels, given_)
    # Classes that are fewer than the numbers are themselves the places.
    some = score([[2, 0]], [[0]], labels=[2, 0], inverse_propensities=[1.0, 5.0, 9.0], k=2)
    assert some.summary()["psp@2"] == 1
    both = score([[2], [0]], [[2], [2, 0]], labels=[2, 0], inverse_propensities=[1.0, 5.0, 9.0], k=1)
    assert both.summary()["psp@1"] == 10 / 18


def random_case(random):
    """Rankings without ties, shorter than k at times, and true sets that may be empty."""
    n, labels = random.integers(1, 9), random.integers(2, 30)
    lengths = random.integers(0, labels + 1, n)
    rankings = [random.permutation(labels)[:length].tolist() for length in lengths]
    truths = [set(np.flatnonzero(random.random(labels) < random.choice([0.0, 0.1, 0.5])).tolist()) for _ in range(n)]
    return rankings, truths, int(labels)


def layouts(rankings, truths, labels):
    """The same rankings in every layout, with the true labels in one that goes with it."""
    sparse = pytest.importorskip("scipy.sparse", reason='needs scipy: pip install -e ".[test-all]"')
    n = len(rankings)
    scored = [{label: -place / 10 for place, label in enumerate(ranking)} for ranking in rankings]
    flat = [(row, label, value) for row, pairs in enumerate(scored) for label, value in pairs.items()]
    rows, columns, values = map(list, zip(*flat, strict=True)) if flat else ([], [], [])
    matrix = sparse.csr_matrix((np.add(values, 9.0), (rows, columns)), shape=(n, labels))
    gold = np.array([[label in truth for label in range(labels)] for truth in truths])
    numbers = np.full((n, labels + 2), -1, np.int32)
    for row, ranking in enumerate(rankings):
        numbers[row, : len(ranking)] = ranking
    pairs = [{"indices": list(reversed(row)), "scores": list(reversed(row.values()))} for row in scored]
    name = "label {}".format
    yield rankings, truths, {}
    yield Ragged.of(rankings), sparse.csr_matrix(gold.astype(np.float32)), {}
    yield scored, list(map(sorted, truths)), {}
    yield pairs, gold, {}
    yield matrix, gold.astype(int), {}
    yield matrix.tocoo(), list(map(tuple, truths)), {}
    yield numbers, truths, {}
    yield numbers, gold, {"labels": labels}
    yield (
        numbers.astype(np.int64),
        [[name(x) for x in truth] for truth in truths],
        {"labels": list(map(name, range(labels)))},
    )
    yield [list(map(name, ranking)) for ranking in rankings], [set(map(name, truth)) for truth in truths], {}


def test_plain_definition(scale):
    random = np.random.default_rng(2)
    for case in range(30 * scale):
        rankings, truths, labels = random_case(random)
        weights_of = random.random(labels) + 0.5
        ks = (1, 3, 5, 20) if case % 2 else (2,)
        wanted = plain(rankings, truths, weights_of, ks)
        forms = layouts(rankings, truths, labels) if case < 5 * scale else [(rankings, truths, {})]
        for predictions, references, options in forms:
            rows = references if isinstance(references, list) else []
            named = any(isinstance(label, str) for row in rows for label in row)
            inverse = {f"label {x}": weight for x, weight in enumerate(weights_of)} if named else weights_of
            found = score(predictions, references, k=ks, inverse_propensities=inverse, **options).summary(list(wanted))
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


def test_unsorted_sparse_ties_rank_by_column():
    sparse = pytest.importorskip("scipy.sparse", reason='needs scipy: pip install -e ".[test-all]"')
    unsorted = sparse.csr_matrix((np.ones(2), [4, 1], [0, 2]), shape=(1, 5))
    for matrix in (unsorted, np.array([[0.0, 1, 0, 0, 1]])):
        assert score(matrix, [[1]]).summary()["p@1"] == 1 and score(matrix, [[4]], k=1).summary()["mrr"] == 0.5


def test_blocks_do_not_change_a_value(monkeypatch):
    random = np.random.default_rng(4)
    rankings, truths, labels = zip(*[random_case(random) for _ in range(30)], strict=True)
    rankings, truths = list(chain.from_iterable(rankings)), list(chain.from_iterable(truths))
    whole = [score(*pair, **more).columns for *pair, more in layouts(rankings, truths, max(labels))]
    monkeypatch.setattr("qassay.label_metrics.ranked_labels._NUMBERS_AT_ONCE", 40)
    monkeypatch.setattr("qassay.label_metrics.ranked_labels._ROWS_AT_ONCE", 7)
    for before, (*pair, more) in zip(whole, layouts(rankings, truths, max(labels)), strict=True):
        after = score(*pair, **more).columns
        assert all(np.array_equal(before[name], after[name]) for name in before)
