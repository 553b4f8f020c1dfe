"""Where a model's files are (a folder, or the hub and its cache on this machine), and the errors when they are missing."""

import contextlib
import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ..core.options import did_you_mean
from ..core.shown import option_text

_HUB_TIMEOUT = 5.0
# Copies of the weights in other formats, and papers' pictures: not needed, and often larger than the model itself.
_SURPLUS_FILES = (
    "onnx/*", "openvino/*", "*.onnx", "*.h5", "*.msgpack", "*.ot", "*.gguf", "*.mlmodel", "*.png", "*.jpg", "*.pdf",
)  # fmt: skip
_OFFLINE_ADVICE = 'give the folder of a model on this machine, or use the built-in scorer: model="lite"'
# What a folder's fingerprint is taken of: not the pictures and notes beside the model.
_MODEL_FILES = ("*.json", "*.safetensors", "pytorch_model*.bin", "*.txt", "*.model", "*.jinja", "*.py")
_COMMIT_PATTERN = re.compile("[0-9a-f]{40}")


class ModelNotFound(ValueError, OSError):
    """A folder that is not there, an unknown id, or a hub that cannot be reached."""


class ModelRefused(ValueError):
    """A model that the libraries load, and that scores nothing: it lacks weights or a vocabulary."""


class ModelSource(NamedTuple):
    """Where a model is.

    Attributes:
        folder: its files (at first perhaps only the small ones), on this machine.
        hub_id: its id on the hub; None for a folder of the user's.
        commit: the version of it on the hub; of a folder its fingerprint, once `complete_model` has taken it.
        cached: whether to use what was downloaded earlier, since the hub cannot be reached or is not needed.
    """

    folder: Path
    hub_id: str | None = None
    commit: str | None = None
    cached: bool = False


def find_model(model: str, revision: str | None = None) -> ModelSource:
    """The folder of a model: the user's own, or the folder in the hub's cache, with its small files downloaded.

    Never waits long: if the hub cannot be reached, it uses what was downloaded earlier, or an error says what to do.

    Raises:
        ModelNotFound: there is no such folder or id, or the hub cannot be reached.
    """
    check_model_name(model)
    path = Path(model).expanduser()
    return ModelSource(path.resolve()) if path.is_dir() else _find_on_hub(model, revision)


def check_model_name(model: str) -> None:
    """Refuse what is neither a folder nor can be an id of the hub.

    Raises:
        ModelNotFound: naming the model and what to give.
    """
    if not model.strip():
        raise ValueError('option model is empty; give a folder, the id of a model on the hub, or "lite"')
    path = Path(model).expanduser()
    if path.is_dir():
        return
    if path.is_file():
        raise ModelNotFound(f"the model {model!r} is a file; give the folder that it is in")
    if model.startswith((".", "~", "/", "\\")) or "\\" in model or model.count("/") > 1 or model.endswith("/"):
        raise ModelNotFound(f"there is no folder {model!r} ({path.absolute()}); {_OFFLINE_ADVICE}")
    near = did_you_mean(model.lower(), ("lite",))
    if near:
        raise ModelNotFound(f"the model {model!r} is unknown{near}; the built-in scorer is lite")


def told_of_short_name(model: str) -> str:
    """The beginning of a message about a model that is neither a folder nor ORG/NAME; "" for others."""
    if "/" in model or Path(model).expanduser().is_dir():
        return ""
    return f'{model!r} is neither a folder nor an id such as ORG/NAME; the built-in scorer is model="lite"; '


def _find_on_hub(model: str, revision: str | None) -> ModelSource:
    from huggingface_hub import HfApi, snapshot_download
    from huggingface_hub.errors import HFValidationError, RepositoryNotFoundError, RevisionNotFoundError

    try:
        if revision is not None and _COMMIT_PATTERN.fullmatch(revision):
            folder = _cached_snapshot(model, revision)
            if folder is not None and _is_complete(folder, model, revision):
                return ModelSource(folder, model, revision, cached=True)
        HfApi().model_info(model, revision=revision, timeout=_HUB_TIMEOUT)
    except HFValidationError as error:
        raise ModelNotFound(f"{model!r} is neither a folder nor an id of the hub; {_OFFLINE_ADVICE}") from error
    except RevisionNotFoundError as error:
        raise ModelNotFound(f"the model {model!r} has no revision {revision!r} on the Hugging Face hub") from error
    except Exception as error:  # each version of the hub's client has its own errors of the network
        folder = _cached_snapshot(model, revision)
        if folder is not None and _has_weights(folder):
            return ModelSource(folder, model, folder.name, cached=True)
        if folder is not None:
            cache = f" --cache-dir {_hub_cache()}" if _hub_cache() else ""
            raise ModelNotFound(
                f"the download of the model {model!r} was never finished ({folder} lacks weights), and the Hugging Face "
                f"hub does not give the rest ({type(error).__name__}). With network run: "
                f'{download_line(model, revision)}{cache}; or use the built-in scorer: model="lite"'
            ) from error
        if isinstance(error, RepositoryNotFoundError):
            advice = "" if "/" in model else f"; ids have two parts, such as cross-encoder/{model}"
            raise ModelNotFound(
                f"there is no folder {model!r}, and no model of that name on the Hugging Face hub that you may read"
                f"{advice} (for a private one, log in with: hf auth login); {_OFFLINE_ADVICE}"
            ) from error
        version = f" at revision {revision!r}" if revision else ""
        raise ModelNotFound(
            f"{told_of_short_name(model)}the model {model!r}{version} is not on this machine, and the Hugging Face hub cannot be reached "
            f"({type(error).__name__}). On a machine with network run: {download_line(model, revision)} --local-dir "
            f'FOLDER, and give that folder as the model; or use the built-in scorer: model="lite"'
        ) from error
    with loading_errors(model):  # by the name of the revision, for which the client remembers the commit
        small = snapshot_download(model, revision=revision or "main", cache_dir=_hub_cache(), allow_patterns=["*.json"])
    return ModelSource(Path(small), model, Path(small).name)


