"""The one table of families with their smallest rows, which all files of this folder run through."""

import dataclasses
import json

import pytest

import qassay
from qassay.core.scores import Scores
from qassay.registry import FAMILIES, get_family

BOX, SMALL = [0, 0, 10, 10], [0, 0, 5, 4]


def boxes(*found, scores=True):
    row = {"boxes": [box for box, _ in found], "labels": [label for _, label in found]}
    return {**row, "scores": [0.9 - 0.1 * i for i in range(len(found))]} if scores else row


def pipeline(document, text):
    return {"documents": [document], "answers": [{"text": text, "document_id": document}]}


def right(document, *texts):
    return {"documents": [document], "answers": [{"text": text, "document_id": document} for text in texts]}


def verdicts(*fields):
    names = ("answer2response", "response2answer", "retrieved2response", "retrieved2answer")
    return dict(zip(names, fields, strict=True))


CITING = {"citations": [1, 2], "entailed": True, "alone": [True, False], "without": [False, True]}


@dataclasses.dataclass
class Case:
    """Rows (prediction, wrong prediction, gold) of a family, other gold data for row 1, and what these are called."""

    metric: str
    rows: list
    other: object
    part: str
    options: dict

    def columns(self, wrong=()) -> dict:
        """The rows as the columns of `qassay.score`, without ids."""
        predictions = [row[1 if place in wrong else 0] for place, row in enumerate(self.rows)]
        return {"predictions": predictions, "references": [row[2] for row in self.rows]}

    def score(self, ids=None, wrong=(), gold=None, rows=None, **columns) -> Scores:
        rows = self.rows if rows is None else [self.rows[row] for row in rows]
        ids = [f"q{row}" for row in range(len(rows))] if ids is None else ids
        predictions = {name: row[1 if place in wrong else 0] for place, (name, row) in enumerate(zip(ids, rows))}
        references = dict(zip(ids, [row[2] for row in rows])) | (gold or {})
        return qassay.score(self.metric, predictions, references, **columns, **self.options)


