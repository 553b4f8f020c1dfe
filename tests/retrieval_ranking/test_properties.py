"""What holds for every ranking: order and parts change nothing, ranges, perfect rankings, documents at the end."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qassay import score

FAST = settings(max_examples=20, deadline=None)
SHARES = ["mrr", "mrr@3", "map", "map@3", "map(denominator=min_mn)", "map(denominator=num_retrieved_relevant)@3", "p@3"]
SHARES += ["recall", "recall@3", "hit_rate@2", "f1@3", "rprec", "ndcg", "ndcg@3", "bpref", "infap", "rbp", "rbp_resid"]
SHARES += ["err", "iprec@0.3", "11pt_avg", "set_p", "set_recall", "set_f", "set_map", "relative_p@3", "judged@3"]
SHARES += ["unjudged@3", "set_relative_p", "bing", "g", "ndcg_rel", "rndcg"]
QUERIES = st.lists(
    st.tuples(
        st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 4).map(float), max_size=8),
        st.dictionaries(st.sampled_from("abcdefghxy"), st.integers(-1, 3), min_size=1, max_size=8),
    ),
    min_size=1,
    max_size=8,
)


@FAST
@given(QUERIES)
def test_shares_are_between_0_and_1(queries):
    run, judged = zip(*queries, strict=True)
    for ties in ("trec", "best", "worst"):
        columns = score("retrieval_ranking", list(run), list(judged), measures=SHARES, ties=ties).columns
        for name, column in columns.items():
            assert ((column >= 0) & (column <= 1 + 1e-12)).all(), name


@FAST
@given(st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 3), min_size=1))
def test_a_perfect_ranking_is_worth_1(judged):
    ranked = sorted(judged, key=judged.get, reverse=True)
    names = ["ndcg", "ndcg@3", "map", "mrr", "rprec", "bpref", "infap", "11pt_avg", "recall", "relative_p@2"]
    names += ["bing", "g", "ndcg_rel", "rndcg"]
    worth = float(any(judged.values()))
    found = score("retrieval_ranking", [ranked], [judged], measures=names).summary(names)
    assert list(found.values()) == pytest.approx([worth] * len(names), abs=1e-4)  # infAP has its epsilon


@FAST
@given(QUERIES)
def test_unjudged_documents_at_the_end_change_only_measures_of_sets(queries):
    longer = [({**run, "u1": -5.0, "u2": -6.0}, judged) for run, judged in queries]
    of_sets = "set_p set_f set_map set_relative_p map(denominator=min_mn) rbp_resid rndcg judged@3 unjudged@3".split()
    names = [name for name in SHARES if name not in of_sets]
    before, after = (
        score("retrieval_ranking", *map(list, zip(*rows, strict=True)), measures=names).columns
        for rows in (queries, longer)
    )
    for name in names:
        assert before[name].tolist() == after[name].tolist(), name
