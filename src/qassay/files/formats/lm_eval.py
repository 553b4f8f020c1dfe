"""Logs of lm_eval (`--log_samples`): one line for each question and filter, with the gold answer and the output of the
model.
"""

import re
from collections.abc import Iterable
from typing import Any

from ...core.columns import spelled
from ...core.remarks import remark
from ...core.written import python_value
from ..logs import Log, Row, gold_cell, with_prefix
from ..reading import QUESTION_NAMES, FileError

_DATE = re.compile(r"_\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d+$")
_NONE = ("", "None", None)  # targets of a task without gold answers


class LmEvalLog(Log):
    """Rows with id (`doc_id`), question, gold_answers, prediction, `doc_hash`, the fields of the question as `doc.NAME`, and
    `resps`, the answers before the filter if they differ. With several filters, each has a column `prediction_NAME`.
    With several answers to a question, as from repeats, each has a row, numbered by the column `repeat`.
    """

    name = "log of lm_eval"
    line_mark = b'{"doc_id": '
    question_columns = "question", "doc_hash"

    def file_name(self, stem: str) -> str:
        return _DATE.sub("", stem)

    def has_row(self, row: Row) -> bool:
        return {"doc_id", "target", "resps", "filtered_resps"} <= row.keys()

    def is_whole(self, value: Row) -> bool:
        return {"results", "configs", "versions", "n-shot"} <= value.keys()

    def samples(self, path: str, value: Row) -> Iterable[Row]:
        """The only sample of a log with one line.

        Raises:
            FileError: the file contains results, which have no answers.
        """
        if self.has_row(value):
            return [value]
        message = (
            "this file of lm_eval has results and no answers; give samples_TASK_DATE.jsonl, which --log_samples writes"
        )
        raise FileError(path, message)

    def row(self, sample: Row) -> Row:
        """The row of a question and a filter.

        Raises:
            ValueError: no text answers, as in a multiple-choice task, or answers to several prompts.
        """
        answers, resps, doc = sample.get("filtered_resps"), sample.get("resps"), sample.get("doc")
        if not isinstance(answers, list) or not isinstance(resps, list) or not {"doc_id", "target"} <= sample.keys():
            raise ValueError("lacks doc_id, target, resps or filtered_resps; write the log again")
        if _are_likelihoods(sample.get("arguments"), answers):
            raise ValueError(
                "has log-likelihoods and no answer in text, as tasks with multiple choice have; give the log of a task with "
                "output_type: generate_until"
            )
        if len(answers) != 1:
            raise ValueError(f"has answers to {len(answers)} prompts; give a log with one prompt for each question")
        fields = doc if isinstance(doc, dict) else {}
        return {
            "id": sample["doc_id"],
            **_question_of(fields),
            "gold_answers": gold_cell(_gold_answers(sample["target"], fields)),
            "filter": str(sample.get("filter", "none")),
            "exact_match": sample.get("exact_match"),  # how lm_eval counts the answer
            "prediction": _alone(answers[0]),
            "resps": _alone(resps[0]) if resps else None,
            **({"doc_hash": sample["doc_hash"]} if "doc_hash" in sample else {}),
            **with_prefix("doc", doc),
        }

    def rows(self, path: str, rows: list[Row]) -> list[Row]:
        """One row for each question, or for each of its answers, with a column for each filter.

        Raises:
            FileError: the filters do not have the same questions.
        """
        by_filter: dict[str, list[Row]] = {}
        for row in rows:
            by_filter.setdefault(row.pop("filter"), []).append(row)
        counted = {id(row): row.pop("exact_match") for row in rows}
        first, *others = by_filter
        kept = by_filter[first]
        for name in others:
            if [row["id"] for row in by_filter[name]] != [row["id"] for row in kept]:
                message = f"the filters {first} and {name} of this {self.name} do not have the same questions"
                raise FileError(path, f"{message}; is its end missing?")
        if all(row["gold_answers"] in _NONE for row in kept):
            for row in kept:
                del row["gold_answers"]
        _tell_choices(path, kept, [counted[id(row)] for row in kept])
        if others or all(row["prediction"] == row["resps"] for row in kept):
            for row in kept:
                del row["resps"]
        answers = {f"prediction_{name}" if others else "prediction": of for name, of in by_filter.items()}
        columns = {name: [row["prediction"] for row in of] for name, of in answers.items()}
        for index, row in enumerate(kept):
            del row["prediction"]
            row.update((name, cells[index]) for name, cells in columns.items())
        return _by_repeat(kept, [*columns, "resps"])


