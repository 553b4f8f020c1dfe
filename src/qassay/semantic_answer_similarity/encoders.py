"""Cross-encoders and bi-encoders of sentence-transformers as scorers of pairs; a model is loaded once per process."""

import contextlib
import hashlib
import importlib.util
import json
import logging
import os
import re
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..core.remarks import remark
from ..core.shown import first_names
from .pair_scorers import PairScorer, PairScores

MODEL_DTYPES = ("float32", "bfloat16", "float16")
MODEL_BACKENDS = ("torch", "onnx", "openvino")

_CPU_BATCH, _GPU_BATCH = 64, 256
_COSINE_ROWS = 8192
_TOKENIZED_ROWS = 2048
_LONGEST_TOKEN = 64  # characters; a tokenizer gets at most as many for each token that the model reads
_RELEVANCE_PATTERN = re.compile("rerank|ms-?marco", re.IGNORECASE)
_ADVICE = (
    'give the folder of a model, the id of a cross- or bi-encoder on the hub, or the built-in scorer: model="lite"'
)
# The files of a folder's fingerprint: configuration, weights and tokenizer, without copies of the weights.
_MODEL_FILES = ("*.json", "*.safetensors", "pytorch_model*.bin", "*.txt", "*.model", "*.jinja", "*.py")
_SURPLUS_FILES = ("onnx/*", "openvino/*", "checkpoint-*/*")


class WrongKind(ValueError):
    """A model of another kind than the requested one.

    Attributes:
        what: the model and what it is, for an error of the caller.
    """

    def __init__(self, what: str, message: str):
        super().__init__(message)
        self.what = what


class _Loaded(NamedTuple):
    """A model in memory.

    Attributes:
        model: the sentence_transformers.CrossEncoder or SentenceTransformer.
        kind: "cross" or "bi".
        revision: the commit on the hub; of a folder the fingerprint of its files.
        lock: fast tokenizers may not be used by two threads at once.
    """

    model: Any
    kind: str
    revision: str | None
    lock: threading.RLock


# Place, revision, device, dtype, backend, length, trust and requested mode or kind -> the model.
_loaded_models: dict[tuple[Any, ...], _Loaded] = {}
_loading_lock = threading.RLock()


