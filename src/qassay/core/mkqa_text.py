"""The normalisers of MKQA (Longpre et al., 2021), a data set in 26 languages, including the quirks of its script.

Articles are replaced by a space, after lower-casing and removal of ASCII punctuation. In French and Italian they need
not be whole words: "les" becomes "s", and "italia" becomes "talia". Arabic loses its article wherever the two letters
occur. Chinese, Japanese, Khmer and Thai are split into characters.
"""

import functools
import re
import string

_MKQA_MARKS = dict.fromkeys(map(ord, string.punctuation))
_WHOLE_ARTICLES = {
    "en": "a an the",
    "es": "un una unos unas el la los las",
    "vi": "của là cái chiếc những",
    "de": "ein eine einen einem eines einer der die das den dem des",
    "nl": "de het een des der den",
    "sv": "en ett",
    "da": "en et",
    "no": "en et ei",
    "pt": "o a os as um uma uns umas",
    "fi": "se yks yksi",
    "hu": "a az egy",
}
_OPEN_ARTICLES = {
    "fr": "le la les du de des un une",
    "it": "il lo la i gli le del dello della dei degli delle uno una un",
}
_OF_CHARACTERS = ("zh_cn", "zh_hk", "zh_tw", "ja", "th", "km")
MKQA_LANGUAGES = (
    "ar", "da", "de", "en", "es", "fi", "fr", "he", "hu", "it", "ja", "km", "ko", "ms", "nl", "no", "pl", "pt", "ru", "sv", "th",
    "tr", "vi", "zh_cn", "zh_hk", "zh_tw",
)  # fmt: skip


@functools.cache
def _mkqa_articles(language: str) -> re.Pattern[str] | None:
    if language == "ar":
        return re.compile("ال")
    words = _WHOLE_ARTICLES.get(language) or _OPEN_ARTICLES.get(language)
    if words is None:
        return None
    return re.compile(rf"\b(?:{words.replace(' ', '|')})" + (r"\b" if language in _WHOLE_ARTICLES else ""))


def normalize_mkqa(language: str, text: str) -> str:
    """An answer in a language of MKQA.

    Example:
        >>> normalize_mkqa("fr", "Les leçons!"), normalize_mkqa("ja", "東京 タワー")
        ('s çons', '東 京 タ ワ ー')
    """
    text = text.lower().translate(_MKQA_MARKS)
    articles = _mkqa_articles(language)
    text = text if articles is None else articles.sub(" ", text)
    return " ".join("".join(text.split()) if language in _OF_CHARACTERS else text.split())
