"""Verdicts on claims, nuggets and citations: every measure equals its plain definition, a loop over one question at a time."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import qassay

_YES = ("entailment", "yes", "true", "1", "support", "correct", "a")
_HALF = ("partial_support", "0.5")
_NONE = ("none", "failed")


def _known(verdict: Any, as_no: bool) -> float | None:
    """A verdict as a number; None if it is missing and does not count as no."""
    word = str(int(verdict) if verdict in (0, 1) else verdict).lower()
    if word in _NONE:
        return 0.0 if as_no else None
    return 1.0 if word in _YES else 0.5 if word in _HALF else 0.0


def _any(verdicts: Iterable[float | None]) -> float | None:
    listed = list(verdicts)
    return 1.0 if 1.0 in listed else None if None in listed else 0.0


def _of_known(values: Iterable[float | None], empty: float | None) -> float | None:
    """The mean of the known values; None if none is known, `empty` without values."""
    listed = list(values)
    known = [value for value in listed if value is not None]
    return sum(known) / len(known) if known else None if listed else empty


def _nuggets(verdicts: Any, gold: Any, as_no: bool) -> dict[str, float | None]:
    pairs = [(importance.lower() == "vital", _known(verdict, as_no)) for verdict, importance in zip(verdicts, gold)]
    strict = [(vital, None if value is None else float(value == 1)) for vital, value in pairs]
    found = {}
    for name, of in (("strict_", strict), ("", pairs)):
        found[f"{name}vital_score"] = _of_known([value for vital, value in of if vital], 0.0)
        found[f"{name}all_score"] = _of_known([value for _, value in of], 0.0)
        found[f"{name}weighted_score"] = _of_known([value for vital, value in of for _ in range(1 + vital)], 0.0)
    return found


def _claims(verdicts: Any, gold: Any, as_no: bool) -> dict[str, float | None]:
    def column(name: str) -> list[float | None] | None:
        return None if name not in verdicts else [_known(verdict, as_no) for verdict in verdicts[name]]

    def by_documents(name: str) -> list[float | None] | None:
        if name not in verdicts:
            return None
        return [_any(_known(verdict, as_no) for verdict in row) for row in verdicts[name] if row]

    columns = {"precision": column("answer2response"), "recall": column("response2answer")}
    columns |= {"claim_recall": by_documents("retrieved2answer"), "faithfulness": by_documents("retrieved2response")}
    return {name: _of_known(values, 0.0) for name, values in columns.items() if values is not None}


def _citations(verdicts: Any, gold: Any, as_no: bool) -> dict[str, float | None]:
    supported: list[float | None] = []
    counted: list[float | None] = []
    for statement in verdicts:
        cited = statement["citations"]
        whole = _known(statement["entailed"], as_no) if cited else 0.0
        supported.append(whole)
        for alone, without in zip(statement["alone"], statement["without"], strict=True):
            needed = _any((_known(alone, False), {0.0: 1.0, 1.0: 0.0, None: None}[_known(without, False)]))
            counts = whole if whole != 1 or len(cited) == 1 else needed
            counted.append(0.0 if counts is None and as_no else counts)
    nothing = 0.0 if verdicts else None
    return {"citation_recall": _of_known(supported, nothing), "citation_precision": _of_known(counted, nothing)}


def _grades(verdict: Any, gold: Any, as_no: bool) -> dict[str, float | None]:
    is_right, missing = _known(verdict, False), verdict is None
    withheld = str(verdict).lower() in ("c", "not_attempted", "not attempted") or missing
    if missing and not as_no:
        return {}
    shares = {"correct": is_right or 0.0, "not_attempted": float(withheld)}
    return {
        **shares,
        "incorrect": 1 - sum(shares.values()),
        **({} if withheld else {"accuracy_given_attempted": is_right}),
    }


def means(rows: Iterable[Mapping[str, float | None]], weights: Sequence[float] | None) -> dict[str, float]:
    """The mean of each value over the rows that have it; absent where these have no weight."""
    rows = list(rows)
    sums, totals = Counter(), Counter()
    for row, weight in zip(rows, weights or [1.0] * len(rows), strict=True):
        for name, value in row.items():
            if value is not None:
                sums[name] += weight * value
                totals[name] += weight
    return {name: sums[name] / total for name, total in totals.items() if total}


def made_verdicts(random: Random) -> tuple[dict[str, Any], dict[str, Any]]:
    """Columns and options of a random call: verdicts of a task, some missing, with gold data."""
    n, task = random.randint(1, 5), random.choice(list(DEFINITIONS))
    choices = {"unjudged": ("skip", "zero"), "missing": ("zero", "skip")}
    options = {"task": task} | {name: random.choice(given) for name, given in choices.items() if random.random() < 0.25}

    def entailed(count: int) -> list[Any]:
        return random.choices(
            ("Entailment", "Neutral", "contradiction", True, False, 1, 0.0, "yes", "no", None), k=count
        )

    def statement() -> dict[str, Any]:
        count = random.randint(0, 3)
        lists = {"alone": entailed(count), "without": entailed(count)}
        return {"citations": random.choices(range(1, 6), k=count), "entailed": entailed(1)[0], **lists}

    def claims() -> dict[str, Any]:
        of_answer, of_gold, documents = (random.randint(0, 3) for _ in range(3))
        by_document = {"retrieved2response": of_answer, "retrieved2answer": of_gold}
        fields = {"answer2response": entailed(of_answer), "response2answer": entailed(of_gold)}
        fields |= {name: [entailed(documents) for _ in range(count)] for name, count in by_document.items()}
        return {name: fields[name] for name in random.sample(list(fields), random.choice((4, 4, 2, 1)))}

    golds: list[Any] = ["gold"] * n
    if task == "grades":
        rows: list[Any] = random.choices(
            ("CORRECT", "INCORRECT", "NOT_ATTEMPTED", "A", "b", "not attempted", None), k=n
        )
    elif task == "citations":
        rows = [[statement() for _ in range(random.randint(0, 3))] for _ in range(n)]
    elif task == "claims":
        rows = [claims() for _ in range(n)]
        golds = [["claim"] * len(row.get("response2answer", row.get("retrieved2answer", ""))) for row in rows]
    else:
        words = ("support", "partial_support", "not_support", "Support", "failed", None, 0.5, True)
        golds = [random.choices(("vital", "okay", "Vital"), k=random.randint(0, 4)) for _ in range(n)]
        rows = [random.choices(words, k=len(gold)) for gold in golds]
    weights = [*random.choices((0, 1, 2.5), k=n - 1), 1] if random.random() < 0.2 else None
    return {"predictions": rows, "references": golds, "weights": weights}, options


DEFINITIONS = {"nuggets": _nuggets, "claims": _claims, "citations": _citations, "grades": _grades}


@settings(max_examples=100, derandomize=True, database=None)
@given(st.integers(0, 2**32))
def test_measures_are_their_plain_definitions(seed):
    columns, options = made_verdicts(Random(seed))
    definition = DEFINITIONS[options["task"]]
    as_no = options.get("unjudged") == "zero"
    rows = [definition(*row, as_no) for row in zip(columns["predictions"], columns["references"], strict=True)]
    expected = means(rows, columns.get("weights"))
    found = qassay.score("claim_support", **columns, **options).summary(list(expected))
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-12)
