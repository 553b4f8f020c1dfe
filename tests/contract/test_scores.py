"""What holds for the Scores of every family: types, ids, gold data, slices, pickling, and stream = parts = whole."""

import copy
import dataclasses
import pickle
import random
import re

import numpy as np
import pyarrow as pa
import pytest

import qassay
from qassay.cluster import PartialSums
from qassay.core.measures import SumMeasure
from qassay.core.ragged import Ragged
from qassay.core.safe_names import safe_name
from qassay.core.scores import Scores
from qassay.registry import FAMILIES

from .families import CASES, CLASSES, every_case


def fields(scores: Scores, but=()) -> dict:
    return {field.name: field.type for field in scores.to_arrow().schema if field.name not in but}


def kinds(scores: Scores) -> dict:
    """What the columns of the table of examples are."""
    table = scores.per_example()
    return {
        name: ("lists", column.values.dtype) if isinstance(column, Ragged) else getattr(column, "dtype", type(column))
        for name, column in table.items()
    }


def compared(**systems):
    return qassay.compare(systems, n_resamples=10, n_permutations=10)


# --- types ------------------------------------------------------------------------------------------------------------


@every_case
def test_types_do_not_depend_on_the_data(case):
    whole = case.score()
    every = range(len(case.rows))
    others = [case.score(wrong=every), case.score(rows=[0]), case.score(rows=[1], wrong=[0]), whole.take([])]
    for scores in others:
        assert fields(scores) == fields(whole) and kinds(scores) == kinds(whole)
    joined = pa.concat_tables(scores.to_arrow() for scores in [whole, *others])
    assert joined.num_rows == sum(map(len, [whole, *others]))
    for name, column in whole.columns.items():
        allowed = (np.int64,) if name in whole.coded else (np.float64,)
        allowed = (np.float64, np.int64) if isinstance(column, Ragged) else allowed
        assert (column.values if isinstance(column, Ragged) else column).dtype in allowed
    assert {mask.dtype for mask in whole.subsets.values()} <= {np.dtype(bool)}


@every_case
def test_ids_have_one_type_and_change_no_other(case):
    n, whole = len(case.rows), case.score()
    for ids, kind in (
        (range(10, 10 + n), pa.int64()),
        ([2**63 + row for row in range(n)], pa.uint64()),
        ([10**30, *range(1, n)], pa.string()),
        (["a", *range(1, n)], pa.string()),
    ):
        try:
            scores = case.score(ids=list(ids))
        except TypeError as error:
            assert "mixed type" in str(error)  # rankings compare ids as text
            continue
        table = scores.to_arrow()
        assert table.schema.field("id").type == kind
        assert table["id"].to_pylist() == (list(map(str, ids)) if kind == pa.string() else list(map(int, ids)))
        assert fields(scores, but=["id"]) == fields(whole, but=["id"])
        assert list(scores.to_pandas().index) == list(ids)


def test_coded_columns_have_the_type_of_what_they_stand_for():
    for labels, kind in ((["a", "b"], pa.string()), ([3, 5], pa.int64()), ([1.5, 2.5], pa.float64())):
        scores = qassay.score("label_metrics", labels, labels[::-1])
        assert scores.to_arrow().schema.field("prediction").type == kind
        assert scores.to_arrow()["reference"].to_pylist() == labels[::-1]
        assert scores.take([]).to_arrow().schema == scores.to_arrow().schema
        if kind != pa.float64():
            sets = qassay.score("label_metrics", [[], []], [[labels[0]], []], task="multi")
            assert sets.to_arrow().schema.field("tp").type == pa.list_(kind)
            assert sets.to_arrow()["fn"].to_pylist() == [[labels[0]], []]


# --- two systems that share examples ----------------------------------------------------------------------------------


@every_case
def test_systems_are_compared_where_their_gold_data_are_the_same(case):
    n = len(case.rows)
    a, b = case.score(), case.score(wrong=[1])
    order = list(range(n))[::-1]
    assert compared(a=a, b=b.take(order)).unmatched == {"a": 0, "b": 0}
    other = case.score(gold={"q1": case.other})
    with pytest.raises(ValueError, match=f"a and other .* example 'q1' differs in its {case.part}"):
        compared(a=a, other=other.take(order))
    with pytest.raises(ValueError, match="b and other .* example 'q1'"):
        compared(a=dataclasses.replace(a, gold=None), b=b, other=other)
    without = other.subset([place != 1 for place in range(n)])
    assert compared(a=a, without=without).unmatched == {"a": 1, "without": 0}
    assert a != other and a == dataclasses.replace(a, gold=None)


# --- pickling, slices, parts, streams ---------------------------------------------------------------------------------


