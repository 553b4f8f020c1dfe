"""A result in the format of Every Eval Ever: a JSON record of its values, and a JSONL file with a row per example and measure.

The fields follow its schemas eval.schema.json and instance_level_eval.schema.json, version 0.3.0
(https://github.com/evaleval/every_eval_ever).
"""

import hashlib
import json
import math
import re
import time
import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from typing import Any

import numpy as np

from ..core.examples import Examples
from ..core.measures import Measure
from ..core.scores import Scores
from ..core.shown import shown
from ..core.signatures import split_signature
from ..core.version import __version__
from ..files.score_files import Scored
from ..reports.values import ValuesReport, words_of_method

SCHEMA_VERSION = "0.3.0"
_NO_FOLDER = re.compile(r'[<>"\\|?*\0-\x1f]|//|^[./]*$|^(data|unknown)$|[./ ]$', re.IGNORECASE)
_JSON_LINE_ENDS = {ord(mark): f"\\u{ord(mark):04x}" for mark in "\x85\u2028\u2029"}  # str.splitlines() ends lines there

Tree = dict[str, Any]


def check_folders(facts: Mapping[str, str]) -> None:
    """Raise ValueError if model or dataset cannot name the folders of a record."""
    developer, slash, model = facts["model"].partition("/")
    if not slash:
        raise ValueError(f"model {shown(facts['model'])} must name who made it too, such as org/name")
    for field, text in (("dataset", facts["dataset"]), ("model", developer), ("model", model)):
        if _NO_FOLDER.search(text):
            raise ValueError(f"{field} {shown(facts[field])} cannot name a folder; Every Eval Ever needs one of it")


def time_of(text: str) -> datetime | None:
    """The time of a date by ISO 8601, of UTC where it names no zone; None for ""."""
    try:
        found = datetime.fromisoformat(text.replace("Z", "+00:00")) if text else None
    except ValueError as error:
        raise ValueError(f"date {shown(text)} is not a date by ISO 8601, such as 2026-01-15") from error
    return found if found is None or found.tzinfo else found.replace(tzinfo=timezone.utc)  # noqa: UP017  Python 3.10


def record_files(
    facts: Mapping[str, str], scored: Scored, report: ValuesReport, with_samples: bool
) -> tuple[dict[str, bytes], list[str]]:
    """The files of a record, path -> content, and notes for the user.

    Args:
        facts: which `check_export` took.
        scored, report: the scores of one system, and its numbers from 0 to 1.
        with_samples: also a file of the examples, if there are values of single examples.

    Raises:
        ValueError: no measure applies to an example.
    """
    (scores,), (cells,) = scored.scores.values(), report.systems.values()
    results = {name: _result(facts, scores, report, name) for name, cell in cells.items() if math.isfinite(cell.value)}
    if not results:
        raise ValueError("Every Eval Ever needs a value; no measure applies to an example")
    columns = {name: scores.measures[name].by_example(scores.rows) for name in results}
    sampled = [
        name for name in results if columns[name] is not None and scores.measures[name].is_mean and scores.n_runs == 1
    ]  # the examples of other measures do not add up to the value
    texts = _texts(scored) if with_samples and sampled else []
    record = _record(facts, [*results.values()], _fingerprint(scores, columns, texts))
    folders = [re.sub("[/:]", "_", text) for text in (facts["dataset"], *facts["model"].split("/", 1))]
    identifier = hashlib.sha256(record["evaluation_id"].encode()).digest()[:16]
    stem = "/".join(["data", *folders, str(uuid.UUID(bytes=identifier, version=4))])  # the same for the same result
    files: dict[str, bytes] = {}
    if texts:
        rows = [
            row
            for name in sampled
            for row in _sample_rows(record, results[name], scores.measures[name], columns[name], texts)
        ]
        content = files[f"{stem}_samples.jsonl"] = b"".join(rows)
        record["detailed_evaluation_results"] = {
            "format": "jsonl",
            "file_path": f"{stem}_samples.jsonl",
            "hash_algorithm": "sha256",
            "checksum": hashlib.sha256(content).hexdigest(),
            "total_rows": len(rows),
        }
    files[f"{stem}.json"] = _json_bytes(record, indent=2)
    left_out = {
        "measures without a value are not in the record": [name for name in cells if name not in results],
        "measures without values of single examples are not in the samples": [
            name for name in results if with_samples and name not in sampled
        ],
    }
    notes = [f"{what}: {', '.join(names)}" for what, names in left_out.items() if names]
    if texts and not any(row["input"]["raw"] for row in texts):
        notes.append("the samples have no questions, as the gold data have none")
    return files, notes


def _record(facts: Mapping[str, str], results: Sequence[Tree], fingerprint: str) -> Tree:
    made = time_of(facts["date"])
    assert made is not None  # `check_export`
    digest = hashlib.sha256(json.dumps([results, fingerprint], sort_keys=True).encode()).hexdigest()
    source = {
        "source_name": facts["source_name"],
        "source_type": "evaluation_run",
        "source_organization_name": facts["organization"],
        "evaluator_relationship": facts["relationship"],
        "additional_details": known(source_url=facts["source_url"], notes=facts["notes"]),
    }
    return {
        "schema_version": SCHEMA_VERSION,
        "evaluation_id": f"{facts['dataset']}/{facts['model']}/{int(made.timestamp())}-{digest[:8]}",
        "evaluation_timestamp": made.isoformat(),
        "retrieved_timestamp": str(int(time.time())),
        "source_metadata": known(**source),
        "eval_library": {"name": "qassay", "version": __version__},
        "model_info": {
            "name": facts["model_name"] or facts["model"],
            "id": facts["model"],
            "developer": facts["model"].partition("/")[0],
            "additional_details": {"deployment_type": facts["deployment"], "model_availability": facts["availability"]},
        },
        "evaluation_results": results,
    }


