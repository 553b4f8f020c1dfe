"""answer_match: exact match, F1, precision, recall and containment of answers, over any number of gold answers."""

import dataclasses
import functools
import math
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, ClassVar

import numpy as np

from ..core.answers import GOLD_DETAILS, PREDICTED_DETAILS, AnswerColumns, detail_column, read_answers
from ..core.best_threshold import BestThreshold
from ..core.columns import check_lengths, is_real, is_table, rows_of_table, to_list
from ..core.errors import InputError
from ..core.extraction import UNEXTRACTED, settle_extraction
from ..core.gold_fingerprints import GoldFingerprints, plain_text, sorted_texts
from ..core.intake import ANYTHING, read_batch
from ..core.matching import best_of_first, check_number_of_pairs, match_texts
from ..core.measures import Count, Mean, Measure
from ..core.one_match import MATCH_COLUMNS, MatchRules
from ..core.options import Options, differs, listed, option, to_ranks
from ..core.presets import Preset
from ..core.remarks import remark
from ..core.scores import Scores
from ..core.shown import describe, shown
from ..core.text import get_normalizer
from ..core.text_pairs.refusals import declines
from .fields import answer_fields, answer_kind
from .nothing_left import exact_without_f1, right_by_nothing
from .presets import PRESETS
from .rules import Rules
from .token_bags import need_golds

_GOLD = "gold answers"
_REFUSALS_LOOKED_AT = 50  # answers
_OF_ANSWERS = ("top_k", "empty_gold", "empty_f1", "no_answer_threshold", "contains", "whole_answers")
DROP_IN = ("squad", "squad_v2")  # configs with the keys of other modules


