"""Whether an answer to a question without an answer gives none: it refuses, or says that there is none, without a guess.

A rule for English. An answer is read sentence by sentence: one of them must decline as its main clause, no other answer may
come before it, and no guess beside it.
"""

import re

_MOST_CHARACTERS_OF_REFUSAL = 4_000  # of an answer that are read
# Answers without any of these decline nothing.
_CUE_OF_REFUSAL = re.compile(
    r"n't|dont\b|\bno(?:t|ne|r|body|where|thing|ans\w*)?\b|\bno[ -]?answer|cannot|unab|unan|unk|uncl|uncert|undet|unsp|unsu|unav|n/a|nil\b|null\b"
    r"|idk|insuf|imposs|lack|sorry|afraid|never|fals|wrong|silent|incorrect|flawed|invalid|fail|need|please"
)
_SENTENCES = re.compile(r"(?<=[.!?])[\s\"')]+|\n+|;\s*|:\s+|\s[-–—]+\s")
_PARTS_OF_REFUSAL = re.compile(r",\s+|\s+(?=(?:but|however|though) )")
_TRIMMED = " \t.!?,;\"'“”()[]{}*_`#$>-–—\\"
# Words before a clause that say nothing themselves.
_LEAD_OF_REFUSAL = re.compile(
    r"(?:however|unfortunately|but|so|thus|hence|therefore|and|well|ok|okay|apologies|actually|in fact|sadly|regrettably|honestly|again"
    r"|(?:i'm|i am|we're|we are)?(?: so| very| really)? ?sorry(?: but| that| to say(?: that)?)?|i(?:'m| am) afraid(?: that)?|i apologi[sz]e(?: but)?"
    r"|as an? (?:ai|artificial|large|language|assistant|llm)[\w ]*|(?:based|depending) (?:up)?on [\w' ]+|according to [\w' ]+|(?:from|in|within|given|with) (?:the|this|what|these) [\w' ]+?"
    r"|(?:final |the |my )?answer(?: is)?|boxed|it (?:seems|appears|looks like)(?: that)?|(?:while|although|though|since|because) [^,]*)(?:,\s*|\s+|$)"
)
_SOURCE = (
    r"(?:(?:the|this|that|these|those|any|such|my|your|its|our|either|both|all|none of the)\s+)?(?:(?:given|provided|above|following|available|supplied|relevant|specific"
    r"|exact|source|search|retrieved|necessary|required|requested)\s+)*"
    r"(?:passage|text|context|document|article|paragraph|source|story|excerpt|question|information|info|answer|data|table|content|material|snippet"
    r"|prompt|page|website|result|detail|name|date|author|reason|premise|query)s?"
)
_GIVEN = (
    r"(?:explicitly |directly |specifically |clearly |really |actually |currently )?(?:mentioned|specified|stated|given|known|provided|available|clear|possible|found|included|present|there|answerable"
    r"|contained|covered|discussed|addressed|explained|determined|listed|named|described|indicated|disclosed|identified|recorded|documented|sufficient|enough"
    r"|certain|revealed|supported|relevant|in (?:the|this)|able to|said|told|inferred|established|verified|confirmed|answered|deduced|concluded)\b"
)
_GIVES = (
    r"(?:explicitly |directly |specifically |clearly |actually |even |really )?(?:mention|specify|say|state|give|provide|contain|have|know|tell|indicate|include|discuss|address|answer|explain|reveal|describe"
    r"|name|identify|cover|exist|appear|offer|make|list|support|clarify|refer|disclose|define|allow|permit|supply|note|show|talk|speak|go into|elaborate|suggest)\b"
)
_NOT = r"(?:does not|doesn't|do not|don't|did not|didn't|dont)"
_IS_NOT = r"(?:is not|isn't|are not|aren't|was not|wasn't|were not|weren't|'s not|is nowhere|has not been|hasn't been|have not been|cannot be|can't be|can not be|could not be|couldn't be)"
_KNOWS = (
    r"(?:know|have(?! (?:any )?(?:personal|opinions?|beliefs?|feelings?|emotions?|preferences?|to)\b)|find|determine|answer|say|tell|provide|see|recall|remember|confirm|identify|give|verify|access|browse|be (?:sure|certain)|locate|infer"
    r"|help|offer|make|name|establish|speak|comment|understand|possess|deduce|conclude|guess)\b"
)
_IGNORANCE = re.compile(
    rf"(?:i|we) (?:really |honestly |simply |just |currently |still )?(?:do not|don't|dont|cannot|can't|can not|could not|couldn't|was not able to|wasn't able to|(?:am|are|was|were) unable to|(?:am|are) not able to) (?:really |honestly |actually )?{_KNOWS}"
    r"|i(?:'m| am) (?:not (?:sure|certain|aware|familiar|able)|unable|unsure|uncertain|unaware)\b|i have no (?:idea|information|knowledge|clue|record|data|answer)\b"
    rf"|(?:{_SOURCE}|it|this|that|they)\b(?: [\w' ]{{0,60}}?)??(?:\s*{_NOT} {_GIVES}|\s*{_IS_NOT} {_GIVEN}|\s+lacks?\b|\s+(?:contains?|has|have|gives?|makes?|provides?|offers?|includes?) (?:no\b|nothing\b)"
    r"|\s+(?:says?|mentions?|states?) (?:no\b|nothing\b)|\s+(?:is|are) (?:silent|unclear|unknown|unanswerable|unavailable|missing|undetermined|unspecified|insufficient|incomplete)\b|\s+fails? to\b)"
    rf"|(?:it|this) (?:is|was|remains) (?:unclear|unknown|impossible|not (?:clear|known|possible))(?: (?:to (?:know|say|tell|determine|answer|infer|identify|establish)|from|based|who|whom|what|when|where|which|how|whether|why|in)\b|$)"
    rf"|nowhere (?:is|are|does|do|was|were)\b|(?:cannot|can't|can not|unable to|could not|couldn't) (?:be )?(?:answer|say|tell|determine|find|known|infer)\w*\b"
    r"|not (?:enough|sure|certain|mentioned|specified|stated|given|known|provided|available|found|clear|applicable|answerable|determinable|present|in the (?:passage|text|context))\b|insufficient\b"
    r"|(?:no|without|there(?: is|'s| are| was| were) (?:no|not (?:any|enough)|insufficient)|there (?:isn't|aren't|wasn't|weren't)(?: any| enough)?) (?:answer|information|info|data|idea|definitive|clear|record|mention|clue|way (?:to|of)|indication|reference|context|evidence|details?|specific)\b"
    r"|no ?one knows\b|nobody knows\b|(?:we|you) would need\b|(?:more|additional|further) (?:information|context|details?) (?:is|are|would be) (?:needed|required|necessary)"
    r"|(?:unclear|unknown|undetermined|unspecified|unanswerable|uncertain|indeterminate)(?: (?:from|in|who|whom|what|when|where|which|why|how|whether|at|to|based|given|because|as|due)\b|$)"
    r"|[^,;]{1,150}? (?:is|are|was|were) (?:not|never) (?:explicitly |specifically |directly )?(?:mentioned|specified|stated|given|provided|disclosed|listed|named|revealed|indicated|documented|recorded)\b"
)
_NOT_FOUND = re.compile(
    r"i (?:could not|couldn't|was unable to|wasn't able to|was not able to|did not|didn't) (?:find|locate)\b"
)  # decides whatever came before
_NOTHING_THERE = re.compile(
    r"there (?:(?:is|are|was|were|has been|have been|'s) (?:no\b|not (?:a|an|any)\b|never\b)|(?:isn't|aren't|wasn't|weren't)\b)(?! (?:doubt|question|fewer|less|more|need|shortage|other than|wonder))"
    r"|there's no\b(?! (?:doubt|question|need|wonder))"
    r"|(?:no ?one|nobody|no (?:human|person|people|man|woman|country|team|such \w+|\w+)) (?:has|have|had|is|are|was|were|ever|won|did|does|lives?|lived|exists?|existed)\b"
    r"|[\w' ]{1,60} (?:never (?:happened|existed|took place|occurred)|(?:does|did|do) not (?:exist|happen|take place)|(?:doesn't|didn't|don't) (?:exist|happen)|(?:has|have) never (?:\w+))"
    rf"|(?:{_SOURCE}|that|this|it)\b[\w' ]{{0,40}} (?:false|wrong|incorrect|flawed|invalid|mistaken)\b|false premise|(?:has|contains) a false"
)
_WORD_ALONE = re.compile(
    r"(?:unanswerable|not answerable|n/?a|none|null|nil|idk|no ?-?ans(?:wer)?|cannot ?-?answer|impossible|nothing|nobody|no ?one|i ?do ?n[o']?t ?know|no information|no idea|no clue|false premise|please provide.*|pass)"
)
# Sentences before a refusal that answer nothing.
_NEUTRAL = re.compile(
    rf"(?:{_SOURCE}|let(?: us|'s| me)|i (?:have|'ve|read|looked|searched|checked|understand|see)|to answer|thank|great question|good question|sure|certainly|hello|hi|thinking|reasoning|explanation|step)\b|\W*$"
)
_BESIDE = re.compile(
    rf"(?:{_SOURCE}|i (?:did )?(?:find|found)|there (?:is|are|was|were))\b|\W*$"
)  # what may come after a refusal
_GUESS = re.compile(
    r"\b(?:probably|likely|perhaps|maybe|possibly|presumably|might be|may be|could be|i think|i believe|i guess|i would say|i'd say|i would guess|i suppose|(?:my|best|educated) guess)\b"
)
_WITHOUT_SUBJECT = re.compile(rf"{_NOT} {_GIVES}|{_IS_NOT} {_GIVEN}")
_RELATIVE = re.compile(r"(?:which|who|whom|whose|that|where|when|because|since|although|though|as|while|whereas)\b")
_BARE = re.compile(r"(?:(?:[A-Z][\w'’.-]*|\d[\d.,:%]*)(?: (?=\S)|$)|(?:of|the|and|de|von|van) ){1,6}")
_NAMED = re.compile(r"[A-Z][\w'’-]+|\d")
_NAMED_AT_END = re.compile(
    r"\b(?:is|was|are|were) (?:(?:the|a|an|in|on|at) )?(?:[A-Z][\w'’-]*|\d[\d.,]*)(?: [A-Z][\w'’-]*| \d+){0,3}$"
)
_DECLINED = ("ignorance", "nothing")
_SHORT_REFUSAL = 6  # words of a refusal beside which a name or a number is an answer
_SHORT_GUESS = 9  # words of a sentence that may be a guess


