"""Generative question answering: turns generated tokens into answers and scores them."""

import dataclasses
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ..core.columns import check_lengths, question_texts, to_list
from ..core.groups import Groups, to_groups
from ..core.interval_settings import Intervals
from ..core.options import did_you_mean
from ..core.remarks import public, remark
from ..core.scores import Scores
from ..core.shown import describe
from ..registry import FAMILIES, get_family
from .gold_answers import read_sets
from .hook import (
    LoggedMeasures,
    TrainerMetrics,
    check_n_rows,
    empty_measures,
    other_data_set,
    other_number,
    processes,
    rows_to_score,
    to_array,
    told_sizes,
)
from .label_alignment import DecodedLabels, GoldRows, quoted, text_form

_UNCERTAIN = (
    "the labels belong to the references, but would still do so if Trainer gave its rows in another order: they do not tell "
    "which row is which, and the numbers are right only if the rows are in the order of references. Omit "
    "train_sampling_strategy='group_by_length', which shuffles the evaluation too; then check_labels=False omits this warning"
)
_BOTH = 'GenerativeQA(tokenizer, {"dev": dev_references, "test": test_references})'
_CAUSAL = (
    "Seq2SeqTrainer lets a causal model continue its whole input. qassay.training.score_generations(trainer, rows, prompt=..., "
    "references=...) generates from the prompt alone, and scores what follows it"
)


