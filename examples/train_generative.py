"""Train a model that writes its answers, and score every epoch with qassay.

    pip install -e ".[test-all]"
    python examples/train_generative.py [--output FOLDER] [--epochs 10]

Runs offline in less than a minute: the model is tiny and untrained, and the questions are invented. For real work, use a
model of the Hub and a data set of questions and answers; the rest does not change.
"""

import argparse
import itertools
import tempfile

from datasets import Dataset
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import (
    DataCollatorForSeq2Seq,
    PreTrainedTokenizerFast,
    Seq2SeqTrainer,
    Seq2SeqTrainingArguments,
    T5Config,
    T5ForConditionalGeneration,
    set_seed,
)

from qassay.training import GenerativeQA

NUMBERS = ["zero", "one", "two", "three", "four", "five", "six", "seven"]


def made_up() -> Dataset:
    """Questions such as "what follows two ?", with the number in words and in digits as gold answers."""
    rows = []
    for word, (number, name) in itertools.product(("follows", "precedes"), enumerate(NUMBERS)):
        answer = number + (1 if word == "follows" else -1)
        if 0 <= answer < len(NUMBERS):
            rows.append({"question": f"what {word} {name} ?", "golds": [NUMBERS[answer], str(answer)]})
    return Dataset.from_list(rows)


def make_tokenizer() -> PreTrainedTokenizerFast:
    words = ["<pad>", "</s>", "<unk>", "what", "follows", "precedes", "?", *NUMBERS]
    tokenizer = Tokenizer(models.WordLevel({word: number for number, word in enumerate(words)}, "<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.post_processor = processors.TemplateProcessing("$A </s>", special_tokens=[("</s>", 1)])
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="<pad>", eos_token="</s>", unk_token="<unk>")


def main(arguments: list[str] | None = None) -> dict[str, float]:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", help="folder for the checkpoints; without it they are in a temporary one")
    parser.add_argument("--epochs", type=int, default=10)
    args = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        return train_model(args.output or folder, args.epochs)


def train_model(output: str, epochs: int) -> dict[str, float]:
    set_seed(0)
    tokenizer = make_tokenizer()
    examples = made_up()
    tokens = examples.map(
        lambda row: {**tokenizer(row["question"]), "labels": tokenizer(row["golds"][0])["input_ids"]},
        remove_columns=examples.column_names,
    )
    sizes = {"d_model": 32, "d_kv": 8, "d_ff": 64, "num_layers": 2, "num_heads": 4, "dropout_rate": 0.0}
    model = T5ForConditionalGeneration(
        T5Config(vocab_size=len(tokenizer), **sizes, pad_token_id=0, eos_token_id=1, decoder_start_token_id=0)
    )
    compute_metrics = GenerativeQA(tokenizer, examples["golds"], measures=["exact_match", "f1"])
    trainer = Seq2SeqTrainer(
        model=model,
        args=Seq2SeqTrainingArguments(
            output_dir=output,
            num_train_epochs=epochs,
            per_device_train_batch_size=2,
            per_device_eval_batch_size=8,
            learning_rate=5e-3,
            predict_with_generate=True,
            generation_max_length=4,
            eval_strategy="epoch",
            save_strategy="epoch",
            save_total_limit=1,
            metric_for_best_model="exact_match",
            load_best_model_at_end=True,
            report_to="none",
            disable_tqdm=True,
        ),
        train_dataset=tokens,
        eval_dataset=tokens,
        data_collator=DataCollatorForSeq2Seq(tokenizer, model),
        compute_metrics=compute_metrics,
        callbacks=[compute_metrics],  # refuses a metric_for_best_model that is not logged
    )
    trainer.train()
    metrics = trainer.evaluate()
    for row, answer in zip(examples.select(range(3)), compute_metrics.answers, strict=False):
        print(row["question"], "->", answer, "| gold:", row["golds"])
    print(
        {
            name: round(value, 3)
            for name, value in metrics.items()
            if name.removeprefix("eval_") in compute_metrics.report.measures
        }
    )
    return metrics


if __name__ == "__main__":
    main()
