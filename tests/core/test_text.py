"""Normalisation: golden outputs of the official programs, their plain definitions as oracles, and properties.

The oracles below are the rules written out as plainly as possible, one character or one regular expression at a time;
the package must agree with them on every string.
"""

import functools
import pickle
import re
import string
import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from qassay.core.text import (
    NORMALIZATION_STEPS,
    get_normalizer,
    list_normalizers,
)

ARABIC_AL = "\u0627\u0644"  # the letters alef, lam

# --- difficult strings ------------------------------------------------------------------------------------------------

FRAGMENTS = [
    *("a", "an", "the", "A", "An", "The", "THE", "un", "una", "el", "los", "der", "Die", "das", "của", "là", "cái"),
    *("le", "La", "LES", "une", "du", "des", "l", "m", "x", "Dog"),
    *string.punctuation,
    *"“”‘’´–—−…«»·，。！？：；（）《》〈〉、",
    *"éÉàñẞßİıΣσςKſÅﬁ①𝐀𝐭ªºµ",
    *("\u0301", "\u200b", "\u00a0", "\0", "\x1c", "\x1f", "\x0b", "\x85", "\u2028", "\u3000", "\t", "\n", " ", "  "),
    *("😀", "\ud800", "\udfff", "\U0010ffff", "٣", "１２", "०"),
    *("_the_", "_a", "l'", "L’", "d'", "qu’", "jusqu'", "aujourd'hui", "rock'n'roll"),
    *("ΑΣ", "Σ.", "O'Σ", ARABIC_AL, "الله", "قال", "中国", "年", "㐂", "𠮷", "東京タワー", "ｶﾞ", "は", "삼국지"),
    *("5", "10", "3.14", "1,000", "1e3", "1_0", "nan", "inf", "Infinity", "1e400", "0.00001", "-5", "+1", "."),
]
fuzz = st.lists(st.sampled_from(FRAGMENTS) | st.characters(), max_size=12).map("".join)
fast = settings(deadline=None, max_examples=200)

# --- the rules, written out -------------------------------------------------------------------------------------------

LANGUAGE_ARTICLES = {
    "en": "a|an|the",
    "es": "un|una|unos|unas|el|la|los|las",
    "de": "ein|eine|einen|einem|eines|einer|der|die|das|den|dem|des",
    "vi": "của|là|cái|chiếc|những",
}


def without(text, is_removed, replacement=""):
    return "".join(replacement if is_removed(character) else character for character in text)


def is_ascii_mark(character):
    return character in string.punctuation


def is_any_mark(character):
    return character in string.punctuation or unicodedata.category(character)[0] == "P"


def plain_squad(text):
    bare = without(text.lower(), is_ascii_mark)
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", bare).split())


def plain_mlqa(text, language):
    bare = without(text.lower(), is_any_mark)
    if language in LANGUAGE_ARTICLES:
        bare = re.sub(rf"\b({LANGUAGE_ARTICLES[language]})\b", " ", bare)
    if language == "ar":
        bare = re.sub(rf"\s{ARABIC_AL}^|{ARABIC_AL}", " ", bare)
    if language == "zh":
        bare = "".join(f" {c} " if "\u4e00" <= c <= "\u9fa5" else c for c in bare)
    return " ".join(bare.split())


def plain_triviaqa(text):
    lowered = text.replace("_", " ").lower()
    spaced = without(lowered, lambda character: is_ascii_mark(character) or character in "‘’´`", " ")
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", spaced).split())


def plain_float(token):
    try:
        return float(token)
    except ValueError:
        return None


def plain_drop(text):
    pieces = []
    for piece in re.split("[ -]", text):
        piece = piece.lower()
        if plain_float(piece) is None:
            piece = without(piece, is_ascii_mark)
        if plain_float(piece) is not None:
            piece = str(plain_float(piece))
        pieces += re.sub(r"\b(a|an|the)\b", " ", piece).split()
    return " ".join(pieces)


def plain_korquad(text):
    spaced = without(text, lambda character: character in "'\"《》<>〈〉()‘’", " ")
    return " ".join(without(spaced.lower(), is_ascii_mark).split())


MLQA_LANGUAGES = ("en", "es", "de", "vi", "ar", "hi", "zh")
ORACLES = {
    "squad": plain_squad,
    "triviaqa": plain_triviaqa,
    "drop": plain_drop,
    "korquad": plain_korquad,
    "bioasq": str.lower,
    "none": str,
    **{f"mlqa:{code}": functools.partial(plain_mlqa, language=code) for code in MLQA_LANGUAGES},
}


# Each property tries every normaliser on each text: making the texts is what takes the time.


@fast
@example("the\0a\x1fAn_the")  # ASCII, but a boundary that is not a space
@example("\x7fa\x7f")
@example("a\u0301 ªa Thé")
@given(fuzz)
def test_equals_the_plain_definition(text):
    for name, plain in ORACLES.items():
        assert get_normalizer(name)(text) == plain(text), name


@pytest.mark.parametrize(
    "name", ["squad", *(pytest.param(name, marks=pytest.mark.thorough) for name in ("mlqa:en", "triviaqa", "korquad"))]
)
def test_every_character_equals_the_plain_definition(name):
    # All of Unicode in strings of 256 characters, with articles on both sides of each.
    normalizer = get_normalizer(name)
    for start in range(0, 0x110000, 0x1000):
        text = "".join(f" a{chr(code)}the" for code in range(start, start + 0x1000, 1 if start < 0x10000 else 16))
        assert normalizer(text) == ORACLES[name](text), hex(start)


