"""Cross-encoders and bi-encoders as pair scorers: forward passes over batches sorted by token count."""

import abc
import contextlib
import dataclasses
import multiprocessing
import os
import sys
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from .model_inputs import UNLIMITED, TokenRows, padded_batch, read_token_rows, token_batches
from .pair_scorers import PairScorer, PairScores

# Measured with a model of MiniLM's size on one core: speed is flat from 32 to 128 short pairs a batch; of long texts,
# 2,048 to 4,096 tokens a batch are a third faster than 32,768. A GPU wants all the tokens it can get.
DEFAULT_BATCH_SIZE = 64
_BATCH_TOKENS = 4096
_GPU_BATCH_TOKENS = 32_768

_COSINE_ROWS = 8192

ArrayForward = Callable[[dict[str, np.ndarray]], np.ndarray]

_thread_count_lock = threading.Lock()


@dataclasses.dataclass
class LoadedEncoder:
    """A model in memory, shared by all scorers that use it.

    Attributes:
        model: the sentence_transformers.CrossEncoder or SentenceTransformer.
        mode: "cross" or "bi".
        revision: the commit it was downloaded at; of a folder the fingerprint of its files.
        devices: names of several devices, one process each; empty for a model in this process.
        backend: "torch", or another name: `convert` then gives the forward pass.
        dtype: "float32", "bfloat16" or "float16".
        convert: from (model, names of the inputs, name of the output, threads or None, dtype) to a forward pass.
        lock: held while scoring, as fast tokenizers may not be used by two threads at once.
        forwards: forward passes made so far, by number of threads.
        plain: whether it needs only token ids and masks.
        limit: most tokens it reads.
        outputs: the number of outputs for a pair; 1 for a bi-encoder.
        workers: the processes of several devices, once they are started.
    """

    model: Any
    mode: str
    revision: str | None = None
    devices: tuple[str | None, ...] = ()
    backend: str = "torch"
    dtype: str = "float32"
    convert: Callable | None = None
    lock: Any = dataclasses.field(default_factory=threading.RLock)
    forwards: dict = dataclasses.field(default_factory=dict)
    plain: bool = dataclasses.field(init=False)
    limit: int = dataclasses.field(init=False)
    outputs: int = dataclasses.field(init=False)
    workers: dict | None = dataclasses.field(default=None, init=False)

    def __post_init__(self) -> None:
        self.plain, self.limit = _reads_plain_text(self.model), readable_tokens(self.model)
        self.outputs = self.model.num_labels if self.mode == "cross" else 1

    @contextlib.contextmanager
    def working(self) -> Iterator[dict]:
        """The pool of processes, one for each device, started at the first use and kept for the next.

        Raises:
            ChildProcessError: a process died, or may not be started here; the message says what to do.
        """
        try:
            if self.workers is None:
                _try_process()
                self.workers = self.model.start_multi_process_pool(list(self.devices))
                weakref.finalize(self, _stop_workers, self.model.stop_multi_process_pool, self.workers)
            yield self.workers
        except BaseException as error:  # an interrupted pool still has answers to the old questions
            died = self.workers is None or any(not process.is_alive() for process in self.workers["processes"])
            self.stop_workers()
            if died and isinstance(error, RuntimeError):
                raise ChildProcessError(
                    f"the worker processes of device={list(self.devices)} died. Each of them runs the script again: let "
                    'it score only under `if __name__ == "__main__":`. If it does, look for a cause above (a lack of '
                    "memory?), or give one device"
                ) from error
            raise

    def stop_workers(self) -> None:
        """End the processes of several devices, if there are any; the next scoring starts new ones."""
        with self.lock:
            if self.workers is not None:
                _stop_workers(self.model.stop_multi_process_pool, self.workers)
                self.workers = None


def _try_process() -> None:
    """Start a process that does nothing: one that dies while a large model is sent to it would be waited for forever."""
    probe = multiprocessing.get_context("spawn").Process(target=os.getpid, daemon=True)
    probe.start()
    probe.join()
    if probe.exitcode:
        raise RuntimeError(f"a process ended with exit code {probe.exitcode} before it had started")


def _stop_workers(stop: Callable[[dict], None], workers: dict) -> None:
    if workers:
        stop(dict(workers))
        workers.clear()  # a second stop would fail


