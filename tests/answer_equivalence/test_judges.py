"""Judges: how often a callable is called, what it may return, what a cache stores, and what counts as a failure."""

import functools
import json
import math
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

import qassay
from qassay.answer_equivalence.judges import Judge, JudgedRow

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


def test_a_call_that_fails_is_made_again_and_then_counted():
    ask = Asked()
    with pytest.warns(UserWarning, match="1 of 3 answers.*ConnectionError: no line for fail9"):
        scores = scored(["Ann", "fail2", "fail9"], judge(ask, retries=2))
    assert ask.failures == {"fail2": 2 + 1, "fail9": 3}
    values = scores.columns["equivalence"].tolist()
    assert values[:2] == [0.9, 0.1] and math.isnan(values[2]) and math.isnan(scores.columns["accepted"][2])
    assert scores.summary(["equivalence", "accepted", "unsure", "failed", "total"]) == {
        "equivalence": 0.5, "accepted": 0.5, "unsure": 0.0, "failed": 1, "total": 3,
    }  # fmt: skip
    assert scores.counts()["equivalence"] == 2
    errors = qassay.registry.FAMILIES["answer_equivalence"].about.errors
    assert errors.of(scores) == ["accepted", "other entity", "no verdict"]


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


ANSWERS = [f"answer {number}" for number in range(100)]


@pytest.mark.parametrize(
    ("error", "repeated"),
    [(NameError("no x"), False), (TypeError("no x"), True), (ConnectionError("no\n  x"), True)],
)
def test_a_bug_is_not_repeated(error, repeated):
    ask = Broken(error)
    with pytest.raises(ValueError, match=f"{type(error).__name__}: .*no x"):
        scored(["a"], judge(ask, retries=3))
    assert ask.calls == (4 if repeated else 1)


@pytest.mark.parametrize(
    ("ask", "options"),
    [
        (Broken(NameError("no x")), None),
        (Broken(ConnectionError("no x")), {"retries": 1}),
    ],
)
def test_a_judge_whose_first_calls_all_fail_stops_the_run(ask, options):
    with pytest.raises(ValueError, match=r"first \d\d of 100 answers.* no x"):
        scored(ANSWERS, ask if options is None else judge(ask, **options))
    assert 16 <= ask.calls < 80


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


@pytest.mark.parametrize("given", ["yes", None, math.nan, 1.5, -0.1])
def test_what_is_no_probability_is_refused_with_its_row(given):
    def ask(question, golds, answer):
        return given if answer == "b" else 0.5

    columns = {"x": "a", "y": "b"}, {"x": ["a"], "y": ["a"]}
    with pytest.raises((ValueError, TypeError), match=r"predictions\[1\] \(id 'y'\): the judge toy gave"):
        qassay.score("answer_equivalence", *columns, questions=["?"] * 2, model=judge(ask))


async def asynchronous(question, golds, answer):
    return 1.0


@pytest.mark.parametrize(
    "ask",
    [
        lambda gold, answer: 1.0,
        lambda question, golds, answer, key: 1.0,
        dict,
        asynchronous,
        functools.partial(asynchronous, answer="a"),
        "gpt-4",
    ],
)
def test_what_cannot_be_called_as_a_judge_is_refused_before_any_row(ask):
    with pytest.raises(TypeError, match="judge"):
        Judge(ask)
    for good in (max, lambda *row: 1.0, lambda question, golds, answer, key=None: 1.0, functools.partial(print, "x")):
        assert Judge(good).ask is good


@pytest.mark.parametrize(
    "options",
    [{"name": 3}, {"threads": 0}, {"retries": -1}, {"wait": -1}, {"name": "toy", "cache": 3}],
)
def test_options_of_a_judge(options):
    with pytest.raises((TypeError, ValueError), match=list(options)[-1]):
        Judge(Asked(), **options)


def test_a_cache_answers_what_it_knows(tmp_path):
    path, ask = tmp_path / "verdicts.jsonl", Asked()
    judge(ask, cache=path).verdicts(ROWS[:2])
    assert [sorted(json.loads(line)) for line in path.read_text().splitlines()] == [["key", "probability"]] * 2
    assert judge(ask, cache=path).verdicts(ROWS).probabilities == [0.9, 0.1, 0.1]
    assert len(ask.calls) == 3
    judge(ask, cache=path, revision="2").verdicts(ROWS[:1])  # another prompt
    assert len(ask.calls) == 4


@pytest.mark.parametrize("text", ["question,answer\n", '{"key": "a", "probability": 2}\n', "[1", "[" * 100_000 + "\n"])
def test_another_file_is_no_cache_and_stays(tmp_path, text):
    path = tmp_path / "notes.txt"
    path.write_text(text)
    with pytest.raises(ValueError, match=r"notes.txt: line 1"):
        judge(Asked(), cache=path).verdicts(ROWS)
    assert path.read_text() == text


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