def download_line(model: str, revision: str | None) -> str:
    """The command that downloads a model."""
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
    """Whether all parts of the weights of the first module exist; of unusual modules, whether any are."""
    modules = read_model_json(folder, "modules.json")
    root = folder / modules[0].get("path", "") if modules else folder
    files = weight_files(root)
    if files:
        return all(path.is_file() for path in files)
    return any(path.suffix in (".safetensors", ".bin") for path in folder.rglob("*"))


def weight_files(root: Path) -> list[Path]:
    """The files that hold a module's weights, as its folder names them; [] if it has none."""
    for name in ("model.safetensors", "pytorch_model.bin"):
        if (root / name).is_file():
            return [root / name]
        index = read_model_json(root, f"{name}.index.json")
        if index is not None:
            return [root / part for part in sorted(set(index["weight_map"].values()))]
    return []


def complete_model(model: str, source: ModelSource, revision: str | None = None) -> ModelSource:
    """The same with all files of the model there, and with the fingerprint of a folder.

    Raises:
        ValueError: a folder has another fingerprint than the revision.
    """
    if source.hub_id is None:
        fingerprint = _fingerprint(source.folder)
        if revision is not None:
            check_fingerprint(model, revision, fingerprint)
        return source._replace(commit=fingerprint)
    if source.cached:
        return source
    from huggingface_hub import HfApi, snapshot_download

    with loading_errors(model):
        listed = HfApi().list_repo_files(source.hub_id, revision=source.commit)
        files = [name for name in listed if "/" not in name]
        folder = snapshot_download(
            source.hub_id, revision=source.commit, cache_dir=_hub_cache(), ignore_patterns=_surplus_files(files)
        )
    return source._replace(folder=Path(folder))


def _surplus_files(names: Iterable[str]) -> list[str]:
    """Patterns of the files that are not needed beside the files at the top of a model's folder."""
    has_safetensors = any(name.endswith(".safetensors") for name in names)
    return [*_SURPLUS_FILES, *(("pytorch_model*.bin", "pytorch_model.bin.index.json") if has_safetensors else ())]


def _fingerprint(folder: Path) -> str:
    """What tells one version of a folder's model from another: "folder-" and 12 hexadecimal digits.

    The BLAKE2b hash of names and contents of its configuration, weights and tokenizer, wherever the folder lies.
    """
    from huggingface_hub.utils import filter_repo_objects

    paths = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    names = [path for path in paths if not any(part.startswith(".") for part in path.parts)]
    surplus = [*_surplus_files(name.name for name in names if len(name.parts) == 1), "checkpoint-*/*"]
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


def check_fingerprint(model: str, revision: str, fingerprint: str | None) -> None:
    """Refuse a folder whose files differ from the files of a revision."""
    if revision != fingerprint:
        raise ValueError(
            f"option {option_text('revision', revision)} does not fit the folder {model!r}, whose fingerprint is "
            f"{fingerprint!r}: it holds another version of the model; omit revision to use it anyway"
        )


def _hub_cache() -> str | None:
    return os.environ.get("SENTENCE_TRANSFORMERS_HOME")


@contextlib.contextmanager
def loading_errors(model: str, advice: str = "") -> Iterator[None]:
    """Errors of the libraries as one that names the model, with advice; errors of our own pass."""
    try:
        yield
    except (ImportError, MemoryError, ModelRefused):
        raise
    except Exception as error:
        text = " ".join(str(error).split())
        raise ValueError(
            f"the model {model!r} could not be loaded: {type(error).__name__}: "
            f"{text if len(text) <= 400 else text[:397] + '...'}{advice}"
        ) from error


def read_model_json(folder: Path, name: str) -> Any:
    """What a JSON file of a model's folder holds; None if there is none."""
    path = folder / name
    if not path.is_file():
        return None
    try:
        return json.loads(path.read_text("utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} is not valid JSON: {error}") from error
