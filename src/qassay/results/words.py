"""Sentences below the tables of a result document: how its numbers were made, and what marks and columns mean."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..core.columns import counted
from ..core.intervals import FEW_UNITS, INTERVAL_WORDS
from ..core.shown import first_names
from ..stats.cautions import FEW_MEANS
from ..stats.paired_tests import TEST_NAMES
from ..stats.ranking_table import BEST_SHARE_MEANS, OF_RANKS, letters_and_p, letters_mean
from .tables import MOST_IN_MATRIX, Cells, Difference, Numbers, differences_of, level_text, runs_of, sliced_differences
from .values import MOST_NAMED


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
    of_runs = [_RUNS_MEAN] if any(runs_of(document)) else []
    return [*of_runs, *([f"* {FEW_MEANS}"] if few else [])]


# --- intervals --------------------------------------------------------------------------------------------------------


def interval_text(document: Mapping[str, Any], numbers: Numbers) -> str:
    """The caption of the intervals, "95 % intervals over 35 groups by article: effective Wilson"; "" without intervals."""
    has_interval = any(cell["method"] for cells in numbers.systems.values() for cell in cells.values())
    if document["interval"] is None or not has_interval:
        return ""
    methods = methods_text(_methods(numbers.systems))
    return f"{level_text(document)}s{over_groups(document, numbers.systems)}{f': {methods}' if methods else ''}"


def over_groups(document: Mapping[str, Any], systems: Cells) -> str:
    """The words after "intervals" if examples have groups: " over 35 groups by article (few: under 30)".

    Measures and systems may rest on different numbers of groups: "9 to 12 groups by topic".
    """
    cells = [cell for of in systems.values() for cell in of.values() if cell.get("n_groups") is not None]
    sizes = {cell["n_groups"] for cell in cells if cell["n"]}
    if not sizes:
        return ""
    number = f"{min(sizes):,} to {max(sizes):,}" if len(sizes) > 1 else f"{max(sizes):,}"
    name = (document["interval"] or {}).get("group_name")
    alike = min(
        max((cell["effective_groups"] for cell in of.values() if "effective_groups" in cell), default=FEW_UNITS)
        for of in systems.values()
    )
    few = (
        f" (few: under {FEW_UNITS})"
        if min(sizes) < FEW_UNITS
        else f" (few: as unequal as {alike:.0f})"
        if alike < FEW_UNITS
        else ""
    )
    return f" over {number} group{'s' * (max(sizes) > 1)}{f' by {name}' if name else ''}{few}"


def _methods(systems: Cells) -> Iterator[tuple[str, str]]:
    """Measure and method of each interval."""
    for cells in systems.values():
        for name, cell in cells.items():
            yield name, cell["method"]


def methods_text(methods: Iterable[tuple[str, str]]) -> str:
    """The methods of the intervals of measures, most frequent method last: "Wilson (exact_match), else t"."""
    used: dict[str, dict[str, None]] = {}
    for name, method in methods:
        if method not in ("", "none"):
            used.setdefault(name, {})[INTERVAL_WORDS[method]] = None
    by_methods: dict[str, list[str]] = {}
    for name, words in used.items():
        by_methods.setdefault(" or ".join(sorted(words)), []).append(name)
    if len(by_methods) < 2:
        return "".join(by_methods)
    *others, usual = sorted(by_methods, key=lambda words: len(by_methods[words]))
    return f"{', '.join(f'{words} ({first_names(by_methods[words], MOST_NAMED)})' for words in others)}, else {usual}"


# --- comparisons ------------------------------------------------------------------------------------------------------


def comparison_notes(document: Mapping[str, Any], numbers: Numbers) -> list[str]:
    """How p-values and intervals were made, and what the columns of ranks mean."""
    return [_how_tested(document, numbers), *_rank_notes(document)]


def _how_tested(document: Mapping[str, Any], numbers: Numbers) -> str:
    differences, test, interval = differences_of(document), document["test"], document["interval"]
    tested = [difference for difference in differences if difference.one["n"]]
    correction = "not corrected"
    if test["correction"] != "none":
        correction = f"corrected by {test['correction'].title()} over the {len(tested)} of the table"
    by_measure = {difference.one["measure"]: difference.one["ranked"] for difference in tested}
    ranked = [name for name, is_ranked in by_measure.items() if is_ranked]
    if ranked and len(ranked) == len(by_measure):
        correction = f"corrected for {OF_RANKS}"
    elif ranked:
        correction += f", but {', '.join(ranked)} for {OF_RANKS}"
    in_slices = ", in slices over the tests of the slicing" if _has_requested_slices(document) else ""
    return (
        f"p: paired, two-sided, {_tests_in_words(document, tested)}; {correction}{in_slices}; verdict where p < "
        f"{1 - interval['confidence']:.3g}; {_intervals_made(document, numbers, tested)}, not corrected; seed {interval['seed']}"
    )


def _has_requested_slices(document: Mapping[str, Any]) -> bool:
    return any(slicing["requested"] for part in document["parts"] for slicing in part["slices"])


def _tests_in_words(document: Mapping[str, Any], differences: Sequence[Difference]) -> str:
    """The tests over all examples; several tests with their measures."""
    rounds = f" with {document['test']['n_permutations']:,} rounds"
    of_ranks = {
        "sign flips": f"permutation test of all systems{rounds}",
        "exact sign flips": "exact permutation test of all systems",
        "bootstrap": f"bootstrap test of all systems with {document['interval']['n_resamples']:,} resamples",
    }
    ranked_by = {of["measure"]: of_ranks[of["test"]] for part in document["parts"] for of in part["ranks"]}
    used: dict[str, dict[str, None]] = {}
    for difference in differences:
        measure, own = difference.one["measure"], difference.one["test"]
        drawn = rounds if own in ("permutation", "bootstrap") else ""
        told = ranked_by[measure] if difference.one["ranked"] else f"{TEST_NAMES.get(own, f'{own} test')}{drawn}"
        used.setdefault(told, {})[measure] = None
    parts = [f"{told} ({', '.join(measures)})" if len(used) > 1 else told for told, measures in used.items()]
    return ", ".join(parts) or str(document["test"]["name"])


def _intervals_made(document: Mapping[str, Any], numbers: Numbers, differences: Sequence[Difference]) -> str:
    """How the intervals of values and of differences were found."""
    found = [difference.one["method"] for difference in differences]
    of_differences = ", ".join(dict.fromkeys(INTERVAL_WORDS[name] for name in found if name not in ("", "none")))
    of_values = methods_text(_methods(numbers.systems))
    if of_differences not in ("", of_values):
        of_values += f", of differences: {of_differences}"
    drawn = f", {document['interval']['n_resamples']:,} resamples" if INTERVAL_WORDS["percentile"] in of_values else ""
    return f"intervals{over_groups(document, numbers.systems)}: {of_values}{drawn}" if of_values else "intervals"


def marks_note(document: Mapping[str, Any], numbers: Numbers) -> str:
    """What bold and the marks in the table of values mean."""
    sure = f"significantly better (p < {1 - document['interval']['confidence']:.3g})"
    intervals = f"In brackets: {interval_text(document, numbers)}."
    if len(numbers.systems) == 2:
        return f"Bold: the better value; *: {sure}. {intervals}"
    return f"Bold: the best value; letters: {sure} than the systems of these letters. {intervals}"


def _rank_notes(document: Mapping[str, Any]) -> list[str]:
    """The meaning of the columns of rank tables; empty without tables."""
    rankings = [ranking for part in document["parts"] for ranking in part["ranks"]]
    if not rankings:
        return []
    level, measures = rankings[0]["confidence"], {ranking["measure"] for ranking in rankings}
    ranks = f"ranks: the first and the last rank that a system may have ({100 * level:g} % interval)"
    alike = all(of.one["ranked"] for of in differences_of(document) if of.one["measure"] in measures and of.one["n"])
    beside_p = [] if alike else [letters_and_p(document["test"]["correction"], "alike")]
    letters = "; ".join([letters_mean(level, "alike"), *beside_p])
    return [f"{ranks}; {letters}; {BEST_SHARE_MEANS}"]


def has_few_in_slices(document: Mapping[str, Any]) -> bool:
    """Whether a difference of a requested slicing is marked as of few examples."""
    slices = sliced_differences(document)
    return any(of.one["few"] for labels in slices.values() for of_label in labels.values() for of in of_label)


# --- leaderboards -----------------------------------------------------------------------------------------------------


def board_lines(document: Mapping[str, Any]) -> list[str]:
    """The lines below the tables of a leaderboard: the basis of the numbers, their meaning, and counts."""
    (part,) = document["parts"]
    rankings, level = part["ranks"], level_text(document)
    main, sizes = rankings[0], {ranking["measure"]: ranking["n"] for ranking in rankings}
    groups = "" if main["n_groups"] is None else f" in {counted(main['n_groups'], 'groups')}"
    methods = methods_text((ranking["measure"], of["method"]) for ranking in rankings for of in ranking["systems"])
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
    few = any(
        of["few"]
        for slicing in part["slices"]
        for of_label in slicing["ranks"]
        for ranking in of_label
        for of in ranking["systems"]
    )
    return [*lines, *remark_lines(document), *([f"* {FEW_MEANS}"] if few else [])]
