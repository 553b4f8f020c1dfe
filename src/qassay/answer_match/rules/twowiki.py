"""The measures of 2WikiMultihopQA: the answer, its supporting facts, its evidence triples, and all three together.

The values match `2wikimultihop_evaluate_v1.1.py` of Alab-NII/2wikimultihop, for the task of Ho et al. (2020),
"Constructing A Multi-hop QA Dataset for Comprehensive Evaluation of Reasoning Steps".
"""

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ...core.answers import AnswerColumns, Detail
from ...core.columns import is_list, items_of
from ...core.presets import Preset
from ...core.shown import describe
from ...core.text import get_normalizer
from . import Rules, cells_as
from .hotpotqa import HOTPOTQA_ANSWERS, MEASURES, Figures, figures_of, joint, match_answers, part_columns

_Triple = tuple[str, str, str]


def _score_twowiki(columns: AnswerColumns, options: Any) -> dict[str, np.ndarray]:
    """The scores of the given parts, with the prefixes "", "sp_" and "evi_", and of all three with "joint_"."""
    answers = [answer or "" for answer in columns.predictions]
    found = match_answers(answers, columns.references, options.normalizer)
    given = [answer is not None for answer in columns.predictions]
    parts = {"": np.array([np.where(given, found[name], 0.0) for name in MEASURES])}
    if columns.predicted_facts is not None and columns.gold_facts is not None:
        facts = zip(columns.predicted_facts, columns.gold_facts, strict=True)
        parts["sp_"] = figures_of(None if said is None else _fact_figures(said, gold or ()) for said, gold in facts)
        columns.counts["missing_facts"] = columns.predicted_facts.count(None)
    evidence = _evidence_of(columns)
    if evidence is not None:
        parts["evi_"] = figures_of(evidence)
    return part_columns({**parts, "joint_": joint(parts.values())} if len(parts) == 3 else parts)


def _evidence_of(columns: AnswerColumns) -> list[Figures | None] | None:
    """The figures of the triples of each row, None for a row without triples; None if neither side has triples."""
    predicted, gold = columns.predicted_details.get("evidence"), columns.gold_details.get("evidences")
    if predicted is None and gold is None:
        return None
    if predicted is None or gold is None:
        side = "predicted_details lacks 'evidence'" if predicted is None else "gold_details lacks 'evidences'"
        raise ValueError(f"{side}, which the other has; give it in both, or in neither")
    return [
        None if said is None else _evidence_figures(said, right) for said, right in zip(predicted, gold, strict=True)
    ]


def _fact_figures(predicted: Iterable[tuple[str, int]], gold: Iterable[tuple[str, int]]) -> Figures:
    """Facts are compared with lower-case titles; two facts that become equal count twice, as in the script."""
    said, golds = ([(title.lower(), sentence) for title, sentence in facts] for facts in (predicted, gold))
    hits = sum(fact in golds for fact in said)
    missed = sum(fact not in said for fact in golds)
    recall = hits / (hits + missed) if hits + missed else 0.0
    return float(hits == len(said) and not missed), hits / len(said) if said else 0.0, recall


def _evidence_figures(predicted: set[_Triple], golds: Sequence[set[_Triple]]) -> Figures:
    """A triple is correct if it is one of the wordings of a gold triple."""
    hits = sum(any(triple in wordings for wordings in golds) for triple in predicted)
    precision, recall = (hits / len(triples) if triples else 0.0 for triples in (predicted, golds))
    return float(hits == len(predicted) == len(golds)), precision, recall


def _triples(row: Any, where: str) -> set[_Triple]:
    return {_triple(triple, where) for triple in items_of(row, where, "triples [subject, relation, object]")}


def _triple(triple: Any, where: str) -> _Triple:
    if not is_list(triple) or len(triple) != 3 or not all(isinstance(part, str) for part in triple):
        raise TypeError(f"{where} has {describe(triple)} instead of a triple of three texts")
    subject, relation, thing = map(get_normalizer("lower+ascii_punctuation+spaces"), triple)
    return subject, relation, thing


def _alternatives(row: Any, where: str) -> list[set[_Triple]]:
    """The gold triples of a row, each with its wordings: a triple, or a list of equivalent triples."""
    triples = items_of(row, where, "triples, or of lists of triples that say the same")
    several = [triple if is_list(triple) and len(triple) and is_list(triple[0]) else [triple] for triple in triples]
    return [{_triple(triple, where) for triple in wordings} for wordings in several]


# Texts with supporting facts and evidence triples; each may be missing while the others are given.
_ANSWERS = dataclasses.replace(
    HOTPOTQA_ANSWERS,
    gold_details={"evidences": Detail(cells_as(_alternatives))},
    predicted_details={"evidence": Detail(cells_as(_triples, or_none=True))},
)

TWOWIKI_PRESET = Preset(
    name="2wiki",
    line="2WikiMultihopQA: answers, supporting facts, evidence triples, and all three together",
    source="Alab-NII/2wikimultihop, 2wikimultihop_evaluate_v1.1.py",
    rules=Rules(_score_twowiki, _ANSWERS, nothing=frozenset({"", "noanswer"}), zero_missing=False),
    measures=("exact_match", "f1", "sp_f1", "evi_f1", "joint_f1"),
    columns={
        "gold_facts": "supporting facts, lists of [title, sentence]",
        "predicted_facts": "the supporting facts that the system gave",
        "gold_details": "evidences: lists of triples, or of lists of equivalent triples",
        "predicted_details": "evidence: lists of triples",
    },
    differences="Pass aliases as gold answers and as equivalent triples. The script rounds totals to two decimals.",
)
