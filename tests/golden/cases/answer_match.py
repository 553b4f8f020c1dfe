"""answer_match: the options, layouts of columns, tasks and configs on invented answers."""

import warnings
from collections.abc import Iterator
from typing import Any

from _inputs import WORDS, answers, groups_of, of_columns, of_measures, of_scores, of_values, rng, weights_of

import qassay

# Answers and gold answers that only some options tell apart.
ODD: list[tuple[str, list[str]]] = [
    ("the", ["the"]), ("", ["the"]), ("a", ["the", "Rome"]), ("", []), ("Rome", []), ("the", []), ("?", []),
    (" ", [""]),
    ("", ["", "Rome"]), ("", ["Rome"]), ("the", ["a", "an."]), ("x", ["?", "the"]), ("yes", ["no"]),
    ("Yes!", ["yes it is"]),
    ("yes it is", ["yes"]), ("noanswer", []), ("no", ["No."]), ("no thanks", ["no"]),
    ("noanswer at all", ["noanswer"]), ("Hamburg", ["ham"]), ("ham and eggs", ["ham"]),
    ("eggs ham and", ["and eggs"]), ("the the the", ["the The"]), ("to be to be", ["to be or not to be"]),
    ("or to be", ["to be or"]), ("a b c d", ["b c", "d a"]), ("\u00a0", ["\u3000"]), ("", ["\u3000"]),
    (" \t", ["\t"]), ("\u200b", ["\u200b\u200b"]),
    ("New-York City", ["new york", "newyork city"]), ("Zürich", ["zurich", "ZU\u0308RICH"]),
    ("Ein Haus", ["haus", "das Haus"]),
    ("l'île d'Arc", ["Arc", "ile de l'arc"]), ("北京大学", ["北京", "大学 北京"]), ("1,000", ["1000", "1000.0"]),
    ("aab", ["abb"]),
    ("b b a", ["a b", "a b b b"]), ("x y", ["x", "x y z w", "y z"]), ("１２", ["12"]), ("ﬁre", ["fire"]),
    ("Straße", ["strasse"]),
]  # fmt: skip
PREDICTIONS, REFERENCES = answers(40, "short answers")
PREDICTIONS += [answer for answer, _ in ODD]
REFERENCES += [golds for _, golds in ODD]  # few enough to be compared one by one
MANY = answers(150, "many answers")
MANY[0].extend(PREDICTIONS)
MANY[1].extend(REFERENCES)  # enough to be compared as arrays
N = len(PREDICTIONS)
IDS = [f"q{row}" for row in range(N)]
PROBABILITIES = [rng(f"probability {row}").choice([0, 0.125, 0.25, 0.5, 0.5, 0.75, 0.9, 1]) for row in range(N)]

OPTIONS: dict[str, dict[str, Any]] = {
    "default": {},
    **{name: {"normalizer": name} for name in ("korquad", "none", "french", "mlqa:de", "cjk")},
    "unit character": {"unit": "character"},
    "unit token of korquad": {"normalizer": "korquad", "unit": "token"},
    "none, character": {"normalizer": "none", "unit": "character"},
    "none, substring": {"normalizer": "none", "contains": "substring"},
    "none, keep, f1 0": {"normalizer": "none", "empty_gold": "keep", "empty_f1": 0},
    "drop as normaliser": {"normalizer": "drop"},
    "steps": {"normalizer": "nfkc+casefold+accents+spaces"},
    "steps by name": {"normalizer": "casefold+accents+spaces"},
    "callable": {"normalizer": str.swapcase},
    "contains substring": {"contains": "substring"},
    "contains substring, keep": {"contains": "substring", "empty_gold": "keep"},
    "whole answers": {"whole_answers": ("yes", "no", "noanswer")},
    "whole answer": {"whole_answers": "yes"},
    "empty gold keep": {"empty_gold": "keep"},
    "empty f1 0": {"empty_f1": 0},
    "empty gold keep, f1 0": {"empty_gold": "keep", "empty_f1": 0},
}

