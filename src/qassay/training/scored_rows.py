"""Gold answers of hooks and pipelines: checked before a model answers, and scored afterwards."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..core.answers import QUESTION, TEXTS
from ..core.columns import check_lengths, to_list
from ..core.groups import Groups, to_groups
from ..core.intake import Cells
from ..core.options import did_you_mean
from ..core.scores import Scores
from ..registry import FAMILIES, get_family, text_families
from .arrow_rows import Source, arrow_rows, column_names, values_of

if TYPE_CHECKING:
    import pyarrow as pa


def metric_options(metrics: Any, only_texts: bool = False) -> dict[str, Any]:
    """Metric -> its frozen options, for metrics that score the output of a model.

    Args:
        metrics: a name, names, or a dict name -> options.
        only_texts: only metrics of texts; False: label_metrics too.

    Raises:
        TypeError, ValueError: no metric, an unsupported one, or an unknown option.
    """
    if not isinstance(metrics, Mapping):
        metrics = {name: {} for name in ([metrics] if isinstance(metrics, str) else metrics)}
    available = [name for name, of in (text_families() if only_texts else FAMILIES).items() if of.scores_outputs]
    if not metrics:
        raise ValueError(f"metrics is empty; give one or more of: {', '.join(available)}")
    for name in metrics:
        if name not in available:
            near = did_you_mean(name, available)
            raise ValueError(f"no metric of answers {name!r}{near}; available: {', '.join(available)}")
    return {name: get_family(name).load()[1].from_keywords(**options) for name, options in metrics.items()}


class ScoredRows:
    """The gold answers of a data set, and the metrics that score an answer (or ranked answers) to each row.

    Args:
        golds: the gold answers of each row.
        options: metric -> its options.
        ids, questions, groups: of each row, if given; groups also as a dict by id.

    Attributes:
        blanks: the Scores of an empty answer to each row by each metric; they have all measures.

    Raises:
        TypeError, ValueError: gold answers, questions, ids or groups that cannot be scored with these options.
    """

    def __init__(
        self,
        golds: list[Any],
        options: Mapping[str, Any],
        *,
        ids: Any = None,
        questions: Any = None,
        groups: Any = None,
    ):
        self.golds, self.options, self._ids = golds, options, ids
        self.questions: list[str] | None = None
        if questions is not None:
            column = to_list(questions, "questions")
            check_lengths(references=golds, questions=column)
            self.questions = QUESTION.check(Cells(column, "questions", ()))
        self._groups: Groups | None = to_groups(groups, range(len(golds)) if ids is None else ids)
        for name, chosen in options.items():
            get_family(name).check_questions(chosen, questions is not None)
        self.blanks = [
            get_family(name).score_blank(golds, ids, self._groups, options=chosen) for name, chosen in options.items()
        ]

    def __len__(self) -> int:
        return len(self.golds)

    def score(self, answers: Sequence[Any]) -> list[Scores]:
        """The Scores of an answer to each row by each metric."""
        found = []
        for name, options in self.options.items():
            family = get_family(name)
            columns = {"questions": self.questions} if self.questions and family.reads_questions else {}
            scores = family.load()[0](
                list(answers), self.golds, self._ids, groups=self._groups, options=options, **columns
            )
            found.append(scores.require_several_groups())
        return found


def read_dataset(
    dataset: Any,
    metric: str,
    options: Any,
    inputs: Mapping[str, Sequence[Source]],
    columns: Mapping[str, Any],
    name: str,
) -> tuple["pa.Table", ScoredRows]:
    """The columns of a data set for a model to answer, and its gold answers.

    Args:
        dataset: a `datasets.Dataset`, a table, a dict of columns or a list of dicts.
        metric, options: the metric of the answers, and its options.
        inputs: argument -> the columns, or functions of a row, that are passed to the model.
        columns: argument -> column or None: `references` (also a function of a row), `ids`, `questions` (None: the column
            "question", if the metric reads questions), `groups` (also a group for each row).
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
    meanings = {"references": "gold answers", "prompt": "prompts", "inputs": "input of the model"}
    sources = [(argument, source) for argument, several in inputs.items() for source in several]
    sources += columns.items()
    needed = {
        source: f"say which column holds the {meanings.get(argument, argument)}: {argument}='...'"
        for argument, source in sources
        if isinstance(source, str)
    }
    rows = arrow_rows(dataset, name, needed, there if any(callable(source) for _, source in sources) else ())
    values = {
        argument: values_of(rows, source) if isinstance(source, str) or callable(source) else source
        for argument, source in columns.items()
    }
    return rows, ScoredRows(values.pop("references"), {metric: options}, **values)


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
