"""Make the two built-in models that read the features of `qassay.core.text_pairs`, and the tables that justify them.

    python -m benchmarks lite_models --data FOLDER [--output FOLDER] [--tables across similarity]

FOLDER has evouna_nq.json and evouna_triviaqa_half.json, people's verdicts (Wang et al. 2023), to which the model of answer_equivalence is
fitted, and nq_open_pairs.csv, pairs of answers with the scores of cross-encoder/stsb-roberta-large (Risch et al. 2021), to which the model
of semantic_answer_similarity is fitted, never to its labels. Both files, in the package by default, are reproduced bit for bit with the
version of scikit-learn that they name.

--tables prints instead: "across" trains on one set of verdicts and tests on the other; "similarity" cross-validates by gold answer, also
without each group of features.
"""

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import sklearn
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from threadpoolctl import threadpool_limits

import qassay
from qassay.answer_equivalence.lite import calibration_terms, joint_margins, overridden
from qassay.answer_equivalence.measures import EstimatedAcceptance
from qassay.core.measures import Rows as Columns
from qassay.core.text_pairs.features import FEATURES, GROUPS, OF_QUESTION, feature_rows
from qassay.core.text_pairs.words import read_text
from qassay.core.writing import write_whole
from qassay.semantic_answer_similarity.lite import PAIR_FEATURES, pair_features

from . import inputs
from .forests import forest_document
from .made_answers import made_cases
from .pairs import Pairs, agreement, read_pairs, splits
from .verdicts import SETS, SYSTEMS, Rows, folds_of, joined, read_rows

PACKAGE = inputs.ROOT / "src" / "qassay"
EQUIVALENCE, SIMILARITY = "answer_equivalence/equivalence_model.json", "semantic_answer_similarity/lite_model.json"
VERSIONS = {"equivalence": "3", "similarity": "3"}  # option revision; raised with each new fit
SCALE = 1 << 12  # leaves are integers in units of 1 / SCALE
TREES = {"max_depth": 4, "learning_rate": 0.05, "early_stopping": False, "random_state": 0}
ROUNDS, MADE_ROUNDS = 200, 250
MADE_WEIGHT = 0.2  # weight of a made answer; a judged answer has weight 1
FOLDS = 3  # of the calibration
# Weight of a made answer in the calibration. It moves verdicts on misleading answers; with more, those on real answers suffer.
CALIBRATION_WEIGHT = 0.001
PROCESSES = 4  # the result does not depend on it
RARE, RARE_IN_PAIRS = 8, 4  # texts with a word; a word in at most as many has the full weight
TEACHER, FLOOR, CEILING = "cross-encoder/stsb-roberta-large", 0.009, 0.972  # and the range of its scores
SIMILARITY_ROUNDS, SIMILARITY_SCALE = 150, 1 << 16
SIMILARITY_FOLDS, SEEDS = 5, (0, 1, 2)  # of the table, which is a mean over the seeds
REGULARISED = {"l2_regularization": 5, "max_features": 0.25}
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
        return joint_margins(self.verdicts.decision_function(read), self.made.decision_function(read))

    def probabilities(self, features: np.ndarray) -> np.ndarray:
        terms = np.column_stack([self.margins(features), *calibration_terms(features)])
        return overridden(self.line.predict_proba(terms)[:, 1], features)


def word_weights(texts: Iterable[str], rare: int = RARE) -> dict[str, int]:
    """The rarity of words in distinct texts, in hundredths, without the rarest words."""
    distinct = {*texts}
    counts = Counter(word for text in distinct for word in set(read_text(text).words))
    most = np.log(len(distinct) / rare)
    return {
        word: max(3, round(100 * float(np.log(len(distinct) / count) / most)))
        for word, count in sorted(counts.items())
        if count > rare
    }


def texts_of(rows: Rows) -> list[str]:
    """Questions, answers and gold answers."""
    return [*rows.questions, *rows.answers, *(gold for golds in rows.golds for gold in golds)]


