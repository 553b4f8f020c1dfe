"""Invented systems of every family, for intervals, tests, rankings, runs and labels: `system(kind, n, name, skill)`."""

import random
from collections.abc import Iterable
from typing import Any

from _inputs import rng

import qassay

_PLACES = "north south east west old new river stone tower bridge harbour mill".split()
_CLASSES = ("cat", "dog", "eel", "fox")


def _text_gold(draw: random.Random, row: int) -> list[str]:
    return [] if row % 6 == 5 else [" ".join(draw.sample(_PLACES, draw.randrange(1, 4))) for _ in range(1 + row % 2)]


def _text(draw: random.Random, gold: list[str], right: bool) -> str:
    if right:
        return draw.choice(gold) if gold else ""
    return " ".join([*(draw.choice(gold).split()[:1] if gold else []) * draw.randrange(2), *draw.sample(_PLACES, 2)])


def _judgements(draw: random.Random, row: int) -> dict[str, int]:
    return {f"d{number}": draw.choice([0, 0, 1, 1, 2]) for number in draw.sample(range(12), 5)} | {f"d{row % 12}": 1}


def _ranking(draw: random.Random, gold: dict[str, int], right: bool) -> dict[str, float]:
    found = [*gold, *(f"d{number}" for number in draw.sample(range(12), 4))]
    return {name: round(draw.random() + (gold.get(name, 0) if right else 0) / 2, 1) for name in found}


def _entities(draw: random.Random, row: int) -> list[list[str]]:
    return [[name, f"{name} {draw.choice(_PLACES)}"] for name in draw.sample(_PLACES[:6], 1 + row % 3)]


def _found_entities(draw: random.Random, gold: list[list[str]], right: bool) -> list[str]:
    found = [draw.choice(names) for names in gold[draw.randrange(2) if len(gold) > 1 else 0 :]] if right else []
    return [*draw.sample(_PLACES[6:], draw.randrange(3)), *found]


def _pipeline_gold(draw: random.Random, row: int) -> dict[str, Any]:
    texts = _text_gold(draw, row)
    return {"documents": [f"d{row % 7}"], "answers": [{"text": text, "document_id": f"d{row % 7}"} for text in texts]}


def _pipeline(draw: random.Random, gold: dict[str, Any], right: bool) -> dict[str, Any]:
    documents = [*draw.sample([f"d{number}" for number in range(7, 10)], draw.randrange(3)), *gold["documents"] * right]
    texts = [answer["text"] for answer in gold["answers"]]
    if not texts and right:
        return {"documents": documents, "answers": [None]}
    texts = [*([_text(draw, texts, False)] * draw.randrange(2)), _text(draw, texts, draw.random() < 0.8 and right)]
    answers = [{"text": text, "document_id": documents[-1] if documents else "d9"} for text in texts if text]
    return {"documents": documents, "answers": answers}


def _set_of_labels(draw: random.Random, row: int) -> list[str]:
    return sorted(draw.sample(_CLASSES, draw.randrange(3)))


def _class_scores(draw: random.Random, gold: str, right: bool) -> dict[str, float]:
    return {name: round(draw.random() + (name == gold and right), 1) for name in _CLASSES}


def _box(draw: random.Random) -> list[int]:
    x, y = draw.randrange(60), draw.randrange(60)
    return [x, y, x + draw.randrange(5, 30), y + draw.randrange(5, 30)]


def _gold_boxes(draw: random.Random, row: int) -> dict[str, Any]:
    n = 1 + row % 3
    return {"boxes": [_box(draw) for _ in range(n)], "labels": draw.choices(_CLASSES[:2], k=n)}


def _found_boxes(draw: random.Random, gold: dict[str, Any], right: bool) -> dict[str, Any]:
    boxes = [[x, y, a + draw.randrange(4), b + draw.randrange(4)] for x, y, a, b in gold["boxes"]] if right else []
    boxes, labels = [*boxes, _box(draw)], [*(gold["labels"] if right else []), draw.choice(_CLASSES[:2])]
    return {"boxes": boxes, "labels": labels, "scores": [round(draw.random(), 1) for _ in boxes]}


