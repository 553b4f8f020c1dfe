"""What the command line knows about retriever_reader."""

from pathlib import Path

import pytest

import karat
from karat.core.reading import FAILURES
from karat.families import get_family
from karat.files import read_gold, read_predictions
from karat.reporting import remarks

FAMILY = get_family("retriever_reader")
SAMPLES = Path(__file__).resolve().parents[2] / "samples" / "pipeline"


@pytest.fixture(scope="module")
def gold():
    return read_gold(SAMPLES / "gold.json", metric="retriever_reader")


@pytest.fixture(scope="module")
def scores(gold):
    return karat.score("retriever_reader", **gold.columns, **read_predictions(SAMPLES / "dense.json", gold).columns)


def test_usual_measures(scores):
    usual = FAMILY.usual_measures(scores)
    assert usual[:6] == [
        "retriever_recall",
        "retriever_map",
        "retriever_mrr",
        "reader_top1_accuracy",
        "reader_top1_em",
        "reader_top1_f1",
    ]
    assert usual[-1] == "reader_topk_no_answer_accuracy" and len(usual) == 17
    answered = FAMILY.usual_measures(scores.subset("has_answer"))
    assert len(answered) == 9 and answered[-1] == "reader_topk_f1", "no rows that repeat the others"
    assert set(FAMILY.main_measures(scores)) <= set(usual)


def test_every_rate_has_a_meaning():
    listed = dict(FAMILY.measures())
    assert [name for name, meaning in listed.items() if not meaning] == [
        "total",
        "has_answer_total",
        "no_answer_total",
        "missing",
        "no_relevant",
    ]
    assert list(listed) == list(karat.score("retriever_reader", **FAMILY.smallest).measures)


def test_questions_without_a_gold_document_are_told():
    given = {"predictions": [{"documents": ["d"], "answers": [None]}], "references": [{"documents": [], "answers": []}]}
    (line,) = remarks({"s": karat.score("retriever_reader", **given)})
    assert line.startswith("1 without a gold document: 0 for the retriever") and "--option denominator=queries" in line
    (line,) = remarks({"s": karat.score("retriever_reader", **given, denominator="queries")})
    assert line == "1 without a gold document: 0 for the retriever"


def test_slices(gold, scores):
    slices = FAMILY.slices(gold, scores)
    labels = slices["failure"]()
    assert set(labels) == set(FAILURES)
    assert {name: labels.count(name) for name in FAILURES} == {
        name: int(scores.subsets[f"failure_{name}"].sum()) for name in FAILURES
    }
    assert len(slices["question_word"]()) == len(scores)


def test_the_policy_for_ids_given_twice(scores):
    assert not FAMILY.keeps_last(scores.options)
    assert FAMILY.keeps_last(FAMILY.load()[1](duplicates="last"))
