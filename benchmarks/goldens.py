"""Golden numbers of presets and rewards: what the official programs give for random and adversarial rows (rows.py), stored in tests/data.

    python -m benchmarks goldens --programs FOLDER [--only NAME ...]
    python -m benchmarks goldens --programs FOLDER --check 2000 [--seed 0] [--only NAME ...]

--check writes nothing, but compares as many fresh rows of each preset: every number of the package must be equal; the exit status is 1 if
one differs. FOLDER holds the programs as published, in folders of any name. They are imported, so use only files that you trust. What is
not there is skipped with a message. A preset needs an entry in `PRESETS`, a reward in `REWARDS`.
"""

import argparse
import contextlib
import copy
import io
import json
import math
import re
import string
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, NamedTuple

import qassay
from qassay.core.text import MKQA_LANGUAGES
from qassay.registry import find_preset

from . import inputs
from .rows import Columns, columns_of, golden_file, pack, rows_hash

FOLDER = inputs.ROOT / "tests" / "data"

# Measure -> a number per row (None: it does not apply); what a program computes over all rows -> number and scale.
Numbers = tuple[dict[str, Sequence[float | None]], dict[str, tuple[float, float]]]
Official = Callable[[ModuleType, Columns], Numbers]


class Golden(NamedTuple):
    """The official file of a preset or a reward, the kind of rows, and how the file computes their numbers.

    Attributes:
        settings: of `qassay.reward`, for a reward.
    """

    program: str
    rows: str
    official: Official
    n: int = 240
    seed: int = 1
    settings: Mapping[str, Any] = {}


# --- of functions of one answer and its gold answers -------------------------------------------------------------------


def each(measures_of: Callable[[ModuleType], Mapping[str, Callable[[Any, Any], float]]]) -> Official:
    """Numbers of functions of one answer and its gold answers."""

    def official(program: ModuleType, columns: Columns) -> Numbers:
        pairs = list(zip(columns["predictions"], columns["references"], strict=True))
        return {name: [float(of(*pair)) for pair in pairs] for name, of in measures_of(program).items()}, {}

    return official


def _best(measure: Callable[[str, str], float]) -> Callable[[str, list[str]], float]:
    """The maximum over the gold answers."""
    return lambda text, golds: max(measure(text, gold) for gold in golds)


_squad = each(lambda program: {"exact_match": _best(program.exact_match_score), "f1": _best(program.f1_score)})
_nq_open = each(lambda program: {"exact_match": _best(program.exact_match_score)})
_gaia = each(lambda program: {"exact_match": lambda text, golds: program.question_scorer(text, golds[0])})
_docvqa = each(lambda program: {"anls": lambda text, golds: program.score({"answers": golds}, {"answer": text})})
_search_r1 = each(
    lambda program: {
        "exact_match": lambda text, golds: program.compute_score(text, {"target": golds}),
        "contains": lambda text, golds: program.compute_score_subem(text, {"target": golds}),
    }
)
_fquad = each(
    lambda program: {
        "exact_match": lambda text, golds: program.exact([text], golds),
        "f1": lambda text, golds: program.f1([text], golds),
    }
)


def _mlqa(language: str) -> Official:
    return each(
        lambda program: {
            "exact_match": _best(lambda text, gold: program.exact_match_score(text, gold, language)),
            "f1": _best(lambda text, gold: program.f1_score(text, gold, language)),
        }
    )


@each
def _flashrag(program: ModuleType) -> dict[str, Any]:
    config = {"dataset_name": "nq", "metric_setting": {"retrieval_recall_topk": 5}}
    f1, em, sub = program.F1_Score(config), program.ExactMatch(config), program.Sub_ExactMatch(config)
    return {
        "exact_match": em.calculate_em,
        "contains": sub.calculate_sub_em,
        **{
            name: lambda text, golds, name=name: f1.token_level_scores(text, golds)[name]
            for name in ("f1", "precision", "recall")
        },
    }


@each
def _cmrc(program: ModuleType) -> dict[str, Any]:
    # NLTK cannot split sentences without its data; each row is one sentence.
    program.nltk.word_tokenize = partial(program.nltk.word_tokenize, preserve_line=True)
    measures = {"exact_match": program.calc_em_score, "f1": program.calc_f1_score}
    return {name: lambda text, golds, of=measure: of(golds, text) for name, measure in measures.items()}


