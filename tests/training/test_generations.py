"""Answers that a model generates while it is trained: the same as generating row by row, in each kind of Trainer."""

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from datasets import Dataset

import qassay
from qassay.training import score_generations

from .words import NEEDS, fast_tokenizer, tiny_llama, tiny_t5

torch = pytest.importorskip("torch", reason='needs torch: pip install -e ".[test-all]"')
transformers = pytest.importorskip("transformers", reason=NEEDS)
pytestmark = pytest.mark.thorough

WORDS = "zero one two three four five six seven what follows precedes and then ? <user> <bot>".split()
NUMBERS = WORDS[:8]
TEMPLATE = (
    "{% for m in messages %}<user> {{ m['content'] }} {% endfor %}{% if add_generation_prompt %}<bot> {% endif %}"
)


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
    # Weights so large that a model without training gives different answers.
    config = tiny_llama(WORDS, max_position_embeddings=64, initializer_range=0.5, **more)
    return transformers.LlamaForCausalLM(config)


def encoder_decoder():
    transformers.set_seed(1)
    model = transformers.T5ForConditionalGeneration(tiny_t5(WORDS))
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
    rows, tokenizer = rows or rows_of(), fast_tokenizer(WORDS)
    fast = {"learning_rate": 0.01, "report_to": "none", "disable_tqdm": True, "use_cpu": True, "save_strategy": "no"}
    sizes = {"per_device_eval_batch_size": 3, "per_device_train_batch_size": 4}
    more = {"output_dir": str(folder), **fast, **sizes, **more}
    fixed = {name: more.pop(name) for name in ("eval_dataset", "compute_metrics", "peft_config") if name in more}
    if kind == "SFTTrainer":
        trl = pytest.importorskip("trl", reason='needs trl: pip install -e ".[test-all]"')
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


def adapted(config, **more):
    peft = pytest.importorskip("peft", reason='needs peft: pip install -e ".[test-all]"')
    return peft.get_peft_model(causal_model(), getattr(peft, config)(task_type="CAUSAL_LM", **more))


