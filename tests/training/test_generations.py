"""Answers that a model generates while it is trained: the same as generating row by row, in each kind of Trainer."""

import json
import os
import subprocess
import sys
from types import SimpleNamespace

import pytest
from datasets import Dataset

import qassay
from qassay.training import score_generations

torch = pytest.importorskip("torch", reason='needs torch: pip install -e ".[test-all]"')
transformers = pytest.importorskip("transformers", reason='needs transformers: pip install -e ".[test-all]"')
pytestmark = pytest.mark.thorough

WORDS = "zero one two three four five six seven what follows precedes and then ? <user> <bot>".split()
NUMBERS = WORDS[:8]
TEMPLATE = (
    "{% for m in messages %}<user> {{ m['content'] }} {% endfor %}{% if add_generation_prompt %}<bot> {% endif %}"
)


def tokenizer_of_words(**more):
    from tokenizers import Tokenizer, models, pre_tokenizers

    vocabulary = {word: number for number, word in enumerate(["<pad>", "</s>", "<unk>", *WORDS])}
    made = Tokenizer(models.WordLevel(vocabulary, "<unk>"))
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    names = {"pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"}
    return transformers.PreTrainedTokenizerFast(tokenizer_object=made, **{**names, **more})


def rows_of(n=13):
    """Questions of different lengths with the number that follows as gold answer."""
    prompts = [
        " and then ".join(f"what follows {NUMBERS[(row + k) % 7]} ?" for k in range(1 + row % 4)) for row in range(n)
    ]
    answers = [[NUMBERS[(row + row % 4) % 7 + 1], "7"] for row in range(n)]
    completions = [f" {golds[0]} </s>" for golds in answers]
    return Dataset.from_dict({"prompt": prompts, "completion": completions, "answers": answers, "n": list(range(n))})


def causal_model(**more):
    transformers.set_seed(1)
    sizes = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
    ids = {"vocab_size": len(WORDS) + 3, "pad_token_id": 0, "eos_token_id": 1, "bos_token_id": None}
    # Weights so large that a model without training gives different answers.
    return transformers.LlamaForCausalLM(
        transformers.LlamaConfig(**sizes, **ids, max_position_embeddings=64, initializer_range=0.5, **more)
    )


def encoder_decoder():
    transformers.set_seed(1)
    sizes = {"d_model": 16, "d_kv": 8, "d_ff": 16, "num_layers": 1, "num_heads": 2, "decoder_start_token_id": 0}
    ids = {"vocab_size": len(WORDS) + 3, "pad_token_id": 0, "eos_token_id": 1}
    model = transformers.T5ForConditionalGeneration(transformers.T5Config(**sizes, **ids))
    for weight in model.parameters():
        torch.nn.init.normal_(weight, std=0.5)
    return model


def tokenized(rows, tokenizer, reads=False):
    """The rows as a Trainer takes them, with the prompt masked in the labels of a causal model."""

    def one(row):
        prompt, answer = (tokenizer(row[name])["input_ids"] for name in ("prompt", "completion"))
        if reads:
            return {"input_ids": prompt, "labels": answer}
        return {"input_ids": prompt + answer, "labels": [-100] * len(prompt) + answer}

    return rows.map(one, remove_columns=rows.column_names)


def trainer_of(folder, kind="Trainer", model=None, rows=None, **more):
    """A trainer of that kind with a tiny model, whose evaluation data are its training data."""
    rows, tokenizer = rows or rows_of(), tokenizer_of_words()
    fast = {"learning_rate": 0.01, "report_to": "none", "disable_tqdm": True, "use_cpu": True, "save_strategy": "no"}
    sizes = {"per_device_eval_batch_size": 3, "per_device_train_batch_size": 4}
    more = {"output_dir": str(folder), **fast, **sizes, **more}
    fixed = {name: more.pop(name) for name in ("eval_dataset", "compute_metrics", "peft_config") if name in more}
    if kind == "SFTTrainer":
        trl = pytest.importorskip("trl", reason="needs trl: pip install trl")
        arguments = trl.SFTConfig(**more)
        columns = rows.select_columns(["prompt", "completion"])
        fixed = {"eval_dataset": columns, **fixed}
        return trl.SFTTrainer(
            model or causal_model(), arguments, train_dataset=columns, processing_class=tokenizer, **fixed
        )
    model = model or (encoder_decoder() if kind == "Seq2SeqTrainer" else causal_model())
    data = tokenized(rows, tokenizer, model.config.is_encoder_decoder)
    return getattr(transformers, kind)(
        model,
        getattr(transformers, f"{kind.removesuffix('er')}ingArguments")(**more),
        train_dataset=data,
        data_collator=transformers.DataCollatorForSeq2Seq(tokenizer),
        processing_class=tokenizer,
        **{"eval_dataset": data, **fixed},
    )


