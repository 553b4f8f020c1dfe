"""The reader's measures of retriever_reader: worked examples, a brute-force twin, units, and where questions fail."""

import json
import tracemalloc

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import qassay
from qassay.cli import main
from qassay.core.matching import match_texts
from qassay.core.one_match import MatchRules
from qassay.core.text import get_normalizer
from qassay.retriever_reader.scoring import ReaderOptions, score_reading

from .questions import READINGS, THIRD, of_top, question, read, span

METRIC = "retriever_reader"

# --- reader -----------------------------------------------------------------------------------------------------------


GOLD = question(["d1"], span("d1", 10, 20))
SINGLE = [
    ([span("d1", 10, 20)], (1, 1, 1), (1, 1, 1)),
    ([span("d1", 15, 20)], (1, 0, THIRD), (1, 0, THIRD)),
    ([span("d1", 20, 25)], (1, 0, 0), (1, 0, 0)),
    ([span("d1", 21, 25)], (0, 0, 0), (0, 0, 0)),
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
    over_all = read(pipeline, golds, denominator="queries").summary()
    assert over_all["reader_top1_accuracy"] == 2 / 3 and over_all["reader_topk_em_has_answer"] == 1 / 2
    assert ReaderOptions().denominator == "correct_retrievals"


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
            found = [scores.columns[f"reader_{top}_{name}"][row] for name in READINGS]
            assert found == [max((v[place] for v in looked_at), default=0) for place in range(3)]
            assert 0 <= found[1] <= found[2] <= found[0] <= 1, "exact matches overlap, and so on"


def test_blocks_of_pairs_change_nothing_and_bound_the_memory(monkeypatch):
    rng = np.random.default_rng(3)

    def answers(count, unit):
        starts = rng.integers(0, 30, (count, 2)).tolist()
        names = rng.choice(["d1", "d2", None] if unit == "character" else ["d1", "d2"], count).tolist()
        texts = ["".join(rng.choice(list("ab "), 4)) + "c" for _ in range(count)]
        return [span(d, s, s + n + 1, t) for d, (s, n), t in zip(names, starts, texts, strict=True)]

    for unit, open_domain in (("offset", False), ("character", False), ("character", True)):
        documents = [{"id": "d1", "text": "c" * 99}]
        rows = [question(documents, *answers(count, unit)) for count in (0, 7, 1, 20)]
        golds = [question(["d1", "d2"], *answers(count, unit)) for count in (3, 1, 0, 9)]
        options = {"unit": unit, "open_domain": open_domain}
        whole = read(rows, golds, **options)
        for size in (1, 13, 100):
            with monkeypatch.context() as patch:
                patch.setattr("qassay.retriever_reader.scoring._PAIRS_AT_ONCE", size)
                assert read(rows, golds, **options) == whole
    many = [span("d", start, start + 2, "x") for start in range(1_000)]
    others = [span("e", start, start + 2, "x") for start in range(1_000)]
    monkeypatch.setattr("qassay.retriever_reader.scoring._PAIRS_AT_ONCE", 100_000)
    tracemalloc.start()
    scores = read([question(["d"], *many, *others)], [question(["d"], *many[::-1])])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert of_top(scores, "topk") == (1, 1, 1)
    assert peak < 30_000_000, "2 million pairs at once take 138 MB"


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
    rules = MatchRules(get_normalizer(normalizer), unit, drop_empty_golds=False)
    expected = match_texts([a for a, _ in pairs], [[b] for _, b in pairs], rules)
    assert scores.columns["reader_top1_f1"].tolist() == expected["f1"].tolist()
    assert scores.columns["reader_top1_em"].tolist() == expected["exact_match"].tolist()


PLAIN = {  # by SQuAD's rules: "yes" is "Yes" (1, 1), "the Seine" is "Seine" (1, 1), "red" of "red hat" is (0, 2/3)
    "ids": ["q1", "q2", "q3"],
    "documents": [["d"], ["d"], ["d"]],
    "answer": ["yes", "the Seine", "red"],
    "gold_ids": [["d"], ["d"], ["d"]],
    "gold_answer": ["Yes", "Seine", "red hat"],
}
AS_TOKENS = {"reader_top1_em": 2 / 3, "reader_top1_f1": 8 / 9}
# Characters: "yes" of "Yes" shares 2 of 3 and 3, "the Seine" of "Seine" 5 of 9 and 5, "red" of "red hat" 3 of 3 and 7.
AS_CHARACTERS = {"reader_top1_em": 0.0, "reader_top1_f1": (2 / 3 + 10 / 14 + 6 / 10) / 3}


def rows_of(documents, answers):
    return [question(*row) for row in zip(PLAIN[documents], PLAIN[answers])]


def of_file(tmp_path, *arguments):
    """The table as a file on the command line."""
    path, out = tmp_path / "table.csv", tmp_path / "out.json"
    cells = pd.DataFrame(PLAIN).map(lambda cell: json.dumps(cell) if isinstance(cell, list) else cell)
    cells.to_csv(path, index=False)
    assert main(["score", str(path), "--metric", METRIC, *arguments, "--format", "json", "--output", str(out)]) == 0
    (part,) = json.loads(out.read_text())["parts"]
    return {name: part["values"]["table"][name]["value"] for name in AS_TOKENS}, part["signature"]


@pytest.mark.parametrize("is_file", [False, True])
def test_texts_are_compared_as_tokens_and_as_characters_with_the_preset_of_piaf(is_file, tmp_path):
    for options, expected, named in (
        ({}, AS_TOKENS, "unit:token|norm:squad"),
        ({"preset": "piaf"}, AS_CHARACTERS, "unit:character|norm:none"),
        ({"unit": "offset_or_character"}, AS_CHARACTERS, "unit:character|norm:none"),
        ({"preset": "piaf", "unit": "token"}, AS_TOKENS, "unit:token|norm:squad|preset:piaf|changed:unit,normalizer"),
    ):
        if is_file:
            found, signature = of_file(tmp_path, *(f"--option={name}={value}" for name, value in options.items()))
        else:
            columns = rows_of("documents", "answer"), rows_of("gold_ids", "gold_answer")
            scores = qassay.score(METRIC, *columns, **options)
            found, signature = scores.summary(list(AS_TOKENS)), scores.signature()
        assert found == pytest.approx(expected) and f"|{named}|" in signature
        assert ("preset:piaf" in signature, "changed:" in signature) == ("preset" in options, len(options) > 1)


def test_the_preset_goes_to_the_metric_that_reads_the_files(tmp_path, capsys):
    for name, text in (("gold", "Yes"), ("outputs", "yes")):
        row = {"id": "q", **question(["d"], text_answer(text))}
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(row) + "\n")
    gold, outputs = (str(tmp_path / f"{name}.jsonl") for name in ("gold", "outputs"))
    assert main(["score", gold, outputs, "--preset", "piaf"]) == 0
    assert "retriever_reader|" in capsys.readouterr().out
    assert qassay.score_files(gold, [outputs], preset="piaf")["outputs"].options.unit == "character"


