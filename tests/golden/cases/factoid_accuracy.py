"""factoid_accuracy: phases, types of questions, versions, options, and the small cases of BioASQ's program."""

import json
from collections.abc import Iterator
from typing import Any

import pandas as pd
from _inputs import ROOT, groups_of, named_options, of_scores, of_values, rng, weights_of

import qassay

METRIC = "factoid_accuracy"
VERSIONS = (2, 3, 5, 8, 9)
NAMES = "dog,canine,Cat,the fox,fox.,oak,Ülme,İl,5.0,ΟΔΟΣ,ash tree,Ash  Tree,yew,α-synuclein,β2,p53,TP53,a".split(",")
YES_NO = ["yes", "no", "Yes", "NO", "yes, it is", "None known", "I don't know", "maybe", "", "no, yes"]

Question = dict[str, Any]


def questions(n: int, name: str = "questions") -> tuple[list[Question], list[Question]]:
    """Gold and system questions of all types: synonyms, repeats, empty, missing, duplicate and foreign ones."""
    draw = rng(name)
    gold, system = [], []
    for number in range(n):
        kind = draw.choice(["factoid", "factoid", "list", "list", "yesno", "summary"])
        question: Question = {"id": f"q{number}", "type": kind}
        answer: Any = None
        if kind == "yesno":
            question["exact_answer"] = draw.choice(["yes", "yes", "no", "Yes."])
            answer = draw.choice(YES_NO)
        elif kind != "summary":
            entities = [
                draw.sample(NAMES, draw.choice([1, 1, 2, 3]))
                for _ in range(1 if kind == "factoid" else draw.randrange(1, 6))
            ]
            question["exact_answer"] = entities[0] if kind == "factoid" and draw.random() < 0.5 else entities
            known = [name for entity in entities for name in entity]
            found = [draw.choice([*known, *draw.choices(NAMES, k=3)]) for _ in range(draw.choice([0, 1, 2, 4, 7]))]
            found = [draw.choice([name, name, name.upper(), name.lower(), f"{name} "]) for name in found]
            answer = [[name] for name in found]
            layout = draw.random()
            if layout < 0.3:
                answer = found
            elif layout < 0.5:
                answer = [[draw.choice(NAMES), *name] for name in answer]
            elif layout < 0.6:
                answer = draw.choice(["dog", [[], ["dog"]], ["", "dog"]])
        gold.append(question)
        if draw.random() < 0.85:
            system.append({"id": f"q{number}", "exact_answer": answer} if kind != "summary" else {"id": f"q{number}"})
        if draw.random() < 0.15 and kind in ("factoid", "list"):
            system.append({"id": f"q{number}", "exact_answer": question["exact_answer"]})
    system.append({"id": "not asked", "exact_answer": [["dog"]]})
    return gold, [row for row in system if row.get("exact_answer", ()) is not None]


def documents(n: int) -> tuple[list[Question], list[Question]]:
    """Gold and found documents: repeats, more than 10 gold documents, none, missing questions."""
    draw = rng("documents")
    names = [f"http://x/{number}" for number in range(24)]
    gold = [
        {"id": f"q{row}", "documents": draw.sample(names, draw.choice([0, 1, 3, 8, 10, 11, 15]))} for row in range(n)
    ]
    found = [{"id": f"q{row}", "documents": draw.choices(names, k=draw.choice([0, 1, 4, 10, 14]))} for row in range(n)]
    return gold, [row for row in found if draw.random() < 0.9]


PRINTED = [
    "yesno_accuracy", "strict_accuracy", "lenient_accuracy", "mrr", "list_precision", "list_recall", "list_f1",
    "yesno_macro_f1", "yesno_f1_yes", "yesno_f1_no",
]  # fmt: skip

OPTIONS: dict[str, dict[str, Any]] = {
    "default": {},
    "top_k=none": {"top_k": None},
    **named_options("top_k=1; top_k=2; normalizer=squad; normalizer=none; missing=skip; missing=zero; duplicates=last"),
    "normalizer=steps": {"normalizer": "lower+spaces"},
}


