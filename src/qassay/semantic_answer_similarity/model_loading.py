"""Finds out what kind of model a folder or hub id holds, loads it once per process, and says plainly when it cannot.

A loaded model stays in memory for the next call; `clear_models()` frees it, and ends the processes of several devices.
"""

import functools
import importlib.metadata
import importlib.util
import os
import re
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ..core.remarks import remark
from ..core.shown import first_names, option_text
from .encoders import (
    BiEncoderScorer,
    CrossEncoderScorer,
    EncoderScorer,
    LoadedEncoder,
    model_prompt,
    position_count,
)
from .model_backends import converted_forward, quiet_transformers, require_backend
from .model_hub import (
    ModelRefused,
    ModelSource,
    check_fingerprint,
    check_model_name,
    complete_model,
    download_line,
    find_model,
    loading_errors,
    read_model_json,
    told_of_short_name,
    weight_files,
)

MODEL_DTYPES = ("float32", "bfloat16", "float16")
MODEL_BACKENDS = ("torch", "onnx", "openvino")
_RELEVANCE_PATTERN = re.compile("rerank|ms-?marco", re.IGNORECASE)


class WrongKind(ValueError):
    """A model of another kind than the wanted one.

    Attributes:
        what: the model and what it is, for an error of the caller.
    """

    def __init__(self, what: str, message: str):
        super().__init__(message)
        self.what = what


_loaded_models: dict[tuple, LoadedEncoder] = {}
_model_locks: dict[tuple, Any] = {}


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
    for_similarity: bool = True,
) -> EncoderScorer:
    """The scorer of a cross-encoder or bi-encoder. A model already loaded in this process is used again.

    Args:
        model: a folder, or an id on the Hugging Face hub.
        revision: branch, tag or commit on the hub; of a folder the fingerprint that it must have.
        mode: "auto" looks what kind the model is; "cross" or "bi" asks for one.
        device: a list of several starts one process each, which stay for the next call (see `clear_models`).
        for_similarity: refuse models that give several numbers per pair, and warn of models that rate relevance.

    The other options are as in `SimilarityOptions`, which checks them.

    Raises:
        ImportError: sentence-transformers or the backend is not installed.
        ModelNotFound: (a ValueError and OSError) there is no such folder or id, or the hub cannot be reached.
        ValueError: the model cannot be used this way, or its kind gives no similarity of two texts.
    """
    model = os.fspath(model)
    check_model_name(model)
    _require_sentence_transformers(told_of_short_name(model))
    require_backend(backend)
    devices = tuple(device) if isinstance(device, (list, tuple)) else (device,)
    options = _EncoderOptions(devices, dtype, backend, max_length, bool(trust_remote_code))
    loaded = _loaded_encoder(model, revision, mode, options, for_similarity)
    if for_similarity:
        _check_labels(model, loaded.outputs)
        _warn_of_relevance(model)
    scorer = CrossEncoderScorer if loaded.mode == "cross" else BiEncoderScorer
    return scorer(loaded, model, revision=revision, batch_size=batch_size, num_threads=num_threads, progress=progress)


def clear_models() -> None:
    """Forget all loaded models: frees their memory, ends their processes, and lets changed folders be read again."""
    forgotten = {id(loaded): loaded for loaded in list(_loaded_models.values())}
    _loaded_models.clear()
    for loaded in forgotten.values():
        loaded.stop_workers()


class _EncoderOptions(NamedTuple):
    """The options that need a separate model in memory."""

    devices: tuple[str | None, ...]
    dtype: str
    backend: str
    max_length: int | None
    trust_remote_code: bool


def _loaded_encoder(
    model: str, revision: str | None, mode: str, options: _EncoderOptions, for_similarity: bool
) -> LoadedEncoder:
    """The model in memory, loaded at the first call; other models can be used and downloaded meanwhile."""
    path = Path(model).expanduser()
    local = path.is_dir()
    place = (str(path.resolve()), None) if local else (model, revision)
    wanted = (*place, mode, options)
    loaded = _loaded_models.get(wanted)
    if loaded is None:
        with _model_locks.setdefault((*place, options), threading.RLock()):
            loaded = _loaded_models.get(wanted)
            if loaded is None:
                source = find_model(model, revision)
                kind = model_kind(model, source, mode, options.trust_remote_code, for_similarity)
                found = (*place, kind, options)
                loaded = _loaded_models.get(found)
                if loaded is None:
                    _check_devices(options.devices, options.dtype, options.backend)
                    loaded = _load_encoder(model, complete_model(model, source, revision), kind, options)
                _loaded_models[wanted] = _loaded_models[found] = loaded
    if local and revision is not None:
        check_fingerprint(model, revision, loaded.revision)
    return loaded


