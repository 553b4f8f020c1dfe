"""Text normalisation: decides when two answers count as the same answer.

A normaliser is a chain of small steps (lower case, punctuation, articles, white space). Named normalisers reproduce the
official program of a benchmark character for character, including its quirks; names of steps joined by "+" make a new one.

====================  ============================================================================================
name                  rule
====================  ============================================================================================
squad                 lower, delete ASCII punctuation, drop a / an / the, collapse white space
                      (SQuAD v1.1 and v2 scripts; Rajpurkar et al. 2016, 2018)
mlqa:<lang>           as squad, but every Unicode punctuation mark goes and the articles are en, es, de, vi
                      or ar; hi has none; zh has none and splits U+4E00-9FA5 into characters (Lewis et al. 2020)
triviaqa              punctuation becomes a space instead of nothing (Joshi et al. 2017)
drop                  word by word, numbers become floats: "1,000" is "1000.0" (Dua et al. 2019, allennlp drop_eval)
french                elision is split before punctuation goes, then le la les l' un une des du are dropped
cjk                   Chinese and Japanese: NFKC, lower, delete punctuation, one token per Han or kana character
korquad               KorQuAD 1.0 (Lim et al. 2019): F1 counts characters
mkqa:<lang>           MKQA in its 26 languages (Longpre et al. 2021): articles of 14 of them, in French and Italian also the
                      beginnings of words; characters for zh_cn, zh_hk, zh_tw, ja, th and km; not in the lists of names
jieba                 Chinese words of the package jieba, without marks (LongBench, Bai et al. 2024); not in the lists
bioasq                lower case only, as the BioASQ measures do
none                  the text as it is
====================  ============================================================================================
"""

import re
import string
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache, partial
from types import MappingProxyType
from typing import Any

from .jieba_text import normalize_jieba
from .options import did_you_mean
from .shown import describe, shown

# --- steps ------------------------------------------------------------------------------------------------------------

# Articles that are whole words. Arabic is not here: its article is a prefix and has its own rule below.
_ARTICLE_WORDS = {
    "en": ("a", "an", "the"),
    "es": ("un", "una", "unos", "unas", "el", "la", "los", "las"),
    "de": ("ein", "eine", "einen", "einem", "eines", "einer", "der", "die", "das", "den", "dem", "des"),
    "vi": ("của", "là", "cái", "chiếc", "những"),
    "fr": ("le", "la", "les", "un", "une", "des", "du"),
    "fquad": ("un", "une", "des", "le", "la", "les"),
    "locomo": ("a", "an", "the", "and"),
    # of MKQA only
    "nl": ("de", "het", "een", "des", "der", "den"),
    "sv": ("en", "ett"),
    "da": ("en", "et"),
    "no": ("en", "et", "ei"),
    "pt": ("o", "a", "os", "as", "um", "uma", "uns", "umas"),
    "fi": ("se", "yks", "yksi"),
    "hu": ("a", "az", "egy"),
}
# In these languages, MKQA's program also drops articles from the beginnings of words: "les" is "s", and "italia" is "talia".
_ARTICLE_STARTS = {
    "fr": ("le", "la", "les", "du", "de", "des", "un", "une"),
    "it": ("il", "lo", "la", "i", "gli", "le", "del", "dello", "della", "dei", "degli", "delle", "uno", "una", "un"),
}
_ARABIC_ARTICLE = "ال"

_ASCII_PUNCTUATION_SET = frozenset(string.punctuation)
_TRIVIAQA_TABLE = dict.fromkeys(map(ord, string.punctuation + "‘’´`"), " ")
_KORQUAD_TABLE = dict.fromkeys(map(ord, "'\"‘’<>()《》〈〉"), " ")
_ASCII_LOWER_BYTES = bytes(range(128)).lower() + bytes(range(128, 256))
_ASCII_PUNCTUATION_BYTES = string.punctuation.encode("ascii")

# Han, kana and their marks: iteration mark, radicals, half-width kana, compatibility and extension planes.
_CJK_PATTERN = (
    "[\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3038-\u303b\u3041-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\uff66-\uff9f\U0001aff0-\U0001b16f\U00020000-\U0003ffff]"
)


