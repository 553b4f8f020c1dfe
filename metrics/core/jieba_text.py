"""Chinese cut into words by jieba, an optional package, without marks: the tokens of LongBench (Bai et al., 2024)."""

import functools
import string
from typing import Any

_CHINESE_MARKS = "！？｡。＂＃＄％＆＇（）＊＋，－／：；＜＝＞＠［＼］＾＿｀｛｜｝～｟｠｢｣､、〃》「」『』【】〔〕〖〗〘〙〚〛〜〝〞〟〰〾〿–—‘’‛“”„‟…‧﹏."
_NO_MARKS = dict.fromkeys(map(ord, string.punctuation + _CHINESE_MARKS))


@functools.cache
def _jieba() -> Any:
    try:
        import jieba
    except ImportError:
        raise ImportError("the normalizer 'jieba' splits Chinese with jieba; run `pip install jieba`") from None
    return jieba.Tokenizer()  # a separate one: words that a program adds to the shared one change nothing


def normalize_jieba(text: str) -> str:
    """The words of a text, in lower case, without marks and blanks inside; 《 is not among the marks."""
    words = ["".join(word.lower().translate(_NO_MARKS).split()) for word in _jieba().cut(text, cut_all=False)]
    return " ".join(filter(None, words))