def model_kind(
    model: str, source: ModelSource, mode: str = "auto", trust_remote_code: bool = False, for_similarity: bool = True
) -> str:
    """Whether a model is a cross-encoder or a bi-encoder: "cross" or "bi".

    What sentence-transformers wrote beside the model counts first (`modules.json`), then the class of the saved
    transformer (`config.json`). Explicit modes win, except where the result would have untrained weights.

    Raises:
        WrongKind: (a ValueError) it is another kind of model, or not of the wanted one.
        ValueError: with `for_similarity`, it gives several numbers per pair.
    """
    if (source.folder / "modules.json").is_file():
        return _modular_kind(model, source.folder, mode)
    return _classic_kind(model, source.folder, mode, trust_remote_code, for_similarity)


def _warn_of_relevance(model: str) -> None:
    path = Path(model).expanduser()
    name = os.path.basename(os.path.abspath(path)) if path.is_dir() else model
    if _RELEVANCE_PATTERN.search(name):
        remark(
            f"the model {model!r} seems to rate how relevant a passage is to a query, not how similar two answers are; "
            "take one trained on semantic textual similarity (sts)"
        )


def _modular_kind(model: str, folder: Path, mode: str) -> str:
    saved = read_model_json(folder, "config_sentence_transformers.json") or {}
    kind = saved.get("model_type", "SentenceTransformer")
    if kind not in ("SentenceTransformer", "CrossEncoder"):
        what = f"the model {model!r} is a {kind}"
        raise WrongKind(
            what,
            f"{what}, which is neither a cross-encoder nor a sentence encoder with one vector per text; take one of these",
        )
    if kind == "SentenceTransformer" and mode == "cross":
        raise _random_head(f"the model {model!r} is a bi-encoder", "bi", "auto")
    if kind == "CrossEncoder" and mode == "bi":
        _warn_dropped_head(model)
    return mode if mode != "auto" else "cross" if kind == "CrossEncoder" else "bi"


def _classic_kind(model: str, folder: Path, mode: str, trust_remote_code: bool, for_similarity: bool) -> str:
    config = read_model_json(folder, "config.json")
    if config is None:
        raise ValueError(
            f"the model {model!r} has neither modules.json nor config.json, so it is not a sentence-transformers or "
            f"transformers model ({folder} holds {_listing(folder)})"
        )
    architecture = ((config.get("architectures") or [None])[0]) or "an unnamed class"
    if architecture.endswith("ForCausalLM"):
        what = f"the model {model!r} is {architecture}, which writes text"
        raise WrongKind(
            what, f"{what}; take a cross-encoder such as cross-encoder/stsb-roberta-large, or a sentence encoder"
        )
    classifier = architecture.endswith("ForSequenceClassification")
    if mode == "bi" or not classifier:
        if mode == "cross":
            raise _random_head(f"the model {model!r} was saved as {architecture}", "bi")
        if classifier:
            _warn_dropped_head(model)
        else:
            remark(
                f"the model {model!r} was saved as {architecture} and not as a sentence encoder; the mean of its token "
                "vectors is compared, for which it may not be trained"
            )
        return "bi"
    if for_similarity:
        from transformers import AutoConfig

        with loading_errors(model):
            count = AutoConfig.from_pretrained(folder, trust_remote_code=trust_remote_code).num_labels
        _check_labels(model, count)
    return "cross"


def _random_head(what: str, *modes: str) -> WrongKind:
    return WrongKind(
        what,
        f"{what}: as a cross-encoder it would get a last layer of random numbers; use "
        f"{option_text('mode', *modes)}, or take a cross-encoder such as cross-encoder/stsb-roberta-large",
    )


def _warn_dropped_head(model: str) -> None:
    remark(
        f"the model {model!r} is a cross-encoder; with mode=bi its last layer is dropped and the mean of its token "
        "vectors compared, for which it is not trained"
    )


def _check_labels(model: str, count: int) -> None:
    if count != 1:
        raise ValueError(
            f"the model {model!r} gives {count} numbers per pair, as classifiers do (entailment, answer equivalence), "
            "and not one similarity; take a cross-encoder trained on sts, such as cross-encoder/stsb-roberta-large"
        )


def _require_sentence_transformers(about_model: str) -> None:
    """Refuse to go on without the packages that models need; the message begins with what is said about the model."""
    missing = [name for name in ("torch", "sentence_transformers") if importlib.util.find_spec(name) is None]
    if missing:
        names = " and ".join(name.replace("_", "-") for name in missing)
        raise ImportError(
            f'{about_model}models need {names}: run `pip install "qassay[sas]"`; model="lite" works without'
        )
    installed = importlib.metadata.version("sentence-transformers")
    if int(installed.split(".")[0]) < 6:
        raise ImportError(
            f'models need sentence-transformers 6 or later, here is {installed}: run `pip install -U "qassay[sas]"`; '
            'model="lite" works without'
        )


