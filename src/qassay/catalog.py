"""Explains metrics, measures, options and other names, from docstrings and descriptors."""

import ast
import functools
import html
import importlib.util
import re
import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from .core.options import did_you_mean, documented_entries, option_entries, option_of, signed_fields
from .core.presets import Preset, listed_presets
from .core.shown import describe
from .core.text import list_normalizers
from .glossary import printed_words, word_meaning
from .registry import FAMILIES, all_presets, get_family, pointers

_NUMBER = re.compile(r"\d+(\.\d+)?")
_ALSO = re.compile(r" \(also [^()]*\)$")
# What an entry is -> the line about it, before its meaning.
_LINES = {
    "option": "an option of {metric}",
    "column": "a column of {metric}",
    "group": "groups of {metric}, as --groups {name}",
    "error": "a kind of the slice error_kind of {metric}",
    "count": "a count of {metric}",
    "key": "in signatures of {metric}, {default}",
}


_NAMED = ("measure", "option", "column", "group", "error")  # the kinds that an unknown name may be meant to be


class Entry(NamedTuple):
    """A name of a metric, and what it means.

    Attributes:
        kind: "measure", or of `_LINES`.
        default: the default of an option as text, "" if it has none; "needed" of a column; of a key the option or field.
    """

    kind: str
    name: str
    meaning: str
    default: str = ""


@functools.cache
def one_line(name: str) -> str:
    """The first line of a metric's documentation, read without importing numpy."""
    module: Any = importlib.util.find_spec(get_family(name).module)
    text = ast.get_docstring(ast.parse(Path(module.origin).read_text(encoding="utf-8"))) or ""
    return text.partition("\n")[0].removeprefix(f"{name}: ")


@functools.cache
def entries_of(metric: str, *kinds: str) -> list[Entry]:
    """The names of a metric of these kinds, all without any, in the order in which `qassay explain` shows them.

    Raises:
        ValueError: no metric with this name (the message lists them).
    """
    return [entry for entry in _entries(metric) if not kinds or entry.kind in kinds]


def _entries(metric: str) -> Iterator[Entry]:
    family = get_family(metric)
    function, options_class = family.load()
    defaults = options_class()  # an instance, because its __post_init__ may replace a default of None
    options = dict(_single_names(option_entries(options_class)))
    for name, meaning in options.items():
        normalizers = f" Normalisers: {', '.join(list_normalizers())}." if name == "normalizer" else ""
        yield Entry("option", name, meaning + normalizers, _default_text(getattr(defaults, name, None)))
    for name, meaning in _single_names(documented_entries(function, "Args")):
        if name != "options":
            column = family.columns[name]
            yield Entry("column", name, meaning, "needed" if column.default is column.empty else "")
    about = family.about
    for kind, meanings in (
        ("measure", _meanings(metric)),
        ("group", about.group_names),
        ("error", about.errors.meanings),
        ("count", about.note_words(defaults)),
    ):
        for name, meaning in meanings.items():
            yield Entry(kind, name, meaning)
    for field in signed_fields(options_class):
        key, option = field.metadata["key"], option_of(field)
        if key != option and (field.name in options or field.default is not None):
            meaning = options.get(field.name, f"always {field.default}")
            yield Entry("key", key, meaning, option or field.name)


