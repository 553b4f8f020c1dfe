"""Files as people have them: each is read with the right numbers, or refused with the column to name."""

import json

import pytest

import qassay
from qassay.files import FileError

from ..conftest import DATA

INPUTS = DATA / "inputs"
needs_data = pytest.mark.skipif(not INPUTS.is_dir(), reason=f"no folder {INPUTS}; QASSAY_TEST_DATA says where it is")
MRR, MAP = {"metric": "retrieval_ranking", "measures": ["mrr"]}, {"metric": "retrieval_ranking", "measures": ["map"]}


@needs_data
@pytest.mark.parametrize(
    "gold, system, options, expected",
    [
        ("chinese_default/zh.jsonl", None, {"normalizer": "cjk"}, {"f1": 0.6905, "contains": 0.5}),
        *(
            (f"cmrc_drcd_presets/{name}_gold.json", f"cmrc_drcd_presets/{name}_pred.json", {"preset": preset}, ONES)
            for name, preset in (("cmrc", "cmrc2018"), ("drcd", "drcd"))
            for ONES in [{"f1": 1.0, "exact_match": 1.0}]
        ),
        *(("column_names/qrels.txt", f"column_names/{run}.run", MAP, {"map": 1.0}) for run in ("header", "headertab")),
        ("column_names/rating.csv", "column_names/rating.run", {"measures": ["mrr"]}, {"mrr": 0.25}),
        ("column_names/three_columns.tsv", "column_names/three_columns.run", {"measures": ["mrr"]}, {"mrr": 0.1}),
        *(
            (f"column_names/{test}.csv", f"column_names/{recs}.csv", {**MRR, "measures": ["ndcg@10"]}, {})
            for test, recs in (("lk_test", "lk_recs"), ("ms_test", "ms_recs"), ("test", "recs"))
        ),
        *(("double_tab_run/qrels.txt", f"double_tab_run/{run}.run", MRR, {"mrr": 0.4167})
          for run in ("before_rank", "before_score", "after_qid")),
        ("double_tab_run/qrels_double_tab.txt", "double_tab_run/ok.run", MAP, {"map": 0.4167}),
        ("double_tab_run/real_compat.qrels", "double_tab_run/real_compat.run", MAP, {"map": 0.2424}),
        *(("dpr_json/qrels.txt", f"dpr_json/{run}", MRR, {"mrr": 0.75}) for run in ("dpr.json", "st.json", "rankllm.jsonl")),
        ("kilt_files/kilt_gold1.jsonl", "kilt_files/kilt_guess1_1.jsonl", {"preset": "kilt"}, {"exact_match": 0.6667}),
        *(
            (f"msmarco_run/{gold}", f"msmarco_run/{run}", {"measures": ["mrr@10"]}, {"mrr@10": 0.3667})
            for gold in ("qrels.tsv", "ref2.tsv", "qrelsspace.txt")
            for run in ("run.tsv", "runspace.txt", "runscore.tsv", "runrankscore.tsv")
        ),
        ("preset_changed_by_gold_version/js_gold.json", "preset_changed_by_gold_version/js_pred.json",
         {"preset": "jsquad"}, {"f1": 1.0}),
        ("preset_names/sq_gold.json", "preset_names/pred_ok.json", {"preset": "squad"}, {"f1": 1.0}),
        ("pyterrier_docid_docno/qrels.txt", "pyterrier_docid_docno/run.csv", MRR, {"mrr": 0.75}),
        ("pyterrier_docid_docno/real_qrels_MB01.txt", "pyterrier_docid_docno/real_run.csv", MAP, {"map": 0.0448}),
        ("qrels_without_relevance/bom_query_doc.csv", "qrels_without_relevance/run.csv", {"measures": ["num_rel_ret"]},
         {"num_rel_ret": 2}),
        ("qrels_without_relevance/two_columns.txt", "qrels_without_relevance/two_columns.run", {}, {}),
        ("qrels_without_relevance/QueryID_DocID.csv", "qrels_without_relevance/QueryID_DocID_run.csv",
         {"measures": ["num_rel_ret"]}, {"num_rel_ret": 2}),
        ("rank_or_distance_as_score/q1.txt", "rank_or_distance_as_score/rank3.csv", MRR, {"mrr": 0.3333}),
        *((f"rows_under_a_key/{name}.json", None, {}, {"f1": 1.0}) for name in ("wrap", "wrap2")),
        *((f"rows_under_a_key/{name}.json", None, {}, {"exact_match": 0.5, "f1": 0.75}) for name in ("byid", "opencompass")),
        ("swapped_files/qr.tsv", "swapped_files/runsw.json", MRR, {"mrr": 1.0}),
        ("table_with_both_sides/langfuse.csv", None, {"columns": {"references": "expectedOutput"}},
         {"exact_match": 0.5, "f1": 0.8333}),
        ("table_with_both_sides/predicted_true.csv", None, {"columns": {"references": "true_answer"}}, {"f1": 0.3333}),
        ("table_with_both_sides/answer_expected.csv", None, {"columns": {"references": "expected_answer"}}, {"f1": 0.3333}),
        ("triviaqa_files/tqa_sample.json", "triviaqa_files/tqa_pred.json", {}, {"exact_match": 1.0}),
        ("triviaqa_files/tqa_hf.jsonl", None, {"normalizer": "triviaqa"}, {"exact_match": 1.0}),
        ("lm_eval_drop_log", None, {}, {"exact_match": 0.5, "f1": 0.5825}),
    ],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_numbers(gold, system, options, expected):
    (scores,) = qassay.score_files(INPUTS / gold, None if system is None else INPUTS / system, **options).values()
    assert scores.summary([*expected] or None) and scores.summary([*expected]) == pytest.approx(expected, abs=5e-5)


@needs_data
@pytest.mark.parametrize(
    "gold, system, options, message",
    [
        ("swapped_files/runsw.json", "swapped_files/qr.tsv", {}, "runsw.json: the references look like a run"),
        ("rank_or_distance_as_score/q1.txt", "rank_or_distance_as_score/dist3.csv", {}, "lower_is_better"),
        ("table_with_both_sides/predicted_true.csv", None, {}, '"references": "true_answer"'),
        ("rows_under_a_key/artefactual.json", None, {}, "generated_answers"),
        ("json_cells_csv/dictcsv.csv", None,
         {"columns": {"predictions": "outputs", "references": "reference_outputs"}}, "has the keys answer"),
    ],
)  # fmt: skip
def test_refusals(gold, system, options, message):
    with pytest.raises(FileError, match=message):
        qassay.score_files(INPUTS / gold, None if system is None else INPUTS / system, **options)


@needs_data
@pytest.mark.parametrize("number", ["", "2"])
def test_no_document_in_common_is_said(number):
    folder = INPUTS / "no_document_in_common"
    with pytest.warns(UserWarning, match="has ids like '[^']*77|ids like 'ft921-7107'"):
        qassay.score_files(folder / f"qrels{number}.txt", folder / f"run{number}.txt")


def test_lines_of_ids(tmp_path):
    (tmp_path / "pairs.tsv").write_text("q1\td1\nq1\td2\nq2\td9\n")
    (tmp_path / "ranks.txt").write_text("q1 d2 1\nq1 d7 2\nq2 d7 1\nq2 d9 2\n")
    with pytest.warns(UserWarning, match="pairs.tsv: .*every listed document is relevant|ranks.txt: .*1 is best"):
        scores = qassay.score_files(tmp_path / "pairs.tsv", tmp_path / "ranks.txt", measures=["mrr"])["ranks"]
    assert scores["mrr"] == 0.75
    (tmp_path / "pairs.tsv").write_text("q1\td1\nq1\td2\nq2\n" + "q2\td9\n" * 30)
    with pytest.raises(FileError, match="line 3|pairs.tsv"):
        qassay.score_files(tmp_path / "pairs.tsv", tmp_path / "ranks.txt")


def test_paths_into_objects_are_columns(tmp_path):
    rows = [{"id": n, "gen": {"answer": n}, "doc": {"gold": {"text": ["a"]}}} for n in "ab"]
    for name, value in {"rows": rows, "under a key": {"samples": rows}}.items():
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps(value))
        columns = {"predictions": "gen.answer", "references": "doc.gold.text"}
        (scores,) = qassay.score_files(path, columns=columns).values()
        assert scores.summary(["exact_match"]) == {"exact_match": 0.5}
        with pytest.raises(ValueError, match="gen.none"):
            qassay.score_files(path, columns={**columns, "predictions": "gen.none"})


