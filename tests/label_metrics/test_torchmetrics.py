"""Labels against torchmetrics, where its definitions are the same, and where the card says that they are not."""

import numpy as np
import pytest

from qassay.label_metrics.scoring import LabelOptions, score_labels

torch = pytest.importorskip("torch", reason="torchmetrics needs torch")
peer = pytest.importorskip("torchmetrics.functional.classification", reason="torchmetrics is the peer of these tests")

CASES = 300
AVERAGES = ("micro", "macro", "weighted")


def near(mine, theirs):
    return mine == pytest.approx(float(theirs), rel=0, abs=2e-6)  # theirs are float32


def test_one_label_per_row():
    random = np.random.default_rng(0)
    for _ in range(CASES):
        n, c = random.integers(1, 25), int(random.integers(2, 7))
        true, found = random.integers(0, c, (2, n))
        # Its macro averages are over the classes that occur, as ours without the option labels.
        mine = score_labels(found, true, options=LabelOptions(task="single")).summary()
        tensors = torch.tensor(found), torch.tensor(true)
        for average in AVERAGES:
            for metric, theirs in (
                ("precision", peer.multiclass_precision),
                ("recall", peer.multiclass_recall),
                ("f1", peer.multiclass_f1_score),
            ):
                value = theirs(*tensors, num_classes=c, average=average)
                assert near(mine[f"{average}_{metric}"], value), (average, metric, true, found)
        assert near(mine["accuracy"], peer.multiclass_accuracy(*tensors, num_classes=c, average="micro"))


def test_sets():
    random = np.random.default_rng(1)
    for _ in range(CASES):
        n, c = random.integers(1, 12), int(random.integers(2, 7))
        true, found = (random.random((2, n, c)) < random.choice([0.1, 0.5])).astype(int)
        mine = score_labels(found, true, options=LabelOptions(task="multi")).summary()
        tensors = torch.tensor(found), torch.tensor(true)
        assert near(mine["exact_match"], peer.multilabel_exact_match(*tensors, num_labels=c))
        assert near(mine["hamming_loss"], peer.multilabel_hamming_distance(*tensors, num_labels=c))
        assert near(mine["micro_f1"], peer.multilabel_f1_score(*tensors, num_labels=c, average="micro"))
        assert near(mine["micro_jaccard"], peer.multilabel_jaccard_index(*tensors, num_labels=c, average="micro"))
        if (true | found).any(axis=0).all():  # macro averages leave out classes that occur on neither side
            for average in ("macro", "weighted"):
                value = peer.multilabel_f1_score(*tensors, num_labels=c, average=average)
                assert near(mine[f"{average}_f1"], value), (average, true, found)
            value = peer.multilabel_jaccard_index(*tensors, num_labels=c, average="macro")
            assert near(mine["macro_jaccard"], value), (true, found)


def test_what_the_card_says_of_its_accuracy():
    found, true = [0, 2, 2, 1, 1, 0, 2], [0, 1, 2, 2, 1, 0, 2]
    theirs = peer.multiclass_accuracy(torch.tensor(found), torch.tensor(true), num_classes=3)
    mine = score_labels(found, true).summary()
    assert round(float(theirs), 4) == 0.7222 == round(mine["balanced_accuracy"], 4)
    assert round(mine["accuracy"], 4) == 0.7143
    named = score_labels(found, true, options=LabelOptions(labels=4)).summary()
    theirs = peer.multiclass_f1_score(torch.tensor(found), torch.tensor(true), num_classes=4, average="macro")
    assert near(named["macro_f1"] * 4 / 3, theirs)  # over the three classes that occur
