"""Every metric on 1, 8, 64 and 512 examples, in CPU microseconds: `qassay.scorer`, `qassay.score`, a reward, a plain script, and Hugging
Face's module squad.
"""

import argparse
import collections
import math
import random
import re
import string
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import qassay

from . import inputs
from .measure import ABSENT, Table, Times, Way, differ, timed

PACKAGES = ("evaluate", "datasets")
SIZES = (1, 8, 64, 512)
PEER, PLAIN, SUMMARY = "Hugging Face `squad`", "plain script", "`qassay.score(...).summary()`"
SCORER, REWARD = "`qassay.scorer(...)`", "`qassay.reward(...)`"

Rows = tuple[list[Any], list[Any]]


class Case(NamedTuple):
    """A metric with options, a function that makes n predictions and their gold data, and what is compared.

    Attributes:
        plain: measure -> mean, by a short script.
        column: a further column of the scorer: its name and the value of every row.
        reward: the settings of `qassay.reward` for the same measure.
    """

    metric: str
    rows: Callable[[int], Rows]
    plain: Callable[[list[Any], list[Any]], Mapping[str, float]] | None = None
    options: Mapping[str, Any] = {}
    column: tuple[str, Any] | None = None
    reward: Mapping[str, Any] | None = None


def run(args: argparse.Namespace) -> Iterator[Table]:
    peer = inputs.hugging_face(args, "squad")
    columns = (PEER, PLAIN, SUMMARY, SCORER, REWARD)
    rows = []
    for name, case in CASES.items():
        for n in SIZES if args.full or name == "answers" else SIZES[:1]:
            ways = ways_of(case, n, peer)
            seconds = seconds_of(ways, args.repeats)
            cells = [f"{1e6 * seconds[way]:,.0f}" if way in seconds else "" for way in columns]
            if name == "answers" and PEER not in seconds:
                cells[0] = ABSENT
            if n == 1 or name == "answers":
                rows.append([name, str(n), *cells])
    yield Table("few-answers", ["", "examples", *columns], rows)


def ways_of(case: Case, n: int, peer: Any) -> dict[str, Callable[[], Any]]:
    """The functions that score n examples of a case, after checking that they return the same numbers."""
    predictions, golds = case.rows(n)
    further = {} if case.column is None else {case.column[0]: [case.column[1]] * n}
    scorer = qassay.scorer(case.metric, **case.options)

    def summary() -> Mapping[str, float]:
        return qassay.score(case.metric, predictions, golds, **further, **case.options).summary()

    ways: dict[str, Way] = {
        SUMMARY: Way(summary),
        SCORER: Way(lambda: scorer.many(predictions, golds, **further), means_of),
    }
    if case.reward is not None:
        reward = qassay.reward(**case.reward)
        ways[REWARD] = Way(
            lambda: reward(completions=predictions, golds=golds), lambda found: {reward.measure: math.fsum(found) / n}
        )
    if case.plain is not None:
        ways[PLAIN] = Way(lambda: case.plain(predictions, golds))
    if peer is not None and case.plain is plain_squad:
        answers = [{"id": str(row), "prediction_text": answer} for row, answer in enumerate(predictions)]
        rows = [
            {"id": str(row), "answers": {"text": texts, "answer_start": [0] * len(texts)}}
            for row, texts in enumerate(golds)
        ]
        ways[PEER] = Way(
            lambda: peer.compute(predictions=answers, references=rows),
            lambda found: {name: value / 100 for name, value in found.items()},
        )
    expected = summary()
    for name, way in ways.items():
        for measure, value in way.read(way.call()).items():
            if differ(value, expected[measure], 1e-12):
                raise SystemExit(f"{case.metric}, {name}: {measure} is {value!r}, by {SUMMARY} {expected[measure]!r}")
    return {name: way.call for name, way in ways.items()}


def means_of(rows: list[Mapping[str, float]]) -> dict[str, float]:
    return {measure: math.fsum(row[measure] for row in rows) / len(rows) for measure in rows[0]}


def seconds_of(ways: Mapping[str, Callable[[], Any]], repeats: int) -> Times:
    """CPU seconds of each function, medians over rounds of calls that take some milliseconds."""
    calls = {}
    for name, way in ways.items():
        start = time.process_time()
        way()
        calls[name] = max(1, int(0.02 / max(time.process_time() - start, 1e-6)))

    def several(name: str) -> Callable[[], None]:
        return lambda: [ways[name]() for _ in range(calls[name])] and None

    _, times = timed({name: several(name) for name in ways}, repeats)
    return Times({name: seconds / calls[name] for name, seconds in times.items()})


PUNCTUATION = set(string.punctuation)


def normalised(text: str) -> str:
    text = "".join(character for character in text.lower() if character not in PUNCTUATION)
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", text).split())


def token_f1(answer: str, gold: str) -> float:
    left, right = normalised(answer).split(), normalised(gold).split()
    shared = sum((collections.Counter(left) & collections.Counter(right)).values())
    if not shared:
        return float(left == right)
    precision, recall = shared / len(left), shared / len(right)
    return 2 * precision * recall / (precision + recall)


