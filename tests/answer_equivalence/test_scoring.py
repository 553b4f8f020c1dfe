"""answer_equivalence: its rules around the scorer, kinds of errors, questions, models, and what it refuses."""

import json

import numpy as np
import pytest

import qassay
from qassay.answer_equivalence.judges import Judge
from qassay.answer_equivalence.lite import explain_answer, lite_model
from qassay.answer_equivalence.scorers import accepting_output
from qassay.registry import get_family
from qassay.semantic_answer_similarity.pair_scorers import PairScorer, PairScores

QUESTION = "what is the capital of France?"


def score(answers, golds, **options):
    return qassay.score("answer_equivalence", answers, golds, **options)


def test_rows_that_no_scorer_sees():
    def ask(question, golds, answer):
        raise AssertionError("nobody should ask")

    answers = ["", "I don't know.", "Rome", " \n", "", "cannot be determined", None]
    golds = [[], [], [], ["Rome"], [""], [""], ["Rome"]]
    found = score(answers, golds, questions=["?"] * 7, model=ask)
    assert found.columns["equivalence"].tolist() == [1.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0]
    kinds = get_family("answer_equivalence").about.errors.of(found)
    assert kinds[2:4] == ["answered an unanswerable", "gave no answer"] and kinds[6] == "no prediction"
    assert found.summary(["missing", "abstained", "no_answer_accepted", "has_answer_total"]) == {
        "missing": 1, "abstained": 3, "no_answer_accepted": 2 / 3, "has_answer_total": 4,
    }  # fmt: skip


def test_blank_gold_answers_are_not_shown_to_the_scorer():
    seen = []
    score(["x"], [["", "Paris", " "]], questions=["?"], model=lambda *row: seen.append(row) or 1.0)
    assert seen == [("?", ["Paris"], "x")]
    assert score([""], [["", "Paris"]]).columns["equivalence"].tolist() == [1.0]


def test_a_gold_answer_given_twice_counts_once():
    answer, golds = "The capital is Paris, in France.", ["Paris", "the city of Paris"]
    for questions in (None, [QUESTION]):
        once, twice = (score([answer], [own], questions=questions) for own in (golds, [*golds, "", *golds]))
        assert once.columns["equivalence"].tolist() == twice.columns["equivalence"].tolist()
    assert explain_answer(answer, golds) == explain_answer(answer, golds * 2)
    seen = []
    score(["x"], [["a", "b", "a"]], questions=["?"], model=lambda *row: seen.append(row) or 1.0)
    assert seen == [("?", ["a", "b"], "x")]


def test_a_row_with_a_blank_question_is_judged_without_and_counted():
    answers, golds = ["in 1903", "in 1903", "", "in 1903"], [["1911"]] * 4
    found = score(answers, golds, questions=["when?", " ", "", "when?"])
    with_question, without = (
        score(answers, golds, questions=given).columns["equivalence"] for given in (["when?"] * 4, None)
    )
    assert with_question[0] != without[0]
    assert found.columns["equivalence"].tolist() == [with_question[0], without[1], 0.0, with_question[3]]
    assert found.subsets["without_question"].tolist() == [False, True, False, False]
    assert explain_answer(answers[0], golds[0], " ") == explain_answer(answers[0], golds[0])
    seen = []
    score(["x"], [["a"]], questions=[""], model=lambda *row: seen.append(row) or 1.0)
    assert seen == [("", ["a"], "x")]


def test_systems_judged_by_other_questions_cannot_be_compared():
    rows = ["Paris", "Rome"], [["Paris"], ["Rome"]]
    asked = [QUESTION, "what is the capital of Italy?"]
    right, swapped = (score(*rows, questions=given) for given in (asked, asked[::-1]))
    with pytest.raises(ValueError, match="example 0 differs in its questions"):
        qassay.compare({"a": right, "b": swapped})
    unread = [score(*rows, questions=given, use_questions=False) for given in (asked, asked[::-1])]
    assert qassay.compare(dict(zip("ab", unread, strict=True)))


def test_the_threshold_and_the_unsure():
    def ask(question, golds, answer):
        return float(answer)

    answers = ["0.1", "0.2", "0.5", "0.8", "0.81"]
    found = score(answers, [["x"]] * 5, questions=["?"] * 5, model=ask)
    assert found.columns["accepted"].tolist() == [0, 0, 1, 1, 1]
    assert found.summary(["unsure"]) == {"unsure": 3 / 5}
    strict = score(answers, [["x"]] * 5, questions=["?"] * 5, model=ask, threshold=0.81)
    assert strict.columns["accepted"].tolist() == [0, 0, 0, 0, 1] and "|threshold:0.81|" in strict.signature()


