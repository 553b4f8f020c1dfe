"""The configs "squad" and "squad_v2" against the rules of the Hugging Face modules of these names, written plainly here."""

import json

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import qassay
from qassay.answer_match.drop_in import score_answers_as
from qassay.answer_match.scoring import score_answers
from qassay.core.scores import Scores
from qassay.core.text import get_normalizer

normalized = get_normalizer("squad")


def exact(answer, golds):
    return float(max(normalized(answer) == normalized(gold) for gold in golds))


def f1(answer, golds):
    def one(gold):
        mine, theirs = normalized(answer).split(), normalized(gold).split()
        if not mine or not theirs:
            return float(mine == theirs)
        shared = sum(min(mine.count(token), theirs.count(token)) for token in set(mine))
        if not shared:
            return 0.0
        precision, recall = shared / len(mine), shared / len(theirs)
        return 2 * precision * recall / (precision + recall)

    return max(map(one, golds))


def squad_v2(predictions, references, no_answer_threshold=1.0):
    """The keys and values of the module squad_v2; probabilities stay doubles."""
    answers = {row["id"]: row["prediction_text"] for row in predictions}
    doubts = {row["id"]: row["no_answer_probability"] for row in predictions}
    golds = {row["id"]: row["answers"]["text"] for row in references}
    kept = {key: [text for text in texts if normalized(text)] or [""] for key, texts in golds.items()}
    raw = {
        "exact": {key: exact(answers[key], kept[key]) for key in golds},
        "f1": {key: f1(answers[key], kept[key]) for key in golds},
    }
    scores = {
        name: {
            key: float(not golds[key]) if doubts[key] > no_answer_threshold else value for key, value in by_id.items()
        }
        for name, by_id in raw.items()
    }
    found = {}
    for prefix, ids in (
        ("", list(golds)),
        ("HasAns_", [key for key in golds if golds[key]]),
        ("NoAns_", [key for key in golds if not golds[key]]),
    ):
        if ids:
            for name, by_id in scores.items():
                found[prefix + name] = 100.0 * sum(by_id[key] for key in ids) / len(ids)
            found[f"{prefix}total"] = len(ids)
    for name, by_id in raw.items():
        # All answers are withheld at first, then given one by one, by rising probability, in the order given.
        now = best = sum(not texts for texts in golds.values())
        threshold = 0.0
        for key in sorted(doubts, key=doubts.get):
            if golds[key]:
                now += by_id[key]
            elif answers[key]:
                now -= 1
            if now > best:
                best, threshold = now, doubts[key]
        found[f"best_{name}"], found[f"best_{name}_thresh"] = 100.0 * best / len(golds), threshold
    return found


def rows_of(answers, golds, doubts, order=None):
    predictions = [
        {"id": f"q{row}", "prediction_text": answer, "no_answer_probability": doubt}
        for row, (answer, doubt) in enumerate(zip(answers, doubts, strict=True))
    ]
    references = [
        {"id": f"q{row}", "answers": {"text": texts, "answer_start": [0] * len(texts)}}
        for row, texts in enumerate(golds)
    ]
    return [predictions[row] for row in order or range(len(answers))], references


def ours(predictions, references, **options):
    found = score_answers_as("squad_v2", {"predictions": predictions, "references": references}, options).summary()
    json.dumps(found, allow_nan=False)
    return found


TEXTS = st.sampled_from(["", "the", "Rome", "the Rome", "Rome and Ur", "Ur", "."])
GOLDS = st.lists(st.sampled_from(["Rome", "Ur", "Rome and Ur", "the"]), max_size=2)


