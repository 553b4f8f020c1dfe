"""Exports the values of one system: a record of Every Eval Ever, or an entry of the Hub's evaluation results.

The Hub describes its entries, files below `.eval_results/` of a model, at https://huggingface.co/docs/hub/eval-results.
"""

import math
import os
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from ..core.errors import import_yaml
from ..core.mappings import check_names, read_mapping
from ..core.options import check_choice
from ..core.scores import Scores
from ..core.shown import describe
from ..core.writing import write_whole
from ..files.score_files import Scored, System
from ..registry import family_of
from ..repeated_runs.runs import Runs
from ..reports.scored_texts import texts_of_one
from ..reports.values import ValuesReport, scored_report, words_of_method
from .every_eval_ever import check_folders, known, record_files, time_of

REQUIRED = {
    "Every Eval Ever": ("model", "dataset", "date", "organization", "relationship"),
    "the Hub": ("dataset", "task_id"),
}
FIELDS = (
    "model", "model_name", "dataset", "dataset_url", "split", "revision", "task_id", "date", "organization", "relationship",
    "deployment", "availability", "source_url", "source_name", "source_user", "source_org", "verify_token", "notes",
)  # fmt: skip
CHOICES = {
    "relationship": ("first_party", "third_party", "collaborative", "other"),
    "deployment": ("unknown", "self_deployed", "externally_managed"),
    "availability": ("unknown", "open_weights", "closed_weights"),
}


def read_facts(about: "Mapping[str, Any] | str | os.PathLike[str]") -> dict[str, str]:
    """The facts about a result, "" for a missing one, from fields or from a YAML or JSON file of them.

    Raises:
        ValueError: an unknown field, or a value that a field does not take. TypeError: a value that is not text.
        ImportError: a YAML file if PyYAML is not installed.
    """
    where = "" if isinstance(about, Mapping) else f"{os.fspath(about)}: "
    fields = about if isinstance(about, Mapping) else read_mapping(about)
    check_names(fields, FIELDS, where)
    facts = dict.fromkeys(FIELDS, "") | {"deployment": "unknown", "availability": "unknown"}
    for name, value in fields.items():
        text = value.isoformat() if isinstance(value, date) else value or ""
        if not isinstance(text, str):
            raise TypeError(f"{where}{name} must be text; got {describe(value)}; put it into quotes")
        facts[name] = text.strip() or facts[name]
        if facts[name] and name in CHOICES:
            check_choice(name, facts[name], CHOICES[name])
    time_of(facts["date"])
    if (facts["source_name"] or facts["source_user"] or facts["source_org"]) and not facts["source_url"]:
        raise ValueError(f"{where}source_name, source_user and source_org describe a page: give source_url too")
    return facts


def check_export(path: "str | os.PathLike[str]", facts: Mapping[str, str]) -> None:
    """Refuse an impossible export before the work: a wrong place, or a missing fact."""
    reader = "the Hub" if _is_entry(path) else "Every Eval Ever"
    lacking = [name for name in REQUIRED[reader] if not facts[name]]
    if lacking:
        raise ValueError(f"{reader} needs the fields {', '.join(lacking)}; add them to about")
    if reader == "the Hub":
        import_yaml("a file of the Hub")
    else:
        check_folders(facts)


def export_scored(
    scored: Scored,
    path: "str | os.PathLike[str]",
    facts: Mapping[str, str],
    measures: Sequence[str] | None,
    *,
    percent: bool = False,
    with_samples: bool = True,
    **settings: Any,
) -> tuple[list[str], list[str]]:
    """Write the values of one system.

    Args:
        path, facts: which `check_export` took.
        measures: None: the usual measures, for the Hub the main measure.
        percent: for the Hub, rates as 0..100; Every Eval Ever has 0..1.
        with_samples: for Every Eval Ever, also a file of the examples.
        settings: intervals and group_name of `build_report`.

    Returns:
        The files that were written, and notes for the user.
    """
    family = scored.family
    if not _is_entry(path):
        report = scored_report([scored], (), {family.name: measures}, **settings)
        files, notes = record_files(facts, scored, report, with_samples)
        written = [os.path.join(path, name) for name in files]
        os.makedirs(os.path.dirname(written[0]), exist_ok=True)
        for name, content in zip(written, files.values(), strict=True):
            write_whole(name, content)
        return written, notes
    (scores,) = scored.scores.values()
    names = family.telling.main_measures(scores)[:1] if measures is None else scores.measure_names(measures)
    if len(names) != 1:
        raise ValueError(f"a task of the Hub has one value; name one measure; got {', '.join(names)}")
    report = scored_report([scored], (), {family.name: names}, percent=percent, **settings)
    write_whole(path, _entry_text(facts, report, names[0]))
    return [os.fspath(path)], []


def export_scores(
    scores: Scores,
    path: "str | os.PathLike[str]",
    about: Any,
    *,
    predictions: Any,
    references: Any,
    questions: Any,
    measures: Sequence[str] | str | None,
    **settings: Any,
) -> list[str]:
    """Write the values of scores; arguments as in `qassay.export`."""
    if not isinstance(scores, Scores):
        raise TypeError(f"an export needs the Scores of one system; got {describe(scores)}")
    facts = read_facts(about)
    check_export(path, facts)
    if predictions is not None and isinstance(scores, Runs):
        raise ValueError("the examples of several runs are not exported; omit predictions and references")
    family = family_of(scores)
    gold, columns = texts_of_one(family, scores, predictions, references, questions)
    scored = Scored(family, gold, {family.name: System(scores, family.name, columns or {})})
    names = [measures] if isinstance(measures, str) else measures
    return export_scored(scored, path, facts, names, with_samples=columns is not None, **settings)[0]


def _is_entry(path: "str | os.PathLike[str]") -> bool:
    """Whether a path names an entry of the Hub, and not a folder with records of Every Eval Ever."""
    ending = os.path.splitext(path)[1].lower()
    if ending not in (".yaml", ".yml") and (os.path.isfile(path) or ending in (".json", ".jsonl")):
        formats = "a folder for a record of Every Eval Ever, or a .yaml file for evaluation results of the Hub"
        raise ValueError(f"{os.fspath(path)}: give {formats}")
    return ending in (".yaml", ".yml")


def _entry_text(facts: Mapping[str, str], report: ValuesReport, measure: str) -> str:
    """The YAML file with one value, on the scale of the report: rates from 0 to 1, or to 100."""
    (cells,), (signature,) = report.systems.values(), report.signatures.values()
    cell = cells[measure]
    if not math.isfinite(cell.value):
        raise ValueError(f"{measure} has no value, as it applies to no example; the Hub needs one")
    note = f"{measure} of {cell.n} examples"
    if cell.interval is not None and all(map(math.isfinite, cell.interval)) and report.intervals.confidence is not None:
        low, high = (f"{end:.4f}" if report.scale == 1 else f"{end:.2f}" for end in cell.interval)
        method = words_of_method(cell.interval)
        note += f", {100 * report.intervals.confidence:g} % interval {low} to {high}{f' ({method})' if method else ''}"
    source = {name: facts[f"source_{name}"] for name in ("url", "name", "user", "org")}
    entry = {
        "dataset": known(id=facts["dataset"], task_id=facts["task_id"], revision=facts["revision"]),
        "value": cell.value,
        **known(verifyToken=facts["verify_token"], date=facts["date"], source=known(**source)),
        "notes": "; ".join(filter(None, (facts["notes"], note, signature))),
    }
    yaml = import_yaml("a file of the Hub")
    return str(yaml.safe_dump([entry], sort_keys=False, allow_unicode=True, width=1000))