class Training(NamedTuple):
    """The features of judged rows and of answers made from their questions."""

    judged: np.ndarray
    accepted: np.ndarray
    questions: Sequence[str]
    made: np.ndarray
    made_accepted: np.ndarray
    made_questions: Sequence[str]
    columns: list[int]

    def without(self, held: np.ndarray, made_held: np.ndarray) -> "Training":
        """Without some judged and some made rows."""

        def kept(questions: Sequence[str], out: np.ndarray) -> list[str]:
            return [question for question, is_out in zip(questions, out, strict=True) if not is_out]

        judged = self.judged[~held], self.accepted[~held], kept(self.questions, held)
        made = self.made[~made_held], self.made_accepted[~made_held], kept(self.made_questions, made_held)
        return Training(*judged, *made, self.columns)


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
    settings = {**TREES, **REGULARISED, "min_samples_leaf": 20}
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


def weights_document(weights: dict[str, int]) -> dict[str, str]:
    """Weight -> the words that have it."""
    by_weight: dict[int, list[str]] = {}
    for word, weight in weights.items():
        by_weight.setdefault(weight, []).append(word)
    return {str(weight): " ".join(words) for weight, words in sorted(by_weight.items())}


def equivalence_document(rows: Rows, pool: Executor) -> dict[str, Any]:
    """The contents of the model file of answer equivalence."""
    weights = word_weights(texts_of(rows))
    parts = {name: pool.submit(training, rows, weights, name) for name in NAMES}
    return {
        "version": VERSIONS["equivalence"],
        "scikit-learn": sklearn.__version__,
        "accepted": round(float(rows.accepted.mean()), 4),
        "word_weights": weights_document(weights),
        "scorers": {name: scorer_document(rows, part.result(), name, pool) for name, part in parts.items()},
    }


def similarity_features(pairs: Pairs) -> tuple[np.ndarray, dict[str, int]]:
    """The features of pairs, and the weights of words that they use."""
    weights = word_weights([*pairs.golds, *pairs.predictions], RARE_IN_PAIRS)
    return pair_features(pairs.predictions, pairs.golds, weights), weights


def similarity_trees(features: np.ndarray, teacher: np.ndarray) -> HistGradientBoostingRegressor:
    settings = {**TREES, **REGULARISED, "min_samples_leaf": 40, "max_iter": SIMILARITY_ROUNDS}
    with threadpool_limits(1, user_api="openmp"):
        return HistGradientBoostingRegressor(**settings).fit(features, np.clip(teacher, FLOOR, CEILING))


def similarity_document(pairs: Pairs) -> dict[str, Any]:
    """The contents of the model file of answer similarity."""
    features, weights = similarity_features(pairs)
    return {
        "version": VERSIONS["similarity"],
        "teacher": TEACHER,
        "scikit-learn": sklearn.__version__,
        "features": list(PAIR_FEATURES),
        "word_weights": weights_document(weights),
        "forest": forest_document(similarity_trees(features, teacher_of(pairs)), SIMILARITY_SCALE),
    }


def teacher_of(pairs: Pairs) -> np.ndarray:
    """The teacher's scores, published with the pairs: float64 (n,)."""
    return pairs.published["sas"]


def similarity_table(pairs: Pairs) -> None:
    """Cross-validated by gold answer: agreement with the teacher, and with labels (r / rho / tau), which nothing was fitted to."""
    features, teacher = similarity_features(pairs)[0], teacher_of(pairs)
    print(f"\nsimilarity: {SIMILARITY_FOLDS} folds by gold answer, mean over {len(SEEDS)} splits")
    for group in (None, *(group for group in GROUPS if group != "question")):
        kept = [place for place, name in enumerate(PAIR_FEATURES) if group is None or name not in GROUPS[group]]
        columns = features[:, [*kept, *(place + len(PAIR_FEATURES) for place in kept)]]
        found = [cross_validated(columns, pairs.golds, teacher, seed) for seed in SEEDS]
        r = np.mean([np.corrcoef(values, teacher)[0, 1] for values in found])
        distance = np.mean([np.abs(values - teacher).mean() for values in found])
        cells = [f"{'all features' if group is None else 'without ' + group:<18}teacher r {r:.4f}  MAE {distance:.4f}"]
        for title, chosen in splits(pairs).items():
            means = np.mean([agreement(values[chosen], pairs.labels[chosen]) for values in found], axis=0)
            cells.append(f"labels, {title}: {' / '.join(f'{mean:.3f}' for mean in means)}")
        print(f"  {'  '.join(cells)}")


