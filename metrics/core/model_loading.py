"""Finds out what kind of model a folder or hub id holds, loads it once per process, and says plainly when it cannot.

A loaded model stays in memory for the next call; `clear_models()` frees it, and ends the processes of several devices.
"""

import contextlib
import fnmatch
import hashlib
import importlib.metadata
import importlib.util
import json
import os
import re
import threading
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from .columns import describe
from .encoders import (
    BiEncoderScorer,
    CrossEncoderScorer,
    EncoderScorer,
    LoadedEncoder,
    model_prompt,
    position_count,
)
from .model_backends import onnx_forward, openvino_forward, quiet_transformers, require_backend
from .options import check_choice, check_whole

_MODEL_MODES = ("auto", "cross", "bi")
MODEL_DTYPES = ("float32", "bfloat16", "float16")
MODEL_BACKENDS = ("torch", "onnx", "openvino")
_HUB_TIMEOUT = 5.0
# Copies of the weights in other formats, and papers' pictures: not needed, and often larger than the model itself.
_SURPLUS_FILES = (
    "onnx/*", "openvino/*", "*.onnx", "*.h5", "*.msgpack", "*.ot", "*.gguf", "*.mlmodel", "*.png", "*.jpg", "*.pdf",
)  # fmt: skip
_OFFLINE_CURE = 'give the folder of a model on this machine, or use the built-in scorer: model="lite"'
# What a folder's fingerprint is taken of: not the pictures and notes beside the model.
_MODEL_FILES = ("*.json", "*.safetensors", "pytorch_model*.bin", "*.txt", "*.model", "*.jinja", "*.py")
_COMMIT_PATTERN = re.compile("[0-9a-f]{40}")
_RELEVANCE_PATTERN = re.compile("rerank|ms-?marco", re.IGNORECASE)

_loaded_models: dict[tuple, LoadedEncoder] = {}
_model_locks: dict[tuple, Any] = {}
_build_lock = threading.Lock()


class ModelNotFound(ValueError, OSError):
    """A folder that is not there, an unknown id, or a hub that cannot be reached."""


class _ModelSource(NamedTuple):
    """Where a model is.

    Attributes:
        folder: its files (at first perhaps only the small ones), on this machine.
        hub_id: its id on the hub; None for a folder of the user's.
        commit: the version of it on the hub; of a folder its fingerprint, or None where that was not needed so far.
        cached: whether what was downloaded earlier must do, as the hub cannot be asked or need not be.
    """

    folder: Path
    hub_id: str | None = None
    commit: str | None = None
    cached: bool = False


def load_scorer(
    model: str,
    *,
    revision: str | None = None,
    mode: str = "auto",
    device: Any = None,
    dtype: str = "float32",
    batch_size: int | None = None,
    num_threads: int | None = None,
    backend: str = "torch",
    max_length: int | None = None,
    trust_remote_code: bool = False,
    progress: bool | None = None,
) -> EncoderScorer:
    """The scorer of a cross-encoder or bi-encoder. A model already loaded in this process is used again.

    Args:
        model: a folder, or an id on the Hugging Face hub.
        revision: branch, tag or commit on the hub; of a folder the fingerprint that it must have.
        mode: "auto" looks what kind the model is; "cross" or "bi" asks for one.
        device: a name such as "cpu" or "cuda:1", or a torch.device; None takes the best there is. A list of several
            starts one process each, which stay for the next call (see `clear_models`); a script must then score under
            `if __name__ == "__main__":`, as each process runs it again up to there.
        dtype: "float32", "bfloat16" (about twice as fast on processors made for it) or, on a GPU, "float16". In half
            precision scores are off by up to about .01, and a pair's score shifts by as much with the pairs that share
            its batch; in float32 by less than 1e-5.
        batch_size: most pairs (or texts) of one forward pass; None: 64 on the CPU, and on a GPU as many as its token
            budget holds.
        num_threads: threads while scoring.
        backend: "torch", "onnx" or "openvino" (both on the CPU, converted on first use).
        max_length: most tokens of a pair (or text); None for what the model was made for.
        trust_remote_code: run Python code that comes with the model.
        progress: True, False, or None for a bar on terminals only.

    Raises:
        ImportError: sentence-transformers or the backend is not installed.
        ModelNotFound: (a ValueError and OSError) there is no such folder or id, or the hub cannot be reached.
        TypeError: an option is of a wrong type.
        ValueError: an option is wrong, or the model is of a kind that gives no similarity of two texts.

    Example:
        >>> scorer = load_scorer("cross-encoder/stsb-roberta-large")  # doctest: +SKIP
        >>> scorer.mode  # doctest: +SKIP
        'cross'
    """
    check_choice("mode", mode, _MODEL_MODES)
    check_choice("dtype", dtype, MODEL_DTYPES)
    check_choice("backend", backend, MODEL_BACKENDS)
    for name, value in (("batch_size", batch_size), ("num_threads", num_threads), ("max_length", max_length)):
        if value is not None:
            check_whole(name, value)
    model = os.fspath(model)
    _require_sentence_transformers()
    require_backend(backend)
    options = _EncoderOptions(_device_list(device), dtype, backend, max_length, bool(trust_remote_code))
    loaded = _loaded_encoder(model, revision, mode, options)
    _warn_of_relevance(model)
    scorer = CrossEncoderScorer if loaded.mode == "cross" else BiEncoderScorer
    return scorer(loaded, model, revision=revision, batch_size=batch_size, num_threads=num_threads, progress=progress)


