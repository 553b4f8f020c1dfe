"""retriever_reader: every option and unit, PIAF's own numbers, results of Haystack, the open domain, layouts."""

from collections.abc import Iterator
from typing import Any

import pandas as pd
from _inputs import WORDS, groups_of, named_options, of_scores, of_values, rng, weights_of

import qassay

METRIC = "retriever_reader"
TEXTS = {f"d{number}": " ".join(rng(f"text {number}").choices(WORDS, k=40)) for number in range(9)}

Row = dict[str, Any]


def part(draw: Any, document: str, words: int) -> Row:
    """A span of a document, of 1 to `words` words."""
    text = TEXTS[document]
    starts = [0, *(place + 1 for place, mark in enumerate(text) if mark == " ")]
    first = draw.randrange(len(starts) - words)
    start, end = starts[first], starts[first + draw.randrange(1, words + 1)] - 1
    return {"document_id": document, "text": text[start:end], "start": start, "end": end}


def changed(draw: Any, gold: Row) -> Row:
    """The same span, a longer, a shorter, one that touches it, or one from elsewhere."""
    document, start, end = gold["document_id"], gold["start"], gold["end"]
    length = len(TEXTS[document])
    spans = [
        (start, end),
        (max(0, start - 4), end),
        (start, min(length, end + 6)),
        (end, min(length, end + 3)),
        (start + 1, end),
    ]
    start, end = draw.choice(spans)
    return {"document_id": document, "text": TEXTS[document][start:end], "start": start, "end": end}


def pipelines(n: int, name: str = "pipelines") -> tuple[list[Row], list[Row]]:
    """Ranked documents and answers: repeats, no answers, unanswerable questions, no gold document, missing rows."""
    draw = rng(name)
    rows, golds = [], []
    for number in range(n):
        known = draw.sample(list(TEXTS), draw.choice([1, 1, 2, 3]))
        answers = [part(draw, draw.choice(known), 4) for _ in range(draw.choice([0, 1, 1, 2]))]
        gold: Row = {"id": f"q{number}", "documents": known, "answers": answers, "is_impossible": not answers}
        if draw.random() < 0.1:
            gold["documents"] = []
        golds.append(gold)
        found = draw.choices(list(TEXTS), k=draw.choice([0, 2, 4, 6])) + draw.sample(
            known, draw.choice([0, 1, len(known)])
        )
        draw.shuffle(found)
        given: list[Row | None] = []
        for _ in range(draw.choice([0, 1, 2, 4])):
            kind = draw.random()
            near = answers and kind < 0.6
            given.append(changed(draw, draw.choice(answers)) if near else None if kind > 0.85 else part(draw, "d1", 3))
        documents = [{"id": document, "text": TEXTS[document]} for document in found]
        if draw.random() > 0.08:
            rows.append({"id": f"q{number}", "documents": documents, "answers": given})
    return [*rows, {"id": "not asked", "documents": [], "answers": []}], golds


OPTIONS: dict[str, dict[str, Any]] = {
    "default": {},
    **named_options(
        "ap_denominator=num_retrieved_relevant; denominator=queries; unit=offset; unit=character; unit=token; "
        "unit=character, normalizer=squad; unit=token, normalizer=none; top_k=1; top_k=2; top_k=2, unit=token, "
        "denominator=queries; open_domain; open_domain, unit=token; missing=skip; missing=skip, "
        "denominator=queries"
    ),
    "unit=token, normalizer=steps": {"unit": "token", "normalizer": "lower+accents"},
    "open_domain, unit=character, queries": {"open_domain": True, "unit": "character", "denominator": "queries"},
    "open_domain, num_retrieved_relevant": {"open_domain": True, "ap_denominator": "num_retrieved_relevant"},
}
WITH_COLUMNS = ("default", "open_domain, unit=token")

