"""semantic_answer_similarity: the calls of a scorer and the use of its results, compared with the plain definition."""

import dataclasses
import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import qassay
from qassay.core.scores import Scores
from qassay.core.text import get_normalizer
from qassay.semantic_answer_similarity.pair_scorers import PairScorer, PairScores
from qassay.semantic_answer_similarity.scoring import SimilarityOptions, check_similarity_rows, score_similarity

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
def test_equals_the_plain_definition(rows, raw, symmetric, scorer_is_symmetric):
    scorer = Overlap(scorer_is_symmetric)
    predictions, references = map(list, zip(*rows, strict=True))
    got = sas(predictions, references, model=scorer, raw=raw, symmetric=symmetric)
    assert got == [plain(*row, scorer, raw, symmetric) for row in rows]
    keys = [frozenset(pair) if scorer_is_symmetric else pair for pair in scorer.asked]
    assert len(set(keys)) == len(keys), "a distinct pair is scored once"


@FAST
@given(ROWS, st.randoms())
def test_rows_in_any_order_and_in_parts(rows, random):
    ids = [f"q{number}" for number in range(len(rows))]
    options = SimilarityOptions(model=Overlap(limit=3))

    def in_order(order):
        chosen = [rows[place] for place in order]
        return score_similarity(
            [row[0] for row in chosen], [row[1] for row in chosen], [ids[place] for place in order], options=options
        )

    whole = in_order(range(len(rows)))
    order = list(range(len(rows)))
    random.shuffle(order)
    assert in_order(order) == whole
    cut = random.randint(1, len(rows))
    parts = [in_order(part) for part in (range(cut), range(cut, len(rows))) if part]
    assert Scores.concat(parts) == whole
    assert all(0 <= value <= 1 for value in whole.columns["sas"])


def test_the_model_is_asked_only_what_changes_the_result():
    scorer = Overlap()
    predictions = ["cat", "The cat!", "", "dog", "dog", "bird"]
    references = [["act", "cat"], ["cat"], ["x"], ["god", "good"], ["god"], []]
    sas(predictions, references, model=scorer)
    assert sorted(scorer.asked) == [("dog", "god"), ("dog", "good")]
    scorer.asked.clear()
    sas(predictions, references, model=scorer, raw=True)
    assert len(scorer.asked) == 7 and ("bird", "") in scorer.asked


def test_articles_and_marks_alone_are_not_empty_answers():
    values = sas(["A", "A", "The", "?", " ", "", "None"], [["a"], ["type A"], [""], ["!"], [""], [" \n"], ["none"]])
    assert values[0] == values[4] == values[5] == values[6] == 1.0
    assert values[1] == Overlap().of("A", "type A") and values[3] == Overlap().of("?", "!")
    assert values[2] == 0.0, "an empty gold answer wants an empty prediction"


def test_subsets_measures_and_signature():
    scores = scored(["cat", "", "x"], [["act"], [], []], thresholds=(0.9, 0.5))
    assert scores.summary() == {
        "sas": 2 / 3,
        "sas_accuracy@0.5": 2 / 3,
        "sas_accuracy@0.9": 2 / 3,
        "has_answer_sas": 1.0,
        "has_answer_sas_accuracy@0.5": 1.0,
        "has_answer_sas_accuracy@0.9": 1.0,
        "no_answer_sas": 0.5,
        "no_answer_sas_accuracy@0.5": 0.5,
        "no_answer_sas_accuracy@0.9": 0.5,
        "total": 3,
        "has_answer_total": 1,
        "no_answer_total": 2,
        "missing": 0,
        "truncated": 0,
        "clipped": 0,
        "unmatched": 0,
        "duplicates": 0,
    }
    wanted = "semantic_answer_similarity|model:overlap|revision:7|mode:cross|raw:no|norm:squad|refs:max|v:"
    assert scores.signature().startswith(wanted)


