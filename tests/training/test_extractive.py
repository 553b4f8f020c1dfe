"""ExtractiveQA against a plain oracle: the rules span by span, in Python, on data that hypothesis makes up."""

import importlib.util
import json
import os
import warnings
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import qassay
from qassay.training import DataSets, ExtractiveQA, qa_dataset

CLONE = os.environ.get("QASSAY_TRANSFORMERS_CLONE")


def prediction(*logits, labels=None):
    """What Trainer gives to compute_metrics."""
    return SimpleNamespace(predictions=logits, label_ids=labels)


def oracle(examples, features, logits, negative, n_best, longest, threshold):
    """id -> (answer, n best as (text, start logit, end logit), odds of no answer): one span at a time.

    An answer of None stands for the case that has no rule: several spans, all without a text.
    """
    found = {}
    for row, identifier in enumerate(examples["id"]):
        context, spans, nulls = examples["context"][row], [], []
        mine = [number for number, owner in enumerate(features["example_id"]) if owner == identifier]
        for number in mine:
            starts, ends, offsets = logits[0][number], logits[1][number], features["offset_mapping"][number]
            first_starts = list(np.argsort(starts))[::-1][:n_best]
            first_ends = list(np.argsort(ends))[::-1][:n_best]
            kind = np.result_type(starts, np.float32)  # half precision is added in single precision
            starts, ends = starts.astype(kind), ends.astype(kind)
            nulls.append((starts[0] + ends[0], starts[0], ends[0]))
            for start in first_starts:
                for end in first_ends:
                    known = max(start, end) < len(offsets) and offsets[start] and offsets[end]
                    if known and start <= end < start + longest:
                        cut = (offsets[start][0], offsets[end][1])
                        spans.append((starts[start] + ends[end], starts[start], ends[end], cut))
        if not mine:
            continue
        null = min(nulls, key=lambda one: one[0])
        if negative:
            spans.append((*null, (0, 0)))
        best = sorted(spans, key=lambda span: -span[0])[:n_best]
        if negative and all(span[3] != (0, 0) for span in best):
            best.append((*null, (0, 0)))
        texts = [(context[cut[0] : cut[1]], start, end) for _, start, end, cut in best]
        if not texts or [text for text, *_ in texts] == [""]:
            texts.insert(0, ("empty", 0.0, 0.0))
        if not negative:
            found[identifier] = (texts[0][0], texts, None)
            continue
        real = next((one for one in texts if one[0]), None)
        if real is None:
            found[identifier] = (None, texts, None)
            continue
        odds = null[0] - real[1] - real[2]
        found[identifier] = ("" if odds > threshold else real[0], texts, float(odds))
    return found


@st.composite
def cases(draw):
    """Examples with short contexts, features that overlap, come in any order and are padded, and logits with many ties."""
    n = draw(st.integers(1, 4))
    examples = {"id": [], "context": [], "answers": []}
    pieces = []
    for row in range(n):
        words = draw(st.lists(st.sampled_from(["b", "été", "xyz", "", "🙂"]), max_size=6))
        context = " ".join(words)
        examples["id"].append(f"q{row}")
        examples["context"].append(context)
        examples["answers"].append({"text": [context[:3]] if context[:3].strip() else []})
        ends = np.cumsum([len(word) + 1 for word in words]) - 1
        cuts = [(int(end) - len(word), int(end)) for word, end in zip(words, ends, strict=True)]
        for _ in range(draw(st.integers(1, 2))):
            low = draw(st.integers(0, len(cuts)))
            high = draw(st.integers(low, len(cuts)))
            before, after = draw(st.integers(1, 2)), draw(st.integers(0, 1))
            pieces.append((f"q{row}", [None] * before + cuts[low:high] + [None] * after))
    pieces = draw(st.permutations(pieces))
    length = max(len(offsets) for _, offsets in pieces) + draw(st.integers(0, 2))
    features = {"example_id": [owner for owner, _ in pieces], "offset_mapping": [offsets for _, offsets in pieces]}
    kind = draw(st.sampled_from([np.float16, np.float32, np.float64]))
    values = draw(st.sampled_from([[0.0, 1.0], [-1.0, 0.0, 0.1, 2.5, 7.0], [float("-inf"), 0.0, 0.3]]))
    numbers = st.lists(st.sampled_from(values), min_size=2 * len(pieces) * length, max_size=2 * len(pieces) * length)
    logits = np.array(draw(numbers), kind).reshape(2, len(pieces), length)
    options = {
        "version_2_with_negative": draw(st.booleans()),
        "n_best_size": draw(st.sampled_from([1, 2, 3, 5, 20])),
        "max_answer_length": draw(st.integers(1, 4)),
        "null_score_diff_threshold": draw(st.sampled_from([0.0, 0.1, -1.0, 2.5])),
    }
    return examples, features, logits, options