def _fingerprint(scores: Scores, columns: Mapping[str, np.ndarray | None], texts: Sequence[Tree]) -> str:
    """Distinguishes results with equal values, by the values and texts of their examples in any order."""
    digest = hashlib.sha256()
    for name, column in columns.items():
        if column is not None:
            pairs = sorted(zip(map(str, scores.ids), column.tolist(), strict=True), key=lambda pair: pair[0])
            digest.update(json.dumps([name, pairs]).encode())
    if texts:
        rows = sorted(json.dumps(row, sort_keys=True) for row in texts)
        digest.update(json.dumps([scores.options.family, rows]).encode())
    return digest.hexdigest()


def _result(facts: Mapping[str, str], scores: Scores, report: ValuesReport, name: str) -> Tree:
    """The entry of a measure in the record."""
    measure, ((family, signature),) = scores.measures[name], report.signatures.items()
    (cells,), (counts,) = report.systems.values(), report.notes.values()
    cell, runs = cells[name], scores.n_runs if scores.n_runs > 1 else None
    details = {**counts, "examples": cell.n, "groups": cell.n_groups, "runs": runs}
    low, high = measure.bounds or (-math.inf, math.inf)
    uncertainty: Tree = {"num_samples": cell.n}
    if cell.interval is not None and all(map(math.isfinite, cell.interval)):
        ends = dict(zip(("lower", "upper"), cell.interval, strict=True))
        method = words_of_method(cell.interval)
        uncertainty["confidence_interval"] = {**ends, "confidence_level": report.intervals.confidence, "method": method}
        if getattr(cell.interval, "method", "") == "percentile":
            uncertainty["num_bootstrap_samples"] = report.intervals.n_resamples
    proportion = "proportion" if measure.bounds == (0.0, 1.0) else "points"
    return {
        "evaluation_result_id": f"{family}/{name}",
        "evaluation_name": facts["dataset"],
        "source_data": _source_data(facts, len(scores)),
        "metric_config": {
            "metric_id": name,
            "metric_name": name,
            "metric_unit": "count" if isinstance(cell.value, int) else proportion,
            "metric_parameters": {"signature": signature, **split_signature(signature).values},
            "lower_is_better": measure.lower_is_better,
            "score_type": "continuous",
            "min_score": "-Infinity" if low == -math.inf else low,
            "max_score": "Infinity" if high == math.inf else high,
            "additional_details": {"metric": f"qassay {family}"},
        },
        "score_details": {
            "score": cell.value,
            "details": {key: str(value) for key, value in details.items() if value is not None},
            "uncertainty": uncertainty,
        },
    }


def _source_data(facts: Mapping[str, str], n_examples: int) -> Tree:
    split, revision, url = facts["split"], facts["revision"], facts["dataset_url"]
    details = known(additional_details=known(split=split if url else "", revision=revision))
    if url:
        return {"dataset_name": facts["dataset"], "source_type": "url", "url": [url], **details}
    if "/" not in facts["dataset"]:
        return {"dataset_name": facts["dataset"], "source_type": "other", **details}
    on_hub = known(hf_repo=facts["dataset"], hf_split=split, samples_number=n_examples)
    return {"dataset_name": facts["dataset"], "source_type": "hf_dataset", **on_hub, **details}


def _sample_rows(record: Tree, result: Tree, measure: Measure, column: Any, texts: Sequence[Tree]) -> list[bytes]:
    """A line for each example to which a measure applies."""
    head = {
        "schema_version": SCHEMA_VERSION,
        "evaluation_id": record["evaluation_id"],
        "model_id": record["model_info"]["id"],
        "evaluation_name": result["evaluation_name"],
        "evaluation_result_id": result["evaluation_result_id"],
    }
    best = (measure.bounds or (0.0, 1.0))[not measure.lower_is_better]
    return [
        _json_bytes({**head, **text, "evaluation": {"score": score, "is_correct": score == best}})
        for text, score in zip(texts, np.asarray(column, float).tolist(), strict=True)
        if math.isfinite(score)
    ]


def _texts(scored: Scored) -> list[Tree]:
    """Of each example of a metric what does not depend on the measure."""
    (system,) = scored.systems.values()
    examples, telling = Examples(scored.gold, system.columns, system.scores), scored.family.telling
    method = split_signature(system.scores.signature()).values.get("extract", "none")
    rows = []
    columns = zip(system.scores.ids, telling.example_texts(examples), telling.whole_texts(examples), strict=True)
    for identifier, text, whole in columns:
        given = {"raw": text.question or "", "reference": [str(gold) for gold in text.gold]}
        answers = [str(answer) for answer in text.answers]
        hashed = hashlib.sha256(json.dumps(given, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
        answer = {
            "turn_idx": 0,
            "source": "output.raw",
            "extracted_value": answers[0] if answers else "",
            "extraction_method": method,
            "is_terminal": True,
        }
        row = {
            "sample_id": str(identifier),
            **({"sample_hash": hashed} if text.question else {}),  # without a question, examples would share it
            "interaction_type": "single_turn",
            "input": given,
            "output": {"raw": answers if whole is None else [whole]},
            "answer_attribution": [answer],
        }
        rows.append(row)
    return rows


def known(**fields: Any) -> Tree:
    """The fields that are not empty."""
    return {name: value for name, value in fields.items() if value not in ("", {})}


def _json_bytes(tree: Tree, indent: int | None = None) -> bytes:
    text = json.dumps(tree, indent=indent, ensure_ascii=False, allow_nan=False).translate(_JSON_LINE_ENDS)
    return text.encode("utf-8", "backslashreplace") + b"\n"  # a lone surrogate as JSON escapes it
