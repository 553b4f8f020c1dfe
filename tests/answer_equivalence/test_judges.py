"""Judges: how often a callable is called, what it may return, what a cache stores, and what counts as a failure."""

import functools
import json
import math
import re
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

import qassay
from qassay.answer_equivalence.judges import Judge, JudgedRow, _Failed

ROWS = [JudgedRow("Who?", ("Ann",), "Ann"), JudgedRow("Who?", ("Bob", "Rob"), "Ann"), JudgedRow("Why?", ("x",), "y")]


class Asked:
    """A judge's callable that counts its calls; an answer "fail<n>" fails so many times."""

    def __init__(self):
        self.calls, self.failures, self.lock = [], {}, threading.Lock()

    def __call__(self, question, golds, answer):
        with self.lock:
            self.calls.append((question, golds, answer))
            if answer.startswith("fail"):
                self.failures[answer] = self.failures.get(answer, 0) + 1
                if self.failures[answer] <= int(answer[4:]):
                    raise ConnectionError(f"no line for {answer}")
        return 0.9 if answer in golds else 0.1


def judge(ask, **options):
    return Judge(ask, **{"name": "toy", "wait": 0, "threads": 2, **options})


def scored(answers, model, **columns):
    golds, questions = [["Ann"]] * len(answers), ["Who?"] * len(answers)
    return qassay.score("answer_equivalence", answers, golds, questions=questions, model=model, **columns)


def test_each_distinct_row_is_asked_for_once():
    ask = Asked()
    verdicts = judge(ask).verdicts([*ROWS, *ROWS])
    assert verdicts.probabilities == [0.9, 0.1, 0.1] * 2 and (verdicts.failed, verdicts.last_error) == (0, None)
    assert sorted(ask.calls) == sorted((row.question, list(row.golds), row.answer) for row in ROWS)


@pytest.mark.parametrize("size", [1, 2, 5])
def test_a_callable_may_take_lists(size):
    sizes = []

    def ask(questions, golds, answers):
        sizes.append(len(questions))
        return [answer in own for own, answer in zip(golds, answers, strict=True)]

    assert judge(ask, batch_size=size).verdicts(ROWS).probabilities == [1.0, 0.0, 0.0]
    assert sum(sizes) == 3 and max(sizes) == min(size, 3)


def test_a_call_that_fails_is_made_again_and_then_counted():
    ask = Asked()
    with pytest.warns(
        UserWarning, match=r"gave no verdict on 1 of 3 answers.*last error was ConnectionError: no line for fail9"
    ):
        scores = scored(["Ann", "fail2", "fail9"], judge(ask, retries=2))
    assert ask.failures == {"fail2": 2 + 1, "fail9": 3}
    values = scores.columns["equivalence"].tolist()
    assert values[:2] == [0.9, 0.1] and math.isnan(values[2]) and math.isnan(scores.columns["accepted"][2])
    assert scores.summary(["equivalence", "accepted", "unsure", "failed", "total"]) == {
        "equivalence": 0.5, "accepted": 0.5, "unsure": 0.0, "failed": 1, "total": 3,
    }  # fmt: skip
    assert scores.counts()["equivalence"] == 2
    errors = qassay.registry.FAMILIES["answer_equivalence"].telling.errors
    assert errors.of(scores) == ["accepted", "other entity", "no verdict"]


def test_waits_double(monkeypatch):
    waits = []
    monkeypatch.setattr(threading.Event, "wait", lambda self, timeout=None: waits.append(timeout))
    made = judge(Asked(), retries=3, wait=20.0)
    with pytest.raises(_Failed, match="no line for fail9"):
        made._judged([JudgedRow("q", ("a",), "fail9")], {}, threading.Event())
    assert waits == [20.0, 40.0, 60.0]


def test_all_calls_fail():
    with pytest.raises(
        ValueError, match=r"the judge toy failed for all 2 answers; .*ConnectionError: no line for fail8"
    ):
        scored(["fail9", "fail9", "fail8"], judge(Asked(), retries=0, threads=1))


class Broken:
    """A judge's callable that raises one error at each call, or at each call but for some answers."""

    def __init__(self, error, right=()):
        self.error, self.right, self.calls, self.lock = error, right, 0, threading.Lock()

    def __call__(self, question, golds, answer):
        with self.lock:
            self.calls += 1
        if answer in self.right:
            return 1.0
        raise self.error


class BrokenForLists(Broken):
    def __call__(self, questions, golds, answers):
        return [super(BrokenForLists, self).__call__(*row) for row in zip(questions, golds, answers, strict=True)]


