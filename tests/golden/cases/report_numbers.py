"""The numbers of qassay.report and of reports of comparisons and leaderboards as files, and of exported records."""

import json
import re
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from _commands import by_system
from _examples import EXAMPLES
from _inputs import answers, groups_of

import qassay

TOLERANCE = 1e-9  # ends of intervals and p-values

N = 60
SHORT = {"n_resamples": 50, "seed": 4}
REPORTS = {  # name -> options of a report
    "default": {},
    "by": {"by": {"place": groups_of(N, among=3)}, "measures": ["f1"], **SHORT},
    "error kinds": {"by": ["error_kind"], "measures": ["exact_match"], "confidence": None},
    "all measures": {"measures": "all", "confidence": 0.8, **SHORT},
    "percentile": {"method": "percentile", "confidence": 0.9, "measures": ["f1"], **SHORT},
}


def cases() -> Iterator[tuple[str, Any]]:
    answered, references = answers(N, "answers of reports")
    others = [
        gold[0] if gold and row % 3 == 0 else answer
        for row, (gold, answer) in enumerate(zip(references, answered, strict=True))
    ]
    ids = [f"q{row}" for row in range(N)]
    systems = {
        name: qassay.score("answer_match", given, references, ids=ids, groups=groups_of(N))
        for name, given in (("small", answered), ("large", others), ("third", answered[:30] + others[30:]))
    }
    two = {name: systems[name] for name in ("small", "large")}
    for name, options in REPORTS.items():
        yield f"json/{name}", numbers(lambda path, options=options: qassay.report(two, path, **options))
    for form in ("csv", "md", "tex"):
        yield f"{form}/by", lines(lambda path: qassay.report(two, path, **REPORTS["by"]), form)
    yield (
        "csv/percent",
        lines(lambda path: qassay.report(two, path, percent=True, measures=["f1"], confidence=None), "csv"),
    )
    for name, (metric, columns, options) in EXAMPLES.items():
        scores = qassay.score(metric, *columns, **options)
        yield f"csv/{name}", lines(lambda path, scores=scores: qassay.report(scores, path, confidence=None), "csv")
    compared = qassay.compare(two, n_permutations=200, **SHORT)
    yield "comparison/json", numbers(compared.report)
    yield "comparison/csv", lines(compared.report, "csv")
    board = qassay.leaderboard(systems, measures=["f1", "exact_match"], n_permutations=200, **SHORT)
    yield "leaderboard/json", numbers(board.report)
    yield "leaderboard/csv", lines(board.report, "csv")
    yield from records(systems["small"])


def records(scores: Any) -> Iterator[tuple[str, Any]]:
    """Records of Every Eval Ever and of the Hugging Face Hub."""
    about = {"model": "org/small", "dataset": "org/data", "date": "2026-01-15", "organization": "Our lab"}
    about |= {"relationship": "third_party"}
    with tempfile.TemporaryDirectory() as folder:
        record = json.loads(Path(qassay.export(scores, folder, about, **SHORT)).read_text("utf-8"))
        for result in record["evaluation_results"]:
            yield f"record/{result['evaluation_result_id']}", result["score_details"]
        path = Path(folder, "hub.yaml")
        given = {"dataset": "org/data", "task_id": "default"}
        qassay.export(scores, path, given, measures=["f1"], percent=True, **SHORT)
        yield "hub", without_version(path.read_text("utf-8"))


def numbers(write: Callable[[str], Any]) -> dict[str, Any]:
    """The numbers of a report as JSON, by system and field."""
    return by_system(json.loads(written(write, "json")))


def lines(write: Callable[[str], Any], form: str) -> list[str]:
    return without_version(written(write, form))


def written(write: Callable[[str], Any], form: str) -> str:
    """The text of a report of this format."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"report.{form}")
        write(str(path))
        return path.read_text("utf-8")


def without_version(text: str) -> list[str]:
    """The lines of a text, without the version at the end of a signature."""
    return re.sub(r"\|v:[\w.]+", "", text).splitlines()