def one_by_one(model, rows, tokenizer, **more):
    """What the model generates for each prompt alone."""
    texts, was = [], model.training
    model.eval()
    for prompt in rows["prompt"]:
        ids = torch.tensor([tokenizer(prompt)["input_ids"]])
        given = {"attention_mask": torch.ones_like(ids), "max_new_tokens": 4, "do_sample": False, **more}
        output = model.generate(input_ids=ids, pad_token_id=0, **given)[0]
        start = 1 if model.config.is_encoder_decoder else ids.shape[1]
        texts.append(tokenizer.decode(output[start:], skip_special_tokens=True).strip())
    model.train(was)
    return texts


def ours(metrics):
    """The numbers of the hook, without the time."""
    names = ("exact_match", "f1", "truncated", "equivalence")
    return {name: value for name, value in metrics.items() if name.endswith(names)}


def lora():
    peft = pytest.importorskip("peft", reason="needs peft: pip install peft")
    config = peft.LoraConfig(target_modules=["q_proj", "v_proj"], init_lora_weights=False, task_type="CAUSAL_LM")
    return peft.get_peft_model(causal_model(), config)


KINDS = {
    "Trainer": lambda folder: trainer_of(folder),
    "encoder-decoder": lambda folder: trainer_of(folder, "Seq2SeqTrainer"),
    "encoder-decoder in Trainer": lambda folder: trainer_of(folder, model=encoder_decoder()),
    "causal model in Seq2SeqTrainer": lambda folder: trainer_of(folder, "Seq2SeqTrainer", causal_model()),
    "SFTTrainer": lambda folder: trainer_of(folder, "SFTTrainer"),
    "LoRA": lambda folder: trainer_of(folder, model=lora()),
    "LoRA in SFTTrainer": lambda folder: trainer_of(folder, "SFTTrainer", lora()),
    "gradient checkpointing": lambda folder: trainer_of(folder, gradient_checkpointing=True),
}


@pytest.mark.parametrize("kind", KINDS)
def test_answers_are_those_of_generating_row_by_row(kind, tmp_path):
    trainer, rows = KINDS[kind](tmp_path), rows_of()
    hook = score_generations(trainer, rows, prompt="prompt", references="answers", max_new_tokens=4)
    for _ in range(2):
        metrics = trainer.evaluate()
        assert hook.answers == one_by_one(trainer.model, rows, trainer.processing_class)
        expected = qassay.score("answer_match", hook.answers, rows["answers"]).summary(["exact_match", "f1"])
        assert {name: metrics[f"eval_{name}"] for name in expected} == expected
        assert trainer.state.log_history[-1]["eval_f1"] == expected["f1"]
        trainer.args.max_steps = 3
        trainer.train()
    assert len(set(hook.answers)) > 3, "a model that gives one answer would hide an order"