class _Characters(dict[int, str]):
    """A table for ``str.translate`` whose entries are found once each, on first use."""

    def __init__(self, replaced: Callable[[str], str]):
        super().__init__()
        self._replaced = replaced

    def __missing__(self, code: int) -> str:
        self[code] = self._replaced(chr(code))
        return self[code]


def _without_punctuation(character: str) -> str:
    is_mark = character in _ASCII_PUNCTUATION_SET or unicodedata.category(character).startswith("P")
    return "" if is_mark else character


def _split_from_words(character: str) -> str:
    """Letters, digits and marks as they are, a space for spaces and control characters, others apart."""
    kind = unicodedata.category(character)[0]
    return character if kind in "LNM" else " " if kind in "ZC" else f" {character} "


_UNICODE_PUNCTUATION_TABLE = _Characters(_without_punctuation)
_WORD_TABLE = _Characters(_split_from_words)


@cache
def _text_pattern(pattern: str) -> re.Pattern[str]:
    # Compiled on first use: importing the module stays cheap.
    return re.compile(pattern)


def delete_ascii_punctuation(text: str) -> str:
    """Delete the 32 marks of ``string.punctuation``."""
    return _text_pattern(r"[!-/:-@\[-`{-~]+").sub("", text)


def drop_articles(language: str, text: str) -> str:
    """Replace the articles of a language by a space; expects lower-case text.

    Articles are whole words, except in Arabic, where the letters "ال" are removed anywhere, as in MLQA's script.
    """
    if language == "ar":
        return text.replace(_ARABIC_ARTICLE, " ")
    return _text_pattern(rf"\b(?:{'|'.join(_ARTICLE_WORDS[language])})\b").sub(" ", text)


def _drop_article_starts(language: str, text: str) -> str:
    return _text_pattern(rf"\b(?:{'|'.join(_ARTICLE_STARTS[language])})").sub(" ", text)


# A word that French elides, at the start of a word: not inside one (aujourd'hui, quelqu'un), nor after another
# apostrophe that belongs to a word (rock'n'roll); what follows may be quoted (l'« Aurore »).
_ELISION_PATTERN = r"(?<!\w)(?<!\w['’])(?:(?:jusqu|lorsqu|puisqu|quoiqu|qu|[cçdjlmnst])['’])+(?=\W*\w)"


def _split_elided_words(match: re.Match[str]) -> str:
    words = match[0].replace("’", "'").split("'")
    return " " + "".join(word + " " for word in words if word != "l")


def split_elision(text: str) -> str:
    """Cut elided French words off at the apostrophe (' or U+2019) and drop the elided article l'.

    Expects lower-case text with its punctuation. Words that only contain an apostrophe stay whole.
    """
    return _text_pattern(_ELISION_PATTERN).sub(_split_elided_words, text)


def strip_accents(text: str) -> str:
    """Remove the diacritics U+0300-036F, so that é is e; the marks of Indic, Arabic or Japanese script stay.

    The text comes out in NFC. Letters without a decomposition (ø, ł) stay.
    """
    if text.isascii():
        return text
    bare = _text_pattern("[\u0300-\u036f]+").sub("", unicodedata.normalize("NFD", text))
    return unicodedata.normalize("NFC", bare)


def collapse_spaces(text: str) -> str:
    """Make every run of white space (as ``str.split`` sees it) one space, none at the ends."""
    return " ".join(text.split())


def _replace(pattern: str, replacement: str) -> Callable[[str], str]:
    return lambda text: _text_pattern(pattern).sub(replacement, text)


