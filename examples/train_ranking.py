"""Train an encoder, or a cross-encoder, that ranks documents, and score it with qassay while it trains.

    pip install -e ".[test-all]"
    python examples/train_ranking.py [--kind encoder|cross-encoder] [--output FOLDER] [--epochs 4]

Runs offline in less than a minute: the models are tiny and untrained, and queries and documents are invented. For real
work, use models of the Hub and a collection; the rest does not change.
"""

import argparse
import random
import tempfile

from datasets import Dataset
from sentence_transformers import (
    CrossEncoder,
    CrossEncoderTrainer,
    CrossEncoderTrainingArguments,
    SentenceTransformer,
    SentenceTransformerTrainer,
    SentenceTransformerTrainingArguments,
    models,
)
from sentence_transformers.cross_encoder.losses import BinaryCrossEntropyLoss
from sentence_transformers.losses import MultipleNegativesRankingLoss
from tokenizers import Tokenizer, pre_tokenizers, processors
from tokenizers import models as token_models
from transformers import BertConfig, BertForSequenceClassification, BertModel, PreTrainedTokenizerFast, set_seed

from qassay.training import Ranking

TOPICS = {"sea": ["ship", "wave", "salt"], "sky": ["cloud", "bird", "wind"], "wood": ["tree", "leaf", "moss"]}
FILLERS = ["small", "old", "far", "near", "quiet"]


def made_up(seed: int) -> tuple[dict, dict, dict]:
    """Queries that name a topic, documents that have words of it, and which belong together."""
    rng = random.Random(seed)
    documents = {
        f"d{number}": " ".join([rng.choice(FILLERS), rng.choice(TOPICS[topic]), rng.choice(FILLERS)])
        for number, topic in enumerate(rng.choices(list(TOPICS), k=30))
    }
    queries = {f"q{number}": f"{rng.choice(FILLERS)} {topic}" for number, topic in enumerate(list(TOPICS) * 4)}
    qrels = {
        query: [name for name, text in documents.items() if set(text.split()) & set(TOPICS[words.split()[1]])]
        for query, words in queries.items()
    }
    return queries, documents, qrels


def save_model(folder: str, cross: bool) -> None:
    """A model with random weights and its tokenizer, as a folder that transformers loads."""
    words = [
        "[PAD]",
        "[UNK]",
        "[CLS]",
        "[SEP]",
        *FILLERS,
        *TOPICS,
        *(word for some in TOPICS.values() for word in some),
    ]
    tokenizer = Tokenizer(token_models.WordLevel({word: number for number, word in enumerate(words)}, "[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.post_processor = processors.TemplateProcessing(
        "[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1", [("[CLS]", 2), ("[SEP]", 3)]
    )
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]"
    ).save_pretrained(folder)
    sizes = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 4, "intermediate_size": 64}
    config = BertConfig(vocab_size=len(words), **sizes, max_position_embeddings=32, num_labels=1)
    (BertForSequenceClassification if cross else BertModel)(config).save_pretrained(folder)


def main(arguments: list[str] | None = None) -> dict[str, float]:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kind", choices=("encoder", "cross-encoder"), default="encoder")
    parser.add_argument("--output", help="folder for the checkpoints; without it they are in a temporary one")
    parser.add_argument("--epochs", type=int, default=4)
    args = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        return train_model(args.kind == "cross-encoder", args.output or folder, args.epochs)


def train_model(cross: bool, output: str, epochs: int) -> dict[str, float]:
    set_seed(0)
    queries, documents, qrels = made_up(seed=0)
    rng = random.Random(1)
    pairs = [(queries[query], documents[name], name in found) for query, found in qrels.items() for name in documents]
    rows = [(query, text) for query, text, relevant in pairs if relevant]
    if cross:
        rows = rng.sample(pairs, len(pairs))
    train = Dataset.from_dict(
        {name: list(column) for name, column in zip(("query", "text", "label"), zip(*rows, strict=True), strict=False)}
    )

    queries, documents, qrels = made_up(seed=2)
    evaluator = Ranking(
        queries,
        documents,
        qrels,
        # A cross-encoder ranks again what a first search found; here that is everything.
        candidates={query: list(documents) for query in queries} if cross else None,
        measures=["ndcg@10", "mrr@10", "map"],
        name="dev",
    )
    settings = {
        "output_dir": output,
        "num_train_epochs": epochs,
        "per_device_train_batch_size": 16,
        "learning_rate": 5e-3,
        "eval_strategy": "epoch",
        "save_strategy": "epoch",
        "save_total_limit": 1,
        "metric_for_best_model": "eval_dev_ndcg@10",
        "load_best_model_at_end": True,
        "report_to": "none",
        "disable_tqdm": True,
    }
    with tempfile.TemporaryDirectory() as folder:
        save_model(folder, cross)
        if cross:
            model = CrossEncoder(folder, num_labels=1)
            kinds = CrossEncoderTrainer, CrossEncoderTrainingArguments, BinaryCrossEntropyLoss
        else:
            encoder = models.Transformer(folder)
            model = SentenceTransformer(modules=[encoder, models.Pooling(encoder.get_embedding_dimension())])
            kinds = SentenceTransformerTrainer, SentenceTransformerTrainingArguments, MultipleNegativesRankingLoss
    trainer_of, arguments_of, loss_of = kinds
    before = evaluator(model)
    trainer = trainer_of(
        model=model,
        args=arguments_of(**settings),
        train_dataset=train,
        loss=loss_of(model),
        evaluator=evaluator,
    )
    trainer.train()
    after = evaluator(model)
    for name in ("dev_ndcg@10", "dev_mrr@10", "dev_map"):
        ends = f"95 % interval {after[f'{name}_low']:.3f} to {after[f'{name}_high']:.3f}"
        print(f"{name}: {before[name]:.3f} before, {after[name]:.3f} after, {ends}")
    return {**{f"before_{name}": value for name, value in before.items()}, **after}


if __name__ == "__main__":
    main()
