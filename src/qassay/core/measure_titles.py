"""The usual written names of measures, and the parts of each measure: "f1" is F1, and "best_f1" is shown below it."""

import re
from collections.abc import Collection, Iterator, Mapping

# How the words in names are written, except plain English words.
_WORDS = {
    "d": "D", "dcg": "DCG", "em": "EM", "err": "ERR", "f": "F", "f1": "F1", "gm": "GM", "gmap": "GMAP", "heq": "HEQ",
    "infap": "infAP", "iou": "IoU", "iprec": "interpolated precision", "jaccard": "Jaccard", "kilt": "KILT", "map": "MAP",
    "mrr": "MRR", "ndcg": "nDCG", "anls": "ANLS", "p": "P", "q": "Q", "r": "R", "rbp": "RBP",
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


def measure_title(measure: str, titles: Mapping[str, str] | None = None) -> str:
    """The usual written name of a measure.

    Args:
        measure: a name, with cutoff, parameters or class where it has them.
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


def part_of(measure: str, names: Collection[str], titles: Mapping[str, str] | None = None) -> tuple[str | None, str]:
    """The measure among others that a measure is a part of, such as its value over all questions; and its title below that.

    Example:
        >>> [part_of(name, ("f1", "best_f1", "mrr")) for name in ("best_f1", "mrr")]
        [('f1', 'at the best threshold'), (None, 'MRR')]
    """
    for whole, part in _wholes(measure):
        if whole in names:
            return whole, _PARTS[part]
    return None, measure_title(measure, titles)


def _wholes(measure: str) -> Iterator[tuple[str, str]]:
    """The measures that a measure may be a part of, by its name, and the part."""
    for part in _PARTS:
        for whole in (measure.removesuffix(f"_{part}"), measure.removeprefix(f"{part}_")):
            if whole and whole != measure and whole != "total":
                yield whole, part
