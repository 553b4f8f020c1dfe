"""Explains metrics, measures and options from their docstrings, and parses options written as text."""

import ast
import dataclasses
import functools
import html
import importlib.util
import re
import textwrap
import types
import typing
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from .core.options import (
    did_you_mean,
    documented_entries,
    option_of,
    option_types,
    signed_fields,
    takes_numbers_and_texts,
)
from .core.presets import Preset, listed_presets
from .core.shown import describe
from .core.text import list_normalizers
from .glossary import printed_words, word_meaning
from .registry import FAMILIES, Family, all_presets, get_family, pointers, sorted_options

_BETWEEN_COMMAS = re.compile(r"(?:[^,(]|\([^()]*\)|\()*")
_NUMBER = re.compile(r"\d+(\.\d+)?")
_CUT_OFF = re.compile(rf"(?!\d)(.*?[.@_]){_NUMBER.pattern}")
_ALSO = re.compile(r" \(also [^()]*\)$")
_TRUTHS = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}


@dataclasses.dataclass(frozen=True)
class Entry:
    """A column, an option or a measure: its name, its default as text (empty if it has none) and its meaning."""

    name: str
    default: str
    meaning: str


@dataclasses.dataclass(frozen=True)
class Description:
    """A metric: a one-line summary, its columns, options, measures and named groups, and the source of its rules."""

    name: str
    line: str
    columns: list[Entry]
    options: list[Entry]
    measures: list[Entry]
    source: str
    groups: list[Entry]


@functools.cache
def one_line(name: str) -> str:
    """The first line of a metric's documentation, read without importing numpy."""
    module: Any = importlib.util.find_spec(get_family(name).module)
    text = ast.get_docstring(ast.parse(Path(module.origin).read_text(encoding="utf-8"))) or ""
    return text.partition("\n")[0].removeprefix(f"{name}: ")


def describe_metric(name: str) -> Description:
    """A metric with its columns, options, measures and groups, as `qassay explain` shows it.

    Raises:
        ValueError: no metric with this name (the message lists them).
    """
    family = get_family(name)
    function, options_class = family.load()
    needed = {column for column, of in family.columns.items() if of.default is of.empty}
    columns = [
        Entry(column, "needed" if column in needed else "", meaning)
        for column, meaning in _entries(function, "Args")
        if column != "options"
    ]
    defaults = options_class()  # an instance, because its __post_init__ may replace a default of None
    normalizers = f" Normalisers: {', '.join(list_normalizers())}."
    options = [
        Entry(
            option,
            _default_text(getattr(defaults, option, None)),
            meaning + (normalizers if option == "normalizer" else ""),
        )
        for option, meaning in _entries(options_class, "Attributes")
    ]
    measures = [Entry(measure, "", meaning) for measure, meaning in _meanings(name).items()]
    groups = [Entry(group, "", meaning) for group, meaning in family.about.group_names.items()]
    return Description(name, one_line(name), columns, options, measures, family.source, groups)


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
        return Explanation(description_text(describe_metric(name), width))
    name = name.removesuffix("=")  # options are written "name="
    key = name.partition(":")[0] if "=" not in name else name  # key:value of a signature
    for form in dict.fromkeys([name, name.lower(), key.lower()]):
        lines = [f"{form}: {line}" for line in _lines_about(form)]
        if lines:
            return Explanation("".join(_wrapped(line, width) for line in lines))
    described = [describe_metric(metric) for metric in FAMILIES]
    entries = (e.name for one in described for e in (*one.measures, *one.options, *one.columns, *one.groups))
    kinds = (kind for family in FAMILIES.values() for kind in family.about.errors.meanings)
    known = [*FAMILIES, *printed_words(), *(named for named, _ in _of_output()), *entries, *kinds]
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
        measures, entries = _measure_lines(metric, name), _entries_named(metric, name)
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
            for entry in describe_metric(metric).options
            if f'"{name}"' in entry.meaning
        ]
    return lines


