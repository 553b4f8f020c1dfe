"""GenerativeQA, Classification and MultiLabel on arrays, against direct scoring; the package itself."""

from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import qassay
import qassay.training
from qassay.training import Classification, DataSets, GenerativeQA, MultiLabel, generative

from .words import WordTokenizer, prediction

WORDS = WordTokenizer(["red", "green", "blue"], special=["<pad>"])
IDS = np.array([[1, 2, 0], [3, -100, -100]])


def test_generated_answers_are_decoded_and_scored():
    golds = [{"text": ["red green"], "answer_start": [0]}, {"text": ["green", "blue"], "answer_start": [0, 9]}]
    processor = SimpleNamespace(tokenizer=WORDS, image_processor=None, batch_decode=None)
    made = GenerativeQA(processor, golds)
    found = made(prediction((IDS, np.zeros(2))))  # further outputs do no harm
    assert made.answers == ["red green", "blue"]
    scores = qassay.score("answer_match", ["red green", "blue"], [["red green"], ["green", "blue"]])
    assert found == scores.summary(["exact_match", "f1"])
    assert made.scores.summary() == {**scores.summary(), "unknown_tokens": 0}
    made = GenerativeQA(WORDS, ["red", "red green"], measures=["f1"], confidence=0.9)
    low, high = qassay.score("answer_match", ["red green", "blue"], ["red", "red green"]).interval(confidence=0.9)["f1"]
    assert made(prediction(IDS)) == {"f1": pytest.approx(1 / 3), "f1_low": low, "f1_high": high}


def test_other_metrics_and_options():
    made = GenerativeQA(WORDS, [["red green"], ["blue"]], normalizer="french", measures=["f1", "em"], confidence=0.5)
    assert list(made(prediction(IDS))) == [
        "f1",
        "exact_match",
        "f1_low",
        "f1_high",
        "exact_match_low",
        "exact_match_high",
    ]
    assert "norm:french" in made.scores.signature()
    # No model is loaded before the first evaluation.
    GenerativeQA(WORDS, [["red"]], metric="semantic_answer_similarity", model="no/such-model")


def test_questions_of_references_reach_a_metric_that_reads_them():
    golds, questions = [["red green"], ["blue"]], ["which?", "what?"]
    made = GenerativeQA(WORDS, golds, questions=questions, metric="answer_equivalence")
    assert list(made(prediction(IDS))) == ["equivalence", "accepted"]
    assert made.scores.summary(["equivalence"]) == qassay.score(
        "answer_equivalence", ["red green", "blue"], golds, questions=questions
    ).summary(["equivalence"])
    made = GenerativeQA(WORDS, golds, metric="answer_equivalence", measures=["without_question"])
    assert made(prediction(IDS)) == {"without_question": 2}


