"""The configs "squad" and "squad_v2", with the keys, the scale and the sweep of the Hugging Face modules of these names."""

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..core.answers import AnswerColumns
from ..core.best_threshold import BestThreshold
from ..core.intake import PREDICTIONS
from ..core.measures import Count, Mean, Measure, Rows, exact_sum
from ..core.remarks import remark
from ..core.scores import Scores
from .nothing_left import NOTES
from .scoring import DROP_IN, AnswerMatchOptions, read_answer_columns, score_answers, score_matches


def score_answers_as(config_name: str, columns: Mapping[str, Any], options: Mapping[str, Any]) -> Scores:
    """Score as a config of the evaluate module: "default", "squad" or "squad_v2".

    The last two have the keys, the scale (0..100) and the rules of the Hugging Face modules of these names.

    Args:
        columns: the columns of `score_answers` by name; in "squad_v2" the no-answer probabilities are 0 where none are
            given.
        options: keyword arguments of `AnswerMatchOptions`; None means the choice of the config. In "squad_v2"
            answers with a no-answer probability above 1 are withheld if no_answer_threshold does not say otherwise.

    In "squad_v2" a summary omits the keys of questions with (or without) an answer if there are none, and best_exact
    and best_f1 equal the module's: equal probabilities are ordered as the predictions, and an answer
    counts as one unless it is "". `score_answers` sweeps by the probabilities alone. The measures and columns are always
    the same ones, so that such Scores can be joined and compared. Joined, they give what the module gives for the
    predictions of the first part, then of the second, and so on; slices of one whole keep the order of the whole.
    """
    AnswerMatchOptions.check_names(options)
    chosen = AnswerMatchOptions.of_config(config_name, options)
    if config_name not in DROP_IN:
        return score_answers(**columns, options=chosen)
    if config_name == "squad_v2":
        columns = {"no_answer_probabilities": 0.0, **{k: v for k, v in columns.items() if v is not None}}
    read = read_answer_columns(columns, chosen)
    scores = score_matches(read, chosen, ("exact_match", "f1"))  # what the keys need, to save memory
    subsets = [name for name in ("missing", "unextracted") if name in scores.subsets]
    unreported = {name: int(scores.subsets[name].sum()) for name in subsets} | dict(scores.notes)
    if any(unreported.values()):  # these configs have no key for it
        meanings = {
            "missing": "without a prediction (scored 0)",
            "skipped": "without a prediction (omitted)",
            "unextracted": f"without an answer to extract (unextracted={chosen.unextracted})",
            **NOTES,
        }
        found = ", ".join(f"{count} {meanings.get(name, name)}" for name, count in unreported.items() if count)
        remark(f"the config {config_name!r} has no key for these rows: {found}")
    if config_name == "squad":
        return dataclasses.replace(scores, measures=_squad_measures(), notes={})
    return dataclasses.replace(_as_squad_v2(scores, read), notes={})


def _squad_measures() -> dict[str, Measure]:
    return {name: Mean(name, scale=100.0, as_script=True) for name in ("exact_match", "f1")}


def _as_squad_v2(scores: Scores, columns: AnswerColumns) -> Scores:
    """The scores with the measures of the config, and the columns that the sweep of its script reads."""
    measures: dict[str, Measure] = {}
    for prefix, subset in (("", None), ("HasAns_", "has_answer"), ("NoAns_", "no_answer")):
        omit = subset is not None
        measures[f"{prefix}exact"] = Mean("exact_match", subset, 100.0, as_script=True, omit_empty=omit)
        measures[f"{prefix}f1"] = Mean("f1", subset, 100.0, as_script=True, omit_empty=omit)
        measures[f"{prefix}total"] = Count(subset, omit_empty=omit)
    score_columns, places = dict(scores.columns), np.arange(len(scores))
    places[np.argsort(columns.rows[PREDICTIONS], kind="stable")] = np.arange(
        len(scores)
    )  # without gaps: a whole counts from 0
    score_columns["prediction_place"] = places.astype(np.float64)
    # The script's sweep counts an answer that normalises to nothing, such as "the", as an answer.
    has_text = scores.subsets["no_answer"] & np.fromiter(map(bool, columns.predictions), bool, len(scores))
    for name, column in (("exact", "exact_match"), ("f1", "f1")):
        answered, withheld, probability = scores.measures[f"best_{column}"].reads
        if score_columns[answered][has_text].any():
            score_columns[answered] = np.where(has_text, 0.0, score_columns[answered])
        best = ScriptBestThreshold(answered, withheld, probability, scale=100.0, position="prediction_place")
        measures[f"best_{name}"] = best
        measures[f"best_{name}_thresh"] = dataclasses.replace(best, threshold=True)
    return dataclasses.replace(scores, columns=score_columns, measures=measures)


@dataclasses.dataclass(frozen=True)
class ScriptBestThreshold(BestThreshold):
    """The best score or threshold as computed by the script (Rajpurkar, Jia and Liang, 2018), including rounding.

    The script withholds all answers, then adds one answer after the other by increasing probability, and takes the
    first maximum of the running sum. It therefore also cuts between equal probabilities, in the order of the
    predictions; if withholding all answers is best, its threshold is 0.0. Intervals come from `BestThreshold`, which
    does not depend on the order.

    Attributes:
        position: the column with the positions of the predictions; None: predictions are in row order. Joined Scores
            have the predictions of the first part before the predictions of the second (see
            `qassay.core.measures.join_positions`).
    """

    position: str | None = None

    def value_once(self, rows: Rows) -> float:
        key = (type(self), *self.reads)  # the score and its threshold share the running sums
        if key not in rows.cache:
            answered, withheld, probability = (rows.columns[name] for name in self.reads)
            order = np.argsort(probability, kind="stable")
            if self.position is not None:
                order = np.lexsort((rows.columns[self.position], probability))
            gains = (rows.weights * (answered - withheld))[order]
            rows.cache[key] = order, np.cumsum(np.append((rows.weights * withheld).sum(), gains))
        order, sums = rows.cache[key]
        best = int(np.argmax(sums))
        if self.threshold:
            return float(rows.columns[self.probability][order[best - 1]]) if best else 0.0
        total = exact_sum(rows.weights)
        return float(self.scale * sums[best] / total) if total else 0.0
