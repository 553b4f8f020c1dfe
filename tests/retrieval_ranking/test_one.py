"""Rankings one by one: which are scored by columns, and that both paths agree."""

import random

import qassay


def test_many_decides_by_the_number_of_documents():
    draw = random.Random(0)
    queries = [{f"d{draw.randrange(10**6)}": draw.random() for _ in range(700)} for _ in range(4)]
    golds = [dict.fromkeys([*run][:3], 1) for run in queries]
    scorer, asked = qassay.scorer("retrieval_ranking"), []
    short = scorer._short

    def counted(*row):
        asked.append(row)
        return short(*row)

    scorer._short = counted
    whole = qassay.score("retrieval_ranking", queries, golds)
    by_columns = scorer.many(queries, golds)  # 2,800 documents
    assert not asked
    assert scorer.many(queries[:3], golds[:3]) == by_columns[:3] and len(asked) == 3
    assert [row["map"] for row in by_columns] == whole.measures["map"].by_example(whole.rows).tolist()
    long = {f"d{place}": draw.random() for place in range(3000)}
    assert short(long, {"d7": 1}) is None and scorer(long, {"d7": 1})["mrr"] > 0
    assert short(list(long), {"d7": 1})["mrr"] == 1 / 8
