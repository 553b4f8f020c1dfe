"""Tied scores: the trec_eval and input orders, best, worst and expected values against every order of the tied documents."""

import itertools
import math
import random
import re
from fractions import Fraction

import numpy as np
import pytest

from qassay import score
from qassay.retrieval_ranking.measures import parse_measure

# Better, or no worse, whenever a more relevant document moves up; with a mean over all orders in closed form.
RISING = "mrr map rprec rprec(mult=0.5) rprec(mult=1.6) ndcg dcg rbp rbp(p=0.5) recall ndcg(gain=exp2)@3 map(rel=2) mrr(rel=2)@3".split()
RISING += (
    "p(rel=2)@2 set_p set_recall set_f set_map set_relative_p utility map(denominator=num_retrieved_relevant)".split()
)
CUT = "mrr map p recall hit_rate f1 ndcg dcg rbp relative_p judged".split()
RISING += [f"{name}@{k}" for name in CUT for k in (1, 2, 3, 5, 9)]
RISING += [f"map(denominator={d}){cut}" for d in ("min_mn", "min_k_relevant", "fixed:3") for cut in ("", "@2", "@4")]
UNKNOWN = ["bpref", "err", "err@3"]  # the same, without a closed form
OTHERS = ["rbp_resid", "unjudged@2", "num_ret", "num_rel", "num_rel_ret", "num_nonrel_judged_ret"]


def column_of(name):
    return str(parse_measure(name))


def orders(groups):
    """Every order of documents in which those of a group may stand in any order."""
    for parts in itertools.product(*map(itertools.permutations, groups)):
        yield [document for part in parts for document in part]


def over_all_orders(cases, measures, **options):
    """Measure -> values of each case (groups, judgements) in every order, from rankings without scores."""
    rankings = [list(orders(groups)) for groups, _ in cases]
    judged = [case[1] for case, own in zip(cases, rankings, strict=True) for _ in own]
    every = list(itertools.chain.from_iterable(rankings))
    columns = score("retrieval_ranking", every, judged, measures=measures, **options).columns
    ends = np.cumsum(list(map(len, rankings)))[:-1]
    return {name: np.split(columns[column_of(name)], ends) for name in measures}


def with_ties(groups):
    return {document: float(len(groups) - place) for place, group in enumerate(groups) for document in group}


def as_dicts(cases):
    """Run and judgements of cases (groups, judgements)."""
    rows = {f"q{number}": case for number, case in enumerate(cases)}
    return {q: with_ties(groups) for q, (groups, _) in rows.items()}, {q: judged for q, (_, judged) in rows.items()}


def compare(cases, **options):
    """All tie rules for some queries against the values in every order."""
    every = over_all_orders(cases, RISING + UNKNOWN + OTHERS, **options)
    found = {
        ties: score(
            "retrieval_ranking", *as_dicts(cases), measures=RISING + unknown + OTHERS, ties=ties, **options
        ).columns
        for ties, unknown in (("expected", []), ("best", UNKNOWN), ("worst", UNKNOWN), ("trec", UNKNOWN))
    }
    for name in RISING + UNKNOWN + OTHERS:
        column = column_of(name)
        mean, least, most = (np.array(list(map(of, every[name]))) for of in (np.mean, np.min, np.max))
        assert (least - 1e-12 <= found["trec"][column]).all() and (found["trec"][column] <= most + 1e-12).all(), name
        if name not in UNKNOWN:
            assert found["expected"][column] == pytest.approx(mean, abs=1e-12), name
        if name not in OTHERS:
            assert found["best"][column] == pytest.approx(most, abs=1e-12), name
            assert found["worst"][column] == pytest.approx(least, abs=1e-12), name


def random_groups(rng, most):
    """Up to `most` retrieved documents in groups, and judgements of some of them and of others."""
    size = rng.randint(1, most)
    documents = rng.sample("abcdefghij", size)
    cuts = sorted(rng.sample(range(1, size), rng.randint(0, min(2, size - 1))))
    groups = [documents[first:last] for first, last in zip([0, *cuts], [*cuts, size], strict=True)]
    grades = rng.choice([(0, 1), (-1, 0, 1, 2), (1, 2, 3), (0, 0, 0, 1)])
    judged = {document: rng.choice(grades) for document in [*documents, "y", "z"] if rng.random() < 0.75}
    return groups, judged or {"z": 1}


def test_expected_best_and_worst_match_every_order(scale):
    compare([random_groups(random.Random(seed), 6) for seed in range(40 * scale)])


@pytest.mark.parametrize("options", [{"judged_only": True}, {"gain": "exp2"}, {"relevance_level": 2}], ids=str)
def test_so_they_are_with_other_options(options):
    compare([random_groups(random.Random(seed), 5) for seed in range(100, 120)], **options)


