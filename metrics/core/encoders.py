"""Cross-encoders and bi-encoders as pair scorers: forward passes over batches that are sorted by token count."""

import abc
import contextlib
import dataclasses
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from .columns import describe
from .pair_scorers import PairScorer, PairScores

# Measured with a model of MiniLM's size on one core: speed is flat from 32 to 128 short pairs a batch; of long texts,
# 2,048 to 4,096 tokens a batch are a third faster than 32,768. A GPU wants the full batch.
DEFAULT_BATCH_SIZE = 64
BATCH_TOKENS = 4096
GPU_BATCH_TOKENS = 32_768

BLOCK_TEXTS = 2048
BLOCK_CHARACTERS = 500_000
COSINE_ROWS = 8192
SPARE_TOKENS = 64
UNLIMITED = 10**9

_thread_count_lock = threading.Lock()


@dataclasses.dataclass
class LoadedEncoder:
    """A model in memory, shared by all scorers that use it.

    Attributes:
        model: the sentence_transformers.CrossEncoder or SentenceTransformer.
        mode: "cross" or "bi".
        revision: the commit it was downloaded at; None for a folder.
        devices: names of several devices, one process each; empty for a model in this process.
        backend: "torch", or another name: `convert` then gives the forward pass.
        dtype: "float32", "bfloat16" or "float16".
        convert: from (model, names of the inputs, name of the output, threads or None, dtype) to a forward pass.
        lock: held while scoring, as fast tokenizers may not be used by two threads at once.
        forwards: forward passes made so far, by number of threads.
        plain: whether it wants nothing but token ids and masks.
        limit: most tokens it reads.
    """

    model: Any
    mode: str
    revision: str | None = None
    devices: tuple[str, ...] = ()
    backend: str = "torch"
    dtype: str = "float32"
    convert: Callable | None = None
    lock: Any = dataclasses.field(default_factory=threading.RLock)
    forwards: dict = dataclasses.field(default_factory=dict)
    plain: bool = dataclasses.field(init=False)
    limit: int = dataclasses.field(init=False)

    def __post_init__(self) -> None:
        self.plain, self.limit = reads_plain_text(self.model), readable_tokens(self.model)


class TokenRows(NamedTuple):
    """Token ids of n texts or pairs, one after the other.

    Attributes:
        ids: int32 (tokens,), all rows in a line.
        types: int8 (tokens,), which text of the pair a token is of; None where the model does not want it.
        starts: int64 (n + 1,), where each row starts, and the end of the last.
        truncated: bool (n,), rows that were longer than the model reads.
    """

    ids: np.ndarray
    types: np.ndarray | None
    starts: np.ndarray
    truncated: np.ndarray

    @property
    def lengths(self) -> np.ndarray:
        """Tokens of each row, int64 (n,)."""
        return np.diff(self.starts)


def read_token_rows(
    tokenizer, firsts: Sequence[str], seconds: Sequence[str] | None = None, limit: int = UNLIMITED
) -> TokenRows:
    """Tokenise n texts, or n pairs of texts, and cut what is longer than the model reads (the longer text first).

    Works in blocks of at most about half a million characters, so that memory does not grow with the longest text.

    Args:
        tokenizer: a fast tokenizer of transformers.
        firsts: the texts, or the first texts of the pairs.
        seconds: the second texts.
        limit: most tokens of a row, special tokens included.
    """
    ids, types, lengths, truncated = [], [], [], []
    for block in text_blocks(firsts, seconds):
        one, two = firsts[block], None if seconds is None else seconds[block]
        encoded = tokenizer(one, two, truncation=False, return_attention_mask=False, verbose=False)
        rows, row_types = encoded["input_ids"], encoded.get("token_type_ids")
        over = [i for i, row in enumerate(rows) if len(row) > limit]
        if over:
            pairs = [(text,) for text in one] if two is None else list(zip(one, two))
            parts = [leading_texts(encoded.encodings[i], pairs[i], limit, tokenizer.truncation_side) for i in over]
            cut = tokenizer(
                *map(list, zip(*parts)), truncation="longest_first", max_length=limit, return_attention_mask=False
            )
            for position, i in enumerate(over):
                rows[i] = cut["input_ids"][position]
                if row_types is not None:
                    row_types[i] = cut["token_type_ids"][position]
        ids.extend(np.array(row, np.int32) for row in rows)
        types.extend(np.array(row, np.int8) for row in row_types or ())
        lengths.extend(map(len, rows))
        flags = np.zeros(len(rows), bool)
        flags[over] = True
        truncated.append(flags)
    return TokenRows(
        np.concatenate(ids) if ids else np.zeros(0, np.int32),
        np.concatenate(types) if types else None,
        np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]).astype(np.int64),
        np.concatenate(truncated) if truncated else np.zeros(0, bool),
    )


