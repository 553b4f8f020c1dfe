"""Runs random input through the official programs and this package: every number must be equal.

    python benchmarks/differential.py --programs FOLDER [--rows 2000] [--seed 0] [--only NAME]

FOLDER holds the programs as they are published, in folders of any name: evaluate-v1.1.py and evaluate-v2.0.py of SQuAD,
mlqa_evaluation_v1.py, triviaqa_evaluation.py, drop_eval.py of AllenNLP, hotpot_evaluate_v1.py, trec_eval (made), and
BioASQEvaluation.jar with its folder lib (run by Java). pytrec_eval, scikit-learn, torchmetrics and pycocotools take
part if they are installed. Missing programs are skipped with a message. The programs of SQuAD, MLQA, TriviaQA, DROP and
HotpotQA are imported, so use only files that you trust.
"""

import argparse
import contextlib
import importlib
import importlib.util
import io
import json
import math
import subprocess
import sys
import tempfile
import types
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from call_cases import random_text, random_texts

import qassay
from qassay.cli import main as qassay_command

ROWS_AT_ONCE = 200


class Unlike(NamedTuple):
    """The number of compared numbers, and the differences in words."""

    compared: int
    differences: list[str]


def unlike(pairs: Iterator[tuple[str, Any, Any]], digits: int | None = None) -> Unlike:
    """Compare the numbers of a program with ours: to the last bit, or rounded to `digits`."""
    compared, differences = 0, []
    for where, theirs, ours in pairs:
        compared += 1
        same = theirs == ours if digits is None else math.isclose(theirs, ours, rel_tol=0, abs_tol=10**-digits)
        if not same and not (theirs != theirs and ours != ours):
            differences.append(f"{where}: {theirs!r}, here {ours!r}")
    return Unlike(compared, differences)