def cross_validated(features: np.ndarray, golds: Sequence[str], teacher: np.ndarray, seed: int) -> np.ndarray:
    """Scores of each pair by trees that have not seen its gold answer."""
    folds, scores = folds_of(golds, SIMILARITY_FOLDS, seed), np.empty(len(golds))
    for fold in range(SIMILARITY_FOLDS):
        held = folds == fold
        scores[held] = similarity_trees(features[~held], teacher[~held]).predict(features[held])
    return scores.clip(0, 1)


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
        weights = word_weights(texts_of(train))
        print(f"\ntrained on {name}, tested on {other}")
        data = training(train, weights)
        features = feature_rows(test.answers, test.golds, test.questions, weights)
        found = scorer_of(data, pool).probabilities(features)
        print(f"  {'with questions':<24}{agreement_of(found, test)}")
        means_table(found, test, float(train.accepted.mean()))
        plain = training(train, weights, "no_question")
        found = scorer_of(plain, pool).probabilities(feature_rows(test.answers, test.golds, None, weights))
        print(f"  {'without questions':<24}{agreement_of(found, test)}")
        for title, values in baselines(test).items():
            print(f"  {title:<24}{agreement_of(values, test)}")


def means_table(scores: np.ndarray, rows: Rows, usual_share: float) -> None:
    """Of each system the share that people accept, its estimate from the scores, and their mean."""
    estimate = EstimatedAcceptance("equivalence", usual_share)
    for system in SYSTEMS:
        own = rows.systems == system
        found = estimate.value_once(Columns({"equivalence": scores[own]}, {}, np.ones(int(own.sum()))))
        print(
            f"    {system:<22}people {rows.accepted[own].mean():.3f}  estimate {found:.3f}  mean {scores[own].mean():.3f}"
        )


def baselines(rows: Rows) -> dict[str, np.ndarray]:
    """Exact match, `contains` and F1, and the similarity of the nearest gold answer by lite, as users get them."""
    texts = qassay.score("answer_match", rows.answers, rows.golds).columns
    similar = qassay.score("semantic_answer_similarity", rows.answers, rows.golds, model="lite").columns["sas"]
    return {**{name: texts[name] for name in ("exact_match", "contains", "f1")}, "lite": similar}


def add_options(parser: argparse.ArgumentParser) -> None:
    inputs.add_options(parser)
    parser.add_argument("--output", type=Path, default=PACKAGE, metavar="FOLDER", help="default: the package")
    names = ("across", "similarity")
    parser.add_argument("--tables", nargs="+", choices=names, metavar="NAME", help="print tables, write nothing")


def run(args: argparse.Namespace) -> None:
    sets = {name: read_rows(inputs.data_file(args, f"evouna_{name}.json")) for name in SETS}
    pairs = read_pairs(inputs.data_file(args, "nq_open_pairs.csv"))
    with ProcessPoolExecutor(PROCESSES) as pool:
        if args.tables:
            for name in args.tables:
                similarity_table(pairs) if name == "similarity" else across_table(sets, pool)
            return
        similarity = pool.submit(similarity_document, pairs)
        documents = {EQUIVALENCE: equivalence_document(joined([*sets.values()]), pool), SIMILARITY: similarity.result()}
    for name, document in documents.items():
        text = f"{json.dumps(document, separators=(',', ':'), ensure_ascii=False)}\n"
        (args.output / name).parent.mkdir(parents=True, exist_ok=True)
        write_whole(args.output / name, text)
        print(f"{args.output / name}: {len(text.encode()):,} bytes")
