"""Fine-tune a causal model on prompts and answers, and score the answers that it generates after every epoch.

    pip install -e ".[test-all]"
    python examples/train_causal.py [--output FOLDER] [--epochs 20]

Runs offline in less than a minute: the model is tiny and untrained, and the questions are invented. For real work, use a
model of the Hub and a data set of prompts and answers; the rest does not change, also with TRL's SFTTrainer.
"""

import argparse
import itertools
import tempfile

from datasets import Dataset
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import (
    DataCollatorForSeq2Seq,
    LlamaConfig,
    LlamaForCausalLM,
    PreTrainedTokenizerFast,
    Trainer,
    TrainingArguments,
    set_seed,
)

from qassay.training import score_generations

NUMBERS = ["zero", "one", "two", "three", "four", "five", "six", "seven"]


def made_up() -> Dataset:
    """Prompts such as "question: what follows two ? answer:", with the number in words and in digits as gold answers."""
    rows = []
    for word, (number, name) in itertools.product(("follows", "precedes"), enumerate(NUMBERS)):
        answer = number + (1 if word == "follows" else -1)
        if 0 <= answer < len(NUMBERS):
            rows.append(
                {"prompt": f"question: what {word} {name} ? answer:", "answers": [NUMBERS[answer], str(answer)]}
            )
    return Dataset.from_list(rows)


def make_tokenizer() -> PreTrainedTokenizerFast:
    words = ["<pad>", "</s>", "<unk>", "question:", "what", "follows", "precedes", "?", "answer:", *NUMBERS]
    tokenizer = Tokenizer(models.WordLevel({word: number for number, word in enumerate(words)}, "<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="<pad>", eos_token="</s>", unk_token="<unk>")


def main(arguments: list[str] | None = None) -> dict[str, float]:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", help="folder for the checkpoints; without it they are in a temporary one")
    parser.add_argument("--epochs", type=int, default=20)
    args = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        return train_model(args.output or folder, args.epochs)


def train_model(output: str, epochs: int) -> dict[str, float]:
    set_seed(0)
    tokenizer = make_tokenizer()
    examples = made_up()

    def tokenized(row: dict) -> dict:
        prompt, answer = (tokenizer(text)["input_ids"] for text in (row["prompt"], f"{row['answers'][0]} </s>"))
        return {"input_ids": prompt + answer, "labels": [-100] * len(prompt) + answer}  # the loss is that of the answer

    tokens = examples.map(tokenized, remove_columns=examples.column_names)
    sizes = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4}
    model = LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(tokenizer),
            **sizes,
            max_position_embeddings=32,
            initializer_range=0.1,
            pad_token_id=0,
            eos_token_id=1,
        )
    )
    trainer = Trainer(
        model=model,
        args=TrainingArguments(
            output_dir=output,
            num_train_epochs=epochs,
            per_device_train_batch_size=4,
            per_device_eval_batch_size=8,
            learning_rate=3e-3,
            eval_strategy="epoch",
            save_strategy="epoch",
            save_total_limit=1,
            metric_for_best_model="exact_match",
            load_best_model_at_end=True,
            report_to="none",
            use_cpu=True,
        ),
        train_dataset=tokens,
        eval_dataset=tokens,
        data_collator=DataCollatorForSeq2Seq(tokenizer),
        processing_class=tokenizer,
    )
    generated = score_generations(trainer, examples, prompt="prompt", references="answers", max_new_tokens=4)
    trainer.train()
    metrics = trainer.evaluate()  # of the best epoch, which was loaded
    low, high = generated.scores.interval(names=["f1"])["f1"]
    print(f"exact match of the best epoch: {metrics['eval_exact_match']:.2f}")
    print(f"F1 of the best epoch: {metrics['eval_f1']:.2f}, 95 % interval {low:.2f} to {high:.2f}")
    print(f"an answer: {examples['prompt'][0]} {generated.answers[0]}")
    return metrics


if __name__ == "__main__":
    main()
