"""Cases that a reader of the card can check by hand; the test suite runs them."""

test_cases = [
    {  # the gold answer in a sentence, and another city
        "predictions": ["The capital of France is Paris.", "Lyon"],
        "references": [["Paris"], ["Paris"]],
        "questions": ["what is the capital of France?", "what is the capital of France?"],
        "result": {"accepted": 0.5, "other_entity": 1, "without_question": 0},
    },
    {  # nothing and a refusal where there is no answer, nothing if there is one
        "predictions": ["", "I don't know.", "", "1986"],
        "references": [[], [], ["1986"], []],
        "result": {"equivalence": 0.5, "no_answer_accepted": 2 / 3, "has_answer_accepted": 0.0, "abstained": 2},
    },
]
