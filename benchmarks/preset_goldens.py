"""Golden numbers of presets: the official programs on rows of `preset_rows`, stored in tests/data/presets.

    python benchmarks/preset_goldens.py --programs FOLDER [--only NAME ...]
    python benchmarks/preset_goldens.py --programs FOLDER --check 2000 [--seed 0] [--only NAME ...]
    python benchmarks/preset_goldens.py --cards

--check writes nothing, but compares as many fresh rows: every number of the package must be equal; the exit status is 1 if one differs.
--cards writes the tables of presets into the cards of the metrics. FOLDER holds the programs as published,
in folders of any name. They are imported, so use only files that you trust. Missing programs are skipped with a message.
A preset needs an entry in `GOLDENS` here, or in a module of `MODULES`.
"""

import argparse
import copy
import importlib
import importlib.util
import json
import math
import re
import string
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, NamedTuple

from preset_rows import Columns, columns_of, golden_file, pack, rows_hash

import qassay
from qassay.core.presets import listed_presets
from qassay.registry import all_presets, find_preset, get_family

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "tests" / "data" / "presets"
MODULES: tuple[str, ...] = ("preset_goldens_of_tasks",)  # more modules with GOLDENS


class Golden(NamedTuple):
    """The recipe of the golden numbers of a preset.

    Attributes:
        program: the name of the official file in FOLDER.
        rows: the rows, as an argument of `columns_of`.
        official: program, columns -> measure -> one number per row (None: it does not apply), and totals,
            measure -> (number, scale), for numbers that the program computes only over all rows.
    """

    program: str
    rows: str
    official: Callable[[ModuleType, Columns], tuple[dict[str, Sequence[float]], dict[str, tuple[float, float]]]]
    n: int = 240
    seed: int = 1


def _each(columns: Columns, **measures: Callable[[str, list[str]], float]) -> dict[str, list[float]]:
    pairs = list(zip(columns["predictions"], columns["references"], strict=True))
    return {name: [float(measure(*pair)) for pair in pairs] for name, measure in measures.items()}


def _search_r1(program: ModuleType, columns: Columns) -> Any:
    return _each(
        columns,
        exact_match=lambda text, golds: program.compute_score(text, {"target": golds}),
        contains=lambda text, golds: program.compute_score_subem(text, {"target": golds}),
    ), {}


def _best(measure: Callable[[str, str], float]) -> Callable[[str, list[str]], float]:
    """The maximum over the gold answers."""
    return lambda text, golds: max(measure(text, gold) for gold in golds)


def _squad(program: ModuleType, columns: Columns) -> Any:
    return _each(columns, exact_match=_best(program.exact_match_score), f1=_best(program.f1_score)), {}


def _squad_2(program: ModuleType, columns: Columns) -> Any:
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


def _mlqa(language: str, program: ModuleType, columns: Columns) -> Any:
    return _each(
        columns,
        exact_match=_best(lambda text, gold: program.exact_match_score(text, gold, language)),
        f1=_best(lambda text, gold: program.f1_score(text, gold, language)),
    ), {}


def _drop(program: ModuleType, columns: Columns) -> Any:
    """As its `evaluate_json`: the best gold answer by exact match and F1, of those with text."""
    pairs = list(zip(columns["predictions"], columns["references"], strict=True))
    found = [
        max((program.get_metrics(own, gold) for gold in golds if gold[0].strip()), default=(0.0, 0.0))
        for own, golds in pairs
    ]
    return {name: [float(row[place]) for row in found] for place, name in enumerate(("exact_match", "f1"))}, {}


def _hotpotqa(program: ModuleType, columns: Columns) -> Any:
    """The steps of the script's `eval` for each row."""
    names = [f"{prefix}{name}" for prefix in ("", "sp_", "joint_") for name in ("em", "f1", "prec", "recall")]
    scores: dict[str, list[float]] = {name: [] for name in names}
    for row, text in enumerate(columns["predictions"]):
        metrics = dict.fromkeys(names, 0)
        em, precision, recall = program.update_answer(metrics, text, columns["references"][row][0])
        facts = columns["predicted_facts"][row], columns["gold_facts"][row]
        sp_em, sp_precision, sp_recall = program.update_sp(metrics, *facts)
        both = precision * sp_precision, recall * sp_recall
        metrics["joint_em"] = em * sp_em
        metrics["joint_prec"], metrics["joint_recall"] = both
        metrics["joint_f1"] = 2 * both[0] * both[1] / sum(both) if sum(both) > 0 else 0.0
        for name in names:
            scores[name].append(float(metrics[name]))
    return _with_our_names(scores), {}


def _with_our_names(scores: dict[str, list[float]]) -> dict[str, list[float]]:
    """Measures of the script of HotpotQA, such as sp_prec, by their names here."""
    ours = {"em": "exact_match", "prec": "precision", "recall": "recall", "f1": "f1"}
    return {re.sub("[a-z0-9]+$", lambda name: ours[name[0]], name): values for name, values in scores.items()}


