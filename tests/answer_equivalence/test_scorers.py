"""Cross-encoders as judges: one output or several, their names, the order of the texts, and models that cannot be
judges.
"""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

import qassay
from qassay.answer_equivalence.scorers import find_accept_label
from qassay.semantic_answer_similarity.model_loading import clear_models, load_scorer

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


@pytest.mark.parametrize("order", ["question_gold_answer", "answer_gold_question"])
@pytest.mark.parametrize(
    ("kind", "names", "label", "place"),
    [
        ("two_labels", None, "LABEL_1", 1),
        ("two_labels", ["equivalent", "not equivalent"], "equivalent", 0),
        ("two_labels", ["Contradiction", "ENTAILMENT"], "ENTAILMENT", 1),
        ("three_labels", ["contradiction", "entailment", "neutral"], "entailment", 1),
        ("classic", None, None, 0),
    ],
)
def test_numbers_are_those_of_transformers(named, kind, names, label, place, order):
    folder = named(kind, names)
    option = {"accept_label": "Entailment"} if kind == "three_labels" else {}
    found = score(ANSWERS, GOLDS, questions=QUESTIONS, model=folder, input_order=order, **option)
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
        ("answer-equivalence-bem", "answer_gold_question"),
        ("my_BEM", "answer_gold_question"),
        ("answer_equivalence_tiny_bert", "answer_gold_question"),
        ("bembel", "question_gold_answer"),
        ("judge", "question_gold_answer"),
    ],
)
def test_the_order_is_told_from_the_name(named, folder, order):
    folder = named("two_labels", folder=folder)
    found = score(["paris"], [["london"]], questions=["the city"], model=folder)
    assert found.options.input_order == order
    assert found == score(["paris"], [["london"]], questions=["the city"], model=folder, input_order=order)


@pytest.mark.parametrize(
    ("names", "wanted", "label"),
    [
        (["LABEL_0"], None, None),
        (["not_equivalent", "equivalent"], None, "equivalent"),
        (["entailment", "not_entailment"], None, "entailment"),
        (["Yes", "No"], None, "Yes"),
        (["non-equivalent", "equivalent"], None, "equivalent"),
        (["0", "1"], None, "1"),
        (["incorrect", "correct"], None, "correct"),
        (["positive", "negative"], "Negative", "negative"),
        (["a", "A"], "A", "A"),
    ],
)
def test_labels_that_tell(names, wanted, label):
    assert find_accept_label("m", names, wanted) == label


@pytest.mark.parametrize(
    ("names", "wanted", "message"),
    [
        (["positive", "negative"], None, r"'m' has 2 outputs \(positive, negative\), which do not tell .* name it: accept_label='positive' or 'negative'"),
        (["equivalent", "yes"], None, "which do not tell"),
        (["entailment", "neutral"], None, "which do not tell"),
        (["contradiction", "entailment", "neutral"], None, r"has 3 outputs .* name it: accept_label="),
        (["no", "yes", "unsure"], None, "has 3 outputs"),
        (["LABEL_0", "LABEL_1"], "equivalent", "has no outputs of that name; it has: LABEL_0, LABEL_1"),
        (["entailment", "neutral"], "entailmnt", r"has no outputs of that name \(did you mean 'entailment'\?\)"),
        (["YES", "Yes"], "yes", "has 2 outputs of that name"),
        (["LABEL_0"], "LABEL_0", "accept_label='LABEL_0': the model 'm' gives one number for a row, which has no label"),
    ],
)  # fmt: skip
def test_labels_that_do_not_tell(names, wanted, message):
    with pytest.raises(ValueError, match=message):
        find_accept_label("m", names, wanted)


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        (
            "bi",
            "is a bi-encoder; give a cross-encoder that was trained to rate question, gold answer and answer together",
        ),
        ("encoder", "was saved as BertModel; give a cross-encoder"),
        ("causal", "is LlamaForCausalLM, which writes text; give a cross-encoder"),
        ("sparse", "is a SparseEncoder; give a cross-encoder"),
        ("headless", "weights classifier.bias, classifier.weight of the model .* random numbers"),
        ("empty", "has neither modules.json nor config.json.*holds nothing"),
        ("not_a_number", "gave nan for .* which is not a number"),
        ("three_labels", "has 3 outputs"),
    ],
)
def test_a_model_that_is_no_judge_gets_one_clear_error(model_folders, kind, message, recwarn):
    with pytest.raises(ValueError, match=message) as error:
        score(["a"], [["b"]], questions=["?"], model=model_folders(kind))
    assert "stsb" not in str(error.value) and "mode=" not in str(error.value)
    assert [warning for warning in recwarn if warning.category is UserWarning] == []


