"""A custom judge: a callable, such as a language model, called in threads, with retries and a cache."""

import contextlib
import dataclasses
import hashlib
import inspect
import json
import math
import numbers
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

from tqdm import tqdm

from ..core.options import check_choice, check_whole
from ..core.shown import describe, shown
from ..core.text import function_name

_LONGEST_WAIT = 60.0  # seconds before a call is made again
_FIRST_ROWS = 16  # if these all fail, the run stops
_OF_CACHE = 10  # with verdicts from a cache, the first rows are one for so many of them, if these are more
# Errors in the code of the callable, which the same call raises again; not TypeError, which an odd reply can cause.
_BUGS = (NameError, ImportError, SyntaxError, NotImplementedError)
_FORM = "a judge is a callable (question, golds, answer) -> probability"


class JudgedRow(NamedTuple):
    """What a judge reads: a question (None without questions), its gold answers and an answer."""

    question: str | None
    golds: tuple[str, ...]
    answer: str


class Verdicts(NamedTuple):
    """The probability of each row, NaN if every call failed; the number of failed rows; and the last error."""

    probabilities: list[float]
    failed: int
    last_error: BaseException | None


@dataclasses.dataclass(eq=False, repr=False)
class Judge:
    """A callable as the scorer of answer_equivalence: `(question, golds, answer) -> probability`, 0 to 1, or True or False.

    Each distinct row is judged once. A call that raises an error is retried, except after errors in the code, such as a
    NameError or ImportError; if the last call also fails, the row has no verdict: NaN, counted as `failed`, never 0. If
    the first 16 rows all fail, the scoring stops with an error; with verdicts from a cache only if the failed rows are
    also a tenth of these. Only Exceptions are caught: an interrupt ends the scoring at once, and finished verdicts are in
    the cache. A plain callable as model is a judge without retries.

    Args:
        ask: the callable: `ask(question, golds, answer)` with a str, a list of str and a str. It may be called in several
            threads at once.
        name: its name in the signature, such as the model and the prompt; None: the name of the callable. Two judges
            with the same name and revision are equal in a comparison, and share the verdicts of a cache.
        revision: the revision of the model or the prompt, for the signature and the cache.
        threads: the number of simultaneous calls.
        retries: the number of retries after an error.
        wait: seconds before the first retry; doubled for each further retry, at most a minute.
        cache: a file of verdicts (JSON lines), created if missing: rows in it are not judged again. Rows are identified
            by a fingerprint of name, revision, question, gold answers and answer, so a name is required. Only one
            process may write it.
        reads_questions: False for a callable that does not read questions; its question is then None.

    Raises:
        TypeError, ValueError: invalid options. When it scores: a result that is not a probability, with its row; or
            every call failed, or each of the first calls.

    Example:
        >>> judge = Judge(lambda question, golds, answer: answer in golds, name="equal", threads=1)
        >>> judge.verdicts([JudgedRow("Who?", ("Ann", "Anna"), "Ann"), JudgedRow("Who?", ("Bob",), "Ann")]).probabilities
        [1.0, 0.0]
    """

    ask: Callable[..., Any]
    _: dataclasses.KW_ONLY
    name: Any = None
    revision: str | None = None
    threads: int = 8
    retries: int = 4
    wait: float = 1.0
    cache: str | os.PathLike[str] | None = None
    reads_questions: bool = True

    def __post_init__(self) -> None:
        _check_callable(self.ask)
        for what, text in (("name", self.name), ("revision", self.revision)):
            if not isinstance(text, str | None):
                raise TypeError(f"{what} of a judge must be a string, got {describe(text)}")
        if isinstance(self.wait, bool) or not isinstance(self.wait, numbers.Real) or not 0 <= self.wait < math.inf:
            raise ValueError(f"wait is a number of seconds of at least 0, got {describe(self.wait)}")
        if not isinstance(self.cache, str | os.PathLike | None):
            raise TypeError(f"cache of a judge must be the path of a file, got {describe(self.cache)}")
        if self.cache is not None and not self.name:
            raise ValueError(
                "a judge with a cache needs a name, such as the model and the prompt: the cache knows its verdicts by the "
                "name, and must not give another judge's verdicts"
            )
        self.name = self.name or f"custom:{function_name(self.ask)}"
        self.threads, self.retries = check_whole("threads", self.threads), check_whole("retries", self.retries, 0)
        self.reads_questions = check_choice("reads_questions", self.reads_questions, (False, True))

    def __eq__(self, other: object) -> bool:
        """Judges are equal if the signature says the same of them; without a name, if they have the same callable."""
        return self._identity == other._identity if isinstance(other, Judge) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._identity)

    @property
    def _identity(self) -> tuple[Any, ...]:
        ask = self.ask if self.name.startswith("custom:") else None
        return self.name, self.revision, self.reads_questions, ask

    def verdicts(self, rows: Sequence[JudgedRow], names: Sequence[str] = (), progress: bool | None = False) -> Verdicts:
        """The verdicts on n rows.

        Args:
            names: what messages call each row; (): "row 0" and so on.
            progress: a bar on stderr; None: where that is a terminal.
        """
        name_of: dict[JudgedRow, str] = {}
        for row, name in zip(rows, names or [f"row {index}" for index in range(len(rows))], strict=True):
            name_of.setdefault(row, name)
        keys = {row: self._key(row) for row in name_of}
        disable = None if progress is None else not progress
        pool, stop = ThreadPoolExecutor(self.threads), threading.Event()
        with _cache(self.cache) as (known, add), tqdm(total=len(keys), unit="answers", delay=1, disable=disable) as bar:
            found = {row: known[key] for row, key in keys.items() if key in known}
            bar.update(len(found))
            todo = [row for row in keys if row not in found]
            first = todo[: max(_FIRST_ROWS, math.ceil(len(found) / _OF_CACHE))]
            errors: list[Exception] = []

            def judge(row: JudgedRow) -> float | Exception:
                """The verdict on a row, in the cache at once: it is paid for even if others fail."""
                verdict = self._call(row, name_of[row], stop)
                if isinstance(verdict, float):
                    add(keys[row], verdict)
                return verdict

            try:
                for part in (first, todo[len(first) :]):
                    for row, verdict in zip(part, pool.map(judge, part), strict=True):
                        bar.update()
                        if isinstance(verdict, Exception):
                            errors.append(verdict)
                        else:
                            found[row] = verdict
                    if part is first and len(errors) == len(first) > 0 and (len(todo) > len(first) or not found):
                        raise ValueError(
                            f"the judge {self.name} failed for the first {len(first):,} of {len(todo):,} answers; the last "
                            f"error was {error_in_a_line(errors[-1])}; correct the callable, or what it asks, such as a "
                            "server, and call it once yourself: judge(question, golds, answer); Judge(..., retries=, "
                            "wait=) sets how often failed calls are repeated"
                        ) from errors[-1]
            finally:
                stop.set()
                pool.shutdown(cancel_futures=True)  # waits for the calls that are under way
        probabilities = [found.get(row, math.nan) for row in rows]
        return Verdicts(probabilities, sum(map(math.isnan, probabilities)), errors[-1] if errors else None)

    def _key(self, row: JudgedRow) -> str:
        """What a cache knows a row by."""
        text = json.dumps([self.name, self.revision, *row], ensure_ascii=True)
        return hashlib.sha256(text.encode("ascii")).hexdigest()[:32]

    def _call(self, row: JudgedRow, name: str, stop: threading.Event) -> float | Exception:
        """The probability of a row, or the error of the last call."""
        pause = self.wait
        for attempt in range(self.retries + 1):
            try:
                result = self.ask(row.question, list(row.golds), row.answer)
                break
            except Exception as error:
                is_last = attempt == self.retries or isinstance(error, _BUGS)
                if is_last or stop.wait(min(pause, _LONGEST_WAIT)):
                    return error
                pause *= 2
        return _probability(result, name, self.name)


