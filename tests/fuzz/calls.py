"""Valid calls of the Python API for every family, each made by a `random.Random`, and the same rows permuted, doubled and divided."""

import dataclasses
import itertools
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

import numpy as np

Columns = dict[str, Any]
_TEXTS = (
    "Paris", "in Paris", "the", "", "a", "Rome", "Rome Roma", "1,000", "12", "3.5", "don't", "yes", "no", "noanswer",
    "日本", "e\u0301", " ", "a-b c", "\x00", "9" * 400, "１２", "l'été", "New York City", "nan", "1e400",
)  # fmt: skip
CALL_IDS = ("q1", "q2", "q3", "q4", "q5", "q6")


@dataclasses.dataclass
class Call:
    """A call of `qassay.score`: a family, its columns as plain lists (or dicts by id) and its options."""

    family: str
    columns: Columns
    options: dict[str, Any]

    def __str__(self) -> str:
        shown = [f"{name}={_text_of(value)}" for name, value in {**self.columns, **self.options}.items()]
        return f"qassay.score({self.family!r}, {', '.join(shown)})"


def _text_of(value: Any) -> str:
    try:
        return ascii(value)[:300]
    except Exception as error:  # noqa: BLE001 - hostile values do not all have a text
        return f"<{type(value).__name__} ({type(error).__name__})>"


def _some(random: Random, options: Mapping[str, Sequence], share: float = 0.25) -> dict[str, Any]:
    """Some of these options, each with one value."""
    return {name: random.choice(values) for name, values in options.items() if random.random() < share}


def random_text(random: Random) -> str:
    return " ".join(random.choice(_TEXTS) for _ in range(random.choice((1, 1, 1, 2, 3))))


def random_texts(random: Random, least: int, most: int) -> list[str]:
    return [random_text(random) for _ in range(random.randint(least, most))]


def _weights(random: Random, n: int) -> dict[str, list]:
    return (
        {"weights": [random.choice((0, 1, 1, 2.5, 0.1)) for _ in range(n - 1)] + [1]} if random.random() < 0.2 else {}
    )


def _span(random: Random) -> tuple[int, int]:
    start = random.randint(0, 9)
    return start, start + random.randint(1, 9)


_SQUAD_OPTIONS = {"missing": ("zero", "skip", "error"), "duplicates": ("error", "first", "last")}


def answer_match(random: Random) -> tuple[Columns, dict[str, Any]]:
    """Answers, DROP or HotpotQA."""
    n, preset = random.randint(1, 5), random.choice((None,) * 6 + ("drop", "hotpotqa"))
    options = _some(random, _SQUAD_OPTIONS)
    if preset == "drop":
        predictions: list = [random.choice((random_text(random), random_texts(random, 0, 3), None)) for _ in range(n)]
        references: list = [
            random.choice(([random_text(random)], [random_texts(random, 1, 3)], [{"number": "12", "date": {}, "spans": []}],
                           [{"number": random.choice((7, 10**400, 1.5)), "spans": []}]))
            for _ in range(n)
        ]  # fmt: skip
        return {"predictions": predictions, "references": references}, {**options, "preset": "drop"}
    if preset == "hotpotqa":
        facts = [[["A", 0]], [["A", 0], ["B", 2]], []]
        columns: Columns = {
            "predictions": [random_text(random) for _ in range(n)],
            "references": [[random_text(random)] for _ in range(n)],
        }
        if random.random() < 0.5:
            columns |= {name: [random.choice(facts) for _ in range(n)] for name in ("predicted_facts", "gold_facts")}
        return columns, {**options, "preset": "hotpotqa"}
    names = ["squad", "none", "french", "cjk", "triviaqa", "bioasq", "korquad", "mlqa:de", ["lowercase"]]
    options |= _some(
        random,
        {
            "normalizer": names,
            "empty_gold": ("drop", "keep"),
            "empty_f1": (0.0, 1.0, 1),
            "unit": ("token", "character"),
        },
    )
    ranked = random.random() < 0.2
    if ranked:
        options["top_k"] = random.choice(((1, 3, 5), 1, [2], np.array([1, 2]), range(1, 3), 10**6))
    if random.random() < 0.1:
        options = {name: value for name, value in options.items() if name not in ("normalizer", "empty_gold")}
        options["unit"] = "offset"

        def answer() -> Any:
            return random.choice((_span(random), None))

        golds: list = [[_span(random) for _ in range(random.randint(0, 2))] for _ in range(n)]
    else:

        def answer() -> Any:
            return random_text(random)

        least, most = random.choice(((0, 3), (0, 3), (1, 1)))
        golds = [random_texts(random, least, most) for _ in range(n)]
    rows = [[answer() for _ in range(random.randint(0, 4))] if ranked else answer() for _ in range(n)]
    columns = {"predictions": rows, "references": golds, **_weights(random, n)}
    if random.random() < 0.25:
        columns["no_answer_probabilities"] = [random.choice((0, 0.5, 1.0, 0.25)) for _ in range(n)]
        options |= _some(random, {"no_answer_threshold": (0.5, 0, 1, -0.5)})
    return columns, options