def test_one_line_with_named_columns_is_a_row(tmp_path):
    (path := tmp_path / "log.jsonl").write_text('{"gold": "red car", "out": {"text": "red"}}')
    (scores,) = qassay.score_files(path, columns={"predictions": "out.text", "references": "gold"}).values()
    assert scores.summary(["f1"])["f1"] == pytest.approx(2 / 3)


def test_outputs_of_batches_and_chats(tmp_path):
    def lines(name, rows):
        (tmp_path / name).write_text("\n".join(map(json.dumps, rows)))
        return tmp_path / name

    def body(text):
        return {"status_code": 200, "body": {"choices": [{"message": {"role": "assistant", "content": text}}]}}

    gold = lines("gold.jsonl", [{"id": name, "answers": ["Paris"]} for name in ("q1", "q2", "q3")])
    batch = [{"custom_id": f"q{n}", "response": body(text)} for n, text in ((2, "Lyon"), (1, "Paris"))]
    batch.append({"custom_id": "q3", "response": None, "error": {"code": "expired"}})
    chats = [
        {"id": f"q{n}", "messages": [{"role": "user", "content": "?"}, {"role": "assistant", "content": text}]}
        for n, text in ((1, "Paris"), (2, [{"type": "text", "text": "Paris"}]), (3, "no"))
    ]
    for name, rows, right in (("batch.jsonl", batch, 1), ("chats.jsonl", chats, 2)):
        scores = qassay.score_files(gold, {"m": lines(name, rows)})["m"]
        assert scores.summary(["exact_match"])["exact_match"] == pytest.approx(right / 3)
    assert qassay.score_files(gold, {"m": lines("b.jsonl", batch)})["m"].summary()["missing"] == 1
    batch[1]["response"]["body"] = {"data": []}
    with pytest.raises(ValueError, match="line 2 .*response.body"):
        qassay.score_files(gold, {"m": lines("bad.jsonl", batch)})
