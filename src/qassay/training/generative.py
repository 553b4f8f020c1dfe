"""Generative question answering: turns generated tokens into answers and scores them."""

import dataclasses
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..core.columns import to_list
from ..core.interval_settings import Intervals
from ..core.options import check_whole
from ..core.remarks import remark
from ..core.scores import Scores
from ..core.shown import describe, shown
from .hook import (
    INPUTS,
    OTHER_DATA_SET,
    Batch,
    LoggedMeasures,
    TrainerMetrics,
    other_number,
    processes,
    rows_to_score,
    to_array,
)
from .scored_rows import ScoredRows, metric_options, read_golds

_MOST_DIFFERING = 0.05  # share of the labels that may be none of the gold answers of their rows
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
            strings ("" or []: the question has no answer) or rows of SQuAD's column answers. None: the decoded labels, one
            gold answer each.
        inputs: the column `input_ids` of the evaluated data set, in the order of references. With
            `include_for_metrics=["inputs"]` in the arguments of Trainer they tell which rows came, so answers are scored in
            the order of references, however Trainer orders its rows.
        groups: which rows of references belong together, such as the article of each, so that intervals draw whole
            groups: one label per row.
        questions: the text of each question, in the order of references, for metrics that read questions
            (answer_equivalence).
        metrics: "answer_match", "semantic_answer_similarity", "answer_equivalence", several of them, or a dict metric -> options, such as
            {"answer_match": {"normalizer": "french"}, "semantic_answer_similarity": {"model": "lite"}}. A measure that
            an earlier metric also has is named `<metric>_<measure>`.
        measures: the names of the numbers to log; None: the headline measures of each metric.
        confidence, n_resamples, seed: also log intervals, as in `Scores.interval`: `f1_low` and `f1_high`.
        safe_names: log names without "@", brackets and "=", which MLflow refuses: `safe_name` of each.
        check_labels: whether the decoded label of each row must be one of its gold answers, ignoring case, spaces,
            punctuation, truncation and what the tokenizer loses, where inputs do not tell which rows came. An evaluation is
            refused if more than 5 % of the labels differ, as those of rows in another order
            (train_sampling_strategy="group_by_length" also shuffles the evaluation) or of another data set do; fewer give a
            warning. Rows without gold answers may have any label, and labels that are all masked are ignored. False: labels
            are something else, such as numbers of choices; then only the number of rows is checked.
        n_rows: without references, the number of rows of the evaluated data set, `len(eval_dataset)`; an evaluation of
            another number is refused.

    On several processes, Seq2SeqTrainer repeats the first rows to fill the last batches. With references or n_rows, the
    rows after as many are left out if they do repeat the first; the note `repeated` counts them. Without both, such rows
    are refused: they may be repeats, or other rows with the same labels.

    Seq2SeqTrainer lets a causal model continue its whole input: the prompt, and mostly the gold answer too. Refused are
    labels that all begin with as many -100 as the outputs have places for a prompt, and outputs that all begin with the
    input, as far as labels, questions or the inputs of `include_for_metrics=["inputs"]` show it.

    Raises:
        TypeError, ValueError: before training: an unsupported metric, unknown options or measures, references that are
            not answers. When called: predictions that are not token ids, that hold the prompt, or whose number differs
            from the references; labels unknown to the tokenizer; inputs or labels of other rows.

    Attributes:
        answers: the decoded answers of the last evaluation, in the order of references.
        all_scores: its Scores by metric; `scores` are the Scores of the first metric, whose notes have
            `unknown_tokens`, and `repeated` where there are such rows.

    Example:
        >>> class Words:
        ...     pad_token_id = 0
        ...     def batch_decode(self, rows, skip_special_tokens):
        ...         return [" ".join("_ne deux trois".split()[i] for i in row if i) for row in rows]
        >>> compute_metrics = GenerativeQA(Words(), [["deux"], ["trois", "3"]])
        >>> from types import SimpleNamespace
        >>> compute_metrics(SimpleNamespace(predictions=np.array([[1, -100], [1, 2]]), label_ids=None))
        {'exact_match': 0.5, 'f1': 0.8333333333333333}
    """

    def __init__(
        self,
        tokenizer: Any,
        references: Any = None,
        *,
        inputs: Any = None,
        groups: Any = None,
        questions: Any = None,
        metrics: str | Sequence[str] | Mapping[str, Mapping[str, Any]] = "answer_match",
        measures: Sequence[str] | None = None,
        confidence: float | None = None,
        n_resamples: int = 1000,
        seed: int = 0,
        safe_names: bool = False,
        check_labels: bool = True,
        n_rows: int | None = None,
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
        self.options = metric_options(metrics, only_texts=True)
        if any(getattr(options, "top_k", None) is not None for options in self.options.values()):
            raise ValueError("GenerativeQA scores one answer per row; omit the option top_k")
        self.check_labels = bool(check_labels)
        self.n_rows = None if n_rows is None else check_whole("n_rows", n_rows)
        if references is None:
            for name, column in {"inputs": inputs, "questions": questions, "groups": groups}.items():
                if column is not None:
                    raise ValueError(f"{name} belong to the rows of references; give both, or omit {name}")
        elif n_rows is not None:
            raise ValueError("references tell the number of rows; omit n_rows")
        self._rows: ScoredRows | None = None
        if references is not None:
            self._rows = ScoredRows(read_golds(references), self.options, questions=questions, groups=groups)
        self._expected: list[bytes] | None = None  # the inputs of the rows
        if inputs is not None:
            self._expected = [self._keys_of(np.array([tokens]))[0] for tokens in to_list(inputs, "inputs")]
            if len(self._expected) != len(self._rows or ()):
                raise ValueError(
                    f"inputs has {len(self._expected):,} rows, but references has {len(self._rows or ()):,}"
                )
        self.answers: list[str] = []
        self.all_scores: dict[str, Scores] = {}
        self._remarks: set[str] = set()
        report = LoggedMeasures(measures, Intervals(confidence, "auto", n_resamples, seed), safe_names)
        blanks = (self._rows or ScoredRows([["a"]], self.options)).blanks
        report.check([blanks])
        super().__init__(report, blanks)

    def is_like(self, other: Any) -> bool:
        """Whether another hook has the same gold answers, and inputs show no difference."""
        if not isinstance(other, GenerativeQA) or self._rows is None or other._rows is None:
            return False
        has_inputs = self._expected is not None and other._expected is not None
        return self._rows.golds == other._rows.golds and not (has_inputs and self._expected != other._expected)

    def _keys_of(self, tokens: np.ndarray) -> list[bytes]:
        """The tokens of each row without padding, to compare rows by."""
        rows = tokens.reshape(len(tokens), -1).astype(np.int64)
        is_token = (rows >= 0) & (rows != self.tokenizer.pad_token_id)
        return [row[kept].tobytes() for row, kept in zip(rows, is_token, strict=True)]

    def reset(self) -> None:
        """Drop the rows gathered so far."""
        self._texts: list[str] = []
        self._unknown_tokens: list[int] = []  # of each row
        self._label_texts: list[str | None] = []  # None: all tokens are masked
        self._label_lengths: list[int] = []  # in tokens, without padding and the token at the end
        self._label_keys: list[bytes] = []
        self._input_keys: list[bytes] = []
        self._prompts_in_labels = self._prompts_in_inputs = np.zeros(5, np.int64)
        self._has_labels = self.check_labels

    def _add(self, batch: Batch) -> None:
        predictions, labels = batch.predictions, batch.labels
        if isinstance(predictions, (tuple, list)) and predictions:  # tokens are the first output of a model
            predictions = predictions[0]
        self._texts += self._decode(predictions, "predictions", len(self._texts))
        outputs = to_array(predictions, "predictions")
        if batch.inputs is not None and batch.inputs.ndim == 2:
            self._prompts_in_inputs = self._prompts_in_inputs + _signs_of_prompts(outputs, batch.inputs, self.tokenizer)
            self._input_keys += self._keys_of(batch.inputs)
        if labels is None and self._rows is None:
            raise ValueError("there are no labels to compare with; give references to GenerativeQA")
        if hasattr(labels, "shape"):
            labels = to_array(labels, "label_ids")
            self._label_keys += self._keys_of(labels)
            if labels.ndim == 2:
                self._prompts_in_labels = self._prompts_in_labels + _signs_of_prompts(outputs, labels, self.tokenizer)
        self._has_labels &= labels is not None
        if self._rows is None or (self._has_labels and self._expected is None):
            self._add_labels(labels)

    def _add_labels(self, labels: Any) -> None:
        if self._rows is not None and not (getattr(labels, "ndim", 0) == 2 and labels.dtype.kind in "iu"):
            raise TypeError(
                f"label_ids are not token ids, got {describe(labels)}, so they do not tell whether the rows of Trainer are "
                "the rows of references; give GenerativeQA check_labels=False to score without this check"
            )
        texts = self._decode(labels, "label_ids", len(self._label_texts))
        ends = ("pad_token_id", "eos_token_id", "bos_token_id")
        others = [getattr(self.tokenizer, name, None) for name in ends]
        is_token = (labels >= 0) & ~np.isin(labels, [token for token in others if token is not None])
        self._label_lengths += is_token.sum(axis=1).tolist()
        self._label_texts += [
            None if masked else text for text, masked in zip(texts, (labels < 0).all(axis=1), strict=True)
        ]

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

    def _score(self) -> list[Scores]:
        self._refuse_prompts()
        rows = self._rows
        if rows is None:
            order = list(range(self._rows_without_references()))
            rows = ScoredRows([[text or ""] for text in self._label_texts[: len(order)]], self.options)
        else:
            order = self._order_by_labels(rows) if self._expected is None else self._order_by_inputs(self._expected)
        texts = [self._texts[row] for row in order]
        if (
            self.check_labels
            and rows.questions
            and all(_holds(text, question) for text, question in zip(texts, rows.questions, strict=True))
        ):
            raise ValueError(
                f"every output holds its question, such as {shown(texts[0])} of row 0: {_CAUSAL}. check_labels=False scores "
                "answers that restate their question"
            )
        first, *others = rows.score(texts)
        repeated = len(self._texts) - len(texts)
        notes = {**first.notes, "unknown_tokens": sum(self._unknown_tokens[row] for row in order)}
        first = dataclasses.replace(first, notes=notes | ({"repeated": repeated} if repeated else {}))
        self.answers, self.all_scores = texts, dict(zip(self.options, [first, *others], strict=True))
        return [first, *others]

    def _rows_without_references(self) -> int:
        """The number of rows that count, whose labels are the gold answers."""
        n = len(self._texts)
        border = 0 if self.n_rows or processes() == 1 else _longest_border(self._keys)
        if border:
            raise ValueError(
                f"the labels of rows {n - border} to {n - 1} are those of the first rows, and may be repeats, with which "
                "Seq2SeqTrainer fills the last batches on several processes; give GenerativeQA "
                "n_rows=len(eval_dataset), or references"
            )
        return rows_to_score(n, self.n_rows, self._repeat_first)

    def _order_by_labels(self, rows: ScoredRows) -> list[int]:
        """The row of Trainer of each row of references: the same, if number and labels allow it."""
        n = len(self._texts)
        if len(rows) != n and not self._repeat_first(len(rows)):
            raise ValueError(f"there are {n:,} predictions, but {len(rows):,} references: {other_number(n, len(rows))}")
        if self._has_labels and any(text is not None for text in self._label_texts):
            if len(self._label_texts) != n:
                raise ValueError(f"there are {n:,} predictions, but {len(self._label_texts):,} rows of labels")
            differing = self._differing(rows.golds)
            if differing:
                row = differing[0]
                text = self._label_texts[row]
                problem = (
                    f"references[{row}] has the gold answers {shown(rows.golds[row])}, but the label of Trainer's row {row} is "
                    f"{'masked as a whole' if text is None else shown(text)} ({len(differing):,} of {len(rows):,} rows differ)"
                )
                if len(differing) > _MOST_DIFFERING * sum(map(bool, rows.golds)):
                    raise ValueError(
                        f"{problem}: these rows do not belong together. {OTHER_DATA_SET}; or it gave its rows in another "
                        "order (train_sampling_strategy='group_by_length' shuffles the evaluation too: omit it, or give "
                        f'GenerativeQA inputs=eval_dataset["input_ids"] and the arguments of Trainer {INPUTS}, which tell '
                        "which rows came); or the labels are not meant to be gold answers (give GenerativeQA "
                        "check_labels=False). The argument eval_on_start=True shows this at once"
                    )
                if problem not in self._remarks:  # once
                    self._remarks.add(problem)
                    remark(f"{problem}; the other labels are gold answers of their rows, so all are scored")
        return list(range(len(rows)))

    def _order_by_inputs(self, expected: list[bytes]) -> list[int]:
        """The row of Trainer that has the input of each row of references."""
        n = len(self._texts)
        if len(self._input_keys) != n:
            raise ValueError(
                f"GenerativeQA has inputs, but Trainer passes {len(self._input_keys):,} of {n:,}: add {INPUTS} to its "
                "arguments, or omit inputs"
            )
        rows_of: dict[bytes, list[int]] = {key: [] for key in expected}
        for row, key in enumerate(self._input_keys):
            if key not in rows_of:
                raise ValueError(f"row {row} of Trainer has an input that is not among inputs: {OTHER_DATA_SET}")
            rows_of[key].append(row)
        order = [rows_of[key].pop(0) if rows_of[key] else -1 for key in expected]
        problem = ""
        if -1 in order:
            problem = f"row {order.index(-1)} of inputs did not come ({order.count(-1):,} of {len(order):,})"
        elif len(order) < n and processes() == 1:
            problem = f"Trainer has {n:,} rows, but inputs {len(order):,}"
        if problem:
            raise ValueError(f"{problem}: {other_number(n, len(order))}")
        return order

    @property
    def _keys(self) -> list[Any]:
        """What shows whether rows are the same: the inputs if they came, else the labels, else the answers."""
        for keys in (self._input_keys, self._label_keys):
            if len(keys) == len(self._texts) and any(keys):
                return keys
        return self._texts

    def _repeat_first(self, m: int) -> bool:
        """Whether the rows from m on repeat the first ones in turn, which Seq2SeqTrainer adds on several processes."""
        rows = self._keys
        if not 0 < m < len(rows) or rows[m:] != rows[:-m]:
            return False
        return processes() > 1 or (rows is not self._texts and self._has_labels and len(set(rows)) > 1)

    def _refuse_prompts(self) -> None:
        """Refuse the outputs of a causal model that hold its input."""
        rows, _, _, held, longer = self._prompts_in_inputs.tolist()
        if rows and held == rows and longer:
            raise ValueError(f"every output begins with the input: {_CAUSAL}")
        labelled, masked, fitting, held, longer = self._prompts_in_labels.tolist()
        row = next((row for row, tokens in enumerate(self._label_keys) if tokens), 0)
        if labelled and held == labelled and (masked == labelled or (longer and self.check_labels)):
            raise ValueError(
                f"every output begins with the input, gold answer included, such as {shown(self._texts[row])} of row {row}: "
                f"{_CAUSAL}{'' if masked else '. check_labels=False scores outputs that have no prompt'}"
            )
        if labelled and fitting == labelled and self.check_labels:
            raise ValueError(
                f"all labels begin with -100, as those of a causal model, which mask its prompt: {_CAUSAL}. If the outputs "
                "have no prompt, omit the -100 at the beginning of the labels, or give GenerativeQA check_labels=False"
            )

    def _differing(self, golds_of_rows: list[list[str]]) -> list[int]:
        """The rows whose label is none of their gold answers, tokenized and truncated as the labels are."""
        longest = max(self._label_lengths)
        rows = zip(self._label_texts, self._label_lengths, golds_of_rows, strict=False)
        differing, texts, cuts = [], [], []
        for row, (text, length, golds) in enumerate(rows):
            is_empty = text is None and any(not gold.strip() for gold in golds)  # there is no token to mask
            if not golds or is_empty or text in golds or (text is not None and _form(text) in map(_form, golds)):
                continue
            differing.append(row)
            texts += golds
            cuts += [length if length == longest else None] * len(golds)
        forms = iter(self._truncated(texts, cuts))
        gold_forms = {row: {next(forms) for _ in golds_of_rows[row]} for row in differing}
        labels = {row: self._label_texts[row] for row in differing}
        return [row for row, text in labels.items() if text is None or _form(text) not in gold_forms[row]]

    def _truncated(self, texts: list[str], cuts: list[int | None]) -> list[str]:
        """The forms of texts after encoding, truncation to so many tokens (None: all) and decoding by the tokenizer."""
        if not texts or not callable(self.tokenizer):
            return list(map(_form, texts))
        ids = self.tokenizer(text_target=texts, add_special_tokens=False)["input_ids"]
        kept = [row[:cut] for row, cut in zip(ids, cuts, strict=True)]
        return list(map(_form, self.tokenizer.batch_decode(kept, skip_special_tokens=True)))


def _form(text: str) -> str:
    """A text without what tokenizers change: case, spaces, punctuation, marks; its signs alone where there is nothing else."""
    text = unicodedata.normalize("NFKC", text).casefold()
    return "".join(filter(str.isalnum, text)) or "".join(text.split())


def _holds(text: str, question: str) -> bool:
    """Whether a text holds a question that has a word."""
    form = _form(question)
    return form != "" and form in _form(text)


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
    written, positions = (outputs >= 0) & ~np.isin(outputs, list(special)), np.arange(outputs.shape[1])
    begin = np.argmax(is_token, axis=1)[:, None]
    masked = some & (given[:, 0] == -100) & (written & (positions < begin)).any(axis=1)
    fitting = masked & (written & (positions == begin - 1)).any(axis=1) & (given[:, -1] == -100).any()
    end = given.shape[1] - np.argmax(is_token[:, ::-1], axis=1)
    longer = held & (written & (positions >= end[:, None])).any(axis=1)
    return np.array([part.sum() for part in (some, masked, fitting, held, longer)])


def _longest_border(rows: Sequence[Any]) -> int:
    """The most rows at the end that repeat the first ones in turn, by the prefix function of Knuth, Morris and Pratt."""
    borders = [0]
    for row in rows[1:]:
        size = borders[-1]
        while size and rows[size] != row:
            size = borders[size - 1]
        borders.append(size + (rows[size] == row))
    return borders[-1]
