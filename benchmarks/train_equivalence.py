"""Make the trees of the built-in scorer of answer equivalence, and the tables that justify them.

    python benchmarks/train_equivalence.py FOLDER [--output FILE]

FOLDER holds evouna_nq.json and evouna_triviaqa_half.json (EVOUNA: Wang et al. 2023, "Evaluating Open-QA Evaluation").
FILE (by default metrics/answer_equivalence/equivalence_model.json) comes out the same, bit for bit, where the version
of scikit-learn is the one it names.
"""

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import sklearn
from forest_data import forest_document
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

from qassay.answer_equivalence.lite import LITE_VERSION
from qassay.answer_equivalence.lite_features import (
    EQUIVALENCE_FEATURES,
    EQUIVALENCE_SIGNS,
    QUESTION_FEATURES,
    equivalence_features,
)
from qassay.core.writing import open_whole
from qassay.semantic_answer_similarity.lite_features import folded_words

OUTPUT = Path(__file__).resolve().parent.parent / "metrics" / "answer_equivalence" / "equivalence_model.json"
SYSTEMS = ("fid", "gpt35", "chatgpt", "gpt4", "newbing")
SCALE = 1 << 16
DEPTH, ROUNDS, RATE = 5, 250, 0.04
FOLDS = 5
RARE = 8  # texts with a word, up to which it has the full weight
NAMES = {
    "question": EQUIVALENCE_FEATURES,
    "no_question": tuple(name for name in EQUIVALENCE_FEATURES if name not in QUESTION_FEATURES),
}


class Rows(NamedTuple):
    """n judged answers."""

    questions: list[str]
    golds: list[list[str]]
    answers: list[str]
    accepted: np.ndarray
    systems: np.ndarray


def read_rows(path: Path) -> Rows:
    """The judged answers of a file of EVOUNA, questions that the file calls improper left out."""
    found: list[tuple] = []
    for row in json.loads(path.read_text("utf-8")):
        if row["improper"] or not row["golden_answer"]:
            continue
        golds = [gold for gold in map(str.strip, row["golden_answer"].split("/")) if gold]
        for system in SYSTEMS:
            verdict = row[f"judge_{system}"]
            if verdict is not None:
                found.append((row["question"], golds, row[f"answer_{system}"] or "", float(verdict), system))
    questions, gold_rows, answers, accepted, systems = zip(*found, strict=True)
    return Rows([*questions], [*gold_rows], [*answers], np.array(accepted), np.array(systems))


def joined(parts: Sequence[Rows]) -> Rows:
    """The rows of several sets, one after another."""
    lists = [[text for part in parts for text in part[column]] for column in range(3)]
    return Rows(*lists, *(np.concatenate([part[column] for part in parts]) for column in (3, 4)))


def word_weights(rows: Rows) -> dict[str, int]:
    """How rare words are in distinct questions, gold answers and answers, in hundredths; rare ones are not named."""
    texts = {*rows.questions, *rows.answers, *(gold for golds in rows.golds for gold in golds)}
    counts = Counter(word for text in texts for word in set(folded_words(text)))
    most = np.log(len(texts) / RARE)
    return {
        word: max(3, round(100 * float(np.log(len(texts) / count) / most)))
        for word, count in sorted(counts.items())
        if count > RARE
    }


def feature_columns(rows: Rows, weights: dict[str, int], with_questions: bool) -> dict[str, np.ndarray]:
    return equivalence_features(rows.answers, rows.golds, rows.questions if with_questions else None, weights)


def matrix(columns: dict[str, np.ndarray], names: Sequence[str]) -> np.ndarray:
    return np.column_stack([columns[name] for name in names])


def fit(features: np.ndarray, accepted: np.ndarray, names: Sequence[str]) -> HistGradientBoostingClassifier:
    model = HistGradientBoostingClassifier(
        max_depth=DEPTH,
        max_iter=ROUNDS,
        learning_rate=RATE,
        min_samples_leaf=20,
        l2_regularization=5,
        max_features=0.5,
        random_state=0,
        early_stopping=False,
        monotonic_cst=[EQUIVALENCE_SIGNS.get(name, 0) for name in names],
    )
    with threadpool_limits(1, user_api="openmp"):
        return model.fit(features, accepted)


def folds_of(questions: Sequence[str]) -> np.ndarray:
    """A fold for each row, the same for all rows of a question."""
    distinct = sorted(set(questions))
    fold = dict(zip(distinct, np.random.default_rng(0).permutation(len(distinct)) % FOLDS, strict=True))
    return np.array([fold[question] for question in questions])


def out_of_fold(features: np.ndarray, rows: Rows, names: Sequence[str]) -> np.ndarray:
    """The margin of each row by trees that have not seen its question."""
    folds, margins = folds_of(rows.questions), np.empty(len(rows.answers))
    for fold in range(FOLDS):
        held = folds == fold
        margins[held] = fit(features[~held], rows.accepted[~held], names).decision_function(features[held])
    return margins


def calibration(margins: np.ndarray, accepted: np.ndarray) -> tuple[float, float]:
    """Slope and intercept of the logistic line from margins to verdicts (Platt 1999), to four decimals."""
    line = LogisticRegression(C=1e6).fit(margins[:, None], accepted)
    return round(float(line.coef_.item()), 4), round(float(line.intercept_.item()), 4)


def scorer_document(columns: dict[str, np.ndarray], rows: Rows, names: Sequence[str]) -> dict[str, Any]:
    features = matrix(columns, names)
    sample = np.concatenate([np.flatnonzero(rows.accepted == verdict)[7::197][:16] for verdict in (0, 1)])
    return {
        "features": list(names),
        "calibration": calibration(out_of_fold(features, rows, names), rows.accepted),
        "sample": {name: values[sample].tolist() for name, values in columns.items()},
        "forest": forest_document(fit(features, rows.accepted, names), SCALE),
    }


def model_document(rows: Rows) -> dict[str, Any]:
    """Everything that the model file holds."""
    weights = word_weights(rows)
    by_weight: dict[int, list[str]] = {}
    for word, weight in weights.items():
        by_weight.setdefault(weight, []).append(word)
    columns = {name: feature_columns(rows, weights, name == "question") for name in NAMES}
    return {
        "version": LITE_VERSION,
        "scikit-learn": sklearn.__version__,
        "word_weights": {str(weight): " ".join(words) for weight, words in sorted(by_weight.items())},
        "scorers": {name: scorer_document(columns[name], rows, NAMES[name]) for name in NAMES},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--output", type=Path, default=OUTPUT, metavar="FILE")
    args = parser.parse_args()
    nq, triviaqa = (read_rows(args.folder / f"evouna_{name}.json") for name in ("nq", "triviaqa_half"))
    document = model_document(joined([nq, triviaqa]))
    with open_whole(args.output) as file:
        file.write(f"{json.dumps(document, separators=(',', ':'), ensure_ascii=False)}\n".encode())
    print(f"{args.output}: {args.output.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
