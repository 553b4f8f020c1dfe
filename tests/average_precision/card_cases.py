"""Cases that a reader of the card can check by hand; the test suite runs them."""

test_cases = [
    {  # the positives are first and third: half of (1 / 1 + 2 / 3)
        "predictions": [0.9, 0.6, 0.4],
        "references": [True, False, True],
        "result": {"average_precision": (1 + 2 / 3) / 2, "positives": 2, "total": 3},
    },
    {  # all tied: the share of positives
        "predictions": [0.5, 0.5, 0.5, 0.5],
        "references": [1, 0, 0, 0],
        "result": {"average_precision": 0.25},
    },
    {  # at 0.5 two are taken, one is right; the positive below is never reached
        "predictions": [0.9, 0.6, 0.4],
        "references": ["yes", "no", "yes"],
        "pos_label": "yes",
        "thresholds": [0.5],
        "result": {"average_precision": 0.5 * 0.5, "below_thresholds": 1},
    },
    {  # "a" is ranked right, "b" second of two
        "predictions": [{"a": 0.9, "b": 0.6}, {"a": 0.2, "b": 0.5}],
        "references": ["a", "b"],
        "per_class": True,
        "result": {"map": 0.75, "average_precision[a]": 1.0, "average_precision[b]": 0.5, "no_positives": 0},
    },
    {  # recall 1/2 with precision 1, then 1 with 2/3: 6 of the 11 recalls have 1, 5 have 2/3
        "predictions": [0.9, 0.6, 0.4],
        "references": [True, False, True],
        "interpolation": "voc11",
        "result": {"average_precision": (6 + 5 * 2 / 3) / 11},
    },
    {  # a box that is found whole, a wrong one, and one found by six tenths
        "predictions": [
            {"boxes": [[0, 0, 10, 10], [20, 20, 30, 30]], "scores": [0.9, 0.8]},
            {"boxes": [[0, 0, 10, 6]], "scores": [0.7]},
        ],
        "references": [{"boxes": [[0, 0, 10, 10]]}, {"boxes": [[0, 0, 10, 10]]}],
        "task": "boxes",
        "style": "voc",
        "result": {"map": (1 + 2 / 3) / 2, "iou": 0.8, "accuracy@0.5": 1.0},
    },
    {  # one box per question: a quarter of the gold box
        "predictions": [[0, 0, 10, 10], [5, 5, 5, 5]],
        "references": [[0, 0, 10, 10], [0, 0, 10, 10]],
        "task": "boxes",
        "box_format": "xywh",
        "result": {"iou": 0.625, "accuracy@0.5": 0.5, "missing": 0},
    },
]
