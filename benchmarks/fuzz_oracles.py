"""Plain definitions of the measures of a call: loops over Python values, one question at a time.

They share no code with the package, except the similarity of a single row. They know a few options of each family; other
options are omitted from the call.
"""

import functools
import math
import re
import string
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from call_cases import Call

import qassay

Values = dict[str, float]
_WORDS_LEFT_OUT = re.compile(r"\b(a|an|the)\b")
# Family -> known options with their known values; () for all values.
_KNOWN: dict[str, dict[str, tuple]] = {
    "answer_equivalence": {"model": (), "missing": (), "use_questions": (True,)},
    "answer_match": {"empty_gold": ("drop", "keep"), "missing": (), "normalizer": ("squad",)},
    "claim_support": {"task": (), "unjudged": ("skip", "zero"), "empty": (), "missing": ()},
    "semantic_answer_similarity": {"model": (), "missing": (), "batch_size": ()},
    "factoid_accuracy": {"missing": (), "duplicates": (), "top_k": (1, 5)},
    "label_metrics": {"task": ("multi",), "per_class": ()},
    "average_precision": {"pos_label": (), "ties": ("grouped",)},
    "retrieval_ranking": {"missing": (), "ties": ("trec",)},
    "retriever_reader": {"missing": (), "denominator": ("queries",)},
}


def usual(call: Call) -> tuple[Call, Values] | None:
    """The call with only the known options, and the expected measures; None for other columns."""
    known = _KNOWN[call.family]
    options = {
        name: value
        for name, value in call.options.items()
        if name in known and (not known[name] or any(value is one or value == one for one in known[name]))
    }
    if call.family == "retrieval_ranking":
        options["measures"] = list(plain_values([], {"d": 1}, 3))
    plain = Call(call.family, call.columns, options)
    values = _ORACLES[call.family](plain)
    return None if values is None else (plain, values)


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _means(rows: Iterable[Mapping[str, float]], weights: Sequence[float] | None) -> Values:
    """The mean of each value over the rows that have it; absent where these have no weight."""
    rows = list(rows)
    weights = [1.0] * len(rows) if weights is None else weights
    sums, totals = Counter(), Counter()
    for row, weight in zip(rows, weights, strict=True):
        for name, value in row.items():
            sums[name] += weight * value
            totals[name] += weight
    return {name: sums[name] / total for name, total in totals.items() if total}


def _f1(predicted: Counter, gold: Counter) -> float:
    """F1 of two bags; 1 for two empty bags."""
    if not predicted or not gold:
        return float(predicted == gold)
    shared = sum((predicted & gold).values())
    precision, recall = shared / sum(predicted.values()), shared / sum(gold.values())
    return _share(2 * precision * recall, precision + recall)


# --- answers ----------------------------------------------------------------------------------------------------------


def squad_text(text: str) -> str:
    """A text normalised as in SQuAD: lower case, no ASCII punctuation, no articles, single spaces."""
    kept = "".join(sign for sign in text.lower() if sign not in string.punctuation)
    return " ".join(_WORDS_LEFT_OUT.sub(" ", kept).split())


def _answers(call: Call) -> Values | None:
    answers, references = call.columns["predictions"], call.columns["references"]
    if {"preset", "top_k"} & call.options.keys() or not _are_texts(answers, *references):
        return None
    rows = []
    for answer, golds in zip(answers, references, strict=True):
        words, texts = squad_text(answer), [squad_text(gold) for gold in golds]
        texts = [text for text in texts if text or call.options.get("empty_gold") == "keep"] or [""]
        best = max(_f1(Counter(words.split()), Counter(text.split())) for text in texts)
        rows.append({"exact_match": float(words in texts), "f1": best})
    return _means(rows, call.columns.get("weights"))


def _are_texts(*columns: Iterable) -> bool:
    return all(isinstance(text, str) for column in columns for text in column)


def _similarity(call: Call) -> Values | None:
    """The best similarity of the gold answers, each scored alone, because other rows must not change it."""
    answers, references = call.columns["predictions"], call.columns["references"]
    if not _are_texts(answers):
        return None
    rows = [max(_alone(one, gold) for gold in golds or [""]) for one, golds in zip(answers, references, strict=True)]
    return _means([{"sas": best} for best in rows], call.columns.get("weights"))


