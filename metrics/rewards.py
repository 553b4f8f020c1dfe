r"""Rewards for reinforcement learning: the measures of qassay as functions that TRL, verl and verifiers call.

    qassay.reward("exact_match")                  of the last <answer>: 1 or 0
    qassay.reward("f1", format_weight=0.1)        a tenth for an answer that is wrong
    qassay.reward("format", layout="search")      only whether a text keeps the layout
    qassay.reward("exact_match", rules="verl")    the numbers of a published reward file

    TRL        GRPOTrainer(reward_funcs=qassay.reward("f1"), ...)
    verl       custom_reward_function.path=pkg://qassay.rewards custom_reward_function.name=compute_score
    verifiers  Rubric(funcs=[qassay.reward("f1")])

A reward is a pure function of texts: it needs no torch, draws nothing at random and prints nothing. `docs/rewards.md` has more.
"""

import dataclasses
import functools
import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .core.columns import is_real, to_list
from .core.extraction import UNEXTRACTED, extract_answers, get_extraction
from .core.options import check_choice, check_flag, check_whole, did_you_mean
from .core.shown import describe, keys_of, shown
from .core.text import function_name, get_normalizer
from .files.reading import QUESTION_NAMES
from .files.tables import USUAL_NAMES
from .registry import FAMILIES, Family, get_family

_GOLD_NAMES = ("answer", *USUAL_NAMES["references"], "solution", "solutions", "reward_model")
_GOLD_KEYS = ("ground_truth", "target", "text")  # of a dict that holds the gold answers: verl, Search-R1, SQuAD
_SHORT_NAMES = {"sub_em": ("contains", {"contains": "substring"})}
_FORMAT = "format"  # the measure that is the layout alone
_NOT_OF_ONE = ("predictions", "ids", "weights", "groups", "options")
_ASSISTANT = "<|im_start|>assistant"
_TAGS = re.compile(r"(</?(?:think|search|information|answer)>)")
_INFORMATION = re.compile(r"<information>(.*?)</information>", re.DOTALL)
_THINK, _ANSWER = "<think></think>", "<answer></answer>"
_SEARCHES = f"(?:<search></search><information></information>{_THINK})*"
# What verl gives to a reward beside the columns of the data.
_OF_VERL = {"data_source", "solution_str", "ground_truth", "extra_info"}
_OF_VERL |= {f"{name}s" for name in _OF_VERL} | {"reward_router_address", "reward_model_tokenizer"}


class Scorer:
    """A stand-in until `core.scorer` is there."""

    def __init__(self, family: Any, options: Any):
        self.options, self._family = options, family

    def __call__(self, prediction: Any, gold: Any, **columns: Any) -> dict[str, float]:
        function, _ = self._family.load()
        scores = function(
            [prediction], [gold], **{name: [value] for name, value in columns.items()}, options=self.options
        )
        return {name: float(column[0]) for name, column in scores.columns.items() if column[0] == column[0]}

    @property
    def names(self) -> tuple[str, ...]:
        function, _ = self._family.load()
        return tuple(function(["a"], [["a"]], options=self.options).columns)

    @property
    def signature(self) -> str:
        return self.options.signature()


# --- layouts ----------------------------------------------------------------------------------------------------------


def _in_order(pattern: str, text: str) -> bool:
    """Whether a text is nothing but tagged parts, in an order that the pattern of their tags matches."""
    pieces = _TAGS.split(text)
    tags, between = "".join(pieces[1::2]), pieces[::4]
    return re.fullmatch(pattern, tags) is not None and not any(piece.strip() for piece in between)


def _after_prompt(pattern: str, text: str) -> bool:
    _, marker, written = text.partition(_ASSISTANT)
    return bool(marker) and _in_order(pattern, written)


def _matches(pattern: str, text: str) -> bool:
    return re.fullmatch(pattern, text) is not None


#: Name -> whether a text keeps a layout; "answer" asks the extraction. Read only.
LAYOUTS: Mapping[str, Callable[[str], bool] | None] = {
    "answer": None,
    "think_answer": functools.partial(_in_order, _THINK + _ANSWER),
    "search": functools.partial(_in_order, _THINK + _SEARCHES + _ANSWER),
    "search_r1": functools.partial(_after_prompt, _THINK + _SEARCHES + _ANSWER),
}