@each
def _coqa(program: ModuleType) -> dict[str, Any]:
    def score(key: str) -> Any:
        return lambda text, golds: program.CoQAEvaluator._compute_turn_score(golds, text)[key]

    return {"exact_match": score("em"), "f1": score("f1")}


@each
def _drop(program: ModuleType) -> dict[str, Any]:
    """As its `evaluate_json`: the best gold answer by exact match and F1, of those with text."""

    def best(spans: Any, golds: list[Any]) -> tuple[float, float]:
        return max((program.get_metrics(spans, gold) for gold in golds if gold[0].strip()), default=(0.0, 0.0))

    return {"exact_match": lambda *row: best(*row)[0], "f1": lambda *row: best(*row)[1]}


@each
def _dpr(program: ModuleType) -> dict[str, Any]:
    tokenizer = program.SimpleTokenizer()

    def contains(k: int) -> Any:
        return lambda texts, golds: any(program.has_answer(golds, text, tokenizer, "string") for text in texts[:k])

    return {f"contains@{k}": contains(k) for k in (1, 5, 20, 100)}


def _longbench(measure: str, function: str) -> Official:
    @each
    def official(program: ModuleType) -> dict[str, Any]:
        score = getattr(program, function)
        return {measure: lambda text, golds: max([0, *(score(text, gold) for gold in golds)])}

    return official


def _longbench_triviaqa(program: ModuleType, columns: Columns) -> Numbers:
    lines = [text.lstrip("\n").split("\n")[0] for text in columns["predictions"]]  # as in eval.py
    return _longbench("f1", "qa_f1_score")(program, {**columns, "predictions": lines})


# --- of programs that read more, or compute over all rows --------------------------------------------------------------


def _squad_2(program: ModuleType, columns: Columns) -> Numbers:
    rows = list(enumerate(columns["references"]))
    data = [
        {"paragraphs": [{"qas": [{"id": row, "answers": [{"text": text} for text in golds]} for row, golds in rows]}]}
    ]
    texts, doubts = (dict(enumerate(columns[name])) for name in ("predictions", "no_answer_probabilities"))
    exact, f1 = program.get_raw_scores(data, texts)
    best: dict[str, float] = {}
    program.find_all_best_thresh(best, texts, exact, f1, doubts, program.make_qid_to_has_ans(data))
    totals = {
        name: (best[key], scale)
        for name, key, scale in (
            ("best_exact_match", "best_exact", 100.0),
            ("best_f1", "best_f1", 100.0),
            ("best_exact_match_threshold", "best_exact_thresh", 1.0),
            ("best_f1_threshold", "best_f1_thresh", 1.0),
        )
    }
    found = {"exact_match": exact, "f1": f1}
    return {name: [float(column[row]) for row, _ in rows] for name, column in found.items()}, totals


def _of_parts(columns: Columns, steps: dict[str, Callable[[dict[str, float], int], Any]]) -> Numbers:
    """The numbers of parts of an answer and of all together, which are 0 if a part is missing.

    Args:
        steps: prefix of a part -> function of the script's metrics and a row: exact match, precision and recall, or None.
    """
    names = [f"{prefix}{name}" for prefix in (*steps, "joint_") for name in ("em", "f1", "prec", "recall")]
    scores: dict[str, list[float]] = {name: [] for name in names}
    for row in range(len(columns["predictions"])):
        metrics = dict.fromkeys(names, 0)
        found = [step(metrics, row) for step in steps.values()]
        if None not in found:
            em, *both = (math.prod(part) for part in zip(*found, strict=True))
            metrics |= {"joint_em": em, "joint_prec": both[0], "joint_recall": both[1]}
            metrics["joint_f1"] = 2 * both[0] * both[1] / sum(both) if sum(both) > 0 else 0.0
        for name in names:
            scores[name].append(float(metrics[name]))
    return _with_our_names(scores), {}