_REFUSES = re.compile(
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
_HEAD = 300  # characters at the beginning of a text, where a refusal stands


def refuses(text: str) -> bool:
    """Whether a text says near its beginning that it gives no answer, also where one follows.

    Example:
        >>> refuses("I don't know. John Smith."), refuses("It cannot be determined from the text."), refuses("Paris")
        (True, True, False)
    """
    return _REFUSES.search(text[:_HEAD].casefold().replace("’", "'").strip().rstrip(".! ")) is not None


def declines(text: str) -> bool:
    """Whether an answer to a question without an answer gives none.

    Example:
        >>> declines("Not mentioned in the passage."), declines("There is no president of Mars.")
        (True, True)
        >>> declines("I don't know. John Smith."), declines("It does not say, but it is probably Rome."), declines("Rome")
        (False, False, False)
        >>> declines("The Normans were led by Rollo, who did not know Latin.")
        False
    """
    text = text[:_MOST_CHARACTERS_OF_REFUSAL].replace("’", "'").replace("\\boxed", " ")
    if not _CUE_OF_REFUSAL.search(text.casefold()):
        return False
    declined = knows_nothing = answered = not_found = False
    for sentence in filter(None, (one.strip(_TRIMMED) for one in _SENTENCES.split(text))):
        parts = [part for one in _PARTS_OF_REFUSAL.split(sentence) if (part := one.strip(_TRIMMED))]
        cores = [_without_lead(part.casefold()) for part in parts]
        of_source = bool(cores) and _NEUTRAL.match(cores[0]) is not None
        states = [
            _state(part, core, bool(place), of_source)
            for place, (part, core) in enumerate(zip(parts, cores, strict=True))
        ]
        first = next((place for place, state in enumerate(states) if state in _DECLINED), None)
        if first is not None:
            declined, knows_nothing = True, knows_nothing or states[first] == "ignorance"
            not_found |= any(map(_NOT_FOUND.match, cores))
            bare = "bare" in states and states[first] == "ignorance" and len(parts[first].split()) <= _SHORT_REFUSAL
            if bare or _GUESS.search(sentence.casefold()) or _is_guess(", ".join(parts[first + 1 :])):
                return False
        elif _BARE.fullmatch(sentence):
            return False
        elif not declined:
            answered |= not of_source
        elif _GUESS.search(sentence.casefold()) or (knows_nothing and _is_guess(sentence)):
            return False
    return declined and (not_found or not answered)


def _without_lead(part: str) -> str:
    while (lead := _LEAD_OF_REFUSAL.match(part)) and lead.end():
        part = part[lead.end() :].strip(_TRIMMED)
    return part


def _state(part: str, core: str, is_later: bool, of_source: bool) -> str:
    """What a part of a sentence does: "ignorance", "nothing" (there is none), "bare" for an answer alone, else "".

    Args:
        core: the part, folded, without the words that lead it in.
        is_later: it is not the first part.
        of_source: the sentence is about the text or the question.
    """
    if is_later and _RELATIVE.match(part.casefold()):
        return ""
    if (
        _WORD_ALONE.fullmatch(core)
        or _IGNORANCE.match(core)
        or (of_source and is_later and _WITHOUT_SUBJECT.match(core))
    ):
        return "ignorance"
    if _NOTHING_THERE.match(core):
        return "nothing"
    return "bare" if core and _BARE.fullmatch(part) else ""


def _is_guess(part: str) -> bool:
    """Whether what follows a refusal names an answer: "However, Einstein did.", "The president is Bob."."""
    if _BESIDE.match(_without_lead(part.casefold())):
        return False
    if re.match(r"(?:but|however|though)\b", part.casefold()):
        return bool(_NAMED.search(part.partition(" ")[2]))
    return len(part.split()) <= _SHORT_GUESS and bool(_NAMED_AT_END.search(part))