def text_blocks(firsts: Sequence[str], seconds: Sequence[str] | None) -> Iterator[slice]:
    """Slices of neighbouring texts with a bounded number of characters; a longer text is a block of its own.

    Example:
        >>> list(text_blocks(["a", "b" * 600_000, "c"], None))
        [slice(0, 1, None), slice(1, 2, None), slice(2, 3, None)]
    """
    start = characters = 0
    for i, text in enumerate(firsts):
        size = len(text) + (len(seconds[i]) if seconds is not None else 0)
        if i > start and (i - start == BLOCK_TEXTS or characters + size > BLOCK_CHARACTERS):
            yield slice(start, i)
            start, characters = i, 0
        characters += size
    if len(firsts) > start:
        yield slice(start, len(firsts))


def leading_texts(encoding, texts: Sequence[str], limit: int, side: str) -> list[str]:
    """The parts of a text, or of a pair, that hold the tokens a model can read, and some more.

    Tokenizers keep all pieces of what they cut, and for pairs all combinations of pieces, which takes too long for
    long texts. The text with more tokens keeps more of them, as the tokenizer cuts that one first.

    Args:
        encoding: tokens of the whole, with their places in the texts.
        texts: one text, or the two of a pair.
        limit: most tokens of a row.
        side: "right" where the end is cut off, "left" where the start is.
    """
    owners = np.array([-1 if owner is None else owner for owner in encoding.sequence_ids])
    places = [np.flatnonzero(owners == i) for i in range(len(texts))]
    offsets, parts = encoding.offsets, []
    for text, own in zip(texts, places):
        longer = any(len(own) > len(other) for other in places)
        kept = limit + SPARE_TOKENS * (2 if longer else 1)
        if len(own) <= kept:
            parts.append(text)
        elif side == "left":
            parts.append(text[offsets[own[-kept]][0] :])
        else:
            parts.append(text[: offsets[own[kept - 1]][1]])
    return parts


