"""Logs of lm_eval (`--log_samples`): a line for each question and filter, with gold answer and output of the model."""

from collections.abc import Iterable
from typing import Any

from ...core.columns import spelled
from ...core.written import python_value
from ..logs import Log, Row, gold_cell, with_prefix
from ..reading import QUESTION_NAMES, FileError

_NONE = ("", "None", None)  # targets of a task without gold answers


def _has_row(row: Row) -> bool:
    return {"doc_id", "target", "resps", "filtered_resps"} <= row.keys()


def _samples(path: str, value: Row) -> Iterable[Row]:
    """The only sample of a log with one line."""
    if _has_row(value):
        return [value]
    raise FileError(path, "this has results of lm_eval and no answers; give samples_TASK_DATE.jsonl of --log_samples")


def _row(sample: Row) -> Row:
    """A row with id (`doc_id`), question, gold_answers, filter, prediction, `doc_hash`, the fields of the question as
    `doc.NAME`, and `resps`, the answers before the filter.
    """
    answers, resps, doc = sample.get("filtered_resps"), sample.get("resps"), sample.get("doc")
    if not isinstance(answers, list) or not isinstance(resps, list) or not {"doc_id", "target"} <= sample.keys():
        raise ValueError("lacks doc_id, target, resps or filtered_resps; write the log again")
    if len(answers) != 1 or _are_likelihoods(sample.get("arguments")):
        raise ValueError(
            "has log-likelihoods or answers to several prompts, as tasks with multiple choice have; give the log of a "
            "task with output_type: generate_until"
        )
    fields = doc if isinstance(doc, dict) else {}
    questions = [text for name, text in fields.items() if spelled(name) in QUESTION_NAMES and isinstance(text, str)]
    return {
        "id": sample["doc_id"],
        **{"question": text for text in questions[:1]},
        "gold_answers": gold_cell(_gold_answers(sample["target"], fields)),
        "filter": str(sample.get("filter", "none")),
        "prediction": _alone(answers[0]),
        "resps": _alone(resps[0]) if resps else None,
        **{name: sample[name] for name in ("doc_hash",) if name in sample},
        **with_prefix("doc", doc),
    }


def _rows(path: str, rows: list[Row]) -> list[Row]:
    """One row for each question, with a column `prediction_NAME` for each of several filters, or for each of its answers,
    as from repeats, numbered by the column `repeat`; without `resps` where they say nothing more.
    """
    by_filter: dict[str, list[Row]] = {}
    for row in rows:
        by_filter.setdefault(row.pop("filter"), []).append(row)
    kept = next(iter(by_filter.values()))
    unread = {"gold_answers"} if all(row["gold_answers"] in _NONE for row in kept) else set()
    if len(by_filter) > 1 or all(row["prediction"] == row["resps"] for row in kept):
        unread.add("resps")
    columns: dict[str, list[Any]] = {}
    for name, of_filter in by_filter.items():
        if [row["id"] for row in of_filter] != [row["id"] for row in kept]:
            message = f"the filters {next(iter(by_filter))} and {name} do not have the same questions"
            raise FileError(path, f"{message} in this log of lm_eval; is its end missing?")
        column = f"prediction_{name}" if len(by_filter) > 1 else "prediction"
        columns[column] = [row.pop("prediction") for row in of_filter]
    if "resps" not in unread:
        columns["resps"] = [row["resps"] for row in kept]
    kept = [{name: cell for name, cell in row.items() if name not in unread} for row in kept]
    answers = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    counts = {len(cell) if isinstance(cell, list) else 1 for cells in columns.values() for cell in cells}
    if len(counts) > 1 or counts == {1}:
        return [row | of for row, of in zip(kept, answers, strict=True)]
    return [
        {**row, **{name: cells[number] for name, cells in of.items()}, "repeat": number + 1}
        for row, of in zip(kept, answers, strict=True)
        for number in range(*counts)
    ]


def _alone(answers: Any) -> Any:
    """The only answer of a list; several answers unchanged."""
    return answers[0] if isinstance(answers, list) and len(answers) == 1 else answers


def _are_likelihoods(arguments: Any) -> bool:
    """Whether the request was for likelihoods: a text and a continuation, or a text alone; otherwise it ends with options."""
    prompts = list(arguments.values()) if isinstance(arguments, dict) else arguments or []
    first = prompts[0] if prompts else None
    parts = list(first.values()) if isinstance(first, dict) else first
    return isinstance(parts, list) and isinstance(parts[-1], str)


def _gold_answers(target: Any, doc: Row) -> Any:
    """A target as a text, a list of texts, or a list of answers with several spans: lm_eval writes all targets as text,
    with lists, tuples, dicts and arrays in Python syntax.

    A text that occurs in the question is not a list, and lists of numbers and dicts without texts count only if the
    question contains them; scoring refuses such a dict. If the target is the joined keys of a dict, as in the task
    `drop`, the gold answers are the field `answers` of the question, without it the dict itself.
    """
    fields = list(doc.values())
    if isinstance(target, str) and target in fields:
        return target
    dicts = [field for field in fields if isinstance(field, dict) and len(field) > 1]
    joined = next((field for field in dicts if target in (",".join(field), ", ".join(field))), None)
    value = _texts_in(python_value(target) if joined is None else doc.get("answers", joined))
    if isinstance(target, str) and joined is None and value not in fields and not _are_answers(value):
        return target
    are_plain = isinstance(value, list) and not any(isinstance(item, (list, dict)) for item in value)
    return list(map(str, value)) if are_plain else value


def _texts_in(value: Any) -> Any:
    """The texts in an answer of SQuAD (`text`), an entity (`value`, `aliases`), or a list of texts in lists."""
    if isinstance(value, (list, tuple, set)):
        items = list(map(_texts_in, value))
        are_single = all(isinstance(item, list) and len(item) == 1 for item in items)
        return [item for (item,) in items] if are_single else items
    if not isinstance(value, dict):
        return value
    if "text" in value:
        return _texts_in(value["text"])
    name, aliases = value.get("value"), _texts_in(value.get("aliases"))
    if not isinstance(aliases, list):
        return value
    return [name, *aliases] if isinstance(name, str) and name not in aliases else aliases


def _are_answers(value: Any) -> bool:
    """Whether this is a list of texts and of lists of texts."""
    return isinstance(value, list) and all(isinstance(item, str) or _are_answers(item) for item in value)


LOG = Log(
    "log of lm_eval",
    _has_row,
    _row,
    _rows,
    is_whole=lambda value: {"results", "configs", "versions", "n-shot"} <= value.keys(),
    samples=_samples,
    file_patterns=("samples_*.jsonl",),
)