@functools.cache  # calls have few texts
def _alone(answer: str, gold: str) -> float:
    return qassay.score("semantic_answer_similarity", [answer], [[gold]], model="lite").summary(["sas"])["sas"]


def _equivalence(call: Call) -> Values | None:
    """Each row scored alone."""
    answers, references = call.columns["predictions"], call.columns["references"]
    questions = call.columns.get("questions") or [None] * len(answers)
    if not _are_texts(answers):
        return None
    rows = [_accepted(*row) for row in zip(answers, map(tuple, references), questions, strict=True)]
    return _means([{"equivalence": value} for value in rows], call.columns.get("weights"))


@functools.cache
def _accepted(answer: str, golds: tuple[str, ...], question: str | None) -> float:
    asked = {} if question is None else {"questions": [question]}
    return qassay.score("answer_equivalence", [answer], [list(golds)], **asked).summary(["equivalence"])["equivalence"]


# --- entities ---------------------------------------------------------------------------------------------------------


def paired_off(items: list[list[str]], gold: list[list[str]]) -> tuple[float, float]:
    """Precision and recall of a list, by the literal rule: one search after the other."""
    left, pool, hits, lost = list(map(set, gold)), list(map(set, items)), 0, 0
    for item in items:
        place = next((place for place, names in enumerate(left) if names & set(item)), None)
        if place is not None:
            hits += 1
            del left[place]
    for entity in left:
        place = next((place for place, names in enumerate(pool) if names & entity), None)
        if place is None:
            lost += 1
        else:
            del pool[place]
    return _share(hits, len(items)), _share(hits, hits + lost) if hits else 0.0


def _entities(call: Call) -> Values | None:
    if "question_types" not in call.columns:  # documents
        return None
    rows = []
    columns = (call.columns[name] for name in ("predictions", "references", "question_types"))
    for answer, gold, kind in zip(*columns, strict=True):
        if kind == "yesno":
            rows.append({"yesno_accuracy": float(answer == gold)})
            continue
        items = [[name.lower() for name in ([item] if isinstance(item, str) else item)] for item in answer]
        if kind == "list":  # the first name of an item counts
            lowered = [[name.lower() for name in names] for names in gold]
            precision, recall = paired_off([item[:1] for item in items], lowered)
            f1 = _share(2 * precision * recall, precision + recall)
            rows.append({"list_precision": precision, "list_recall": recall, "list_f1": f1})
            continue
        names = {name.lower() for name in gold}
        top = items[: call.options.get("top_k", 5)]
        rank = next((rank for rank, item in enumerate(top, 1) if names & set(item)), None)
        row = {"strict_accuracy": float(rank == 1), "lenient_accuracy": float(rank is not None)}
        rows.append({**row, "mrr": 1 / rank if rank else 0.0})
    return _means(rows, call.columns.get("weights"))


# --- labels and scores ------------------------------------------------------------------------------------------------


def _labels(call: Call) -> Values | None:
    task = call.options.get("task", "single")
    golds, found = call.columns["references"], call.columns["predictions"]
    if task == "single" and any(isinstance(row, (list, dict, set)) for row in golds):  # rankings
        return None
    weights = call.columns.get("weights") or [1.0] * len(golds)
    pairs = [({a}, {b}) if task == "single" else (set(a), set(b)) for a, b in zip(found, golds, strict=True)]
    classes = {label for pair in pairs for side in pair for label in side}
    hits, said, true = ({label: 0.0 for label in classes} for _ in range(3))
    for (answer, gold), weight in zip(pairs, weights, strict=True):
        for label in classes:
            hits[label] += weight * (label in answer and label in gold)
            said[label] += weight * (label in answer)
            true[label] += weight * (label in gold)
    values = {
        "accuracy" if task == "single" else "exact_match": _share(
            sum(weight for (answer, gold), weight in zip(pairs, weights, strict=True) if answer == gold), sum(weights)
        )
    }
    for name, part, whole in (
        ("precision", hits, said),
        ("recall", hits, true),
        ("f1", {x: 2 * hits[x] for x in classes}, {x: said[x] + true[x] for x in classes}),
    ):
        values[f"macro_{name}"] = _share(sum(_share(part[x], whole[x]) for x in classes), len(classes))
        values[f"micro_{name}"] = _share(sum(part.values()), sum(whole.values()))
        weighted = sum(true[x] * _share(part[x], whole[x]) for x in classes)
        values[f"weighted_{name}"] = _share(weighted, sum(true.values()))
    return values


