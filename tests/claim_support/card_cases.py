"""Cases that a reader of the card can check by hand; the test suite runs them."""

test_cases = [
    {  # of three vital nuggets one is supported and one partly; one verdict is missing
        "predictions": [["support", "partial_support", "not_support", None]],
        "references": [["vital", "vital", "vital", "okay"]],
        "result": {"strict_vital_score": 1 / 3, "vital_score": 0.5, "all_score": 0.5, "unjudged": 1},
    },
    {  # two right of three attempts, and one question without an attempt
        "predictions": ["CORRECT", "CORRECT", "INCORRECT", "NOT_ATTEMPTED"],
        "references": ["Paris", "1986", "Lyon", "blue"],
        "task": "grades",
        "result": {"correct": 0.5, "accuracy_given_attempted": 2 / 3, "f1": 4 / 7},
    },
]
