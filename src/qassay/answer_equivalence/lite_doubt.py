"""Answers that say that they give none."""

import re

from .lite_search import JoinedTexts

_REFUSAL_PATTERN = re.compile(
    r"\b(?:i (?:do not|don't|dont|can't|cannot|can not|could not|couldn't|am (?:not (?:sure|certain|aware|able)|unable))\b"
    r"|i'm (?:not (?:sure|certain|aware|able)|unable|sorry|afraid)\b|i am sorry|sorry, |as an ai\b"
    r"|(?:cannot|can't|can not|could not|couldn't) be (?:determined|answered|found|known|inferred)"
    r"|no (?:answer|information|data|idea|definitive answer|clear answer|record)\b|unanswerable|not answerable"
    r"|(?:does not|doesn't|do not|don't|did not|didn't) (?:have|provide|contain|mention|specify|say|state|give|know|find)"
    r"|(?:is|are|was|were) (?:not|no) (?:specified|mentioned|stated|given|known|provided|available|clear|possible)"
    r"|it is (?:unclear|unknown|impossible)|not enough (?:information|context)|insufficient (?:information|context)"
    r"|n/a$|none$|unknown$|please provide|need more (?:information|context)|more (?:information|context|details) (?:is|are)"
    r" needed)"
)
# One of these is in every refusal: most answers need no search.
_NOT_GIVEN = "specified mentioned stated given known provided available clear possible".split()
_REFUSAL_PARTS = (
    *(
        "n't",
        "n’t",
        "dont",
        "unable",
        "sorry",
        "afraid",
        "as an ai",
        "unan",
        "unk",
        "uncl",
        "n/a",
        "none",
        "insuf",
        "impossible",
    ),
    *(f"{word} not" for word in ("do", "does", "did", "can", "could", "am", "i'm", "i’m")),
    *("cannot", "not answerable", "not enough", "please provide"),
    *(f"no {word}" for word in ("answer", "information", "data", "idea", "definitive answer", "record")),
    *(f"{word} {given}" for word in ("not", "no") for given in _NOT_GIVEN),
    *(f"more {word}" for word in ("information", "context", "details")),
)
_HEAD_CHARACTERS = 300  # a refusal stands at the beginning of an answer


def is_refusal(text: str) -> bool:
    """Whether an answer says, near its beginning, that it gives none.

    Example:
        >>> is_refusal("I don't know."), is_refusal("It cannot be determined from the text."), is_refusal("Paris")
        (True, True, False)
    """
    return bool(refusals(JoinedTexts([text])))


def refusals(texts: JoinedTexts) -> list[int]:
    """The places of the refusals among some texts.

    Example:
        >>> refusals(JoinedTexts(["I don't know.", "Paris", "None"]))
        [0, 2]
    """
    likely = texts.texts_with(_REFUSAL_PARTS, any_case=True)
    return [place for place in likely if _REFUSAL_PATTERN.search(_head(texts.texts[place]))]


def _head(text: str) -> str:
    return text[:_HEAD_CHARACTERS].casefold().replace("’", "'").strip().rstrip(".! ")
