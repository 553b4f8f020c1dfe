"""Exports the values of a system to Every Eval Ever, or to the evaluation results of the Hugging Face Hub.

The record of Every Eval Ever follows eval.schema.json, version 0.3.0 (https://github.com/evaleval/every_eval_ever). The
entry of the Hub is a file below `.eval_results/` of a model (https://huggingface.co/docs/hub/eval-results).
"""

import hashlib
import json
import math
import os
import re
import time
import uuid
from collections.abc import Mapping, Sequence
from datetime import date, datetime, timezone
from typing import Any

import numpy as np

from .core.errors import import_optional
from .core.interval_settings import Intervals
from .core.intervals import INTERVAL_WORDS, Interval
from .core.mappings import check_names
from .core.options import check_choice
from .core.remarks import public
from .core.scores import Scores
from .core.shown import describe, shown
from .core.signatures import split_signature
from .core.version import __version__
from .core.writing import write_whole
from .registry import family_of, usual_measures

REQUIRED = {
    "Every Eval Ever": ("model", "dataset", "date", "organization", "relationship"),
    "the Hub": ("dataset", "task_id"),
}
_ENTRIES = (".yaml", ".yml")  # endings of files for the Hub
FIELDS = (*REQUIRED["Every Eval Ever"], "task_id", "split", "revision", "source_url", "notes")
_RELATIONSHIPS = ("first_party", "third_party", "collaborative", "other")
_SCHEMA_VERSION = "0.3.0"
_NO_FOLDER = re.compile(r'[<>"\\|?*\0-\x1f]|//|^[./]*$|^(data|unknown)$|[./ ]$', re.IGNORECASE)

Tree = dict[str, Any]


@public
def export(
    scores: Scores,
    path: "str | os.PathLike[str]",
    about: Mapping[str, Any],
    *,
    measures: Sequence[str] | str | None = None,
    percent: bool = False,
    **intervals: Any,
) -> str:
    """Write the values of a system in the format of Every Eval Ever 0.3.0 or of the Hugging Face Hub.

    Args:
        scores: the Scores of one system.
        path: a folder for Every Eval Ever, which gets `data/DATASET/ORG/MODEL/` with a JSON record of values, intervals,
            counts and signature; or a .yaml file for the folder `.eval_results` of a model on the Hub, which has one
            value.
        about: facts that the scores do not contain, field -> value. Every Eval Ever needs model ("org/name"), dataset, date,
            organization and relationship (of the evaluator to the developer of the model: "first_party", "third_party",
            "collaborative" or "other"); the Hub needs dataset and task_id. Other fields are split, revision, source_url
            and notes.
        measures: the measures to write; None for the usual measures, for the Hub the main measure.
        percent: for the Hub, rates as 0..100 instead of 0..1; Every Eval Ever has 0..1.
        intervals: confidence, n_resamples, seed and method of `qassay.report`.

    Returns:
        The path of the file. Exporting the same result again replaces it.

    Raises:
        TypeError: something other than Scores, or a value of about that is not text. ValueError: about lacks a
            field or has an invalid value, several measures for the Hub, or another extension. ImportError: PyYAML is
            not installed, which the Hub needs. OSError: the file cannot be written; none is left incomplete.
    """
    settings = Intervals(**intervals)
    if not isinstance(scores, Scores):
        raise TypeError(f"an export needs the Scores of one system; got {describe(scores)}")
    ending = os.path.splitext(path)[1].lower()
    if ending in (".json", ".jsonl"):
        formats = "a folder for a record of Every Eval Ever, or a .yaml file for evaluation results of the Hub"
        raise ValueError(f"{os.fspath(path)}: give {formats}")
    requested = [measures] if isinstance(measures, str) else measures
    if ending in _ENTRIES:
        facts = _facts(about, "the Hub")
        names = family_of(scores).about.main_measures(scores)[:1] if requested is None else requested
        names = scores.measure_names(names)
        if len(names) != 1:
            raise ValueError(f"a task of the Hub has one value; name one measure; got {', '.join(names)}")
        write_whole(path, _entry_text(facts, scores, names[0], settings, percent))
        return os.fspath(path)
    facts = _facts(about, "Every Eval Ever")
    requested = usual_measures(scores) if requested is None else requested
    names = list(scores.measures) if "all" in requested else scores.measure_names(requested)
    name, record = _record(facts, scores, names, settings)
    written = os.path.join(path, name)
    os.makedirs(os.path.dirname(written), exist_ok=True)
    write_whole(written, _json_bytes(record))
    return written