def test_answers_of_readers_of_haystack_are_compared_as_in_piaf():
    """Positions if all have them, else characters; a generated answer has no position, and its words count."""
    extracted = {
        "data": "yes",
        "query": "?",
        "document": {"id": "d"},
        "document_offset": {"start": 0, "end": 3},
        "meta": {},
    }
    generated = {"data": "yes", "query": "?", "documents": [{"id": "d"}], "meta": {}}
    for answer, gold, unit, em in (
        (extracted, {"text": "Yes"}, "character", 0),
        (extracted, {"text": "Yes", "start": 0, "end": 3}, "offset", 1),
        ({"answer": "yes", "offset_start_in_doc": 0, "document_id": "d"}, {"text": "Yes"}, "character", 0),
        ({"answer": "yes", "offsets_in_document": None, "document_ids": ["d"]}, {"text": "Yes"}, "character", 0),
        (generated, {"text": "Yes"}, "token", 1),
        ({"text": "yes", "start": 0, "end": 3}, {"text": "Yes"}, "token", 1),
    ):
        for row in (
            question(["d"], answer),
            {"retriever": {"documents": [{"id": "d"}]}, "reader": {"answers": [answer]}},
        ):
            scores = qassay.score(METRIC, [row], [question(["d"], gold)])
            assert (scores.options.unit, scores["reader_top1_em"]) == (unit, em)


def test_units_of_texts():
    answers = text_answer("the Seine river"), text_answer("Seine")
    scores = read([question(["d"], *answers)], [question(["d"], text_answer("Seine"), text_answer("a long river"))],
                  unit="token")  # fmt: skip
    assert of_top(scores, "top1") == pytest.approx((1, 0, THIRD)) and of_top(scores, "topk") == (1, 1, 1)
    gold = question(["d"], {**span("d", 0, 1), "text": "x"})
    for answer, unit in ((text_answer("x", "e"), "token"), (span("e", 0, 1), "offset")):  # of another document
        assert of_top(read([question(["d"], answer)], [gold], unit=unit), "topk") == (0, 0, 0)


def test_an_answer_that_normalises_to_nothing_is_right_only_if_the_gold_answer_does_too():
    for gold, value in (("a", 1.0), ("b", 0.0)):
        scores = read([question(["d"], text_answer("the"))], [question(["d"], text_answer(gold))], unit="token")
        assert of_top(scores, "top1") == (value,) * 3
    unanswerable = read([question(["d"], text_answer("the"))], [question(["d"])], unit="token")
    assert of_top(unanswerable, "topk") == (0, 0, 0)


# --- failures, slices, parts ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        {"top_k": 0},
        {"ap_denominator": "min_mn"},
        {"denominator": "all"},
        {"unit": "offset", "normalizer": "squad"},
    ],
    ids=str,
)
def test_wrong_options(options):
    with pytest.raises((ValueError, TypeError), match=list(options)[-1]):
        ReaderOptions(**options)


def test_documents_of_another_collection_are_remarked():
    rows = [{"documents": [f"D{row}"], "answers": ["x"]} for row in range(20)]
    golds = [{"documents": [f"d{row}"], "answers": ["x"]} for row in range(20)]
    with pytest.warns(UserWarning, match="no document that is retrieved is judged .*'D0'.*'d0'"):
        scores = qassay.score("retriever_reader", rows, golds)
    assert scores["retriever_recall"] == 0