def _supporting_facts(columns: Columns) -> list[list[Any]]:
    """The supporting facts of predictions and of gold answers."""
    return [[row["supporting_facts"] for row in columns[side]] for side in ("predicted_details", "gold_details")]


def _hotpotqa(program: ModuleType, columns: Columns) -> Numbers:
    texts, golds = columns["predictions"], columns["references"]
    facts, gold_facts = _supporting_facts(columns)
    return _of_parts(
        columns,
        {
            "": lambda metrics, row: program.update_answer(metrics, texts[row], golds[row][0]),
            "sp_": lambda metrics, row: program.update_sp(metrics, facts[row], gold_facts[row]),
        },
    )


def _twowiki(program: ModuleType, columns: Columns) -> Numbers:
    def answer(metrics: dict[str, float], row: int) -> Any:
        return program.update_answer(metrics, columns["predictions"][row], set(columns["references"][row]))

    def supported(metrics: dict[str, float], row: int) -> Any:
        facts, gold = (side[row] for side in _supporting_facts(columns))
        return None if facts is None else program.update_sp(metrics, facts, gold)

    def evident(metrics: dict[str, float], row: int) -> Any:
        given, gold = columns["predicted_details"][row]["evidence"], columns["gold_details"][row]["evidences"]
        return None if given is None else program.update_evi(metrics, copy.deepcopy(given), copy.deepcopy(gold))

    return _of_parts(columns, {"": answer, "sp_": supported, "evi_": evident})


def _with_our_names(scores: dict[str, list[float]]) -> dict[str, list[float]]:
    """Measures of the script of HotpotQA, such as sp_prec, by their names here."""
    ours = {"em": "exact_match", "prec": "precision", "recall": "recall", "f1": "f1"}
    return {re.sub("[a-z0-9]+$", lambda name: ours[name[0]], name): values for name, values in scores.items()}


def _jsquad(program: ModuleType, columns: Columns) -> Numbers:
    """`squad_metrics.py` of transformers with the patch of JGLUE."""
    n = len(columns["predictions"])
    examples = [
        SimpleNamespace(qas_id=row, answers=[{"text": gold} for gold in golds])
        for row, golds in enumerate(columns["references"])
    ]
    exact, f1 = program.get_raw_scores(examples, dict(enumerate(columns["predictions"])))
    return {"exact_match": [float(exact[row]) for row in range(n)], "f1": [float(f1[row]) for row in range(n)]}, {}


def _musique(program: ModuleType, columns: Columns) -> Numbers:
    gold, own = columns["gold_details"], columns["predicted_details"]
    scores: dict[str, list[float]] = {name: [] for name in ("exact_match", "f1", "support_f1")}
    groups = program.GroupAnswerSufficiencyMetric(), program.GroupSupportSufficiencyMetric()
    rows = zip(columns["predictions"], columns["references"], gold["support"], own["support"], gold["answerable"], own["answerable"], gold["question_id"], strict=True)  # fmt: skip
    for text, golds, support, said, answerable, sufficient, question in rows:
        answer, supported = program.AnswerMetric(), program.SupportMetric()
        if answerable:
            answer(text, golds)
            supported(said, support)
        groups[0](text, golds, sufficient, answerable, question)
        groups[1](said, support, sufficient, answerable, question)
        found = (*answer.get_metric(), supported.get_metric()[1])
        for name, value in zip(scores, found, strict=True):
            scores[name].append(float(value) if answerable else None)
    totals = {
        f"group_{name}_sufficiency_f1": (group.get_metric()["f1"], 1.0)
        for name, group in zip(("answer", "support"), groups)
    }
    return scores, totals


def _quac(program: ModuleType, columns: Columns) -> Numbers:
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


def _mkqa(language: str, program: ModuleType, columns: Columns) -> Numbers:
    answers, golds = columns["predictions"], [own or [""] for own in columns["references"]]
    found = program.get_text_metrics(answers, golds, language)
    named = [dict(enumerate(column)) for column in (answers, found["f1"], columns["no_answer_probabilities"])]
    best = program.compute_best_score_and_threshold(*named, {row: own != [""] for row, own in enumerate(golds)})
    return found, {"best_f1": (best["best_score"], 100.0)}


