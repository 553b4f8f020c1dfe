"""The reward: a measure as a function that trainers call."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..core.columns import to_list
from ..core.extraction import extract_answers, tagged_spans
from ..core.options import check_choice, keyword_names
from ..core.remarks import remark
from ..core.scorer import Scorer, check_measures
from ..core.shown import describe, keys_of, shown
from ..core.text import get_normalizer
from ..files.roles import column_names
from ..registry import text_family
from .reading import QUESTIONS, find_column, golds_of, naming, text_of
from .settings import FORMAT, RULES, RewardOptions, share

_SHORT_NAMES = {"sub_em": ("contains", {"contains": "substring"})}
_SETTINGS = (*keyword_names(RewardOptions), "metric", "columns", "parts", "name")


class Parts(NamedTuple):
    """The reward of a completion, the value of its answer, and the value of its format, as verl logs them."""

    score: float
    acc: float
    format: float


class _Row(NamedTuple):
    """A completion: its text, its answer, the value of its format, gold answers, and what to score (None: nothing)."""

    text: str
    answer: str | None
    kept: float
    golds: list[Any]
    to_score: str | None


class Reward:
    """A measure as a reward function of model outputs, for trainers; returns a number from 0 to 1.

    An answer is extracted from the text and scored. With value (the measure of the answer) and format (1 if the text has
    the required layout, or 0), the reward is

        value * (1 - format_weight * (1 - format)) + (1 - value) * (format_weight * format + partial)

    so a right answer in the layout gets 1, a right answer outside it 1 - format_weight, a wrong answer in the layout
    format_weight, and any other 0; partial is retrieval_weight or answered_weight, if these apply.

    Trainers call it with different keywords:

    * TRL: `completions`, texts or lists of messages, and the columns of the data set; a list of rewards. A row whose gold
      answer is None belongs to another task: its reward is None, as that of an answer on which a judge gives no verdict.
    * verl: `solution_str`, `ground_truth`, `data_source`, `extra_info`; one reward. With the plurals of these, as from
      BatchRewardManager: a list of rewards.
    * verifiers: `completion`, a text or a list of messages, `answer` and other columns; one reward.

    In messages, the text of the last assistant message is scored. Rewards can be pickled if their functions can.

    Args:
        measure: a measure of single examples, such as "exact_match", "f1", "contains" or, of answer_equivalence,
            "equivalence". "sub_em" is contains with contains="substring": the normalised answer contains the normalised
            gold answer. "format" is the layout alone, without gold answers.
        metric: one of `qassay.list_metrics()`, whose options may follow by name.
        rules: the rules of a published reward file, which set the defaults of other arguments: "verl",
            "search_r1_qa_em", "search_r1_qa_em_format" or "flashrag".
        extract: how to extract the answer from the text, as in `qassay.score`: "answer_tag", "after_think", "boxed",
            "final_answer", "last_line", "json:FIELD", "regex:PATTERN", "none" (the whole text) or a function. None: as in
            the preset, or "answer_tag".
        unextracted: a text without an answer has the value 0 ("zero"), the value of the empty answer ("empty") or of the
            whole text ("whole"), or is refused ("error"). None: as in the preset, or "zero".
        layout: the required format, if a weight or the measure "format" rewards it: "answer" (an answer is found), "think_answer" (<think>, then <answer>, and no text
            outside), "search" (the same with any number of <search>, <information>, <think> between),
            "search_after_prompt" (search, after the first <|im_start|>assistant), "regex:PATTERN" (the pattern matches the
            whole text) or a function of the text that returns True, False, or a number from 0 to 1.
        format_weight: the share of the reward for the format, 0 to 1.
        retrieval_weight: the bonus of a wrong answer in the layout if an <information> contains a normalised gold
            answer.
        answered_weight: the reward of a wrong answer outside the layout.
        prompt_answers: the number of <answer>...</answer> examples in the prompt, if texts begin with the prompt; 0 if
            texts contain only the output of the model.
        most_tags: a text with more <answer> or more </answer> than this gets a quarter of its value; None: any number.
        columns: role -> column of the data set, for columns without a usual name: {"references": "gold", "questions":
            "asked"}.
        parts: return a dict to verl, which logs it: score (the reward), acc (the value) and format.
        name: the name in the logs of trainers; None: the name of the measure.
        options: of the metric.

    Raises:
        ValueError: an unknown measure, metric, rules or layout; a weight that is not from 0 to 1. TypeError: an unknown
            option. Calls raise both: no column of gold answers, or several; columns of different lengths; messages with an
            unknown layout; gold answers that the metric cannot read; a value outside 0 to 1.

    Example:
        >>> right = reward("exact_match", format_weight=0.1)
        >>> right(completions=["It is <answer>in Rome</answer>", "<answer>Rome</answer>", "Rome"], answer=["Rome"] * 3)
        [0.1, 1.0, 0.0]
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
        for setting, text in (("measure", measure), ("name", name)):
            if text is not None and not isinstance(text, str):
                raise TypeError(f"option {setting} is a text, got {describe(text)}")
        followed = {} if rules is None else dict(RULES[check_choice("rules", rules, RULES)])
        preset, most_by_measure = followed.pop("preset", None), followed.pop("most_tags", {})
        family = text_family(metric)
        _, options_class = family.load()
        names = keyword_names(options_class)
        if rules is not None and "preset" not in names:
            raise ValueError(f"rules={rules} are only for answer_match, not for {metric}")
        for option in options:
            if option not in names:
                near = options_class.pointed(option, (*_SETTINGS, *names))
                raise TypeError(
                    f"a reward of {metric} has no option {option!r}{near}; the metric has: {', '.join(names)}"
                )
        self.scorer: Scorer | None = None
        extraction: dict[str, Any] = {}  # by the options of the metric
        if measure != FORMAT:
            chosen, implied = _SHORT_NAMES.get(measure, (measure, {}))
            implied = implied if rules is None else {"preset": preset, **implied}
            scored: Any = options_class(**{**implied, **options})
            if scored.extract is not None:  # the reward extracts the answer
                extraction = {"extract": scored.extract, "unextracted": scored.unextracted}
                scored = options_class(**{**implied, **options, "extract": "none", "unextracted": "zero"})
            self.scorer = Scorer(family, scored)
            chosen = options_class.aliases.get(chosen.lower(), chosen)
            # The names are found by scoring an answer; if this would load a model, with the smallest options.
            smallest = options_class(**family.smallest[0][1]) if family.runs_model(scored) else scored
            check_measures([chosen], Scorer(family, smallest).names, metric, (*_SHORT_NAMES, FORMAT))
        elif options:
            raise TypeError(f"the measure 'format' takes no options of a metric, got {next(iter(options))}")
        else:
            chosen = FORMAT
        most_tags = most_by_measure.get(chosen) if most_tags is None else most_tags
        given = {"extract": extract, "unextracted": unextracted, "layout": layout, "prompt_answers": prompt_answers}
        given = {setting: value for setting, value in given.items() if value is not None}
        self.options = RewardOptions(
            chosen,
            format_weight=format_weight,
            retrieval_weight=retrieval_weight,
            answered_weight=answered_weight,
            most_tags=most_tags,
            rules=rules,
            **{**extraction, **followed, **given},
        )
        if layout is not None and not (
            format_weight or retrieval_weight or answered_weight or parts or chosen == FORMAT
        ):
            raise ValueError("layout has no effect without a weight, such as format_weight; give one, or omit layout")
        self._parts = parts
        if not isinstance(columns or {}, Mapping):
            raise TypeError(
                f"columns must be a dict role -> column, such as {{'references': 'gold'}}; got {describe(columns)}"
            )
        self._roles: Mapping[str, Any] = column_names(columns or {}, ("references", "questions"), several=())
        self._reads_questions = family.reads_questions
        self.__name__ = measure if name is None else name
        self._normalizer = getattr(self.scorer and self.scorer.options, "normalizer", None) or get_normalizer("squad")

    def one(self, completion: Any, gold: Any = None, **columns: Any) -> float:
        """The reward of one completion.

        Args:
            completion: a text or a list of messages.
            gold: its gold answers, a text or a list; or {"target": ...}, as in verl.
            columns: further columns of the metric.

        Raises:
            TypeError: a completion or gold answers of a wrong type, or an unknown column. ValueError: no assistant
                message, gold answers that are None or refused by the metric, no answer in the text with
                unextracted="error", a judge that gives no verdict, or a value or format outside 0 to 1.

        Example:
            >>> reward("f1", extract="final_answer").one("Final answer: in the Alps", ["Alps"])
            0.6666666666666666
        """
        return self._one(completion, gold, columns).score

    def many(
        self, completions: Sequence[Any], golds: Sequence[Any] | None = None, **columns: Any
    ) -> list[float | None]:
        """The rewards of several completions, such as a group of GRPO; None if the gold answer is None, or a judge gives no
        verdict.

        Args:
            completions: texts or lists of messages.
            golds: the gold answers of each.
            columns: further columns of the metric.

        Raises:
            ValueError: columns of different lengths. TypeError: a text instead of a column.

        Example:
            >>> reward("exact_match", extract="none").many(["Rome", "Oslo", "Bern"], [["Rome"], ["Roma"], None])
            [1.0, 0.0, None]
        """
        return [row and row.score for row in self._rows(completions, golds, columns, "golds")]

    def __call__(self, texts: Any = None, /, **columns: Any) -> Any:
        """Compute rewards for a trainer: see the class."""
        if texts is not None:
            columns["completions"] = texts
        if "completions" in columns:  # TRL
            name, golds = self._golds_in(columns)
            rows = self._rows(columns["completions"], golds, self._further(columns), name)
            return [row and row.score for row in rows]
        if "solution_str" in columns:  # verl
            further = self._further(columns.get("extra_info") or {})
            return self._logged(self._one(columns["solution_str"], columns.get("ground_truth"), further))
        if "solution_strs" in columns:
            texts, extras = columns["solution_strs"], columns.get("extra_infos")
            each = [self._further(extra or {}) for extra in ([{}] * len(texts) if extras is None else extras)]
            further = {role: [row.get(role) for row in each] for role in {role for row in each for role in row}}
            rows = self._rows(texts, columns.get("ground_truths"), further, "ground_truths", all_count=True)
            return list(map(self._logged, rows))
        if "completion" in columns:  # verifiers, which gives answer="" where the data set has no such column
            if columns.get("answer") == "" and "references" not in self._roles:
                del columns["answer"]
            return self._one(columns["completion"], self._golds_in(columns)[1], self._further(columns)).score
        raise TypeError(
            "a reward is called with completions (TRL), completion (verifiers), solution_str or solution_strs (verl); got "
            f"{keys_of(columns)}"
        )

    @property
    def measure(self) -> str:
        """The canonical name: "exact_match" for "em"."""
        return self.options.measure

    @property
    def signature(self) -> str:
        """All settings that determine the number, as a text: of the reward, then of the metric."""
        text = self.options.signature()
        return text if self.scorer is None else f"{text.rpartition('|v:')[0]}|{self.scorer.signature}"

    def __repr__(self) -> str:
        return f"<Reward {self.signature}>"

    def _logged(self, row: Any) -> Any:
        return row._asdict() if self._parts else row.score

    def _golds_in(self, columns: Mapping[str, Any]) -> tuple[str, Any]:
        """The name and the values of the column of gold answers among those of a data set."""
        if self.scorer is None:
            return "", None
        name = find_column("references", self._roles.get("references"), columns)
        if name is None:
            raise ValueError(
                'no column of gold answers; name it with columns={"references": NAME}; available: ' + keys_of(columns)
            )
        return name, columns[name]

    def _further(self, columns: Mapping[str, Any]) -> dict[str, Any]:
        """The questions among the columns of a data set, if the metric reads them."""
        if self.scorer is None or not self._reads_questions:
            return {}
        name = find_column("questions", self._roles.get("questions"), columns)
        if name is not None:
            return {"questions": columns[name]}
        remark(
            f"no column of questions ({', '.join(QUESTIONS)}): answers are scored without questions, which gives "
            'other numbers; name it with columns={"questions": NAME}'
        )
        return {}

    def _one(self, completion: Any, gold: Any, columns: Mapping[str, Any]) -> Parts:
        """The reward, value and format of one completion, faster than by `_rows`."""
        row = self._read(completion, gold)
        if row is None:
            raise ValueError("the gold answers are None")
        value: float | None = 0.0
        if self.scorer is not None and row.to_score is not None:
            value = self._value(self.scorer(row.to_score, row.golds, **columns), row.golds)
        if value is None:
            raise ValueError(f"the judge gave no verdict on an answer to {shown(row.golds)}")
        return self._weighed(row, value)

    def _rows(
        self, completions: Any, golds: Any, columns: Mapping[str, Any], gold_name: str, all_count: bool = False
    ) -> list[Parts | None]:
        """The reward, value and format of each completion.

        A row is None if its gold answer is None, or if a judge gives no verdict on it; with all_count it is an error.
        """
        completions = to_list(completions, "completions")
        n = len(completions)
        further = {name: to_list(column, name) for name, column in columns.items()}
        gold_rows = [None] * n if self.scorer is None else to_list(golds, gold_name)
        for name, column in {gold_name: gold_rows, **further}.items():
            if len(column) != n:
                raise ValueError(f"{name} has {len(column)} rows, but there are {n} completions")
        rows: dict[int, _Row] = {}
        for index, (completion, gold) in enumerate(zip(completions, gold_rows, strict=True)):
            with naming(index):
                row = self._read(completion, gold)
                if row is not None:
                    rows[index] = row
                elif all_count:
                    raise ValueError("the gold answers are None")
        values = self._values({i: row for i, row in rows.items() if row.to_score is not None}, further)
        rewards: list[Parts | None] = [None] * n
        for index, row in rows.items():
            value = values.get(index, 0.0)
            if value is not None:
                rewards[index] = self._weighed(row, value)
            elif all_count:
                raise ValueError(f"completion {index}: the judge gave no verdict on an answer to {shown(row.golds)}")
        return rewards

    def _read(self, completion: Any, gold: Any) -> _Row | None:
        """The completion with its gold answers; None if these are None."""
        golds = [] if self.scorer is None else golds_of(gold)
        if golds is None:
            return None
        options, text = self.options, text_of(completion)
        written: str | None = text
        if options.prompt_answers:  # skip the answers in the prompt
            spans = tagged_spans("<answer>", "</answer>", text)
            last = options.prompt_answers - 1
            written = text[spans[last][1] + len("</answer>") :] if last < len(spans) else None
        answer = None
        if written is not None:
            (answer,) = extract_answers(options.extract, [written], lambda row: "the text")
        if answer is None and options.unextracted == "error":
            raise ValueError(f"{options.extract.name} finds no answer in {shown(text)}; use the option unextracted=")
        layout = options.layout
        kept = float(answer is not None)
        if layout.function is not None:
            kept = share(f"layout {layout.name}", layout.function(text))
        to_score = answer
        if answer is None and options.unextracted != "zero":
            to_score = text if options.unextracted == "whole" else ""
        if options.rules is not None and not golds:  # 0 in published files
            to_score = None
        return _Row(text, answer, kept, golds, to_score)

    def _values(self, rows: Mapping[int, _Row], columns: Mapping[str, list[Any]]) -> dict[int, float | None]:
        """The measure of each answer, 0 to 1, scored together; None for an answer on which a judge gives no verdict."""
        if self.scorer is None or not rows:
            return {}
        further = {name: [column[index] for index in rows] for name, column in columns.items()}
        answers, golds = [row.to_score for row in rows.values()], [row.golds for row in rows.values()]
        try:
            found = self.scorer.many(answers, golds, **further)
        except (TypeError, ValueError) as error:
            if error.__cause__ is not None and not isinstance(error.__cause__, (TypeError, ValueError)):
                raise  # a judge that failed for all, which is not called again
            for index, row in rows.items():
                with naming(index):
                    self.scorer(row.to_score, row.golds, **{name: column[index] for name, column in columns.items()})
            raise
        values: dict[int, float | None] = {}
        for (index, row), measures in zip(rows.items(), found, strict=True):
            with naming(index):
                values[index] = self._value(measures, row.golds)
        return values

    def _value(self, measures: Mapping[str, float], golds: Any) -> float | None:
        measure = self.options.measure
        if not measures and self.scorer is not None and hasattr(self.scorer.options, "model"):
            return None
        if measure not in measures:
            available = ", ".join(measures) or "none"
            raise ValueError(f"{measure} is not a measure of an answer to {shown(golds)}; available: {available}")
        return share(measure, measures[measure])

    def _weighed(self, row: _Row, value: float) -> Parts:
        """The reward, the value and the format of a completion."""
        kept, options = row.kept, self.options
        if self.scorer is None:
            value = kept
        partial = kept * options.format_weight
        if value < 1:
            if options.retrieval_weight and kept and self._retrieved(row):
                partial += kept * options.retrieval_weight
            if options.answered_weight and row.answer is not None:
                partial += (1 - kept) * options.answered_weight
        most = options.most_tags
        crowded = most is not None and max(row.text.count("<answer>"), row.text.count("</answer>")) > most
        credit = 1 - options.format_weight * (1 - kept)
        return Parts(value * (credit / 4 if crowded else credit) + partial * (1 - value), value, kept)

    def _retrieved(self, row: _Row) -> bool:
        """Whether an <information> holds a gold answer."""
        golds = [self._normalizer(gold) for gold in row.golds]
        spans = tagged_spans("<information>", "</information>", row.text)
        blocks = [self._normalizer(row.text[start:end]) for start, end in spans]
        return any(gold in block for block in blocks for gold in golds)


