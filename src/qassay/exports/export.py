"""Exports the values of one system: chooses the format by path, checks the facts, and writes the files."""

import os
from collections.abc import Mapping, Sequence
from typing import Any

from ..core.scores import Scores
from ..core.shown import describe
from ..core.writing import write_files, write_whole
from ..registry import family_of
from ..repeated_runs.runs import Runs
from ..reports.scored_texts import texts_of_one
from ..reports.values import scored_report
from ..scoring import Scored, System
from . import eval_results, every_eval_ever
from .about import About, read_about

YAML_ENDINGS = (".yaml", ".yml")


def is_entry(path: "str | os.PathLike[str]") -> bool:
    """Whether a path asks for an entry of the Hub, and not for a folder with a record of Every Eval Ever.

    Raises:
        ValueError: the name of a file of another kind.
    """
    name = os.fspath(path)
    ending = os.path.splitext(name)[1].lower()
    if ending in YAML_ENDINGS:
        return True
    if os.path.isfile(name) or ending in (".json", ".jsonl"):
        raise ValueError(
            f"{name}: give a folder for a record of {every_eval_ever.NAME}, or a name that ends with .yaml for a file of "
            f"evaluation results of {eval_results.NAME}"
        )
    return False


def check_export(path: "str | os.PathLike[str]", about: About) -> None:
    """Refuse an impossible export before the work."""
    if not is_entry(path):
        return every_eval_ever.check_about(about)
    eval_results.check_about(about)
    eval_results.check_place(path, about)


def export_scored(
    scored: Sequence[Scored],
    path: "str | os.PathLike[str]",
    about: About,
    *,
    measures: Mapping[str, Sequence[str] | None],
    percent: bool = False,
    with_samples: bool = True,
    **settings: Any,
) -> tuple[list[str], list[str]]:
    """Write the values of one system by one or several metrics.

    Args:
        path, about: which `check_export` took.
        measures: metric -> measures; None: the usual measures, for the Hub the main measure.
        percent: for the Hub, rates as 0..100; Every Eval Ever has 0..1.
        with_samples: for Every Eval Ever, also a file of the examples.
        settings: intervals and group_name of `build_report`.

    Returns:
        The files that were written, and notes for the user.
    """
    if is_entry(path):
        measure = _one_measure(scored, measures)
        report = scored_report(scored, (), {scored[0].family.name: [measure]}, percent=percent, **settings)
        write_whole(path, eval_results.entry_text(about, report, measure))
        return [os.fspath(path)], []
    results = [(metric, scored_report([metric], (), measures, **settings)) for metric in scored]
    files, told = every_eval_ever.record_files(about, results, with_samples)
    write_files(path, files)
    return [os.path.join(path, name) for name in files], told


def _one_measure(scored: Sequence[Scored], measures: Mapping[str, Sequence[str] | None]) -> str:
    """The measure of an entry: a task of the Hub has one value."""
    names: list[str] = []
    for metric in scored:
        (scores,) = metric.scores.values()
        asked = measures.get(metric.family.name)
        names += scores.measure_names(asked) if asked is not None else metric.family.telling.main_measures(scores)[:1]
    if len(names) != 1 or len(scored) != 1:
        raise ValueError(f"a task of {eval_results.NAME} has one value; name one measure; got {', '.join(names)}")
    return names[0]


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
    said = read_about(about)
    check_export(path, said)
    family = family_of(scores)
    if predictions is not None and isinstance(scores, Runs):
        raise ValueError("the examples of several runs are not exported; omit predictions and references")
    gold, columns = texts_of_one(family, scores, predictions, references, questions)
    names = {family.name: [measures] if isinstance(measures, str) else measures}
    scored = Scored(family, gold, {family.name: System(scores, family.name, columns or {})})
    written, _ = export_scored([scored], path, said, measures=names, with_samples=columns is not None, **settings)
    return written
