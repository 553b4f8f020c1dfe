"""What tables, documents and pages need to know of factoid_accuracy, and how to cite it."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..core.about import SYSTEM_SLICES, USUAL_SLICES, About, ErrorKinds, Groupings, RankColumn, Texts
from ..core.examples import Examples, said

if TYPE_CHECKING:
    from ..core.file_columns import Gold
    from ..core.scores import Scores

CITATION = """
@article{tsatsaronis-etal-2015-bioasq,
    title = "An overview of the {BIOASQ} large-scale biomedical semantic indexing and question answering competition",
    author = "Tsatsaronis, George and Balikas, Georgios and Malakasiotis, Prodromos and Partalas, Ioannis and others",
    journal = "BMC Bioinformatics",
    volume = "16",
    number = "138",
    year = "2015",
}
"""
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


def entity_error_kinds(scores: "Scores") -> list[str]:
    """The kind of error of each answer, with one set of kinds for all types of question; in phase A the documents are a list."""
    import numpy as np

    from ..core.slices import first_that_holds

    nothing = np.zeros(len(scores))
    column = {
        name: scores.columns.get(name, nothing) for name in ("strict", "lenient", "list_f1", "f1", "yesno_correct")
    }
    return first_that_holds(
        {
            "not scored": scores.subsets.get("summary", nothing > 0),
            "no prediction": scores.subsets["missing"],
            "gave no answer": scores.subsets["unanswered"],
            "correct": np.any([column[name] == 1 for name in ("strict", "list_f1", "f1", "yesno_correct")], axis=0),
            "correct later": column["lenient"] == 1,
            "partial": (column["list_f1"] > 0) | (column["f1"] > 0),
        },
        "wrong",
    )


_ERRORS = ErrorKinds(
    {
        "correct": "The answer is right.",
        "correct later": "A right answer comes behind the first place.",
        "partial": "Some of the list is right, but not all, or other answers are listed.",
        "wrong": "Nothing of the answer is right.",
        "gave no answer": "There is no answer that can be read.",
        "no prediction": "There is no prediction.",
        "not scored": "Questions of this type are not scored.",
    },
    ("correct", "not scored"),
    entity_error_kinds,
)


def _usual_measures(scores: "Scores") -> list[str]:
    """The official ones, grouped by type; of types that no question has they are omitted."""
    if scores.options.phase == "A":
        return list(_PHASE_A)
    return [name for name in scores.measures if name in _PHASE_B and scores.subsets[_type_of(name)].any()]


def _notes(options: Any) -> dict[str, str]:
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


def _texts(examples: Examples) -> Texts:
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


def _groups(gold: "Gold") -> Groupings:
    """By gold documents: the connected components of questions and their documents."""
    references = gold.columns.get("references") or []
    given = [row.get("documents") if isinstance(row, Mapping) else None for row in references]
    documents = [said(row) if isinstance(row, (list, tuple)) else [] for row in given]
    ids = gold.ids
    return {"documents": lambda: connected(ids, documents)} if ids is not None and any(documents) else {}


def _first_right_ranks(scores: "Scores") -> RankColumn | None:
    has_ranks = "rr" in scores.columns
    return RankColumn("rr", "Rank of the first right candidate", "factoid questions") if has_ranks else None


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
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    n = len(ids)
    node: dict[str, int] = {}  # of each document, after those of the questions
    edges = [(row, node.setdefault(name, n + len(node))) for row, names in enumerate(documents) for name in names]
    rows, columns = zip(*edges, strict=True) if edges else ((), ())
    size = n + len(node)
    _, labels = connected_components(coo_matrix(([1] * len(edges), (rows, columns)), (size, size)), directed=False)
    first: dict[int, int] = {}
    return [ids[first.setdefault(label, row)] for row, label in enumerate(labels[:n].tolist())]


def _type_of(name: str) -> str:
    return next((kind for kind in ("list", "yesno") if name.startswith(kind)), "factoid")


ABOUT = About(
    meanings=_MEANINGS,
    titles={"yesno_f1_no": "Yes/no F1 of no", "yesno_f1_yes": "Yes/no F1 of yes"},
    groups=("list_", "yesno_"),
    formats={"bioasq": bioasq_text},
    usual_slices=(*USUAL_SLICES, "unanswered"),
    system_slices=(*SYSTEM_SLICES, "unanswered"),
    report_slices=("type",),
    group_names={"documents": "questions that share a gold document, directly or through other questions"},
    groups_of=_groups,
    examples_name="questions",
    answers_are=("texts",),
    errors=_ERRORS,
    usual_measures=_usual_measures,
    first_measures=lambda scores: [name for name in _usual_measures(scores) if name in _MAIN],
    notes=_notes,
    texts=_texts,
    first_right_ranks=_first_right_ranks,
)
