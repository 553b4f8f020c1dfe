"""The verdicts of EVOUNA (Wang et al. 2023, "Evaluating Open-QA Evaluation") as rows, for benchmark scripts."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

SETS = ("nq", "triviaqa_half")
SYSTEMS = ("fid", "gpt35", "chatgpt", "gpt4", "newbing")
_NEEDED = {
    "question",
    "golden_answer",
    "improper",
    *(f"{what}_{name}" for what in ("answer", "judge") for name in SYSTEMS),
}
_WHERE = "the files of EVOUNA are in the repository wangcunxiang/QA-Eval on GitHub"


class Rows(NamedTuple):
    """n judged answers."""

    questions: list[str]
    golds: list[list[str]]
    answers: list[str]
    accepted: np.ndarray
    systems: np.ndarray


def read_rows(path: Path) -> Rows:
    """The judged answers of a file of EVOUNA, without questions that the file calls improper.

    Raises:
        SystemExit: there is no such file, or it is not EVOUNA.
    """
    found: list[tuple] = []
    try:
        rows = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise SystemExit(f"{path}: {error.strerror}; {_WHERE}") from None
    except ValueError as error:
        raise SystemExit(f"{path} is not JSON: {error}; {_WHERE}") from None
    if not isinstance(rows, list) or not all(isinstance(row, dict) and row.keys() >= _NEEDED for row in rows):
        raise SystemExit(f"{path} is not a file of EVOUNA: every row needs {', '.join(sorted(_NEEDED))}; {_WHERE}")
    for row in rows:
        if row["improper"] or not row["golden_answer"]:
            continue
        golds = [gold for gold in map(str.strip, row["golden_answer"].split("/")) if gold]
        for system in SYSTEMS:
            verdict = row[f"judge_{system}"]
            if verdict is not None:
                found.append((row["question"], golds, row[f"answer_{system}"] or "", float(verdict), system))
    questions, gold_rows, answers, accepted, systems = zip(*found, strict=True)
    return Rows([*questions], [*gold_rows], [*answers], np.array(accepted), np.array(systems))


def joined(parts: Sequence[Rows]) -> Rows:
    """The concatenated rows of several sets."""
    lists = [[text for part in parts for text in part[column]] for column in range(3)]
    return Rows(*lists, *(np.concatenate([part[column] for part in parts]) for column in (3, 4)))


def some_of(rows: Rows, kept: np.ndarray) -> Rows:
    """The rows where `kept` is true."""
    places = np.flatnonzero(kept)
    return Rows(*([column[place] for place in places] for column in rows[:3]), rows.accepted[kept], rows.systems[kept])


def folds_of(texts: Sequence[str], n_folds: int, seed: int = 0) -> np.ndarray:
    """A fold for each row, the same for all rows of a question or gold answer."""
    distinct = sorted(set(texts))
    fold = dict(zip(distinct, np.random.default_rng(seed).permutation(len(distinct)) % n_folds, strict=True))
    return np.array([fold[text] for text in texts])