def _tell_choices(path: str, rows: list[Row], counted: list[Any]) -> None:
    """Warn if targets are numbers of choices: all are places in a list of the question, but not all answers are
    numbers; or lm_eval counts answers without the number as right. The log does not say which text the task compares.
    """
    golds, first = [row.get("gold_answers") for row in rows], rows[0]
    if not all(isinstance(gold, str) and gold.isdecimal() and len(gold) < 4 for gold in golds):
        return
    answers = [str(row["prediction"]) for row in rows]
    lists = [
        name
        for name in first
        if name.startswith("doc.")
        and all(isinstance(row.get(name), list) and int(row["gold_answers"]) < len(row[name]) for row in rows)
    ]
    elsewhere = any(
        right == 1 and str(gold) not in answer for right, gold, answer in zip(counted, golds, answers, strict=True)
    )
    if elsewhere or lists and not all(answer.strip().isdecimal() for answer in answers):
        indices = f"places in {lists[0]}" if lists else "numbers of choices"
        message = f"the gold answers are numbers, which may be {indices}, but not all answers are numbers"
        remark(f"{path}: {message}; give a gold file with the texts, if so")


def _by_repeat(rows: list[Row], columns: list[str]) -> list[Row]:
    """One row for each answer to a question, if all questions have the same number of answers; else the rows
    unchanged.
    """
    cells = [row[name] for row in rows for name in columns if name in row]
    counts = {len(cell) if isinstance(cell, list) else 1 for cell in cells}
    if len(counts) > 1 or counts == {1}:
        return rows
    each = {name for name in columns if name in rows[0]}
    return [
        {**row, **{name: row[name][number] for name in each}, "repeat": number + 1}
        for row in rows
        for number in range(*counts)
    ]


def _question_of(doc: Row) -> Row:
    found = (text for name, text in doc.items() if spelled(name) in QUESTION_NAMES and isinstance(text, str))
    return {"question": text for text in list(found)[:1]}


def _alone(answers: Any) -> Any:
    """The only answer of a list; several answers unchanged."""
    return answers[0] if isinstance(answers, list) and len(answers) == 1 else answers


def _are_likelihoods(arguments: Any, answers: list[Any]) -> bool:
    """Whether the request was for likelihoods: a text and a continuation, or a text alone; otherwise it has options."""
    prompts = list(arguments.values()) if isinstance(arguments, dict) else arguments
    if isinstance(prompts, list) and prompts and isinstance(prompts[0], (dict, list)):
        of_prompt = list(prompts[0].values()) if isinstance(prompts[0], dict) else prompts[0]
        return len(of_prompt) < 2 or isinstance(of_prompt[1], str)
    return all(isinstance(answer, list) and str(answer[-1:]) in _GREEDY for answer in answers)


_GREEDY = ("['True']", "['False']", "[True]", "[False]")


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
    keys_of = next((field for field in fields if isinstance(field, dict) and _joins_keys(target, field)), None)
    value = _texts_in(python_value(target) if keys_of is None else doc.get("answers", keys_of))
    if isinstance(target, str) and keys_of is None and value not in fields and not _are_answers(value):
        return target
    are_plain = isinstance(value, list) and not any(isinstance(item, (list, dict)) for item in value)
    return list(map(str, value)) if are_plain else value


def _joins_keys(target: Any, field: Row) -> bool:
    return len(field) > 1 and target in (",".join(field), ", ".join(field))


def _texts_in(value: Any) -> Any:
    """The texts in an answer of SQuAD (`text`), an entity (`value`, `aliases`), or a list of texts in lists."""
    if isinstance(value, (list, tuple, set)):
        items = list(map(_texts_in, value))
        return (
            [item for (item,) in items] if all(isinstance(item, list) and len(item) == 1 for item in items) else items
        )
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


LOG = LmEvalLog(("samples_*.jsonl",), ("results_*.json",))