def test_generating_once_in_an_evaluation_and_never_in_predict(tmp_path, monkeypatch):
    data = tokenized(rows_of(), tokenizer_of_words())
    trainer = trainer_of(tmp_path, eval_dataset={"a": data, "b": data.select(range(5))})
    hook = score_generations(trainer, rows_of(), max_new_tokens=4)
    runs, run = [], hook.run
    monkeypatch.setattr(hook, "run", lambda: runs.append(1) or run())
    metrics = trainer.evaluate()
    assert len(runs) == 1 and set(ours(metrics)) == {"eval_exact_match", "eval_f1", "eval_generation_truncated"}
    assert {"eval_a_loss", "eval_b_loss", "eval_generation_seconds"} <= set(metrics)
    assert ours(trainer.evaluate(metric_key_prefix="dev")).keys() == {
        name.replace("eval", "dev") for name in ours(metrics)
    }
    assert len(runs) == 2 and not ours(trainer.predict(data).metrics)
    with pytest.warns(UserWarning, match="run"):
        assert not ours(trainer.evaluate(data.select(range(2)), metric_key_prefix="test"))
    assert len(runs) == 2 and ours(hook.run()) == {
        name.removeprefix("eval_"): value for name, value in ours(metrics).items()
    }


def test_the_best_model_is_chosen_by_generated_answers_and_a_resumed_run_agrees(tmp_path):
    settings = {
        "eval_strategy": "epoch",
        "save_strategy": "epoch",
        "metric_for_best_model": "f1",
        "lr_scheduler_type": "constant",
    }

    def trained(folder, epochs, with_hook=True, **more):
        trainer = trainer_of(tmp_path / folder, num_train_epochs=epochs, **settings)
        if with_hook:
            score_generations(trainer, rows_of(), max_new_tokens=4, do_sample=True)
        else:
            trainer.args.metric_for_best_model = "loss"
        trainer.train(**more)
        return trainer

    whole, plain = trained("whole", 4), trained("plain", 4, with_hook=False)
    logged = [line for line in whole.state.log_history if "eval_f1" in line]
    best = max(line["eval_f1"] for line in logged)
    assert len(logged) == 4 and whole.state.best_metric == best > min(line["eval_f1"] for line in logged)
    losses = [[line["eval_loss"] for line in of.state.log_history if "eval_loss" in line] for of in (whole, plain)]
    assert losses[0] == losses[1], "sampling in an evaluation must not change the training"
    first = trained("resumed", 2)
    resumed = trained("resumed", 4, resume_from_checkpoint=True)
    assert first.state.best_metric == max(line["eval_f1"] for line in logged[:2])
    assert [ours(line) for line in resumed.state.log_history if "eval_f1" in line] == [ours(line) for line in logged]