def _single_names(entries: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Entries of a docstring as (name, meaning) in plain text; "a, b: ..." gives two entries."""
    return [(name.strip(), meaning.replace("`", "")) for names, meaning in entries for name in names.split(",")]


def _default_text(value: Any) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    return "" if value is None else str(getattr(value, "name", value))


@functools.cache
def _meanings(name: str) -> dict[str, str]:
    return dict(get_family(name).measures())


def measure_meaning(name: str, measure: str) -> str:
    """The meaning of a measure, including cutoffs, parameters and classes that `qassay explain` does not list.

    Returns:
        "" if the name needs no explanation, or if the metric does not have the measure.

    Example:
        >>> measure_meaning("label_metrics", "p@7"), measure_meaning("retrieval_ranking", "ndcg(gain=exp2)@10")
        ('rankings: true labels among the first 7 / 7', 'normalised discounted cumulative gain')
        >>> measure_meaning("answer_match", "contains@3").partition("; ")[2]
        'the best of the first 3 answers'
    """
    meanings = _meanings(name)
    if measure in meanings:
        return _ALSO.sub("", meanings[measure])
    stem = _stem(measure)
    alike = [entry for entry in meanings if _stem(entry) == stem and ("[" in measure) == entry.endswith("]")]
    alike = alike or [entry for entry in meanings if _stem(entry) == stem]
    if not alike:
        return ""
    meaning = _ALSO.sub("", meanings[alike[-1]])
    listed, requested = (_cut_of(entry) for entry in (alike[-1], measure))
    if listed and requested:
        return re.sub(rf"(?<![\d.]){re.escape(listed)}(?![\d.]*\d)", requested, meaning)
    return meaning + get_family(name).about.at_cutoff.format(k=requested) if requested else meaning


def _stem(measure: str) -> str:
    """The name of a measure without its cutoff, parameters and class."""
    return re.split(r"[@^(\[]", measure)[0]


def _cut_of(measure: str) -> str:
    """The cutoff of a measure: the number after the last "@"; "" without one."""
    number = measure.rpartition("@")[2]
    return number if "@" in measure and _NUMBER.fullmatch(number) else ""


class Explanation(str):
    """The meaning of a name; prints as the text of `qassay explain`."""

    def __repr__(self) -> str:
        return self.rstrip("\n")

    def _repr_html_(self) -> str:
        return f'<pre style="white-space:pre-wrap">{html.escape(self)}</pre>'


def explain(name: str) -> Explanation:
    """Explain a metric, a measure, an option or another name that qassay takes or prints.

    Other names are: columns, presets, normalisers, kinds of error, interval methods, tests, cautions; headings, verdicts, marks
    and keys of an output; and terms of the field or of another tool.

    Args:
        name: such as "answer_match", "f1", "normalizer", "em", "squad_v2" or "trec_eval".

    Returns:
        Explanation: the text of `qassay explain NAME`; a notebook shows it too.

    Raises:
        ValueError: unknown name (the message suggests similar names). TypeError: the name is not a string.

    Example:
        >>> print(repr(explain("em")).splitlines()[0])
        em: the measure exact_match of answer_match: share of answers equal to a gold
    """
    return explanation(name, 80)


def explanation(name: str, width: int) -> Explanation:
    """`explain`, wrapped to `width` characters."""
    if not isinstance(name, str):
        raise TypeError(f"explain needs a name, such as 'answer_match' or 'f1'; got {describe(name)}")
    if name in FAMILIES:
        return Explanation(_description(name, max(width, 40)))
    name = name.removesuffix("=")  # options are written "name="
    key = name.partition(":")[0] if "=" not in name else name  # key:value of a signature
    for form in dict.fromkeys([name, name.lower(), key.lower()]):
        lines = [f"{form}: {line}" for line in _lines_about(form)]
        if lines:
            return Explanation("".join(_wrapped(line, width) for line in lines))
    entries = (entry.name for metric in FAMILIES for entry in entries_of(metric, *_NAMED))
    known = [*FAMILIES, *printed_words(), *(named for named, _ in _of_output()), *entries]
    raise ValueError(
        f"no metric, measure or option {name!r}{did_you_mean(name, known)}; the metrics are: {', '.join(sorted(FAMILIES))}"
    )


def _wrapped(line: str, width: int) -> str:
    return (
        textwrap.fill(line, max(width, 40), subsequent_indent="  ", break_on_hyphens=False, break_long_words=False)
        + "\n"
    )


def _lines_about(name: str) -> list[str]:
    """The meanings of a name, a line each."""
    lines: list[str] = []
    for metric, family in FAMILIES.items():
        measures, entries = _measure_lines(metric, name), _entry_lines(metric, name)
        pointers_of = family.load()[1].pointers
        if not measures and not entries and name.lower() in pointers_of:
            entries = [f"with {metric} {pointers_of[name.lower()]}"]
        lines += [*measures, *entries]
    if name in all_presets():
        lines.append(preset_text(*all_presets()[name]))
    if name in list_normalizers():
        lines.append(f"a normaliser: normalizer={name!r}")
    lines += [clause for clause in pointers(name) if not lines or " with " in clause]
    lines += [meaning for named, meaning in _of_output() if named.lower() == name.lower()]
    # A word of outputs comes before measures with other names, as p before p@k.
    first = next((index for index, line in enumerate(lines) if line.startswith("the measure ")), len(lines))
    lines[first:first] = filter(None, [word_meaning(name) or word_meaning(_stem(name))])
    if not lines:  # a value of an option, such as "trec" of ties; the meaning of the option quotes it
        lines = [
            f"a value of the option {entry.name} of {metric}: {entry.meaning}"
            for metric in FAMILIES
            for entry in entries_of(metric, "option")
            if f'"{name}"' in entry.meaning
        ]
    return lines


def _entry_lines(metric: str, name: str) -> list[str]:
    """A line for each entry of a metric, but measures, that has this name; a note may also be named by its first words."""
    return [
        f"{_LINES[entry.kind].format(metric=metric, **entry._asdict())}: {entry.meaning}"
        + (_in_brackets(entry) if entry.kind == "option" else "")
        for entry in entries_of(metric, *_LINES)
        if entry.name == name or entry.kind == "count" and " " in name and entry.meaning.startswith(name)
    ]


def _of_output() -> list[tuple[str, str]]:
    """Interval methods (by code and by words), tests and remark codes of comparisons, each with its meaning."""
    from .core.intervals import INTERVAL_MEANINGS, INTERVAL_WORDS
    from .stats.cautions import caution_texts
    from .stats.paired_tests import TEST_MEANINGS, TEST_NAMES

    meanings = {name: f"a method of intervals: {meaning}" for name, meaning in INTERVAL_MEANINGS.items()}
    by_text = {words: meanings[name] for name, words in INTERVAL_WORDS.items() if words.lower() != name.lower()}
    return [
        *(by_text | meanings).items(),
        *(
            (name, f"a test of a comparison: {meaning}")
            for key, meaning in TEST_MEANINGS.items()
            for name in dict.fromkeys([key, TEST_NAMES.get(key, f"{key} test")])
        ),
        *((code, f"a remark of a comparison: {meaning}") for code, meaning in caution_texts(0.95).items()),
    ]


def _measure_lines(metric: str, name: str) -> list[str]:
    """A line for each measure of a metric that a name refers to; with cutoffs besides the listed ones too."""
    options_class, about = get_family(metric).load()[1], get_family(metric).about
    entries = entries_of(metric, "measure")
    alias, spelt = options_class.aliases.get(name.lower()), name.lower().replace("_", "@")
    named = {}
    for entry in entries:
        if entry.name == alias:
            named[entry.name] = f"the measure {alias}", entry.meaning
        elif entry.name.lower() in (name.lower(), spelt) or _stem(entry.name).lower() == name.lower():
            named[entry.name] = "a measure" if entry.name == name else f"the measure {entry.name}", entry.meaning
    if not named:
        listed = [entry.name for entry in entries if "@" in entry.name or "(" in entry.name or about.at_cutoff]
        for one in options_class.measure_names(name.replace("_at_", "@")):
            alike = [entry for entry in listed if _stem(entry) == _stem(one) and ("(" in entry or "(" not in one)]
            if alike and (_cut_of(one) or "(" in one) and about.may_have(one):
                named[one] = f"the measure {one}", measure_meaning(metric, one)
    return [f"{which} of {metric}{meaning and f': {meaning}'}" for which, meaning in named.values()]


def _in_brackets(entry: Entry) -> str:
    return f" [{entry.default}]" if entry.default else ""


def _description(metric: str, width: int) -> str:
    """A metric with its columns, options, measures, groups and presets, wrapped to `width` characters."""
    family = get_family(metric)
    presets = ", ".join(one.name for one in listed_presets(family.load()[1].presets.values()))
    out = textwrap.wrap(f"{metric}: {one_line(metric)}", width)
    for title, kind in (
        ("columns", "column"),
        ("options", "option"),
        ("measures", "measure"),
        ("groups (--groups NAME, or any column of the gold file)", "group"),
    ):
        entries = entries_of(metric, kind)
        wide = max((len(entry.name) for entry in entries), default=0)
        out += ["", title] if entries else []  # there are none if Python strips docstrings
        for entry in entries:
            start, indent = f"  {entry.name:<{wide}}  ", " " * (wide + 4)
            text = entry.meaning + _in_brackets(entry)
            out += textwrap.wrap(text, max(width, wide + 30), initial_indent=start, subsequent_indent=indent)
    if presets:
        text = f"presets (--preset NAME; qassay list --presets describes them): {presets}"
        out += ["", *textwrap.wrap(text, width, break_on_hyphens=False)]
    out += ["", *textwrap.wrap(f"rules: {family.source}", width)]
    return "\n".join(out) + "\n"


def preset_text(metric: str, preset: Preset) -> str:
    """A preset in one line: the benchmark, the official script, options, further columns and differences."""
    options = ", ".join(f"{key}={value!r}" for key, value in preset.options.items())
    without = "none; options cannot express its rules" if preset.rules else "none"
    parts = [
        f"a preset of {metric}: {preset.line}",
        f"official script: {preset.source}",
        f"options: {options or without}",
    ]
    parts += [f"columns: {name}, {meaning}" for name, meaning in preset.columns.items()]
    parts += [f"differences: {preset.differences}"] if preset.differences else []
    return "; ".join(part.removesuffix(".") for part in parts)


def presets_text(width: int) -> str:
    """The presets of each metric with a sentence and the official script, as `qassay list --presets` prints them."""
    out: list[str] = []
    wide = max(map(len, all_presets()), default=0)
    for metric, presets in ((family.name, family.load()[1].presets) for family in FAMILIES.values()):
        out += [metric] if presets else []
        for preset in listed_presets(presets.values()):
            indent = " " * (wide + 4)
            for start, text in ((f"  {preset.name:<{wide}}  ", preset.line), (indent, f"source: {preset.source}")):
                out += textwrap.wrap(
                    text, max(width, wide + 40), initial_indent=start, subsequent_indent=indent,
                    break_on_hyphens=False, break_long_words=False,
                )  # fmt: skip
    return "\n".join(out) + "\n"
