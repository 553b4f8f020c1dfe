"""What a reward is made of, checked: its metric, its measure, columns and weights."""

import inspect
from collections.abc import Iterable, Mapping
from typing import Any

from ..core.columns import is_real
from ..core.options import did_you_mean, keyword_names
from ..core.scorer import Scorer
from ..core.shown import describe, shown
from ..registry import FAMILIES, Family, get_family

SHORT_NAMES = {"sub_em": ("contains", {"contains": "substring"})}
FORMAT = "format"  # the measure that is the layout alone
_NOT_OF_ONE = ("predictions", "ids", "weights", "groups", "options")


def family_of_texts(metric: str) -> Family:
    """The family of a metric; a ValueError for one that does not score a text."""
    family = get_family(metric)
    if not family.scores_outputs or family.telling.answers_are != ("texts",):
        fit = [
            name for name, other in FAMILIES.items() if other.scores_outputs and other.telling.answers_are == ("texts",)
        ]
        raise ValueError(f"{metric} does not score one text against gold answers; a reward is of {', '.join(fit)}")
    return family


def check_options(family: Family, options: Iterable[str], settings: Iterable[str], rules: str | None) -> None:
    """Refuse options that the metric does not have, in view of the settings of the reward too.

    Raises:
        TypeError: such an option. ValueError: rules, for a metric without presets.
    """
    _, options_class = family.load()
    names = keyword_names(options_class)
    if rules is not None and "preset" not in names:
        raise ValueError(f"rules={rules!r} are for answer_match, not for {family.name}")
    for name in options:
        if name not in names:
            near = options_class.pointed(name, (*settings, *names))
            raise TypeError(
                f"a reward of {family.name} has no option {name!r}{near}; the metric has: {', '.join(names)}"
            )


def scorer_of(family: Family, measure: str, options: Mapping[str, Any]) -> tuple[str, Scorer, Any]:
    """The measure by its own name, the scorer of answers, and the options as given if they take the answer out.

    Raises:
        ValueError: no such measure.
    """
    _, options_class = family.load()
    own: Any = options_class(**options)
    made = own
    if own.extract is not None:  # the reward takes it out, once
        made = options_class(**{**options, "extract": "none", "unextracted": "zero"})
    scorer = Scorer(family, made)
    measure = options_class.aliases.get(measure.lower(), measure)
    # Names are of answers that are scored, which asks no model of the user.
    names = [name for name, _ in family.measures()] if family.loads_model else scorer.names
    if measure not in names:
        near = did_you_mean(measure, (*names, *SHORT_NAMES, FORMAT))
        raise ValueError(
            f"{family.name} has no measure {shown(measure)} of one answer{near}; it has: {', '.join(names)}"
        )
    return measure, scorer, own if own.extract is not None else None


def columns_named(columns: Mapping[str, str] | None, family: Family) -> dict[str, str]:
    """Role -> the column of the data set, checked; {} for None."""
    roles = [role for role in inspect.signature(family.load()[0]).parameters if role not in _NOT_OF_ONE]
    if not isinstance(columns or {}, Mapping):
        raise TypeError(
            f"columns must be a dict role -> column, such as {{'references': 'gold'}}; got {describe(columns)}"
        )
    for role, name in (columns or {}).items():
        if role not in roles:
            raise ValueError(
                f"no role {shown(role)} of columns{did_you_mean(role, roles)}; there are: {', '.join(roles)}"
            )
        if not isinstance(name, str):
            raise TypeError(f"columns: the role {role} needs the name of a column, got {describe(name)}")
    return dict(columns or {})


def weight(name: str, value: Any) -> float:
    """An option that is a share of the reward."""
    if isinstance(value, bool) or not is_real(value) or not 0 <= value <= 1:
        raise ValueError(f"{name} must be a number from 0 to 1, got {shown(value)}")
    return float(value)


def share(name: str, value: Any) -> float:
    """A value that can be a reward."""
    if not is_real(value) or not 0 <= value <= 1:
        raise ValueError(f"{name} is {shown(value)}, but a reward is from 0 to 1")
    return float(value)
