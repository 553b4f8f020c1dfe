"""Forward passes on onnxruntime and openvino, straight from the torch model: no optimum."""

import contextlib
import importlib.util
import io
import logging
import threading
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from .encoders import ArrayForward, readable_tokens, torch_forward

_BACKEND_PACKAGES = {"torch": (), "onnx": ("onnx", "onnxscript", "onnxruntime"), "openvino": ("openvino",)}

_quiet_lock = threading.RLock()


def require_backend(backend: str) -> None:
    """Refuse a backend whose packages are missing.

    Raises:
        ImportError: naming what to install.
    """
    packages = _BACKEND_PACKAGES[backend]
    missing = [name for name in packages if importlib.util.find_spec(name) is None]
    if missing:
        raise ImportError(
            f"backend={backend} needs {' and '.join(missing)}: run `pip install {' '.join(packages)}`; "
            "backend=torch works without"
        )


def converted_forward(
    backend: str, model, names: tuple[str, ...], output: str, num_threads: int | None, dtype: str = "float32"
) -> ArrayForward:
    """The forward pass of a sentence-transformers model on another backend: arrays of a batch in, float32 array out.

    Args:
        backend: "onnx" or "openvino".
        model: the CrossEncoder or SentenceTransformer, in float32 on the CPU.
        names: names of the inputs, each int64 (rows, tokens).
        output: "scores" or "sentence_embedding".
        num_threads: threads of the session; None for the backend's choice.
        dtype: "float32", or with openvino "bfloat16".

    Raises:
        ValueError: the model cannot be converted, or computes something else afterwards.
    """
    with _conversion(model, backend):
        if backend == "onnx":
            forward = _onnx_forward(model, names, output, num_threads)
        else:
            forward = _openvino_forward(model, names, output, num_threads, dtype)
        _check_same_output(forward, model, names, output, tolerance=1e-3 if dtype == "float32" else 0.1)
    return forward


def _onnx_forward(model, names: tuple[str, ...], output: str, num_threads: int | None) -> ArrayForward:
    import onnxruntime
    import torch

    sides = {0: torch.export.Dim("rows"), 1: torch.export.Dim("tokens")}
    program = torch.onnx.export(
        _array_module(model, names, output),
        _example_tensors(model, names),
        dynamo=True,
        input_names=list(names),
        output_names=[output],
        dynamic_shapes=(tuple(sides for _ in names),),
        verbose=False,
    )
    file = io.BytesIO()
    program.save(file)  # type: ignore[union-attr, arg-type]
    options = onnxruntime.SessionOptions()
    if num_threads is not None:
        options.intra_op_num_threads = num_threads
    session = onnxruntime.InferenceSession(file.getvalue(), options, providers=["CPUExecutionProvider"])
    return lambda batch: session.run([output], batch)[0].astype(np.float32, copy=False)


def _openvino_forward(model, names: tuple[str, ...], output: str, num_threads: int | None, dtype: str) -> ArrayForward:
    import openvino
    import torch

    # Without a hint openvino takes bfloat16 by itself where the processor has it.
    settings: dict[str, Any] = {"INFERENCE_PRECISION_HINT": "bf16" if dtype == "bfloat16" else "f32"}
    if num_threads is not None:
        settings["INFERENCE_NUM_THREADS"] = num_threads
    with torch.inference_mode():
        transformer = model.transformers_model
        if hasattr(transformer, "set_attn_implementation"):
            # Fused attention gives NaN for padding that sees only padding (ModernBERT's local attention)
            # and is not faster.
            transformer.set_attn_implementation("eager")
        example = _example_tensors(model, names)
        graph = openvino.convert_model(_array_module(model, names, output), example_input=example)
        compiled = openvino.Core().compile_model(graph, "CPU", settings)
    return lambda batch: compiled([batch[name] for name in names])[0].astype(np.float32)


def _example_tensors(model, names: tuple[str, ...]) -> tuple:
    import torch

    return tuple(map(torch.from_numpy, _example_batch(model, names, 2, 7).values()))


def _example_batch(model, names: tuple[str, ...], rows: int, tokens: int) -> dict[str, np.ndarray]:
    """Some token ids with padding in the last row, each array int64 (rows, tokens).

    The ids are ids of short texts, as ids drawn at random could be special tokens.
    """
    tokenizer = model.tokenizer
    ids = tokenizer(" ".join(["the answer to that question is a small town"] * tokens), verbose=False)["input_ids"][
        :tokens
    ]
    batch = {"input_ids": np.tile(np.array(ids, np.int64), (rows, 1))}
    batch["input_ids"][-1, tokens // 2 + 1 :] = tokenizer.pad_token_id
    batch["attention_mask"] = np.ones((rows, tokens), np.int64)
    batch["attention_mask"][-1, tokens // 2 + 1 :] = 0
    batch["token_type_ids"] = np.zeros((rows, tokens), np.int64)
    return {name: batch[name] for name in names}


def _check_same_output(forward: ArrayForward, model, names: tuple[str, ...], output: str, tolerance: float) -> None:
    """Compare a converted forward pass with the model's own, on batches of several shapes.

    Traced models can be wrong for shapes other than the example's: local attention, positions, shortcuts.
    """
    torch_forward_pass = torch_forward(model, output)
    for rows, tokens in ((1, 3), (5, 16), (3, min(300, readable_tokens(model)))):
        batch = _example_batch(model, names, rows, tokens)
        expected = torch_forward_pass(batch)
        worst = float(np.abs(forward(batch) - expected).max() / max(1.0, np.abs(expected).max()))
        if not worst <= tolerance:
            raise ValueError(f"its outputs for {rows} rows of {tokens} tokens differ by {worst:.2g} from torch's")


def _array_module(model, names: tuple[str, ...], output: str):
    import torch

    class ArrayModule(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, *arrays):
            return self.model(dict(zip(names, arrays)))[output]

    return ArrayModule().eval()


@contextlib.contextmanager
def _conversion(model, backend: str) -> Iterator[None]:
    """Failures as one error that says what to do, and no remarks of the converters on their own insides."""
    logger = logging.getLogger("torch.onnx")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with quiet_transformers(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except Exception as error:
        name = getattr(getattr(model, "config", None), "model_type", None) or type(model).__name__
        text = " ".join(str(error).split())[:300]
        raise ValueError(
            f"this model ({name}) does not work with backend={backend}: {text}; use backend=torch"
        ) from error
    finally:
        logger.setLevel(level)


@contextlib.contextmanager
def quiet_transformers() -> Iterator[None]:
    """No bars and reports of weights: what matters of them is checked and raised here.

    One thread at a time: these settings, and torch's default dtype while transformers loads, are the process's.
    """
    from transformers.utils import logging as reports

    with _quiet_lock:
        level, bars = reports.get_verbosity(), reports.is_progress_bar_enabled()
        reports.set_verbosity_error()
        reports.disable_progress_bar()
        try:
            yield
        finally:
            reports.set_verbosity(level)
            if bars:
                reports.enable_progress_bar()
