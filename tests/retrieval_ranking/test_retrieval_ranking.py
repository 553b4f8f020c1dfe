"""The evaluate module retrieval_ranking: loading, the config nlpcc, input forms, options, batches, and its card."""

import dataclasses
import json
import re
from pathlib import Path

import datasets
import evaluate
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import qassay
from qassay.answer_match.answer_match import AnswerMatch
from qassay.retrieval_ranking.measures import list_measures, parse_measure
from qassay.retrieval_ranking.retrieval_ranking import RetrievalRanking
from qassay.retrieval_ranking.scoring import RankingOptions

FOLDER = Path(qassay.path("retrieval_ranking"))
SAMPLES = FOLDER.parents[1] / "samples" / "rankings"

# q1 has its relevant documents at the ranks 2 and 3 of 4, q2 one of two at rank 1; q3 is not in the run.
RUN = {"q1": {"x": 4.0, "a": 3.0, "b": 2.0, "y": 1.0}, "q2": {"a": 0.5, "c": 0.25}}
QRELS = {"q1": {"a": 1, "b": 2, "y": 0}, "q2": {"a": 3, "d": 1}}
SUMMARY = qassay.score("retrieval_ranking", RUN, QRELS).summary()


@pytest.fixture(scope="module")
def metric():
    return evaluate.load(str(FOLDER))


# --- loading, card, script --------------------------------------------------------------------------------------------


def test_equals_qassay_score(metric):
    assert SUMMARY["map"] == ((1 / 2 + 2 / 3) / 2 + 1 / 2) / 2
    assert metric.compute(predictions=RUN, references=QRELS) == metric.compute(run=RUN, qrels=QRELS) == SUMMARY


def card(start, end):
    text = (FOLDER / "README.md").read_text("utf-8")
    return text[text.index(start) : text.index(end)]


def rows_of_table(text):
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if line[:1] == "|"]


def test_the_card_says_the_defaults():
    table = card("| option | default |", "By default the measures")
    defaults = dict(re.findall(r"^\| `(\w+)` \| `([^`]+)` \|", table, re.MULTILINE))
    options = RankingOptions()
    assert set(defaults) == {field.name for field in dataclasses.fields(options)} - {"measures", "preset"}
    assert {name: getattr(options, name) for name in defaults} == {name: eval(text) for name, text in defaults.items()}
    named = re.findall(r"`([^`]+)`", card("By default the measures", "Only for the module"))
    assert tuple(named) == options.measures


def test_the_card_has_every_measure_and_the_names_of_trec_eval():
    known = {re.match(r"\w+", name)[0] for name, _ in list_measures()}
    shown = {}
    for measures, _, theirs, aliases in rows_of_table(card("| measure | per query |", "A cut-off k is any")):
        if measures == "measure" or set(measures) == {"-"}:
            continue
        spelled = re.findall(r"`([^`]+)`", measures)
        for text in spelled:
            shown[re.match(r"\w+", text)[0]] = text
        for alias in re.findall(r"`([^`]+)`", aliases):
            name = re.match(r"\w+", spelled[0])[0]
            assert parse_measure(f"{alias}@5").name == name, alias
        if len(spelled) == 1 and theirs and theirs != "the same":
            names = [name.replace("_k", "_10").replace("_x", "_0.10") for name in re.findall(r"`([^`]+)`", theirs)]
            assert {parse_measure(name).name for name in names} == {re.match(r"\w+", spelled[0])[0]}, names
            assert all(parse_measure(name).trec_name == name for name in names)
    assert set(shown) == known
    for name, text in shown.items():
        if name.startswith("iprec"):
            continue
        with_cut = f"{name}@10"
        if "[@k]" in text:
            assert {parse_measure(name).cutoff, parse_measure(with_cut).cutoff} == {None, 10}
        else:
            with pytest.raises(ValueError, match="cut-off"):
                parse_measure(name if "@k" in text else with_cut)


