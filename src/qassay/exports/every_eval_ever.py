"""A result in the format of Every Eval Ever: a JSON record of its values, and a JSONL file with a row per example and measure.

The fields follow its schemas eval.schema.json and instance_level_eval.schema.json, version 0.3.0
(https://github.com/evaleval/every_eval_ever).
"""

import hashlib
import json
import math
import time
import uuid
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.examples import Examples, ExampleText
from ..core.measures import Measure
from ..core.scores import Scores
from ..core.shown import shown
from ..core.signatures import split_signature
from ..core.version import __version__
from ..reports.values import Cell, ValuesReport, words_of_method
from ..scoring import Scored
from .about import About

NAME = "Every Eval Ever"
SCHEMA_VERSION = "0.3.0"
REQUIRED = ("model", "dataset", "date", "organization", "relationship")

_NOT_IN_NAMES = set('<>:"\\|?*') | set(map(chr, range(32)))  # of folders, on one system or another
_DEVICES = {"CON", "PRN", "AUX", "NUL", *(f"{name}{n}" for name in ("COM", "LPT") for n in range(1, 10))}

Tree = dict[str, Any]


def check_about(about: About) -> None:
    """Raise ValueError if a field that a record needs is missing or cannot name a folder, before the work is done."""
    about.require(NAME, REQUIRED)
    if "/" not in about.model:
        raise ValueError(f"model {shown(about.model)} must name who made it too, such as org/name")
    _folder(about)


def record_files(
    about: About, results: Sequence[tuple[Scored, ValuesReport]], with_samples: bool
) -> tuple[dict[str, bytes], list[str]]:
    """The files of a record, path -> content, and notes for the user.

    Args:
        about: which `check_about` took.
        results: of each metric the scores of one system, and its numbers from 0 to 1.
        with_samples: also a file of the examples, if texts and values of single examples exist.

    Raises:
        ValueError: no measure applies to an example.
    """
    found, left_out = [], []
    for scored, report in results:
        (scores,), (cells,) = scored.scores.values(), report.systems.values()
        for name, cell in cells.items():
            if not math.isfinite(cell.value):
                left_out.append(name)
                continue
            found.append((scored, name, _result(about, scored, scores, report, name, cell)))
    if not found:
        raise ValueError(f"{NAME} needs a value; no measure applies to an example")
    told = [f"measures without a value are not in the record: {', '.join(left_out)}"] if left_out else []
    shown_ones = [scored for scored, name, _ in found if with_samples and _by_example(scored, name) is not None]
    texts = {scored.family.name: _texts(scored) for scored in {id(scored): scored for scored in shown_ones}.values()}
    record = _record(about, [result for _, _, result in found], _print_of_examples(found, texts))
    stem = "/".join([*_folder(about), _file_id(record["evaluation_id"])])
    files: dict[str, bytes] = {}
    if with_samples:
        rows, lines = _samples(about, record["evaluation_id"], found, texts)
        told += lines
        if rows:
            content = b"".join(rows)
            files[f"{stem}_samples.jsonl"] = content
            record["detailed_evaluation_results"] = {
                "format": "jsonl",
                "file_path": f"{stem}_samples.jsonl",
                "hash_algorithm": "sha256",
                "checksum": hashlib.sha256(content).hexdigest(),
                "total_rows": len(rows),
            }
    files[f"{stem}.json"] = _json_bytes(record, indent=2)
    return files, told


# --- the record -------------------------------------------------------------------------------------------------------


def _record(about: About, results: list[Tree], of_examples: str) -> Tree:
    of_values = hashlib.sha256(json.dumps([results, of_examples], sort_keys=True).encode()).hexdigest()[:8]
    source = {
        "source_name": about.source_name,
        "source_type": "evaluation_run",
        "source_organization_name": about.organization,
        "evaluator_relationship": about.relationship,
        "additional_details": _told({"source_url": about.source_url, "notes": about.notes}),
    }
    return {
        "schema_version": SCHEMA_VERSION,
        "evaluation_id": f"{about.dataset}/{about.model}/{int(about.time.timestamp())}-{of_values}",
        "evaluation_timestamp": about.time.isoformat(),
        "retrieved_timestamp": str(int(time.time())),
        "source_metadata": _told(source),
        "eval_library": {"name": "qassay", "version": __version__},
        "model_info": {
            "name": about.model_name or about.model,
            "id": about.model,
            "developer": about.model.partition("/")[0],
            "additional_details": {"deployment_type": about.deployment, "model_availability": about.availability},
        },
        "evaluation_results": results,
    }


