"""`assert_not_worse`, for tests of models and pipelines in pytest or any other runner."""

import os
from typing import TYPE_CHECKING, Any

from .files.score_files import score_files

if TYPE_CHECKING:
    from .stats.margin import MarginVerdict


def assert_not_worse(
    new: Any,
    old: Any,
    measure: str,
    *,
    margin: float,
    gold: "str | os.PathLike[str] | None" = None,
    metric: str | None = None,
    confidence: float = 0.95,
    groups: Any = None,
    common: bool = False,
    count_absent: bool = False,
    **options: Any,
) -> "MarginVerdict":
    """Assert that a new system is not worse than an old one by more than a margin, on the same examples.

    The decision uses the paired interval of `qassay.compare`: the assertion fails if the lower end is below minus the
    margin. It fails for a worse system, and if there are too few examples to exclude one; the message says which, and
    how many examples would suffice in 4 of 5 cases. A new system that is worse by exactly the margin passes in about (1
    - confidence) / 2 of all cases.

    Args:
        new, old: Scores, or Runs of several runs; or files of predictions, as `qassay.score_files` reads them: a path, or a
            list of paths for several runs.
        measure: a measure with an interval, such as "f1".
        margin: how much worse the new system may be, in units of the measure: 0.01 is one point of a rate from 0 to
            1. With 0, the new system must be better.
        gold: the gold file; None if the files also contain gold answers.
        metric: the metric, for files; None for the metric of the kind of file.
        confidence: as in `Scores.interval`.
        groups: which examples belong together, such as the questions about one article: as in `qassay.compare`, of files
            as in `qassay.score_files`; None: the groups of the scores, if they have any.
        common: True: judge by the examples that both systems answered. False: refuse systems that did not answer the
            same examples.
        count_absent: True: judge by all examples that the gold data have; an absent answer counts as 0. A metric that
            omits examples without an answer needs the option missing="zero" too.
        options: of the metric, and `columns` and `confidences` of `qassay.score_files`, for files.

    Returns:
        MarginVerdict: `.difference` with values, interval and counts, `.losses`, `.is_not_worse`, `.is_worse`; it
        prints as the message.

    Raises:
        AssertionError: with the values, the difference, its interval, the number of examples and the largest losses.
        ValueError: a margin below 0 or as large as the range of the measure, systems that did not answer the same examples, or what
            `qassay.compare` and `qassay.score_files` refuse. TypeError: options without files.

    Example:
        >>> import qassay
        >>> gold = {f"q{number}": ["Rome"] for number in range(200)}
        >>> old, new = dict.fromkeys(gold, "Oslo"), {key: "Rome" if row % 2 else "Oslo" for row, key in enumerate(gold)}
        >>> found = assert_not_worse(*(qassay.score("answer_match", one, gold) for one in (new, old)), "f1", margin=0.01)
        >>> print(found)
        f1: new is not worse than old by more than 0.01
        old 0.0000, new 0.5000, difference +0.5000, 95 % interval +0.4314 to +0.5686, 200 examples
    """
    __tracebackhide__ = True  # pytest then shows the line of the test
    from .core.interval_settings import Intervals, check_confidence
    from .stats.margin import judge_margins
    from .stats.systems import answered_examples

    given = {"old": old, "new": new}
    files = [name for name, system in given.items() if _is_of_files(system)]
    if files:
        if len(files) < len(given):
            raise TypeError(f"{files[0]} is a file and the other system is not; give two files, or two Scores")
        settings = {"metric": metric, "measures": [measure], "groups": groups, **options}
        given, groups = _scored_files(given, gold, settings), None
    elif of_files := [name for name, value in {"gold": gold, "metric": metric, **options}.items() if value is not None]:
        raise TypeError(f"{', '.join(of_files)}: arguments for files, but old and new are not files; omit them")
    intervals = Intervals(check_confidence(confidence))
    systems, _ = answered_examples(given, groups=groups, common=common, count_absent=count_absent)
    (verdict,) = judge_margins(systems, [(measure, margin)], intervals, common=common)
    if not verdict.is_not_worse:
        raise AssertionError(str(verdict))
    return verdict


def _is_of_files(system: Any) -> bool:
    if isinstance(system, (list, tuple)):
        return bool(system) and all(map(_is_of_files, system))
    return isinstance(system, (str, os.PathLike))


def _scored_files(systems: dict[str, Any], gold: Any, settings: dict[str, Any]) -> dict[str, Any]:
    """The Scores of files, by the name of the system."""
    if gold is not None:
        found = score_files(gold, systems, **settings)
        return {name: found[name] for name in systems}
    scored = {}
    for name, path in systems.items():
        found = score_files(path, **settings)
        if len(found) != 1:
            raise ValueError(f"{name}: {path} holds {len(found)} systems ({', '.join(found)}); give a file for each")
        (scored[name],) = found.values()
    return scored