@settings(max_examples=60, deadline=None)
@given(cases(), st.sampled_from([1, 2, 512]))
@pytest.mark.filterwarnings("ignore:invalid value")
def test_answers_match_the_rules(case, block):
    examples, features, logits, options = case
    expected = oracle(examples, features, logits, *options.values())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(qa_dataset, "BLOCK", block)
        made = ExtractiveQA(examples, features, **options)
        answers = made.answers(tuple(logits))
    nbest = answers.nbest()
    assert answers.texts.keys() == nbest.keys() == expected.keys()
    for identifier, (text, best, odds) in expected.items():
        assert answers.texts[identifier] == (text or "")
        if text is not None:
            found = [(span["text"], span["start_logit"], span["end_logit"]) for span in nbest[identifier]]
            assert found == best
            assert sum(span["probability"] for span in nbest[identifier]) == pytest.approx(1)
        if odds is not None and np.isfinite(odds):
            assert answers.null_odds[identifier] == odds
    # What is scored are these answers.
    made(prediction(*logits))
    golds = dict(zip(examples["id"], examples["answers"], strict=True))
    direct = qassay.score("answer_match", answers.texts, golds)
    for name in ("exact_match", "f1"):
        assert made.scores.per_example()[name].tolist() == direct.per_example()[name].tolist()
    # Batches, in both ways in which Trainer gives them, give the same.
    whole, n = made(prediction(*logits)), logits.shape[1]
    parts = [tuple(half[rows] for half in logits) for rows in (slice(0, n // 2), slice(n // 2, n))]
    assert made(prediction(*parts[0]), compute_result=False) == {}
    assert made(prediction(*parts[1]), compute_result=True) == whole
    assert made(SimpleNamespace(predictions=parts, label_ids=[None, None])) == whole


@pytest.mark.thorough
@pytest.mark.skipif(not CLONE, reason="set QASSAY_TRANSFORMERS_CLONE to a clone of huggingface/transformers")
def test_answers_match_the_example_script(tmp_path, datasets):
    path = Path(CLONE, "examples", "pytorch", "question-answering", "utils_qa.py")
    spec = importlib.util.spec_from_file_location("utils_qa", path)
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    rng = np.random.default_rng(1)
    for _ in range(30):
        logits = tuple(rng.integers(0, 4, (2, len(FEATURES["example_id"]), 12)).astype(np.float32))
        for negative in (False, True):
            options = {"version_2_with_negative": negative, "n_best_size": 4, "max_answer_length": 3}
            data = [datasets.Dataset.from_dict(part) for part in (EXAMPLES, FEATURES)]
            theirs = script.postprocess_qa_predictions(*data, logits, **options, output_dir=str(tmp_path))
            answers = ExtractiveQA(*data, **options).answers(logits)
            assert answers.texts == theirs
            if negative:
                assert answers.null_odds == json.loads((tmp_path / "null_odds.json").read_text())


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
def test_spans_whose_scores_differ_do_not_tie_in_half_precision(kind):
    """8.0234375 + 8 is 16.03125 in float16, as 8 + 8.03125 is; the example script then takes the larger start."""
    examples = {"id": ["q"], "context": ["red green"], "answers": [{"text": ["red"], "answer_start": [0]}]}
    features = {"example_id": ["q"], "offset_mapping": [[None, (0, 3), (4, 9)]]}
    starts, ends = np.array([[[0, 8, 8.0234375]], [[-0.5, 8.03125, 8]]], kind)
    made = ExtractiveQA(examples, features, max_answer_length=1, version_2_with_negative=True, measures=["exact_match"])
    answers = made.answers((starts, ends))
    assert answers.texts == {"q": "red"} and answers.null_odds == {"q": -0.5 - 16.03125}
    best = answers.nbest()["q"]
    powers = [np.exp(score - 16.03125) for score in (16.03125, 16.0234375, -0.5)]
    assert [span["text"] for span in best] == ["red", "green", ""]
    assert [span["probability"] for span in best] == pytest.approx([power / sum(powers) for power in powers], rel=1e-12)
    assert made(prediction(starts, ends)) == {"exact_match": 1.0}


def small():
    """Two questions on "Rome and Paris and Nice", the second one with two features and without an answer."""
    context = "Rome and Paris and Nice"
    cuts = [(0, 4), (5, 8), (9, 14), (15, 18), (19, 23)]
    examples = {
        "id": ["q1", "q2"],
        "context": [context, context],
        "answers": [{"text": ["Paris"], "answer_start": [9]}, {"text": [], "answer_start": []}],
    }
    features = {
        "example_id": ["q1", "q2", "q2"],
        "offset_mapping": [
            [None, None, *cuts, None],
            [None, *cuts[:3], None],
            [None, *cuts[2:], None, None, None, None],
        ],
    }
    return examples, features


EXAMPLES, FEATURES = small()


def peaks(*places, length=9, height=8.0):
    """Logits of (row, place) pairs that stick out."""
    logits = np.zeros((3, length), np.float32)
    for row, place in places:
        logits[row, place] = height
    return logits


def test_the_layouts_of_libraries(datasets, pd):
    logits = peaks((0, 4), (1, 3), (2, 0)), peaks((0, 4), (1, 3), (2, 0))
    # A data set whose rows come by way of indices, and one with another format.
    shuffled = datasets.Dataset.from_dict({name: column[::-1] for name, column in FEATURES.items()}).select([2, 1, 0])
    rows = [dict(zip(EXAMPLES, row, strict=True)) for row in zip(*EXAMPLES.values(), strict=True)]
    for one, other in (
        (datasets.Dataset.from_dict(EXAMPLES).with_format("numpy"), shuffled),
        (pd.DataFrame(EXAMPLES), pa.table(FEATURES)),
        (rows, FEATURES),
    ):
        made = ExtractiveQA(one, other, measures=["exact_match", "f1", "total"])
        assert made.answers(logits).texts == {"q1": "Paris", "q2": "Paris"}
        assert made(prediction(*logits)) == {"exact_match": 0.5, "f1": 0.5, "total": 2}


def test_features_in_pieces_with_gaps_and_without_tokens(datasets):
    examples = {"id": ["a", "b", "c"], "context": ["x y", "été z", ""], "answers": [["x"], ["z"], []]}
    offsets = [[None, (0, 1), (2, 3)], [], None, [None, (0, 3), (4, 5)], [None]]
    features = {"example_id": ["a", "a", "b", "b", "c"], "offset_mapping": offsets}
    more = pa.table({"example_id": ["z", *features["example_id"]], "offset_mapping": pa.array([[(1, 2)], *offsets])})
    table, data = more.slice(1), datasets.Dataset.from_dict(features)
    tokens = pa.array([*offsets[0], (7, 8), (8, 9), *offsets[3], *offsets[4]])  # two of them in the gap
    hidden = pa.ListArray.from_arrays(
        pa.array([0, 3, 3, 5, 8, 9], pa.int32()), tokens, mask=pa.array([False, False, True, False, False])
    )
    logits = tuple(np.random.default_rng(0).normal(size=(2, 5, 4)).astype(np.float32))
    layouts = [
        table,
        pa.concat_tables([table.slice(0, 2), table.slice(2)]),
        {**features, "offset_mapping": hidden},
        datasets.Dataset(more).select(range(1, 6)),
        datasets.concatenate_datasets([data.select(range(2)), data.select(range(2, 5))]),
    ]
    for negative in (False, True):
        expected = ExtractiveQA(examples, features, version_2_with_negative=negative).answers(logits)
        assert expected.texts["c"] == "empty"  # as the rules have it
        for layout in layouts:
            found = ExtractiveQA(examples, layout, version_2_with_negative=negative).answers(logits)
            assert found.texts == expected.texts and found.nbest() == expected.nbest()


def test_probabilities_are_sums_of_the_logits_in_double_precision():
    """In float32, 8 + 8.00000095 is 16: two spans of different logits would have equal probabilities."""
    logits = np.zeros((2, 3, 9), np.float32)
    logits[:, 0, 2:4], logits[0, 0, 3] = 8, np.nextafter(np.float32(8), np.float32(9))
    best = ExtractiveQA(EXAMPLES, FEATURES, max_answer_length=1).answers(tuple(logits)).nbest()["q1"]
    powers = [np.exp(span["start_logit"] + span["end_logit"] - 16) for span in best]
    expected = [power / sum(powers) for power in powers]
    assert [span["probability"] for span in best] == pytest.approx(expected, rel=1e-14)
    assert [span["text"] for span in best[:2]] == ["and", "Rome"] and expected[0] > expected[1]


def test_no_answer_is_decided_by_the_threshold_and_swept():
    logits = peaks((0, 4), (1, 0), (2, 0)), peaks((0, 4), (1, 0), (2, 0))
    logits[0][1, 1] = logits[1][1, 1] = 1.0
    made = ExtractiveQA(EXAMPLES, FEATURES, version_2_with_negative=True)
    answers = made.answers(logits)
    assert answers.texts == {"q1": "Paris", "q2": ""}
    assert answers.null_odds == {"q1": -16.0, "q2": 14.0}
    assert made(prediction(*logits)) == {"exact_match": 1.0, "f1": 1.0}
    assert (made.scores["no_answer_f1"], made.scores["best_f1"]) == (1.0, 1.0)
    # A threshold beyond all odds never withholds; the sweep still finds the right one.
    bold = ExtractiveQA(EXAMPLES, FEATURES, version_2_with_negative=True, null_score_diff_threshold=20.0)
    assert bold.answers(logits).texts["q2"] == "Rome"
    bold(prediction(*logits))
    assert (bold.scores["exact_match"], bold.scores["best_exact_match"]) == (0.5, 1.0)
    best = bold.scores["best_exact_match_threshold"]
    again = ExtractiveQA(EXAMPLES, FEATURES, version_2_with_negative=True, null_score_diff_threshold=best)
    assert again(prediction(*logits))["exact_match"] == 1.0


def test_odds_equal_to_the_threshold_are_an_answer_in_the_precision_of_the_logits():
    logits = peaks((0, 4)), peaks((0, 4))
    made = ExtractiveQA(
        EXAMPLES, FEATURES, version_2_with_negative=True, null_score_diff_threshold=0.1, measures=["exact_match"]
    )
    for part in logits:
        part[1:, 2:] = part[2, 1] = -1.0
    logits[0][1:, 0] = np.float32(0.1)
    assert made.answers(logits).null_odds["q2"] > 0.1  # as a double
    assert made.answers(logits).texts["q2"] == "Rome"
    assert made(prediction(*logits)) == {"exact_match": 0.5}


def test_hugging_face_keys():
    handed = prediction(*[peaks((0, 2), (1, 0), (2, 0))] * 2)
    found = ExtractiveQA(EXAMPLES, FEATURES, config_name="squad_v2", version_2_with_negative=True)(handed)
    assert found["exact"] == 50.0 and {"HasAns_f1", "NoAns_f1", "best_f1_thresh"} <= found.keys()
    assert {type(value) for value in found.values()} <= {float, int}
    found = ExtractiveQA(EXAMPLES, FEATURES, config_name="squad", version_2_with_negative=True)(handed)
    assert found == {"exact_match": 50.0, "f1": 50.0}, "no answer is right where there is none"


def test_no_answer_has_more_tokens_than_allowed():
    logits = peaks((0, 2)), peaks((0, 4))  # from "Rome" to "Paris"
    texts = [ExtractiveQA(EXAMPLES, FEATURES, max_answer_length=n).answers(logits).texts["q1"] for n in (2, 3)]
    assert texts[0] != texts[1] == "Rome and Paris"


def test_examples_without_a_feature_are_missing():
    only = {name: column[:1] for name, column in FEATURES.items()}
    handed = prediction(*[peaks((0, 4))[:1]] * 2)
    for options, expected in (
        ({}, {"total": 2, "missing": 1, "exact_match": 0.5}),
        ({"missing": "skip", "version_2_with_negative": True}, {"total": 1, "skipped": 1, "exact_match": 1.0}),
    ):
        made = ExtractiveQA(EXAMPLES, only, **options)
        made(handed)
        found = made.scores.summary()
        assert {name: found[name] for name in expected} == expected
    with pytest.raises(ValueError, match="'q2'"):
        ExtractiveQA(EXAMPLES, only, missing="error")(handed)


@pytest.mark.thorough
def test_more_outputs_of_a_model_and_bfloat16_are_fine():
    torch = pytest.importorskip("torch", reason='needs torch: pip install -e ".[test-all]"')
    logits = torch.from_numpy(peaks((0, 4), (1, 3), (2, 0))).bfloat16()
    made = ExtractiveQA(EXAMPLES, FEATURES)
    found = made.answers((logits, logits, torch.zeros(3, 9, 4)))
    assert found.texts == {"q1": "Paris", "q2": "Paris"}


GOOD = (np.zeros((3, 9), np.float32),) * 2


def with_nan(value=np.nan):
    logits = np.zeros((3, 9), np.float32)
    logits[1, 4] = value
    return logits


def offsets(*tokens):
    """Features of which the first has these offsets."""
    return {"example_id": ["q1", "q2"], "offset_mapping": [[*tokens], [None]]}


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"features": {"example_id": ["q1"]}}, ValueError, "'offset_mapping' .*return_offsets_mapping=True"),
        ({"features": {"offset_mapping": [[None]]}}, ValueError, "'example_id' .*overflow_to_sample_mapping"),
        ({"features": {**FEATURES, "example_id": ["q1", "q2"]}}, ValueError, "offset_mapping 3"),
        ({"features": {**FEATURES, "token_is_max_context": [None] * 3}}, ValueError, "omit it"),
        ({"features": {**FEATURES, "example_id": ["q1", "q9", "q2"]}}, ValueError, r"features\[1\] .example 'q9'"),
        ({"features": offsets((20, 24))}, ValueError, r"features\[0\] .* token 0 .*\(20, 24\)"),
        ({"features": offsets((3, 1))}, ValueError, r"token 0 .*\(3, 1\)"),
        ({"features": offsets(None, (4, 8), (0, 3))}, ValueError, "token 2"),
        (
            {"features": offsets((0, 0), (0, 4)) | {"offset_mapping": [[(0, 4)], [(0, 4)]]}},
            ValueError,
            "no token outside",
        ),
        ({"features": {"example_id": [], "offset_mapping": []}}, ValueError, "features has no rows"),
        ({"features": {**FEATURES, "offset_mapping": ["a", "b", "c"]}}, TypeError, "per token, got the type string"),
        ({"features": offsets(None, (None, 4))}, ValueError, "None within an offset"),
        ({"features": [{"example_id": "q1", "offset_mapping": []}, "q2"]}, ValueError, r"features\[1\] .*'q2'"),
        ({"features": ["q1", "q2"]}, TypeError, "features must be .* list of dicts; got list"),
        ({"features": iter([])}, TypeError, "features"),
        ({"examples": {"id": ["q1"]}}, ValueError, "'context' .*rename"),
        ({"examples": {**EXAMPLES, "id": ["q1", "q1"]}}, ValueError, "'q1'"),
        ({"examples": {**EXAMPLES, "context": ["a", None]}}, ValueError, r"examples: context\[1\] .id 'q2'"),
        ({"examples": {**EXAMPLES, "answers": [["Paris"], None]}}, TypeError, r"examples\[1\] .id 'q2'"),
        ({"null_score_diff_threshold": np.nan}, ValueError, "null_score_diff_threshold"),
        ({"no_answer_threshold": 0.5}, TypeError, "no_answer_threshold"),
        ({"top_k": 3}, ValueError, "top_k"),
        ({"preset": "drop"}, ValueError, "preset=drop"),
        ({"measures": ["exact_macth"]}, ValueError, "'exact_macth' .*'exact_match'"),
    ],
)
def test_what_cannot_work_is_refused_before_training(changes, error, message):
    with pytest.raises(error, match=message):
        ExtractiveQA(**{"examples": EXAMPLES, "features": FEATURES, **changes})


