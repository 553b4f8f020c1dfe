"""Cross-encoders as judges: one output or several, their names, the order of the texts, and models that cannot be
judges.
"""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("sentence_transformers", reason='needs sentence_transformers: pip install -e ".[test-all]"')
import qassay

pytestmark = pytest.mark.thorough

ANSWERS = ["paris", "the city of london", "11 [SEP] eleven", "green"]
GOLDS = [["paris", "paris in france"], ["london"], ["eleven"], ["blue dog"]]
QUESTIONS = ["the city of france", "the city", "the cat and 11", "a dog of the president"]


def score(answers, golds, **options):
    return qassay.score("answer_equivalence", answers, golds, **options)


@pytest.fixture
def named(model_folders, tmp_path):
    """`named(kind, names, folder)`: a copy of a model whose outputs have these names."""

    def copy(kind, names=None, folder="judge"):
        path = Path(shutil.copytree(model_folders(kind), tmp_path / folder))
        if names is not None:
            config = json.loads((path / "config.json").read_text("utf-8"))
            config |= {"id2label": dict(enumerate(names)), "label2id": {name: i for i, name in enumerate(names)}}
            (path / "config.json").write_text(json.dumps(config), "utf-8")
        return str(path)

    return copy


def best(folder, order, finish):
    """The probability of each row straight from transformers: the best over its gold answers."""
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    model, tokenizer = AutoModelForSequenceClassification.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)
    found = []
    for answer, golds, question in zip(ANSWERS, GOLDS, QUESTIONS, strict=True):
        answer = answer.replace("[SEP]", " ")
        first, last = (question, answer) if order == "question_gold_answer" else (answer, question)
        inputs = [tokenizer(first, f"{gold} [SEP] {last}", return_tensors="pt") for gold in golds]
        with torch.inference_mode():
            found.append(max(float(finish(model(**own).logits[0].double())) for own in inputs))
    return found


@pytest.mark.parametrize(
    ("kind", "names", "label", "place", "order"),
    [
        ("two_labels", None, "LABEL_1", 1, "answer_gold_question"),
        ("three_labels", ["contradiction", "entailment", "neutral"], "entailment", 1, "question_gold_answer"),
        ("classic", None, None, 0, "answer_gold_question"),
    ],
)
def test_numbers_are_those_of_transformers(named, kind, names, label, place, order):
    folder = named(kind, names)
    found = score(ANSWERS, GOLDS, questions=QUESTIONS, model=folder, input_order=order, accept_label=label)
    expected = best(folder, order, lambda own: own.sigmoid()[0] if label is None else own.softmax(0)[place])
    np.testing.assert_allclose(found.columns["equivalence"], expected, rtol=0, atol=1e-6)
    assert (found.options.accept_label, found.options.input_order) == (label, order)
    said = "" if label is None else f"|label:{label}"
    assert f"|question:yes{said}|order:{order}|v:" in found.signature()
    again = qassay.from_signature(found.signature())
    assert score(ANSWERS, GOLDS, questions=QUESTIONS, **again.keywords()) == found


@pytest.mark.parametrize(
    ("folder", "order"),
    [
        ("my_BEM", "answer_gold_question"),
        ("answer_equivalence_tiny_bert", "answer_gold_question"),
        ("bembel", "question_gold_answer"),
    ],
)
def test_the_order_is_told_from_the_name(named, folder, order):
    folder = named("classic", folder=folder)
    found = score(["paris"], [["london"]], questions=["the city"], model=folder)
    assert found.options.input_order == order
    assert found == score(["paris"], [["london"]], questions=["the city"], model=folder, input_order=order)


@pytest.mark.parametrize(
    ("kind", "named"),
    [
        ("bi", "bi-encoder"),
        ("causal", "LlamaForCausalLM"),
        ("headless", "classifier.weight"),
        ("not_a_number", "nan"),
        ("three_labels", "3 outputs"),
    ],
)
def test_a_model_that_is_no_judge_gets_one_clear_error(model_folders, kind, named, recwarn):
    with pytest.raises(ValueError, match=named):
        score(["a"], [["b"]], questions=["?"], model=model_folders(kind))
    assert [warning for warning in recwarn if warning.category is UserWarning] == []


def test_a_model_of_another_task_is_told(model_folders, tmp_path, recwarn):
    for folder, other in (("stsb-tiny", True), ("tests", False)):
        recwarn.clear()
        (tmp_path / folder).symlink_to(model_folders("classic"))
        score(["a"], [["a"]], questions=["?"], model=f"{tmp_path / folder}/")
        told = [str(warning.message) for warning in recwarn if warning.category is UserWarning]
        assert [f"{folder}'" in text for text in told] == [True] * other
