"""What tables, documents and pages need to know of the scores of a metric: plain data, and functions where a metric has them."""

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from .examples import Examples, ExampleText, JudgedDocument, ScoreReason, of_examples

if TYPE_CHECKING:
    from .file_columns import Gold
    from .scores import Scores

PASSAGE_GROUPS = {
    "article": "questions about one article, by the column title",
    "paragraph": "questions about one paragraph, by the column context",
}
USUAL_SLICES = ("question_word", "error_kind")
SYSTEM_SLICES = ("error_kind", "missing")
_PASSAGE_COLUMNS = {"article": "title", "paragraph": "context"}
_NOTES = {
    "missing": "without a prediction: scored 0",
    "skipped": "without a prediction: omitted",
    "unmatched": "predicted under an id that no gold answer has: omitted",
    "duplicates": "given again under a repeated id: omitted",
}

Texts = tuple[list[list[str]], list[list[str]]]  # the gold answers and the answers, as texts, of each example
Slices = dict[str, Callable[[], Sequence[str]]]  # name -> labels, one per example of scores
Groupings = dict[str, Callable[[], Sequence[Any]]]  # name -> labels, one per row of a gold file
Cells = dict[str, list[Any]]  # name -> one value per row


@dataclasses.dataclass(frozen=True)
class ErrorKinds:
    """The kinds of errors of a metric.

    Attributes:
        meanings: kind -> a sentence that describes the answer; best first.
        right: kinds that are not errors: right answers, and examples without a possible right answer.
        of_examples: the kind of each example of scores; None: these scores have no kinds.
    """

    meanings: Mapping[str, str]
    right: tuple[str, ...]
    of_examples: Callable[["Scores"], list[str] | None]

    @property
    def order(self) -> tuple[str, ...]:
        """The kinds, best first."""
        return (*self.meanings,)

    def of(self, scores: "Scores") -> list[str] | None:
        """The kind of each example; None for scores without kinds, such as buckets of examples or several runs."""
        return self.of_examples(scores) if scores.rows_are_examples else None


class RankColumn(NamedTuple):
    """The column with the rank of the first correct item."""

    column: str  # of reciprocal ranks
    title: str  # the axis title, such as "Rank of the first relevant document"
    examples: str  # the counted things, in the plural


def all_rates(scores: "Scores") -> list[str]:
    """All measures but counts and thresholds."""
    return [name for name, measure in scores.measures.items() if measure.is_rate]


def passage_groups(gold: "Gold") -> Groupings:
    """The groups of `PASSAGE_GROUPS` in a gold file, from its column of titles or contexts."""
    columns = {name: column for name, column in _PASSAGE_COLUMNS.items() if column in gold.details}
    return {name: lambda column=column: gold.details[column] for name, column in columns.items()}  # type: ignore[misc]


