"""One page per measure and one per metric, written from the code: what `qassay explain` knows, with ranges and examples."""

import dataclasses
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from formulas import FORMULAS

import qassay
from qassay.catalog import Entry, entries_of, one_line
from qassay.core.measures import Measure
from qassay.core.presets import listed_presets
from qassay.registry import FAMILIES, get_family

ROOT = Path(__file__).resolve().parents[2]
_SUBSETS = ("has_answer_", "no_answer_")


def page_address(name: str, measure: str) -> str:
    """The address of the page of a measure in the documentation site.

    One page covers a measure with all its cutoffs, parameters and classes, and on the examples with and without an answer.

    Example:
        >>> page_address("retrieval_ranking", "ndcg(gain=exp2)@10"), page_address("answer_match", "has_answer_f1")
        ('measures/retrieval_ranking/ndcg/', 'measures/answer_match/f1/')
    """
    stems = [re.split(r"[@^(\[]", one)[0] for one in (measure, *dict(get_family(name).measures()))]
    of_all = re.sub(r"^(has|no)_answer_", "", stems[0])
    return f"measures/{name}/{of_all if of_all in stems[1:] else stems[0]}/"


@dataclasses.dataclass(frozen=True)
class MeasurePage:
    """A measure with its spellings: `has_answer_f1` and `no_answer_f1` are on the page of `f1`, `p@1` and `p@5` on one of `p`.

    Attributes:
        metric: the family.
        stem: the name of the page.
        entries: the names that `qassay explain` lists, with their meanings.
        measures: name -> the measure as scored, for the names whose range is known.
        columns, options: name -> the smallest input that has the measure, to show how to request it.
    """

    metric: str
    stem: str
    entries: tuple[Entry, ...]
    measures: dict[str, Measure]
    examples: dict[str, tuple[dict[str, Any], dict[str, Any]]]

    @property
    def uri(self) -> str:
        """The source of the page in the site."""
        return f"{page_address(self.metric, self.stem).removesuffix('/')}.md"

    @property
    def main(self) -> Entry:
        """The entry that the page is named after."""
        return next((entry for entry in self.entries if not entry.name.startswith(_SUBSETS)), self.entries[0])

    @property
    def measure(self) -> Measure | None:
        """The measure of the main entry; None if it is not in the smallest examples."""
        return self.measures.get(self.main.name)


def concrete(name: str) -> str:
    """A listed name as it could be asked for: `ndcg(gain)[@k]` -> `ndcg`, `p@k` -> `p@10`.

    Example:
        >>> [concrete(name) for name in ("ndcg(gain)[@k]", "p@k", "iprec@recall", "f1")]
        ['ndcg', 'p@10', 'iprec@0.5', 'f1']
    """
    return re.sub(r"\[@\w+\]|\(.*?\)", "", name).replace("@k", "@10").replace("@recall", "@0.5")


def measure_pages(metric: str) -> list[MeasurePage]:
    """The pages of a metric, in the order of `qassay explain`."""
    entries = entries_of(metric, "measure")
    scored = _scored(metric, [entry.name for entry in entries])
    grouped: dict[str, list[Entry]] = {}
    for entry in entries:
        stem = page_address(metric, entry.name).split("/")[2]
        grouped.setdefault(stem, []).append(entry)
    return [
        MeasurePage(
            metric,
            name,
            tuple(entries),
            {entry.name: scored[entry.name][0] for entry in entries if entry.name in scored},
            {entry.name: scored[entry.name][1:] for entry in entries if entry.name in scored},
        )
        for name, entries in grouped.items()
    ]