def _print_of_examples(found: Sequence[tuple[Scored, str, Tree]], texts: Mapping[str, "_Texts"]) -> str:
    """A fingerprint that distinguishes results with equal values: the values, and the texts if given, of each example,
    in any order.
    """
    told = hashlib.sha256()
    for scored, name, _ in found:
        (scores,) = scored.scores.values()
        values = scores.measures[name].by_example(scores.rows)
        if values is not None:
            pairs = zip(map(str, scores.ids), values.tolist(), strict=True)
            told.update(json.dumps([name, sorted(pairs, key=lambda pair: pair[0])]).encode())
    for family, of in texts.items():
        rows = sorted(json.dumps(row, sort_keys=True) for row in of.rows)
        told.update(json.dumps([family, rows]).encode())
    return told.hexdigest()


def _result(about: About, scored: Scored, scores: Scores, report: ValuesReport, name: str, cell: Cell) -> Tree:
    family, measure, signature = scored.family.name, scores.measures[name], report.signatures[scored.family.name]
    (notes,) = report.notes.values()
    details = {
        **notes,
        "examples": cell.n,
        "groups": cell.n_groups,
        "runs": scores.n_runs if scores.n_runs > 1 else None,
    }
    return {
        "evaluation_result_id": f"{family}/{name}",
        "evaluation_name": about.dataset,
        "source_data": _source_data(about, len(scores)),
        "metric_config": {
            "metric_id": name,
            "metric_name": name,
            "metric_unit": _unit(measure, cell),
            "metric_parameters": {"signature": signature, **split_signature(signature).values},
            "lower_is_better": measure.lower_is_better,
            "score_type": "continuous",
            **_ends(measure),
            "additional_details": {"metric": f"qassay {family}"},
        },
        "score_details": {
            "score": cell.value,
            "details": {key: str(value) for key, value in details.items() if value is not None},
            "uncertainty": _uncertainty(report, cell),
        },
    }


def _unit(measure: Measure, cell: Cell) -> str:
    if isinstance(cell.value, int):
        return "count"
    return "proportion" if measure.bounds == (0.0, 1.0) else "points"


def _ends(measure: Measure) -> Tree:
    """The smallest and the largest value of a measure, as JSON has them."""
    ends = measure.bounds or (-math.inf, math.inf)
    words = {math.inf: "Infinity", -math.inf: "-Infinity"}
    return {key: words.get(end, end) for key, end in zip(("min_score", "max_score"), ends, strict=True)}


def _uncertainty(report: ValuesReport, cell: Cell) -> Tree:
    uncertainty: Tree = {"num_samples": cell.n}
    if cell.interval is not None and all(map(math.isfinite, cell.interval)):
        low, high = cell.interval
        method = words_of_method(cell.interval)
        told = {"lower": low, "upper": high, "confidence_level": report.intervals.confidence, "method": method}
        uncertainty["confidence_interval"] = told
        if getattr(cell.interval, "method", "") == "percentile":
            uncertainty["num_bootstrap_samples"] = report.intervals.n_resamples
    return uncertainty


def _source_data(about: About, n_examples: int) -> Tree:
    more = {"additional_details": _told({"revision": about.revision})} if about.revision else {}
    if about.dataset_url:
        of_url = _told({"split": about.split, "revision": about.revision})
        more = {"additional_details": of_url} if of_url else {}
        return {"dataset_name": about.dataset, "source_type": "url", "url": [about.dataset_url], **more}
    if "/" not in about.dataset:
        return {"dataset_name": about.dataset, "source_type": "other", **more}
    on_hub = {"hf_repo": about.dataset, "hf_split": about.split, "samples_number": n_examples}
    return {"dataset_name": about.dataset, "source_type": "hf_dataset", **_told(on_hub), **more}


def _told(fields: Mapping[str, Any]) -> Tree:
    """The non-empty fields."""
    return {name: value for name, value in fields.items() if value not in ("", {})}


# Readers that split a file by str.splitlines() would end a line of JSON at these.
_LINE_ENDS = {ord(mark): f"\\u{ord(mark):04x}" for mark in "\x85\u2028\u2029"}


def _json_bytes(tree: Tree, indent: int | None = None) -> bytes:
    text = json.dumps(tree, indent=indent, ensure_ascii=False, allow_nan=False).translate(_LINE_ENDS)
    return text.encode("utf-8", "backslashreplace") + b"\n"  # a lone surrogate as JSON escapes it


# --- the samples ------------------------------------------------------------------------------------------------------


