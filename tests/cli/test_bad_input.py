"""Wrong calls and files: one line that says what is wrong, exit code 2."""

import json
from pathlib import Path

import pytest

from qassay.cli.errors import WRITTEN

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
A, L = SAMPLES / "answers", SAMPLES / "labels"
GOLD, SMALL, LARGE = (f"{A}/{name}.json" for name in ("gold", "small_model", "large_model"))
PAIR = f"score {GOLD} {SMALL}"
QRELS = "q1 0 d1 1\nq1 0 d2 0\nq1 0 d3 2\nq2 0 d1 1\nq3 0 d9 0\nq4 0 d4 1\n"
RUN = "".join(f"{line} mine\n" for line in (
    "q1 Q0 d3 1 3.0", "q1 Q0 d2 2 2.0", "q1 Q0 d1 3 1.0", "q2 Q0 d1 1 1.0", "q2 Q0 d5 2 1.0", "q3 Q0 d9 1 1.0", "q7 Q0 d1 1 1.0"
))  # fmt: skip
RANKED = {"s.qrels": QRELS, "f.run": RUN}
TEXTS = {"gold.json": {"a": ["Paris"], "b": ["ham"]}, "system.json": {"a": "Paris", "b": "x"}}
WIDE = {"wide.csv": "id,lang,gold,small,large\n1,en,Paris,Paris,London\n2,fr,Rome,Roma,Rome\n3,fr,Oslo,Oslo,Oslo\n"}
XY = {"t.csv": "id,x,y,prediction\n1,a,b,c\n"}
GOLDS = {"t.csv": "id,golds,prediction,x\n1,a,a,b\n"}


def log(name, text, hits):
    """A row of a nested log."""
    return {
        "trace": {"id": name},
        "generation": {"text": text},
        "label": {"golds": [text], "docs": [text]},
        "retrieval": {"hits": [{"doc": {"id": hit}, "rank": {"score": -at}} for at, hit in enumerate(hits)]},
        "meta": {"source": "wiki"},
    }


NESTED = {
    "a.jsonl": "".join(f"{json.dumps(log(name, *of))}\n" for name, *of in (("q1", "Rome", "x"), ("q2", "Oslo", "y")))
}
THERE = "trace.id, generation.text, label.golds, label.docs, retrieval.hits, meta.source"
OF_LOG = "score a.jsonl --columns predictions=generation.text references=label.golds"
HITS = "score a.jsonl --metric retrieval_ranking --columns run=retrieval.hits qrels=label.docs"
GOLD_LOWER = "q1 0 d3 1\nq1 0 d1 0\nq2 0 d5 1\n"
DISTANCES = ["distance", "_distance", "cosine_distance", "vector-distance", "L2", "euclidean", "loss"]


def distances(name):
    """Judgements, and a table of distances."""
    rows = "q1,d1,1\nq1,d2,2\nq1,d3,3\nq2,d4,1\nq2,d5,2\n"
    return {"gold": GOLD_LOWER, "ran": f"qid,docno,{name}\n{rows}"}


MRR = "score gold ran --measures mrr"


