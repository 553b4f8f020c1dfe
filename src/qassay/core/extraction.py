"""Extracts the answer from the output of a model: the last `<answer>`, `\\boxed{}`, last line, JSON field, or a custom rule."""

import dataclasses
import functools
import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from .options import did_you_mean
from .shown import describe, option_text, shown
from .text import function_name

UNEXTRACTED = ("zero", "empty", "whole", "error")
_FINAL_ANSWER = re.compile(r"final answer[*_]*\s*[:：][\s*_]*([^\n]*)", re.IGNORECASE)
_THINK_START, _THINK_END = re.compile(r"<think(?:ing)?>"), re.compile(r"</think(?:ing)?>")
_BRACES = re.compile(r"(\\(?:boxed|fbox)\s*\{)|\\boxed +([^\s$]+)|\\.|[{}]", re.DOTALL)
_JSON_START = re.compile(r'\{[ \t\n\r]*["}]')
_WITH_PARAMETER = ("json:", "regex:")


@dataclasses.dataclass(frozen=True)
class Extraction:
    """A named function from the output of a model to its answer; returns None if there is no answer.

    Attributes:
        name: what signatures print: "answer_tag", "json:answer", "regex:...", "custom:my_function".
        function: from a text to the answer as a text, or None; with a parameter, from both.
        parameter: the field or the pattern of "json:" and "regex:".
    """

    name: str
    function: Callable[..., str | None]
    parameter: Any = None

    def __call__(self, text: str) -> str | None:
        return self.function(text) if self.parameter is None else self.function(self.parameter, text)


def _last_match(pattern: re.Pattern[str], text: str) -> str | None:
    named, n_groups = "answer" in pattern.groupindex, pattern.groups
    found, keys = None, [*(["answer"] if named else []), *range(1, n_groups + 1)] or [0]
    for match in pattern.finditer(text):
        answer = next((match[key] for key in keys if match[key] is not None), None)
        if answer or answer is not None and match[0]:  # an empty match, as of `\d*` at the end, is not an answer
            found = answer
    return None if found is None else found.strip()


def _last_field(field: str, text: str) -> str | None:
    """The field of the last JSON object that has it, if it is a string, a number, true or false."""
    found = None
    for value in _json_objects(text):
        found = value.get(field, found)
    if found is None or isinstance(found, (list, dict)):
        return None
    return found.strip() if isinstance(found, str) else json.dumps(found)


def tagged_spans(first: str, last: str, text: str) -> list[tuple[int, int]]:
    """The start and end of the text between each opening tag and the next closing tag, in order.

    An opening tag in between counts as content.
    """
    spans, at = [], 0
    while (start := text.find(first, at)) >= 0 and (end := text.find(last, start)) >= 0:
        spans.append((start + len(first), end))
        at = end + len(last)
    return spans


def answer_tag(text: str) -> str | None:
    """The text in the last `<answer>...</answer>`, without white space around it."""
    spans = tagged_spans("<answer>", "</answer>", text)
    return text[spans[-1][0] : spans[-1][1]].strip() if spans else None


def after_think(text: str) -> str | None:
    """What follows the last `</think>` or `</thinking>`, without white space around it; without such a block the whole text.

    None where nothing follows, or a block has no end.

    Example:
        >>> after_think("<think>Lyon? No.</think> Paris"), after_think("Paris"), after_think("<think>Paris, but")
        ('Paris', 'Paris', None)
    """
    answer = _THINK_END.split(text)[-1]
    return None if _THINK_START.search(answer) else answer.strip() or None


def boxed(text: str) -> str | None:
    """The text in the last complete `\\boxed{...}` or `\\fbox{...}`, with the braces inside it; also `\\boxed 5`.

    Example:
        >>> boxed(r"so \\boxed{1}, or better \\boxed{\\frac{1}{2}}."), boxed(r"\\boxed{1")
        ('\\\\frac{1}{2}', None)
    """
    last, answer = -1, None
    open_braces: list[int | None] = []  # the start of the box of each open brace; None for a brace outside a box
    for found in _BRACES.finditer(text):
        brace = found[0]
        if found[1]:
            open_braces.append(found.end())
        elif found[2]:
            last, answer = found.start(2), found[2]
        elif brace == "{":
            open_braces.append(None)
        elif brace == "}" and open_braces and (start := open_braces.pop()) is not None and start > last:
            last, answer = start, text[start : found.start()].strip()
    return answer


def final_answer(text: str) -> str | None:
    """What follows the last "final answer:", in any case, to the end of the line; where that is empty, of the next line."""
    found = _FINAL_ANSWER.findall(text)
    return found[-1].strip().rstrip("*_").rstrip() if found else None


def whole_text(text: str) -> str | None:
    """The whole output: overrides a preset that would extract an answer."""
    return text


def last_line(text: str) -> str | None:
    """The last non-blank line."""
    return text.strip().rpartition("\n")[2].strip() or None


def _json_objects(text: str) -> Iterator[dict[str, Any]]:
    """The outermost JSON objects in a text, in order, with numbers as written; other text is ignored.

    An object that is nested too deeply for Python's decoder ends the search, which would take too long.
    """
    decoder, at = json.JSONDecoder(parse_float=str, parse_int=str, parse_constant=str), 0
    while found := _JSON_START.search(text, at):
        try:
            value, at = decoder.raw_decode(text, found.start())
            yield value
        except ValueError:  # it breaks off, but an object inside it may be whole
            at = found.start() + 1
        except RecursionError:
            return