def _layout(spec: Any) -> tuple[str, Callable[[str], Any] | None]:
    """The name and the function of a layout."""
    if callable(spec):
        return f"custom:{function_name(spec)}", spec
    if not isinstance(spec, str):
        raise TypeError(f"option layout is a name or a function, got {describe(spec)}")
    if spec in LAYOUTS:
        return spec, LAYOUTS[spec]
    kind, _, pattern = spec.partition("regex:")
    if kind or not pattern:
        valid = ", ".join((*LAYOUTS, "regex:PATTERN"))
        raise ValueError(f"unknown layout {shown(spec)}{did_you_mean(spec, LAYOUTS)}; valid: {valid}; or a function")
    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise ValueError(f"layout {shown(spec)} is not a regular expression: {error}") from None
    return spec, functools.partial(_matches, pattern)


# --- rules of published files -----------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Rules:
    """The rules of a published reward file.

    Attributes:
        source: repository and path.
        preset: of answer_match.
        extract: takes the answer out; None: the preset's own.
        prompt_answers: how many answers of a text belong to its prompt.
        layout: what the reward for the format asks for.
        most_tags: measure -> the number of <answer> or of </answer> above which its value counts a quarter.
    """

    source: str
    preset: str
    extract: str | None = None
    prompt_answers: int = 0
    layout: str = "answer"
    most_tags: Mapping[str, int] = dataclasses.field(default_factory=dict)


_SEARCH_R1 = "PeterGriffinJin/Search-R1, verl/utils/reward_score"
#: Name -> the rules of a published file; without gold answers their rewards are those of a wrong answer. Read only.
RULES: Mapping[str, Rules] = {
    "verl": Rules(
        "verl-project/verl, verl/utils/reward_score/search_r1_like_qa_em.py", "search_r1", most_tags={"exact_match": 10}
    ),
    "search_r1": Rules(f"{_SEARCH_R1}/qa_em.py", "search_r1", prompt_answers=1),
    "search_r1_format": Rules(f"{_SEARCH_R1}/qa_em_format.py", "search_r1", prompt_answers=1, layout="search_r1"),
    "flashrag": Rules("RUC-NLPIR/FlashRAG, flashrag/evaluator/metrics.py", "flashrag", "none"),
}


# --- the reward -------------------------------------------------------------------------------------------------------


def reward(measure: str = "exact_match", **settings: Any) -> "Reward":
    """A measure as a reward for reinforcement learning; settings are the keyword arguments of `Reward`.

    Example:
        >>> right = reward("exact_match", format_weight=0.1)
        >>> right(completions=["It is <answer>in Rome</answer>", "<answer>Rome</answer>", "Rome"], answer=["Rome"] * 3)
        [0.1, 1.0, 0.0]
    """
    return Reward(measure, **settings)