def plain_squad(answers: list[str], golds: list[list[str]]) -> dict[str, float]:
    """Exact match and F1 by the rules of SQuAD, written as in a notebook."""
    exact = f1 = 0.0
    for answer, row in zip(answers, golds, strict=True):
        exact += max(normalised(answer) == normalised(gold) for gold in row)
        f1 += max(token_f1(answer, gold) for gold in row)
    return {"exact_match": exact / len(answers), "f1": f1 / len(answers)}


WORDS = "the of in and Denver Broncos Santa Clara California 1976 golden gate bridge Levi's Stadium San Francisco Bay".split()


def short_answers(n: int) -> Rows:
    """Answers of one to four words against three gold answers each; a third are right."""
    rng = random.Random(0)
    answers = [" ".join(["Rome", *rng.choices(WORDS, k=rng.randrange(4))]) for _ in range(n)]
    golds = [
        [
            answer if rng.random() < 0.12 else " ".join(["Rome", *rng.choices(WORDS, k=rng.randrange(4))])
            for _ in range(3)
        ]
        for answer in answers
    ]
    return answers, golds


def written_answers(n: int) -> Rows:
    """Output of a model with a short answer at its end."""
    answers, golds = short_answers(n)
    return [f"I looked at two documents about it. <answer>{answer}</answer>" for answer in answers], golds


def rankings(n: int) -> Rows:
    """Runs of ten documents with scores, against ten judgements."""
    rng = random.Random(0)
    runs = [{f"d{rng.randrange(10**6)}": rng.random() for _ in range(10)} for _ in range(n)]
    return runs, [{**dict.fromkeys([*run][:3], 1), **{f"e{place}": place % 2 for place in range(7)}} for run in runs]


def factoids(n: int) -> Rows:
    """Five ranked names; in most questions one is right."""
    answers, golds = short_answers(n)
    return [[*WORDS[4:8], answer] for answer in answers], [[row] for row in golds]


def plain_ranking(runs: list[dict[str, float]], judgements: list[dict[str, int]]) -> dict[str, float]:
    """MRR, MAP and nDCG@10 by the rules of trec_eval, written as in a notebook."""
    sums = collections.Counter()
    for run, levels in zip(runs, judgements, strict=True):
        order = sorted(run, key=lambda name: (run[name], name), reverse=True)
        hits = [rank for rank, name in enumerate(order, 1) if levels.get(name, 0) > 0]
        gain = sum(levels.get(name, 0) / math.log2(rank + 1) for rank, name in enumerate(order[:10], 1))
        best = sorted(levels.values(), reverse=True)[:10]
        ideal = sum(level / math.log2(rank + 1) for rank, level in enumerate(best, 1))
        relevant = sum(level > 0 for level in levels.values())
        sums["mrr"] += 1 / hits[0] if hits else 0
        sums["map"] += sum(number / rank for number, rank in enumerate(hits, 1)) / relevant if relevant else 0
        sums["ndcg@10"] += gain / ideal if ideal else 0
    return {name: total / len(runs) for name, total in sums.items()}


def plain_factoids(answers: list[list[str]], golds: list[list[list[str]]]) -> dict[str, float]:
    """Strict and lenient accuracy and MRR by the rules of BioASQ, written as in a notebook."""
    sums = collections.Counter()
    for candidates, entities in zip(answers, golds, strict=True):
        names = {name.lower() for entity in entities for name in entity}
        hits = [place for place, candidate in enumerate(candidates[:5], 1) if candidate.lower() in names]
        sums["strict_accuracy"] += hits[:1] == [1]
        sums["lenient_accuracy"] += bool(hits)
        sums["mrr"] += 1 / hits[0] if hits else 0
    return {name: total / len(answers) for name, total in sums.items()}


def label_sets(n: int) -> Rows:
    """Sets of some labels of eight."""
    rng = random.Random(0)
    predictions, golds = ([rng.sample("abcdefgh", rng.randrange(1, 4)) for _ in range(n)] for _ in range(2))
    return predictions, golds


def nuggets(n: int) -> Rows:
    """Verdicts on ten nuggets."""
    rng = random.Random(0)
    verdicts = [rng.choices(("support", "partial_support", "not_support"), k=10) for _ in range(n)]
    return verdicts, [rng.choices(("vital", "okay"), k=10) for _ in range(n)]


CASES = {
    "answers": Case("answer_match", short_answers, plain_squad),
    "answers in <answer> (search_r1)": Case(
        "answer_match",
        written_answers,
        options={"preset": "search_r1"},
        reward={"measure": "f1", "preset": "search_r1"},
    ),
    "rankings of 10 documents": Case("retrieval_ranking", rankings, plain_ranking),
    "factoids": Case("factoid_accuracy", factoids, plain_factoids),
    "similarity, lite": Case("semantic_answer_similarity", short_answers, options={"model": "lite"}),
    "equivalence, lite": Case("answer_equivalence", short_answers),
    "equivalence with questions": Case(
        "answer_equivalence", short_answers, column=("questions", "where did the team play in 1976?")
    ),
    "sets of labels": Case("label_metrics", label_sets, options={"task": "multi"}),
    "verdicts on 10 nuggets": Case("claim_support", nuggets),
}
