"""Cases that a reader of the card can check by hand; the test suite runs them."""

test_cases = [
    {  # relevant documents at the ranks 1, 4 and 5
        "predictions": [["a", "x", "y", "b", "c"]],
        "references": [["a", "b", "c"]],
        "measures": ["p@1", "p@2", "p@3", "p@4", "p@5", "map"],
        "result": {"p@1": 1.0, "p@2": 0.5, "p@3": 1 / 3, "p@4": 0.5, "p@5": 0.6, "map": 0.7},
    },
    {  # the first relevant document at the ranks 1, 2 and 4
        "predictions": [["a", "b"], ["x", "a"], ["x", "y", "z", "a"]],
        "references": [["a"], ["a"], ["a"]],
        "result": {"mrr": 7 / 12, "hit_rate@10": 1.0, "total": 3},
    },
    {
        "run": {"q1": {"d1": 3.0, "d2": 2.0, "d3": 1.0}, "q3": {"d1": 1.0}},
        "qrels": {"q1": {"d1": 1, "d2": 3, "d4": 2}, "q2": {"d1": 1}},
        "measures": ["ndcg", "ndcg(gain=exp2)"],
        "result": {
            "ndcg": (1 + 3 / 1.584962500721156) / (3 + 2 / 1.584962500721156 + 1 / 2) / 2,
            "missing": 1,
            "unmatched": 1,
        },
    },
]
