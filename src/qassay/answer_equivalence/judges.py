"""Your own judge: a callable, such as a language model, called in threads, with retries and a cache."""

import dataclasses
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

from tqdm import tqdm

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


@dataclasses.dataclass(eq=False, repr=False)
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

    # Option of other models -> what to do instead.
    own_options: ClassVar[dict[str, str]] = {"batch_size": "give it to the judge: Judge(f, batch_size=...)"}
    same_name = (
        'these are different judges; Judge(..., name="model, prompt 1") gives each its name, and one judge one name'
    )

    ask: Callable[..., Any]
    _: dataclasses.KW_ONLY
    name: Any = None
    revision: str | None = None
    batch_size: int | None = None
    threads: int = 8
    retries: int = 4
    wait: float = 1.0
    cache: str | os.PathLike[str] | None = None
    reads_questions: bool = True

    def __post_init__(self) -> None:
        self.batch_size = None if self.batch_size is None else check_whole("batch_size", self.batch_size)
        _check_callable(self.ask, self.batch_size is not None)
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
        self.reads_questions = check_flag("reads_questions", self.reads_questions)

    def __eq__(self, other: object) -> bool:
        """The same judge by what the signature says about it; without a name, the same callable."""
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
        for row, name in zip(rows, names or [f"row {place}" for place in range(len(rows))], strict=True):
            name_of.setdefault(row, name)
        keys = {row: self._key(row) for row in name_of}
        last_error: Exception | None = None
        disable = None if progress is None else not progress
        with (
            _Cache(self.cache) as cache,
            tqdm(total=len(keys), unit="answers", delay=1, disable=disable) as bar,
        ):
            found = {row: cache.known[key] for row, key in keys.items() if key in cache.known}
            todo = [row for row in keys if row not in found]
            cached, tried = len(found), 0
            bar.update(cached)

            stop = threading.Event()

            def ask(batch: Sequence[JudgedRow]) -> list[float] | Exception:
                """What `_ask` gives, in the cache at once: it is paid for even if others fail."""
                result = self._ask(batch, name_of, stop)
                if not isinstance(result, Exception):
                    cache.add({keys[row]: value for row, value in zip(batch, result, strict=True)})
                return result

            with closing(self._results(todo, ask, stop)) as results:
                for calls, (batch, result) in enumerate(results, 1):
                    tried += len(batch)
                    bar.update(len(batch))
                    if not isinstance(result, Exception):
                        found.update(zip(batch, result, strict=True))
                        continue
                    last_error = result
                    has_failed_enough = calls >= max(_FIRST_CALLS, cached / _OF_CACHE) and tried < len(todo)
                    if len(found) == cached and has_failed_enough:
                        raise self._useless(f"the first {tried:,} of {len(todo):,} answers", result) from result
        if last_error is not None and not found:
            which = "the only answer" if len(todo) == 1 else f"all {len(todo):,} answers"
            raise self._useless(which, last_error) from last_error
        probabilities = [found.get(row, math.nan) for row in rows]
        return Verdicts(probabilities, sum(map(math.isnan, probabilities)), last_error)

    def _useless(self, failed: str, error: Exception) -> ValueError:
        """The error of a run in which every call failed."""
        called = "questions, golds, answers" if self.batch_size else "question, golds, answer"
        if isinstance(error, _BUGS):
            advice = f"correct the callable, and call it once yourself: judge({called})"
        else:
            advice = (
                f"call it once yourself, judge({called}), and check what it asks, such as a server; "
                "Judge(..., retries=, wait=) sets how often failed calls are repeated"
            )
        return ValueError(
            f"the judge {self.name} failed for {failed}; the last error was {error_in_a_line(error)}; {advice}"
        )

    def _key(self, row: JudgedRow) -> str:
        """What a cache knows a row by."""
        text = json.dumps([self.name, self.revision, *row], ensure_ascii=True)
        return hashlib.sha256(text.encode("ascii")).hexdigest()[:32]

    def _results(
        self, rows: Sequence[JudgedRow], ask: Callable[[Sequence[JudgedRow]], Any], stop: threading.Event
    ) -> Generator[tuple[Sequence[JudgedRow], list[float] | Exception], None, None]:
        """Batches of rows with what `ask` gives for them, as they come; few wait at a time, so that a run can stop early."""
        size = self.batch_size or 1
        batches = iter([rows[start : start + size] for start in range(0, len(rows), size)])
        pool = ThreadPoolExecutor(self.threads)
        waiting: dict[Future[Any], Sequence[JudgedRow]] = {}
        try:
            while True:
                while len(waiting) < 2 * self.threads and (batch := next(batches, None)) is not None:
                    waiting[pool.submit(ask, batch)] = batch
                if not waiting:
                    return
                done, _ = wait(waiting, return_when=FIRST_COMPLETED)
                for future in [future for future in waiting if future in done]:  # in the order of the rows
                    yield waiting.pop(future), future.result()
        finally:
            stop.set()
            pool.shutdown(cancel_futures=True)  # waits for the calls that are under way

    def _ask(
        self, batch: Sequence[JudgedRow], name_of: dict[JudgedRow, str], stop: threading.Event
    ) -> list[float] | Exception:
        """The probabilities of a batch, or the error of the last call."""
        pause = self.wait
        for attempt in range(self.retries + 1):
            try:
                rows = [(question, list(golds), answer) for question, golds, answer in batch]
                results = self.ask(*map(list, zip(*rows, strict=True))) if self.batch_size else [self.ask(*rows[0])]
                break
            except Exception as error:
                is_last = attempt == self.retries or isinstance(error, _BUGS)
                if is_last or stop.wait(min(pause, _LONGEST_WAIT)):
                    return error
                pause *= 2
        if self.batch_size:
            results = results.tolist() if hasattr(results, "tolist") else results
            if not isinstance(results, (list, tuple)) or len(results) != len(batch):
                got = f"{len(results)} results" if isinstance(results, (list, tuple)) else describe(results)
                raise ValueError(
                    f"{name_of[batch[0]]}: the judge {self.name} was called with lists of {len(batch)} rows and gave {got}; "
                    f"it must give {len(batch)}"
                )
        return [_probability(result, name_of[row], self.name) for result, row in zip(results, batch, strict=True)]


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


class _Cache:
    """The verdicts of a file: a line each, added as they come. A last line that an interrupt cut short is removed."""

    def __init__(self, path: str | os.PathLike[str] | None):
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
        *lines, rest = self._file.read().split(b"\n")
        number = 1
        try:
            for number, line in enumerate(lines, 1):
                row = json.loads(line)
                self.known[row["key"]] = _probability(row["probability"], "", "")
            if rest and not lines and not rest.startswith(b'{"key"'[: len(rest)]):
                raise ValueError
        except (ValueError, TypeError, KeyError, RecursionError):
            self._file.close()
            raise ValueError(
                f"{self.path}: line {number} is not a verdict of a judge; give another file as cache"
            ) from None
        if rest:
            self._file.truncate(self._file.tell() - len(rest))
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