@dataclasses.dataclass(frozen=True)
class AnswerMatchOptions(Options):
    """The options of answer_match.

    Attributes:
        preset: the rules of a benchmark by name, such as "squad", "triviaqa", "drop" (spans and numbers) or "hotpotqa"
            (answers and supporting facts, and both joint); `qassay list --presets` lists them. It sets the defaults of
            other options. None: the rules of SQuAD 2.0.
        normalizer: a name of a normaliser, steps such as "lower+spaces", or a callable; None: "squad", or that of the preset.
        unit: what F1, precision, recall and containment count: "token" or "character"; None: that of the normaliser.
        top_k: for ranked answers, the ranks at which the best answer so far is scored, for example (1, 3, 5); None for
            one answer.
        contains: what `contains` searches for: the tokens of a gold answer ("token"), or its normalised text in the
            normalised answer ("substring": "ham" is in "hamburg").
        whole_answers: normalised answers that match as a whole or not at all, such as ("yes", "no", "noanswer"): F1,
            precision and recall are 0 if one side is one of them and the other differs.
        extract: how to extract the answer from the output of a model: "answer_tag" (the last
            <answer>), "after_think" (what follows the last </think>), "boxed", "final_answer", "last_line", "json:FIELD",
            "regex:PATTERN" (the last match), "none" (the whole output, to override a preset)
            or a function from a text to a text or None.
        unextracted: with extract, a prediction without an answer scores 0 ("zero"), counts as the empty answer ("empty") or
            as a whole ("whole"), or is refused ("error"); it is always counted.
        empty_gold: gold answers that are empty after normalisation are dropped ("drop", as in SQuAD 2.0), kept ("keep")
            or refused ("error").
        empty_f1: F1 of an empty answer and an empty gold answer: 1.0 (SQuAD 2.0) or 0.0 (SQuAD 1.1; counted in the
            notes). Without gold answers an empty answer always has 1.0.
        no_answer_threshold: withhold answers with a no-answer probability above this; None: withhold none.
        missing: an example without a prediction scores 0 ("zero"), is omitted ("skip") or refused ("error"); it is
            always counted.
        duplicates: a duplicate id is refused ("error"), or its "first" or "last" row counts.
    """

    family: ClassVar[str] = "answer_match"
    presets: ClassVar[Mapping[str, Preset]] = PRESETS
    aliases: ClassVar[Mapping[str, str]] = {
        "em": "exact_match",
        "exact": "exact_match",
        "exact match": "exact_match",
        "exactmatch": "exact_match",
        "f1_score": "f1",
        "hasans_exact": "has_answer_exact_match",
        "hasans_f1": "has_answer_f1",
        "noans_exact": "no_answer_exact_match",
        "noans_f1": "no_answer_f1",
    }
    pointers: ClassVar[Mapping[str, str]] = {
        "accuracy": "write exact_match, or contains for answers that hold a gold answer",
        "norm": "write normalizer=",
        "k": "write top_k=(1, 5) for ranked answers",
        "average": "f1 is the mean over questions; label_metrics has micro and macro averages of classes",
        "na_prob_thresh": "write no_answer_threshold=",
        "task": "write preset=, the name of a benchmark",
        "mrr": "write metric=retrieval_ranking for ranked documents, or top_k=(1, 5) for ranked answers",
    }

    preset: str | None = option(None, "preset")
    changed: tuple[str, ...] = dataclasses.field(default=(), init=False, metadata={"key": "changed"})
    normalizer: Any = option(None, "norm", always=True)
    unit: str | None = option(None, "unit", choices=(None, "token", "character"), always=True)
    references: str = dataclasses.field(default="max", init=False, metadata={"key": "refs", "always": True})
    top_k: tuple[int, ...] | None = option(None, "k")
    contains: str = option("token", "contains", choices=("token", "substring"))
    whole_answers: tuple[str, ...] | None = option(None, "whole")
    extract: Any = option(None, "extract")
    unextracted: str = option("zero", "unextracted", choices=UNEXTRACTED)
    empty_gold: str = option("drop", "empty", choices=("drop", "keep", "error"))
    empty_f1: float = option(1.0, "empty_f1", choices=(0.0, 1.0))
    no_answer_threshold: float | None = option(None, "threshold")
    missing: str = option("zero", "missing", choices=("zero", "skip", "error"))
    duplicates: str = option("error", "duplicates", choices=("error", "first", "last"))

    @classmethod
    def config_options(cls, name: str) -> dict[str, Any]:
        """As for all options; squad_v2 has the default threshold of the Hugging Face module of this name, see `drop_in.py`."""
        return super().config_options(name) | ({"no_answer_threshold": 1.0} if name == "squad_v2" else {})

    @classmethod
    def of_config(cls, name: str, keywords: Mapping[str, Any]) -> "AnswerMatchOptions":
        """As for all options; None means the choice of the config."""
        given = {option: value for option, value in keywords.items() if value is not None}
        if name in DROP_IN:
            requested = super().of_config("default", given)
            if requested.top_k is not None or requested.preset is not None:
                problem = f"the config {name!r} has the keys of one answer per question"
                raise ValueError(f"{problem}; omit top_k and preset, or the config")
        return super().of_config(name, given)

    def _settle(self):
        rules = self.rules
        default = "squad" if rules is None else rules.normalizer
        normalizer = get_normalizer(default if self.normalizer is None else self.normalizer)
        self._set(normalizer=normalizer)
        self._set(unit=normalizer.unit if self.unit is None else self.unit)
        if self.top_k is not None:
            self._set(top_k=to_ranks(self.top_k))
        settle_extraction(self, self.top_k is not None)
        if self.whole_answers is not None:
            self._set(whole_answers=_texts_of("whole_answers", self.whole_answers))
        if rules is not None:
            self._set(references=rules.references)
            fields = {field.name: field.default for field in dataclasses.fields(self)}
            idle = [name for name in _OF_ANSWERS if differs(getattr(self, name), fields[name])]
            idle += ["unit"] if self.unit != "token" else []
            idle += ["normalizer"] if rules.normalizer == "none" != normalizer.name else []
            if idle:
                raise ValueError(f"preset={self.preset} does not have the option {idle[0]}; omit it")
        self._set(empty_f1=float(self.empty_f1))
        threshold = self.no_answer_threshold
        if threshold is not None:
            if isinstance(threshold, bool) or not is_real(threshold) or math.isnan(threshold):
                raise ValueError(f"no_answer_threshold must be a number, got {describe(threshold)}")
            self._set(no_answer_threshold=float(threshold))

    @property
    def match_rules(self) -> MatchRules:
        """How texts are compared, where no preset has rules of its own."""
        return MatchRules(
            self.normalizer,
            self.unit or "token",
            drop_empty_golds=self.empty_gold == "drop",
            empty_f1=self.empty_f1,
            substring=self.contains == "substring",
            whole_answers=self.whole_answers or (),
        )

    @property
    def rules(self) -> Rules | None:
        """The rules of the preset, where options cannot express them; else None."""
        preset = self.of_preset
        return None if preset is None else preset.rules


