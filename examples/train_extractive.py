"""Train a question answering model that marks its answer in a text, and score every epoch with qassay.

    pip install -e ".[test-all]"
    python examples/train_extractive.py [--output FOLDER] [--epochs 4]

Runs offline in less than a minute: the model is tiny and untrained, and the questions are invented, some of them without an
answer. For real work, use a model of the Hub and a data set in the layout of SQuAD; the rest does not change.
"""

import argparse
import random
import tempfile

from datasets import Dataset
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import (
    BertConfig,
    BertForQuestionAnswering,
    DataCollatorWithPadding,
    PreTrainedTokenizerFast,
    Trainer,
    TrainingArguments,
    set_seed,
)

from qassay.training import ExtractiveQA

KINDS = {"person": ["Ada", "Ben", "Cleo", "Dan"], "city": ["Paris", "Rome", "Oslo"], "day": ["Monday", "Friday"]}
FILLERS = ["a", "train", "left", "with", "much", "noise", "and", "no", "bell", "rang"]
LENGTH, STRIDE = 16, 4


def made_up(n: int, seed: int) -> Dataset:
    """Questions such as "which city ?" in the layout of SQuAD 2.0; where the text names none there is no answer."""
    rng = random.Random(seed)
    rows = []
    for number in range(n):
        named = {kind: rng.choice(words) for kind, words in KINDS.items() if rng.random() < 0.7}
        words = [*named.values(), *rng.choices(FILLERS, k=rng.randint(4, 10))]
        rng.shuffle(words)
        asked, context = rng.choice(list(KINDS)), " ".join(words)
        answers = {"text": [], "answer_start": []}
        if asked in named:
            answers = {"text": [named[asked]], "answer_start": [context.index(named[asked])]}
        rows.append({"id": f"q{number}", "question": f"which {asked} ?", "context": context, "answers": answers})
    return Dataset.from_list(rows)


def make_tokenizer() -> PreTrainedTokenizerFast:
    named = [word for words in KINDS.values() for word in words]
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "which", "?", *KINDS, *named, *FILLERS]
    tokenizer = Tokenizer(models.WordLevel({word: number for number, word in enumerate(words)}, "[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.post_processor = processors.TemplateProcessing(
        "[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1", [("[CLS]", 2), ("[SEP]", 3)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]"
    )


def make_features(rows: dict, tokenizer: PreTrainedTokenizerFast) -> dict:
    """One or several windows per question, with the places of the first answer: for training and evaluation alike."""
    found = tokenizer(
        rows["question"],
        rows["context"],
        truncation="only_second",
        max_length=LENGTH,
        stride=STRIDE,
        return_overflowing_tokens=True,
        return_offsets_mapping=True,
        return_token_type_ids=True,
    )
    features = {name: found[name] for name in ("input_ids", "attention_mask", "token_type_ids")}
    features |= {name: [] for name in ("example_id", "offset_mapping", "start_positions", "end_positions")}
    for window, row in enumerate(found["overflow_to_sample_mapping"]):
        # Outside of the context the offsets are None: so ExtractiveQA knows what an answer can be.
        parts = found.sequence_ids(window)
        offsets = [cut if part == 1 else None for cut, part in zip(found["offset_mapping"][window], parts, strict=True)]
        answers = rows["answers"][row]
        first, last = 0, 0  # the first token stands for "no answer"
        if answers["text"]:
            start, end = answers["answer_start"][0], answers["answer_start"][0] + len(answers["text"][0])
            inside = [place for place, cut in enumerate(offsets) if cut and start < cut[1] and cut[0] < end]
            if inside and offsets[inside[0]][0] <= start and offsets[inside[-1]][1] >= end:
                first, last = inside[0], inside[-1]
        features["example_id"].append(rows["id"][row])
        features["offset_mapping"].append(offsets)
        features["start_positions"].append(first)
        features["end_positions"].append(last)
    return features


def main(arguments: list[str] | None = None) -> dict[str, float]:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", help="folder for the checkpoints; without it they are in a temporary one")
    parser.add_argument("--epochs", type=int, default=4)
    args = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        return train_model(args.output or folder, args.epochs)


def train_model(output: str, epochs: int) -> dict[str, float]:
    set_seed(0)
    tokenizer = make_tokenizer()
    examples = {"train": made_up(300, seed=0), "validation": made_up(60, seed=1)}
    features = {
        name: rows.map(
            make_features, batched=True, remove_columns=rows.column_names, fn_kwargs={"tokenizer": tokenizer}
        )
        for name, rows in examples.items()
    }
    model = BertForQuestionAnswering(
        BertConfig(
            vocab_size=len(tokenizer),
            hidden_size=32,
            num_hidden_layers=2,
            num_attention_heads=4,
            intermediate_size=64,
            hidden_dropout_prob=0.0,
            initializer_range=0.2,
        )
    )
    compute_metrics = ExtractiveQA(
        examples["validation"],
        features["validation"],
        version_2_with_negative=True,
        measures=["exact_match", "f1", "has_answer_f1", "no_answer_f1", "best_f1", "best_f1_threshold"],
    )
    trainer = Trainer(
        model=model,
        args=TrainingArguments(
            output_dir=output,
            num_train_epochs=epochs,
            per_device_train_batch_size=16,
            per_device_eval_batch_size=32,
            learning_rate=3e-3,
            eval_strategy="epoch",
            save_strategy="epoch",
            save_total_limit=1,
            metric_for_best_model="f1",
            load_best_model_at_end=True,
            report_to="none",
            disable_tqdm=True,
        ),
        train_dataset=features["train"],
        eval_dataset=features["validation"],
        data_collator=DataCollatorWithPadding(tokenizer),
        compute_metrics=compute_metrics,
        callbacks=[compute_metrics],  # refuses a metric_for_best_model that is not logged
    )
    trainer.train()
    metrics = trainer.evaluate()
    low, high = compute_metrics.scores.interval(names=["f1"])["f1"]
    print(f"F1 of the best epoch: {metrics['eval_f1']:.3f}, 95 % interval {low:.3f} to {high:.3f}")
    answers = compute_metrics.answers(trainer.predict(features["validation"])).texts
    for row in examples["validation"].select(range(3)):
        print(row["question"], "->", answers[row["id"]] or "(no answer)", "| gold:", row["answers"]["text"])
    return metrics


if __name__ == "__main__":
    main()
