"""The callables inside Trainer itself, with tiny random models: every way in which it calls compute_metrics."""

import warnings
from functools import partial

import datasets
import numpy as np
import pytest

from qassay.training import Classification, DataSets, ExtractiveQA, GenerativeQA, MultiLabel

from .words import NEEDS, fast_tokenizer, tiny_llama, tiny_t5

transformers = pytest.importorskip("transformers", reason=NEEDS)
torch = pytest.importorskip("torch", reason='needs torch: pip install -e ".[test-all]"')
pytestmark = pytest.mark.thorough

WAYS = [
    {},
    {"eval_accumulation_steps": 2},
    {"batch_eval_metrics": True},
    {"eval_do_concat_batches": False},
]
SIZES = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16, "vocab_size": 20}


def evaluate(folder, model, made, data, collator=None, generates=False, **more):
    """What compute_metrics gives, when Trainer evaluates a model on data."""
    return of_qassay(trainer_of(folder, model, made, data, collator, generates, **more).evaluate())


def trainer_of(folder, model, made, data, collator=None, generates=False, **more):
    """A Trainer, or a Seq2SeqTrainer, of a model that is not trained, with more arguments of training."""
    kind = "Seq2SeqTrain" if generates else "Train"
    given = {"per_device_eval_batch_size": 3, "report_to": "none", "disable_tqdm": True, "use_cpu": True, **more}
    arguments = getattr(transformers, f"{kind}ingArguments")(output_dir=str(folder), **given)
    return getattr(transformers, f"{kind}er")(
        model, arguments, data_collator=collator or pad, eval_dataset=data, compute_metrics=made
    )


def of_qassay(metrics):
    """What compute_metrics gave, of what Trainer returns."""
    others = ("_loss", "_runtime", "_per_second", "_preparation_time", "epoch")
    return {name: value for name, value in metrics.items() if not name.endswith(others) or name == "eval_hamming_loss"}


def pad(rows):
    """A batch padded to its longest row."""
    longest = max(len(row["input_ids"]) for row in rows)
    batch = {"input_ids": torch.tensor([row["input_ids"] + [0] * (longest - len(row["input_ids"])) for row in rows])}
    batch["attention_mask"] = (batch["input_ids"] > 0).long()
    for name in ("start_positions", "end_positions"):
        batch[name] = torch.tensor([row[name] for row in rows])
    return batch


@pytest.fixture(scope="module")
def questions():
    """Eight questions with nine windows of different lengths; what they ask is in the dark."""
    rng = np.random.default_rng(0)
    examples = {"id": [], "context": [], "answers": []}
    features = {name: [] for name in ("input_ids", "example_id", "offset_mapping", "start_positions", "end_positions")}
    for row in range(8):
        words = [f"w{word}" for word in rng.integers(4, 10, 3 + row % 4)]
        context = " ".join(words)
        starts = [3 * place for place in range(len(words))]
        examples["id"].append(f"q{row}")
        examples["context"].append(context)
        examples["answers"].append({"text": words[:1] if row % 3 else [], "answer_start": [0] if row % 3 else []})
        for low in (0, 1) if row == 5 else (0,):
            features["input_ids"].append([2, *(int(word[1:]) + 4 for word in words[low:]), 3])
            features["offset_mapping"].append([None, *([start, start + 2] for start in starts[low:]), None])
            features["example_id"].append(f"q{row}")
            place = 1 if row % 3 and not low else 0
            features["start_positions"].append(place)
            features["end_positions"].append(place)
    return datasets.Dataset.from_dict(examples), datasets.Dataset.from_dict(features)


@pytest.fixture(scope="module")
def reader():
    transformers.set_seed(0)
    return transformers.BertForQuestionAnswering(transformers.BertConfig(**SIZES, initializer_range=0.5)).eval()


