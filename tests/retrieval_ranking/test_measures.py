"""Ranking measures as values that are read and written as text, and their formulas against plain definitions."""

import math
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qassay import score
from qassay.retrieval_ranking.measures import (
    MEASURE_GROUPS,
    parse_measure,
    parse_measures,
)

FAST = settings(max_examples=40, deadline=None)


def test_other_names():
    for measure, *others in (
        ["map@100", "AP@100", "map_cut_100"],
        ["rprec(mult=0.2)", "Rprec_mult_0.20"],
        ["hit_rate@3", "success_3", "accuracy@3", "hit@3"],
        ["ndcg@10", "nDCG@10", "ndcg_cut_10", " ndcg @ 10 "],
        ["map(rel=2)@100", "map( rel = 2.0 )@100"],
        ["map(rel=2, denominator=min_mn)", "map(denominator=min_mn, rel=2)"],
        ["map(denominator=fixed:10)", "map(denominator=10)"],
        ["rbp(p=0.8)", "rbp(p=.80)"],
    ):
        for other in others:
            assert str(parse_measure(other)) == measure and parse_measure(other) == parse_measure(measure)


def test_recall_all_is_that_of_longmemeval():
    """Means of recall_any and recall_all of `eval_utils.py` of xiaowu0162/LongMemEval (9e0b455) for the same 300 queries."""
    random, run, judged = Random(1), {}, {}
    for query in range(300):
        ids = [f"answer_{place}" if random.random() < 0.2 else f"s{place}" for place in range(12)]
        ids[0] = ids[0] if any(name.startswith("a") for name in ids) else "answer_0"
        judged[query] = {name: 1 for name in ids if "answer" in name}
        random.shuffle(ids)
        run[query] = ids
    official = {"hit_rate": (59, 154, 220, 288), "recall_all": (3, 27, 61, 187)}
    names = {f"{name}@{k}": n / 300 for name, of in official.items() for k, n in zip((1, 3, 5, 10), of, strict=True)}
    assert score("retrieval_ranking", run, judged, measures=[*names]).summary([*names]) == pytest.approx(names)
    nothing = score("retrieval_ranking", {"q": ["a"]}, {"q": {"b": 0}}, measures=["recall_all@1"])
    assert nothing["recall_all@1"] == 0


NAMES = st.sampled_from(
    "mrr map ndcg dcg p recall hit_rate f1 rbp err rprec bpref rndcg iprec set_f num_rel gm_map".split()
)
PARAMETERS = {
    "rel": st.one_of(st.integers(0, 5), st.floats(0, 5)),
    "judged_only": st.booleans(),
    "denominator": st.sampled_from(["num_relevant", "min_mn", "min_k_relevant", "fixed:10"]),
    "gain": st.sampled_from(["linear", "exp2"]),
    "p": st.floats(0.001, 0.999),
    "mult": st.floats(0.001, 5),
    "max": st.floats(0.5, 10),
}
CUTS = st.one_of(st.just(""), st.integers(1, 10**6).map("@{}".format), st.floats(0, 1).map("@{}".format))


@settings(max_examples=400, deadline=None)
@given(st.lists(st.tuples(NAMES, st.sampled_from(["", *PARAMETERS]), CUTS, st.data()), min_size=1, max_size=3))
def test_text_and_back(parts):
    """What is a name of a measure is written in one way, and two names of other parameters are two measures."""
    found = {}
    for name, key, cut, data in parts:
        inside = f"({key}={data.draw(PARAMETERS[key])})" if key else ""
        try:
            measure = parse_measure(f"{name.upper()}{inside}{cut}")
        except ValueError:
            continue
        assert parse_measure(str(measure)) == measure and str(parse_measure(str(measure))) == str(measure)
        assert str(measure).startswith(name) and parse_measure(measure) is measure
        found[measure] = str(measure)
    assert len(set(found.values())) == len(found)


def test_lists_of_measures():
    assert list(map(str, parse_measures(["map", "MAP", "P_5", "p@5"]))) == ["map", "p@5"]
    assert list(map(str, parse_measures("map,ndcg(gain=exp2, judged_only=yes)@5"))) == [
        "map",
        "ndcg(gain=exp2, judged_only=true)@5",
    ]
    assert list(map(str, parse_measures(["mrr@3", "all_trec"]))) == ["mrr@3", *MEASURE_GROUPS["all_trec"]]
    names = "P.5,10, ndcg_cut_5,100, map, iprec_at_recall_0.10,0.20, rbp(p=0.8)"  # as trec_eval writes cutoffs
    assert list(map(str, parse_measures(names))) == [
        "p@5", "p@10", "ndcg@5", "ndcg@100", "map", "iprec@0.1", "iprec@0.2", "rbp(p=0.8)",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ngcd_cut_10", "'ndcg_cut'"),
        ("map)(", r"map\)\("),
        ("p", "p@10"),
        ("p@0", "at least 1"),
        ("ndcg@1.5", "1.5"),
        ("ndcg_cut_10@5", "ndcg_cut_10@5"),
        ("bpref@10", "bpref"),
        ("map(level=2)", r"'level=2'.*rel=\.\.\., denominator="),
        ("map(rel=-1)", "rel .*0"),
        ("rbp(p=1)", "between 0 and 1"),
        ("p@" + "9" * 400, "p@9"),
        ("err(max=2000)", "max"),
    ],
)
def test_refused_names(text, message):
    with pytest.raises(ValueError, match=message):
        parse_measure(text)