def test_a_threshold_counts_from_itself_on():
    scores = scored(["ab", "ab"], [["bc"], ["cd"]], thresholds=0.5)
    assert scores.columns["sas"].tolist() == [0.5, 0.0]
    assert scores.summary(["sas_accuracy@0.5"]) == {"sas_accuracy@0.5": 0.5}
    assert scores.interval(n_resamples=200, method="percentile")["sas_accuracy@0.5"] == (0.0, 1.0)
    assert scores.interval()["sas_accuracy@0.5"] == pytest.approx((0.094531, 0.905469), abs=1e-6)  # Wilson: 1 of 2


def test_ranked_answers():
    predictions, references = [["x", "ab", "cat"], [], ["cat", "dog"]], [["act"], [], ["dog"]]
    scores = scored(predictions, references, top_k=(1, 3), thresholds=(0.5,))
    assert scores.columns["sas@1"].tolist() == [0.0, 1.0, 0.0]
    assert scores.columns["sas@3"].tolist() == [1.0, 1.0, 1.0]
    assert {"sas_accuracy@0.5@1", "sas_accuracy@0.5@3", "has_answer_sas@3"} <= set(scores.measures)
    assert "k:1,3" in scores.signature()


def test_ids_missing_duplicates_and_weights():
    predictions, references = {"a": "cat", "z": "?"}, {"b": ["dog"], "a": ["act"]}
    scores = scored(predictions, references, weights=[1, 3])
    assert scores.columns["sas"].tolist() == [0.0, 1.0]
    assert scores.summary(["sas", "missing", "total"]) == {"sas": 0.75, "missing": 1, "total": 2}
    assert scores.notes["unmatched"] == 1
    skipped = scored(predictions, references, missing="skip")
    assert skipped.ids == ["a"] and skipped.notes["skipped"] == 1
    with pytest.raises(ValueError, match=r"references\[0\] \(id 'b'\) has no prediction"):
        scored(predictions, references, missing="error")


def test_a_missing_prediction_is_not_asked_about():
    scorer = Overlap()
    scores = scored({"a": "god"}, {"a": ["dog"], "b": []}, model=scorer, raw=True)
    assert scorer.asked == [("god", "dog")] and scores.columns["sas"].tolist() == [1.0, 0.0]


def test_cut_texts_are_counted_by_question():
    long = "x" * 30
    scores = scored([long, "a", long, long], [["a", "b"], ["b"], ["c"], [long]])
    assert scores.subsets["truncated"].tolist() == [True, False, True, False]
    assert scores.summary(["truncated"]) == {"truncated": 2}
    both = scored(["a"], [[long]], model=Overlap(limit=5), symmetric=True)
    assert both.summary(["truncated"]) == {"truncated": 1}


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
    for error, message, more in (
        (ValueError, "the model asks reads the questions too; give the column questions", {"model": model}),
        (
            ValueError,
            "the model overlap does not read questions; omit the column questions",
            {"questions": ["x?"] * 3},
        ),
        (ValueError, "references 3, questions 1", {"questions": ["x?"], "model": model}),
        (TypeError, r"questions\[1\] must be str, got None", {"questions": ["x?", None, "x?"], "model": model}),
    ):
        with pytest.raises(error, match=message):
            sas(*columns, **more)


# --- bad input ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [None, 3, 1.5, float("nan"), ["a"], b"a"])
def test_answers_that_are_not_texts(value):
    if value is not None:
        with pytest.raises(TypeError, match=r"predictions\[1\]"):
            sas(["a", value], [["a"], ["b"]])
    if value != ["a"]:
        with pytest.raises(TypeError, match=r"references\[1\]"):
            sas(["a", "b"], [["a"], [value]])


@pytest.mark.parametrize(
    ("predictions", "references", "error", "message"),
    [
        ([], [], ValueError, "references is empty"),
        (["a"], [["a"], ["b"]], ValueError, "predictions 1, references 2"),
        (["a", "b"], ["a", ["b"]], TypeError, r"references\[0\]"),
    ],
)
def test_columns_that_do_not_fit(predictions, references, error, message):
    with pytest.raises(error, match=message):
        sas(predictions, references)