def semantic_answer_similarity(random: Random) -> tuple[Columns, dict[str, Any]]:
    """Answers by the built-in scorer."""
    n = random.randint(1, 3)
    options = {"model": "lite", **_some(random, _SQUAD_OPTIONS)}
    options |= _some(
        random,
        {"raw": (True, False), "symmetric": (True, False), "thresholds": ((0.5,), 0.3, [0.1, 0.9]), "normalizer": ("none",),
         "batch_size": (1, 2, 64), "progress": (False, None), "device": ("cpu",)},
    )  # fmt: skip
    rows: list = [random_text(random) for _ in range(n)]
    if random.random() < 0.2:
        options["top_k"] = random.choice(((1, 3), 2))
        rows = [random_texts(random, 0, 3) for _ in range(n)]
    columns: Columns = {"predictions": rows, "references": [random_texts(random, 0, 2) for _ in range(n)]}
    return {**columns, **_weights(random, n)}, options


def answer_equivalence(random: Random) -> tuple[Columns, dict[str, Any]]:
    """Answers by the built-in scorer, with and without questions."""
    n = random.randint(1, 3)
    options = {"model": "lite", **_some(
        random,
        {"missing": ("zero", "skip", "error"), "duplicates": ("first", "last", "error"), "threshold": (0.5, 0.3, 1.0),
         "use_questions": (True, False), "progress": (False, None)},
    )}  # fmt: skip
    columns: Columns = {
        "predictions": [random_text(random) for _ in range(n)],
        "references": [random_texts(random, 0, 2) for _ in range(n)],
    }
    if random.random() < 0.6:
        columns["questions"] = [random_text(random) for _ in range(n)]
    return {**columns, **_weights(random, n)}, options