ANSWERS = [f"answer {number}" for number in range(100)]


@pytest.mark.parametrize(
    ("error", "repeated"),
    [
        (NameError("no x"), False),
        (UnboundLocalError("no x"), False),
        (AttributeError("no x"), True),
        (TypeError("no x"), True),
        (ModuleNotFoundError("no x"), False),
        (SyntaxError("no x"), False),
        (NotImplementedError("no x"), False),
        (ConnectionError("no x"), True),
        (ValueError("no x"), True),
        (KeyError("no x"), True),
    ],
)
def test_a_bug_is_not_repeated(error, repeated):
    ask = Broken(error)
    with pytest.raises(
        ValueError, match=f"failed for the only answer; the last error was {type(error).__name__}: .*no x"
    ):
        scored(["a"], judge(ask, retries=3))
    assert ask.calls == (4 if repeated else 1)


def test_a_plain_callable_is_not_repeated():
    ask = Broken(ConnectionError("no line"), right=["b"])
    with pytest.warns(UserWarning, match="no verdict on 1 of 2 answers"):
        scores = scored(["a", "b"], ask)
    assert ask.calls == 2 and scores.summary(["failed"]) == {"failed": 1}


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (lambda ask: ask, r"Judge\(..., retries=4\) repeats failed calls"),
        (lambda ask: judge(ask, retries=1), r"Judge\(..., retries=, wait=\) sets how often to repeat failed calls"),
    ],
)
def test_a_judge_whose_first_calls_all_fail_stops_the_run(model, message):
    ask = Broken(ConnectionError("no line"))
    told = "failed for the first 16 of 100 answers; the last error was ConnectionError: no line; call it once yourself"
    with pytest.raises(ValueError, match=told) as raised:
        scored(ANSWERS, model(ask))
    assert re.search(message, str(raised.value)) and 16 <= ask.calls < 80


def test_a_bug_stops_the_run_and_the_error_says_what_to_do():
    told = (
        r"first 16 of 100 answers; the last error was NameError: no x; correct the callable, and call it once yourself"
    )
    with pytest.raises(ValueError, match=rf"{told}: judge\(question, golds, answer\)$"):
        scored(ANSWERS, Broken(NameError("no x")))


def test_a_judge_of_lists_whose_first_calls_all_fail_stops_the_run():
    ask = BrokenForLists(ConnectionError("no line"))
    with pytest.raises(
        ValueError, match=r"failed for the first 32 of 100 answers; .*judge\(questions, golds, answers\)"
    ):
        scored(ANSWERS, judge(ask, batch_size=2, retries=0, threads=1))
    assert 16 <= ask.calls < 20


def test_rows_that_fail_after_others_succeeded_have_no_verdict():
    ask = Broken(NameError("no x"), right=["answer 15"])
    with pytest.warns(UserWarning, match="no verdict on 99 of 100 answers"):
        scores = scored(ANSWERS, judge(ask, threads=1))
    assert ask.calls == 100 and scores.summary(["failed", "accepted"]) == {"failed": 99, "accepted": 1.0}


def test_verdicts_of_a_cache_let_a_tenth_fail(tmp_path):
    path = tmp_path / "verdicts.jsonl"
    rows = [JudgedRow("q", ("a",), f"answer {number}") for number in range(240)]
    judge(Broken(None, [row.answer for row in rows]), cache=path).verdicts(rows[:220])
    assert judge(Broken(ConnectionError("no line")), cache=path, retries=0).verdicts(rows).failed == 20
    more = [JudgedRow("why", ("a",), answer) for answer in ANSWERS]
    with pytest.raises(ValueError, match="failed for the first 22 of 100 answers"):
        judge(Broken(ConnectionError("no line")), cache=path, retries=0, threads=1).verdicts([*rows[:220], *more])


def test_different_judges_of_one_name_are_not_compared():
    def unnamed(value):
        return scored(["a", "b"], lambda question, golds, answer: value)

    told = (
        r"model differs, though both have the name custom:.*<lambda> \(these are different judges; .*Judge\(.*name=.*"
    )
    with pytest.raises(ValueError, match=f"cannot be compared: {told}"):
        qassay.compare({"a": unnamed(0.0), "b": unnamed(1.0)})
    first, second = (scored(["a"], judge(Asked(), revision=revision)) for revision in "12")
    with pytest.raises(ValueError, match="cannot be compared: revision=1 against 2$"):
        qassay.compare({"a": first, "b": second})


