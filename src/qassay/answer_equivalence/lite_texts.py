"""Texts as the built-in scorer of answer equivalence reads them: without what only decorates, with marks as words.

Markup, phrases that hand an answer over and what a text takes back are omitted; dates, numbers and negations are written one
way; marks inside the text are words.
"""

import re
from collections.abc import Callable, Sequence
from decimal import Decimal

from ..semantic_answer_similarity.lite_features import NO_WORD, TEXT_END, folded_text, folded_words, without_style

MONTHS = "january february march april may june july august september october november december".split()
OR_WORD = "or"

SENTENCE_WORD, _COMMA = MARK_WORDS = ("qzs", "qzc")  # words that stand for marks
_NOT_PATTERN = re.compile(r"n['’]t\b")
_BUT_NOT_PARTS = ("ather than", "nstead of", "ther than", "ar from", "nything but", "ontrary to")
_BUT_NOT_PATTERN = re.compile(
    r"\b(?:[Rr]ather than|[Ii]nstead of|[Oo]ther than|[Ff]ar from|[Aa]nything but|[Cc]ontrary to)\b"
)
# "No. 1" is not a negation; "83M", "$5m", but not "3M"; ".25". The pattern begins with what it seeks: the search skips all else.
NUMBER_PATTERN = re.compile(
    r"[NnkKmMbB.](?:(?<=[Nn])o(?<!\w..)\.? ?(?=\d)|(?<=\d[kKmMbB])(?!\w)|(?<=\d[bm])n(?!\w)"
    rf"|(?<=\.)(?<![^\s($€£=~{TEXT_END}].)(?=\d))"
)
_NUMBER_BEFORE = re.compile(r"([$€£]?) ?(\d[\d.,]*)\Z")
_SCALE_OF_LETTER = {"k": "thousand", "m": "million", "b": "billion"}
_AFTER_MONEY = frozenset("Kmb")  # also kelvin, metres, ...
# A mark behind a word and before a blank, a sign between blanks, each new line and question mark. The group is set where
# a closing mark stands before it. The pattern begins with the marks: the search skips all else.
_MARK_PATTERN = re.compile(
    r"[.;:!?,\n/–—-](?:(?<=[\n?])|(?<=\s[/–—-])(?=\s)"
    r"|(?=\s)(?!\s\d{3}\b)(?:(?<=[^\W_]{2}[.;:!,])|(?<=[\"”)\]][.;:!,])()))"
)
WORD_OF_MARK = {
    **dict.fromkeys(".!\n;", f" {SENTENCE_WORD} "),
    **dict.fromkeys(",:?–—-", f" {_COMMA} "),
    "/": f" {OR_WORD} ",
}
# These words as signs: one byte each until a text is split.
SIGN_OF_WORD = {word: chr(2 + place) for place, word in enumerate(dict.fromkeys(WORD_OF_MARK.values()))}
_SIGNS_APART = (*SIGN_OF_WORD.values(), *"“”‘–—")  # frequent in texts and never part of a word


def _mark_word(match: re.Match[str]) -> str:
    if match.lastindex:
        text, end = match.string, match.start()
        while end and text[end - 1] in '"”)]':
            end -= 1
        if end < 2 or not text[end - 2 : end].isalnum():
            return match[0]
    return WORD_OF_MARK[match[0]]


def _with_marks(text: str) -> str:
    return _MARK_PATTERN.sub(_mark_word, text)


_LAST_MARKS = ".!? \n"
_LAST_INITIAL_PATTERN = re.compile(rf"\.[^{TEXT_END}](?={TEXT_END})")


def _without_last_mark(text: str) -> str:
    """A text without the marks at its end, but for the full stop of initials: "the U.N."."""
    shorter = text.strip().rstrip(_LAST_MARKS)
    return f"{shorter}." if shorter[-2:-1] == "." else shorter


