"""The examples of the result document: columns of numbers, and texts for a budget of characters."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..core.columns import counted
from ..core.examples import Examples, ExampleText, gold_rows
from ..core.scores import Scores
from ..stats.runs import DrawnScores, Runs
from .parts import Part
from .plain_data import finite, short_numbers

_MOST_DOCUMENTS = 10
_MOST_REASONED = 50  # examples of a system with reasons for their scores
_MOST_REASONS = 3  # of one answer


def add_examples(parts: Sequence[Part], budget: int) -> dict[str, Any]:
    """Add their examples to parts: all numbers, and texts, those of wrong and disagreeing examples first.

    Args:
        budget: the largest number of characters.

    Returns:
        budget, used, and in words what was left out.
    """
    used, sentences = 0, []
    for part in parts:
        part.data["examples"] = _numbers(part)
        if not _has_texts(part):
            continue
        if not budget:
            sentences = ["texts are left out"]
            continue
        size, left_out = _add_texts(part, budget - used)
        used += size
        if left_out:
            of = f" of {part.data['metric']}" if len(parts) > 1 else ""
            sentences.append(
                f"the texts of {counted(left_out, part.about.examples_name)}{of} are left out, since a document has at most "
                f"{budget:,} characters of texts; those that a system answers wrong come first"
            )
    return {"budget": budget, "used": used, "left_out": "; ".join(sentences)}


# --- numbers ----------------------------------------------------------------------------------------------------------


def _numbers(part: Part) -> dict[str, Any]:
    """The columns of examples without texts."""
    code = {kind["name"]: code for code, kind in enumerate((part.data["kinds"] or {"order": ()})["order"])}
    columns = {}
    for system, scores in part.systems.items():
        values = {
            name: short_numbers(part.by_example(system, of_rows, np.nan))
            for name, of_rows in _values(part, scores).items()
        }
        of_rows = np.array([code[kind] for kind in part.about.errors.of(scores) or ()] if code else [], np.int64)
        codes = None if part.data["kinds"] is None else part.by_example(system, of_rows, -1).tolist()
        columns[system] = {"answers": None, "values": values, "kinds": codes}
    return {
        "ids": [identifier if isinstance(identifier, (str, int)) else str(identifier) for identifier in part.ids],
        "has_text": None,
        "are_texts": "texts" in part.about.answers_are,
        "question": None,
        "gold": None,
        "contexts": [],
        "context": None,
        "systems": columns,
    }


def _values(part: Part, scores: Scores) -> dict[str, np.ndarray]:
    """The shown measures with a value for each row, without those that only repeat another one in a subset."""
    found: dict[str, np.ndarray] = {}
    seen = set()
    for one in part.data["measures"]:
        measure = scores.measures.get(one["name"])
        if not one["shown"] or measure is None or not measure.has_interval or scores.are_buckets:
            continue
        if measure.subset is not None and (measure.reads, type(measure)) in seen:
            continue
        values = measure.by_example(scores.rows)
        if values is not None and np.isfinite(values).any():
            found[one["name"]] = (part.scale if measure.is_rate else 1) * np.asarray(values, np.float64)
            seen.add((measure.reads, type(measure)))
    return found


# --- texts ------------------------------------------------------------------------------------------------------------


def _has_texts(part: Part) -> bool:
    """Whether texts are known: there are columns, or the scores have them."""
    first = next(iter(part.systems.values()))
    if first.are_buckets or any(isinstance(scores, DrawnScores) for scores in part.systems.values()):
        return False
    has_columns = bool(part.scored.gold.columns) and all(part.scored.systems[system].columns for system in part.systems)
    return has_columns or part.about.texts_in_scores(first.options)


def _add_texts(part: Part, budget: int) -> tuple[int, int]:
    """Add the texts of a part; returns their size, and of how many examples they are left out."""
    examples, used, kept, context = part.data["examples"], 0, [False] * len(part.ids), _contexts(part)
    texts = {system: _listed(part, system, _texts_of_system(part, system)) for system in part.systems}
    first = [next(filter(None, of)) for of in zip(*texts.values(), strict=True)]  # with the first system that has it
    sizes = [len(of.question or "") + sum(map(len, of.gold)) for of in first]
    for listed in texts.values():
        sizes = [size if of is None else size + _answers_size(of) for size, of in zip(sizes, listed, strict=True)]
    number: dict[str | None, int] = {None: -1}  # of each context, which counts with its first example
    for index in _wrong_first(part).tolist():
        text = context[index]
        size = sizes[index] + (0 if text in number else len(text or ""))
        if used + size > budget:
            break
        used, kept[index] = used + size, True
        number.setdefault(text, len(number) - 1)
    first = [of if keep else None for of, keep in zip(first, kept, strict=True)]
    questions = [text and text.question for text in first]
    examples |= {
        "has_text": None if all(kept) else kept,
        "question": questions if any(questions) else None,
        "gold": [text and text.gold for text in first],
    }
    if any(context):
        codes = [number[text] if keep else -1 for text, keep in zip(context, kept, strict=True)]
        examples |= {"contexts": [*number][1:], "context": codes}
    for system, of_system in examples["systems"].items():
        shown = [text if keep else None for text, keep in zip(texts[system], kept, strict=True)]
        of_system["answers"] = [text and text.answers for text in shown]
        whole = [text and text.whole for text in shown]
        further = {
            "whole": whole if any(whole) else None,
            "documents": _documents(part, system, np.array(kept)),
            "reasons": _reasons(part, system),
        }
        of_system |= {name: column for name, column in further.items() if column}
    return used, kept.count(False)


def _answers_size(text: ExampleText) -> int:
    """The number of characters of the answers of a system."""
    return sum(map(len, text.answers)) + len(text.whole or "")


def _wrong_first(part: Part) -> np.ndarray:
    """The example indices: wrong and disagreeing examples, then the others."""
    n, kinds, systems = len(part.ids), part.data["kinds"], list(part.data["examples"]["systems"].values())
    comes_first = np.zeros(n, bool)
    if kinds is not None:
        wrong = [code for code, kind in enumerate(kinds["order"]) if not kind["right"]]
        comes_first |= np.any([np.isin(of["kinds"], wrong) for of in systems], axis=0)
    for name in systems[0]["values"]:
        values = np.array([of["values"].get(name, [None] * n) for of in systems], np.float64)
        known = np.nan_to_num(values, nan=-np.inf)
        comes_first |= (known != known[0]).any(axis=0)
        if kinds is None:
            comes_first |= (values < np.nanmax(values[0])).any(axis=0)
    return np.argsort(~comes_first, kind="stable")


def _listed(part: Part, system: str, of_rows: Iterable[Any]) -> list[Any]:
    """The item of each example, from that of each row of the scores of a system; None without one."""
    column: list[Any] = [None] * len(part.ids)
    for index, item in zip(part.indices[system].tolist(), of_rows, strict=True):
        column[index] = item
    return column


def _examples(part: Part, system: str, rows: Sequence[int] | None = None) -> Examples:
    return Examples(part.scored.gold, part.scored.systems[system].columns, part.systems[system], rows)


def _texts_of_system(part: Part, system: str) -> list[ExampleText]:
    """The texts of each row of the scores; for several runs one answer per run, "" for a missing answer."""
    scores, of = part.systems[system], part.scored.systems[system]
    if not isinstance(scores, Runs):
        return part.about.example_texts(_examples(part, system))
    by_run = [
        part.about.example_texts(Examples(part.scored.gold, (of.runs or {run: of})[run].columns, of_run))
        for run, of_run in scores.each_run().items()
    ]
    return [
        texts[0]._replace(answers=[", ".join(text.answers) for text in texts], whole=None)
        for texts in zip(*by_run, strict=True)
    ]


def _contexts(part: Part) -> list[str | None]:
    """The context of each example; None without one."""
    found: list[str | None] = [None] * len(part.ids)
    contexts = part.scored.gold.details.get("context") or []
    for system, scores in part.systems.items() if contexts else ():
        for index, row in zip(part.indices[system].tolist(), gold_rows(part.scored.gold, scores), strict=True):
            found[index] = None if contexts[row] is None else str(contexts[row])
    return found


def _documents(part: Part, system: str, has_text: np.ndarray) -> list[Any] | None:
    """The top documents with their relevance, for a metric whose answers are documents; None without any."""
    documents_of, indices = part.about.documents, part.indices[system]
    if documents_of is None or isinstance(part.systems[system], Runs) or not part.scored.systems[system].columns:
        return None
    rows = np.flatnonzero(has_text[indices]).tolist()
    judged: list[Any] = [None] * len(indices)
    for row, documents in zip(rows, documents_of(_examples(part, system, rows), _MOST_DOCUMENTS), strict=True):
        judged[row] = [
            [str(one.name), one.is_relevant if one.relevance is None else finite(one.relevance)] for one in documents
        ]
    return _listed(part, system, judged) if any(judged) else None


def _reasons(part: Part, system: str) -> dict[str, Any] | None:
    """What moved the lowest scores: example index -> effects and words, for a metric that gives reasons."""
    reasons_of, scores, lead = part.about.reasons, part.systems[system], part.data["leads"]
    if (
        reasons_of is None
        or scores.n_runs > 1
        or not part.scored.systems[system].columns
        or lead not in scores.measures
    ):
        return None
    values = scores.measures[lead].by_example(scores.rows)
    if values is None:
        return None
    graded = np.flatnonzero((values > 0) & (values < 1))
    rows = graded[np.argsort(values[graded], kind="stable")][:_MOST_REASONED].tolist()
    reasons = reasons_of(_examples(part, system, rows), _MOST_REASONS) if rows else []
    return {
        str(index): [[finite(reason.effect), reason.words] for reason in moved]
        for index, moved in zip(part.indices[system][rows].tolist(), reasons, strict=True)
        if moved
    }