def test_a_folder_of_sentence_transformers_keeps_the_names(named, tmp_path):
    from sentence_transformers import CrossEncoder

    folder = named("two_labels", ["right", "wrong"])
    CrossEncoder(folder, device="cpu").save(str(tmp_path / "saved"))
    plain, saved = (
        score(ANSWERS, GOLDS, questions=QUESTIONS, model=model) for model in (folder, str(tmp_path / "saved"))
    )
    assert saved.options.accept_label == plain.options.accept_label == "right"
    np.testing.assert_allclose(saved.columns["equivalence"], plain.columns["equivalence"], rtol=0, atol=1e-6)


def test_a_port_of_bem_from_the_hub(local_hub, model_folders):
    local_hub.add("someone/answer-equivalence-bem", model_folders("two_labels"), "d" * 40, "main")
    found = score(ANSWERS, GOLDS, questions=QUESTIONS, model="someone/answer-equivalence-bem")
    assert f"|revision:{'d' * 40}|question:yes|label:LABEL_1|order:answer_gold_question|v:" in found.signature()
    local = score(
        ANSWERS, GOLDS, questions=QUESTIONS, model=model_folders("two_labels"), input_order="answer_gold_question"
    )
    assert found.columns["equivalence"].tolist() == local.columns["equivalence"].tolist()


def test_similarity_refuses_a_classifier_that_is_already_loaded(model_folders):
    folder = model_folders("two_labels")
    score(["paris"], [["london"]], questions=["the city"], model=folder)
    for mode in ("auto", "cross"):
        with pytest.raises(ValueError, match="gives 2 numbers per pair"):
            load_scorer(folder, mode=mode)
    clear_models()


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"accept_label": "yes"}, ValueError, 'model="lite" does not have the option accept_label'),
        ({"input_order": "answer_gold_question"}, ValueError, 'model="lite" does not have the option input_order'),
        ({"model": max, "input_order": "answer_gold_question"}, ValueError, "a judge does not have the option input_order"),
        ({"model": max, "batch_size": 3}, ValueError, r"a judge does not have the option batch_size; give it to the judge: Judge\(f, batch_size=...\)$"),
        ({"model": "a/b", "input_order": "gold"}, ValueError, "option input_order='gold' is unknown"),
        ({"model": "a/b", "accept_label": 1}, TypeError, "option accept_label must be a string, got int: 1"),
    ],
)  # fmt: skip
def test_options_of_cross_encoders_that_are_refused(options, error, message):
    with pytest.raises(error, match=message):
        score(["a"], [["b"]], questions=["?"], **options)


def test_a_cross_encoder_reads_question_gold_answer_and_answer(model_folders):
    from qassay.semantic_answer_similarity.model_loading import load_scorer

    folder = model_folders("classic")
    found = score(
        ["paris", "london [SEP] paris", "green"],
        [["paris", "london"], ["paris"], ["blue " * 80]],
        questions=["the city", "the city", "cat"],
        model=folder,
    )
    pairs = [
        ("the city", "paris [SEP] paris"),
        ("the city", "london [SEP] paris"),
        ("the city", "paris [SEP] london   paris"),
    ]
    expected = load_scorer(folder).score(*map(list, zip(*pairs, strict=True))).scores
    np.testing.assert_allclose(found.columns["equivalence"][:2], [max(expected[:2]), expected[2]], rtol=1e-5)
    assert found.subsets["truncated"].tolist() == [False, False, True]
    assert f"|model:{folder}" in found.signature() and "|question:yes" in found.signature() and found.options.revision
    with pytest.raises(ValueError, match="needs the questions too; give the column questions"):
        score(["a"], [["a"]], model=folder)
    with pytest.raises(ValueError, match="needs questions; omit use_questions"):
        score(["a"], [["a"]], questions=["?"], model=folder, use_questions=False)
    with pytest.raises(ValueError, match="is a bi-encoder; give a cross-encoder"):
        score(["a"], [["a"]], questions=["?"], model=model_folders("bi"))


@pytest.mark.parametrize(
    ("folder", "other"),
    [
        ("stsb-tiny", True),
        ("all-nli_2", True),
        ("judge-MNLI", True),
        ("ms-marco-judge", True),
        ("tests", False),
        ("online", False),
    ],
)
def test_a_model_of_another_task_is_told(model_folders, tmp_path, folder, other, recwarn):
    path = tmp_path / folder
    path.symlink_to(model_folders("classic"))
    score(["a"], [["a"]], questions=["?"], model=f"{path}/")
    told = [str(warning.message) for warning in recwarn if warning.category is UserWarning]
    assert ["seems to be trained for another task" in text and f"{folder}'" in text for text in told] == [True] * other


def test_a_hub_id_without_a_network(monkeypatch):
    pytest.importorskip("sentence_transformers", reason="models need the packages of qassay[sas]")
    import huggingface_hub

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(OSError, match="no/such-judge"):
        score(["a"], [["a"]], questions=["?"], model="no/such-judge")