#: Step name -> function from text to text, for :func:`get_normalizer`. Read only.
NORMALIZATION_STEPS: Mapping[str, Callable[[str], str]] = MappingProxyType(
    {
        "lower": str.lower,
        "casefold": str.casefold,
        "nfkc": partial(unicodedata.normalize, "NFKC"),
        "nfd": partial(unicodedata.normalize, "NFD"),
        "accents": strip_accents,
        "underscores": lambda text: text.replace("_", " "),
        "elision": split_elision,
        "ascii_punctuation": delete_ascii_punctuation,
        # Deletes ASCII punctuation and every character of a Unicode category P*; other symbols (€, °) stay.
        "unicode_punctuation": lambda text: text.translate(_UNICODE_PUNCTUATION_TABLE),
        "punctuation_to_space": lambda text: text.translate(_TRIVIAQA_TABLE),
        "quotes_and_brackets_to_space": lambda text: text.translate(_KORQUAD_TABLE),
        **{f"articles:{language}": partial(drop_articles, language) for language in (*_ARTICLE_WORDS, "ar")},
        **{f"article_starts:{language}": partial(_drop_article_starts, language) for language in _ARTICLE_STARTS},
        "full_stop": lambda text: text.rstrip("。"),  # as JGLUE does
        # Every run of letters, digits and marks becomes a token, and every other visible character too, as in DPR.
        "split_words": lambda text: text.translate(_WORD_TABLE),
        "split_han": _replace("[\u4e00-\u9fa5]", r" \g<0> "),  # the range of MLQA and CMRC 2018
        "split_cjk": _replace(_CJK_PATTERN, r" \g<0> "),
        "split_characters": lambda text: " ".join("".join(text.split())),
        "spaces": collapse_spaces,
    }
)


# --- chains of steps --------------------------------------------------------------------------------------------------


def _droppable_words(steps: tuple[str, ...]) -> frozenset[str] | None:
    """The articles that a chain drops from printable ASCII text; None if the chain has no shortcut for such text.

    The shortcut serves ``lower``, a punctuation step, at most one article step, ``spaces``: once ASCII punctuation is
    gone, printable ASCII is letters, digits and spaces, so that splitting finds every article between word boundaries.
    """
    if steps[:1] != ("lower",) or steps[1:2] not in (("ascii_punctuation",), ("unicode_punctuation",)):
        return None
    if steps[2:] == ("spaces",):
        return frozenset()
    if len(steps) == 4 and steps[2].startswith("articles:") and steps[3] == "spaces":
        return frozenset(_ARTICLE_WORDS.get(steps[2].removeprefix("articles:"), ()))
    return None


@dataclass(frozen=True)
class StepChain:
    """The steps of ``NORMALIZATION_STEPS`` with these names, in order; compared and pickled by names."""

    steps: tuple[str, ...]
    _functions: tuple[Callable[[str], str], ...] = field(init=False, repr=False, compare=False)
    _droppable: frozenset[str] | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_functions", tuple(NORMALIZATION_STEPS[step] for step in self.steps))
        object.__setattr__(self, "_droppable", _droppable_words(self.steps))

    def __call__(self, text: str) -> str:
        droppable = self._droppable
        if droppable is not None and text.isascii():
            # One pass over bytes lowers and deletes: half the time of lower() and translate().
            bare = text.encode().translate(_ASCII_LOWER_BYTES, _ASCII_PUNCTUATION_BYTES).decode()
            if bare.isprintable():
                words = bare.split()
                return " ".join(
                    words if droppable.isdisjoint(words) else [word for word in words if word not in droppable]
                )
        for function in self._functions:
            text = function(text)
        return text

    def __reduce__(self) -> tuple[Any, ...]:
        return StepChain, (self.steps,)


# --- DROP -------------------------------------------------------------------------------------------------------------

_FLOAT_WORDS = frozenset(("nan", "inf", "infinity"))


def parses_as_float(token: str) -> bool:
    """Whether Python's ``float`` reads the token: DROP's test for a number, so "nan", "１２" and "1_000" pass."""
    if token.isalpha():  # the same result without the cost of an exception for each plain word
        return token.lower() in _FLOAT_WORDS
    try:
        float(token)
    except ValueError:
        return False
    return True


