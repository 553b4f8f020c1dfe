"""The evaluate module label_metrics: loading, options, layouts, batches, its card and its cases."""

from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import coo_matrix, csr_array, csr_matrix

import qassay
from qassay.label_metrics.label_metrics import LabelMetrics
from qassay.label_metrics.scoring import LabelOptions, score_labels

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "metrics" / "label_metrics"
ONE = {"predictions": ["cat", "dog", "dog", "cow"], "references": ["cat", "cat", "dog", "fox"]}
SETS = {"predictions": [["a"], ["b", "c"], [], ["a"]], "references": [["a", "b"], ["b"], [], ["c"]]}
RANKED = {"predictions": [["b", "a", "c"], ["c", "a"], ["a"]], "references": [["a", "c"], ["b"], []]}
COUNTS = {"label_counts": {"a": 5, "b": 2}, "n_train": 10, "A": 0.5, "B": 2.0}
TASKS = (
    (ONE, {"per_class": True}),
    (SETS, {"task": "multi", "labels": ["c", "b", "a"]}),
    (RANKED, {"k": (1, 2), "task": "ranked"} | COUNTS),
)
RNG = np.random.default_rng(0)
TRUE = RNG.random((8, 6)) < 0.4
SCORES = RNG.random((8, 6))
SPARSE = csr_matrix(SCORES * (RNG.random((8, 6)) < 0.7))


def found(given, **options):
    return score_labels(**given, options=LabelOptions(**options)).summary()


@pytest.mark.parametrize(("given", "options"), TASKS)
def test_equals_the_function(given, options):
    expected = found(given, **options)
    assert LabelMetrics().compute(**given, **options) == LabelMetrics(**options).compute(**given) == expected
    assert qassay.score("label_metrics", **given, **options).summary() == expected


def test_an_option_may_be_nan():
    assert LabelMetrics(zero_division=float("nan")).compute(**ONE)["macro_precision"] == pytest.approx(1.5 / 3)


def test_the_card_names_every_key():
    card = (FOLDER / "README.md").read_text("utf-8")
    for given, options in TASKS:
        for name in found(given, **options):
            stem, at, _ = name.partition("@")
            stem, bracket, _ = stem.partition("[")
            assert f"`{stem}{'@k' if at else '[cat]' if bracket else ''}`" in card


def seed_literals():
    """What the formulas of the card's table give as they are printed, of the examples of the card."""
    true, predicted = (
        np.array([[1, 0, 1, 0], [0, 1, 0, 0], [1, 1, 0, 1]]),
        np.array([[1, 0, 0, 0], [0, 1, 1, 0], [1, 0, 0, 1]]),
    )
    tp, fp, fn = (true & predicted).sum(0), (predicted & ~true & 1).sum(0), (true & ~predicted & 1).sum(0)
    precision, recall = tp / np.maximum(tp + fp, 1), tp / np.maximum(tp + fn, 1)
    together = tp.sum() / (tp + fp).sum() + tp.sum() / (tp + fn).sum()
    yield [round(float(value), 4) for value in 2 * precision * recall / together]
    rankings, labels = ["abcde", "cdbae", "xqyrz"], ["ac", "b", "xyzw"]
    for k in (3, 5):
        yield [
            round(sum(label in gold for label in ranked[: min(len(gold), k)]) / k, 4)
            for ranked, gold in zip(rankings, labels, strict=True)
        ]


def test_printed_formulas_give_the_numbers_of_the_card():
    micro, at_3, at_5 = seed_literals()
    assert micro == [1.3636, 0.6818, 0.0, 1.3636]
    card = (FOLDER / "README.md").read_text("utf-8")
    assert "1.3636, 0.6818, 0, 1.3636 -> 0.7273" in card
    for name, values in (("P@3", at_3), ("P@5", at_5)):
        assert f"{name} {', '.join(f'{value:g}' for value in values)} -> " in card


