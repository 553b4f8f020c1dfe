"""The fuzzing command: what it tries, how it reports and shrinks a defect, and that a run can be resumed."""

import argparse
import json

import pytest

import qassay


@pytest.fixture
def fuzz(load_script):
    return load_script("fuzz")


def wrong(load_script, monkeypatch):
    """The plain definition returns another accuracy."""
    oracles = load_script("fuzz_oracles")
    usual = oracles.usual

    def other(call):
        found = usual(call)
        return found and (found[0], {name: value + 0.25 for name, value in found[1].items()})

    monkeypatch.setattr(load_script("fuzz_calls"), "usual", other)


def test_every_chunk_is_tried_once(fuzz):
    given = argparse.Namespace(calls=600, files=100, family=None, kind=None, first=0, seed=3)
    found = fuzz.chunks(given)
    calls = [chunk for chunk in found if chunk.sort == "calls"]
    assert sum(chunk.count for chunk in calls) == 600 * len(qassay.registry.FAMILIES)
    assert sum(chunk.count for chunk in found if chunk.sort == "files") >= 100
    assert len(set(found)) == len(found) and {chunk.name for chunk in calls} == set(qassay.registry.FAMILIES)
    given = argparse.Namespace(calls=5, files=9, family=["answer_match"], kind=None, first=7, seed=3)
    assert fuzz.chunks(given) == [fuzz.Chunk("calls", "answer_match", 3, 7, 5)]


def test_a_wrong_number_is_a_defect_that_is_reported_with_its_seed(fuzz, load_script, monkeypatch):
    wrong(load_script, monkeypatch)
    for name in ("module_of", "check_module"):  # evaluate takes seconds to load
        monkeypatch.setattr(load_script("fuzz_calls"), name, lambda *given: None)
    found = fuzz.try_chunk(fuzz.Chunk("calls", "label_metrics", 1, 0, 6))
    assert found.ends["defects"] == len(found.defects) > 0
    where, told, call = found.defects[0].split("\n    ")
    assert where.startswith("--family label_metrics --seed 1 --first ") and "the definition has other values" in told
    assert call.startswith("qassay.score('label_metrics', ")


def test_a_defect_is_shown_by_few_rows_and_options(fuzz, load_script, monkeypatch):
    wrong(load_script, monkeypatch)
    cases = load_script("call_cases")
    long = cases.Call(
        "label_metrics", {"predictions": [1, 2, 1], "references": [1, 1, 1], "weights": [1, 1, 1]}, {"per_class": True}
    )
    short = fuzz.shortest(long)
    assert len(short.columns["references"]) == 1 and not short.options and "weights" not in short.columns


def test_a_crash_is_located_by_bisection(fuzz, monkeypatch):
    """Case 5 kills its process."""

    class Pool:
        def __init__(self, *given):
            self.dead = False

        def __enter__(self):
            return self

        def __exit__(self, *error):
            return None

        def submit(self, function, chunk):
            future = fuzz_future()
            self.dead = self.dead or chunk.first <= 5 < chunk.first + chunk.count
            if self.dead:
                future.set_exception(fuzz.BrokenProcessPool())
            else:
                future.set_result(fuzz.Found({"refused": chunk.count}, [], 0.0))
            return future

    from concurrent.futures import Future as fuzz_future

    monkeypatch.setattr(fuzz, "ProcessPoolExecutor", Pool)
    waiting = [fuzz.Chunk("calls", "answer_match", 0, first, 4) for first in (0, 4, 8)]
    found = list(fuzz.try_all(waiting, 2))
    assert sorted((chunk.first, chunk.count) for chunk, _ in found) == [(0, 4), (4, 1), (5, 1), (6, 2), (8, 4)]
    (defect,) = (text for _, end in found for text in end.defects)
    assert "--first 5" in defect and "the process died" in defect


def test_a_stopped_run_continues(fuzz, tmp_path, capsys, monkeypatch):
    tried = []

    def try_all(waiting, workers):
        for chunk in waiting:
            tried.append(chunk)
            yield chunk, fuzz.Found({"defined": chunk.count}, [], 1.0)

    monkeypatch.setattr(fuzz, "try_all", try_all)
    state = tmp_path / "state.jsonl"
    chunk = fuzz.Chunk("calls", "label_metrics", 0, 0, 250)
    state.write_text(json.dumps([chunk, fuzz.Found({"refused": 250}, [], 1.0)]) + "\n", "utf-8")
    arguments = ["--calls", "500", "--family", "label_metrics", "--state", str(state)]
    for _ in range(2):
        assert fuzz.main(arguments) == 0
        told = "label_metrics: 500 calls, 250 right by definition, 0 right by invariants, 250 clear errors, 0 defects"
        assert capsys.readouterr().out.startswith(told)
    assert tried == [chunk._replace(first=250)]


def test_definitions_are_checked_by_hand(load_script):
    oracles, cases = load_script("fuzz_oracles"), load_script("call_cases")

    def values(family, **columns):
        return oracles.usual(cases.Call(family, columns, {}))[1]

    assert values("answer_match", predictions=["in the Rome", "x"], references=[["Rome", "y"], []]) == {
        "exact_match": 0.0,
        "f1": pytest.approx((2 / 3 + 0) / 2),
    }
    found = values("label_metrics", predictions=["a", "b", "b"], references=["a", "a", "b"], weights=[1, 1, 2])
    assert (found["accuracy"], found["macro_recall"]) == (0.75, 0.75)
    found = values("average_precision", predictions=[0.9, 0.5, 0.5], references=[True, False, True])
    assert found == {"average_precision": pytest.approx(0.5 * 1 + 0.5 * 2 / 3)}
    kinds = {"question_types": ["list"]}
    found = values(
        "factoid_accuracy", predictions=[[["dog"], ["cow"]]], references=[[["Dog", "canine"], ["cat"]]], **kinds
    )
    assert found == {"list_precision": 0.5, "list_recall": 0.5, "list_f1": 0.5}