@lru_cache(1 << 16)  # pieces recur much more often than whole answers
def normalize_drop_token(token: str) -> str:
    """One piece of a DROP answer (no space or hyphen in it), normalised; "" when nothing is left.

    Punctuation is removed only if the piece is not already a number, so "3.14" stays and "(3.14)" becomes "314.0".
    """
    token = token.lower()
    if token.isalpha() and token not in _FLOAT_WORDS:  # fast path for the common case
        return "" if token in _ARTICLE_WORDS["en"] else token
    if not parses_as_float(token):
        token = delete_ascii_punctuation(token)
    if parses_as_float(token):
        token = str(float(token))
    return collapse_spaces(drop_articles("en", token))


def normalize_drop(text: str) -> str:
    """A DROP answer: cut at spaces and hyphens, each piece normalised, the rest joined by spaces.

    Other white space does not cut, so "10\\n\\nyards" is one piece and no number, as in the official evaluator.
    """
    pieces = map(normalize_drop_token, text.replace("-", " ").split(" "))
    return " ".join([piece for piece in pieces if piece])


# --- normalisers ------------------------------------------------------------------------------------------------------

_MLQA_STEPS = ("lower", "unicode_punctuation")
_NAMED_CHAINS = {
    "squad": ("lower", "ascii_punctuation", "articles:en", "spaces"),
    "mlqa:en": (*_MLQA_STEPS, "articles:en", "spaces"),
    "mlqa:es": (*_MLQA_STEPS, "articles:es", "spaces"),
    "mlqa:de": (*_MLQA_STEPS, "articles:de", "spaces"),
    "mlqa:vi": (*_MLQA_STEPS, "articles:vi", "spaces"),
    "mlqa:ar": (*_MLQA_STEPS, "articles:ar", "spaces"),
    "mlqa:hi": (*_MLQA_STEPS, "spaces"),
    "mlqa:zh": (*_MLQA_STEPS, "split_han", "spaces"),
    "triviaqa": ("underscores", "lower", "punctuation_to_space", "articles:en", "spaces"),
    "french": ("lower", "elision", "unicode_punctuation", "articles:fr", "spaces"),
    "cjk": ("nfkc", "lower", "unicode_punctuation", "split_cjk", "spaces"),
    "korquad": ("quotes_and_brackets_to_space", "lower", "ascii_punctuation", "spaces"),
    "bioasq": ("lower",),
    "none": (),
}
_NORMALIZER_NAMES = (*_NAMED_CHAINS, "drop")
MKQA_LANGUAGES = (
    "ar", "da", "de", "en", "es", "fi", "fr", "he", "hu", "it", "ja", "km", "ko", "ms", "nl", "no", "pl", "pt", "ru", "sv", "th",
    "tr", "vi", "zh_cn", "zh_hk", "zh_tw",
)  # fmt: skip
_MKQA_CHARACTERS = ("ja", "km", "th", "zh_cn", "zh_hk", "zh_tw")


def _mkqa_steps(language: str) -> tuple[str, ...]:
    kind = "article_starts" if language in _ARTICLE_STARTS else "articles"
    articles = (f"{kind}:{language}",) if f"{kind}:{language}" in NORMALIZATION_STEPS else ()
    return "lower", "ascii_punctuation", *articles, "split_characters" if language in _MKQA_CHARACTERS else "spaces"


_MKQA_CHAINS = {f"mkqa:{language}": _mkqa_steps(language) for language in MKQA_LANGUAGES}


@dataclass(frozen=True)
class Normalizer:
    """A named function from text to text; the tokens of an answer are ``normalizer(text).split()``.

    Attributes:
        name: what signatures print: "squad", "mlqa:de", "lower+spaces", "custom:my_function".
        unit: "token" or "character", what F1 counts by default ("character": the text with its spaces dropped).
        function: the function itself, without the checks of a call.

    Calling it raises TypeError when the text is not a str or the function gives something else back.

    >>> squad = get_normalizer("squad")
    >>> squad("The  Great Wall (of China)"), squad.name, squad.unit
    ('great wall of china', 'squad', 'token')
    """

    name: str
    unit: str
    function: Callable[[str], str]

    def __call__(self, text: str) -> str:
        if not isinstance(text, str):
            raise TypeError(f"normalizer {self.name!r} takes a str, got {type(text).__name__}: {text!r:.60}")
        result = self.function(text)
        if not isinstance(result, str):
            raise TypeError(
                f"normalizer {self.name!r} must return a str, returned {type(result).__name__} for {text[:40]!r}"
            )
        return result

    @property
    def shortest(self) -> Callable[[str], str]:
        """A faster function with the same results as a call: steps need no check."""
        return self.function if isinstance(self.function, StepChain) else self