def classifier(kind):
    config = transformers.BertConfig(**SIZES, num_labels=3, problem_type=kind, initializer_range=0.5)
    return transformers.BertForSequenceClassification(config)


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_extractive(questions, reader, way, tmp_path):
    examples, features = questions
    made = ExtractiveQA(examples, features, version_2_with_negative=True, n_best_size=20)
    trainer = trainer_of(tmp_path, reader, made, features, **way)
    with torch.no_grad():
        # The logits row by row, without padding, are another way to the same answers, as long as all of them are paired.
        alone = [reader(input_ids=torch.tensor([ids])) for ids in features["input_ids"]]
    width = max(map(len, features["input_ids"]))
    logits = [np.full((len(alone), width), -100, np.float32) for _ in range(2)]
    for row, output in enumerate(alone):
        for part, found in zip(logits, (output.start_logits, output.end_logits), strict=True):
            part[row, : found.shape[1]] = found[0].numpy()
    expected = ExtractiveQA(examples, features, version_2_with_negative=True, n_best_size=20)
    texts = expected.answers(tuple(logits)).texts
    metrics = of_qassay(trainer.evaluate())
    golds = dict(zip(examples["id"], (answers["text"] for answers in examples["answers"]), strict=True))
    right = [text == (golds[key] or [""])[0] for key, text in texts.items()]
    assert metrics["eval_exact_match"] == pytest.approx(np.mean(right))
    assert all(type(value) in (float, int) for value in metrics.values())
    assert trainer.evaluate() and of_qassay(trainer.evaluate()) == metrics  # no remains of an evaluation
    if "batch_eval_metrics" not in way:
        output = trainer.predict(features)
        assert output.metrics["test_exact_match"] == metrics["eval_exact_match"]
        if "eval_do_concat_batches" not in way:
            assert made.answers(output).texts == texts


def test_extractive_with_another_data_set_or_a_shuffled_one(questions, reader, tmp_path):
    examples, features = questions
    made = ExtractiveQA(examples, features)
    trainer = trainer_of(tmp_path, reader, made, features)
    for test, message in ((range(3), "3 features, .*9"), (range(3, 9), r"features\[4\]")):
        with pytest.raises(ValueError, match=rf"{message}.*another data set, as trainer\.predict.*DataSets"):
            trainer.predict(features.select(test))
    with pytest.raises(ValueError, match="group_by_length"):
        evaluate(tmp_path, reader, made, features, **SHUFFLED)


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_inputs_show_whether_features_are_in_order(way, questions, reader, tmp_path):
    examples, features = questions
    alike = features.remove_columns(["start_positions", "end_positions"])
    alike = alike.add_column("start_positions", [0] * 9).add_column("end_positions", [0] * 9)
    made = ExtractiveQA(examples, alike, measures=["total"])
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        assert evaluate(tmp_path, reader, made, alike, **INPUTS, **way) == {"eval_total": 8}
    with pytest.raises(ValueError, match=r"features\[\d\] .*input.*group_by_length"):
        evaluate(tmp_path, reader, made, alike, **INPUTS, **SHUFFLED, **way)


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_classification_and_multi_label(way, tmp_path):
    transformers.set_seed(0)
    rng = np.random.default_rng(0)
    ids = rng.integers(4, 20, (10, 5))
    one, several = rng.integers(0, 3, 10), rng.integers(0, 2, (10, 3)).astype(float)
    for kind, make, truth in (("single", Classification, one), ("multi", MultiLabel, several)):
        make, model = partial(make, {0: "no", 1: "yes", 2: "perhaps"}), classifier(f"{kind}_label_classification")
        rows = datasets.Dataset.from_dict({"input_ids": ids.tolist(), "labels": truth.tolist()})
        sets = {"dev": rows, "test": rows.select(range(4))}
        hooks = {name: make(n_rows=len(part)) for name, part in sets.items()}
        both = evaluate(tmp_path, model, DataSets(hooks), sets, transformers.default_data_collator, **way)
        assert {name.partition("_")[2].partition("_")[0] for name in both} == set(sets)
        made = hooks["dev"]
        metrics = evaluate(tmp_path, model, made, rows, transformers.default_data_collator, **way)
        with torch.no_grad():
            logits = model.eval()(input_ids=torch.from_numpy(ids)).logits.numpy()
        if truth.ndim == 1:
            assert metrics["eval_accuracy"] == np.mean(logits.argmax(1) == truth)
            assert metrics.keys() == {"eval_accuracy", "eval_macro_f1"} and made.scores.notes == {"ignored": 0}
        else:
            assert metrics["eval_exact_match"] == np.mean(((logits > 0) == truth.astype(bool)).all(1))
        assert all(type(value) in (float, int) for value in metrics.values())
        with pytest.raises(ValueError, match="there are 9 rows, but n_rows=10: .*dataloader_drop_last=True"):
            evaluate(tmp_path, model, made, rows, transformers.default_data_collator, dataloader_drop_last=True, **way)