class Reward:
    """A measure as a function of what a model wrote, which trainers call; a number from 0 to 1.

    An answer is taken out of the text and scored. With value, the measure of the answer, and format, whether the text keeps
    the layout (1 or 0), the reward is

        value * (1 - format_weight * (1 - format)) + (1 - value) * (format_weight * format + partial)

    so that a right answer in the layout has 1, a right one outside it 1 - format_weight, a wrong one in the layout
    format_weight, and any other 0; partial is retrieval_weight or answered_weight, where these apply.

    Trainers call it with the keywords that they have:

    * TRL: `completions`, texts or lists of messages, and the columns of the data set; a list of rewards. A row whose gold
      answer is None belongs to another task: its reward is None.
    * verl: `solution_str`, `ground_truth`, `data_source`, `extra_info`; one reward. The plurals of these, as
      BatchRewardManager has them: a list of rewards.
    * verifiers: `completion`, a text or a list of messages, `answer` and other columns; one reward.

    What is scored of messages is the text of the last one with the role assistant. Rewards can be pickled where their
    functions can.

    Args:
        measure: a measure of single examples, such as "exact_match", "f1", "contains" or, of answer_equivalence,
            "equivalence"; "sub_em" is contains with contains="substring": the normalised gold answer is a part of the normalised
            answer. "format" is the layout alone, without gold answers.
        metric: one of `qassay.list_metrics()`, whose options may follow by name.
        rules: of a published reward file: "verl", "search_r1", "search_r1_format" or "flashrag"; their settings count where
            none are given.
        extract: takes the answer out of the text, as in `qassay.score`: "answer_tag", "boxed", "final_answer", "last_line",
            "json:FIELD", "regex:PATTERN", "none" (all of it) or a function. None: what the preset says, or else "answer_tag".
        unextracted: the value of a text without an answer is 0 ("zero"), is the value of the empty answer ("empty") or of the whole
            text ("whole"), or it is refused ("error"). None: what the preset says, or else "zero".
        layout: what format asks for: "answer" (an answer is found), "think_answer" (<think>, then <answer>, and no text outside),
            "search" (the same, with <search>, <information>, <think> any number of times between), "search_r1" (search, after
            the first <|im_start|>assistant), "regex:PATTERN" (the pattern matches all of the text) or a function of the text
            that returns True, False, or a number from 0 to 1.
        format_weight: how much of the reward is for the format, 0 to 1.
        retrieval_weight: what a wrong answer in the layout gets more where an <information> holds a normalised gold answer.
        answered_weight: what a wrong answer outside the layout gets.
        prompt_answers: where texts begin with the prompt, the number of its examples of <answer>...</answer>, which are no
            answers. A text may be the answer of the model alone: 0.
        most_tags: a text with more <answer> or more </answer> than this gets a quarter for its value; None: any number.
        columns: role -> the column of the data set, where the usual names do not tell: {"references": "gold"}; other
            roles are further columns of the metric, such as {"questions": "question"}.
        parts: verl gets a dict: score (the reward), acc (the value) and format, which it logs.
        name: what trainers log; None: the name of the measure.
        options: of the metric.

    Raises:
        ValueError: no such measure, metric, rules or layout; a weight that is not from 0 to 1. TypeError: an option that the metric
            does not have. A call raises both: no column of gold answers, or several; columns of different lengths; messages of
            an odd layout; gold answers that the metric cannot read; a value that is not from 0 to 1.
    """

    def __init__(
        self,
        measure: str = "exact_match",
        *,
        metric: str = "answer_match",
        rules: str | None = None,
        extract: Any = None,
        unextracted: str | None = None,
        layout: Any = None,
        format_weight: float = 0.0,
        retrieval_weight: float = 0.0,
        answered_weight: float = 0.0,
        prompt_answers: int | None = None,
        most_tags: int | None = None,
        columns: Mapping[str, str] | None = None,
        parts: bool = False,
        name: str | None = None,
        **options: Any,
    ):
        given = {key: value for key, value in locals().items() if key not in ("self", "options")}
        self._given = {**given, **options}
        if layout is not None and not (
            format_weight or retrieval_weight or answered_weight or parts or measure == _FORMAT
        ):
            raise ValueError(
                "layout has no weight; give format_weight, retrieval_weight or answered_weight, or omit it"
            )
        followed = None if rules is None else RULES[check_choice("rules", rules, RULES)]
        self._needs_gold = followed is not None
        if followed is not None:
            options = {"preset": followed.preset, **options} if measure != _FORMAT else options
            extract = followed.extract if extract is None else extract
            layout = followed.layout if layout is None else layout
            prompt_answers = followed.prompt_answers if prompt_answers is None else prompt_answers
        self._family = _family_of_texts(metric)
        self._columns = _columns_named(columns, self._family)
        self._scorer, own = None, None
        self.measure, implied = _SHORT_NAMES.get(measure, (measure, {}))
        if measure != _FORMAT:
            self.measure, self._scorer, own = _scorer_of(self._family, self.measure, {**implied, **options})
        elif options:
            raise TypeError(f"the measure 'format' takes no options of a metric, got {next(iter(options))}")
        elif format_weight or retrieval_weight or answered_weight:
            raise ValueError("the measure 'format' is the format alone; omit the weights")
        if followed is not None and most_tags is None:
            most_tags = followed.most_tags.get(self.measure)
        if own is not None and unextracted is None:
            unextracted = own.unextracted
        self._extract = get_extraction(extract) or (own and own.extract) or get_extraction("answer_tag")
        self._unextracted = check_choice("unextracted", unextracted or UNEXTRACTED[0], UNEXTRACTED)
        self._layout, self._keeps = _layout("answer" if layout is None else layout)
        self._format = _weight("format_weight", format_weight)
        self._retrieval = _weight("retrieval_weight", retrieval_weight)
        self._answered = _weight("answered_weight", answered_weight)
        if self._format + self._retrieval > 1:
            raise ValueError("format_weight and retrieval_weight are more than 1 together; a reward is from 0 to 1")
        self._skipped = check_whole("prompt_answers", prompt_answers or 0, 0)
        self._most_tags = None if most_tags is None else check_whole("most_tags", most_tags, 0)
        self._parts = check_flag("parts", parts)
        self.__name__ = measure if name is None else name
        normalizer = getattr(getattr(self._scorer, "options", None), "normalizer", None)
        self._normalizer = normalizer or get_normalizer("squad")

    def one(self, completion: Any, gold: Any = None, **columns: Any) -> float:
        """The reward of one completion.

        Args:
            completion: a text or a list of messages.
            gold: its gold answers, a text or a list; or {"target": ...}, as verl has them.
            columns: further columns of the metric.

        Example:
            >>> reward("f1", extract="final_answer").one("Final answer: in the Alps", ["Alps"])
            0.6666666666666666
        """
        return self._scored(completion, gold, columns)[0]

    def parts(self, completion: Any, gold: Any = None, **columns: Any) -> dict[str, float]:
        """The reward of one completion and what it is made of.

        Example:
            >>> reward("f1", format_weight=0.5).parts("<answer>in Rome</answer>", "Rome")
            {'score': 0.8333333333333333, 'acc': 0.6666666666666666, 'format': 1.0}
        """
        score, value, kept = self._scored(completion, gold, columns)
        return {"score": score, "acc": value, "format": kept}

    def many(
        self, completions: Sequence[Any], golds: Sequence[Any] | None = None, **columns: Any
    ) -> list[float | None]:
        """The rewards of several completions, such as a group of GRPO; None where the gold answer is None.

        Args:
            completions: texts or lists of messages.
            golds: a row of gold answers for each.
            columns: further columns of the metric, a row for each.

        Raises:
            ValueError: columns of different lengths. TypeError: a text in place of a column.

        Example:
            >>> reward("exact_match", extract="none").many(["Rome", "Oslo", "Bern"], [["Rome"], ["Roma"], None])
            [1.0, 0.0, None]
        """
        return [None if row is None else row[0] for row in self._rows(completions, golds, columns, "golds")]

    def __call__(self, texts: Any = None, /, **columns: Any) -> Any:
        """What a trainer asks for: see the class."""
        if texts is not None:
            columns["completions"] = texts
        if "completions" in columns:
            name, others = self._gold_column(columns)
            golds = None if name is None else columns[name]
            rows = self._rows(columns["completions"], golds, others, name or "")
            return [None if row is None else row[0] for row in rows]
        if "solution_str" in columns:
            others = self._further(columns.get("extra_info") or {})
            return self._told(self._scored(columns["solution_str"], columns.get("ground_truth"), others))
        if "solution_strs" in columns:
            extras = columns.get("extra_infos")
            extras = [{}] * len(columns["solution_strs"]) if extras is None else extras
            others = [self._further(extra or {}) for extra in extras]
            further = {key: [row.get(key) for row in others] for key in {key for row in others for key in row}}
            rows = self._rows(columns["solution_strs"], columns.get("ground_truths"), further, "ground_truths", True)
            return [self._told(row) for row in rows]
        if "completion" in columns:
            # verifiers gives answer="" where the data set has no such column.
            if columns.get("answer") == "" and "references" not in self._columns:
                columns = {key: value for key, value in columns.items() if key != "answer"}
            name, others = self._gold_column(columns)
            return self._scored(columns["completion"], None if name is None else columns[name], others)[0]
        told = "a reward is called with completions (TRL), completion (verifiers), solution_str or solution_strs (verl)"
        raise TypeError(f"{told}; got {keys_of(columns)}")

    @property
    def signature(self) -> str:
        """All that decides the number, as a text: settings of the reward, then the signature of the measure."""
        settings = {"measure": self.measure, "extract": self._extract.name, "unextracted": self._unextracted}
        weights = {"format": self._format, "retrieval": self._retrieval, "answered": self._answered}
        settings |= {key: str(weight) for key, weight in weights.items() if weight}
        if any(weights.values()) or self._scorer is None:
            settings["layout"] = self._layout
        settings |= {"prompt_answers": str(self._skipped)} if self._skipped else {}
        settings |= {} if self._most_tags is None else {"most_tags": str(self._most_tags)}
        settings |= {"gold": "needed"} if self._needs_gold else {}
        told = "|".join(f"{key}:{value.replace('%', '%25').replace('|', '%7C')}" for key, value in settings.items())
        return f"reward|{told}" + ("" if self._scorer is None else f"|{self._scorer.signature}")

    def __repr__(self) -> str:
        return f"<Reward {self.signature}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _remade, (self._given,)

    def _told(self, row: tuple[float, float, float]) -> Any:
        return dict(zip(("score", "acc", "format"), row, strict=True)) if self._parts else row[0]

    def _gold_column(self, columns: Mapping[str, Any]) -> tuple[str | None, dict[str, Any]]:
        """The name of the column of gold answers, None where none is needed; and the further columns of the metric."""
        if self._scorer is None:
            return None, {}
        named = self._columns.get("references")
        found = [named] if named is not None else [name for name in _GOLD_NAMES if name in columns]
        if len(found) != 1 or found[0] not in columns:
            told = "no column of gold answers" if len(found) < 2 else f"{' and '.join(found)} may be the gold answers"
            told = told if named is None else f"no column {shown(named)}"
            raise ValueError(f'{told}; name it with columns={{"references": NAME}}; there are: {keys_of(columns)}')
        return found[0], self._further(columns)

    def _further(self, columns: Mapping[str, Any]) -> dict[str, Any]:
        """The further columns of the metric, by role."""
        roles = {role: name for role, name in self._columns.items() if role != "references"}
        if self._scorer is not None and self._family.reads_questions and "questions" not in roles:
            found = [name for name in QUESTION_NAMES if name in columns]
            roles |= {"questions": found[0]} if len(found) == 1 else {}
        absent = [name for name in roles.values() if name not in columns]
        if absent:
            raise ValueError(f"no column {shown(absent[0])}; there are: {keys_of(columns)}")
        return {role: columns[name] for role, name in roles.items()}

    def _rows(
        self, completions: Any, golds: Any, columns: Mapping[str, Any], gold_name: str, all_count: bool = False
    ) -> list[Any]:
        """The reward, value and format of each completion; None where the gold answer is None and not all rows count."""
        completions = to_list(completions, "completions")
        named = {name: to_list(column, name) for name, column in columns.items()}
        gold_rows = [None] * len(completions) if self._scorer is None else to_list(golds, gold_name)
        for name, column in {gold_name: gold_rows, **named}.items():
            if len(column) != len(completions):
                raise ValueError(f"{name} has {len(column)} rows, but there are {len(completions)} completions")
        rows: list[Any] = []
        for place, (completion, gold) in enumerate(zip(completions, gold_rows, strict=True)):
            if gold is None and self._scorer is not None and not all_count:
                rows.append(None)
                continue
            try:
                rows.append(self._scored(completion, gold, {name: column[place] for name, column in named.items()}))
            except (TypeError, ValueError) as error:
                kind = TypeError if isinstance(error, TypeError) else ValueError
                raise kind(f"completion {place}: {error}") from error
        return rows

    def _scored(self, completion: Any, gold: Any, columns: Mapping[str, Any]) -> tuple[float, float, float]:
        """The reward, the value and the format of one completion."""
        text = _text_of(completion)
        written = _after_answers(text, self._skipped) if self._skipped else text
        answer = None if written is None else extract_answers(self._extract, [written], _completion_named)[0]
        if answer is None and self._unextracted == "error":
            raise ValueError(f"{self._extract.name} finds no answer in {shown(text)}; use the option unextracted=")
        kept = self._kept(text, answer)
        golds = None if self._scorer is None else _golds_of(gold)
        value = kept if self._scorer is None else self._value(text, answer, golds, columns)
        partial = kept * self._format
        if value < 1:
            if self._retrieval and kept and self._retrieved(text, golds):
                partial += kept * self._retrieval
            if self._answered and answer is not None:
                partial += (1 - kept) * self._answered
        most = self._most_tags
        crowded = most is not None and max(text.count("<answer>"), text.count("</answer>")) > most
        credit = 1 - self._format * (1 - kept)
        return value * (credit / 4 if crowded else credit) + partial * (1 - value), value, kept

    def _kept(self, text: str, answer: str | None) -> float:
        """Whether a text keeps the layout, 0 to 1."""
        if self._keeps is None:
            return float(answer is not None)
        return _share(f"layout {self._layout}", self._keeps(text))

    def _value(self, text: str, answer: str | None, golds: Any, columns: Mapping[str, Any]) -> float:
        """The measure of an answer, 0 to 1."""
        assert self._scorer is not None
        if answer is None:
            if self._unextracted == "zero":
                return 0.0
            answer = text if self._unextracted == "whole" else ""
        if self._needs_gold and not golds and not isinstance(golds, str):
            return 0.0
        values = self._scorer(answer, golds, **columns)
        if self.measure not in values:
            there = ", ".join(values) or "none"
            raise ValueError(f"{self.measure} is no measure of the gold answer {shown(golds)}; there are: {there}")
        return _share(self.measure, values[self.measure])

    def _retrieved(self, text: str, golds: Any) -> bool:
        normalise = self._normalizer
        wanted = [normalise(gold) for gold in ([golds] if isinstance(golds, str) else golds or ())]
        blocks = [normalise(block) for block in _INFORMATION.findall(text)]
        return any(gold in block for block in blocks for gold in wanted)