@pytest.mark.parametrize(
    ("predictions", "error", "message"),
    [
        (GOOD[0], TypeError, r"\(3, 9\)"),
        ((np.zeros((3, 9, 2)), GOOD[1]), TypeError, "start logits"),
        ((GOOD[0], np.zeros((3, 8), np.float32)), ValueError, r"\(3, 9\), end logits \(3, 8\)"),
        ((GOOD[0], np.zeros((3, 9), np.int64)), TypeError, "end logits .*int64"),
        ((np.zeros((3, 5)), np.zeros((3, 5))), ValueError, r"features\[0\] .example 'q1'. has 8 tokens"),
        ((np.zeros((4, 9)), np.zeros((4, 9))), ValueError, "4 features .*3"),
        ((with_nan(), GOOD[1]), ValueError, r"start logits\[1\] has NaN"),
        ((GOOD[0], with_nan(np.inf)), ValueError, r"end logits\[1\] has an infinite"),
    ],
)
def test_logits_that_do_not_fit(predictions, error, message):
    made = ExtractiveQA(EXAMPLES, FEATURES, measures=["total"])
    with pytest.raises(error, match=message):
        made(SimpleNamespace(predictions=predictions, label_ids=None))
    # Nothing is left of it in the next evaluation.
    assert made(prediction(*GOOD))["total"] == 2