GROUP_BLANKS = frozenset("\u00a0\u2009\u202f")  # which separate thousands and nothing else: no line breaks there
GROUPS_PATTERN = re.compile(rf"(?<![\w.,])(?<!\d )\d{{1,3}}(?:[{''.join(sorted(GROUP_BLANKS))}]\d{{3}})+(?!\d)")
_SPACES_PATTERN = re.compile(r"[^\S\n]{2,}|[^\S\n ]")
_MARKUP_PATTERN = re.compile(r"\*\*|__|`+|</?(?:b|i|em|strong|p|code|span|final|answer)>", re.IGNORECASE)
_BREAK_PATTERN = re.compile(r"<br ?/?>", re.IGNORECASE)
_HEADING_PATTERN = re.compile(r"^#{2,6} +", re.MULTILINE)
_LABEL_PATTERN = re.compile(
    r"^(?:explanation|reasoning|rationale|justification) ?(?::|\n)\s*", re.IGNORECASE | re.MULTILINE
)
_PRAISE_PATTERN = re.compile(
    r"\s*(?:that's (?:an? )?|what an? )?(?:great|good|excellent|interesting) question[!.,]\s+", re.IGNORECASE
)
_WRAPPED_PATTERN = re.compile(
    r"\s*(?:(?:so|well|sure|certainly)[,!.] )?(?:(?:the|my) )?(?:final |correct |short |right |best )?answer(?: is)?\s*: *"
    r"|\s*\d{1,2}[.)] (?![^\n]*\n)",
    re.IGNORECASE,
)
_OPINION_PATTERN = re.compile(
    r",? (?:i (?:believe|think|guess|suppose)|if i'm not mistaken)\s*[.!]?\s*$", re.IGNORECASE
)
_PRAISE_CHARACTERS = 40  # of an answer in which the question is praised
HANDING_OVER = (
    "nswer",
    " question",
    "explanation",
    "reasoning",
    "rationale",
    "justification",
)  # parts of what is omitted
OPINION_ENDS = ("believe", "think", "guess", "suppose", "mistaken")
_MINUS_PATTERN = re.compile(r"[-−](?=\d)(?:(?<=[\s=(].)|(?<=^.))")
_PLUS_PATTERN = re.compile(r"(?<=\w)(\+\+|#)(?!\w)")


def joined_groups(match: re.Match[str]) -> str:
    """The digits of a number in groups of three."""
    return "".join(match[0].split())


def tidied_text(text: str) -> str:  # `lite_reading` finds what it could change: keep both together
    """A text without markup and without the words that only hand the answer over, with signs of numbers as words.

    Example:
        >>> tidied_text("The answer is: **C++**"), tidied_text("-5, I think.")
        ('C plusplus', 'minus 5')
    """
    text = without_style(text)
    if "  " in text or not text.isprintable():
        text = _SPACES_PATTERN.sub(" ", text)
    if "*" in text or "_" in text or "`" in text or "<" in text:
        text = _MARKUP_PATTERN.sub("", _BREAK_PATTERN.sub("\n", text))
    if "##" in text:
        text = _HEADING_PATTERN.sub("", text)
    text = _LABEL_PATTERN.sub("", text)
    if "uestion" in text[:_PRAISE_CHARACTERS] and (praise := _PRAISE_PATTERN.match(text)):
        text = text[praise.end() :]
    if (":" in text or ". " in text or ") " in text) and (wrapped := _WRAPPED_PATTERN.match(text)):
        text = text[wrapped.end() :]
    if text.rstrip().rstrip(".!").rstrip()[-8:].casefold().endswith(OPINION_ENDS):
        text = _OPINION_PATTERN.sub("", text)
    if "-" in text or "−" in text:
        text = _MINUS_PATTERN.sub("minus ", text)
    if "+" in text or "#" in text:
        text = _PLUS_PATTERN.sub(lambda match: " plusplus" if match[1] == "++" else " sharp", text)
    return text


SIGN_WORDS = ("minus", "plusplus", "sharp")
_HARMLESS_PATTERN = re.compile(
    r"\b(?:there(?: is|'s) )?(?:no|without(?: an?y?)?|beyond(?: an?y?| all)?) (?:shadow of a )?(?:doubts?|question)\b(?: about (?:it|that))?"
    r"|\bundoubtedly\b|\bdoubtless\b|\b(?:none|no) other than\b|\bnot only\b|\bnot surprisingly\b|\bno wonder\b"
    r"|\bif (?:(?:i|my memory|memory) (?:remember|recall|serves?)|i(?:'m| am) not mistaken)"
    r"(?: me)?(?: my [\w ]{2,30}?)?(?: (?:correctly|well|right|rightly))?\b"
    r"|\bas far as i (?:know|can tell|remember|recall)\b|\bto the best of my knowledge\b|\bi(?:'m| am) no \w+,? but\b",
    re.IGNORECASE,
)
_HARMLESS_PARTS = ("doubt", "uestion", "other than", "ot only", "ot surprisingly", "o wonder", "f I ", "f i ", "f my ", "f memory",
    "s far as", "est of my", "m no ")  # fmt: skip
