"""answer_match from any layout to Scores: layouts, policies, options, bad input, official totals."""

import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qassay import score
from qassay.answer_match.scoring import AnswerMatchOptions, score_answers, score_answers_as
from qassay.registry import family_of

FAST = settings(max_examples=60, deadline=None)
IDS = ["q1", "q2", "q3"]
ANSWERS = ["in France", "", "Rome"]
GOLDS = [["France"], [], ["Milan", "Rome"]]
SUMMARY = {"exact_match": 2 / 3, "f1": (2 / 3 + 2) / 3, "no_answer_f1": 1.0, "has_answer_exact_match": 0.5, "total": 3}


def squad_rows(layout=dict):
    golds = {
        dict: lambda texts: {"text": texts, "answer_start": [0] * len(texts)},
        list: lambda texts: [{"text": text, "answer_start": 0} for text in texts],
        str: lambda texts: texts,
    }[layout]
    predictions = [{"id": i, "prediction_text": a} for i, a in zip(IDS, ANSWERS, strict=True)]
    return predictions, [{"id": i, "answers": golds(g)} for i, g in zip(IDS, GOLDS, strict=True)]


def data_set():
    import datasets

    rows = [{**p, **r} for p, r in zip(*squad_rows(), strict=True)]
    return datasets.Dataset.from_list(rows)


def series():
    import pandas as pd

    return pd.Series(ANSWERS, dtype="string[pyarrow]"), pd.Series(GOLDS)