def test_rows_in_another_order_are_refused():
    features = {**FEATURES, "start_positions": [4, 3, 0], "end_positions": [4, 3, 0]}
    made = ExtractiveQA(EXAMPLES, features, measures=["total"])
    good = tuple(np.array(features[name]) for name in ("start_positions", "end_positions"))
    assert made(prediction(*GOOD, labels=good))["total"] == 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made(prediction(*GOOD, labels=good))
    turned = tuple(labels[::-1] for labels in good)
    with pytest.raises(ValueError, match=r"features\[0\] .example 'q1'. .*4, .*0"):
        made(prediction(*GOOD, labels=turned))
    with pytest.raises(ValueError, match=r"features\[0\]"):  # such as Trainer.predict gives
        made.answers(prediction(*GOOD, labels=turned))


def test_positions_that_cannot_show_an_order_are_reported():
    """Windows without an answer all have the position 0: a shuffle of them cannot be seen."""
    zeros = {**FEATURES, "start_positions": [0, 0, 0], "end_positions": [0, 0, 0]}
    labels = (np.zeros(3, int), np.zeros(3, int))
    with pytest.warns(UserWarning, match="alike"):
        ExtractiveQA(EXAMPLES, zeros)(prediction(*GOOD, labels=labels))
    with pytest.warns(UserWarning, match="keep these columns"):
        ExtractiveQA(EXAMPLES, FEATURES)(prediction(*GOOD, labels=labels))