def test_the_table_of_average_precisions():
    header, _, *rows = rows_of_table(card("| ranking, R |", "- `num_relevant`: R"))
    denominators = [cell.strip("`") for cell in header[1:]]
    assert len(denominators) == len(rows) == 5
    for first, *values in rows:
        ones, relevant = re.fullmatch(r"([01 ]+), R = (\d)", first).groups()
        ranking = [f"{'right' if one == '1' else 'wrong'} {place}" for place, one in enumerate(ones.split())]
        found = [document for document in ranking if document.startswith("right")]
        gold = [*found, *(f"not found {n}" for n in range(int(relevant) - len(found)))]
        for denominator, value in zip(denominators, values, strict=True):
            scores = qassay.score(
                "retrieval_ranking", [ranking], [gold], measures=["map@10"], ap_denominator=denominator
            )
            assert round(scores.summary()["map@10"], 4) == float(value), (first, denominator)


# --- input forms ------------------------------------------------------------------------------------------------------

ROWS = [(query, document, score) for query, documents in RUN.items() for document, score in documents.items()]
JUDGED = [(query, document, level) for query, documents in QRELS.items() for document, level in documents.items()]


def columns_of(rows, *names):
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


RUN_COLUMNS = columns_of(ROWS, "query", "docid", "score")
QRELS_COLUMNS = columns_of(JUDGED, "query", "docid", "rel")
LISTS = {
    "predictions": [list(documents) for documents in RUN.values()],
    "references": [list(documents) for documents in QRELS.values()],
    "relevances": [list(documents.values()) for documents in QRELS.values()],
}
FORMS = {
    "ranked lists by query": {"run": {query: list(documents) for query, documents in RUN.items()}, "qrels": QRELS},
    "pairs by query": {"run": {query: list(documents.items()) for query, documents in RUN.items()}, "qrels": QRELS},
    "the other order": {"run": dict(reversed(RUN.items())), "qrels": QRELS},
    "lists": LISTS,
    "lists and scores": {
        **LISTS,
        "predictions": [ranking[::-1] for ranking in LISTS["predictions"]],
        "scores": [list(documents.values())[::-1] for documents in RUN.values()],
    },
    "dicts by position": {"predictions": list(RUN.values()), "references": list(QRELS.values())},
    "rows with ids": {
        "predictions": [{"id": query, "documents": documents} for query, documents in RUN.items()],
        "references": [{"id": query, "documents": documents} for query, documents in reversed(QRELS.items())],
    },
    "rows with lists": {
        "predictions": [
            {"id": query, "documents": list(docs), "scores": list(docs.values())} for query, docs in RUN.items()
        ],
        "references": [
            {"id": query, "documents": list(docs), "relevances": list(docs.values())} for query, docs in QRELS.items()
        ],
    },
    "dicts of columns": {"predictions": RUN_COLUMNS, "references": QRELS_COLUMNS},
    "Arrow": {"predictions": pa.table(RUN_COLUMNS), "references": pa.table(QRELS_COLUMNS)},
    "pandas": {"predictions": pd.DataFrame(RUN_COLUMNS), "references": pd.DataFrame(QRELS_COLUMNS)},
    "data sets": {
        "predictions": datasets.Dataset.from_dict(RUN_COLUMNS),
        "references": datasets.Dataset.from_dict(QRELS_COLUMNS),
    },
    "Hugging Face's trec_eval": {
        "predictions": [
            {
                **RUN_COLUMNS,
                "q0": ["q0"] * len(ROWS),
                "rank": [99 - row for row in range(len(ROWS))],
                "system": ["mine"] * len(ROWS),
            }
        ],
        "references": [{**QRELS_COLUMNS, "q0": ["q0"] * len(JUDGED)}],
    },
    "a table and dicts": {"predictions": pa.table(RUN_COLUMNS), "references": QRELS},
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_input_gives_the_same(metric, form):
    assert metric.compute(**FORMS[form]) == SUMMARY


@pytest.mark.parametrize("kind", [list, set, tuple, frozenset, np.array])
def test_relevant_documents_as_lists_and_sets(metric, kind):
    relevant = [kind(["a", "b"]), kind(["a", "d"])]
    result = metric.compute(predictions=LISTS["predictions"], references=relevant)
    assert (result["mrr"], result["num_rel"], result["num_rel_ret"]) == (0.75, 4, 3)


def test_arrays_of_ids_as_a_trainer_gives_them(metric):
    """`compute_metrics` of a retriever: the indices of the top passages, and of the gold passage."""

    def compute_metrics(evaluation):
        scores, labels = evaluation
        top = np.argsort(-scores, axis=1, kind="stable")[:, :3]
        return metric.compute(predictions=top, references=labels[:, None], measures=["mrr@3", "hit_rate@1"])

    logits = np.array([[0.1, 0.9, 0.2, 0.3], [0.5, 0.6, 0.7, 0.1], [0.4, 0.3, 0.2, 0.1]], np.float32)
    result = compute_metrics((logits, np.array([1, 0, 3])))
    assert (result["mrr@3"], result["hit_rate@1"], result["total"]) == ((1 + 1 / 3) / 3, 1 / 3, 3)
    assert {type(value) for value in result.values()} == {float, int}


def test_missing_queries_in_every_form(metric):
    by_position = metric.compute(predictions=[["a"], None], references=[["a"], ["a"]])
    by_id = metric.compute(run={"1": ["a"], "3": ["a"]}, qrels={"1": ["a"], "2": ["a"]})
    assert (by_position["missing"], by_position["mrr"]) == (by_id["missing"], by_id["mrr"]) == (1, 0.5)
    assert (by_position["unmatched"], by_id["unmatched"]) == (0, 1)
    skipped = metric.compute(run={"1": ["a"]}, qrels={"1": ["a"], "2": ["a"]}, missing="skip")
    assert (skipped["mrr"], skipped["total"], skipped["skipped"]) == (1.0, 1, 1)


def test_position_beside_ids_is_refused(metric):
    for predictions, references in ((RUN, LISTS["references"]), (LISTS["predictions"], QRELS)):
        with pytest.raises(ValueError, match="are a plain list, one row per query, but"):
            metric.compute(predictions=predictions, references=references)


def test_a_column_under_both_names_is_refused(metric):
    with pytest.raises(TypeError, match="predictions and run are the same column"):
        metric.compute(predictions=RUN, run=RUN, references=QRELS)
    with pytest.raises(ValueError, match="predictions missing"):
        metric.compute(qrels=QRELS)


# --- NLPCC ------------------------------------------------------------------------------------------------------------


def question_rows():
    pairs = [line.split("\t") for line in (SAMPLES / "sentences.qa").read_text("utf-8").splitlines()]
    scores = [float(line) for line in (SAMPLES / "sentences.scores").read_text("utf-8").splitlines()]
    return {
        "question": [question for question, _, _ in pairs],
        "score": scores,
        "label": [int(label) for *_, label in pairs],
    }


def test_rows_that_judge_themselves(metric):
    """Against the guideline, written down a second time."""
    table = question_rows()
    by_question = {}
    for question, score, label in zip(*table.values(), strict=True):
        by_question.setdefault(question, []).append((score, label))
    precisions, reciprocals = [], []
    for rows in by_question.values():
        labels = [label for _, label in sorted(rows, key=lambda row: -row[0])]
        ranks = [rank for rank, label in enumerate(labels, 1) if label]
        precisions.append(sum(n / rank for n, rank in enumerate(ranks, 1)) / max(1, len(ranks)))
        reciprocals.append(1 / ranks[0] if ranks else 0.0)
    for rows in (table, pa.table(table), pd.DataFrame(table)):
        result = metric.compute(predictions=rows, preset="nlpcc")
        assert (result["total"], result["no_relevant"]) == (12, 1)
        assert result["map"] == pytest.approx(np.mean(precisions), rel=1e-14)
        assert result["mrr"] == pytest.approx(np.mean(reciprocals), rel=1e-14)
    skipping = metric.compute(predictions=table, preset="nlpcc", skip_trivial=True)
    kept = [
        value
        for value, rows in zip(precisions, by_question.values(), strict=True)
        if 0 < sum(r[1] for r in rows) < len(rows)
    ]
    assert (skipping["total"], skipping["trivial"]) == (10, 2)
    assert skipping["map"] == pytest.approx(np.mean(kept), rel=1e-14)


def test_the_config_is_the_preset(metric):
    rows = question_rows()
    config = evaluate.load(str(FOLDER), "nlpcc")
    expected = metric.compute(predictions=rows, preset="nlpcc", signature=True)
    assert config.compute(predictions=rows, signature=True) == expected
    assert RetrievalRanking("nlpcc").compute(predictions=rows, signature=True) == expected
    assert "|ties:stable|" in expected["signature"] and "|ap:min_mn|" in expected["signature"]
    own = config.compute(predictions=rows, ties="worst", measures=["map"], signature=True)
    assert "|ties:worst|" in own["signature"] and "|ap:min_mn|" in own["signature"]
    assert own["map"] < expected["map"]


def test_the_cases_of_the_official_program(metric, nlpcc):
    for name in ("allneg_skipped", "allpos_skipped", "multi_pos", "ties_stable_pos_first", "random500"):
        pairs = [line.split("\t") for line in (nlpcc / f"{name}.qa").read_text("utf-8").splitlines() if line]
        scores = [float(line) for line in (nlpcc / f"{name}.sc").read_text("utf-8").split()]
        table = {"question": [pair[0] for pair in pairs], "score": scores, "label": [int(pair[2]) for pair in pairs]}
        official = dict(line.split("\t") for line in (nlpcc / f"{name}.res").read_text("utf-8").splitlines())
        result = metric.compute(predictions=table, preset="nlpcc", skip_trivial=True)
        for measure in ("MAP", "MRR"):
            assert result[measure.lower()] == pytest.approx(float(official[measure]), rel=1e-12), (name, measure)


# --- options ----------------------------------------------------------------------------------------------------------


def test_options_at_load_and_at_compute():
    metric = qassay.load("retrieval_ranking", measures=["p@1"], relevance_level=2)
    one = {"predictions": [["a", "b"]], "references": [["a", "b"]], "relevances": [[1, 2]]}
    assert metric.compute(**one)["p@1"] == 0.0
    assert metric.compute(**one, relevance_level=1)["p@1"] == 1.0
    assert metric.compute(**one)["p@1"] == 0.0
    assert set(metric.compute(**one, measures="mrr, map")) == {
        "mrr", "map", "total", "missing", "no_relevant", "tied", "unmatched",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"measures": ["ndgc@10"]}, r"no measure 'ndgc@10' \(did you mean 'ndcg'\?\)"),
        ({"measures": ["p"]}, "needs a cut-off, for example p@10"),
        ({"measures": ["ndcg@0"]}, "whole number of at least 1"),
        ({"ties": "random"}, "option ties='random' is unknown"),
        ({"ap_denominator": "min"}, "denominator 'min' is unknown"),
        ({"preset": "nlpc"}, r"option preset='nlpc' is unknown \(did you mean 'nlpcc'\?\)"),
        ({"missing": "ignore"}, "option missing='ignore' is unknown"),
    ],
)
def test_bad_options_are_refused_at_load_and_at_compute(metric, options, message):
    with pytest.raises(ValueError, match=message):
        qassay.load("retrieval_ranking", **options)
    with pytest.raises(ValueError, match=message):
        metric.compute(run=RUN, qrels=QRELS, **options)