def test_tokens_beyond_the_tokenizer_are_padding_and_counted():
    ids = np.array([[1, 4, 2], [32127, 3, 5]])  # embeddings padded to a round number
    made = GenerativeQA(WORDS, [["red green"], ["blue"]])
    assert made(prediction(ids))["exact_match"] == 1.0 and made.answers == ["red green", "blue"]
    assert made.scores.notes["unknown_tokens"] == 3
    assert made(prediction(IDS)) and made.scores.notes["unknown_tokens"] == 0
    with pytest.raises(ValueError, match=r"label_ids\[1\] has the token 4"):
        made(prediction(IDS, np.array([[1], [4]])))


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"tokenizer": "t5-small"}, TypeError, "batch_decode"),
        ({"tokenizer": SimpleNamespace(batch_decode=None, pad_token_id=None)}, ValueError, "padding"),
        ({"references": {"q1": ["a"]}}, TypeError, "list"),
        ({"references": None}, TypeError, "references: the gold answers of each row"),
        ({"metric": "label_metrics"}, ValueError, "'label_metrics'; available: answer_match"),
        ({"measures": []}, ValueError, "measures is empty"),
        ({"empty_gold": "error", "references": [["a"], ["."]]}, ValueError, "references"),
        ({"metric": "answer_mach"}, ValueError, "'answer_match'"),
        ({"metric": "answer_equivalence", "questions": ["who?"]}, ValueError, "references 2, questions 1"),
        ({"metric": "answer_equivalence", "questions": ["who?", 3]}, ValueError, r"questions\[1\]"),
        ({"metric": "answer_equivalence", "model": lambda question, golds, answer: 1.0}, ValueError, "questions"),
        ({"inputs": [[3]]}, ValueError, "inputs has 1 rows, but references has 2"),
        ({"groups": ["a"]}, ValueError, "references 2, groups 1"),
        ({"normaliser": "french"}, TypeError, "'normalizer'"),
        ({"top_k": 3}, ValueError, "top_k"),
        ({"measures": ["f1", "sas"]}, ValueError, "'sas'.*exact_match"),
        ({"metric": "semantic_answer_similarity", "measures": ["sas_accuracy@0.7"]}, ValueError, "'sas_accuracy@0.7'"),
    ],
)
def test_generative_arguments_are_checked_before_training(arguments, error, message):
    with pytest.raises(error, match=message):
        GenerativeQA(**{"tokenizer": WORDS, "references": [["a"], ["b"]], **arguments})


@pytest.mark.parametrize(
    ("ids", "error", "message"),
    [
        (np.zeros((2, 3, 4), np.float32), TypeError, r"\(2, 3, 4\): .*predict_with_generate.*\(teacher forcing\)$"),
        (np.array([[1]]), ValueError, "1 predictions, .*2 references.*another data set.*predict.*DataSets"),
        ([[1], [2]], TypeError, "predictions must be an array or a tensor"),
    ],
)
def test_generated_ids_that_do_not_fit(ids, error, message):
    made = GenerativeQA(WORDS, [["red green"], ["blue"]])
    with pytest.raises(error, match=message):
        made(prediction(ids))
    assert made(prediction(IDS))["exact_match"] == 1.0
    with pytest.raises(TypeError, match="EvalPrediction .*got list"):
        made(IDS.tolist())


@pytest.mark.parametrize(
    ("golds", "labels", "repeated"),
    [
        (["red green", "blue"], [[1, 2, 0], [3, -100, -100], [1, 2, -100]], 1),  # 2 rows, in batches of 3
        (["red green", "blue"], [[1, 2], [3, 0], [3, 0]], None),
        (["red green", "blue"], [[1, 2], [3, 0], [1, 2], [3, 0], [1, 2]], 3),
        (["red green", "blue", "red green"], [[1, 2], [3, 0], [1, 2]], 0),
    ],
)
def test_rows_that_repeat_the_first_ones_count_once(golds, labels, repeated, monkeypatch):
    monkeypatch.setattr(generative, "processes", lambda: 2)
    outputs = np.array([[0, 1, 2, 7], [0, 2, -100, -100], [0, 2, -100, 7], [0, 2, 7, 7], [0, 3, 7, 7]])[: len(labels)]
    made = GenerativeQA(WORDS, golds, measures=["exact_match", "total"])
    if repeated is None:
        with pytest.raises(ValueError, match=f"3 predictions, but {len(golds)} references"):
            made(prediction(outputs, np.array(labels)))
        return
    n = len(labels) - repeated
    assert made(prediction(outputs, np.array(labels))) == {"exact_match": 1 / n, "total": n}
    assert made.answers == ["red green", "green", "green"][:n] and made.scores.notes.get("repeated", 0) == repeated
    assert made.scores.notes["unknown_tokens"] == [1, 1, 2][n - 1]


NO_PROMPT = np.array([[0, 1, 2, 0], [0, 3, 0, 0]])