DOUBTS: dict[str, dict[str, Any]] = {  # with no-answer probabilities
    "no threshold": {},
    "threshold of ties": {"no_answer_threshold": 0.5},
    "threshold between": {"no_answer_threshold": 0.3},
    "threshold 0": {"no_answer_threshold": 0},
    "threshold below all": {"no_answer_threshold": -1},
    "threshold 1": {"no_answer_threshold": 1},
    "f1 0": {"empty_f1": 0},
    "f1 0, threshold": {"empty_f1": 0, "no_answer_threshold": 0.5},
    "keep, threshold": {"empty_gold": "keep", "no_answer_threshold": 0.25},
    "substring, threshold": {"contains": "substring", "no_answer_threshold": 0.5},
}

OUTPUTS = [
    "<answer>Rome</answer>", "<answer> the Rome\n</answer> or <answer>Paris</answer>", "<answer>Rome",
    "Rome</answer>", "Rome",
    "<answer><answer>Rome</answer></answer>", "<answer></answer>", "<Answer>Rome</Answer>", "", None,
    "<think>Lyon?</think> Rome", "<think>Lyon?</think>", "<thinking>a</thinking><think>b</think>\nRome\n",
    "<think>Rome",
    r"so \boxed{Lyon}, or \boxed{Rome}", r"\boxed{\frac{1}{2}}", r"\fbox{Rome} \boxed{Lyon", r"$\boxed 5$",
    r"\{ \boxed{\text{Rome}} }",
    r"\boxed{a \boxed{Rome} b}", "Final answer: Lyon\nfinal Answer：**Rome**", "**Final answer:**\nRome",
    "final answer:", "Lyon\n\nRome \n ",
    '{"answer": "Rome"}', 'Sure: {"answer": "Lyon"} {"answer": " Rome "} {"x": {"answer": 1}}', '{"answer": null}',
    '{"answer": 5.0}',
    '{"answer": true}', '{"answer": ["Rome"]}', '{"answer": "Ro', "It is Lyon. It is Rome.", "is Rome! is Rome, is",
    "it is ",
]  # fmt: skip
OUTPUT_GOLDS = [["Rome"], ["5", "true", "5.0"], [], [r"\frac{1}{2}", "answer"], ["Lyon"]]


def upper_or_none(text: str) -> str | None:
    return text.upper() if len(text) > 5 else None


EXTRACTIONS: dict[str, Any] = {
    **{name: name for name in ("none", "answer_tag", "after_think", "boxed", "final_answer", "last_line")},
    "json": "json:answer",
    "regex without group": "regex:R[a-z]*",
    "regex with group": r"regex:is (\w*)",
    "regex with named group": r"regex:(is|or) (?P<answer>\w*)",
    "function": upper_or_none,
}

DROP_ANSWERS: list[tuple[Any, Any]] = [
    ("5.0", ["5"]), ("5 yards", ["5"]), ("yards", ["5 yards"]), ("5 yards", ["5 yards 6"]), ("6 yards", ["5 yards"]),
    (["Rome", "Paris"], [["Paris", "Rome"]]),
    (["Rome"], [["Paris", "Rome"]]), (["Rome", "Rome"], [["Rome"]]),
    (["Rome", "Lyon", "the Seine"], [["Seine", "Rome"], ["Lyon"]]),
    (None, ["Rome"]), ([], ["Rome"]), ("", ["the"]), (["the"], ["a"]), ("Rome", [" "]),
    ("Rome", [[" ", "Rome"], "Lyon"]),
    ("one-two", ["one two"]), ("(3.14)", ["314"]), ("1,000", ["1000.0"]), ("nan", ["NaN"]), ("１２", ["12"]),
    ("a\n10 b", ["10"]),
    ("3 May 1990", {"number": "", "spans": [], "date": {"day": "3", "month": "May", "year": "1990"}}),
    ("May 1990", {"number": "", "spans": [], "date": {"day": "", "month": "May", "year": "1990"}}),
    ("4", {"number": 4, "spans": ["four"]}), (["four", "five"], {"number": "", "spans": ["four", "six", "five"]}),
    ("7", {"answer": {"number": "8", "spans": []}, "validated_answers": [{"number": "7", "spans": []}]}),
    ("2", {"number": ["1", "2"], "spans": [[], []]}), (["x y", "y z", "z"], [["y", "z y", "x"], ["x y z"]]),
    (["12 men", "3 dogs"], [["12 dogs", "3 men"]]), (["12 men", "dogs"], [["12 men", "3 dogs", "cats"]]),
]  # fmt: skip

