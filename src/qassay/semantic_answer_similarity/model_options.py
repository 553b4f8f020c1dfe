"""The options of families with models: the fields that they share, their checks, and what they say to `load_scorer`."""

import dataclasses
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..core.extraction import UNEXTRACTED
from ..core.options import Options, check_whole, did_you_mean, differs, listed, option
from ..core.shown import describe, option_text, shown
from .encoders import MODEL_BACKENDS, MODEL_DTYPES
from .pair_scorers import PairScorer

BUILT_IN = "lite"  # the name of the built-in scorer, as option model

_LOADING = ("device", "dtype", "batch_size", "backend", "max_length", "trust_remote_code", "progress")


@dataclasses.dataclass(frozen=True)
class ModelOptions(Options):
    """Base of options with a model.

    Attributes:
        revision: the revision of the model on the hub; None: the newest, or of a default model from the hub the pinned one.
        extract: how to extract the answer from the output of a model, as in answer_match: "answer_tag" (the last
            <answer>), "after_think" (what follows the last </think>), "boxed", "final_answer", "last_line", "json:FIELD",
            "regex:PATTERN" (the last match) or a function.
        unextracted: with extract, a prediction without an answer scores 0 ("zero"), counts as the empty answer ("empty") or
            as a whole ("whole"), or is refused ("error"); it is always counted.
        missing: an example without a prediction scores 0 ("zero"), is omitted ("skip") or refused ("error"); it is
            always counted.
        duplicates: a duplicate id is refused ("error"), or its "first" or "last" row counts.
        dtype: the number type of the model: "float32", "bfloat16" (faster if the hardware supports it; scores deviate
            by about 0.01, and vary as much with the other texts of a batch) or "float16" (graphics cards only).
        backend: the library that runs the model, by sentence-transformers: "torch", "onnx" or "openvino".
        max_length: the maximum number of tokens that the model reads at once; None: the limit of the model.
        device: where it runs, such as "cpu" or "cuda:0", or several devices (a process each: a script then needs an
            `if __name__ == "__main__":`); None: a graphics card if there is one.
        batch_size: the number of inputs per forward pass; None: 64 on a processor, 256 on a graphics card.
        trust_remote_code: run code that a model on the hub contains.
        progress: show a progress bar on stderr; None: only if it is a terminal.
    """

    model: str | Any = option(BUILT_IN, "model", always=True)
    revision: str | None = option(None, "revision", object="model")
    fingerprint: str | None = dataclasses.field(
        default=None, init=False, metadata={"key": "fingerprint", "pinned": True}
    )
    extract: Any = option(None, "extract", last=True)
    unextracted: str = option("zero", "unextracted", choices=UNEXTRACTED, last=True)
    missing: str = option("zero", "missing", choices=("zero", "skip", "error"), last=True)
    duplicates: str = option("error", "duplicates", choices=("error", "first", "last"), last=True)
    dtype: str = option("float32", "dtype", choices=MODEL_DTYPES, last=True)
    backend: str = option("torch", "backend", choices=MODEL_BACKENDS, last=True)
    max_length: int | None = option(None, "max_length", last=True)
    # Options that change no number except its last digits.
    device: str | tuple[str, ...] | None = option(None, compare=False)
    batch_size: int | None = option(None, compare=False)
    trust_remote_code: bool = option(False, compare=False)
    progress: bool | None = option(None, choices=(None, False, True), compare=False)

    def _settle_model(self, own: Any, built_in: Callable[[], Mapping[str, Any]]) -> None:
        """Check the options of loading, the model and its revision, and bring them into one form.

        Args:
            own: the classes of models that are objects of the user.
            built_in: reads the model file of the built-in scorer.
        """
        self._check_texts("revision")
        for name in ("batch_size", "max_length"):
            if getattr(self, name) is not None:
                self._set(**{name: check_whole(name, getattr(self, name))})
        if self.device is not None:
            self._set(device=_devices(self.device))
        if self.backend != "torch" and self.dtype != "float32":
            raise ValueError(f"option dtype={self.dtype} is for backend=torch; omit it with backend={self.backend}")
        model: Any = self.model
        if isinstance(model, own):
            for name in ("name", "mode") if isinstance(model, PairScorer) else ():
                if not isinstance(getattr(model, name, None), str):
                    raise TypeError(f"the scorer {type(model).__name__} needs the attribute {name}, a string")
            if self.revision not in (None, model.revision):
                given = f"option revision={self.revision} does not fit the scorer {model.name}"
                raise ValueError(f"{given}, which has its own revision, {model.revision}; omit it")
            self._set(revision=model.revision)
            return
        self._set(model=named_model(self.model))
        if self.model == BUILT_IN:
            file = built_in()
            version = file["version"]
            if self.revision not in (None, version):
                has = f"this qassay has revision {version} of the lite scorer"
                raise ValueError(f"{has}, not {shown(self.revision)}; omit revision")
            self._set(revision=version, fingerprint=file["fingerprint"])

    def _check_texts(self, *names: str) -> None:
        for name in names:
            if not isinstance(getattr(self, name), str | None):
                raise TypeError(f"option {name} must be a string, got {describe(getattr(self, name))}")

    def _refuse(self, names: Sequence[str], what: str) -> None:
        """Refuse options that are not at their default and that `what` does not have."""
        for name in names:
            if differs(getattr(self, name), getattr(type(self), name)):
                raise ValueError(f"{what} does not have the option {name}; omit it")

    def loading(self) -> dict[str, Any]:
        """The options as keyword arguments of `load_scorer`."""
        return {name: getattr(self, name) for name in _LOADING}


def named_model(value: Any) -> str:
    """The id or folder of a model as a text; a folder in one spelling, for one signature.

    A folder by the name of the built-in scorer stays "./lite": as a path object, or spelled otherwise than "lite".

    Raises:
        TypeError: it is neither. ValueError: a misspelling of "lite", or a file of Python.
    """
    text = os.fspath(value) if isinstance(value, os.PathLike) else value
    if not isinstance(text, str) or not text:
        raise TypeError(
            f"option model must be the id or the folder of a model, or a PairScorer of your own (answer_equivalence takes any "
            f"callable too), got {describe(value)}"
        )
    if text == value == BUILT_IN:
        return text
    if os.path.isdir(text):
        folder = os.path.normpath(text)
        return os.path.join(os.curdir, folder) if folder.lower() == BUILT_IN else folder
    name = text.strip().lower()
    near = f"; did you mean {BUILT_IN!r}?" if name == BUILT_IN else did_you_mean(name, (BUILT_IN,))
    if near:
        raise ValueError(
            f'option {option_text("model", text)} is unknown{near}: "{BUILT_IN}" is the built-in scorer; other models are '
            "a folder or an id such as ORG/NAME"
        )
    if name.endswith(".py"):
        raise ValueError(
            f'option {option_text("model", text)}: a model is "{BUILT_IN}", a folder or an id such as ORG/NAME; a custom '
            "scorer is an object in Python, not a file"
        )
    return text


def _devices(given: Any) -> str | tuple[str, ...]:
    """One device or several, as text; torch.device too."""
    names = listed(given)
    for name in names:
        if not isinstance(name, str) and type(name).__name__ != "device":
            raise TypeError(f'option device is a name such as "cpu" or "cuda:0", or several; got {describe(name)}')
    if not names:
        raise ValueError("option device is empty; name a device, or omit it")
    return str(names[0]) if len(names) == 1 else tuple(map(str, names))