def clear_models() -> None:
    """Forget all loaded models: frees their memory, ends their processes, and lets changed folders be read anew."""
    forgotten = {id(loaded): loaded for loaded in list(_loaded_models.values())}
    _loaded_models.clear()
    for loaded in forgotten.values():
        loaded.stop_workers()


class _EncoderOptions(NamedTuple):
    """What of the options makes another model in memory."""

    devices: tuple[str | None, ...]
    dtype: str
    backend: str
    max_length: int | None
    trust_remote_code: bool


def _loaded_encoder(model: str, revision: str | None, mode: str, options: _EncoderOptions) -> LoadedEncoder:
    """The model in memory, loaded at the first call; other models can be used and downloaded meanwhile."""
    path = Path(model).expanduser()
    local = path.is_dir()
    place = (str(path.resolve()), None) if local else (model, revision)
    loaded = _loaded_models.get((*place, mode, options))
    if loaded is None:
        with _model_locks.setdefault((*place, options), threading.RLock()):
            loaded = _loaded_models.get((*place, mode, options))
            if loaded is None:
                source = _find_model(model, revision)
                kind = model_kind(model, mode=mode, source=source, trust_remote_code=options.trust_remote_code)
                loaded = _loaded_models.get((*place, kind, options))
                if loaded is None:
                    _check_devices(options.devices, options.dtype, options.backend)
                    loaded = _load_encoder(model, _complete_model(model, source), kind, options)
                _loaded_models[(*place, mode, options)] = _loaded_models[(*place, kind, options)] = loaded
    if local and revision is not None:
        _check_fingerprint(model, revision, loaded.revision)
    return loaded


def model_kind(
    model: str,
    *,
    revision: str | None = None,
    mode: str = "auto",
    source: _ModelSource | None = None,
    trust_remote_code: bool = False,
) -> str:
    """Whether a model is a cross-encoder or a bi-encoder: "cross" or "bi".

    What sentence-transformers wrote beside the model counts first (`modules.json`), then the class of the saved
    transformer (`config.json`). Explicit modes win, except where the result would have untrained weights.

    Args:
        model: a folder, or an id on the Hugging Face hub.
        revision: branch, tag or commit on the hub; of a folder the fingerprint that it must have.
        mode: "auto", or the kind that is wanted.
        source: where it is, if that is known.
        trust_remote_code: whether the configuration may be read by code that comes with the model.

    Raises:
        ModelNotFound: there is no such folder or id, or the hub cannot be reached.
        ValueError: it is another kind of model, or not of the wanted one.
    """
    check_choice("mode", mode, _MODEL_MODES)
    source = source or _find_model(model, revision)
    if (source.folder / "modules.json").is_file():
        return _modular_kind(model, source.folder, mode)
    return _classic_kind(model, source.folder, mode, trust_remote_code)