def _nuggets(draw: random.Random, gold: list[str], right: bool) -> list[str]:
    levels = ["support", "support", "partial_support"] if right else ["not_support", "partial_support"]
    return [draw.choice(levels) for _ in gold]


def _claims(draw: random.Random, gold: list[str], right: bool) -> dict[str, Any]:
    def verdicts(n: int) -> list[bool]:
        return [draw.random() < (0.8 if right else 0.3) for _ in range(n)]

    n, documents = draw.randrange(1, 4), 2
    return {
        "answer2response": verdicts(n),
        "response2answer": verdicts(len(gold)),
        "retrieved2response": [verdicts(documents) for _ in range(n)],
        "retrieved2answer": [verdicts(documents) for _ in gold],
    }


def _statements(draw: random.Random, gold: str, right: bool) -> list[dict[str, Any]]:
    cited = {"citations": [1, 2], "entailed": right, "alone": [right, False], "without": [False, draw.random() < 0.5]}
    return [cited, *[{"citations": []}] * draw.randrange(2), {"citations": [3], "entailed": draw.random() < 0.6}]


_GRADES = ("CORRECT", "CORRECT", "NOT_ATTEMPTED"), ("INCORRECT", "INCORRECT", "NOT_ATTEMPTED")
KINDS: dict[str, tuple[str, dict[str, Any], Any, Any]] = {  # kind -> metric, options, gold of a row, answer to a gold
    "answers": ("answer_match", {}, _text_gold, _text),
    "drop": ("answer_match", {"preset": "drop"}, lambda d, r: _text_gold(d, r) or ["7"], _text),
    "ranked answers": (
        "answer_match",
        {"top_k": (1, 2)},
        _text_gold,
        lambda d, gold, right: [_text(d, gold, False) or "x", _text(d, gold, right)][:: 1 if right else -1],
    ),
    "similarity": ("semantic_answer_similarity", {"model": "lite"}, _text_gold, _text),
    "equivalence": ("answer_equivalence", {}, _text_gold, _text),
    "rankings": (
        "retrieval_ranking",
        {"measures": ["mrr", "map", "ndcg@5", "dcg@5", "bpref", "success@1", "recall@3", "num_rel_ret", "gm_map"]},
        _judgements,
        _ranking,
    ),
    "factoids": ("factoid_accuracy", {}, lambda d, r: _entities(d, 0), _found_entities),
    "lists": ("factoid_accuracy", {"question_type": "list"}, _entities, _found_entities),
    "yes and no": (
        "factoid_accuracy",
        {"question_type": "yesno"},
        lambda d, r: d.choice(["yes", "yes", "no"]),
        lambda d, gold, right: gold if right else {"yes": "no", "no": "yes"}[gold],
    ),
    "found documents": (
        "factoid_accuracy",
        {"phase": "A"},
        lambda d, r: [f"d{number}" for number in d.sample(range(12), 1 + r % 4)],
        lambda d, gold, right: list(
            dict.fromkeys([*gold[: d.randrange(1, 4) * right], *(f"d{n}" for n in d.sample(range(20), 3))])
        ),
    ),
    "pipelines": ("retriever_reader", {"unit": "token"}, _pipeline_gold, _pipeline),
    "labels": (
        "label_metrics",
        {"labels": list(_CLASSES), "per_class": True},
        lambda d, r: d.choices(_CLASSES, [8, 6, 4, 1])[0],
        lambda d, gold, right: gold if right else d.choice(_CLASSES),
    ),
    "sets of labels": (
        "label_metrics",
        {"labels": list(_CLASSES), "task": "multi"},
        _set_of_labels,
        lambda d, gold, right: gold if right else _set_of_labels(d, 0),
    ),
    "ranked labels": (
        "label_metrics",
        {"task": "ranked", "k": (1, 3), "labels": list(_CLASSES)},
        _set_of_labels,
        lambda d, gold, right: [*gold, *(name for name in d.sample(_CLASSES, 4) if name not in gold)]
        if right
        else d.sample(_CLASSES, 4),
    ),
    "curve": (
        "average_precision",
        {},
        lambda d, r: d.random() < 0.4,
        lambda d, gold, right: round(d.random() + 0.4 * (gold if right else not gold), 1),
    ),
    "curves of classes": (
        "average_precision",
        {"labels": list(_CLASSES)},
        lambda d, r: d.choices(_CLASSES, [8, 6, 4, 2])[0],
        _class_scores,
    ),
    "boxes": ("average_precision", {"task": "boxes", "labels": list(_CLASSES[:2])}, _gold_boxes, _found_boxes),
    "nuggets": ("claim_support", {}, lambda d, r: d.choices(["vital", "okay"], k=1 + r % 4), _nuggets),
    "claims": ("claim_support", {"task": "claims"}, lambda d, r: [f"c{n}" for n in range(1 + r % 3)], _claims),
    "citations": ("claim_support", {"task": "citations"}, lambda d, r: "x", _statements),
    "grades": ("claim_support", {"task": "grades"}, lambda d, r: "x", lambda d, gold, right: d.choice(_GRADES[not right])),
}  # fmt: skip