WORDS = ["one", "two", "three", "four", "five", "six"]


def make_tokenizer():
    return fast_tokenizer(WORDS)


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_generative(way, tmp_path):
    transformers.set_seed(3)
    tokenizer = make_tokenizer()
    rows = {
        "input_ids": [[3, 4, 1], [5, 1], [6, 7, 8, 1], [4, 1], [8, 8, 1]],
        "labels": [[3, 1], [4, 5, 6, 1], [5, 1], [3, 1], [8, 1]],
    }
    model = transformers.T5ForConditionalGeneration(tiny_t5(WORDS, initializer_factor=3.0))
    collator = transformers.DataCollatorForSeq2Seq(tokenizer, model)
    data = datasets.Dataset.from_dict(rows)
    way = {**way, "predict_with_generate": True, "generation_max_length": 6, "per_device_eval_batch_size": 2}
    with torch.no_grad():
        written = [model.eval().generate(torch.tensor([ids]), max_length=6)[0] for ids in rows["input_ids"]]
    texts = [tokenizer.decode(ids, skip_special_tokens=True).strip() for ids in written]
    # The labels are gold answers too, which identify rows; the last question has no answer.
    golds = [[texts[0], "one"], [texts[1], "two three four"], ["three"], ["one", "two"], []]
    made = GenerativeQA(tokenizer, golds)
    metrics = evaluate(tmp_path, model, made, data, collator, generates=True, **way)
    assert made.answers == texts
    assert made.scores["total"] == 5 and type(metrics["eval_f1"]) is float
    hits = [text in (gold or [""]) for text, gold in zip(texts, golds, strict=True)]
    assert made.scores.per_example()["exact_match"].tolist() == hits
    with pytest.raises(TypeError, match="float32.*predict_with_generate=True"):
        evaluate(tmp_path, model, made, data, collator, generates=True)


ANSWERS = ["one", "two one", "three four five", "six one two six", "five five one six two", "four six"]
GOLDS = [[text, f"{text} .", "same"] for text in ANSWERS]
OTHER = ["six", "six five", "one one two", "two two two two", "three", "three one one six one one"]


def generative_trainer(folder, made, answers, inputs=None, **more):
    """A trainer of a model that copies its input; answers are the labels, by data set if they are a dict."""
    tokenizer = make_tokenizer()

    class Copier(transformers.T5ForConditionalGeneration):
        """A model that copies its input: right if the input is the label."""

        def generate(self, input_ids, **_):
            return torch.cat([torch.zeros_like(input_ids[:, :1]), input_ids], dim=1)

    def rows(labels, inputs):
        ids = [tokenizer(text)["input_ids"] + [1] for text in labels]
        return datasets.Dataset.from_dict(
            {"input_ids": [tokenizer(text)["input_ids"] for text in inputs], "labels": ids}
        )

    model = Copier(tiny_t5(WORDS))
    data = {name: rows(labels, labels) for name, labels in answers.items()} if isinstance(answers, dict) else None
    collator = transformers.DataCollatorForSeq2Seq(tokenizer, model)
    more["predict_with_generate"] = True
    return trainer_of(folder, model, made, data or rows(answers, inputs or answers), collator, generates=True, **more)


INPUTS = {"include_for_metrics": ["inputs"]}
SHUFFLED = {"train_sampling_strategy": "group_by_length"}


