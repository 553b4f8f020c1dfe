"""Finds out what kind of model a folder or hub id holds, loads it once per process, and says plainly when it cannot."""

import contextlib
import importlib.metadata
import importlib.util
import json
import os
import threading
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from .columns import describe
from .encoders import (
    BiEncoderScorer,
    CrossEncoderScorer,
    EncoderScorer,
    LoadedEncoder,
    position_count,
)
from .model_backends import onnx_forward, openvino_forward, quiet_transformers, require_backend
from .options import check_choice, check_whole

MODEL_MODES = ("auto", "cross", "bi")
MODEL_DTYPES = ("float32", "bfloat16", "float16")
MODEL_BACKENDS = ("torch", "onnx", "openvino")
HUB_TIMEOUT = 5.0
# Copies of the weights in other formats, and papers' pictures: not needed, and often larger than the model itself.
SURPLUS_FILES = (
    "onnx/*", "openvino/*", "*.onnx", "*.h5", "*.msgpack", "*.ot", "*.gguf", "*.mlmodel", "*.png", "*.jpg", "*.pdf",
)  # fmt: skip
OFFLINE_CURE = 'give the folder of a model on this machine, or use the built-in scorer: model="lite"'

_loaded_models: dict[tuple, LoadedEncoder] = {}
_loading_lock = threading.RLock()


class ModelNotFound(ValueError, OSError):
    """A folder that is not there, an unknown id, or a hub that cannot be reached."""


class ModelSource(NamedTuple):
    """Where a model is.

    Attributes:
        folder: its files (at first perhaps only the small ones), on this machine.
        hub_id: its id on the hub; None for a folder of the user's.
        commit: the version of it on the hub; None for a folder of the user's.
        cached: whether the hub could not be asked, so that what was downloaded earlier must do.
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
    device: str | Sequence[str] | None = None,
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
        revision: branch, tag or commit on the hub.
        mode: "auto" looks what kind the model is; "cross" or "bi" asks for one.
        device: such as "cpu" or "cuda:1"; None takes the best there is; several start one process each.
        dtype: "float32", "bfloat16" (about twice as fast on processors made for it, scores within about .01) or,
            on a GPU, "float16".
        batch_size: most pairs (or texts) of one forward pass.
        num_threads: threads while scoring.
        backend: "torch", "onnx" or "openvino" (both on the CPU, converted on first use).
        max_length: most tokens of a pair (or text); None for what the model was made for.
        trust_remote_code: run Python code that comes with the model.
        progress: True, False, or None for a bar on terminals only.

    Raises:
        ImportError: sentence-transformers or the backend is not installed.
        ModelNotFound: (a ValueError and OSError) there is no such folder or id, or the hub cannot be reached.
        ValueError: an option is wrong, or the model is of a kind that gives no similarity of two texts.

    Example:
        >>> scorer = load_scorer("cross-encoder/stsb-roberta-large")  # doctest: +SKIP
        >>> scorer.mode  # doctest: +SKIP
        'cross'
    """
    check_choice("mode", mode, MODEL_MODES)
    check_choice("dtype", dtype, MODEL_DTYPES)
    check_choice("backend", backend, MODEL_BACKENDS)
    for name, value in (("batch_size", batch_size), ("num_threads", num_threads), ("max_length", max_length)):
        if value is not None:
            check_whole(name, value)
    model = os.fspath(model)
    devices = tuple(device) if isinstance(device, (list, tuple)) else (device,)
    require_sentence_transformers()
    require_backend(backend)
    key = (_model_key(model), revision, mode, devices, dtype, backend, max_length, bool(trust_remote_code))
    with _loading_lock:
        if key not in _loaded_models:
            source = find_model(model, revision)
            kind = model_kind(model, mode=mode, source=source, trust_remote_code=trust_remote_code)
            kind_key = (*key[:2], kind, *key[3:])
            if kind_key not in _loaded_models:
                _check_devices(devices, dtype, backend)
                source = _complete_model(model, source)
                _loaded_models[kind_key] = _load_encoder(
                    model, source, kind, devices, dtype, backend, max_length, bool(trust_remote_code)
                )
            _loaded_models[key] = _loaded_models[kind_key]
        loaded = _loaded_models[key]
    scorer = CrossEncoderScorer if loaded.mode == "cross" else BiEncoderScorer
    return scorer(loaded, model, revision=revision, batch_size=batch_size, num_threads=num_threads, progress=progress)


def clear_models() -> None:
    """Forget all loaded models: frees their memory, and reads changed folders anew."""
    with _loading_lock:
        _loaded_models.clear()