@pytest.mark.parametrize(
    ("outputs", "labels", "message"),
    [
        ([[1, 2, 3], [2, 3, 3]], [[-100, 2, -100], [-100, 3, -100]], "gold answer included, .*'red green blue' of row 0.*prompt alone"),
        ([[0, 1, 2, 3], [1, 2, 3, 3]], [[-100, -100, 2], [-100, -100, 3]], "gold answer included"),  # padded on the left
        ([[1, 2, 3], [1, 3, 3]], [[1, 2, -100], [1, 3, -100]], "gold answer included.*check_labels=False"),  # prompts not masked
        ([[0, 1, 2, 3], [1, 2, 3, 3]], [[-100, 1, 2], [1, 2, 3]], "gold answer included"),
        (NO_PROMPT, [[-100, 2, -100], [-100, 3, -100]], None),  # a masked first token
        (NO_PROMPT, [[-100, -100, 2], [-100, 3, 3]], None),  # padded on the left, without prompts, to a multiple
        (NO_PROMPT, [[2, -100], [3, -100]], None),
        ([[2, 0], [3, 0]], [[2, -100], [3, -100]], None),  # right, without a first token
        ([[2, 3], [1, 0]], [[2, -100], [3, -100]], None),
    ],
)  # fmt: skip
def test_outputs_that_hold_the_input_of_a_causal_model(outputs, labels, message):
    handed = prediction(np.array(outputs), np.array(labels))
    for more in ({}, {"compute_result": True}):
        made = GenerativeQA(WORDS, [["green", "red green"], ["blue", "blue blue"]], measures=["total"])
        if message is None:
            assert made(handed, **more) == {"total": 2}
        else:
            with pytest.raises(ValueError, match=message):
                made(handed, **more)
    free = GenerativeQA(WORDS, [["green"], ["blue"]], measures=["total"], check_labels=False)
    assert free(handed) == {"total": 2}


def test_prompts_that_inputs_show():
    outputs, golds = np.array([[1, 2, 3], [1, 3, 2]]), [["blue"], ["green"]]
    seen = SimpleNamespace(predictions=outputs, label_ids=None, inputs=outputs[:, :2])
    with pytest.raises(ValueError, match="every output begins with the input, .*prompt alone"):
        GenerativeQA(WORDS, golds)(seen)
    seen.inputs = np.array([[1, 2], [1, 2]])
    assert GenerativeQA(WORDS, golds, measures=["total"])(seen) == {"total": 2}


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=30), st.integers(0, 30))
def test_classification_matches_scikit_learn(rows, cut):
    from sklearn.metrics import f1_score

    numbers, truth = (np.array(column) for column in zip(*rows, strict=True))
    logits = np.eye(3, dtype=np.float32)[numbers]
    made = Classification()
    found = made(prediction(logits, truth))
    assert found["macro_f1"] == pytest.approx(f1_score(truth, numbers, average="macro", zero_division=0))
    assert found["accuracy"] == np.mean(truth == numbers)
    assert made(prediction(numbers, truth)) == found
    made(prediction(logits[:cut], truth[:cut]), compute_result=False)
    assert made(prediction(logits[cut:], truth[cut:]), compute_result=True) == found
    hook = Classification({"0": "a", "1": "b", "2": "c"}, per_class=True)
    assert hook(prediction(logits, truth))["accuracy"] == found["accuracy"] and hook.scores["f1[b]"] == pytest.approx(
        f1_score(truth, numbers, labels=[1], average="macro", zero_division=0)
    )


def test_tokens_without_a_label_are_omitted_and_counted():
    logits = np.zeros((2, 3, 2), np.float32)
    logits[0, 1, 1] = 1
    truth = np.array([[-100, 1, 0], [1, -100, -100]])
    assert Classification(2)(prediction(logits, truth)).keys() == {"accuracy", "macro_f1"}
    made = Classification(2, measures=["accuracy"])
    assert list(made(prediction(logits, truth))) == ["accuracy"]
    assert made.scores.notes == {"ignored": 3}
    assert made(prediction(logits[:1], truth[:1])) and made.scores.notes == {"ignored": 1}
    with pytest.raises(ValueError, match="no label"):
        Classification()(prediction(logits, np.full((2, 3), -100)))
    with pytest.raises(ValueError, match="there are 2 rows, but n_rows=3"):  # rows of tokens
        Classification(n_rows=3)(prediction(logits, truth))