@pytest.mark.parametrize("relevant, others", [(1, 80), (30, 25), (81, 0)])
def test_expected_values_of_a_group_are_exact(relevant, others):
    """The first relevant document of 81 tied ones, counted in fractions."""
    size, k = relevant + others, 20
    grades = {f"d{place}": int(place < relevant) for place in range(size)}
    found = score(
        "retrieval_ranking",
        {"q": dict.fromkeys(grades, 1.0)},
        {"q": grades},
        measures=["mrr", "mrr@20", "hit_rate@20"],
        ties="expected",
    )
    none_in = [Fraction(math.comb(size - j, relevant), math.comb(size, relevant)) for j in range(size + 1)]
    firsts = [(none_in[j - 1] - none_in[j]) / j for j in range(1, size + 1)]
    values = [float(column[0]) for column in found.columns.values()]
    assert values == pytest.approx([float(sum(firsts)), float(sum(firsts[:k])), float(1 - none_in[k])], rel=1e-13)


def test_expected_values_of_one_large_group():
    """20,000 tied documents, without a table of all pairs; the values are known without enumeration."""
    size, names = 20_000, [f"d{place}" for place in range(20_000)]
    run, qrels = (
        {"q": dict.fromkeys(names, 1.0)},
        {"q": {name: int(place < 10_000) for place, name in enumerate(names)}},
    )
    found = score("retrieval_ranking", run, qrels, measures=["p@10", "recall@10", "map"], ties="expected")
    harmonic = sum(1 / rank for rank in range(1, size + 1))
    rest = (size - harmonic) * 9999 / (size - 1)
    assert found["p@10"] == pytest.approx(0.5, rel=1e-12) and found["recall@10"] == pytest.approx(5 / 10_000, rel=1e-12)
    assert found["map"] == pytest.approx((harmonic + rest) / size, rel=1e-12)


def random_queries(n, step=0.0):
    """A run with few scores, apart by a step, and judgements; rankings may be empty, and judgements of other documents."""
    rng, run, qrels = random.Random(n), {}, {}
    for number in range(n):
        documents = rng.sample("abcdefgh", rng.randint(0, 8))
        run[f"q{number}"] = {d: rng.randint(0, 3) + place * step for place, d in enumerate(documents)}
        judged = rng.sample("abcdefghxy", rng.randint(1, 8))
        qrels[f"q{number}"] = {document: rng.randint(-1, 3) for document in judged}
    return run, qrels


def test_bounds_enclose_every_rule():
    run, qrels = random_queries(100)
    rising = RISING + UNKNOWN
    found = {
        ties: score("retrieval_ranking", run, qrels, measures=rising, ties=ties).columns
        for ties in ("worst", "trec", "stable", "best")
    }
    bounds = score("retrieval_ranking", run, qrels, measures=rising, tie_bounds=True).columns
    for name in map(column_of, rising):
        assert (found["worst"][name] <= found["stable"][name] + 1e-12).all(), name
        assert (found["stable"][name] <= found["best"][name] + 1e-12).all(), name
        if name.startswith("set_") or name == "utility":  # the order does not matter
            assert f"{name}_ties_worst" not in bounds
            continue
        assert bounds[f"{name}_ties_worst"].tolist() == found["worst"][name].tolist()
        assert bounds[f"{name}_ties_best"].tolist() == found["best"][name].tolist()
        assert bounds[name].tolist() == found["trec"][name].tolist()


def test_without_ties_every_rule_is_the_same():
    run, qrels = random_queries(60, step=0.01)
    trec = score("retrieval_ranking", run, qrels, measures=RISING + OTHERS, tie_bounds=True)
    assert trec.summary()["tied"] == 0
    for ties in ("stable", "best", "worst", "expected"):
        columns = score("retrieval_ranking", run, qrels, measures=RISING + OTHERS, ties=ties).columns
        for name, column in columns.items():
            assert column == pytest.approx(trec.columns[name], abs=1e-12), (ties, name)


@pytest.mark.parametrize(
    "name", ["iprec@0.1", "infap", "Rndcg", "relstring", "bpref", "err@3", "map(denominator=num_retrieved_relevant)@2"]
)
def test_what_has_no_closed_form_is_refused(name):
    with pytest.raises(ValueError, match=f"(?i){re.escape(name)}.*expected"):
        score("retrieval_ranking", {"q": {"a": 1.0}}, {"q": {"a": 1}}, measures=["map", name], ties="expected")


def test_a_depth_through_tied_documents_is_refused():
    with pytest.raises(ValueError, match="depth.*ties=expected"):
        score("retrieval_ranking", {"q": {"a": 1.0}}, {"q": {"a": 1}}, ties="expected", depth=3)


def test_trec_puts_the_greater_id_first_and_stable_the_first_given():
    for given_order in itertools.permutations(["10", "9", "é", "z"]):
        run = {"q": dict.fromkeys(given_order, 0.0)}
        trec = score("retrieval_ranking", run, {"q": ["9"]}).columns["mrr"][0]
        stable = score("retrieval_ranking", run, {"q": ["9"]}, ties="stable").columns["mrr"][0]
        assert (trec, stable) == (1 / 3, 1 / (given_order.index("9") + 1))


def test_rankings_without_scores_are_never_tied():
    scores = score("retrieval_ranking", [["a", "b"]], [["b"]], ties="expected", measures=["mrr"])
    assert scores.summary() == {"mrr": 0.5, "total": 1, "missing": 0, "no_relevant": 0, "tied": 0, "unmatched": 0}
