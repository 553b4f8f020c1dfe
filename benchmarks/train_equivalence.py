"""Make the trees of the built-in scorer of answer equivalence, and the tables that justify them.

    python benchmarks/train_equivalence.py FOLDER [--output FILE] [--tables [NAME ...]]

FOLDER holds evouna_nq.json and evouna_triviaqa_half.json (EVOUNA: Wang et al. 2023, "Evaluating Open-QA Evaluation").
FILE (by default src/qassay/answer_equivalence/equivalence_model.json) is reproduced bit for bit with the version of
scikit-learn that it names. --tables prints the agreement with people instead: trained on one set and tested on the
other, with a system held out, by kind of question, without groups of features; trained on both with questions held out;
and on the answers of benchmarks/misleading_answers/adversarial.jsonl, which are never used for training (their kinds were
known when the rules and the templates of made answers were written).
"""

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import sklearn
from equivalence_made_answers import made_cases
from forest_data import forest_document
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from threadpoolctl import threadpool_limits

import qassay
from qassay.answer_equivalence.lite import LITE_VERSION
from qassay.answer_equivalence.lite_features import (
    EQUIVALENCE_FEATURES,
    EQUIVALENCE_SIGNS,
    FEATURE_GROUPS,
    FOUND,
    GROUP_OF_FEATURE,
    QUESTION_FEATURES,
    equivalence_features,
)
from qassay.answer_equivalence.lite_rules import calibrated_probabilities, calibration_terms, ruled_probabilities
from qassay.answer_equivalence.measures import EstimatedAcceptance
from qassay.core.measures import Rows as MeasuredRows
from qassay.core.writing import write_whole
from qassay.semantic_answer_similarity.lite_features import folded_words

OUTPUT = Path(__file__).resolve().parent.parent / "src" / "qassay" / "answer_equivalence" / "equivalence_model.json"
ADVERSARIAL = Path(__file__).resolve().parent / "misleading_answers" / "adversarial.jsonl"
SYSTEMS = ("fid", "gpt35", "chatgpt", "gpt4", "newbing")
NEEDED = {
    "question",
    "golden_answer",
    "improper",
    *(f"{what}_{name}" for what in ("answer", "judge") for name in SYSTEMS),
}
WHERE = "the files of EVOUNA are in the repository wangcunxiang/QA-Eval on GitHub"
SCALE = 1 << 16
DEPTH, ROUNDS, RATE = 3, 300, 0.05
FOLDS = 3  # folds of the table of held-out questions
CALIBRATION_FOLDS = 5  # three leave a calibration error of .0207 on NQ for .0194, ten take twice as long
LENIENCE = 0.7  # margin by which the trees of made answers must be surer than the trees of human verdicts
MADE_WEIGHT = 0.3  # weight of a made answer; a judged answer has weight 1
# A short answer that does not equal a gold answer counts twice: such answers are rare here but typical for systems that
# read a text. Three times is even better for them, but the estimates of systems are then further from people.
SHORT_WEIGHT, SHORT_WORDS = 2.0, 8
RARE = 8  # texts with a word; a word in at most as many has the full weight
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
    """The judged answers of a file of EVOUNA, without questions that the file calls improper.

    Raises:
        SystemExit: there is no such file, or it is not EVOUNA.
    """
    found: list[tuple] = []
    try:
        rows = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise SystemExit(f"{path}: {error.strerror}; {WHERE}") from None
    except ValueError as error:
        raise SystemExit(f"{path} is not JSON: {error}; {WHERE}") from None
    if not isinstance(rows, list) or not all(isinstance(row, dict) and row.keys() >= NEEDED for row in rows):
        raise SystemExit(f"{path} is not a file of EVOUNA: every row needs {', '.join(sorted(NEEDED))}; {WHERE}")
    for row in rows:
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
    """The concatenated rows of several sets."""
    lists = [[text for part in parts for text in part[column]] for column in range(3)]
    return Rows(*lists, *(np.concatenate([part[column] for part in parts]) for column in (3, 4)))


def word_weights(rows: Rows) -> dict[str, int]:
    """The rarity of words in distinct questions, gold answers and answers, in hundredths, without the rarest words."""
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


