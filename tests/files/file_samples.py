"""Small files of every kind that the command line reads, each with a call that scores it."""

import csv
import dataclasses
import io
import json
from pathlib import Path

from ..harness_logs import inspect_archive, inspect_log, lm_eval_lines

SAMPLES = Path(__file__).resolve().parents[2] / "samples"


@dataclasses.dataclass(frozen=True)
class Sample:
    """Files and the call that reads them.

    Attributes:
        files: name -> bytes, the gold file first.
        options: further arguments of the command line.
        probabilities: the last file is passed with --no-answer-probabilities.
    """

    files: dict[str, bytes]
    options: tuple[str, ...] = ()
    probabilities: bool = False

    def arguments(self, folder: Path, command: str = "score") -> list[str]:
        """The arguments of the command line, with the files in a folder."""
        paths = [str(folder / name) for name in self.files]
        doubts = ["--no-answer-probabilities", paths.pop()] if self.probabilities else []
        if command == "compare":
            return [command, *paths, "--permutations", "50", "--resamples", "20", *doubts, *self.options]
        return [command, *paths, "--no-intervals", "--format", "json", *doubts, *self.options]


def samples() -> dict[str, Sample]:
    """Name -> sample: the folder samples, and small samples of further kinds."""
    found = {
        "squad": _of_folder("answers", "gold.json", "small_model.json", "large_model.json"),
        "probabilities": _of_folder("answers", "gold.json", "large_model.json", "large_model_no_answer.json"),
        "trec": _of_folder("rankings", "qrels.txt", "bm25.run", "dense.run"),
        "nlpcc": _of_folder("rankings", "sentences.qa", "sentences.scores"),
        "bioasq": _of_folder("factoid", "gold.json", "careful.json", "hasty.json"),
        "pipeline": _of_folder(
            "pipeline", "gold.json", "keyword.json", "dense.json", options=["--metric", "retriever_reader"]
        ),
        "labels": _of_folder(
            "labels", "desk.csv", "desk_rules.csv", "desk_tuned.csv", options=["--metric", "label_metrics"]
        ),
        "label_lists": _of_folder(
            "labels", "articles.jsonl", options=["--metric", "label_metrics", "--option", "task=multi"]
        ),
        "scores": _of_folder("labels", "spam.csv", options=["--metric", "average_precision"]),
        "boxes": _of_folder("labels", "pages.jsonl", "pages_found.jsonl"),
        "nuggets": _of_folder("verdicts", "keyword_nuggets.jsonl", "dense_nuggets.jsonl"),
        "claims": _of_folder("verdicts", "dense_claims.json"),
        "citations": _of_folder("verdicts", "dense_citations.jsonl"),
        "grades": _of_folder("verdicts", "dense_grades.csv", options=["--metric", "claim_support"]),
    }
    found["probabilities"] = dataclasses.replace(found["probabilities"], probabilities=True)
    return {**found, **_answers(), **_logs(), **_rankings(), **_labels()}


def _of_folder(folder: str, *names: str, options: list[str] | tuple = ()) -> Sample:
    return Sample({name: (SAMPLES / folder / name).read_bytes() for name in names}, tuple(options))


def _answers() -> dict[str, Sample]:
    golds = {"q1": ["Paris", "in Paris"], "q2": [], "q3": ["the"], "q4": ["é"]}
    answers = {"q1": "in Paris", "q2": "", "q3": "a", "q4": "e"}
    rows = [
        {"id": key, "question": f"Who is {key}?", "prediction": answers[key], "references": gold, "language": "fr"}
        for key, gold in golds.items()
    ]
    hotpot = [
        {
            "_id": key,
            "question": "Who?",
            "answer": (gold or ["yes"])[0],
            "supporting_facts": [[key, 0], ["B", 2]],
            "type": "bridge",
        }
        for key, gold in golds.items()
    ]
    number = {"number": "3", "date": {"day": "", "month": "", "year": ""}, "spans": []}
    spans = {"number": "", "date": {}, "spans": ["red", "blue"]}
    drop = {
        "p1": {
            "passage": "Text.",
            "qa_pairs": [
                {"query_id": "q1", "question": "How many?", "answer": number, "validated_answers": [spans]},
                {"query_id": "q2", "question": "Which?", "answer": spans, "validated_answers": []},
            ],
        }
    }
    cells = io.StringIO()
    csv.writer(cells).writerows([["id", "prediction", "references"]])
    csv.writer(cells).writerows([row["id"], row["prediction"], json.dumps(row["references"])] for row in rows)
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    pipeline = [
        {
            "id": key,
            "question": "Who?",
            "retrieved_ids": ["d1", key],
            "gold_ids": ["d1"],
            "answer": answers[key],
            "gold_answers": gold,
        }
        for key, gold in golds.items()
    ]
    strings = [{"id": key, "prediction": answers[key], "gold": (gold or ["x"])[0]} for key, gold in golds.items()]
    return {
        "rag": Sample(
            {"rag.jsonl": _lines(pipeline)},
            ("--metric", "answer_match", "--metric", "retrieval_ranking", "--metric", "retriever_reader"),
        ),
        "plain_strings": Sample({"strings.jsonl": _lines(strings)}),
        "answers_by_id": Sample({"gold.json": _json(golds), "model.json": _json(answers)}),
        "ranked_answers": Sample(
            {"gold.json": _json(golds), "model.json": _json({key: [text, "x"] for key, text in answers.items()})},
            ("--option", "top_k=2"),
        ),
        "answer_lists": Sample({"gold.json": _json(list(golds.values())), "model.json": _json(list(answers.values()))}),
        "answer_rows": Sample({"rows.json": _json(rows)}),
        "answer_lines": Sample({"rows.jsonl": _lines(rows)}),
        "answer_columns": Sample({"columns.json": _json(columns)}),
        "answer_csv": Sample({"rows.csv": cells.getvalue().encode()}),
        "answer_tsv": Sample({"rows.tsv": b"id\tprediction\tgold\nq1\tin Paris\tParis\nq2\tb\tc\nq3\td\td\n"}),
        "answer_parquet": Sample({"rows.parquet": _parquet(rows)}),
        "hotpotqa": Sample(
            {
                "gold.json": _json(hotpot),
                "model.json": _json({"answer": answers, "sp": {key: [[key, 0]] for key in golds}}),
            }
        ),
        "drop": Sample({"gold.json": _json(drop), "model.json": _json({"q1": "3", "q2": ["red", "blue"]})}),
    }


