"""A few seeded examples for every metric and task, for its module, its scorer and loops."""

from typing import Any

from _inputs import answers, rng

N = 24


def rankings(n: int = N, depth: int = 12) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, int]]]:
    """Runs with ties and judgements of 0 to 3; some queries have no relevant or no retrieved document."""
    draw = rng("rankings of modules")
    run, qrels = {}, {}
    for query in range(n):
        documents = draw.sample(range(30), depth)
        run[f"q{query}"] = {f"d{one}": round(draw.random(), 1) for one in documents[: 0 if query == 3 else depth]}
        judged = draw.sample(range(30), 9)
        qrels[f"q{query}"] = {f"d{one}": 0 if query == 5 else draw.choice([-1, 0, 0, 1, 1, 2, 3]) for one in judged}
    return run, qrels


def factoids(n: int = N) -> tuple[list[Any], list[Any]]:
    """Ranked entities and gold entities with synonyms."""
    draw = rng("factoids of modules")
    names = [f"gene {letter}" for letter in "abcdefgh"]
    golds = [[draw.choice(names), draw.choice(names).upper()] for _ in range(n)]
    return [[[one] for one in draw.sample(names, draw.randrange(7))] for _ in range(n)], golds


def documents(n: int = N) -> tuple[list[Any], list[Any]]:
    """Document ids, ranked, and the gold documents."""
    draw = rng("documents of modules")
    return (
        [[f"d{one}" for one in draw.sample(range(12), draw.randrange(11))] for _ in range(n)],
        [[f"d{one}" for one in draw.sample(range(12), draw.randrange(1, 5))] for _ in range(n)],
    )


def pipelines(n: int = N) -> tuple[list[Any], list[Any]]:
    """Outputs of a retriever and a reader, ranked, and gold documents and answers."""
    draw = rng("pipelines of modules")
    predictions, golds = answers(n, "answers of pipelines")
    outputs, references = [], []
    for prediction, gold in zip(predictions, golds, strict=True):
        found = draw.sample(range(6), 4)
        outputs.append({"documents": [f"d{one}" for one in found], "answers": [prediction, draw.choice(predictions)]})
        references.append({"documents": [f"d{draw.randrange(6)}"], "answers": gold})
    return outputs, references


def nuggets(n: int = N) -> tuple[list[Any], list[Any]]:
    """Assignments and weights of nuggets; some are not judged, some answers have none."""
    draw = rng("nuggets of modules")
    importance = [draw.choices(["vital", "okay"], k=draw.randrange(1, 6)) for _ in range(n)]
    verdicts = ["support", "partial_support", "not_support", None]
    return [draw.choices(verdicts, [4, 2, 4, 1], k=len(one)) for one in importance], importance


def claims(n: int = N) -> list[Any]:
    """Verdicts of entailment between answers, gold answers and two documents."""
    draw = rng("claims of modules")

    def verdicts(k: int) -> list[Any]:
        return draw.choices(["Entailment", "Neutral", "Contradiction"], k=k)

    rows = []
    for _ in range(n):
        own, gold = draw.randrange(1, 5), draw.randrange(1, 5)
        rows.append(
            {
                "answer2response": verdicts(own),
                "response2answer": verdicts(gold),
                "retrieved2response": [verdicts(2) for _ in range(own)],
                "retrieved2answer": [verdicts(2) for _ in range(gold)],
            }
        )
    return rows


def labels(n: int = N) -> tuple[list[str], list[str]]:
    draw = rng("labels of modules")
    truth = draw.choices("abcd", [5, 3, 2, 1], k=n)
    return [one if draw.random() < 0.6 else draw.choice("abc") for one in truth], truth


def label_sets(n: int = N) -> tuple[list[list[str]], list[list[str]]]:
    draw = rng("label sets of modules")
    sets = [draw.sample("abcdef", draw.randrange(5)) for _ in range(2 * n)]
    return sets[:n], sets[n:]


def ranked_labels(n: int = N) -> tuple[list[dict[int, float]], list[list[int]]]:
    draw = rng("ranked labels of modules")
    return (
        [{one: round(draw.random(), 1) for one in draw.sample(range(9), 6)} for _ in range(n)],
        [draw.sample(range(9), draw.randrange(1, 4)) for _ in range(n)],
    )


def binary(n: int = N) -> tuple[list[float], list[bool]]:
    """Scores with ties, and labels."""
    draw = rng("scores of modules")
    return [round(draw.random(), 1) for _ in range(n)], [draw.random() < 0.4 for _ in range(n)]


def boxes(n: int = 8) -> tuple[list[Any], list[Any]]:
    draw = rng("boxes of modules")
    found, gold = [], []
    for _ in range(n):
        true = [[10 * draw.randrange(9), 10 * draw.randrange(9), 20, 30] for _ in range(draw.randrange(1, 4))]
        true = [[left, top, left + width, top + height] for left, top, width, height in true]
        moved = [[side + draw.randrange(6) for side in box] for box in true] + [[0, 0, 15, 15]]
        kinds = draw.choices("xy", k=len(true))
        gold.append({"boxes": true, "labels": kinds})
        scores = [round(draw.random(), 1) for _ in moved]
        found.append({"boxes": moved, "scores": scores, "labels": [*kinds, "x"]})
    return found, gold


EXAMPLES = {  # name -> metric, columns and options
    "answer_match": ("answer_match", answers(N, "answers of modules"), {}),
    "answer_match french": ("answer_match", answers(N, "answers of modules"), {"normalizer": "french"}),
    "answer_match squad": ("answer_match", answers(N, "answers of modules"), {"preset": "squad"}),
    "retrieval_ranking": ("retrieval_ranking", rankings(), {"measures": ["ndcg@5", "map", "mrr", "p@3", "recall@5"]}),
    "retrieval_ranking ties": ("retrieval_ranking", rankings(), {"measures": ["mrr", "ndcg"], "ties": "expected"}),
    "factoid_accuracy": ("factoid_accuracy", factoids(), {}),
    "factoid_accuracy phase A": ("factoid_accuracy", documents(), {"phase": "A"}),
    "retriever_reader": ("retriever_reader", pipelines(), {"unit": "token"}),
    "retriever_reader queries": ("retriever_reader", pipelines(), {"unit": "token", "denominator": "queries"}),
    "semantic_answer_similarity": (
        "semantic_answer_similarity",
        answers(N, "answers of modules"),
        {"model": "lite", "thresholds": (0.3, 0.7)},
    ),
    "answer_equivalence": ("answer_equivalence", answers(N, "answers of modules"), {}),
    "claim_support": ("claim_support", nuggets(), {}),
    "claim_support zero": ("claim_support", nuggets(), {"unjudged": "zero"}),
    "claim_support claims": ("claim_support", (claims(),), {"task": "claims"}),
    "label_metrics": ("label_metrics", labels(), {"per_class": True}),
    "label_metrics multi": ("label_metrics", label_sets(), {"task": "multi"}),
    "label_metrics ranked": ("label_metrics", ranked_labels(), {"task": "ranked", "k": (1, 2, 4)}),
    "average_precision": ("average_precision", binary(), {"thresholds": (0.5,)}),
    "average_precision boxes": ("average_precision", boxes(), {"task": "boxes"}),
}


def named(columns: tuple[Any, ...]) -> dict[str, Any]:
    """The first two columns by name."""
    names = ("predictions", "references")
    return dict(zip(names, columns, strict=False))