@pytest.mark.usefixtures("both_ways")
@settings(deadline=None)
@given(st.data(), st.sampled_from(["ties", "zero", "one", "apart", "odds"]), st.sampled_from([None, True, False]))
def test_squad_v2_has_the_keys_and_values_of_the_module(data, kind, answerable):
    golds = (
        GOLDS if answerable is None else st.lists(st.just("Rome"), min_size=int(answerable), max_size=int(answerable))
    )
    doubts = {
        "ties": st.sampled_from([0.0, 0.25, 0.5, 1.0]),
        "zero": st.just(0.0),
        "one": st.just(1.0),
        "apart": st.floats(0, 1),
        "odds": st.floats(-20, 20),
    }[kind]
    rows = data.draw(st.lists(st.tuples(TEXTS, golds, doubts), min_size=1, max_size=12))
    order = data.draw(st.permutations(range(len(rows))))
    predictions, references = rows_of(*zip(*rows, strict=True), order=order)
    expected = squad_v2(predictions, references)
    found = ours(predictions, references)
    assert list(found) == list(expected)
    assert found == pytest.approx(expected, rel=1e-13)
    threshold = data.draw(st.sampled_from([0.0, 0.25, 0.5]))
    expected = squad_v2(predictions, references, threshold)
    assert ours(predictions, references, no_answer_threshold=threshold) == pytest.approx(expected, rel=1e-13)


def test_without_ids_rows_keep_their_order():
    columns = {"predictions": ["Ur", "Rome"], "references": [[], ["Rome"]], "no_answer_probabilities": 0.0}
    found = score_answers_as("squad_v2", columns, {}).summary()
    assert (found["best_exact"], found["best_exact_thresh"]) == (50.0, 0.0)
    assert score_answers(**columns).summary(["best_exact_match"]) == {"best_exact_match": 0.5}
    turned = {"predictions": ["Rome", "Ur"], "references": [["Rome"], []], "no_answer_probabilities": 0.0}
    assert score_answers_as("squad_v2", turned, {}).summary(["best_exact"]) == {"best_exact": 100.0}


def test_slices_and_intervals_of_the_drop_in():
    answers, golds = ["Rome", "Ur", "x", ""], [["Rome"], [], ["Ur"], []]
    columns = {"predictions": answers, "references": golds, "no_answer_probabilities": [0.1, 0.9, 0.3, 0.5]}
    scores = score_answers_as("squad_v2", columns, {})
    low, high = scores.interval(names=["best_f1"])["best_f1"]
    assert low <= scores.summary(["best_f1"])["best_f1"] <= high
    rows, gold_rows = rows_of(answers, golds, columns["no_answer_probabilities"])
    assert scores.subset([True, True, False, True]).summary() == squad_v2(
        [rows[0], rows[1], rows[3]], [gold_rows[0], gold_rows[1], gold_rows[3]]
    )


@pytest.mark.usefixtures("both_ways")
@settings(deadline=None)
@given(st.lists(st.tuples(TEXTS, st.sampled_from(["Rome", "Ur", "Rome and Ur"])), min_size=1, max_size=8))
def test_squad_has_the_keys_and_values_of_the_module(rows):
    predictions, references = rows_of(*zip(*[(answer, [gold]) for answer, gold in rows], strict=True), [0] * len(rows))
    predictions = [{key: row[key] for key in ("id", "prediction_text")} for row in predictions]
    found = score_answers_as("squad", {"predictions": predictions, "references": references}, {}).summary()
    n = len(rows)
    # In SQuAD 1.1 nothing shares no token with nothing.
    overlap = sum(f1(answer, [gold]) if normalized(answer) else 0.0 for answer, gold in rows)
    expected = {
        "exact_match": 100.0 * sum(exact(answer, [gold]) for answer, gold in rows) / n,
        "f1": 100.0 * overlap / n,
    }
    assert list(found) == list(expected) and found == pytest.approx(expected, rel=1e-13)


@settings(deadline=None)
@given(st.lists(st.tuples(TEXTS, GOLDS, st.sampled_from([0.0, 0.1, 0.5]), st.integers(0, 3)), min_size=1, max_size=10))
def test_weights_equal_repeated_rows(rows):
    def scored(rows, **weights):
        answers, golds, doubts, _ = map(list, zip(*rows, strict=True))
        columns = {"predictions": answers, "references": golds, "no_answer_probabilities": doubts, **weights}
        return score_answers_as("squad_v2", columns, {}).summary(["f1", "best_exact", "best_f1"])

    repeated = [row for row in rows for _ in range(row[3])]
    assume(repeated)
    assert scored(rows, weights=[row[3] for row in rows]) == pytest.approx(scored(repeated), abs=1e-9)


