"""The descriptor of factoid_accuracy."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..core.examples import Examples, said
from ..core.family import Family
from ..core.family_telling import ErrorKinds, Groupings, RankColumn, Sides, Telling

if TYPE_CHECKING:
    from ..core.file_columns import Gold
    from ..core.scores import Scores

# In the order of the official program, with the names that it prints with -verbose.
_PHASE_A = {
    "precision": "MPrec documents", "recall": "MRec documents", "f1": "MF1 documents", "map": "MAP documents",
    "gmap": "GMAP documents",
}  # fmt: skip
_PHASE_B = {
    "yesno_accuracy": "YesNo Acc", "strict_accuracy": "Factoid Strict Acc", "lenient_accuracy": "Factoid Lenient Acc",
    "mrr": "Factoid MRR", "list_precision": "List Prec", "list_recall": "List Rec", "list_f1": "List F1",
    "yesno_macro_f1": "YesNo macroF1", "yesno_f1_yes": "YesNo F1 yes", "yesno_f1_no": "YesNo F1 no",
}  # fmt: skip
_MAIN = ("mrr", "list_f1", "yesno_macro_f1", "map")  # what BioASQ ranks systems by
_MEANINGS = {
    "strict_accuracy": "share of factoid questions whose first candidate is right",
    "lenient_accuracy": "share of factoid questions with a right candidate among the top_k",
    "mrr": "factoid questions: mean of 1 / rank of the first right candidate, 0 without one",
    "list_precision": "list questions: mean share of the entities given that are right",
    "list_recall": "list questions: mean share of the gold entities that were given",
    "list_f1": "list questions: mean of the harmonic means of the two",
    "yesno_accuracy": "share of yes/no questions answered right",
    "yesno_f1_yes": "F1 of the answer yes",
    "yesno_f1_no": "F1 of the answer no",
    "yesno_macro_f1": "mean of the two",
    "total": "questions of all types",
    "factoid_total": "factoid questions",
    "list_total": "list questions",
    "yesno_total": "yes/no questions",
    "summary_total": "summary questions, which are not scored",
    "missing": "questions missing from the predictions",
    "unanswered": "questions without a readable answer",
    "precision": "with phase=A: mean share of the documents given that are gold documents",
    "recall": "with phase=A: mean share of the gold documents that were given",
    "f1": "with phase=A: mean of the harmonic means of the two",
    "map": "with phase=A: mean average precision, divided as set by the version",
    "gmap": "with phase=A: exp of the mean of ln(average precision + 0.00001)",
}


def bioasq_text(tag: str, scores: "Scores", names: Sequence[str] | None, per_query: bool) -> str:
    """The line of the official program: ten numbers with blanks between; of its twenty of phase A the five of documents.

    Raises:
        ValueError: measures are named, or the values of every question are requested.
    """
    if names is not None or per_query:
        wish = "per_query" if per_query else "measures"
        raise ValueError(f"format=bioasq prints one line with fixed measures; omit {wish}")
    return " ".join(official_numbers(scores).values()) + "\n"


def official_numbers(scores: "Scores") -> dict[str, str]:
    """The numbers of the official program by its names, as it prints them."""
    names = _PHASE_A if scores.options.phase == "A" else _PHASE_B
    return {names[name]: _as_java(value or 0.0) for name, value in scores.summary(list(names)).items()}


def _as_java(value: float) -> str:
    """A number as Java prints it: powers of ten below 0.001."""
    if value == 0 or value >= 0.001:
        return repr(value)
    digits = repr(value).partition("e")[0].replace(".", "").lstrip("0")
    power = int(f"{value:.16e}".partition("e")[2])
    return f"{digits[0]}.{digits[1:] or '0'}E{power}"


class EntityTelling(Telling):
    """Usual are the measures of the types of question that occur."""

    meanings = _MEANINGS
    titles = {"yesno_f1_no": "Yes/no F1 of no", "yesno_f1_yes": "Yes/no F1 of yes"}
    groups = ("list_", "yesno_")
    formats = {"bioasq": bioasq_text}
    official_numbers = {"bioasq": official_numbers}
    usual_slices = (*Telling.usual_slices, "unanswered")
    system_slices = (*Telling.system_slices, "unanswered")
    report_slices = ("type",)
    group_names = {"documents": "questions that share a gold document, directly or through other questions"}
    examples_name = "questions"
    answers_are = ("texts",)

    @property
    def errors(self) -> ErrorKinds:
        from .error_kinds import ENTITY_ERRORS

        return ENTITY_ERRORS

    def usual_measures(self, scores: "Scores") -> list[str]:
        """The official ones, grouped by type; of types that no question has they are omitted."""
        if scores.options.phase == "A":
            return list(_PHASE_A)
        return [name for name in scores.measures if name in _PHASE_B and scores.subsets[_type_of(name)].any()]

    def main_measures(self, scores: "Scores") -> list[str]:
        """The measures that BioASQ ranks systems by: MRR, list F1 and yes/no macro F1, in phase A MAP."""
        return [name for name in self.usual_measures(scores) if name in _MAIN]

    def note_words(self, options: Any) -> Mapping[str, str]:
        answer, gold = (
            ("a readable answer", "a gold answer") if options.phase == "B" else ("readable documents", "gold documents")
        )
        kept = options.phase == "A" and options.version != 9
        other = "later" if options.duplicates == "last" else "before"
        return {
            "missing": "questions without a prediction: scored 0",
            "unanswered": f"questions without {answer}: scored 0",
            "skipped": "questions without a prediction: omitted",
            "no_gold": f"questions without {gold}: {'scored 0' if kept else 'omitted'}",
            "unreadable_gold": "questions with a gold answer in a layout that version 2 does not read: scored 0",
            "unmatched": "answers under an id that the gold file does not have: omitted",
            "duplicates": f"answers to a question answered {other}: omitted",
        }

    def sides(self, examples: Examples) -> Sides:
        """The names of a factoid entity, each entity of a list with its other names in brackets, yes or no; of the
        answer the first name of each of the first `top_k` candidates, or of all entities. In phase A the documents.
        """
        options = examples.scores.options
        if options.phase == "A":
            golds = [list(map(str, _part(row, "documents") or ())) for row in examples.references]
            return golds, [said(_part(row, "documents") or ()) for row in examples.given]
        golds, answers = [], []
        for question, answer in zip(examples.references, examples.given, strict=True):
            kind = isinstance(question, Mapping) and question.get("type") or options.question_type
            golds.append(_gold_entities(_part(question, "exact_answer"), kind))
            most = options.top_k if kind == "factoid" else None
            answers.append(said([names[0] for names in _entities(_part(answer, "exact_answer"))], most))
        return golds, answers

    def compared_golds(self, gold: "Gold", scores: "Scores", place: int, golds: list[str]) -> list[str]:
        """All names of the gold entities; in phase A the documents."""
        if scores.options.phase == "A":
            return golds
        from .fields import names_within

        return list(names_within(_part(gold.columns["references"][place], "exact_answer")))

    def groups_of(self, gold: "Gold") -> Groupings:
        """By gold documents: the connected components of questions and their documents."""
        references = gold.columns.get("references") or []
        given = [row.get("documents") if isinstance(row, Mapping) else None for row in references]
        documents = [said(row) if isinstance(row, (list, tuple)) else [] for row in given]
        ids = gold.ids
        return {"documents": lambda: connected(ids, documents)} if ids is not None and any(documents) else {}

    def first_right_ranks(self, scores: "Scores") -> RankColumn | None:
        has_ranks = "rr" in scores.columns
        return RankColumn("rr", "Rank of the first right candidate", "factoid questions") if has_ranks else None


class FactoidAccuracyFamily(Family):
    """BioASQ's exact answers, or its documents."""

    name = "factoid_accuracy"
    source = "the official evaluation program of BioASQ task B"
    function = "score_entities"
    options = "FactoidOptions"
    known_as = {
        "bioasq": "factoid_accuracy",
        "strict_accuracy": "a measure of factoid_accuracy",
        "lenient_accuracy": "a measure of factoid_accuracy",
    }
    smallest = (
        ({"predictions": [["a"]], "references": [["a"]]}, {}),
        ({"predictions": [["d"]], "references": [["d"]]}, {"phase": "A"}),
    )
    telling = EntityTelling()

    def smallest_rows(self, options: Any) -> list[Mapping[str, Any]]:
        return [*super().smallest_rows(options), {"predictions": ["yes"], "references": ["yes"]}]

    def measure_options(
        self, names: Sequence[str] | None, by: Sequence[str], gold: "Gold", form: str
    ) -> dict[str, Any]:
        """For the line of the official program its own rules, where the user has not said otherwise."""
        if form not in self.telling.formats:
            return {}
        _, options_class = self.load()
        options: Any = options_class.from_keywords(**gold.options)
        if options.phase == "A":  # has these rules anyway
            return {}
        rules = {"top_k": None, **({"missing": "skip"} if options.version == 9 else {})}
        return {name: value for name, value in rules.items() if name not in gold.options}


