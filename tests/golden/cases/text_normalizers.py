"""Normalisers: every name, every step and every unit, on texts that differ by Unicode, articles, marks and spaces."""

from collections.abc import Iterator
from typing import Any

from _inputs import of_columns

import qassay

TEXTS = [
    "", " ", "the", "A an THE a", "The  Great Wall (of China)", "theatre the_the an-the", "U.S. O'Neill rock'n'roll",
    "a.b c-d e/f",
    "1,000 1000 1_000 3.14 (3.14) -5 +5 .5 5. 1e3 ½ Ⅳ ５ １２", "$20 20% 20€ 20° x² №5",
    "nan inf Infinity NaN 0.00001 10\n\nyards",
    "twenty-one men - and ‐ ‑ – — women", "“quoted” ‘single’ «guillemets» „so“ ´acute` ‹x›",
    "a\u00a0b\u3000c\u2009d\u200be\tf\ng\r\nh\u2028i",
    "naïve café CAFÉ cafe\u0301 Å A\u030a ﬁre ß ẞ ſ", "İstanbul ISTANBUL ıI straße STRASSE",
    "e\u0301.\u0301 a.\u0308 o\u0338",
    "L'avion l’eau L’« Aurore » d'Arc aujourd'hui quelqu'un jusqu'à lorsqu'il qu'on l'l'a rock'l'a",
    "Le la les l' un une des du LA Des",
    "Die der das Ein eines dem den Haus", "El la los unas un una unos las Niño", "của là cái chiếc những Việt Nam",
    "Il lo gli dell'arte un'altra italia",
    "De het een den huis", "En ett et ei bok", "O a os as um uma uns umas livro", "Se yks yksi talo", "Az egy a ház",
    "الكتاب بال الـ القاهرة", "हिन्दी की किताब। दिल्ली", "北京，大学。《红楼梦》2008年 ABC", "東京タワー。です。 ｱｲ アイ 々〆〇 ー 。",
    "한국 '서울' \"대한민국\" 《책》 <사과> 〈글〉 ‘말’",
    "'(]‘’ \"()‘’ [()‘’ 〉[)‘’x", "\U00020000\U0002a6d6 \u2e80 \u9fa6 \u9fa5 \u3400 \uf900 \uff66",
    "ภาษาไทย ភ្នំពេញ 臺灣", "Ελλάδα ΟΔΟΣ ς Москва Ёлка",
    "emoji 👍🏽 \U0001f1eb\U0001f1f7 zero\u200djoin \ufeffbom soft\u00adhyphen", "\x00 \x1f \x7f control",
    "_under_ __ a_b", "「引用」、・…‥ ！？（）", "。。 。x。", "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~",
]  # fmt: skip

NAMES = (
    "squad", "mlqa", "mlqa:en", "mlqa:es", "mlqa:de", "mlqa:vi", "mlqa:ar", "mlqa:hi", "mlqa:zh", "triviaqa",
    "french", "cjk", "korquad",
    "bioasq", "none", "drop", "jieba",
    *(f"mkqa:{language}" for language in (
        "ar", "da", "de", "en", "es", "fi", "fr", "he", "hu", "it", "ja", "km", "ko", "ms", "nl", "no", "pl", "pt",
        "ru", "sv", "th",
        "tr", "vi", "zh_cn", "zh_hk", "zh_tw",
    )),
)  # fmt: skip
STEPS = (
    "lower", "casefold", "nfkc", "nfd", "accents", "underscores", "elision", "ascii_punctuation", "unicode_punctuation",
    "punctuation_to_space", "quotes_and_brackets_to_space", "articles:en", "articles:es", "articles:de",
    "articles:vi", "articles:fr",
    "articles:fquad", "articles:ar", "full_stop", "split_words", "split_han", "split_cjk", "spaces",
)  # fmt: skip
CHAINS = (
    "lower+ascii_punctuation+spaces", "lower+unicode_punctuation+articles:de+spaces", "spaces+lower",
    "nfkc+lower+split_cjk",
    "lower+ascii_punctuation+articles:ar+spaces", "articles:en+lower", "accents+full_stop+casefold",
)  # fmt: skip


def normalised(name: str) -> list[str]:
    """The texts as a normaliser leaves them."""
    from qassay.core.text import get_normalizer

    return list(map(get_normalizer(name), TEXTS))


def cases() -> Iterator[tuple[str, Any]]:
    for name in (*NAMES, *STEPS, *CHAINS):
        made = normalised(name)
        # Most steps leave most texts alone: these are not repeated.
        yield f"{name}/changed", [row for row, (text, own) in enumerate(zip(TEXTS, made, strict=True)) if text != own]
        texts = [own for text, own in zip(TEXTS, made, strict=True) if text != own]
        yield f"{name}/texts", [text.replace("\u2028", "U+2028") for text in texts]  # which would end a line of numbers
    # A text against the next one, and against its own words in another order, as answers.
    shifted = [[" ".join(text.split()[::-1]), after] for text, after in zip(TEXTS, [*TEXTS[1:], TEXTS[0]], strict=True)]
    for name in (*NAMES, *CHAINS):
        for unit in ("token", "character"):
            found = qassay.score("answer_match", TEXTS, shifted, normalizer=name, unit=unit)
            yield f"{name}/{unit}", of_columns(found, "exact_match", "f1")
