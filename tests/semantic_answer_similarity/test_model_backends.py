"""Converted models must compute what torch computes; no declared environment has the packages that convert them."""

import pytest

pytest.importorskip("sentence_transformers", reason='needs sentence_transformers: pip install -e ".[test-all]"')

from qassay.semantic_answer_similarity.model_backends import _check_same_output, _example_batch
from qassay.semantic_answer_similarity.model_loading import load_scorer

pytestmark = pytest.mark.thorough


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