def _part(row: Any, name: str) -> Any:
    """A part of a question of BioASQ's files; a row that is not one is the part itself."""
    return row.get(name) if isinstance(row, Mapping) else row


def _entities(answer: Any) -> list[list[str]]:
    """The entities of an answer, whatever its layout, each with its names."""
    parts = answer if isinstance(answer, (list, tuple)) else [] if answer is None else [answer]
    listed = [list(map(str, part)) if isinstance(part, (list, tuple)) else [str(part)] for part in parts]
    return [names for names in listed if names]


def _gold_entities(answer: Any, kind: str | None) -> list[str]:
    entities = _entities(answer)
    if kind != "list":
        return [name for names in entities for name in names]
    return [names[0] + (f" ({', '.join(names[1:])})" if names[1:] else "") for names in entities]


def connected(ids: Sequence[Any], documents: Sequence[Sequence[str]]) -> list[Any]:
    """For each question the id of the first one that it is connected to by shared documents; its own without any.

    Example:
        >>> connected(["q1", "q2", "q3", "q4"], [["a"], ["b"], ["a", "b"], []])
        ['q1', 'q1', 'q1', 'q4']
    """
    root = list(range(len(ids)))

    def first(place: int) -> int:
        while root[place] != place:
            root[place] = place = root[root[place]]
        return place

    holder: dict[str, int] = {}
    for place, names in enumerate(documents):
        for name in names:
            ends = sorted((first(place), first(holder.setdefault(name, place))))
            root[ends[1]] = ends[0]
    return [ids[first(place)] for place in range(len(ids))]


def _type_of(name: str) -> str:
    return next((kind for kind in ("list", "yesno") if name.startswith(kind)), "factoid")


FAMILY = FactoidAccuracyFamily()