def _entries_named(metric: str, name: str) -> list[str]:
    """The options, columns, groups, kinds of errors, counts and keys of signatures of a metric that have this name."""
    described, options_class, about = describe_metric(metric), get_family(metric).load()[1], get_family(metric).about
    meanings = dict(_entries(options_class, "Attributes"))
    return [
        *(f"an option of {metric}: {e.meaning}{_in_brackets(e)}" for e in described.options if e.name == name),
        *(f"a column of {metric}: {e.meaning}" for e in described.columns if e.name == name),
        *(f"groups of {metric}, as --groups {name}: {e.meaning}" for e in described.groups if e.name == name),
        *(
            f"a kind of the slice error_kind of {metric}: {told}"
            for kind, told in about.errors.meanings.items()
            if kind == name
        ),
        *(
            f"a count of {metric}: {told}"
            for count, told in about.note_words(options_class()).items()
            if count == name or " " in name and told.startswith(name)
        ),
        *(
            f"in signatures of {metric}, {option_of(field) or field.name}: "
            f"{meanings.get(field.name, f'always {field.default}')}"
            for field in signed_fields(options_class)
            if field.metadata["key"] == name != option_of(field)
            and (field.name in meanings or field.default is not None)
        ),
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
    options_class, about, entries = (
        get_family(metric).load()[1],
        get_family(metric).about,
        describe_metric(metric).measures,
    )
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


def description_text(description: Description, width: int) -> str:
    """A description as text, wrapped to `width` characters."""
    presets = ", ".join(one.name for one in listed_presets(get_family(description.name).load()[1].presets.values()))
    sections = {
        "columns": description.columns,
        "options": description.options,
        "measures": description.measures,
        "groups (--groups NAME, or any column of the gold file)": description.groups,
    }
    out = textwrap.wrap(f"{description.name}: {description.line}", max(width, 40))
    for title, entries in sections.items():
        out += ["", title, *_entry_lines(entries, width)] if entries else []  # empty if Python strips docstrings
    if presets:
        text = f"presets (--preset NAME; qassay list --presets describes them): {presets}"
        out += ["", *textwrap.wrap(text, max(width, 40), break_on_hyphens=False)]
    out += ["", *textwrap.wrap(f"rules: {description.source}", max(width, 40))]
    return "\n".join(out) + "\n"


def _entry_lines(entries: list[Entry], width: int) -> list[str]:
    wide = max(len(entry.name) for entry in entries)
    lines = []
    for entry in entries:
        lines += textwrap.wrap(
            entry.meaning + _in_brackets(entry),
            max(width, wide + 30),
            initial_indent=f"  {entry.name:<{wide}}  ",
            subsequent_indent=" " * (wide + 4),
        )
    return lines


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


def options_by_metric(names: Iterable[str], pairs: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Parse options written as `key=value`, each by its type, for the metrics that take them: see `sorted_options`.

    Raises:
        ValueError: a pair without a value, a value of the wrong type, or two values of one option. TypeError: an option that no
            metric takes.
    """
    texts: dict[str, str] = {}
    for pair in pairs:
        key, equals, text = pair.partition("=")
        if not equals:
            raise ValueError(f"option {pair!r} has no value; write key=value")
        if texts.setdefault(key, text) != text:
            raise ValueError(f"the option {key} is given twice, as {texts[key]} and as {text}; give one of them")
    return {name: _parsed(get_family(name), given) for name, given in sorted_options(names, texts).items()}


def _parsed(family: Family, texts: Mapping[str, str]) -> dict[str, Any]:
    annotations = option_types(family.load()[1])
    return {
        key: _parse_list(text) if key in family.list_options else _parse(key, text, annotations[key])
        for key, text in texts.items()
    }


def _parse_list(value: str) -> Any:
    """A list of names, or of integers if all parts are integers; a single integer is a number, and "none" is None."""
    parts = split_list(value)
    if parts == ["none"]:
        return None
    if all(re.fullmatch(r"-?\d+", part) for part in parts):
        return int(value) if len(parts) == 1 else [int(part) for part in parts]
    return parts


def split_list(text: str) -> list[str]:
    """Split at commas outside brackets; a bare number is another cutoff of the preceding name.

    Example:
        >>> split_list("map(rel=2)@100, ndcg(gain=exp2,judged_only=yes)@10, mrr")
        ['map(rel=2)@100', 'ndcg(gain=exp2,judged_only=yes)@10', 'mrr']
        >>> split_list("P.5,10,ndcg@3,5"), split_list("1,3")
        (['P.5', 'P.10', 'ndcg@3', 'ndcg@5'], ['1', '3'])
    """
    parts: list[str] = []
    at = 0
    while at <= len(text):
        part = _BETWEEN_COMMAS.match(text, at)[0]  # type: ignore[index]  # any text fits
        at += len(part) + 1
        part = part.strip()
        cut = parts and _NUMBER.fullmatch(part) and _CUT_OFF.fullmatch(parts[-1])
        parts.append(cut[1] + part if cut else part)
    return parts


def _parse(key: str, value: str, annotation: Any) -> Any:
    if takes_numbers_and_texts(annotation):  # the text may be a name: the option itself decides
        return value
    union = typing.get_origin(annotation) in (typing.Union, types.UnionType)
    kinds = typing.get_args(annotation) if union else (annotation,)
    if type(None) in kinds and value.lower() == "none":
        return None
    try:
        for kind in kinds:
            if typing.get_origin(kind) is tuple:
                item = typing.get_args(kind)[0]
                return tuple(item(part) for part in split_list(value))
            if kind is bool:
                return _TRUTHS[value.lower()]
            if kind in (int, float):
                return kind(value)
        if value.startswith("{"):
            kind = dict
            return ast.literal_eval(value)
    except (ValueError, KeyError, SyntaxError, RecursionError, MemoryError):
        needed = {
            bool: "yes or no",
            int: "an integer",
            float: "a number",
            dict: "a dict such as {1: 0.5, 2: 1}",
        }.get(kind, "numbers separated by commas, as in 1,3,5 or 0.5,0.8")
        raise ValueError(f"option {key} needs {needed}; got {value!r}") from None
    return value


def _entries(documented: Any, title: str) -> list[tuple[str, str]]:
    """The entries of a docstring section as (name, meaning) in plain text; "a, b: ..." gives two entries."""
    return [
        (name.strip(), meaning.replace("`", ""))
        for names, meaning in documented_entries(documented, title)
        for name in names.split(",")
    ]


def _default_text(value: Any) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    return "" if value is None else str(getattr(value, "name", value))