def claim_support(random: Random) -> tuple[Columns, dict[str, Any]]:
    """Verdicts on nuggets, claims, citations or whole answers, some missing."""
    n, task = random.randint(1, 5), random.choice(("nuggets", "claims", "citations", "grades"))
    options = {"task": task, **_some(
        random,
        {"unjudged": ("skip", "zero", "error"), "empty": ("official", "zero", "skip"), "missing": ("zero", "skip", "error"),
         "duplicates": ("first", "last", "error")},
    )}  # fmt: skip

    def entailed() -> Any:
        return random.choice(("Entailment", "Neutral", "contradiction", True, False, 1, 0.0, "yes", "no", None))

    def several(most: int) -> list[Any]:
        return [entailed() for _ in range(random.randint(0, most))]

    if task == "grades":
        grades = ("CORRECT", "INCORRECT", "NOT_ATTEMPTED", "A", "b", "C", "not attempted", True, None)
        rows: list = [random.choice(grades) for _ in range(n)]
        return {
            "predictions": rows,
            "references": [random_text(random) for _ in range(n)],
            **_weights(random, n),
        }, options
    if task == "citations":
        rows = [[_statement(random, entailed) for _ in range(random.randint(0, 3))] for _ in range(n)]
        return {
            "predictions": rows,
            "references": [random_text(random) for _ in range(n)],
            **_weights(random, n),
        }, options
    if task == "claims":
        rows, golds = [], []
        for _ in range(n):
            own, gold, documents = (random.randint(0, 3) for _ in range(3))
            sizes = {
                "answer2response": own,
                "response2answer": gold,
                "retrieved2response": own,
                "retrieved2answer": gold,
            }
            given = random.sample(list(sizes), random.choice((4, 4, 2, 1)))
            rows.append(
                {
                    name: [
                        [entailed() for _ in range(documents)] if name.startswith("retrieved") else entailed()
                        for _ in range(sizes[name])
                    ]
                    for name in given
                }
            )
            golds.append([random_text(random) for _ in range(gold)])
        return {"predictions": rows, "references": golds, **_weights(random, n)}, options
    words = ("support", "partial_support", "not_support", "Support", "failed", None, 0.5, True)
    golds = [random.choices(("vital", "okay", "Vital"), k=random.randint(0, 4)) for _ in range(n)]
    return {
        "predictions": [random.choices(words, k=len(gold)) for gold in golds],
        "references": golds,
        **_weights(random, n),
    }, options


def _statement(random: Random, entailed: Callable[[], Any]) -> dict[str, Any]:
    cited = [random.randint(1, 5) for _ in range(random.randint(0, 3))]
    return {
        "citations": cited,
        "entailed": entailed(),
        "alone": [entailed() for _ in cited],
        "without": [entailed() for _ in cited],
    }


def factoid_accuracy(random: Random) -> tuple[Columns, dict[str, Any]]:
    """Entities by the rules of BioASQ."""
    n = random.randint(1, 5)
    options = _some(
        random,
        {"version": (2, 3, 5, 8, 9), "missing": ("zero", "skip", "error"), "duplicates": ("first", "last", "error")},
    )
    names = ("dog", "canine", "cat", "Felis catus", "fox", "T-cell", "β", "5")

    def some(most: int) -> list[str]:
        return random.sample(names, random.randint(1, most))

    if random.random() < 0.2:
        rows = [[f"doc{random.randint(1, 6)}" for _ in range(random.randint(0, 4))] for _ in range(n)]
        golds: list = [[f"doc{x}" for x in random.sample(range(1, 7), random.randint(1, 4))] for _ in range(n)]
        return {"predictions": rows, "references": golds, **_weights(random, n)}, {**options, "phase": "A"}
    options |= _some(random, {"top_k": (5, 1, None, 10**6), "normalizer": ("bioasq", "squad", "none")})
    types = [random.choice(("factoid", "factoid", "list", "yesno")) for _ in range(n)]
    gold = {
        "factoid": lambda: some(2),
        "list": lambda: [some(2) for _ in range(random.randint(1, 3))],
        "yesno": lambda: random.choice(("yes", "no")),
    }
    answer = {
        "factoid": lambda: random.choice((some(4), [[name] for name in some(3)])),
        "list": lambda: random.choice((some(4), [some(2) for _ in range(3)])),
        "yesno": lambda: random.choice(("yes", "no", "maybe")),
    }
    columns = {
        "predictions": [answer[kind]() for kind in types],
        "references": [gold[kind]() for kind in types],
        "question_types": types,
    }
    return {**columns, **_weights(random, n)}, options


