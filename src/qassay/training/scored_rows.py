"""The rows of a data set that a model will answer: checked before it does, and scored afterwards."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..core.columns import is_table, question_texts
from ..core.groups import to_groups
from ..core.options import did_you_mean
from ..core.scores import Scores
from ..core.shown import shown
from ..registry import FAMILIES, get_family
from .arrow_rows import ArrowRows


class ScoredRows:
    """The gold answers of a data set, and the metric that scores one answer, or ranked answers, to each.

    Args:
        dataset: a `datasets.Dataset`, a table, a dict of columns or a list of dicts.
        metric, options: the metric, one that scores what a model writes, and its options.
        references: the column of gold answers, or a function of a row that returns them.
        ids, questions: the columns of ids and questions. None: no ids; the column "question" where the metric reads questions
            and there is one.
        groups: the column of groups, or a label for each row.
        inputs: the columns of what the model is given -> what to do if one is missing.
        optional: further columns, read if present; functions get those of all columns.
        limit: the number of rows, from the first; None: all.
        name: of the data set, for messages.

    Attributes:
        rows: the columns.
        golds: the gold answers of each row.
        blank: Scores of an empty answer to each row, which have the measures that any answers get.

    Raises:
        TypeError, ValueError: a missing column, gold answers, questions, ids or options that cannot be scored.
    """

    def __init__(
        self,
        dataset: Any,
        metric: str,
        options: Mapping[str, Any],
        *,
        references: str | Callable[[dict[str, Any]], Any],
        ids: str | None,
        questions: str | None,
        groups: Any,
        inputs: Mapping[str, str],
        optional: Sequence[str] = (),
        limit: int | None = None,
        name: str = "dataset",
    ):
        metrics = [family for family in FAMILIES if FAMILIES[family].scores_outputs]
        if metric not in metrics:
            raise ValueError(
                f"no metric of answers {shown(metric)}{did_you_mean(metric, metrics)}; available: {', '.join(metrics)}"
            )
        self.family = get_family(metric)
        self._function, options_class = self.family.load()
        self.options = options_class.from_keywords(**options)
        if questions is not None and not self.family.reads_questions:
            raise ValueError(f"{metric} does not read questions; omit questions={questions!r}")
        if questions is None and self.family.reads_questions and "question" in column_names(dataset):
            questions = "question"
        advice = dict(inputs)
        if isinstance(references, str):
            advice[references] = "say which column holds the gold answers: references='...'"
        for argument, column in {"ids": ids, "questions": questions, "groups": groups}.items():
            if isinstance(column, str):
                advice[column] = f"say which column holds the {argument}: {argument}='...'"
        self.rows = ArrowRows(dataset, name, advice, optional)
        self._n = len(self.rows) if limit is None else min(limit, len(self.rows))
        self._names = [column for column in (*advice, *optional) if column in self.rows]
        if not self._n:
            raise ValueError(f"{name} has no rows")
        self.golds = self.values(references)
        self._ids = self.values(ids) if ids else None
        self._questions = {}
        if questions:
            self._questions = {"questions": question_texts(self.values(questions), f"{name}: {questions}", ())}
        labels = self.values(groups) if isinstance(groups, str) else groups
        if labels is not None and limit is not None:
            labels = list(labels)[:limit]
        self._groups = to_groups(labels, self.golds, self._ids or range(self._n))
        self.family.check_questions(self.options, bool(self._questions))
        self.blank = self.family.score_blank(self.golds, self._ids, self._groups, options=self.options)

    def __len__(self) -> int:
        return self._n

    def values(self, source: str | Callable[[dict[str, Any]], Any]) -> list[Any]:
        """The values of a column of these rows, or what a function returns for each row, a dict."""
        if isinstance(source, str):
            values: list[Any] = self.rows.read(source, 0, self._n).to_pylist()
            return values
        columns = {name: self.values(name) for name in dict.fromkeys(self._names)}
        return [source(dict(zip(columns, row, strict=True))) for row in zip(*columns.values(), strict=True)]

    def score(self, answers: Sequence[Any]) -> Scores:
        """The Scores of an answer to each row."""
        scores: Scores = self._function(
            list(answers), self.golds, self._ids, groups=self._groups, options=self.options, **self._questions
        )
        return scores.require_several_groups()


def column_names(dataset: Any) -> list[str]:
    """The names of the columns of a data set, a table, a dict of columns or a list of dicts."""
    if isinstance(dataset, Mapping):
        return list(dataset)
    if is_table(dataset):
        schema = getattr(dataset, "schema", None)
        return list(getattr(dataset, "column_names", None) or (schema.names if schema is not None else dataset.columns))
    first = dataset[0] if isinstance(dataset, Sequence) and len(dataset) else {}
    return list(first) if isinstance(first, Mapping) else []
