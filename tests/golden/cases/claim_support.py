"""claim_support: every task, preset and option on invented verdicts, some of them missing."""

import json
import math
from collections.abc import Iterator
from typing import Any

from _inputs import ROOT, groups_of, of_columns, of_measures, of_scores, of_values, rng, weights_of

import qassay

N = 50
TASKS = {"nuggets": "nuggets", "claims": "ragchecker", "citations": "alce", "grades": "simpleqa"}  # task -> its preset
SUPPORTS = ["support", "Partial Support", "not_support", True, False, 0.5, 1, "unsupported", None, "failed", math.nan]
VERDICTS = [
    "Entailment",
    "Entailment",
    "neutral",
    "CONTRADICTION",
    True,
    False,
    0,
    1,
    "not-entailed",
    "supported",
    None,
    "",
]
GRADES = ["CORRECT", "INCORRECT", "NOT_ATTEMPTED", "not attempted", "A", "B", "c", True, False, None]


def nuggets() -> tuple[list[Any], list[Any]]:
    """Assignments, some in dicts, and how important each nugget is; some questions have no vital nugget, or none."""
    draw, rows, golds = rng("nuggets"), [], []
    for row in range(N):
        gold = [draw.choice(["vital", "okay", "Okay", "vital"]) for _ in range(draw.choice([0, 1, 2, 5, 9]))]
        gold = ["okay"] * len(gold) if row % 9 == 4 else gold
        assigned = [None if row % 12 == 5 else draw.choice(SUPPORTS) for _ in gold]
        rows.append([{"assignment": one} for one in assigned] if row % 4 == 1 else assigned)
        golds.append([{"text": f"n{at}", "importance": one} for at, one in enumerate(gold)] if row % 3 == 1 else gold)
    return rows, golds


def claims() -> tuple[list[Any], list[Any]]:
    """Verdicts on claims of answers, gold answers and documents; some fields are absent, None or empty."""
    draw, rows, golds = rng("claims"), [], []

    def verdicts(n: int, missing: bool, neutral: int = 0) -> list[Any]:
        return [draw.choice([*VERDICTS[: None if missing else -2], *["Neutral"] * neutral]) for _ in range(n)]

    for row in range(N):
        own, right, documents = draw.choice([0, 1, 3, 5]), draw.choice([1, 2, 4, 0]), draw.choice([1, 2, 4, 0])
        missing = row % 3 == 0
        fields: dict[str, Any] = {
            "answer2response": verdicts(own, missing),
            "response2answer": verdicts(right, missing),
            "retrieved2response": [verdicts(documents, missing, 6) for _ in range(own)],
            "retrieved2answer": [verdicts(documents, missing, 12) for _ in range(right)],
        }
        if row % 5 == 2:
            del fields[draw.choice(list(fields))]
        if row % 7 == 3:
            fields[draw.choice(list(fields))] = None
        rows.append(fields)
        golds.append([f"claim {at}" for at in range(right)])
    return rows, golds


def citations() -> tuple[list[Any], list[Any]]:
    """Statements with no citation, one, several, or one of a document that does not exist."""
    draw, rows = rng("citations"), []
    for row in range(N):
        statements = []
        for _ in range(draw.choice([0, 1, 2, 4])):
            cited = [draw.randrange(7) for _ in range(draw.choice([0, 1, 1, 2, 3]))]
            statement: dict[str, Any] = {"citations": cited, "entailed": draw.choice(VERDICTS)}
            for name in ("alone", "without"):
                if draw.random() < 0.85:
                    statement[name] = [draw.choice(VERDICTS) for _ in cited]
            statements.append(statement)
        rows.append({"docs": draw.choice([5, 4, ["d"] * 5]), "statements": statements} if row % 2 else statements)
    return rows, [draw.choice(["Rome", ["Rome", "Roma"], []]) for _ in range(N)]


def grades() -> tuple[list[Any], list[Any]]:
    draw = rng("grades")
    rows = [draw.choice(GRADES) for _ in range(N)]
    return [{"grade": grade} if row % 4 == 3 else grade for row, grade in enumerate(rows)], ["Rome"] * N


