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
# What else declines a question that has no answer.
_DECLINING_PATTERN = re.compile(
    r"^(?:not (?:mentioned|specified|stated|given|known|provided|available|found|clear|applicable|answerable)"
    r"|(?:cannot|can't|can not|unable to) (?:answer|say|tell|determine|find)|unclear|unknown|undetermined|unspecified|nobody knows|no one knows"
    r"|not enough|insufficient|nothing|no mention|nil|there (?:is|are|was|were) no|there's no|it is not)\b"
    r"|\b(?:the|an) (?:answer|information)\b[^.]*\b(?:is|are|was|were)(?: not|n't)\b"
    r"|\b(?:no|not any) (?:mention|way to (?:know|tell|say)|one knows)\b|\bnobody knows\b"
)
# A guess beside it.
_GUESS_PATTERN = re.compile(
    r"\b(?:but|however|though)\b[^.]*\b(?:probably|likely|perhaps|maybe|possibly|might be|may be|could be|i think|i believe|i guess"
    r"|i would say|i'd say)\b|\b(?:my|best|educated) guess\b",
    re.IGNORECASE,
)
_NAMED_PATTERN = re.compile(
    r"\bbut (?:[A-Z][\w'-]* ?){1,4} (?:is|are|was|were|has|had|lives?|lived|did|does|won|wrote|made)\b"
)
_BARE_ANSWER = re.compile(r"(?:(?:[A-Z][\w'-]*|\d[\d.,:%]*)(?: (?=\S)|$)|(?:of|the|and|de|von|van) ){1,6}")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")
_HEAD_CHARACTERS = 300  # a refusal stands at the beginning of an answer


def is_refusal(text: str) -> bool:
    """Whether an answer says, near its beginning, that it gives none.

    Example:
        >>> is_refusal("I don't know."), is_refusal("It cannot be determined from the text."), is_refusal("Paris")
        (True, True, False)
    """
    return bool(refusals(JoinedTexts([text])))


def declines(text: str) -> bool:
    """Whether an answer to a question without an answer gives none: it refuses or says that there is none, without a guess.

    Example:
        >>> declines("Not mentioned in the passage."), declines("There is no president of Mars.")
        (True, True)
        >>> declines("I don't know. John Smith."), declines("It does not say, but it is probably Rome."), declines("Rome")
        (False, False, False)
    """
    if not _is_declining(text):
        return False
    head = text[:_HEAD_CHARACTERS].replace("’", "'")
    sentences = [part.strip().rstrip(".!") for part in _SENTENCE_END.split(head)]
    bare = any(_BARE_ANSWER.fullmatch(part) and not _is_declining(part) for part in sentences if part)
    return not (bare or _GUESS_PATTERN.search(head) or _NAMED_PATTERN.search(head))


def _is_declining(part: str) -> bool:
    return is_refusal(part) or _DECLINING_PATTERN.search(_head(part)) is not None


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