def tokens_of(texts):
    tokenizer = make_tokenizer()
    return [tokenizer(text)["input_ids"] for text in texts]


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_inputs_show_which_rows_came(way, tmp_path):
    labels = ["same"] * len(ANSWERS)  # which show nothing
    made = GenerativeQA(make_tokenizer(), GOLDS, inputs=tokens_of(ANSWERS), measures=["exact_match", "total"])
    trainer = generative_trainer(tmp_path, made, labels, ANSWERS, **SHUFFLED, **INPUTS, **way)
    found = [of_qassay(trainer.evaluate()) for _ in range(2)]
    assert found == [{"eval_exact_match": 1.0, "eval_total": 6}] * 2
    assert made.answers == ANSWERS  # in the order of references
    other = generative_trainer(tmp_path, made, OTHER, **INPUTS, **way)
    with pytest.raises(ValueError, match="row 0 of Trainer .*another data set"):
        other.evaluate()
    drop = {"per_device_eval_batch_size": 4, "dataloader_drop_last": True}
    with pytest.raises(ValueError, match=r"row 4 of inputs did not come \(2 of 6\): .*dataloader_drop_last"):
        generative_trainer(tmp_path, made, ANSWERS, **drop, **INPUTS, **way).evaluate()
    with pytest.raises(ValueError, match="4 predictions, .*6 references: .*dataloader_drop_last=True"):
        generative_trainer(tmp_path, GenerativeQA(make_tokenizer(), GOLDS), ANSWERS, **drop, **way).evaluate()
    with pytest.raises(ValueError, match="include_for_metrics"):
        generative_trainer(tmp_path, made, ANSWERS, **way).evaluate()


@pytest.mark.parametrize("way", WAYS[::2], ids=str)
def test_shuffled_rows_without_inputs_are_refused(way, tmp_path):
    made = GenerativeQA(make_tokenizer(), GOLDS)
    trainer = generative_trainer(tmp_path, made, ANSWERS, **SHUFFLED, **way)
    with pytest.raises(ValueError, match="group_by_length.*include_for_metrics"):
        trainer.evaluate()
    trainer = generative_trainer(tmp_path, made, ANSWERS, **way)
    loader = trainer.get_eval_dataloader
    order = torch.utils.data.Subset(trainer.eval_dataset, [3, 1, 4, 0, 5, 2])
    trainer.get_eval_dataloader = lambda data=None: loader(order)
    with pytest.raises(ValueError, match=r"references\[0\] .*4 of 6 rows differ|5 of 6 rows differ"):
        trainer.evaluate()


@pytest.mark.parametrize(("way", "shuffled"), [(WAYS[0], False), (WAYS[2], True)], ids=str)
def test_several_generative_data_sets(way, shuffled, tmp_path):
    sets = {"a": ANSWERS, "b": OTHER, "c": OTHER[:4]}
    hooks = {}
    for name, answers in sets.items():
        given = {"inputs": tokens_of(answers) if shuffled else None, "measures": ["f1", "total"]}
        hooks[name] = GenerativeQA(make_tokenizer(), [[text, "more"] for text in answers], **given)
    made = DataSets(hooks)
    more = {**SHUFFLED, **INPUTS} if shuffled else {}
    found = of_qassay(generative_trainer(tmp_path, made, sets, **way, **more).evaluate())
    sizes = {"a": 6, "b": 6, "c": 4}
    assert found == {f"eval_{name}_{key}": n for name, n in sizes.items() for key, n in {"f1": 1.0, "total": n}.items()}
    assert {name: len(scores) for name, scores in made.scores_by_set.items()} == sizes
    assert made.scores is made.scores_by_set["c"] and hooks["c"].answers == OTHER[:4]


@pytest.mark.parametrize(
    ("best", "message"),
    [
        ("has_answer_f1", "'has_answer_f1'.*measures"),
        ("eval_exactmatch", "exact_match"),
        ("f1", None),
        ("dev_f1", None),
        ("loss", None),
    ],
)
def test_a_best_measure_that_is_not_logged_is_named_when_training_begins(best, message, tmp_path):
    made = GenerativeQA(make_tokenizer(), GOLDS)
    trainer = generative_trainer(tmp_path, made, ANSWERS, metric_for_best_model=best, max_steps=1)
    trainer.train_dataset = trainer.eval_dataset
    trainer.add_callback(made)
    if message is None:
        trainer.train()
    else:
        with pytest.raises(ValueError, match=message):
            trainer.train()


