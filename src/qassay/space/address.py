"""What the address of the page says: the tab that is open, and which examples it shows."""

import dataclasses
import hashlib
from collections.abc import Iterable, Mapping
from urllib.parse import parse_qsl, urlencode

from ..core.options import did_you_mean
from ..reports.tables import cut_text

DISAGREE = "where systems disagree"  # an order of examples that links ask for
EVERY = "all examples"  # in place of a kind of error
_LONGEST = 60  # characters of an unknown name
MOST_CHARACTERS = 300  # of a field: addresses are written by anybody


@dataclasses.dataclass(frozen=True)
class View:
    """What is looked at. Every field is text from an address, to be checked against what was scored; "" for not given.

    Attributes:
        tab: the id of a tab, such as "errors".
        sample: the example that is loaded.
        system: of whose answers.
        kind: of error.
        slice: the name of a slice and its label, "question_word:who".
        other: the system that it is compared with.
        change: "better" or "worse" than the other system or the "same", "only_right", "only_wrong", "both_right" or "both_wrong".
        measure: by which `change` is meant.
        text: a part of the question, the answers or the id.
        order: of the examples.
        example: the id of the example that is read.
        by: the grouping of the tab Slices.
        baseline, test, correction, measures: of the tab Compare, as `CompareChoices` has them.

    Example:
        >>> View("errors", system="A&B", slice="question_word:who").href()
        '?tab=errors&system=A%26B&slice=question_word%3Awho'
        >>> View.parse("?tab=errors&system=A%26B&theme=dark")
        View(tab='errors', sample='', system='A&B', kind='', slice='', other='', change='', measure='', text='', order='', example='', by='', baseline='', test='', correction='', measures='')
    """

    tab: str = ""
    sample: str = ""
    system: str = ""
    kind: str = ""
    slice: str = ""
    other: str = ""
    change: str = ""
    measure: str = ""
    text: str = ""
    order: str = ""
    example: str = ""
    by: str = ""
    baseline: str = ""
    test: str = ""
    correction: str = ""
    measures: str = ""

    def href(self) -> str:
        """The address, relative to the page; not yet escaped for HTML."""
        given = {name: addressed(value) for name, value in dataclasses.asdict(self).items() if value}
        return f"?{urlencode(given | ({'example': addressed_id(self.example)} if self.example else {}))}"

    @classmethod
    def parse(cls, query: str) -> "View":
        """The view of an address; other fields of the address are ignored, and too long ones are cut."""
        given: Mapping[str, str] = dict(parse_qsl(query.removeprefix("?")[:10_000]))
        names = (field.name for field in dataclasses.fields(cls))
        return cls(**{name: given[name][:MOST_CHARACTERS] for name in names if name in given})


def addressed(text: str) -> str:
    """A text as addresses hold it: cut, and without what cannot be encoded."""
    return _encodable(text)[:MOST_CHARACTERS]


def _encodable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def addressed_id(identifier: str) -> str:
    """An id as addresses hold it, another one for each id: the end of one that does not fit is a hash of the whole."""
    whole = _encodable(identifier)
    if len(whole) <= MOST_CHARACTERS:
        return whole
    digest = hashlib.sha256(whole.encode("utf-8")).hexdigest()[:32]
    return f"{whole[: MOST_CHARACTERS - len(digest) - 1]}~{digest}"


def unknown(what: str, name: str, there: Iterable[str]) -> str:
    """What to tell where a link names what is not there.

    Example:
        >>> unknown("system", "larg", ["small", "large"])
        "Unknown system 'larg' (did you mean 'large'?); there are small, large"
    """
    there = list(there)
    told = f"; there are {', '.join(there)}" if there else ""
    return f"Unknown {what} {cut_text(name, _LONGEST)!r}{did_you_mean(name, there)}{told}"