def fit(
    features: np.ndarray, accepted: np.ndarray, names: Sequence[str], weights: np.ndarray | None = None
) -> HistGradientBoostingClassifier:
    model = HistGradientBoostingClassifier(
        max_depth=DEPTH,
        max_iter=ROUNDS,
        learning_rate=RATE,
        min_samples_leaf=20,
        l2_regularization=5,
        max_features=0.25,
        random_state=0,
        early_stopping=False,
        monotonic_cst=[EQUIVALENCE_SIGNS.get(name, 0) for name in names],
    )
    with threadpool_limits(1, user_api="openmp"):
        return model.fit(features, accepted, sample_weight=weights)


def folds_of(questions: Sequence[str], n_folds: int) -> np.ndarray:
    """A fold for each row, the same for all rows of a question."""
    distinct = sorted(set(questions))
    fold = dict(zip(distinct, np.random.default_rng(0).permutation(len(distinct)) % n_folds, strict=True))
    return np.array([fold[question] for question in questions])


class Training(NamedTuple):
    """The training data of a scorer: features of judged and of made answers."""

    judged: np.ndarray
    accepted: np.ndarray
    made: np.ndarray
    made_accepted: np.ndarray
    for_verdicts: np.ndarray  # which made answers both forests read
    fewer: np.ndarray  # judged rows with a part of their gold answers
    fewer_places: np.ndarray  # their rows
    names: Sequence[str]
    unused: str = ""  # a group of features hidden from the trees


def training(rows: Rows, weights: dict[str, int], with_questions: bool) -> Training:
    """The features of judged rows and of answers made from their questions."""
    distinct = dict(zip(rows.questions, rows.golds, strict=True))
    cases = made_cases([*distinct], [*distinct.values()])
    made = Rows(*cases[:4], np.full(len(cases.answers), "made"))
    names = NAMES["question" if with_questions else "no_question"]
    features, made_features = (matrix(feature_columns(part, weights, with_questions), names) for part in (rows, made))
    fewer, places = with_fewer_golds(rows)
    fewer_features = matrix(feature_columns(fewer, weights, with_questions), names)
    return Training(
        features, rows.accepted, made_features, made.accepted, cases.for_verdicts, fewer_features, places, names
    )


def with_fewer_golds(rows: Rows) -> tuple[Rows, np.ndarray]:
    """The rows with several gold answers, with a random part of these and the same verdict, and their places."""
    rng = np.random.default_rng(3)
    places = np.array([place for place, golds in enumerate(rows.golds) if len(golds) > 1], np.int64)
    golds = [
        [
            rows.golds[place][gold]
            for gold in sorted(rng.permutation(len(rows.golds[place]))[: rng.integers(1, len(rows.golds[place]))])
        ]
        for place in places
    ]
    texts = [[column[place] for place in places] for column in (rows.questions, rows.answers)]
    return Rows(texts[0], golds, texts[1], rows.accepted[places], rows.systems[places]), places


def fit_both(data: Training) -> tuple[HistGradientBoostingClassifier, HistGradientBoostingClassifier]:
    """A forest fitted to human verdicts, and a forest fitted to judged and made answers that contain a gold answer."""
    recall = data.names.index("recall")
    judged, made = data.judged[:, recall] >= FOUND, data.made[:, recall] >= FOUND
    weights = judged_weights(data)
    return (
        fit_parts(
            [
                (data.judged, data.accepted, weights),
                (data.fewer, data.accepted[data.fewer_places], weights[data.fewer_places]),
                (data.made[data.for_verdicts], data.made_accepted[data.for_verdicts], MADE_WEIGHT),
            ],
            data,
        ),
        fit_parts(
            [
                (data.judged[judged], data.accepted[judged], weights[judged]),
                (data.made[made], data.made_accepted[made], MADE_WEIGHT),
            ],
            data,
        ),
    )


def judged_weights(data: Training) -> np.ndarray:
    """The weight of each judged row, (n,)."""
    words, f1 = (data.judged[:, data.names.index(name)] for name in ("words", "f1"))
    return np.where((words <= SHORT_WORDS) & (f1 < 1), SHORT_WEIGHT, 1.0)


def fit_parts(
    parts: Sequence[tuple[np.ndarray, np.ndarray, np.ndarray | float]], data: Training
) -> HistGradientBoostingClassifier:
    """Trees fitted to several parts, each with features, verdicts and weights of rows."""
    weights = np.concatenate([np.broadcast_to(weight, len(accepted)) for _, accepted, weight in parts])
    read = np.array([GROUP_OF_FEATURE[name] != data.unused for name in data.names])
    features = np.vstack([part[0] for part in parts]) * read
    return fit(features, np.concatenate([part[1] for part in parts]), data.names, weights)