@pytest.mark.parametrize(
    ("labels", "logits", "truth", "error", "message"),
    [
        (None, np.zeros((2, 3)), np.zeros((2, 3), int) + 1.5, TypeError, "float64"),
        (None, np.zeros((2, 3)), np.zeros(3, int), ValueError, r"\(2, 3\), labels \(3,\)"),
        (None, np.array([[0, np.nan]]), np.zeros(1, int), ValueError, r"logits\[0\] has NaN"),
        (None, np.zeros((2, 3)), None, ValueError, "labels"),
        (None, np.array([[0.5], [-0.2]]), np.array([1, 0]), ValueError, "one logit"),
        (["a", "b"], np.zeros((2, 3)), np.zeros(2, int), ValueError, "3 classes, but 2 labels"),
        (["a", "b"], np.zeros((1, 2)), np.array([2]), ValueError, "the class 2"),
    ],
)
def test_invalid_classifications(labels, logits, truth, error, message):
    with pytest.raises(error, match=message):
        Classification(labels)(prediction(logits, truth))


def test_arguments_of_classes():
    for make, message in (
        (lambda: Classification({"cat": 0}), "name"),
        (lambda: Classification(task="multi"), "MultiLabel"),
        (lambda: Classification(averages="macro"), "'averages'"),
        (lambda: Classification(2, safe_names="mlflow"), "safe_names"),
        (lambda: MultiLabel(threshold=1.5), "threshold"),
        (lambda: MultiLabel(task="ranked"), "rankings"),
    ):
        with pytest.raises((TypeError, ValueError), match=message):
            make()


@pytest.mark.parametrize(
    ("make", "measures", "wrong"),
    [
        (Classification, ["accuracy", "macro_f2"], "macro_f2"),
        (partial(Classification, ["cat", "dog"], per_class=True), ["f1[cat]", "f1[cow]"], r"f1\[cow\]"),
    ],
)
def test_names_of_measures_are_checked_before_training(make, measures, wrong):
    assert make(measures=measures[:1]).report.measures == (measures[0],)
    with pytest.raises(ValueError, match=f"no measure '{wrong}'.*available: "):
        make(measures=measures)


def test_multi_label_thresholds():
    from sklearn.metrics import f1_score

    logits = np.array([[2.0, -1.0, 0.2], [-3.0, 1.0, 0.1], [0.0, -2.0, -1.0]], np.float32)
    truth = np.array([[1, 0, 0], [0, 1, 1], [1, 0, 0]])
    probabilities = 1 / (1 + np.exp(-logits.astype(np.float64)))
    for threshold in (0.5, 0.3):
        found = MultiLabel(["a", "b", "c"], threshold=threshold)(prediction(logits, truth))
        predicted = (probabilities > threshold).astype(int)
        assert found["micro_f1"] == pytest.approx(f1_score(truth, predicted, average="micro"))
        assert found["macro_f1"] == pytest.approx(f1_score(truth, predicted, average="macro", zero_division=0))


@pytest.mark.parametrize(
    ("arguments", "logits", "truth", "error", "message"),
    [
        ({}, np.zeros((2, 3)), np.zeros(2, int), ValueError, r"\(2,\)"),
        ({}, np.zeros((2, 3)), np.full((2, 3), -100), ValueError, r"label_ids\[0\] has -100"),
        ({}, np.zeros((2, 3), int), np.zeros((2, 3)), TypeError, "int64"),
    ],
)
def test_invalid_multi_label_rows(arguments, logits, truth, error, message):
    with pytest.raises(error, match=message):
        MultiLabel(**arguments)(prediction(logits, truth))


