"""Model scorers against sentence-transformers' own methods, pair by pair."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

pytest.importorskip("sentence_transformers", reason='needs sentence_transformers: pip install -e ".[test-all]"')

import torch

import qassay
from qassay.semantic_answer_similarity.encoders import load_scorer

pytestmark = pytest.mark.thorough

PAIRS = [
    ("Paris", "Paris, France"),
    ("", "London"),
    ("the river in the green city of eleven cats and a dog", "a cat"),
    ("11", "eleven"),
    ("eleven", "11"),
    ("Obama", "president Barack Obama"),
    ("é ü 中文 😀", "   "),
    ("a " * 40, "the " * 50),
    ("dog", "x" * 300),
] * 9
PREDICTIONS, REFERENCES = map(list, zip(*PAIRS))


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    """torch with one thread."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def library_model(kind: str, folder: str):
    """The CrossEncoder or SentenceTransformer of a folder, in float32 on the CPU."""
    import sentence_transformers

    return getattr(sentence_transformers, kind)(folder, device="cpu", model_kwargs={"dtype": torch.float32})


def cosines_by_encode(folder, predictions, references):
    model = library_model("SentenceTransformer", folder)
    left, right = (
        np.asarray(model.encode(texts, show_progress_bar=False), np.float64) for texts in (predictions, references)
    )
    return (left * right).sum(1) / np.linalg.norm(left, axis=1) / np.linalg.norm(right, axis=1)


@pytest.mark.parametrize("kind", ["classic", "positions", "identity", "modular", "modernbert"])
def test_cross_encoders_score_as_predict_with_a_sigmoid(model_folders, kind):
    model = library_model("CrossEncoder", model_folders("classic" if kind == "positions" else kind))
    expected = model.predict(PAIRS, activation_fn=torch.nn.Sigmoid(), show_progress_bar=False)
    found = load_scorer(model_folders(kind), device="cpu").score(PREDICTIONS, REFERENCES)
    np.testing.assert_allclose(found.scores, expected, atol=1e-5)
    assert found.scores.dtype == np.float64 and not found.clipped.any()
    assert np.ptp(found.scores) > 0.1, "the test model must tell pairs apart"
    if kind == "identity":  # its own activation is replaced
        raw = model.predict(PAIRS, show_progress_bar=False)
        assert raw.min() < 0 or raw.max() > 1


@pytest.mark.parametrize("kind", ["classic", "bi", "prompts"])
def test_a_score_does_not_depend_on_the_other_pairs_or_the_batch(model_folders, kind):
    scorer = load_scorer(model_folders(kind), batch_size=64)
    together = scorer.score(PREDICTIONS, REFERENCES).scores
    alone = [scorer.score([a], [b]).scores[0] for a, b in PAIRS[:9]]
    np.testing.assert_allclose(together[:9], alone, atol=1e-5)
    turned = load_scorer(model_folders(kind), batch_size=3).score(PREDICTIONS[::-1], REFERENCES[::-1]).scores[::-1]
    np.testing.assert_allclose(together, turned, atol=1e-5)


@pytest.mark.parametrize("kind", ["bi", "prompts"])
def test_bi_encoders_score_as_the_cosine_of_encode(model_folders, kind):
    expected = cosines_by_encode(model_folders(kind), PREDICTIONS, REFERENCES)
    scorer = load_scorer(model_folders(kind))
    cosines, _ = scorer.cosines(PREDICTIONS, REFERENCES)
    np.testing.assert_allclose(cosines, expected, atol=1e-5)
    if kind == "prompts":
        plain, _ = load_scorer(model_folders("bi")).cosines(PREDICTIONS, REFERENCES)
        assert np.abs(plain - cosines).max() > 1e-3


def test_roberta_keeps_two_positions_for_itself(model_folders):
    scorer = load_scorer(model_folders("roberta"))
    found = scorer.score(["cat " * 30, "cat " * 100], ["dog " * 31, "dog " * 100])
    assert found.truncated.tolist() == [False, True]
    with pytest.raises(ValueError, match="max_length=65.* 64 tokens"):
        load_scorer(model_folders("roberta"), max_length=65)