def _facts(about: Mapping[str, Any], reader: str) -> dict[str, str]:
    """The checked facts about a result, "" for a missing one; `reader` is a key of REQUIRED."""
    check_names(about, FIELDS)
    facts = dict.fromkeys(FIELDS, "")
    for name, value in about.items():
        text = value.isoformat() if isinstance(value, date) else value or ""
        if not isinstance(text, str):
            raise TypeError(f"{name} must be text; got {describe(value)}; put it into quotes")
        facts[name] = text.strip()
    if lacking := [name for name in REQUIRED[reader] if not facts[name]]:
        raise ValueError(f"{reader} needs the fields {', '.join(lacking)}; add them to about")
    if facts["relationship"]:
        check_choice("relationship", facts["relationship"], _RELATIONSHIPS)
    if facts["date"]:
        _time_of(facts["date"])
    return facts


def _entry_text(facts: Mapping[str, str], scores: Scores, name: str, settings: Intervals, percent: bool) -> str:
    """The text of the YAML file for the Hub, with one value."""
    value, interval = scores[name], _intervals(scores, [name], settings).get(name)
    factor = 100 if percent and scores.measures[name].is_rate else 1
    if value is None:
        raise ValueError(f"{name} has no value, as it applies to no example; the Hub needs one")
    note = f"{name} of {scores.counts()[name]} examples"
    if interval is not None:
        low, high = (f"{factor * end:.{2 if percent else 4}f}" for end in interval)
        note += f", {100 * settings.confidence:g} % interval {low} to {high} ({INTERVAL_WORDS[interval.method]})"
    entry = {
        "dataset": _known(id=facts["dataset"], task_id=facts["task_id"], revision=facts["revision"]),
        "value": factor * value,
        **_known(date=facts["date"], source=_known(url=facts["source_url"])),
        "notes": "; ".join(filter(None, (facts["notes"], note, scores.signature()))),
    }
    yaml = import_optional("yaml", "a file of the Hub", '"qassay[hub]"')
    return str(yaml.safe_dump([entry], sort_keys=False, allow_unicode=True, width=1000))


def _record(facts: Mapping[str, str], scores: Scores, names: Sequence[str], settings: Intervals) -> tuple[str, Tree]:
    """The name of the file of a record of Every Eval Ever, and the record."""
    names = [name for name in names if scores[name] is not None]
    if not names:
        raise ValueError("Every Eval Ever needs a value; no measure applies to an example")
    intervals = _intervals(scores, names, settings)
    results = [_result(facts, scores, name, intervals.get(name), settings) for name in names]
    digest = hashlib.sha256(json.dumps(results).encode()).hexdigest()
    made = _time_of(facts["date"])
    identifier = f"{facts['dataset']}/{facts['model']}/{int(made.timestamp())}-{digest[:8]}"
    of_result = uuid.UUID(bytes=hashlib.sha256(identifier.encode()).digest()[:16], version=4)
    return f"{_folder(facts)}/{of_result}.json", {
        "schema_version": _SCHEMA_VERSION,
        "evaluation_id": identifier,
        "evaluation_timestamp": made.isoformat(),
        "retrieved_timestamp": str(int(time.time())),
        "source_metadata": {
            "source_type": "evaluation_run",
            "source_organization_name": facts["organization"],
            "evaluator_relationship": facts["relationship"],
            **_known(additional_details=_known(source_url=facts["source_url"], notes=facts["notes"])),
        },
        "eval_library": {"name": "qassay", "version": __version__},
        "model_info": {
            "name": facts["model"],
            "id": facts["model"],
            "developer": facts["model"].partition("/")[0],
            "additional_details": {"deployment_type": "unknown", "model_availability": "unknown"},
        },
        "evaluation_results": results,
    }