# Results of Haystack: the document d2 before d1, and "nine" for "nine m".
DOCUMENTS = [
    {"id": "h2", "content": "...", "meta": {"name": "d2"}},
    {"id": "h1", "content": "the nine mice", "meta": {"name": "d1"}},
]
FLAT = [{"name": "d2", "id": "h2", "content": "..."}, {"name": "d1", "id": "h1", "content": "the nine mice"}]
SPAN = {"start": 4, "end": 8}
ANSWERS: dict[str, Row] = {
    "0.9": {"answer": "nine", "offset_start": 0, "offset_start_in_doc": 4, "offset_end_in_doc": 8, "document_id": "h1"},
    "1": {"answer": "nine", "offsets_in_document": [SPAN], "document_ids": ["h1"], "meta": {"name": "d1"}},
    "2": {"data": "nine", "query": "?", "document": DOCUMENTS[1], "document_offset": SPAN, "score": 0.9, "meta": {}},
}
NOTHING = {"data": None, "query": "?", "document": None, "score": 0.1, "document_offset": None, "meta": {}}
WHOLE = {"text": "nine m", "start": 4, "end": 10}
NODES = {
    "retriever": {"documents": FLAT},
    "ranker": {"documents": FLAT[::-1]},
    "reader": {"answers": [ANSWERS["2"], NOTHING]},
    "other": {"answers": [NOTHING, ANSWERS["2"]]},
}


def haystack() -> Iterator[tuple[str, Any]]:
    gold = [{"documents": ["h1"], "answers": [{**WHOLE, "document_id": "h1"}]}]
    named = [{"documents": ["d1"], "answers": [{**WHOLE, "document_id": "d1"}]}]
    for version, answer in ANSWERS.items():
        for documents in (DOCUMENTS, FLAT):
            row = {"documents": documents, "answers": [answer]}
            key = f"haystack/{version}, {'meta' if documents is DOCUMENTS else 'flat'}"
            yield key, qassay.score(METRIC, [row], gold).summary()
        yield f"haystack/{version}, document_field", qassay.score(METRIC, [row], named, document_field="name").summary()
    for retriever in ("retriever", "ranker"):
        for reader in ("reader", "other"):
            scores = qassay.score(METRIC, NODES, gold, document_node=retriever, answer_node=reader)
            yield f"haystack/nodes/{retriever}, {reader}", of_values(scores)
    written = {"retriever": NODES["retriever"], "llm": {"replies": ["nine mice"], "meta": [{}]}}
    yield "haystack/replies", of_values(qassay.score(METRIC, [written], gold, unit="token"))
    made = {"documents": FLAT, "answers": [{"data": "Nine!", "query": "?", "documents": FLAT, "meta": {}}]}
    yield "haystack/generated", of_values(qassay.score(METRIC, [made], gold, unit="token"))


def span(document: str, start: int, end: int) -> Row:
    return {"document_id": document, "start": start, "end": end}


def piaf() -> Iterator[tuple[str, Any]]:
    """The test of PIAF's repository, 16 queries, and four queries of its reader; denominators of both sources."""
    retrieved = [["a", "b"]] * 13 + [["b", "a"]] * 2 + [["b", "c"]]
    golds = [{"documents": ["a"], "answers": [span("a", 10, 20)]}] * 15 + [{"documents": ["a"], "answers": []}]
    rows = [{"documents": row, "answers": [span("b", 1, 2), span("a", 12, 22)]} for row in retrieved]
    four = [
        {"documents": ["d"], "answers": [span("d", 15, 20), span("d", 10, 15)]},
        {"documents": ["d"], "answers": [span("e", 10, 15), None, span("d", 12, 20)]},
        {"documents": ["d"], "answers": [span("d", 1, 2), None]},
        {"documents": ["x"], "answers": [None]},
    ]
    gold_of_four = [{"documents": ["d"], "answers": [span("d", 10, 15)]}] * 2 + [
        {"documents": ["d"], "answers": []}
    ] * 2
    for denominator in ("correct_retrievals", "queries"):
        yield f"piaf/16 queries, {denominator}", qassay.score(METRIC, rows, golds, denominator=denominator).summary()
        for top_k in (1, 2, None):
            scores = qassay.score(METRIC, four, gold_of_four, denominator=denominator, top_k=top_k)
            yield f"piaf/four queries, {denominator}, {top_k}", of_values(scores)
    nothing = qassay.score(METRIC, [{"documents": ["d"], "answers": [None]}], [{"documents": ["d"], "answers": []}])
    yield "piaf/only unanswerable", of_scores(nothing)


def failures(scores: Any) -> list[str]:
    from qassay.retriever_reader.scoring import failure_labels

    return failure_labels(scores)