HOTPOT: list[tuple[Any, list[str], Any, Any]] = [  # answer, gold answers, facts, gold facts
    ("yes", ["yes"], [["A", 0]], [["A", 0]]), ("yes", ["no"], [["A", 0]], [["A", 0], ["B", 1]]),
    ("yes it is", ["yes"], [], [["A", 0]]),
    ("noanswer", ["noanswer"], [], []),
    ("the Eiffel Tower", ["Eiffel Tower in Paris"], [["Paris", 0], ["X", 1]], [["Paris", 0], ["E", 2]]),
    ("Rome", ["Rome", "Roma"], None, [["A", 0]]), (None, ["Rome"], [["A", 0], ["B", 1]], [["A", 0]]),
    (None, ["Rome"], None, [["A", 0]]),
    ("the", ["a"], [["A", 0], ["A", 0]], [["A", 0.0]]),
    ("a b c", ["b c d e", "c", "a b x"], {"title": ["A", "B"], "sent_id": [0, 1]}, [["B", 1]]),
    ("b b a", ["b a b b", "a"], [["a", 0]], [["A", 0]]), ("", ["Rome"], [["A", 1]], [["A", 0]]),
    ("Rome.", ["rome"], [["A", 2], ["B", 0], ["C", 1]], [["C", 1], ["B", 0]]),
    ("no", ["No!", "yes"], [{"title": "A", "sent_id": 3}], [["A", 3], ["A", 4], ["A", 5]]),
]  # fmt: skip


def ranked(n: int, name: str) -> tuple[list[list[str] | None], list[list[str]]]:
    """Ranked answers, a few of them right, with empty lists and missing ones; and gold answers."""
    draw, (first, golds) = rng(name), answers(n, name)
    rows: list[list[str] | None] = []
    for answer, right in zip(first, golds, strict=True):
        more = [draw.choice([*right, "", "the", " ".join(draw.choices(WORDS, k=2))]) for _ in range(draw.randrange(6))]
        rows.append(draw.choice([None, []]) if draw.random() < 0.15 else [answer, *more][draw.randrange(2) :])
    return rows, golds


def score(*columns: Any, **given: Any) -> Any:
    return qassay.score("answer_match", *columns, **given)


def options_cases() -> Iterator[tuple[str, Any]]:
    for name, options in OPTIONS.items():
        yield f"options/{name}/few", of_columns(score(PREDICTIONS, REFERENCES, **options))
        yield f"options/{name}/many", of_measures(score(*MANY, **options))
        one = qassay.scorer("answer_match", **options)
        yield f"options/{name}/one", [list(one(answer, golds).values()) for answer, golds in ODD]
    yield "few", of_scores(score(PREDICTIONS, REFERENCES))
    many = score(*MANY, weights=weights_of(len(MANY[0])), groups=groups_of(len(MANY[0])))
    yield "weights and groups", of_values(many)
    yield (
        "weights and groups/by",
        {str(label): of_measures(part) for label, part in many.by([row % 3 for row in range(len(MANY[0]))]).items()},
    )
    yield (
        "groups by id",
        of_scores(score(dict(zip(IDS, PREDICTIONS)), dict(zip(IDS, REFERENCES)), groups=dict(zip(IDS, groups_of(N))))),
    )


