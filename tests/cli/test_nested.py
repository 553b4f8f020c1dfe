"""Nested logs: columns, slices, groups, runs and the fields of documents are paths into the objects of rows."""

import json

import pytest

import qassay

ANSWERS = {"predictions": "generation.text", "references": "label.golds"}
RANKINGS = {"run": "retrieval.hits", "qrels": "label.docs", "document": "doc.id"}


def row(name, text, gold, hits, source):
    return {
        "trace": {"id": name},
        "generation": {"text": text},
        "label": {"golds": [gold], "docs": [gold]},
        "retrieval": {"hits": [{"doc": {"id": hit}, "rank": {"score": -at}} for at, hit in enumerate(hits)]},
        "meta": {"source": source},
    }


A = [row("q1", "Rome", "Rome", ["Oslo", "Rome"], "wiki"), row("q2", "Oslo", "Bern", ["Bern"], "faq")]
B = [row("q1", "Rome", "Rome", ["Rome"], "wiki"), row("q2", "Bern", "Bern", ["Rome", "Bern"], "faq")]


@pytest.fixture
def save(put):
    return lambda name, rows: put(name, "".join(map("{}\n".format, map(json.dumps, rows))))


def columns(roles, **more):
    return ("--columns", *(f"{role}={name}" for role, name in {**roles, **more}.items()))


@pytest.mark.parametrize("roles, metric, measure, values_of", [
    (ANSWERS, "answer_match", "exact_match", [0.5, 1]),
    (RANKINGS, "retrieval_ranking", "mrr", [0.75, 0.75]),
    ({**RANKINGS, "score": "rank.score"}, "retrieval_ranking", "mrr", [0.75, 0.75]),
])  # fmt: skip
def test_two_logs_are_two_systems(save, run, values, roles, metric, measure, values_of):
    a, b = save("a.jsonl", A), save("b.jsonl", B)
    call = ("--metric", metric, *columns(roles))
    for more in ((), ("ids=trace.id",)):
        found = values(a, b, *call, *more)
        assert {name: of[measure] for name, of in found.items()} == dict(zip(["a", "b"], values_of, strict=True))
    assert list(values(f"old={a}", f"new={b}", *call)) == ["old", "new"]
    assert "new − old" in run("compare", f"old={a}", f"new={b}", *call)


def test_rows_in_another_order_or_with_other_gold_are_refused(save, fail, values):
    a, shuffled = save("a.jsonl", A), save("b.jsonl", B[::-1])
    other = save("c.jsonl", [B[0], row("q2", "Bern", "Basel", ["Bern"], "faq")])
    for roles in (ANSWERS, RANKINGS):
        call = ("--metric", "answer_match" if roles is ANSWERS else "retrieval_ranking", *columns(roles))
        for command in ("score", "compare"):
            message = fail(command, a, shuffled, *call)
            assert "b.jsonl: row 0 has ['Bern" in message or "b.jsonl: row 0 has [\"('Bern" in message
            assert "ids of both files" in message
            assert "c.jsonl: the id 'q2' has" in fail(command, a, other, *call, "ids=trace.id")
    with pytest.raises(ValueError, match="b.jsonl: row 0 has"):
        qassay.score_files(a, [shuffled], columns=ANSWERS)
    assert values(a, shuffled, *columns(ANSWERS), "ids=trace.id")["b"]["exact_match"] == 1


def test_a_name_is_for_a_gold_file_that_is_a_system(save, put, fail):
    gold = save("gold.jsonl", [{"id": "q1", "answers": ["Rome"]}])
    message = fail("score", f"gold={gold}", put("p.json", {"q1": "Rome"}))
    assert "is the gold file, not a system; omit gold=" in message
    assert "in one file" in fail("score", f"a={gold},{gold}")


def test_slices_groups_and_runs_are_paths_too(save, tree, run):
    a = save("a.jsonl", A)
    call = ("score", a, *columns(ANSWERS), "--measures", "exact_match")
    found = tree(*call, "--by", "meta.source")["slices"]["meta.source"]
    assert {label: of["a"]["values"]["exact_match"] for label, of in found.items()} == {"faq": 0, "wiki": 1}
    assert "over 2 groups by meta.source" in run(*call, "--groups", "meta.source")
    assert qassay.score_files(a, columns=ANSWERS, groups="meta.source")["a"].groups.listed() == ["wiki", "faq"]
    runs = save("runs.jsonl", [{**row, "meta": {"seed": seed}} for seed, rows in enumerate((A, B)) for row in rows])
    scores = qassay.score_files(runs, columns={**ANSWERS, "ids": "trace.id", "run_id": "meta.seed"})["runs"]
    assert scores.n_runs == 2


THERE = "trace.id, generation.text, label.golds, label.docs, retrieval.hits, meta.source"
RANKED = ("--metric", "retrieval_ranking")


def test_queries_without_a_relevant_document_and_null(save, run):
    empty, null = ([A[0], {**A[1], "label": {"docs": docs}}] for docs in ([], None))
    call = ("--metric", "retrieval_ranking", *columns(RANKINGS), "--measures", "ndcg")
    text = run("score", save("empty.jsonl", empty), *call)
    assert "1 query without a relevant document: scored 0; to omit one, leave it unjudged (null instead of [])" in text
    assert "0.3155" in text and "0.6309" in run("score", save("null.jsonl", null), *call)
    assert "except in nDCG, DCG and ERR" in run(
        "score", save("empty.jsonl", empty), *call, "--option", "relevance_level=2"
    )
