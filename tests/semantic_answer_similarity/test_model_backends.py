"""Converted models against torch; a backend whose packages are not installed is skipped, as they are no dependency."""

import numpy as np
import pytest

pytest.importorskip("sentence_transformers", reason='needs sentence_transformers: pip install -e ".[test-all]"')

from qassay.semantic_answer_similarity.model_backends import _check_same_output, _example_batch
from qassay.semantic_answer_similarity.model_loading import load_scorer

pytestmark = pytest.mark.thorough

PREDICTIONS = ["Paris", "", "the river in the green city", "eleven", "a " * 70, "dog", "cat"] * 5
REFERENCES = ["Paris, France", "London", "a cat", "11", "the " * 50, "x" * 300, "cat"] * 5


def need(backend: str) -> None:
    for package in {"onnx": ("onnx", "onnxscript", "onnxruntime"), "openvino": ("openvino",)}[backend]:
        pytest.importorskip(package, reason=f"backend={backend!r} is optional and {package} is not installed")


@pytest.mark.parametrize(
    ("backend", "kind"),
    [("onnx", "bi"), ("openvino", "modernbert"), ("openvino", "bi")],
)
def test_converted_models_score_as_torch(model_folders, backend, kind):
    need(backend)
    expected = load_scorer(model_folders(kind)).score(PREDICTIONS, REFERENCES)
    scorer = load_scorer(model_folders(kind), backend=backend, num_threads=1, batch_size=4)
    found = scorer.score(PREDICTIONS, REFERENCES)
    np.testing.assert_allclose(found.scores, expected.scores, atol=1e-4)
    assert np.ptp(expected.scores) > 0.1, "the test model must tell pairs apart"
    assert (found.truncated == expected.truncated).all() and found.truncated.any()
    alone = [scorer.score([a], [b]).scores[0] for a, b in zip(PREDICTIONS[:7], REFERENCES[:7])]
    np.testing.assert_allclose(alone, expected.scores[:7], atol=1e-4)


def test_prompts_are_refused(model_folders):
    need("openvino")
    with pytest.raises(ValueError, match="needs more than text, which only backend='torch' can do"):
        load_scorer(model_folders("prompts"), backend="openvino")


@pytest.mark.parametrize("backend", ["onnx", "openvino"])
def test_wrong_options_of_backends(model_folders, backend):
    need(backend)
    with pytest.raises(ValueError, match="works on the CPU; omit device"):
        load_scorer(model_folders("classic"), backend=backend, device=["cpu", "cpu"])
    with pytest.raises(ValueError, match="does not work in dtype='float16'"):
        load_scorer(model_folders("classic"), backend=backend, dtype="float16")


def test_a_converted_model_that_computes_something_else_is_refused(model_folders):
    model = load_scorer(model_folders("bi")).loaded.model
    names = ("input_ids", "attention_mask", "token_type_ids")

    def wrong_for_long_texts(batch):
        from qassay.semantic_answer_similarity.encoders import torch_forward

        right = torch_forward(model, "sentence_embedding")(batch)
        return right + (batch["input_ids"].shape[1] > 16)

    with pytest.raises(ValueError, match="outputs for 3 rows of 64 tokens differ by"):
        _check_same_output(wrong_for_long_texts, model, names, "sentence_embedding", tolerance=1e-3)
    batch = _example_batch(model, names, 2, 7)
    assert batch["attention_mask"].sum(axis=1).tolist() == [7, 4] and set(batch) == set(names)