_POWERS = "⁰¹²³⁴⁵⁶⁷⁸⁹⁻"
_REPHRASED_PARTS = (*_HARMLESS_PARTS, *_BUT_NOT_PARTS, "n't", "n’t")
REWORDED_PARTS = (
    *_REPHRASED_PARTS,
    "War I",
    "hundred",
    "thousand",
    "dozen",
    "10^",
    *(f"10{power}" for power in _POWERS),
    *(f"-{month:02}-" for month in range(1, 13)),
)  # of texts that are rewritten one by one
_ISO_DATE_PATTERN = re.compile(r"\b(\d{4})-(0[1-9]|1[0-2])-([0-2]\d|3[01])\b")


def _written_date(match: re.Match[str]) -> str:
    return f"{int(match[3])} {MONTHS[int(match[2]) - 1]} {match[1]}"


_RETRACTED_PATTERN = re.compile(
    r"\b(?:correction:|on second thoughts?\b|let me correct myself|i correct myself|scratch that|strike that|i misspoke|i was wrong"
    r"|(?:no, )?wait, |i take (?:that|it) back|my mistake|i mean,? |sorry, i mean|oops,? (?:no\b)?|i mixed (?:that|this|it|them) up|sorry, no\b|no, sorry\b|actually, no\b|(?:my )?(?:final|corrected) answer(?: is)?:)"
    r"|\n\W*answer[ *_]*[:\n]",  # a line of its own, behind the reasoning
    re.IGNORECASE,
)
RETRACTING = ("orrection:", "econd thought", "orrect myself", "ch that", "ke that", "misspoke", "was wrong", "ait, ", "t back",
    "istake", "I mean", "i mean", "nswer:", "nswer is:", "nswer\n", "nswer*", "nswer_", "nswer :", "ops", "mixed", "orry", "ctually, no")  # fmt: skip


def without_retracted(text: str) -> str:
    """What follows the last words with which a text corrects itself, where something follows."""
    last = None
    for last in _RETRACTED_PATTERN.finditer(text):
        pass
    return text if last is None or not _RETRACTED_REST.search(text, last.end()) else text[last.end() :]


_RETRACTED_REST = re.compile(r"\w{2}|\d")
_COUNT = (
    "(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen"
    "|(?:twen|thir|for|fif|six|seven|eigh|nine)ty)"
)
_HUNDREDS_PATTERN = re.compile(
    rf"\b(?:{_COUNT}|a)(?:[ -]{_COUNT})* (?:hundred|thousand)(?:(?: and|,)? (?:hundred|thousand|{_COUNT}(?:-{_COUNT})?))+\b",
    re.IGNORECASE,
)
# "3 x 10^8", "3 × 10⁸", "3 \\times 10^{8}"; powers of at most two digits.
_TIMES_SIGN = r" ?(?:[x×·*]|\\times) ?"
_SCIENTIFIC_PATTERN = re.compile(
    rf"(?<![\w.,])(\d+(?:\.\d+)?){_TIMES_SIGN}10(?:\^(-?\d{{1,2}})|\^\{{(-?\d{{1,2}})\}}|(⁻?[⁰¹²³⁴-⁹]{{1,2}}))(?![\d.,]*\d)"
)
_DOZEN_PATTERN = re.compile(
    rf"(?<![\w.,/-])(?<!and )(?<!to )(?<!or )(?:(a half|(?<!a )half(?: a)?)|an?|({_COUNT}(?:[ -]{_COUNT})?)|(\d{{1,3}}(?:\.\d+)?)) dozen\b",
    re.IGNORECASE,
)
_ROMAN_PATTERN = re.compile(r"[XLCDM](?=[IVXLCDM])(?:(?<=[a-z] .)|(?<=^.))[IVXLCDM]+(?!\w)")
ROMANS_PATTERN = re.compile(_ROMAN_PATTERN.pattern.replace("^", TEXT_END))  # with one before each text
_FIRST_WAR_PATTERN = re.compile(r"\bWar I\b")
_ROMAN_NUMBER = re.compile("M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})")
_NOT_ROMAN = frozenset("CC CD DC MC MD CM MM LI DI MI CI XL XX MIX DIM MCI CV CL DL ML XI XII XIII XIV XV XVI".split())


def _digits_of(match: re.Match[str]) -> str:
    total = part = 0
    for word in re.findall("[a-z]+", match[0].casefold()):
        if word == "hundred":
            part *= 100
        elif word == "thousand":
            total, part = total + part * 1000, 0
        elif word != "and":
            part += 1 if word == "a" else int(folded_words(word)[0])
    return str(total + part)


def _dozens(match: re.Match[str]) -> str:
    half, counted, digits = match.groups()
    count = "0.5" if half else folded_words(counted)[0] if counted else digits or "1"
    return f"{(12 * Decimal(count)).normalize():f}"


