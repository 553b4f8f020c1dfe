"""Golden rewards: published reward files on random and adversarial rows, stored in tests/data/rewards.json.

    python benchmarks/reward_goldens.py --programs FOLDER

FOLDER holds search_r1_like_qa_em.py of verl, qa_em.py and qa_em_format.py of Search-R1, and metrics.py of FlashRAG, in
folders of any name. They are imported, so use only files that you trust.
"""

import argparse
import contextlib
import io
import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any, NamedTuple

from preset_goldens import load_program
from preset_rows import Columns, answer_pairs, changed, pack, phrase, rows_hash, tagged

FILE = Path(__file__).resolve().parents[1] / "tests" / "data" / "rewards.json"
_PROMPT = (
    "<|im_start|>user\nReason inside <think> and </think>, call <search> query </search> and read <information> and </information>. Write the "
    "answer inside <answer> and </answer>, for example <answer> Beijing </answer>. Question: {}?<|im_end|>\n<|im_start|>assistant\n"
)
_TAGS = [f"<{end}{name}>" for name in ("think", "search", "information", "answer") for end in ("", "/")]


class Case(NamedTuple):
    """A published reward on rows, and the equivalent settings of `qassay.reward`.

    Attributes:
        program: the name of the published file.
        rows: makes the columns.
        official: program -> function of a text and its gold answers.
        settings: of `qassay.reward`.
    """

    program: str
    rows: Callable[[Random, int], Columns]
    official: Callable[[ModuleType], Callable[[str, Any], float]]
    settings: dict[str, Any]
    n: int = 400
    seed: int = 1


def written(random: Random, n: int) -> Columns:
    """Completions with no, one, two, nested, unclosed, upper-case and many tags; gold answers also as a text, or none."""
    columns = tagged(random, n)
    texts, golds = columns["predictions"], columns["references"]
    for row in range(n):
        kind = random.random()
        if kind < 0.1:  # one more tag than verl allows, or as many as it allows
            more = random.choice([9, 10, 11, 30])
            texts[row] = random.choice(["<answer>x</answer>", "</answer>", "<answer>"]) * more + texts[row]
        elif kind < 0.15:
            texts[row] = texts[row].upper()
        elif kind < 0.2:
            golds[row] = golds[row][0]
        elif kind < 0.25:
            golds[row] = []
    return columns


def with_prompts(random: Random, n: int) -> Columns:
    """Texts after a prompt with no, one or two examples of an answer."""
    columns = written(random, n)
    prompts = ["", _PROMPT.format("Who"), _PROMPT.format("Who"), _PROMPT.format("Who") * 2, "<answer>", "</answer>"]
    columns["predictions"] = [random.choice(prompts) + text for text in columns["predictions"]]
    return columns


def with_searches(random: Random, n: int) -> Columns:
    """Texts that think, search, read and answer after a prompt, complete or with an extra, missing or misplaced tag."""
    predictions, references = answer_pairs(random, n)
    texts = []
    for answer, golds in zip(predictions, references, strict=True):
        blocks = [f"<think>{phrase(random)}</think>"]
        for _ in range(random.randrange(3)):
            found = changed(random, random.choice(golds)) if random.random() < 0.4 else phrase(random)
            found = f"{phrase(random)} {found} {phrase(random)}"
            blocks += [f"<search>{phrase(random)}</search>", f"<information>{found}</information>"]
            blocks += [f"<think>{random.choice(['', ' ', phrase(random)])}</think>"]
        blocks += [f"<answer>{answer}</answer>"]
        for _ in range(random.choice([0, 0, 0, 1, 2])):
            place = random.randrange(len(blocks))
            change = random.randrange(5)
            if change == 0:
                del blocks[place : place + 1]
            elif change == 1:
                blocks.insert(place, random.choice([*_TAGS, phrase(random), "\u2003", "<Think>", "<|im_end|>"]))
            elif change == 2:
                blocks.append(random.choice(blocks or [""]))
            elif change == 3 and blocks:
                blocks[place] = blocks[place].replace(random.choice(_TAGS), random.choice(["", *_TAGS]), 1)
            else:
                random.shuffle(blocks)
            blocks = blocks or [""]
        text = random.choice(["", "\n", "\n\n"]).join(blocks)
        start = random.choice([_PROMPT.format("Who")] * 5 + ["", "<|im_start|>assistant", "<answer>a</answer>"])
        texts.append(start + text + random.choice(["", "", "", "\n", "<|im_end|>", "<|im_start|>assistant\n"]))
    golds = [[] if random.random() < 0.03 else own for own in references]
    return {"predictions": texts, "references": golds}


