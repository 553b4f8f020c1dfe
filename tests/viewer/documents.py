"""Result documents of any size with made-up numbers, for tests of the viewer and for measuring it.

`python tests/viewer/documents.py 11873 > big.json` writes one, `python tests/viewer/documents.py 11873 --page > big.html` its page.
"""

import json
import random
import sys

KINDS = (
    "correct",
    "same words",
    "too long",
    "too short",
    "partial",
    "no shared word",
    "gave no answer",
    "answered an unanswerable",
)
QUESTION_WORDS = ("how", "what", "when", "which", "who")
WORDS = "lighthouse keeper storm granite barge harbour letter engine winter summer ferry island tower lamp oil fog signal coast rope net".split()


def made_document(n=64, systems=("small_model", "large_model"), *, seed=0, texts=True, words=40):
    """A document of answers to questions by systems, each better than the one before it.

    Args:
        n: number of examples.
        systems: their names.
        texts: whether examples have texts.
        words: of each context.
    """
    draw = random.Random(seed)
    golds = [[" ".join(draw.choices(WORDS, k=draw.randint(1, 4)))] if draw.random() < 0.7 else [] for _ in range(n)]
    questions = [f"{draw.choice(QUESTION_WORDS).capitalize()} {' '.join(draw.choices(WORDS, k=6))}?" for _ in range(n)]
    codes = [QUESTION_WORDS.index(question.split()[0].lower()) for question in questions]
    columns = {
        name: _answers(draw, golds, 0.45 + 0.4 * place / max(1, len(systems) - 1)) for place, name in enumerate(systems)
    }
    measures = [
        _measure("exact_match", "Exact match", main=True),
        _measure("has_answer_exact_match", "Exact match, with an answer", within="exact_match", short="with an answer"),
        _measure("f1", "F1", main=True),
        _measure("best_f1", "F1, at the best threshold", within="f1", short="at the best threshold"),
    ]
    values = {
        name: {measure: _value(own["values"][measure]) for measure in ("exact_match", "f1")}
        for name, own in columns.items()
    }
    for name in systems:
        values[name]["has_answer_exact_match"] = {**values[name]["exact_match"], "n": sum(map(bool, golds))}
        values[name]["best_f1"] = values[name]["f1"]
    pairs = [(first, second) for place, first in enumerate(systems) for second in systems[place + 1 :]]
    part = {
        "metric": "answer_match",
        "signature": "metric:answer_match|preset:squad_v2",
        "preset": "squad_v2",
        "n": n,
        "n_groups": None,
        "leads": "f1",
        "measures": measures,
        "values": values,
        "notes": {},
        "unmatched": {},
        "runs": {},
        "right_by": dict.fromkeys(systems, "exact_match"),
        "kinds": {
            "order": [{"name": kind, "meaning": f"The answer is {kind}.", "right": kind == "correct"} for kind in KINDS],
            "counts": {
                name: {kind: own["kinds"].count(code) for code, kind in enumerate(KINDS)} for name, own in columns.items()
            },
        },
        "slices": [
            _slicing("question_word", QUESTION_WORDS, codes, columns, pairs),
            _slicing("has_answer", ("no", "yes"), [int(bool(gold)) for gold in golds], columns, pairs),
        ],
        "comparisons": [
            _comparison(columns, first, second, measure) for first, second in pairs for measure in ("exact_match", "f1")
        ],
        "ranks": [_ranking(measure, values, systems) for measure in ("exact_match", "f1")] if len(systems) > 2 else [],
        "curves": _curves(systems, draw),
        "examples": {
            "ids": [f"q-{place}" for place in range(n)],
            "has_text": None,
            "question": questions if texts else None,
            "gold": golds if texts else None,
            "contexts": [" ".join(draw.choices(WORDS, k=words)) + "." for _ in range(n // 5 + 1)],
            "context": [place // 5 for place in range(n)],
            "systems": {
                name: {**own, "answers": own["answers"] if texts else None} for name, own in columns.items()
            },
            "are_texts": True,
        },
    }  # fmt: skip
    return {
        "format": "qassay.result/1",
        "kind": "compare" if len(systems) < 3 else "leaderboard",
        "version": "0.2.0",
        "date": "2026-01-01",
        "title": "",
        "description": "",
        "command": f"qassay compare gold.json {' '.join(f'{name}.json' for name in systems)}",
        "gold": "gold.json",
        "scale": 100,
        "examples_name": "questions",
        "interval": {"confidence": 0.95, "requested_method": "auto", "n_resamples": 1000, "seed": 0, "group_name": None},
        "test": {"name": "permutation", "correction": "holm", "n_permutations": 10_000, "baseline": None},
        "systems": [
            {"name": name, "title": name, "file": f"{name}.json", "runs": [], "link": None, "facts": {}}
            for name in systems
        ],
        "parts": [part],
        "remarks": [
            _remark("missing", "check", f"{systems[0]}: 2 of {n} questions have no prediction.", systems[0], [0, min(1, n - 1)]),
            _remark("few", "caution", f"With n = {n}, F1 is known to ±11.1.", None, None),
        ],
        "texts": {"budget": 20_000_000, "used": 1000, "left_out": ""},
    }  # fmt: skip


def _measure(name, title, *, main=False, within=None, short=None):
    return {
        "name": name, "title": title, "within": within, "short": short or title, "meaning": f"{title} of a prediction.",
        "low": 0, "high": 100, "is_rate": True, "lower_is_better": False, "shown": True, "main": main,
    }  # fmt: skip


def _answers(draw, golds, skill):
    answers, exact, f1, kinds = [], [], [], []
    for gold in golds:
        right = draw.random() < skill
        answer = gold if right else [" ".join(draw.choices(WORDS, k=2))] if draw.random() < 0.8 else []
        value = 100.0 if answer == gold else round(100 * draw.random() * bool(gold) * bool(answer), 6)
        answers.append(answer)
        exact.append(100.0 if value == 100 else 0.0)
        f1.append(value)
        kinds.append(
            0 if value == 100 else 7 if not gold else 6 if not answer else 5 if value < 20 else draw.randint(1, 4)
        )
    return {"answers": answers, "values": {"exact_match": exact, "f1": f1}, "kinds": kinds}


def _spread(values):
    mean = sum(values) / len(values) if values else None
    half = (
        None
        if mean is None
        else 1.96 * (sum((one - mean) ** 2 for one in values) / max(1, len(values) - 1) / len(values)) ** 0.5
    )
    return mean, half


def _value(values):
    mean, half = _spread(values)
    if mean is None:
        return {"value": None, "n": 0, "low": None, "high": None, "method": "", "few": True}
    ends = {"low": max(0.0, mean - half), "high": min(100.0, mean + half)}
    return {"value": mean, "n": len(values), **ends, "method": "wilson", "few": len(values) < 30}


def _comparison(columns, first, second, measure, rows=None):
    ours, theirs = (columns[name]["values"][measure] for name in (first, second))
    rows = range(len(ours)) if rows is None else rows
    gaps = [theirs[row] - ours[row] for row in rows]
    both = [_value([of[row] for row in rows]) for of in (ours, theirs)]
    mean, half = _spread(gaps)
    there = mean is not None
    significant = there and bool(half) and abs(mean) > half
    return {
        "measure": measure, "first": first, "second": second, "n": len(gaps), "left_out": 0,
        "values": [one["value"] for one in both], "intervals": [[one["low"], one["high"]] for one in both], "difference": mean, "low": mean - half if there else None, "high": mean + half if there else None,
        "method": "t", "p_value": 0.0002 if significant else 0.31, "p_corrected": 0.0004 if significant else 0.62, "at_most": False,
        "significant": significant, "test": "permutation", "ranked": False, "better": sum(gap > 0 for gap in gaps),
        "equal": sum(gap == 0 for gap in gaps), "worse": sum(gap < 0 for gap in gaps), "effect_size": 0.4, "n_needed": 900,
        "n_groups": None, "groups_needed": None, "cautions": [], "few": len(gaps) < 30,
    }  # fmt: skip


def _slicing(name, labels, codes, columns, pairs):
    rows = [[row for row, code in enumerate(codes) if code == place] for place in range(len(labels))]
    measures = ("exact_match", "f1")
    values = [
        {
            name: {of: _value([own["values"][of][row] for row in part]) for of in measures}
            for name, own in columns.items()
        }
        for part in rows
    ]
    comparisons = [[_comparison(columns, *pair, of, part) for pair in pairs for of in measures] for part in rows]
    titles = [f"{name.replace('_', ' ')} {label}" for label in labels]
    return {
        "name": name, "requested": False, "of_systems": False, "labels": list(labels), "titles": titles,
        "n": [len(of) for of in rows], "codes": codes, "repeats": [False] * len(labels), "values": values,
        "comparisons": comparisons, "ranks": [[] for _ in labels],
    }  # fmt: skip


def _ranking(measure, values, systems):
    order = sorted(systems, key=lambda name: -values[name][measure]["value"])
    listed = []
    for place, name in enumerate(order):
        own = values[name][measure]
        listed.append({
            "system": name, **{key: own[key] for key in ("value", "low", "high", "method", "few")}, "rank": place + 1,
            "rank_interval": [max(1, place), min(len(order), place + 2)], "letters": "abcdefghijklmnop"[place // 2],
            "best_share": 0.7 if place == 0 else 0.3 if place == 1 else 0.0, "tied_with_best": place < 2, "few": False,
        })  # fmt: skip
    size = len(order)
    p_values = [[None if a == b else 0.5 if a // 2 == b // 2 else 0.0004 for b in range(size)] for a in range(size)]
    return {
        "measure": measure, "n": values[order[0]][measure]["n"], "n_groups": None, "confidence": 0.95, "is_rate": True,
        "lower_is_better": False, "left_out": 0, "test": "sign flips", "cautions": [], "systems": listed, "p_values": p_values,
    }  # fmt: skip


def _curves(systems, draw):
    curves = []
    steps = [place / 200 for place in range(201)]
    for place, name in enumerate(systems[:3]):
        y = [40 + 10 * place + 60 * x * (1.4 - x) for x in steps]
        best = max(range(len(y)), key=y.__getitem__)
        shared = {"system": name, "label": None, "x_range": [0, 1], "y_range": None, "mark": None}
        curves.append({
            **shared, "name": "threshold", "measure": "f1", "title": "F1 by no-answer threshold", "x_title": "threshold", "y_title": "F1",
            "draw": "steps", "x": steps, "y": y, "answered": steps, "mark": {"x": steps[best], "y": y[best], "title": "best threshold"},
        })  # fmt: skip
        curves.append({
            **shared, "name": "reliability", "measure": None, "title": "Are the probabilities right?", "x_title": "no-answer probability",
            "y_title": "share without an answer", "draw": "points", "x": [0.05 + place / 10 for place in range(10)],
            "y": [min(1, draw.random() * 0.2 + place / 10) for place in range(10)], "n": [draw.randint(1, 40) for _ in range(10)],
        })  # fmt: skip
    return curves


def _remark(key, kind, text, system, examples):
    return {
        "id": key, "kind": kind, "text": text, "metric": "answer_match", "system": system, "slice": None,
        "count": len(examples) if examples else None, "examples": examples,
    }  # fmt: skip


if __name__ == "__main__":
    found = made_document(int(sys.argv[1]), words=120)
    if "--page" in sys.argv:
        from qassay.results.page import page

        sys.stdout.write(page(found))
    else:
        json.dump(found, sys.stdout)