def _remade(given: Mapping[str, Any]) -> Reward:
    return Reward(**given)


# --- what the arguments are -------------------------------------------------------------------------------------------


def _family_of_texts(metric: str) -> Family:
    family = get_family(metric)
    if not family.scores_outputs or family.telling.answers_are != ("texts",):
        fit = [
            name for name, other in FAMILIES.items() if other.scores_outputs and other.telling.answers_are == ("texts",)
        ]
        raise ValueError(f"{metric} does not score one text against gold answers; a reward is of {', '.join(fit)}")
    return family


def _scorer_of(family: Family, measure: str, options: Mapping[str, Any]) -> tuple[str, Scorer, Any]:
    """The measure by its own name, the scorer of answers, and the options as given if they take the answer out."""
    _, options_class = family.load()
    own = made = options_class.from_keywords(**options)
    if own.extract is not None:  # the reward takes it out, once
        made = options_class.from_keywords(**{**options, "extract": "none", "unextracted": "zero"})
    scorer = Scorer(family, made)
    measure = options_class.aliases.get(measure.lower(), measure)
    # Names are of answers that are scored, which asks no model of the user.
    names = [name for name, _ in family.measures()] if family.loads_model else scorer.names
    if measure not in names:
        near = did_you_mean(measure, (*names, *_SHORT_NAMES, _FORMAT))
        raise ValueError(
            f"{family.name} has no measure {shown(measure)} of one answer{near}; it has: {', '.join(names)}"
        )
    return measure, scorer, own if own.extract is not None else None


