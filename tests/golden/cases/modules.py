"""The evaluate modules: every metric and config, compute, add and add_batch, the options of results, combine."""

from collections.abc import Iterator
from typing import Any

import evaluate
from _examples import EXAMPLES, N, binary, labels, named, rankings
from _inputs import answers, groups_of, named_options, rng, weights_of

import qassay
from qassay.registry import get_family

TOLERANCE = 1e-9  # ends of intervals

DROP_IN = ("squad", "squad_v2")
MEASURES = ("exact_match", "f1", "accuracy")  # of configs, where other zeros are left out
SLOW = ("longbench:zh",)  # loads the dictionary of jieba
RESULTS = {  # name -> options of a result
    "level": {"confidence": 0.95},
    "level 0.8, seed": {"confidence": 0.8, "n_resamples": 50, "bootstrap_seed": 3, "interval_method": "percentile"},
    **named_options("counts; signature; per_example"),
    "safe_names": {"safe_names": True, "confidence": 0.9, "n_resamples": 50},
}


def cases() -> Iterator[tuple[str, Any]]:
    for name, (metric, columns, options) in EXAMPLES.items():
        module = qassay.load(metric, **options)
        given = named(columns)
        yield f"{name}/compute", module.compute(**given)
        for asked, more in RESULTS.items():
            if asked == "level" or name == metric:
                yield f"{name}/{asked}", changed(module.compute(**given, **more), module.compute(**given))
        yield f"{name}/batches", as_whole(in_batches(module, given, 5), module.compute(**given))
        yield f"{name}/rows", as_whole(in_batches(module, given, 1), module.compute(**given))
    yield from configs()
    yield from drop_in()
    yield from more_columns()
    yield from extras()
    yield from combined()


def configs() -> Iterator[tuple[str, Any]]:
    special = own_columns()
    predictions, references = answers(N, "answers of configs", empty=0)
    for config in config_names("answer_match"):
        if config not in (*DROP_IN, *SLOW, "default"):
            columns = {"predictions": predictions, "references": references, **special.get(config, {})}
            found = qassay.load("answer_match", config).compute(**columns)
            yield f"answer_match/{config}", {name: value for name, value in found.items() if value or name in MEASURES}
    run, qrels = rankings()
    yield (
        "retrieval_ranking/nlpcc",
        qassay.load("retrieval_ranking", "nlpcc").compute(predictions=run, references=qrels),
    )
    tasks = {"nuggets": "claim_support", "ragchecker": "claim_support claims"}
    for config, name in tasks.items():
        _, columns, _ = EXAMPLES[name]
        yield f"claim_support/{config}", qassay.load("claim_support", config).compute(**named(columns))
    draw = rng("grades of modules")
    grades = [draw.choice(["CORRECT", "INCORRECT", "NOT_ATTEMPTED", "A", "B", None]) for _ in range(N)]
    yield "claim_support/simpleqa", qassay.load("claim_support", "simpleqa").compute(predictions=grades)
    statements = [citations(draw) for _ in range(N)]
    yield "claim_support/alce", qassay.load("claim_support", "alce").compute(predictions=statements)


def own_columns() -> dict[str, dict[str, Any]]:
    """The columns of configs of answer_match whose columns are not those of the others."""
    draw = rng("columns of configs")
    predictions, references = answers(N, "answers of configs", empty=0)
    several = [[*golds, golds[0]] for golds in references]  # of several people, each compared with the others
    chinese = ["".join(draw.choices("北京东塔上海的，。", k=draw.randrange(1, 6))) for _ in range(2 * N)]
    near = {"predictions": chinese[:N], "references": [[one, one[:2]] for one in chinese[1 : N + 1]]}
    same = {"predictions": [f"{answer}。" if row % 3 else "" for row, answer in enumerate(chinese[1 : N + 1])]}
    scales = ["", "thousand", "million", "percent"]
    numbers = [str(draw.randrange(5)) for _ in range(N)]
    pages = [[f"p{draw.randrange(4)}" for _ in range(3)] for _ in range(N)]
    for _ in range(4 * N):  # drawn when the numbers were written: what follows stays the same
        draw.randrange(3)
    return {
        "coqa": {"references": several},
        "quac": {"references": several, "ids": [f"C_{row // 4}_q#{row % 4}" for row in range(N)]},
        "asqa": {
            "references": [[golds, [answer]] for golds, answer in zip(references, predictions[1:] + ["a"], strict=True)]
        },
        "cmrc2018": near,
        "drcd": {**near, **same},
        "tatqa": {
            "predictions": numbers,
            "references": [[draw.choice(numbers)] for _ in range(N)],
            "predicted_details": {"scale": draw.choices(scales, [6, 1, 1, 1], k=N)},
            "gold_details": {
                "scale": draw.choices(scales, [6, 1, 1, 1], k=N),
                "answer_type": draw.choices(["span", "multi-span", "arithmetic", "count"], k=N),
            },
        },
        "kilt": {"predicted_details": {"pages": pages}, "gold_details": {"pages": [[one[:1]] for one in pages[::-1]]}},
        "locomo": {"gold_details": {"category": [row % 5 + 1 for row in range(N)]}},
    }


