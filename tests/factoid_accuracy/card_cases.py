"""Cases that a reader of the card can check by hand; the test suite runs them."""

test_cases = [
    {  # the right candidates at the ranks 1, none, 3, 2, 1 and 4
        "predictions": [
            ["cane", "z", "z", "z", "z"],
            ["z", "z", "z", "z", "z"],
            ["z", "z", "cipolla", "z", "z"],
            ["z", "melanzane", "z", "z", "z"],
            ["birra", "z", "z", "z", "z"],
            ["z", "z", "z", "calippo", "z"],
        ],
        "references": [["cane"], ["gatto"], ["cipolla"], ["melanzane"], ["birra"], ["calippo"]],
        "result": {
            "strict_accuracy": 2 / 6,
            "lenient_accuracy": 5 / 6,
            "mrr": (1 + 0 + 1 / 3 + 1 / 2 + 1 + 1 / 4) / 6,
            "factoid_total": 6,
        },
    },
    {  # one question of each type
        "predictions": [["Dog"], [["oak"], ["elm"], ["fir"]], "I don't know", []],
        "references": [[["dog", "canine"]], [["oak"], ["elm", "Ulmus"], ["ash"], ["yew"]], "yes", []],
        "question_types": ["factoid", "list", "yesno", "summary"],
        "result": {
            "strict_accuracy": 1.0,
            "list_precision": 2 / 3,
            "list_recall": 0.5,
            "list_f1": 4 / 7,
            "yesno_accuracy": 0.0,
            "total": 4,
        },
    },
    {  # average precision (1 + 2/3) / min(10, 3)
        "predictions": [["d1", "d2", "d3"]],
        "references": [["d1", "d3", "d4"]],
        "phase": "A",
        "result": {"precision": 2 / 3, "recall": 2 / 3, "f1": 2 / 3, "map": 5 / 9, "gmap": 5 / 9 + 0.00001},
    },
]