def test_without_questions_the_signature_and_a_count_say_so():
    bare, asked = score(["Paris", ""], [["Paris"]] * 2), score(["Paris"], [["Paris"]], questions=[QUESTION])
    assert f"|model:lite|revision:3|fingerprint:{lite_model()['fingerprint']}|question:no|" in bare.signature()
    assert "|question:yes|" in asked.signature()
    assert (bare.summary()["without_question"], asked.summary()["without_question"]) == (1, 0)
    about = get_family("answer_equivalence").about
    assert about.notes_of(bare)["without_question"] == 1 and "without_question" not in about.notes_of(asked)
    left_out = score(["Paris"], [["Paris"]], questions=[QUESTION], use_questions=False)
    assert left_out == score(["Paris"], [["Paris"]])
    with pytest.raises(ValueError, match="use_questions=True against False"):
        qassay.Scores.concat([score(["a"], [["a"]]), asked])
    for scores in (bare, asked):
        assert qassay.from_signature(scores.signature()) == scores.options


def test_counts_of_kinds_are_those_of_the_errors_also_where_all_gold_answers_are_blank():
    answers = ["Rome", "Rome or Paris", "", "I don't know.", "Rome", "Rome", ""]
    found = score(answers, [[""], [""], [""], [" "], [], ["Paris", ""], ["Paris"]], questions=["?"] * 7)
    kinds = get_family("answer_equivalence").about.errors.of(found)
    assert kinds == [
        "other entity", "hedged between several answers", "accepted", "accepted", "answered an unanswerable",
        "other entity", "gave no answer",
    ]  # fmt: skip
    counted = found.summary(["refusal", "hedged", "negated", "wrong_number", "partial", "other_entity"])
    assert list(counted.values()) == [0, 1, 0, 0, 0, 2]


class Echo(PairScorer):
    """1 where prediction and reference are equal."""

    name, mode = "echo", "toy"

    def score(self, predictions, references, questions=None):
        assert questions is None
        equal = np.array([float(a == b) for a, b in zip(predictions, references, strict=True)])
        return PairScores(equal, *np.zeros((2, len(equal)), bool))


def test_a_scorer_of_pairs_is_the_best_over_the_gold_answers():
    found = score(["a", "b", ""], [["x", "a"], ["x"], []], model=Echo())
    assert found.columns["equivalence"].tolist() == [1.0, 0.0, 1.0] and found.options.use_questions is False


@pytest.mark.parametrize(
    ("options", "error", "named"),
    [
        ({"use_questions": True}, ValueError, "questions"),
        ({"model": lambda q, g, a: 1}, ValueError, "custom:<lambda> needs the questions"),
        ({"model": Judge(max)}, ValueError, "reads_questions=False"),
        ({"model": "no/such"}, ValueError, "no/such needs the questions"),
        ({"model": "Lite"}, ValueError, "did you mean 'lite'"),
        ({"threshold": float("nan")}, ValueError, "threshold"),
        ({"device": "cpu"}, ValueError, "device"),
        ({"revision": "9"}, ValueError, "revision 3.*'9'"),
        ({"model": max, "input_order": "answer_gold_question"}, ValueError, "input_order"),
        ({"model": "a/b", "input_order": "gold"}, ValueError, "input_order=gold"),
        ({"model": Echo(), "batch_size": 3}, ValueError, "batch_size"),
    ],
)
def test_what_is_refused(options, error, named):
    with pytest.raises(error, match=named):
        score(["a"], [["a"]], **options)


@pytest.mark.parametrize(
    ("names", "label", "named"),
    [
        (["LABEL_0"], "LABEL_0", "omit accept_label=LABEL_0"),
        (["positive", "negative"], None, "accept_label=positive or negative"),
        (["entailment", "neutral"], "entailmnt", "did you mean 'entailment'"),
        (["yes", "yes"], "yes", "2 outputs"),
    ],
)
def test_an_output_that_is_not_clear_is_refused(names, label, named):
    with pytest.raises(ValueError, match=named):
        accepting_output("m", dict(enumerate(names)), len(names), label)


def test_a_judge_is_not_asked_for_the_names_of_measures():
    asked = []
    scorer = qassay.scorer("answer_equivalence", model=lambda *row: asked.append(row) or 1.0)
    assert scorer.names == ("equivalence", "accepted", "unsure") and not asked
    assert scorer("Rome", ["Paris"], questions="where?")["accepted"] == 1.0 and len(asked) == 1


@pytest.mark.thorough
def test_a_model_named_for_several_metrics_is_one_of_similarity(tmp_path, model_folders):
    path = tmp_path / "table.json"
    path.write_text(json.dumps([{"question": QUESTION, "gold": "Paris", "prediction": "It is Paris."}]))
    found = qassay.score_files(
        path, metric=["answer_equivalence", "semantic_answer_similarity"], model=model_folders("classic")
    )
    assert found["answer_equivalence"]["table"].options.model == "lite"
    assert found["semantic_answer_similarity"]["table"].options.model == model_folders("classic")