def _texts_of(name: str, value: Any) -> tuple[str, ...]:
    """The texts of an option that takes one or several."""
    texts = listed(value)
    if not texts or not all(isinstance(text, str) for text in texts):
        raise TypeError(f'option {name} takes one text or more, such as ("yes", "no"), got {describe(value)}')
    return texts


def score_answers(
    predictions: Any,
    references: Any,
    ids: Any = None,
    weights: Any = None,
    no_answer_probabilities: Any = None,
    groups: Any = None,
    predicted_details: Any = None,
    gold_details: Any = None,
    *,
    options: AnswerMatchOptions | None = None,
) -> Scores:
    """Score answers by the rules of the SQuAD 2.0 script (Rajpurkar et al., 2018), or of a preset.

    Args:
        predictions: n answers (str, "" for no answer); a dict id -> answer; or SQuAD rows
            `{"id", "prediction_text"[, "no_answer_probability"]}`. An answer is a ranked list of texts with `top_k`
            ([] for no answer). An answer that is None is missing.
        references: n lists of gold answers ([]: the question has no answer), or a string for every question (its one
            gold answer, "" for none); a dict id -> gold answers; or SQuAD rows `{"id", "answers"}` with the answers as
            `{"text": [...]}`, a list of `{"text": ...}` or a list of strings.
        ids: n unique ids, when the columns are plain lists.
        weights: the weight of each question, n numbers of at least 0.
        no_answer_probabilities: a number per prediction (or a dict id -> number), larger if an answer is less likely;
            adds the best scores over all thresholds. A single number applies to all predictions without one.
        groups: n labels (str or number), such as the article of each question, or a dict by id: questions of one group are
            not independent, so intervals draw whole groups. None: questions are independent.
        predicted_details, gold_details: what a preset reads in addition to answers (see `qassay list --presets`), as a dict of
            columns or one dict per question; it may also be in the rows of predictions and references.
        options: see `AnswerMatchOptions`.

    Returns:
        Scores with a column per measure (float64, 0..1), the subsets has_answer, no_answer, missing and abstained (the
        answer is empty after normalisation, withheld, or missing; with `top_k`, for the smallest k), and the measures
        of `answer_measures`. Presets with special rules, such as "drop", have missing and abstained only.

    Raises:
        TypeError, ValueError: naming the row or id and what to do.

    Example:
        >>> scores = score_answers({"q1": "the Seine", "q2": "Lyon"}, {"q1": ["Seine"], "q2": []})
        >>> scores.summary(["exact_match", "has_answer_f1", "no_answer_f1"])
        {'exact_match': 0.5, 'has_answer_f1': 1.0, 'no_answer_f1': 0.0}
    """
    options = options or AnswerMatchOptions()
    columns = read_answer_columns(
        {
            "predictions": predictions,
            "references": references,
            "ids": ids,
            "weights": weights,
            "no_answer_probabilities": no_answer_probabilities,
            "groups": groups,
            "predicted_details": predicted_details,
            "gold_details": gold_details,
        },
        options,
    )
    rules = options.rules
    return score_matches(columns, options) if rules is None else _score_rows(columns, options, rules)


def _score_rows(columns: AnswerColumns, options: AnswerMatchOptions, rules: Rules) -> Scores:
    """Scores by the rules of a preset, which look at one row after the other."""
    if rules.needs_golds:
        need_golds(columns.references, columns.ids, str(options.preset))
    score_columns = rules.score(columns, options)
    if rules.zero_missing:
        score_columns = columns.settled(score_columns)
    abstained = ~columns.given | _no_spans(columns.predictions, score_columns, options, rules.nothing)
    notes = exact_without_f1(score_columns)
    if rules.kind.are_texts and "exact_match" in score_columns:
        rows = np.flatnonzero(abstained & (score_columns["exact_match"] == 1)).tolist()
        notes |= right_by_nothing(rows, columns.predictions, columns.references, options.normalizer)
    subsets = {"missing": ~columns.given, "abstained": abstained}
    gold, measures = _gold_prints(columns, options), rules.measures(score_columns)
    return columns.scores(subsets, measures, notes, columns=score_columns, options=options, gold=gold)


