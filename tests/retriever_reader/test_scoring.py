"""The reader's measures of retriever_reader: worked examples, all options, and a brute-force twin."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qassay.core.matching import match_texts
from qassay.core.text import get_normalizer
from qassay.retriever_reader.scoring import FAILURES, ReaderOptions, failure_labels, reading_measures, score_reading

from .questions import READINGS, THIRD, of_top, question, read, span

# --- reader -----------------------------------------------------------------------------------------------------------


def test_counts_of_the_questions_that_the_reader_is_judged_by():
    pipeline = [question(["x"], span("x", 0, 1)), question(["d"], span("d", 0, 1)), question(["d"], None)]
    golds = [question(["d"], span("d", 0, 1)), question(["d"], span("d", 0, 1)), question(["d"])]
    names = ["has_answer_total", "no_answer_total", "has_answer_judged", "no_answer_judged"]
    found = read(pipeline, golds, denominator="correct_retrievals")
    assert list(found.summary(names).values()) == [2, 1, 1, 1]
    assert found.counts()["reader_top1_f1_has_answer"] == 1
    assert list(read(pipeline, golds).summary(names).values()) == [2, 1, 2, 1]
    none = read(pipeline[:1], golds[:1], denominator="correct_retrievals").summary()
    assert (none["reader_top1_f1_has_answer"], none["has_answer_judged"]) == (0, 0)


GOLD = question(["d1"], span("d1", 10, 20))
SINGLE = [
    ([span("d1", 10, 20)], (1, 1, 1), (1, 1, 1)),
    ([span("d1", 15, 20)], (1, 0, THIRD), (1, 0, THIRD)),
    ([span("d1", 20, 25)], (1, 0, 0), (1, 0, 0)),
    ([span("d1", 21, 25)], (0, 0, 0), (0, 0, 0)),
    ([span("d2", 10, 20)], (0, 0, 0), (0, 0, 0)),
    ([span("d1", 0, 5), span("d1", 10, 20)], (0, 0, 0), (1, 1, 1)),
    ([span("d1", 15, 20), span("d1", 12, 22)], (1, 0, THIRD), (1, 0, 0.8)),
    ([None], (0, 0, 0), (0, 0, 0)),
    ([], (0, 0, 0), (0, 0, 0)),
]


@pytest.mark.parametrize("answers, top1, topk", SINGLE)
def test_reader_cases_of_one_query(answers, top1, topk):
    scores = read([question(["d1"], *answers)], [GOLD])
    assert of_top(scores, "top1") == pytest.approx(top1, rel=1e-12)
    assert of_top(scores, "topk") == pytest.approx(topk, rel=1e-12)
    assert of_top(scores, "top1", "_has_answer") == of_top(scores, "top1")


@pytest.mark.parametrize(
    "answers, top1, topk, no_answer",
    [([None], 1, 1, (1, 1)), ([span("d1", 3, 4), None], 0.5, 1, (0, 1)), ([], 0.5, 0.5, (0, 0))],
)
def test_with_an_unanswerable_query(answers, top1, topk, no_answer):
    scores = read([question(["d1"], span("d1", 10, 20)), question(["d1"], *answers)], [GOLD, question(["d1"])])
    assert of_top(scores, "top1") == (top1,) * 3 and of_top(scores, "topk") == (topk,) * 3
    assert of_top(scores, "top1", "_has_answer") == of_top(scores, "topk", "_has_answer") == (1, 1, 1)
    names = [f"reader_{top}_no_answer_accuracy" for top in ("top1", "topk")]
    assert tuple(scores.summary(names).values()) == no_answer


def test_only_unanswerable_queries_do_not_crash():
    scores = read([question(["d1"], None)], [question(["d1"])])
    assert of_top(scores, "top1") == (1, 1, 1)
    assert of_top(scores, "top1", "_has_answer") == of_top(scores, "topk", "_has_answer") == (0.0, 0.0, 0.0)
    counts = scores.counts()
    assert counts["reader_top1_f1_has_answer"] == counts["reader_top1_fk_has_answer"] == counts["has_answer_total"] == 0
    assert counts["reader_top1_no_answer_accuracy"] == 1


FOUR = (
    [
        question(["d"], span("d", 15, 20), span("d", 10, 15)),
        question(["d"], span("e", 10, 15), None, span("d", 12, 20)),
        question(["d"], span("d", 1, 2), None),
        question(["d"], None),
    ],
    [question(["d"], span("d", 10, 15))] * 2 + [question(["d"])] * 2,
)
FOUR_EXPECTED = {
    "reader_top1_accuracy": 0.5,
    "reader_top1_accuracy_has_answer": 0.5,
    "reader_topk_accuracy": 1.0,
    "reader_topk_accuracy_has_answer": 1.0,
    "reader_top1_em": 0.25,
    "reader_top1_em_has_answer": 0.0,
    "reader_topk_em": 0.75,
    "reader_topk_em_has_answer": 0.5,
    "reader_top1_f1": 0.25,
    "reader_top1_f1_has_answer": 0.0,
    "reader_top1_fk": 0.8653846153846154,
    "reader_top1_fk_has_answer": 0.7307692307692307,
    "reader_topk_f1": 0.8653846153846154,
    "reader_topk_f1_has_answer": 0.7307692307692307,
    "reader_top1_no_answer_accuracy": 0.5,
    "reader_topk_no_answer_accuracy": 1.0,
}


@pytest.mark.usefixtures("both_ways")
def test_the_four_queries():
    scores = read(*FOUR)
    assert scores.summary(FOUR_EXPECTED) == pytest.approx(FOUR_EXPECTED, rel=1e-15)
    assert scores.columns["reader_topk_f1"][1] == pytest.approx(0.46153846153846156, rel=1e-15)


def test_the_names_of_the_seed_their_aliases_and_the_counts():
    names = list(reading_measures())
    seed = [
        name for name in names if name.startswith("reader_") and "_no_answer_" not in name and "topk_f1" not in name
    ]
    assert sorted(seed) == sorted(
        f"reader_{name}{ending}"
        for name in ("top1_accuracy", "topk_accuracy", "top1_em", "topk_em", "top1_f1", "top1_fk")
        for ending in ("", "_has_answer")
    )
    counts = ["total", "correct_retrievals", "has_answer_total", "no_answer_total", "has_answer_judged"]
    assert names[-8:] == [*counts, "no_answer_judged", "missing", "no_relevant"]
    assert set(FOUR_EXPECTED) < set(names)
    summary = read(*FOUR).summary()
    assert list(summary) == [*names, "unmatched", "duplicates"]
    counts = {"total": 4, "correct_retrievals": 4, "has_answer_total": 2, "no_answer_total": 2, "missing": 0}
    assert {name: summary[name] for name in counts} == counts


def test_denominators():
    """Three queries: found and right, not found but right, unanswerable and found."""
    pipeline = [
        question(["d"], span("d", 0, 10)),
        question(["x"], span("d", 0, 5)),
        question(["d"], span("d", 3, 4), None),
    ]
    golds = [question(["d"], span("d", 0, 10))] * 2 + [question(["d"])]
    over_found = read(pipeline, golds, denominator="correct_retrievals")
    expected = {
        "reader_top1_accuracy": 1 / 2,
        "reader_top1_accuracy_has_answer": 1.0,
        "reader_topk_accuracy": 1.0,
        "reader_top1_f1": 1 / 2,
        "reader_top1_f1_has_answer": 1.0,
        "reader_topk_no_answer_accuracy": 1.0,
        "correct_retrievals": 2,
    }
    assert over_found.summary(expected) == expected
    assert over_found.counts()["reader_top1_accuracy"] == 2
    assert np.isnan(over_found.columns["reader_topk_em"]).tolist() == [False, True, False]
    over_all = read(pipeline, golds, denominator="queries")
    expected = {
        "reader_top1_accuracy": 2 / 3,
        "reader_top1_em": 1 / 3,
        "reader_topk_em_has_answer": 1 / 2,
        "reader_top1_f1": (1 + 2 / 3) / 3,
        "reader_top1_fk": (1 + 2 / 3 + 1) / 3,
        "reader_top1_f1_has_answer": (1 + 2 / 3) / 2,
        "correct_retrievals": 2,
    }
    assert over_all.summary(expected) == pytest.approx(expected, rel=1e-15)
    assert ReaderOptions().denominator == "correct_retrievals"


def test_nothing_retrieved_does_not_crash():
    scores = read([question([], span("d", 0, 1))], [question(["d"], span("d", 0, 1))], denominator="correct_retrievals")
    assert scores.summary(["reader_top1_f1", "correct_retrievals"]) == {"reader_top1_f1": 0.0, "correct_retrievals": 0}
    assert scores.counts()["reader_top1_f1"] == 0
    assert scores.interval(names=["reader_top1_f1"]) == {"reader_top1_f1": (0.0, 0.0)}


def test_top_k():
    answers = [span("d", 30, 40), span("d", 15, 20), span("d", 10, 20), None]
    for k, expected in ((1, (0, 0, 0)), (2, (1, 0, THIRD)), (3, (1, 1, 1)), (None, (1, 1, 1))):
        scores = read([question(["d"], *answers)], [question(["d"], span("d", 10, 20))], top_k=k)
        assert of_top(scores, "topk") == pytest.approx(expected)
        assert of_top(scores, "top1") == (0, 0, 0)
    for k, value in ((3, 0), (4, 1)):
        scores = read([question(["d"], *answers)], [question(["d"])], top_k=k)
        assert scores.summary()["reader_topk_no_answer_accuracy"] == value


def test_several_gold_spans_in_several_documents():
    gold = question(["a", "b"], span("a", 0, 4), span("b", 10, 20))
    scores = read([question(["a"], span("b", 10, 15), span("a", 0, 3))], [gold])
    assert of_top(scores, "top1") == pytest.approx((1, 0, THIRD))
    assert of_top(scores, "topk") == pytest.approx((1, 0, 6 / 7))


def f1_of_sets(answer, gold):
    positions, gold_positions = set(range(*answer)), set(range(*gold))
    shared = len(positions & gold_positions)
    if not shared:
        return 0.0
    precision, recall = shared / len(positions), shared / len(gold_positions)
    return 2 * precision * recall / (precision + recall)


ends = st.tuples(st.integers(0, 12), st.integers(0, 12)).map(sorted)
placed = st.tuples(st.sampled_from("ab"), ends)


@given(
    st.lists(
        st.tuples(
            st.lists(st.none() | placed, max_size=4),
            st.lists(placed.filter(lambda item: item[1][0] < item[1][1]), max_size=3),
        ),
        min_size=1,
        max_size=4,
    ),
    st.none() | st.integers(1, 4),
)
@settings(deadline=None, max_examples=150)
def test_reader_equals_a_brute_force_twin(questions, k):
    pipeline = [question(["a", "b"], *(a and span(a[0], *a[1], "x") for a in answers)) for answers, _ in questions]
    golds = [question(["a", "b"], *(span(d, *ends) for d, ends in gold)) for _, gold in questions]
    scores = read(pipeline, golds, top_k=k)
    for row, (answers, gold) in enumerate(questions):
        values = []
        for answer in answers:
            pairs = [(answer[1], ends) for document, ends in gold if answer and document == answer[0]]
            if not gold:
                values.append((float(answer is None),) * 3)
            else:
                overlap = [g[0] <= a[1] and a[0] <= g[1] for a, g in pairs]
                values.append(
                    (
                        max(overlap, default=False),
                        any(a == g for a, g in pairs),
                        max((f1_of_sets(*p) for p in pairs), default=0),
                    )
                )
        for top, looked_at in (("top1", values[:1]), ("topk", values[:k])):
            for place, name in enumerate(READINGS):
                assert scores.columns[f"reader_{top}_{name}"][row] == max((v[place] for v in looked_at), default=0)


@pytest.mark.parametrize("unit", ["offset", "character"])
def test_blocks_of_pairs_change_nothing(unit, monkeypatch):
    rng = np.random.default_rng(3)

    def answers(count):
        places = rng.integers(0, 30, (count, 2)).tolist()
        names = rng.choice(["d1", "d2", None] if unit == "character" else ["d1", "d2"], count).tolist()
        texts = ["".join(rng.choice(list("ab "), 4)) + "c" for _ in range(count)]
        return [span(d, s, s + n + 1, t) for d, (s, n), t in zip(names, places, texts, strict=True)]

    pipeline = [question(["d1"], *answers(count)) for count in (0, 7, 1, 30)]
    golds = [question(["d1", "d2"], *answers(count)) for count in (3, 1, 0, 20)]
    for open_domain in (False, True) if unit == "character" else (False,):
        documents = [{"id": "d1", "text": "c" * 99}]
        options = {"unit": unit, "open_domain": open_domain}
        rows = [{**row, "documents": documents} for row in pipeline]
        whole = read(rows, golds, **options)
        for size in (1, 13, 100):
            with monkeypatch.context() as patch:
                patch.setattr("qassay.retriever_reader.scoring._PAIRS_AT_ONCE", size)
                assert read(rows, golds, **options) == whole
        for row, column in enumerate(whole.columns["reader_topk_f1"]):
            singles = [read([question(documents, a)], [question(["d1", "d2"], g)], **options).columns["reader_top1_f1"][0]
                       for a in pipeline[row]["answers"] for g in golds[row]["answers"]]  # fmt: skip
            assert column == max(singles, default=0)


def test_many_answers_and_gold_answers_need_little_memory():
    many = [span("d", start, start + 2, "x") for start in range(2_000)]
    others = [span("e", start, start + 2, "x") for start in range(2_000)]
    tracemalloc.start()
    scores = read([question(["d"], *many, *others)], [question(["d"], *many[::-1])])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert of_top(scores, "topk") == (1, 1, 1)
    assert peak < 100_000_000, "4 million pairs at once take 500 MB"


# --- units ------------------------------------------------------------------------------------------------------------


def text_answer(text, document="d"):
    return {"text": text, "document_id": document}


@pytest.mark.usefixtures("both_ways")
@pytest.mark.parametrize("unit, normalizer", [("character", "none"), ("token", "squad"), ("token", "french")])
def test_texts_are_compared_as_answer_match_does(unit, normalizer):
    pairs = [
        ("four nations", "four"),
        ("listen", "silent"),
        ("the Seine", "Seine river"),
        ("Denmark", "Norway"),
        ("le chat", "chat"),
    ]
    scores = score_reading(
        [question(["d"], text_answer(a)) for a, _ in pairs],
        [question(["d"], text_answer(b)) for _, b in pairs],
        options=ReaderOptions(unit=unit, normalizer=normalizer),
    )
    expected = match_texts([a for a, _ in pairs], [[b] for _, b in pairs], get_normalizer(normalizer), unit, False)
    assert scores.columns["reader_top1_f1"].tolist() == expected["f1"].tolist()
    assert scores.columns["reader_top1_em"].tolist() == expected["exact_match"].tolist()


@pytest.mark.usefixtures("both_ways")
def test_character_bags():
    for answer, gold, values in (
        ("listen", "silent", (0, 0, 1)),
        ("four nations", "four", (1, 0, 0.5)),
        ("four", "four nations", (1, 0, 0.5)),
    ):
        scores = read([question(["d"], text_answer(answer))], [question(["d"], text_answer(gold))], unit=None)
        assert scores.options.unit == "character" and "|unit:character|norm:none|" in scores.signature()
        assert of_top(scores, "top1") == pytest.approx(values, rel=1e-12)
    offsets = score_reading(
        [question(["d"], span("d", 0, 4, "four"))], [question(["d"], span("d", 0, 12, "four nations"))]
    )
    assert offsets.options.unit == "offset" and of_top(offsets, "top1") == (1, 0, 0.5)


def test_tokens():
    options = ReaderOptions(unit="token")
    scores = score_reading(
        [question(["d"], text_answer("the Seine river"), text_answer("Seine"))],
        [question(["d"], text_answer("Seine"), text_answer("a long river"))],
        options=options,
    )
    assert of_top(scores, "top1") == pytest.approx((1, 0, THIRD)) and of_top(scores, "topk") == (1, 1, 1)
    assert "|unit:token|norm:squad|" in scores.signature()


@pytest.mark.parametrize("answers, unit", [([text_answer("x", "e")], "token"), ([span("e", 0, 1)], "offset")])
def test_answers_from_other_documents_are_misses(answers, unit):
    gold = question(["d"], {**span("d", 0, 1), "text": "x"})
    assert of_top(read([question(["d"], *answers)], [gold], unit=unit), "topk") == (0, 0, 0)


def test_texts_without_documents_and_open_domain_ask_for_no_document():
    gold = question(["d", "f"], text_answer("x"))
    assert of_top(read([question(["d"], "x")], [gold], unit="token"), "top1") == (1, 1, 1)
    turned = read([question(["d"], text_answer("x"))], [question(["d", "f"], "x")], unit="token")
    assert of_top(turned, "top1") == (1, 1, 1)
    documents = [{"id": "e", "text": "x"}]
    scores = read([question(documents, text_answer("x", "e"))], [gold], unit="token", open_domain=True)
    assert of_top(scores, "top1") == (1, 1, 1)


def test_an_answer_that_normalises_to_nothing_is_right_only_if_the_gold_answer_does_too():
    for gold, value in (("a", 1.0), ("b", 0.0)):
        scores = read([question(["d"], text_answer("the"))], [question(["d"], text_answer(gold))], unit="token")
        assert of_top(scores, "top1") == (value,) * 3
    unanswerable = read([question(["d"], text_answer("the"))], [question(["d"])], unit="token")
    assert of_top(unanswerable, "topk") == (0, 0, 0)


# --- failures, slices, parts ------------------------------------------------------------------------------------------


def test_where_a_question_fails():
    gold, impossible = question(["d"], span("d", 10, 20)), question(["d"])
    cases = [
        (question(["d"], span("d", 0, 1), span("d", 10, 20)), gold, "none"),
        (question(["d"], span("d", 0, 1), None), gold, "reader"),
        (question(["d"], None), gold, "no_answer"),
        (question(["d"]), gold, "no_answer"),
        (question(["x"], span("d", 10, 20)), gold, "retriever"),
        (question(["x"], None), gold, "retriever"),
        (None, gold, "retriever"),
        (question(["x"], span("d", 1, 2), None), impossible, "none"),
        (question(["d"], span("d", 1, 2)), impossible, "no_answer"),
        (question(["d"]), impossible, "no_answer"),
        (None, impossible, "no_answer"),
    ]
    pipeline, golds, expected = map(list, zip(*cases, strict=True))
    scores = read(pipeline, golds)
    assert failure_labels(scores) == expected
    masks = np.array([scores.subsets[f"failure_{name}"] for name in FAILURES])
    assert (masks.sum(axis=0) == 1).all()
    slices = scores.by(failure_labels(scores))
    assert {name: len(part) for name, part in slices.items()} == {
        "none": 2,
        "retriever": 3,
        "reader": 1,
        "no_answer": 5,
    }
    assert slices["retriever"].summary()["retriever_recall"] == 0
    assert slices["none"].summary()["reader_topk_accuracy"] == 1
    first = read(pipeline, golds, top_k=1)
    assert failure_labels(first)[:2] == ["reader", "reader"] and failure_labels(first)[7] == "no_answer"


def test_questions_without_a_gold_document():
    pipeline = [question(["d"], span("d", 0, 1)), question(["d"], None), question(["d"], None)]
    golds = [question(["d"], span("d", 0, 1)), question([]), question(["d"])]
    scores = read(pipeline, golds, denominator="correct_retrievals")
    assert scores.subsets["no_relevant"].tolist() == [False, True, False]
    assert scores.summary(["no_relevant", "retriever_recall"]) == {"no_relevant": 1, "retriever_recall": 2 / 3}
    texts = [{"id": "d", "text": "x"}]
    opened = read([question(texts, "x")], [question([], "x")], unit="token", open_domain=True)
    assert opened.summary(["no_relevant", "retriever_recall"]) == {"no_relevant": 0, "retriever_recall": 1.0}


def test_missing_questions():
    pipeline = {"q1": question(["d"], span("d", 10, 20)), "q9": question(["d"])}
    golds = {"q1": GOLD | {"documents": ["d"], "answers": [span("d", 10, 20)]}, "q2": question(["d"], span("d", 0, 1))}
    summary = read(pipeline, golds).summary()
    assert (summary["missing"], summary["unmatched"], summary["total"]) == (1, 1, 2)
    assert summary["retriever_recall"] == summary["reader_top1_em"] == 0.5


def test_weights():
    pipeline = [question(["d"], span("d", 10, 20)), question(["x"], span("d", 0, 1))]
    golds = [question(["d"], span("d", 10, 20))] * 2
    scores = score_reading(pipeline, golds, weights=[3, 1], options=ReaderOptions(denominator="queries"))
    expected = {"retriever_recall": 0.75, "reader_top1_em": 0.75, "total": 2}
    assert scores.summary(expected) == expected


def some_questions(n, seed=0):
    rng = np.random.default_rng(seed)
    pipeline, golds = {}, {}
    for number in range(n):
        documents = [f"d{i}" for i in rng.permutation(12)[:6]]
        answers = [
            None
            if rng.random() < 0.15
            else span(documents[rng.integers(3)], int(start := rng.integers(50)), int(start + rng.integers(1, 9)))
            for _ in range(rng.integers(5))
        ]
        pipeline[f"q{number}"] = question(documents, *answers)
        start = int(rng.integers(50))
        golds[f"q{number}"] = question(
            [documents[0], "d3"], *([] if rng.random() < 0.2 else [span(documents[0], start, start + 6)])
        )
    return pipeline, golds


def test_ranges_and_order_of_the_measures():
    for seed in range(5):
        scores = read(*some_questions(40, seed))
        for column in scores.columns.values():
            assert ((column >= 0) & (column <= 1)).all()
        for name in READINGS:
            assert (scores.columns[f"reader_top1_{name}"] <= scores.columns[f"reader_topk_{name}"]).all()
        for top in ("top1", "topk"):
            em, f1, accuracy = (scores.columns[f"reader_{top}_{name}"] for name in ("em", "f1", "accuracy"))
            assert (em <= f1).all() and (f1 <= accuracy).all()
        for k in (1, 2, 3):
            fewer, more = (read(*some_questions(40, seed), top_k=of).columns["reader_topk_f1"] for of in (k, k + 1))
            assert (fewer <= more).all()


# --- options ----------------------------------------------------------------------------------------------------------


def test_signature():
    assert (
        ReaderOptions(unit="offset")
        .signature()
        .startswith("retriever_reader|ap:num_relevant|over:correct_retrievals|unit:offset|v:")
    )
    options = ReaderOptions(
        "num_retrieved_relevant", "queries", "token", top_k=3, open_domain=True, document_field="name"
    )
    assert "|unit:token|norm:squad|k:3|open_domain:yes|document:name|" in options.signature()


@pytest.mark.parametrize(
    "options, message",
    [
        ({"top_k": 0}, "top_k must be an integer of at least 1, got 0"),
        ({"top_k": True}, "got True"),
        ({"unit": "word"}, "option unit='word' is unknown; it is one of: None, 'offset', 'character', 'token'"),
        ({"ap_denominator": "min_mn"}, "it is one of: 'num_relevant', 'num_retrieved_relevant'"),
        ({"denominator": "all"}, "it is one of: 'correct_retrievals', 'queries'"),
        ({"duplicates": "all"}, "option duplicates='all'"),
        ({"open_domain": 1}, "open_domain is True or False, got 1"),
        ({"normalizer": "squad"}, "normalizer is for unit='token' or 'character', not None"),
        ({"normalizer": "squad"}, "by default 'offset' for spans and 'character' for texts"),
        ({"unit": "offset", "normalizer": "squad"}, "not 'offset'"),
    ],
)
def test_wrong_options(options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        ReaderOptions(**options)
