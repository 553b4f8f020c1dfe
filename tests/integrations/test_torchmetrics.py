"""torchmetrics' own Metric and MetricCollection over qassay; several processes: tests/distributed, of the LoopMetric inside."""

import pytest

import qassay

from .harness import need, run_section

need("torchmetrics", in_job=False)
pytestmark = pytest.mark.thorough

ANSWERS, GOLDS = ["in Rome", "Oslo", "the Bern"], ["Rome", "Oslo", "Bern"]


@pytest.fixture(scope="module")
def metric_class():
    """The class of the recipe."""
    names = run_section("torchmetrics")
    assert len(names["metrics"]["answers"].loop) == 0
    return names["Answers"]


def numbers(found):
    return {name: value.item() for name, value in found.items()}


def test_batches_give_the_scores_of_all(metric_class):
    metric = metric_class(measures=["exact_match", "f1"], confidence=0.9, normalizer="none")
    wanted = qassay.score("answer_match", ANSWERS, GOLDS, normalizer="none")
    for row in range(3):
        metric(ANSWERS[row : row + 1], GOLDS[row : row + 1])
    found = numbers(metric.compute())
    assert {name: found[name] for name in ("exact_match", "f1")} == wanted.summary(["exact_match", "f1"])
    assert (found["f1_low"], found["f1_high"]) == wanted.interval(["f1"], confidence=0.9)["f1"]
    assert metric.update_count == 3 and str(metric.compute()["f1"].dtype) == "torch.float64"


def test_a_collection_keeps_each_by_itself(metric_class):
    """A collection must not merge metrics without states, which look equal to it."""
    import torchmetrics

    options = ({"measures": ["f1"]}, {"measures": ["f1"], "normalizer": "none"})
    both = torchmetrics.MetricCollection({name: metric_class(**own) for name, own in zip("ab", options, strict=True)})
    both.update(ANSWERS, GOLDS)
    assert numbers(both.compute()) == pytest.approx({"a_f1": 8 / 9, "b_f1": 7 / 9})
    both.reset()
    both(ANSWERS[:1], GOLDS[:1])
    assert numbers(both.compute())["a_f1"] == pytest.approx(2 / 3)
