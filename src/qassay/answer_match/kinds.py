"""The kinds of files of answer_match: gold answers, predicted answers and no-answer probabilities."""

from collections.abc import Callable
from typing import Any

from ..core.file_columns import Gold, Predictions
from ..core.intake import ColumnRows
from ..files.answer_tables import ANSWER_SIDES, as_answers
from ..files.content import Content, Table
from ..files.kinds import (
    GOLD,
    GOLD_AND_PREDICTIONS,
    ONLY_GOLD,
    ONLY_PREDICTIONS,
    PREDICTIONS,
    PROBABILITIES,
    FamilyFiles,
    Kind,
    files_of,
    first_difference,
)
from ..files.logs import Log
from ..files.reading import FileError
from ..files.tables import Names, as_table
from .read_conversations import read_coqa, read_coqa_predictions, read_quac_predictions
from .read_drop import read_drop
from .read_flashrag import FlashRagLog
from .read_haystack import is_results, read_results
from .read_hotpotqa import read_hotpotqa, read_hotpotqa_predictions
from .read_inspect import InspectLog
from .read_lm_eval import LmEvalLog
from .read_squad import (
    read_answer_list,
    read_answers_by_id,
    read_lists_by_id,
    read_plain_list,
    read_probabilities,
    read_squad,
)
from .read_tables import ANSWER_ROLES, read_gold_table, read_prediction_table

_METRIC = "answer_match"
_ORDER = "; give the gold file as gold"


def _is_squad(value: Any, asked: str | None) -> bool:
    data = value.get("data") if isinstance(value, dict) else None
    return (
        isinstance(data, list) and bool(data) and all(isinstance(item, dict) and "paragraphs" in item for item in data)
    )


def _is_hotpotqa(value: Any, asked: str | None) -> bool:
    return isinstance(value, Table) and {"supporting_facts", "answer"} <= value.columns.keys()


def _is_drop(value: Any, asked: str | None) -> bool:
    return _values_are(value, lambda item: isinstance(item, dict) and "qa_pairs" in item)


def _is_hotpotqa_predictions(value: Any, asked: str | None) -> bool:
    return (
        isinstance(value, dict)
        and value.keys() == {"answer", "sp"}
        and _values_are(value, lambda item: isinstance(item, dict))
    )


def _is_coqa(value: Any, asked: str | None) -> bool:
    data = value.get("data") if isinstance(value, dict) else None
    wanted = {"id", "questions", "answers"}
    return (
        isinstance(data, list) and bool(data) and all(isinstance(item, dict) and wanted <= item.keys() for item in data)
    )


def _is_coqa_predictions(value: Any, asked: str | None) -> bool:
    return isinstance(value, Table) and value.columns.keys() == {"id", "turn_id", "answer"}


def _is_quac_predictions(value: Any, asked: str | None) -> bool:
    fields = value.columns if isinstance(value, Table) else value if isinstance(value, dict) else {}
    return {"qid", "best_span_str"} <= fields.keys()


def _is_probabilities(value: Any, asked: str | None) -> bool:
    return _values_are(value, lambda item: isinstance(item, (int, float)) and not isinstance(item, bool))


def _is_lists_by_id(value: Any, asked: str | None) -> bool:
    return as_table(value) is None and _values_are(value, lambda item: isinstance(item, list))


def _is_answers_by_id(value: Any, asked: str | None) -> bool:
    # A few other values among many texts are accepted here: scoring names their ids and says what to give instead.
    if not isinstance(value, dict) or as_table(value) is not None:
        return False
    texts = sum(item is None or isinstance(item, (str, list)) for item in value.values())
    odd = sum(isinstance(item, (int, float)) for item in value.values())
    return texts + odd == len(value) and texts > odd


def _is_list(value: Any, asked: str | None) -> bool:
    return (
        isinstance(value, list) and bool(value) and all(item is None or isinstance(item, (str, list)) for item in value)
    )


def _values_are(value: Any, accept: Callable[[Any], bool]) -> bool:
    return isinstance(value, dict) and bool(value) and all(map(accept, value.values()))


