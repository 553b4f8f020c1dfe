"""Names of measures without "@", brackets and the like, for trackers that refuse such names; each can be read back."""

import re

_WORDS = {"@": "at", "(": "with", "=": "is", "[": "of"}
_SIGNS = {word: sign for sign, word in _WORDS.items()}
_TOKEN = re.compile(rf"_({'|'.join(_SIGNS)}|x[0-9a-f]+)_")
_UNSAFE = re.compile(rf"[^\w. -]|_(?=(?:{'|'.join(_SIGNS)}|x[0-9a-f]+)(?:_|[^\w. -]|$))")  # or a "_" read as a token's


def safe_name(name: str) -> str:
    """The name of a measure in letters, digits, "_", "-", "." and spaces, which MLflow and others take.

    "@" becomes "_at_", "(" "_with_", "=" "_is_" and "[" "_of_"; a closing bracket goes. Any other character is told by its
    number: "_x2f_" is "/". No two measures have one safe name; `measure_name` gives the measure back.

    Example:
        >>> [safe_name(name) for name in ("f1", "ndcg@10", "map(rel=2)@100", "f1[cat]", "f1[yes/no]")]
        ['f1', 'ndcg_at_10', 'map_with_rel_is_2_at_100', 'f1_of_cat', 'f1_of_yes_x2f_no']
    """
    base, bracket, _ = name.partition("[")
    open_name = name[:-1] if bracket else base.replace(")", "", 1)
    return _UNSAFE.sub(lambda match: f"_{_WORDS.get(match[0]) or f'x{ord(match[0]):x}'}_", open_name)


def measure_name(name: str) -> str:
    """The measure of a safe name.

    Example:
        >>> measure_name("map_with_rel_is_2_at_100")
        'map(rel=2)@100'
    """
    text = _TOKEN.sub(lambda match: _SIGNS.get(match[1]) or chr(int(match[1][1:], 16)), name)
    if "[" in text:
        return f"{text}]"
    before, sign, after = text.partition("@")
    return f"{before}){sign}{after}" if "(" in before else text