def model_kind(
    model: str,
    *,
    revision: str | None = None,
    mode: str = "auto",
    source: ModelSource | None = None,
    trust_remote_code: bool = False,
) -> str:
    """Whether a model is a cross-encoder or a bi-encoder: "cross" or "bi".

    What sentence-transformers wrote beside the model counts first (`modules.json`), then the class of the saved
    transformer (`config.json`). Explicit modes win, except where the result would have untrained weights.

    Args:
        model: a folder, or an id on the Hugging Face hub.
        revision: branch, tag or commit on the hub.
        mode: "auto", or the kind that is wanted.
        source: what `find_model` said of it, if it was asked.
        trust_remote_code: whether the configuration may be read by code that comes with the model.

    Raises:
        ModelNotFound: there is no such folder or id, or the hub cannot be reached.
        ValueError: it is another kind of model, or not of the wanted one.
    """
    check_choice("mode", mode, MODEL_MODES)
    source = source or find_model(model, revision)
    if any(word in model.lower() for word in ("reranker", "ms-marco")):
        warnings.warn(
            f"the model {model!r} seems to rate how relevant a passage is to a query, not how similar two answers are; "
            "take one trained on semantic textual similarity (sts)",
            UserWarning,
            stacklevel=2,
        )
    if (source.folder / "modules.json").is_file():
        return _modular_kind(model, source.folder, mode)
    return _classic_kind(model, source.folder, mode, trust_remote_code)


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


def require_sentence_transformers() -> None:
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


def find_model(model: str, revision: str | None = None) -> ModelSource:
    """The folder of a model: the user's own, or that of the hub's cache, with its small files downloaded.

    Never waits long: where the hub cannot be reached, what was downloaded earlier is used, or an error says what to do.

    Raises:
        ModelNotFound: there is no such folder or id, or the hub cannot be reached.
        ValueError: a revision of a folder.
    """
    if not model.strip():
        raise ValueError('option model is empty; give a folder, the id of a model on the hub, or "lite"')
    path = Path(model).expanduser()
    if path.is_dir():
        if revision is not None:
            raise ValueError(f"option revision={revision!r} is for models of the hub; {model!r} is a folder")
        return ModelSource(path.resolve())
    if path.is_file():
        raise ModelNotFound(f"the model {model!r} is a file; give the folder that it is in")
    if model.startswith((".", "~", "/", "\\")) or "\\" in model or model.count("/") > 1 or model.endswith("/"):
        raise ModelNotFound(f"there is no folder {model!r} ({path.absolute()}); {OFFLINE_CURE}")
    return _find_on_hub(model, revision)


def _find_on_hub(model: str, revision: str | None) -> ModelSource:
    from huggingface_hub import HfApi, snapshot_download
    from huggingface_hub.errors import HFValidationError, RepositoryNotFoundError, RevisionNotFoundError

    version = f" at revision {revision!r}" if revision else ""
    download = f"hf download {model}" + (f" --revision {revision}" if revision else "")
    try:
        commit = HfApi().model_info(model, revision=revision, timeout=HUB_TIMEOUT).sha
    except HFValidationError as error:
        raise ModelNotFound(f"{model!r} is neither a folder nor an id of the hub; {OFFLINE_CURE}") from error
    except RevisionNotFoundError as error:
        raise ModelNotFound(f"the model {model!r} has no revision {revision!r} on the Hugging Face hub") from error
    except RepositoryNotFoundError as error:
        folder = _cached_snapshot(model, revision)
        if folder is not None:
            return ModelSource(folder, model, folder.name, cached=True)
        hint = "" if "/" in model else f"; ids have two parts, such as cross-encoder/{model}"
        raise ModelNotFound(
            f"there is no folder {model!r}, and no model of that name on the Hugging Face hub that you may read{hint} "
            f"(for a private one, log in with: hf auth login); {OFFLINE_CURE}"
        ) from error
    except Exception as error:  # each version of the hub's client has its own errors of the network
        folder = _cached_snapshot(model, revision)
        if folder is not None:
            return ModelSource(folder, model, folder.name, cached=True)
        raise ModelNotFound(
            f"the model {model!r}{version} is not on this machine, and the Hugging Face hub cannot be reached "
            f"({type(error).__name__}). On a machine with network run: {download} --local-dir FOLDER, and give that "
            f'folder as the model; or use the built-in scorer: model="lite"'
        ) from error
    with _loading_errors(model):
        folder = snapshot_download(model, revision=commit, cache_dir=_hub_cache(), allow_patterns=["*.json"])
    return ModelSource(Path(folder), model, commit)