def label_metrics(random: Random) -> tuple[Columns, dict[str, Any]]:
    """One label per row, sets of labels, or rankings."""
    n, task = random.randint(1, 6), random.choice(("single", "single", "multi", "ranked"))
    classes: list = random.choice((["cat", "dog", "fox"], [0, 1, 2], [5, 7, 2**70], [True, False], [-1, 1], [0.5, 1.5]))
    options: dict[str, Any] = _some(random, {"zero_division": (0, 1, 0.0, float("nan")), "per_class": (True, False)})
    if random.random() < 0.3:
        options["labels"] = random.choice((classes, [*classes, "extra"] if classes[0] == "cat" else classes))
    if task == "single":
        sides: list = [[random.choice(classes) for _ in range(n)] for _ in range(2)]
    elif task == "multi":
        options["task"] = "multi"
        sides = [[random.sample(classes, random.randint(0, len(classes))) for _ in range(n)] for _ in range(2)]
        if sides[0] and all(len(set(row)) == len(row) for side in sides for row in side) and classes[0] in (0, True):
            sides = [[set(row) for row in side] for side in sides]
    else:
        options = {name: value for name, value in options.items() if name == "labels"}
        options |= {"task": "ranked", **_some(random, {"k": ((1, 3), 1, [2, 5], np.array([1]))}, 0.5)}
        scored = random.random() < 0.4
        given = [random.sample(classes, random.randint(0, len(classes))) for _ in range(n)]
        sides = [
            [{label: random.choice((0.5, 1, -2.0)) for label in row} for row in given] if scored else given,
            [random.sample(classes, random.randint(0, len(classes))) for _ in range(n)],
        ]
        if random.random() < 0.3:
            options |= {
                "label_counts": dict.fromkeys(classes, 3),
                "n_train": 20,
                **_some(random, {"A": (0.5,), "B": (1, 2.6)}),
            }
        elif random.random() < 0.2:
            options["inverse_propensities"] = {label: 1.5 for label in classes}
    return {"predictions": sides[0], "references": sides[1], **_weights(random, n)}, options


def average_precision(random: Random) -> tuple[Columns, dict[str, Any]]:
    """One score per example, a score per class, or boxes."""
    n, kind = random.randint(1, 6), random.choice(("one", "one", "dicts", "lists", "boxes"))
    options: dict[str, Any] = _some(
        random, {"interpolation": ("none", "voc11", "all_points", "coco101"), "per_class": (True,)}
    )

    def score() -> Any:
        return random.choice((0.5, 0.25, 1, 0, -3.5, 1e300, 0.1))

    if kind == "boxes":
        options |= {"task": "boxes", **_some(random, {"style": ("coco", "voc"), "iou_thresholds": ((0.5, 0.75), 0.3),
                                                       "max_detections": (1, 100), "box_format": ("xywh",)})}  # fmt: skip

        def row(found: bool) -> Any:
            boxes = [
                [x := random.randint(0, 5), y := random.randint(0, 5), x + 2 + y, y + x + 3]
                for _ in range(random.randint(0, 3))
            ]
            given: dict[str, Any] = {"boxes": boxes, "labels": [random.choice(("a", "b")) for _ in boxes]}
            return {**given, "scores": [score() for _ in boxes]} if found else given

        return {
            "predictions": [row(True) for _ in range(n)],
            "references": [row(False) for _ in range(n)],
            **_weights(random, n),
        }, options
    options |= _some(random, {"thresholds": ((0.1, 0.5), 0.5, [0, 1])})
    if "thresholds" not in options:
        options |= _some(random, {"ties": ("grouped", "stable")})
    if kind == "one":
        options.pop("per_class", None)
        references: list = [random.choice((True, False)) for _ in range(n)]
        positive = random.choice((None, None, "yes", 3))
        if positive is not None:
            options["pos_label"] = positive
            references = [positive if right else {"yes": "no", 3: 1}[positive] for right in references]
            references[0] = positive
        return {"predictions": [score() for _ in range(n)], "references": references, **_weights(random, n)}, options
    classes = ["a", "b", "c"]
    rows: list = [{label: score() for label in classes} for _ in range(n)]
    references = [random.choice(classes) for _ in range(n)]
    if random.random() < 0.4:
        references = [random.sample(classes, random.randint(0, 3)) for _ in range(n)]
    if kind == "lists":
        rows, options["labels"] = [list(row.values()) for row in rows], classes
    return {"predictions": rows, "references": references, **_weights(random, n)}, options