_EXTRACTIONS: dict[str, Callable[[str], str | None]] = {
    "none": whole_text,
    "answer_tag": answer_tag,
    "after_think": after_think,
    "boxed": boxed,
    "final_answer": final_answer,
    "last_line": last_line,
}


def list_extractions() -> tuple[str, ...]:
    """The names that `get_extraction` knows, names with a parameter as they are written.

    Example:
        >>> list_extractions()
        ('none', 'answer_tag', 'after_think', 'boxed', 'final_answer', 'last_line', 'json:FIELD', 'regex:PATTERN')
    """
    return (*_EXTRACTIONS, "json:FIELD", "regex:PATTERN")


def get_extraction(spec: Any) -> Extraction | None:
    """The extraction for a name or a function; None for None.

    Args:
        spec: "answer_tag", "after_think", "boxed", "final_answer", "last_line"; "none", all of the text; "json:FIELD", the
            field of the last JSON object that has it; "regex:PATTERN", the last match that is not empty: its group "answer", or else its
            first group that took part, or, in a pattern without groups, all of it; a function from a text to a text or
            None; or an Extraction, which comes back as it is.

    Raises:
        ValueError: unknown name, invalid pattern, or empty field or pattern. TypeError: an object of another type.

    Example:
        >>> get_extraction("regex:(?i)answer is (.+?)[.]")("The answer is 4. No, the answer is 5.")
        '5'
        >>> get_extraction("json:answer")('Sure: {"answer": 42, "why": {"answer": 0}}')
        '42'
        >>> get_extraction("boxd")
        Traceback (most recent call last):
            ...
        ValueError: unknown extract 'boxd' (did you mean 'boxed'?); valid: none, answer_tag, after_think, boxed, final_answer, \
last_line, json:FIELD, regex:PATTERN; or a function
    """
    if spec is None or isinstance(spec, Extraction):
        return spec
    if isinstance(spec, str):
        return _named_extraction(str(spec))
    if callable(spec):
        return Extraction(f"custom:{function_name(spec)}", spec)
    raise TypeError(f"option extract is a name or a function, got {describe(spec)}")


@functools.lru_cache(256)
def _named_extraction(name: str) -> Extraction:
    if name in _EXTRACTIONS:
        return Extraction(name, _EXTRACTIONS[name])
    kind, colon, parameter = name.partition(":")
    if kind + colon not in _WITH_PARAMETER:
        problem = f"unknown extract {shown(name)}{did_you_mean(name, [*_EXTRACTIONS, *_WITH_PARAMETER])}; "
        raise ValueError(f"{problem}valid: {', '.join(list_extractions())}; or a function")
    if not parameter:
        what = "field, for example json:answer" if kind == "json" else "pattern, for example regex:Answer: (.*)"
        raise ValueError(f"extract {shown(name)} needs a {what}")
    if kind == "json":
        return Extraction(name, _last_field, parameter)
    return Extraction(name, _last_match, compiled_pattern(parameter, f"extract {shown(name)}"))


def compiled_pattern(pattern: str, what: str) -> re.Pattern[str]:
    """A regular expression; a ValueError that begins with `what` for anything else."""
    try:
        return re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise ValueError(f"{what} is not a regular expression: {error}") from None


def extract_answers(extraction: Extraction, texts: Sequence[Any], where: Callable[[int], str]) -> list[str | None]:
    """The answers in the texts of a column; None for a text without an answer, and for None.

    Args:
        where: the name of a row in messages.

    Raises:
        TypeError: a row is not a text, or the function returns neither a text nor None. ValueError: the function fails.
    """
    answers: list[str | None] = []
    for row, text in enumerate(texts):
        if text is None:
            answers.append(None)
            continue
        if not isinstance(text, str):
            raise TypeError(
                f"{where(row)} must be a text for {option_text('extract', extraction.name)}, got {describe(text)}"
            )
        try:
            answer: Any = extraction(text)
        except Exception as error:
            message = f"extract {extraction.name} failed on {where(row)}: {type(error).__name__}: {error}"
            raise ValueError(message) from error
        if answer is not None and not isinstance(answer, str):
            problem = f"extract {extraction.name} must return a text, or None where there is no answer"
            raise TypeError(f"{problem}; for {where(row)} it returned {describe(answer)}")
        answers.append(answer)
    return answers


def text_to_score(options: Any, text: str) -> str:
    """The scored part of a text: the answer in it, else the whole text or "", as `unextracted` says."""
    answer = options.extract(text)
    return text if answer is None and options.unextracted == "whole" else answer or ""


def settle_extraction(options: Any, ranked: bool = False) -> None:
    """Normalise the options `extract` and `unextracted`; called while the options are made.

    Args:
        ranked: predictions are ranked answers, not a single text with an answer in it.
    """
    extract = get_extraction(options.extract)
    options._set(extract=extract)
    if extract is None and options.unextracted != UNEXTRACTED[0]:
        raise ValueError(f"option unextracted={options.unextracted} needs extract")
    if extract is not None and ranked:
        given = option_text("extract", extract.name)
        raise ValueError(f"option {given} extracts an answer from one text; omit it for ranked lists")