def _complete_model(model: str, source: ModelSource) -> ModelSource:
    if source.hub_id is None or source.cached:
        return source
    from huggingface_hub import snapshot_download

    surplus = list(SURPLUS_FILES)
    with _loading_errors(model):
        files = _hub_files(source)
        if any("/" not in name and name.endswith(".safetensors") for name in files):
            surplus += ["pytorch_model*.bin", "pytorch_model.bin.index.json"]
        folder = snapshot_download(
            source.hub_id, revision=source.commit, cache_dir=_hub_cache(), ignore_patterns=surplus
        )
    return source._replace(folder=Path(folder))


def _hub_files(source: ModelSource) -> list[str]:
    from huggingface_hub import HfApi

    return HfApi().list_repo_files(source.hub_id, revision=source.commit)


def _cached_snapshot(model: str, revision: str | None) -> Path | None:
    from huggingface_hub import try_to_load_from_cache

    for name in ("modules.json", "config.json"):
        path = try_to_load_from_cache(model, name, cache_dir=_hub_cache(), revision=revision)
        if isinstance(path, str):
            return Path(path).parent
    return None


def _hub_cache() -> str | None:
    return os.environ.get("SENTENCE_TRANSFORMERS_HOME")


def _model_key(model: str) -> str:
    path = Path(model).expanduser()
    return str(path.resolve()) if path.is_dir() else model


def _load_encoder(
    model: str,
    source: ModelSource,
    kind: str,
    devices: tuple,
    dtype: str,
    backend: str,
    max_length: int | None,
    trust_remote_code: bool,
) -> LoadedEncoder:
    import torch
    from sentence_transformers import CrossEncoder, SentenceTransformer

    several = len(devices) > 1
    converted_here = backend != "torch"
    precision = torch.float32 if converted_here else getattr(torch, dtype)
    arguments: dict[str, Any] = {
        "device": "cpu" if several or converted_here else devices[0],
        "trust_remote_code": trust_remote_code,
        "local_files_only": True,
        "model_kwargs": {"dtype": precision},
    }
    with _loading_errors(model), quiet_transformers():
        encoder = (CrossEncoder if kind == "cross" else SentenceTransformer)(str(source.folder), **arguments)
        if kind == "cross" and getattr(encoder[0], "transformer_task", None) == "sequence-classification":
            missing = untrained_weights(source.folder, trust_remote_code)
            if missing:
                raise ValueError(
                    f"the weights {', '.join(missing)} of the model {model!r} are not in its files, so they would be "
                    "random numbers; take a cross-encoder that was trained and saved whole"
                )
    if kind == "cross":
        _check_labels(model, encoder.num_labels)
    encoder.eval()
    if max_length is not None:
        most = position_count(encoder)
        if most is not None and max_length > most:
            raise ValueError(f"option max_length={max_length} is more than the {most} tokens the model {model!r} reads")
        encoder.max_seq_length = max_length
    convert = None
    if converted_here:
        convert = {"onnx": onnx_forward, "openvino": openvino_forward}[backend]
    return LoadedEncoder(
        encoder,
        kind,
        revision=source.commit,
        devices=devices if several else (),
        backend=backend,
        convert=convert,
        dtype=dtype,
    )


def untrained_weights(folder: Path, trust_remote_code: bool = False) -> list[str]:
    """Names of the weights that a sequence classification folder lacks, which transformers would draw at random."""
    from transformers import AutoModelForSequenceClassification

    modules = _read_model_json(folder, "modules.json")
    root = folder / modules[0].get("path", "") if modules else folder
    _, report = AutoModelForSequenceClassification.from_pretrained(
        root, output_loading_info=True, trust_remote_code=trust_remote_code, local_files_only=True
    )
    return sorted({*report["missing_keys"], *(str(key) for key in report["mismatched_keys"])})


@contextlib.contextmanager
def _loading_errors(model: str) -> Iterator[None]:
    """Errors of the libraries as one that names the model; our own pass."""
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
            f"{text if len(text) <= 400 else text[:397] + '...'}"
        ) from error


def _check_devices(devices: tuple, dtype: str, backend: str) -> None:
    import torch

    if not devices:
        raise ValueError("option device is an empty list; name a device, or leave it away")
    for name in devices:
        if name is not None and not (isinstance(name, str) and _has_device(name)):
            raise ValueError(f"option device={describe(name)} is not here; there is: {', '.join(_device_names())}")
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
