"""Generative question answering: turns generated tokens into answers and scores them."""

import dataclasses
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.columns import to_list
from ..core.options import check_whole
from ..core.remarks import remark
from ..core.scores import Scores
from ..core.shown import describe, shown
from .hook import INPUTS, OTHER_DATA_SET, Batch, LoggedMeasures, TrainerMetrics, other_number, processes, to_array
from .scored_rows import ScoredRows, metric_options, read_golds

_MOST_DIFFERING = 0.05  # share of labels that may differ from the gold answers of their rows
_CAUSAL = (
    "Seq2SeqTrainer lets a causal model continue its whole input. qassay.training.score_generations(trainer, rows, prompt=..., "
    "references=...) generates from the prompt alone, and scores what follows it"
)


class _Row(NamedTuple):
    """What Trainer passes for a row."""

    text: str
    unknown: int  # tokens of the text that the tokenizer does not know
    in_input: str  # a sign of `_repeats`, also of the next
    in_label: str = ""
    input: bytes | None = None  # tokens as a key to compare rows
    label: bytes | None = None  # the same
    label_text: str | None = None  # None: all tokens are masked, or labels are not needed
    label_length: int = 0  # tokens without padding and end token


class GenerativeQA(TrainerMetrics):
    """`compute_metrics` for generated answers: `Seq2SeqTrainer` with `predict_with_generate=True`.

    Args:
        tokenizer: the tokenizer of the model, or a processor that has one; decodes without special tokens. Negative ids
            are padding (batches are padded with -100). Generated ids that the tokenizer does not know also count as
            padding, because models with padded embeddings, such as T5, may generate them; the notes of the scores
            count them as `unknown_tokens`.
        references: gold answers for each row of the evaluated data set, in order: strings, lists of strings ("" or []:
            no answer) or rows of SQuAD's column answers. None: the decoded labels, one gold answer each.
        inputs: the column `input_ids` of the evaluated data set, in the order of references. With
            `include_for_metrics=["inputs"]` in the arguments of Trainer, answers are then matched to references by
            their inputs, in any order of the rows.
        groups: the group of each row of references, such as its article; intervals then draw whole groups.
        questions: the question of each row of references, for metrics that read questions (answer_equivalence).
        metrics: "answer_match", "semantic_answer_similarity", "answer_equivalence", several of these, or a dict metric ->
            options, such as {"answer_match": {"normalizer": "french"}, "semantic_answer_similarity": {"model": "lite"}}.
            A measure that an earlier metric also has is named `<metric>_<measure>`.
        measures: the measures to log; None: the headline measures of each metric.
        confidence: also log intervals, as of `Scores.interval`: `f1_low` and `f1_high`.
        safe_names: log names without "@", brackets and "=", which MLflow refuses.
        check_labels: check that the decoded label of each row is one of its gold answers, except for case, spaces,
            punctuation, truncation and characters that the tokenizer loses; not needed with inputs. An evaluation with
            more than 5 % differing labels is refused: its rows are in another order
            (train_sampling_strategy="group_by_length" also shuffles the evaluation) or of another data set. Fewer give
            a warning. Rows without gold answers may have any label; labels that are all masked are ignored. False: for
            labels that are not gold answers, such as numbers of choices; only the number of rows is checked.
        n_rows: without references, the number of rows of the evaluated data set, `len(eval_dataset)`; another number is
            refused. Required with several processes.

    With several processes, Seq2SeqTrainer repeats the first rows to fill the last batches. Rows after those of references
    or n_rows are omitted if they repeat the first rows; the note `repeated` counts them.

    Seq2SeqTrainer lets a causal model continue its whole input, the prompt and the gold answer. Such outputs are refused if
    labels or the inputs of `include_for_metrics=["inputs"]` show it.

    Raises:
        TypeError, ValueError: before training: an unsupported metric, unknown options or measures, references that are
            not answers. When called: predictions that are not token ids, that contain the prompt, or whose number differs
            from the references; labels unknown to the tokenizer; inputs or labels of other rows.

    Attributes:
        answers: the decoded answers of the last evaluation, in the order of references.
        all_scores: its Scores by metric; `scores` are the Scores of the first metric, with the notes `unknown_tokens` and
            `repeated`.

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
            raise ValueError("references determine the number of rows; omit n_rows")
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
        report = LoggedMeasures(measures, confidence, safe_names)
        blanks = (self._rows or ScoredRows([["a"]], self.options)).blanks
        report.check([blanks])
        super().__init__(report, blanks)

    @property
    def _checks_labels(self) -> bool:
        return self.check_labels and self._expected is None

    def _keys_of(self, tokens: np.ndarray) -> list[bytes]:
        """The tokens of each row without padding, as a key."""
        rows = tokens.reshape(len(tokens), -1).astype(np.int64)
        is_token = (rows >= 0) & (rows != self.tokenizer.pad_token_id)
        return [row[kept].tobytes() for row, kept in zip(rows, is_token, strict=True)]

    def _read(self, batch: Batch) -> list[_Row]:
        outputs, unknown = self._tokens(batch.output, "predictions")
        raw, n, labels = to_array(batch.output, "predictions"), len(outputs), batch.labels
        if labels is None and self._rows is None:
            raise ValueError("there are no labels to compare with; give references to GenerativeQA")
        columns: dict[str, Sequence[Any]] = {
            "text": self._decode(outputs),
            "unknown": unknown.sum(axis=1).tolist(),
            "in_input": _repeats(raw, batch.inputs, self.tokenizer),
        }
        if batch.inputs is not None and batch.inputs.ndim == 2:
            columns["input"] = self._keys_of(batch.inputs)
        if hasattr(labels, "shape"):
            labels = to_array(labels, "label_ids")
            if len(labels) != n:
                raise ValueError(f"there are {n:,} predictions, but {len(labels):,} rows of labels")
            columns["label"] = self._keys_of(labels)
            if self.check_labels:
                columns["in_label"] = _repeats(raw, labels, self.tokenizer)
        if self._rows is None or (labels is not None and self._checks_labels):
            columns["label_text"], columns["label_length"] = self._read_labels(labels)
        return [_Row(**dict(zip(columns, row, strict=True))) for row in zip(*columns.values(), strict=True)]

    def _read_labels(self, labels: Any) -> tuple[list[str | None], list[int]]:
        """The text of each label, None if all is masked, and its length in tokens."""
        if self._rows is not None and not (getattr(labels, "ndim", 0) == 2 and labels.dtype.kind in "iu"):
            raise TypeError(
                f"label_ids are not token ids, got {describe(labels)}, so they do not show whether the rows of Trainer are "
                "the rows of references; give GenerativeQA check_labels=False to score without this check"
            )
        tokens, unknown = self._tokens(labels, "label_ids")
        if unknown.any():  # from another tokenizer
            row = int(np.argmax(unknown.any(axis=1)))
            raise ValueError(
                f"label_ids[{self._n + row}] has the token {labels[row].max()}, but the tokenizer has "
                f"{len(self.tokenizer)}; give the tokenizer of the model"
            )
        ends = [getattr(self.tokenizer, name, None) for name in ("pad_token_id", "eos_token_id", "bos_token_id")]
        is_token = (labels >= 0) & ~np.isin(labels, [token for token in ends if token is not None])
        pairs = zip(self._decode(tokens), (labels < 0).all(axis=1).tolist(), strict=True)
        return [None if masked else text for text, masked in pairs], is_token.sum(axis=1).tolist()

    def _tokens(self, ids: Any, name: str) -> tuple[np.ndarray, np.ndarray]:
        """Token ids with padding for negative and unknown ones, and which are unknown to the tokenizer."""
        ids = to_array(ids, name)
        if ids.ndim != 2 or ids.dtype.kind not in "iu":
            raise TypeError(
                f"{name} must be token ids of shape (rows, length), got {ids.dtype} of shape {ids.shape}: evaluate with "
                "predict_with_generate=True of Seq2SeqTrainer, or a causal model with qassay.training.score_generations, since "
                "the argmax of logits depends on the gold tokens before it (teacher forcing)"
            )
        unknown = ids >= (len(self.tokenizer) if hasattr(self.tokenizer, "__len__") else np.inf)
        return np.where((ids < 0) | unknown, self.tokenizer.pad_token_id, ids), unknown

    def _decode(self, ids: np.ndarray) -> list[str]:
        return [text.strip() for text in self.tokenizer.batch_decode(ids.tolist(), skip_special_tokens=True)]

    def _score(self, parts: list[list[_Row]]) -> list[Scores]:
        every = [row for part in parts for row in part]
        self._refuse_prompts(every)
        order = self._order_by_inputs(every) if self._expected is not None else range(self._rows_to_score(every))
        received = [every[row] for row in order]
        rows = self._rows
        if rows is None:
            rows = ScoredRows([[row.label_text or ""] for row in received], self.options)
        elif self._checks_labels and all(row.label is not None for row in every):
            self._check_labels(received, rows.golds)
        texts = [row.text for row in received]
        first, *others = rows.score(texts)
        repeated = len(every) - len(texts)
        notes = {**first.notes, "unknown_tokens": sum(row.unknown for row in received)}
        first = dataclasses.replace(first, notes=notes | ({"repeated": repeated} if repeated else {}))
        self.answers, self.all_scores = texts, dict(zip(self.options, [first, *others], strict=True))
        return [first, *others]

    def _rows_to_score(self, every: Sequence[_Row]) -> int:
        """The number of rows without those that Seq2SeqTrainer repeats on several processes."""
        n, size = len(every), self.n_rows if self._rows is None else len(self._rows)
        if size is None and processes() > 1:
            raise ValueError(
                "Seq2SeqTrainer repeats the first rows on several processes, and labels alone do not show which; give "
                "GenerativeQA n_rows=len(eval_dataset), or references"
            )
        if size is None or size == n or (processes() > 1 and size < n and _repeat_first(every, size)):
            return n if size is None else size
        what = f"rows, but n_rows={size:,}" if self._rows is None else f"predictions, but {size:,} references"
        raise ValueError(f"there are {n:,} {what}: {other_number(n, size)}")

    def _order_by_inputs(self, every: Sequence[_Row]) -> list[int]:
        """The row of Trainer that has the input of each row of references."""
        expected: Any = self._expected
        n, n_inputs = len(every), sum(row.input is not None for row in every)
        if n_inputs != n:
            raise ValueError(
                f"GenerativeQA has inputs, but Trainer passes {n_inputs:,} of {n:,}: add {INPUTS} to its arguments, or omit "
                "inputs"
            )
        rows_of: dict[bytes | None, list[int]] = {key: [] for key in expected}
        for row, received in enumerate(every):
            if received.input not in rows_of:
                raise ValueError(f"row {row} of Trainer has an input that is not among inputs: {OTHER_DATA_SET}")
            rows_of[received.input].append(row)
        order = [rows_of[key].pop(0) if rows_of[key] else -1 for key in expected]
        problem = ""
        if -1 in order:
            problem = f"row {order.index(-1)} of inputs did not come ({order.count(-1):,} of {len(order):,})"
        elif len(order) < n and processes() == 1:
            problem = f"Trainer has {n:,} rows, but inputs {len(order):,}"
        if problem:
            raise ValueError(f"{problem}: {other_number(n, len(order))}")
        return order

    def _check_labels(self, received: Sequence[_Row], golds: list[list[str]]) -> None:
        """Refuse labels if more than 5 % are not gold answers of their rows; fewer give a warning."""
        if all(row.label_text is None for row in received):
            return
        differing = self._differing(received, golds)
        if not differing:
            return
        row = differing[0]
        text = received[row].label_text
        problem = (
            f"references[{row}] has the gold answers {shown(golds[row])}, but the label of Trainer's row {row} is "
            f"{'masked as a whole' if text is None else shown(text)} ({len(differing):,} of {len(golds):,} rows differ)"
        )
        if len(differing) > _MOST_DIFFERING * sum(map(bool, golds)):
            raise ValueError(
                f"{problem}: these rows do not belong together. {OTHER_DATA_SET}; or its rows are in another order "
                "(train_sampling_strategy='group_by_length' shuffles the evaluation too: omit it, or give "
                f'GenerativeQA inputs=eval_dataset["input_ids"] and the arguments of Trainer {INPUTS}); or the labels '
                "are not gold answers (give GenerativeQA check_labels=False). The argument eval_on_start=True shows this "
                "at once"
            )
        if problem not in self._remarks:  # once
            self._remarks.add(problem)
            remark(f"{problem}; the other labels are gold answers of their rows, so all are scored")

    def _differing(self, received: Sequence[_Row], golds_of_rows: list[list[str]]) -> list[int]:
        """The rows whose label is none of their gold answers, tokenized and truncated as the labels are."""
        longest = max(row.label_length for row in received)
        differing, texts, cuts = [], [], []
        for index, (row, golds) in enumerate(zip(received, golds_of_rows, strict=True)):
            text = row.label_text
            is_empty = text is None and any(not gold.strip() for gold in golds)  # there is no token to mask
            if not golds or is_empty or text in golds or (text is not None and _form(text) in map(_form, golds)):
                continue
            differing.append(index)
            texts += golds
            cuts += [row.label_length if row.label_length == longest else None] * len(golds)
        if texts and callable(self.tokenizer):
            ids = self.tokenizer(text_target=texts, add_special_tokens=False)["input_ids"]
            kept = [row[:cut] for row, cut in zip(ids, cuts, strict=True)]
            texts = self.tokenizer.batch_decode(kept, skip_special_tokens=True)
        forms = map(_form, texts)
        gold_forms = {row: {next(forms) for _ in golds_of_rows[row]} for row in differing}
        labels = {row: received[row].label_text for row in differing}
        return [row for row, text in labels.items() if text is None or _form(text) not in gold_forms[row]]

    def _refuse_prompts(self, every: Sequence[_Row]) -> None:
        """Refuse outputs of a causal model that contain its input."""
        for what, remedy, signs in (
            ("", "", [row.in_input for row in every]),
            (
                ", gold answer included",
                ". check_labels=False scores outputs that have no prompt",
                [row.in_label for row in every],
            ),
        ):
            given = set(signs) - {""}
            if "more" in given and given <= {"equal", "more"}:
                row = signs.index("more")
                raise ValueError(
                    f"every output begins with the input{what}, such as {shown(every[row].text)} of row {row}: "
                    f"{_CAUSAL}{remedy}"
                )


def _repeat_first(rows: Sequence[_Row], m: int) -> bool:
    """Whether the rows from m on repeat the first ones, by their inputs, without these labels, without these answers."""
    keys: list[Any] = [row.text if row.label is None else row.label for row in rows]
    if all(row.input is not None for row in rows):
        keys = [row.input for row in rows]
    return keys[m:] == keys[:-m]


def _form(text: str) -> str:
    """A text without what tokenizers change: case, spaces, punctuation, marks; only its signs if there is nothing else."""
    text = unicodedata.normalize("NFKC", text).casefold()
    return "".join(filter(str.isalnum, text)) or "".join(text.split())


def _repeats(outputs: np.ndarray, given: np.ndarray | None, tokenizer: Any) -> list[str]:
    """How the output of each row repeats the tokens of its label or input, at the same positions.

    Returns:
        "" if label or input have no token, "differs", "equal", or "more" if there are other tokens too.
    """
    if given is None or given.ndim != 2 or len(outputs) != len(given):
        return [""] * len(outputs)
    width = min(outputs.shape[1], given.shape[1])
    is_token = (given >= 0) & (given != tokenizer.pad_token_id)
    n_same = (is_token[:, :width] & (outputs[:, :width] == given[:, :width])).sum(axis=1)
    special = {tokenizer.pad_token_id, getattr(tokenizer, "eos_token_id", None)}
    special |= set(getattr(tokenizer, "all_special_ids", ()))
    is_other = (outputs >= 0) & ~np.isin(outputs, list(special - {None}))
    is_other[:, :width] &= ~is_token[:, :width]
    signs = np.where(n_same < is_token.sum(axis=1), "differs", np.where(is_other.any(axis=1), "more", "equal"))
    listed: list[str] = np.where(is_token.any(axis=1), signs, "").tolist()
    return listed
