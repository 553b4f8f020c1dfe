"""Golden numbers of presets with special rules, from the official programs."""

import argparse
import io
import json
import tempfile
from contextlib import redirect_stdout
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from preset_goldens import Golden
from preset_rows import Columns

from qassay.core.mkqa_text import MKQA_LANGUAGES


def _coqa(program: ModuleType, columns: Columns) -> Any:
    pairs = zip(columns["predictions"], columns["references"], strict=True)
    found = [program.CoQAEvaluator._compute_turn_score(golds, answer) for answer, golds in pairs]
    return {name: [row[key] for row in found] for name, key in (("exact_match", "em"), ("f1", "f1"))}, {}


def _quac(program: ModuleType, columns: Columns) -> Any:
    details, dialogs, given, people = columns["gold_details"], {}, {}, []
    for row, gold in enumerate(columns["references"]):
        question = {"id": gold["id"], "answers": [{"text": text} for text in gold["answers"]]}
        question |= {name: details[name][row] for name in ("yesno", "followup")}
        dialogs.setdefault(gold["id"].partition("_q#")[0], []).append(question)
        people.append(program.leave_one_out(program.handle_cannot(gold["answers"])))
    there = [
        (row, answer) for row, answer in enumerate(columns["predictions"]) if answer["prediction_text"] is not None
    ]
    for row, answer in there:
        own = [columns["predicted_details"][name][row] for name in ("yesno", "followup")]
        given.setdefault(answer["id"].partition("_q#")[0], {})[answer["id"]] = (answer["prediction_text"], *own)
    program.args = argparse.Namespace(min_f1=0.4)
    data = [{"paragraphs": [{"id": name, "context": "", "qas": rows}]} for name, rows in dialogs.items()]
    with redirect_stdout(io.StringIO()):
        found = program.eval_fn(data, given, False)
    texts = {answer["id"]: answer["prediction_text"] for _, answer in there}
    f1 = [
        program.leave_one_out_max(texts[gold["id"]], program.handle_cannot(gold["answers"]), "")
        if gold["id"] in texts
        else 0.0
        for gold in columns["references"]
    ]
    names = {
        "f1": "f1", "unfiltered_f1": "unfiltered_f1", "heq_q": "HEQ", "heq_d": "DHEQ", "yesno_accuracy": "yes/no",
        "followup_accuracy": "followup", "unanswerable_f1": "unanswerable_acc",
    }  # fmt: skip
    totals = {name: (found[key], 100.0) for name, key in names.items()}
    agreed = [value for value in people if value >= 0.4]
    return {"unfiltered_f1": f1}, {**totals, "human_f1": (sum(agreed) / len(agreed), 1.0)}


def _docvqa(program: ModuleType, columns: Columns) -> Any:
    pairs = zip(columns["predictions"], columns["references"], strict=True)
    return {"anls": [float(program.score({"answers": golds}, {"answer": answer})) for answer, golds in pairs]}, {}


def _mkqa(language: str, program: ModuleType, columns: Columns) -> Any:
    answers, golds = columns["predictions"], [own or [""] for own in columns["references"]]
    found = program.get_text_metrics(answers, golds, language)
    named = [dict(enumerate(column)) for column in (answers, found["f1"], columns["no_answer_probabilities"])]
    best = program.compute_best_score_and_threshold(*named, {row: own != [""] for row, own in enumerate(golds)})
    return found, {"best_f1": (best["best_score"], 100.0)}


def _multispanqa(program: ModuleType, columns: Columns) -> Any:
    sides = [dict(enumerate(map(set, columns[name]))) for name in ("predictions", "references")]
    found = program.multi_span_evaluate(*sides)
    right = [  # the program expects sets of normalised texts
        1 if not own and not gold else len(own & gold)
        for own, gold in zip(sides[0].values(), sides[1].values(), strict=True)
    ]
    return {"exact_right": right}, {
        name.replace("exact_match", "exact"): (value, 100.0) for name, value in found.items()
    }


def _asqa(program: ModuleType, columns: Columns) -> Any:
    rows = []
    for text, pairs in zip(columns["predictions"], columns["references"], strict=True):
        line = text.strip().split("\n")[0].replace("<|im_end|>", "")  # as in its `main`
        output = program.remove_citations(line)
        rows.append({"output": output, "qa_pairs": [{"short_answers": short} for short in pairs]})
    single = [program.compute_str_em([row]) for row in rows]
    found = zip(("str_em", "str_hit"), program.compute_str_em(rows), strict=True)
    shares = [
        [program.exact_presence(pair["short_answers"], row["output"]) for pair in row["qa_pairs"]] for row in rows
    ]
    measures = {"str_em": [sum(own) / len(own) for own in shares], "str_hit": [row[1] / 100 for row in single]}
    return measures, {name: (value, 100.0) for name, value in found}


def _cmrc(program: ModuleType, columns: Columns) -> Any:
    # NLTK cannot split sentences without its data; each row is one sentence.
    program.nltk.word_tokenize = partial(program.nltk.word_tokenize, preserve_line=True)
    pairs = list(zip(columns["references"], columns["predictions"], strict=True))
    measures = {"exact_match": program.calc_em_score, "f1": program.calc_f1_score}
    return {name: [float(measure(*pair)) for pair in pairs] for name, measure in measures.items()}, {}


def _longbench(measure: str, function: str, program: ModuleType, columns: Columns) -> Any:
    score = getattr(program, function)
    pairs = zip(columns["predictions"], columns["references"], strict=True)
    return {measure: [float(max([0, *(score(answer, gold) for gold in golds)])) for answer, golds in pairs]}, {}