def test_more_on_request(metric):
    result = metric.compute(
        predictions=LISTS["predictions"],
        references=LISTS["references"],
        relevances=LISTS["relevances"],
        ids=["first", "second"],
        weights=[3, 1],
        per_example=True,
        level=0.9,
        signature=True,
        measures=["mrr", "num_ret"],
    )
    assert result["mrr"] == (3 * 0.5 + 1) / 4
    assert result["per_example"]["id"] == ["first", "second"]
    assert result["per_example"]["mrr"] == [0.5, 1.0]
    assert result["per_example"]["weight"] == [3.0, 1.0]
    assert result["per_example"]["missing"] == [False, False]
    assert result["mrr_low"] <= result["mrr"] <= result["mrr_high"]
    assert result["signature"].startswith("retrieval_ranking|ties:trec|scores:float64|missing:zero|rel:1|")
    assert json.loads(json.dumps(result)) == result


def test_weights_by_query(metric):
    by_id = metric.compute(run=RUN, qrels=QRELS, weights={"q2": 1, "q1": 3}, measures=["mrr"])
    assert by_id["mrr"] == (3 * 0.5 + 1) / 4


def test_tie_bounds_on_the_samples(metric):
    """The run has ties in some queries; under any rule the value lies between the bounds."""
    run = pd.read_csv(SAMPLES / "dense.run", sep=" ", names=["query", "q0", "docid", "rank", "score", "tag"])
    qrels = pd.read_csv(SAMPLES / "qrels.txt", sep=" ", names=["query", "q0", "docid", "rel"])
    bounds = metric.compute(run=run, qrels=qrels, measures=["map", "ndcg@10"], tie_bounds=True)
    assert bounds["tied"] >= 8 and bounds["unmatched"] == 1 and bounds["no_relevant"] == 1
    for name in ("map", "ndcg@10"):
        worst, best = bounds[f"{name}_ties_worst"], bounds[f"{name}_ties_best"]
        assert worst < best
        for rule in ("trec", "stable"):
            assert worst <= metric.compute(run=run, qrels=qrels, measures=[name], ties=rule)[name] <= best
        assert worst < metric.compute(run=run, qrels=qrels, measures=[name], ties="expected")[name] < best