def _flashrag(program: ModuleType, columns: Columns) -> Any:
    config = {"dataset_name": "nq", "metric_setting": {"retrieval_recall_topk": 5}}
    f1, em, sub = program.F1_Score(config), program.ExactMatch(config), program.Sub_ExactMatch(config)
    scores = _each(columns, exact_match=em.calculate_em, contains=sub.calculate_sub_em)
    for name in ("f1", "precision", "recall"):
        scores |= _each(columns, **{name: lambda text, golds, name=name: f1.token_level_scores(text, golds)[name]})
    return scores, {}


def _nq_open(program: ModuleType, columns: Columns) -> Any:
    return _each(columns, exact_match=_best(program.exact_match_score)), {}


def _dpr(program: ModuleType, columns: Columns) -> Any:
    tokenizer = program.SimpleTokenizer()
    scores: dict[str, list[float]] = {}
    for k in (1, 5, 20, 100):
        scores[f"contains@{k}"] = [
            float(any(program.has_answer(golds, text, tokenizer, "string") for text in texts[:k]))
            for texts, golds in zip(columns["predictions"], columns["references"], strict=True)
        ]
    return scores, {}


def _fquad(program: ModuleType, columns: Columns) -> Any:
    return _each(
        columns,
        exact_match=lambda text, golds: program.exact([text], golds),
        f1=lambda text, golds: program.f1([text], golds),
    ), {}


def _klue(program: ModuleType, columns: Columns) -> Any:
    def scores(text: str, golds: list[str]) -> Any:
        normal = program.normalize_answer_for_klue_mrc
        return program.compute_em_and_rouge_w_score_for_klue_mrc(normal(text), list(map(normal, golds)) or [""])

    return _each(columns, exact_match=lambda *row: scores(*row)[0], rouge_w=lambda *row: scores(*row)[1]), {}


def _jsquad(program: ModuleType, columns: Columns) -> Any:
    """`squad_metrics.py` of transformers with the patch of JGLUE."""
    n = len(columns["predictions"])
    examples = [
        SimpleNamespace(qas_id=row, answers=[{"text": gold} for gold in golds])
        for row, golds in enumerate(columns["references"])
    ]
    exact, f1 = program.get_raw_scores(examples, dict(enumerate(columns["predictions"])))
    return {"exact_match": [float(exact[row]) for row in range(n)], "f1": [float(f1[row]) for row in range(n)]}, {}


def _gaia(program: ModuleType, columns: Columns) -> Any:
    return _each(columns, exact_match=lambda text, golds: program.question_scorer(text, golds[0])), {}


def _musique(program: ModuleType, columns: Columns) -> Any:
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


def _twowiki(program: ModuleType, columns: Columns) -> Any:
    """The steps of the script for each row; a joint score is 0 if a part is missing."""
    names = [f"{prefix}{name}" for prefix in ("", "sp_", "evi_", "joint_") for name in ("em", "f1", "prec", "recall")]
    scores: dict[str, list[float]] = {name: [] for name in names}
    for row, text in enumerate(columns["predictions"]):
        metrics = dict.fromkeys(names, 0)
        facts, evidence = columns["predicted_facts"][row], columns["predicted_details"][row]["evidence"]
        em, precision, recall = program.update_answer(metrics, text, set(columns["references"][row]))
        if facts is not None:
            sp_em, sp_precision, sp_recall = program.update_sp(metrics, facts, columns["gold_facts"][row])
        if evidence is not None:
            golds = json.loads(json.dumps(columns["gold_details"][row]["evidences"]))
            evi_em, evi_precision, evi_recall = program.update_evi(metrics, json.loads(json.dumps(evidence)), golds)
        if facts is not None and evidence is not None:
            both = precision * sp_precision * evi_precision, recall * sp_recall * evi_recall
            metrics["joint_em"] = em * sp_em * evi_em
            metrics["joint_prec"], metrics["joint_recall"] = both
            metrics["joint_f1"] = 2 * both[0] * both[1] / sum(both) if sum(both) > 0 else 0.0
        for name in names:
            scores[name].append(float(metrics[name]))
    return _with_our_names(scores), {}