def _check_callable(ask: Any) -> None:
    """Refuse what cannot be called as a judge now, not at the first row.

    Raises:
        TypeError: it is not a callable, is a class or asynchronous, or cannot take three arguments.
    """
    if not callable(ask):
        raise TypeError(f"{_FORM}, got {describe(ask)}")
    if inspect.isclass(ask):
        raise TypeError(f"{_FORM}; {shown(ask)} is a class: give a function or an object that can be called")
    if inspect.iscoroutinefunction(ask) or inspect.iscoroutinefunction(type(ask).__call__):
        raise TypeError(f"{_FORM}; {function_name(ask)} is asynchronous: call it with asyncio.run in a plain function")
    try:
        inspect.signature(ask).bind("question", [], "answer")
    except TypeError as error:
        raise TypeError(f"{_FORM}; {function_name(ask)} cannot be called like this: {error}") from None
    except ValueError:  # a callable that does not say its arguments
        return


def error_in_a_line(error: BaseException) -> str:
    """The kind and the text of an error in one line, short enough for a message."""
    return " ".join(f"{type(error).__name__}: {error}".split())[:300]


def _probability(result: Any, row: str, name: str) -> float:
    """A result as a probability."""
    if hasattr(result, "item") and getattr(result, "ndim", None) == 0:
        result = result.item()
    advice = "raise an error for a row without a verdict, which is then counted as failed"
    if not isinstance(result, numbers.Real):
        raise TypeError(f"{row}: the judge {name} gave {describe(result)} instead of a number from 0 to 1; {advice}")
    if not 0 <= result <= 1:  # type: ignore[operator]
        raise ValueError(f"{row}: the judge {name} gave {result}, which is not from 0 to 1; {advice}")
    return abs(float(result))  # -0.0 is 0.0


@contextlib.contextmanager
def _cache(
    path: str | os.PathLike[str] | None,
) -> Iterator[tuple[dict[str, float], Callable[[str, float], object]]]:
    """The verdicts of a file, one per line, by their keys, and a function that adds one, from any thread. A truncated last line is removed."""
    if path is None:
        yield {}, lambda key, probability: None
        return
    try:
        file = open(path, "a+b")  # noqa: SIM115
    except OSError as error:
        raise type(error)(
            f"the cache of the judge cannot be written: {path}: {error.strerror}; give a file in a folder that exists"
        ) from None
    known, lock, number = {}, threading.Lock(), 1

    def add(key: str, probability: float) -> None:
        with lock:
            file.write(json.dumps({"key": key, "probability": probability}).encode("ascii") + b"\n")
            file.flush()

    with file:
        file.seek(0)
        *lines, rest = file.read().split(b"\n")
        try:
            for number, line in enumerate(lines, 1):
                row = json.loads(line)
                if not isinstance(row["key"], str):
                    raise TypeError
                known[row["key"]] = _probability(row["probability"], "", "")
            if rest and not lines and not rest.startswith(b'{"key"'[: len(rest)]):
                raise ValueError
        except (ValueError, TypeError, KeyError, RecursionError):
            raise ValueError(f"{path}: line {number} is not a verdict of a judge; give another file as cache") from None
        if rest:
            file.truncate(file.tell() - len(rest))
        yield known, add
