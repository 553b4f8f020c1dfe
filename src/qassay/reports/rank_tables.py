"""Tables of the ranks of three or more systems in a comparison report, and the meaning of their columns."""

from collections.abc import Iterator

from ..stats.ranking_table import BEST_SHARE_MEANS, letters_and_p, letters_mean, ranks_text
from .comparison import ComparisonReport
from .tables import Field, TextColumn, TextTable


def rank_tables(report: ComparisonReport) -> Iterator[TextTable]:
    """The ranks of three or more systems by the main measure of each metric."""
    for ranking in report.rankings:
        head = ["rank", "ranks", "alike", "best"]
        columns = [TextColumn("system", "name"), *(TextColumn(name, "number") for name in head)]
        rows = [
            [
                Field(of.system),
                Field(str(of.rank)),
                Field(ranks_text(of.rank_interval)),
                Field(of.letters),
                Field(f"{100 * of.best_share:.1f} %"),
            ]
            for of in ranking.systems
        ]
        yield TextTable(f"ranks by {ranking.measure}", columns, rows)


def rank_notes(report: ComparisonReport) -> list[str]:
    """The meaning of the columns of rank tables; empty without tables."""
    if not report.rankings:
        return []
    level = report.rankings[0].confidence
    ranks = f"ranks: the first and the last rank that a system may have ({100 * level:g} % interval)"
    letters = "; ".join([letters_mean(level, "alike"), *_letters_beside_p(report)])
    return [f"{ranks}; {letters}; {BEST_SHARE_MEANS}"]


def _letters_beside_p(report: ComparisonReport) -> list[str]:
    """Why letters and p-values may disagree; nothing where p is the p of the ranks."""
    measures = {ranking.measure for ranking in report.rankings}
    alike = all(
        difference.ranked for difference in report.differences if difference.measure in measures and difference.n
    )
    return [] if alike else [letters_and_p(report.correction, "alike")]