def test_offsets_in_lists_of_fixed_size():
    pairs = pa.list_(pa.list_(pa.int64(), 2))
    features = pa.table(
        {"example_id": ["q1", "q2"], "offset_mapping": pa.array([[None, (0, 4)], [None, (1, 2)]], pairs)}
    )
    made = ExtractiveQA(EXAMPLES, features)
    peak = np.array([[0.0, 1.0], [0.0, 1.0]])
    contexts = EXAMPLES["context"]
    assert made.answers((peak, peak)).texts == {"q1": contexts[0][:4], "q2": contexts[1][1:2]}


def test_several_data_sets_by_name():
    two = {name: column[:2] for name, column in FEATURES.items()}
    parts = {"all": FEATURES, "two": two}
    hooks = {name: ExtractiveQA(EXAMPLES, part, measures=["total"], missing="skip") for name, part in parts.items()}
    made = DataSets(hooks)
    for name, n in (("all", 3), ("two", 2)):
        logits = tuple(part[:n] for part in GOOD)
        assert made(prediction(*logits)) == {"total": 2}
        assert made.scores is made.scores_by_set[name] is hooks[name].scores
    for n in (4, 1):
        with pytest.raises(ValueError, match=f"'all': .*{n} features.*has 3.*'two': .*has 2"):
            made(SimpleNamespace(predictions=(np.zeros((n, 9)),) * 2, label_ids=None))
    for wrong in (hooks["all"], {"a": None}, {}):
        with pytest.raises(TypeError, match="dict"):
            DataSets(wrong)
