"""Refusals in English: whether a text refuses to answer, and whether it gives no answer at all, not even a guess."""

import re

_READ = 4_000  # characters of an answer that are read
_HEAD = 300  # characters at the beginning of a text, where refusals are
_SOURCE = r"(?:passage|text|context|document|article|paragraph|source|story|question|information|answer|data|table|premise|title)s?\b"
_GIVEN = r"(?:\w+ly )?(?:mentioned|specified|stated|given|known|provided|available|clear|possible|found|named|answerable|disclosed|recorded|listed)\b"
_GIVES = r"(?:\w+ly )?(?:mention|specify|say|state|give|provide|contain|have|know|tell|indicate|include|answer|name|identify|exist)\b"
# How a part of a sentence that declines begins, by subject.
_DECLINES = re.compile(
    r"(?:i|we) (?:\w+ly )?(?:do not|don't|dont|did not|didn't|cannot|can't|can not|could not|couldn't|am unable to|was unable to|am not able to) (?:\w+ly )?"
    r"(?:know|have (?!(?:personal|to|a)\b)|find|determine|answer|say|tell|provide|see|(?:\w+ )?access|recall|identify|verify|confirm)"
    r"|i(?:'m| am) (?:not (?:sure|certain|aware|familiar|able)|unable|unsure)\b|(?:i have )?no (?:idea|clue|information)\b|(?:no ?one|nobody) knows\b|nowhere (?:is|are|does)\b"
    rf"|(?:(?:the|this|that) )?(?:\w+ )?(?:{_SOURCE}|it|this)[\w' ]*? (?:(?:does not|doesn't|do not|don't|did not|didn't|fails to) {_GIVES}"
    r"|(?:has|contains?|gives?|provides?) (?:no|a false)\b|lacks?\b|is (?:silent|unclear|unknown|unanswerable|impossible|false|flawed|incorrect)\b)"
    rf"|(?:does not|doesn't) {_GIVES}|[\w' ]+ (?:(?:is|are|was|were) (?:not|never)|isn't|aren't|wasn't|weren't|has not been) {_GIVEN}"
    r"|[\w' ]*\b(?:cannot|can't|can not|could not|couldn't) be (?:\w+ly )?(?:determined|answered|found|known|inferred|said|identified)\b"
    r"|there(?: (?:is|are|was|were|has been|has)|'s) (?:no|not (?:any|enough|a)|never)\b(?! (?:doubt|question|need))|there (?:isn't|aren't|wasn't|weren't)\b"
    rf"|not {_GIVEN}|(?:we|you) would need\b|(?:not enough|insufficient|more) (?:information|context|details)|(?:unanswerable|unknown|unclear|n/?a|none|null|idk|(?:no|cannot) ?-?answer|nothing|nobody|no ?one)$|please provide|false premise"
)
# Words before a part without meaning.
_LEAD = re.compile(
    r"(?:(?:however|unfortunately|so|and|but|though|therefore|sorry|i'm sorry|i am sorry|my apologies|i apologi[sz]e|i(?:'m| am) afraid|that"
    r"|as an? (?:\w+ )*?model|(?:based on|according to|in|from|as of) (?:the|this|what|my) [\w ]+?|answer:)(?:,? |$))+"
)
_SENTENCES = re.compile(r"(?<=[.!?])\s+|\n+|;|: ")
_PARTS = re.compile(r",\s+|\s+(?=(?:but|however|so|though) )|\s[-–—]\s")
_NEUTRAL = re.compile(rf"(?:(?:the|this|that) )?(?:\w+ )?{_SOURCE}|let (?:us|me)|i |there |it |\W*$")
_GUESS = re.compile(
    r"\b(?:probably|likely|perhaps|maybe|possibly|might be|may be|could be|i (?:think|believe|guess|suppose)|my guess)\b"
)
_TURN, _NAMED = re.compile(r"\b(?:but|however|though|as of|the answer is)\b"), re.compile(r"\b[A-Z]\w|\d")
_BARE = re.compile(
    r"(?:(?:[A-Z]|\d)\S*[ .]*|(?:of|the|and|de) ){1,6}|.{1,60}\b(?:is|was) (?:the )?(?:[A-Z]|\d)\S*(?: [A-Z]\S*)*\W*"
)
_TRIMMED = " \t.!?,\"'“”()[]{}*_`#$>-–—\\"


def refuses(text: str) -> bool:
    """Whether a part of a sentence near the beginning of a text declines, even if an answer follows.

    Example:
        >>> refuses("I don't know. John Smith."), refuses("It cannot be determined from the text."), refuses("Paris")
        (True, True, False)
    """
    parts = (part for sentence in _sentences(text[:_HEAD]) for part in _parts(sentence))
    return any(_DECLINES.match(part.lower()) for part in parts)


def declines(text: str) -> bool:
    """Whether an answer gives no answer at all, which is right for a question without one.

    The first sentence that is not about the text or the speaker has a part that declines, and nothing after that part guesses
    or gives a name.

    Example:
        >>> declines("Not mentioned in the passage."), declines("There is no president of Mars.")
        (True, True)
        >>> declines("I don't know. John Smith."), declines("It does not say, but it is probably Rome."), declines("Rome")
        (False, False, False)
        >>> declines("The Normans were led by Rollo, who did not know Latin.")
        False
    """
    is_declined, is_unknown = False, False
    for sentence in _sentences(text[:_READ]):
        is_neutral = _NEUTRAL.match(_without_lead(sentence).lower()) is not None
        is_turn = _TURN.search(sentence.lower()) is not None
        for index, part in enumerate(_parts(sentence)):
            if _DECLINES.match(part.lower()) and (is_neutral or is_declined or not index):
                is_declined, is_unknown = True, is_unknown or not part.lower().startswith("there")
            elif is_unknown and (is_turn and _NAMED.search(part) or _BARE.fullmatch(part)):
                return False
        if not is_declined and not is_neutral:
            return False
    return is_declined and not _GUESS.search(text[:_READ].lower())


def _sentences(text: str) -> list[str]:
    text = text.replace("’", "'").replace("\\boxed", "")
    return [sentence for one in _SENTENCES.split(text) if (sentence := one.strip(_TRIMMED))]


def _parts(sentence: str) -> list[str]:
    """The parts of a sentence, without introductory words."""
    return [core for part in _PARTS.split(sentence) if (core := _without_lead(part.strip(_TRIMMED)))]


def _without_lead(part: str) -> str:
    lead = _LEAD.match(part.lower())
    return part[lead.end() :].strip(_TRIMMED) if lead else part
