"""What generic code asks of a metric family; each family answers in its own `family.py`."""

import functools
import importlib
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from .hints import Hint, Message

if TYPE_CHECKING:
    from .file_columns import Gold
    from .options import Options
    from .scores import Scores
    from .streaming import RowGroups


class ExampleText(NamedTuple):
    """An example as people read it.

    Attributes:
        question: None where the gold file has none.
        gold: what is right, [] where nothing is.
        answers: what the system gave, several in its order, "" for one that says nothing among others; [] for nothing.
    """

    question: str | None
    gold: list[str]
    answers: list[str]


class JudgedDocument(NamedTuple):
    """A document that a system gave for an example.

    Attributes:
        name: its id.
        is_relevant: None where nobody judged it.
        relevance: None where there are no degrees, or none was given.
    """

    name: str
    is_relevant: bool | None
    relevance: float | None = None


class RankColumn(NamedTuple):
    """Where the scores say at which rank the first right thing is.

    Attributes:
        column: of reciprocal ranks.
        title: what has the rank, such as "Rank of the first relevant document".
        examples: what is counted, in the plural.
    """

    column: str
    title: str
    examples: str


class Family:
    """One metric family. A subclass names its modules and overrides what is special about it, nothing else.

    `qassay list` imports every descriptor: it imports numpy, or what needs it, only inside its methods.

    Attributes:
        name: of the metric, as in `qassay.score(name, ...)` and in the signature.
        source: whose rules it follows.
        module, function, options: the module that scores, and the names there of the function and of the class of options.
        builds_on: the families whose modules the modules of this one import.
        smallest: keyword arguments of the function: the smallest input that gives all measures, to list them.
        kinds: the module with its kinds of files, whose FILES `files` gives; "" where it `reads` those of another family.
        named_only: its tables look like tables of other metrics, so that people must name this metric.
        known_by_predictions: its files of predictions tell the metric, where the gold file is of another metric too.
        gold_columns: the columns of the function that come from the gold file, which errors about them then name.
        gold_alone: what to say of a gold file without predictions.
        loads_model: scoring runs a large model, which the option `model` names and `prepare` loads beforehand.
        scores_outputs: a prediction is what a model gives for one example, a text or a label (with the option `top_k`
            ranked texts), so that the hooks of Trainer and `evaluate_pipeline` can score it.
        groups: prefixes of measures; a table draws a line where the group changes.
        counted: subsets whose sizes are told in words below a table.
        dict_options: options that may be a dict, written like one in Python.
        list_options: options that may be a list of names or whole numbers, written with commas, or one whole number.
        file_options: options whose text may be the path of a file.
        formats: output formats beside those of every family: name -> writer of (tag, scores, names of `--measures`,
            whether every example is wanted) of one system.
        error_kind_order: the kinds of errors of `error_kinds`, the best first.
        right_kinds: those of them that are no errors: right, or nothing that could be right.
        usual_slices: slices and subsets that the help of `--by` names.
        system_slices: slices and subsets by what a system gave, which make other groups of each system.
        report_slices: of a report of a comparison when none are asked for.
        examples_name: what people call the examples, in the plural.
        are_texts: answers are texts, whose words can be compared with those of the gold answers.
        are_labels: answers are labels, each right or wrong by itself.
        ranks_documents: answers are ranked documents, or texts beside them.
        values_chart: how a chart shows the values of single examples: "sorted", "histogram", or "" for no chart.
    """

    name: str
    source: str
    module: str
    function: str
    options: str
    builds_on: tuple[str, ...] = ()
    smallest: Mapping[str, Any]

    # Its files, and how they are scored.
    kinds: str = ""
    named_only: bool = False
    known_by_predictions: bool = False
    gold_alone: Message = Message("this has gold answers only; give predictions too", Hint("usage", "GOLD PREDICTIONS"))
    gold_columns: tuple[str, ...] = ("references", "weights")
    loads_model: bool = False
    scores_outputs: bool = False

    # The command line and tables.
    groups: tuple[str, ...] = ()
    counted: tuple[str, ...] = ("missing",)
    dict_options: tuple[str, ...] = ()
    list_options: tuple[str, ...] = ()
    file_options: tuple[str, ...] = ()
    formats: Mapping[str, Callable[[str, "Scores", Sequence[str] | None, bool], str]] = {}

    # Slices and kinds of errors.
    error_kind_order: tuple[str, ...] = ()
    right_kinds: tuple[str, ...] = ()
    usual_slices: tuple[str, ...] = ("question_word", "error_kind")
    system_slices: tuple[str, ...] = ("error_kind", "missing")
    report_slices: tuple[str, ...] = ("question_word",)

    # What reports and pages show.
    examples_name: str = "examples"
    are_texts: bool = False
    are_labels: bool = False
    ranks_documents: bool = False
    values_chart: str = ""

    # --- scoring ------------------------------------------------------------------------------------------------------

    def load(self) -> tuple[Callable[..., Any], "type[Options]"]:
        """The scoring function and the class of its options, imported now."""
        module = importlib.import_module(self.module)
        return getattr(module, self.function), getattr(module, self.options)

    def row_groups(self) -> "RowGroups | None":
        """What tells a cluster how several rows make one example, imported now; None where a row is an example."""
        return None

    def score(self, *columns: Any, **options: Any) -> "Scores":
        """Score columns, given by position or by name, with options by name: what `qassay.score` does.

        Raises:
            TypeError: a column that is missing or given twice, an option that the family does not have.
        """
        function, options_class = self.load()
        names, by_position, required = _parameters(function)
        given = {key: options.pop(key) for key in [*options] if key in names}
        options_class.check_names(options, columns=names)
        if len(columns) > len(by_position):
            raise TypeError(
                f"{self.name} has {len(by_position)} columns by position ({', '.join(by_position)}), got {len(columns)}"
            )
        for key in by_position[: len(columns)]:
            if key in given:
                raise TypeError(f"{self.name}: the column {key} is given twice, by position and by name")
        for key in by_position[len(columns) :]:
            if key in required and key not in given:
                raise TypeError(f"{self.name}: {key} missing; its columns are: {', '.join(names)}")
        return function(*columns, **given, options=options_class(**options))

    def check_config(self, name: str) -> None:
        """Refuse a config that the evaluate module of the family does not have; here: all but "default"."""
        if name != "default":
            raise ValueError(f"{self.name} has no config {name!r}; it has: default")

    def score_config(self, name: str, columns: Mapping[str, Any], options: Mapping[str, Any]) -> "Scores":
        """Score columns with keyword arguments of the options, by the rules and keys of a config of the evaluate module."""
        self.check_config(name)
        function, options_class = self.load()
        return function(**columns, options=options_class.from_keywords(**options))

    def gold_answers(self, references: Sequence, ids: Sequence | None = None) -> list[list[str]]:
        """The gold answers of each row as texts, from any layout that the family reads, for families that score answers.

        Raises:
            TypeError, ValueError: gold answers that cannot be read; naming the row.
        """
        raise NotImplementedError(f"{type(self).__name__} does not score answers")

    def score_blank(self, references: Sequence, ids: Sequence | None = None, *, options: "Options") -> "Scores":
        """Score an empty prediction per row, without a model, so that wrong references, ids and options fail early.

        Args:
            references, ids: as the scoring function takes them.

        Returns:
            Scores with the measures that any predictions get; where data decide the classes, some may be absent.

        Raises:
            TypeError, ValueError: as the scoring function raises them.

        Example:
            >>> from qassay.registry import get_family
            >>> family = get_family("answer_match")
            >>> _, options_class = family.load()
            >>> family.score_blank([["Rome"], ["Oslo"]], ["q1", "q1"], options=options_class())
            Traceback (most recent call last):
            ValueError: predictions id[1] repeats the id 'q1' of row 0; give every example one id of its own, or the \
option duplicates='first' or 'last'
        """
        function, _ = self.load()
        blank = "" if getattr(options, "top_k", None) is None else [""]
        return function([blank] * len(references), references, ids, options=options)

    # --- files --------------------------------------------------------------------------------------------------------

    def files(self) -> Any:
        """What the family says of its files, a `files.kinds.FamilyFiles`, imported now."""
        return importlib.import_module(self.kinds).FILES

    @property
    def reads(self) -> str:
        """The metric whose kinds of files it scores: itself, where it has kinds of its own."""
        return self.name

    def own_gold(self, gold: "Gold") -> "Gold":
        """The gold file as this family scores it, where another family `reads` it."""
        return gold

    def own_predictions(self, columns: Mapping[str, Any]) -> Mapping[str, Any]:
        """The columns of predictions as this family scores them, where another family `reads` them."""
        return columns

    def gold_rows(self, gold: "Gold", scores: "Scores") -> Sequence[int]:
        """For each example of scores its row in the gold file: rows may have been left out or given twice."""
        if gold.ids is None:
            return range(len(scores))
        place: dict = {}
        last = self.keeps_last(scores.options)
        for row, identifier in enumerate(gold.ids):
            if last or identifier not in place:
                place[identifier] = row
        return [place[identifier] for identifier in scores.ids]

    def of_examples(self, labels: Sequence[Any], gold: "Gold", scores: "Scores") -> list[Any]:
        """What belongs to the examples of scores, from one value per row of the gold file."""
        return [labels[row] for row in self.gold_rows(gold, scores)]

    def keeps_last(self, options: Any) -> bool:
        """Whether, of gold rows with the same id, the last one counts instead of the first."""
        return False

    # --- the command line and tables ----------------------------------------------------------------------------------

    def options_of_text(self, options: Mapping[str, Any]) -> Mapping[str, Any]:
        """Options as they were written, those that name files read; here: as they are."""
        return options

    def prepare(self, options: "Options") -> None:
        """Get what scoring with these options needs, so that what cannot be had is not blamed on a file; here: nothing."""

    def usual_measures(self, scores: "Scores") -> list[str]:
        """The measures of a table when none are asked for; here: all but counts and thresholds."""
        return [name for name, measure in scores.measures.items() if measure.is_rate]

    def main_measures(self, scores: "Scores") -> list[str]:
        """The measures of a slice when none are asked for; here: the first two of a table."""
        return self.usual_measures(scores)[:2]

    def measure_options(
        self, names: Sequence[str] | None, by: Sequence[str], gold: "Gold", form: str
    ) -> dict[str, Any]:
        """The options that follow from `--measures` (None: not given), `--by` and `--format`, for a family in which
        they decide what is computed.
        """
        return {}

    def shown_measures(self, names: Sequence[str] | None, scores: "Scores") -> Sequence[str] | None:
        """The measures of a report for the names of `--measures`; None for the usual ones."""
        return names

    def measures(self) -> list[tuple[str, str]]:
        """What `qassay explain` lists: the name of each measure and its meaning, empty where the name says it."""
        function, options_class = self.load()
        return [(name, "") for name in function(**self.smallest, options=options_class()).measures]

    def at_cut_off(self, meaning: str, cut: str) -> str:
        """The meaning of a measure at a cut-off which its meaning without one does not name."""
        return meaning

    def notes_of(self, scores: "Scores") -> dict[str, int]:
        """What was counted and is not zero: the subsets that are `counted`, and the notes of the scores."""
        sizes = {name: int(scores.subsets[name].sum()) for name in self.counted if name in scores.subsets}
        return {name: count for name, count in {**sizes, **scores.notes}.items() if count}

    def note_words(self, options: "Options") -> Mapping[str, str]:
        """What each count says of a system, in words that follow the number."""
        return {
            "missing": "without a prediction: scored 0",
            "skipped": "without a prediction: left out",
            "unmatched": "predicted under an id that no gold answer has: left out",
            "duplicates": "given again under a repeated id: left out",
        }

    # --- slices and kinds of errors -----------------------------------------------------------------------------------

    def slices(self, gold: "Gold", scores: "Scores") -> dict[str, Callable[[], Sequence[str]]]:
        """The slices offered beside subsets and details of the gold file: name -> labels, one per example of scores."""
        slices: dict[str, Callable[[], Sequence[str]]] = {}
        if "question" in gold.details:
            from .slices import question_word

            asked = gold.details["question"]
            slices["question_word"] = lambda: self.of_examples(question_word(asked), gold, scores)
        kinds = self.error_kinds(scores)
        if kinds is not None:
            slices["error_kind"] = lambda: kinds
        return slices

    def why_no_slice(self, name: str) -> str:
        """What to add to "no slice NAME", for a slice that another gold file would have."""
        return " because the gold file has no questions" if name == "question_word" else ""

    def error_kinds(self, scores: "Scores") -> list[str] | None:
        """What kind of error each example is, of `error_kind_order`; None: the family or these scores have none."""
        return None

    # --- examples, for reports and pages ------------------------------------------------------------------------------

    def example_texts(
        self, gold: "Gold", predictions: Mapping[str, Any], scores: "Scores", rows: Sequence[int]
    ) -> list[ExampleText]:
        """Some examples as texts.

        Args:
            gold: the gold file as this family scores it.
            predictions: the columns of one system as `own_predictions` gives them.
            scores: of that system.
            rows: places in the scores.
        """
        places = self.gold_rows(gold, scores)
        places = [places[row] for row in rows]
        asked = gold.details.get("question")
        golds, answers = self.sides(gold, predictions, scores, rows, places)
        return [
            ExampleText(asked and asked[place], list(dict.fromkeys(right)), given)
            for place, right, given in zip(places, golds, answers, strict=True)
        ]

    def sides(
        self,
        gold: "Gold",
        predictions: Mapping[str, Any],
        scores: "Scores",
        rows: Sequence[int],
        places: Sequence[int],
    ) -> tuple[list[list[str]], list[list[str]]]:
        """The gold answers and the answers to some examples as texts, for `example_texts`.

        Args:
            rows, places: of each example its place in the scores and in the gold file.
        """
        raise NotImplementedError(f"{type(self).__name__} does not say what its examples look like")

    def answer_cells(
        self, gold: "Gold", predictions: Mapping[str, Any], scores: "Scores"
    ) -> dict[str, tuple[str, list]]:
        """The gold answers and what the system gave, for a table with one row per example.

        Returns:
            Name -> its Arrow type and one value per row, the same names and types whatever the values are; {} for a
            family whose statistics say both.
        """
        golds, answers = self.sides(gold, predictions, scores, range(len(scores)), self.gold_rows(gold, scores))
        return {"gold_answers": ("list<string>", golds), "prediction": ("list<string>", answers)}

    def compared_golds(self, gold: "Gold", scores: "Scores", place: int, golds: list[str]) -> list[str]:
        """The gold answers that the words of an answer are compared with.

        Args:
            place: of the example in the gold file.
            golds: as `sides` gives them.
        """
        return golds

    def gold_offsets(self, gold: "Gold", place: int) -> dict[str, int | None]:
        """Where the gold answers begin in the context: text -> offset, None where the gold file does not say.

        Args:
            place: of the example in the gold file.
        """
        return {}

    def label_form(self, options: "Options") -> str:
        """What the labels of an example are, for a family whose answers `are_labels`: "single" for one label, "set", or
        "ranked" for the best labels in their order.
        """
        raise NotImplementedError(f"{type(self).__name__} has no labels")

    def first_documents(
        self, gold: "Gold", predictions: Mapping[str, Any], scores: "Scores", row: int, place: int, most: int
    ) -> list[JudgedDocument]:
        """The first documents that a system gave for one example, for a family that `ranks_documents`.

        Args:
            row, place: of the example in the scores and in the gold file.
        """
        return []

    def relevant_documents(
        self, gold: "Gold", predictions: Mapping[str, Any], scores: "Scores", row: int, most: int
    ) -> dict[str, float]:
        """The relevant documents of one example, best first: id -> relevance; {} for a family without degrees of it."""
        return {}

    def document_ranks(
        self, gold: "Gold", predictions: Mapping[str, Any], scores: "Scores", row: int
    ) -> dict[str, int]:
        """The rank of each document that a system gave for one example, for a family that has `relevant_documents`."""
        return {}

    # --- charts, and the page of the metric ---------------------------------------------------------------------------

    def first_right_ranks(self, scores: "Scores") -> RankColumn | None:
        """Where the rank of the first right thing of each example is found; None where the scores do not tell."""
        return None

    def recall_points(self, scores: "Scores") -> dict[str, float]:
        """The measures that are interpolated precision at a point of recall, each with that recall (0 to 1)."""
        return {}

    def class_values(self, scores: "Scores") -> dict[Any, Any]:
        """The F1 of each class: label -> a result with `value` (0 to 1) and `support`; {} where there are no classes."""
        return {}

    def curve_labels(self, scores: "Scores") -> list[Any]:
        """The classes that have a precision-recall curve; [None] where each example has one score, [] for no curve."""
        return []

    def precision_recall(self, scores: "Scores", label: Any) -> tuple[Any, Any, Any]:
        """Precisions, recalls and thresholds of the curve of one of `curve_labels`."""
        raise NotImplementedError(f"{type(self).__name__} has no precision-recall curves")

    def score_and_label(self, scores: "Scores") -> tuple[Any, Any] | None:
        """The score of each example and whether it is positive (1.0 or 0.0), float64 (n,) each; None where an example
        does not have one score.
        """
        return None

    @property
    def answerability(self) -> Any:
        """The module that says when to withhold an answer; None for a family that withholds none.

        Its functions take scores first, as in answer_match: `has_no_answer_probabilities` and `swept_measures`;
        `threshold_curve` of a measure; `answered_table` and `no_answer_decision` at a threshold; `reliability`.
        """
        return None

    def page(self) -> Any:
        """The page of the metric alone, a `pages.page.Page`, imported now."""
        return importlib.import_module(f"{self.module.rpartition('.')[0]}.app").PAGE