class GenerativeQA(TrainerMetrics):
    """`compute_metrics` for generated answers: `Seq2SeqTrainer` with `predict_with_generate=True`.

    Args:
        tokenizer: the tokenizer of the model, or a processor that has one; decodes without special tokens. Ids below 0
            are padding (-100 pads batches). Generated ids unknown to the tokenizer also count as padding, because models
            with padded embeddings, such as T5, may generate them; the notes of the scores count them as `unknown_tokens`.
        references: gold answers for each row of the evaluated data set, in order: strings, lists of
            strings ("" or []: the question has no answer) or rows of SQuAD's column answers. For several data sets a dict name
            -> such gold answers, as lists of strings or rows: `Trainer(eval_dataset={"a": ..., "b": ...})` does not say
            which one it evaluates; the number of rows and the labels identify it. None: the decoded labels, one gold
            answer each.
        groups: which rows of references belong together, such as the article of each, so that intervals draw whole
            groups: one label per row; for several data sets a dict name -> labels. Groups need references, because the
            order of labels alone is unknown.
        questions: the text of each question, in the order of references, for metrics that read questions
            (answer_equivalence); for several data sets a dict name -> texts. Like groups, they need references.
        metrics: "answer_match", "semantic_answer_similarity", "answer_equivalence", several of them, or a dict metric -> options, such as
            {"answer_match": {"normalizer": "french"}, "semantic_answer_similarity": {"model": "lite"}}. A measure that
            an earlier metric also has is named `<metric>_<measure>`.
        measures: the names of the numbers to report; None for all that rest on an example.
        confidence, n_resamples, seed: also report intervals, as in `Scores.interval`: `f1_low` and `f1_high`.
        safe_names: log names without "@", brackets and "=", which MLflow refuses: `safe_name` of each.
        check_labels: whether the decoded label of each row must equal or contain one of its gold answers (ignoring
            case, spaces, punctuation, truncation and what the tokenizer loses). Rows without gold answers may have any
            label, and only these may have fully masked labels (unless all labels are masked, which are then ignored).
            This detects rows in another order (train_sampling_strategy="group_by_length" also shuffles the evaluation)
            and other data sets; rows are put back in order, with a warning, if the labels determine the order. Labels
            that would also fit another order give a warning. False: labels are something else, such as numbers of
            choices; then only the number of rows is checked, as without labels. Answers may then restate their questions.
        n_rows: without references, the number of rows of the evaluated data set, `len(eval_dataset)`, or of several,
            `(len(dev), len(test))`; an evaluation of other numbers is refused.

    On several processes, Seq2SeqTrainer repeats the first rows to fill the last batches. With references or n_rows, the
    rows after as many are left out if they do repeat the first; the note `repeated` counts them. Without both, such rows
    are refused: they may be repeats, or other rows with the same labels.

    Seq2SeqTrainer lets a causal model continue its whole input: the prompt, and mostly the gold answer too. Refused are
    labels that all begin with as many -100 as the outputs have places for a prompt, and outputs that all begin with the
    input, as far as labels, questions or the inputs of `include_for_metrics=["inputs"]` show it.

    Raises:
        TypeError, ValueError: before training: an unsupported metric, unknown options or measures, references that are
            not answers. When called: predictions that are not token ids, that hold the prompt, or whose number differs
            from the references; labels unknown to the tokenizer or that do not belong to the references.

    Attributes:
        answers: the decoded answers of the last evaluation, in the order of references.
        all_scores: its Scores by metric; `scores` are the Scores of the first metric, whose notes have
            `unknown_tokens`, and `repeated` where there are such rows.
        scores_by_set: name of a data set -> its `scores`, if references are a dict.

    Example:
        >>> class Words:
        ...     pad_token_id = 0
        ...     def batch_decode(self, rows, skip_special_tokens):
        ...         return [" ".join("_ne deux trois".split()[i] for i in row if i) for row in rows]
        >>> compute_metrics = GenerativeQA(Words(), [["deux"], ["trois", "3"]], measures=["exact_match", "f1"])
        >>> from types import SimpleNamespace
        >>> compute_metrics(SimpleNamespace(predictions=np.array([[1, -100], [1, 2]]), label_ids=None))
        {'exact_match': 0.5, 'f1': 0.8333333333333333}
    """

    def __init__(
        self,
        tokenizer: Any,
        references: Any = None,
        *,
        groups: Any = None,
        questions: Any = None,
        metrics: str | Sequence[str] | Mapping[str, Mapping[str, Any]] = "answer_match",
        measures: Sequence[str] | None = None,
        confidence: float | None = None,
        n_resamples: int = 1000,
        seed: int = 0,
        safe_names: bool = False,
        check_labels: bool = True,
        n_rows: int | Sequence[int] | None = None,
    ):
        if not hasattr(tokenizer, "pad_token_id"):  # a processor has a tokenizer
            tokenizer = getattr(tokenizer, "tokenizer", tokenizer)
        if not hasattr(tokenizer, "batch_decode"):
            raise TypeError(f"tokenizer must have batch_decode, as in transformers; got {describe(tokenizer)}")
        if getattr(tokenizer, "pad_token_id", None) is None:
            raise ValueError(
                "the tokenizer has no padding token; set tokenizer.pad_token, for example to its eos_token"
            )
        self.tokenizer = tokenizer
        self.options = _metric_options(metrics)
        by_set = {} if references is None else read_sets(references)
        self.references = by_set.get(None, by_set or None)
        self._sets = {name: GoldRows(golds, self._read_again) for name, golds in by_set.items()}
        self._groups = _groups_of_sets(groups, by_set)
        self._questions = _questions_of_sets(questions, by_set)
        self.check_labels = bool(check_labels)
        self.n_rows = check_n_rows(n_rows)
        if self.n_rows and by_set:
            raise ValueError("references tell the number of rows; omit n_rows")
        self._warned: dict[str | None, list[str]] = {name: [] for name in self._sets}
        self.answers: list[str] = []
        self.all_scores: dict[str, Scores] = {}
        super().__init__(LoggedMeasures(measures, Intervals(confidence, "auto", n_resamples, seed), safe_names))
        # Check gold answers, questions, options and measures now, not after the first epoch.
        for metric, chosen in self.options.items():
            get_family(metric).check_questions(chosen, bool(self._questions))
        empty = []
        for data_set, golds in (by_set or {None: [["a"]]}).items():
            blank = {
                metric: get_family(metric).score_blank(golds, groups=self._groups.get(data_set), options=chosen)
                for metric, chosen in self.options.items()
            }
            places = self._places(blank).items()
            empty.append({shown for shown, (metric, own) in places if empty_measures(blank[metric], [own])})
        self.report.refuse_empty(empty)

    def _reset(self) -> None:
        self._unknown_tokens: list[int] = []  # of each row
        self._texts: list[str] = []
        self._label_rows: list[bytes] = []
        self._prompts = np.zeros(5, np.int64)
        self._labels = DecodedLabels([], [])
        self._unlabelled = False

    @public
    def __call__(self, prediction: Any, compute_result: bool | None = None) -> dict[str, float | int]:
        outputs, inputs = _tokens(getattr(prediction, "predictions", None)), getattr(prediction, "inputs", None)
        if isinstance(inputs, np.ndarray) and np.ndim(outputs) == 2:  # with include_for_metrics=["inputs"]
            rows, _, _, held, longer = _signs_of_prompts(outputs, inputs, self.tokenizer)
            if held == rows and longer:
                raise ValueError(f"every output begins with the input: {_CAUSAL}")
        return super().__call__(prediction, compute_result)

    def _add(self, predictions: Any, labels: Any) -> None:
        predictions = _tokens(predictions)
        self._texts += self._decode(predictions, "predictions", len(self._texts))
        if labels is None and self.references is None:
            raise ValueError("there are no labels to compare with; give references to GenerativeQA")
        if hasattr(labels, "shape"):
            labels = to_array(labels, "label_ids")
            given = labels.reshape(len(labels), -1)
            is_token = (given != -100) & (given != self.tokenizer.pad_token_id)
            self._label_rows += [row[kept].tobytes() for row, kept in zip(given, is_token, strict=True)]
            if labels.ndim == 2:
                self._prompts += _signs_of_prompts(to_array(predictions, "predictions"), labels, self.tokenizer)
        self._unlabelled |= labels is None or not self.check_labels
        if self.references is None or not self._unlabelled:
            self._add_labels(labels)

    def _add_labels(self, labels: Any) -> None:
        if self.references is not None and not _are_tokens(labels):
            raise TypeError(
                f"label_ids are not token ids, got {describe(labels)}, so they do not tell whether the rows of Trainer are "
                "the rows of references; give GenerativeQA check_labels=False to score without this check"
            )
        texts = self._decode(labels, "label_ids", len(self._labels.texts))
        ids: Any = to_array(labels, "label_ids")
        self._labels.texts.extend(
            None if none else text for text, none in zip(texts, (ids < 0).all(axis=1).tolist(), strict=True)
        )
        self._labels.lengths.extend(((ids >= 0) & (ids != self.tokenizer.pad_token_id)).sum(axis=1).tolist())

    def _read_again(self, texts: list[str]) -> list[str]:
        """The texts after encoding and decoding by the tokenizer; unchanged if it can only decode."""
        if not callable(self.tokenizer):
            return texts
        try:
            ids = self.tokenizer(text_target=texts)["input_ids"]
        except TypeError:  # not of the kind of transformers
            return texts
        again: list[str] = self.tokenizer.batch_decode(ids, skip_special_tokens=True)
        return again

    def _decode(self, ids: Any, name: str, first_row: int) -> list[str]:
        ids = to_array(ids, name)
        if ids.ndim != 2 or ids.dtype.kind not in "iu":
            raise TypeError(
                f"{name} must be token ids of shape (rows, length), got {ids.dtype} of shape {ids.shape}: evaluate with "
                "predict_with_generate=True of Seq2SeqTrainer, or a causal model with qassay.training.score_generations, since "
                "the argmax of logits rests on the gold tokens before it (teacher forcing)"
            )
        vocabulary_size = len(self.tokenizer) if hasattr(self.tokenizer, "__len__") else np.inf
        unknown = ids >= vocabulary_size
        if unknown.any() and name == "label_ids":  # a tokenizer wrote them, but not this one
            row = int(np.argmax(unknown.any(axis=1)))
            raise ValueError(
                f"{name}[{first_row + row}] has the token {ids[row].max()}, but the tokenizer has {vocabulary_size}; "
                "give the tokenizer of the model"
            )
        if name == "predictions":
            self._unknown_tokens += unknown.sum(axis=1).tolist()
        ids = np.where((ids < 0) | unknown, self.tokenizer.pad_token_id, ids)
        return [text.strip() for text in self.tokenizer.batch_decode(ids.tolist(), skip_special_tokens=True)]

    def _score(self) -> Scores:
        self._refuse_prompts()
        data_set, texts, golds = self._matched()
        questions = self._questions.get(data_set)
        if (
            self.check_labels
            and questions
            and all(_holds(text, asked) for text, asked in zip(texts, questions, strict=True))
        ):
            raise ValueError(
                f"every output holds its question, such as {quoted(texts[0])} of row 0: {_CAUSAL}. check_labels=False scores "
                "answers that restate their question"
            )
        self.answers, repeated = texts, len(self._texts) - len(texts)
        self.all_scores = {}
        for name, options in self.options.items():
            family = get_family(name)
            function, _ = family.load()
            more = {"questions": questions} if family.reads_questions else {}
            self.all_scores[name] = function(
                texts, golds, groups=self._groups.get(data_set), options=options, **more
            ).require_several_groups()
        name, first = next(iter(self.all_scores.items()))
        notes = {**first.notes, "unknown_tokens": sum(self._unknown_tokens[: len(texts)])}
        first = dataclasses.replace(first, notes=notes | ({"repeated": repeated} if repeated else {}))
        self.all_scores[name] = first
        if data_set is not None:
            self.scores_by_set[data_set] = first
        return first

    def _matched(self) -> tuple[str | None, list[str], list[list[str]]]:
        """The data set that was evaluated (None: the only one), its answers and its gold answers, in its order."""
        n = len(self._texts)
        if not self._unlabelled and len(self._labels.texts) != n:
            raise ValueError(f"there are {n:,} predictions, but {len(self._labels.texts):,} rows of labels")
        if not self._sets:
            border = 0 if self.n_rows or processes() == 1 else _longest_border(self._rows_to_compare)
            if border:
                raise ValueError(
                    f"the labels of rows {n - border} to {n - 1} are those of the first rows, and may be repeats, with which "
                    "Seq2SeqTrainer fills the last batches on several processes; give GenerativeQA "
                    "n_rows=len(eval_dataset), or references"
                )
            m = rows_to_score(n, self.n_rows, self._repeat_first) if self.n_rows else n
            return None, self._texts[:m], [[text or ""] for text in self._labels.texts[:m]]
        same = {name: rows for name, rows in self._sets.items() if len(rows) == n}
        if not same or processes() > 1:
            same |= {name: rows for name, rows in self._sets.items() if self._repeat_first(len(rows))}
        if not same:
            sizes = {name: len(rows) for name, rows in self._sets.items()}
            causes = other_number(n, sizes, _BOTH)
            raise ValueError(f"there are {n:,} predictions, but {told_sizes(sizes, ' references')}: {causes}")
        if self._unlabelled:
            name = _only(same, n, "there are no labels to tell them apart")
            return name, self._texts[: len(same[name])], same[name].golds
        labels = {name: self._labels.first(len(rows)) for name, rows in same.items()}
        mismatches = {name: rows.mismatches(labels[name]) for name, rows in same.items()}
        fitting = [name for name, differing in mismatches.items() if not differing]
        if fitting:
            name = _only(fitting, n, "the labels are gold answers of both")
            if _UNCERTAIN not in self._warned[name] and same[name].may_hide_an_order(labels[name]):
                self._warn(name, _UNCERTAIN)
            return name, self._texts[: len(same[name])], same[name].golds
        with_unknown = [name for name, rows in same.items() if rows.are_unknown_labels(labels[name], mismatches[name])]
        if len(with_unknown) == 1:
            (name,) = with_unknown
            self._warn(name, self._unknown_labels(name, mismatches[name]))
            return name, self._texts[: len(same[name])], same[name].golds
        found = {name: rows.order_of(labels[name]) for name, rows in same.items()}
        orders = {name: order for name, order in found.items() if order is not None}
        if not orders:
            name = min(same, key=lambda name: len(mismatches[name]))
            raise ValueError(self._unlike(name, mismatches[name]))
        name = _only(orders, n, "the labels, in another order, are gold answers of both")
        self._warn(name, self._reordered(name))
        return name, [self._texts[row] for row in orders[name].tolist()], same[name].golds

    @property
    def _rows_to_compare(self) -> list[Any]:
        """What shows whether rows are the same: the labels if there are any, or the answers."""
        has_labels = len(self._label_rows) == len(self._texts) and any(self._label_rows)
        return self._label_rows if has_labels else self._texts

    def _repeat_first(self, m: int) -> bool:
        """Whether the rows from m on repeat the first ones in turn, which Seq2SeqTrainer adds on several processes."""
        rows = self._rows_to_compare
        if not 0 < m < len(rows) or rows[m:] != rows[:-m]:
            return False
        return processes() > 1 or (rows is self._label_rows and not self._unlabelled and len(set(rows)) > 1)

    def _refuse_prompts(self) -> None:
        """Refuse the outputs of a causal model that hold its input."""
        labelled, masked, fitting, held, longer = self._prompts.tolist()
        row = next((row for row, tokens in enumerate(self._label_rows) if tokens), 0)
        if labelled and held == labelled and (masked == labelled or (longer and self.check_labels)):
            raise ValueError(
                f"every output begins with the input, gold answer included, such as {quoted(self._texts[row])} of row {row}: "
                f"{_CAUSAL}{'' if masked else '. check_labels=False scores outputs that have no prompt'}"
            )
        if labelled and fitting == labelled and self.check_labels:
            raise ValueError(
                f"all labels begin with -100, as those of a causal model, which mask its prompt: {_CAUSAL}. If the outputs "
                "have no prompt, omit the -100 at the beginning of the labels, or give GenerativeQA check_labels=False"
            )

    def _unlike(self, name: str | None, mismatches: list[int]) -> str:
        """The error message for labels that do not match the gold answers of a data set, with possible reasons."""
        rows, row = self._sets[name], mismatches[0]
        label, where = self._labels.texts[row], "references" if name is None else f"references[{name!r}]"
        owner = None if label is None else rows.row_of(label)
        shown = "masked as a whole" if label is None else quoted(label)
        remark = "" if owner is None else f"; the label is a gold answer of {where}[{owner}]"
        other = other_data_set(_BOTH)
        order = "it gave them in another order (train_sampling_strategy='group_by_length' shuffles the evaluation too: omit it)"
        return (
            f"{where}[{row}] has the gold answers {quoted(rows.golds[row])}, but the label of Trainer's row {row} is "
            f"{shown} ({len(mismatches):,} of {len(rows):,} rows differ{remark}): these rows do not belong together. "
            f"{other}; or {order}; or the labels are not meant to be gold answers (give GenerativeQA check_labels=False). "
            "The argument eval_on_start=True tells at once"
        )

    def _unknown_labels(self, name: str | None, mismatches: list[int]) -> str:
        """The warning about a few labels that are not gold answers of any row."""
        where = "references" if name is None else f"references[{name!r}]"
        row = mismatches[0]
        return (
            f"{len(mismatches):,} of {len(self._sets[name]):,} labels are gold answers of no row, such as "
            f"{quoted(self._labels.texts[row])} of Trainer's row {row}, where {where} has {quoted(self._sets[name].golds[row])}; "
            "the other labels show that the rows are in order, so all are scored"
        )

    def _warn(self, name: str | None, message: str) -> None:
        """Warn once about a data set."""
        if message not in self._warned[name]:
            self._warned[name].append(message)
            remark(message)

    def _reordered(self, name: str | None) -> str:
        """The warning that rows were reordered."""
        sizes = Counter(tuple(sorted(set(row))) for row in self._sets[name].golds)
        alike = sum(size for size in sizes.values() if size > 1)
        more = (
            f" {alike:,} rows share their gold answers with another, and may have changed places: the totals are right, "
            "but slices and single answers may not be;"
            if alike
            else ""
        )
        return (
            "Trainer gave its rows in another order than references (train_sampling_strategy='group_by_length' shuffles the "
            f"evaluation too); the labels told which is which, and the answers are in the order of references.{more} omit "
            "group_by_length to be sure"
        )

    def _result(self) -> dict[str, float | int]:
        self.scores = self._score()
        logged: dict[str, float | int] = {}
        if self.report.measures is None:
            for metric, scores in self.all_scores.items():
                numbers = self.report.numbers(scores)
                logged |= {f"{metric}_{name}" if name in logged else name: value for name, value in numbers.items()}
            return logged
        places = self._places(self.all_scores)
        by_metric: dict[tuple[str, str], float | int] = {}
        for metric, scores in self.all_scores.items():
            own = [measure for owner, measure in places.values() if owner == metric]
            if own:
                report = dataclasses.replace(self.report, measures=own)
                by_metric |= {(metric, name): value for name, value in report.numbers(scores).items()}
        for ends in (("",), ("_low", "_high")):
            for name, (metric, measure) in places.items():
                there = (end for end in ends if (metric, measure + end) in by_metric)
                logged |= {f"{name}{end}": by_metric[metric, measure + end] for end in there}
        return logged

    def _places(self, all_scores: Mapping[str, Scores]) -> dict[str, tuple[str, str]]:
        """Each number to report -> its metric and the name of its measure there."""
        there: dict[str, tuple[str, str]] = {}
        for metric, scores in all_scores.items():
            there |= {f"{metric}_{name}" if name in there else name: (metric, name) for name in scores.measures}
        for name in self.report.measures or ():
            if name not in there:
                raise ValueError(f"no measure {name!r}{did_you_mean(name, there)}; available: {', '.join(there)}")
        return {name: there[name] for name in self.report.measures or ()}