def _scored(metric: str, names: list[str]) -> dict[str, tuple[Measure, dict[str, Any], dict[str, Any]]]:
    """Listed name -> its measure and the smallest columns and options that have it."""
    family = get_family(metric)
    found: dict[str, tuple[Measure, dict[str, Any], dict[str, Any]]] = {}
    for columns, options in family.smallest:
        for name, measure in family.score(**columns, **options).measures.items():
            listed = name if name in names else re.sub(r"\[.*\]$", "[class]", name)
            found.setdefault(listed, (measure, dict(columns), dict(options)))
    if "measures" in family.load()[1].__dataclass_fields__:
        columns, options = family.smallest[0]
        for name in set(names) - found.keys():
            asked = {**options, "measures": [concrete(name)]}
            try:
                scores = family.score(**columns, **asked)
            except (TypeError, ValueError):  # needs judgements by several people, or a parameter
                continue
            if concrete(name) in scores.measures:
                found[name] = (scores.measures[concrete(name)], dict(columns), asked)
    return found


def page_text(page: MeasurePage) -> str:
    """The Markdown of the page of a measure."""
    family = get_family(page.metric)
    meaning, others = _without_aliases(page.main.meaning)
    lines = [
        f"# {page.stem}",
        "",
        f"*{_sentence(meaning)}*" if meaning else f"*A measure of {page.metric}.*",
        "",
        "| | |",
        "|---|---|",
        f"| metric | [{page.metric}](index.md): {_cell(one_line(page.metric))} |",
        *([f"| formula | {_cell(formula)} |"] if (formula := FORMULAS.get((page.metric, page.stem))) else []),
        *_facts(page),
        f"| options | {', '.join(f'[`{name}`](index.md#options)' for name in _options(page.metric))} |",
        f"| source | {_cell(family.source)} |",
        *(
            [f"| also called | {', '.join(f'`{name}`' for name in names)} |"]
            if (names := _aliases(page, others))
            else []
        ),
        "",
    ]
    if len(page.entries) > 1 or page.main.name != page.stem:
        lines += ["## Names", "", "| name | what it is |", "|---|---|"]
        lines += [f"| `{entry.name}` | {_cell(_without_aliases(entry.meaning)[0])} |" for entry in page.entries]
        lines.append("")
    lines += _how_to_ask(page)
    lines += [
        "## See also",
        "",
        f"[All measures, columns and options of {page.metric}](index.md) · "
        f"[its card](../../../metrics/{page.metric}/README.md) · [error bars](../../error_bars.md) · "
        "[why numbers differ](../../why_numbers_differ.md)",
        "",
    ]
    return "\n".join(lines)


def _facts(page: MeasurePage) -> Iterator[str]:
    measure = page.measure
    if measure is None:
        yield "| range | see the card: the measure needs its own judgements or parameters |"
        return
    if measure.bounds is None:
        yield (
            "| range | a count or a threshold, without an interval |"
            if not measure.has_interval
            else "| range | without bounds |"
        )
    else:
        low, high = (_number(bound) for bound in measure.bounds)
        yield f"| range | {low} to {high} |"
    if measure.is_rate:
        yield f"| better | {'lower' if measure.lower_is_better else 'higher'} |"
    yield f"| interval | {'yes: `scores.interval()`' if measure.has_interval else 'no'} |"


def _number(bound: float) -> str:
    return "∞" if bound == float("inf") else "−∞" if bound == float("-inf") else f"{bound:g}"


def _how_to_ask(page: MeasurePage) -> list[str]:
    """A call that has the measure and what it prints: the example runs when the page is written."""
    example = page.examples.get(page.main.name)
    if example is None:
        return []
    columns, options = example
    name = next(
        (name for name in (page.main.name, concrete(page.main.name)) if "[" not in name and "(" not in name), None
    )
    if name is None:
        return []
    arguments = [*(f"{key}={value!r}" for key, value in (columns | options).items())]
    scores = get_family(page.metric).score(**columns, **options)
    if name not in scores.measures:
        return []
    inside = "".join(f"\n    {argument}," for argument in arguments)
    return [
        "## How to ask for it",
        "",
        "```python",
        "import qassay",
        "",
        f'scores = qassay.score(\n    "{page.metric}",{inside}\n)',
        f"scores[{name!r}]  # {scores[name]!r}",
        "```",
        "",
        "```bash",
        f"qassay explain {page.stem}",
        "```",
        "",
    ]