# --- batches ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["lists", "lists and scores", "dicts by position", "rows with lists", "rows with ids"])
def test_batches_equal_one_call(form):
    columns = FORMS[form]
    metric = RetrievalRanking()
    metric.add_batch(**{name: column[:1] for name, column in columns.items()})
    metric.add_batch(**{name: column[1:] for name, column in columns.items()})
    assert metric.compute() == SUMMARY
    metric.add_batch(**{name: column[:1] for name, column in columns.items()})
    assert metric.compute(**{name: column[1:] for name, column in columns.items()}) == SUMMARY
    for row in range(2):
        metric.add(
            prediction=columns["predictions"][row],
            reference=columns["references"][row],
            **{name: columns[name][row] for name in ("scores", "relevances") if name in columns},
        )
    assert metric.compute() == SUMMARY
    assert len(metric) == 0


def test_batches_by_id_in_which_the_run_lacks_a_query():
    metric = RetrievalRanking()
    metric.add_batch(run={"q1": RUN["q1"]}, qrels={"q1": QRELS["q1"], "q3": {"a": 1}})
    metric.add_batch(predictions={"q2": RUN["q2"], "q7": {"a": 1.0}}, references={"q2": QRELS["q2"]})
    whole = qassay.score(
        "retrieval_ranking", RUN | {"q7": {"a": 1.0}}, {"q1": QRELS["q1"], "q3": {"a": 1}, "q2": QRELS["q2"]}
    )
    result = metric.compute()
    assert result == whole.summary()
    assert (result["total"], result["missing"], result["unmatched"]) == (3, 1, 1)