def token_batches(lengths: np.ndarray, batch_size: int, batch_tokens: int = BATCH_TOKENS) -> Iterator[np.ndarray]:
    """Rows of like length together, longest first: at most `batch_size` rows and `batch_tokens` padded tokens.

    A row that alone is longer than that is a batch of its own.

    Example:
        >>> [batch.tolist() for batch in token_batches(np.array([3, 9, 3, 4]), batch_size=2, batch_tokens=8)]
        [[1], [3, 0], [2]]
    """
    order = np.argsort(-lengths, kind="stable")
    start = 0
    while start < len(order):
        size = max(1, min(batch_size, batch_tokens // max(1, int(lengths[order[start]]))))
        yield order[start : start + size]
        start += size


def padded_batch(tokens: TokenRows, rows: np.ndarray, tokenizer) -> dict[str, np.ndarray]:
    """What a model reads for these rows: int64 (rows, longest of them) under the tokenizer's names."""
    lengths = tokens.lengths[rows][:, None]
    columns = np.arange(lengths.max(initial=0))
    filled = columns >= columns.size - lengths if tokenizer.padding_side == "left" else columns < lengths
    spans = [slice(tokens.starts[row], tokens.starts[row + 1]) for row in rows]
    batch = {"input_ids": np.full(filled.shape, tokenizer.pad_token_id, np.int64)}
    batch["input_ids"][filled] = np.concatenate([tokens.ids[span] for span in spans])
    if "attention_mask" in tokenizer.model_input_names:
        batch["attention_mask"] = filled.astype(np.int64)
    if tokens.types is not None:
        batch["token_type_ids"] = np.full(filled.shape, tokenizer.pad_token_type_id, np.int64)
        batch["token_type_ids"][filled] = np.concatenate([tokens.types[span] for span in spans])
    return batch


def reads_plain_text(model) -> bool:
    """Whether token ids and masks are all a model wants.

    Otherwise (pictures, chat templates, prompts, slow tokenizers, flattened inputs) its own `predict` or `encode` must
    prepare the inputs.
    """
    first, tokenizer = model[0], getattr(model, "tokenizer", None)
    return (
        type(first).__name__ == "Transformer"
        and list(getattr(model, "modalities", ())) == ["text"]
        and getattr(tokenizer, "is_fast", False)
        and tokenizer.pad_token_id is not None
        and set(tokenizer("a", "b")) <= {"input_ids", "attention_mask", "token_type_ids"}
        and not getattr(first, "processing_kwargs", None)
        and not getattr(first, "can_flatten_inputs", False)
        and not default_prompt(model)
        and getattr(model, "truncate_dim", None) is None
    )


def default_prompt(model) -> str:
    """The text that a model puts before each of its inputs; mostly none."""
    return (getattr(model, "prompts", None) or {}).get(getattr(model, "default_prompt_name", None)) or ""


def position_count(model) -> int | None:
    """How many tokens a transformer has positions for; None where that is open or unknown."""
    import torch

    for name, module in model.named_modules():
        if name.rsplit(".", 1)[-1] == "position_embeddings" and isinstance(module, torch.nn.Embedding):
            return module.num_embeddings - (0 if module.padding_idx is None else module.padding_idx + 1)
    count = getattr(getattr(model, "config", None), "max_position_embeddings", None)
    return count if isinstance(count, int) and count > 0 else None


def readable_tokens(model) -> int:
    """Most tokens of a row that a model reads, special tokens included."""
    limits = [getattr(model, "max_seq_length", None), position_count(model)]
    return min((limit for limit in limits if limit), default=UNLIMITED)


def torch_forward(model, output: str) -> Callable[[dict[str, np.ndarray]], np.ndarray]:
    """The forward pass of a sentence-transformers model: arrays of a batch in, float32 array `output` out."""
    import torch

    def forward(batch: dict[str, np.ndarray]) -> np.ndarray:
        with torch.inference_mode():
            features = {name: torch.from_numpy(array).to(model.device) for name, array in batch.items()}
            return model(features)[output].float().cpu().numpy()

    return forward


@contextlib.contextmanager
def torch_threads(count: int | None) -> Iterator[None]:
    """Let torch work with so many threads, and put back what was set before; None leaves it alone."""
    if count is None:
        yield
        return
    import torch

    with _thread_count_lock:  # the setting is the process's: two at once would put back each other's number
        before = torch.get_num_threads()
        torch.set_num_threads(count)
        try:
            yield
        finally:
            torch.set_num_threads(before)


class EncoderScorer(PairScorer):
    """What cross-encoders and bi-encoders have in common.

    Args:
        loaded: the model.
        name: its id or folder, as the user gave it.
        revision: as the user gave it; without one, the commit the model was downloaded at.
        batch_size: most pairs (or texts) of one forward pass; long ones get fewer.
        num_threads: threads while scoring; None leaves the setting alone.
        progress: True shows a bar on stderr, False none, None one if that is a terminal. Only after a second.
    """

    output: str
    unit: str

    def __init__(
        self,
        loaded: LoadedEncoder,
        name: str,
        *,
        revision: str | None = None,
        batch_size: int = DEFAULT_BATCH_SIZE,
        num_threads: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.loaded, self.name, self.revision = loaded, name, revision or loaded.revision
        self.batch_size, self.num_threads, self.progress = batch_size, num_threads, progress
        if loaded.backend != "torch" and not loaded.plain:
            raise ValueError(f"the model {name!r} wants more than text, which only backend='torch' can do")

    def _outputs(self, firsts: list[str], seconds: list[str] | None) -> tuple[np.ndarray, np.ndarray]:
        """The model's output for each row, float32, and which rows it has not read to the end, bool."""
        model, limit = self.loaded.model, self.loaded.limit
        firsts, seconds = (texts and [utf8_text(text) for text in texts] for texts in (firsts, seconds))
        with self.loaded.lock, torch_threads(self.num_threads):
            if self.loaded.plain:
                tokens = read_token_rows(model.tokenizer, firsts, seconds, limit)
                if not self.loaded.devices:
                    return self._forward_all(tokens), tokens.truncated
                truncated = tokens.truncated
            elif getattr(getattr(model, "tokenizer", None), "is_fast", False):
                prompt = default_prompt(model)
                texts = [prompt + text for text in firsts] if prompt else firsts
                truncated = read_token_rows(model.tokenizer, texts, seconds, limit).truncated
            else:
                truncated = np.zeros(len(firsts), bool)
            return self._library_outputs(firsts, seconds), truncated

    def _forward_all(self, tokens: TokenRows) -> np.ndarray:
        from tqdm import tqdm

        tokenizer, outputs = self.loaded.model.tokenizer, None
        most = BATCH_TOKENS if self.loaded.model.device.type == "cpu" else GPU_BATCH_TOKENS
        disable = None if self.progress is None else not self.progress
        with tqdm(total=len(tokens.truncated), unit=self.unit, delay=1, disable=disable) as bar:
            for rows in token_batches(tokens.lengths, self.batch_size, most):
                batch = padded_batch(tokens, rows, tokenizer)
                result = self._forward(tuple(batch))(batch)
                if outputs is None:
                    outputs = np.empty((len(tokens.truncated), *result.shape[1:]), np.float32)
                outputs[rows] = result
                bar.update(len(rows))
        return outputs

    def _forward(self, names: tuple[str, ...]) -> Callable[[dict[str, np.ndarray]], np.ndarray]:
        loaded = self.loaded
        if loaded.convert is None:
            return torch_forward(loaded.model, self.output)
        if self.num_threads not in loaded.forwards:
            loaded.forwards[self.num_threads] = loaded.convert(
                loaded.model, names, self.output, self.num_threads, loaded.dtype
            )
        return loaded.forwards[self.num_threads]

    def _library_arguments(self) -> dict[str, Any]:
        shown = sys.stderr.isatty() if self.progress is None else self.progress
        devices = {"device": list(self.loaded.devices)} if self.loaded.devices else {}
        return {"batch_size": self.batch_size, "show_progress_bar": shown, **devices}

    @abc.abstractmethod
    def _library_outputs(self, firsts: list[str], seconds: list[str] | None) -> np.ndarray:
        """The same from sentence-transformers' own method, for what the loop above cannot prepare."""


class CrossEncoderScorer(EncoderScorer):
    """A model that reads prediction and reference together and gives one number, here always through the sigmoid.

    As in Risch et al. 2021, "Semantic Answer Similarity for Evaluating Question Answering Models". The order matters:
    (a, b) and (b, a) score differently.

    Example:
        >>> from karat.core.model_loading import load_scorer
        >>> scorer = load_scorer("cross-encoder/stsb-roberta-large")  # doctest: +SKIP
        >>> scorer.score(["Obama"], ["Barack Obama"]).scores.round(2)  # doctest: +SKIP
        array([0.93])
    """

    mode, output, unit = "cross", "scores", "pairs"

    def score(
        self, predictions: Sequence[str], references: Sequence[str], questions: Sequence[str] | None = None
    ) -> PairScores:
        """Score n predictions against n references, pair by pair; NaN where the model gives no finite number.

        Raises:
            TypeError: a text is no string.
            ValueError: unequal numbers of texts.
        """
        predictions, references = checked_pairs(predictions, references)
        if not predictions:
            return PairScores(np.zeros(0), np.zeros(0, bool), 0)
        logits, truncated = self._outputs(predictions, references)
        logits = logits.reshape(len(predictions), -1)[:, 0].astype(np.float64)
        logits[~np.isfinite(logits)] = np.nan
        return PairScores(0.5 * (1 + np.tanh(logits / 2)), truncated, 0)

    def _library_outputs(self, firsts: list[str], seconds: list[str] | None) -> np.ndarray:
        import torch

        pairs = list(zip(firsts, seconds))
        return self.loaded.model.predict(pairs, activation_fn=torch.nn.Identity(), **self._library_arguments())


class BiEncoderScorer(EncoderScorer):
    """A model that gives each text a vector of its own; the score is the cosine of the two, negative ones set to 0.

    Each distinct text is encoded once.

    Example:
        >>> from karat.core.model_loading import load_scorer
        >>> scorer = load_scorer("sentence-transformers/all-MiniLM-L6-v2")  # doctest: +SKIP
        >>> scorer.score(["Obama"], ["Barack Obama"]).scores.round(2)  # doctest: +SKIP
        array([0.94])
    """

    mode, output, unit = "bi", "sentence_embedding", "texts"
    symmetric = True

    def score(
        self, predictions: Sequence[str], references: Sequence[str], questions: Sequence[str] | None = None
    ) -> PairScores:
        """Score n predictions against n references, pair by pair; NaN where the model gives no finite number.

        Raises:
            TypeError: a text is no string.
            ValueError: unequal numbers of texts.
        """
        cosines, truncated = self.cosines(predictions, references)
        return PairScores(np.clip(cosines, 0, 1), truncated, int(np.count_nonzero(cosines < 0)))

    def cosines(self, predictions: Sequence[str], references: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """Cosines of n pairs, float64 (n,) in -1..1 as far as rounding goes or NaN, and which pairs were cut, bool (n,).

        Raises:
            TypeError: a text is no string.
            ValueError: unequal numbers of texts.
        """
        predictions, references = checked_pairs(predictions, references)
        if not predictions:
            return np.zeros(0), np.zeros(0, bool)
        places: dict[str, int] = {}
        left, right = (
            np.array([places.setdefault(text, len(places)) for text in texts]) for texts in (predictions, references)
        )
        vectors, truncated = self._outputs(list(places), None)
        vectors[~np.isfinite(vectors).all(axis=1)] = np.nan
        cosines = np.empty(len(left))
        for start in range(0, len(left), COSINE_ROWS):
            rows = slice(start, start + COSINE_ROWS)
            cosines[rows] = row_cosines(vectors[left[rows]], vectors[right[rows]])
        return cosines, truncated[left] | truncated[right]

    def _library_outputs(self, firsts: list[str], seconds: list[str] | None) -> np.ndarray:
        return np.asarray(self.loaded.model.encode(firsts, **self._library_arguments()), np.float32)


def row_cosines(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Cosine of each row of (n, d) with the same row of another (n, d), float64 (n,); 0 for a vector of zeros.

    Example:
        >>> row_cosines(np.array([[1, 0], [3, 4], [0, 0]]), np.array([[-2, 0], [3, 4], [1, 1]])).tolist()
        [-1.0, 1.0, 0.0]
    """
    left, right = left.astype(np.float64), right.astype(np.float64)
    dots = np.einsum("ij,ij->i", left, right)
    norms = np.sqrt(np.einsum("ij,ij->i", left, left) * np.einsum("ij,ij->i", right, right))
    return np.divide(dots, norms, out=np.zeros(len(dots)), where=norms != 0)


def checked_pairs(predictions: Sequence[str], references: Sequence[str]) -> tuple[list[str], list[str]]:
    """Both as lists of strings of one length.

    Raises:
        TypeError: a text is no string.
        ValueError: unequal numbers of texts.
    """
    for name, texts in (("predictions", predictions), ("references", references)):
        if isinstance(texts, str):
            raise TypeError(f"{name} must be a sequence of texts, not one text")
    predictions, references = list(predictions), list(references)
    if len(predictions) != len(references):
        raise ValueError(
            f"{len(predictions)} predictions but {len(references)} references; they are scored pair by pair"
        )
    for name, texts in (("prediction", predictions), ("reference", references)):
        for i, text in enumerate(texts):
            if not isinstance(text, str):
                raise TypeError(f"{name} {i} must be a text, not {describe(text)}")
    return predictions, references


def utf8_text(text: str) -> str:
    """The text, with lone surrogates, which tokenizers refuse, as question marks.

    Example:
        >>> utf8_text("yes \\ud83d")
        'yes ?'
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text
