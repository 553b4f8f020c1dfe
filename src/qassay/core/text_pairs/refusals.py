"""Refusals: texts that say that they give no answer."""

import re

# English: who gives the answer says that he does not know it; the source does not say; there is no such thing; one word alone.
_REFUSAL = re.compile(
    r"\b(?:(?:i|we) (?:(?:really|just|currently|still) )?(?:(?:do|did|can|could) ?(?:not|n't)|dont|can't|(?:was|were|am|are) (?:not able|unable) to|have no) ?"
    r"(?:know|answer|say|tell|find|determine|have|provide|help|verify|idea|information|confirm|recall)\b"
    r"|i(?:'m| am) (?:not (?:sure|certain|aware|able)|unable|sorry|afraid)\b"
    r"|(?:text|passage|context|article|document|paragraph|question|source|story|information|it|but) (?:does|do|did) ?(?:not|n't) (?:explicitly |specifically |actually )?"
    r"(?:have|provide|contain|mention|specify|say|state|give|know|answer|include|indicate|exist|tell|name)\b"
    r"|(?:is|are|was|were) ?(?:not|n't|nowhere) (?:explicitly |specifically |directly )?(?:specified|mentioned|stated|given|known|provided|available|clear|possible|named|found|answerable)\b"
    r"|(?:can(?:not|'t| not)|could not|couldn't) be (?:determined|answered|found|known|inferred|verified)|nowhere (?:is|does)|false premise"
    r"|^not (?:specified|mentioned|stated|given|known|provided|available|found|applicable|enough|in the (?:text|passage|context))\b"
    r"|(?:^|because |sorry )no (?:answer|information|idea|clear answer|record|mention|such|one knows|data)\b|^nobody knows|(?:it|this) is (?:unclear|unknown|impossible)"
    r"|(?:not enough|insufficient) (?:information|context)|there (?:is|are|was|were|has been)(?: never been)? no\b|there's no\b|please provide|unanswerable\b)"
    r"|^(?:n/?a|none|null|idk|unknown|unclear|nobody|no one|nothing|no ?answer|pass)$"
    r"|ich wei(?:ß|ss) (?:es |das )?nicht|steht nicht im|keine (?:antwort|angabe|information)|je ne sais pas|aucune information|no lo sé|no dispongo|no se menciona"
    r"|无法回答|不知道|没有提到|わかりません|お答えできません|لا أعرف|لا توجد معلومات"
)
_GUESS = re.compile(
    r"\b(?:but|however|though|probably|perhaps|maybe|likely|might be|i think|i believe|i guess|best guess)\b"
)
_NAME_BEHIND = re.compile(r"[.;!–-]\s*(?:[A-Z0-9][\w'’.]*\s*){1,4}$")
_HEAD = 300  # characters at the beginning of a text, where a refusal stands


def refuses(text: str) -> bool:
    """Whether a text says near its beginning that it gives no answer: in English, and by a few phrases of other languages.

    Example:
        >>> [*map(refuses, ["I don't know.", "Not mentioned in the passage.", "N/A", "Paris"])]
        [True, True, True, False]
    """
    return _REFUSAL.search(_head(text)) is not None


def declines(text: str) -> bool:
    """Whether a text refuses and guesses nothing behind it: the right answer to a question without one.

    Example:
        >>> [*map(declines, ["The text does not say.", "It does not say, but it is probably Rome.", "I don't know. John Smith."])]
        [True, False, False]
    """
    head = _head(text)
    ends = [match.end() for match in _REFUSAL.finditer(head)]
    return (
        bool(ends) and not _GUESS.search(head, ends[-1]) and not _NAME_BEHIND.search(text[:_HEAD].rstrip(" ."), ends[0])
    )


def _head(text: str) -> str:
    return text[:_HEAD].replace("\\boxed", " ").casefold().replace("’", "'").strip(" \t\n.!\"'{}()*")