def _gold_prints(columns: AnswerColumns, options: AnswerMatchOptions) -> GoldFingerprints:
    rules = options.rules
    if answer_kind(rules).are_texts:
        prints = GoldFingerprints.of_texts(_GOLD, columns.references)
    else:
        key = sorted_texts if rules is None else rules.gold_key
        prints = GoldFingerprints.of_rows(_GOLD, list(map(_frozen, columns.references)), key)
    for name, column in columns.gold_details.items():
        prints |= GoldFingerprints.of_rows(name, list(map(_frozen, column)), plain_text)
    return prints


def _frozen(value: Any) -> Any:
    """A value that does not change when lists in it do."""
    if isinstance(value, Mapping):
        return tuple((key, _frozen(item)) for key, item in value.items())
    if isinstance(value, (set, frozenset)):
        return tuple(sorted(value))
    return tuple(map(_frozen, value)) if isinstance(value, (list, tuple)) else value


def read_answer_columns(columns: Mapping[str, Any], options: AnswerMatchOptions) -> AnswerColumns:
    """The columns of `score_answers`, checked and aligned."""
    read = read_answers(columns, answer_fields(options), options, answer_kind(options.rules))
    if read.no_answer_probabilities is None and options.no_answer_threshold is not None:
        raise ValueError(
            "no_answer_threshold needs no_answer_probabilities to compare with; give them, or omit the option"
        )
    return read


@functools.cache
def _means_of_answers(names: tuple[str, ...]) -> dict[str, Measure]:
    """The mean of each column over all questions, questions with an answer and questions without."""
    measures: dict[str, Measure] = {name: Mean(name) for name in names}
    for subset in ("has_answer", "no_answer"):
        measures.update({f"{subset}_{name}": Mean(name, subset) for name in names})
    return measures


def answer_measures(names: Sequence[str], thresholded: Mapping[str, tuple[str, str]]) -> dict[str, Measure]:
    """The default measures: means of the columns in all, over questions with and without an answer, and counts.

    For each thresholded name (its columns of scores when answered and when withheld) also the best mean over no-answer
    thresholds and that threshold.
    """
    measures = dict(_means_of_answers(tuple(names)))
    for name, columns in thresholded.items():
        best = BestThreshold(*columns, "no_answer_probability")
        measures[f"best_{name}"] = best
        measures[f"best_{name}_threshold"] = dataclasses.replace(best, threshold=True)
    measures.update(total=Count(), has_answer_total=Count("has_answer"), no_answer_total=Count("no_answer"))
    measures["missing"] = Count("missing")
    return measures