def test_a_query_in_two_batches_is_refused():
    metric = RetrievalRanking()
    metric.add_batch(run=RUN, qrels=QRELS)
    metric.add_batch(run={"q1": RUN["q1"]}, qrels={"q4": QRELS["q1"]})
    with pytest.raises(ValueError, match="'q1' is given twice"):
        metric.compute()
    assert len(metric) == 0


def test_a_bad_batch_leaves_nothing_behind():
    metric = RetrievalRanking()
    metric.add_batch(predictions=[["a"]], references=[["a"]])
    with pytest.raises(ValueError, match="different lengths|predictions 2, references 1"):
        metric.add_batch(predictions=[["a"], ["b"]], references=[["a"]])
    with pytest.raises(ValueError, match="columns predictions, references"):
        metric.add_batch(predictions=[["a"]], references=[["a"]], scores=[[1.0]])
    with pytest.raises(TypeError):
        metric.add_batch(predictions={"q1": ["a"]}, references=[["a"]])
    assert metric.compute()["total"] == 1


def test_options_after_the_batches():
    metric = RetrievalRanking()
    metric.add_batch(predictions=[["x", "a"]], references=[["a"]])
    assert metric.compute(measures=["mrr@1", "mrr@2"])["mrr@2"] == 0.5


# --- copies, threads, processes, other metrics ------------------------------------------------------------------------


def test_combine_with_answer_match():
    """Answers ranked by a reader, scored as documents and as texts."""
    both = evaluate.combine([RetrievalRanking(measures=["mrr"]), AnswerMatch(top_k=(1, 2))])
    result = both.compute(predictions=[["Rome", "Paris"]], references=[["Paris"]])
    assert (result["mrr"], result["exact_match@1"], result["exact_match@2"]) == (0.5, 0.0, 1.0)
