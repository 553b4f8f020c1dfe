"""Splits Chinese into words with the optional package jieba and drops punctuation, as LongBench does (Bai et al.,
2024).
"""

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
    return jieba.Tokenizer()  # a separate tokenizer: words added to the shared one have no effect


def normalize_jieba(text: str) -> str:
    """The words of a text, in lower case, without punctuation and inner spaces; 《 does not count as punctuation."""
    words = ["".join(word.lower().translate(_NO_MARKS).split()) for word in _jieba().cut(text, cut_all=False)]
    return " ".join(filter(None, words))