def system(kind: str, n: int, name: str = "a", skill: float = 0.6, but: Iterable[int] = (), **given: Any) -> Any:
    """The Scores of an invented system of one of `KINDS` on n questions "q0", ..., of which some are easy.

    Systems of a kind have the same gold data. `skill` is about the share of right answers, from below 0 (none) to above 1
    (all); `but` are rows that the system does not have; `given` are columns of lists and options.
    """
    metric, options, gold_of, answer_to = KINDS[kind]
    draw, ease, own = rng(f"{kind} gold"), rng(f"{kind} ease"), rng(f"{kind} {name}")
    golds = {f"q{row}": gold_of(draw, row) for row in range(n)}
    answers = {
        key: answer_to(own, gold, own.random() < skill + 0.6 * (ease.random() - 0.5)) for key, gold in golds.items()
    }
    but = set(but)
    kept = [row for row in range(n) if row not in but]
    columns = {key: value for key, value in given.items() if key in ("weights", "groups", "no_answer_probabilities")}
    columns = {key: [column[row] for row in kept] for key, column in columns.items()}
    keys = [f"q{row}" for row in kept]
    settings = {**options, **{key: value for key, value in given.items() if key not in columns}}
    return qassay.score(
        metric, [answers[key] for key in keys], [golds[key] for key in keys], ids=keys, **columns, **settings
    )


def of_difference(found: Any) -> list[Any]:
    """A Difference as n, left out, both values, difference, low, high, method, p, corrected p, test, then the rest."""
    ends = [*found.values, found.difference, *found.interval, found.interval.method]
    tests = [found.p_value, found.p_corrected, found.test]
    examples = [found.better, found.equal, found.worse, found.effect_size, found.n_needed]
    groups = [] if found.n_groups is None else [found.n_groups, found.groups_needed]
    return [found.n, found.left_out, *ends, *tests, *examples, *groups, *found.cautions]


def of_comparison(found: Any) -> dict[str, Any]:
    """Second-first system -> measure -> the difference, of all examples and of slices; examples that were omitted."""
    parts = {"all": found.differences}
    parts |= {f"{name}={label}": own for name, labels in found.slices.items() for label, own in labels.items()}
    values = {f"{part}/{d.second}-{d.first}/{d.measure}": of_difference(d) for part, own in parts.items() for d in own}
    return {**values, **({"unmatched": list(found.unmatched.values())} if any(found.unmatched.values()) else {})}


def of_ranking(found: Any) -> dict[str, Any]:
    """A Ranking: each system as rank, its interval, value, low, high, letters, share; then p-values and the test."""
    systems = {
        of.system: [of.rank, *of.rank_interval, of.value, *of.interval, of.letters, of.best_share]
        for of in found.systems
    }
    told = [found.n, found.n_groups, found.left_out, found.test, *found.cautions]
    pairs = [found.p_values[row, column] for row in range(len(systems)) for column in range(row)]
    return {**systems, "p": pairs, "told": told}