ANSWERS = [("Rome", "x", ["Rome", "Roma"]), ("in Bern", "y", ["Bern"]), ("", "z", []), ("Oslo", "w", ["Oslo", "oslo"])]
SETS = [(["cat"], ["fox"], ["cat", "dog"]), (["dog"], ["fox"], ["dog"]), ([], ["fox"], []), (["fox"], ["dog"], ["fox"])]
CASES = {
    "answers": Case("answer_match", ANSWERS, ["Berne"], "gold answers", {}),
    "ranked answers": Case(
        "answer_match", [([a, "b"], [b], g) for a, b, g in ANSWERS], ["Berne"], "gold answers", {"top_k": (1, 2)}
    ),
    "drop": Case(
        "answer_match",
        [("7", "8", [["7"], ["seven"]]), (["a", "b"], "c", [["b", "a"]]), ("x", "y", ["x"])],
        [["b", "b"]],
        "gold answers",
        {"preset": "drop"},
    ),
    "hotpotqa": Case(
        "answer_match", [("Rome", "x", ["Rome"]), ("yes", "no", ["yes"])], ["no"], "gold answers", {"preset": "hotpotqa"}
    ),
    "similarity": Case("semantic_answer_similarity", ANSWERS, ["Berne"], "gold answers", {"model": "lite"}),
    "equivalence": Case("answer_equivalence", ANSWERS, ["Berne"], "gold answers", {}),
    "nuggets": Case(
        "claim_support",
        [
            (["support", "partial_support"], ["not_support", None], ["vital", "okay"]),
            (["support"], [None], ["okay"]),
            (["not_support"] * 3, ["support", "not_support", None], ["vital", "vital", "okay"]),
        ],
        ["vital"],
        "nuggets",
        {},
    ),
    "claims": Case(
        "claim_support",
        [
            (verdicts([True, False], [True], [[1, 0], [0, 0]], [[1, 0]]), verdicts([], [False], [], [[0, 0]]), ["c"]),
            (verdicts([True], [True, True], [[1]], [[0], [1]]), verdicts([False], [False] * 2, [[1]], [[0]] * 2), ["c", "d"]),
            (verdicts([None], [], [[None]], []), verdicts([True], [], [[True]], []), []),
        ],
        ["c", "e"],
        "gold claims",
        {"task": "claims"},
    ),
    "citations": Case(
        "claim_support",
        [
            ([{"citations": [1], "entailed": True}], [{"citations": []}], "x"),
            ([CITING, {"citations": []}], [{"citations": [2], "entailed": False}], "y"),
            ([{"citations": [3], "entailed": None}], [], "z"),
        ],
        "w",
        "references",
        {"task": "citations"},
    ),
    "grades": Case(
        "claim_support",
        [("CORRECT", "INCORRECT", "x"), ("INCORRECT", "CORRECT", "y"), ("NOT_ATTEMPTED", None, "z")],
        "w",
        "references",
        {"task": "grades"},
    ),
    "rankings": Case(
        "retrieval_ranking",
        [
            ({"d1": 2.0, "d2": 1.0}, {"d9": 1.0}, {"d1": 1, "d3": 0}),
            ({"d2": 1.0}, {"d9": 1.0}, {"d2": 2}),
            ({"d9": 1.0}, {"d8": 1.0}, {"d4": 1}),
        ],
        {"d2": 1},
        "judgements",
        {"measures": ["mrr", "map", "iprec@0.1", "ndcg@10", "bpref", "num_rel_ret", "err@5"], "tie_bounds": True},
    ),
    "ranked lists": Case(
        "retrieval_ranking",
        [(["d3", "d1"], ["d8"], ["d1", "d2"]), (["d5", "d2"], ["d8"], ["d5"]), (["d9"], ["d8"], ["d4"])],
        ["d2"],
        "judgements",
        {},
    ),
    "factoids": Case(
        "factoid_accuracy",
        [(["cat", "dog"], ["x"], [["dog", "canine"]]), (["fox"], [], [["fox", "vixen"]]), (["a"], ["b"], [["a"]])],
        [["fox"]],
        "gold answers",
        {},
    ),
    "lists": Case(
        "factoid_accuracy",
        [(["cat", "dog"], ["x"], [["dog", "canine"], ["cat"]]), (["fox"], [], [["fox", "vixen"]])],
        [["fox"], ["vixen"]],
        "gold answers",
        {"question_type": "list"},
    ),
    "yes and no": Case(
        "factoid_accuracy", [("yes", "no", "yes"), ("no", "yes", "no")], "yes", "gold answers", {"question_type": "yesno"}
    ),
    "documents of questions": Case(
        "factoid_accuracy", [(["d1"], ["d9"], ["d1", "d2"]), (["d3"], ["d8"], ["d3"])], ["d3", "d4"], "gold documents",
        {"phase": "A", "missing": "zero"},
    ),
    "pipelines": Case(
        "retriever_reader",
        [
            (pipeline("d1", "Rome"), pipeline("d9", "x"), right("d1", "Rome", "Roma")),
            (pipeline("d2", "in Bern"), pipeline("d9", "y"), right("d2", "Bern")),
            (pipeline("d3", "Oslo"), pipeline("d9", "z"), right("d3", "Oslo")),
        ],
        right("d2", "Berne"),
        "gold answers",
        {"unit": "token"},
    ),
    "labels": Case(
        "label_metrics", [("cat", "fox", "cat"), ("dog", "fox", "dog"), ("cat", "fox", "dog")], "cat", "true labels", {}
    ),
    "sets of labels": Case("label_metrics", SETS, ["dog", "fox"], "true labels", {"task": "multi"}),
    "ranked labels": Case(
        "label_metrics",
        [(["a", "b", "c"], ["d", "c"], ["a"]), (["b", "c"], ["d"], ["c"]), (["a"], ["d"], [])],
        ["b"],
        "true labels",
        {"task": "ranked", "k": (1, 2)},
    ),
    "curve": Case(
        "average_precision", [(0.9, 0.0, True), (0.4, 1.0, False), (0.6, 0.0, True)], True, "true labels", {}
    ),
    "curves of classes": Case(
        "average_precision",
        [
            ({"a": 0.9, "b": 0.1}, {"a": 0.0, "b": 1.0}, "a"),
            ({"a": 0.3, "b": 0.7}, {"a": 1.0, "b": 0.0}, "b"),
            ({"a": 0.6, "b": 0.4}, {"a": 0.0, "b": 1.0}, "a"),
        ],
        "a",
        "true labels",
        {},
    ),
    "boxes": Case(
        "average_precision",
        [
            (boxes((BOX, "a"), (SMALL, "b")), boxes(), boxes((SMALL, "b"), (BOX, "a"), scores=False)),
            (boxes((BOX, "a")), boxes((SMALL, "b")), boxes((BOX, "a"), scores=False)),
        ],
        boxes((SMALL, "a"), scores=False),
        "gold boxes",
        {"task": "boxes"},
    ),
}  # fmt: skip
every_case = pytest.mark.parametrize("case", CASES.values(), ids=CASES)

