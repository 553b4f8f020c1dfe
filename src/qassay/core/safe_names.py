"""Names of measures without "@", brackets and so on, for trackers that refuse them; each name can be converted back."""

import re
from collections.abc import Mapping
from typing import TypeVar

_Value = TypeVar("_Value")
_WORD_OF = {"@": "at", "^": "hat", "(": "with", "=": "is", "[": "of"}
_SIGN_OF = {word: sign for sign, word in _WORD_OF.items()}
_ANY_WORD = rf"(?:{'|'.join(_SIGN_OF)}|end|x[0-9a-f]+)"
_NAME_TOKEN = re.compile(rf"_({_ANY_WORD})_")
_UNSAFE_SIGN = re.compile(
    rf"[^\w. -]|_(?={_ANY_WORD}(?:_|[^\w. -]|$))"
)  # or a "_" that could be read as the start of a token


def safe_name(name: str) -> str:
    """The name of a measure with only letters, digits, "_", "-", "." and spaces, as MLflow and others require.

    "@" becomes "_at_", "^" "_hat_", "(" "_with_", "=" "_is_" and "[" "_of_"; a closing bracket is dropped, or becomes "_end_" before
    more text.
    Any other character is written as its code: "_x2f_" is "/". Distinct measures have distinct safe names;
        `measure_name` converts back.

    Example:
        >>> [safe_name(name) for name in ("f1", "ndcg@10", "map(rel=2)@100", "f1[cat]", "f1[yes/no]")]
        ['f1', 'ndcg_at_10', 'map_with_rel_is_2_at_100', 'f1_of_cat', 'f1_of_yes_x2f_no']
        >>> safe_name("aurc(f1@3)"), measure_name(safe_name("selective(f1@3)@0.8"))
        ('aurc_with_f1_at_3_end_', 'selective(f1@3)@0.8')
    """
    close = name.rfind("]") if "[" in name else name.find(")")
    if close < 0:
        return _escaped(name)
    inside, sign, rest = name[:close], name[close], name[close + 1 :]
    follows = sign == ")" and rest[:1] in ("", "@")  # from the rest, where it is, or from the only "@"
    is_marked = "@" in inside if follows else rest
    return f"{_escaped(inside)}{'_end_' if is_marked else ''}{_escaped(rest)}"


def _escaped(text: str) -> str:
    return _UNSAFE_SIGN.sub(lambda match: f"_{_WORD_OF.get(match[0]) or f'x{ord(match[0]):x}'}_", text)


def measure_name(name: str) -> str:
    """The measure of a safe name.

    Example:
        >>> measure_name("map_with_rel_is_2_at_100")
        'map(rel=2)@100'
    """
    words = {match[1] for match in _NAME_TOKEN.finditer(name)}
    close = "]" if "of" in words else ")" if "with" in words else ""
    signs = {**_SIGN_OF, "end": close}
    text = _NAME_TOKEN.sub(lambda match: signs[match[1]] if match[1] in signs else chr(int(match[1][1:], 16)), name)
    if "end" in words or not close:
        return text
    inside, sign, rest = text.partition("@") if close == ")" else (text, "", "")
    return f"{inside}{close}{sign}{rest}"


def with_safe_names(numbers: Mapping[str, _Value]) -> dict[str, _Value]:
    """Numbers by the safe names of their measures."""
    return {safe_name(name): value for name, value in numbers.items()}