@pytest.mark.parametrize(
    ("files", "call", "words"),
    [
        # --- calls
        ({}, f"score {SMALL} {GOLD}", "small_model.json: this looks like predictions"),
        ({}, f"score {GOLD}", "gold.json: this has gold data of answer_match only"),
        ({}, f"score {GOLD} nothing.json", "nothing.json: no such file"),
        ({}, f"{PAIR} --option references=max", "answer_match has no option 'references'"),
        ({}, f"{PAIR} --option top_k", "has no value"),
        ({}, f"{PAIR} --option top_k=a", "needs numbers separated by commas"),
        ({}, f"{PAIR} --measures f2", "no measure 'f2'"),
        ({}, f"{PAIR} --seed 1 --seed 2", "--seed is given twice; give it once"),
        ({}, f"{PAIR} --by langage", "(did you mean 'language'?)"),
        ({}, f"{PAIR} --confidence 95", "confidence must be between 0 and 1"),
        ({}, f"{PAIR} --columns key=id", "no role 'key' of columns; available: "),
        ({}, f"{PAIR} --columns key", "ROLE=NAME"),
        ({}, f"{PAIR} --format xml", "invalid choice: 'xml'"),
        ({}, f"{PAIR} --pass-at 1 x", "--pass-at takes integers, such as 1,5; got 1 x"),
        ({}, f"{PAIR} --confidence 0.9 3", "unrecognized arguments: 3; see qassay"),
        ({}, f"{PAIR} --format trec_eval", "--format trec_eval is for retrieval_ranking; answer_match has: table"),
        ({}, "score", "required: GOLD"),
        # --- presets and options
        (TEXTS, "score gold.json system.json --preset serch_r1", "'search_r1'"),
        (TEXTS, "score gold.json system.json --preset nlpcc --metric answer_match", "retrieval_ranking"),
        (TEXTS, "score gold.json system.json --preset musique --option preset=drop",
         "preset is given twice, as musique and as drop"),
        (TEXTS, "score gold.json system.json --option normalizer=squad normalizer=french",
         "normalizer is given twice, as squad and as french"),
        (TEXTS, "score gold.json system.json --option task=drop", "answer_match has no option 'task': write preset="),
        # --- files
        ({"p.json": '{"other": "x"}'}, f"score {GOLD} p.json", "p.json: no prediction has the id of a reference"),
        ({"p.json": '{"lighthouse-1": "a", "lighthouse-1": "b"}'}, f"score {GOLD} p.json", "p.json: this JSON cannot be read: duplicate key 'lighthouse-1'"),
        ({"g.jsonl": '{"id": "a", "answers": ["x"]}\n{"id": "b", "answers": 5}\n', "p.json": {"a": "x", "b": "y"}},
         "score g.jsonl p.json", "g.jsonl: column answers: references[1]"),
        # --- labels and scores
        ({}, f"score {L}/desk.csv {L}/desk_rules.csv --metric average_precision", "desk_rules.csv: row 0: "),
        ({}, f"score {L}/subjects.jsonl --metric label_metrics", "subjects.jsonl: "),
        ({}, f"score {L}/desk.csv {L}/subjects_words.jsonl --metric label_metrics", "subjects_words.jsonl: "),
        ({}, f"score {L}/articles.jsonl --metric label_metrics", "articles.jsonl: "),
        # --- rankings
        (RANKED, "score s.qrels f.run --measures ndgc@10", "'ndgc@10' (did you mean 'ndcg'?)"),
        (RANKED, "score s.qrels f.run --measures map mrr --option measures=p@5", "measures is given twice, as map,mrr and as p@5"),
        (RANKED, "score s.qrels f.run --format trec_eval --by tied",
         "--format trec_eval has neither slices nor per cent; omit --by"),
        (RANKED, "score s.qrels f.run --per-query", "--per-query is for --format trec_eval"),
        (RANKED, "score s.qrels f.run --no-answer-probabilities x.json", "retrieval_ranking does not use"),
        (RANKED, "score s.qrels f.run --option missing=error", "does not have the judged query 'q4'"),
        (RANKED, "score s.qrels f.run f.run --format trec_eval", "for one system; got 2"),
        ({**RANKED, "f.run": RUN.replace("q2 Q0 d5", "q2 Q0 d1")}, "score s.qrels f.run", "error: f.run: predictions: query 'q2' has the document 'd1' twice"),
        ({**RANKED, "s.qrels": QRELS.replace("q1 0 d2", "q1 0 d1")}, "score s.qrels f.run", "error: s.qrels: references: query 'q1' judges the document 'd1' twice"),
        *((distances(name), f"{MRR} --columns score={name}", "with lower_is_better=True") for name in DISTANCES),
        (distances("l2"), MRR, "column l2 has distances, but the highest score is best"),
        (distances("bm25"), MRR, 'it has: qid, docno, bm25; say which with columns={"score": "NAME"}, the'),
        ({"gold": {"q": {f"d{n}": n / 9 for n in range(9)}}, "ran": {"q": {"d1": 1, "d2": 2}}}, MRR, "as gold"),
        ({"gold": {"q1": {"d1": 0.93, "d2": 0.11}}, "ran": "query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td2\t0\n"}, MRR, "as gold"),
        # --- roles of columns
        (WIDE, "score wide.csv --columns predictions=small predictions=gold", "the column gold is given both"),
        (WIDE, "score wide.csv --columns predictions=small predictions=large no_answer_probabilities=a no_answer_probabilities=b "
         "no_answer_probabilities=c", "no_answer_probabilities has 3 columns (a, b, c)"),
        (WIDE, "compare wide.csv --columns predictions=small predictions=large --groups large", "no groups"),
        ({"t.csv": "id,gold,prediction_a,prediction_b\n1,a,b,c\n"}, "score t.csv",
         'columns={"predictions": ["prediction_a", "prediction_b"]}'),
        (GOLDS, "score t.csv --metric label_metrics --columns document=x", "label_metrics does not use the role document"),
        (GOLDS, "score t.csv --metric average_precision --columns run=x", "average_precision does not use the role run"),
        (XY, "score t.csv --columns weights=x weights=y", "the role weights takes one column"),
        (XY, "score t.csv --columns separator=; separator=, --metric label_metrics", "the role separator takes one"),
        (XY, "score t.csv --columns references=x references=y --metric label_metrics",
         "label_metrics takes one column of references"),
        # --- fields of objects
        (NESTED, f"{HITS} document=doc.key", "retrieval.hits[0] has no field doc.key (its fields: doc, rank)"),
        (NESTED, f"{HITS} document=doc.id score=rank.value",
         "no document of retrieval.hits has the field rank.value (its fields: doc, rank)"),
        (NESTED, "score a.jsonl", THERE),
        (NESTED, "score a.jsonl --metric retrieval_ranking", THERE),
        (NESTED, "score a.jsonl --columns predictions=generation.txt", THERE),
        (NESTED, "score a.jsonl --columns predictions=generation.txt", "(did you mean 'generation.text'?)"),
        (NESTED, f"{OF_LOG} --by source", "there is no column 'source' (did you mean 'meta.source'?)"),
        (NESTED, f"{OF_LOG} --groups source", "there is no column 'source' (did you mean 'meta.source'?)"),
        (NESTED, "score a.jsonl --measurs=f1", "(did you mean '--measures'?)"),
    ],
)  # fmt: skip
def test_wrong_calls_say_what_is_wrong_in_one_line(fail, put, monkeypatch, tmp_path, files, call, words):
    for name, content in files.items():
        put(name, content)
    monkeypatch.chdir(tmp_path)
    assert words in fail(*call.split())