class _Texts(NamedTuple):
    """Of each example of a metric what does not depend on the measure, and whether there are questions."""

    rows: list[Tree]
    has_questions: bool


def _samples(
    about: About,
    evaluation_id: str,
    found: Sequence[tuple[Scored, str, Tree]],
    texts: Mapping[str, _Texts],
) -> tuple[list[bytes], list[str]]:
    """A JSON line for each measure and example that has a value, and notes for the user."""
    rows: list[bytes] = []
    without: list[str] = []
    asked = True
    for scored, name, result in found:
        values = _by_example(scored, name)
        if values is None:
            without.append(name)
            continue
        of_examples = texts[scored.family.name]
        asked = asked and of_examples.has_questions
        head = {
            "schema_version": SCHEMA_VERSION,
            "evaluation_id": evaluation_id,
            "model_id": about.model,
            "evaluation_name": result["evaluation_name"],
            "evaluation_result_id": result["evaluation_result_id"],
        }
        (scores,) = scored.scores.values()
        measure = scores.measures[name]
        best = (measure.bounds or (0.0, 1.0))[not measure.lower_is_better]
        for row, score in enumerate(np.asarray(values, float).tolist()):
            if math.isfinite(score):
                evaluation = {"score": score, "is_correct": score == best}
                rows.append(_json_bytes({**head, **of_examples.rows[row], "evaluation": evaluation}))
    lines = [f"measures without values of single examples are not in the samples: {', '.join(without)}"] * bool(without)
    return rows, lines + ["the samples have no questions, as the gold data have none"] * (not asked)


def _by_example(scored: Scored, name: str) -> np.ndarray | None:
    """A measure of each example; None if the examples do not add up to the value."""
    (scores,) = scored.scores.values()
    measure = scores.measures[name]
    return measure.by_example(scores.rows) if measure.is_mean and scores.n_runs == 1 else None


def _texts(scored: Scored) -> _Texts:
    (system,) = scored.systems.values()
    examples = Examples(scored.gold, system.columns, system.scores)
    telling = scored.family.telling
    shown_texts = telling.example_texts(examples)
    whole = telling.whole_texts(examples)
    method = split_signature(system.scores.signature()).values.get("extract", "none")
    rows = [
        _text(str(identifier), text, of, method)
        for identifier, text, of in zip(system.scores.ids, shown_texts, whole, strict=True)
    ]
    return _Texts(rows, any(text.question for text in shown_texts))


def _text(identifier: str, text: ExampleText, whole: str | None, method: str) -> Tree:
    question, reference = text.question or "", [str(gold) for gold in text.gold]
    answers = [str(answer) for answer in text.answers]
    hashed = json.dumps({"raw": question, "reference": reference}, sort_keys=True, separators=(",", ":"))
    row: Tree = {"sample_id": identifier}
    if question:  # without one the hash of another example with this answer would be the same
        row["sample_hash"] = hashlib.sha256(hashed.encode()).hexdigest()
    attributed = {
        "turn_idx": 0,
        "source": "output.raw",
        "extracted_value": answers[0] if answers else "",
        "extraction_method": method,
        "is_terminal": True,
    }
    return {
        **row,
        "interaction_type": "single_turn",
        "input": {"raw": question, "reference": reference},
        "output": {"raw": answers if whole is None else [whole]},
        "answer_attribution": [attributed],
    }


# --- where it lies ----------------------------------------------------------------------------------------------------


def _folder(about: About) -> list[str]:
    """The folders of a record: of the data set, of who made the model, and of the model."""
    developer, _, model = about.model.partition("/")
    named = (("dataset", about.dataset), ("model", developer), ("model", model))
    return ["data", *(_folder_name(field, text) for field, text in named)]


def _folder_name(field: str, text: str) -> str:
    name = text.replace("/", "_").replace(":", "_")
    parts = text.split("/")
    is_bad = (
        not all(parts)
        or {".", ".."} & {*parts}
        or name.lower() in ("data", "unknown")
        or _NOT_IN_NAMES & set(name)
        or name.endswith((".", " "))
        or name.split(".", 1)[0].upper() in _DEVICES
    )
    if is_bad:
        raise ValueError(f"{field} {shown(text)} cannot be the name of a folder; {NAME} needs one of it")
    return name


def _file_id(evaluation_id: str) -> str:
    """A UUID that is the same for the same result: to export again replaces its files."""
    return str(uuid.UUID(bytes=hashlib.sha256(evaluation_id.encode()).digest()[:16], version=4))
