"""Sentences below the tables of a result document: how its numbers were made, and what marks and columns mean."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..core.columns import counted
from ..core.intervals import FEW_UNITS, INTERVAL_WORDS
from ..core.shown import first_names
from ..stats.cautions import FEW_MEANS
from ..stats.paired_tests import TEST_NAMES
from ..stats.values import MOST_NAMED
from .rows import Row, difference_rows, run_rows, value_rows
from .tables import level_text

_BEST_MEANS = "best: the share of resamples in which a system is the best, which is not the probability that it is"
_OF_RANKS = "all pairs of systems together, step by step, as for the ranks"  # the correction of the ranks
_RUNS_MEAN = (
    "runs: the standard deviation, the smallest and the largest value of the runs; the shares of question, run and noise "
    "in the variance of their mean; questions answered right always (in all runs) and never"
)


def remark_lines(document: Mapping[str, Any]) -> list[str]:
    """The remarks to print, each once: without those on the input, which are warnings, and on slicings that are not shown."""
    shown = {
        None,
        *(slicing["name"] for part in document["parts"] for slicing in part["slices"] if slicing["requested"]),
    }
    remarks = [remark for remark in document["remarks"] if remark["id"] != "input" and remark["slice"] in shown]
    return list(dict.fromkeys(remark["text"] for remark in remarks))


def value_notes(document: Mapping[str, Any]) -> list[str]:
    """Notes on the columns of runs and on the mark of few examples, if tables have them."""
    rows = difference_rows(document) if document["kind"] == "compare" else value_rows(document)
    few = any(row["few"] for row in rows if row["slice"] is not None)
    return [_RUNS_MEAN] * bool(run_rows(document)) + [f"* {FEW_MEANS}"] * few


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

    Measures and systems may have different numbers of groups: "9 to 12 groups by topic".
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
    number = " to ".join(f"{size:,}" for size in sorted({min(sizes), max(sizes)}))
    name = (document["interval"] or {}).get("group_name")
    return f" over {number} group{'s' * (max(sizes) > 1)}{f' by {name}' if name else ''}{few}"


def _methods(rows: Iterable[Mapping[str, Any]]) -> str:
    """The methods of the intervals of measures, the most frequent one last: "Wilson (exact_match), Student's t for the others"."""
    used: dict[str, set[str]] = {}
    for row in rows:
        if row["method"] not in (None, "", "none"):
            used.setdefault(row["measure"], set()).add(INTERVAL_WORDS[row["method"]])
    by_methods: dict[str, list[str]] = {}
    for measure, methods in used.items():
        by_methods.setdefault(" or ".join(sorted(methods)), []).append(measure)
    *others, usual = sorted(by_methods, key=lambda words: len(by_methods[words])) or [""]
    named = [f"{words} ({first_names(by_methods[words], MOST_NAMED)})" for words in others]
    return f"{', '.join(named)}, {usual} for the others" if named else usual


# --- comparisons ------------------------------------------------------------------------------------------------------


def comparison_notes(document: Mapping[str, Any]) -> list[str]:
    """How p-values and intervals were made, and what the columns of ranks mean."""
    test, interval = document["test"], document["interval"]
    tested = [row for row in _of_all(difference_rows(document)) if row["n"]]
    correction = "not corrected"
    if test["correction"] != "none":
        correction = f"corrected by {test['correction'].title()} for {len(tested)} tests"
        if len(tested) == 1:
            correction = "one test, so not corrected"
    ranked = dict.fromkeys(row["measure"] for row in tested if row["ranked"])
    others = {row["measure"] for row in tested if not row["ranked"]}
    if ranked and not others:
        correction = f"corrected for {_OF_RANKS}"
    elif ranked:
        correction += f", but {', '.join(ranked)} for {_OF_RANKS}"
    is_corrected = test["correction"] != "none"
    if is_corrected and any(slicing["requested"] for part in document["parts"] for slicing in part["slices"]):
        correction += "; in slices, corrected for the number of their tests"
    lines = [
        f"p: paired, two-sided, {_tests(document, tested)}; {correction}; better or worse where p < {1 - interval['confidence']:.3g}; "
        f"{_intervals_made(document, tested)}, not corrected; seed {interval['seed']}"
    ]
    rankings = [ranking for part in document["parts"] for ranking in part["ranks"]]
    if rankings:
        level = rankings[0]["confidence"]
        ranks = f"ranks: the first and the last rank that a system may have ({100 * level:g} % interval)"
        letters = _letters_mean(level, "alike")
        lines.append(f"{ranks}; {letters}; {_BEST_MEANS}")
    return lines


def _tests(document: Mapping[str, Any], tested: Sequence[Row]) -> str:
    """The tests over all examples, several tests with their measures; and those of slices where they are others."""
    rounds = f" with {document['test']['n_permutations']:,} rounds"
    of_ranks = {
        "sign flips": f"permutation test of all systems{rounds}",
        "exact sign flips": "exact permutation test of all systems",
        "bootstrap": f"bootstrap test of all systems with {document['interval']['n_resamples']:,} resamples",
    }
    ranked_by = {of["measure"]: of_ranks[of["test"]] for part in document["parts"] for of in part["ranks"]}

    def name_of(row: Row) -> str:
        drawn = rounds if row["test"] in ("permutation", "bootstrap") else ""
        return TEST_NAMES.get(row["test"], f"{row['test']} test") + drawn

    used: dict[str, dict[str, None]] = {}
    for row in tested:
        used.setdefault(ranked_by[row["measure"]] if row["ranked"] else name_of(row), {})[row["measure"]] = None
    parts = [f"{name} ({', '.join(measures)})" if len(used) > 1 else name for name, measures in used.items()]
    found = ", ".join(parts) or str(document["test"]["name"])
    in_slices = {name_of(row): None for row in difference_rows(document) if row["slice"] is not None and row["n"]}
    more = [name for name in in_slices if name not in used]
    return f"{found}; in slices also {', '.join(more)}" if more else found


def _intervals_made(document: Mapping[str, Any], tested: Sequence[Row]) -> str:
    """How the intervals of values and of differences were found."""
    rows = _of_all(value_rows(document))
    found = dict.fromkeys(INTERVAL_WORDS[row["method"]] for row in tested if row["method"] not in (None, "", "none"))
    methods, of_differences = _methods(rows), ", ".join(found)
    if of_differences not in ("", methods):
        methods += f", of differences: {of_differences}"
    drawn = f", {document['interval']['n_resamples']:,} resamples" if INTERVAL_WORDS["percentile"] in methods else ""
    return f"intervals{_over_groups(document, rows)}: {methods}{drawn}" if methods else "intervals"


# --- leaderboards -----------------------------------------------------------------------------------------------------


def board_lines(document: Mapping[str, Any]) -> list[str]:
    """The lines below the tables of a leaderboard: the basis of the numbers, their meaning, and counts."""
    (part,) = document["parts"]
    main, level = part["ranks"][0], level_text(document)
    sizes = {ranking["measure"]: ranking["n"] for ranking in part["ranks"]}
    groups = "" if main["n_groups"] is None else f" in {counted(main['n_groups'], 'groups')}"
    methods = _methods({**one, **of} for one in part["ranks"] for of in one["systems"])
    rest = f" ({', '.join(f'{name} {n:,}' for name, n in sizes.items())})" if len({*sizes.values()}) > 1 else ""
    return [
        f"{len(document['systems'])} systems, {counted(part['n'], document['examples_name'])}{rest}{groups}",
        f"{level}s{f': {methods}' if methods else ''}",
        _letters_mean(document["interval"]["confidence"], "letters"),
        f"sorted by {main['measure']}; brackets: possible ranks",
        "brackets hold for one system alone, letters for all pairs: a comparison of two systems alone, which is not corrected for other "
        "pairs, may find a difference where they share a letter",
        f"{_BEST_MEANS}; {document['interval']['n_resamples']:,} resamples",
        *remark_lines(document),
        *value_notes(document),
    ]


def _letters_mean(confidence: float, head: str) -> str:
    """The meaning of the letters in the column of that head, and their correction."""
    return (
        f"{head}: systems that share a letter do not differ significantly (level {100 * (1 - confidence):g} %, "
        "Romano–Wolf step-down correction over all pairs)"
    )