# --- formulas --------------------------------------------------------------------------------------------------------


def plain_values(ranked, judged, k):
    """The measures of one ranking that pytrec_eval lacks (test_peers.py has the others), and a few that they need, with cutoff k."""
    grades = [judged.get(document) for document in ranked]
    hits = [grade is not None and grade >= 1 for grade in grades]
    relevant, n = sum(grade >= 1 for grade in judged.values()), len(ranked)
    found, found_k = sum(hits), sum(hits[:k])
    places = [rank for rank, hit in enumerate(hits, 1) if hit]
    precisions = [number / rank for number, rank in enumerate(places, 1)]
    sums = {
        "": math.fsum(precisions),
        f"@{k}": math.fsum(p for p, rank in zip(precisions, places, strict=True) if rank <= k),
    }

    def share(a, b):
        return a / b if b else 0.0

    def dcg(levels, gain):
        return math.fsum(gain(max(level or 0, 0)) / math.log2(rank + 1) for rank, level in enumerate(levels, 1))

    values = {}
    for cut, top, hits_of in (("", n, found), (f"@{k}", k, found_k)):
        values[f"mrr{cut}"] = next((1 / rank for rank in places if rank <= top), 0.0)
        values[f"map{cut}"] = share(sums[cut], relevant)
        values[f"map(denominator=num_retrieved_relevant){cut}"] = share(sums[cut], hits_of)
        values[f"map(denominator=min_mn){cut}"] = share(sums[cut], min(relevant, n, top))
        values[f"map(denominator=min_k_relevant){cut}"] = share(sums[cut], min(relevant, k) if cut else relevant)
        values[f"map(denominator=fixed:10){cut}"] = sums[cut] / 10
        values[f"recall{cut}"] = share(hits_of, relevant)
        values[f"mrr(rel=0.5){cut}"] = next(
            (1 / rank for rank, grade in enumerate(grades[:top], 1) if grade is not None and grade >= 0.5), 0.0
        )
        values[f"rbp(p=0.7){cut}"] = math.fsum(0.3 * 0.7 ** (rank - 1) for rank in places if rank <= top)
        for name, gain in (("linear", float), ("exp2", lambda level: 2.0**level - 1)):
            ideal = sorted(judged.values(), reverse=True)[: k if cut else None]
            values[f"dcg(gain={name}){cut}"] = dcg(grades[:top], gain)
            values[f"ndcg(gain={name}){cut}"] = share(dcg(grades[:top], gain), dcg(ideal, gain))
        reading, err = 1.0, 0.0
        for rank, level in enumerate(grades[:top], 1):
            stop = (2 ** max(level or 0, 0) - 1) / 2**4
            err += reading * stop / rank
            reading *= 1 - stop
        values[f"err{cut}"] = err
    values[f"p@{k}"] = found_k / k
    values[f"f1@{k}"] = share(2 * values[f"p@{k}"] * values[f"recall@{k}"], values[f"p@{k}"] + values[f"recall@{k}"])
    unjudged = [grade is None or grade < 0 for grade in grades]
    values[f"judged@{k}"] = share(sum(not u for u in unjudged[:k]), min(k, n))
    values[f"unjudged@{k}"] = sum(unjudged[:k]) / k
    residual = 0.7**n + math.fsum(0.3 * 0.7 ** (rank - 1) for rank, u in enumerate(unjudged, 1) if u)
    values["rbp_resid(p=0.7)"] = (
        residual if any(unjudged) else 0.0
    )  # as in trec_eval: no residual if all documents are judged
    return values


DOCUMENTS = "abcdefghijkl"
RANKINGS = st.tuples(
    st.lists(st.sampled_from(DOCUMENTS), unique=True, max_size=12),
    st.dictionaries(st.sampled_from(DOCUMENTS + "xyz"), st.sampled_from([-2, -1, 0, 0.5, 1, 1.5, 2, 3, 4]), min_size=1),
)


@FAST
@given(st.lists(RANKINGS, min_size=1, max_size=8), st.integers(1, 14))
def test_formulas_are_their_plain_definitions(queries, k):
    expected = [plain_values(ranked, judged, k) for ranked, judged in queries]
    rankings, judgements = zip(*queries, strict=True)
    columns = score("retrieval_ranking", list(rankings), list(judgements), measures=list(expected[0])).columns
    for name in expected[0]:
        assert columns[str(parse_measure(name))] == pytest.approx([row[name] for row in expected], abs=1e-12), name


@FAST
@given(RANKINGS, st.integers(1, 14))
def test_judged_only_is_the_ranking_without_unjudged_documents(query, k):
    ranked, judged = query
    names = [name for name in plain_values(ranked, judged, k) if name != "rbp_resid(p=0.7)"]
    closed = [document for document in ranked if judged.get(document, -1) >= 0]
    with_option = score("retrieval_ranking", [ranked], [judged], measures=names, judged_only=True)
    without = score("retrieval_ranking", [closed], [judged], measures=names)
    for name, column in with_option.columns.items():
        assert column.tolist() == without.columns[name].tolist(), name