@pytest.mark.parametrize(
    ("make", "truth"), [(Classification, np.arange(10) % 2), (MultiLabel, np.eye(2, dtype=int)[[0, 1] * 5])]
)
def test_rows_that_are_missing_from_the_evaluation_are_counted(make, truth):
    """With dataloader_drop_last=True, Trainer omits the rows that do not fill a batch."""
    logits = np.tile(np.array([[2.0, -1.0]]), (10, 1))
    hook = make(n_rows=10, measures=["total"])
    assert hook(prediction(logits, truth)) == make(measures=["total"])(prediction(logits, truth)) == {"total": 10}
    for start, last in ((0, False), (4, False), (8, True)):
        found = hook(prediction(logits[start : start + 4], truth[start : start + 4]), compute_result=last)
    assert found == {"total": 10}
    for n, cause in ((8, "dataloader_drop_last=True"), (9, "another data set")):
        with pytest.raises(ValueError, match=f"there are {n} rows, but n_rows=10: .*{cause}"):
            hook([prediction(logits[:n], truth[:n]), prediction([logits[:n]], [truth[:n]])][n % 2])
    with pytest.raises(ValueError, match=r"there are 20 rows, but n_rows=10: .*reset\(\)"):
        hook(prediction([logits] * 2, [truth] * 2))
    assert hook(prediction(logits, truth)) == {"total": 10}  # the refused rows are dropped
    for reset in (True, False):  # as those of an interrupted evaluation
        hook(prediction(logits[:2], truth[:2]), compute_result=False)
        if reset:
            hook.reset()
        assert hook(prediction(logits, truth), compute_result=True if reset else None) == {"total": 10}
    several = DataSets({str(n): make(n_rows=n, measures=["total"]) for n in (10, 4)})
    assert [several(prediction(logits[:n], truth[:n])) for n in (10, 4)] == [{"total": 10}, {"total": 4}]
    for wrong in (0, -1, 2.5, "10", True, (10, 4)):
        with pytest.raises((TypeError, ValueError), match="n_rows"):
            make(n_rows=wrong)


def test_names_that_trackers_take():
    hook = Classification(["cat", "dog"], measures=["f1[cat]"], per_class=True, confidence=0.9, safe_names=True)
    logged = hook(prediction(np.array([[0.9, 0.1], [0.2, 0.8]]), np.array([0, 1])))
    assert list(logged) == ["f1_of_cat", "f1_of_cat_low", "f1_of_cat_high"]
    given = {"metric": "semantic_answer_similarity", "model": "lite", "measures": ["sas_accuracy@0.5"]}
    hook = GenerativeQA(WORDS, ["red green", "blue"], **given, safe_names=True)
    assert hook(prediction(IDS))["sas_accuracy_at_0.5"] == 1.0


def test_a_best_measure_of_several_data_sets_is_one_that_a_hook_logs():
    sets = DataSets(
        {"a": GenerativeQA(WORDS, ["red"]), "b": GenerativeQA(WORDS, ["red", ""], measures=["no_answer_f1"])}
    )
    for best in (None, "f1", "eval_no_answer_f1"):
        sets.on_train_begin(SimpleNamespace(metric_for_best_model=best), None, None)
    with pytest.raises(ValueError, match="'has_answer_f1' is not logged"):
        sets.on_train_begin(SimpleNamespace(metric_for_best_model="has_answer_f1"), None, None)


def test_inputs_and_labels_that_do_not_fit_the_answers():
    made = GenerativeQA(WORDS, ["red green", "blue"], inputs=[[1], [2]])
    with pytest.raises(ValueError, match="Trainer passes none"):
        made(SimpleNamespace(predictions=IDS, label_ids=None, inputs={"pixel_values": IDS}))
    with pytest.raises(ValueError, match="2 predictions, but 1 rows of labels"):
        GenerativeQA(WORDS, ["red green", "blue"])(prediction(IDS, np.array([[1]])))