# Of the cases whose classes a stream has to know.
CLASSES = {
    "labels": ["cat", "dog", "fox"], "sets of labels": ["cat", "dog", "fox"], "ranked labels": ["a", "b", "c", "d"],
    "curves of classes": ["a", "b"], "boxes": ["a", "b"],
}  # fmt: skip

# A case of each family, and of each kind of measure that is computed in its own way.
FEW = {
    name: CASES[name]
    for name in (
        "answers", "ranked answers", "similarity", "equivalence", "claims", "rankings", "lists", "pipelines", "labels",
        "sets of labels", "curve", "boxes",
    )
}  # fmt: skip
few_cases = pytest.mark.parametrize("case", FEW.values(), ids=FEW)


@dataclasses.dataclass
class Module:
    """An evaluate module: the case with its rows (one wrong), an option that changes `key`, and options that are wrong."""

    case: Case
    wrong: tuple[int, ...]
    changing: dict
    key: str
    typo: tuple[str, str]
    bad: dict

    def __post_init__(self):
        self.metric, self.options = self.case.metric, self.case.options
        self.given = self.case.columns(self.wrong)
        self.ids = [f"q{row}" for row in range(len(self.case.rows))]

    def load(self, **options):
        return qassay.load(self.metric, **{**self.options, **options})

    def score(self, **options) -> Scores:
        return qassay.score(self.metric, **self.given, **{**self.options, **options})

    def part(self, rows) -> dict:
        return {name: [column[row] for row in rows] for name, column in self.given.items()}


MODULES = {
    module.metric: module
    for module in (
        Module(CASES["answers"], (3,), {"unit": "character"}, "f1", ("normaliser", "normalizer"), {"normalizer": "sqad"}),
        Module(CASES["ranked lists"], (), {"depth": 1}, "map", ("measure", "measures"), {"ties": "random"}),
        Module(CASES["factoids"], (1,), {"top_k": 1}, "lenient_accuracy", ("topk", "top_k"), {"version": 4}),
        Module(
            CASES["pipelines"], (2,), {"denominator": "queries"}, "reader_top1_accuracy",
            ("denominators", "denominator"), {"top_k": 0},
        ),
        Module(CASES["similarity"], (3,), {"raw": True}, "sas", ("modell", "model"), {"batch_size": 0}),
        Module(CASES["equivalence"], (3,), {"threshold": 0}, "accepted", ("treshold", "threshold"), {"threshold": 2}),
        Module(CASES["nuggets"], (2,), {"unjudged": "zero"}, "all_score", ("unjudge", "unjudged"), {"task": "claim"}),
        Module(
            CASES["labels"], (1,), {"labels": ["cat", "dog", "fox", "owl"]}, "macro_f1",
            ("zero_divisions", "zero_division"), {"task": None},
        ),
        Module(
            CASES["curve"], (0,), {"interpolation": "voc11"}, "average_precision",
            ("threshold", "thresholds"), {"style": "coc"},
        ),
    )
}  # fmt: skip
every_module = pytest.mark.parametrize("module", MODULES.values(), ids=MODULES)

every_family = pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES)


def smallest_scores(family) -> dict[str, Scores]:
    """Scores of the smallest inputs of a descriptor, one for each task."""
    kinds = [(columns, options) for columns, options in family.smallest if "preset" not in options]
    return {str(options): qassay.score(family.name, **columns, **options) for columns, options in kinds}


def smallest_row(name):
    """A prediction, a gold value, and options under which no model is loaded."""
    row, options = get_family(name).smallest[0]
    columns = [row["predictions"], row["references"]]
    return *(next(iter(column.values())) if isinstance(column, dict) else column[0] for column in columns), options


def same(one, other) -> bool:
    """Whether two results are the same, NaN included."""
    return json.dumps(one) == json.dumps(other)
