"""Gold answers of hooks and pipelines: checked before a model answers, and scored afterwards."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..core.answers import QUESTION, TEXTS
from ..core.columns import check_lengths, to_list
from ..core.groups import Groups, to_groups
from ..core.intake import Cells
from ..core.options import did_you_mean
from ..core.scores import Scores
from ..registry import FAMILIES, Family, get_family
from .arrow_rows import arrow_rows, column_names, values_of

if TYPE_CHECKING:
    import pyarrow as pa


def metric_options(metric: str, options: Mapping[str, Any], families: Mapping[str, Family] = FAMILIES) -> Any:
    """The frozen options of a metric, one of these families, that scores the output of a model.

    Raises:
        TypeError, ValueError: an unsupported metric, or an unknown option.
    """
    available = [name for name, of in families.items() if of.scores_outputs]
    if metric not in available:
        near = did_you_mean(metric, available)
        raise ValueError(f"no metric of answers {metric!r}{near}; available: {', '.join(available)}")
    return get_family(metric).load()[1].from_keywords(**options)


class ScoredRows:
    """The gold answers of a data set, and the metric that scores an answer (or ranked answers) to each row.

    Args:
        golds: the gold answers of each row.
        metric, options: the metric, and its options.
        ids, questions, groups: of each row, if given; groups also as a dict by id.

    Attributes:
        blank: the Scores of an empty answer to each row; they have all measures.

    Raises:
        TypeError, ValueError: gold answers, questions, ids or groups that cannot be scored with these options.
    """

    def __init__(
        self, golds: list[Any], metric: str, options: Any, *, ids: Any = None, questions: Any = None, groups: Any = None
    ):
        self.golds, self.options, self._ids, self._family = golds, options, ids, get_family(metric)
        self._questions: list[str] | None = None
        if questions is not None:
            column = to_list(questions, "questions")
            check_lengths(references=golds, questions=column)
            self._questions = QUESTION.check(Cells(column, "questions", ()))
        self._family.check_questions(options, questions is not None)
        self._groups: Groups | None = to_groups(groups, range(len(golds)) if ids is None else ids)
        self.blank = self._family.score_blank(golds, ids, self._groups, options=options)

    def __len__(self) -> int:
        return len(self.golds)

    def score(self, answers: Sequence[Any]) -> Scores:
        """The Scores of an answer to each row."""
        columns = {"questions": self._questions} if self._questions and self._family.reads_questions else {}
        function, _ = self._family.load()
        scores = function(list(answers), self.golds, self._ids, groups=self._groups, options=self.options, **columns)
        return scores.require_several_groups()


def read_dataset(
    dataset: Any, metric: str, options: Any, columns: Mapping[str, Any], name: str
) -> tuple["pa.Table", ScoredRows]:
    """The columns of a data set for a model to answer, and its gold answers.

    Args:
        dataset: a `datasets.Dataset`, a table, a dict of columns or a list of dicts.
        metric, options: the metric of the answers, and its options.
        columns: argument -> column or None: `references` (also a function of a row), `ids`, `questions` (None: the column
            "question", if the metric reads questions), `groups` (also a group for each row); any other argument -> the
            columns, or functions of a row, that are passed to the model.
        name: the name of the data set in messages.

    Raises:
        TypeError, ValueError: a missing column, no rows, gold answers, questions, ids or groups that cannot be scored.
    """
    there, columns = column_names(dataset), dict(columns)
    reads_questions = get_family(metric).reads_questions
    if columns["questions"] is not None and not reads_questions:
        raise ValueError(f"{metric} does not read questions; omit questions={columns['questions']!r}")
    if columns["questions"] is None and reads_questions and "question" in there:
        columns["questions"] = "question"
    of_gold = {role: columns.pop(role) for role in ("references", "ids", "questions", "groups")}
    sources = [(argument, source) for argument, several in columns.items() for source in several]
    sources += of_gold.items()
    needed = {source: f"say which it is: {argument}='...'" for argument, source in sources if isinstance(source, str)}
    rows = arrow_rows(dataset, name, needed, there if any(callable(source) for _, source in sources) else ())
    values = {
        role: values_of(rows, source) if isinstance(source, str) or callable(source) else source
        for role, source in of_gold.items()
    }
    return rows, ScoredRows(values.pop("references"), metric, options, **values)


def read_golds(references: Any, ids: Sequence[Any] | None = None) -> list[list[str]]:
    """Gold answers as lists of strings, a list per row.

    Args:
        references: strings, lists of strings ("" and []: no answer) or rows of SQuAD's column answers.
        ids: of the rows, for messages.

    Raises:
        TypeError, ValueError: an invalid answer; the message has the row.
    """
    if isinstance(references, Mapping):
        raise TypeError(
            "references are a dict, but answers have no ids; give a list in the order of the data set, or for several data "
            "sets one hook each: DataSets({name: hook, ...})"
        )
    rows = to_list(references, "references")
    if any(isinstance(row, (list, tuple, Mapping)) for row in rows):
        rows = [([row] if row else []) if isinstance(row, str) else row for row in rows]
    golds: list[list[str]] = TEXTS.check(Cells(rows, "references", range(0) if ids is None else ids))
    return golds