def _metric_options(metrics: Any) -> dict[str, Any]:
    """metric -> its options, checked."""
    if isinstance(metrics, str):
        metrics = [metrics]
    if not isinstance(metrics, Mapping):
        metrics = {name: {} for name in metrics}
    there = [
        name for name, family in FAMILIES.items() if family.scores_outputs and "texts" in family.telling.answers_are
    ]
    if not metrics:
        raise ValueError(f"metrics is empty; give one or more of: {', '.join(there)}")
    options_of = {}
    for name, options in metrics.items():
        if name not in there:
            raise ValueError(f"no metric of answers {name!r}{did_you_mean(name, there)}; available: {', '.join(there)}")
        _, options_class = get_family(name).load()
        chosen = options_class.from_keywords(**options)
        if getattr(chosen, "top_k", None) is not None:
            raise ValueError("GenerativeQA scores one answer per row; omit the option top_k")
        options_of[name] = chosen
    return options_of


def _groups_of_sets(groups: Any, sets: Mapping[str | None, Any]) -> Mapping[str | None, Groups | None]:
    """The groups of each data set."""
    given = _by_set("groups", "labels", groups, sets)
    return {name: to_groups(given[name], golds, range(len(golds))) for name, golds in sets.items() if name in given}


def _questions_of_sets(questions: Any, sets: Mapping[str | None, Any]) -> Mapping[str | None, list[str]]:
    """The questions of each data set."""
    found = {}
    for name, given in _by_set("questions", "texts", questions, sets).items():
        column = to_list(given, "questions")
        check_lengths(references=sets[name], questions=column)
        found[name] = question_texts(column, "questions", ())
    return found