def _warn_of_relevance(model: str) -> None:
    path = Path(model).expanduser()
    name = os.path.basename(os.path.abspath(path)) if path.is_dir() else model
    if _RELEVANCE_PATTERN.search(name):
        warnings.warn(
            f"the model {model!r} seems to rate how relevant a passage is to a query, not how similar two answers are; "
            "take one trained on semantic textual similarity (sts)",
            UserWarning,
            stacklevel=3,
        )


def _modular_kind(model: str, folder: Path, mode: str) -> str:
    saved = _read_model_json(folder, "config_sentence_transformers.json") or {}
    kind = saved.get("model_type", "SentenceTransformer")
    if kind not in ("SentenceTransformer", "CrossEncoder"):
        raise ValueError(
            f"the model {model!r} is a {kind}, which is neither a cross-encoder nor a sentence encoder with one vector "
            "per text; take one of these"
        )
    if kind == "SentenceTransformer" and mode == "cross":
        raise ValueError(
            f"the model {model!r} is a bi-encoder: as a cross-encoder it would get a last layer of random numbers; "
            "use mode='bi' or 'auto', or take a cross-encoder such as cross-encoder/stsb-roberta-large"
        )
    if kind == "CrossEncoder" and mode == "bi":
        _warn_dropped_head(model)
    return mode if mode != "auto" else "cross" if kind == "CrossEncoder" else "bi"


def _classic_kind(model: str, folder: Path, mode: str, trust_remote_code: bool) -> str:
    config = _read_model_json(folder, "config.json")
    if config is None:
        raise ValueError(
            f"the model {model!r} has neither modules.json nor config.json, so it is no sentence-transformers or "
            f"transformers model ({folder} holds {_listing(folder)})"
        )
    architecture = ((config.get("architectures") or [None])[0]) or "an unnamed class"
    if architecture.endswith("ForCausalLM"):
        raise ValueError(
            f"the model {model!r} is {architecture}, which writes text; take a cross-encoder such as "
            "cross-encoder/stsb-roberta-large, or a sentence encoder"
        )
    classifier = architecture.endswith("ForSequenceClassification")
    if mode == "bi" or not classifier:
        if mode == "cross":
            raise ValueError(
                f"the model {model!r} was saved as {architecture}: as a cross-encoder it would get a last layer of "
                "random numbers; use mode='bi', or take a cross-encoder such as cross-encoder/stsb-roberta-large"
            )
        if classifier:
            _warn_dropped_head(model)
        else:
            warnings.warn(
                f"the model {model!r} was saved as {architecture} and not as a sentence encoder; the mean of its token "
                "vectors is compared, for which it may not be trained",
                UserWarning,
                stacklevel=3,
            )
        return "bi"
    _check_labels(model, _count_labels(model, folder, trust_remote_code))
    return "cross"


def _warn_dropped_head(model: str) -> None:
    warnings.warn(
        f"the model {model!r} is a cross-encoder; with mode='bi' its last layer is dropped and the mean of its token "
        "vectors compared, for which it is not trained",
        UserWarning,
        stacklevel=4,
    )


def _count_labels(model: str, folder: Path, trust_remote_code: bool) -> int:
    from transformers import AutoConfig

    with _loading_errors(model):
        return AutoConfig.from_pretrained(folder, trust_remote_code=trust_remote_code).num_labels


def _check_labels(model: str, count: int) -> None:
    if count != 1:
        raise ValueError(
            f"the model {model!r} gives {count} numbers per pair, as classifiers do (entailment, answer equivalence), "
            "and not one similarity; take a cross-encoder trained on sts, such as cross-encoder/stsb-roberta-large"
        )


def _require_sentence_transformers() -> None:
    """Refuse to go on without the packages that models need.

    Raises:
        ImportError: naming what to install.
    """
    missing = [name for name in ("torch", "sentence_transformers") if importlib.util.find_spec(name) is None]
    if missing:
        names = " and ".join(name.replace("_", "-") for name in missing)
        raise ImportError(
            f'models need {names}, not installed here: pip install "karat[sas]"; model="lite" works without'
        )
    found = importlib.metadata.version("sentence-transformers")
    if int(found.split(".")[0]) < 6:
        raise ImportError(
            f'models need sentence-transformers 6 or later, here is {found}: pip install -U "karat[sas]"; '
            'model="lite" works without'
        )


