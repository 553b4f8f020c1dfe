"""Aligns the Scores of several systems: the same examples in the same order, with a common numbering of classes."""

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np

from .ids import rows_of_ids
from .ragged import Ragged
from .score_parts import other_options, sorted_values
from .scores import Scores
from .shown import describe, shown

_SAME_GROUPS = "score both with the same groups, or give them by scores.with_groups(labels)"
_REMARKS_ON_GOLD = {  # gold data that differ, although many measures may be the same
    "gold answers": ' (they are compared as they are written, before normalization; [""] is an answer, [] is none)',
    "judgements": " (they may differ only in documents of relevance 0, which some measures count)",
}


def require_comparable(systems: Mapping[str, Scores]) -> None:
    """Refuse anything but a dict of two or more Scores with the same options.

    Raises:
        TypeError, ValueError: naming the system, or the option that differs.
    """
    if not isinstance(systems, Mapping):
        raise TypeError(f'systems must be a dict name -> Scores, such as {{"A": a, "B": b}}; got {describe(systems)}')
    for name, scores in systems.items():
        if not isinstance(scores, Scores):
            raise TypeError(
                f"system {shown(name)} must be a Scores, as qassay.score returns it; got {describe(scores)}"
            )
    if len(systems) < 2:
        raise ValueError(f"a comparison needs two or more systems; got {len(systems)}: {', '.join(systems) or 'none'}")
    require_same_options(systems)


def require_same_options(systems: Mapping[str, Scores]) -> None:
    """Refuse systems that were scored with different options, also with such as data decide.

    Raises:
        ValueError: naming two systems, and the option.
    """
    (first, scores), *others = systems.items()
    for name, other in others:
        alike = type(scores.options) is type(other.options)
        fields = scores.options.differences(other.options) if alike else None
        if fields is None or fields:
            difference = other_options(scores.options, other.options, fields)
            raise ValueError(f"{first} and {name} were scored differently and cannot be compared: {difference}")


def align_scores(systems: Mapping[str, Scores]) -> tuple[dict[str, Scores], dict[str, int]]:
    """The systems restricted to their common examples, matched by id, in the order of the first system; and how many
    other examples each has.

    Raises:
        ValueError: no common example, examples without ids that cannot be matched, or weights, groups or gold answers
            that differ.

    Example:
        >>> import qassay
        >>> a = qassay.score("answer_match", {"q1": "x", "q2": "y"}, {"q1": ["x"], "q2": ["z"]})
        >>> b = qassay.score("answer_match", {"q2": "z", "q3": "y"}, {"q2": ["z"], "q3": ["y"]})
        >>> found, unmatched = align_scores({"a": a, "b": b})
        >>> list(found["a"].ids), unmatched
        (['q2'], {'a': 1, 'b': 1})
    """
    (first_name, first), *others = systems.items()
    for name, scores in others:
        unnamed = [n for n, s in ((first_name, first), (name, scores)) if isinstance(s.ids, range) and len(s)]
        if unnamed and len(scores) != len(first):
            raise ValueError(
                f"{first_name} has {len(first)} examples and {name} {len(scores)}, and {unnamed[0]} has no ids to match "
                "them by; give ids when you score"
            )
    rows = {name: rows_of_ids(first.ids, scores.ids) for name, scores in systems.items()}
    common = np.logical_and.reduce([found >= 0 for found in rows.values()])
    if not common.any():
        empty = [name for name, scores in systems.items() if not len(scores)]
        if empty:
            raise ValueError(f"{empty[0]} has no examples; score at least one")
        name = next((name for name, found in rows.items() if (found < 0).all()), others[-1][0])
        raise ValueError(
            f"no example is in all systems: {first_name} has ids such as {shown(first.ids[0])}, {name} such as "
            f"{shown(systems[name].ids[0])}; score all of them with the same ids"
        )
    ids = [identifier for identifier, there in zip(first.ids, common.tolist(), strict=True) if there]
    aligned = {}
    for name, scores in systems.items():
        found = rows[name][common]
        whole = len(found) == len(scores) and (found == np.arange(len(found))).all()
        aligned[name] = scores if whole else scores.take(found)
    for name, scores in aligned.items():
        unequal = np.flatnonzero(scores.rows.weights != aligned[first_name].rows.weights)
        if len(unequal):
            raise ValueError(
                f"example {shown(ids[unequal[0]])} has another weight in {name} than in {first_name}; "
                "score the systems with the same weights"
            )
    _refuse_other_groups(aligned)
    _refuse_other_gold(aligned)
    return aligned, {name: scores.n_examples - aligned[name].n_examples for name, scores in systems.items()}