def retrieval_ranking(random: Random) -> tuple[Columns, dict[str, Any]]:
    """Rankings by query, as dicts, lists, rows or tables."""
    n = random.randint(1, 4)
    measures = ["map", "ndcg@3", "p@2", "mrr", "recall", "bpref", "rbp(p=0.8)", "err@5", "iprec@0.1", "11pt_avg", "infap",
                "hit_rate@1", "f1@2", "rprec", "gm_map", "dcg", "utility", "set_f", "judged@3", "rbp", "rbp_resid"]  # fmt: skip
    options: dict[str, Any] = _some(
        random,
        {"measures": (["official"], "map,ndcg@5", ["P_5", "success.1"], random.sample(measures, 3), random.sample(measures, 6)),
         "ties": ("trec", "stable", "best", "worst"), "tie_bounds": (True, np.bool_(False)), "score_dtype": ("float32",),
         "missing": ("zero", "skip", "error"), "relevance_level": (1, 2, 0, 0.5, np.int64(1)), "preset": ("nlpcc",),
         "ap_denominator": ("num_relevant", "min_mn", "num_retrieved_relevant", "min_k_relevant", "fixed:10", 5),
         "gain": ("linear", "exp2", {1: 1, 2: 5}), "judged_only": (True,), "skip_trivial": (True,)}, 0.2,
    )  # fmt: skip
    documents = [f"d{x}" for x in range(8)]
    qrels = {
        q: {d: random.choice((0, 1, 1, 2)) for d in random.sample(documents, random.randint(1, 5))}
        for q in CALL_IDS[:n]
    }
    run = {
        q: {d: random.choice((0.5, 0.25, 1.5, 2, -1, 7.25)) for d in random.sample(documents, random.randint(1, 6))}
        for q in CALL_IDS[:n]
    }
    kind = random.choice(("dicts", "lists", "rows", "table"))
    if kind == "dicts":
        return {"predictions": run, "references": qrels}, options
    if kind == "table":
        flat = [(q, d, x) for q, row in run.items() for d, x in row.items()]
        judged = [(q, d, x) for q, row in qrels.items() for d, x in row.items()]
        return {
            "predictions": dict(zip(("query", "document", "score"), map(list, zip(*flat, strict=True)), strict=True)),
            "references": dict(
                zip(("query", "document", "relevance"), map(list, zip(*judged, strict=True)), strict=True)
            ),
        }, options
    lists = [list(row) for row in run.values()]
    relevant: list = [[d for d, level in row.items() if level] or [documents[0]] for row in qrels.values()]
    if kind == "rows":
        return {
            "predictions": [{"id": q, "documents": row} for q, row in zip(CALL_IDS, lists, strict=False)],
            "references": [{"id": q, "documents": row} for q, row in zip(CALL_IDS, relevant, strict=False)],
        }, options
    columns: Columns = {"predictions": lists, "references": relevant, **_weights(random, n)}
    if random.random() < 0.3:
        columns["scores"] = [list(row.values()) for row in run.values()]
    if random.random() < 0.3:
        columns["references"], columns["relevances"] = (
            [list(row) for row in qrels.values()],
            [list(row.values()) for row in qrels.values()],
        )
    return columns, options