def test_the_form_of_a_judge_of_lists_is_in_the_error():
    told = r"with Judge\(f, batch_size=...\), f is a callable \(questions, golds, answers\) -> probabilities, three lists of one length"
    for options in ({}, {"batch_size": 8}):
        with pytest.raises(TypeError, match=told):
            Judge(lambda rows: [0.5] * len(rows), **options)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("yes", "gave .*'yes'.* instead of a number from 0 to 1; raise an error"),
        (None, "gave None instead of a number"),
        (math.nan, "gave nan, which is not from 0 to 1"),
        (1.5, "gave 1.5, which is not from 0 to 1"),
        (-0.1, "gave -0.1, which is not from 0 to 1"),
    ],
)
def test_what_is_no_probability_is_refused_with_its_row(given, message):
    def ask(question, golds, answer):
        return given if answer == "b" else 0.5

    with pytest.raises((ValueError, TypeError), match=rf"predictions\[1\] \(id 'y'\): the judge toy {message}"):
        qassay.score(
            "answer_equivalence", {"x": "a", "y": "b"}, {"x": ["a"], "y": ["a"]}, questions=["?"] * 2, model=judge(ask)
        )


def test_a_batch_gives_one_number_for_each_row():
    with pytest.raises(
        ValueError, match=r"predictions\[0\]: the judge toy was called with lists of 2 rows and gave 1 results"
    ):
        scored(["a", "b"], judge(lambda questions, golds, answers: [0.5], batch_size=2))


async def asynchronous(question, golds, answer):
    return 1.0


class AsynchronousCalls:
    async def __call__(self, question, golds, answer):
        return 1.0


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda gold, answer: 1.0, "<lambda> cannot be called like this: too many positional arguments"),
        (lambda question, golds, answer, key: 1.0, "cannot be called like this: missing a required argument: 'key'"),
        (Judge, "Judge'> is a class: give a function or an object that can be called"),
        (dict, "<class 'dict'> is a class: give a function"),
        (list[str], r"list\[str\] is a class"),
        (asynchronous, "asynchronous is asynchronous: call it with asyncio.run in a plain function"),
        (functools.partial(asynchronous, answer="a"), "asynchronous is asynchronous"),
        (AsynchronousCalls(), "AsynchronousCalls is asynchronous"),
        ("gpt-4", "got str: 'gpt-4'"),
    ],
)
def test_what_cannot_be_called_as_a_judge_is_refused_before_any_row(ask, message):
    with pytest.raises(TypeError, match=f"a judge is a callable .*{message}"):
        Judge(ask)
    if ask != "gpt-4":
        with pytest.raises(TypeError, match=f"a judge is a callable .*{message}"):
            scored([], ask)


def test_callables_of_every_kind_are_judges():
    for ask in (max, lambda *row: 1.0, lambda question, golds, answer, key=None: 1.0, functools.partial(print, "x")):
        assert Judge(ask).ask is ask


def test_a_cache_of_a_judge_without_a_name_is_refused(tmp_path):
    with pytest.raises(ValueError, match="a judge with a cache needs a name"):
        Judge(lambda question, golds, answer: 0.5, cache=tmp_path / "verdicts.jsonl")


def test_a_cache_answers_what_it_knows(tmp_path):
    path, ask = tmp_path / "verdicts.jsonl", Asked()
    judge(ask, cache=path).verdicts(ROWS[:2])
    assert [sorted(json.loads(line)) for line in path.read_text().splitlines()] == [["key", "probability"]] * 2
    assert judge(ask, cache=path).verdicts(ROWS).probabilities == [0.9, 0.1, 0.1]
    assert len(ask.calls) == 3
    judge(ask, cache=path, revision="2").verdicts(ROWS[:1])  # another prompt
    assert len(ask.calls) == 4


def test_failures_are_not_kept(tmp_path):
    path, ask = tmp_path / "verdicts.jsonl", Asked()
    rows = [ROWS[0], JudgedRow("q", ("a",), "fail1")]
    assert judge(ask, cache=path, retries=0).verdicts(rows).failed == 1
    assert judge(ask, cache=path, retries=0).verdicts(rows).probabilities == [0.9, 0.1]


