"""Generative question answering: turns generated tokens into answers and scores them."""

import dataclasses
import unicodedata
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.columns import to_list
from ..core.remarks import remark
from ..core.scores import Scores
from ..core.shown import describe, shown
from ..registry import text_families
from .hook import INPUTS, OTHER_DATA_SET, Batch, TrainerMetrics, other_number, processes, stacked, to_array
from .logged import LoggedMeasures
from .scored_rows import ScoredRows, metric_options, read_golds
from .text_generation import text_tokenizer

# Tokens of outputs, labels and inputs, (n, length) each.
_Part = tuple[np.ndarray, np.ndarray | None, np.ndarray | None]
_MOST_DIFFERING = 0.05  # share of labels that may differ from the gold answers of their rows
_CAUSAL = (
    "Seq2SeqTrainer lets a causal model continue its whole input. qassay.training.score_generations(trainer, rows, prompt=..., "
    "references=...) generates from the prompt alone, and scores what follows it"
)


class GenerativeQA(TrainerMetrics):
    """`compute_metrics` for generated answers: `Seq2SeqTrainer` with `predict_with_generate=True`.

    Args:
        tokenizer: the tokenizer of the model, or a processor that has one; decodes without special tokens. Negative ids
            are padding (batches are padded with -100). Generated ids that the tokenizer does not know also count as
            padding, because models with padded embeddings, such as T5, may generate them; the notes of the scores
            count them as `unknown_tokens`.
        references: gold answers for each row of the evaluated data set, in order: strings, lists of strings ("" or []:
            no answer) or rows of SQuAD's column answers.
        inputs: the column `input_ids` of the evaluated data set, in the order of references. With
            `include_for_metrics=["inputs"]` in the arguments of Trainer, answers are then matched to references by
            their inputs, in any order of the rows.
        groups: the group of each row of references, such as its article; intervals then draw whole groups.
        questions: the question of each row of references, for metrics that read questions (answer_equivalence).
        metric: "answer_match", "semantic_answer_similarity" or "answer_equivalence".
        measures: the measures to log; None: the headline measures of the metric.
        confidence: also log intervals, as of `Scores.interval`: `f1_low` and `f1_high`.
        safe_names: log names without "@", brackets and "=", which MLflow refuses.
        check_labels: check that the decoded label of each row is one of its gold answers, except for case, spaces,
            punctuation, truncation and characters that the tokenizer loses; not needed with inputs. An evaluation with
            more than 5 % differing labels is refused: its rows are in another order
            (train_sampling_strategy="group_by_length" also shuffles the evaluation) or of another data set. Fewer give
            a warning. Rows without gold answers may have any label; labels that are all masked are ignored. False: for
            labels that are not gold answers, such as numbers of choices; only the number of rows is checked.
        options: of the metric, such as normalizer="french" or model="lite".

    With several processes, Seq2SeqTrainer repeats the first rows to fill the last batches. Rows after those of references
    are omitted if they repeat the first rows; the note `repeated` counts them.

    Seq2SeqTrainer lets a causal model continue its whole input, the prompt and the gold answer. Such outputs are refused if
    labels or the inputs of `include_for_metrics=["inputs"]` show it.

    Raises:
        TypeError, ValueError: before training: an unsupported metric, unknown options or measures, references that are
            not answers. When called: predictions that are not token ids, that contain the prompt, or whose number differs
            from the references; labels unknown to the tokenizer; inputs or labels of other rows.

    Attributes:
        answers: the decoded answers of the last evaluation, in the order of references.
        scores: its Scores, with the notes `unknown_tokens` and `repeated`.

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
        metric: str = "answer_match",
        measures: Sequence[str] | None = None,
        confidence: float | None = None,
        safe_names: bool = False,
        check_labels: bool = True,
        **options: Any,
    ):
        self.tokenizer = text_tokenizer(tokenizer)
        if references is None:
            raise TypeError(
                'GenerativeQA needs references: the gold answers of each row of the evaluated data set, such as rows["answers"]; '
                "the texts that the labels were tokenized from will do"
            )
        self.options = metric_options(metric, options, text_families())
        if getattr(self.options, "top_k", None) is not None:
            raise ValueError("GenerativeQA scores one answer per row; omit the option top_k")
        self.check_labels = bool(check_labels)
        self._rows = ScoredRows(read_golds(references), metric, self.options, questions=questions, groups=groups)
        self._expected: list[bytes] | None = None  # the inputs of the rows
        if inputs is not None:
            self._expected = [self._keys_of(np.array([tokens]))[0] for tokens in to_list(inputs, "inputs")]
            if len(self._expected) != len(self._rows):
                raise ValueError(f"inputs has {len(self._expected):,} rows, but references has {len(self._rows):,}")
        self.answers: list[str] = []
        super().__init__(LoggedMeasures(measures, confidence, safe_names), self._rows.blank)

    def _read(self, batch: Batch) -> _Part:
        labels: Any
        inputs: Any
        outputs, labels, inputs = to_array(batch.output, "predictions"), batch.labels, batch.inputs
        if not _are_tokens(outputs):
            raise TypeError(
                f"predictions must be token ids of shape (rows, length), got {outputs.dtype} of shape {outputs.shape}: "
                "evaluate with predict_with_generate=True of Seq2SeqTrainer, or a causal model with "
                "qassay.training.score_generations, since the argmax of logits depends on the gold tokens before it "
                "(teacher forcing)"
            )
        if hasattr(labels, "shape"):
            labels = to_array(labels, "label_ids")
            if len(labels) != len(outputs):
                raise ValueError(f"there are {len(outputs):,} predictions, but {len(labels):,} rows of labels")
        if not _are_tokens(labels):
            if labels is not None and self._compares_labels:
                raise TypeError(
                    f"label_ids are not token ids, got {describe(labels)}, so they do not show whether the rows of Trainer "
                    "are the rows of references; give GenerativeQA check_labels=False to score without this check"
                )
            labels = None
        return outputs, labels, inputs if _are_tokens(inputs) and len(inputs) == len(outputs) else None

    @property
    def _compares_labels(self) -> bool:
        return self.check_labels and self._expected is None

    def _score(self, parts: list[_Part]) -> Scores:
        outputs: Any
        outputs, labels, inputs = (
            None if any(part is None for part in column) else stacked(column) for column in zip(*parts, strict=True)
        )
        texts = self._decode(outputs)
        self._refuse_prompts(outputs, texts, inputs, labels)
        order = self._rows_to_score(texts, inputs, labels) if self._expected is None else self._order_by_inputs(inputs)
        if self._compares_labels and labels is not None:
            self._check_labels(labels[order])
        self.answers = [texts[row] for row in order]
        scores = self._rows.score(self.answers)
        notes = {**scores.notes, "unknown_tokens": int((outputs[order] >= self._n_tokens).sum())}
        if repeated := len(texts) - len(order):
            notes["repeated"] = repeated
        return dataclasses.replace(scores, notes=notes)

    @property
    def _n_tokens(self) -> float:
        """The number of tokens that the tokenizer knows."""
        return len(self.tokenizer) if hasattr(self.tokenizer, "__len__") else np.inf

    def _keys_of(self, tokens: np.ndarray) -> list[bytes]:
        """The tokens of each row without padding, as a key."""
        is_token = np.logical_and(tokens >= 0, tokens != self.tokenizer.pad_token_id)
        return [row[kept].tobytes() for row, kept in zip(tokens.astype(np.int64), is_token, strict=True)]

    def _decode(self, ids: np.ndarray) -> list[str]:
        ids = np.where((ids < 0) | (ids >= self._n_tokens), self.tokenizer.pad_token_id, ids)
        return [text.strip() for text in self.tokenizer.batch_decode(ids.tolist(), skip_special_tokens=True)]

    def _label_texts(self, labels: np.ndarray) -> list[str | None]:
        """The text of each label; None if all of it is masked."""
        unknown = (labels >= self._n_tokens).any(axis=1)
        if unknown.any():  # from another tokenizer
            row = int(np.argmax(unknown))
            raise ValueError(
                f"label_ids[{row}] has the token {labels[row].max()}, but the tokenizer has {self._n_tokens}; give the "
                "tokenizer of the model"
            )
        is_masked = np.all(labels < 0, axis=1)
        return [None if is_masked[row] else text for row, text in enumerate(self._decode(labels))]

    def _rows_to_score(self, texts: list[str], inputs: np.ndarray | None, labels: np.ndarray | None) -> list[int]:
        """The rows without those that Seq2SeqTrainer repeats on several processes."""
        n, size = len(texts), len(self._rows)
        tokens = labels if inputs is None else inputs
        keys: list[Any] = texts if tokens is None else self._keys_of(tokens)
        if size == n or (processes() > 1 and size < n and keys[size:] == keys[:-size]):
            return list(range(size))
        raise ValueError(f"there are {n:,} predictions, but {size:,} references: {other_number(n, size)}")

    def _order_by_inputs(self, inputs: np.ndarray | None) -> list[int]:
        """The row of Trainer that has the input of each row of references."""
        if inputs is None:
            raise ValueError(
                f"GenerativeQA has inputs, but Trainer passes none: add {INPUTS} to its arguments, or omit inputs"
            )
        expected: Any = self._expected
        rows_of: dict[bytes, list[int]] = {key: [] for key in expected}
        for row, key in enumerate(self._keys_of(inputs)):
            if key not in rows_of:
                raise ValueError(f"row {row} of Trainer has an input that is not among inputs: {OTHER_DATA_SET}")
            rows_of[key].append(row)
        order = [rows_of[key].pop(0) if rows_of[key] else -1 for key in expected]
        n, problem = len(inputs), ""
        if -1 in order:
            problem = f"row {order.index(-1)} of inputs did not come ({order.count(-1):,} of {len(order):,})"
        elif len(order) < n and processes() == 1:
            problem = f"Trainer has {n:,} rows, but inputs {len(order):,}"
        if problem:
            raise ValueError(f"{problem}: {other_number(n, len(order))}")
        return order

    def _check_labels(self, labels: np.ndarray) -> None:
        """Refuse labels if more than 5 % are not gold answers of their rows; fewer give a warning."""
        golds, texts = self._rows.golds, self._label_texts(labels)
        differing = self._differing(texts, labels) if any(text is not None for text in texts) else []
        if not differing:
            return
        row = differing[0]
        label = "masked as a whole" if texts[row] is None else shown(texts[row])
        problem = (
            f"references[{row}] has the gold answers {shown(golds[row])}, but the label of Trainer's row {row} is {label} "
            f"({len(differing):,} of {len(golds):,} rows differ)"
        )
        if len(differing) > _MOST_DIFFERING * sum(map(bool, golds)):
            raise ValueError(
                f"{problem}: these rows do not belong together. {OTHER_DATA_SET}; or its rows are in another order "
                "(train_sampling_strategy='group_by_length' shuffles the evaluation too: omit it, or give "
                f'GenerativeQA inputs=eval_dataset["input_ids"] and the arguments of Trainer {INPUTS}); or the labels '
                "are not gold answers (give GenerativeQA check_labels=False). The argument eval_on_start=True shows this "
                "at once"
            )
        remark(f"{problem}; the other labels are gold answers of their rows, so all are scored")

    def _differing(self, label_texts: list[str | None], labels: np.ndarray) -> list[int]:
        """The rows whose label is none of their gold answers, tokenized and truncated as the labels are."""
        golds = self._rows.golds
        special = [getattr(self.tokenizer, name, None) for name in ("pad_token_id", "eos_token_id", "bos_token_id")]
        is_token = (labels >= 0) & ~np.isin(labels, [token for token in special if token is not None])
        lengths = is_token.sum(axis=1).tolist()
        longest = max(lengths)
        differing, texts, cuts = [], [], []
        for row, (text, gold) in enumerate(zip(label_texts, golds, strict=True)):
            is_empty = text is None and any(not one.strip() for one in gold)  # there is no token to mask
            if not gold or is_empty or text in gold or (text is not None and _form(text) in map(_form, gold)):
                continue
            differing.append(row)
            texts += gold
            cuts += [lengths[row] if lengths[row] == longest else None] * len(gold)
        if texts and callable(self.tokenizer):
            ids = self.tokenizer(text_target=texts, add_special_tokens=False)["input_ids"]
            kept = [row[:cut] for row, cut in zip(ids, cuts, strict=True)]
            texts = self.tokenizer.batch_decode(kept, skip_special_tokens=True)
        forms = map(_form, texts)
        gold_forms = {row: {next(forms) for _ in golds[row]} for row in differing}
        return [row for row in differing if (text := label_texts[row]) is None or _form(text) not in gold_forms[row]]

    def _refuse_prompts(
        self, outputs: np.ndarray, texts: list[str], inputs: np.ndarray | None, labels: np.ndarray | None
    ) -> None:
        """Refuse outputs of a causal model that contain its input."""
        row = None if inputs is None else _continued(outputs, inputs, self.tokenizer)
        what, remedy = "", ""
        if row is None and labels is not None and self.check_labels:
            row = _continued(outputs, labels, self.tokenizer)
            what, remedy = ", gold answer included", ". check_labels=False scores outputs that have no prompt"
        if row is not None:
            raise ValueError(
                f"every output begins with the input{what}, such as {shown(texts[row])} of row {row}: {_CAUSAL}{remedy}"
            )


def _are_tokens(values: Any) -> bool:
    return getattr(values, "ndim", 0) == 2 and values.dtype.kind in "iu"


def _form(text: str) -> str:
    """A text without what tokenizers change: case, spaces, punctuation, marks; only its signs if there is nothing else."""
    text = unicodedata.normalize("NFKC", text).casefold()
    return "".join(filter(str.isalnum, text)) or "".join(text.split())


def _continued(outputs: np.ndarray, given: np.ndarray, tokenizer: Any) -> int | None:
    """The first row that has more tokens than its input, if every output begins with its input; else None.

    Args:
        outputs: (n, length).
        given: (n, length), inputs or labels; rows without a token show nothing.
    """
    width = min(outputs.shape[1], given.shape[1])
    is_token = (given >= 0) & (given != tokenizer.pad_token_id)
    has_tokens = is_token.any(axis=1)
    n_same = (is_token[:, :width] & (outputs[:, :width] == given[:, :width])).sum(axis=1)
    special = {tokenizer.pad_token_id, getattr(tokenizer, "eos_token_id", None)}
    special |= set(getattr(tokenizer, "all_special_ids", ()))
    is_other = (outputs >= 0) & ~np.isin(outputs, list(special - {None}))
    is_other[:, :width] &= ~is_token[:, :width]
    has_more = has_tokens & is_other.any(axis=1)
    begins = (n_same == is_token.sum(axis=1)) | ~has_tokens
    return int(np.argmax(has_more)) if begins.all() and has_more.any() else None