class AnswerFiles(FamilyFiles):
    """Files of gold answers and predictions; this family also reports the error for files that no family recognises."""

    metric = _METRIC
    kinds = (
        Kind("squad", "a SQuAD gold file", ONLY_GOLD, _METRIC, read_squad, fits=_is_squad),
        Kind("hotpotqa", "a HotpotQA gold file", ONLY_GOLD, _METRIC, read_hotpotqa, fits=_is_hotpotqa),
        Kind("drop", "a DROP gold file", ONLY_GOLD, _METRIC, read_drop, fits=_is_drop, keeps_duplicates=True),
        Kind(
            "hotpotqa_predictions",
            'HotpotQA predictions ({"answer": ..., "sp": ...})',
            ONLY_PREDICTIONS,
            _METRIC,
            prediction_reader=read_hotpotqa_predictions,
            fits=_is_hotpotqa_predictions,
        ),
        Kind("coqa", "a CoQA gold file", ONLY_GOLD, _METRIC, read_coqa, fits=_is_coqa),
        Kind(
            "coqa_predictions",
            "CoQA predictions (rows of id, turn_id and answer)",
            ONLY_PREDICTIONS,
            _METRIC,
            prediction_reader=read_coqa_predictions,
            fits=_is_coqa_predictions,
        ),
        Kind(
            "quac_predictions",
            "QuAC predictions (rows of lists, qid and best_span_str)",
            ONLY_PREDICTIONS,
            _METRIC,
            prediction_reader=read_quac_predictions,
            fits=_is_quac_predictions,
        ),
        Kind(
            "haystack_results",
            "results of a pipeline of Haystack",
            ONLY_PREDICTIONS,
            _METRIC,
            prediction_reader=read_results,
            fits=lambda value, asked: is_results(value),
            order=80,
            keeps_duplicates=True,
        ),
        Kind(
            "probabilities",
            "no-answer probabilities ({id: number})",
            frozenset([PROBABILITIES]),
            _METRIC,
            prediction_reader=read_probabilities,
            fits=_is_probabilities,
            order=40,
            keeps_duplicates=True,
        ),
        Kind(
            "mapping",
            "lists of answers by id ({id: [text, ...]})",
            GOLD_AND_PREDICTIONS,
            _METRIC,
            read_lists_by_id,
            read_answers_by_id,
            fits=_is_lists_by_id,
            order=60,
            keeps_duplicates=True,
        ),
        Kind(
            "mapping",
            "predictions ({id: text})",
            ONLY_PREDICTIONS,
            _METRIC,
            prediction_reader=read_answers_by_id,
            fits=_is_answers_by_id,
            order=60,
            keeps_duplicates=True,
        ),
        Kind(
            "list",
            "a JSON list without ids",
            GOLD_AND_PREDICTIONS,
            _METRIC,
            read_plain_list,
            read_answer_list,
            fits=_is_list,
            order=60,
        ),
        Kind(
            "table",
            "a table",
            GOLD_AND_PREDICTIONS,
            _METRIC,
            read_gold_table,
            read_prediction_table,
            is_table=True,
            fits=lambda value, asked: as_answers(value),
            order=90,
        ),
    )
    roles = ANSWER_ROLES
    telling_roles = ("references", "predictions", "no_answer_probabilities")
    splits_cells = True
    compared = {"table": "references"}
    sides = ANSWER_SIDES
    may_be_others = frozenset(["answer", "label", "labels", "target", "targets"])
    either = frozenset(["answer"])
    logs = (
        LmEvalLog(
            "lm_eval",
            "the log that log_samples writes, samples_TASK_DATE.jsonl, of tasks that generate text; each of several filters is a "
            "column prediction_FILTER; with repeats, each answer to a question is a row: give the column repeat as run_id",
            ("samples_*.jsonl",),
            ("results_*.json",),
        ),
        InspectLog(
            "Inspect", "logs, .eval and .json; several epochs are runs: the column epoch as run_id", ("*.eval",)
        ),
        FlashRagLog(
            "FlashRAG", "intermediate_data.json", ("intermediate_data.json",), ("config.yaml", "metric_score.txt")
        ),
        Log("Haystack", "results of Pipeline.run() as JSON, beside a gold file: one, a list, or results by id"),
    )

    def read_predictions(self, content: Content, kind: Kind, gold: Gold, names: Names) -> Predictions:
        """As in every family; for HotpotQA also with supporting facts.

        Raises:
            FileError: also where they are not there.
        """
        predictions = super().read_predictions(content, kind, gold, names)
        if gold.kind == gold.options.get("preset") == "hotpotqa" and not _has_facts(predictions):
            raise FileError(
                content.path,
                'there are no supporting facts here; give {"answer": ..., "sp": ...}, or score answers only '
                "with preset=squad_v2",
            )
        return predictions

    def not_gold(self, kind: Kind) -> str:
        if PREDICTIONS in kind.serves:
            return f"a gold file{_ORDER}"
        if PROBABILITIES in kind.serves:
            return "a gold file; give it as no_answer_probabilities"
        if kind.name == "table":
            return 'a gold file; name its column of gold answers with columns={"references": "NAME"}'
        return "a gold file; give SQuAD, HotpotQA or DROP JSON, or a table with a column of gold answers"

    def not_predictions(self, kind: Kind) -> str:
        if kind.name == "table":
            return 'predictions; name its column of predictions with columns={"predictions": "NAME"}'
        if GOLD in kind.serves:
            return f"predictions{_ORDER}"
        if PROBABILITIES in kind.serves:
            return "predictions; give it as no_answer_probabilities"
        return "predictions; give {id: text}, or a table with a column of predictions"

    def refuse_other(self, kind: Kind, gold: Gold) -> str:
        return files_of(kind.metric).refuse_gold(gold)

    def refuse_gold(self, gold: Gold) -> str:
        return ""  # a file of answers may have any form: the family of the gold file says what it needs

    def difference(self, own: Gold, gold: Gold) -> str | None:
        def words(row: Any) -> str:
            return repr(sorted(_texts(row))) if _texts(row) else "no answer"

        return first_difference(own, gold, own.columns["references"], gold.columns["references"], _texts, words)


def _texts(row: Any) -> frozenset[str]:
    """The gold answers of a row, whatever their layout, without blanks around them."""
    answers = row["answers"] if isinstance(row, dict) and "answers" in row else row
    answers = answers.get("text", ()) if isinstance(answers, dict) else answers
    answers = answers if isinstance(answers, (list, tuple)) else [answers]
    texts = [answer.get("text") if isinstance(answer, dict) else answer for answer in answers]
    return frozenset(str(text).strip() for text in texts if text not in (None, ""))


def _has_facts(predictions: Predictions) -> bool:
    rows = predictions.columns["predictions"]
    return "predicted_facts" in predictions.columns or (
        isinstance(rows, ColumnRows) and "supporting_facts" in rows.columns
    )


FILES = AnswerFiles()
