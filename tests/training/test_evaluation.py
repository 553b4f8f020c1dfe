"""qassay.evaluate_pipeline: callables and pipelines of every shape on data sets of every kind."""

import pytest

import qassay

from .words import NEEDS, fast_tokenizer, tiny_llama

ROWS = {
    "id": ["a", "b", "c"],
    "question": ["Where is Rome?", "Where is Oslo?", "Where is Ur?"],
    "context": ["Rome is in Italy.", "Oslo is in Norway.", "No one knows."],
    "answers": [{"text": ["Italy"]}, {"text": ["Norway", "Norge"]}, {"text": []}],
}
LIST = [dict(zip(ROWS, row, strict=True)) for row in zip(*ROWS.values(), strict=True)]
ANSWERS = {"Where is Rome?": "Italy", "Where is Oslo?": "in Norge", "Where is Ur?": ""}
EXPECTED = qassay.score("answer_match", list(ANSWERS.values()), ROWS["answers"], ids=ROWS["id"])


def by_keyword(question, context):
    assert isinstance(question, str) and context in ROWS["context"]
    return {"answer": ANSWERS[question], "score": 0.5, "start": 0, "end": 3}


def test_data_sets(datasets):
    for data in (ROWS, LIST, datasets.Dataset.from_dict(ROWS)):
        scores = qassay.evaluate_pipeline(by_keyword, data, progress=True)
        assert scores == EXPECTED and scores.ids == ["a", "b", "c"]
    prompted = qassay.evaluate_pipeline(
        lambda text: ANSWERS[text[3:]], data, inputs=lambda row: f"Q: {row['question']}"
    )
    assert prompted == EXPECTED


@pytest.mark.parametrize(
    "answer",
    [
        lambda text: ANSWERS[text],
        lambda text: [{"answer": ANSWERS[text], "score": 0.9}, {"answer": "never", "score": 0.1}],
        lambda text: [{"generated_text": f" {ANSWERS[text]}\n"}],
        lambda text: {
            "generated_text": [{"role": "user", "content": text}, {"role": "assistant", "content": ANSWERS[text]}]
        },
    ],
)
def test_answers_of_every_shape(answer):
    assert qassay.evaluate_pipeline(answer, ROWS, inputs="question") == EXPECTED
    together = qassay.evaluate_pipeline(
        lambda texts: [answer(text) for text in texts], ROWS, inputs="question", batch_size=2
    )
    assert together == EXPECTED


def test_calls_by_batches_and_their_options():
    calls = []

    def reader(question, passage, top_k):
        calls.append((len(question), top_k))
        found = [{"answer": ANSWERS[text]} for text in question]
        return found if len(found) > 1 else found[0]  # as pipelines for question answering do

    inputs = {"question": "question", "passage": "context"}
    scores = qassay.evaluate_pipeline(reader, ROWS, inputs=inputs, batch_size=2, call_options={"top_k": 1})
    assert scores == EXPECTED and calls == [(2, 1), (1, 1)]


def test_other_metrics_and_other_columns():
    judged = qassay.evaluate_pipeline(by_keyword, ROWS, "answer_equivalence")
    assert judged.summary(["without_question"]) == {"without_question": 0} and judged.options.use_questions
    with pytest.raises(ValueError, match="questions='context'"):
        qassay.evaluate_pipeline(by_keyword, ROWS, questions="context")
    ranked = qassay.evaluate_pipeline(
        lambda text: ["no", {"text": ANSWERS[text]}], ROWS, inputs="question", top_k=(1, 2)
    )
    assert ranked["exact_match@1"] < ranked["exact_match@2"]
    table = {"key": [1, 2], "prompt": ["good", "bad"], "label": ["up", "down"]}
    named = {"inputs": "prompt", "references": "label", "ids": "key"}
    scores = qassay.evaluate_pipeline(lambda text: [{"label": "up", "score": 1.0}], table, "label_metrics", **named)
    assert scores["accuracy"] == 0.5 and scores.ids == [1, 2]