def test_wrong_options_and_columns():
    for name in ("task", "layout", "zero_division", "per_class"):
        with pytest.raises(ValueError, match=f"option {name}=None is unknown"):
            LabelMetrics(**{name: None})
    with pytest.raises(ValueError, match="label_counts needs the option n_train"):
        LabelMetrics(label_counts={"a": 1})
    with pytest.raises(ValueError, match="references missing"):
        LabelMetrics().compute(predictions=["a"])
    with pytest.raises(
        TypeError, match=r"labels of mixed type: predictions\[0\] is str: 'a', predictions\[1\] is int: 1"
    ):
        LabelMetrics().compute(predictions=["a", 1], references=["a", "b"])
    with pytest.raises(ValueError, match="give the option task='multi' or task='ranked'"):
        LabelMetrics().compute(**SETS)
    with pytest.raises(ValueError, match=r"predictions\[0\].*score nan"):
        LabelMetrics().compute(predictions=[{"a": float("nan")}], references=[["a"]])
    with pytest.raises(ValueError, match="different lengths: predictions 2, references 1"):
        LabelMetrics().compute(predictions=["a", "b"], references=["a"])
    with pytest.raises(ValueError, match="task='single'"):
        LabelMetrics().compute(**SETS, task="multi", confusion=True)


@pytest.mark.parametrize(("given", "options"), TASKS)
def test_batches_equal_one_call(given, options):
    whole = LabelMetrics().compute(**given, **options)
    metric = LabelMetrics(**options)
    metric.add_batch(**{name: column[:1] for name, column in given.items()})
    for prediction, reference in zip(given["predictions"][1:-1], given["references"][1:-1], strict=True):
        metric.add(prediction=prediction, reference=reference)
    metric.add_batch(**{name: column[-1:] for name, column in given.items()})
    assert metric.compute() == whole
    metric.add_batch(**{name: column[:1] for name, column in given.items()})
    assert metric.compute(**{name: column[1:] for name, column in given.items()}, **options) == whole


@pytest.mark.parametrize(
    ("predictions", "references", "options"),
    [
        (SPARSE, csr_matrix(TRUE), {}),
        (SPARSE, csr_array(TRUE.astype(float)), {"k": 2}),
        (SPARSE.tocoo(), coo_matrix(TRUE), {}),
        (SCORES, TRUE, {}),
        (np.argsort(-SCORES)[:, :4], [np.flatnonzero(row).tolist() for row in TRUE], {"labels": 6}),
        (np.argsort(-SCORES)[:, :4].astype(np.int32), csr_matrix(TRUE), {}),
        (TRUE[::-1], TRUE, {}),
        (TRUE[::-1].astype(int), TRUE.astype(int), {"task": "multi"}),
        (csr_matrix(TRUE[::-1]), csr_matrix(TRUE), {"task": "multi"}),
    ],
)
def test_matrices_reach_the_core(predictions, references, options):
    expected = found({"predictions": predictions, "references": references}, **options)
    metric = LabelMetrics(**options)
    assert metric.compute(predictions=predictions, references=references) == expected
    rows = [column.tocsr() if hasattr(column, "tocsr") else column for column in (predictions, references)]
    for part in (slice(0, 3), slice(3, 4), slice(4, 8)):
        metric.add_batch(predictions=rows[0][part], references=rows[1][part])
    assert len(metric) == 8
    assert metric.compute() == expected


def test_tensors_with_a_history_and_data_frames():
    torch = pytest.importorskip("torch", reason="tensors are those of torch")
    pandas = pytest.importorskip("pandas", reason="data frames are those of pandas")
    exact = np.round(SCORES * 64) / 256 + np.arange(6) / 1024  # what bfloat16 may round, others hold
    tensor = torch.tensor(exact, requires_grad=True)
    half = tensor.to(torch.bfloat16)
    for made, plain in (
        (tensor, exact),
        (half, half.detach().float().numpy()),
        (pandas.DataFrame(exact), exact),
    ):
        expected = LabelMetrics().compute(predictions=plain, references=TRUE)
        for references in (TRUE, torch.tensor(TRUE), pandas.DataFrame(TRUE)):
            metric = LabelMetrics()
            assert metric.compute(predictions=made, references=references) == expected
            metric.add_batch(predictions=made[:3], references=references[:3])
            metric.add_batch(predictions=made[3:], references=references[3:])
            assert metric.compute() == expected


def test_rows_of_0_and_1_as_lists():
    given = {"predictions": [[0, 1, 1], [1, 1, 0]], "references": [[0, 1, 1], [0, 1, 0]]}
    with pytest.raises(ValueError, match="layout='indicator'"):
        LabelMetrics().compute(**given, task="multi")
    assert LabelMetrics(layout="indicator").compute(**given)["exact_match"] == 0.5


