"""What a reward is made of, checked: its metric, its measure and its own settings."""

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from ..core.columns import is_real
from ..core.extraction import UNEXTRACTED, get_extraction
from ..core.options import Options, check_flag, check_whole, keyword_names
from ..core.scorer import Scorer, check_measures
from ..core.shown import shown
from ..registry import FAMILIES, Family, get_family
from .layouts import ANSWER_LAYOUT, find_layout

SHORT_NAMES = {"sub_em": ("contains", {"contains": "substring"})}
ON_FAILURE = ("none", "zero", "raise")  # what an answer without a verdict of a judge gets
FORMAT = "format"  # the measure that is the layout alone


def family_of_texts(metric: str) -> Family:
    """The family of a metric; a ValueError for one that does not score a text."""
    family = get_family(metric)
    if not family.scores_outputs or family.telling.answers_are != ("texts",):
        fit = [
            name for name, other in FAMILIES.items() if other.scores_outputs and other.telling.answers_are == ("texts",)
        ]
        raise ValueError(f"{metric} does not score one text against gold answers; a reward takes {', '.join(fit)}")
    return family


def check_options(family: Family, options: Iterable[str], settings: Iterable[str], rules: str | None) -> None:
    """Refuse options that the metric does not have, in view of the settings of the reward too.

    Raises:
        TypeError: such an option. ValueError: rules, for a metric without presets.
    """
    _, options_class = family.load()
    names = keyword_names(options_class)
    if rules is not None and "preset" not in names:
        raise ValueError(f"rules={rules} are for answer_match, not for {family.name}")
    for name in options:
        if name not in names:
            near = options_class.pointed(name, (*settings, *names))
            raise TypeError(
                f"a reward of {family.name} has no option {name!r}{near}; the metric has: {', '.join(names)}"
            )


def scorer_of(family: Family, measure: str, options: Mapping[str, Any]) -> tuple[str, Scorer, Any]:
    """The measure by its own name, the scorer of answers, and the options as given if they take the answer out.

    Raises:
        ValueError: unknown measure.
    """
    _, options_class = family.load()
    own: Any = options_class(**options)
    made = own
    if own.extract is not None:  # the reward takes it out, once
        made = options_class(**{**options, "extract": "none", "unextracted": "zero"})
    scorer = Scorer(family, made)
    measure = options_class.aliases.get(measure.lower(), measure)
    # Names come from scoring answers: if that would load a model, by the smallest options, not the user's.
    names = (Scorer(family, options_class(**family.smallest[0][1])) if family.runs_model(made) else scorer).names
    check_measures([measure], names, family.name, (*SHORT_NAMES, FORMAT))
    return measure, scorer, own if own.extract is not None else None


def check_further_columns(scorer: Scorer, family: Family, roles: Iterable[str]) -> None:
    """Refuse options that need columns of the metric which the reward is not given.

    Raises:
        ValueError: the options need such a column; the message names it.
    """
    if family.runs_model(scorer.options):
        return
    function, there = family.load()[0], {"predictions", "references", "questions", *roles}
    errors: list[Exception] = []
    for row in family.smallest_rows(scorer.options):
        if row.keys() <= there:
            try:
                function(**row, options=scorer.options)
                return
            except (TypeError, ValueError) as error:
                errors.append(error)
    if errors:
        raise ValueError(
            f"{errors[0]}; a reward reads further columns that are named, columns={{ROLE: NAME}}"
        ) from None


def _signed(key: str, default: Any, **metadata: Any) -> Any:
    return dataclasses.field(default=default, metadata={"key": key, **metadata})


@dataclasses.dataclass(frozen=True)
class RewardOptions(Options):
    """The settings of a reward beside the options of its metric, as `Reward` says; rules and presets are looked up already."""

    family: ClassVar[str] = "reward"

    measure: str = _signed("measure", "exact_match", always=True)
    extract: Any = _signed("extract", "answer_tag", always=True)
    unextracted: str = _signed("unextracted", UNEXTRACTED[0], always=True)
    format_weight: float = _signed("format", 0.0)
    retrieval_weight: float = _signed("retrieval", 0.0)
    answered_weight: float = _signed("answered", 0.0)
    layout: Any = _signed("layout", ANSWER_LAYOUT)
    prompt_answers: int = _signed("prompt_answers", 0)
    most_tags: int | None = _signed("most_tags", None)
    rules: str | None = _signed("rules", None)
    parts: bool = False
    on_failure: str = "none"

    def __post_init__(self) -> None:
        weights = {name: _weight(name, getattr(self, name)) for name in _WEIGHTS}
        if self.measure == FORMAT and any(weights.values()):
            raise ValueError("the measure 'format' is the format alone; omit the weights")
        self._check_choices(("unextracted", UNEXTRACTED), ("on_failure", ON_FAILURE))
        self._set(
            **weights,
            extract=get_extraction(self.extract),
            layout=find_layout(self.layout),
            prompt_answers=check_whole("prompt_answers", self.prompt_answers, 0),
            most_tags=None if self.most_tags is None else check_whole("most_tags", self.most_tags, 0),
            parts=check_flag("parts", self.parts),
        )
        if self.format_weight + self.retrieval_weight > 1:
            raise ValueError("format_weight and retrieval_weight are more than 1 together; a reward is from 0 to 1")


_WEIGHTS = ("format_weight", "retrieval_weight", "answered_weight")


def _weight(name: str, value: Any) -> float:
    """An option that is a share of the reward."""
    if isinstance(value, bool) or not is_real(value) or not 0 <= value <= 1:
        raise ValueError(f"{name} must be a number from 0 to 1, got {shown(value)}")
    return float(value)


def share(name: str, value: Any) -> float:
    """A value that can be a reward."""
    if not is_real(value) or not 0 <= value <= 1:
        raise ValueError(f"{name} is {shown(value)}, but a reward is from 0 to 1")
    return float(value)