def _by_set(argument: str, values: str, given: Any, sets: Mapping[str | None, Any]) -> Mapping[str | None, Any]:
    """The arguments for the rows of references, by data set; {} for none."""
    if given is None:
        return {}
    if not sets:
        raise ValueError(f"{argument} belong to the rows of references; give both, or omit {argument}")
    if None in sets:
        return {None: given}
    if not isinstance(given, Mapping) or given.keys() != sets.keys():
        raise ValueError(
            f"{argument} of several data sets are a dict name -> {values}, with the names {', '.join(map(str, sets))}; "
            f"got {describe(given)}"
        )
    return given


def _tokens(predictions: Any) -> Any:
    """The tokens among the outputs of a model: they come first."""
    return predictions[0] if isinstance(predictions, (tuple, list)) and predictions else predictions


def _holds(text: str, question: str) -> bool:
    """Whether a text holds a question that has a word."""
    form = text_form(question)
    return form != "" and form in text_form(text)


def _signs_of_prompts(outputs: np.ndarray, given: np.ndarray, tokenizer: Any) -> np.ndarray:
    """What outputs have of labels or inputs, (5,): the rows given with a token, those given with -100 where the output has
    tokens, those of them whose tokens there end with the -100 (none if nothing is padded on the right), those whose output has
    the same tokens in the same places, and those whose output goes on after them.
    """
    if len(outputs) != len(given) or not given.shape[1]:
        return np.zeros(5, np.int64)
    pad = tokenizer.pad_token_id
    is_token = (given >= 0) & (given != pad)
    some, width = is_token.any(axis=1), min(outputs.shape[1], given.shape[1])
    held = some & ~is_token[:, width:].any(axis=1)
    held &= ((outputs[:, :width] == given[:, :width]) | ~is_token[:, :width]).all(axis=1)
    special = {pad, getattr(tokenizer, "eos_token_id", None), *getattr(tokenizer, "all_special_ids", ())} - {None}
    written, places = (outputs >= 0) & ~np.isin(outputs, list(special)), np.arange(outputs.shape[1])
    begin = np.argmax(is_token, axis=1)[:, None]
    masked = some & (given[:, 0] == -100) & (written & (places < begin)).any(axis=1)
    fitting = masked & (written & (places == begin - 1)).any(axis=1) & (given[:, -1] == -100).any()
    end = given.shape[1] - np.argmax(is_token[:, ::-1], axis=1)
    longer = held & (written & (places >= end[:, None])).any(axis=1)
    return np.array([part.sum() for part in (some, masked, fitting, held, longer)])


def _are_tokens(labels: Any) -> bool:
    return len(getattr(labels, "shape", ())) == 2 and to_array(labels, "label_ids").dtype.kind in "iu"


def _longest_border(rows: Sequence[Any]) -> int:
    """The most rows at the end that repeat the first ones in turn, by the prefix function of Knuth, Morris and Pratt."""
    borders = [0]
    for row in rows[1:]:
        size = borders[-1]
        while size and rows[size] != row:
            size = borders[size - 1]
        borders.append(size + (rows[size] == row))
    return borders[-1]


def _only(names: Iterable[str | None], n: int, problem: str) -> str | None:
    """The only one of some data sets."""
    first, *others = names
    if others:
        raise ValueError(
            f"the data sets {first!r} and {others[0]!r} both fit {n:,} rows, and {problem}: it cannot be told which of them "
            "Trainer evaluated; evaluate each with a separate Trainer and GenerativeQA"
        )
    return first