def doubts_cases() -> Iterator[tuple[str, Any]]:
    for name, options in DOUBTS.items():
        found = score(PREDICTIONS, REFERENCES, no_answer_probabilities=PROBABILITIES, **options)
        yield f"probabilities/{name}", of_columns(found)
        yield f"probabilities/{name}/values", of_measures(found)
        for place, part in found.by(groups_of(N, among=3)).items():
            yield f"probabilities/{name}/by/{place}", of_measures(part)
        weighted = score(PREDICTIONS, REFERENCES, None, weights_of(N), PROBABILITIES, **options)
        yield f"probabilities/{name}/weights", of_measures(weighted)
    yield "probabilities", of_scores(score(PREDICTIONS, REFERENCES, no_answer_probabilities=PROBABILITIES))
    one = qassay.scorer("answer_match", no_answer_threshold=0.5, empty_f1=0)
    doubted = zip(PREDICTIONS, REFERENCES, PROBABILITIES, strict=True)
    yield "probabilities/one", [[*one(text, own, no_answer_probabilities=p).values()] for text, own, p in doubted]
    yield "probabilities/one number", of_values(score(PREDICTIONS, REFERENCES, no_answer_probabilities=0.25))
    by_id = {"q1": 0.5, "q0": 0.25, "q2": 0.125}
    golds = {"q0": [], "q1": ["Rome"], "q2": ["Lyon"], "q3": []}
    answered = {"q2": "Lyon", "q0": "Rome", "q1": "in Rome"}
    yield "probabilities/by id, one missing", of_scores(score(answered, golds, no_answer_probabilities=by_id))
    rows = [
        {"id": name, "prediction_text": text, "no_answer_probability": by_id[name]} for name, text in answered.items()
    ]
    yield "probabilities/in rows", of_scores(score(rows, golds, no_answer_probabilities=0.9, no_answer_threshold=0.3))
    yield (
        "probabilities/ranked",
        of_scores(
            score(
                *ranked(40, "ranked doubts"),
                no_answer_probabilities=PROBABILITIES[:40],
                top_k=(1, 3),
                no_answer_threshold=0.5,
            )
        ),
    )


def of_answerability(scores: Any) -> dict[str, Any]:
    """Curves over thresholds and the calibration of probabilities: what charts and pages show."""
    from qassay.answer_match import answerability as of

    found: dict[str, Any] = {"swept": of.swept_measures(scores)}
    for measure in found["swept"]:
        found[f"curve/{measure}"] = of.threshold_curve(scores, measure)._asdict()
    for n_bins in (1, 4, 10):
        found[f"reliability/{n_bins}"] = of.reliability(scores, n_bins)._asdict()
    return found


def answerability_cases() -> Iterator[tuple[str, Any]]:
    predictions = [None if row % 11 == 0 else answer for row, answer in enumerate(PREDICTIONS)]
    for name, given in {"plain": {}, "weights": {"weights": weights_of(N)}, "f1 0": {"empty_f1": 0}}.items():
        found = score(predictions, REFERENCES, no_answer_probabilities=PROBABILITIES, **given)
        yield f"answerability/{name}", of_answerability(found)
    found = score(*ranked(40, "ranked doubts"), no_answer_probabilities=PROBABILITIES[:40], top_k=(1, 3))
    yield "answerability/ranked", of_answerability(found)


def extraction_cases() -> Iterator[tuple[str, Any]]:
    golds = [OUTPUT_GOLDS[row % 5] if row % 3 == 2 else ["Rome", "5"] for row in range(len(OUTPUTS))]
    for name, extract in EXTRACTIONS.items():
        for unextracted in ("zero", "empty", "whole"):
            found = score(OUTPUTS, golds, extract=extract, unextracted=unextracted)
            names = ("exact_match", "f1", "unextracted", "abstained")
            yield f"extract/{name}/{unextracted}", of_columns(found, *names)
            yield (
                f"extract/{name}/{unextracted}/values",
                of_measures(found, "exact_match", "no_answer_f1", "unextracted"),
            )
        found = score(OUTPUTS, golds, extract=extract, normalizer="none", unit="character")
        yield f"extract/{name}/characters", of_columns(found, "f1")
    one = qassay.scorer("answer_match", extract="boxed", unextracted="whole")
    yield "extract/one", [list(one(text, ["Rome", "5"]).values()) for text in OUTPUTS]
    both = score(OUTPUTS, golds, extract="answer_tag", missing="skip", unextracted="empty")
    yield "extract/missing skip", of_scores(both)