def _asqa(program: ModuleType, columns: Columns) -> Numbers:
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


def _tatqa(program: ModuleType, columns: Columns) -> Numbers:
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


def _kilt(program: ModuleType, columns: Columns) -> Numbers:
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


def _locomo(program: ModuleType, columns: Columns) -> Numbers:
    """Its `eval_question_answering`, which reads a file; `bert_score`, which it imports, is not called."""
    gold, context = columns["gold_details"], columns["predicted_details"]["context"]
    rows = [
        {"answer": answer, "category": category, "evidence": evidence, "prediction": text}
        | ({} if found is None else {"prediction_context": found})
        for (answer,), category, evidence, text, found in zip(
            columns["references"], gold["category"], gold["evidence"], columns["predictions"], context, strict=True
        )
    ]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "answers.json")
        path.write_text(json.dumps({"qa": rows}))
        f1, _, recall = program.eval_question_answering(path)
    return {"f1": list(map(float, f1)), "evidence_recall": list(map(float, recall))}, {}


_SQUAD_1 = "evaluate-v1.1.py"
_MLQA = {"en": "answers", "es": "mixed", "de": "german", **dict.fromkeys(("vi", "ar", "hi", "zh"), "mixed")}
PRESETS: dict[str, Golden] = {
    "squad": Golden(_SQUAD_1, "french", _squad, seed=2),
    "squad_v2": Golden("evaluate-v2.0.py", "questions_with_doubts", _squad_2),
    "triviaqa": Golden("evaluation/triviaqa_evaluation.py", "answers", _squad, seed=5),
    "hotpotqa": Golden("hotpot_evaluate_v1.py", "answers_with_facts", _hotpotqa),
    "drop": Golden("drop_eval.py", "span_answers", _drop),
    **{
        f"mlqa:{language}": Golden("mlqa_evaluation_v1.py", rows, _mlqa(language), seed=seed)
        for seed, (language, rows) in enumerate(_MLQA.items(), start=6)
    },
    "korquad": Golden("dataset/evaluate-v1.0.py", "korean_answers", _squad),
    "search_r1": Golden("search_r1_like_qa_em.py", "tagged", _search_r1),
    "flashrag": Golden("flashrag/evaluator/metrics.py", "answers", _flashrag, seed=2),
    "nq_open": Golden("orqa/utils/eval_utils.py", "answers", _nq_open, seed=3),
    "dpr": Golden("dpr/data/qa_validation.py", "passages", _dpr),
    "mrqa": Golden("mrqa_official_eval.py", "answers", _squad, seed=4),
    "xquad": Golden(_SQUAD_1, "mixed", _squad),
    "tydiqa": Golden("third_party/evaluate_squad.py", "mixed", _squad, seed=3),
    "fquad": Golden("french_bench/utils.py", "french_one", _fquad),
    "germanquad": Golden(_SQUAD_1, "german", _squad),
    "sberquad": Golden(_SQUAD_1, "russian", _squad),
    "jsquad": Golden("jglue/squad_metrics.py", "japanese", _jsquad),
    "musique": Golden("evaluate_v1.0.py", "musique_rows", _musique),
    "2wiki": Golden("2wikimultihop_evaluate_v1.1.py", "twowiki_rows", _twowiki),
    "gaia": Golden("gaia/scorer.py", "gaia_answers", _gaia),
    "locomo": Golden("task_eval/evaluation.py", "memories", _locomo, 400),
    "coqa": Golden("scripts/evaluate-v1.0.py", "conversations", _coqa, 300),
    "quac": Golden("quac_eval.py", "dialogs", _quac, 300),
    "asqa": Golden("alce_eval.py", "long_answers", _asqa, 300),
    "cmrc2018": Golden("cmrc2018_evaluate.py", "chinese", _cmrc, 300),
    "drcd": Golden("cmrc2018_evaluate.py", "chinese", _cmrc, 300, 2),
    "longbench": Golden("longbench_metrics.py", "answers", _longbench("f1", "qa_f1_score")),
    "longbench:triviaqa": Golden("longbench_metrics.py", "several_lines", _longbench_triviaqa),
    "longbench:zh": Golden("longbench_metrics.py", "chinese", _longbench("f1", "qa_f1_zh_score"), 240, 3),
    "tatqa": Golden("tatqa_metric.py", "amounts", _tatqa, 400),
    "kilt": Golden("eval_downstream.py", "with_pages", _kilt, 300),
    "docvqa": Golden("infographicsvqa_eval.py", "scans", _docvqa, 400),
    **{
        f"mkqa:{language}": Golden("mkqa_eval_util.py", "multilingual", partial(_mkqa, language))
        for language in MKQA_LANGUAGES
    },
}