@pytest.mark.thorough
def test_a_pipeline_of_transformers():
    torch = pytest.importorskip("torch", reason='needs torch: pip install -e ".[test-all]"')
    transformers = pytest.importorskip("transformers", reason=NEEDS)
    transformers.set_seed(0)
    words = ["Where", "is", "Rome?", "Oslo?", "Ur?", "Italy", "Norge"]
    tokenizer = fast_tokenizer(words)
    tokenizer.padding_side = "left"
    model = transformers.LlamaForCausalLM(tiny_llama(words))
    writer = transformers.pipeline("text-generation", model=model, tokenizer=tokenizer, device="cpu")
    options = {"max_new_tokens": 3, "do_sample": False}
    prompts = [tokenizer(text, return_tensors="pt", return_token_type_ids=False) for text in ROWS["question"]]
    with torch.no_grad():
        written = [model.generate(**ids, **options)[0, ids["input_ids"].shape[1] :] for ids in prompts]
    texts = [tokenizer.decode(ids, skip_special_tokens=True) for ids in written]
    assert any(texts)
    rows = {**ROWS, "answers": [[text or "something"] for text in texts]}
    for batch_size in (None, 2):
        scores = qassay.evaluate_pipeline(writer, rows, inputs="question", batch_size=batch_size, call_options=options)
        assert scores.per_example()["exact_match"].tolist() == [bool(text) for text in texts]


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"pipeline": "gpt2"}, TypeError, "str"),
        ({"dataset": {"question": ["a"]}}, ValueError, "'answers' .*references='...'"),
        ({"inputs": "prompt"}, ValueError, "'prompt' .*inputs='...'"),
        ({"ids": "key"}, ValueError, "'key' .*ids='...'"),
        ({"inputs": 3}, TypeError, "inputs must be a column"),
        ({"dataset": ["who?"]}, TypeError, "dataset must be .* list of dicts; got list"),
        ({"dataset": [{"question": "a", "answers": ["a"]}, "who?"]}, ValueError, r"dataset\[1\] .*'who\?'"),
        ({"pipeline": lambda **_: []}, ValueError, r"dataset\[0\]: .*empty list"),
        ({"pipeline": lambda **_: 3}, TypeError, r"dataset\[0\]: .*int: 3"),
        ({"pipeline": lambda **_: {"score": 1}}, ValueError, r"dataset\[0\]: .* score"),
        ({"pipeline": lambda **_: ["a"], "batch_size": 2}, ValueError, "2 rows .*1 outputs"),
        ({"pipeline": lambda **_: "abc", "batch_size": 2}, ValueError, "2 rows .*'abc'"),
    ],
)
def test_bad_input(changes, error, message):
    with pytest.raises(error, match=message):
        qassay.evaluate_pipeline(**{"pipeline": by_keyword, "dataset": ROWS, **changes})


def test_what_the_options_allow_is_asked():
    rows = {**ROWS, "id": ["a", "b", "a"]}
    assert qassay.evaluate_pipeline(by_keyword, rows, duplicates="first").ids == ["a", "b"]
    for preset in ("drop", "hotpotqa"):
        golds = {**ROWS, "answers": [["Italy"], ["Norge"], ["nothing"]]}
        assert qassay.evaluate_pipeline(by_keyword, golds, preset=preset).summary(["exact_match"])["exact_match"] > 0


@pytest.mark.parametrize(
    ("changes", "options", "message"),
    [
        ({"id": ["a", "b", "a"]}, {}, r"ids?\[2\] repeats the id 'a'"),
        ({"answers": [["a"], ["b"], [5]]}, {}, "answers|references"),
        ({"answers": [["Rome"], ["the"], ["Ur"]]}, {"empty_gold": "error"}, "id 'b'"),
        ({"answers": ["up"] * 3, "id": [1, 1, 2]}, {"metric": "label_metrics"}, "repeats the id 1"),
    ],
)
def test_golds_and_ids_are_checked_before_the_first_call(changes, options, message):
    with pytest.raises((TypeError, ValueError), match=message):
        qassay.evaluate_pipeline(lambda **_: pytest.fail("it was called"), {**ROWS, **changes}, **options)