def _reads_plain_text(model: Any) -> bool:
    """Whether a model needs only token ids and masks.

    Otherwise (pictures, chat templates, prompts, slow tokenizers, flattened inputs) its own `predict` or `encode` must
    prepare the inputs.
    """
    first = model[0]
    tokenizer: Any = getattr(model, "tokenizer", None)
    return (
        type(first).__name__ == "Transformer"
        and list(getattr(model, "modalities", ())) == ["text"]
        and getattr(tokenizer, "is_fast", False)
        and tokenizer.pad_token_id is not None
        and set(tokenizer("a", "b", verbose=False)) <= {"input_ids", "attention_mask", "token_type_ids"}
        and not getattr(first, "processing_kwargs", None)
        and not getattr(first, "can_flatten_inputs", False)
        and not model_prompt(model)
        and getattr(model, "truncate_dim", None) is None
    )


def model_prompt(model) -> str:
    """The text that a model puts before each of its inputs; mostly none."""
    return (getattr(model, "prompts", None) or {}).get(getattr(model, "default_prompt_name", None)) or ""


def position_count(model) -> int | None:
    """How many tokens a transformer has positions for; None if that is open or unknown."""
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


def torch_forward(model, output: str) -> ArrayForward:
    """The forward pass of a sentence-transformers model: arrays of a batch in, float32 array `output` out."""
    import torch

    def forward(batch: dict[str, np.ndarray]) -> np.ndarray:
        with torch.inference_mode():
            features = {name: torch.from_numpy(array).to(model.device) for name, array in batch.items()}
            return model(features)[output].float().cpu().numpy()

    return forward