def cases() -> Iterator[tuple[str, Any]]:
    rows, golds = pipelines(60)
    n, ids = len(golds), [gold["id"] for gold in golds]
    for name, options in OPTIONS.items():
        scores = qassay.score(METRIC, rows, golds, **options)
        yield name, of_scores(scores) if name in WITH_COLUMNS else of_values(scores)
        if name in WITH_COLUMNS or name.startswith("top_k"):
            yield f"{name}/failures", failures(scores)
    weights, groups = weights_of(n), groups_of(n)
    scores = qassay.score(METRIC, rows, golds, weights=weights, groups=groups, denominator="queries")
    yield "weights and groups", of_values(scores)
    yield "slices by failure", {label: part.summary() for label, part in scores.by(failures(scores)).items()}
    yield "subset has_answer", scores.subset("has_answer").summary()
    twice = [*rows, *({**row, "answers": [], "documents": ["d1"]} for row in rows[:20])]
    for choice in ("first", "last"):
        yield f"duplicates={choice}", of_values(qassay.score(METRIC, twice, golds, duplicates=choice))

    by_id = {row["id"]: row for row in rows}
    yield "layout/by id", of_values(qassay.score(METRIC, by_id, {gold["id"]: gold for gold in golds}))
    yield "layout/data frames", of_values(qassay.score(METRIC, pd.DataFrame(rows), pd.DataFrame(golds)))
    texts = []
    for row in (by_id.get(identifier) for identifier in ids):
        answers = [answer and answer["text"] for answer in row["answers"]] if row else []
        texts.append(row and {"documents": row["documents"], "answers": answers})
    plain = [
        {"documents": gold["documents"], "answers": [answer["text"] for answer in gold["answers"]]} for gold in golds
    ]
    for unit in (None, "token"):
        yield f"layout/texts, unit={unit}", of_values(qassay.score(METRIC, texts, plain, ids=ids, unit=unit))
    yield "layout/texts, preset=piaf", of_values(qassay.score(METRIC, texts, plain, ids=ids, preset="piaf"))
    changed = qassay.score(METRIC, texts, plain, ids=ids, preset="piaf", denominator="queries")
    yield "layout/texts, preset=piaf, changed", of_values(changed)
    squad = [{"documents": ["d"], "answers": {"text": ["nine", "ten"], "answer_start": [4, 30]}}]
    for answer in (
        {"text": "nine"} | {"offset": [4, 8]},
        {"text": "in nine", "start": 1},
        {"text": "", "start": 0, "end": 0},
    ):
        found = [{"documents": ["d"], "answers": [{**answer, "document_id": "d"}]}]
        yield f"layout/SQuAD's answers, {answer['text']}", of_values(qassay.score(METRIC, found, squad))
    late = [
        {"documents": ["d"], "answers": [None, span("d", 90, 95)]},
        {"documents": ["d"], "answers": [span("d", 1, 2)]},
    ]
    for top_k in (1, 2):
        scores = qassay.score(METRIC, late, [{"documents": ["d"], "answers": [span("d", 10, 15)]}] * 2, top_k=top_k)
        yield f"no answer first, top_k={top_k}", failures(scores)
    for denominator in ("num_relevant", "num_retrieved_relevant"):
        found = [{"documents": ["x", "a", "a", "b"], "answers": []}]
        gold = [{"documents": ["a", "b", "a"], "answers": [span("a", 1, 2)]}]
        scores = qassay.score(METRIC, found, gold, ap_denominator=denominator)
        yield f"a gold document twice, {denominator}", of_values(scores)
    page = [{"id": "a", "text": text} for text in ("nothing", "Paris", "paris!", "Paris")]
    for denominator in ("num_relevant", "num_retrieved_relevant"):
        gold = [{"documents": ["a"], "answers": [{"text": "PARIS"}]}]
        options = {"open_domain": True, "ap_denominator": denominator}
        scores = qassay.score(METRIC, [{"documents": page, "answers": ["in Paris"]}], gold, **options)
        yield f"passages of one page, {denominator}", of_values(scores)
    table = {
        "id": ["a", "b", "c"],
        "retrieved_ids": [["d1", "d2"], ["d3"], ["d2", "d9"]],
        "gold_ids": [["d2"], ["d4"], ["d2", "d9"]],
        "answer": ["the nine", "", "Zürich"],
        "ground_truth": ["nine", "ten", "zürich!"],
    }
    for unit in ("character", "token"):
        yield f"layout/a table of questions, unit={unit}", of_scores(qassay.score(METRIC, table, unit=unit))
    yield from piaf()
    yield from haystack()