def _find_model(model: str, revision: str | None = None) -> _ModelSource:
    """The folder of a model: the user's own, or that of the hub's cache, with its small files downloaded.

    Never waits long: where the hub cannot be reached, what was downloaded earlier is used, or an error says what to do.

    Raises:
        ModelNotFound: there is no such folder or id, or the hub cannot be reached.
        ValueError: a folder that has another fingerprint than the revision.
    """
    if not model.strip():
        raise ValueError('option model is empty; give a folder, the id of a model on the hub, or "lite"')
    path = Path(model).expanduser()
    if path.is_dir():
        folder = path.resolve()
        if revision is None:
            return _ModelSource(folder)
        fingerprint = _fingerprint(folder)
        _check_fingerprint(model, revision, fingerprint)
        return _ModelSource(folder, commit=fingerprint)
    if path.is_file():
        raise ModelNotFound(f"the model {model!r} is a file; give the folder that it is in")
    if model.startswith((".", "~", "/", "\\")) or "\\" in model or model.count("/") > 1 or model.endswith("/"):
        raise ModelNotFound(f"there is no folder {model!r} ({path.absolute()}); {_OFFLINE_CURE}")
    return _find_on_hub(model, revision)


def _find_on_hub(model: str, revision: str | None) -> _ModelSource:
    from huggingface_hub import HfApi, snapshot_download
    from huggingface_hub.errors import HFValidationError, RepositoryNotFoundError, RevisionNotFoundError

    try:
        if revision is not None and _COMMIT_PATTERN.fullmatch(revision):
            folder = _cached_snapshot(model, revision)
            if folder is not None and _is_complete(folder, model, revision):
                return _ModelSource(folder, model, revision, cached=True)
        HfApi().model_info(model, revision=revision, timeout=_HUB_TIMEOUT)
    except HFValidationError as error:
        raise ModelNotFound(f"{model!r} is neither a folder nor an id of the hub; {_OFFLINE_CURE}") from error
    except RevisionNotFoundError as error:
        raise ModelNotFound(f"the model {model!r} has no revision {revision!r} on the Hugging Face hub") from error
    except RepositoryNotFoundError as error:
        folder = _usable_download(model, revision, error)
        if folder is not None:
            return _ModelSource(folder, model, folder.name, cached=True)
        hint = "" if "/" in model else f"; ids have two parts, such as cross-encoder/{model}"
        raise ModelNotFound(
            f"there is no folder {model!r}, and no model of that name on the Hugging Face hub that you may read{hint} "
            f"(for a private one, log in with: hf auth login); {_OFFLINE_CURE}"
        ) from error
    except Exception as error:  # each version of the hub's client has its own errors of the network
        folder = _usable_download(model, revision, error)
        if folder is not None:
            return _ModelSource(folder, model, folder.name, cached=True)
        version = f" at revision {revision!r}" if revision else ""
        raise ModelNotFound(
            f"the model {model!r}{version} is not on this machine, and the Hugging Face hub cannot be reached "
            f"({type(error).__name__}). On a machine with network run: {_download_line(model, revision)} --local-dir "
            f'FOLDER, and give that folder as the model; or use the built-in scorer: model="lite"'
        ) from error
    with _loading_errors(model):  # by the name of the revision, for which the client remembers the commit
        folder = snapshot_download(
            model, revision=revision or "main", cache_dir=_hub_cache(), allow_patterns=["*.json"]
        )
    return _ModelSource(Path(folder), model, Path(folder).name)


def _usable_download(model: str, revision: str | None, error: Exception) -> Path | None:
    """The folder of what was downloaded earlier, for use after the hub's error; None where that is nothing.

    Raises:
        ModelNotFound: only the small files are there.
    """
    folder = _cached_snapshot(model, revision)
    if folder is not None and not _has_weights(folder):
        cache = f" --cache-dir {_hub_cache()}" if _hub_cache() else ""
        raise ModelNotFound(
            f"the download of the model {model!r} was never finished ({folder} lacks weights), and the Hugging Face hub "
            f"does not give the rest ({type(error).__name__}). With network run: {_download_line(model, revision)}{cache}; "
            'or use the built-in scorer: model="lite"'
        ) from error
    return folder