def _refuse_other_groups(systems: Mapping[str, Scores]) -> None:
    """Refuse systems whose groups differ, groups in only some systems, and a single group."""
    (first_name, first), *others = systems.items()
    for name, scores in others:
        if (first.groups is None) != (scores.groups is None):
            a, b = (first_name, name) if scores.groups is None else (name, first_name)
            raise ValueError(f"{a} has groups of examples and {b} has none; {_SAME_GROUPS}")
        if first.groups is not None and scores.groups is not None and first.groups != scores.groups:
            pairs = zip(first.ids, first.groups.listed(), scores.groups.listed(), strict=True)
            identifier, one, other = next(row for row in pairs if row[1] != row[2])
            raise ValueError(
                f"example {shown(identifier)} is in group {shown(one)} in {first_name} and in group {shown(other)} in {name}; "
                + _SAME_GROUPS
            )
    first.require_several_groups()


def _refuse_other_gold(systems: Mapping[str, Scores]) -> None:
    """Refuse systems that were scored against different gold data for the same examples, as far as fingerprints
    show.
    """
    fingerprinted = [(name, scores, scores.gold) for name, scores in systems.items() if scores.gold is not None]
    for name, scores, gold in fingerprinted[1:]:
        other = fingerprinted[0][2].first_other(gold)
        if other is not None:
            what, row = other
            if what == "ids":
                raise ValueError(
                    f"{fingerprinted[0][0]} and {name} cannot be compared by their buckets: {scores.ids[row]!r} holds "
                    'other ids in each; sum up the same examples of both, with ids of one kind (7 and "7" are two ids here)'
                )
            raise ValueError(
                f"{fingerprinted[0][0]} and {name} were scored against different gold data and cannot be compared: example "
                f"{scores.ids[row]!r} differs in its {what}; score both against the same gold data{_REMARKS_ON_GOLD.get(what, '')}"
            )


def with_same_codes(systems: Mapping[Any, Scores]) -> dict[Any, Scores]:
    """The systems with one common numbering of classes, which covers the classes of every system."""
    coded = {name: scores.coded for name, scores in systems.items()}
    if not any(coded.values()) or all(classes == next(iter(coded.values())) for classes in coded.values()):
        return dict(systems)
    meanings = sorted_values(what for classes in coded.values() for listed in classes.values() for what in listed)
    number = {what: index for index, what in enumerate(meanings)}
    aligned = {}
    for name, scores in systems.items():
        columns = dict(scores.columns)
        numbers = np.zeros(0, np.int64)
        for column, listed in scores.coded.items():
            numbers = np.array([number[what] for what in listed], np.int64)
            old = columns[column]
            recoded = numbers[(old.values if isinstance(old, Ragged) else old).astype(np.int64)]
            columns[column] = Ragged(old.offsets, recoded) if isinstance(old, Ragged) else recoded
        for measure in scores.measures.values():
            columns.update(measure.recoded_columns(scores.columns, len(meanings)))
        measures = {key: measure.recoded(numbers, len(meanings)) for key, measure in scores.measures.items()}
        aligned[name] = dataclasses.replace(
            scores, columns=columns, measures=measures, coded=dict.fromkeys(scores.coded, meanings)
        )
    return aligned
