"""A leaderboard in words: its finding, and the meaning of ranks, letters and shares."""

import math
from collections import Counter
from collections.abc import Callable, Mapping

from ..stats.cautions import caution_texts
from ..stats.ranking import Ranking
from ..stats.ranking_table import BEST_SHARE_MEANS, letters_mean
from .comparison import counted
from .leaderboard import BoardReport
from .values import FEW_MEANS, Cell
from .values_text import ABSENT, page_number

MOST_TIED = 3  # systems named in a finding; the others are counted
_FEW = FEW_MEANS.removeprefix("few: ")
RANKS_MEAN = "rank interval: the first and the last rank that a system may have"


def columns_mean(report: BoardReport) -> str:
    """The meaning of letters, intervals of ranks and shares, a sentence each."""
    told = (letters_mean(report.board.settings.intervals.confidence), RANKS_MEAN, BEST_SHARE_MEANS)
    return " ".join(f"{one[0].upper()}{one[1:]}." for one in told)


def value_text(value: float, ranking: Ranking, percent: bool) -> str:
    """A value, or an end of its interval, as text for all formats: counts without decimals, a dash for NaN.

    Args:
        percent: rates are shown as 0..100.
    """
    scale = 100 if percent and ranking.is_rate else 1
    return page_number(scale * value, ranking.is_rate, scale)


def share_text(share: float) -> str:
    """A share in per cent without decimals; 0 % and 100 % are exact.

    Example:
        >>> share_text(0.374), share_text(0.001), share_text(1.0)
        ('37\xa0%', '< 1\xa0%', '100\xa0%')
    """
    if not math.isfinite(share):
        return ABSENT
    bounded = "< 1" if 0 < share < 0.005 else "> 99" if 0.995 < share < 1 else f"{100 * share:.0f}"
    return f"{bounded}\u00a0%"


def shown_names(report: BoardReport) -> Mapping[str, str]:
    """System -> name, with its key if another system has the same name."""
    times = Counter(entry.name for entry in report.entries.values())
    return {
        system: f"{entry.name} ({system})" if times[entry.name] > 1 else entry.name
        for system, entry in report.entries.items()
    }


def basis_text(report: BoardReport, ranking: Ranking) -> str:
    """The basis of the values of a ranking, such as "1,204 questions in 35 groups"."""
    groups = "" if ranking.n_groups is None else f" in {counted(ranking.n_groups, 'groups')}"
    return counted(ranking.n, report.examples_name) + groups


def cautions_text(report: BoardReport, ranking: Ranking) -> str:
    """Why the intervals and tests of a ranking may mislead, in one line; "" without a known reason."""
    told = [caution_texts(report.board.settings.intervals.confidence)[code] for code in ranking.cautions]
    cells = [Cell(one.value, one.interval, ranking.n, ranking.is_rate, ranking.n_groups) for one in ranking.systems]
    is_told = "few_groups" in ranking.cautions
    few = [_FEW] if not is_told and any(cell.is_few for cell in cells) else []
    return f"Read with care: {'; '.join([*few, *told])}." if few or told else ""


def finding_text(report: BoardReport, ranking: Ranking, title: Callable[[str], str] = str) -> str:
    """Which system leads by a measure, and which systems cannot be distinguished from it, in one or two sentences.

    Args:
        title: measure -> its name as it is shown.
    """
    tied, names, basis = ranking.tied_with_best, shown_names(report), basis_text(report, ranking)
    if not tied:
        return f"No system has a value of {title(ranking.measure)} on {basis}."
    leaders = [system for system in tied if system.rank == tied[0].rank]
    others = [names[system.system] for system in tied[len(leaders) :]]
    best = value_text(tied[0].value, ranking, report.percent)
    equal = "the same " if len(leaders) > 1 else ""
    lead = f"{_in_words([names[system.system] for system in leaders])} {'lead' if equal else 'leads'}"
    told = f"{lead} by {equal}{title(ranking.measure)} ({best}) on {basis}."
    apart = "them" if equal else "it"
    if others:
        return f"{told} {_in_words(others)} cannot be told apart from {apart}."
    rest = sum(math.isfinite(system.value) for system in ranking.systems) - len(leaders)
    return f"{told} {'The other system is' if rest == 1 else f'All {rest} others are'} likely worse." if rest else told


def _in_words(names: list[str]) -> str:
    """Names in a sentence: "a", "a and b", "a, b and c", "a, b, c and 4 more"."""
    if len(names) > MOST_TIED + 1:
        names = [*names[:MOST_TIED], f"{len(names) - MOST_TIED} more"]
    return " and ".join([*filter(None, [", ".join(names[:-1])]), names[-1]])