def _curves(call: Call) -> Values | None:
    scores, golds = call.columns["predictions"], call.columns["references"]
    if not isinstance(scores[0], (int, float)):
        return None
    positive = call.options.get("pos_label", True)
    weights = call.columns.get("weights") or [1.0] * len(golds)
    rows = list(zip(scores, golds, weights, strict=True))
    total, before, area = sum(weight for _, gold, weight in rows if gold == positive), 0.0, 0.0
    for threshold in sorted(set(scores), reverse=True):
        above = [(gold == positive, weight) for score, gold, weight in rows if score >= threshold]
        right = sum(weight for hit, weight in above if hit)
        area += _share(right, sum(weight for _, weight in above)) * _share(right - before, total)
        before = right
    return {"average_precision": area}


# --- rankings ---------------------------------------------------------------------------------------------------------


def _ranking(call: Call) -> Values | None:
    run, qrels = call.columns["predictions"], call.columns["references"]
    if not isinstance(run, Mapping) or "query" in run:
        return None
    rows = []
    for query, judged in qrels.items():
        by_id = sorted(run[query], reverse=True)
        rows.append(plain_values(sorted(by_id, key=run[query].get, reverse=True), judged, 3))
    return {name: math.fsum(row[name] for row in rows) / len(rows) for name in rows[0] if not name.startswith("num_")}