def _columns_named(columns: Mapping[str, str] | None, family: Family) -> dict[str, str]:
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


def _weight(name: str, value: Any) -> float:
    if isinstance(value, bool) or not is_real(value) or not 0 <= value <= 1:
        raise ValueError(f"{name} must be a number from 0 to 1, got {shown(value)}")
    return float(value)


def _share(name: str, value: Any) -> float:
    """A value that can be a reward."""
    if not is_real(value) or not 0 <= value <= 1:
        raise ValueError(f"{name} is {shown(value)}, but a reward is from 0 to 1")
    return float(value)


def _completion_named(_: int) -> str:
    return "the completion"


def _text_of(completion: Any) -> str:
    """What a model wrote: a text, or the text of the last message of the assistant."""
    if isinstance(completion, str):
        return completion
    if not isinstance(completion, (list, tuple)):
        raise TypeError(f"a completion is a text or a list of messages, got {describe(completion)}")
    for message in reversed(completion):
        role = _item(message, "role")
        if not isinstance(role, str):
            raise TypeError(f"a message has a role and content, got {describe(message)}")
        if role == "assistant":
            return _content(_item(message, "content"))
    if completion:
        raise ValueError("a completion has no message with the role assistant")
    return ""  # nothing was written


def _content(content: Any) -> str:
    """The text of a message; "" where it only calls tools."""
    if content is None or isinstance(content, str):
        return content or ""
    texts = [_item(part, "text") for part in content] if isinstance(content, (list, tuple)) else [None]
    if not all(isinstance(text, str) for text in texts):
        raise TypeError(f"the content of a message is a text or a list of texts, got {describe(content)}")
    return "".join(texts)