def _folder(facts: Mapping[str, str]) -> str:
    """The folder of a record of Every Eval Ever."""
    developer, slash, model = facts["model"].partition("/")
    if not slash:
        raise ValueError(f"model {shown(facts['model'])} has no organisation; write it as org/name")
    parts = (("dataset", facts["dataset"]), ("model", developer), ("model", model))
    for field, part in parts:
        if _NO_FOLDER.search(part):
            raise ValueError(
                f"{field} {shown(facts[field])} cannot be the name of a folder, which Every Eval Ever requires"
            )
    return "/".join(["data", *(re.sub("[/:]", "_", part) for _, part in parts)])


def _result(
    facts: Mapping[str, str], scores: Scores, name: str, interval: Interval | None, settings: Intervals
) -> Tree:
    """The entry of a measure in the record."""
    family, measure = family_of(scores), scores.measures[name]
    value, n, signature = scores[name], scores.counts()[name], scores.signature()
    details = {**family.about.notes_of(scores), "examples": n}
    if scores.groups is not None:
        counted = measure.applies(scores.rows) & (scores.rows.weights > 0)
        details["groups"] = len(np.unique(scores.groups.codes[counted]))
    if scores.n_runs > 1:
        details["runs"] = scores.n_runs
    low, high = measure.bounds or (-math.inf, math.inf)
    uncertainty: Tree = {"num_samples": n}
    if interval is not None:
        uncertainty["confidence_interval"] = {
            "lower": interval.low,
            "upper": interval.high,
            "confidence_level": settings.confidence,
            "method": INTERVAL_WORDS[interval.method],
        }
        if interval.method == "percentile":
            uncertainty["num_bootstrap_samples"] = settings.n_resamples
    source: Tree = {"dataset_name": facts["dataset"], "source_type": "other"}
    if "/" in facts["dataset"]:
        source |= {"source_type": "hf_dataset", "hf_repo": facts["dataset"], "samples_number": len(scores)}
        source |= _known(hf_split=facts["split"])
    return {
        "evaluation_result_id": f"{family.name}/{name}",
        "evaluation_name": facts["dataset"],
        "source_data": source | _known(additional_details=_known(revision=facts["revision"])),
        "metric_config": {
            "metric_id": name,
            "metric_name": name,
            "metric_unit": "count" if isinstance(value, int) else "proportion" if (low, high) == (0, 1) else "points",
            "metric_parameters": {"signature": signature, **split_signature(signature).values},
            "lower_is_better": measure.lower_is_better,
            "score_type": "continuous",
            "min_score": "-Infinity" if low == -math.inf else low,
            "max_score": "Infinity" if high == math.inf else high,
            "additional_details": {"metric": f"qassay {family.name}"},
        },
        "score_details": {
            "score": value,
            "details": {key: str(count) for key, count in details.items()},
            "uncertainty": uncertainty,
        },
    }


def _intervals(scores: Scores, names: Sequence[str], settings: Intervals) -> dict[str, Interval]:
    """The interval of each measure that has one."""
    found = {} if settings.confidence is None else scores.intervals_by(settings, names)
    return {name: interval for name, interval in found.items() if interval.method != "none"}


def _time_of(text: str) -> datetime:
    """The time of an ISO 8601 date, in UTC if it has no time zone."""
    try:
        found = datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError as error:
        raise ValueError(f"date {shown(text)} is not an ISO 8601 date, such as 2026-01-15") from error
    return found if found.tzinfo else found.replace(tzinfo=timezone.utc)  # noqa: UP017  Python 3.10


def _known(**fields: Any) -> Tree:
    """The fields that are not empty."""
    return {name: value for name, value in fields.items() if value not in ("", {})}


def _json_bytes(tree: Tree) -> bytes:
    text = json.dumps(tree, indent=2, ensure_ascii=False, allow_nan=False)
    return text.encode("utf-8", "backslashreplace") + b"\n"  # a lone surrogate as JSON escapes it