# --- of rewards ----------------------------------------------------------------------------------------------------------


def _texts(function: str, **weights: float) -> Official:
    return each(
        lambda program: {"reward": lambda text, golds: getattr(program, function)(text, {"target": golds}, **weights)}
    )


def _metric(name: str, method: str, part: str = "") -> Official:
    @each
    def official(program: ModuleType) -> dict[str, Any]:
        score = getattr(getattr(program, name)({"dataset_name": "nq"}), method)
        return {"reward": lambda text, golds: score(text, golds)[part] if part else score(text, golds)}

    return official


def _reward(
    program: str, rows: str, official: Official, rules: str, n: int = 400, seed: int = 1, **settings: Any
) -> Golden:
    return Golden(program, rows, official, n, seed, {"rules": rules, **settings})


_VERL, _R1, _FORMAT, _FLASHRAG = "search_r1_like_qa_em.py", "qa_em.py", "qa_em_format.py", "metrics.py"
_WEIGHTS = {"structure_format_score": 0.2, "final_format_score": 0.1, "retrieval_score": 0.1}
_OUR_WEIGHTS = {"format_weight": 0.2, "answered_weight": 0.1, "retrieval_weight": 0.1}
_em, _subem = "compute_score_em", "compute_score_subem"
REWARDS: dict[str, Golden] = {
    "verl": _reward(_VERL, "written", _texts("compute_score"), "verl"),
    "verl, format_score": _reward(
        _VERL, "written", _texts("compute_score", format_score=0.1), "verl", seed=2, format_weight=0.1
    ),
    "verl, subem": _reward(
        _VERL, "written", _texts(_subem, format_score=0.3), "verl", seed=3, measure="sub_em", format_weight=0.3
    ),
    "verl, texts with prompts": _reward(_VERL, "with_prompts", _texts("compute_score"), "verl", seed=4),
    "search_r1_qa_em": _reward(_R1, "with_prompts", _texts(_em), "search_r1_qa_em"),
    "search_r1_qa_em, format_score": _reward(
        _R1, "with_prompts", _texts(_em, format_score=0.1), "search_r1_qa_em", seed=2, format_weight=0.1
    ),
    "search_r1_qa_em, subem": _reward(_R1, "with_prompts", _texts(_subem), "search_r1_qa_em", seed=3, measure="sub_em"),
    "search_r1_qa_em_format": _reward(_FORMAT, "with_searches", _texts(_em), "search_r1_qa_em_format", 300),
    "search_r1_qa_em_format, weights": _reward(
        _FORMAT, "with_searches", _texts(_em, **_WEIGHTS), "search_r1_qa_em_format", 600, 2, **_OUR_WEIGHTS
    ),
    "flashrag, em": _reward(_FLASHRAG, "answered", _metric("ExactMatch", "calculate_em"), "flashrag", 300),
    "flashrag, acc": _reward(
        _FLASHRAG, "answered", _metric("Sub_ExactMatch", "calculate_sub_em"), "flashrag", 300, 2, measure="contains"
    ),
    **{
        f"flashrag, {name}": _reward(
            _FLASHRAG, "answered", _metric("F1_Score", "token_level_scores", name), "flashrag", 300, 3, measure=name
        )
        for name in ("f1", "precision", "recall")
    },
}


# --- the command ---------------------------------------------------------------------------------------------------------


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--programs", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--only", nargs="+", metavar="NAME")
    parser.add_argument("--check", type=int, metavar="ROWS", help="compare fresh rows of the presets, write nothing")
    parser.add_argument("--seed", type=int, default=0, help="of the fresh rows")