LAYOUTS = {
    "lists": lambda: (ANSWERS, GOLDS),
    "numpy": lambda: (np.array(ANSWERS), np.array([np.array(g, dtype=str) for g in GOLDS], dtype=object)),
    "pandas over arrow": series,
    "data set answers": lambda: (data_set()["prediction_text"], data_set()["answers"]),
    "dicts by id": lambda: (dict(zip(IDS[::-1], ANSWERS[::-1], strict=True)), dict(zip(IDS, GOLDS, strict=True))),
    "squad rows": lambda: squad_rows(dict),
    "squad file answers": lambda: squad_rows(list),
    "rows with lists": lambda: squad_rows(str),
    "rows in another order": lambda: (squad_rows()[0][::-1], squad_rows()[1]),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_gives_the_same(layout):
    summary = score("answer_match", *LAYOUTS[layout]()).summary()
    assert {name: summary[name] for name in SUMMARY} == pytest.approx(SUMMARY)
    config, name = [("squad", "exact_match"), ("squad_v2", "exact")][list(LAYOUTS).index(layout) % 2]
    columns = dict(zip(("predictions", "references"), LAYOUTS[layout](), strict=True))
    assert score_answers_as(config, columns, {}).summary()[name] == pytest.approx(SUMMARY["exact_match"] * 100)


def test_keys_do_not_depend_on_the_data():
    for predictions, references in ((["a"], [["b"]]), ([""], [[]]), (["a", ""], [["b"], []])):
        summary = score("answer_match", predictions, references).summary()
        assert list(summary) == list(score("answer_match", ["x"], [["x"]]).summary())
        assert all(type(value) in (int, float) and not math.isnan(value) for value in summary.values())
    only_answerable = score("answer_match", ["a"], [["b"]]).summary()
    assert (only_answerable["no_answer_f1"], only_answerable["no_answer_total"]) == (0.0, 0)


SQUAD_V2_KEYS = [f"{p}{name}" for p in ("", "HasAns_", "NoAns_") for name in ("exact", "f1", "total")]
SQUAD_V2_KEYS += ["best_exact", "best_exact_thresh", "best_f1", "best_f1_thresh"]
OFFICIAL = {  # printed by the official script under Python 3.11, with the probabilities of `doubts`
    "bert": [78.74168280973637, 81.77528052374723, 11873, 74.10593792172739, 80.18183293833508, 5928, 83.36417157275021]
    + [83.36417157275021, 5945, 78.74168280973637, 0.9996120005779506, 81.77528052374701, 0.9996120005779506],
    "bidaf_elmo": [65.70369746483618, 67.87648921451334, 11873, 61.42037786774629, 65.77219238257676, 5928]
    + [
        69.97476871320437,
        69.97476871320437,
        5945,
        65.72054240714226,
        0.9992686916595911,
        67.89333415681959,
        0.9992686916595911,
    ],
}


@pytest.fixture(scope="module")
def doubts(squad2_golds):
    rng = random.Random(1)
    return {identifier: rng.random() for identifier in sorted(squad2_golds)}


@pytest.mark.usefixtures("both_ways")
@pytest.mark.parametrize("system", OFFICIAL)
def test_all_13_keys_equal_the_official_script(squad2_golds, squad2_systems, doubts, system):
    columns = {"predictions": squad2_systems[system], "references": squad2_golds, "no_answer_probabilities": doubts}
    summary = score_answers_as("squad_v2", columns, {}).summary()
    assert list(summary) == SQUAD_V2_KEYS
    expected = dict(zip(SQUAD_V2_KEYS, OFFICIAL[system], strict=True))
    if sum([0.1] * 10) == 1.0:  # from Python 3.12 on `sum` itself rounds less, in the official script too
        assert summary == pytest.approx(expected, rel=1e-14)
    else:
        assert summary == expected


@pytest.mark.usefixtures("both_ways")
@pytest.mark.parametrize(
    ("system", "exact", "f1"),
    [("bert", 78.74168280973637, 81.77528052374726), ("bidaf_elmo", 65.70369746483618, 67.87648921451321)],
)
def test_exact_sums_on_real_data(squad2_golds, squad2_systems, system, exact, f1):
    scores = score("answer_match", squad2_systems[system], squad2_golds)
    summary = scores.summary()
    assert 100 * summary["exact_match"] == pytest.approx(exact, rel=1e-15)
    assert 100 * summary["f1"] == pytest.approx(f1, rel=1e-15)
    ids = list(squad2_golds)
    random.Random(0).shuffle(ids)
    shuffled = score(
        "answer_match", squad2_systems[system], {identifier: squad2_golds[identifier] for identifier in ids}
    )
    assert shuffled.summary() == summary
    assert shuffled == scores
    names = ["exact_match", "has_answer_f1"]
    assert shuffled.interval(n_resamples=100, names=names) == scores.interval(n_resamples=100, names=names)


@pytest.mark.parametrize("system", ["bert", "bidaf_elmo"])
def test_tied_probabilities_do_not_depend_on_the_order(squad2_golds, squad2_systems, system):
    """The official sweep gives 78.742 or 87.072 here, for the same answers in another order; so does the drop-in."""
    ids = sorted(squad2_golds, key=lambda key: not squad2_golds[key])
    answerable_first = {key: squad2_systems[system][key] for key in ids}
    found, drop_in = [], []
    for answers in (squad2_systems[system], answerable_first):
        columns = {"predictions": answers, "references": squad2_golds, "no_answer_probabilities": 0.0}
        found.append(score_answers(**columns).summary())
        drop_in.append(score_answers_as("squad_v2", columns, {}).summary())
    assert found[0] == found[1] and found[0]["best_exact_match"] == found[0]["exact_match"]
    assert drop_in[0]["exact"] == drop_in[1]["exact"] < drop_in[1]["best_exact"]


def squad_v2(predictions, references, **options):
    return score_answers_as("squad_v2", {"predictions": predictions, "references": references}, options).summary()


def row(identifier, text, probability=0.0):
    return {"id": identifier, "prediction_text": text, "no_answer_probability": probability}


def gold(identifier, *texts):
    return {"id": identifier, "answers": {"text": list(texts), "answer_start": [0] * len(texts)}}


def test_a_probability_at_the_threshold_is_answered():
    assert squad_v2([row("a", "x", 0.1)], [gold("a", "x")], no_answer_threshold=0.1)["exact"] == 100
    assert squad_v2([row("a", "x", 0.1000001)], [gold("a", "x")], no_answer_threshold=0.1)["exact"] == 0


@pytest.mark.usefixtures("both_ways")
def test_an_answer_that_normalises_to_nothing_is_not_an_answer_in_the_sweep():
    rows = [row("a", "the", 0), row("b", "x", 0.5)], [gold("a"), gold("b", "x")]
    found = score("answer_match", *rows).summary()
    assert (found["exact_match"], found["best_exact_match"]) == (1.0, 1.0)
    assert squad_v2(*rows)["best_exact"] == 50  # as in the script


@pytest.mark.usefixtures("both_ways")
def test_withheld_answers_are_empty_answers():
    for options in ({}, {"empty_f1": 0.0}):
        withheld = score(
            "answer_match",
            ["x", "y"],
            [[], ["y"]],
            no_answer_probabilities=[0.9, 0.9],
            no_answer_threshold=0.5,
            **options,
        )
        empty = score("answer_match", ["", ""], [[], ["y"]], **options)
        for name in ("exact_match", "f1", "precision", "recall", "contains"):
            assert withheld.columns[name].tolist() == empty.columns[name].tolist()
    # Withholding the first is worth its exact match but, by SQuAD 1.1, no F1.
    swept = score("answer_match", ["x", "y"], [[], ["y"]], no_answer_probabilities=[0.9, 0.1], empty_f1=0.0).summary()
    assert (swept["best_exact_match"], swept["best_f1"], swept["best_f1_threshold"]) == (1.0, 0.5, 0.9)


def test_threshold_withholds_but_the_sweep_sees_the_answers():
    answers, golds = {"a": "x", "b": "y"}, {"a": ["x"], "b": []}
    found = score(
        "answer_match", answers, golds, no_answer_probabilities={"a": 0.2, "b": 0.9}, no_answer_threshold=0.1
    ).summary()
    assert (found["exact_match"], found["best_exact_match"], found["best_exact_match_threshold"]) == (0.5, 1.0, 0.2)


def test_thresholds_and_sweeps_need_probabilities():
    with pytest.raises(ValueError, match="no_answer_threshold needs no_answer_probabilities"):
        score("answer_match", ["x"], [["x"]], no_answer_threshold=0.5)
    assert not any(name.startswith("best") for name in score("answer_match", ["x"], [["x"]]).summary())


def test_all_withheld_has_the_threshold_minus_infinity():
    found = score("answer_match", [row("a", "x")], [gold("a")]).summary()
    assert found["best_exact_match_threshold"] == -math.inf
    assert squad_v2([row("a", "x")], [gold("a")])["best_exact_thresh"] == 0.0  # as in the script


def test_missing_predictions_score_zero_and_are_counted():
    for references in ({"a": ["x"], "b": []}, [gold("a", "x"), gold("b")]):
        found = score("answer_match", {"a": "x"}, references)
        assert found.summary(["exact_match", "missing"]) == {"exact_match": 0.5, "missing": 1}
        assert found.subsets["missing"].tolist() == [False, True]
    with pytest.warns(UserWarning, match="1 without a prediction"):
        assert squad_v2([row("a", "x")], [gold("a", "x"), gold("b")])["exact"] == 50


def test_missing_predictions_are_worth_nothing_in_the_sweep():
    found = score("answer_match", {"a": "x"}, {"a": [], "b": []}, no_answer_probabilities={"a": 0.9}).summary()
    assert found["best_exact_match"] == 0.5


def test_duplicates():
    rows = [row("a", "x"), row("a", "y")]
    with pytest.raises(ValueError, match=r"predictions id\[1\] repeats the id 'a' of row 0"):
        score("answer_match", rows, [gold("a", "x")])
    for policy, exact in (("first", 1.0), ("last", 0.0)):
        found = score("answer_match", rows, [gold("a", "x")], duplicates=policy).summary()
        assert (found["exact_match"], found["duplicates"], found["total"]) == (exact, 1, 1)
    column = score("answer_match", ["x", "y"], [["x"], ["y"]], ids=["a", "a"], duplicates="first")
    assert (column.notes["duplicates"], len(column)) == (1, 1)
    both = score("answer_match", rows, [gold("a", "x"), gold("a", "y")], duplicates="first")
    assert both.notes["duplicates"] == 2
    one_side = score("answer_match", rows, [["x"], ["y"]], duplicates="last").summary()
    assert (one_side["exact_match"], one_side["total"]) == (1.0, 1)
    with pytest.raises(ValueError, match="references id.1. repeats"):
        score("answer_match", {"a": "x"}, [gold("a", "x"), gold("a", "x")])


@pytest.mark.usefixtures("both_ways")
def test_empty_golds():
    assert score("answer_match", ["."], [["."]]).summary(["has_answer_total"]) == {"has_answer_total": 1}
    with pytest.raises(
        ValueError, match=r"references\[0\] \(id 0\) has a gold answer that normalises to nothing, 'the'"
    ):
        score("answer_match", ["x"], [["y", "the"]], empty_gold="error")


@pytest.mark.usefixtures("both_ways")
def test_squad_1_config():
    def found(prediction, texts):
        return score_answers_as("squad", {"predictions": [prediction], "references": [texts]}, {}).summary()

    assert found("the", ["a"]) == {"exact_match": 100.0, "f1": 0.0}
    assert found("in France", ["France"]) == {"exact_match": 0.0, "f1": 66.66666666666666}
    assert found("", []) == {"exact_match": 100.0, "f1": 0.0}


@pytest.mark.usefixtures("both_ways")
def test_top_k():
    ranked = [["x", "c", "in b"], [], ["c"], []]
    found = score("answer_match", ranked, [["c", "b"], ["c"], [], []], top_k=(1, 3)).summary()
    assert (found["exact_match@1"], found["exact_match@3"]) == (0.25, 0.5)
    assert found["has_answer_f1@3"] == 0.5
    assert found["no_answer_exact_match@3"] == 0.5
    assert score("answer_match", ["a"], [["a"]], top_k=2).summary(["f1@2"]) == {"f1@2": 1.0}
    ranked = score("answer_match", [[(15, 20), (12, 22)]], [[(10, 20)]], unit="offset", top_k=(1, 2)).columns
    assert (ranked["f1@1"][0], ranked["f1@2"][0]) == pytest.approx((2 / 3, 0.8), rel=1e-12)


@FAST
@given(
    st.lists(
        st.tuples(
            st.lists(st.sampled_from(["a b", "b", "c", ""]), max_size=4),
            st.lists(st.sampled_from(["b", "c"]), max_size=2),
        ),
        min_size=1,
    )
)
def test_top_k_is_the_best_of_single_answers(rows):
    found = score("answer_match", [r for r, _ in rows], [g for _, g in rows], top_k=(1, 2, 9))
    for k in (1, 2, 9):
        for place, (ranked, golds) in enumerate(rows):
            singles = [score("answer_match", [answer], [golds]).columns["f1"][0] for answer in (ranked or [""])[:k]]
            assert found.columns[f"f1@{k}"][place] == max(singles)
    assert (found.columns["f1@1"] <= found.columns["f1@2"]).all() and (
        found.columns["f1@2"] <= found.columns["f1@9"]
    ).all()


@pytest.mark.usefixtures("both_ways")
@pytest.mark.parametrize(
    "answer, golds, options, exact_match, f1",
    [
        ("ab c", ["a bc"], {"normalizer": "korquad"}, 0, 1),
        ("L’avion", ["avion"], {"normalizer": "french"}, 1, 1),
        ("A-B", ["ab"], {"normalizer": ["lower", "ascii_punctuation"]}, 1, 1),
        ("x!", ["X"], {"normalizer": lambda text: text.strip("!").lower()}, 1, 1),
        ("北京 市", ["北京市"], {"normalizer": "cjk"}, 1, 1),
        ("listen", ["silent"], {"unit": "character"}, 0, 1),
        ((15, 20), [(10, 20)], {"unit": "offset"}, 0, 2 / 3),
        (None, [(0, 2)], {"unit": "offset"}, 0, 0),
        (None, [], {"unit": "offset"}, 1, 1),
        ((3, 15), {"text": ["four"], "answer_start": [3]}, {"unit": "offset"}, 0, 0.5),
        ((3, 15), [{"text": "four", "answer_start": 3}], {"unit": "offset"}, 0, 0.5),
        (".", ["."], {}, 1, 1),  # a gold answer that normalises to ""
        ("x", ["the", "y"], {"empty_gold": "keep"}, 0, 0),
        ("", ["the", "y"], {"empty_gold": "keep"}, 1, 1),
        ("", ["the", "y"], {}, 0, 0),
    ],
)
def test_one_answer(answer, golds, options, exact_match, f1):
    found = score("answer_match", {"a": answer}, [{"id": "a", "answers": golds}], **options)
    assert (found.columns["exact_match"][0], found.columns["f1"][0]) == (exact_match, f1)


def test_drop_task():
    golds = [[["a b", "c"]], [["5 yards"], ["6"]], [["red"]]]
    found = score("answer_match", [["c", "a b"], "5 6", "red red"], golds, task="drop")
    assert found.columns["exact_match"].tolist() == [1.0, 0.0, 0.0]
    assert found.columns["f1"].tolist() == [1.0, 0.67, 1.0]
    assert found.options.signature().startswith("answer_match|task:drop|norm:drop|")
    by_id = score("answer_match", {"q": "5"}, {"q": [["5.0"]], "r": [["6"]]}, task="drop").summary()
    assert by_id == {"exact_match": 0.5, "f1": 0.5, "total": 2, "missing": 1, "unmatched": 0, "duplicates": 0}


def test_hotpotqa_task():
    facts = [[["A", 0], ["B", 1]], [["C", 2]]]
    found = score(
        "answer_match",
        ["yes", "Paris"],
        [["yes"], ["in Paris"]],
        predicted_facts=facts,
        gold_facts=[[["A", 0]], [["C", 2]]],
        task="hotpotqa",
    ).summary()
    assert (found["exact_match"], found["f1"], found["sp_exact_match"]) == (0.5, (1 + 2 / 3) / 2, 0.5)
    assert found["joint_exact_match"] == 0.0
    assert list(score("answer_match", ["yes"], [["yes"]], task="hotpotqa").columns) == [
        "exact_match",
        "f1",
        "precision",
        "recall",
    ]
    with pytest.raises(ValueError, match="predicted_facts is missing; give both columns of facts, or neither"):
        score("answer_match", ["yes"], [["yes"]], gold_facts=[[["A", 0]]], task="hotpotqa")
    rows = [{"id": "a", "prediction_text": "yes", "supporting_facts": [["A", 0]]}]
    golds = [
        {"id": "a", "answers": ["yes"], "supporting_facts": {"title": ["A"], "sent_id": [0]}},
        {"id": "b", "answers": ["no"], "supporting_facts": [["B", 1]]},
    ]
    found = score("answer_match", rows, golds, task="hotpotqa").summary()
    assert (found["joint_f1"], found["total"], found["missing"]) == (0.5, 2, 1)


def test_weights():
    skipped = score(
        "answer_match", {"a": "x", "c": "y"}, {"b": ["x"], "a": ["x"], "c": []}, weights=[5, 3, 1], missing="skip"
    )
    assert skipped.summary(["exact_match", "total"]) == {"exact_match": 0.75, "total": 2}
    nothing = score(
        "answer_match",
        {"a": "x"},
        {"a": ["x"], "b": ["y"]},
        weights=[0, 5],
        missing="skip",
        no_answer_probabilities={"a": 0.1},
    )
    assert nothing.summary()["best_f1"] == nothing.summary()["f1"] == 0.0


@FAST
@given(
    st.lists(
        st.tuples(st.sampled_from(["a b", "b", ""]), st.sampled_from([["b"], ["b", "c d"], []]), st.integers(1, 3)),
        min_size=1,
    )
)
def test_weight_k_is_the_row_given_k_times(rows):
    def scored(times, weights):
        places = [i for i, (*_, k) in enumerate(rows) for _ in range(times(k))]
        doubts = [(i * 7 % 5) / 5 for i in places]
        columns = [rows[i][0] for i in places], [rows[i][1] for i in places]
        return score("answer_match", *columns, weights=weights, no_answer_probabilities=doubts).summary()

    once, repeated = scored(lambda k: 1, [k for *_, k in rows]), scored(lambda k: k, None)
    for name in once:
        if not name.endswith("total"):
            assert once[name] == pytest.approx(repeated[name], abs=1e-12), name


def test_signature_and_options():
    assert AnswerMatchOptions().signature().startswith("answer_match|norm:squad|unit:token|refs:max|v:")
    options = AnswerMatchOptions(normalizer="french", top_k=[5, 1, 1], missing="skip", no_answer_threshold=0.5)
    assert "|norm:french|unit:token|refs:max|k:1,5|threshold:0.5|missing:skip|" in options.signature()
    assert AnswerMatchOptions(normalizer="korquad").unit == "character"


@pytest.mark.usefixtures("both_ways")
def test_lone_surrogates_and_long_answers_are_texts():
    found = score("answer_match", ["\ud800 x", "word " * 200_000], [["x \ud800"], ["word"]])
    assert found.columns["f1"][0] == 1.0
    assert found.columns["precision"][1] == 1 / 200_000
    with pytest.raises(TypeError, match=r"\\ud800"):
        score("answer_match", [["\ud800"]], [["x"]])


def test_unknown_config():
    with pytest.raises(ValueError, match=r"no config 'squadv2' \(did you mean 'squad_v2'\?\)"):
        score_answers_as("squadv2", {"predictions": ["a"], "references": [["a"]]}, {})
    with pytest.raises(ValueError, match="omit task and top_k"):
        squad_v2([row("a", "x")], [gold("a")], task="drop")


@pytest.mark.parametrize("repeated", [1, 200])  # short columns are compared text by text
def test_answers_that_are_right_because_nothing_is_left_are_counted(repeated):
    golds = [["A", "the A"], ["A"], [], ["B"], ["C"]]
    scores = score("answer_match", ["the", "a", "", "B", ""] * repeated, golds * repeated)
    assert scores["exact_match"] == 0.8 and scores.notes["nothing_left"] == repeated
    told = family_of(scores).telling.note_words(scores.options)["nothing_left"]
    assert told.startswith("right only because normalisation leaves nothing")
    assert "nothing_left" not in score("answer_match", ["", "the"], [[], ["B"]]).notes
    by_task = score("answer_match", [""], [["A"]], task="hotpotqa")
    assert by_task["exact_match"] == by_task.notes["nothing_left"] == 1