def _download_line(model: str, revision: str | None) -> str:
    return f"hf download {model}" + (f" --revision {revision}" if revision else "")


def _is_complete(folder: Path, model: str, commit: str) -> bool:
    """Whether a downloaded folder has all that a model needs, also by the list of files that the client keeps."""
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import LocalEntryNotFoundError

    try:
        snapshot_download(
            model,
            revision=commit,
            cache_dir=_hub_cache(),
            local_files_only=True,
            allow_patterns=list(_MODEL_FILES),
            ignore_patterns=_surplus_files(path.name for path in folder.iterdir()),
        )
    except LocalEntryNotFoundError:
        return False
    return _has_weights(folder)


def _cached_snapshot(model: str, revision: str | None) -> Path | None:
    from huggingface_hub import try_to_load_from_cache

    for name in ("modules.json", "config.json"):
        path = try_to_load_from_cache(model, name, cache_dir=_hub_cache(), revision=revision)
        if isinstance(path, str):
            return Path(path).parent
    return None


def _has_weights(folder: Path) -> bool:
    """Whether the weights of the first module are there, all parts of them; of unusual modules, whether any are."""
    modules = _read_model_json(folder, "modules.json")
    root = folder / modules[0].get("path", "") if modules else folder
    files = _weight_files(root)
    if files:
        return all(path.is_file() for path in files)
    return any(path.suffix in (".safetensors", ".bin") for path in folder.rglob("*"))


def _weight_files(root: Path) -> list[Path]:
    """The files that hold a module's weights, as its folder names them; [] where it has none."""
    for name in ("model.safetensors", "pytorch_model.bin"):
        if (root / name).is_file():
            return [root / name]
        index = _read_model_json(root, f"{name}.index.json")
        if index is not None:
            return [root / part for part in sorted(set(index["weight_map"].values()))]
    return []


def _complete_model(model: str, source: _ModelSource) -> _ModelSource:
    if source.hub_id is None:
        return source if source.commit else source._replace(commit=_fingerprint(source.folder))
    if source.cached:
        return source
    from huggingface_hub import snapshot_download

    with _loading_errors(model):
        files = [name for name in _hub_files(source) if "/" not in name]
        folder = snapshot_download(
            source.hub_id, revision=source.commit, cache_dir=_hub_cache(), ignore_patterns=_surplus_files(files)
        )
    return source._replace(folder=Path(folder))


def _surplus_files(names: Iterable[str]) -> list[str]:
    """Patterns of the files that are not needed beside those at the top of a model's folder."""
    twice = any(name.endswith(".safetensors") for name in names)
    return [*_SURPLUS_FILES, *(("pytorch_model*.bin", "pytorch_model.bin.index.json") if twice else ())]


def _fingerprint(folder: Path) -> str:
    """What tells one version of a folder's model from another: "folder-" and 12 hexadecimal digits.

    The BLAKE2b hash of names and contents of its configuration, weights and tokenizer, wherever the folder lies.
    """
    paths = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    names = [path for path in paths if not any(part.startswith(".") for part in path.parts)]
    surplus = [*_surplus_files(name.name for name in names if len(name.parts) == 1), "checkpoint-*/*"]
    digest = hashlib.blake2b(digest_size=6)
    for name in sorted(name.as_posix() for name in names):
        if _matches(name, _MODEL_FILES) and not _matches(name, surplus):
            size = (folder / name).stat().st_size
            digest.update(f"{name}\0{size}\0".encode("utf-8", "surrogateescape"))
            with open(folder / name, "rb") as file:
                while block := file.read(1 << 20):
                    digest.update(block)
    return f"folder-{digest.hexdigest()}"


