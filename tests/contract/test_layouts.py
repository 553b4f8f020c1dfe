"""Generated layouts of the same rows: every family gives the numbers of the plain lists."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import qassay

from .families import CASES

# Metric -> how rows with ids hold a prediction and a reference: their keys; None: the rows are dicts themselves.
KEYS: dict[str, tuple[str | None, str | None]] = {
    "answer_match": ("prediction_text", "answers"),
    "semantic_answer_similarity": ("prediction_text", "answers"),
    "answer_equivalence": ("prediction_text", "answers"),
    "claim_support": ("verdicts", "gold"),
    "retriever_reader": (None, None),
    "retrieval_ranking": ("documents", "documents"),
}
BY_POSITION: dict[str, Callable[[list[Any]], Any]] = {"list": list, "tuple": tuple, "iterator": iter}
IN_TABLES = ("answer_match", "semantic_answer_similarity", "answer_equivalence")


def rows_of(ids: list[Any], values: list[Any], key: str | None) -> list[dict[str, Any]]:
    return [{**value, "id": name} if key is None else {"id": name, key: value} for name, value in zip(ids, values)]


def side(layout: str, ids: list[Any], values: list[Any], key: str | None) -> Any:
    if layout in BY_POSITION:
        return BY_POSITION[layout](values)
    if layout == "by id":
        return dict(zip(ids, values, strict=True))
    rows = rows_of(ids, values, key)
    if layout == "rows with more keys":
        return [{"title": "t", **row, "context": None} for row in rows]
    return pd.DataFrame(rows) if layout == "frame" else rows


@st.composite
def layouts(draw: st.DrawFn, name: str) -> dict[str, Any]:
    """Columns of a family in one of their layouts, and the plain lists that say the same."""
    case = CASES[name]
    n = draw(st.integers(1, 5))
    rows = [case.rows[draw(st.integers(0, len(case.rows) - 1))] for _ in range(n)]
    predictions, references = [row[draw(st.integers(0, 1))] for row in rows], [row[2] for row in rows]
    ids = draw(st.permutations([f"q{row}" for row in range(n)] if draw(st.booleans()) else list(range(n))))
    weights = draw(st.none() | st.lists(st.sampled_from([0.5, 1, 2]), min_size=n, max_size=n))
    plain = {"predictions": predictions, "references": references, "ids": ids, "weights": weights}
    with_ids = ["by id"]
    if case.metric in KEYS:
        with_ids += ["rows", "rows with more keys"] + ["frame"] * (case.metric in IN_TABLES)
    keys = KEYS.get(case.metric, (None, None))
    columns: dict[str, Any] = {}
    if draw(st.booleans()):
        orders = [draw(st.permutations(range(n))) for _ in range(2)]
        layout = [draw(st.sampled_from(with_ids)) for _ in range(2)]
        if "by id" in layout and case.metric not in KEYS:
            layout = ["by id", "by id"]
        given_ids = [ids, [str(name) for name in ids] if draw(st.booleans()) else ids]
        for of, place in (("predictions", 0), ("references", 1)):
            order = orders[place]
            taken = [given_ids[place][row] for row in order], [plain[of][row] for row in order]
            columns[of] = side(layout[place], *taken, keys[place])
        in_order = orders[1]
    else:
        for of in ("predictions", "references"):
            columns[of] = side(draw(st.sampled_from(list(BY_POSITION))), ids, plain[of], None)
        columns["ids"] = draw(st.sampled_from([list, tuple, np.array, pd.Series]))(ids)
        in_order = list(range(n))
    if weights is not None:
        by_order = [weights[row] for row in in_order]
        by_id = {ids[row]: weights[row] for row in in_order}
        kind = draw(st.sampled_from(["list", "array", "by id"]))
        columns["weights"] = {"list": by_order, "array": np.array(by_order), "by id": by_id}[kind]
    return {"columns": columns, "plain": {key: column for key, column in plain.items() if column is not None}}


def numbers(scores: Any) -> str:
    """The values and the statistics by id."""
    order = np.argsort([str(name) for name in scores.ids], kind="stable")
    columns = {name: np.asarray(column)[order].tolist() for name, column in scores.columns.items() if np.ndim(column)}
    subsets = {name: mask[order].tolist() for name, mask in scores.subsets.items()}
    return json.dumps([scores.summary(), columns, subsets, sorted(map(str, scores.ids))])


ONE_PER_METRIC = list({case.metric: name for name, case in reversed(CASES.items())}.values())


def check_layouts(name: str, times: int) -> None:
    case = CASES[name]

    @settings(max_examples=times, deadline=None)
    @given(layouts(name))
    def check(found: dict[str, Any]) -> None:
        plain = qassay.score(case.metric, **found["plain"], **case.options)
        assert numbers(qassay.score(case.metric, **found["columns"], **case.options)) == numbers(plain)

    check()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ONE_PER_METRIC)
def test_layouts(name: str) -> None:
    check_layouts(name, 60)


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ONE_PER_METRIC)
def test_many_layouts(name: str) -> None:
    check_layouts(name, 2000)