def retriever_reader(random: Random) -> tuple[Columns, dict[str, Any]]:
    """Documents and answers of a pipeline."""
    n = random.randint(1, 4)
    options: dict[str, Any] = _some(
        random,
        {"ap_denominator": ("num_relevant", "num_retrieved_relevant"), "denominator": ("correct_retrievals", "queries"),
         "top_k": (1, 3, 10**6), "missing": ("zero", "skip", "error"), "duplicates": ("error", "first", "last")},
    )  # fmt: skip
    unit = random.choice((None, "offset", "character", "token"))
    if unit:
        options["unit"] = unit
    if unit == "token":
        options |= _some(random, {"normalizer": ("squad", "french")})

    def answer() -> dict[str, Any]:
        start, end = _span(random)
        return {
            "text": "x" * (end - start),
            "document_id": random.choice(("d1", "d2", "d3")),
            "start": start,
            "end": end,
        }

    predictions = [
        {"documents": random.sample(["d1", "d2", "d3", "d4"], random.randint(0, 4)),
         "answers": [random.choice((answer(), answer(), None)) for _ in range(random.randint(0, 3))]}
        for _ in range(n)
    ]  # fmt: skip
    references = [
        {
            "documents": random.sample(["d1", "d2", "d3"], random.randint(1, 3)),
            "answers": [answer() for _ in range(random.randint(0, 2))],
        }
        for _ in range(n)
    ]
    return {"predictions": predictions, "references": references, **_weights(random, n)}, options


MAKERS = {maker.__name__: maker for maker in (
    answer_equivalence, answer_match, claim_support, semantic_answer_similarity, factoid_accuracy, label_metrics, average_precision,
    retrieval_ranking, retriever_reader,
)}  # fmt: skip


MODEL_FAMILIES = ("answer_equivalence", "semantic_answer_similarity")


def valid_call(family: str, random: Random) -> Call:
    """A call with valid input."""
    return Call(family, *MAKERS[family](random))


# --- the same rows ------------------------------------------------------------------------------------------------------


def with_ids(call: Call) -> Call:
    """The same call with ids, if the rows are lists without ids."""
    sides = [call.columns.get(name) for name in ("predictions", "references")]
    if not all(isinstance(side, list) for side in sides) or "ids" in call.columns or call.columns["references"] == []:
        return call
    if any(isinstance(row, Mapping) and {"id", "boxes"} & row.keys() == {"id"} for side in sides for row in side):
        return call
    return Call(call.family, {**call.columns, "ids": list(CALL_IDS[: len(sides[0])])}, call.options)


def permuted(call: Call, random: Random) -> Call | None:
    """The rows in another order; None if the rows are not lists."""
    columns = {name: column for name, column in call.columns.items() if column is not None}
    if not all(isinstance(column, list) for column in columns.values()):
        return None
    order = list(range(len(columns["references"])))
    random.shuffle(order)
    return Call(call.family, {name: [column[row] for row in order] for name, column in columns.items()}, call.options)


def some_rows(call: Call, places: Sequence[int]) -> Call | None:
    """The call with only these rows; None if the rows are not lists, or without rows."""
    if not places or not all(isinstance(column, list) for column in call.columns.values()):
        return None
    columns = {name: [column[place] for place in places] for name, column in call.columns.items()}
    return Call(call.family, columns, call.options)


def doubled(call: Call) -> Call | None:
    """All rows twice, without ids; None if the rows are not lists, or contain ids."""
    references = call.columns["references"]
    rows = len(references)
    if any(isinstance(row, Mapping) and "id" in row for row in references):
        return None
    plain = Call(call.family, {name: column for name, column in call.columns.items() if name != "ids"}, call.options)
    return some_rows(plain, [*range(rows), *range(rows)])


def reweighted(call: Call, factor: float) -> Call | None:
    """The same rows with weights multiplied by a factor; None if the rows are not lists."""
    every = some_rows(call, range(len(call.columns["references"])))
    if every is None:
        return None
    weights = every.columns.get("weights") or [1.0] * len(every.columns["references"])
    return Call(call.family, {**every.columns, "weights": [factor * weight for weight in weights]}, call.options)


def divided(call: Call, parts: int) -> list[Call] | None:
    """The rows in consecutive parts; None if there are fewer rows than parts, or they are not lists."""
    rows = len(call.columns["references"])
    edges = [rows * part // parts for part in range(parts + 1)] if 2 <= parts <= rows else []
    found = [some_rows(call, range(*pair)) for pair in itertools.pairwise(edges)]
    return found if found and found[0] else None