def test_an_interrupt_leaves_whole_lines_and_the_next_run_goes_on(tmp_path):
    path = tmp_path / "verdicts.jsonl"

    def interrupted(question, golds, answer):
        if answer == "y":
            raise KeyboardInterrupt
        return 0.75

    with pytest.raises(KeyboardInterrupt):
        judge(interrupted, cache=path, threads=1).verdicts(ROWS)
    kept = path.read_bytes()
    assert kept.endswith(b"\n") and kept.count(b"\n") == 2
    path.write_bytes(kept + b'{"key": "ab')  # a process that ended while it wrote
    ask = Asked()
    assert judge(ask, cache=path).verdicts(ROWS).probabilities == [0.75, 0.75, 0.1]
    assert len(ask.calls) == 1 and len(path.read_bytes().splitlines()) == 3


@pytest.mark.parametrize("text", ["question,answer\n", '{"key": "a", "probability": 2}\n', "{}\n", "notes", "[1"])
def test_another_file_is_no_cache_and_stays(tmp_path, text):
    path = tmp_path / "notes.txt"
    path.write_text(text)
    with pytest.raises(ValueError, match=r"notes.txt: line 1 is not a verdict of a judge; give another file as cache"):
        judge(Asked(), cache=path).verdicts(ROWS)
    assert path.read_text() == text


@pytest.mark.parametrize(("path", "error"), [("none/verdicts.jsonl", FileNotFoundError), ("", IsADirectoryError)])
def test_a_cache_that_cannot_be_written_is_named(tmp_path, path, error):
    with pytest.raises(
        error, match=f"^the cache of the judge cannot be written: .*{path}: .*; give a file in a folder"
    ):
        judge(Asked(), cache=tmp_path / path).verdicts(ROWS)


def test_an_error_of_several_lines_is_told_in_one():
    def fails(question, golds, answer):
        raise ConnectionError("no\n  line")

    with pytest.raises(ValueError, match="the last error was ConnectionError: no line; call it once yourself"):
        scored(["a"], judge(fails, retries=0))


def test_a_second_judge_that_writes_the_cache_breaks_nothing(tmp_path):
    """Each writes whole lines, so the file stays right; rows that both judge are asked for twice."""
    path = tmp_path / "verdicts.jsonl"
    rows = [JudgedRow("q" * 3000, ("a",), f"answer {n}") for n in range(120)]

    def ask(question, golds, answer):
        return int(answer.split()[1]) / 120

    with ThreadPoolExecutor(2) as pool:
        parts = pool.map(lambda part: judge(ask, cache=path).verdicts(part).probabilities, (rows[:80], rows[40:]))
        assert [len(part) for part in parts] == [80, 80]
    asked = Asked()
    assert judge(asked, cache=path).verdicts(rows).probabilities == [n / 120 for n in range(120)]
    assert asked.calls == []


def test_the_signature_names_the_judge():
    scores = scored(["Ann"], Judge(Asked(), name="my model", revision="3"))
    assert "|model:my model|revision:3|question:yes|" in scores.signature()
    assert Judge(Asked(), name="a") == Judge(Asked(), name="a") != Judge(Asked(), name="b")
    ask = Asked()
    assert Judge(ask) == Judge(ask) != Judge(Asked()) and Judge(ask).name == "custom:Asked" and hash(Judge(ask))
    assert "model:custom:Asked" in scored(["Ann"], ask).signature()
    assert qassay.from_signature(scores.signature(), model=Judge(ask, name="my model", revision="3")) == scores.options


def test_a_judge_that_reads_no_questions():
    seen = []
    made = judge(lambda *row: seen.append(row) or 0.5, reads_questions=False)
    scores = qassay.score("answer_equivalence", ["a"], [["b"]], model=made)
    assert seen == [(None, ["b"], "a")] and scores.options.use_questions is False
    with pytest.raises(ValueError, match="toy does not read questions"):
        scored(["a"], made, use_questions=True)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ask": "gpt"}, r"a judge is a callable \(question, golds, answer\)"),
        ({"name": 3}, "name of a judge must be a string"),
        ({"threads": 0}, "threads must be an integer of at least 1"),
        ({"retries": -1}, "retries must be an integer of at least 0"),
        ({"batch_size": 0}, "batch_size must be an integer"),
        ({"wait": -1}, "wait is a number of seconds"),
        ({"cache": "verdicts.jsonl"}, "a judge with a cache needs a name"),
        ({"cache": 3, "name": "toy"}, "cache of a judge must be the path of a file, got int: 3"),
        ({"cache": b"verdicts.jsonl", "name": "toy"}, "cache of a judge must be the path of a file, got bytes"),
    ],
)
def test_options_of_a_judge(options, message):
    with pytest.raises((TypeError, ValueError), match=message):
        Judge(**{"ask": Asked(), **options})
