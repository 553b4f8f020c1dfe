"""Sentences below the tables of a result document: how its numbers were made, and what marks and columns mean."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..core.columns import counted
from ..core.intervals import FEW_UNITS, INTERVAL_WORDS
from ..core.shown import first_names
from ..stats.cautions import FEW_MEANS
from ..stats.paired_tests import TEST_NAMES
from ..stats.values import MOST_NAMED
from .rows import Row, difference_rows, rankings, run_rows, value_rows
from .tables import MOST_IN_MATRIX, level_text

BEST_SHARE_MEANS = "best: the share of resamples in which a system is the best, which is not the probability that it is"
OF_RANKS = "all pairs of systems together, step by step, as for the ranks"  # the correction of the ranks


def remark_lines(document: Mapping[str, Any]) -> list[str]:
    """The remarks to print, each once: not what warnings said of the input, and not those of unrequested slicings."""
    requested = {slicing["name"] for part in document["parts"] for slicing in part["slices"] if slicing["requested"]}
    return list(
        dict.fromkeys(
            line["text"]
            for line in document["remarks"]
            if line["id"] != "input" and (line["slice"] is None or line["slice"] in requested)
        )
    )


_RUNS_MEAN = (
    "runs: the standard deviation, the smallest and the largest value of the runs; the shares of question, run and noise "
    "in the variance of their mean; questions answered right always (in all runs) and never"
)


def value_notes(document: Mapping[str, Any], few: bool) -> list[str]:
    """What runs and the mark of few examples mean."""
    return [*([_RUNS_MEAN] if run_rows(document) else []), *([f"* {FEW_MEANS}"] if few else [])]


# --- intervals --------------------------------------------------------------------------------------------------------


def interval_text(document: Mapping[str, Any]) -> str:
    """The caption of the intervals, "95 % intervals over 35 groups by article: effective Wilson"; "" without intervals."""
    rows = _of_all(value_rows(document))
    if document["interval"] is None or not any(row["method"] for row in rows):
        return ""
    methods = _methods(rows)
    return f"{level_text(document)}s{_over_groups(document, rows)}{f': {methods}' if methods else ''}"


def _of_all(rows: Iterable[Row]) -> list[Row]:
    """The rows over all examples."""
    return [row for row in rows if row["slice"] is None]


def _over_groups(document: Mapping[str, Any], rows: Sequence[Row]) -> str:
    """The words after "intervals" if examples have groups: " over 35 groups by article (few: under 30)".

    Measures and systems may rest on different numbers of groups: "9 to 12 groups by topic".
    """
    in_groups = [row for row in rows if row.get("n_groups") is not None]
    sizes = {row["n_groups"] for row in in_groups if row["n"]}
    if not sizes:
        return ""
    most: dict[str, float] = {}  # system -> the effective number of groups of its measure with most
    for row in in_groups:
        most[row["system"]] = max(row["effective_groups"], most.get(row["system"], 0))
    alike, few = min(most.values()), ""
    if min(sizes) < FEW_UNITS:
        few = f" (few: under {FEW_UNITS})"
    elif alike < FEW_UNITS:
        few = f" (few: as unequal as {alike:.0f})"
    number = f"{min(sizes):,} to {max(sizes):,}" if len(sizes) > 1 else f"{max(sizes):,}"
    name = (document["interval"] or {}).get("group_name")
    return f" over {number} group{'s' * (max(sizes) > 1)}{f' by {name}' if name else ''}{few}"


def _methods(rows: Iterable[Row]) -> str:
    """The methods of the intervals of measures, most frequent method last: "Wilson (exact_match), else t"."""
    used: dict[str, dict[str, None]] = {}
    for row in rows:
        if row["method"] not in ("", "none"):
            used.setdefault(row["measure"], {})[INTERVAL_WORDS[row["method"]]] = None
    by_methods: dict[str, list[str]] = {}
    for name, words in used.items():
        by_methods.setdefault(" or ".join(sorted(words)), []).append(name)
    if len(by_methods) < 2:
        return "".join(by_methods)
    *others, usual = sorted(by_methods, key=lambda words: len(by_methods[words]))
    return f"{', '.join(f'{words} ({first_names(by_methods[words], MOST_NAMED)})' for words in others)}, else {usual}"


# --- comparisons ------------------------------------------------------------------------------------------------------


def comparison_notes(document: Mapping[str, Any]) -> list[str]:
    """How p-values and intervals were made, and what the columns of ranks mean."""
    tested = [row for row in _of_all(difference_rows(document)) if row["n"]]
    return [_how_tested(document, tested), *_rank_notes(document, tested)]


def _how_tested(document: Mapping[str, Any], tested: Sequence[Row]) -> str:
    test, interval = document["test"], document["interval"]
    correction = "not corrected"
    if test["correction"] != "none":
        correction = f"corrected by {test['correction'].title()} over the {len(tested)} of the table"
    by_measure = {row["measure"]: row["ranked"] for row in tested}
    ranked = [name for name, is_ranked in by_measure.items() if is_ranked]
    if ranked and len(ranked) == len(by_measure):
        correction = f"corrected for {OF_RANKS}"
    elif ranked:
        correction += f", but {', '.join(ranked)} for {OF_RANKS}"
    is_sliced = any(slicing["requested"] for part in document["parts"] for slicing in part["slices"])
    in_slices = ", in slices over the tests of the slicing" if is_sliced else ""
    return (
        f"p: paired, two-sided, {_tests(document, tested)}; {correction}{in_slices}; verdict where p < "
        f"{1 - interval['confidence']:.3g}; {_intervals_made(document, tested)}, not corrected; seed {interval['seed']}"
    )


def _tests(document: Mapping[str, Any], tested: Sequence[Row]) -> str:
    """The tests over all examples; several tests with their measures."""
    rounds = f" with {document['test']['n_permutations']:,} rounds"
    of_ranks = {
        "sign flips": f"permutation test of all systems{rounds}",
        "exact sign flips": "exact permutation test of all systems",
        "bootstrap": f"bootstrap test of all systems with {document['interval']['n_resamples']:,} resamples",
    }
    ranked_by = {of["measure"]: of_ranks[of["test"]] for part in document["parts"] for of in part["ranks"]}
    used: dict[str, dict[str, None]] = {}
    for row in tested:
        drawn = rounds if row["test"] in ("permutation", "bootstrap") else ""
        name = TEST_NAMES.get(row["test"], f"{row['test']} test") + drawn
        used.setdefault(ranked_by[row["measure"]] if row["ranked"] else name, {})[row["measure"]] = None
    parts = [f"{name} ({', '.join(measures)})" if len(used) > 1 else name for name, measures in used.items()]
    return ", ".join(parts) or str(document["test"]["name"])


def _intervals_made(document: Mapping[str, Any], tested: Sequence[Row]) -> str:
    """How the intervals of values and of differences were found."""
    rows = _of_all(value_rows(document))
    found = dict.fromkeys(INTERVAL_WORDS[row["method"]] for row in tested if row["method"] not in ("", "none"))
    of_values, of_differences = _methods(rows), ", ".join(found)
    if of_differences not in ("", of_values):
        of_values += f", of differences: {of_differences}"
    drawn = f", {document['interval']['n_resamples']:,} resamples" if INTERVAL_WORDS["percentile"] in of_values else ""
    return f"intervals{_over_groups(document, rows)}: {of_values}{drawn}" if of_values else "intervals"


def marks_note(document: Mapping[str, Any]) -> str:
    """What bold and the marks in the table of values mean."""
    sure = f"significantly better (p < {1 - document['interval']['confidence']:.3g})"
    intervals = f"In brackets: {interval_text(document)}."
    if len(document["systems"]) == 2:
        return f"Bold: the better value; *: {sure}. {intervals}"
    return f"Bold: the best value; letters: {sure} than the systems of these letters. {intervals}"


def _rank_notes(document: Mapping[str, Any], tested: Sequence[Row]) -> list[str]:
    """The meaning of the columns of rank tables; empty without tables."""
    ranked = [ranking for part in document["parts"] for ranking in part["ranks"]]
    if not ranked:
        return []
    level, measures = ranked[0]["confidence"], {ranking["measure"] for ranking in ranked}
    ranks = f"ranks: the first and the last rank that a system may have ({100 * level:g} % interval)"
    alike = all(row["ranked"] for row in tested if row["measure"] in measures)
    beside_p = [] if alike else [letters_and_p(document["test"]["correction"], "alike")]
    letters = "; ".join([letters_mean(level, "alike"), *beside_p])
    return [f"{ranks}; {letters}; {BEST_SHARE_MEANS}"]


# --- leaderboards -----------------------------------------------------------------------------------------------------


def board_lines(document: Mapping[str, Any]) -> list[str]:
    """The lines below the tables of a leaderboard: the basis of the numbers, their meaning, and counts."""
    (part,) = document["parts"]
    main, level = part["ranks"][0], level_text(document)
    sizes = {ranking["measure"]: ranking["n"] for ranking in part["ranks"]}
    groups = "" if main["n_groups"] is None else f" in {counted(main['n_groups'], 'groups')}"
    methods = _methods({**ranking, **of} for ranking in part["ranks"] for of in ranking["systems"])
    rest = f" ({', '.join(f'{name} {n:,}' for name, n in sizes.items())})" if len(set(sizes.values())) > 1 else ""
    lines = [
        f"{len(document['systems'])} systems, {counted(part['n'], document['examples_name'])}{rest}{groups}",
        f"{level}s{f': {methods}' if methods else ''}",
        letters_mean(document["interval"]["confidence"]),
        f"sorted by {main['measure']}; in brackets behind a rank: the ranks that the system may have",
        f"{BEST_SHARE_MEANS}; {document['interval']['n_resamples']:,} resamples",
    ]
    if len(document["systems"]) > MOST_IN_MATRIX:
        lines.append("the p-values of all pairs are in the .html, .csv and .json files of this leaderboard")
    few = any(of["few"] for slicing, _, ranking in rankings(document) if slicing for of in ranking["systems"])
    return [*lines, *remark_lines(document), *([f"* {FEW_MEANS}"] if few else [])]


def letters_and_p(correction: str, head: str = "letters") -> str:
    """A sentence on why the letters of a ranking can disagree with the p-values of the differences.

    Args:
        correction: the correction of the differences; head: the name of the column of letters.
    """
    return (
        f"{head} and p ({correction}) are corrected in different ways, {head} for the pairs of systems by one measure: one may "
        "tell two systems apart where the other does not"
    )


def letters_mean(confidence: float, head: str = "letters") -> str:
    """A sentence on the meaning of the letters and their correction; `head` is the name of their column."""
    return (
        f"{head}: systems that share a letter do not differ significantly (level {100 * (1 - confidence):g} %, corrected for all pairs of "
        "systems together, step by step, as Romano and Wolf do)"
    )