def run(args: argparse.Namespace) -> None:
    rewards = json.loads((FOLDER / "rewards.json").read_text("utf-8"))
    all_equal = True
    for name, golden in (PRESETS if args.check else {**PRESETS, **REWARDS}).items():
        if args.only and name not in args.only:
            continue
        program = load_program(args.programs, golden.program)
        if program is None:
            print(f"{name}: {golden.program} is not there")
        elif args.check:
            all_equal &= check(name, golden, program, args.check, args.seed)
        else:
            stored = golden_numbers(golden, program)
            if name in REWARDS:
                rewards[name] = {"hash": stored["hash"], **stored["measures"]["reward"]}
                lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in rewards.items())
                (FOLDER / "rewards.json").write_text(f"{{\n{lines}\n}}\n", "utf-8")
            else:
                (FOLDER / "presets" / golden_file(name)).write_text(json.dumps(stored) + "\n", "utf-8")
            print(f"{name}: written")
    if not all_equal:
        sys.exit(1)


def load_program(programs: Path, name: str) -> ModuleType | None:
    """An official program as a module; None if the folder does not have it.

    Its imports are searched in its folder and the two folders above, which may contain stubs of libraries that only its
    other parts need.
    """
    path = next(programs.rglob(name), None)
    if path is None:
        return None
    sys.path[:0] = [str(folder) for folder in path.parents[:3]]
    return inputs.load_file(path)


def golden_numbers(golden: Golden, program: ModuleType) -> dict[str, Any]:
    """What the file of golden numbers holds."""
    columns = columns_of(golden.rows, golden.seed, golden.n)
    untouched = json.loads(json.dumps(columns))
    with contextlib.redirect_stdout(io.StringIO()):  # some programs print rows
        measures, totals = golden.official(program, columns)
    return {
        "rows": golden.rows,
        "seed": golden.seed,
        "n": golden.n,
        "hash": rows_hash(untouched),
        "measures": {name: pack(values) for name, values in measures.items()},
        "totals": totals,
    }


Pairs = Iterator[tuple[str, Any, Any]]  # what is compared, the number of the program, ours


def preset_pairs(name: str, golden: Golden, program: Any, rows: int, seed: int) -> Pairs:
    """The numbers of each row to the last bit; totals up to the order of additions, but for thresholds, which may tie."""
    columns = columns_of(golden.rows, seed, rows)
    if "no_answer_probabilities" in columns:  # the search of SQuAD 2.0 counts an answer without words as an answer
        columns["predictions"] = [text if not text or _has_words(text) else "Paris" for text in columns["predictions"]]
    scores = qassay.score(find_preset(name)[0], **copy.deepcopy(columns), preset=name)
    measures, totals = golden.official(program, copy.deepcopy(columns))
    for measure, values in measures.items():
        for row, (theirs, ours) in enumerate(zip(values, scores.columns[measure].tolist(), strict=True)):
            where = f"{measure} of {columns['predictions'][row]!a} and {columns['references'][row]!a}"
            yield where, theirs, None if math.isnan(ours) else ours
    for measure, (theirs, scale) in totals.items():
        if not measure.endswith("_threshold"):
            ours = scores[measure] * scale
            yield measure, theirs, theirs if math.isclose(ours, theirs, rel_tol=1e-12) else ours


def _has_words(text: str) -> bool:
    """Whether a text has words after SQuAD's normalisation."""
    kept = "".join(sign for sign in text.lower() if sign not in string.punctuation)
    return any(map(str.isalnum, re.sub(r"\b(a|an|the)\b", " ", kept)))


def check(name: str, golden: Golden, program: ModuleType, rows: int, seed: int) -> bool:
    """Whether all numbers of fresh rows are equal; prints the first that differ."""
    pairs = list(preset_pairs(name, golden, program, rows, seed))
    unequal = [(where, theirs, ours) for where, theirs, ours in pairs if theirs != ours]
    print(f"{name}: {len(pairs):,} numbers, {len(unequal):,} differ", flush=True)
    for where, theirs, ours in unequal[:5]:
        print(f"    {where}: {theirs!r}, here {ours!r}")
    return not unequal
