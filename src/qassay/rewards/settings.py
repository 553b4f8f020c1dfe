"""The settings of a reward: layouts, the rules of published files, options."""

import dataclasses
import functools
import re
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from ..core.columns import is_real
from ..core.extraction import UNEXTRACTED, compiled_pattern, get_extraction
from ..core.options import Options, check_whole, did_you_mean, option
from ..core.shown import describe, shown
from ..core.text import function_name

FORMAT = "format"  # the measure of the layout alone
_ASSISTANT = "<|im_start|>assistant"
_TAGS = re.compile(r"(</?(?:think|search|information|answer)>)")
_THINK, _ANSWER = "<think></think>", "<answer></answer>"
_SEARCHES = f"(?:<search></search><information></information>{_THINK})*"


def _in_order(pattern: str, text: str) -> bool:
    """Whether a text consists only of tagged parts whose tags match the pattern."""
    pieces = _TAGS.split(text)
    tags, between = "".join(pieces[1::2]), pieces[::4]
    return re.fullmatch(pattern, tags) is not None and not any(piece.strip() for piece in between)


def _after_prompt(pattern: str, text: str) -> bool:
    _, marker, written = text.partition(_ASSISTANT)
    return bool(marker) and _in_order(pattern, written)


#: Name -> whether a text has the layout; "answer": whether an answer is extracted. Read only.
LAYOUTS: Mapping[str, Callable[[str], bool] | None] = {
    "answer": None,
    "think_answer": functools.partial(_in_order, _THINK + _ANSWER),
    "search": functools.partial(_in_order, _THINK + _SEARCHES + _ANSWER),
    "search_after_prompt": functools.partial(_after_prompt, _THINK + _SEARCHES + _ANSWER),
}


@dataclasses.dataclass(frozen=True)
class Layout:
    """A check of the layout of a text.

    Attributes:
        name: in signatures: "search", "regex:...", "custom:my_function".
        function: from a text to True, False or a number from 0 to 1; None: whether an answer is extracted.
    """

    name: str
    function: Callable[[str], Any] | None


ANSWER_LAYOUT = Layout("answer", LAYOUTS["answer"])


def find_layout(spec: Any) -> Layout:
    """The layout for a name or a function; a Layout is returned unchanged.

    Raises:
        ValueError: an unknown name, or an invalid pattern. TypeError: another type.
    """
    if isinstance(spec, Layout):
        return spec
    if callable(spec):
        return Layout(f"custom:{function_name(spec)}", spec)
    if not isinstance(spec, str):
        raise TypeError(f"option layout is a name or a function, got {describe(spec)}")
    if spec in LAYOUTS:
        return Layout(spec, LAYOUTS[spec])
    kind, _, pattern = spec.partition("regex:")
    if kind or not pattern:
        valid = ", ".join((*LAYOUTS, "regex:PATTERN"))
        raise ValueError(f"unknown layout {shown(spec)}{did_you_mean(spec, LAYOUTS)}; valid: {valid}; or a function")
    return Layout(spec, functools.partial(_matches_all, compiled_pattern(pattern, f"layout {shown(spec)}")))


def _matches_all(pattern: re.Pattern[str], text: str) -> bool:
    return pattern.fullmatch(text) is not None


#: Name -> the rules of a published file: the preset of answer_match, and defaults of `Reward`, of most_tags by measure. An
#: answer without gold answers is wrong. Read only.
RULES: Mapping[str, Mapping[str, Any]] = {
    # verl-project/verl, verl/utils/reward_score/search_r1_like_qa_em.py
    "verl": {"preset": "search_r1", "most_tags": {"exact_match": 10}},
    # PeterGriffinJin/Search-R1, verl/utils/reward_score/qa_em.py and qa_em_format.py
    "search_r1_qa_em": {"preset": "search_r1", "prompt_answers": 1},
    "search_r1_qa_em_format": {"preset": "search_r1", "prompt_answers": 1, "layout": "search_after_prompt"},
    # RUC-NLPIR/FlashRAG, flashrag/evaluator/metrics.py
    "flashrag": {"preset": "flashrag", "extract": "none"},
}


@dataclasses.dataclass(frozen=True)
class RewardOptions(Options):
    """The settings of a reward without the options of its metric, as in `Reward`, with rules and presets applied."""

    family: ClassVar[str] = "reward"

    measure: str = option("exact_match", "measure", always=True)
    extract: Any = option("answer_tag", "extract", always=True)
    unextracted: str = option(UNEXTRACTED[0], "unextracted", choices=UNEXTRACTED, always=True)
    format_weight: float = option(0.0, "format")
    retrieval_weight: float = option(0.0, "retrieval")
    answered_weight: float = option(0.0, "answered")
    layout: Any = option(ANSWER_LAYOUT, "layout")
    prompt_answers: int = option(0, "prompt_answers")
    most_tags: int | None = option(None, "most_tags")
    rules: str | None = option(None, "rules")

    def _settle(self) -> None:
        weights = {}
        for name in ("format_weight", "retrieval_weight", "answered_weight"):
            value = getattr(self, name)
            if isinstance(value, bool) or not is_real(value) or not 0 <= value <= 1:
                raise ValueError(f"{name} must be a number from 0 to 1, got {shown(value)}")
            weights[name] = float(value)
        if self.measure == FORMAT and any(weights.values()):
            raise ValueError("the measure 'format' is the format alone; omit the weights")
        self._set(
            **weights,
            extract=get_extraction(self.extract),
            layout=find_layout(self.layout),
            prompt_answers=check_whole("prompt_answers", self.prompt_answers, 0),
            most_tags=None if self.most_tags is None else check_whole("most_tags", self.most_tags, 0),
        )
        if self.format_weight + self.retrieval_weight > 1:
            raise ValueError(
                "format_weight and retrieval_weight together are more than 1, but a reward is from 0 to 1; lower one"
            )


def share(name: str, value: Any) -> float:
    """A value from 0 to 1."""
    if not is_real(value) or not 0 <= value <= 1:
        raise ValueError(f"{name} is {shown(value)}, but a reward is from 0 to 1")
    return float(value)