class EncoderScorer(PairScorer):
    """A cross-encoder or a bi-encoder.

    A cross-encoder reads prediction and reference together and returns one number, always passed through the sigmoid, as in Risch et
    al. 2021, "Semantic Answer Similarity for Evaluating Question Answering Models"; (a, b) and (b, a) score differently. A
    bi-encoder returns a vector for each text, of which each distinct one is encoded once; the score is the cosine, with negative
    values set to 0.

    Attributes:
        model: the sentence_transformers.CrossEncoder or SentenceTransformer.
        outputs: the number of outputs for a pair; 1 for a bi-encoder.
        name: its id or folder, as the user gave it.
        revision: the commit on the hub; of a folder the fingerprint of its files.
        mode: "cross" or "bi".
        settings: arguments of the model's `predict` or `encode`.
    """

    def __init__(self, loaded: _Loaded, name: str, settings: Mapping[str, Any]) -> None:
        self.model, self.mode, self.revision, self.lock = loaded
        self.name, self.settings, self.symmetric = name, settings, self.mode == "bi"
        self.outputs = 1 if self.symmetric else self.model.num_labels

    def score(
        self, predictions: Sequence[str], references: Sequence[str], questions: Sequence[str] | None = None
    ) -> PairScores:
        if self.mode == "bi":
            cosines, truncated = self.cosines(predictions, references)
            return PairScores(np.clip(cosines, 0, 1), truncated, cosines < 0)
        logits, truncated = self.logits(predictions, references)
        return PairScores(0.5 * (1 + np.tanh(logits[:, 0] / 2)), truncated, np.zeros(len(logits), bool))

    def _truncated(self, *texts: Sequence[str]) -> np.ndarray:
        """Which rows have more tokens than the model reads, bool (n,)."""
        n, limit, tokenizer = len(texts[0]), self.model.max_seq_length, getattr(self.model, "tokenizer", None)
        if not limit or not callable(tokenizer):
            return np.zeros(n, bool)
        prompt = _prompt(self.model)
        lengths: list[int] = []
        for start in range(0, n, _TOKENIZED_ROWS):
            columns = [[prompt + text for text in column[start : start + _TOKENIZED_ROWS]] for column in texts]
            lengths += map(len, tokenizer(*columns, truncation=False, verbose=False)["input_ids"])
        return np.array(lengths, np.int64) > limit

    def _readable(self, text: str, is_longer: bool = False) -> str:
        """The text without what no model reads: a lone surrogate, and the far end of a very long text.

        Of the longer text of a pair more is left, as tokenizers cut that one first.
        """
        if not text.isascii():
            text = text.encode("utf-8", "replace").decode()
        most = _LONGEST_TOKEN * (self.model.max_seq_length or len(text)) * (2 if is_longer else 1)
        is_cut_at_end = getattr(getattr(self.model, "tokenizer", None), "truncation_side", "right") == "right"
        return text[:most] if is_cut_at_end else text

    def logits(self, firsts: Sequence[str], seconds: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """The raw numbers of n pairs, float64 (n, outputs), NaN where not finite, and which pairs were cut, bool (n,)."""
        if not firsts:
            return np.zeros((0, self.outputs)), np.zeros(0, bool)
        import torch

        pairs = [
            (self._readable(first, len(first) > len(second)), self._readable(second, len(second) > len(first)))
            for first, second in zip(firsts, seconds, strict=True)
        ]
        with self.lock:
            truncated = self._truncated(*map(list, zip(*pairs, strict=True)))
            found = self.model.predict(pairs, activation_fn=torch.nn.Identity(), **self.settings)
        logits = found.reshape(len(firsts), -1).astype(np.float64)
        logits[~np.isfinite(logits)] = np.nan
        return logits, truncated

    def cosines(self, predictions: Sequence[str], references: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """Cosines of n pairs, float64 (n,) in -1..1 as far as rounding goes or NaN, and which pairs were cut, bool (n,)."""
        if not predictions:
            return np.zeros(0), np.zeros(0, bool)
        indices: dict[str, int] = {}
        left, right = (
            np.array([indices.setdefault(text, len(indices)) for text in texts]) for texts in (predictions, references)
        )
        texts = [*map(self._readable, indices)]
        with self.lock:
            truncated = self._truncated(texts)
            vectors = np.array(self.model.encode(texts, **self.settings), np.float32)
        vectors[~np.isfinite(vectors).all(axis=1)] = np.nan
        cosines = np.empty(len(left))
        for start in range(0, len(left), _COSINE_ROWS):
            rows = slice(start, start + _COSINE_ROWS)
            one, other = vectors[left[rows]].astype(np.float64), vectors[right[rows]].astype(np.float64)
            norms = np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1)
            cosines[rows] = (one * other).sum(axis=1) / np.where(norms == 0, 1.0, norms)  # 0 for a vector of zeros
        return cosines, truncated[left] | truncated[right]


def load_scorer(
    model: str,
    *,
    revision: str | None = None,
    mode: str = "auto",
    device: str | Sequence[str] | None = None,
    dtype: str = "float32",
    batch_size: int | None = None,
    backend: str = "torch",
    max_length: int | None = None,
    trust_remote_code: bool = False,
    progress: bool | None = None,
    for_similarity: bool = True,
) -> EncoderScorer:
    """The scorer of a cross-encoder or bi-encoder. A model already loaded in this process is used again.

    Args:
        model: a folder, or an id on the Hugging Face hub.
        revision: branch, tag or commit on the hub; of a folder the fingerprint that it must have.
        mode: "auto" looks what kind the model is; "cross" or "bi" asks for one.
        for_similarity: refuse models that give several numbers per pair, and warn of models that rate relevance.

    The other options are as in `SimilarityOptions`, which checks them; sentence-transformers gets them.

    Raises:
        ImportError: sentence-transformers, or a package of the backend, is not installed.
        ValueError: there is no such folder or id, the hub cannot be reached, the model cannot be used this way, or its
            kind gives no similarity of two texts.
    """
    model = os.fspath(model)
    folder = Path(model).expanduser()
    _check_name(model, folder)
    missing = [name for name in ("torch", "sentence_transformers") if importlib.util.find_spec(name) is None]
    if missing:
        names = " and ".join(name.replace("_", "-") for name in missing)
        raise ImportError(
            f'the model {model!r} needs {names}: run `pip install "qassay[sas]"`; model="lite" works without'
        )
    devices = tuple(device) if isinstance(device, (list, tuple)) else (device,)
    location = str(folder.resolve()) if folder.is_dir() else model
    key = (location, revision, devices[0], dtype, backend, max_length, bool(trust_remote_code))
    by_mode = (*key, mode)
    with _loading_lock:
        if by_mode not in _loaded_models:
            by_kind = (*key, _kind_of(model, revision, mode))
            arguments = {"device": devices[0], "backend": backend, "trust_remote_code": bool(trust_remote_code)}
            if by_kind not in _loaded_models:
                _loaded_models[by_kind] = _load(model, revision, by_kind[-1], dtype, max_length, arguments)
            _loaded_models[by_mode] = _loaded_models[by_kind]
        loaded = _loaded_models[by_mode]
    settings = {
        "batch_size": batch_size or (_CPU_BATCH if loaded.model.device.type == "cpu" else _GPU_BATCH),
        "show_progress_bar": sys.stderr.isatty() if progress is None else progress,
        "device": list(devices) if len(devices) > 1 else None,
    }
    scorer = EncoderScorer(loaded, model, settings)
    if for_similarity:
        _check_similarity(model, scorer.outputs)
    return scorer


def clear_models() -> None:
    """Forget all loaded models: frees their memory, and lets changed folders be read again."""
    _loaded_models.clear()


def _check_name(model: str, folder: Path) -> None:
    """Refuse a model that is neither a folder nor an id of the hub."""
    if folder.is_dir():
        return
    if folder.is_file():
        raise ValueError(f"the model {model!r} is a file; give the folder that it is in")
    if model.startswith((".", "~", "/", "\\")) or model.count("/") > 1 or model.endswith("/"):
        raise ValueError(f"there is no folder {model!r} ({folder.absolute()}); {_ADVICE}")


def _check_similarity(model: str, outputs: int) -> None:
    if outputs != 1:
        raise ValueError(
            f"the model {model!r} gives {outputs} numbers per pair, as classifiers do (entailment, answer equivalence), "
            "and not one similarity; take a cross-encoder trained on sts, such as cross-encoder/stsb-roberta-large"
        )
    remark_on_task(model, _RELEVANCE_PATTERN, "to rate how similar two answers are")


def remark_on_task(model: str, others: re.Pattern[str], task: str) -> None:
    """Remark a model whose name tells of another task."""
    if others.search(last_name(model)):
        remark(
            f"the model {model!r} seems to be trained for another task than {task}; its scores then mean something else"
        )


def last_name(model: str) -> str:
    """The last part of the path or the id of a model."""
    return os.path.basename(os.path.abspath(model))


def _kind_of(model: str, revision: str | None, mode: str) -> str:
    """Whether a model is used as a cross-encoder or as a bi-encoder: "cross" or "bi".

    The files of sentence-transformers count first, then the class of the saved transformer (`config.json`).

    Raises:
        WrongKind: (a ValueError) it is another kind of model, or not of the requested one.
    """
    is_of_sentences = _json_of(model, "modules.json", revision) is not None
    if is_of_sentences:
        saved = _json_of(model, "config_sentence_transformers.json", revision) or {}
        name = saved.get("model_type", "SentenceTransformer")
        is_cross, is_other = name == "CrossEncoder", name not in ("CrossEncoder", "SentenceTransformer")
    else:
        config = _json_of(model, "config.json", revision)
        if config is None:
            raise ValueError(
                f"the model {model!r} has neither modules.json nor config.json here, and on the Hugging Face hub either, if "
                f"that can be reached (hf download {model}); {_ADVICE}"
            )
        name = (config.get("architectures") or [None])[0] or "an unnamed class"
        is_cross, is_other = name.endswith("ForSequenceClassification"), name.endswith("ForCausalLM")
    kind = ", a cross-encoder" if is_cross else ", a bi-encoder" if is_of_sentences and not is_other else ""
    what = f"the model {model!r} was saved as {name}{kind}"
    if is_other:
        raise WrongKind(what, f"{what}, which is neither a cross-encoder nor a sentence encoder; take one of these")
    if not is_cross and mode == "cross":
        raise WrongKind(
            what,
            f"{what}: as a cross-encoder it would get a last layer of random numbers; use mode=auto, or take a "
            "cross-encoder such as cross-encoder/stsb-roberta-large",
        )
    found = mode if mode != "auto" else "cross" if is_cross else "bi"
    if found == "bi" and (is_cross or not is_of_sentences):
        remark(
            f"{what}, and not as a sentence encoder; the mean of its token vectors is compared, for which it may not be trained"
        )
    return found


def _json_of(model: str, name: str, revision: str | None) -> Any:
    """The content of a JSON file of a model; None if there is none."""
    from sentence_transformers.util import load_file_path

    is_folder = os.path.isdir(os.path.expanduser(model))
    with _loading_errors(model):
        path = load_file_path(
            os.path.expanduser(model),
            name,
            revision=None if is_folder else revision,
            cache_folder=os.getenv("SENTENCE_TRANSFORMERS_HOME"),
        )
        try:
            return None if path is None else json.loads(Path(path).read_text("utf-8"))
        except ValueError as error:
            raise ValueError(f"{path} is not valid JSON: {error}") from None


def _load(
    model: str, revision: str | None, kind: str, dtype: str, max_length: int | None, arguments: dict[str, Any]
) -> _Loaded:
    import torch
    from sentence_transformers import CrossEncoder, SentenceTransformer

    folder = Path(model).expanduser()
    fingerprint = _fingerprint(folder) if folder.is_dir() else None
    if fingerprint is not None and revision not in (None, fingerprint):
        raise ValueError(
            f"revision={revision!r} does not fit the folder {model!r}, which has the fingerprint {fingerprint!r}: it holds "
            "another version of the model; omit revision to use it anyway"
        )
    if arguments["backend"] == "torch":
        arguments = {**arguments, "model_kwargs": {"dtype": getattr(torch, dtype)}}
    with _untrained_weights(model, kind), _loading_errors(model, arguments["device"]):
        encoder: Any = (CrossEncoder if kind == "cross" else SentenceTransformer)(
            str(folder) if fingerprint else model, revision=None if fingerprint else revision, **arguments
        )
    encoder.eval()
    tokenizer: Any = getattr(encoder, "tokenizer", None)
    if hasattr(tokenizer, "all_special_tokens") and set(tokenizer.get_vocab()) <= set(tokenizer.all_special_tokens):
        raise ValueError(
            f"the model {model!r} has no vocabulary: the files of its tokenizer (such as tokenizer.json or vocab.txt) are "
            "missing; save the tokenizer into the folder of the weights"
        )
    _set_length(model, encoder, kind, max_length)
    return _Loaded(encoder, kind, fingerprint or _commit(model, revision) or revision, threading.RLock())


def _commit(model: str, revision: str | None) -> str | None:
    """The commit of a downloaded model; None if unknown."""
    from huggingface_hub import try_to_load_from_cache

    cache = os.getenv("SENTENCE_TRANSFORMERS_HOME")
    for name in ("modules.json", "config.json"):
        path = try_to_load_from_cache(model, name, cache_dir=cache, revision=revision)
        if isinstance(path, str):
            return Path(path).parent.name  # of .../snapshots/COMMIT/config.json
    return None


def _set_length(model: str, encoder: Any, kind: str, max_length: int | None) -> None:
    """Set the number of tokens that a model reads: max_length, at most as many as it has positions."""
    most = _position_count(encoder)
    if max_length is None:
        if most is not None and (encoder.max_seq_length or most) >= most:
            encoder.max_seq_length = most
        return
    if most is not None and max_length > most:
        raise ValueError(f"option max_length={max_length} is more than the {most} tokens the model {model!r} reads")
    if callable(tokenizer := getattr(encoder, "tokenizer", None)):
        texts = ("", "") if kind == "cross" else (_prompt(encoder),)
        least = len(tokenizer(*([text] for text in texts), verbose=False)["input_ids"][0]) + len(texts) + 1
        if max_length < least:
            raise ValueError(
                f"option max_length={max_length} leaves the model {model!r} almost nothing of the texts, so all pairs "
                f"would score alike; it must be at least {least}"
            )
    encoder.max_seq_length = max_length


def _position_count(encoder: Any) -> int | None:
    """How many tokens a transformer has positions for; None if that is open or unknown."""
    import torch

    for name, module in encoder.named_modules():
        if name.endswith("position_embeddings") and isinstance(module, torch.nn.Embedding):
            return module.num_embeddings - (0 if module.padding_idx is None else module.padding_idx + 1)
    count = getattr(getattr(encoder, "config", None), "max_position_embeddings", None)
    return count if isinstance(count, int) and count > 0 else None


def _prompt(encoder: Any) -> str:
    """The text that a model puts before each of its inputs; mostly none."""
    return (getattr(encoder, "prompts", None) or {}).get(getattr(encoder, "default_prompt_name", None)) or ""


@contextlib.contextmanager
def _loading_errors(model: str, device: str | None = None) -> Iterator[None]:
    """Turns errors of the libraries into one with the model's name."""
    try:
        yield
    except (ImportError, MemoryError, WrongKind):
        raise
    except Exception as error:
        text = " ".join(str(error).split())
        if "trust_remote_code" in text:
            raise ValueError(
                f"the model {model!r} comes with code, which is not run; if you trust its author, give trust_remote_code=True"
            ) from error
        raise ValueError(
            f"the model {model!r} could not be loaded{'' if device is None else f' on {device}'}: {type(error).__name__}: "
            f"{text if len(text) <= 400 else text[:397] + '...'}; {_ADVICE}"
        ) from error


@contextlib.contextmanager
def _untrained_weights(model: str, kind: str) -> Iterator[None]:
    """Refuse a model that lacks weights, which transformers draws at random and reports in its log."""
    missing: list[str] = []

    class Handler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            rows = [line.split("|") for line in record.getMessage().splitlines()]
            missing.extend(row[0].strip() for row in rows if len(row) > 1 and "MISSING" in row[1])

    handler, logger = Handler(), logging.getLogger("transformers")
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
    if kind == "bi":  # sentence encoders do not use the pooler of their transformer, which is often missing
        missing = [name for name in missing if not name.startswith("pooler.")]
    if missing:
        raise ValueError(
            f"the weights {first_names(missing, 5)} of the model {model!r} are not in its files, so they would be random numbers; take a "
            f"{kind}-encoder that was trained and saved whole"
        )


def _fingerprint(folder: Path) -> str:
    """The version of a folder's model: "folder-" and 12 hexadecimal digits.

    The BLAKE2b hash of names and contents of its configuration, weights and tokenizer; the path of the folder does not matter.
    """
    from huggingface_hub.utils import filter_repo_objects

    paths = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    names = [path for path in paths if not any(part.startswith(".") for part in path.parts)]
    has_safetensors = any(path.suffix == ".safetensors" for path in names if len(path.parts) == 1)
    surplus = [*_SURPLUS_FILES, *(("pytorch_model*.bin", "pytorch_model.bin.index.json") if has_safetensors else ())]
    digest = hashlib.blake2b(digest_size=6)
    for name in filter_repo_objects(
        sorted(name.as_posix() for name in names), allow_patterns=list(_MODEL_FILES), ignore_patterns=surplus
    ):
        size = (folder / name).stat().st_size
        digest.update(f"{name}\0{size}\0".encode("utf-8", "surrogateescape"))
        with open(folder / name, "rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
    return f"folder-{digest.hexdigest()}"