def plain_values(ranked, judged, k):
    """Every measure of one ranking by its textbook definition, with cut-off k."""
    grades = [judged.get(document) for document in ranked]
    hits = [grade is not None and grade >= 1 for grade in grades]
    relevant, n = sum(grade >= 1 for grade in judged.values()), len(ranked)
    found, found_k = sum(hits), sum(hits[:k])
    places = [rank for rank, hit in enumerate(hits, 1) if hit]
    precisions = [number / rank for number, rank in enumerate(places, 1)]
    sums = {
        "": math.fsum(precisions),
        f"@{k}": math.fsum(p for p, rank in zip(precisions, places, strict=True) if rank <= k),
    }

    def share(a, b):
        return a / b if b else 0.0

    def dcg(levels, gain):
        return math.fsum(gain(max(level or 0, 0)) / math.log2(rank + 1) for rank, level in enumerate(levels, 1))

    values = {}
    for cut, top, hits_of in (("", n, found), (f"@{k}", k, found_k)):
        values[f"mrr{cut}"] = next((1 / rank for rank in places if rank <= top), 0.0)
        values[f"map{cut}"] = share(sums[cut], relevant)
        values[f"map(denominator=num_retrieved_relevant){cut}"] = share(sums[cut], hits_of)
        values[f"map(denominator=min_mn){cut}"] = share(sums[cut], min(relevant, n, top))
        values[f"map(denominator=min_k_relevant){cut}"] = share(sums[cut], min(relevant, k) if cut else relevant)
        values[f"map(denominator=fixed:10){cut}"] = sums[cut] / 10
        values[f"recall{cut}"] = share(hits_of, relevant)
        values[f"rbp(p=0.7){cut}"] = math.fsum(0.3 * 0.7 ** (rank - 1) for rank in places if rank <= top)
        for name, gain in (("linear", float), ("exp2", lambda level: 2.0**level - 1)):
            ideal = sorted(judged.values(), reverse=True)[: k if cut else None]
            values[f"dcg(gain={name}){cut}"] = dcg(grades[:top], gain)
            values[f"ndcg(gain={name}){cut}"] = share(dcg(grades[:top], gain), dcg(ideal, gain))
        reading, err = 1.0, 0.0
        for rank, level in enumerate(grades[:top], 1):
            stop = (2 ** max(level or 0, 0) - 1) / 2**4
            err += reading * stop / rank
            reading *= 1 - stop
        values[f"err{cut}"] = err
    values[f"p@{k}"] = found_k / k
    values[f"hit_rate@{k}"] = float(found_k > 0)
    values[f"f1@{k}"] = share(2 * values[f"p@{k}"] * values[f"recall@{k}"], values[f"p@{k}"] + values[f"recall@{k}"])
    values["rprec"] = share(sum(hits[:relevant]), relevant)
    values[f"relative_p@{k}"] = share(found_k, min(k, relevant))
    unjudged = [grade is None or grade < 0 for grade in grades]
    values[f"judged@{k}"] = share(sum(not u for u in unjudged[:k]), min(k, n))
    values[f"unjudged@{k}"] = sum(unjudged[:k]) / k
    residual = 0.7**n + math.fsum(0.3 * 0.7 ** (rank - 1) for rank, u in enumerate(unjudged, 1) if u)
    values["rbp_resid(p=0.7)"] = (
        residual if any(unjudged) else 0.0
    )  # as in trec_eval: no residual if all documents are judged
    nonrelevant = sum(0 <= grade < 1 for grade in judged.values())
    bpref = 0.0
    for rank in places:
        above = sum(grade is not None and 0 <= grade < 1 for grade in grades[: rank - 1])
        bpref += 1 - min(above, relevant) / min(nonrelevant, relevant) if above else 1
    values["bpref"] = share(bpref, relevant)
    interpolated = []
    for recall in [0, 0.05, *(tenth / 10 for tenth in range(1, 11))]:
        least = max(math.floor(recall * relevant + 0.5), 1)
        values[f"iprec@{recall:g}"] = max(precisions[least - 1 :], default=0.0)
        interpolated.append(values[f"iprec@{recall:g}"])
    values["11pt_avg"] = math.fsum([interpolated[0], *interpolated[2:]]) / 11
    values["set_p"], values["set_recall"] = share(found, n), share(found, relevant)
    values["set_f"] = share(2 * found, n + relevant)
    values["set_map"] = share(found * found, n * relevant)
    values["set_relative_p"] = share(found, min(n, relevant))
    values["utility"] = found - (n - found)
    values |= {"num_ret": n, "num_rel": relevant, "num_rel_ret": found}
    values["num_nonrel_judged_ret"] = sum(grade is not None and 0 <= grade < 1 for grade in grades)
    return values


# --- pipelines --------------------------------------------------------------------------------------------------------


def _pipeline(call: Call) -> Values | None:
    rows = []
    for found, gold in zip(call.columns["predictions"], call.columns["references"], strict=True):
        places = [rank for rank, one in enumerate(found["documents"], 1) if one in gold["documents"]]
        precisions = [number / rank for number, rank in enumerate(places, 1)]
        rows.append(
            {
                "retriever_recall": float(bool(places)),
                "retriever_mrr": 1 / places[0] if places else 0.0,
                "retriever_map": _share(sum(precisions), len(gold["documents"])),
            }
        )
    return _means(rows, call.columns.get("weights"))


# --- verdicts ---------------------------------------------------------------------------------------------------------

_YES = ("entailment", "yes", "true", "1", "support", "correct", "a")
_HALF = ("partial_support", "0.5")
_NONE = ("none", "failed")


def _known(verdict: Any, as_no: bool) -> float | None:
    """A verdict as a number; None if it is missing and does not count as no."""
    word = str(int(verdict) if verdict in (0, 1) else verdict).lower()
    if word in _NONE:
        return 0.0 if as_no else None
    return 1.0 if word in _YES else 0.5 if word in _HALF else 0.0


def _any(verdicts: Iterable[float | None]) -> float | None:
    listed = list(verdicts)
    return 1.0 if 1.0 in listed else None if None in listed else 0.0


