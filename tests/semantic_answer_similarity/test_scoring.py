"""semantic_answer_similarity: the calls of a scorer and the use of its results, compared with the plain definition."""

import math
import pickle

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import qassay
from qassay.core.scores import Scores
from qassay.core.text import get_normalizer
from qassay.semantic_answer_similarity.pair_scorers import PairScorer, PairScores
from qassay.semantic_answer_similarity.scoring import SimilarityOptions

FAST = settings(max_examples=150, deadline=None)
SQUAD = get_normalizer("squad")


class Overlap(PairScorer):
    """The share of the prediction's characters in the gold answer; not symmetric; records its calls."""

    name, mode, revision = "overlap", "cross", "7"

    def __init__(self, symmetric=False, limit=20):
        self.symmetric = symmetric
        self.limit = limit
        self.asked = []

    def of(self, prediction, reference):
        first = {*prediction} | ({*reference} if self.symmetric else set())
        return len({*prediction} & {*reference}) / max(len(first), 1)

    def score(self, predictions, references, questions=None):
        pairs = list(zip(predictions, references, strict=True))
        self.asked += pairs
        cut = [max(len(prediction), len(reference)) > self.limit for prediction, reference in pairs]
        clipped = ["d" in prediction for prediction, _ in pairs]
        return PairScores(np.array([self.of(*pair) for pair in pairs]), np.array(cut, bool), np.array(clipped, bool))


def plain(prediction, golds, scorer, raw=False, symmetric=False):
    """The definition for one question, pair by pair."""
    values = []
    for gold in golds or [""]:
        if not raw and not prediction.strip() and not gold.strip():
            values.append(1.0)
        elif not raw and (not prediction.strip() or not gold.strip()):
            values.append(0.0)
        elif not raw and same(prediction, gold):
            values.append(1.0)
        elif symmetric:
            values.append((scorer.of(prediction, gold) + scorer.of(gold, prediction)) / 2)
        else:
            values.append(scorer.of(prediction, gold))
    return max(values)


def same(prediction, gold):
    if SQUAD(prediction) or SQUAD(gold):
        return SQUAD(prediction) == SQUAD(gold)
    return prediction.strip().lower() == gold.strip().lower()


def scored(predictions, references, **options):
    return qassay.score("semantic_answer_similarity", predictions, references, **{"model": Overlap(), **options})


def sas(predictions, references, **options):
    return scored(predictions, references, **options).columns["sas"].tolist()


TEXTS = st.sampled_from(
    ["", " ", "a", "A", "the", "The.", "?!", "cat", "Cat", "the cat", "act", "dog", "None", "0", "é"]
)
ROWS = st.lists(st.tuples(TEXTS, st.lists(TEXTS, max_size=3)), min_size=1, max_size=6)


@FAST
@given(ROWS, st.booleans(), st.booleans(), st.booleans())
@example([("cat", ["act"]), ("act", ["cat"])], False, False, True)
def test_equals_the_plain_definition(rows, raw, symmetric, scorer_is_symmetric):
    scorer = Overlap(scorer_is_symmetric)
    predictions, references = map(list, zip(*rows, strict=True))
    got = sas(predictions, references, model=scorer, raw=raw, symmetric=symmetric)
    assert got == [plain(*row, scorer, raw, symmetric) for row in rows]
    # Equal texts have one direction; the scorer is called with both.
    keys = [frozenset(pair) if scorer_is_symmetric else pair for pair in scorer.asked if pair[0] != pair[1]]
    assert len(set(keys)) == len(keys), "a distinct pair is scored once"


def test_the_model_is_asked_only_what_changes_the_result():
    """A missing prediction is not asked about either."""
    scorer = Overlap()
    scores = scored({"a": "god"}, {"a": ["dog"], "b": []}, model=scorer, raw=True)
    assert scorer.asked == [("god", "dog")] and scores.columns["sas"].tolist() == [1.0, 0.0]
    scorer.asked.clear()
    predictions = ["cat", "The cat!", "", "dog", "dog", "bird"]
    references = [["act", "cat"], ["cat"], ["x"], ["god", "good"], ["god"], []]
    sas(predictions, references, model=scorer)
    assert sorted(scorer.asked) == [("dog", "god"), ("dog", "good")]
    scorer.asked.clear()
    sas(predictions, references, model=scorer, raw=True)
    assert len(scorer.asked) == 7 and ("bird", "") in scorer.asked


def test_a_threshold_counts_from_itself_on():
    scores = scored(["ab", "ab"], [["bc"], ["cd"]], thresholds=(0.5, 0.5000001))
    assert scores.columns["sas"].tolist() == [0.5, 0.0]
    names = ["sas_accuracy@0.5", "sas_accuracy@0.5000001"]
    assert scores.summary(names) == {names[0]: 0.5, names[1]: 0.0}
    assert scores.interval()[names[0]] == pytest.approx((0.094531, 0.905469), abs=1e-6)  # Wilson: 1 of 2


def test_an_empty_gold_answer_wants_an_empty_prediction():
    """Articles and marks alone are not empty answers."""
    values = sas(["A", "A", "The", "?", " ", "", "None"], [["a"], ["type A"], [""], ["!"], [""], [" \n"], ["none"]])
    assert values == [1.0, Overlap().of("A", "type A"), 0.0, Overlap().of("?", "!"), 1.0, 1.0, 1.0]


def test_the_signature_names_the_scorer():
    wanted = "semantic_answer_similarity|model:overlap|revision:7|mode:cross|raw:no|norm:squad|refs:max|v:"
    assert scored(["cat"], [["act"]]).signature().startswith(wanted)