def _matches(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def _check_fingerprint(model: str, revision: str, fingerprint: str) -> None:
    if revision != fingerprint:
        raise ValueError(
            f"option revision={revision!r} does not fit the folder {model!r}, whose fingerprint is {fingerprint!r}: it "
            "holds another version of the model; leave revision out to use it all the same"
        )


def _hub_files(source: _ModelSource) -> list[str]:
    from huggingface_hub import HfApi

    return HfApi().list_repo_files(source.hub_id, revision=source.commit)


def _hub_cache() -> str | None:
    return os.environ.get("SENTENCE_TRANSFORMERS_HOME")


def _load_encoder(model: str, source: _ModelSource, kind: str, options: _EncoderOptions) -> LoadedEncoder:
    several, converted_here = len(options.devices) > 1, options.backend != "torch"
    device = "cpu" if several or converted_here else options.devices[0]
    hint = f"; its download may be unfinished: {_download_line(model, source.commit)}" if source.cached else ""
    # transformers sets torch's default dtype while it loads, for all threads
    with _build_lock, _loading_errors(model, hint), quiet_transformers():
        encoder = _build_encoder(model, source.folder, kind, device, options)
    if kind == "cross":
        _check_labels(model, encoder.num_labels)
    encoder.eval()
    if options.max_length is not None:
        _check_max_length(model, encoder, kind, options.max_length)
        encoder.max_seq_length = options.max_length
    return LoadedEncoder(
        encoder,
        kind,
        revision=source.commit,
        devices=options.devices if several else (),
        backend=options.backend,
        convert={"torch": None, "onnx": onnx_forward, "openvino": openvino_forward}[options.backend],
        dtype=options.dtype,
    )


def _build_encoder(model: str, folder: Path, kind: str, device: str | None, options: _EncoderOptions):
    import torch
    from sentence_transformers import CrossEncoder, SentenceTransformer

    encoder = (CrossEncoder if kind == "cross" else SentenceTransformer)(
        str(folder),
        device=device,
        trust_remote_code=options.trust_remote_code,
        local_files_only=True,
        model_kwargs={"dtype": getattr(torch, options.dtype) if options.backend == "torch" else torch.float32},
    )
    if kind == "cross" and getattr(encoder[0], "transformer_task", None) == "sequence-classification":
        missing = _untrained_weights(folder, encoder.transformers_model, options.trust_remote_code)
        if missing:
            raise ValueError(
                f"the weights {', '.join(missing)} of the model {model!r} are not in its files, so they would be "
                "random numbers; take a cross-encoder that was trained and saved whole"
            )
    return encoder


def _check_max_length(model: str, encoder, kind: str, max_length: int) -> None:
    most = position_count(encoder)
    if most is not None and max_length > most:
        raise ValueError(f"option max_length={max_length} is more than the {most} tokens the model {model!r} reads")
    if not callable(getattr(encoder, "tokenizer", None)):
        return
    texts = ("", "") if kind == "cross" else (model_prompt(encoder),)
    read = encoder.tokenizer(*([text] for text in texts), verbose=False)["input_ids"][0]
    least = len(read) + len(texts) + 1
    if max_length < least:
        raise ValueError(
            f"option max_length={max_length} leaves the model {model!r} next to nothing of the texts, so that all pairs "
            f"would score alike; it must be at least {least}"
        )


def _untrained_weights(folder: Path, loaded, trust_remote_code: bool = False) -> list[str]:
    """Names of the weights that a sequence classification folder lacks, which transformers would draw at random.

    Compares names first, as loading a second time takes as long and as much memory as the first: only where one has no
    counterpart in the files (an old spelling, or indeed a lack), transformers says what it makes of it.

    Args:
        folder: the model's.
        loaded: the transformer that was loaded from it.
        trust_remote_code: whether code of the model may be run.
    """
    from transformers import AutoModelForSequenceClassification

    modules = _read_model_json(folder, "modules.json")
    root = folder / modules[0].get("path", "") if modules else folder
    saved = {_plain_name(name, loaded) for name in _saved_names(root)}
    tied = set(getattr(loaded, "all_tied_weights_keys", None) or ())
    wanted = {name for name, _ in loaded.named_parameters(remove_duplicate=False)} - tied
    if saved and {_plain_name(name, loaded) for name in wanted} <= saved:
        return []
    _, report = AutoModelForSequenceClassification.from_pretrained(
        root, output_loading_info=True, trust_remote_code=trust_remote_code, local_files_only=True
    )
    return sorted({*report["missing_keys"], *(str(key) for key in report["mismatched_keys"])})


def _saved_names(root: Path) -> list[str]:
    """Names of the weights in a module's files; reads none of the numbers."""
    import torch
    from safetensors import safe_open

    names: list[str] = []
    for path in _weight_files(root):
        if path.suffix == ".safetensors":
            with safe_open(path, framework="pt") as file:
                names.extend(file.keys())
        else:
            names.extend(torch.load(path, map_location="meta", weights_only=True))
    return names


def _plain_name(name: str, loaded) -> str:
    """A weight's name without the prefix that some files have and some lack, and with today's names of LayerNorm's."""
    name = name.removeprefix(f"{loaded.base_model_prefix}.")
    return re.sub(r"LayerNorm\.beta$", "LayerNorm.bias", re.sub(r"LayerNorm\.gamma$", "LayerNorm.weight", name))


@contextlib.contextmanager
def _loading_errors(model: str, hint: str = "") -> Iterator[None]:
    """Errors of the libraries as one that names the model, with a hint after it; our own pass."""
    try:
        yield
    except (ImportError, MemoryError):
        raise
    except Exception as error:
        if isinstance(error, ValueError) and repr(model) in str(error):
            raise
        text = " ".join(str(error).split())
        raise ValueError(
            f"the model {model!r} could not be loaded: {type(error).__name__}: "
            f"{text if len(text) <= 400 else text[:397] + '...'}{hint}"
        ) from error


def _device_list(given: Any) -> tuple[str | None, ...]:
    """The devices as names, None for the best there is.

    Raises:
        TypeError: something else than a name, a torch.device or None.
        ValueError: an empty list.
    """
    import torch

    names = tuple(given) if isinstance(given, (list, tuple)) else (given,)
    if not names:
        raise ValueError("option device is an empty list; name a device, or leave it away")
    for name in names:
        if name is not None and not isinstance(name, (str, torch.device)):
            raise TypeError(
                f'option device must be a name such as "cpu" or "cuda:0", a torch.device, or a list of these; '
                f"got {describe(name)}"
            )
        if name is None and len(names) > 1:
            raise TypeError("option device has None among several devices; name each of them")
    return tuple(None if name is None else str(name) for name in names)


def _check_devices(devices: tuple[str | None, ...], dtype: str, backend: str) -> None:
    import torch

    for name in devices:
        if name is not None and not _has_device(name):
            raise ValueError(f"option device={name!r} is not here; there is: {', '.join(_device_names())}")
    if backend != "torch":
        if any(name not in (None, "cpu") for name in devices) or len(devices) > 1:
            raise ValueError(f"backend={backend!r} works on the CPU; leave device away, or use backend='torch'")
        if dtype == "float16" or (backend == "onnx" and dtype != "float32"):
            raise ValueError(f"backend={backend!r} does not work in dtype={dtype!r}; use dtype='float32'")
    elif dtype == "float16":
        for name in devices:
            if not (name.startswith("cuda") if name is not None else torch.cuda.is_available()):
                raise ValueError("dtype='float16' is slower than float32 without a GPU; use dtype='bfloat16'")


def _has_device(name: str) -> bool:
    import torch

    try:
        device = torch.device(name)
    except RuntimeError:
        return False
    if device.type == "cpu":
        return True
    if device.type == "mps":
        return torch.backends.mps.is_available()
    module = getattr(torch, device.type, None)
    if module is None or not hasattr(module, "is_available") or not module.is_available():
        return False
    return device.index is None or device.index < module.device_count()


def _device_names() -> list[str]:
    import torch

    cards = [f"cuda:{i}" for i in range(torch.cuda.device_count())]
    return ["cpu", *(cards or ["(no cuda)"]), *(["mps"] if torch.backends.mps.is_available() else ["(no mps)"])]


def _read_model_json(folder: Path, name: str) -> Any:
    path = folder / name
    if not path.is_file():
        return None
    try:
        return json.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise ValueError(f"{path} is no valid JSON: {error}") from error


def _listing(folder: Path) -> str:
    names = sorted(path.name for path in folder.iterdir() if not path.name.startswith("."))
    return ", ".join(names[:8]) + (", ..." if len(names) > 8 else "") if names else "nothing"
