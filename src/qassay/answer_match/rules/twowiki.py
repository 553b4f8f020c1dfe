"""The measures of 2WikiMultihopQA: the answer, its supporting facts, its evidence triples, and all three together.

The values match `2wikimultihop_evaluate_v1.1.py` of Alab-NII/2wikimultihop, for the task of Ho et al. (2020),
"Constructing A Multi-hop QA Dataset for Comprehensive Evaluation of Reasoning Steps".
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ...core.answers import AnswerColumns, AnswerKind, Detail
from ...core.columns import is_list, items_of
from ...core.presets import Preset
from ...core.shown import describe
from ...core.text import get_normalizer
from . import Rules, cells_as, details_of_both
from .hotpotqa import MEASURES, Figures, facts_read, figures_of, joint, match_answers, part_columns

_Triple = tuple[str, str, str]


def _score_twowiki(columns: AnswerColumns, options: Any) -> dict[str, np.ndarray]:
    """The scores of the given parts, with the prefixes "", "sp_" and "evi_", and of all three with "joint_"."""
    answers = [answer or "" for answer in columns.predictions]
    found = match_answers(answers, columns.references, options.normalizer)
    given = [answer is not None for answer in columns.predictions]
    parts = {"": np.array([np.where(given, found[name], 0.0) for name in MEASURES])}
    facts, evidence = details_of_both(columns, "supporting_facts"), details_of_both(columns, "evidences", "evidence")
    if facts is not None:
        parts["sp_"] = figures_of(None if p is None else _fact_figures(p, g or ()) for p, g in zip(*facts, strict=True))
        columns.counts["missing_facts"] = facts[0].count(None)
    if evidence is not None:
        parts["evi_"] = figures_of(
            None if p is None else _evidence_figures(p, g) for p, g in zip(*evidence, strict=True)
        )
    return part_columns({**parts, "joint_": joint(parts.values())} if len(parts) == 3 else parts)


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
_FACTS = Detail(cells_as(facts_read, or_none=True))
_ANSWERS = AnswerKind(
    no_answer=None,
    gold_details={"supporting_facts": _FACTS, "evidences": Detail(cells_as(_alternatives))},
    predicted_details={"supporting_facts": _FACTS, "evidence": Detail(cells_as(_triples, or_none=True))},
)

TWOWIKI_PRESET = Preset(
    name="2wiki",
    line="2WikiMultihopQA: answers, supporting facts, evidence triples, and all three together",
    source="Alab-NII/2wikimultihop, 2wikimultihop_evaluate_v1.1.py",
    rules=Rules(_score_twowiki, _ANSWERS, nothing=frozenset({"", "noanswer"}), zero_missing=False),
    measures=("exact_match", "f1", "sp_f1", "evi_f1", "joint_f1"),
    columns={
        "gold_details": "supporting_facts: lists of [title, sentence]; evidences: lists of triples, or of lists of equivalent "
        "triples (both optional)",
        "predicted_details": "supporting_facts; evidence: lists of triples (both optional)",
    },
    differences="Pass aliases as gold answers and as equivalent triples. The script rounds totals to two decimals.",
)
