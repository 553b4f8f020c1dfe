"""retrieval_ranking against pytrec_eval (trec_eval 9's own code) and scikit-learn on random and adversarial rankings."""

import math
import random

import numpy as np
import pytest
import pytrec_eval

from qassay import score
from qassay.retrieval_ranking.measures import parse_measure

from .as_tables import as_tables

CUTS = (1, 2, 3, 5, 10, 37, 1000)
FAMILIES = ("P", "recall", "ndcg_cut", "map_cut", "success", "relative_P")
RECALLS = [f"{tenth / 10:.2f}" for tenth in range(11)]
INTERPOLATED = [f"iprec_at_recall_{x}" for x in RECALLS]
NAMES = [f"{family}_{k}" for family in FAMILIES for k in CUTS] + INTERPOLATED
NAMES += [f"Rprec_mult_{fifth / 5:.2f}" for fifth in range(1, 11)]
PLAIN = ["map", "recip_rank", "Rprec", "bpref", "infAP", "ndcg", "11pt_avg", "utility"]
PLAIN += ["set_P", "set_recall", "set_relative_P", "set_F", "set_map"]
PLAIN += ["num_ret", "num_rel", "num_rel_ret", "num_nonrel_judged_ret"]
NAMES += PLAIN
THEIRS = {*PLAIN, *(f"{family}.{','.join(map(str, CUTS))}" for family in FAMILIES)}
THEIRS |= {"iprec_at_recall", "Rprec_mult", "gm_map", "gm_bpref"}
TOLERANCE = 1e-12