@dataclasses.dataclass(frozen=True)
class About:
    """What is known of the scores of a metric.

    Attributes:
        meanings: measure -> its meaning, for measures whose names do not explain it.
        titles: measure without cutoff -> its usual written name, if `measure_title` does not know it.
        at_cutoff: what to add to the meaning of a measure with a cutoff `{k}`, if the meaning does not mention it.
        groups: prefixes of measures; a table separates the groups with a line.
        formats: output formats in addition to every metric's: name -> writer of (tag, scores, names of `--measures`,
            whether every example is requested) of one system.
        usual_slices: slices and subsets that the help of `--by` lists.
        system_slices: slices and subsets that depend on the answers of a system, so groups differ between systems.
        report_slices: the default slices of a comparison report.
        group_names: named groups for intervals and tests, besides the columns of the gold file: name -> which examples
            belong together; a gold file may lack the data for some.
        examples_name: the word for the examples, in the plural.
        answers_are: "texts", whose words can be compared with the words of the gold answers; "labels", each right or
            wrong; "documents", ranked; or both texts and documents.
        errors: its kinds of errors.
        usual_measures: the default measures of a table.
        first_measures: the default measures of a slice; None: the first two of a table.
        may_have: whether the metric may have a measure of a name.
        shown_measures: the measures of a report for the names given to `--measures`; None: the usual measures.
        notes: from options, the words that follow a count in a note about a system.
        more_notes: further counts of scores.
        more_slices: slices besides question words, kinds of errors, subsets and details of the gold file.
        groups_of: the groups of `group_names` in a gold file.
        texts: the gold answers and the answers of selected examples.
        whole_texts: the text from which each answer was extracted, with the option `extract`.
        texts_in_scores: whether, with some options, scores hold all of `texts`, so that no columns are needed.
        cells: the gold answers and the answers for a table with a row per example.
        reasons: the reasons for the score of each example, the strongest ones first, at most so many.
        documents: the top documents of each example, at most so many, where answers are documents.
        first_right_ranks: the column with the rank of the first correct item; None if the scores have none.
        class_values: the F1 of each class: label -> a result with `value` (0 to 1) and `support`.
        precision_recall: class (None where each example has one score), precisions and recalls of each curve.
        answerability: gives the module that decides when to withhold an answer, whose functions take scores first:
            `has_no_answer_probabilities`, `swept_measures`, `threshold_curve` of a measure, and `reliability`.
    """

    meanings: Mapping[str, str] = dataclasses.field(default_factory=dict)
    titles: Mapping[str, str] = dataclasses.field(default_factory=dict)
    at_cutoff: str = ""
    groups: tuple[str, ...] = ()
    formats: Mapping[str, Callable[[str, "Scores", Sequence[str] | None, bool], str]] = dataclasses.field(
        default_factory=dict
    )
    usual_slices: tuple[str, ...] = USUAL_SLICES
    system_slices: tuple[str, ...] = SYSTEM_SLICES
    report_slices: tuple[str, ...] = ("question_word",)
    group_names: Mapping[str, str] = dataclasses.field(default_factory=dict)
    examples_name: str = "examples"
    answers_are: tuple[str, ...] = ()
    errors: ErrorKinds = ErrorKinds({}, (), lambda scores: None)
    usual_measures: Callable[["Scores"], list[str]] = all_rates
    first_measures: Callable[["Scores"], list[str]] | None = None
    may_have: Callable[[str], bool] = lambda name: True
    shown_measures: Callable[[Sequence[str] | None, "Scores"], Sequence[str] | None] = lambda names, scores: names
    notes: Callable[[Any], Mapping[str, str]] = lambda options: {}
    more_notes: Callable[["Scores"], Mapping[str, int]] = lambda scores: {}
    more_slices: Callable[["Gold", "Scores"], Slices] = lambda gold, scores: {}
    groups_of: Callable[["Gold"], Groupings] = lambda gold: {}
    texts: Callable[[Examples], Texts] | None = None
    whole_texts: Callable[[Examples], list[str | None]] | None = None
    texts_in_scores: Callable[[Any], bool] = lambda options: False
    cells: Callable[[Examples], Cells] | None = None
    reasons: Callable[[Examples, int], list[list[ScoreReason]]] | None = None
    documents: Callable[[Examples, int], list[list[JudgedDocument]]] | None = None
    first_right_ranks: Callable[["Scores"], RankColumn | None] = lambda scores: None
    class_values: Callable[["Scores"], dict[Any, Any]] = lambda scores: {}
    precision_recall: Callable[["Scores"], Iterator[tuple[Any, Any, Any]]] = lambda scores: iter(())
    answerability: Callable[[], Any] | None = None

    def main_measures(self, scores: "Scores") -> list[str]:
        """The default measures of a slice."""
        return self.usual_measures(scores)[:2] if self.first_measures is None else self.first_measures(scores)

    def note_words(self, options: Any) -> dict[str, str]:
        """The words that follow each count in a note about a system."""
        return {**_NOTES, **self.notes(options)}

    def notes_of(self, scores: "Scores") -> dict[str, int]:
        """The counts that are not zero: subsets that have words, and notes of the scores."""
        words = self.note_words(scores.options)
        sizes = {name: int(scores.subsets[name].sum()) for name in words if name in scores.subsets}
        return {name: count for name, count in {**sizes, **scores.notes, **self.more_notes(scores)}.items() if count}

    def slices(self, gold: "Gold", scores: "Scores") -> Slices:
        """The slices offered besides subsets and details of the gold file."""
        slices: Slices = {}
        if "question" in gold.details:
            from .slices import question_word

            questions = gold.details["question"]
            slices["question_word"] = lambda: of_examples(question_word(questions), gold, scores)
        kinds = self.errors.of(scores)
        if kinds is not None:
            slices["error_kind"] = lambda: kinds
        return {**slices, **self.more_slices(gold, scores)}

    def example_texts(self, examples: Examples) -> list[ExampleText]:
        """The question, the gold answers, the answers and the output of selected examples."""
        if not len(examples.rows) or self.texts is None:
            return []
        whole: list[str | None] = [None] * len(examples.rows)
        if self.whole_texts is not None and getattr(examples.scores.options, "extract", None) is not None:
            whole = [None if text is None else str(text) for text in self.whole_texts(examples)]
        return [
            ExampleText(question, list(dict.fromkeys(right)), given, output)
            for question, right, given, output in zip(examples.questions, *self.texts(examples), whole, strict=True)
        ]

    def answer_cells(self, examples: Examples) -> Cells:
        """The gold answers and the answers for a table with a row per example; {} where the statistics have them."""
        if self.cells is not None:
            return self.cells(examples)
        golds, answers = ([], []) if self.texts is None else self.texts(examples)
        return {"gold_answers": golds, "prediction": answers}