def read_answer_batch(config_name: str, columns: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """A batch of the evaluate module, checked as far as options still to come allow.

    Args:
        options: keyword arguments of `AnswerMatchOptions` known so far; preset, unit and top_k decide what a row is, so
            predictions that are lists, and their references, are not checked without them.
    """
    chosen = AnswerMatchOptions.of_config(config_name, options)
    for name in (PREDICTED_DETAILS, GOLD_DETAILS):
        table = columns.get(name)
        if isinstance(table, Mapping):
            check_lengths(**{detail_column(name, key): column for key, column in table.items()})
            columns = {**columns, name: rows_of_table(table)}
    fields, predictions = answer_fields(chosen), columns["predictions"]
    if not isinstance(predictions, Mapping) and not is_table(predictions):
        columns = {**columns, "predictions": (predictions := to_list(predictions, "predictions"))}
    rows = predictions.values() if isinstance(predictions, Mapping) else () if is_table(predictions) else predictions
    are_lists = any(isinstance(row, (list, tuple)) for row in rows)
    if are_lists and chosen.rules is None and chosen.top_k is None and config_name not in DROP_IN:
        names = ("predictions", "references")
        fields = tuple(dataclasses.replace(f, kind=ANYTHING) if f.name in names else f for f in fields)
    return read_batch(fields, columns)


def score_matches(
    columns: AnswerColumns, options: AnswerMatchOptions, match_columns: Sequence[str] = MATCH_COLUMNS
) -> Scores:
    """The scores of checked columns by the rules that options express, with these columns of `match_texts`."""
    subsets = columns.subsets()
    score_columns, abstained = _match(columns, options, match_columns)
    abstained |= ~columns.given
    names = list(score_columns)
    score_columns = columns.settled(score_columns)
    notes: dict[str, int] = {}
    if options.top_k is None:
        rows = np.flatnonzero(abstained & (score_columns["exact_match"] == 1)).tolist()
        notes = right_by_nothing(rows, columns.predictions, columns.references, options.normalizer)
        _remark_on_refusals(columns, subsets["no_answer"] & ~abstained)
    thresholded: dict[str, tuple[str, str]] = {}
    probabilities = columns.no_answer_probabilities
    if probabilities is not None:
        # The score of a withheld answer: the score of an empty one where there is no answer, else 0.
        withheld = score_columns["withheld"] = np.where(columns.given & subsets["no_answer"], 1.0, 0.0)
        thresholded = {name: (name, "withheld") for name in names if name.partition("@")[0] in ("exact_match", "f1")}
        if options.no_answer_threshold is not None:
            score_columns |= {f"{name}_answered": score_columns[name] for name in thresholded}
            thresholded = {name: (f"{name}_answered", "withheld") for name in thresholded}
            held_back = probabilities > options.no_answer_threshold
            abstained |= held_back
            for name in names if held_back.any() else ():
                score_columns[name] = np.where(held_back, withheld, score_columns[name])
        score_columns["no_answer_probability"] = probabilities
    if options.empty_f1 == 0:
        notes |= exact_without_f1({name: score_columns[name] for name in names})
    subsets["abstained"] = abstained
    gold, measures = _gold_prints(columns, options), answer_measures(names, thresholded)
    return columns.scores(subsets, measures, notes, columns=score_columns, options=options, gold=gold)


def _remark_on_refusals(columns: AnswerColumns, rows: np.ndarray) -> None:
    """Says that answers such as "I don't know" are wrong where there is no answer; `rows`: such questions with an answer."""
    answers = [columns.predictions[row] for row in np.flatnonzero(rows)[:_REFUSALS_LOOKED_AT].tolist()]
    refusals = list(filter(declines, answers))
    if len(refusals) > 1 and 2 * len(refusals) >= len(answers):
        remark(
            f"{len(refusals)} of {len(answers)} answers to questions without an answer are refusals, such as "
            f'{shown(refusals[0])}, which count as wrong; give "" for them, or use the metric answer_equivalence'
        )


def _match(
    columns: AnswerColumns, options: AnswerMatchOptions, match_columns: Sequence[str]
) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """The columns of `match_texts`, per rank with `top_k`; and which answers are empty, bool (n,)."""
    answers, golds = columns.predictions, columns.references
    if options.top_k is not None:
        ranked = [row[: max(options.top_k)] for row in answers]
        counts = np.fromiter(map(len, ranked), np.int64, len(ranked))
        pairs = counts * np.fromiter(map(len, golds), np.int64, len(golds))
        check_number_of_pairs(pairs, columns.ids, "score fewer ranks, such as top_k=(1, 10)")
        answers = list(chain.from_iterable(ranked))
        golds = [row for row, count in zip(golds, counts, strict=True) for _ in range(count)]
    if options.empty_gold == "error":
        _refuse_empty_golds(columns, options)
    match_values = match_texts(answers, golds, options.match_rules, (*match_columns, "nothing"))
    nothing = match_values.pop("nothing") == 1
    if options.top_k is None:
        return match_values, nothing
    nothing = best_of_first(~nothing, counts, min(options.top_k)) == 0
    match_values = {
        f"{n}@{k}": best_of_first(column, counts, k) for n, column in match_values.items() for k in options.top_k
    }
    return match_values, nothing


def _no_spans(
    predictions: Sequence,
    score_columns: Mapping[str, np.ndarray],
    options: AnswerMatchOptions,
    nothing: frozenset[str],
) -> np.ndarray:
    """Which answers have no text after normalisation, or only a text that says nothing, bool (n,)."""
    abstained = np.zeros(len(predictions), bool)
    may_be = ~abstained
    if {"exact_match", "f1"} <= score_columns.keys():
        may_be = (score_columns["exact_match"] == 1) | (score_columns["f1"] == 0)
    for row in np.flatnonzero(may_be).tolist():
        spans = [predictions[row]] if isinstance(predictions[row], str) else predictions[row] or []
        abstained[row] = all(options.normalizer(span) in nothing for span in spans)
    return abstained


def _refuse_empty_golds(columns: AnswerColumns, options: AnswerMatchOptions) -> None:
    for row, golds in enumerate(columns.references):
        for gold in golds:
            if not options.normalizer(gold):
                message = (
                    f"references[{row}] (id {shown(columns.ids[row])}) has a gold answer that normalises to "
                    f"nothing, {shown(gold)}; remove it, or use the option empty_gold=drop or keep"
                )
                raise InputError("references", message)