IDS = {
    "short": lambda i, rng: f"d{i}",
    "numbers": lambda i, rng: str(i),  # "9" comes after "10"
    "prefixes": lambda i, rng: "a" * (i + 1),
    "long": lambda i, rng: "x" * 500 + str(i),
    "cases": lambda i, rng: "".join(rng.choice("aA_-. /é") for _ in range(3)) + str(i),
    "unicode": lambda i, rng: (
        rng.choice(["é", "e\u0301", "中文", "\uffee", "\U0001f600", "ß", "\ue000"]) + str(i % 7) + f" {i}"
    ),
}
SCORES = {
    "distinct": lambda i, rng: rng.random(),
    "logits": lambda i, rng: rng.gauss(-5, 3),
    "few": lambda i, rng: rng.choice([0.0, 0.5, 1.0]),
    "pairs": lambda i, rng: float(i // 2),
    "same": lambda i, rng: 1.0,
    "zeros": lambda i, rng: rng.choice([0.0, -0.0]),
    "endless": lambda i, rng: rng.choice([math.inf, -math.inf, 0.0, 3.0]),
    "near": lambda i, rng: 10.0 + rng.randrange(4) * 1e-9,  # float32 sees one value
    "wide": lambda i, rng: rng.choice([1e30, -1e30, 1e-30, 1.0]) * rng.choice([1, 2, 3]),
}
GRADES = {
    "binary": (0, 1),
    "graded": (0, 1, 2, 3, 4),
    "pooled": (-1, 0, 1),
    "negative": (-3, -2, -1, 0, 1, 2),
    "relevant": (1, 2),
    "irrelevant": (0, -1),
}


def make_query(rng, longest):
    name, number = IDS[rng.choice(list(IDS))], SCORES[rng.choice(list(SCORES))]
    documents = list(dict.fromkeys(name(i, rng) for i in range(rng.randint(1, longest))))
    grades = GRADES[rng.choice(list(GRADES))]
    retrieved = rng.sample(documents, rng.randint(1, len(documents)))
    judged = rng.sample(documents, rng.randint(1, len(documents)))
    run = {document: number(i, rng) for i, document in enumerate(retrieved)}
    judgements = {document: rng.choice(grades) for document in judged}
    if max(judgements.values()) < 0:  # pytrec_eval writes outside its memory here
        judgements[judged[0]] = 0
    return run, judgements


def make_case(seed, n_queries=100, longest=60):
    rng = random.Random(seed)
    queries = {f"q{i}": make_query(rng, longest) for i in range(n_queries)}
    run = {identifier: ranking for identifier, (ranking, _) in queries.items()}
    qrels = {identifier: judged for identifier, (_, judged) in queries.items()}
    for identifier in rng.sample(sorted(run), len(run) // 20):
        del run[identifier]
    return run, qrels


def to_float32(run):
    return {q: {d: float(np.float32(value)) for d, value in ranking.items()} for q, ranking in run.items()}


def same_rounding(name, relevant):
    """trec_eval 9 and 10 round the number of relevant documents of a recall level each in its own way."""
    levels = {"11pt_avg": range(11)}.get(name) or [round(float(name.rpartition("_")[2]) * 10)]
    return all(int(x / 10 * relevant + 0.9) == math.floor(x / 10 * relevant + 0.5) for x in levels)


def compare(run, qrels, columns=None, level=1, judged_only=False, **options):
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, THEIRS, relevance_level=level, judged_docs_only_flag=judged_only)
    theirs = evaluator.evaluate(run)
    scores = score(
        "retrieval_ranking",
        *(columns or (run, qrels)),
        measures=[*NAMES, "gm_map", "gm_bpref"],
        relevance_level=level,
        judged_only=judged_only,
        **options,
    )
    assert list(scores.ids) == list(qrels)
    assert scores.subsets["missing"].tolist() == [identifier not in run for identifier in qrels]
    compared = 0
    for name in NAMES:
        ours = scores.columns[str(parse_measure(name))].tolist()
        for identifier, value in zip(scores.ids, ours, strict=True):
            if identifier not in theirs:
                assert value == 0.0 or name == "num_rel", (identifier, name)
            elif math.isnan(theirs[identifier][name]):  # of a ranking that is empty
                assert value == 0.0, (identifier, name)
            elif not name.startswith(("iprec", "11pt")) or same_rounding(name, theirs[identifier]["num_rel"]):
                assert abs(value - theirs[identifier][name]) <= TOLERANCE, (identifier, name, value, theirs[identifier])
                compared += 1
    for name in ("gm_map", "gm_bpref"):
        logs = [theirs[identifier][name] if identifier in theirs else math.log(1e-5) for identifier in qrels]
        assert scores.summary()[str(parse_measure(name))] == pytest.approx(math.exp(sum(logs) / len(logs)), rel=1e-12)
    return compared


def test_scores_are_pytrec_evals(scale):
    """Of float32, of float64 where float32 holds them, and of columns."""
    for seed in range(2 * scale):
        run, qrels = make_case(seed)
        assert compare(run, qrels, score_dtype="float32") > 5000
        compare(run, qrels, as_tables(run, qrels), score_dtype="float32")
        run, qrels = make_case(seed + 20)
        run = to_float32(run)
        assert compare(run, qrels) > 5000
        compare(run, qrels, as_tables(run, qrels))


@pytest.mark.parametrize("options", [{"level": 2}, {"judged_only": True}], ids=str)
def test_options_are_pytrec_evals(options, scale):
    for seed in range(60, 60 + scale):
        run, qrels = make_case(seed)
        compare(to_float32(run), qrels, **options)


@pytest.mark.parametrize("ties", ["best", "worst", "expected"])
def test_columns_and_dicts_are_the_same_under_every_rule(ties):
    """`trec` and `stable` are in test_layouts.py."""
    few = ["map", "mrr", "ndcg@10"]  # needs no irrelevant documents
    for measures in ([*few, "mrr@3", "p@5", "recall@10", "rbp_resid", "judged@10"], few):
        run, qrels = make_case(len(measures), n_queries=30, longest=20)
        table, judged = as_tables(run, qrels)
        table = table.take(np.random.default_rng(50).permutation(len(table)))
        options = {"measures": measures, "ties": ties, "score_dtype": "float32"}
        expected = score("retrieval_ranking", run, qrels, **options)
        for forms in ((table, judged), (table.to_pydict(), qrels)):
            assert score("retrieval_ranking", *forms, **options) == expected


@pytest.mark.parametrize("one", ["a", "a" * 16])
def test_ids_that_differ_by_their_last_zero_bytes(one):
    ids = [one, *(f"{one}{chr(0) * n}" for n in (1, 2, 7, 8, 9)), "b\0", "`"]
    run = {"q": {identifier: float(place) for place, identifier in enumerate(ids)}}
    for judged in ids:
        qrels = {"q": {judged: 1}}
        expected = score("retrieval_ranking", run, qrels)
        assert score("retrieval_ranking", *as_tables(run, qrels)) == expected
        assert expected.columns["mrr"][0] == 1 / (len(ids) - ids.index(judged))


def test_long_rankings_are_pytrec_eval():
    run, qrels = make_case(40, n_queries=8, longest=1500)
    compare(run, qrels, as_tables(run, qrels), score_dtype="float32")


def test_a_query_without_documents_is_zero_not_nan():
    """pytrec_eval gives NaN for its interpolated precision at recall 0."""
    scores = score("retrieval_ranking", {"a": {}, "b": {"x": 1.0}}, {"a": {"x": 1}, "b": {"x": 1}}, measures=NAMES)
    for name in NAMES:
        value = scores.columns[str(parse_measure(name))][0]
        assert value == (1.0 if name == "num_rel" else 0.0), name


def test_a_query_with_negative_relevance_only_is_zero_too():
    """pytrec_eval crashes here, or takes levels of the query before."""
    run, qrels = {"a": {"x": 1.0}, "b": {"x": 1.0, "y": 0.5}}, {"a": {"x": 2}, "b": {"x": -3, "y": -1}}
    columns = score("retrieval_ranking", run, qrels, measures=NAMES).columns
    for name in NAMES:
        expected = {"num_ret": 2, "utility": -2}.get(name, 0)
        assert columns[str(parse_measure(name))][1] == expected, name


def grid(rng, n_values, n_queries=40, longest=9, grades=(0, 1, 2, 3)):
    """Equally many documents per query, all judged, as matrices, and as run and judgements."""
    documents = rng.integers(2, longest)
    relevance = rng.choice(grades, (n_queries, documents))
    numbers = rng.integers(0, n_values, (n_queries, documents)) / 8 if n_values else rng.random((n_queries, documents))
    names = [f"d{i}" for i in range(documents)]
    run, qrels = (
        {f"q{i}": dict(zip(names, row, strict=True)) for i, row in enumerate(matrix.tolist())}
        for matrix in (numbers, relevance)
    )
    return numbers, relevance, run, qrels


@pytest.mark.parametrize("n_values", [None, 1, 4])
def test_expected_ndcg_and_dcg_match_scikit_learn(n_values, sklearn, scale):
    cuts = [1, 2, 3, 5, 20]
    measures = ["ndcg", "dcg", *(f"{name}@{k}" for name in ("ndcg", "dcg") for k in cuts)]
    for seed in range(scale):
        numbers, relevance, run, qrels = grid(np.random.default_rng(seed), n_values)
        columns = score("retrieval_ranking", run, qrels, measures=measures, ties="expected").columns
        for k in [None, *cuts]:
            for name in ("ndcg", "dcg"):
                theirs = getattr(sklearn, f"{name}_score")
                expected = [theirs(true[None], row[None], k=k) for true, row in zip(relevance, numbers, strict=True)]
                assert columns[f"{name}@{k}" if k else name] == pytest.approx(expected, abs=TOLERANCE)