def _load_encoder(model: str, source: ModelSource, kind: str, options: _EncoderOptions) -> LoadedEncoder:
    several, converted_here = len(options.devices) > 1, options.backend != "torch"
    device = "cpu" if several or converted_here else options.devices[0]
    advice = f"; its download may be unfinished: {download_line(model, source.commit)}" if source.cached else ""
    with loading_errors(model, advice), quiet_transformers():
        encoder = _build_encoder(model, source.folder, kind, device, options)
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
        convert=functools.partial(converted_forward, options.backend) if converted_here else None,
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
    _refuse_untrained(model, folder, encoder, kind, options.trust_remote_code)
    tokenizer: Any = getattr(encoder, "tokenizer", None)
    if hasattr(tokenizer, "all_special_tokens") and set(tokenizer.get_vocab()) <= set(tokenizer.all_special_tokens):
        raise ModelRefused(
            f"the model {model!r} has no vocabulary: the files of its tokenizer (such as tokenizer.json or vocab.txt) are "
            "missing beside its weights; save the tokenizer into the same folder"
        )
    return encoder


def _refuse_untrained(model: str, folder: Path, encoder, kind: str, trust_remote_code: bool) -> None:
    """Refuse a model of whose transformer some weights would be random numbers."""
    task = getattr(encoder[0], "transformer_task", None)
    if (kind, task) not in (("cross", "sequence-classification"), ("bi", "feature-extraction")):
        return
    missing = _untrained_weights(folder, encoder.transformers_model, kind, trust_remote_code)
    if missing:
        raise ModelRefused(
            f"the weights {first_names(missing, 5)} of the model {model!r} are not in its files, so they would be random numbers; take a "
            f"{kind}-encoder that was trained and saved whole"
        )


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


def _untrained_weights(folder: Path, loaded, kind: str, trust_remote_code: bool) -> list[str]:
    """Names of the weights that a folder lacks, which transformers would draw at random.

    Compares names first, as loading a second time takes as long and as much memory as the first: only where one has no
    counterpart in the files (an old spelling, or indeed a lack), transformers says what it makes of it.

    Sentence encoders do not use the pooler of their transformer, which is often missing.
    """
    from transformers import AutoModel, AutoModelForSequenceClassification

    modules = read_model_json(folder, "modules.json")
    root = folder / modules[0].get("path", "") if modules else folder
    saved = {_plain_name(name, loaded) for name in _saved_names(root)}
    tied = set(getattr(loaded, "all_tied_weights_keys", None) or ())
    unused = "pooler." if kind == "bi" else "\0"
    weights = {name for name, _ in loaded.named_parameters(remove_duplicate=False)} - tied
    weights = {name for name in weights if not name.startswith(unused)}
    if saved and {_plain_name(name, loaded) for name in weights} <= saved:
        return []
    loader = AutoModelForSequenceClassification if kind == "cross" else AutoModel
    _, report = loader.from_pretrained(
        root, output_loading_info=True, trust_remote_code=trust_remote_code, local_files_only=True
    )
    missing = {*report["missing_keys"], *(str(key) for key in report["mismatched_keys"])}
    return sorted(name for name in missing if not name.startswith(unused))


def _saved_names(root: Path) -> list[str]:
    """Names of the weights in a module's files; reads none of the numbers."""
    import torch
    from safetensors import safe_open

    names: list[str] = []
    for path in weight_files(root):
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


def _check_devices(devices: tuple[str | None, ...], dtype: str, backend: str) -> None:
    import torch

    for name in devices:
        if name is not None and not _has_device(name):
            raise ValueError(
                f"option {option_text('device', name)} is not here; available: {', '.join(_device_names())}"
            )
    if backend != "torch":
        if any(name not in (None, "cpu") for name in devices) or len(devices) > 1:
            raise ValueError(f"backend={backend} works on the CPU; omit device, or use backend=torch")
        if dtype == "float16" or (backend == "onnx" and dtype != "float32"):
            raise ValueError(f"backend={backend} does not work in dtype={dtype}; use dtype=float32")
    elif dtype == "float16":
        for name in devices:
            if not (name.startswith("cuda") if name is not None else torch.cuda.is_available()):
                raise ValueError("dtype=float16 is slower than float32 without a GPU; use dtype=bfloat16")


def _has_device(name: str) -> bool:
    import torch

    try:
        torch.empty(0, device=name)
    except Exception:  # each kind of device has its own errors
        return False
    return name != "meta"


def _device_names() -> list[str]:
    import torch

    cards = [f"cuda:{i}" for i in range(torch.cuda.device_count())]
    return ["cpu", *(cards or ["(no cuda)"]), *(["mps"] if torch.backends.mps.is_available() else ["(no mps)"])]


def _listing(folder: Path) -> str:
    names = sorted(path.name for path in folder.iterdir() if not path.name.startswith("."))
    return ", ".join(names[:8]) + (", ..." if len(names) > 8 else "") if names else "nothing"
