"""semantic_answer_similarity with a real model, as a user loads it: a cross-encoder in a folder."""

import numpy as np
import pytest

pytest.importorskip("sentence_transformers", reason='needs sentence_transformers: pip install -e ".[test-all]"')

import qassay
from qassay.semantic_answer_similarity.encoders import load_scorer

pytestmark = pytest.mark.thorough


def test_a_cross_encoder_in_a_folder(model_folders):
    folder = model_folders("classic")
    predictions, golds = ["30 percent", "Rome", "a lawnmower", ""], ["thirty percent", "rome", "a cat", ""]
    result = qassay.load("semantic_answer_similarity", model=folder, raw=True).compute(
        predictions=predictions, references=[[gold] for gold in golds], signature=True, per_example=True
    )
    direct = load_scorer(folder).score(predictions, golds).scores
    np.testing.assert_allclose(result["per_example"]["sas"], direct, atol=1e-6)
    assert "|mode:cross|raw:yes|" in result["signature"] and "|revision:folder-" in result["signature"]
