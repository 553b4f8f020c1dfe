"""The options of families that load models: their checks, and what they say to `load_scorer`."""

import dataclasses
import os
from collections.abc import Sequence
from typing import Any

from ..core.options import Options, check_whole, did_you_mean, differs, listed
from ..core.shown import describe, option_text
from .pair_scorers import PairScorer

BUILT_IN = "lite"  # the name of the built-in scorer, as option model

_LOADING = ("device", "dtype", "batch_size", "backend", "max_length", "trust_remote_code", "progress")


class ModelOptions(Options):
    """Base of options with a model; a subclass declares the fields, `device` and the others that loading takes."""

    def _check_loading(self) -> None:
        """Check the options of loading and bring them into one form."""
        given = self.loading()
        for name in ("batch_size", "max_length"):
            if given[name] is not None:
                self._set(**{name: check_whole(name, given[name])})
        if given["device"] is not None:
            self._set(device=_devices(given["device"]))
        if given["backend"] != "torch" and given["dtype"] != "float32":
            raise ValueError(
                f"option dtype={given['dtype']} is for backend=torch; omit it with backend={given['backend']}"
            )

    def _check_texts(self, *names: str) -> None:
        for name in names:
            if not isinstance(getattr(self, name), str | None):
                raise TypeError(f"option {name} must be a string, got {describe(getattr(self, name))}")

    def _refuse(self, names: Sequence[str], what: str) -> None:
        """Refuse options that are not at their default and that `what` does not have."""
        defaults = {field.name: field.default for field in dataclasses.fields(self)}
        for name in names:
            if differs(getattr(self, name), defaults[name]):
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
        raise TypeError(f"option model must be the id or the folder of a model, got {describe(value)}")
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
            f'option {option_text("model", text)}: a model is "{BUILT_IN}", a folder or an id such as ORG/NAME; a scorer of '
            "a custom scorer is an object in Python, not a file"
        )
    return text


def check_own_scorer(scorer: PairScorer) -> None:
    """Refuse a scorer without the texts that a signature shows."""
    for name in ("name", "mode"):
        if not isinstance(getattr(scorer, name, None), str):
            raise TypeError(f"the scorer {type(scorer).__name__} needs the attribute {name}, a string")


def _devices(given: Any) -> str | tuple[str, ...]:
    """One device or several, as text; torch.device too."""
    names = listed(given)
    for name in names:
        if not isinstance(name, str) and type(name).__name__ != "device":
            raise TypeError(f'option device is a name such as "cpu" or "cuda:0", or several; got {describe(name)}')
    if not names:
        raise ValueError("option device is empty; name a device, or omit it")
    return str(names[0]) if len(names) == 1 else tuple(map(str, names))