def margins_of(
    models: Sequence[HistGradientBoostingClassifier], features: np.ndarray, names: Sequence[str]
) -> np.ndarray:
    """The margin of the scorer: the smaller margin of both forests if a gold answer is found."""
    verdicts, assertions = (model.decision_function(features) for model in models)
    return np.where(features[:, names.index("recall")] >= FOUND, np.minimum(verdicts, assertions + LENIENCE), verdicts)


def without(data: Training, held: np.ndarray) -> Training:
    """The training data without some judged rows, with all made answers."""
    numbers = np.cumsum(~held) - 1
    kept = ~held[data.fewer_places]
    return data._replace(
        judged=data.judged[~held],
        accepted=data.accepted[~held],
        fewer=data.fewer[kept],
        fewer_places=numbers[data.fewer_places[kept]],
    )


def out_of_fold(data: Training, questions: Sequence[str]) -> np.ndarray:
    """The margin of each judged row by trees that have not seen its verdict, with all made answers in training."""
    folds, margins = folds_of(questions, CALIBRATION_FOLDS), np.empty(len(data.judged))
    for fold in range(CALIBRATION_FOLDS):
        held = folds == fold
        models = fit_both(without(data, held))
        margins[held] = margins_of(models, data.judged[held], data.names)
    return margins


def calibration(data: Training, questions: Sequence[str]) -> list[float]:
    """Intercept, slope of the margin and coefficients of the terms (after Platt 1999), to four decimals.

    Fitted to margins of both forests by trees that have not seen the verdict.
    """
    columns = dict(zip(data.names, data.judged.T, strict=True))
    terms = np.column_stack([out_of_fold(data, questions), *calibration_terms(columns)])
    # Converges far beyond four decimals; the default solver stops earlier, with numbers that depend on the processor.
    line = LogisticRegression(C=1e6, solver="newton-cholesky", tol=1e-10).fit(terms, data.accepted)
    return [round(float(value), 4) for value in (*line.intercept_, *line.coef_[0])]


def scorer_document(rows: Rows, weights: dict[str, int], with_questions: bool) -> dict[str, Any]:
    data = training(rows, weights, with_questions)
    columns = feature_columns(rows, weights, with_questions)
    sample = np.concatenate([np.flatnonzero(rows.accepted == verdict)[7::197][:16] for verdict in (0, 1)])
    verdicts, assertions = fit_both(data)
    lenient = forest_document(assertions, SCALE)
    return {
        "features": list(data.names),
        "calibration": calibration(data, rows.questions),
        "sample": {name: columns[name][sample].tolist() for name in columns if name in EQUIVALENCE_FEATURES},
        "verdicts": forest_document(verdicts, SCALE),
        "assertions": lenient | {"base": lenient["base"] + round(LENIENCE * SCALE)},
    }


def model_document(rows: Rows) -> dict[str, Any]:
    """The contents of the model file."""
    weights = word_weights(rows)
    by_weight: dict[int, list[str]] = {}
    for word, weight in weights.items():
        by_weight.setdefault(weight, []).append(word)
    return {
        "version": LITE_VERSION,
        "scikit-learn": sklearn.__version__,
        "accepted": accepted_share(rows),
        "word_weights": {str(weight): " ".join(words) for weight, words in sorted(by_weight.items())},
        "scorers": {name: scorer_document(rows, weights, name == "question") for name in NAMES},
    }


def accepted_share(rows: Rows) -> float:
    """The share of accepted answers, to four decimals."""
    return round(float(rows.accepted.mean()), 4)


class Judge(NamedTuple):
    """A fitted scorer, calibrated on its own training set by cross-validation."""

    models: tuple[HistGradientBoostingClassifier, HistGradientBoostingClassifier]
    calibration: Sequence[float]
    names: Sequence[str]
    weights: dict[str, int]

    def probabilities(self, rows: Rows) -> np.ndarray:
        return self.of_columns(feature_columns(rows, self.weights, self.names is NAMES["question"]))

    def of_columns(self, columns: dict[str, np.ndarray]) -> np.ndarray:
        margins = margins_of(self.models, matrix(columns, self.names), self.names)
        return ruled_probabilities(calibrated_probabilities(margins, columns, self.calibration), columns)


