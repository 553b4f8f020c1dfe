"""Describes the output of a metric family: its measures, slices, kinds of errors and examples in tables, reports and
pages.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from .examples import Examples, ExampleText, JudgedDocument, ScoreReason, asked_texts, of_examples

if TYPE_CHECKING:
    from .file_columns import Gold
    from .scores import Scores

PASSAGE_GROUPS = {
    "article": "questions about one article, by the column title",
    "paragraph": "questions about one paragraph, by the column context",
}
_PASSAGE_COLUMNS = {"article": "title", "paragraph": "context"}

Sides = tuple[list[list[str]], list[list[str]]]  # the gold answers and the answers, as texts, of each example
Slices = dict[str, Callable[[], Sequence[str]]]  # name -> labels, one per example of scores
Groupings = dict[str, Callable[[], Sequence[Any]]]  # name -> labels, one per row of a gold file


class ErrorKinds(NamedTuple):
    """The kinds of errors of a family."""

    meanings: Mapping[str, str]  # kind -> a sentence that describes the answer; best first
    right: tuple[str, ...]  # kinds that are not errors: right answers, and examples without a possible right answer
    of_examples: Callable[["Scores"], list[str] | None]  # the kind of each example; None: these scores have no kinds

    @property
    def order(self) -> tuple[str, ...]:
        """The kinds, best first."""
        return (*self.meanings,)

    def of(self, scores: "Scores") -> list[str] | None:
        """The kind of each example; None for scores without kinds, such as buckets of examples or several runs."""
        return self.of_examples(scores) if scores.tells_examples else None


class RankColumn(NamedTuple):
    """The column with the rank of the first correct item."""

    column: str  # of reciprocal ranks
    title: str  # the axis title, such as "Rank of the first relevant document"
    examples: str  # the counted things, in the plural


class Telling:
    """Describes the output of a family. Subclasses override what differs.

    Attributes:
        meanings: measure -> its meaning, for measures whose names do not explain it.
        titles: measure without cut-off -> its usual written name, if `measure_title` does not know it.
        at_cut_off: what to add to the meaning of a measure with a cut-off `{k}`, if the meaning does not mention it.
        groups: prefixes of measures; a table separates the groups with a line.
        formats: output formats in addition to every family's: name -> writer of (tag, scores, names of `--measures`,
            whether every example is wanted) of one system.
        official_numbers: the same formats -> the numbers of one system as the official program names and prints them.
        usual_slices: slices and subsets that the help of `--by` lists.
        system_slices: slices and subsets that depend on the answers of a system, so groups differ between systems.
        count_slices: slices by a count of an example, which are not offered as groups.
        report_slices: the default slices of a comparison report.
        group_names: named groups for intervals and tests, besides the columns of the gold file: name -> which examples
            belong together; a gold file may lack the data for some.
        examples_name: the word for the examples, in the plural.
        answers_are: "texts", whose words can be compared with the words of the gold answers; "labels", each right or
            wrong; "documents", ranked; or both texts and documents.
    """

    meanings: Mapping[str, str] = {}
    titles: Mapping[str, str] = {}
    at_cut_off: str = ""
    groups: tuple[str, ...] = ()
    formats: Mapping[str, Callable[[str, "Scores", Sequence[str] | None, bool], str]] = {}
    official_numbers: Mapping[str, Callable[["Scores"], dict[str, str]]] = {}
    usual_slices: tuple[str, ...] = ("question_word", "error_kind")
    system_slices: tuple[str, ...] = ("error_kind", "missing")
    count_slices: tuple[str, ...] = ()
    report_slices: tuple[str, ...] = ("question_word",)
    group_names: Mapping[str, str] = {}
    examples_name: str = "examples"
    answers_are: tuple[str, ...] = ()

    @property
    def errors(self) -> ErrorKinds:
        """Its kinds of errors."""
        return ErrorKinds({}, (), lambda scores: None)

    @property
    def answerability(self) -> Any:
        """The module that decides when to withhold an answer; None for a family that does not withhold answers.

        Its functions take scores first, as in answer_match: `has_no_answer_probabilities` and `swept_measures`;
        `threshold_curve` of a measure; `answered_table`, `answer_groups` and `no_answer_decision` at a threshold;
        `reliability`.
        """
        return None

    # --- measures and counts ------------------------------------------------------------------------------------------

    def usual_measures(self, scores: "Scores") -> list[str]:
        """The default measures of a table: in the base, all but counts and thresholds."""
        return [name for name, measure in scores.measures.items() if measure.is_rate]

    def main_measures(self, scores: "Scores") -> list[str]:
        """The default measures of a slice: in the base, the first two of a table."""
        return self.usual_measures(scores)[:2]

    def rates_answers(self, name: str) -> bool:
        """Whether a measure says how good an example is, not only how much of it was judged."""
        return True

    def may_have(self, name: str) -> bool:
        """Whether the family may have a measure with this name; a family that knows all its names overrides this."""
        return True

    def shown_measures(self, names: Sequence[str] | None, scores: "Scores") -> Sequence[str] | None:
        """The measures of a report for the names given to `--measures`; None: the usual measures."""
        return names

    def note_words(self, options: Any) -> Mapping[str, str]:
        """The words that follow each count in a note about a system."""
        return {
            "missing": "without a prediction: scored 0",
            "skipped": "without a prediction: omitted",
            "unmatched": "predicted under an id that no gold answer has: omitted",
            "duplicates": "given again under a repeated id: omitted",
        }

    def notes_of(self, scores: "Scores") -> dict[str, int]:
        """The counts that are not zero: subsets that have words, and notes of the scores."""
        words = self.note_words(scores.options)
        sizes = {name: int(scores.subsets[name].sum()) for name in words if name in scores.subsets}
        return {name: count for name, count in {**sizes, **scores.notes}.items() if count}

    # --- slices -------------------------------------------------------------------------------------------------------

    def slices(self, gold: "Gold", scores: "Scores") -> Slices:
        """The slices offered besides subsets and details of the gold file."""
        slices: Slices = {}
        if "question" in gold.details:
            from .slices import question_word

            asked = gold.details["question"]
            slices["question_word"] = lambda: of_examples(question_word(asked), gold, scores)
        kinds = self.errors.of(scores)
        if kinds is not None:
            slices["error_kind"] = lambda: kinds
        return slices

    def why_no_slice(self, name: str) -> str:
        """What to add to "no slice NAME", for a slice that other gold files have."""
        return " because the gold file has no questions" if name == "question_word" else ""

    # --- groups -------------------------------------------------------------------------------------------------------

    def groups_of(self, gold: "Gold") -> Groupings:
        """The groups of `group_names` in a gold file: in the base, from its column of titles or contexts."""
        columns = {name: _PASSAGE_COLUMNS[name] for name in self.group_names if name in _PASSAGE_COLUMNS}
        return {
            name: lambda column=column: gold.details[column]  # type: ignore[misc]
            for name, column in columns.items()
            if column in gold.details
        }

    # --- examples -----------------------------------------------------------------------------------------------------

    def example_texts(self, examples: Examples) -> list[ExampleText]:
        """The texts of selected examples."""
        if not len(examples.rows):
            return []
        asked = asked_texts(examples.gold.details, examples.places)
        return [
            ExampleText(text, list(dict.fromkeys(right)), given)
            for text, right, given in zip(asked, *self.sides(examples), strict=True)
        ]

    def whole_texts(self, examples: Examples) -> list[str | None]:
        """The text from which each answer was extracted; None if the text is the answer."""
        return [None] * len(examples.rows)

    def sides(self, examples: Examples) -> Sides:
        """The gold answers and the answers of selected examples, as texts."""
        raise NotImplementedError(f"{type(self).__name__} does not say what its examples look like")

    def scores_tell_texts(self, options: Any) -> bool:
        """Whether the statistics of scores include both parts of `sides`, so they can be shown without the columns."""
        return False

    def answer_cells(self, examples: Examples) -> dict[str, tuple[str, list[Any]]]:
        """The gold answers and the system's answers, for a table with one row per example.

        Returns:
            Name -> its Arrow type and one value per row; names and types do not depend on the values. {} for a family
            whose statistics include both.
        """
        golds, answers = self.sides(examples)
        return {"gold_answers": ("list<string>", golds), "prediction": ("list<string>", answers)}

    def reasons(self, examples: Examples, most: int) -> list[list[ScoreReason]]:
        """The reasons for the score of each example, the strongest `most` first; [] if unknown."""
        return [[] for _ in examples.rows]

    def compared_golds(self, gold: "Gold", scores: "Scores", place: int, golds: list[str]) -> list[str]:
        """The gold answer of `sides` to compare word by word with the answer of the example at `place`."""
        return golds

    def gold_offsets(self, gold: "Gold", place: int) -> dict[str, int | None]:
        """The offsets of the gold answers in the context of the example at `place` in the gold file: text -> offset,
        None if the file does not give one.
        """
        return {}

    def label_form(self, options: Any) -> str:
        """The form of labels, for a family whose answers are labels: "single" (one label), "set", or "ranked" (the best
        labels in order).
        """
        raise NotImplementedError(f"{type(self).__name__} has no labels")

    def first_documents(self, examples: Examples, most: int) -> list[list[JudgedDocument]]:
        """The top documents of a system for each example, for a family whose answers are documents."""
        return [[] for _ in examples.rows]

    def relevant_documents(self, examples: Examples, most: int) -> list[dict[str, float]]:
        """The relevant documents of each example, best first: id -> relevance; {} in a family without graded
        relevance.
        """
        return [{} for _ in examples.rows]

    def document_ranks(self, examples: Examples) -> list[dict[str, int]]:
        """The rank of each returned document of each example, for a family with `relevant_documents`."""
        return [{} for _ in examples.rows]

    # --- charts -------------------------------------------------------------------------------------------------------

    def first_right_ranks(self, scores: "Scores") -> RankColumn | None:
        """The column with the rank of the first correct item of each example; None if the scores have none."""
        return None

    def class_values(self, scores: "Scores") -> dict[Any, Any]:
        """The F1 of each class: label -> a result with `value` (0 to 1) and `support`; {} without classes."""
        return {}

    def curve_labels(self, scores: "Scores") -> list[Any]:
        """The classes that have a precision-recall curve; [None] where each example has one score, [] for no curve."""
        return []

    def precision_recall(self, scores: "Scores", label: Any) -> tuple[Any, Any, Any]:
        """Precisions, recalls and thresholds of the curve of one of `curve_labels`."""
        raise NotImplementedError(f"{type(self).__name__} has no precision-recall curves")

    def score_and_label(self, scores: "Scores") -> tuple[Any, Any] | None:
        """The score of each example and whether it is positive (1.0 or 0.0), float64 (n,) each; None if examples do not
        have one score.
        """
        return None