def _item(thing: Any, name: str) -> Any:
    """An entry of a dict, or an attribute of a message object."""
    return thing.get(name) if isinstance(thing, Mapping) else getattr(thing, name, None)


def _after_answers(text: str, count: int) -> str | None:
    """What follows the first complete <answer>...</answer> of a text, so many times; None where there are fewer."""
    at = 0
    for _ in range(count):
        start = text.find("<answer>", at)
        end = text.find("</answer>", start)
        if start < 0 or end < 0:
            return None
        at = end + len("</answer>")
    return text[at:]


def _golds_of(gold: Any) -> Any:
    """The gold answers of a row, out of the dicts and arrays in which data sets have them."""
    while isinstance(gold, Mapping):
        found = [key for key in _GOLD_KEYS if key in gold]
        if len(found) != 1:
            raise ValueError(
                f"a dict of gold answers has one of the keys {', '.join(_GOLD_KEYS)}; this has: {keys_of(gold)}"
            )
        gold = gold[found[0]]
    gold = gold.tolist() if hasattr(gold, "tolist") else gold
    if not isinstance(gold, (str, list, tuple)):
        raise TypeError(f"the gold answers of a row are a text or a list of texts, got {describe(gold)}")
    return gold


# --- verl -------------------------------------------------------------------------------------------------------------