#: `Reward` as a verb: `qassay.reward("f1")`.
reward = Reward


# --- verl: a reward by path and name, with settings from its configuration ------------------------------------------

# What verl passes to a reward besides the columns of the data.
_OF_VERL = {"data_source", "solution_str", "ground_truth", "extra_info"}
_OF_VERL |= {f"{name}s" for name in _OF_VERL} | {"reward_router_address", "reward_model_tokenizer"}
_MADE: dict[str, Reward] = {}


def _reward_of(settings: Mapping[str, Any]) -> Reward:
    """The reward with these settings of a configuration file, made once."""
    key = repr(sorted(settings.items()))
    if key not in _MADE:
        _MADE[key] = Reward(**{name: _plain(value) for name, value in settings.items()})
    return _MADE[key]


def _plain(value: Any) -> Any:
    """The lists and dicts of a configuration library as those of Python."""
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return tuple(map(_plain, value)) if isinstance(value, Sequence) and not isinstance(value, str) else value


def compute_score(
    data_source: Any = None, solution_str: Any = None, ground_truth: Any = None, extra_info: Any = None, **settings: Any
) -> Any:
    """A reward as verl loads it: `custom_reward_function.path=pkg://qassay.rewards`, `.name=compute_score`.

    Args:
        data_source, solution_str, ground_truth, extra_info: as verl passes them; also in the plural, for BatchRewardManager.
        settings: of `Reward`, which `custom_reward_function.reward_kwargs` has.

    Returns:
        float: the reward; with parts=True a dict; in the plural a list of these.

    Example:
        >>> compute_score("nq", "<answer>in Rome</answer>", {"target": ["Rome"]}, measure="f1", parts=True)
        {'score': 0.6666666666666666, 'acc': 0.6666666666666666, 'format': 1.0}
    """
    given = {name: settings.pop(name) for name in _OF_VERL & settings.keys()}
    reward = _reward_of(settings)
    if "solution_strs" in given:
        return reward(**given)
    return reward(solution_str=solution_str, ground_truth=ground_truth, extra_info=extra_info)