KINDS = {
    "Trainer": lambda folder: trainer_of(folder),
    "encoder-decoder": lambda folder: trainer_of(folder, "Seq2SeqTrainer"),
    "SFTTrainer": lambda folder: trainer_of(folder, "SFTTrainer"),
    "LoRA": lambda folder: trainer_of(
        folder, model=adapted("LoraConfig", target_modules=["q_proj"], init_lora_weights=False)
    ),
    "prefix tuning": lambda folder: trainer_of(folder, model=adapted("PrefixTuningConfig", num_virtual_tokens=3)),
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
    data = tokenized(rows_of(), fast_tokenizer(WORDS))
    trainer = trainer_of(tmp_path, eval_dataset={"a": data, "b": data.select(range(5))})
    score_generations(trainer, rows_of(2), max_new_tokens=4)
    hook = score_generations(trainer, rows_of(), max_new_tokens=4)  # a cell of a notebook that runs again
    runs, run = [], hook.run
    monkeypatch.setattr(hook, "run", lambda: runs.append(1) or run())
    metrics = trainer.evaluate()
    assert len(runs) == 1 and set(ours(metrics)) == {"eval_exact_match", "eval_f1", "eval_generation_truncated"}
    assert {"eval_a_loss", "eval_b_loss", "eval_generation_seconds"} <= set(metrics)
    assert {name.replace("dev", "eval") for name in ours(trainer.evaluate(metric_key_prefix="dev"))} == set(
        ours(metrics)
    )
    assert ours(trainer.evaluate("b")) and len(runs) == 3 and not ours(trainer.predict(data).metrics)
    with pytest.warns(UserWarning, match="run"):
        assert not ours(trainer.evaluate(data.select(range(2)), metric_key_prefix="test"))
    monkeypatch.undo()
    test = rows_of(4)
    numbers = hook.run(test)
    assert len(runs) == 3 and hook.answers == one_by_one(trainer.model, test, trainer.processing_class)
    assert numbers["f1"] == hook.scores["f1"] == qassay.score("answer_match", hook.answers, test["answers"])["f1"]
    hook.remove()
    assert not ours(trainer.evaluate())


def test_the_best_model_is_chosen_by_generated_answers(tmp_path):
    settings = {"eval_strategy": "epoch", "save_strategy": "epoch", "lr_scheduler_type": "constant"}

    def trained(folder, best, **more):
        settings.update(num_train_epochs=4, metric_for_best_model=best, load_best_model_at_end=True)
        trainer = trainer_of(tmp_path / folder, model=causal_model(attention_dropout=0.1), **settings)
        hook = score_generations(trainer, rows_of(), max_new_tokens=4, **more) if more else None
        trainer.train()
        return trainer, hook, [line for line in trainer.state.log_history if "eval_loss" in line]

    whole, hook, logged = trained("whole", "f1", do_sample=True)
    _, _, plain = trained("plain", "loss")
    assert [line["eval_loss"] for line in logged] == [line["eval_loss"] for line in plain], "training must not change"
    best = max(line["eval_f1"] for line in logged)
    assert len(logged) == 4 and whole.state.best_metric == best > min(line["eval_f1"] for line in logged)
    assert whole.evaluate()["eval_f1"] == best and len(hook.answers) == 13


def test_the_model_stays_as_it_was_after_an_error_too(tmp_path, monkeypatch):
    trainer = trainer_of(tmp_path, model=causal_model(attention_dropout=0.1))
    model = trainer.model
    model.train()
    model.model.layers[0].eval()  # a part that is frozen
    hook = score_generations(trainer, rows_of(), max_new_tokens=4, do_sample=True)
    torch.rand(3)
    config, state = model.generation_config.to_dict(), torch.random.get_rng_state()

    def unchanged():
        assert model.training and not model.model.layers[0].training
        assert model.generation_config.to_dict() == config and torch.equal(torch.random.get_rng_state(), state)

    hook.run()
    first = hook.answers
    unchanged()
    monkeypatch.setattr(model, "generate", lambda **given: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        trainer.evaluate()
    monkeypatch.undo()
    model.train()
    assert not ours(trainer.predict(trainer.eval_dataset).metrics), "what failed is not made up for later"
    hook.run()
    assert hook.answers == first


def test_several_data_sets_measures_and_names(tmp_path):
    trainer, rows = trainer_of(tmp_path), rows_of()
    answers = one_by_one(trainer.model, rows, trainer.processing_class)
    sets = {"dev": rows.select(range(6)), "small@1": rows.select(range(4)).to_list()}
    given = {"measures": ["f1"], "confidence": 0.9, "batch_size": 2, "safe_names": True}
    hook = score_generations(trainer, sets, max_new_tokens=4, **given)
    metrics = trainer.evaluate()
    assert hook.answers == {"dev": answers[:6], "small@1": answers[:4]} and set(hook.scores) == set(sets)
    expected = qassay.score("answer_match", answers[:6], rows["answers"][:6])
    assert metrics["eval_dev_f1"] == expected["f1"] and "eval_small_at_1_f1" in metrics
    ends = metrics["eval_dev_f1_low"], metrics["eval_dev_f1_high"]
    assert ends == expected.interval(["f1"], confidence=0.9)["f1"]
    options = {"extract": "regex:two (.*)", "unextracted": "empty"}
    one = score_generations(trainer, rows, max_new_tokens=4, ids="n", groups="n", **options)
    one.run()
    assert one.scores["f1"] == qassay.score("answer_match", answers, rows["answers"], **options)["f1"]
    assert list(one.scores.ids) == list(range(13)) and one.scores.groups.listed() == list(map(str, range(13)))


def test_options_of_generation(tmp_path):
    """Those of the call, of a config and of the model; the end tokens of model, config and tokenizer all count."""
    trainer, rows = trainer_of(tmp_path), rows_of()
    model, tokenizer = trainer.model, trainer.processing_class

    def answers(**given):
        hook = score_generations(trainer, rows, **given)
        numbers = hook.run()
        return hook.answers, numbers["generation_truncated"]

    greedy, cut = answers(max_new_tokens=4)
    first, cut_at_first = answers(max_new_tokens=1)
    assert 0 < cut < cut_at_first == sum(map(bool, first)) / 13 < 1
    assert answers(max_new_tokens=4, num_beams=3)[0] == one_by_one(model, rows, tokenizer, num_beams=3) != greedy
    model.generation_config.update(do_sample=True, num_beams=2)
    config = transformers.GenerationConfig(max_new_tokens=4, repetition_penalty=1.0)
    assert answers(max_new_tokens=4)[0] == answers(generation_config=config)[0] == greedy
    config.update(do_sample=True, num_beams=1)
    assert answers(generation_config=config)[0] not in (greedy, answers(max_new_tokens=2)[0])
    word = next(text.split()[0] for text in greedy if len(text.split()) > 2)
    hook = score_generations(trainer, rows, max_new_tokens=4)
    tokenizer.eos_token = word  # as that of a chat, which Trainer gives the model when the training starts
    hook.run()
    with_end = [text.split() for text in hook.answers if word in text.split()]
    assert with_end and all(words.index(word) == len(words) - 1 for words in with_end)


def test_prompts_are_texts_messages_or_made_of_rows(tmp_path):
    rows, tokenizer = rows_of(), fast_tokenizer(WORDS, bos_token="<user>")
    tokenizer.chat_template = TEMPLATE
    trainer = trainer_of(tmp_path)
    trainer.processing_class = SimpleNamespace(tokenizer=tokenizer)  # a processor
    chats = [{**row, "prompt": [{"role": "user", "content": row["prompt"]}]} for row in rows]
    hook = score_generations(trainer, chats, max_new_tokens=4)
    hook.run()
    rendered = {"prompt": [f"<user> {prompt} <bot>" for prompt in rows["prompt"]]}
    assert hook.answers == one_by_one(trainer.model, rendered, tokenizer)
    last = {"references": lambda row: [row["completion"].split()[0]], "tokenizer": tokenizer, "max_new_tokens": 4}
    made = score_generations(trainer, rows, prompt=lambda row: f"<user> {row['prompt']} <bot>", **last)
    made.run()
    golds = [text.split()[0] for text in rows["completion"]]
    assert made.answers == hook.answers and made.scores["f1"] == qassay.score("answer_match", made.answers, golds)["f1"]
    with pytest.warns(UserWarning, match="end with the gold answers, such as"):
        score_generations(trainer, WHOLE, max_new_tokens=4)


CHAT = [{"role": "user", "content": "what"}]
WHOLE = [{"prompt": f"what {NUMBERS[n].title()} . </s>", "answers": [NUMBERS[n]]} for n in range(4)]


def asking(*prompts):
    return {"dataset": [{"prompt": prompt, "answers": ["7"]} for prompt in prompts]}


REFUSED = {
    "an option": (dict(normaliser="french"), "normalizer"),
    "a generation option": (dict(num_beam=3), "num_beams"),
    "what generate refuses": (dict(num_beams=0), None),
    "a length": (dict(max_length=9), "max_new_tokens"),
    "no template": (asking(CHAT), "chat template"),
    "the answer of the assistant": (asking([*CHAT, {"role": "assistant", "content": "7"}]), r"dataset\[0\]"),
    "no prompt": (asking(None, "what"), r"dataset\[0\]"),
    "a long prompt": (asking("what " * 61), "61 tokens"),
    "no rows": (dict(dataset=[]), "no rows"),
    "rows that are no dicts": (dict(dataset=["what"]), "dataset must be .* list of dicts"),
    "an empty prompt": (asking("what", ""), r"dataset\[1\]: the prompt is empty"),
    "a configuration": (dict(generation_config={"num_beams": 2}), "generation_config must be"),
    "a best measure that is not logged": (dict(measures=["f1"], best="exact_match"), "exact_match"),
    "a best measure of no set": (dict(dataset={"dev": WHOLE}, best="f1"), "dev_f1"),
    "a misspelt best measure": (dict(best="exactmatch"), "exact_match"),
    "no padding token": (dict(tokenizer="unpadded"), "pad_token"),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:the prompts of")
@pytest.mark.parametrize("case", REFUSED)
def test_refused_before_training(case, tmp_path):
    given, words = REFUSED[case]
    given = {"dataset": rows_of(), "max_new_tokens": 4, **given}
    settings = {}
    if best := given.pop("best", None):
        settings = {"metric_for_best_model": best, "eval_strategy": "epoch"}
    if given.get("tokenizer"):
        given["tokenizer"] = fast_tokenizer(WORDS, pad_token=None)
    trainer = trainer_of(tmp_path, **settings)
    evaluate = trainer.evaluate
    with pytest.raises((TypeError, ValueError, ZeroDivisionError), match=words):
        score_generations(trainer, **given)
    assert trainer.evaluate == evaluate, "what was refused is not attached"


def test_processes_that_share_a_model_are_refused(tmp_path, monkeypatch):
    """They would be given different prompts."""
    trainer = trainer_of(tmp_path)
    config = SimpleNamespace(non_data_parallel_size=2)
    monkeypatch.setattr(type(trainer.accelerator), "parallelism_config", config, raising=False)
    with pytest.raises(ValueError, match="data parallelism"):
        score_generations(trainer, rows_of())


def test_a_model_that_cannot_generate_and_a_name_that_is_logged_twice(tmp_path):
    config = transformers.BertConfig(
        vocab_size=20, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16
    )
    reader = transformers.BertForSequenceClassification(config)
    with pytest.raises(TypeError, match="BertForSequenceClassification"):
        score_generations(trainer_of(tmp_path, model=reader), rows_of())
    with pytest.raises(TypeError, match="Trainer"):
        score_generations(reader, rows_of())
    trainer = trainer_of(tmp_path, compute_metrics=lambda output: {"f1": 1.0})
    score_generations(trainer, rows_of(), max_new_tokens=4)
    with pytest.raises(ValueError, match="eval_f1"):
        trainer.evaluate()


SCRIPT = """
import json, sys
sys.path.insert(0, sys.argv[1])
from training.test_generations import *
from torch.distributed.fsdp import fully_shard

found = {}
for name, n in (("SFTTrainer", 13), ("Trainer", 1)):
    rows = rows_of(n + 1).select(range(n))
    settings = {"rows": rows, "max_steps": 2, "eval_strategy": "steps", "eval_steps": 1, "eval_on_start": True}
    trainer = trainer_of(sys.argv[2], name, ddp_find_unused_parameters=False, **settings)
    hook = score_generations(trainer, rows, max_new_tokens=4, batch_size=2)
    trainer.train()
    logged = [ours(line) for line in trainer.state.log_history if "eval_f1" in line]
    found[name] = [logged, hook.answers, one_by_one(trainer.model, rows, trainer.processing_class)]
    found[f"{name} main"] = hook.scores is not None
trainer, rows = trainer_of(sys.argv[2]), rows_of()
hook = score_generations(trainer, rows, max_new_tokens=4, batch_size=2)
fully_shard(trainer.model)
hook.run()
found["sharded"] = [hook.answers, one_by_one(causal_model(), rows, trainer.processing_class)]
found["errors"] = []
rank = trainer.accelerator.process_index
trainer = trainer_of(sys.argv[2])
for given in (rows.select(range(13 - rank)), rows):
    hook = score_generations(trainer, given, max_new_tokens=4)
    if given is rows:
        trainer.model.generate = lambda **keywords: 1 / 0 if rank else keywords["input_ids"]
    try:
        hook.run()
    except (RuntimeError, ValueError) as error:
        found["errors"].append(str(error))
every = [None, None]
torch.distributed.all_gather_object(every, found)
if trainer.accelerator.is_main_process:
    print("RESULT " + json.dumps(every))
torch.distributed.barrier()
torch.distributed.destroy_process_group()  # its threads must end before the process does
"""


def test_two_processes_give_the_answers_of_one(tmp_path):
    pytest.importorskip("trl", reason='needs trl: pip install -e ".[test-all]"')
    script = tmp_path / "run.py"
    script.write_text(SCRIPT)
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2", str(script)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}
    given = [str(Path(__file__).parents[1]), str(tmp_path / "out")]
    run = subprocess.run([*command, *given], env=environment, capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr[-3000:]
    line = next(line for line in run.stdout.splitlines() if line.startswith("RESULT "))
    main, other = json.loads(line.removeprefix("RESULT "))
    for name, n in (("SFTTrainer", 13), ("Trainer", 1)):
        logged, answers, alone = main[name]
        assert main[name] == other[name] and answers == alone and len(logged) == 3
        golds = rows_of(n + 1)["answers"][:n]
        assert logged[-1]["eval_f1"] == qassay.score("answer_match", answers, golds)["f1"]
        assert main[f"{name} main"] and not other[f"{name} main"]
    assert main["sharded"][0] == main["sharded"][1] == other["sharded"][0]
    different, failed = main["errors"]
    assert "different prompts" in different and "ZeroDivisionError" in failed and main["errors"] == other["errors"]
