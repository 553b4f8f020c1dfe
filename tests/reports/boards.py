"""Simulated leaderboards for tests of their output: consistent numbers without statistics."""

import math
from collections.abc import Mapping, Sequence
from types import SimpleNamespace

import numpy as np

from qassay.core.interval_settings import Intervals
from qassay.core.intervals import Interval
from qassay.reports.leaderboard import BoardReport, board_report
from qassay.stats.leaderboard import Leaderboard
from qassay.stats.letters import compact_letters
from qassay.stats.ranking import RankedSystem, Ranking, RankSettings

HALF = 0.03  # of an interval
APART = 0.05  # systems whose values differ by more are distinguished


def ranking_of(values: Mapping[str, float], measure: str = "f1", n: int = 1204, **fields) -> Ranking:
    """Systems by their values; two that are `APART` have p = .001, others p = 1 minus ten times their difference."""
    sign = -1 if fields.get("lower_is_better") else 1
    names = sorted(values, key=lambda name: (math.isnan(values[name]), -sign * values[name], name))
    found = np.array([values[name] for name in names])
    gaps = sign * np.nan_to_num(found[:, None] - found)
    p_values = np.where(abs(gaps) > APART, 0.001, 1 - 10 * abs(gaps))
    np.fill_diagonal(p_values, np.nan)
    differ = abs(gaps) > APART
    letters = compact_letters(differ)
    systems = tuple(
        RankedSystem(
            name,
            float(found[place]),
            Interval(float(found[place] - HALF), float(found[place] + HALF), "wilson"),
            1 + int((gaps[place] < 0).sum()),
            (
                1 + int((differ[place] & (gaps[place] < 0)).sum()),
                len(names) - int((differ[place] & (gaps[place] > 0)).sum()),
            ),
            letters[place],
            1 / len(names),
        )
        for place, name in enumerate(names)
    )
    return Ranking(measure, systems, p_values, n, 0.95, **fields)


def board_of(
    rankings: Sequence[Ranking],
    slices: Mapping[str, Mapping[str, Sequence[Ranking]]] | None = None,
    said: Mapping[str, Mapping] | None = None,
    remarks: Sequence[str] = (),
    unmatched: Mapping[str, int] | None = None,
    **about,
) -> BoardReport:
    """A report of rankings of all examples, and of slices."""
    scores = SimpleNamespace(notes={}, n_examples=rankings[0].n, signature=lambda: "answer_match|norm:squad|v:0.1.0")
    board = Leaderboard(
        dict.fromkeys(rankings[0].names, scores),
        {ranking.measure: ranking for ranking in rankings},
        {
            name: {label: {one.measure: one for one in own} for label, own in labels.items()}
            for name, labels in (slices or {}).items()
        },
        dict(unmatched or {}),
        list(remarks),
        RankSettings(Intervals(seed=17)),
    )
    return board_report(board, said, **about)


def shared_task(**about) -> BoardReport:
    """Five systems of a shared task by two measures, all and in two slices, with facts, notes and official numbers."""
    f1 = {"elm": 0.81249, "oak": 0.79, "ash": 0.75, "fir": 0.6, "yew": math.nan}
    exact = {"elm": 0.7, "oak": 0.74, "ash": 0.5, "fir": 0.03125, "yew": 0.4}
    slices = {
        "topic": {
            label: [ranking_of({name: value * factor for name, value in f1.items()}, n=n, n_groups=7)]
            for label, factor, n in (("law", 0.5, 300), ("sea & sky", 1.1, 904))
        }
    }
    said = {
        "elm": {"name": "Elm", "link": "https://example.org/elm", "facts": {"team": "Uni <A>", "date": "2026-05-01"}},
        "oak": {"facts": {"team": "B"}, "notes": {"missing": 12}, "official": {"MRR": "0.6100"}},
        "fir": {"facts": {"note": "baseline"}, "link": "javascript:alert(1)"},
    }
    rankings = [ranking_of(f1, n_groups=35), ranking_of(exact, "exact_match", n_groups=35)]
    known = {"title": "A shared task", "description": "Two lines\nof text.", "gold": "gold.json", "command": "qassay x"}
    return board_of(rankings, slices, said, ["few questions"], {"ash": 4}, **{**known, **about})