def _of_known(values: Iterable[float | None], empty: float | None) -> float | None:
    """The mean of the known values; None if none is known, `empty` without values."""
    listed = list(values)
    known = [value for value in listed if value is not None]
    return sum(known) / len(known) if known else None if listed else empty


def _verdicts(call: Call) -> Values | None:
    score = {"nuggets": _nuggets, "claims": _claims, "citations": _citations, "grades": _grades}[call.options["task"]]
    as_no, policy = call.options.get("unjudged") == "zero", call.options.get("empty", "official")
    rows = zip(call.columns["predictions"], call.columns["references"], strict=True)
    values = [score(verdicts, gold, as_no, policy) for verdicts, gold in rows]
    known = [{name: value for name, value in row.items() if value is not None} for row in values]
    return _means(known, call.columns.get("weights"))


def _nuggets(verdicts: Any, gold: Any, as_no: bool, policy: str) -> dict[str, float | None]:
    pairs = [(importance.lower() == "vital", _known(verdict, as_no)) for verdict, importance in zip(verdicts, gold)]
    empty = None if policy == "skip" else 0.0
    strict = [(vital, None if value is None else float(value == 1)) for vital, value in pairs]
    found = {}
    for name, of in (("strict_", strict), ("", pairs)):
        found[f"{name}vital_score"] = _of_known([value for vital, value in of if vital], empty)
        found[f"{name}all_score"] = _of_known([value for _, value in of], empty)
        found[f"{name}weighted_score"] = _of_known([value for vital, value in of for _ in range(1 + vital)], empty)
    return found


def _claims(verdicts: Any, gold: Any, as_no: bool, policy: str) -> dict[str, float | None]:
    empty = None if policy == "skip" else 0.0

    def column(name: str) -> list[float | None] | None:
        return None if name not in verdicts else [_known(verdict, as_no) for verdict in verdicts[name]]

    def by_documents(name: str) -> list[float | None] | None:
        if name not in verdicts:
            return None
        return [_any(_known(verdict, as_no) for verdict in row) for row in verdicts[name] if row]

    columns = {"precision": column("answer2response"), "recall": column("response2answer")}
    columns |= {"claim_recall": by_documents("retrieved2answer"), "faithfulness": by_documents("retrieved2response")}
    return {name: _of_known(values, empty) for name, values in columns.items() if values is not None}


def _citations(verdicts: Any, gold: Any, as_no: bool, policy: str) -> dict[str, float | None]:
    supported: list[float | None] = []
    counted: list[float | None] = []
    for statement in verdicts:
        cited = statement["citations"]
        whole = _known(statement["entailed"], as_no) if cited else 0.0
        supported.append(whole)
        for alone, without in zip(statement["alone"], statement["without"], strict=True):
            needed = _any((_known(alone, False), {0.0: 1.0, 1.0: 0.0, None: None}[_known(without, False)]))
            counts = whole if whole != 1 or len(cited) == 1 else needed
            counted.append(0.0 if counts is None and as_no else counts)
    nothing = {"official": 0.0 if verdicts else None, "zero": 0.0, "skip": None}[policy]
    return {"citation_recall": _of_known(supported, nothing), "citation_precision": _of_known(counted, nothing)}


def _grades(verdict: Any, gold: Any, as_no: bool, policy: str) -> dict[str, float | None]:
    is_right, missing = _known(verdict, False), verdict is None
    withheld = str(verdict).lower() in ("c", "not_attempted", "not attempted") or missing
    if missing and not as_no:
        return {}
    shares = {"correct": is_right or 0.0, "not_attempted": float(withheld)}
    return {
        **shares,
        "incorrect": 1 - sum(shares.values()),
        **({} if withheld else {"accuracy_given_attempted": is_right}),
    }


_ORACLES: dict[str, Callable[[Call], Any]] = {
    "answer_equivalence": _equivalence,
    "answer_match": _answers,
    "claim_support": _verdicts,
    "semantic_answer_similarity": _similarity,
    "factoid_accuracy": _entities,
    "label_metrics": _labels,
    "average_precision": _curves,
    "retrieval_ranking": _ranking,
    "retriever_reader": _pipeline,
}