def test_model_and_tokenizer_stay_as_they_were_after_an_error_too(tmp_path, monkeypatch):
    trainer = trainer_of(tmp_path)
    model, tokenizer = trainer.model, trainer.processing_class
    tokenizer.padding_side, model.config.use_cache = "right", False
    hook = score_generations(trainer, rows_of(), max_new_tokens=4)
    model.train()
    model.model.layers[0].eval()  # a part that is frozen
    config, state = model.generation_config.to_dict(), torch.random.get_rng_state()

    def unchanged():
        assert model.training and not model.model.layers[0].training and not model.config.use_cache
        assert tokenizer.padding_side == "right" and model.generation_config.to_dict() == config
        assert torch.equal(torch.random.get_rng_state(), state)

    hook.run()
    unchanged()
    monkeypatch.setattr(model, "generate", lambda **given: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        hook.run()
    unchanged()
    monkeypatch.undo()
    assert ours(trainer.evaluate())["eval_f1"] >= 0


def test_several_data_sets_limits_measures_and_names(tmp_path):
    trainer, rows = trainer_of(tmp_path), rows_of()
    sets = {"dev": rows, "small": rows.select(range(4)).to_list()}
    hook = score_generations(
        trainer, sets, max_new_tokens=4, limit=6, measures=["f1"], level=0.9, n_resamples=50, batch_size=2
    )
    metrics = trainer.evaluate()
    answers = one_by_one(trainer.model, rows, trainer.processing_class)
    assert hook.answers == {"dev": answers[:6], "small": answers[:4]} and set(hook.scores) == {"dev", "small"}
    expected = qassay.score("answer_match", answers[:6], rows["answers"][:6])
    assert metrics["eval_dev_f1"] == expected["f1"] and not any("exact_match" in name for name in metrics)
    assert (metrics["eval_dev_f1_low"], metrics["eval_dev_f1_high"]) == expected.interval(0.9, 50)["f1"]
    options = {"extract": "regex:two (.*)", "unextracted": "empty"}
    one = score_generations(trainer_of(tmp_path), rows, max_new_tokens=4, **options)
    one.run()
    assert one.scores["f1"] == qassay.score("answer_match", answers, rows["answers"], **options)["f1"]
    beams = score_generations(trainer_of(tmp_path), rows, max_new_tokens=4, num_beams=3)
    beams.run()
    assert beams.answers == one_by_one(trainer.model, rows, trainer.processing_class, num_beams=3) != answers


def test_every_other_evaluation(tmp_path):
    trainer = trainer_of(tmp_path)
    score_generations(trainer, rows_of(), max_new_tokens=4, every=2)
    assert [bool(ours(trainer.evaluate())) for _ in range(4)] == [True, False, True, False]


def test_prompts_are_texts_messages_or_made_of_rows(tmp_path):
    rows, tokenizer = rows_of(), tokenizer_of_words()
    tokenizer.chat_template = TEMPLATE
    trainer = trainer_of(tmp_path)
    trainer.processing_class = SimpleNamespace(tokenizer=tokenizer)  # a processor
    chats = [{**row, "prompt": [{"role": "user", "content": row["prompt"]}]} for row in rows]
    hook = score_generations(trainer, chats, max_new_tokens=4)
    hook.run()
    rendered = {"prompt": [f"<user> {prompt} <bot>" for prompt in rows["prompt"]]}
    assert hook.answers == one_by_one(trainer.model, rendered, tokenizer)
    made = score_generations(
        trainer_of(tmp_path),
        rows,
        prompt=lambda row: f"<user> {row['prompt']} <bot>",
        max_new_tokens=4,
        tokenizer=tokenizer,
    )
    made.run()
    assert made.answers == hook.answers


def test_answers_that_reach_the_longest_length_are_counted(tmp_path):
    trainer = trainer_of(tmp_path)
    hook = score_generations(trainer, rows_of(), max_new_tokens=4)
    share = hook.run()["generation_truncated"]
    ended = 0
    for prompt in rows_of()["prompt"]:
        ids = torch.tensor([trainer.processing_class(prompt)["input_ids"]])
        output = trainer.model.generate(ids, attention_mask=torch.ones_like(ids), max_new_tokens=4, do_sample=False)
        ended += int((output[0, ids.shape[1] :] == 1).any())
    assert share == 1 - ended / 13 and 0 < ended < 13


CHATS = [{"prompt": [{"role": "user", "content": "what"}], "answers": ["7"]}]
WHOLE = [{"prompt": f"what {NUMBERS[n]}", "answers": [NUMBERS[n]]} for n in range(4)]
REFUSED = {
    "a column": (dict(prompt="question"), "prompt='...'"),
    "gold answers": (dict(references="gold"), "references='...'"),
    "an option": (dict(normaliser="french"), "normalizer"),
    "a generation option": (dict(num_beam=3), "num_beams"),
    "a measure": (dict(measures=["f2"]), "f2"),
    "a metric": (dict(metric="rouge"), "rouge"),
    "no template": (dict(dataset=CHATS), "chat template"),
    "the answer of the assistant": (
        dict(dataset=[{"prompt": [*CHATS[0]["prompt"], {"role": "assistant", "content": "7"}], "answers": ["7"]}]),
        r"dataset\[0\]",
    ),
    "prompts with answers": (dict(dataset=WHOLE), "end with the gold answers"),
    "an empty prompt": (dict(dataset=[{"prompt": "", "answers": ["7"]}]), r"dataset\[0\]"),
    "no prompt": (dict(dataset=[{"prompt": None, "answers": ["7"]}, {"prompt": "what", "answers": ["7"]}]), r"dataset\[0\]"),
    "a long prompt": (dict(dataset=[{"prompt": "what " * 61, "answers": ["7"]}]), "61 tokens"),
    "two answers": (dict(num_return_sequences=2, num_beams=2), "num_return_sequences"),
    "every": (dict(every=2, best="f1"), "every=2"),
    "a best measure that is not logged": (dict(measures=["f1"], best="exact_match"), "exact_match"),
    "the wrong way round": (dict(best="f1", greater_is_better=False), "greater_is_better"),
    "no padding token": (dict(tokenizer="unpadded"), "pad_token"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_refused_before_training(case, tmp_path):
    given, told = REFUSED[case]
    given = {"dataset": rows_of(), "max_new_tokens": 4, **given}
    settings = {}
    if best := given.pop("best", None):
        settings = {"metric_for_best_model": best, "eval_strategy": "epoch"}
        settings |= {name: given.pop(name) for name in ("greater_is_better",) if name in given}
    if given.get("tokenizer"):
        given["tokenizer"] = tokenizer_of_words(pad_token=None)
    trainer = trainer_of(tmp_path, **settings)
    with pytest.raises((TypeError, ValueError), match=told):
        score_generations(trainer, **given)
    assert not ours(trainer.evaluate()), "what was refused is not attached"


def test_a_model_that_cannot_generate_and_a_name_that_is_logged_twice(tmp_path):
    sizes = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    reader = transformers.BertForSequenceClassification(transformers.BertConfig(vocab_size=20, **sizes))
    with pytest.raises(TypeError, match="BertForSequenceClassification"):
        score_generations(trainer_of(tmp_path, model=reader), rows_of())
    trainer = trainer_of(tmp_path, compute_metrics=lambda output: {"f1": 1.0})
    score_generations(trainer, rows_of(), max_new_tokens=4)
    with pytest.raises(ValueError, match="eval_f1"):
        trainer.evaluate()


SCRIPT = """
import json, sys
sys.path.insert(0, sys.argv[1])
from test_generations import *

found = {}
for name, n in (("Trainer", 13), ("SFTTrainer", 13), ("Trainer", 1)):
    rows = rows_of(n) if n > 1 else rows_of(2).select([0])
    settings = {"rows": rows, "max_steps": 2, "eval_strategy": "steps", "eval_steps": 1, "eval_on_start": True}
    trainer = trainer_of(sys.argv[2], name, ddp_find_unused_parameters=False, **settings)
    hook = score_generations(trainer, rows, max_new_tokens=4, batch_size=2)
    trainer.train()
    logged = [ours(line) for line in trainer.state.log_history if "eval_f1" in line]
    found[f"{name} {n}"] = [logged, hook.answers, one_by_one(trainer.model, rows, trainer.processing_class)]
    found[f"{name} {n} main"] = hook.scores is not None
hook._generator._texts = lambda *given: 1 / 0 if trainer.accelerator.process_index else [("", False)]
try:
    trainer.evaluate()
except RuntimeError as error:
    found["error"] = str(error)
every = [None, None]
torch.distributed.all_gather_object(every, found)
if trainer.accelerator.is_main_process:
    print("RESULT " + json.dumps(every))
torch.distributed.destroy_process_group()
"""


def test_two_processes_give_the_answers_of_one(tmp_path):
    script = tmp_path / "run.py"
    script.write_text(SCRIPT)
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2", str(script)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}
    given = [os.path.dirname(__file__), str(tmp_path / "out")]
    run = subprocess.run([*command, *given], env=environment, capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr[-3000:]
    line = next(line for line in run.stdout.splitlines() if line.startswith("RESULT "))
    main, other = json.loads(line.removeprefix("RESULT "))
    for name in ("Trainer 13", "SFTTrainer 13", "Trainer 1"):
        logged, answers, alone = main[name]
        assert main[name] == other[name] and answers == alone
        rows = rows_of(13) if "13" in name else rows_of(2).select([0])
        assert (
            len(logged) == 3 and logged[-1]["eval_f1"] == qassay.score("answer_match", answers, rows["answers"])["f1"]
        )
        assert main[f"{name} main"] and not other[f"{name} main"]
        kind = name.split()[0]
        trainer = trainer_of(tmp_path / "one", kind, rows=rows)
        score_generations(trainer, rows, max_new_tokens=4)
        assert ours(trainer.evaluate()) == logged[0]
    assert "ZeroDivisionError" in main["error"] and main["error"] == other["error"]
