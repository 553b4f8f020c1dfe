"""A measure as a function that trainers call."""

import inspect
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..core.columns import to_list
from ..core.extraction import UNEXTRACTED, extract_answers, get_extraction, tagged_spans
from ..core.options import check_choice, check_flag, check_whole
from ..core.shown import describe, keys_of, shown
from ..core.text import get_normalizer
from ..files.reading import QUESTION_NAMES
from ..files.tables import USUAL_NAMES
from .completions import after_answers, completion_named, golds_of, naming, text_of
from .layouts import find_layout
from .rules import RULES
from .settings import FORMAT, SHORT_NAMES, check_options, columns_named, family_of_texts, scorer_of, share, weight

_GOLD_NAMES = ("answer", *USUAL_NAMES["references"], "solution", "solutions", "reward_model")


class _Read(NamedTuple):
    """A completion as read: its text, the answer in it, how far it keeps the layout, its gold answers, and what to score (None: nothing)."""

    text: str
    answer: str | None
    kept: float
    golds: list[Any] | None
    answer_to_score: str | None


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
        rules: of a published reward file: "verl", "search_r1_qa_em", "search_r1_qa_em_format" or "flashrag"; their
            settings count where none are given.
        extract: takes the answer out of the text, as in `qassay.score`: "answer_tag", "boxed", "final_answer", "last_line",
            "json:FIELD", "regex:PATTERN", "none" (all of it) or a function. None: what the preset says, or else "answer_tag".
        unextracted: the value of a text without an answer is 0 ("zero"), is the value of the empty answer ("empty") or of the whole
            text ("whole"), or it is refused ("error"). None: what the preset says, or else "zero".
        layout: what format asks for: "answer" (an answer is found), "think_answer" (<think>, then <answer>, and no text outside),
            "search" (the same, with <search>, <information>, <think> any number of times between), "search_after_prompt" (search, after
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
        for setting, text in (("measure", measure), ("name", name)):
            if text is not None and not isinstance(text, str):
                raise TypeError(f"option {setting} is a text, got {describe(text)}")
        if layout is not None and not (
            format_weight or retrieval_weight or answered_weight or parts or measure == FORMAT
        ):
            raise ValueError(
                "layout has no weight; give format_weight, retrieval_weight or answered_weight, or omit it"
            )
        followed = None if rules is None else RULES[check_choice("rules", rules, RULES)]
        if followed is not None:
            options = {"preset": followed.preset, **options} if measure != FORMAT else options
            extract = followed.extract if extract is None else extract
            layout = followed.layout if layout is None else layout
            prompt_answers = followed.prompt_answers if prompt_answers is None else prompt_answers
        self._family = family_of_texts(metric)
        self._columns = columns_named(columns, self._family)
        check_options(self._family, options, given, rules)
        self._scorer, own = None, None
        self.measure, implied = SHORT_NAMES.get(measure, (measure, {}))
        if measure != FORMAT:
            self.measure, self._scorer, own = scorer_of(self._family, self.measure, {**implied, **options})
        elif options:
            raise TypeError(f"the measure 'format' takes no options of a metric, got {next(iter(options))}")
        elif format_weight or retrieval_weight or answered_weight:
            raise ValueError("the measure 'format' is the format alone; omit the weights")
        scored: Any = None if self._scorer is None else self._scorer.options
        self._needs_golds = followed is not None  # rows without gold answers score 0 in the published files
        if followed is not None and most_tags is None:
            most_tags = followed.most_tags.get(self.measure)
        if own is not None and unextracted is None:
            unextracted = own.unextracted
        asked = extract if own is None or extract is not None else own.extract
        self._extract: Any = get_extraction("answer_tag" if asked is None else asked)
        self._unextracted = check_choice("unextracted", unextracted or UNEXTRACTED[0], UNEXTRACTED)
        self._layout, self._keeps = find_layout("answer" if layout is None else layout)
        self._format = weight("format_weight", format_weight)
        self._retrieval = weight("retrieval_weight", retrieval_weight)
        self._answered = weight("answered_weight", answered_weight)
        if self._format + self._retrieval > 1:
            raise ValueError("format_weight and retrieval_weight are more than 1 together; a reward is from 0 to 1")
        self._skipped = check_whole("prompt_answers", prompt_answers or 0, 0)
        self._most_tags = None if most_tags is None else check_whole("most_tags", most_tags, 0)
        self._parts = check_flag("parts", parts)
        self.__name__ = measure if name is None else name
        self._normalizer = getattr(scored, "normalizer", None) or get_normalizer("squad")

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
            each = [self._further(extra or {}) for extra in extras]
            further = {role: [row.get(role) for row in each] for role in {role for row in each for role in row}}
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
        settings |= {"gold": "needed"} if self._needs_golds else {}
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
        read: dict[int, _Read] = {}
        for place, (completion, gold) in enumerate(zip(completions, gold_rows, strict=True)):
            with naming(place):
                golds_here = golds_of(gold)
                if golds_here is not None or self._scorer is None or all_count:
                    read[place] = self._read(completion, golds_here)
        asked = [place for place, row in read.items() if row.answer_to_score is not None]
        values = dict(
            zip(asked, self._values([read[place] for place in asked], _taken(named, asked), asked), strict=True)
        )
        return [
            self._weighed(read[place], values.get(place)) if place in read else None
            for place in range(len(completions))
        ]

    def _values(self, rows: Sequence[_Read], columns: Mapping[str, list[Any]], places: Sequence[int]) -> list[float]:
        """The measure of each answer, scored together; an error names the completion, by its place."""
        if self._scorer is None or not rows:
            return []
        try:
            found = self._scorer.many([row.answer_to_score for row in rows], [row.golds for row in rows], **columns)
        except (TypeError, ValueError):
            for place, row, further in zip(places, rows, _each(columns, len(rows)), strict=True):
                with naming(place):
                    self._scorer(row.answer_to_score, row.golds, **further)
            raise
        values = []
        for place, row, measures in zip(places, rows, found, strict=True):
            with naming(place):
                values.append(self._value(measures, row.golds))
        return values

    def _scored(self, completion: Any, gold: Any, columns: Mapping[str, Any]) -> tuple[float, float, float]:
        """The reward, the value and the format of one completion."""
        row = self._read(completion, gold)
        if self._scorer is None or row.answer_to_score is None:
            return self._weighed(row, None)
        return self._weighed(row, self._value(self._scorer(row.answer_to_score, row.golds, **columns), row.golds))

    def _read(self, completion: Any, gold: Any) -> _Read:
        text = text_of(completion)
        written = after_answers(text, self._skipped) if self._skipped else text
        answer = None if written is None else extract_answers(self._extract, [written], completion_named)[0]
        if answer is None and self._unextracted == "error":
            raise ValueError(f"{self._extract.name} finds no answer in {shown(text)}; use the option unextracted=")
        kept = float(answer is not None) if self._keeps is None else share(f"layout {self._layout}", self._keeps(text))
        if self._scorer is None:
            return _Read(text, answer, kept, None, None)
        golds = golds_of(gold)
        if golds is None:
            raise ValueError("there are no gold answers: None")
        to_score = answer
        if answer is None and self._unextracted != "zero":
            to_score = text if self._unextracted == "whole" else ""
        if self._needs_golds and not golds:
            to_score = None
        return _Read(text, answer, kept, golds, to_score)

    def _weighed(self, row: _Read, value: float | None) -> tuple[float, float, float]:
        """The reward, the value (None: not scored) and the format of a completion."""
        kept = row.kept
        if value is None:
            value = kept if self._scorer is None else 0.0
        partial = kept * self._format
        if value < 1:
            if self._retrieval and kept and self._retrieved(row):
                partial += kept * self._retrieval
            if self._answered and row.answer is not None:
                partial += (1 - kept) * self._answered
        most = self._most_tags
        crowded = most is not None and max(row.text.count("<answer>"), row.text.count("</answer>")) > most
        credit = 1 - self._format * (1 - kept)
        return value * (credit / 4 if crowded else credit) + partial * (1 - value), value, kept

    def _value(self, measures: Mapping[str, float], golds: Any) -> float:
        """The measure among those of an answer, 0 to 1."""
        if self.measure not in measures:
            there = ", ".join(measures) or "none"
            raise ValueError(f"{self.measure} is no measure of an answer to {shown(golds)}; there are: {there}")
        return share(self.measure, measures[self.measure])

    def _retrieved(self, row: _Read) -> bool:
        """Whether an <information> holds a gold answer."""
        normalise = self._normalizer
        golds = [normalise(gold) for gold in row.golds or ()]
        spans = tagged_spans("<information>", "</information>", row.text)
        blocks = [normalise(row.text[start:end]) for start, end in spans]
        return any(gold in block for block in blocks for gold in golds)


reward.__signature__ = inspect.signature(Reward)  # type: ignore[attr-defined]


def _remade(given: Mapping[str, Any]) -> Reward:
    return Reward(**given)


def _taken(columns: Mapping[str, list[Any]], places: Sequence[int]) -> dict[str, list[Any]]:
    return {name: [column[place] for place in places] for name, column in columns.items()}


def _each(columns: Mapping[str, list[Any]], n: int) -> list[dict[str, Any]]:
    return [{name: column[place] for name, column in columns.items()} for place in range(n)]
