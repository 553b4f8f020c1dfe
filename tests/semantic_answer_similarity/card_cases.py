"""Cases that a reader of the card can check by hand; the test suite runs them."""

test_cases = [
    {  # equal when normalised, and one of two gold answers
        "predictions": ["the Seine", "Rome"],
        "references": [["Seine"], ["Roma", "rome"]],
        "model": "lite",
        "result": {"sas": 1.0, "sas_accuracy@0.5": 1.0},
    },
    {  # nothing against nothing, nothing against an answer, an answer against nothing
        "predictions": ["", "", "1986"],
        "references": [[], ["1986"], []],
        "model": "lite",
        "result": {"sas": 1 / 3, "has_answer_sas": 0.0, "no_answer_sas": 0.5, "no_answer_total": 2},
    },
]