def ranked_cases() -> Iterator[tuple[str, Any]]:
    rows, golds = ranked(40, "ranked")
    for name, k in {"1": 1, "1, 3, 5": (1, 3, 5), "unordered": [4, 2, 2], "beyond": (50,)}.items():
        yield f"top_k/{name}", of_scores(score(rows, golds, top_k=k))
    yield "top_k/skip", of_values(score(rows, golds, top_k=(1, 2), missing="skip"))
    yield "top_k/many", of_values(score(*ranked(180, "many ranked"), top_k=(1, 2, 3)))
    yield (
        "top_k/options",
        of_values(score(*ranked(180, "many ranked"), top_k=(2,), contains="substring", empty_gold="keep", empty_f1=0)),
    )
    one = qassay.scorer("answer_match", top_k=(1, 3))
    yield "top_k/one", [list(one(row, gold).values()) for row, gold in zip(rows, golds, strict=True) if row]


def layout_cases() -> Iterator[tuple[str, Any]]:
    golds = {"a": ["Rome", "Roma"], "b": [], "c": ["the Seine"], "d": ["Bern"]}
    found = {"c": "Seine", "a": "in Rome", "x": "Oslo", "b": "", "y": "Kiel"}
    squad = [
        {"id": name, "answers": {"text": texts, "answer_start": [0] * len(texts)}} for name, texts in golds.items()
    ]
    rows = [{"id": name, "prediction_text": text} for name, text in found.items()]
    for missing in ("zero", "skip"):
        yield f"layout/dicts/{missing}", of_scores(score(found, golds, missing=missing))
        yield f"layout/rows/{missing}", of_scores(score(rows, squad, missing=missing))
    twice = [*rows, {"id": "a", "prediction_text": "Rome"}, {"id": "c", "prediction_text": "x"}]
    golds_twice = [*squad, {"id": "a", "answers": ["Paris"]}]
    for duplicates in ("first", "last"):
        yield f"layout/duplicates/{duplicates}", of_scores(score(twice, golds_twice, duplicates=duplicates))
    yield (
        "layout/duplicates/ids",
        of_scores(score(["Rome", "Lyon", "Bern"], [["Rome"], ["Lyon"], ["x"]], ids=[7, 7, 3], duplicates="last")),
    )
    yield "layout/None", of_scores(score(["Rome", None, None], [["Rome"], [], ["x"]]))
    yield "layout/None/skip", of_scores(score(["Rome", None, None], [["Rome"], [], ["x"]], missing="skip"))
    yield "layout/strings", of_scores(score(["in Rome", "", "x"], ["Rome", "", ""]))
    listed = [{"id": "p", "answers": [{"text": "in Rome"}, {"text": "Rome"}]}, {"id": "q", "answers": ["Bern"]}]
    yield "layout/lists of texts", of_scores(score({"q": "Bern", "p": "Rome"}, listed))
    yield "layout/weights by id", of_values(score(found, golds, weights={"a": 1, "b": 2, "c": 0, "d": 0.5}))


