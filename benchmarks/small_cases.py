"""Cases of `answers.py --small`: a few examples of each metric, and plain scripts with the same rules."""

import collections
import math
import random
import re
import string
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

Rows = tuple[list[Any], list[Any]]

PUNCTUATION = set(string.punctuation)


class SmallCase(NamedTuple):
    """A metric with options, a function that makes n predictions and their gold data, and peers.

    `plain` computes measure -> mean by a short script, or is None; `column` is a further column of the scorer, if any: its
    name and the value of every row. `reward` has the settings of `qassay.reward` for the same measure.
    """

    metric: str
    options: Mapping[str, Any]
    rows: Callable[[int], Rows]
    plain: Callable[[list[Any], list[Any]], Mapping[str, float]] | None = None
    column: tuple[str, Any] | None = None
    reward: Mapping[str, Any] | None = None


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


SMALL_CASES = {
    "answers": SmallCase("answer_match", {}, short_answers, plain_squad),
    "answers in <answer> (search_r1)": SmallCase(
        "answer_match", {"preset": "search_r1"}, written_answers, reward={"measure": "f1", "preset": "search_r1"}
    ),
    "rankings of 10 documents": SmallCase("retrieval_ranking", {}, rankings, plain_ranking),
    "factoids": SmallCase("factoid_accuracy", {}, factoids, plain_factoids),
    "similarity, lite": SmallCase("semantic_answer_similarity", {"model": "lite"}, short_answers),
    "equivalence, lite": SmallCase("answer_equivalence", {}, short_answers),
    "equivalence with questions": SmallCase(
        "answer_equivalence", {}, short_answers, column=("questions", "where did the team play in 1976?")
    ),
    "sets of labels": SmallCase("label_metrics", {"task": "multi"}, label_sets),
    "verdicts on 10 nuggets": SmallCase("claim_support", {}, nuggets),
}