def _options(metric: str) -> list[str]:
    return [entry.name for entry in entries_of(metric, "option")]


def _aliases(page: MeasurePage, others: list[str]) -> list[str]:
    options_class = get_family(page.metric).load()[1]
    names = {entry.name for entry in page.entries}
    return list(dict.fromkeys([*(alias for alias, name in options_class.aliases.items() if name in names), *others]))


def _without_aliases(meaning: str) -> tuple[str, list[str]]:
    """A meaning and the other names that it ends with: "(also rr, recip_rank)"."""
    others = re.search(r" \(also ([^()]*)\)$", meaning)
    return (meaning[: others.start()], others[1].split(", ")) if others else (meaning, [])


def metric_text(metric: str, pages: list[MeasurePage]) -> str:
    """The Markdown of the page of a metric: its measures with links, columns, options, groups and presets."""
    family = get_family(metric)
    lines = [
        f"# {metric}",
        "",
        f"{_sentence(one_line(metric))} Rules: {family.source}. The [card](../../../metrics/{metric}/README.md) tells more.",
        "",
        "## Measures",
        "",
        "| measure | what it is |",
        "|---|---|",
    ]
    for page in pages:
        meaning = _cell(_without_aliases(page.main.meaning)[0])
        link = f"[{page.main.name.replace('[', '&#91;').replace(']', '&#93;')}]({page.stem}.md)"
        lines.append(f"| {link} | {meaning} |")
    for kind in ("column", "option", "group"):
        if entries := entries_of(metric, kind):
            lines += ["", f"## {kind.title()}s", "", "| name | what it is | default |", "|---|---|---|"]
            lines += [f"| `{entry.name}` | {_cell(entry.meaning)} | {_code(entry.default)} |" for entry in entries]
    presets = listed_presets(family.load()[1].presets.values())
    if presets:
        lines += ["", "## Presets", "", "| preset | benchmark | official script |", "|---|---|---|"]
        lines += [f"| `{preset.name}` | {_cell(preset.line)} | {_cell(preset.source)} |" for preset in presets]
    return "\n".join(lines) + "\n"


def index_text(found: dict[str, list[MeasurePage]]) -> str:
    """The Markdown of the page of all metrics and measures."""
    lines = [
        "# Measures",
        "",
        f"qassay {qassay.__version__} has {len(found)} metrics. Each measure has a page with its range, source and an example "
        "that was run when the page was written. [Which measure](../which_measure.md) helps to choose.",
        "",
    ]
    for metric, pages in found.items():
        links = [f"[{page.stem}]({metric}/{page.stem}.md)" for page in pages]
        lines += [
            f"## [{metric}]({metric}/index.md)",
            "",
            _sentence(one_line(metric)),
            "",
            " · ".join(links),
            "",
        ]
    return "\n".join(lines)


def written_pages() -> dict[str, str]:
    """Address in the site -> Markdown, of all pages that are written from the code."""
    found = {metric: measure_pages(metric) for metric in FAMILIES}
    texts = {"measures/README.md": index_text(found)}
    for metric, pages in found.items():
        texts[f"measures/{metric}/index.md"] = metric_text(metric, pages)
        texts |= {page.uri: page_text(page) for page in pages}
    return texts


def _sentence(text: str) -> str:
    text = _cell(text).rstrip(".")
    return f"{text[:1].upper()}{text[1:]}."


def _cell(text: str) -> str:
    """Text for a cell of a table: bars and angle brackets are text."""
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*").replace("[", "&#91;")


def _code(text: str) -> str:
    return f"`{text.replace('|', chr(92) + '|')}`" if text else ""