def _longbench_triviaqa(program: ModuleType, columns: Columns) -> Any:
    lines = [text.lstrip("\n").split("\n")[0] for text in columns["predictions"]]  # as in eval.py
    return _longbench("f1", "qa_f1_score", program, {**columns, "predictions": lines})


def _numbers(function: str, rows: str) -> Golden:
    made = partial(_longbench, "number_precision", function)
    return Golden("longbench_metrics.py", f"preset_rows_of_tasks:{rows}", made)


def _tatqa(program: ModuleType, columns: Columns) -> Any:
    found: dict[str, list[float]] = {"exact_match": [], "f1": [], "scale_accuracy": []}
    kinds, scales = columns["gold_details"]["answer_type"], columns["gold_details"]["scale"]
    for row, (own, gold) in enumerate(zip(columns["predictions"], columns["references"], strict=True)):
        metric = program.TaTQAEmAndF1()
        answer = gold if "span" in kinds[row] else gold[0]
        question = {"answer_type": kinds[row], "scale": scales[row], "answer": answer}
        metric(question, own, columns["predicted_details"]["scale"][row])
        for column, value in zip(found.values(), metric.get_overall_metric(), strict=False):
            column.append(float(value))
    return found, {}


def _kilt(program: ModuleType, columns: Columns) -> Any:
    names = {"accuracy": "accuracy", "em": "exact_match", "f1": "f1"}
    found: dict[str, list[float]] = {"r_precision": []}
    for row, (answer, golds) in enumerate(zip(columns["predictions"], columns["references"], strict=True)):
        pages = zip(golds, columns["gold_details"]["pages"][row], strict=True)
        outputs = [{"answer": gold, "provenance": _provenance(own)} for gold, own in pages]
        own = {"answer": answer, "provenance": _provenance(columns["predicted_details"]["pages"][row])}
        gold_item, own_item = {"id": "1", "output": outputs}, {"id": "1", "output": [own]}
        result = program._calculate_metrics([gold_item], [own_item])
        for key, name in names.items():
            found.setdefault(name, []).append(float(result["downstream"][key]))
            found.setdefault(f"kilt_{name}", []).append(float(result["kilt"][f"KILT-{key}"]))
        found["r_precision"].append(
            float(program.retrieval_metrics.rprecision(own_item, gold_item, rank_keys=["wikipedia_id"]))
        )
    return found, {}


def _provenance(pages: list[str]) -> list[dict[str, str]]:
    return [{"wikipedia_id": page} for page in pages]


def _locomo(program: ModuleType, columns: Columns) -> Any:
    """Its `eval_question_answering`, which reads a file; `bert_score`, which it imports, is not called."""
    gold, context = columns["gold_details"], columns["predicted_details"]["context"]
    rows = [
        {"answer": answer, "category": category, "evidence": evidence, "prediction": text}
        | ({} if found is None else {"prediction_context": found})
        for (answer,), category, evidence, text, found in zip(
            columns["references"], gold["category"], gold["evidence"], columns["predictions"], context, strict=True
        )
    ]
    with tempfile.TemporaryDirectory() as folder, redirect_stdout(io.StringIO()):
        path = Path(folder, "answers.json")
        path.write_text(json.dumps({"qa": rows}))
        f1, _, recall = program.eval_question_answering(path)
    return {"f1": list(map(float, f1)), "evidence_recall": list(map(float, recall))}, {}


GOLDENS: dict[str, Golden] = {
    "locomo": Golden("task_eval/evaluation.py", "preset_rows_of_tasks:memories", _locomo, 400),
    "coqa": Golden("scripts/evaluate-v1.0.py", "preset_rows_of_tasks:conversations", _coqa, 300),
    "quac": Golden("quac_eval.py", "preset_rows_of_tasks:dialogs", _quac, 300),
    "multispanqa": Golden("eval_script.py", "preset_rows_of_tasks:span_sets", _multispanqa, 300),
    "asqa": Golden("alce_eval.py", "preset_rows_of_tasks:long_answers", _asqa, 300),
    "cmrc2018": Golden("cmrc2018_evaluate.py", "preset_rows_of_tasks:chinese", _cmrc, 300),
    "drcd": Golden("cmrc2018_evaluate.py", "preset_rows_of_tasks:chinese", _cmrc, 300, 2),
    "longbench": Golden("longbench_metrics.py", "preset_rows:answers", partial(_longbench, "f1", "qa_f1_score")),
    "longbench:triviaqa": Golden("longbench_metrics.py", "preset_rows_of_tasks:several_lines", _longbench_triviaqa),
    "longbench:zh": Golden(
        "longbench_metrics.py", "preset_rows_of_tasks:chinese", partial(_longbench, "f1", "qa_f1_zh_score"), 240, 3
    ),
    "longbench:count": _numbers("count_score", "numbered"),
    "longbench:retrieval": _numbers("retrieval_score", "paragraphs"),
    "longbench:retrieval_zh": _numbers("retrieval_zh_score", "paragraphs_zh"),
    "tatqa": Golden("tatqa_metric.py", "preset_rows_of_tasks:amounts", _tatqa, 400),
    "kilt": Golden("eval_downstream.py", "preset_rows_of_tasks:with_pages", _kilt, 300),
    "docvqa": Golden("infographicsvqa_eval.py", "preset_rows_of_tasks:scans", _docvqa, 400),
    **{
        f"mkqa:{language}": Golden("mkqa_eval_util.py", "preset_rows_of_tasks:multilingual", partial(_mkqa, language))
        for language in MKQA_LANGUAGES
    },
}