def imported(path: Path, *folders: Path) -> Any:
    """A program as a module."""
    if "ujson" not in sys.modules and importlib.util.find_spec("ujson") is None:
        sys.modules["ujson"] = json  # HotpotQA's program reads files with it
    before = list(sys.path)
    sys.path[:0] = [str(folder) for folder in folders]
    try:
        spec = importlib.util.spec_from_file_location(path.stem.replace("-", "_").replace(".", "_"), path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        sys.path[:] = before
    return module


def answers(random: Random, rows: int) -> tuple[list[str], list[list[str]]]:
    """Answers and gold answers; about half of the pairs share words."""
    golds = [random_texts(random, 1, 3) for _ in range(rows)]
    given = [random.choice(gold) if random.random() < 0.4 else random_text(random) for gold in golds]
    return given, golds


# --- programs of answers ----------------------------------------------------------------------------------------------


def _pairs(program: Any, given: list, golds: list, scores: Any, *more: Any) -> Iterator[tuple[str, Any, Any]]:
    """Exact match and F1 of each question, by the functions that most programs have."""
    for name, function in (("exact_match", program.exact_match_score), ("f1", program.f1_score)):
        ours = scores.columns[name].tolist()
        for row, (answer, gold) in enumerate(zip(given, golds, strict=True)):
            theirs = program.metric_max_over_ground_truths(function, answer, gold, *more)
            yield f"{name} of {answer!a} and {gold!a}", float(theirs), ours[row]


def squad_1(path: Path, random: Random, rows: int) -> Unlike:
    given, golds = answers(random, rows)
    scores = qassay.score("answer_match", given, golds, preset="squad")
    return unlike(_pairs(imported(path), given, golds, scores))


def squad_2(path: Path, random: Random, rows: int) -> Unlike:
    program = imported(path)
    given, golds = answers(random, rows)
    # A text that normalises to "" counts as an answer in the program's threshold search, but not in its scores.
    given = [text if program.normalize_answer(text) else "Paris" for text in given]
    golds = [[text for text in gold if program.normalize_answer(text)] or ["Rome"] for gold in golds]
    golds = [gold if random.random() < 0.7 else [] for gold in golds]
    doubts = [random.random() for _ in range(rows)]  # the program breaks ties by the order of the questions
    questions = [{"id": str(row), "answers": [{"text": text} for text in gold]} for row, gold in enumerate(golds)]
    data = [{"paragraphs": [{"qas": questions}]}]
    texts = {str(row): answer for row, answer in enumerate(given)}
    found = program.get_raw_scores(data, texts)
    has_answer = program.make_qid_to_has_ans(data)
    probabilities = {str(row): doubt for row, doubt in enumerate(doubts)}
    best: dict = {}
    program.find_all_best_thresh(best, texts, *found, probabilities, has_answer)

    def compared() -> Iterator[tuple[str, Any, Any]]:
        scores = qassay.score("answer_match", given, golds, no_answer_probabilities=doubts)
        for name, theirs in zip(("exact_match", "f1"), found, strict=True):
            for row, ours in enumerate(scores.columns[name].tolist()):
                yield f"{name} of {given[row]!a} and {golds[row]!a}", float(theirs[str(row)]), ours
        for name, theirs in (("best_exact_match", "best_exact"), ("best_f1", "best_f1")):
            yield name, round(best[theirs], 9), round(100 * scores.summary([name])[name], 9)
        held = qassay.score("answer_match", given, golds, no_answer_probabilities=doubts, no_answer_threshold=0.5)
        for name, raw in zip(("exact_match", "f1"), found, strict=True):
            theirs = program.apply_no_ans_threshold(raw, probabilities, has_answer, 0.5)
            for row, ours in enumerate(held.columns[name].tolist()):
                yield f"{name} at 0.5 of {given[row]!a} and {golds[row]!a}", float(theirs[str(row)]), ours

    return unlike(compared())


def mlqa(path: Path, random: Random, rows: int) -> Unlike:
    program, compared, differences = imported(path), 0, []
    for language in ("en", "es", "hi", "vi", "de", "ar", "zh"):
        given, golds = answers(random, rows)
        scores = qassay.score("answer_match", given, golds, preset=f"mlqa:{language}")
        found = unlike(_pairs(program, given, golds, scores, language))
        compared += found.compared
        differences += [f"{language} {one}" for one in found.differences]
    return Unlike(compared, differences)


def triviaqa(path: Path, random: Random, rows: int) -> Unlike:
    given, golds = answers(random, rows)
    scores = qassay.score("answer_match", given, golds, preset="triviaqa")
    return unlike(_pairs(imported(path, path.parents[1]), given, golds, scores))


def drop(path: Path, random: Random, rows: int) -> Unlike:
    program = imported(path)
    numbers = ("3", "12", "3.5", "1,000", "-1", "5 yards", "5")

    def text() -> str:
        return random.choice(numbers) if random.random() < 0.4 else random_text(random)

    def spans() -> list[str]:
        return [text() for _ in range(random.choice((1, 1, 2, 3)))]

    golds = [[spans() for _ in range(random.choice((1, 1, 2)))] for _ in range(rows)]
    given = [random.choice(gold) if random.random() < 0.4 else spans() for gold in golds]
    scores = qassay.score("answer_match", given, golds, preset="drop")

    def compared() -> Iterator[tuple[str, Any, Any]]:
        for row, (answer, gold) in enumerate(zip(given, golds, strict=True)):
            # As its evaluate_json: the best gold answer by (exact match, F1), where the gold answer has any text.
            pairs = [program.get_metrics(tuple(answer), tuple(one)) for one in gold if one[0].strip()]
            theirs = max(pairs, default=(0.0, 0.0))
            for name, value in zip(("exact_match", "f1"), theirs, strict=True):
                yield f"{name} of {answer!a} and {gold!a}", float(value), scores.columns[name].tolist()[row]

    return unlike(compared())


def hotpotqa(path: Path, random: Random, rows: int) -> Unlike:
    given, golds = answers(random, rows)
    facts = ("A", 0), ("A", 1), ("B", 0), ("C", 2)
    gold_facts = [random.sample(facts, random.randint(1, 3)) for _ in range(rows)]
    found_facts = [random.sample(facts, random.randint(0, 3)) for _ in range(rows)]
    golds = [gold[0] for gold in golds]
    columns = {"predicted_facts": found_facts, "gold_facts": gold_facts}
    ours = qassay.score("answer_match", given, [[gold] for gold in golds], preset="hotpotqa", **columns).summary()
    with tempfile.TemporaryDirectory() as folder:
        system, gold = Path(folder, "system.json"), Path(folder, "gold.json")
        ids = [str(row) for row in range(rows)]
        told = {"answer": dict(zip(ids, given, strict=True)), "sp": dict(zip(ids, found_facts, strict=True))}
        system.write_text(json.dumps(told), "utf-8")
        questions = zip(ids, golds, gold_facts, strict=True)
        gold.write_text(json.dumps([{"_id": i, "answer": a, "supporting_facts": f} for i, a, f in questions]), "utf-8")
        with contextlib.redirect_stdout(io.StringIO()) as out:
            imported(path).eval(str(system), str(gold))
    theirs = eval(out.getvalue(), {"__builtins__": {}})  # noqa: S307 - a dict of numbers, as the program prints it
    names = {"em": "exact_match", "f1": "f1", "prec": "precision", "recall": "recall"}
    keys = [(f"{part}{one}", f"{part}{name}") for part in ("", "sp_", "joint_") for one, name in names.items()]
    return unlike(((key, theirs[key], ours[name]) for key, name in keys), digits=12)


# --- programs of rankings and entities --------------------------------------------------------------------------------


def rankings(random: Random, queries: int) -> tuple[dict, dict]:
    """Judgements and a run, with ties, documents without judgements, and gaps."""
    documents = [f"d{number}" for number in range(30)]
    qrels = {
        f"q{query:04d}": {
            one: random.choice((-1, 0, 0, 1, 1, 2, 3)) for one in random.sample(documents, random.randint(1, 15))
        }
        for query in range(queries)
    }
    for judged in qrels.values():
        judged[random.choice(documents)] = random.choice((0, 1))
    run = {
        query: {
            one: random.choice((0.5, 1.5, 2.0, random.random()))
            for one in random.sample(documents, random.randint(1, 25))
        }
        for query in qrels
        if random.random() < 0.95
    }
    return qrels, run


def trec_eval(path: Path, random: Random, rows: int) -> Unlike:
    qrels, run = rankings(random, rows // 10)
    with tempfile.TemporaryDirectory() as folder:
        judged, found = Path(folder, "qrels"), Path(folder, "run")
        judged.write_text("".join(f"{q} 0 {d} {n}\n" for q, of in qrels.items() for d, n in of.items()), "utf-8")
        found.write_text("".join(f"{q} Q0 {d} 0 {n!r} r\n" for q, of in run.items() for d, n in of.items()), "utf-8")
        theirs = subprocess.run(
            [str(path), "-c", "-q", "-m", "all_trec", str(judged), str(found)],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()):
            asked = ["--measures", "all_trec", "--format", "trec_eval", "-q"]
            qassay_command(["score", str(judged), str(found), *asked])
    ours = {tuple(line.split()[:2]): line.split()[2] for line in out.getvalue().splitlines()}
    ours = {line: value for line, value in ours.items() if line[0] != "rbp"}  # its range of gains is not initialised
    lines = (line.split() for line in theirs.splitlines())
    return unlike(
        (f"{name} {query}", value, ours[name, query]) for name, query, value in lines if (name, query) in ours
    )


def pytrec_eval(module: Any, random: Random, rows: int) -> Unlike:
    qrels, run = rankings(random, rows // 10)
    measures = ["map", "recip_rank", "ndcg", "ndcg_cut_10", "P_5", "recall_10", "bpref", "Rprec", "success_1"]
    theirs = module.RelevanceEvaluator(qrels, {"map", "recip_rank", "ndcg", "ndcg_cut", "P", "recall", "bpref", "Rprec", "success"}).evaluate(run)  # fmt: skip
    scores = qassay.score("retrieval_ranking", run, qrels, measures=measures, missing="skip")
    ours = scores.per_example()
    names = [name for name in ours if name in scores.measures][: len(measures)]
    return unlike(
        (
            (f"{measure} of {query}", theirs[query][measure], float(ours[name][row]))
            for row, query in enumerate(scores.ids)
            if query in theirs
            for measure, name in zip(measures, names, strict=True)
        ),
        digits=12,
    )


def bioasq(path: Path, random: Random, rows: int) -> Unlike:
    names = ("dog", "canine", "cat", "Felis catus", "fox", "T-cell", "5", "elk")

    def some(most: int) -> list[str]:
        return random.sample(names, random.randint(1, most))

    gold, system = [], []
    for number in range(rows // 10):
        kind = random.choice(("factoid", "list", "yesno"))
        exact = {"factoid": lambda: [some(3)], "list": lambda: [some(2) for _ in range(random.randint(1, 4))]}
        answer = {"factoid": lambda: [[one] for one in some(6)], "list": lambda: [[one] for one in some(6)]}
        asked = {"id": str(number), "type": kind}
        label = random.choice(("yes", "no"))
        gold.append({**asked, "exact_answer": exact.get(kind, lambda label=label: label)()})
        system.append({**asked, "exact_answer": answer.get(kind, lambda: random.choice(("yes", "no")))()})
    measures = ["yesno_accuracy", "strict_accuracy", "lenient_accuracy", "mrr", "list_precision", "list_recall", "list_f1",
                "yesno_macro_f1", "yesno_f1_yes", "yesno_f1_no"]  # fmt: skip
    compared, differences = 0, []
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, name) for name in ("gold.json", "system.json")]
        for file, questions in zip(files, (gold, system), strict=True):
            file.write_text(json.dumps({"questions": questions}), "utf-8")
        for version in (2, 3, 5, 8, 9):
            command = ["java", "-cp", str(path), "evaluation.EvaluatorTask1b", "-phaseB", "-e", str(version)]
            done = subprocess.run([*command, *map(str, files)], capture_output=True, text=True, check=True)
            theirs = [float(number) for number in done.stdout.split()]
            options = {"version": version, "top_k": None, "missing": "skip" if version == 9 else "zero"}
            ours = qassay.score("factoid_accuracy", {"questions": system}, {"questions": gold}, **options).summary(
                measures
            )
            known = [value or 0.0 for value in ours.values()]  # the program prints 0 for what has no question
            found = unlike(zip(measures, theirs, known, strict=True))
            compared += found.compared
            differences += [f"version {version}, {one}" for one in found.differences]
    return Unlike(compared, differences)


# --- packages of labels and curves ------------------------------------------------------------------------------------


def scikit_learn(module: Any, random: Random, rows: int) -> Unlike:
    classes = ["a", "b", "c", "d", "é"]

    def compared() -> Iterator[tuple[str, Any, Any]]:
        for _ in range(max(1, rows // ROWS_AT_ONCE)):
            n = random.randint(2, ROWS_AT_ONCE)
            true, said = ([random.choice(classes) for _ in range(n)] for _ in range(2))
            weights = [random.choice((0.5, 1.0, 2.25)) for _ in range(n)]
            ours = qassay.score("label_metrics", said, true, weights=weights).summary()
            yield "accuracy", module.accuracy_score(true, said, sample_weight=weights), ours["accuracy"]
            for average in ("micro", "macro", "weighted"):
                theirs = module.precision_recall_fscore_support(
                    true, said, average=average, sample_weight=weights, zero_division=0
                )
                for name, value in zip(("precision", "recall", "f1"), theirs, strict=False):
                    yield f"{average}_{name}", float(value), ours[f"{average}_{name}"]
            truth, scores = [True, *(random.random() < 0.4 for _ in range(n - 1))], [random.choice((0.1, 0.5, random.random())) for _ in range(n)]  # fmt: skip
            curve = qassay.score("average_precision", scores, truth, weights=weights).summary()
            value = float(module.average_precision_score(truth, scores, sample_weight=weights))
            yield "average_precision", value, curve["average_precision"]

    return unlike(compared(), digits=12)


def torchmetrics(module: Any, random: Random, rows: int) -> Unlike:
    import torch

    def compared() -> Iterator[tuple[str, Any, Any]]:
        for _ in range(max(1, rows // ROWS_AT_ONCE)):
            said, true = ([random.randrange(4) for _ in range(ROWS_AT_ONCE)] for _ in range(2))
            ours = qassay.score("label_metrics", said, true, labels=4).summary()
            sides = torch.tensor(said), torch.tensor(true)
            for average in ("micro", "macro", "weighted"):
                value = module.multiclass_f1_score(*sides, num_classes=4, average=average)
                yield f"{average}_f1", float(value), ours[f"{average}_f1"]

    return unlike(compared(), digits=6)  # of 32 bits


def pycocotools(module: Any, random: Random, rows: int) -> Unlike:
    """Boxes of two classes on a few images, as COCO counts them."""
    from pycocotools.cocoeval import COCOeval

    def box() -> list[float]:
        return [random.randint(0, 60), random.randint(0, 60), random.randint(5, 60), random.randint(5, 60)]

    images = range(1, max(4, rows // 100))
    gold = {image: [(box(), random.choice((1, 2))) for _ in range(random.randint(0, 4))] for image in images}
    found = {
        image: [
            (random.choice(gold[image])[0] if gold[image] and random.random() < 0.6 else box(), random.choice((1, 2)), random.random())
            for _ in range(random.randint(0, 5))
        ]
        for image in images
    }  # fmt: skip
    with contextlib.redirect_stdout(io.StringIO()):
        truth = module.COCO()
        boxes = [(image, one, label) for image, of in gold.items() for one, label in of]
        truth.dataset = {
            "info": {}, "images": [{"id": image} for image in images], "categories": [{"id": 1}, {"id": 2}],
            "annotations": [
                {"id": number, "image_id": image, "category_id": label, "bbox": one, "area": one[2] * one[3], "iscrowd": 0}
                for number, (image, one, label) in enumerate(boxes, 1)
            ],
        }  # fmt: skip
        truth.createIndex()
        results = [
            {"image_id": image, "category_id": label, "bbox": one, "score": score}
            for image, of in found.items()
            for one, label, score in of
        ]
        theirs = COCOeval(truth, truth.loadRes(results), "bbox")
        theirs.evaluate()
        theirs.accumulate()
        theirs.summarize()

    def column(of: dict, has_scores: bool) -> list[dict]:
        rows = []
        for image in images:
            row = {"boxes": [one[0] for one in of[image]], "labels": [one[1] for one in of[image]]}
            rows.append({**row, "scores": [one[2] for one in of[image]]} if has_scores else row)
        return rows

    ours = qassay.score(
        "average_precision", column(found, True), column(gold, False), task="boxes", style="coco", box_format="xywh"
    ).summary()
    pairs = zip(("map", "map@0.5", "map@0.75"), map(float, theirs.stats[:3]), strict=True)
    return unlike(((name, value, ours[name]) for name, value in pairs), digits=9)


PROGRAMS: dict[str, tuple[str, Callable[[Path, Random, int], Unlike]]] = {
    "SQuAD 1.1": ("evaluate-v1.1.py", squad_1),
    "SQuAD 2.0": ("evaluate-v2.0.py", squad_2),
    "MLQA": ("mlqa_evaluation_v1.py", mlqa),
    "TriviaQA": ("triviaqa_evaluation.py", triviaqa),
    "DROP": ("drop_eval.py", drop),
    "HotpotQA": ("hotpot_evaluate_v1.py", hotpotqa),
    "trec_eval": ("trec_eval", trec_eval),
    "BioASQ": ("BioASQEvaluation.jar", bioasq),
}
PACKAGES: dict[str, tuple[str, Callable[[types.ModuleType, Random, int], Unlike]]] = {
    "pytrec_eval": ("pytrec_eval", pytrec_eval),
    "scikit-learn": ("sklearn.metrics", scikit_learn),
    "torchmetrics": ("torchmetrics.functional.classification", torchmetrics),
    "pycocotools": ("pycocotools.coco", pycocotools),
}


def subjects(folder: Path | None) -> Iterator[tuple[str, Any, Callable[[Any, Random, int], Unlike]]]:
    """The name of each program and package, its path or module (None if missing), and the function that compares it."""
    for name, (file, compare) in PROGRAMS.items():
        found = sorted(path for path in folder.rglob(file) if path.is_file()) if folder else []
        yield name, found[0] if found else None, compare
    for name, (module, compare) in PACKAGES.items():
        try:
            yield name, importlib.import_module(module), compare
        except ImportError:
            yield name, None, compare


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; its exit status is 1 if numbers differ."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=Path, help="the folder of the programs; only packages where it is not given")
    parser.add_argument("--rows", type=int, default=2000, help="questions for each (2000)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", action="append", choices=[*PROGRAMS, *PACKAGES], help="this one; may be given again")
    given = parser.parse_args(arguments)
    differs = False
    for name, subject, compare in subjects(given.programs):
        if given.only and name not in given.only:
            continue
        if subject is None:
            print(f"{name}: not here, skipped")
            continue
        found = compare(subject, Random(f"{name} {given.seed}"), given.rows)
        print(f"{name}: {found.compared:,} numbers, {len(found.differences):,} differ", flush=True)
        for one in found.differences[:5]:
            print(f"    {one}")
        differs = differs or bool(found.differences)
    return int(differs)


if __name__ == "__main__":
    sys.exit(main())