class _Parameters(NamedTuple):
    """The columns of a scoring function: all, by position, and the needed ones."""

    names: tuple[str, ...]
    by_position: tuple[str, ...]
    required: frozenset[str]


@functools.cache
def _parameters(function: Callable) -> _Parameters:
    columns = {name: column for name, column in inspect.signature(function).parameters.items() if name != "options"}
    return _Parameters(
        tuple(columns),
        tuple(name for name, column in columns.items() if column.kind is not inspect.Parameter.KEYWORD_ONLY),
        frozenset(name for name, column in columns.items() if column.default is inspect.Parameter.empty),
    )


def given_rows(
    given: Sequence[Any], gold: "Gold", scores: "Scores", rows: Sequence[int], places: Sequence[int], last: bool
) -> list[Any]:
    """The row that a system gave for each of some examples, None where it gave none; arguments as in `given_places`."""
    there = given_places(given, gold, scores, rows, places, last)
    return [None if place is None else given[place] for place in there]


def given_places(
    given: Sequence[Any], gold: "Gold", scores: "Scores", rows: Sequence[int], places: Sequence[int], last: bool
) -> list[int | None]:
    """Which row a system gave for each of some examples, None where it gave none.

    Rows with an id belong to the example of that id, as scoring matches them; others to the row of the gold file at
    the same place.

    Args:
        given: the predictions, a list.
        rows, places: as in `Family.sides`.
        last: of rows with the same id the last one counts, not the first.
    """
    if not given or gold.ids is None or not isinstance(given[0], Mapping) or "id" not in given[0]:
        return [place if place < len(given) else None for place in places]
    from .rows import field_of

    place_of: dict[Any, int | None] = {scores.ids[row]: None for row in rows}
    for place, identifier in enumerate(field_of(given, "id", "predictions") or ()):
        if identifier in place_of and (last or place_of[identifier] is None):
            place_of[identifier] = place
    return [place_of[scores.ids[row]] for row in rows]


def first_answers(answers: Sequence[str], most: int) -> list[str]:
    """The first of ranked answers, [] where none of them says anything.

    Example:
        >>> first_answers(["", "Paris", "Rome"], 2), first_answers(["", "Paris"], 1)
        (['', 'Paris'], [])
    """
    shown = list(answers[:most])
    return shown if any(shown) else []


def said(texts: Sequence[Any], most: int | None = None) -> list[str]:
    """The first of some texts, or numbers, without those that are empty.

    Example:
        >>> said(["Paris", "", 7, "Oslo"], 3)
        ['Paris', '7']
    """
    return [str(text) for text in texts[:most] if text not in (None, "")]