def test_a_matrix_equals_its_lists():
    lists = [[int(label) for label in np.argsort(-row, kind="stable")] for row in SCORES]
    gold = [np.flatnonzero(row).tolist() for row in TRUE]
    given = {"predictions": lists, "references": gold}
    assert LabelMetrics().compute(predictions=SCORES, references=TRUE) == found(given, task="ranked", labels=6)
    dicts = [
        {"indices": SPARSE[row].indices.tolist(), "scores": SPARSE[row].data.tolist()} for row in range(len(SCORES))
    ]
    expected = LabelMetrics().compute(predictions=SPARSE, references=TRUE)
    assert LabelMetrics().compute(predictions=dicts, references=gold, labels=6) == expected


def test_batches_may_fill_the_same_array_again():
    metric, scores, truth = LabelMetrics(), np.empty((4, 6)), np.empty((4, 6), bool)
    for part in (slice(0, 4), slice(4, 8)):
        scores[:], truth[:] = SCORES[part], TRUE[part]
        metric.add_batch(predictions=scores, references=truth)
    assert metric.compute() == LabelMetrics().compute(predictions=SCORES, references=TRUE)


def test_batches_of_different_matrices():
    for other, error, message in (
        (SCORES[:, :5], ValueError, r"predictions\[8\] came in a matrix of 5 columns, others in one of 6"),
        (csr_matrix(SCORES), TypeError, r"predictions\[8\] came in a batch of another layout"),
        (np.argsort(SCORES), TypeError, r"predictions\[8\] came in a batch of another layout"),
        (SCORES.tolist(), TypeError, r"predictions\[8\] came in a batch of another layout"),
    ):
        metric = LabelMetrics()
        metric.add_batch(predictions=SCORES, references=TRUE)
        metric.add_batch(predictions=other, references=TRUE)
        with pytest.raises(error, match=message):
            metric.compute()
    metric = LabelMetrics()
    with pytest.raises(ValueError, match="different lengths: predictions 8, references 7"):
        metric.add_batch(predictions=SCORES, references=TRUE[:7])


def test_matrices_stay_in_their_process(tmp_path):
    metric = LabelMetrics(num_process=2, process_id=0, experiment_id="labels", cache_dir=str(tmp_path))
    metric.add_batch(predictions=SCORES, references=TRUE)
    with pytest.raises(
        TypeError, match="a MatrixRow cannot go from one process to another: use strings, numbers, lists"
    ):
        metric.compute()


def test_dicts_by_id():
    for given, options in TASKS:
        by_id = {name: dict(zip("wxyz", column, strict=False)) for name, column in given.items()}
        by_id["predictions"] = dict(reversed(by_id["predictions"].items()))
        result = LabelMetrics().compute(**by_id, **options, per_example=True)
        assert result.pop("per_example")["id"] == list(by_id["references"])
        assert result == found(given, **options)
        metric = LabelMetrics(**options)
        metric.add_batch(**by_id)
        assert metric.compute() == result
    for predictions, references, error, message in (
        ({"x": "a"}, {"x": "a", "y": "b"}, ValueError, "references: the id 'y' has no prediction"),
        ({"x": "a", "z": "b"}, {"x": "a"}, ValueError, "predictions: the id 'z' has no true labels"),
        ({"x": "a"}, ["a"], ValueError, "predictions are a dict by id, but references have no ids"),
    ):
        with pytest.raises(error, match=message):
            LabelMetrics().compute(predictions=predictions, references=references)
    with pytest.raises(ValueError, match="leave the column ids out"):
        LabelMetrics().compute(predictions={"x": "a"}, references={"x": "a"}, ids=["x"])


def test_more_on_request():
    result = LabelMetrics().compute(
        **ONE,
        per_example=True,
        level=0.9,
        n_resamples=50,
        signature=True,
        confusion=True,
        labels=["cat", "dog", "cow", "fox"],
    )
    assert result["per_example"]["correct"] == [1.0, 0.0, 1.0, 0.0]
    assert result["macro_f1_low"] <= result["macro_f1"] <= result["macro_f1_high"]
    assert result["signature"].startswith("label_metrics|task:single|labels:4-")
    assert result["confusion_matrix"] == {
        "labels": ["cat", "dog", "cow", "fox"],
        "counts": [[1, 1, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0], [0, 0, 1, 0]],
    }
