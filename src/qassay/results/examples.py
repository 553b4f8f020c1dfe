"""The examples of the result document: columns of numbers, and texts for a budget of characters."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.about import About
from ..core.columns import counted
from ..core.examples import Examples, ExampleText, gold_rows
from ..core.scores import Scores
from ..stats.runs import DrawnScores, Runs
from .numbers import finite, short_numbers

if TYPE_CHECKING:
    from .parts import Part

TEXT_BUDGET = 20_000_000  # characters of texts in a document
_MOST_DOCUMENTS = 10
_MOST_REASONED = 50  # examples of a system with reasons for their scores
_MOST_REASONS = 3  # of one answer


def examples_of(
    about: About,
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
    number = {kind: code for code, kind in enumerate(kinds or ())}
    columns: dict[str, dict[str, Any]] = {}
    for system, scores in systems.items():
        values = {
            name: short_numbers(_placed(of_rows, places[system], len(ids), np.nan))
            for name, of_rows in _values(scores, measures).items()
        }
        codes = None
        if kinds is not None:
            of_rows = np.array([number[kind] for kind in about.errors.of(scores) or ()], np.int64)
            codes = _placed(of_rows, places[system], len(ids), -1).tolist()
        columns[system] = {"answers": None, "values": values, "kinds": codes}
    return {
        "ids": [identifier if isinstance(identifier, (str, int)) else str(identifier) for identifier in ids],
        "has_text": None,
        "are_texts": "texts" in about.answers_are,
        "question": None,
        "gold": None,
        "contexts": [],
        "context": None,
        "systems": columns,
    }


def _placed(values: np.ndarray, places: np.ndarray, n: int, absent: float) -> np.ndarray:
    """The value of each example, from that of each row of scores."""
    found = np.full(n, absent, values.dtype)
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
            found[name] = np.asarray(values, np.float64)
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
    parts_with = [part for part in parts if _has_texts(part)]
    if not budget:
        return {"budget": 0, "used": 0, "left_out": "texts are left out" if parts_with else ""}
    used, sentences = 0, []
    for part in parts_with:
        size, left_out = _add(part, budget - used)
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
    scored, first = part.scored, next(iter(part.systems.values()))
    if first.are_buckets or any(isinstance(scores, DrawnScores) for scores in part.systems.values()):
        return False
    has_columns = bool(scored.gold.columns) and all(scored.systems[system].columns for system in part.systems)
    return has_columns or scored.family.about.texts_in_scores(first.options)


def _add(part: "Part", budget: int) -> tuple[int, int]:
    """Add the texts of a part; returns their size, and of how many examples they are left out."""
    examples, n = part.data["examples"], len(part.ids)
    order = _order(part.data)
    question: list[Any] = [None] * n
    gold: list[Any] = [[] for _ in range(n)]
    seen = np.zeros(n, bool)
    answers, whole = {}, {}
    for system in part.systems:
        places, texts = part.places[system].tolist(), _texts_of_system(part, system)
        answers[system] = _listed([text.answers for text in texts], places, n)
        for place, text in zip(places, texts, strict=True):
            if not seen[place]:
                question[place], gold[place], seen[place] = text.question, text.gold, True
        outputs = _outputs(part, system)
        if outputs is not None:
            whole[system] = _listed(outputs, places, n)
    columns = [question, gold, *answers.values(), *whole.values()]
    sizes = np.sum([np.fromiter(map(_size, column), np.int64, n) for column in columns], axis=0)
    kept = np.cumsum(sizes[order]) <= budget
    used, left_out = int(sizes[order][kept].sum()), n - int(kept.sum())
    has_text = np.zeros(n, bool)
    has_text[order[kept]] = True
    if left_out:
        examples["has_text"] = has_text.tolist()
        for column in columns:
            for place in np.flatnonzero(~has_text).tolist():
                column[place] = None
    examples["question"] = None if all(text is None for text in question) else question
    examples["gold"] = gold
    used += _add_contexts(part, order[kept].tolist(), budget - used)
    for system, of_system in examples["systems"].items():
        of_system["answers"] = answers[system]
        further = {
            "whole": whole.get(system),
            "documents": _documents(part, system, has_text),
            "reasons": _reasons(part, system),
        }
        of_system |= {name: column for name, column in further.items() if column}
    return used, left_out


def _order(data: Mapping[str, Any]) -> np.ndarray:
    """The example indices: wrong and disagreeing examples, then the others."""
    examples, n = data["examples"], len(data["examples"]["ids"])
    is_first = np.zeros(n, bool)
    systems = list(examples["systems"].values())
    right = [code for code, kind in enumerate((data["kinds"] or {"order": ()})["order"]) if kind["right"]]
    for columns in systems:
        if columns["kinds"] is not None:
            codes = np.array(columns["kinds"], np.int64)
            is_first |= (codes >= 0) & ~np.isin(codes, right)
    for name in systems[0]["values"]:
        values = [np.array(of["values"].get(name, [None] * n), np.float64) for of in systems]
        for other in values[1:]:
            is_first |= (values[0] != other) & ~(np.isnan(values[0]) & np.isnan(other))
        if data["kinds"] is None:
            best = np.nanmax(values[0], initial=-np.inf)
            for of_system in values:
                is_first |= of_system < best
    return np.concatenate([np.flatnonzero(is_first), np.flatnonzero(~is_first)])


def _listed(texts: Iterable[Any], places: Sequence[int], n: int) -> list[Any]:
    """The text of each example, from that of each row of scores; None without one."""
    column: list[Any] = [None] * n
    for place, text in zip(places, texts, strict=True):
        column[place] = text
    return column


def _size(text: str | Sequence[str] | None) -> int:
    """The number of characters of a text or of texts."""
    return len(text or "") if isinstance(text, str | None) else sum(map(len, text))


def _examples(part: "Part", system: str, rows: Sequence[int] | None = None) -> Examples:
    return Examples(part.scored.gold, part.scored.systems[system].columns, part.systems[system], rows)


def _texts_of_system(part: "Part", system: str) -> list[ExampleText]:
    """The texts of each row of the scores; for several runs one answer per run, "" for a missing answer."""
    texts_of: Callable[[Examples], list[ExampleText]] = part.scored.family.about.example_texts
    scores, of = part.systems[system], part.scored.systems[system]
    if not isinstance(scores, Runs):
        return texts_of(_examples(part, system))
    by_run = [
        texts_of(Examples(part.scored.gold, (of.runs or {run: of})[run].columns, of_run))
        for run, of_run in scores.each_run().items()
    ]
    return [
        texts[0]._replace(answers=[", ".join(text.answers) for text in texts]) for texts in zip(*by_run, strict=True)
    ]


def _outputs(part: "Part", system: str) -> list[str | None] | None:
    """The outputs from which the answers were extracted; None where the output is the answer."""
    scores, of = part.systems[system], part.scored.systems[system]
    if isinstance(scores, Runs) or getattr(scores.options, "extract", None) is None or not of.columns:
        return None
    texts = part.scored.family.about.outputs(_examples(part, system))
    return [None if text is None else str(text) for text in texts]


def _add_contexts(part: "Part", places: Sequence[int], budget: int) -> int:
    """Add each context of the examples at these places once, as far as the budget allows; returns their size."""
    texts = part.scored.gold.details.get("context")
    if not texts:
        return 0
    row_of: dict[int, int] = {}
    for system, scores in part.systems.items():
        rows = gold_rows(part.scored.gold, scores)
        for place, row in zip(part.places[system].tolist(), rows, strict=True):
            if texts[row] is not None:
                row_of.setdefault(place, row)
    used, number = 0, dict[str, int]()
    for place in places:
        text = str(texts[row_of[place]]) if place in row_of else None
        if text is None or text in number:
            continue
        if used + len(text) > budget:
            break
        used += len(text)
        number[text] = len(number)
    there = [number.get(str(texts[row_of[place]]), -1) if place in row_of else -1 for place in range(len(part.ids))]
    if row_of:
        part.data["examples"] |= {"contexts": list(number), "context": there}
    return used


def _documents(part: "Part", system: str, has_text: np.ndarray) -> list[Any] | None:
    """The top documents with their relevance, for a metric whose answers are documents; None without any."""
    about, places = part.scored.family.about, part.places[system]
    rows = np.flatnonzero(has_text[places]).tolist()
    has_runs = isinstance(part.systems[system], Runs)
    if about.documents is None or has_runs or not part.scored.systems[system].columns or not rows:
        return None
    judged = [
        [[str(one.name), one.is_relevant if one.relevance is None else finite(one.relevance)] for one in documents]
        for documents in about.documents(_examples(part, system, rows), _MOST_DOCUMENTS)
    ]
    return _listed(judged, places[rows].tolist(), len(part.ids)) if any(judged) else None


def _reasons(part: "Part", system: str) -> dict[str, Any] | None:
    """What moved the lowest scores: example index -> effects and words, for a metric that gives reasons."""
    about, scores, lead = part.scored.family.about, part.systems[system], part.data["leads"]
    has_columns = bool(part.scored.systems[system].columns)
    if about.reasons is None or scores.n_runs > 1 or not has_columns or lead not in scores.measures:
        return None
    values = scores.measures[lead].by_example(scores.rows)
    if values is None:
        return None
    graded = np.flatnonzero((values > 0) & (values < 1))
    rows = graded[np.argsort(values[graded], kind="stable")][:_MOST_REASONED].tolist()
    if not rows:
        return None
    places = part.places[system]
    return {
        str(int(places[row])): [[finite(reason.effect), reason.words] for reason in moved]
        for row, moved in zip(rows, about.reasons(_examples(part, system, rows), _MOST_REASONS), strict=True)
        if moved
    }
