"""The commands on samples/ whose output is frozen, and the numbers of their JSON by system, measure and field."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from _inputs import command

Number = tuple[str, str, str, Any]  # system, measure, field, value

A, K, R, L, V = "samples/answers", "samples/rankings", "samples/rag", "samples/labels", "samples/verdicts"
PAIR = f"{A}/gold.json {A}/small_model.json {A}/large_model.json"
LARGE = f"{A}/gold.json {A}/large_model.json"
RANKINGS = f"{K}/qrels.txt {K}/bm25.run {K}/dense.run"
FACTOID = "samples/factoid/gold.json samples/factoid/careful.json samples/factoid/hasty.json"
PIPELINE = "samples/pipeline/gold.json samples/pipeline/keyword.json samples/pipeline/dense.json"
RAG = f"{R}/questions.jsonl {R}/keyword.jsonl {R}/dense.jsonl"
DESK = f"{L}/desk.csv {L}/desk_rules.csv {L}/desk_tuned.csv"
MEANING_METRICS = "--metric semantic_answer_similarity --metric answer_equivalence"
ANSWER_METRICS = f"--metric answer_match {MEANING_METRICS}"
RAG_METRICS = f"--metric answer_match --metric retrieval_ranking --metric retriever_reader {MEANING_METRICS}"
BOARD = f"{A}/gold.json samples/leaderboard/systems"
RUNS = f"{A}/gold.json {A}/sampled_model.csv --columns run_id=seed"
NO_ANSWER = f"--no-answer-probabilities {A}/large_model_no_answer.json"
LABELLED = f"{LARGE} --labels {A}/large_model_labels.csv"
CHECK = f"{A}/large_model.json --baseline {A}/small_model.json --gold {A}/gold.json"
UNCHECK = f"{A}/small_model.json --baseline {A}/large_model.json --gold {A}/gold.json"

SCORE = {  # name -> arguments of `qassay score`
    "answers": PAIR,
    "answers by language": f"{LARGE} --by language question_word --percent -m f1 -m contains",
    "answers by kind": f"{PAIR} --by error_kind answer_type gold_count -m exact_match",
    "answers, all measures": f"{LARGE} {NO_ANSWER} --measures all",
    "answers, confidences": f"{LARGE} --confidences {A}/large_model_no_answer.json",
    "answers, normaliser": f"{LARGE} --option normalizer=lower+unicode_punctuation+spaces",
    "answers, preset": f"{LARGE} --preset search_r1",
    "answers, no intervals": f"{PAIR} --no-intervals --percent --measures exact_match f1 no_answer_f1",
    "answers, percentile": f"{PAIR} --interval-method percentile --confidence 0.9 --resamples 200 --seed 3 -m f1",
    "answers by article": f"{PAIR} --groups article -m f1 -m exact_match",
    "answers by paragraph": f"{PAIR} --groups paragraph -m f1 -m exact_match",
    "every metric of answers": f"{PAIR} {ANSWER_METRICS} --option model=lite",
    "similarity": f"{LARGE} --metric semantic_answer_similarity --option model=lite thresholds=0.5,0.8 --by language",
    "equivalence": f"{PAIR} --metric answer_equivalence --by error_kind -m equivalence -m accepted",
    "runs": f"{RUNS} -m exact_match -m f1 --pass-at 1,2,4",
    "rankings": RANKINGS,
    "rankings by relevant": f"{RANKINGS} --measures mrr@10 ndcg_cut.5,10 map(rel=2)@100 --by relevant_count missing",
    "rankings, ties": f"{K}/qrels.txt {K}/dense.run --measures map ndcg@10 --option tie_bounds=true",
    "rankings, all": f"{K}/qrels.txt {K}/bm25.run --measures all --no-intervals",
    "sentences": f"{K}/sentences.qa {K}/sentences.scores",
    "sentences, not trivial": f"{K}/sentences.qa {K}/sentences.scores --option skip_trivial=true",
    "factoid by type": f"{FACTOID} --by type",
    "factoid, measures": f"{FACTOID} --measures mrr list_f1 yesno_macro_f1",
    "factoid, phase A": f"{FACTOID} --option phase=A version=8",
    "pipeline": f"{PIPELINE} --metric retriever_reader --by failure --measures retriever_map reader_top1_f1",
    "pipeline, options": f"{PIPELINE} --metric retriever_reader --option denominator=queries unit=token top_k=2",
    "every metric of RAG": f"{RAG} {RAG_METRICS} --option model=lite",
    "RAG, rankings": f"{RAG} --metric retrieval_ranking --measures mrr@3 recall@3",
    "nuggets": f"{V}/keyword_nuggets.jsonl {V}/dense_nuggets.jsonl",
    "claims": f"{V}/dense_claims.json",
    "citations": f"{V}/dense_citations.jsonl",
    "grades": f"{V}/dense_grades.csv --metric claim_support",
    "desk": f"{DESK} --metric label_metrics --by channel",
    "desk, per class": f"{DESK} --metric label_metrics --option per_class=true --no-intervals",
    "articles": f"{L}/articles.jsonl --metric label_metrics --option task=multi",
    "subjects": f"{L}/subjects.jsonl {L}/subjects_words.jsonl {L}/subjects_graph.jsonl --metric label_metrics",
    "spam": f"{L}/spam.csv --metric average_precision",
    "boxes": f"{L}/pages.jsonl {L}/pages_found.jsonl",
}
COMPARE = {
    "answers": f"{PAIR}",
    "answers by language": f"{PAIR} --by language --percent -m f1 -m exact_match",
    "answers by paragraph": f"{PAIR} --groups paragraph -m f1 -m exact_match",
    "answers, bootstrap": f"{PAIR} --test bootstrap --correction benjamini-hochberg --permutations 100 -m f1 -m exact_match",
    "answers, t": f"{PAIR} --test t --correction bonferroni --confidence 0.9 -m f1 -m exact_match",
    "answers, Wilcoxon": f"{PAIR} --test wilcoxon --correction none -m f1 -m exact_match",
    "answers, McNemar": f"{PAIR} --test mcnemar -m exact_match -m contains",
    "answers, percentile": f"{PAIR} --interval-method percentile --resamples 200 --seed 2 -m f1",
    "every metric of RAG": f"{RAG} {RAG_METRICS} --option model=lite",
    "rankings": f"{RANKINGS} --measures ndcg@10 map mrr --by relevant_count",
    "three": f"{A}/gold.json {A}/small_model.json {A}/large_model.json samples/leaderboard/systems/cedar.json "
    "--baseline small_model -m f1 -m exact_match",
    "factoid": FACTOID,
    "pipeline": f"{PIPELINE} --metric retriever_reader",
    "nuggets": f"{V}/keyword_nuggets.jsonl {V}/dense_nuggets.jsonl",
    "desk": f"{DESK} --metric label_metrics",
    "subjects": f"{L}/subjects.jsonl {L}/subjects_words.jsonl {L}/subjects_graph.jsonl --metric label_metrics",
}
LEADERBOARD = {
    "about": f"{BOARD} --about samples/leaderboard/about.yaml",
    "count": f"{BOARD} --questions count -m f1 --groups article --resamples 300 --permutations 200",
    "common": f"{BOARD} --questions common -m exact_match -m f1 --confidence 0.9 --seed 1 --permutations 200",
    "percentile": f"{BOARD} --questions common -m f1 --interval-method percentile --resamples 200 --permutations 200",
    "rankings": f"{RANKINGS} --questions count --measures ndcg@10 map --permutations 200",
    "factoid": f"{FACTOID} --questions count --measures mrr list_f1 --permutations 200",
}
CALIBRATE = {
    "answers": LABELLED,
    "answers, next": f"{LABELLED} -m exact_match -m f1 --next 10",
    "answers by article": f"{LABELLED} --groups article",
    "answers, Rogan and Gladen": f"{LABELLED} -m exact_match --method rogan_gladen",
    "answers, plain": f"{LABELLED} -m f1 --lam 1 --confidence 0.9 --percent",
    "answers, labels alone": f"{LABELLED} -m f1 --lam 0",
    "two systems": f"{PAIR} --labels {A}/large_model_labels.csv --labels {A}/large_model_labels.csv -m f1",
}
AGREEMENT = {
    "all": f"{A}/labelled_answers.csv",
    "answer_match": f"{A}/labelled_answers.csv --metric answer_match --measures exact_match f1 contains",
    "level": f"{A}/labelled_answers.csv --metric answer_match --measures f1 contains --confidence 0.9 --seed 2",
    "right from 1": f"{A}/labelled_answers.csv --metric semantic_answer_similarity --right-from 1 --resamples 200",
}
VERDICT = {
    "better": f"{CHECK} --measure f1=0.01 exact_match=0.02",
    "worse": f"{UNCHECK} --measure f1 --margin 0.05",
    "proof": f"{CHECK} --measure f1 --margin 0 --confidence 0.99",
    "groups": f"{CHECK} --measure f1 exact_match no_answer_f1 --margin 0.03 --groups article",
    "rankings": f"{K}/dense.run --baseline {K}/bm25.run --gold {K}/qrels.txt --measure ndcg@10=0.02 map=0.1 --count-absent",
    "rankings, common": f"{K}/dense.run --baseline {K}/bm25.run --gold {K}/qrels.txt -m ndcg@10=0.02 --common",
    "labels": f"{L}/desk_tuned.csv --baseline {L}/desk_rules.csv --gold {L}/desk.csv --metric label_metrics -m accuracy=0",
}
COMMANDS = {
    f"{verb} {name}": (verb, *arguments.split())
    for verb, table in (
        ("score", SCORE),
        ("compare", COMPARE),
        ("leaderboard", LEADERBOARD),
        ("calibrate", CALIBRATE),
        ("agreement", AGREEMENT),
        ("check", VERDICT),
    )
    for name, arguments in table.items()
}


def json_numbers(name: str) -> dict[str, Any]:
    """The numbers of the JSON of a command, as `by_system` gives them."""
    _, out, _ = command([*COMMANDS[name], "--format", "json"])
    return by_system(json.loads(out))


def by_system(document: Any) -> dict[str, Any]:
    """The numbers of a document of JSON: "system/field" -> a pair of measure and value for each measure, by name."""
    rows: dict[str, dict[str, Any]] = {}
    for system, measure, field, value in _numbers(document):
        for part, number in _fields(field, value):
            found = rows.setdefault(f"{system}/{part}", {})
            if found.setdefault(measure, number) != number:
                raise ValueError(f"{system}/{measure}/{part}: {found[measure]} and {number}")
    return {key: [list(pair) for pair in sorted(found.items())] for key, found in sorted(rows.items())}


def _numbers(document: Mapping[str, Any]) -> Iterator[Number]:
    """Today's shape of the JSON of all commands and reports. If the shape changes, change this and no number.

    The system of a difference is "second − first", and a slice stands behind its system: "large_model, language = de".
    What rests on no system or measure has an empty name.
    """
    if str(document.get("format", "")).startswith("qassay.result/"):
        yield from _of_document(document)
        return
    for field, value in document.items():
        if isinstance(value, (int, float)):
            yield "", "", field, value
    for system, block in document.get("systems", {}).items():
        yield from _of_system(system, block)
    for found in [*document.get("differences", ()), *document.get("verdicts", ()), *document.get("measures", ())]:
        yield from _of_record(found, "")
    for slicing, labels in document.get("slices", {}).items():
        for label, found in labels.items():
            for one in found:
                yield from _of_record(one, f", {slicing} = {label}")
    yield "", "", "next", document.get("next") or []
    yield "", "", "unmatched", document.get("unmatched") or {}


def _of_document(document: Mapping[str, Any]) -> Iterator[Number]:
    """The numbers of a result document (docs/result_document.md), under the names of the other commands."""
    interval, test = document["interval"] or {}, document["test"] or {}
    if document["kind"] == "leaderboard":
        yield "", "", "confidence", interval["confidence"]
        for field in ("n_resamples", "seed"):
            yield "", "", field, interval[field]
        yield "", "", "n", max(len(part["examples"]["ids"]) for part in document["parts"])
    else:
        yield "", "", "scale", document["scale"]
    if test:
        yield "", "", "n_permutations", test["n_permutations"]
    for part in document["parts"]:
        names = [system["name"] for system in document["systems"]]
        for system, cells in {} if document["kind"] == "leaderboard" else part["values"].items():
            yield from _of_cells(system, cells)
            for measure, spread in part["runs"].get(system, {}).items():
                yield system, measure, "runs", spread
        for system, measure in part["right_by"].items():
            yield system, "", "right_by", measure
        for system in names:
            yield system, "", "notes", part["notes"].get(system, {})
        for system, counts in (
            (part["kinds"] or {"counts": {}})["counts"].items() if document["kind"] == "compare" else ()
        ):
            yield system, part["metric"], "kind", counts
        for one in part["comparisons"]:
            yield from _of_record(_difference(one), "")
        for ranking in part["ranks"]:
            yield from _of_ranking(_ranking(ranking), "")
        if document["kind"] == "leaderboard":
            yield "", "", "unmatched", {name: part["unmatched"].get(name, 0) for name in names}
        for slicing in part["slices"]:
            if slicing["requested"]:
                yield from _of_slicing(slicing, document["kind"])


def _of_slicing(slicing: Mapping[str, Any], kind: str) -> Iterator[Number]:
    for place, label in enumerate(slicing["labels"]):
        part = f", {slicing['name']} = {label}"
        for system, cells in slicing["values"][place].items() if kind == "score" else ():
            yield from _of_cells(f"{system}{part}", cells)
        for one in slicing["comparisons"][place]:
            yield from _of_record(_difference(one), part)
        for ranking in slicing["ranks"][place]:
            yield from _of_ranking(_ranking(ranking), part)


def _of_cells(system: str, cells: Mapping[str, Mapping[str, Any]]) -> Iterator[Number]:
    for measure, cell in cells.items():
        yield system, measure, "values", cell["value"]
        if cell["method"]:
            yield system, measure, "intervals", [cell["low"], cell["high"]]
        yield system, measure, "counts", cell["n"]
        yield system, measure, "group_counts", cell.get("n_groups")


def _difference(one: Mapping[str, Any]) -> dict[str, Any]:
    """A comparison with its interval as a pair."""
    found = {name: value for name, value in one.items() if name not in ("low", "high", "test", "method")}
    return {**found, "interval": [one["low"], one["high"]], "test": one["test"]}


def _ranking(ranking: Mapping[str, Any]) -> dict[str, Any]:
    """A ranking under the names of `Ranking`."""
    rows = [
        {
            **{name: value for name, value in row.items() if name not in ("low", "high", "method")},
            "interval": [row["low"], row["high"]],
        }
        for row in ranking["systems"]
    ]
    return {**ranking, "systems": rows}


_TEXTS = ("few", "interval_method", "methods")  # the tables have them


def _of_system(system: str, block: Mapping[str, Any]) -> Iterator[Number]:
    """A block of values, intervals, counts, methods, runs and notes of a system."""
    by_measure = ("values", "intervals", "counts", "group_counts", "means", "runs")
    for field, value in block.items():
        if field in by_measure:
            for measure, number in value.items():
                yield system, measure, field, number
        elif field not in ("name", "link", "facts", "texts", "method", *_TEXTS):
            yield system, "", field, value


def _of_record(found: Mapping[str, Any], part: str) -> Iterator[Number]:
    """A difference, a verdict, a calibrated or an agreeing measure: its fields; `part` is the slice of it."""
    named = (
        "measure",
        "first",
        "second",
        "system",
        "difference",
        "metric",
        "signature",
        "cautions",
        "remarks",
        *_TEXTS,
    )
    difference = found.get("difference")
    inner = difference if isinstance(difference, Mapping) else found
    system = f"{_pair(inner) or found.get('system') or ''}{part}"
    for field, value in found.items():
        of_interval = field == "method" and "interval_method" not in found  # a calibration has a method too
        if field not in named and not of_interval and not (field == "losses" and isinstance(value, list)):
            yield system, found["measure"], field, value
    if isinstance(difference, Mapping):
        for _, _, field, value in _of_record(difference, part):
            yield system, found["measure"], f"difference {field}", value
    elif difference is not None:
        yield system, found["measure"], "difference", difference
    for loss in found["losses"] if "margin" in found else ():
        yield system, found["measure"], f"loss {loss['id']}", loss["change"]


def _of_ranking(ranking: Mapping[str, Any], part: str) -> Iterator[Number]:
    """The rank, value, interval, letters ... of each system, and the p-values of pairs."""
    measure = ranking["measure"]
    for field, value in ranking.items():
        if field not in ("measure", "systems", "p_values", "cautions"):
            yield part.lstrip(", "), measure, field, value
    names = [row["system"] for row in ranking["systems"]]
    for row, values in zip(ranking["systems"], ranking["p_values"], strict=True):
        for field, value in row.items():
            if field not in ("system", "method", *_TEXTS):
                yield f"{row['system']}{part}", measure, field, value
        yield f"{row['system']}{part}", measure, "p", dict(zip(names, values, strict=True))


def _pair(found: Mapping[str, Any]) -> str:
    """The two systems of a difference; "" if there are not two."""
    return f"{found['second']} − {found['first']}" if found.get("first") and found.get("second") else ""


def _fields(field: str, value: Any) -> Iterator[tuple[str, Any]]:
    """A field, and the fields of a field that has several; lists of numbers stay whole. Flags are no numbers."""
    if isinstance(value, Mapping):
        for name, part in value.items():
            yield from _fields(f"{field} {name}", part)
    elif value is not None and value != [] and not isinstance(value, bool):
        yield field, value
