"""Cases that a reader of the card can check by hand; the test suite runs them."""

_RANKINGS = [["a", "b", "c", "d", "e"], ["c", "d", "b", "a", "e"], ["x", "q", "y", "r", "z"]]
_TRUE = [["a", "c"], ["b"], ["x", "y", "z", "w"]]

test_cases = [
    {  # five of seven right; F1 1, 1/2 and 2/3 of the classes 0, 1, 2, which are true 2, 2 and 3 times
        "predictions": [0, 2, 2, 1, 1, 0, 2],
        "references": [0, 1, 2, 2, 1, 0, 2],
        "per_class": True,
        "result": {
            "accuracy": 5 / 7,
            "error_rate": 2 / 7,
            "micro_f1": 5 / 7,
            "macro_f1": (1 + 1 / 2 + 2 / 3) / 3,
            "weighted_f1": (2 * 1 + 2 * 1 / 2 + 3 * 2 / 3) / 7,
            "f1[1]": 1 / 2,
            "support[2]": 3,
        },
    },
    {  # the same with a class that never occurs
        "predictions": [0, 2, 2, 1, 1, 0, 2],
        "references": [0, 1, 2, 2, 1, 0, 2],
        "labels": 4,
        "result": {"macro_f1": (1 + 1 / 2 + 2 / 3 + 0) / 4, "accuracy": 5 / 7},
    },
    {  # the class 2 is never predicted: its precision is 0 / 0
        "predictions": ["0", "1", "1", "1"],
        "references": ["0", "0", "1", "2"],
        "result": {
            "macro_precision": (1 + 1 / 3 + 0) / 3,
            "macro_recall": (1 / 2 + 1 + 0) / 3,
            "macro_f1": (2 / 3 + 1 / 2 + 0) / 3,
        },
    },
    {  # four labels of six found, one too many; wrong 3 of 16 pairs
        "predictions": [[1, 0, 0, 0], [0, 1, 1, 0], [1, 0, 0, 1], [0, 0, 0, 0]],
        "references": [[1, 0, 1, 0], [0, 1, 0, 0], [1, 1, 0, 1], [0, 0, 0, 0]],
        "layout": "indicator",
        "result": {
            "exact_match": 1 / 4,
            "hamming_loss": 3 / 16,
            "micro_precision": 4 / 5,
            "micro_recall": 4 / 6,
            "micro_f1": 8 / 11,
            "samples_f1": (2 / 3 + 2 / 3 + 4 / 5 + 0) / 4,
            "samples_jaccard": (1 / 2 + 1 / 2 + 2 / 3 + 0) / 4,
            "no_labels": 1,
        },
    },
    {  # the first has a true label at 1 and 3, the second at 3, the third at 1, 3 and 5
        "predictions": _RANKINGS,
        "references": _TRUE,
        "task": "ranked",
        "result": {
            "p@1": 2 / 3,
            "p@3": (2 + 1 + 2) / 9,
            "p@5": (2 + 1 + 3) / 15,
            "r@5": (1 + 1 + 3 / 4) / 3,
            "mrr": (1 + 1 / 3 + 1) / 3,
            "ndcg@1": 2 / 3,
            "ndcg@3": 0.707879626060774,
            "ndcg@5": 0.7187701607880485,
        },
    },
    {  # scores instead of an order
        "predictions": [{"a": 0.75, "b": 0.5, "c": 1.0}, {"a": 1.0, "b": 0.2, "c": 0.1}],
        "references": [["a"], ["c"]],
        "result": {"mrr": (1 / 2 + 1 / 3) / 2},
    },
]