def judge_of(rows: Rows, with_questions: bool = True) -> Judge:
    weights = word_weights(rows)
    return judge_of_training(training(rows, weights, with_questions), rows.questions, weights)


def judge_of_training(
    data: Training, questions: Sequence[str], weights: dict[str, int], line: Sequence[float] | None = None
) -> Judge:
    """A scorer of features, calibrated by its own trees by default."""
    return Judge(fit_both(data), line or calibration(data, questions), data.names, weights)


def some_of(rows: Rows, kept: np.ndarray) -> Rows:
    places = np.flatnonzero(kept)
    return Rows(*([column[place] for place in places] for column in rows[:3]), rows.accepted[kept], rows.systems[kept])


def agreement_of(scores: np.ndarray, rows: Rows, usual_share: float | None = None) -> str:
    """AUC, accuracy at .5, calibration error of ten bins, and the largest distances of systems from human verdicts.

    The distances are of a system's mean, of its share of answers with .5 or more and, with the share accepted in the
    training, of its estimated acceptance.
    """
    bins = np.minimum((scores * 10).astype(int), 9)
    accepted_apart = max(
        abs(float(((scores >= 0.5) - rows.accepted)[rows.systems == name].mean())) for name in set(rows.systems)
    )
    error = sum(abs(float((scores - rows.accepted)[bins == place].sum())) for place in range(10)) / len(scores)
    distance = max(abs(float((scores - rows.accepted)[rows.systems == name].mean())) for name in set(rows.systems))
    accuracy = float(((scores >= 0.5) == rows.accepted).mean())
    told = f"AUC {roc_auc_score(rows.accepted, scores):.4f}  accuracy {accuracy:.4f}  ECE {error:.4f}  means within {distance:.4f}, accepted {accepted_apart:.4f}"
    if usual_share is None:
        return told
    kept = [rows.systems == name for name in set(rows.systems)]
    estimated = max(abs(estimated_share(scores[own], usual_share) - float(rows.accepted[own].mean())) for own in kept)
    return f"{told}, estimated {estimated:.4f}"


def estimated_share(scores: np.ndarray, usual_share: float) -> float:
    """The measure estimated_acceptance of a system's answers; `usual_share`: accepted in the training."""
    rows = MeasuredRows({"scores": scores}, {}, np.ones(len(scores)))
    return float(EstimatedAcceptance("scores", usual_share).value_once(rows))


def baselines(rows: Rows) -> dict[str, np.ndarray]:
    """Exact match, `contains` and F1, and the similarity of the nearest gold answer by lite, as users get them."""
    texts = qassay.score("answer_match", rows.answers, rows.golds).columns
    similar = qassay.score("semantic_answer_similarity", rows.answers, rows.golds, model="lite").columns["sas"]
    return {**{name: texts[name] for name in ("exact_match", "contains", "f1")}, "lite": similar}


def across_table(sets: dict[str, Rows], name: str, other: str) -> None:
    """Trained on one set, tested on the other.

    Also without the verdicts of the tested system, by kind of question, and with trees that do not read a group of
    features (with the calibration of all features).
    """
    train, test = sets[name], sets[other]
    weights = word_weights(train)
    data = training(train, weights, True)
    columns = feature_columns(test, weights, True)
    judge = judge_of_training(data, train.questions, weights)
    scores = judge.of_columns(columns)
    tell(f"\ntrained on {name}, tested on {other}")
    usual = accepted_share(train)
    tell(f"  {'with questions':<24}{agreement_of(scores, test, usual)}")
    tell(f"  {'without questions':<24}{agreement_of(judge_of(train, False).probabilities(test), test, usual)}")
    plain = baselines(test)
    for title, values in plain.items():
        tell(f"  {title:<24}{agreement_of(values, test)}")
    for kind in (key for key in columns if key.startswith("asks_")):
        kept = columns[kind] > 0
        if kept.any():
            tell(f"  {kind:<24}{agreement_of(scores[kept], some_of(test, kept))}")
    for system in SYSTEMS:
        kept, held = test.systems == system, train.systems == system
        questions = [question for question, out in zip(train.questions, held, strict=True) if not out]
        unseen = judge_of_training(without(data, held), questions, weights).of_columns(columns)
        accuracies = (float(((values >= 0.5) == test.accepted)[kept].mean()) for values in (scores, unseen))
        tell(
            f"  {system:<12} people {test.accepted[kept].mean():.4f}  scorer {scores[kept].mean():.4f}"
            f"  estimated {estimated_share(scores[kept], usual):.4f}"
            f"  estimated held out {estimated_share(unseen[kept], accepted_share(some_of(train, ~held))):.4f}"
            "  accuracy {:.4f}  accuracy held out {:.4f}".format(*accuracies)
            + "".join(f"  {title} {values[kept].mean():.4f}" for title, values in plain.items())
        )
    for group in FEATURE_GROUPS:
        part = judge_of_training(data._replace(unused=group), train.questions, weights, judge.calibration)
        tell(f"  {'without ' + group:<24}{agreement_of(part.of_columns(columns), test)}")