def cases() -> Iterator[tuple[str, Any]]:
    gold, system = questions(90)
    n = len(gold)
    for name, options in OPTIONS.items():
        scores = qassay.score(METRIC, system, gold, **options)
        yield name, of_scores(scores) if name == "default" else of_values(scores)
    for version in VERSIONS:
        for rules, options in {
            "": {},
            ", as the program": {"top_k": None, "missing": "skip" if version == 9 else "zero"},
        }.items():
            scores = qassay.score(METRIC, system, gold, version=version, **options)
            yield f"version={version}{rules}", of_scores(scores) if version < 5 and not rules else of_values(scores)
    without_gold = [{**row, "exact_answer": []} if row["id"] == "q3" else row for row in gold]
    yield "no gold, missing=skip", of_values(qassay.score(METRIC, system, without_gold, missing="skip"))

    weights, groups = weights_of(n), groups_of(n)
    scores = qassay.score(METRIC, system, gold, weights=weights, groups=groups)
    yield "weights and groups", of_values(scores)
    yield "slices with weights", {label: part.summary() for label, part in scores.by(groups).items()}
    for kind in ("factoid", "list", "yesno", "summary", "missing", "unanswered"):
        yield f"subset {kind}", scores.subset(kind).summary()
    by_id = dict(zip([row["id"] for row in gold], weights, strict=True))
    yield "weights by id, missing=skip", of_values(qassay.score(METRIC, system, gold, weights=by_id, missing="skip"))

    yield "preset=bioasq", of_scores(qassay.score(METRIC, system, gold, preset="bioasq"))
    changed = qassay.score(METRIC, system, gold, preset="bioasq", version=5, missing="zero")
    yield "preset=bioasq, version=5, missing=zero", of_values(changed)

    yield "layout/files", of_values(qassay.score(METRIC, {"questions": system}, {"questions": gold}))
    plain = [["dog", "Cat"], ["fox."], [], None, ["a", "b", "c", "d", "e", "oak"]]
    golds = [["DOG"], ["fox", "the fox"], ["oak"], ["ash"], ["oak", "a tree"]]
    yield "layout/plain lists", of_scores(qassay.score(METRIC, plain, golds))
    for kind in ("factoid", "list"):
        yield f"question_type={kind}", of_scores(qassay.score(METRIC, plain, golds, question_type=kind))
    yield "question_type=yesno", of_scores(qassay.score(METRIC, YES_NO, ["yes", "no"] * 5, question_type="yesno"))
    types = ["factoid", "list", "factoid", "list", "list"]
    yield "question_types", of_scores(qassay.score(METRIC, plain, golds, question_types=types, ids=list("vwxyz")))
    table = pd.DataFrame({"id": list("vwxyz"), "prediction": plain, "golds": golds, "type": types})
    yield "layout/one table", of_values(qassay.score(METRIC, table))
    by_id = {"a": ["dog"], "b": ["x", "Fox"], "z": ["y"]}, {"b": ["fox"], "a": ["cat"], "c": ["oak"]}
    yield "layout/by id", of_scores(qassay.score(METRIC, *by_id))

    gold, found = documents(60)
    for version in VERSIONS:
        scores = qassay.score(METRIC, found, gold, phase="A", version=version)
        yield f"phase A/version={version}", of_scores(scores) if version in (5, 9) else of_values(scores)
    known = [row for row in gold if row["documents"]]
    for version in VERSIONS:
        scores = qassay.score(
            METRIC, found, known, phase="A", version=version, missing="zero", weights=weights_of(len(known))
        )
        yield f"phase A/version={version}, missing=zero, weights", of_values(scores)
    twice = (
        [{"id": "q", "documents": ["a"]}, {"id": "q", "documents": ["b", "a"]}],
        [{"id": "q", "documents": ["a", "b"]}],
    )
    for choice in ("first", "last"):
        yield f"phase A/duplicates={choice}", of_values(qassay.score(METRIC, *twice, phase="A", duplicates=choice))
    lists = [["d1", "x", "d1", "d2"], []], [["d1", "d2", "d3"], ["d4"]]
    yield "phase A/plain lists", of_scores(qassay.score(METRIC, *lists, phase="a"))

    shared = [[["a", "b"], ["a"]], [["b"], ["a", "b"], ["c"]]], [[["a"], ["b"]], [["b", "x"], ["a", "b"], ["b", "c"]]]
    for version in VERSIONS:
        scores = qassay.score(METRIC, *shared, question_type="list", version=version)
        yield f"lists with shared names, version={version}", of_values(scores)
    yield from small_cases()


def small_cases() -> Iterator[tuple[str, Any]]:
    """The cases that BioASQ's program was run on, in all versions; a test of the metric holds its numbers."""
    rows = json.loads((ROOT / "tests/data/bioasq_edge_cases.json").read_text("utf-8"))
    for name, case in rows.items():
        yield f"bioasq/{name}", [as_the_program(case, version) for version in VERSIONS]


def as_the_program(case: dict[str, Any], version: int) -> Any:
    """The ten numbers in the order of the program, or the name of the error."""
    options = {"version": version, "top_k": None, "missing": "skip" if version == 9 else "zero"}
    try:
        scores = qassay.score(METRIC, case["system"], case["gold"], **options)
    except (TypeError, ValueError) as error:
        return type(error).__name__
    return list(scores.summary(PRINTED).values())
