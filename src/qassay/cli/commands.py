"""The commands `qassay score` and `qassay compare`: the values of systems, and their differences."""

import argparse
from collections.abc import Sequence
from typing import Any

from ..files.scored import Scored
from ..results.document import DocumentSettings, compare_document, score_document
from ..results.text import form_of_file, render
from ..stats.difference import ComparisonSettings
from ..stats.runs import OF_K
from .arguments import OFFICIAL_FORMATS
from .inputs import choose_format, command_of, intervals_of, note, scored_of, write_examples
from .streams import print_to_stderr, width_of, write_output

_WHOLE = {"json", "html", "summary"}  # forms that show more than is requested


def score(arguments: argparse.Namespace) -> str:
    """The values of the systems; writes the report and the file of examples."""
    report = form_of_file(arguments.report, "--report") if arguments.report else ""
    choose_format(arguments)
    scored = scored_of(arguments, ["error_kind"] if "html" in (report, arguments.format) else [])
    text = _values(arguments, scored, arguments.format)
    if report:
        _write_report(arguments, text if report == arguments.format else _values(arguments, scored, report))
    note(arguments, scored)
    write_examples(arguments, scored)
    return text


def _values(arguments: argparse.Namespace, scored: Sequence[Scored], form: str) -> str:
    """The values of the systems in a format."""
    first = scored[0]
    at_k = {name: _numbers(name, getattr(arguments, name)) for name in OF_K}
    if any(at_k.values()) and len(scored) > 1:
        raise ValueError("pass@k and pass^k need one metric; name it with --metric")
    if form in OFFICIAL_FORMATS:
        (system,) = first.systems.values()
        write = first.family.about.formats[form]
        return write(system.tag, system.scores, arguments.measures, arguments.per_query)
    settings = _document_settings(arguments, {form}, every=form == "json", at_k=at_k)
    return render(score_document(scored, intervals_of(arguments), settings), form, width=width_of(arguments))


def _numbers(option: str, texts: Sequence[str]) -> list[int]:
    """The integers of texts that may separate them by commas."""
    parts = [part for text in texts for part in text.split(",")]
    if not all(part.strip().isdecimal() for part in parts):
        raise ValueError(f"--{option.replace('_', '-')} takes integers, such as 1,5; got {' '.join(texts)}")
    return list(map(int, parts))


def compare(arguments: argparse.Namespace) -> str:
    """The comparison of the systems; writes the report and the file of examples."""
    report = form_of_file(arguments.report, "--report") if arguments.report else ""
    choose_format(arguments)
    scored = scored_of(arguments, ["error_kind", *(["relevant_count"] if report else [])])
    settings = ComparisonSettings(
        arguments.test, arguments.correction, intervals_of(arguments), arguments.permutations, arguments.baseline
    )
    found = compare_document(scored, settings, _document_settings(arguments, {arguments.format, report}))
    text = render(found, arguments.format, width=width_of(arguments))
    if report:
        _write_report(arguments, render(found, report))
    note(arguments, scored)
    write_examples(arguments, scored)
    return text


def _document_settings(arguments: argparse.Namespace, forms: set[str], **more: Any) -> DocumentSettings:
    """The settings of the document that is written in these forms."""
    return DocumentSettings(
        arguments.measures,
        by=arguments.by,
        is_whole=bool(forms & _WHOLE),
        percent=arguments.percent,
        group_name=arguments.groups or "",
        command=command_of(arguments),
        **more,
    )


def _write_report(arguments: argparse.Namespace, text: str) -> None:
    write_output(text, arguments.report)
    print_to_stderr(f"qassay: note: wrote {arguments.report}")