@pytest.mark.parametrize("test", [OTHER, OTHER[:4], [*OTHER, "one"]], ids=len)
def test_the_test_data_with_the_hook_of_dev(test, tmp_path):
    made = GenerativeQA(make_tokenizer(), GOLDS)
    trainer = generative_trainer(tmp_path, made, {"dev": ANSWERS, "test": test})
    with pytest.raises(ValueError, match=r"another data set, as trainer\.predict.*DataSets"):
        trainer.predict(trainer.eval_dataset["test"])
    golds = {"dev": GOLDS, "test": [[text] for text in test]}
    measures = ["exact_match", "total"]
    trainer.compute_metrics = DataSets(
        {name: GenerativeQA(make_tokenizer(), rows, measures=measures) for name, rows in golds.items()}
    )
    assert trainer.predict(trainer.eval_dataset["test"]).metrics["test_total"] == len(test)
    assert trainer.evaluate(trainer.eval_dataset["dev"])["eval_exact_match"] == 1.0


@pytest.fixture(scope="module")
def says_six():
    """A causal model that writes "six six" after any input."""

    class Six(transformers.LlamaForCausalLM):
        def generate(self, input_ids, **_):
            return torch.cat([input_ids, torch.full_like(input_ids[:, :2], 8)], dim=1)

    return Six(tiny_llama(WORDS)).eval()


@pytest.mark.parametrize(("side", "way"), [*(("right", way) for way in WAYS), ("left", {})], ids=str)
def test_the_inputs_of_a_causal_model_are_not_its_answers(side, way, says_six, tmp_path):
    tokenizer = make_tokenizer()
    tokenizer.padding_side = side
    collator = transformers.DataCollatorForSeq2Seq(tokenizer)
    prompts = ["one two", "one", "two three two", "five", "four four"]
    golds = ["three", "two one", "six", "four", "one"]
    ids = [tokenizer(f"{prompt} {gold}")["input_ids"] + [1] for prompt, gold in zip(prompts, golds, strict=True)]
    masked = [[-100] * len(p.split()) + row[len(p.split()) :] for p, row in zip(prompts, ids, strict=True)]
    for labels in (masked, ids):
        data = datasets.Dataset.from_dict(
            {"input_ids": ids, "attention_mask": [[1] * len(row) for row in ids], "labels": labels}
        )
        made = GenerativeQA(tokenizer, golds)
        with pytest.raises(ValueError, match="gold answer included, .*'one two three six six'.*prompt alone"):
            evaluate(tmp_path, says_six, made, data, collator, generates=True, predict_with_generate=True, **way)


def test_labels_padded_on_the_left_to_a_multiple(tmp_path):
    answers = ["one", "two", "three", " ".join(OTHER[:4]), "five", "six"]
    trainer = generative_trainer(tmp_path, GenerativeQA(make_tokenizer(), answers), answers)
    trainer.data_collator.pad_to_multiple_of, trainer.data_collator.tokenizer.padding_side = 8, "left"
    assert trainer.evaluate()["eval_exact_match"] == 1.0


def test_an_interrupted_evaluation_is_named(questions, reader, tmp_path):
    way = {"batch_eval_metrics": True, "per_device_eval_batch_size": 2}
    made = GenerativeQA(make_tokenizer(), GOLDS, measures=["exact_match"])
    written = generative_trainer(tmp_path, made, ANSWERS, **way)
    examples, features = questions
    marked = ExtractiveQA(examples, features, measures=["total"])
    marking = trainer_of(tmp_path, reader, marked, features, **way)
    for trainer, hook, result in ((written, made, {"eval_exact_match": 1.0}), (marking, marked, {"eval_total": 8})):

        def stop(prediction, compute_result, hook=hook):
            hook(prediction, compute_result)
            raise KeyboardInterrupt

        trainer.compute_metrics = stop
        with pytest.raises(KeyboardInterrupt):
            trainer.evaluate()
        trainer.compute_metrics = hook
        with pytest.raises(ValueError, match=r"interrupted.*reset\(\)"):
            trainer.evaluate()
        assert of_qassay(trainer.evaluate()) == result
        trainer.compute_metrics = stop
        with pytest.raises(KeyboardInterrupt):
            trainer.evaluate()
        hook.reset()
        trainer.compute_metrics = hook
        assert of_qassay(trainer.evaluate()) == result