def _written_out(match: re.Match[str]) -> str:
    mantissa, *powers = match.groups()
    (power,) = filter(None, powers)
    power = power.translate({ord(sign): normal for sign, normal in zip(_POWERS, "0123456789-", strict=True)})
    return f"{Decimal(mantissa).scaleb(int(power)):f}"


def roman_digits(match: re.Match[str]) -> str:
    """The digits of a Roman numeral, or what was found where it is another word or not a numeral."""
    if match[0] in _NOT_ROMAN or not _ROMAN_NUMBER.fullmatch(match[0]):
        return match[0]
    values = [dict(zip("IVXLCDM", (1, 5, 10, 50, 100, 500, 1000), strict=True))[letter] for letter in match[0]]
    return str(sum(-value if value < after else value for value, after in zip(values, [*values[1:], 0], strict=True)))


def marked_words(text: str) -> list[str]:
    """The words of a text, folded, with a word for each mark inside it and "not" for each negation by other words.

    Example:
        >>> marked_words("It isn't Rome, rather Paris. So!")
        ['it', 'is', 'not', 'rome', 'qzc', 'rather', 'paris', 'qzs', 'so']
    """
    return folded_words(_with_marks(_without_last_mark(_rewritten(text))))


def _rewritten(text: str) -> str:
    """A text with numbers, dates and negations written one way."""
    if "War I" in text:  # "war" is a German stop word, after which folded words have no number
        text = _FIRST_WAR_PATTERN.sub("War 1", text)
    if "hundred" in text or "thousand" in text:
        text = _HUNDREDS_PATTERN.sub(_digits_of, text)
    if "10" in text:
        text = _SCIENTIFIC_PATTERN.sub(_written_out, text)
    if "dozen" in text:
        text = _DOZEN_PATTERN.sub(_dozens, text)
    text = _ROMAN_PATTERN.sub(roman_digits, text)
    if any(map(text.__contains__, _HARMLESS_PARTS)):
        text = _HARMLESS_PATTERN.sub(" ", text)
    if "-" in text:
        text = _ISO_DATE_PATTERN.sub(_written_date, text)
    if any(map(text.__contains__, _BUT_NOT_PARTS)):
        text = _BUT_NOT_PATTERN.sub(f" {_COMMA} not ", text)
    return NUMBER_PATTERN.sub(number_sign, _NOT_PATTERN.sub(" not ", text))


def number_sign(match: re.Match[str]) -> str:
    """What stands in the place of "No." before digits, of "M" behind them, and of a full stop that begins a number."""
    found = match[0]
    if found == ".":
        return "0."
    large = _SCALE_OF_LETTER.get(found[0].lower())
    if large is None:
        return "number "
    number = _NUMBER_BEFORE.search(match.string, max(match.start() - 20, 0), match.start())
    is_money = number is not None and number[1] != ""
    is_large = found not in _AFTER_MONEY and number is not None and len(number[2]) > 1  # not the name "3M"
    return f" {large}" if is_money or is_large else found


def joined_texts(texts: Sequence[str]) -> str:
    """Texts with `TEXT_END` behind each; where a text has it, another character that is nothing to all patterns."""
    joined = TEXT_END.join([*texts, ""])
    if joined.count(TEXT_END) > len(texts):
        joined = TEXT_END.join([*(text.replace(TEXT_END, NO_WORD) for text in texts), ""])
    return joined


def folded_at_once(texts: Sequence[str], reworded: Sequence[int]) -> str:
    """What `marked_words` splits, of the texts that `kept_texts` gives, with `TEXT_END` behind each."""
    joined = _with_marks(rewritten_at_once(texts, reworded, _with_digits))
    for sign in _SIGNS_APART:
        joined = joined.replace(sign, NO_WORD)
    return folded_text(joined)


def _with_digits(text: str) -> str:
    return NUMBER_PATTERN.sub(number_sign, ROMANS_PATTERN.sub(roman_digits, text))


def rewritten_at_once(texts: Sequence[str], reworded: Sequence[int], with_digits: Callable[[str], str]) -> str:
    """Texts as `_rewritten` gives them, without the marks at their ends, and with `TEXT_END` behind each.

    Args:
        reworded: the places of all texts that have one of `REWORDED_PARTS`.
        with_digits: what replaces Roman numbers and the sign of numbers in all texts at once.
    """
    read = with_digits(f"{TEXT_END}{joined_texts(texts)}").split(TEXT_END)[1:-1]
    for place in reworded:
        read[place] = _rewritten(texts[place].replace(TEXT_END, NO_WORD))
    joined = TEXT_END.join([*[text.strip().rstrip(_LAST_MARKS) for text in read], ""])
    return _LAST_INITIAL_PATTERN.sub(r"\g<0>.", joined)