MADE = {"nuggets": nuggets(), "claims": claims(), "citations": citations(), "grades": grades()}
OPTIONS: dict[str, dict[str, Any]] = {
    "default": {},
    "unjudged zero": {"unjudged": "zero"},
}


def score(*columns: Any, **given: Any) -> Any:
    return qassay.score("claim_support", *columns, **given)


def cases() -> Iterator[tuple[str, Any]]:
    for task, (rows, golds) in MADE.items():
        for name, options in OPTIONS.items():
            found = score(rows, golds, task=task, **options)
            yield f"{task}/{name}", of_columns(found)
            yield f"{task}/{name}/values", of_measures(found)
        yield f"{task}/all", of_scores(score(rows, golds, task=task))
        weighted = score(rows, golds, task=task, weights=weights_of(N), groups=groups_of(N))
        yield f"{task}/weights", of_values(weighted)
        for place, part in weighted.by(groups_of(N, among=3)).items():
            yield f"{task}/by/{place}", of_measures(part)
        preset = TASKS[task]
        yield f"{preset}/preset", of_values(score(rows, golds, preset=preset))
        yield f"{preset}/changed", of_values(score(rows, golds, preset=preset, unjudged="zero", missing="zero"))
        yield f"{preset}/config", qassay.load("claim_support", preset).compute(predictions=rows, references=golds)
        one = qassay.scorer("claim_support", task=task)
        yield (
            f"{task}/one",
            [[*one(row, gold).values()] for row, gold in list(zip(rows, golds, strict=True))[:20] if row is not None],
        )
        yield from rows_cases(task, rows[:12], golds[:12])
    yield (
        "nuggets/own importance",
        of_scores(
            score([[{"assignment": "support", "importance": "vital"}, {"assignment": None, "importance": "okay"}], []])
        ),
    )
    for task in ("claims", "citations", "grades"):
        yield f"{task}/no references", of_values(score(MADE[task][0], task=task))
    yield from official_cases()


def rows_cases(task: str, rows: list[Any], golds: list[Any]) -> Iterator[tuple[str, Any]]:
    """Questions without a prediction, and questions that occur twice."""
    ids = [f"q{row}" for row in range(12)]
    by_id, golds_by_id = (
        dict(zip(ids[4:] + ["x"], rows[4:] + rows[:1], strict=True)),
        dict(zip(ids, golds, strict=True)),
    )
    for missing in ("skip", "zero"):
        found = score(by_id, golds_by_id, task=task, missing=missing)
        yield f"{task}/missing {missing}", of_columns(found)
        yield f"{task}/missing {missing}/values", of_values(found)
    n = len(golds[3])
    again = {
        "nuggets": ["support"] * n,
        "claims": {"response2answer": [True] * n},
        "citations": [],
        "grades": "CORRECT",
    }
    twice = [{"id": name, "verdicts": row} for name, row in zip([*ids, "q3"], [*rows, again[task]], strict=True)]
    golds = [{"id": name, "gold": gold} for name, gold in golds_by_id.items()]
    for duplicates in ("first", "last"):
        found = score(twice, golds, task=task, duplicates=duplicates)
        yield f"{task}/duplicates {duplicates}", of_measures(found)


def official_cases() -> Iterator[tuple[str, Any]]:
    """The nuggets and grades that the official programs scored."""
    official = json.loads((ROOT / "tests" / "data" / "claim_support_official.json").read_text("utf-8"))
    words = {
        "s": "support",
        "p": "partial_support",
        "n": "not_support",
        "x": "failed",
        "v": "vital",
        "o": "okay",
        "f": "failed",
    }
    rows = [[[words[letter] for letter in part] for part in row[:2]] for row in official["nuggets"]["rows"]]
    yield "nuggets/official", of_values(score([row[1] for row in rows], [row[0] for row in rows], preset="nuggets"))
    for place, (letters, _) in enumerate(official["grades"]["rows"][:30]):
        yield f"simpleqa/official {place}", of_measures(score([*letters], preset="simpleqa"))