@contextlib.contextmanager
def _torch_threads(count: int | None) -> Iterator[None]:
    """Let torch use a number of threads, and restore the setting afterwards; None leaves it alone."""
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
    """Base of cross-encoders and bi-encoders.

    Args:
        loaded: the model.
        name: its id or folder, as the user gave it.
        revision: as the user gave it; without one, the commit the model was downloaded at, or a folder's fingerprint.
        batch_size: most pairs (or texts) of one forward pass; long ones get fewer. None: 64 on the CPU, and on a GPU as
            many as its token budget holds.
        num_threads: threads while scoring; None leaves the setting alone.
        progress: True shows a bar on stderr, False none, None one if that is a terminal. It appears after a second; the
            bar of models which sentence-transformers' own methods must run, at once.
    """

    output: str
    unit: str

    def __init__(
        self,
        loaded: LoadedEncoder,
        name: str,
        *,
        revision: str | None = None,
        batch_size: int | None = None,
        num_threads: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.loaded, self.name, self.revision = loaded, name, loaded.revision or revision
        self.batch_size, self.num_threads, self.progress = batch_size, num_threads, progress
        if loaded.backend != "torch" and not loaded.plain:
            raise ValueError(f"the model {name!r} needs more than text, which only backend=torch can do")

    def _outputs(self, firsts: Sequence[str], seconds: Sequence[str] | None) -> tuple[np.ndarray, np.ndarray]:
        """The model's output for each row, float32, and which rows it has not read to the end, bool."""
        model, limit = self.loaded.model, self.loaded.limit
        firsts = [_utf8_text(text) for text in firsts]
        seconds = None if seconds is None else [_utf8_text(text) for text in seconds]
        with self.loaded.lock, _torch_threads(self.num_threads):
            if self.loaded.plain:
                tokens = read_token_rows(model.tokenizer, firsts, seconds, limit)
                if not self.loaded.devices:
                    return self._forward_all(tokens), tokens.truncated
                truncated = tokens.truncated
            elif getattr(getattr(model, "tokenizer", None), "is_fast", False):
                prompt = model_prompt(model)
                texts = [prompt + text for text in firsts] if prompt else firsts
                truncated = read_token_rows(model.tokenizer, texts, seconds, limit).truncated
            else:
                truncated = np.zeros(len(firsts), bool)
            if not self.loaded.devices:
                return self._library_outputs(firsts, seconds, None), truncated
            with self.loaded.working() as pool:
                return self._library_outputs(firsts, seconds, pool), truncated

    def _forward_all(self, tokens: TokenRows) -> np.ndarray:
        from tqdm import tqdm

        tokenizer = self.loaded.model.tokenizer
        outputs: Any = None
        on_cpu = self.loaded.model.device.type == "cpu"
        size = self.batch_size or (DEFAULT_BATCH_SIZE if on_cpu else UNLIMITED)
        most = _BATCH_TOKENS if on_cpu else _GPU_BATCH_TOKENS
        disable = None if self.progress is None else not self.progress
        with tqdm(total=len(tokens.truncated), unit=self.unit, delay=1, disable=disable) as bar:
            for rows in token_batches(tokens.lengths, size, most):
                batch = padded_batch(tokens, rows, tokenizer)
                result = self._forward(tuple(batch))(batch)
                if outputs is None:
                    outputs = np.empty((len(tokens.truncated), *result.shape[1:]), np.float32)
                outputs[rows] = result
                bar.update(len(rows))
        return outputs

    def _forward(self, names: tuple[str, ...]) -> ArrayForward:
        loaded = self.loaded
        if loaded.convert is None:
            return torch_forward(loaded.model, self.output)
        if self.num_threads not in loaded.forwards:
            loaded.forwards[self.num_threads] = loaded.convert(
                loaded.model, names, self.output, self.num_threads, loaded.dtype
            )
        return loaded.forwards[self.num_threads]

    def _library_arguments(self, pool: dict | None) -> dict[str, Any]:
        show_progress = sys.stderr.isatty() if self.progress is None else self.progress
        return {"batch_size": self.batch_size or DEFAULT_BATCH_SIZE, "show_progress_bar": show_progress, "pool": pool}

    @abc.abstractmethod
    def _library_outputs(self, firsts: list[str], seconds: list[str] | None, pool: dict | None) -> np.ndarray:
        """The same from sentence-transformers' own method, for what the loop above cannot prepare, or for a pool."""


class CrossEncoderScorer(EncoderScorer):
    """A model that reads prediction and reference together and returns one number, always passed through the sigmoid.

    As in Risch et al. 2021, "Semantic Answer Similarity for Evaluating Question Answering Models". The order matters:
    (a, b) and (b, a) score differently.
    """

    mode, output, unit = "cross", "scores", "pairs"

    def score(
        self, predictions: Sequence[str], references: Sequence[str], questions: Sequence[str] | None = None
    ) -> PairScores:
        logits, truncated = self.logits(predictions, references)
        return PairScores(0.5 * (1 + np.tanh(logits[:, 0] / 2)), truncated, np.zeros(len(logits), bool))

    def logits(self, firsts: Sequence[str], seconds: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """The raw numbers of n pairs, float64 (n, outputs), NaN where not finite, and which pairs were cut, bool (n,)."""
        if not firsts:
            return np.zeros((0, self.loaded.outputs)), np.zeros(0, bool)
        found, truncated = self._outputs(firsts, seconds)
        logits = found.reshape(len(firsts), -1).astype(np.float64)
        logits[~np.isfinite(logits)] = np.nan
        return logits, truncated

    def _library_outputs(self, firsts: list[str], seconds: Any, pool: dict[str, Any] | None) -> np.ndarray:
        import torch

        pairs = list(zip(firsts, seconds, strict=True))
        return self.loaded.model.predict(pairs, activation_fn=torch.nn.Identity(), **self._library_arguments(pool))


class BiEncoderScorer(EncoderScorer):
    """A model that returns a vector for each text; the score is the cosine, with negative values set to 0.

    Each distinct text is encoded once.
    """

    mode, output, unit = "bi", "sentence_embedding", "texts"
    symmetric = True

    def score(
        self, predictions: Sequence[str], references: Sequence[str], questions: Sequence[str] | None = None
    ) -> PairScores:
        cosines, truncated = self.cosines(predictions, references)
        return PairScores(np.clip(cosines, 0, 1), truncated, cosines < 0)

    def cosines(self, predictions: Sequence[str], references: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """Cosines of n pairs, float64 (n,) in -1..1 as far as rounding goes or NaN, and which pairs were cut, bool (n,)."""
        if not predictions:
            return np.zeros(0), np.zeros(0, bool)
        places: dict[str, int] = {}
        left, right = (
            np.array([places.setdefault(text, len(places)) for text in texts]) for texts in (predictions, references)
        )
        vectors, truncated = self._outputs(list(places), None)
        vectors[~np.isfinite(vectors).all(axis=1)] = np.nan
        cosines = np.empty(len(left))
        for start in range(0, len(left), _COSINE_ROWS):
            rows = slice(start, start + _COSINE_ROWS)
            cosines[rows] = _row_cosines(vectors[left[rows]], vectors[right[rows]])
        return cosines, truncated[left] | truncated[right]

    def _library_outputs(self, firsts: list[str], seconds: list[str] | None, pool: dict | None) -> np.ndarray:
        return np.asarray(self.loaded.model.encode(firsts, **self._library_arguments(pool)), np.float32)


def _row_cosines(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Cosine of each row of (n, d) with the same row of another (n, d), float64 (n,); 0 for a vector of zeros."""
    left, right = left.astype(np.float64), right.astype(np.float64)
    dots = np.einsum("ij,ij->i", left, right)
    norms = np.sqrt(np.einsum("ij,ij->i", left, left) * np.einsum("ij,ij->i", right, right))
    return np.divide(dots, norms, out=np.zeros(len(dots)), where=norms != 0)


def _utf8_text(text: str) -> str:
    """The text, with lone surrogates, which tokenizers refuse, as question marks."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text
