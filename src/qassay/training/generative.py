"""Generative question answering: turns generated tokens into answers and scores them."""

import dataclasses
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ..core.columns import to_list
from ..core.interval_settings import Intervals
from ..core.remarks import remark
from ..core.scores import Scores
from ..core.shown import describe, shown
from .hook import (
    INPUTS,
    Batch,
    LoggedMeasures,
    TrainerMetrics,
    check_n_rows,
    other_data_set,
    other_number,
    processes,
    rows_to_score,
    to_array,
)
from .scored_rows import ScoredRows, metric_options, read_golds

_MOST_DIFFERING = 0.05  # share of the labels that may be none of the gold answers of their rows
_BOTH = 'by name, GenerativeQA(tokenizer, {"dev": dev_references, "test": test_references})'
_CAUSAL = (
    "Seq2SeqTrainer lets a causal model continue its whole input. qassay.training.score_generations(trainer, rows, prompt=..., "
    "references=...) generates from the prompt alone, and scores what follows it"
)
_GIVE_INPUTS = f'give GenerativeQA inputs=eval_dataset["input_ids"] and the arguments of Trainer {INPUTS}, which tell which rows came'


class GenerativeQA(TrainerMetrics):
    """`compute_metrics` for generated answers: `Seq2SeqTrainer` with `predict_with_generate=True`.

    Args:
        tokenizer: the tokenizer of the model, or a processor that has one; decodes without special tokens. Ids below 0
            are padding (-100 pads batches). Generated ids unknown to the tokenizer also count as padding, because models
            with padded embeddings, such as T5, may generate them; the notes of the scores count them as `unknown_tokens`.
        references: gold answers for each row of the evaluated data set, in order: strings, lists of
            strings ("" or []: the question has no answer) or rows of SQuAD's column answers. For several data sets a dict name
            -> such gold answers, as lists of strings or rows: `Trainer(eval_dataset={"a": ..., "b": ...})` does not say
            which one it evaluates; its rows tell. None: the decoded labels, one gold answer each.
        inputs: the column `input_ids` of the evaluated data set, in the order of references; for several data sets a dict
            name -> column. With `include_for_metrics=["inputs"]` in the arguments of Trainer they tell which rows came, so
            answers are scored in the order of references, however Trainer orders its rows.
        groups: which rows of references belong together, such as the article of each, so that intervals draw whole
            groups: one label per row; for several data sets a dict name -> labels.
        questions: the text of each question, in the order of references, for metrics that read questions
            (answer_equivalence); for several data sets a dict name -> texts.
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
            from the references; labels unknown to the tokenizer; inputs or labels of other rows.

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
        self.options = metric_options(metrics, only_texts=True)
        if any(getattr(options, "top_k", None) is not None for options in self.options.values()):
            raise ValueError("GenerativeQA scores one answer per row; omit the option top_k")
        self.check_labels, self.n_rows = bool(check_labels), check_n_rows(n_rows)
        golds = {} if references is None else _golds_by_set(references)
        if self.n_rows and golds:
            raise ValueError("references tell the number of rows; omit n_rows")
        columns = {"inputs": inputs, "questions": questions, "groups": groups}
        by_set = {name: _by_set(name, column, golds) for name, column in columns.items()}
        self._sets: dict[str | None, ScoredRows] = {}
        self._inputs: dict[str | None, list[bytes]] = {}
        for name, rows in golds.items():
            with_set = {column: by_set[column].get(name) for column in ("questions", "groups")}
            self._sets[name] = ScoredRows(rows, self.options, **with_set)
            if inputs is not None:
                self._inputs[name] = [self._key(row) for row in to_list(by_set["inputs"][name], "inputs")]
                if len(self._inputs[name]) != len(rows):
                    raise ValueError(f"inputs has {len(self._inputs[name]):,} rows, but references has {len(rows):,}")
        self.answers: list[str] = []
        self.all_scores: dict[str, Scores] = {}
        self._remarks: set[str] = set()
        report = LoggedMeasures(measures, Intervals(confidence, "auto", n_resamples, seed), safe_names)
        blanks = [rows.blanks for rows in self._sets.values()]
        blanks = blanks or [ScoredRows([["a"]], self.options, questions=questions).blanks]
        report.check(blanks)
        super().__init__(report, blanks)

    def _key(self, tokens: Any) -> bytes:
        """The tokens of a row without padding, to compare rows by."""
        tokens = np.asarray(tokens, np.int64)
        return bytes(tokens[(tokens >= 0) & (tokens != self.tokenizer.pad_token_id)].tobytes())

    def _reset(self) -> None:
        self._texts: list[str] = []
        self._unknown_tokens: list[int] = []  # of each row
        self._label_texts: list[str | None] = []  # None: all tokens are masked
        self._label_tokens: list[list[int]] = []
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
            self._input_keys += map(self._key, batch.inputs)
        if labels is None and not self._sets:
            raise ValueError("there are no labels to compare with; give references to GenerativeQA")
        if hasattr(labels, "shape"):
            labels = to_array(labels, "label_ids")
            self._label_keys += map(self._key, labels.reshape(len(labels), -1))
            if labels.ndim == 2:
                self._prompts_in_labels = self._prompts_in_labels + _signs_of_prompts(outputs, labels, self.tokenizer)
        self._has_labels &= labels is not None
        if not self._sets or (self._has_labels and not self._inputs):
            self._add_labels(labels)

    def _add_labels(self, labels: Any) -> None:
        if self._sets and not (getattr(labels, "ndim", 0) == 2 and labels.dtype.kind in "iu"):
            raise TypeError(
                f"label_ids are not token ids, got {describe(labels)}, so they do not tell whether the rows of Trainer are "
                "the rows of references; give GenerativeQA check_labels=False to score without this check"
            )
        texts = self._decode(labels, "label_ids", len(self._label_texts))
        ends = ("pad_token_id", "eos_token_id", "bos_token_id")
        others = [getattr(self.tokenizer, name, None) for name in ends]
        is_token = (labels >= 0) & ~np.isin(labels, [token for token in others if token is not None])
        self._label_tokens += [row[kept].tolist() for row, kept in zip(labels, is_token, strict=True)]
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

    def _score(self) -> tuple[str | None, list[Scores]]:
        self._refuse_prompts()
        if not self._sets:
            n = self._rows_without_references()
            data_set, order = None, list(range(n))
            rows = ScoredRows([[text or ""] for text in self._label_texts[:n]], self.options)
        else:
            data_set, order = self._matched()
            rows = self._sets[data_set]
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
        return data_set, [first, *others]

    def _rows_without_references(self) -> int:
        """The number of rows that count, whose labels are the gold answers."""
        n, rows = len(self._texts), self._keys
        if self.n_rows:
            return rows_to_score(n, self.n_rows, filter(self._repeat_first, self.n_rows))
        border = 0 if processes() == 1 else _longest_border(rows)
        if border:
            raise ValueError(
                f"the labels of rows {n - border} to {n - 1} are those of the first rows, and may be repeats, with which "
                "Seq2SeqTrainer fills the last batches on several processes; give GenerativeQA "
                "n_rows=len(eval_dataset), or references"
            )
        return n

    def _matched(self) -> tuple[str | None, list[int]]:
        """The data set that was evaluated (None: the only one), and the row of Trainer of each of its rows."""
        if self._inputs:
            return self._matched_by_inputs()
        n = len(self._texts)
        fitting = [name for name, rows in self._sets.items() if len(rows) == n]
        if not fitting or processes() > 1:
            fitting += [name for name, rows in self._sets.items() if self._repeat_first(len(rows))]
        if not fitting:
            sizes = {name: len(rows) for name, rows in self._sets.items()}
            listed = ", ".join(
                f"{size:,} references" + (f" of {name!r}" if name else "") for name, size in sizes.items()
            )
            raise ValueError(f"there are {n:,} predictions, but {listed}: {other_number(n, [*sizes.values()], _BOTH)}")
        if self._has_labels and any(text is not None for text in self._label_texts):
            if len(self._label_texts) != n:
                raise ValueError(f"there are {n:,} predictions, but {len(self._label_texts):,} rows of labels")
            differing = {name: self._differing(name) for name in fitting}
            shares = {
                name: len(rows) / max(1, sum(map(bool, self._sets[name].golds))) for name, rows in differing.items()
            }
            best = min(shares, key=lambda name: shares[name])
            if differing[best]:
                told = self._other_labels(best, differing[best])
                if shares[best] > _MOST_DIFFERING:
                    raise ValueError(
                        f"{told}: these rows do not belong together. {other_data_set(_BOTH)}; or it gave its rows in another "
                        "order (train_sampling_strategy='group_by_length' shuffles the evaluation too: omit it, or "
                        f"{_GIVE_INPUTS}); or the labels are not meant to be gold answers (give GenerativeQA "
                        "check_labels=False). The argument eval_on_start=True shows this at once"
                    )
                self._remark_once(f"{told}; the other labels are gold answers of their rows, so all are scored")
            fitting = [name for name in fitting if shares[name] <= _MOST_DIFFERING]
        name = _only(fitting, n)
        return name, list(range(len(self._sets[name])))

    def _matched_by_inputs(self) -> tuple[str | None, list[int]]:
        if len(self._input_keys) != len(self._texts):
            raise ValueError(
                f"GenerativeQA has inputs, but Trainer passes {len(self._input_keys):,} of {len(self._texts):,}: "
                f"add {INPUTS} to its arguments, or omit inputs"
            )
        orders: dict[str | None, list[int]] = {}
        problems = []
        for name, keys in self._inputs.items():
            rows_of: dict[bytes, list[int]] = defaultdict(list)
            for row, key in enumerate(self._input_keys):
                rows_of[key].append(row)
            where = "inputs" if name is None else f"inputs[{name!r}]"
            known = set(keys)
            unknown = next((rows[0] for key, rows in rows_of.items() if key not in known), None)
            order = [rows_of[key].pop(0) if rows_of[key] else -1 for key in keys]
            if unknown is not None:
                problems.append(f"row {unknown} of Trainer has an input that is not among {where}")
            elif -1 in order:
                problems.append(f"row {order.index(-1)} of {where} did not come ({order.count(-1):,} of {len(keys):,})")
            elif len(order) < len(self._texts) and processes() == 1:
                problems.append(f"Trainer has {len(self._texts):,} rows, but {where} {len(keys):,}")
            else:
                orders[name] = order
        if not orders:
            cause = other_number(len(self._texts), [*map(len, self._inputs.values())], _BOTH)
            raise ValueError(f"{'; '.join(problems)}: {cause}")
        name = _only(orders, len(self._texts))
        return name, orders[name]

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

    def _differing(self, name: str | None) -> list[int]:
        """The rows whose label is none of their gold answers, tokenized and truncated as the labels are."""
        longest = max(map(len, self._label_tokens))
        pairs = zip(self._label_texts, self._label_tokens, self._sets[name].golds, strict=False)
        rows, cut_golds, cuts = [], [], []
        for row, (text, tokens, golds) in enumerate(pairs):
            is_empty = text is None and any(not gold.strip() for gold in golds)  # there is no token to mask
            if golds and not is_empty and (text is None or _form(text) not in map(_form, golds)):
                rows.append((row, len(golds)))
                cut_golds += golds
                cuts += [len(tokens) if len(tokens) == longest else None] * len(golds)
        forms = iter(self._truncated(cut_golds, cuts))
        matches = {row: {next(forms) for _ in range(n)} for row, n in rows}
        labels = self._label_texts
        return [row for row, found in matches.items() if labels[row] is None or _form(labels[row] or "") not in found]

    def _truncated(self, texts: list[str], cuts: list[int | None]) -> list[str]:
        """The forms of texts after encoding, truncation to so many tokens (None: all) and decoding by the tokenizer."""
        if not texts or not callable(self.tokenizer):
            return list(map(_form, texts))
        ids = self.tokenizer(text_target=texts, add_special_tokens=False)["input_ids"]
        kept = [row[:cut] for row, cut in zip(ids, cuts, strict=True)]
        return list(map(_form, self.tokenizer.batch_decode(kept, skip_special_tokens=True)))

    def _other_labels(self, name: str | None, rows: list[int]) -> str:
        """The beginning of a message on labels that are none of the gold answers of their rows."""
        where, row = "references" if name is None else f"references[{name!r}]", rows[0]
        text, golds = self._label_texts[row], self._sets[name].golds
        label = "masked as a whole" if text is None else shown(text)
        return (
            f"{where}[{row}] has the gold answers {shown(golds[row])}, but the label of Trainer's row {row} is "
            f"{label} ({len(rows):,} of {len(golds):,} rows differ)"
        )

    def _remark_once(self, text: str) -> None:
        if text not in self._remarks:
            self._remarks.add(text)
            remark(text)


def _golds_by_set(references: Any) -> dict[str | None, list[list[str]]]:
    """The gold answers of one data set, under None, or of several, by name."""
    if not isinstance(references, Mapping) or not references or any(map(_is_row, references.values())):
        return {None: read_golds(references)}
    golds: dict[str | None, list[list[str]]] = {}
    for name, rows in references.items():
        try:
            golds[name] = read_golds(rows)
        except (TypeError, ValueError) as error:
            raise type(error)(f"data set {name!r}: {error}") from None
        same = next((other for other in golds if other != name and golds[other] == golds[name]), None)
        if same is not None:
            raise ValueError(
                f"the data sets {same!r} and {name!r} have the same gold answers, so that nothing shows which one Trainer "
                f"evaluates; give them once, for example as {f'{same}, {name}'!r}"
            )
    return golds


def _is_row(value: Any) -> bool:
    """Whether a value is the gold answers of one row, not of a data set."""
    is_texts = isinstance(value, (list, tuple)) and all(isinstance(text, str) for text in value)
    return isinstance(value, (str, Mapping)) or is_texts


def _by_set(argument: str, given: Any, sets: Mapping[str | None, Any]) -> Mapping[str | None, Any]:
    """A column for the rows of references, by data set; {} for none."""
    if given is None:
        return {}
    if not sets:
        raise ValueError(f"{argument} belong to the rows of references; give both, or omit {argument}")
    if None in sets:
        return {None: given}
    if not isinstance(given, Mapping) or given.keys() != sets.keys():
        raise ValueError(
            f"{argument} of several data sets are a dict by name, with the names {', '.join(map(str, sets))}; "
            f"got {describe(given)}"
        )
    return given


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


def _only(names: Iterable[str | None], n: int) -> str | None:
    """The only one of some data sets."""
    first, *others = names
    if others:
        raise ValueError(
            f"the data sets {first!r} and {others[0]!r} both fit {n:,} rows, so nothing shows which of them Trainer "
            f"evaluated; {_GIVE_INPUTS}, or evaluate each with a separate Trainer and GenerativeQA"
        )
    return first