def task_cases() -> Iterator[tuple[str, Any]]:
    drop = [answer for answer, _ in DROP_ANSWERS], [golds for _, golds in DROP_ANSWERS]
    n = len(DROP_ANSWERS)
    yield "drop/default", of_scores(score(*drop, preset="drop"))
    yield "drop/skip, weights", of_scores(score(*drop, preset="drop", missing="skip", weights=weights_of(n)))
    yield "drop/squad", of_scores(score(*drop, preset="drop", normalizer="squad"))
    texts = [answer if isinstance(answer, str) else "; ".join(answer or []) for answer in drop[0]]
    yield (
        "drop/extract",
        of_values(score([f"<answer>{text}</answer>" for text in texts], drop[1], preset="drop", extract="answer_tag")),
    )
    hotpot = [list(column) for column in zip(*HOTPOT)]
    facts = {
        "predicted_details": {"supporting_facts": hotpot[2]},
        "gold_details": {"supporting_facts": hotpot[3]},
    }
    yield "hotpotqa/facts", of_scores(score(*hotpot[:2], preset="hotpotqa", **facts))
    yield "hotpotqa/answers", of_scores(score(*hotpot[:2], preset="hotpotqa"))
    yield "hotpotqa/skip", of_scores(score(*hotpot[:2], preset="hotpotqa", missing="skip", **facts))
    yield "hotpotqa/weights", of_values(score(*hotpot[:2], preset="hotpotqa", weights=weights_of(len(HOTPOT)), **facts))
    yield "hotpotqa/french", of_values(score(*hotpot[:2], preset="hotpotqa", normalizer="french", **facts))
    rows = [{"id": i, "prediction_text": row[0], "supporting_facts": row[2]} for i, row in enumerate(HOTPOT)][:-2]
    golds = [{"id": i, "answers": row[1], "supporting_facts": row[3]} for i, row in enumerate(HOTPOT)]
    yield "hotpotqa/rows, two missing", of_scores(score(rows, golds, preset="hotpotqa"))


def computed(metric: Any, **given: Any) -> dict[str, Any]:
    with warnings.catch_warnings():  # squad and squad_v2 have no key for some rows, and say so
        warnings.simplefilter("ignore")
        return metric.compute(**given)


def config_cases() -> Iterator[tuple[str, Any]]:
    def rows(predictions: list[str], references: list[list[str]], order: int = 1) -> dict[str, Any]:
        given = [
            {"id": name, "prediction_text": text, "no_answer_probability": doubt}
            for name, text, doubt in zip(IDS, predictions, PROBABILITIES)
        ]
        golds = [
            {"id": name, "answers": {"text": texts, "answer_start": [0] * len(texts)}}
            for name, texts in zip(IDS, references)
        ]
        return {"predictions": given[::order], "references": golds}

    kept = rows(PREDICTIONS, REFERENCES)
    answered = [row["id"] for row in kept["references"] if row["answers"]["text"]]
    of_answered = {name: [row for row in side if row["id"] in answered] for name, side in kept.items()}
    squad = qassay.load("answer_match", "squad")
    plain = [{key: row[key] for key in ("id", "prediction_text")} for row in kept["predictions"]]
    for name, options in {"default": {}, "drop": {"empty_gold": "drop"}, "f1 1": {"empty_f1": 1.0}}.items():
        yield f"squad/{name}", computed(squad, predictions=plain, references=kept["references"], **options)
    squad_v2 = qassay.load("answer_match", "squad_v2")
    for threshold in (None, -1.0, 0.0, 0.3, 0.5, 1.0):
        yield f"squad_v2/threshold {threshold}", computed(squad_v2, **kept, no_answer_threshold=threshold)
    yield "squad_v2/reversed", computed(squad_v2, **rows(PREDICTIONS, REFERENCES, -1))
    yield "squad_v2/all answered", computed(squad_v2, **of_answered)
    yield "squad_v2/f1 0", computed(squad_v2, **kept, empty_f1=0.0)
    yield "squad_v2/missing", computed(squad_v2, predictions=kept["predictions"][3:], references=kept["references"])
    kept["references"][:] = [{**row, "answers": {"text": [], "answer_start": []}} for row in kept["references"]]
    yield "squad_v2/nothing to answer", computed(squad_v2, **kept)
    default = qassay.load("answer_match")
    yield "default/compute", computed(default, predictions=PREDICTIONS, references=REFERENCES)
    for name, options in {"preset": {}, "whole": {"unextracted": "whole"}}.items():
        yield (
            f"search_r1/{name}",
            qassay.load("answer_match", "search_r1").compute(
                predictions=[text or "" for text in OUTPUTS], references=[["Rome", "5"]] * len(OUTPUTS), **options
            ),
        )


CASES = [
    options_cases, doubts_cases, answerability_cases, extraction_cases, ranked_cases, layout_cases,
    task_cases, config_cases,
]  # fmt: skip