# --- outputs ----------------------------------------------------------------------------------------------------------


def test_borders_of_the_characters_that_are_words_of_their_own():
    for character in "㐀䶿一鿿𠀀𮯰𱍐々〆ゝヺㇰ〻\U0001b000":
        assert get_normalizer("cjk")(f"x{character}x") == f"x {character} x"


# --- steps ------------------------------------------------------------------------------------------------------------


@fast
@given(st.lists(st.sampled_from(sorted(NORMALIZATION_STEPS)), min_size=1, max_size=6), fuzz)
@example(["lower", "ascii_punctuation", "articles:es", "spaces"], "El gato, el perro")
@example(["lower", "unicode_punctuation", "spaces"], "The Cat's")
@example(["nfkc", "unicode_punctuation", "spaces"], "The Cat's")
@example(["lower", "unicode_punctuation", "spaces", "articles:en"], "The Cat's")
@example(["lower", "ascii_punctuation", "articles:en", "articles:en"], "The Cat's")
def test_steps_are_applied_in_order(steps, text):
    expected = text
    for step in steps:
        expected = NORMALIZATION_STEPS[step](expected)
    normalizer = get_normalizer("+".join(steps))
    copy = pickle.loads(pickle.dumps(normalizer))
    assert copy == normalizer and copy(text) == normalizer(text) == normalizer.shortest(text) == expected


def test_steps_are_signed_by_their_names():
    normalizer = get_normalizer("lower+ascii_punctuation+articles:en+spaces")
    assert normalizer.name == "lower+ascii_punctuation+articles:en+spaces"
    assert normalizer.function == get_normalizer("squad").function  # squad is these steps, by another name
    assert normalizer != get_normalizer("squad")
    assert normalizer.function != get_normalizer("triviaqa").function


# --- properties -------------------------------------------------------------------------------------------------------

# str(float("0.00001")) is "1e-05", which is cut at its hyphen; without the mark between them, NFKC joins e and accent.
NOT_IDEMPOTENT = {"drop": "0.00001", "cjk": "e!\u0301"}
KEEP_SPACES = {"bioasq", "none"}


@fast
@given(fuzz)
def test_output_is_stable_and_its_tokens_are_joined_by_single_spaces(text):
    for normalizer in map(get_normalizer, list_normalizers()):
        result, name = normalizer(text), normalizer.name
        assert name in NOT_IDEMPOTENT or normalizer(result) == result, name
        assert name in KEEP_SPACES or result == " ".join(result.split()), name
        copy = pickle.loads(pickle.dumps(normalizer))
        assert copy == normalizer and hash(copy) == hash(normalizer) and copy(text) == result, name
        assert normalizer.shortest(text) == result, name


def test_long_and_odd_text():
    unit = "The l’Été, 東京 1,000 \ud800 😀 \0 “قال” \U0010ffff "
    for normalizer in map(get_normalizer, list_normalizers()):
        assert normalizer(unit * 2_500).split() == normalizer(unit).split() * 2_500, normalizer.name


# --- looking up -------------------------------------------------------------------------------------------------------


def test_default_and_short_names():
    assert get_normalizer() == get_normalizer("squad")
    assert get_normalizer("mlqa") == get_normalizer("mlqa:en")
    assert get_normalizer("mlqa").name == "mlqa:en"
    others = {"squad", "triviaqa", "drop", "french", "cjk", "korquad", "none", "bioasq"}
    assert set(list_normalizers()) == others | {f"mlqa:{code}" for code in MLQA_LANGUAGES}
    for name in list_normalizers():
        normalizer = get_normalizer(name)
        assert (normalizer.name, normalizer.unit) == (name, "character" if name == "korquad" else "token")
        assert get_normalizer(normalizer) is normalizer


def shout(text):
    return text.upper()


def test_functions():
    for function, name, expected in (
        (shout, "custom:shout", "CAT"),
        (str.title, "custom:str.title", "Cat"),
        (functools.partial(shout), "custom:shout", "CAT"),
    ):
        normalizer = get_normalizer(function)
        assert (normalizer.name, normalizer.unit, normalizer("cat")) == (name, "token", expected)
        assert normalizer.function is function


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        *((name, ValueError, f"{name!r}.*valid: squad") for name in ("mlqa:fr", "SQuAD", "", "custom:shout")),
        ("trivia_qa", ValueError, "did you mean 'triviaqa'"),
        ("lower+articles:xx", ValueError, "step 'articles:xx'.*did you mean 'articles:"),
        ("lowr+spaces", ValueError, "step 'lowr'"),
        (["lower", "spaces"], TypeError, r"steps such as lower\+spaces, or a function, got list"),
        (None, TypeError, "got None"),
        ({"lower"}, TypeError, "got set"),
    ],
)
def test_invalid_normalizers(wrong, error, message):
    with pytest.raises(error, match=message):
        get_normalizer(wrong)


def test_texts_must_be_strings():
    for name in list_normalizers():
        with pytest.raises(TypeError, match=f"'{name}' takes a str, got bytes"):
            get_normalizer(name)(b"bytes")
    for call in (get_normalizer(str.split), get_normalizer(str.split).shortest):
        with pytest.raises(TypeError, match="must return a str"):
            call("a b")
