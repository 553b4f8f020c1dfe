"""Your own judge: a callable, such as a language model, called in threads, with retries and a cache."""

import hashlib
import inspect
import json
import math
import numbers
import os
import threading
import types
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import closing
from typing import Any, ClassVar, NamedTuple

from ..core.columns import with_id
from ..core.options import check_flag, check_whole
from ..core.shown import describe, shown
from ..core.text import function_name

_LONGEST_WAIT = 60.0  # seconds before a call is made again
_FIRST_CALLS = 16  # if so many calls fail before one succeeds, the run stops
_OF_CACHE = 10  # with verdicts from a cache, one call for so many of them, if these are more
# Errors in the code of the callable, which the same call raises again; not TypeError, which an odd reply can cause.
_BUGS = (NameError, ImportError, SyntaxError, NotImplementedError)
_FORM = "a judge is a callable (question, golds, answer) -> probability"
_FORM_OF_LISTS = (
    "with Judge(f, batch_size=...), f is a callable (questions, golds, answers) -> probabilities, three lists of one length "
    "that give one list of that length"
)


class JudgedRow(NamedTuple):
    """What a judge reads: a question (None without questions), its gold answers and an answer."""

    question: str | None
    golds: tuple[str, ...]
    answer: str


class Verdicts(NamedTuple):
    """The probability of each row, NaN where every call failed; how many failed; and what the last error was."""

    probabilities: list[float]
    failed: int
    last_error: BaseException | None