class Gives(Overlap):
    def __init__(self, value):
        super().__init__()
        self.value = value

    def of(self, prediction, reference):
        return self.value if prediction == "bad" else 0.5


@pytest.mark.parametrize(
    ("value", "words"), [(math.nan, "is not a number"), (1.5, "is not from 0 to 1"), (-math.inf, "is not from 0 to 1")]
)
def test_numbers_that_are_not_similarities(value, words):
    with pytest.raises(ValueError) as caught:
        sas({"q7": "good", "q8": "bad"}, {"q7": ["a"], "q8": ["", "b" * 100]}, model=Gives(value))
    message = str(caught.value)
    assert message.startswith("predictions[1] against references[1][1] (id 'q8'): the model overlap gave")
    assert words in message and "'bad' and str: 'bbb" in message and len(message) < 300


class Returns(Overlap):
    """A scorer that always returns the same value."""

    def __init__(self, given):
        super().__init__()
        self.given = given

    def score(self, predictions, references, questions=None):
        return self.given


@pytest.mark.parametrize("given", [[0.5], None, ([0.5], [False]), PairScores(["x"], [False], [False])])
def test_a_scorer_that_gives_something_else(given):
    with pytest.raises(TypeError, match="the scorer overlap must give PairScores of arrays, got"):
        sas(["a"], [["b"]], model=Returns(given))


def test_a_scorer_gives_one_number_for_each_pair_also_in_lists():
    few = PairScores(np.zeros(1), *np.zeros((2, 1), bool))
    message = r"the scorer overlap gave scores of shape \(1,\) for 2 pairs; it must give one"
    with pytest.raises(ValueError, match=message):
        sas(["a", "b"], [["c"], ["c"]], model=Returns(few))
    scores = scored(["a", "b"], [["b"], ["b"]], model=Returns(PairScores([0.25], [False], [True])))
    assert scores.columns["sas"].tolist() == [0.25, 1.0] and scores.subsets["clipped"].tolist() == [True, False]


def test_a_scorer_without_a_name():
    class Nameless(PairScorer):
        mode = "toy"

        def score(self, predictions, references, questions=None):
            raise AssertionError

    with pytest.raises(TypeError, match="the scorer Nameless needs the attribute name, a string"):
        SimilarityOptions(model=Nameless())


def test_scorers_of_two_processes_are_the_same():
    first, second = (SimilarityOptions(model=pickle.loads(pickle.dumps(Overlap()))) for _ in range(2))
    assert first == second and hash(first.model) == hash(second.model)
    other = Overlap()
    other.name = "another"
    assert first != SimilarityOptions(model=other)


def test_parts_of_other_options_are_distinguished():
    parts = [scored(["a"], [["b"]], thresholds=t) for t in (0.5, 0.8)]
    with pytest.raises(ValueError, match=r"part 1 has other options: thresholds=\(0.8,\) against \(0.5,\)"):
        Scores.concat(parts)


def test_what_scores_both_ways_alike_is_not_asked_twice():
    for model in (Overlap(symmetric=True), "lite"):
        parts = [scored(["a b"], [["b c"]], model=model, symmetric=symmetric) for symmetric in (False, True)]
        assert Scores.concat(parts).columns["sas"].tolist() == [parts[0].columns["sas"][0]] * 2


