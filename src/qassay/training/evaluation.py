"""Runs a pipeline or any callable on a data set, as `evaluate.evaluator("question-answering")` did."""

from collections.abc import Callable, Mapping
from typing import Any

from tqdm import tqdm

from ..core.options import check_whole
from ..core.remarks import public
from ..core.scores import Scores
from ..core.shown import describe
from .arrow_rows import column_names, values_of
from .scored_rows import metric_options, read_dataset

_KEYS = ("answer", "generated_text", "prediction_text", "text", "summary_text", "translation_text", "label")


@public
def evaluate_pipeline(
    pipeline: Callable[..., Any],
    dataset: Any,
    metric: str = "answer_match",
    *,
    inputs: str | Mapping[str, str] | Callable[[dict[Any, Any]], Any] | None = None,
    references: str = "answers",
    ids: str | None = None,
    questions: str | None = None,
    groups: Any = None,
    batch_size: int | None = None,
    call_options: Mapping[str, Any] | None = None,
    progress: bool | None = None,
    **options: Any,
) -> Scores:
    """Run a pipeline on every question of a data set and score its answers.

    Args:
        pipeline: a pipeline of transformers (text-generation, or question answering and text2text in versions that have
            them) or any callable. It returns strings, dicts as pipelines do (answer, generated_text, ...), or lists of
            these, best first; the first counts (with the option top_k, all).
        dataset: a `datasets.Dataset`, a table, a dict of columns or a list of dicts.
        metric: "answer_match", "semantic_answer_similarity", "answer_equivalence" or "label_metrics".
        inputs: the arguments of the pipeline: a dict keyword -> column, a column, or a function of a row that returns the
            argument, such as a prompt. None: the keywords question and context if the data set has the column context,
            else the question.
        references: the column of gold answers: in the layout of SQuAD, lists of strings, or strings; labels for
            label_metrics.
        ids: the column of ids; None: "id" if there is one.
        questions: the column of questions, for metrics that read them (answer_equivalence); None: "question" if there is
            one.
        groups: the column of groups of rows, such as "title", or a group for each row; intervals then draw whole groups.
        batch_size: rows per call, passed as lists; the pipeline then returns a list. None: one call per row.
        call_options: keyword arguments of each call, such as {"max_new_tokens": 20}. Text-generation pipelines get
            return_full_text=False and do_sample=False (deterministic answers) by default.
        progress: show a progress bar on stderr; None: only if it is a terminal.
        options: of the metric.

    Returns:
        Scores of the metric, in the order of the data set.

    Raises:
        TypeError, ValueError: before the first call: a missing column, gold answers or ids that cannot be scored, an
            unknown option of the metric. Later: an invalid answer; the message has the row.

    Example:
        >>> rows = [{"id": "q1", "question": "Where?", "context": "In Rome.", "answers": {"text": ["Rome", "in Rome"]}}]
        >>> scores = evaluate_pipeline(lambda question, context: {"answer": "Rome", "score": 0.9}, rows)
        >>> scores.summary(["exact_match", "total"])
        {'exact_match': 1.0, 'total': 1}
    """
    if not callable(pipeline):
        raise TypeError(f"pipeline must be callable, got {describe(pipeline)}")
    if batch_size is not None:
        check_whole("batch_size", batch_size)
    names = column_names(dataset)
    if inputs is None:
        inputs = {"question": "question", "context": "context"} if "context" in names else "question"
    if not isinstance(inputs, (str, Mapping)) and not callable(inputs):
        raise TypeError(f"inputs must be a column, a dict keyword -> column or a callable, got {describe(inputs)}")
    # Keyword -> column; None (by position) -> a column or a function of a row.
    sources: dict[Any, Any] = dict(inputs) if isinstance(inputs, Mapping) else {None: inputs}
    chosen: Any = metric_options(metric, options)
    ids = "id" if ids is None and "id" in names else ids
    columns = {"references": references, "ids": ids, "questions": questions, "groups": groups}
    rows, scored = read_dataset(dataset, metric, chosen, {"inputs": [*sources.values()], **columns}, "dataset")
    keep_all = getattr(chosen, "top_k", None) is not None
    answers: list[Any] = []
    size = batch_size or 1
    with tqdm(total=len(rows), disable=None if progress is None else not progress, unit="row") as bar:
        for first in range(0, len(rows), size):
            batch = {keyword: values_of(rows.slice(first, size), source) for keyword, source in sources.items()}
            outputs = _call(pipeline, batch, batch_size is not None, dict(call_options or {}), first)
            answers += [_answer(output, row, keep_all) for row, output in enumerate(outputs, first)]
            bar.update(len(outputs))
    return scored.score(answers)


def _call(
    pipeline: Callable[..., Any], batch: dict[Any, Any], together: bool, options: dict[str, Any], first_row: int
) -> list[Any]:
    """The outputs of a batch of rows, one each."""
    if getattr(pipeline, "task", None) == "text-generation":
        options.setdefault("return_full_text", False)
        options.setdefault("do_sample", False)
    given = batch if together else {word: values[0] for word, values in batch.items()}
    if together and hasattr(pipeline, "_preprocess_params"):  # of transformers, which else takes rows one by one
        options.setdefault("batch_size", len(next(iter(batch.values()))))
    n = len(next(iter(batch.values())))
    positional = [given.pop(None)] if None in given else []
    outputs = pipeline(*positional, **given, **options)
    if not together:
        return [outputs]
    if n == 1 and isinstance(outputs, Mapping):  # as question answering pipelines return a batch of one
        outputs = [outputs]
    if not isinstance(outputs, (list, tuple)) or len(outputs) != n:
        got = f"{len(outputs)} outputs" if isinstance(outputs, (list, tuple)) else describe(outputs)
        raise ValueError(
            f"dataset[{first_row}]: the pipeline was called with lists of {n} rows and returned {got}; omit batch_size "
            "for a call per row"
        )
    return list(outputs)


def _answer(output: Any, row: int, keep_all: bool) -> Any:
    """The text of an output, or the texts of ranked outputs."""
    outputs = output if isinstance(output, (list, tuple)) else [output]
    if not outputs and not keep_all:
        raise ValueError(f"dataset[{row}]: the pipeline returned an empty list; return '' for no answer")
    texts = [_text(one, row) for one in (outputs if keep_all else outputs[:1])]
    return texts if keep_all else texts[0]


def _text(output: Any, row: int) -> str:
    text = output
    if isinstance(output, Mapping):
        key = next((key for key in _KEYS if key in output), None)
        if key is None:
            raise ValueError(
                f"dataset[{row}]: the pipeline returned a dict with the keys {', '.join(map(str, output)) or 'none'}; "
                f"it requires one of: {', '.join(_KEYS)}"
            )
        text = output[key]
        if isinstance(text, (list, tuple)) and text and isinstance(text[-1], Mapping):  # a chat: its last message
            text = text[-1].get("content")
    if not isinstance(text, str):
        raise TypeError(f"dataset[{row}]: the pipeline returned {describe(text)} instead of a text")
    return text.strip()