class Judge:
    """A callable as the scorer of answer_equivalence: `(question, golds, answer) -> probability`, 0 to 1, or True or False.

    Each distinct row is judged once. A call that raises an error is retried, except after errors in the code, such as a
    NameError or ImportError; if the last call also fails, its rows have no verdict: NaN, counted as `failed`, never 0. If
    the first 16 calls all fail, each with its retries, the scoring stops with an error; with verdicts from a cache only
    if the failed calls are also a tenth of these. Only Exceptions are caught: an interrupt ends the scoring at once, and
    finished verdicts are in the cache. A plain callable as model is a judge without retries.

    Args:
        ask: the callable: `ask(question, golds, answer)` with a str, a list of str and a str; with batch_size
            `ask(questions, golds, answers)`. It may be called in several threads at once.
        name: its name in the signature, such as the model and the prompt; None: the name of the callable. Two judges
            with the same name and revision are equal in a comparison, and share the verdicts of a cache.
        revision: the revision of the model or the prompt, for the signature and the cache.
        batch_size: the number of rows per call, the last call may have fewer. The callable is then called with three
            lists, a list of questions, a list of lists of gold answers and a list of answers, one item per row, and
            returns one list with a probability for each row. None: one call per row.
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
    name: str
    revision: str | None
    batch_size: int | None
    threads: int
    retries: int
    wait: float
    cache: str | None
    reads_questions: bool
    # Option of other models -> what to do instead.
    own_options: ClassVar[dict[str, str]] = {"batch_size": "give it to the judge: Judge(f, batch_size=...)"}
    same_name = (
        'these are different judges; Judge(..., name="model, prompt 1") gives each its name, and one judge one name'
    )

    def __init__(
        self,
        ask: Callable[..., Any],
        *,
        name: str | None = None,
        revision: str | None = None,
        batch_size: int | None = None,
        threads: int = 8,
        retries: int = 4,
        wait: float = 1.0,
        cache: str | os.PathLike[str] | None = None,
        reads_questions: bool = True,
    ):
        self.batch_size = None if batch_size is None else check_whole("batch_size", batch_size)
        _check_callable(ask, self.batch_size is not None)
        for what, text in (("name", name), ("revision", revision)):
            if not isinstance(text, str | None):
                raise TypeError(f"{what} of a judge must be a string, got {describe(text)}")
        if isinstance(wait, bool) or not isinstance(wait, numbers.Real) or not 0 <= wait < math.inf:  # type: ignore[operator]
            raise ValueError(f"wait is a number of seconds of at least 0, got {describe(wait)}")
        self.ask, self.name, self.revision = ask, name or f"custom:{function_name(ask)}", revision
        self.threads, self.retries, self.wait = (
            check_whole("threads", threads),
            check_whole("retries", retries, 0),
            wait,
        )
        if not isinstance(cache, str | os.PathLike | None):
            raise TypeError(f"cache of a judge must be the path of a file, got {describe(cache)}")
        self.cache = None if cache is None else os.fspath(cache)
        if self.cache is not None and not name:
            raise ValueError(
                "a judge with a cache needs a name, such as the model and the prompt: the cache knows its verdicts by the "
                "name, and must not give another judge's verdicts"
            )
        self.reads_questions = check_flag("reads_questions", reads_questions)

    def __eq__(self, other: object) -> bool:
        """The same judge by what the signature says about it; without a name, the same callable."""
        if not isinstance(other, Judge):
            return NotImplemented
        return self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    @property
    def _identity(self) -> tuple[Any, ...]:
        own = self.ask if self.name.startswith("custom:") else None
        return self.name, self.revision, self.reads_questions, own

    def verdicts(
        self, rows: Sequence[JudgedRow], places: Sequence[int] | None = None, ids: Sequence[Any] = (), bar: Any = None
    ) -> Verdicts:
        """The verdicts on rows.

        Args:
            places: of each row its number in the column of predictions, for messages; None: its own.
            ids: of the whole column, for messages.
            bar: receives the number of rows done: `bar.update(n)`.
        """
        distinct = list(dict.fromkeys(rows))
        first_place: dict[JudgedRow, int] = {}
        for place, row in zip(range(len(rows)) if places is None else places, rows, strict=True):
            first_place.setdefault(row, place)
        names = {row: _row_name(first_place[row], ids) for row in distinct}
        keys = {row: self._key(row) for row in distinct}
        with _Cache(self.cache) as cache:
            found = {row: cache.known[keys[row]] for row in distinct if keys[row] in cache.known}
            if bar is not None:
                bar.update(len(found))
            todo = [row for row in distinct if row not in found]
            cached, calls, tried = len(found), 0, 0
            last_error: Exception | None = None

            def judged(batch: Sequence[JudgedRow], stop: threading.Event) -> list[float]:
                """The probabilities of a batch, cached immediately, because they are paid for even if others fail."""
                probabilities = self._judged(batch, names, stop)
                cache.add({keys[row]: value for row, value in zip(batch, probabilities, strict=True)})
                return probabilities

            with closing(self._results(todo, judged)) as results:
                for batch, result in results:
                    calls, tried = calls + 1, tried + len(batch)
                    if isinstance(result, Exception):
                        last_error = result
                        if (
                            len(found) == cached
                            and calls >= max(_FIRST_CALLS, cached / _OF_CACHE)
                            and tried < len(todo)
                        ):
                            raise self._useless(f"the first {tried:,} of {len(todo):,} answers", result) from result
                    else:
                        found.update(zip(batch, result, strict=True))
                    if bar is not None:
                        bar.update(len(batch))
        if last_error is not None and not found:
            all_rows = "the only answer" if len(todo) == 1 else f"all {len(todo):,} answers"
            raise self._useless(all_rows, last_error) from last_error
        probabilities = [found.get(row, math.nan) for row in rows]
        return Verdicts(probabilities, sum(map(math.isnan, probabilities)), last_error)

    def _useless(self, failed: str, error: Exception) -> ValueError:
        """The error of a run in which every call failed."""
        called = "questions, golds, answers" if self.batch_size else "question, golds, answer"
        if isinstance(error, _BUGS):
            advice = f"correct the callable, and call it once yourself: judge({called})"
        else:
            repeat = (
                "Judge(..., retries=4) repeats"
                if not self.retries
                else "Judge(..., retries=, wait=) sets how often to repeat"
            )
            advice = f"call it once yourself, judge({called}), and check what it asks, such as a server; {repeat} failed calls"
        told = f"the judge {self.name} failed for {failed}; the last error was {error_in_a_line(error)}"
        return ValueError(f"{told}; {advice}")

    def _key(self, row: JudgedRow) -> str:
        """What a cache knows a row by."""
        text = json.dumps([self.name, self.revision, *row], ensure_ascii=True)
        return hashlib.sha256(text.encode("ascii")).hexdigest()[:32]

    def _results(
        self, rows: Sequence[JudgedRow], judged: Callable[[Sequence[JudgedRow], threading.Event], list[float]]
    ) -> Generator[tuple[Sequence[JudgedRow], list[float] | Exception], None, None]:
        """Batches of rows with their probabilities, or with the error of the last call, as they come."""
        size = self.batch_size or 1
        batches = iter([rows[start : start + size] for start in range(0, len(rows), size)])
        pool = ThreadPoolExecutor(self.threads)
        waiting: dict[Future[list[float]], Sequence[JudgedRow]] = {}
        stop = threading.Event()
        try:
            more = True
            while more or waiting:
                while more and len(waiting) < 2 * self.threads:
                    batch = next(batches, None)
                    more = batch is not None
                    if batch is not None:
                        waiting[pool.submit(judged, batch, stop)] = batch
                done, _ = wait(waiting, return_when=FIRST_COMPLETED) if waiting else ((), ())
                for future in [future for future in waiting if future in done]:  # in the order of the rows
                    batch, error = waiting.pop(future), future.exception()
                    if error is not None and not isinstance(error, _Failed):
                        raise error
                    yield batch, future.result() if error is None else error.error
        finally:
            stop.set()
            pool.shutdown(cancel_futures=True)  # waits for the calls that are under way

    def _judged(self, batch: Sequence[JudgedRow], names: dict[JudgedRow, str], stop: threading.Event) -> list[float]:
        """The probabilities of a batch; the error of the last call as `_Failed`."""
        pause = self.wait
        for attempt in range(self.retries + 1):
            try:
                rows = [(question, list(golds), answer) for question, golds, answer in batch]
                results = self.ask(*map(list, zip(*rows, strict=True))) if self.batch_size else [self.ask(*rows[0])]
                break
            except Exception as error:
                last = attempt == self.retries or isinstance(error, _BUGS)
                if last or stop.wait(min(pause, _LONGEST_WAIT)):
                    raise _Failed(error) from error
                pause *= 2
        if self.batch_size:
            results = _as_list(results, len(batch), names[batch[0]], self.name)
        return [_probability(result, names[row], self.name) for result, row in zip(results, batch, strict=True)]


def _check_callable(ask: Any, takes_lists: bool) -> None:
    """Refuse what cannot be called as a judge now, not at the first row.

    Raises:
        TypeError: it is not a callable, is a class or asynchronous, or cannot take three arguments.
    """
    what = _FORM_OF_LISTS if takes_lists else _FORM
    if not callable(ask):
        raise TypeError(f"{what}, got {describe(ask)}")
    if isinstance(ask, (type, types.GenericAlias)):
        raise TypeError(f"{what}; {shown(ask)} is a class: give a function or an object that can be called")
    if inspect.iscoroutinefunction(ask) or inspect.iscoroutinefunction(type(ask).__call__):
        raise TypeError(f"{what}; {function_name(ask)} is asynchronous: call it with asyncio.run in a plain function")
    try:
        inspect.signature(ask).bind("question", [], "answer")
    except TypeError as error:
        other = "" if takes_lists else f"; {_FORM_OF_LISTS}"
        raise TypeError(f"{what}; {function_name(ask)} cannot be called like this: {error}{other}") from None
    except ValueError:  # a callable that does not say its arguments
        return


class _Failed(Exception):
    """Every call for a batch raised an error."""

    def __init__(self, error: Exception):
        super().__init__(str(error))
        self.error = error


def _row_name(place: int, ids: Sequence[Any]) -> str:
    return f"predictions[{place}]{with_id(ids, place)}"


def error_in_a_line(error: BaseException) -> str:
    """The kind and the text of an error in one line, short enough for a message."""
    return " ".join(f"{type(error).__name__}: {error}".split())[:300]


def _as_list(results: Any, n: int, first: str, name: str) -> list[Any]:
    """The results of a batch as a list with one for each row."""
    if hasattr(results, "tolist"):
        results = results.tolist()
    if not isinstance(results, (list, tuple)) or len(results) != n:
        got = f"{len(results)} results" if isinstance(results, (list, tuple)) else describe(results)
        raise ValueError(
            f"{first}: the judge {name} was called with lists of {n} rows and gave {got}; it must give {n}"
        )
    return list(results)


def _probability(result: Any, row: str, name: str) -> float:
    """A result as a probability."""
    if hasattr(result, "item") and getattr(result, "ndim", None) == 0:
        result = result.item()
    advice = "raise an error for a row without a verdict, which is then counted as failed"
    if not isinstance(result, numbers.Real):
        problem = f"{row}: the judge {name} gave {describe(result)} instead of a number from 0 to 1; {advice}"
        raise TypeError(problem)
    if not 0 <= result <= 1:  # type: ignore[operator]
        raise ValueError(f"{row}: the judge {name} gave {result}, which is not from 0 to 1; {advice}")
    return abs(float(result))  # -0.0 is 0.0


class _Cache:
    """The verdicts of a file: a line each, added as they come. A last line that an interrupt cut short is removed."""

    def __init__(self, path: str | None):
        self.path = path
        self.known: dict[str, float] = {}
        self._file: Any = None
        self._lock = threading.Lock()

    def __enter__(self) -> "_Cache":
        if self.path is None:
            return self
        try:
            self._file = open(self.path, "a+b")  # noqa: SIM115
        except OSError as error:
            raise type(error)(
                f"the cache of the judge cannot be written: {self.path}: {error.strerror}; give a file in a folder that exists"
            ) from None
        self._file.seek(0)
        data = self._file.read()
        whole = data[: data.rfind(b"\n") + 1]
        for number, line in enumerate(whole.splitlines(), 1):
            try:
                row = json.loads(line)
                self.known[row["key"]] = _probability(row["probability"], f"line {number}", "of the cache")
            except (ValueError, TypeError, KeyError, RecursionError):
                self._file.close()
                raise ValueError(
                    f"{self.path}: line {number} is not a verdict of a judge; give another file as cache"
                ) from None
        if len(whole) < len(data):
            if whole or data.startswith(b'{"key"'[: len(data)]):
                self._file.truncate(len(whole))
            else:
                self._file.close()
                raise ValueError(f"{self.path}: line 1 is not a verdict of a judge; give another file as cache")
        return self

    def add(self, verdicts: dict[str, float]) -> None:
        """Write verdicts, each as a whole line; in any thread."""
        if self._file is None:
            return
        lines = [json.dumps({"key": key, "probability": value}) + "\n" for key, value in verdicts.items()]
        with self._lock:
            self._file.write("".join(lines).encode("ascii"))
            self._file.flush()

    def __exit__(self, *error: object) -> None:
        if self._file is not None:
            self._file.close()