@every_case
def test_pickling_slicing_and_joining_change_nothing(case):
    whole, n = case.score(), len(case.rows)
    twin = pickle.loads(pickle.dumps(whole))
    assert twin == whole and twin.summary() == whole.summary()
    assert twin.interval(n_resamples=10) == whole.interval(n_resamples=10)
    with pytest.raises(ValueError, match="example 'q1'"):
        compared(a=twin, other=pickle.loads(pickle.dumps(case.score(gold={"q1": case.other}))))
    rng = random.Random(n)
    for _ in range(3):
        places = rng.sample(range(n), n)
        cut = rng.randrange(n + 1)
        parts = [whole.take(places[:cut]), whole.take(places[cut:])]
        for joined in (Scores.concat(parts), Scores.concat(parts[::-1])):
            assert joined == whole and joined.gold is not None
            assert joined.summary() == pytest.approx(whole.summary()) and fields(joined) == fields(whole)
    labels = [("x", "y")[place % 2] for place in range(n)]
    for label, part in whole.by(labels).items():
        assert part == whole.subset(np.array(labels) == label)


@pytest.mark.parametrize("name", CASES)
def test_a_stream_of_batches_gives_the_result_of_all_rows(name):
    """With fingerprints of gold data, at any time, even if a batch changes later."""
    case, classes = CASES[name], {"labels": CLASSES[name]} if name in CLASSES else {}
    whole, stream = case.score(**classes), qassay.stream(case.metric, **case.options, **classes)
    for row, (prediction, _, gold) in enumerate(copy.deepcopy(case.rows)):
        stream.add(predictions={f"q{row}": prediction}, references={f"q{row}": gold})
        if isinstance(gold, list):
            gold.clear()
        if row == 0:
            assert stream.scores() == whole.take([0])
    assert stream.scores() == whole and stream.scores().gold.parts.keys() == whole.gold.parts.keys() != set()


def test_arrays_that_are_filled_again_change_no_scores():
    """As in a loop over batches that reuses one array."""
    scores, truth, table = np.array([0.9, 0.2]), np.array([1, 0]), np.array([[0.9, 0.1], [0.4, 0.6]])
    weights, doubts = np.array([1.0, 2.0]), np.array([0.5, 0.1])
    made = [
        qassay.score("average_precision", scores, truth, weights=weights),
        qassay.score("average_precision", table, truth),
        qassay.score("label_metrics", truth, truth),
        qassay.score("label_metrics", table, [[0], [1]], task="ranked", k=(1,)),
        qassay.score("answer_match", ["a", ""], [["a"], []], no_answer_probabilities=doubts),
    ]
    before = [pickle.dumps(one) for one in made]
    for array in (scores, truth, table, weights, doubts):
        array[:] = array[::-1].copy()
    for one, kept in zip(made, before, strict=True):
        assert one == pickle.loads(kept) and one.summary() == pickle.loads(kept).summary()


# --- sums -------------------------------------------------------------------------------------------------------------


def scored(name: str, times: int = 6) -> Scores:
    """The repeated rows of a case, with new ids and weights."""
    case = CASES[name]
    rows = [row for _ in range(times) for row in range(len(case.rows))]
    weights = np.random.default_rng(0).random(len(rows)) * (np.arange(len(rows)) != 1)
    rankings = case.metric == "retrieval_ranking"  # which have no weights
    return case.score(rows=rows, **({} if rankings else {"weights": weights.tolist()}))


def summed(scores: Scores) -> list[str]:
    return [name for name, measure in scores.measures.items() if isinstance(measure, SumMeasure)]


@pytest.mark.parametrize("name", CASES)
def test_sums_do_not_depend_on_parts(name):
    whole = scored(name)
    names = summed(whole)
    expected = PartialSums.of(whole, names)
    order = np.random.default_rng(1).permutation(len(whole))
    for places in ([order], np.array_split(order, 4)):
        found = PartialSums.concat(PartialSums.of(whole.take(part), names) for part in places)
        assert found.summary(names) == pytest.approx(expected.summary(names), abs=1e-12)
        ends = expected.interval(names=names)
        for measure, interval in found.interval(names=names).items():
            assert interval == pytest.approx(ends[measure], abs=1e-12, nan_ok=True), measure
        assert found.gold.first_other(expected.gold) is None
    assert expected.summary(names) == pytest.approx(whole.summary(names), abs=1e-12)
    places = np.arange(len(whole)) % 3
    for measure in map(whole.measures.get, names):
        apart = measure.sums(whole.rows, np.eye(3)[places].T)
        assert np.allclose(measure.sums_by(whole.rows, places, 3), apart, atol=1e-12)


# --- names ------------------------------------------------------------------------------------------------------------


def test_every_measure_has_a_safe_name_of_its_own():
    names = {"map(rel=2)@100", "rbp(p=0.95)", "iprec@0.1", "f1[yes/no]"}
    for family in FAMILIES.values():
        names |= {name for name, _ in family.measures()}
        for columns, options in family.smallest:
            scores = family.score(**columns, **options)
            safe = scores.summary(safe_names=True)
            assert safe == {safe_name(name): value for name, value in scores.summary().items()}
            names |= scores.summary().keys()
    safe_names = set(map(safe_name, names))
    assert len(safe_names) == len(names) and all(re.fullmatch(r"[A-Za-z0-9_. -]+", name) for name in safe_names)


def test_an_array_of_scores_holds_them():
    scores = qassay.score("answer_match", ["a"], [["a"]])
    array = np.array([scores, scores])
    assert array.shape == (2,) and array[0] is scores