def list_normalizers() -> tuple[str, ...]:
    """The names :func:`get_normalizer` knows; "mlqa" alone is short for "mlqa:en".

    >>> list_normalizers()[:3]
    ('squad', 'mlqa:en', 'mlqa:es')
    """
    return _NORMALIZER_NAMES


NormalizerSpec = str | Callable[[str], str] | Normalizer


def get_normalizer(spec: NormalizerSpec = "squad") -> Normalizer:
    """The normaliser for a name, steps or a function.

    Args:
        spec: a name of :func:`list_normalizers`, "mkqa:<lang>" or "jieba"; names of ``NORMALIZATION_STEPS`` joined by "+", applied in
            order; a function from str to str; or a Normalizer, which comes back as it is. So the name of every
            normaliser, except "custom:...", gives the normaliser back.

    Raises:
        ValueError: a name or step that does not exist.
        TypeError: anything else that is not callable.

    Named normalisers and steps can be pickled. Applying a named one twice changes nothing more, except for
    ``drop`` ("0.00001" gives "1e-05", then "1e 5.0") and ``cjk`` (a deleted mark may have kept a letter from an accent
    that NFKC then joins to it). A custom normaliser is signed by the name of its function only.

    >>> get_normalizer("french")("L'avion") == get_normalizer("french")("avion")
    True
    >>> get_normalizer("lower+accents+spaces")("  Élève ")
    'eleve'
    >>> get_normalizer("squda")
    Traceback (most recent call last):
        ...
    ValueError: unknown normalizer 'squda' (did you mean 'squad'?); valid: squad, mlqa:en, mlqa:es, mlqa:de, mlqa:vi, \
mlqa:ar, mlqa:hi, mlqa:zh, triviaqa, french, cjk, korquad, bioasq, none, drop; or steps such as lower+spaces, or a function
    """
    if isinstance(spec, Normalizer):
        return spec
    if isinstance(spec, str):
        return _normalizer_by_name(str(spec))
    if callable(spec):
        return Normalizer(f"custom:{function_name(spec)}", "token", spec)
    raise TypeError(f"a normalizer is a name, steps such as lower+spaces, or a function, got {describe(spec)}")


@cache
def _normalizer_by_name(name: str) -> Normalizer:
    name = "mlqa:en" if name == "mlqa" else name
    if name == "drop":
        return Normalizer(name, "token", normalize_drop)
    if name == "jieba":
        return Normalizer(name, "token", normalize_jieba)
    chain = _MKQA_CHAINS.get(name) or _NAMED_CHAINS.get(name)
    if chain is not None:
        return Normalizer(name, "character" if name == "korquad" else "token", StepChain(chain))
    steps = tuple(name.split("+"))
    unknown = next((step for step in steps if step not in NORMALIZATION_STEPS), None)
    if len(steps) == 1 and unknown is not None:
        raise ValueError(
            f"unknown normalizer {shown(name)}{did_you_mean(name, _NORMALIZER_NAMES)}; "
            f"valid: {', '.join(_NORMALIZER_NAMES)}; or steps such as lower+spaces, or a function"
        )
    if unknown is not None:
        near = did_you_mean(unknown, NORMALIZATION_STEPS)
        raise ValueError(f"unknown normalization step {shown(unknown)}{near}; valid: {', '.join(NORMALIZATION_STEPS)}")
    return Normalizer(name, "token", StepChain(steps))


def function_name(function: Callable[..., Any]) -> str:
    """The name of a function, also inside `functools.partial`; for a callable object, the name of its class."""
    while isinstance(function, partial):
        function = function.func
    return getattr(function, "__qualname__", type(function).__qualname__)
