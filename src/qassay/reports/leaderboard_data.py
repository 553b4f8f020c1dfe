"""The numbers of a leaderboard as JSON for the script of its page."""

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ..core.shown import visible
from ..stats.difference import p_text
from ..stats.ranking import Ranking
from .leaderboard import BoardEntry, BoardReport
from .leaderboard_words import basis_text, cautions_text, finding_text, shown_names

MOST_PAIRS = 300_000  # p-values in a page; with more, p-values of slices are omitted

Views = list[tuple[str, str, Mapping[str, Ranking]]]


def views_of(report: BoardReport) -> Views:
    """Slice, label and rankings: of all examples ("", ""), then of each slice."""
    slices = report.board.slices.items()
    return [
        ("", "", report.board.rankings),
        *((name, label, rankings) for name, labels in slices for label, rankings in labels.items()),
    ]


def omits_slices(report: BoardReport) -> bool:
    """Whether the page omits the p-values of slices because there are too many."""
    return sum(ranking.p_values.size // 2 for _, _, of in views_of(report) for ranking in of.values()) > MOST_PAIRS


def counts_of(report: BoardReport, entry: BoardEntry) -> dict[str, int]:
    """The counts of a system, with the number of answers omitted because another system lacks them."""
    unmatched = report.board.unmatched.get(entry.system, 0)
    return {**entry.notes, **({"left out": unmatched} if unmatched else {})}


def safe_link(link: str | None) -> str | None:
    """The address if it begins with http:// or https:// and is one visible word; None otherwise.

    Example:
        >>> safe_link("https://example.org/a"), safe_link("javascript:alert(1)")
        ('https://example.org/a', None)
    """
    if not link or not re.fullmatch(r"(?i:https?)://\S+", link):
        return None
    return link if visible(link) == link else None


def page_data(report: BoardReport) -> str:
    """JSON of the leaderboard, safe inside a script element.

    Ends of intervals have the displayed decimals; p-values are multiples of 0.0001 (0: below 0.00005).
    """
    places = {system: place for place, system in enumerate(report.entries)}
    measures = list(report.board.rankings)
    with_pairs = not omits_slices(report)
    tree = {
        "level": report.board.settings.intervals.confidence,
        "percent": report.percent,
        "examples": visible(report.examples_name),
        "measures": [_measure(report.board.rankings[name]) for name in measures],
        "facts": [visible(name) for name in report.fact_names],
        "systems": list(_systems(report)),
        "views": [
            {
                "slice": visible(name),
                "label": visible(label),
                "rankings": [
                    _ranking(report, rankings[one], places, with_pairs or not name) if one in rankings else None
                    for one in measures
                ],
            }
            for name, label, rankings in views_of(report)
        ],
    }
    text = json.dumps(tree, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", r"\u003c")


def _measure(ranking: Ranking) -> dict[str, Any]:
    return {"name": visible(ranking.measure), "rate": ranking.is_rate, "lower": ranking.lower_is_better}


def _systems(report: BoardReport) -> Iterator[dict[str, Any]]:
    names = shown_names(report)
    for system, entry in report.entries.items():
        yield {
            "key": visible(system),
            "name": visible(names[system]),
            "link": safe_link(entry.link),
            "facts": [visible(entry.facts.get(name, "")) for name in report.fact_names],
            "notes": [[visible(name), int(count)] for name, count in counts_of(report, entry).items() if count],
            "official": [[visible(name), visible(text)] for name, text in entry.official.items()],
        }


def _ranking(report: BoardReport, ranking: Ranking, places: Mapping[str, int], with_pairs: bool) -> dict[str, Any]:
    tied = {system.system for system in ranking.tied_with_best}
    return {
        "finding": visible(finding_text(report, ranking)),
        "basis": visible(basis_text(report, ranking)),
        "cautions": visible(cautions_text(report, ranking)),
        "order": [places[system.system] for system in ranking.systems],
        "rows": [
            [
                _number(system.value),
                *(_number(round(float(end), 4)) for end in system.interval),
                system.rank,
                *system.rank_interval,
                system.letters,
                _number(system.best_share),
                int(system.system in tied),
            ]
            for system in ranking.systems
        ],
        "p": list(_pairs(ranking)) if with_pairs else None,
    }


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _pairs(ranking: Ranking) -> Iterator[int | None]:
    """The p-values above the diagonal, row by row."""
    for place, row in enumerate(ranking.p_values):
        for p in row[place + 1 :]:
            text = p_text(float(p))
            yield None if math.isnan(p) else 0 if text.startswith("<") else round(10_000 * float(text))
