"""Cases that a reader of the card can check by hand; the test suite runs them."""

test_cases = [
    {
        "predictions": ["the Seine"],
        "references": [["Seine", "river Seine"]],
        "result": {"exact_match": 1.0, "f1": 1.0, "contains": 1.0},
    },
    {
        "predictions": ["four nations", "", "1986"],
        "references": [["four"], [], []],
        "result": {
            "exact_match": 1 / 3,
            "f1": (2 / 3 + 1) / 3,
            "has_answer_f1": 2 / 3,
            "no_answer_f1": 0.5,
            "no_answer_total": 2,
        },
    },
    {
        "predictions": ["Denmark"],
        "references": [["Danish-Norwegian patronymic surname meaning ”son of Anders”"]],
        "result": {"exact_match": 0.0, "f1": 0.0},
    },
]
