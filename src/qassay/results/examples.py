"""The examples of the result document: columns of numbers, and texts for a budget of characters."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.columns import counted
from ..core.examples import Examples, ExampleText, gold_rows
from ..core.reasons import MOST_REASONS
from ..core.scores import Scores
from ..files.score_files import Scored
from ..stats.runs import DrawnScores, Runs
from .numbers import finite, short_numbers

if TYPE_CHECKING:
    from .parts import Part

TEXT_BUDGET = 20_000_000  # characters of texts in a document
_MOST_DOCUMENTS = 10
_MOST_REASONED = 50  # examples of a system with reasons for their scores


def examples_of(
    metric: Scored,
    systems: Mapping[str, Scores],
    ids: Sequence[Any],
    places: Mapping[str, np.ndarray],
    measures: Sequence[str],
    kinds: Sequence[str] | None,
) -> dict[str, Any]:
    """The columns of examples without texts.

    Args:
        systems: in the scale of the document.
        ids: of the examples.
        places: system -> the example index of each row of its scores.
        measures: the measures of the usual table.
        kinds: the kinds of errors in order; None without kinds.
    """
    errors = metric.family.about.errors
    number = {kind: place for place, kind in enumerate(kinds or ())}
    columns: dict[str, dict[str, Any]] = {}
    for system, scores in systems.items():
        own = {
            name: short_numbers(_placed(values, places[system], len(ids)))
            for name, values in _values(scores, measures).items()
        }
        codes = None
        if kinds is not None:
            of_rows = np.array([number[kind] for kind in errors.of(scores) or ()], np.int64)
            of_all = np.full(len(ids), -1, np.int64)
            of_all[places[system]] = of_rows
            codes = of_all.tolist()
        columns[system] = {"answers": None, "values": own, "kinds": codes}
    return no_examples() | {
        "ids": [identifier if isinstance(identifier, (str, int)) else str(identifier) for identifier in ids],
        "are_texts": "texts" in metric.family.about.answers_are,
        "systems": columns,
    }


def no_examples() -> dict[str, Any]:
    """The fields of examples in their order, without any."""
    return {
        "ids": [],
        "has_text": None,
        "are_texts": False,
        "question": None,
        "gold": None,
        "contexts": [],
        "context": None,
        "systems": {},
    }


def _placed(values: np.ndarray, places: np.ndarray, n: int) -> np.ndarray:
    if len(values) == n and (places == np.arange(n)).all():
        return values
    found = np.full(n, np.nan)
    found[places] = values
    return found


def _values(scores: Scores, names: Sequence[str]) -> dict[str, np.ndarray]:
    """The measures with a value for each example, without those that only repeat another one in a subset."""
    if scores.are_buckets:
        return {}
    found: dict[str, np.ndarray] = {}
    seen: set[Any] = set()
    for name in names:
        measure = scores.measures.get(name)
        if measure is None or not measure.has_interval:
            continue
        if measure.subset is not None and (measure.reads, type(measure)) in seen:
            continue
        values = measure.by_example(scores.rows)
        if values is not None and np.isfinite(values).any():
            found[name] = values
            seen.add((measure.reads, type(measure)))
    return found


# --- texts ------------------------------------------------------------------------------------------------------------


def add_texts(parts: Sequence["Part"], budget: int) -> dict[str, Any]:
    """Add texts to the examples of parts, those of wrong and disagreeing examples first.

    Args:
        budget: the largest number of characters.

    Returns:
        budget, used, and in words what was left out.
    """
    used, sentences = 0, []
    if not budget:
        return {"budget": 0, "used": 0, "left_out": "texts are left out" if any(map(_has_texts, parts)) else ""}
    for part in parts:
        if not _has_texts(part):
            continue
        order = _order(part.data)
        size, left_out = _add(part, order, budget - used)
        used += size
        if left_out:
            name = part.scored.family.about.examples_name
            of = f" of {part.data['metric']}" if len(parts) > 1 else ""
            sentences.append(
                f"the texts of {counted(left_out, name)}{of} are left out, since a document has at most {budget:,} characters "
                "of texts; those that a system answers wrong come first"
            )
    return {"budget": budget, "used": used, "left_out": "; ".join(sentences)}


def _has_texts(part: "Part") -> bool:
    """Whether texts are known: there are columns, or the scores have them."""
    if not part.systems:
        return False
    scored, first = part.scored, next(iter(part.systems.values()))
    if first.are_buckets or any(isinstance(scores, DrawnScores) for scores in part.systems.values()):
        return False
    has_columns = bool(scored.gold.columns) and all(scored.systems[system].columns for system in part.systems)
    return has_columns or scored.family.about.texts_in_scores(first.options)


def _order(data: Mapping[str, Any]) -> np.ndarray:
    """The example indices: wrong and disagreeing examples, then the others."""
    examples, n = data["examples"], len(data["examples"]["ids"])
    is_first = np.zeros(n, bool)
    systems = list(examples["systems"].values())
    right = [place for place, kind in enumerate((data["kinds"] or {"order": ()})["order"]) if kind["right"]]
    for columns in systems:
        if columns["kinds"] is not None:
            codes = np.array(columns["kinds"], np.int64)
            is_first |= (codes >= 0) & ~np.isin(codes, right)
    for name in examples["systems"] and systems[0]["values"]:
        values = [np.array(of["values"].get(name, [None] * n), np.float64) for of in systems]
        for other in values[1:]:
            is_first |= (values[0] != other) & ~(np.isnan(values[0]) & np.isnan(other))
        if data["kinds"] is None:
            best = np.nanmax(values[0], initial=-np.inf)
            for own in values:
                is_first |= own < best
    return np.concatenate([np.flatnonzero(is_first), np.flatnonzero(~is_first)])


def _add(part: "Part", order: np.ndarray, budget: int) -> tuple[int, int]:
    """Add the texts of a part; returns their size, and of how many examples they are left out."""
    examples, n = part.data["examples"], len(part.ids)
    by_system = {system: _texts_of_system(part, system) for system in part.systems}
    shared: list[ExampleText | None] = [None] * n
    for system, texts in by_system.items():
        for place, text in zip(part.places[system].tolist(), texts, strict=True):
            shared[place] = shared[place] or text
    question = [None if text is None else text.question for text in shared]
    gold = [[] if text is None else text.gold for text in shared]
    answers = {}
    for system, texts in by_system.items():
        column: list[Any] = [None] * n
        for place, text in zip(part.places[system].tolist(), texts, strict=True):
            column[place] = text.answers
        answers[system] = column
    contexts, context = _contexts(part)
    sizes = np.fromiter(map(len, (text or "" for text in question)), np.int64, n)
    sizes += _sizes(gold)
    for column in answers.values():
        sizes += _sizes(column)
    whole = {system: of for system in part.systems if (of := _whole(part, system)) is not None}
    for column in whole.values():
        sizes += np.fromiter(map(len, (text or "" for text in column)), np.int64, n)
    kept = np.cumsum(sizes[order]) <= budget
    used = int(sizes[order][kept].sum())
    has_text = np.zeros(n, bool)
    has_text[order[kept]] = True
    left_out = n - int(kept.sum())
    if left_out:
        examples["has_text"] = has_text.tolist()
        columns: list[list[Any]] = [question, gold, *answers.values(), *whole.values()]
        for column in columns:
            for place in np.flatnonzero(~has_text).tolist():
                column[place] = None
    examples["question"] = None if all(text is None for text in question) else question
    examples["gold"] = gold
    for system, column in answers.items():
        examples["systems"][system]["answers"] = column
    for system, column in whole.items():
        examples["systems"][system]["whole"] = column
    used += _add_contexts(examples, contexts, context, order, budget - used)
    for system in part.systems:
        _add_documents(part, system, has_text)
        _add_reasons(part, system)
    return used, left_out


def _sizes(column: Iterable[Sequence[str] | None]) -> np.ndarray:
    """The number of characters of each list of texts."""
    return np.fromiter((sum(map(len, texts or ())) for texts in column), np.int64)


def _texts_of_system(part: "Part", system: str) -> list[ExampleText]:
    """The texts of each row of the scores; for several runs one answer per run, "" for a missing answer."""
    tell, scores, of = part.scored.family.about.example_texts, part.systems[system], part.scored.systems[system]
    if not isinstance(scores, Runs):
        return tell(Examples(part.scored.gold, of.columns, scores))
    by_run = [
        tell(Examples(part.scored.gold, (of.runs or {run: of})[run].columns, own))
        for run, own in scores.each_run().items()
    ]
    return [
        texts[0]._replace(answers=[", ".join(text.answers) for text in texts]) for texts in zip(*by_run, strict=True)
    ]


def _whole(part: "Part", system: str) -> list[str | None] | None:
    """The outputs from which the answers were extracted; None where the output is the answer."""
    scores, of = part.systems[system], part.scored.systems[system]
    if isinstance(scores, Runs) or getattr(scores.options, "extract", None) is None or not of.columns:
        return None
    texts = part.scored.family.about.outputs(Examples(part.scored.gold, of.columns, scores))
    column: list[str | None] = [None] * len(part.ids)
    for place, text in zip(part.places[system].tolist(), texts, strict=True):
        column[place] = None if text is None else str(text)
    return column


def _contexts(part: "Part") -> tuple[list[str], list[int]]:
    """Each context once, and its index for each example; empty without contexts."""
    there = part.scored.gold.details.get("context")
    if not there:
        return [], []
    column = [-1] * len(part.ids)
    number: dict[str, int] = {}
    for system, scores in part.systems.items():
        rows = gold_rows(part.scored.gold, scores)
        for place, row in zip(part.places[system].tolist(), rows, strict=True):
            if column[place] < 0 and there[row] is not None:
                column[place] = number.setdefault(str(there[row]), len(number))
    return list(number), column


def _add_contexts(
    examples: dict[str, Any], contexts: Sequence[str], context: Sequence[int], order: np.ndarray, budget: int
) -> int:
    """Add the contexts that the budget allows, those of the first examples first; returns their size."""
    if not contexts:
        return 0
    used = 0
    kept: dict[int, int] = {}
    has_text = examples["has_text"]
    for place in order.tolist():
        number = context[place]
        if number < 0 or number in kept or has_text is not None and not has_text[place]:
            continue
        if used + len(contexts[number]) > budget:
            break
        used += len(contexts[number])
        kept[number] = len(kept)
    examples["contexts"] = [contexts[number] for number in kept]
    examples["context"] = [kept.get(number, -1) for number in context]
    return used


def _add_documents(part: "Part", system: str, has_text: np.ndarray) -> None:
    """Add the top documents with their relevance, for a metric whose answers are documents."""
    about, scores, of = part.scored.family.about, part.systems[system], part.scored.systems[system]
    if about.documents is None or isinstance(scores, Runs) or not of.columns:
        return
    places = part.places[system]
    rows = np.flatnonzero(has_text[places]).tolist()
    if not rows:
        return
    judged = about.documents(Examples(part.scored.gold, of.columns, scores, rows), _MOST_DOCUMENTS)
    column: list[Any] = [None] * len(part.ids)
    for row, documents in zip(rows, judged, strict=True):
        column[int(places[row])] = [
            [str(one.name), one.is_relevant if one.relevance is None else finite(one.relevance)] for one in documents
        ]
    if any(column):
        part.data["examples"]["systems"][system]["documents"] = column


def _add_reasons(part: "Part", system: str) -> None:
    """Add what moved the lowest scores, for a metric that gives reasons."""
    about, scores, of = part.scored.family.about, part.systems[system], part.scored.systems[system]
    lead = part.data["leads"]
    if about.reasons is None or scores.n_runs > 1 or not of.columns or lead not in scores.measures:
        return
    values = scores.measures[lead].by_example(scores.rows)
    if values is None:
        return
    graded = np.flatnonzero((values > 0) & (values < 1))
    rows = graded[np.argsort(values[graded], kind="stable")][:_MOST_REASONED].tolist()
    if not rows:
        return
    reasons = about.reasons(Examples(part.scored.gold, of.columns, scores, rows), MOST_REASONS)
    places = part.places[system]
    found = {
        str(int(places[row])): [[finite(reason.effect), reason.words] for reason in moved]
        for row, moved in zip(rows, reasons, strict=True)
        if moved
    }
    if found:
        part.data["examples"]["systems"][system]["reasons"] = found