def test_keys_of_absent_kinds_of_questions_are_omitted_from_all_results():
    columns = {"predictions": ["Ur", "x"], "references": [["Ur"], []], "no_answer_probabilities": [0.0, 0.0]}
    whole = score_answers_as("squad_v2", columns, {})
    for subset, absent in (("has_answer", "NoAns_"), ("no_answer", "HasAns_")):
        scores = whole.subset(subset)
        given = scores.result(confidence=0.9, n_resamples=9, counts=True)
        for keys in (given, given["counts"], scores.counts(), scores.summary(), scores.interval(n_resamples=9)):
            assert keys and not any(key.startswith(absent) for key in keys)
        assert scores.summary([f"{absent}f1", f"{absent}total"]) == {f"{absent}f1": None, f"{absent}total": 0}


def test_systems_with_predictions_in_other_orders_are_compared():
    rows = ["Ur", "Rome", "x"], [["Ur"], [], ["Ur"]], [0.0, 0.0, 0.0]
    systems = {}
    for name, order in (("a", [0, 1, 2]), ("b", [2, 1, 0])):
        predictions, references = rows_of(*rows, order)
        systems[name] = score_answers_as("squad_v2", {"predictions": predictions, "references": references}, {})
    found = {one.measure: one.values for one in qassay.compare(systems, ["best_f1", "f1"]).differences}
    assert found["best_f1"] == tuple(scores.summary()["best_f1"] for scores in systems.values())
    assert found["best_f1"][0] > found["best_f1"][1]


@settings(deadline=None)
@given(st.data())
def test_joined_parts_give_what_the_module_gives_for_their_predictions_in_order(data):
    rows = data.draw(
        st.lists(st.tuples(TEXTS, GOLDS, st.sampled_from([0.0, 0.5])), min_size=2, max_size=10), label="rows"
    )
    predictions, references = rows_of(*zip(*rows, strict=True))
    split = data.draw(st.integers(1, len(rows) - 1), label="split")
    sides = (predictions[:split], references[:split]), (predictions[split:], references[split:])
    parts, given_order = [], []
    for predicted, gold in sides:
        predicted = data.draw(st.permutations(predicted))
        given_order += predicted
        parts.append(score_answers_as("squad_v2", {"predictions": predicted, "references": gold}, {}))
    expected = squad_v2(given_order, references)
    assert Scores.concat(parts).summary() == pytest.approx(expected, rel=1e-13)
    assert parts[0].columns.keys() == parts[1].columns.keys() and parts[0].measures == parts[1].measures
    whole = score_answers_as("squad_v2", {"predictions": given_order, "references": references}, {})
    assert Scores.concat(parts) == whole
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows))))
    slices = [whole.subset(mask), whole.subset(~mask)]
    assert Scores.concat([part for part in slices if len(part)]) == whole


@pytest.mark.parametrize("side", ["predictions", "references"])
@pytest.mark.parametrize("key", ["idx", "qid", "questionId", "qas_id"])
def test_ids_of_another_name_are_not_matched_by_position(side, key):
    rows = {
        "predictions": [{"id": "q2", "prediction_text": "b"}, {"id": "q1", "prediction_text": "a"}],
        "references": [{"id": "q1", "answers": {"text": ["a"]}}, {"id": "q2", "answers": {"text": ["b"]}}],
    }
    assert qassay.score("answer_match", **rows)["exact_match"] == 1
    rows[side] = [{key: row.pop("id"), **row} for row in rows[side]]
    assert qassay.score("answer_match", **rows)["exact_match"] == 1
    rows[side] = [{"uid": row[key], **row} for row in rows[side]]
    with pytest.raises(ValueError, match=rf"{side}\[0\] has no 'id', but 'uid' and '{key}'"):
        qassay.score("answer_match", **rows)