def _logs() -> dict[str, Sample]:
    one, other = ["Paris", "the Nile", "K2", "Pacific"], ["Paris", "Nile", "Everest", ""]
    filters = lm_eval_lines({"strict": one, "flexible": other})
    epochs = ("--columns", "run_id=epoch")
    return {
        "lm_eval": Sample({"a.jsonl": lm_eval_lines({"none": one}), "b.jsonl": lm_eval_lines({"none": other})}),
        "lm_eval_filters": Sample({"log.jsonl": filters}, ("--columns", "predictions=prediction_strict")),
        "inspect": Sample({"a.json": _json(inspect_log([one])), "b.json": _json(inspect_log([other]))}),
        "inspect_epochs": Sample({"log.json": _json(inspect_log([one, other]))}, epochs),
        "inspect_eval": Sample({"log.eval": inspect_archive(inspect_log([one]))}),
    }


def _rankings() -> dict[str, Sample]:
    judged = {"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 2}, "q3": {"d3": 1}}
    run = {"q1": {"d2": 2.5, "d1": 1.25}, "q2": {"d1": 0.5, "d9": 0.25}, "q3": {"d3": 1.0}}
    qrels_rows = [{"query": q, "document": d, "relevance": n} for q, of in judged.items() for d, n in of.items()]
    run_rows = [{"query": q, "document": d, "score": n} for q, of in run.items() for d, n in of.items()]
    qrels_csv = "query-id,corpus-id,score\n" + "".join(
        "{query},{document},{relevance}\n".format(**r) for r in qrels_rows
    )
    lists = ("--metric", "retrieval_ranking")
    return {
        "ranking_json": Sample({"qrels.json": _json(judged), "run.json": _json(run)}),
        "ranking_lists": Sample(
            {
                "qrels.json": _json({key: list(of) for key, of in judged.items()}),
                "run.json": _json({key: list(of) for key, of in run.items()}),
            },
            lists,
        ),
        "mteb": Sample(
            {"qrels.json": _json(judged), "run.json": _json({"mteb_model_meta": {"name": "m"}, "en": {"test": run}})}
        ),
        "ranking_csv": Sample({"qrels.csv": qrels_csv.encode(), "run.jsonl": _lines(run_rows)}),
        "ranking_parquet": Sample({"qrels.parquet": _parquet(qrels_rows), "run.parquet": _parquet(run_rows)}),
    }


def _labels() -> dict[str, Sample]:
    rows = [
        {"id": number, "label": ["a", "b"][number % 2], "prediction": "ab"[number % 3 == 1], "weight": 1.0 + number}
        for number in range(6)
    ]
    lists = [{"id": str(number), "labels": ["a", "b"][: number % 3], "prediction": ["b"]} for number in range(6)]
    scored = [{"id": number, "label": number % 2, "score": number / 7} for number in range(6)]
    return {
        "label_parquet": Sample({"rows.parquet": _parquet(rows)}, ("--metric", "label_metrics")),
        "label_rows": Sample({"rows.json": _json(lists)}, ("--metric", "label_metrics", "--option", "task=multi")),
        "label_cells": Sample(
            {"rows.csv": b"id,label,prediction\n1,a;b,a\n2,b,b;c\n3,,a\n"},
            ("--metric", "label_metrics", "--columns", "separator=;", "--option", "task=multi"),
        ),
        "score_parquet": Sample({"rows.parquet": _parquet(scored)}, ("--metric", "average_precision")),
        "score_lines": Sample({"rows.jsonl": _lines(scored)}, ("--metric", "average_precision")),
        "class_scores": Sample(
            {"rows.csv": b'id,label,score\n1,a,"{""a"": 0.5, ""b"": 0.25}"\n2,b,"{""a"": 0.5, ""b"": 0.75}"\n'},
            ("--metric", "average_precision"),
        ),
    }


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


def _lines(rows: list[dict]) -> bytes:
    return b"".join(_json(row) + b"\n" for row in rows)


def _parquet(rows: list[dict]) -> bytes:
    import pyarrow as pa
    from pyarrow import parquet

    data = io.BytesIO()
    parquet.write_table(pa.Table.from_pylist(rows), data)
    return data.getvalue()