def citations(draw: Any) -> dict[str, Any]:
    """Statements with verdicts on their citations: on all together, on each alone, and on the others."""
    statements = []
    for _ in range(draw.randrange(4)):
        cited = draw.sample([1, 2, 3, 4, 6], draw.randrange(4))
        alone, without = ([draw.random() < 0.5 for _ in cited] for _ in range(2))
        statements.append({"citations": cited, "entailed": draw.random() < 0.7, "alone": alone, "without": without})
    return {"docs": 5, "statements": statements}


def drop_in() -> Iterator[tuple[str, Any]]:
    """squad and squad_v2: rows, keys and the scale of Hugging Face's modules."""
    predictions, references = answers(60, "answers of squad")
    draw = rng("no-answer probabilities of squad")
    rows = [(f"q{row}", *pair) for row, pair in enumerate(zip(predictions, references, strict=True))]
    for config in DROP_IN:
        asked, gold = [], []
        for identifier, answer, golds in rows:
            if config == "squad" and not golds:
                continue
            asked.append({"id": identifier, "prediction_text": answer})
            if config == "squad_v2":
                asked[-1]["no_answer_probability"] = round(draw.random(), 1)
            gold.append({"id": identifier, "answers": {"text": golds, "answer_start": [0] * len(golds)}})
        module = qassay.load("answer_match", config)
        yield f"{config}/rows", module.compute(predictions=asked, references=gold)
        yield f"{config}/level", module.compute(predictions=asked, references=gold, confidence=0.95, n_resamples=50)
        module.add_batch(predictions=asked[:20], references=gold[:20])
        for prediction, reference in zip(asked[20:], gold[20:], strict=True):
            module.add(prediction=prediction, reference=reference)
        yield f"{config}/batches", module.compute()
    for threshold in (0.0, 0.5, 0.9, 1.0):
        found = module.compute(predictions=asked, references=gold, no_answer_threshold=threshold)
        yield f"squad_v2/threshold {threshold}", found


def more_columns() -> Iterator[tuple[str, Any]]:
    """Ids, weights, groups, confidences, and options of compute in place of options of load."""
    predictions, references = answers(N, "answers of modules")
    draw = rng("confidences of modules")
    given = {"predictions": predictions, "references": references}
    more = {
        "weights": {"weights": weights_of(N), "confidence": 0.95, "n_resamples": 50},
        "groups": {"groups": groups_of(N), "confidence": 0.95},
        "ids": {"ids": [f"q{row}" for row in range(N)], "per_example": True},
        "confidences": {"confidences": [round(draw.random(), 1) for _ in range(N)]},
        "options of compute": {"normalizer": "french", "unit": "character", "contains": "substring"},
        "top_k": {"top_k": (1, 3), "predictions": [[answer, *predictions[:3]] for answer in predictions]},
    }
    module = qassay.load("answer_match")
    for name, columns in more.items():
        yield f"answer_match/{name}", module.compute(**{**given, **columns})
    matched = (
        dict(zip("abcdefghij", predictions, strict=False)),
        dict(zip("jihgfedcba", references[9::-1], strict=True)),
    )
    yield "answer_match/by id", module.compute(predictions=matched[0], references=matched[1])


def extras() -> Iterator[tuple[str, Any]]:
    """What single modules add: the confusion matrix, the curve, the classes."""
    predicted, truth = labels()
    module = qassay.load("label_metrics", confusion=True)
    yield "label_metrics/confusion", module.compute(predictions=predicted, references=truth)["confusion_matrix"]
    scores, positive = binary()
    found = qassay.load("average_precision").compute(predictions=scores, references=positive, curve=True)
    yield (
        "average_precision/curve",
        {name: value for name, value in found.items() if "average" in name or name == "curve"},
    )


def combined() -> Iterator[tuple[str, Any]]:
    predictions, references = answers(N, "answers of modules")
    parts = [qassay.load("answer_match"), qassay.load("semantic_answer_similarity", model="lite")]
    together = evaluate.combine(parts, force_prefix=True)
    yield "combine/compute", together.compute(predictions=predictions, references=references)
    for row in range(0, N, 7):
        together.add_batch(predictions=predictions[row : row + 7], references=references[row : row + 7])
    yield "combine/batches", together.compute()
    yield "combine/no prefix", evaluate.combine(parts).compute(predictions=predictions, references=references)


def config_names(metric: str) -> list[str]:
    """The configs of a module."""
    return ["default", *get_family(metric).load()[1].presets]


def in_batches(module: Any, given: dict[str, Any], size: int) -> dict[str, Any]:
    """The result of rows that are added in batches, or one by one."""
    lists = {name: listed(column) for name, column in given.items()}
    n = len(lists["predictions"])
    for row in range(0, n, size):
        if size == 1:
            module.add(**{name[:-1]: column[row] for name, column in lists.items()})
        else:
            module.add_batch(**{name: column[row : row + size] for name, column in lists.items()})
    return module.compute()


def listed(column: Any) -> list[Any]:
    """A column as a list, of a dict its values: the rows are then matched by position."""
    return list(column.values()) if isinstance(column, dict) else list(column)


def changed(found: dict[str, Any], plain: dict[str, Any]) -> dict[str, Any]:
    """What the options of a result add to it or change in it."""
    return {name: value for name, value in found.items() if name not in plain or plain[name] != value}


def as_whole(found: dict[str, Any], whole: dict[str, Any]) -> Any:
    """The result of batches; short if it is the result of one call."""
    return "as one call" if found == whole else found