_SQUAD_1 = "evaluate-v1.1.py"
GOLDENS: dict[str, Golden] = {
    "squad": Golden(_SQUAD_1, "preset_rows:french", _squad, seed=2),
    "squad_v2": Golden("evaluate-v2.0.py", "preset_rows:questions_with_doubts", _squad_2),
    "triviaqa": Golden("evaluation/triviaqa_evaluation.py", "preset_rows:answers", _squad, seed=5),
    "hotpotqa": Golden("hotpot_evaluate_v1.py", "preset_rows:answers_with_facts", _hotpotqa),
    "drop": Golden("drop_eval.py", "preset_rows:span_answers", _drop),
    **{
        f"mlqa:{language}": Golden("mlqa_evaluation_v1.py", f"preset_rows:{rows}", partial(_mlqa, language), seed=seed)
        for seed, (language, rows) in enumerate(
            {
                "en": "answers",
                "es": "mixed",
                "de": "german",
                "vi": "mixed",
                "ar": "mixed",
                "hi": "mixed",
                "zh": "mixed",
            }.items(),
            start=6,
        )
    },
    "korquad": Golden("dataset/evaluate-v1.0.py", "preset_rows:korean_answers", _squad),
    "search_r1": Golden("search_r1_like_qa_em.py", "preset_rows:tagged", _search_r1),
    "flashrag": Golden("flashrag/evaluator/metrics.py", "preset_rows:answers", _flashrag, seed=2),
    "nq_open": Golden("orqa/utils/eval_utils.py", "preset_rows:answers", _nq_open, seed=3),
    "dpr": Golden("dpr/data/qa_validation.py", "preset_rows:passages", _dpr),
    "mrqa": Golden("mrqa_official_eval.py", "preset_rows:answers", _squad, seed=4),
    "xquad": Golden(_SQUAD_1, "preset_rows:mixed", _squad),
    "tydiqa": Golden("third_party/evaluate_squad.py", "preset_rows:mixed", _squad, seed=3),
    "fquad": Golden("french_bench/utils.py", "preset_rows:french_one", _fquad),
    "germanquad": Golden(_SQUAD_1, "preset_rows:german", _squad),
    "sberquad": Golden(_SQUAD_1, "preset_rows:russian", _squad),
    "klue": Golden("klue_baseline/metrics/utils.py", "preset_rows:korean", _klue),
    "jsquad": Golden("jglue/squad_metrics.py", "preset_rows:japanese", _jsquad),
    "musique": Golden("evaluate_v1.0.py", "preset_rows:musique_rows", _musique),
    "2wiki": Golden("2wikimultihop_evaluate_v1.1.py", "preset_rows:twowiki_rows", _twowiki),
    "gaia": Golden("gaia/scorer.py", "preset_rows:gaia_answers", _gaia),
}


def all_goldens() -> dict[str, Golden]:
    """The goldens of all modules, by preset."""
    return {**GOLDENS, **{k: v for name in MODULES for k, v in importlib.import_module(name).GOLDENS.items()}}


def load_program(programs: Path, name: str) -> ModuleType | None:
    """An official program as a module; None if the folder does not have it.

    Its imports are searched in its folder and the two folders above, which may contain stubs of libraries that only its
    other parts need.
    """
    path = next(programs.rglob(name), None)
    if path is None:
        return None
    sys.path[:0] = [str(folder) for folder in path.parents[:3]]
    spec = importlib.util.spec_from_file_location(f"official_{path.stem.replace('-', '_')}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def golden_text(golden: Golden, program: ModuleType) -> str:
    """The JSON of the golden numbers of a preset."""
    columns = columns_of(golden.rows, golden.seed, golden.n)
    untouched = json.loads(json.dumps(columns))
    measures, totals = golden.official(program, columns)
    stored = {
        "rows": golden.rows,
        "seed": golden.seed,
        "n": golden.n,
        "hash": rows_hash(untouched),
        "measures": {name: pack(values) for name, values in measures.items()},
        "totals": totals,
    }
    return json.dumps(stored) + "\n"


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


def with_table(card: str, metric: str) -> str:
    """The card of a metric with the current table of its presets."""
    lines = [
        "| preset | benchmark and rules | official script | rows compared | differences |",
        "|---|---|---|---|---|",
    ]
    for preset in listed_presets(get_family(metric).load()[1].presets.values()):
        cells = (
            f"`{preset.name}`",
            preset.line,
            preset.source,
            preset.compared or "–",
            preset.differences or "none known",
        )
        lines.append(f"| {' | '.join(str(cell).replace('|', chr(92) + '|') for cell in cells)} |")
    table = "\n".join(lines) + "\n"
    return re.sub(r"\| preset \| benchmark and rules \|.*\n(?:\|.*\n)*", lambda _: table, card)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--programs", type=Path)
    parser.add_argument("--only", nargs="+")
    parser.add_argument("--check", type=int, metavar="ROWS", help="compare fresh rows, write nothing")
    parser.add_argument("--seed", type=int, default=0, help="of the fresh rows")
    parser.add_argument("--cards", action="store_true")
    arguments = parser.parse_args()
    if arguments.cards:
        for metric in {metric for metric, _ in all_presets().values()}:
            path = ROOT / "metrics" / metric / "README.md"
            path.write_text(with_table(path.read_text(encoding="utf-8"), metric), encoding="utf-8")
        return 0
    if arguments.programs is None:
        parser.error("give --programs FOLDER, or --cards")
    all_equal = True
    for name, golden in all_goldens().items():
        if arguments.only and name not in arguments.only:
            continue
        program = load_program(arguments.programs, golden.program)
        if program is None:
            print(f"{name}: {golden.program} is not there")
            continue
        if arguments.check:
            all_equal &= check(name, golden, program, arguments.check, arguments.seed)
            continue
        (FOLDER / golden_file(name)).write_text(golden_text(golden, program), encoding="utf-8")
        print(f"{name}: written")
    return int(not all_equal)


if __name__ == "__main__":
    sys.exit(main())
