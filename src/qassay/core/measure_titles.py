"""The usual written names of measures, and the parts of each measure: "f1" is F1, and "best_f1" is shown below it."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

# How the words in names are written, except plain English words.
_WORDS = {
    "d": "D", "dcg": "DCG", "em": "EM", "err": "ERR", "f": "F", "f1": "F1", "gm": "GM", "gmap": "GMAP", "heq": "HEQ",
    "infap": "infAP", "iou": "IoU", "iprec": "interpolated precision", "jaccard": "Jaccard", "kilt": "KILT", "map": "MAP",
    "mrr": "MRR", "ndcg": "nDCG", "anls": "ANLS", "p": "P", "psndcg": "PSnDCG", "psp": "PSP", "q": "Q", "r": "R", "rbp": "RBP",
    "rndcg": "RnDCG", "rprec": "R-precision", "sas": "SAS", "sp": "supporting facts", "top1": "top-1", "topk": "top-k",
    "yesno": "yes/no",
}  # fmt: skip
# The prefix or suffix of the name of a part, and how it is written.
_PARTS = {
    "threshold": "that threshold",
    "has_answer": "with an answer",
    "no_answer": "without an answer",
    "best": "at the best threshold",
}
_STEM = re.compile(r"[^@(\[]*")


class NestedMeasure(NamedTuple):
    """A measure in a table: its depth below the measure that it is a part of, and its displayed name."""

    name: str
    depth: int
    title: str


def measure_title(measure: str, titles: Mapping[str, str] | None = None) -> str:
    """The usual written name of a measure.

    Args:
        measure: a name, with cut-off, parameters or class where it has them.
        titles: names without these -> their written form, if the rules here do not cover them.

    Example:
        >>> measure_title("exact_match"), measure_title("ndcg@10"), measure_title("reader_topk_f1")
        ('Exact match', 'nDCG@10', 'Reader top-k F1')
        >>> measure_title("best_f1"), measure_title("f1[yes_no]"), measure_title("contains@3", {"contains": "Contained"})
        ('F1, at the best threshold', 'F1[yes_no]', 'Contained@3')
    """
    stem = _STEM.match(measure)[0]  # type: ignore[index]  # any text fits
    if stem in (titles or {}):
        return (titles or {})[stem] + measure[len(stem) :]
    for whole, part in _wholes(measure):
        return f"{measure_title(whole, titles)}, {_PARTS[part]}"
    text = " ".join(_WORDS.get(word, word) for word in stem.split("_"))
    is_written = stem.split("_")[0] in _WORDS and not text.startswith(("interpolated", "supporting", "top", "yes"))
    return (text if is_written else text[:1].upper() + text[1:]) + measure[len(stem) :]


def nested_measures(names: Iterable[str], titles: Mapping[str, str] | None = None) -> list[NestedMeasure]:
    """Measures in table order: each is followed by its parts, such as its value over questions without an answer.

    Example:
        >>> [(one.name, one.depth, one.title) for one in nested_measures(["f1", "mrr", "best_f1"])]
        [('f1', 0, 'F1'), ('best_f1', 1, 'at the best threshold'), ('mrr', 0, 'MRR')]
    """
    parts: dict[str, list[tuple[str, str]]] = {}
    there = list(names)
    for name in there:
        whole, part = next((found for found in _wholes(name) if found[0] in there), ("", ""))
        parts.setdefault(whole, []).append((name, _PARTS[part] if part else measure_title(name, titles)))

    def walk(whole: str, depth: int) -> Iterator[NestedMeasure]:
        for name, title in parts.get(whole, ()):
            yield NestedMeasure(name, depth, title)
            yield from walk(name, depth + 1)

    return list(walk("", 0))


def _wholes(measure: str) -> Iterator[tuple[str, str]]:
    """The measures that a measure may be a part of, by its name, and the part."""
    for part in _PARTS:
        for whole in (measure.removesuffix(f"_{part}"), measure.removeprefix(f"{part}_")):
            if whole and whole != measure and whole != "total":
                yield whole, part
