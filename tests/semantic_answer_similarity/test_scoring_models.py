"""semantic_answer_similarity with real models, as a user loads it: the MiniLM of the wheel, and a cross-encoder in a folder."""

import numpy as np
import pytest

pytest.importorskip("sentence_transformers", reason='needs sentence_transformers: pip install -e ".[test-all]"')

import qassay
from qassay.core.scores import Scores
from qassay.semantic_answer_similarity.model_loading import load_scorer

pytestmark = pytest.mark.thorough

GIVEN = {
    "predictions": ["30 percent", "Rome", "a lawnmower", ""],
    "references": [["thirty percent"], ["rome"], ["a cat"], []],
}


def test_the_bi_encoder_of_the_wheel(minilm):
    result = qassay.load("semantic_answer_similarity", model=minilm).compute(**GIVEN, signature=True, per_example=True)
    scores = result["per_example"]["sas"]
    assert scores[0] > 0.8 and scores[2] < 0.5 and scores[1] == scores[3] == 1.0
    assert f"model:{minilm}|revision:folder-" in result["signature"] and "|mode:bi|" in result["signature"]


def test_a_cross_encoder_in_a_folder(model_folders):
    folder = model_folders("classic")
    result = qassay.load("semantic_answer_similarity", model=folder, raw=True).compute(
        **GIVEN, signature=True, per_example=True
    )
    direct = load_scorer(folder).score(GIVEN["predictions"], ["thirty percent", "rome", "a cat", ""]).scores
    np.testing.assert_allclose(result["per_example"]["sas"], direct, atol=1e-6)
    assert "|mode:cross|raw:yes|" in result["signature"] and "|revision:folder-" in result["signature"]


def test_cosines_change_what_lite_says(minilm):
    pairs = (["myocardial infarction", "cat", "the north"], [["heart attack"], ["lawnmower"], ["the south"]])
    alone, helped = (
        qassay.score("semantic_answer_similarity", *pairs, model="lite", **more) for more in ({}, {"encoder": minilm})
    )
    assert (helped.columns["sas"] != alone.columns["sas"]).all()
    assert helped.columns["sas"][0] > alone.columns["sas"][0]
    assert f"encoder:{minilm}|encoder_revision:folder-" in helped.signature()
    with pytest.raises(ValueError, match="part 1 has other options: encoder="):
        Scores.concat([alone, helped])


def test_both_directions(model_folders):
    folder = model_folders("classic")
    one, back, both = (
        qassay.score("semantic_answer_similarity", [a], [[b]], model=folder, **more).columns["sas"][0]
        for a, b, more in (
            ("cat dog", "paris", {}),
            ("paris", "cat dog", {}),
            ("cat dog", "paris", {"symmetric": True}),
        )
    )
    assert one != back and both == pytest.approx((one + back) / 2, abs=1e-6)