def test_close_thresholds_are_different_measures():
    thresholds = (0.1234567, 0.1234568)
    scores = scored(["a"], [["a"]], thresholds=thresholds)
    assert {"sas_accuracy@0.1234567", "sas_accuracy@0.1234568"} <= set(scores.measures)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"mode": "fast"}, ValueError, "option mode='fast' is unknown"),
        ({"model": "lite", "mode": "cross"}, ValueError, "mode='cross' is unknown; it is one of: 'auto', 'lite'"),
        ({"model": "lite", "revision": "x"}, ValueError, "revision .* of the lite scorer, not 'x'"),
        ({"model": "lite", "dtype": "bfloat16"}, ValueError, "without an encoder does not have the option dtype"),
        ({"encoder": "x"}, ValueError, "other than 'lite' does not have the option encoder"),
        ({"model": "Lite "}, ValueError, "option model='Lite ': did you mean 'lite'"),
        ({"model": "lite", "encoder": "lite"}, ValueError, "option encoder='lite': it is the bi-encoder"),
        ({"model": ""}, TypeError, "option model must be the id or the folder of a model, got str: ''"),
        ({"model": None}, TypeError, "option model must be the id or the folder of a model, got None"),
        ({"model": 3}, TypeError, "option model must be"),
        ({"model": "lite", "encoder": 3}, TypeError, "option encoder must be"),
        ({"batch_size": 0}, ValueError, "option batch_size must be an integer of at least 1, got 0"),
        ({"batch_size": 1.5}, ValueError, "option batch_size must be an integer"),
        ({"batch_size": "64"}, TypeError, "option batch_size must be an integer"),
        ({"batch_size": True}, ValueError, "option batch_size must be an integer"),
        ({"num_threads": 0}, ValueError, "option num_threads"),
        ({"device": 0}, TypeError, "option device is a name such as"),
        ({"device": {}}, TypeError, "option device is a name such as"),
        ({"device": ["cpu", None]}, TypeError, "option device is a name such as .* got None"),
        ({"device": []}, ValueError, "option device is empty"),
        ({"revision": 3}, TypeError, "option revision must be a string, got int: 3"),
        ({"max_length": -1}, ValueError, "option max_length"),
        ({"dtype": "int8"}, ValueError, "option dtype='int8' is unknown"),
        ({"backend": "onxx"}, ValueError, "option backend='onxx' is unknown.*did you mean 'onnx'"),
        ({"raw": "yes"}, ValueError, "option raw='yes' is unknown"),
        ({"thresholds": (0.5, 2)}, ValueError, "thresholds are numbers from 0 to 1, .* got 2"),
        ({"thresholds": "0.5"}, ValueError, "thresholds are numbers from 0 to 1"),
        ({"top_k": 0}, ValueError, "option top_k must be an integer of at least 1, got 0"),
        ({"normalizer": "squat"}, ValueError, "squat"),
        ({"missing": "drop"}, ValueError, "option missing='drop'"),
    ],
)
def test_options_that_are_refused(options, error, message):
    with pytest.raises(error, match=message):
        SimilarityOptions(**options)


def test_the_default_model_is_pinned():
    options = SimilarityOptions()
    assert options.model == "cross-encoder/stsb-roberta-large" and len(options.revision) == 40
    assert SimilarityOptions(revision="main").revision == "main"
    assert SimilarityOptions(model="other/model").revision is None


def test_options_without_effect_are_not_a_difference():
    assert SimilarityOptions(batch_size=8, device="cpu", num_threads=1) == SimilarityOptions()
    assert SimilarityOptions(device=["cuda:0"]).device == "cuda:0"
    assert SimilarityOptions(raw=1).signature() == SimilarityOptions(raw=True).signature()
    assert SimilarityOptions(dtype="bfloat16") != SimilarityOptions()


def test_options_of_a_scorer_of_your_own():
    options = SimilarityOptions(model=Overlap())
    assert (options.mode, options.revision) == ("cross", "7")
    assert dataclasses.replace(options, top_k=2).revision == "7"
    with pytest.raises(ValueError, match="revision='8' is unknown"):
        SimilarityOptions(model=Overlap(), revision="8")
    with pytest.raises(ValueError, match="a scorer of your own does not have the option encoder"):
        SimilarityOptions(model=Overlap(), encoder="x")


def test_rows_are_checked_before_the_options_are_known():
    check_similarity_rows({"predictions": [["a", "b"]], "references": [["a"]]}, {})
    with pytest.raises(TypeError, match=r"predictions\[0\]"):
        check_similarity_rows({"predictions": [3], "references": [["a"]]}, {})