def answered(random: Random, n: int) -> Columns:
    """Plain answers; gold answers also as a text, or none."""
    predictions, references = answer_pairs(random, n)
    references = [random.choice([golds] * 8 + [golds[0], []]) for golds in references]
    return {"predictions": predictions, "references": references}


def _of_texts(function: str, **weights: float) -> Callable[[ModuleType], Callable[[str, Any], float]]:
    return lambda program: lambda text, golds: getattr(program, function)(text, {"target": golds}, **weights)


def _of_flashrag(metric: str, method: str, part: str = "") -> Callable[[ModuleType], Callable[[str, Any], float]]:
    def official(program: ModuleType) -> Callable[[str, Any], float]:
        score = getattr(getattr(program, metric)({"dataset_name": "nq"}), method)
        return lambda text, golds: score(text, golds)[part] if part else score(text, golds)

    return official


_VERL, _SEARCH_R1, _FORMAT = "search_r1_like_qa_em.py", "qa_em.py", "qa_em_format.py"
_WEIGHTS = {"structure_format_score": 0.2, "final_format_score": 0.1, "retrieval_score": 0.1}
CASES = {
    "verl": Case(_VERL, written, _of_texts("compute_score"), {"rules": "verl"}),
    "verl, format_score": Case(
        _VERL, written, _of_texts("compute_score", format_score=0.1), {"rules": "verl", "format_weight": 0.1}, seed=2
    ),
    "verl, subem": Case(
        _VERL, written, _of_texts("compute_score_subem", format_score=0.3),
        {"measure": "sub_em", "rules": "verl", "format_weight": 0.3}, seed=3,
    ),
    "verl, texts with prompts": Case(_VERL, with_prompts, _of_texts("compute_score"), {"rules": "verl"}, seed=4),
    "search_r1_qa_em": Case(_SEARCH_R1, with_prompts, _of_texts("compute_score_em"), {"rules": "search_r1_qa_em"}),
    "search_r1_qa_em, format_score": Case(
        _SEARCH_R1, with_prompts, _of_texts("compute_score_em", format_score=0.1),
        {"rules": "search_r1_qa_em", "format_weight": 0.1}, seed=2,
    ),
    "search_r1_qa_em, subem": Case(
        _SEARCH_R1, with_prompts, _of_texts("compute_score_subem"), {"measure": "sub_em", "rules": "search_r1_qa_em"}, seed=3
    ),
    "search_r1_qa_em_format": Case(
        _FORMAT, with_searches, _of_texts("compute_score_em"), {"rules": "search_r1_qa_em_format"}, n=300
    ),
    "search_r1_qa_em_format, weights": Case(
        _FORMAT, with_searches, _of_texts("compute_score_em", **_WEIGHTS),
        {"rules": "search_r1_qa_em_format", "format_weight": 0.2, "answered_weight": 0.1, "retrieval_weight": 0.1},
        n=600, seed=2,
    ),
    "flashrag, em": Case(
        "metrics.py", answered, _of_flashrag("ExactMatch", "calculate_em"), {"rules": "flashrag"}, n=300
    ),
    "flashrag, acc": Case(
        "metrics.py", answered, _of_flashrag("Sub_ExactMatch", "calculate_sub_em"),
        {"measure": "contains", "rules": "flashrag"}, n=300, seed=2,
    ),
    **{
        f"flashrag, {name}": Case(
            "metrics.py", answered, _of_flashrag("F1_Score", "token_level_scores", name),
            {"measure": name, "rules": "flashrag"}, n=300, seed=3,
        )
        for name in ("f1", "precision", "recall")
    },
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--programs", type=Path, required=True)
    folder = parser.parse_args().programs
    goldens = {}
    for name, case in CASES.items():
        program = load_program(folder, case.program)
        if program is None:
            parser.error(f"{case.program} is not there")
        columns = case.rows(Random(case.seed), case.n)
        official = case.official(program)
        with contextlib.redirect_stdout(io.StringIO()):  # they print one row of 64
            rewards = [float(official(*row)) for row in zip(columns["predictions"], columns["references"], strict=True)]
        goldens[name] = {"hash": rows_hash(columns), **pack(rewards)}
        print(f"{name}: {case.n} rows, {len(set(rewards))} rewards, mean {sum(rewards) / case.n:.3f}")
    FILE.write_text("{\n" + ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in goldens.items()) + "\n}\n")


if __name__ == "__main__":
    main()