# --- files behind an option that takes every value after it -------------------------------------------------------------


@pytest.mark.parametrize("option, value", [("--by", "lang"), ("--columns", "ids=id"), ("--no-answer-probabilities", "na.json")])  # fmt: skip
def test_files_behind_an_option_with_several_values_are_refused_with_the_right_order(fail, put, option, value):
    gold, system = put("gold.json", {"1": ["a"]}), put("system.json", {"1": "a"})
    value = put(value, {"1": 0.5}) if value.endswith(".json") else value
    error = fail("score", "--seed", 3, option, value, gold, system)
    assert "files come first" in error


def test_a_slice_may_have_the_name_of_a_file_without_an_ending(run, put, monkeypatch, tmp_path):
    table = put("t.csv", "id,lang,prediction,gold\n1,en,x,x\n")
    put("lang", "")
    monkeypatch.chdir(tmp_path)
    assert "en" in run("score", table, "--by", "lang", "--no-intervals")


def test_how_options_are_written_follows_a_message_that_names_one(fail, put):
    gold = put("gold.json", {"1": ["a"]})
    told = fail("score", gold, put("ranked.json", {"1": ["a", "b"]}))
    assert "the option top_k=(1, 5)" in told and f"\n{WRITTEN}--option top_k=VALUE)\n" in told
    assert f"{WRITTEN}--columns ROLE=NAME, --metric NAME)" in fail("score", put("odd.csv", "id,body\n1,a\n"))
    assert f"{WRITTEN}--option missing=VALUE)" in fail("score", gold, gold, "--option", "missing=nil")
    assert f"{WRITTEN}--resamples N)" in fail("score", gold, put("p.json", {"1": "a"}), "--resamples", "0")
    assert WRITTEN not in fail("score", gold, "mine=none.json")
    assert WRITTEN not in fail("score", gold, gold, "--format", "xml")