_MADE: dict[str, Reward] = {}


def _reward_of(settings: Mapping[str, Any]) -> Reward:
    """The reward of settings as configuration files have them, made once."""
    key = repr(sorted(settings.items()))
    if key not in _MADE:
        _MADE[key] = Reward(**{name: _plain(value) for name, value in settings.items()})
    return _MADE[key]


def _plain(value: Any) -> Any:
    """The lists and dicts of a library for configuration files as Python's own."""
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return tuple(map(_plain, value)) if isinstance(value, Sequence) and not isinstance(value, str) else value


def compute_score(
    data_source: Any = None, solution_str: Any = None, ground_truth: Any = None, extra_info: Any = None, **settings: Any
) -> Any:
    """A reward as verl loads it: `custom_reward_function.path=pkg://qassay.rewards`, `.name=compute_score`.

    Args:
        data_source, solution_str, ground_truth, extra_info: what verl gives; also in the plural, as BatchRewardManager does.
        settings: of `Reward`, which `custom_reward_function.reward_kwargs` has.

    Returns:
        float: the reward; with parts=True a dict; in the plural a list of these.

    Example:
        >>> compute_score("nq", "<answer>in Rome</answer>", {"target": ["Rome"]}, measure="f1", parts=True)
        {'score': 0.6666666666666666, 'acc': 0.6666666666666666, 'format': 1.0}
    """
    given = {name: settings.pop(name) for name in _OF_VERL & settings.keys()}
    asked = _reward_of(settings)
    if "solution_strs" in given:
        return asked(**given)
    return asked(solution_str=solution_str, ground_truth=ground_truth, extra_info=extra_info)