def test_cut_pairs_are_flagged_and_scored_as_the_library_cuts_them(model_folders):
    # [CLS] a [SEP] b [SEP] in 64 tokens leaves 61 for the two texts
    pairs = [("cat " * n, "dog " * m) for n, m in ((30, 31), (30, 32), (61, 0), (62, 0), (3, 500), (500, 3), (90, 80))]
    found = load_scorer(model_folders("classic")).score(*zip(*pairs))
    assert found.truncated.tolist() == [False, True, False, True, True, True, True]
    expected = library_model("CrossEncoder", model_folders("classic")).predict(pairs, show_progress_bar=False)
    np.testing.assert_allclose(found.scores, expected, atol=1e-5)
    _, cut = load_scorer(model_folders("bi")).cosines(["cat " * 62, "cat " * 63], ["cat", "cat"])
    assert cut.tolist() == [False, True]
    _, cut = load_scorer(model_folders("prompts")).cosines(["cat " * 59, "cat " * 60], ["cat", "cat"])
    assert cut.tolist() == [False, True], "the prompt takes three tokens"


@pytest.mark.parametrize("kind", ["not_a_number", "zeros"])
def test_a_model_without_finite_numbers_gives_nan_and_the_metric_refuses_it(model_folders, kind):
    folder = model_folders(kind)
    assert np.isnan(load_scorer(folder).score(["cat", "a"], ["dog", "b"]).scores).all()
    with pytest.raises(ValueError, match=r"predictions\[1\].*\(id 'q2'\): the model .* gave nan for .*'cat'.*'dog'"):
        qassay.score(
            "semantic_answer_similarity", {"q1": "x", "q2": "cat"}, {"q1": ["X"], "q2": ["dog"]}, model=str(folder)
        )


def test_threads_share_a_model(model_folders):
    def scores(batch_size):
        return load_scorer(model_folders("classic"), batch_size=batch_size).score(PREDICTIONS, REFERENCES).scores

    expected = scores(None)
    with ThreadPoolExecutor(6) as threads:
        for found in threads.map(scores, range(1, 7)):
            np.testing.assert_allclose(found, expected, atol=1e-5)


def test_several_devices_share_the_work(model_folders):
    found = load_scorer(model_folders("identity"), device=["cpu", "cpu"]).score(PREDICTIONS[:18], REFERENCES[:18])
    expected = load_scorer(model_folders("identity")).score(PREDICTIONS[:18], REFERENCES[:18])
    np.testing.assert_allclose(found.scores, expected.scores, atol=1e-5)
    assert (found.truncated == expected.truncated).all() and found.truncated.any()


def test_very_long_texts(model_folders):
    """Tokenizers make all combinations of the pieces that they cut from a pair; nobody waits for them."""
    found = load_scorer(model_folders("classic")).score(["cat " * 200_000] * 2, ["dog " * 100_000, "dog"])
    expected = library_model("CrossEncoder", model_folders("classic")).predict(
        [("cat " * 300, "dog " * 200), ("cat " * 300, "dog")], show_progress_bar=False
    )
    np.testing.assert_allclose(found.scores, expected, atol=1e-5)
    assert found.truncated.all()


def test_a_metric_with_a_folder(model_folders):
    folder = model_folders("classic")
    predictions, golds = ["30 percent", "Rome", "a lawnmower", ""], ["thirty percent", "rome", "a cat", ""]
    result = qassay.load("semantic_answer_similarity", model=folder, raw=True).compute(
        predictions=predictions, references=[[gold] for gold in golds], signature=True, per_example=True
    )
    direct = load_scorer(folder).score(predictions, golds).scores
    np.testing.assert_allclose(result["per_example"]["sas"], direct, atol=1e-6)
    assert "|mode:cross|raw:yes|" in result["signature"] and "|revision:folder-" in result["signature"]