class WithQuestions(PairScorer):
    """A scorer that accepts a prediction named by the question, as a model of answer equivalence might."""

    name, mode, reads_questions = "asks", "equivalence", True

    def score(self, predictions, references, questions=None):
        self.asked = list(zip(predictions, references, questions, strict=True))
        scores = [float(prediction in question) for prediction, _, question in self.asked]
        return PairScores(np.array(scores), *np.zeros((2, len(scores)), bool))


def test_a_scorer_that_reads_questions():
    model = WithQuestions()
    columns = (["x", "x", "x"], [["a"], ["a"], ["a"]])
    scores = scored(*columns, questions=["x?", "y?", "x?"], model=model)
    assert scores.columns["sas"].tolist() == [1.0, 0.0, 1.0]
    assert sorted(model.asked) == [("x", "a", "x?"), ("x", "a", "y?")]
    assert "model:asks|mode:equivalence" in scores.signature()
    by_id = scored(
        {"b": "x", "a": "x"},
        {"a": ["y"], "b": ["z"]},
        questions=["x?", "y?"],
        model=model,
    )
    assert dict(zip(by_id.ids, by_id.columns["sas"].tolist(), strict=True)) == {"a": 1.0, "b": 0.0}
    for named, more in (
        ("asks .*questions", {"model": model}),
        ("overlap .*questions", {"questions": ["x?"] * 3}),
        (r"questions\[1\]", {"questions": ["x?", None, "x?"], "model": model}),
    ):
        with pytest.raises((TypeError, ValueError), match=named):
            sas(*columns, **more)


# --- bad input ------------------------------------------------------------------------------------------------------


class Gives(Overlap):
    def __init__(self, value):
        super().__init__()
        self.value = value

    def of(self, prediction, reference):
        return self.value if prediction == "bad" else 0.5


@pytest.mark.parametrize("value", [math.nan, 1.5, -math.inf])
def test_numbers_that_are_not_similarities(value):
    """The error names the row, the gold answer and the texts, cut."""
    told = r"^predictions\[1\] against references\[1\]\[1\] \(id 'q8'\): the model overlap .*'bad' and str: 'bbb"
    with pytest.raises(ValueError, match=told) as caught:
        sas({"q7": "good", "q8": "bad"}, {"q7": ["a"], "q8": ["", "b" * 100]}, model=Gives(value))
    assert len(str(caught.value)) < 300


class Returns(Overlap):
    """A scorer that always returns the same value."""

    def __init__(self, given):
        super().__init__()
        self.given = given

    def score(self, predictions, references, questions=None):
        return self.given


@pytest.mark.parametrize("given", [[0.5], None, ([0.5], [False]), PairScores(["x"], [False], [False])])
def test_a_scorer_that_gives_something_else(given):
    with pytest.raises(TypeError, match="overlap .*PairScores"):
        sas(["a"], [["b"]], model=Returns(given))


def test_a_scorer_gives_one_number_for_each_pair_also_in_lists():
    few = PairScores(np.zeros(1), *np.zeros((2, 1), bool))
    with pytest.raises(ValueError, match=r"overlap .*\(1,\) for 2 pairs"):
        sas(["a", "b"], [["c"], ["c"]], model=Returns(few))
    scores = scored(["a", "b"], [["b"], ["b"]], model=Returns(PairScores([0.25], [False], [True])))
    assert scores.columns["sas"].tolist() == [0.25, 1.0] and scores.subsets["clipped"].tolist() == [True, False]


def test_scorers_of_two_processes_are_the_same():
    first, second = (SimilarityOptions(model=pickle.loads(pickle.dumps(Overlap()))) for _ in range(2))
    assert first == second and hash(first.model) == hash(second.model)
    other = Overlap()
    other.name = "another"
    assert first != SimilarityOptions(model=other)


def test_the_default_model_is_pinned():
    options = SimilarityOptions()
    assert options.model == "cross-encoder/stsb-roberta-large" and len(options.revision) == 40
    assert SimilarityOptions(revision="main").revision == "main"
    assert SimilarityOptions(model="other/model").revision is None


def test_options_without_effect_are_not_a_difference():
    assert SimilarityOptions(batch_size=8, device="cpu") == SimilarityOptions()
    assert SimilarityOptions(device=["cuda:0"]).device == "cuda:0"
    assert SimilarityOptions(raw=1).signature() == SimilarityOptions(raw=True).signature()
    assert SimilarityOptions(dtype="bfloat16") != SimilarityOptions()


def test_parts_by_another_threshold_do_not_join_and_by_another_order_of_one_scorer_do():
    parts = [scored(["a"], [["b"]], thresholds=t) for t in (0.5, 0.8)]
    with pytest.raises(ValueError, match=r"part 1 .*thresholds=\(0.8,\) against \(0.5,\)"):
        Scores.concat(parts)
    for model in (Overlap(symmetric=True), "lite"):
        parts = [scored(["a b"], [["b c"]], model=model, symmetric=symmetric) for symmetric in (False, True)]
        assert Scores.concat(parts).columns["sas"].tolist() == [parts[0].columns["sas"][0]] * 2


@pytest.mark.parametrize(
    "options",
    [
        {"mode": "fast"},
        {"model": "lite", "mode": "cross"},
        {"model": "lite", "max_length": 9},
        {"model": Overlap(), "revision": "8"},
        {"model": "Lite "},
        {"backend": "onnx", "dtype": "bfloat16"},
        {"thresholds": (0.5, 2)},
    ],
    ids=" ".join,
)
def test_options_that_are_refused(options):
    with pytest.raises((TypeError, ValueError), match=list(options)[-1]):
        SimilarityOptions(**options)