def held_out_table(sets: dict[str, Rows]) -> None:
    """Trained on both sets without a third of their questions and tested on these, which represents the model file."""
    rows = joined([*sets.values()])
    weights = word_weights(rows)
    data, columns = training(rows, weights, True), feature_columns(rows, weights, True)
    scores, folds = np.empty(len(rows.questions)), folds_of(rows.questions, FOLDS)
    for fold in range(FOLDS):
        held = folds == fold
        questions = [question for question, out in zip(rows.questions, held, strict=True) if not out]
        judge = judge_of_training(without(data, held), questions, weights)
        scores[held] = judge.of_columns({name: values[held] for name, values in columns.items()})
    tell("\ntrained on both sets, questions held out")
    first = 0
    for name, part in sets.items():
        found = scores[first : first + len(part.questions)]
        first += len(part.questions)
        usual = accepted_share(rows)
        tell(f"  {name:<24}{agreement_of(found, part, usual)}")
        for system in SYSTEMS:
            kept = part.systems == system
            tell(
                f"  {system:<12} people {part.accepted[kept].mean():.4f}  scorer {found[kept].mean():.4f}"
                f"  estimated {estimated_share(found[kept], usual):.4f}"
                f"  accepted {(found[kept] >= 0.5).mean():.4f}"
            )


def adversarial_table(sets: dict[str, Rows]) -> None:
    """The share of the answers of adversarial.jsonl with a right verdict, by kind."""
    rows = [json.loads(line) for line in ADVERSARIAL.read_text("utf-8").splitlines()]
    rows = [row for row in rows if row["golds"] and row["answer"].strip()]
    texts = ([row[key] for row in rows] for key in ("question", "golds", "answer"))
    hard = Rows(*texts, np.array([float(row["accept"]) for row in rows]), np.array([row["kind"] for row in rows]))
    found = {"this": judge_of(joined([*sets.values()])).probabilities(hard), **baselines(hard)}
    right = {title: (scores >= 0.5) == hard.accepted for title, scores in found.items()}
    tell("\nadversarial answers judged right")
    for kind in ("all", *dict.fromkeys(hard.systems.tolist())):
        kept = np.full(len(rows), True) if kind == "all" else hard.systems == kind
        tell(f"  {kind:<24}" + "".join(f"{title} {values[kept].mean():.2f}   " for title, values in right.items()))


def tell(line: str) -> None:
    print(line, flush=True)


TABLES = {
    "nq": partial(across_table, name="nq", other="triviaqa_half"),
    "triviaqa_half": partial(across_table, name="triviaqa_half", other="nq"),
    "both": held_out_table,
    "adversarial": adversarial_table,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--output", type=Path, default=OUTPUT, metavar="FILE")
    parser.add_argument(
        "--tables", nargs="*", choices=TABLES, metavar="NAME", help=f"print tables ({', '.join(TABLES)}), write nothing"
    )
    args = parser.parse_args()
    sets = {name: read_rows(args.folder / f"evouna_{name}.json") for name in ("nq", "triviaqa_half")}
    if args.tables is not None:
        for name in args.tables or TABLES:
            TABLES[name](sets)
        return
    write_whole(args.output, model_text(joined([*sets.values()])))
    print(f"{args.output}: {args.output.stat().st_size:,} bytes")


def model_text(rows: Rows) -> str:
    """The text of the model file."""
    return f"{json.dumps(model_document(rows), separators=(',', ':'), ensure_ascii=False)}\n"


if __name__ == "__main__":
    main()
