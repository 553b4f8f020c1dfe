"""What holds for the evaluate module of every family: loading, card, options, batches, copies, threads."""

import ast
import concurrent.futures
import copy
import dataclasses
import doctest
import inspect
import itertools
import json
import math
import pickle
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import qassay
from qassay.registry import FAMILIES

from .families import MODULES, same

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(params=MODULES)
def case(request):
    return MODULES[request.param]


@pytest.fixture(params=["evaluate", "qassay"])
def load(request, evaluate, case, monkeypatch):
    """`load(**options)` by both ways: of the folder in a clone, and by name."""
    if request.param == "qassay":
        return case.load
    monkeypatch.chdir(ROOT)
    return lambda **options: evaluate.load(f"./metrics/{case.metric}", **{**case.options, **options})


# --- loading and help -------------------------------------------------------------------------------------------------


def test_all_ways_to_load_it_give_the_same(evaluate, case, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    expected = case.score().summary()
    folder = shutil.copytree(ROOT / "metrics" / case.metric, tmp_path / case.metric)
    for metric in (evaluate.load(str(folder), **case.options), case.load()):
        result = metric.compute(**case.given)
        assert result == expected and metric.name == case.metric
        numbers = [value for value in result.values() if value is not None]
        assert {type(value) for value in numbers} == {float, int}
        assert json.loads(json.dumps(result)) == result and not any(map(math.isnan, numbers))


def card_of(case, start=None, end=None):
    """The card of a family, or a part of it."""
    card = (ROOT / "metrics" / case.metric / "README.md").read_text("utf-8")
    return card[card.index(start) if start else 0 : card.index(end) if end else None]


def test_the_card_names_every_column_option_and_measure(case):
    inputs = card_of(case, "### Inputs", "### Output Values")
    module = FAMILIES[case.metric].module_class
    names = [*module._columns, *module._option_names]
    assert [name for name in names if f"`{name}`" not in inputs and f"**{name}**" not in inputs] == []
    others = re.sub(r"^\| `.+?` \|", "", inputs, flags=re.MULTILINE)  # an option may have the name of a measure
    text = card_of(case).replace(inputs, others)
    told = {re.match(r"[.\w]+", name)[0] for name in re.findall(r"`(\.*\w[^`\n]*)`", text)}
    patterns = [name.replace("...", r"(\w+)") for name in told if "..." in name]  # has_answer_... and f1 tell of both
    family = FAMILIES[case.metric]
    made = [qassay.score(case.metric, **columns, **options) for columns, options in family.smallest]
    names = [*dict(family.measures()), *itertools.chain(*(scores.summary() for scores in made))]
    for name in {re.match(r"\w+", name)[0] for name in names} - told:
        assert any(match[1] in told for match in (re.fullmatch(one, name) for one in patterns) if match), name


def test_the_card_says_the_defaults(case):
    rows = re.findall(r"^\| (`.+?) \| (.+?) \|", card_of(case, "| option | default |", "Only for the module"), re.M)
    options, shown = FAMILIES[case.metric].load()[1](), {}
    for names, defaults in rows:
        values = re.fullmatch("(?:`[^`]+`(?:, )?)+", defaults) and re.findall("`([^`]+)`", defaults)
        shown |= dict(zip(re.findall(r"`(\w+)`", names), values or itertools.repeat(None)))
    assert shown.keys() == {field.name for field in dataclasses.fields(options) if field.init}
    written = {name: ast.literal_eval(text) for name, text in shown.items() if text}
    found = {name: getattr(options, name) for name in written}
    assert {name: getattr(value, "name", value) for name, value in found.items()} == written
    assert len(written) > 2


AS_A_USER = """
import sys
import evaluate
metric = evaluate.load("./metrics/answer_match")
found = metric.compute(predictions=["in Rome"], references=[["Rome"]])["contains"]
print(found, "transformers.pipelines" in sys.modules)
"""


@pytest.mark.thorough
def test_evaluate_loads_a_module_as_a_user_has_it():
    """With the pipelines of transformers; other tests omit them."""
    done = subprocess.run([sys.executable, "-c", AS_A_USER], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["1.0", "True"]


def test_cases_of_the_card(case):
    for given in runpy.run_path(str(ROOT / "tests" / case.metric / "card_cases.py"))["test_cases"]:
        expected = given.pop("result")
        result = FAMILIES[case.metric].module_class().compute(**given)
        assert {name: result[name] for name in expected} == {
            name: None if value is None else pytest.approx(value, rel=1e-12, abs=1e-12)
            for name, value in expected.items()
        }


def test_examples_of_script_and_card(evaluate, case, monkeypatch):
    monkeypatch.chdir(ROOT)
    failed, attempted = doctest.testmod(inspect.getmodule(type(case.load())))
    assert failed == 0 and attempted >= 4
    failed, attempted = doctest.testfile(str(ROOT / "metrics" / case.metric / "README.md"), module_relative=False)
    assert failed == 0 and attempted >= 4


# --- options ----------------------------------------------------------------------------------------------------------


def test_wrong_names_are_refused_at_load_and_per_call(case):
    (wrong, right), metric = case.typo, case.load()
    for call in (lambda: case.load(**{wrong: 1}), lambda: metric.compute(**case.given, **{wrong: 1})):
        with pytest.raises(TypeError, match=rf"'{wrong}' here \(did you mean '{right}'\?\)"):
            call()
    for call in (lambda: case.load(**case.bad), lambda: metric.compute(**case.given, **case.bad)):
        with pytest.raises(ValueError, match=next(iter(case.bad))):
            call()
    for call in (metric.add_batch, metric.add):
        with pytest.raises(TypeError, match="'per_example' here"):
            call(**case.given, per_example=True)
    with pytest.raises(TypeError, match="'ids' here"):
        case.load(ids=case.ids)
    with pytest.raises(TypeError, match="'prediction' here"):
        metric.compute(prediction=case.given["predictions"], references=case.given["references"])
    with pytest.raises(ValueError, match="'squad_v3'"):
        qassay.load(case.metric, "squad_v3")
    for call in (metric.compute, metric.add_batch, metric.add):
        with pytest.raises(TypeError, match="takes columns by name"):
            call(*case.given.values())
    for name in ("per_example", "signature", "counts", "interval_method"):
        with pytest.raises(ValueError, match=f"{name}=yes"):
            metric.compute(**case.given, **{name: "yes"})
    assert len(metric) == 0


def test_options_of_a_call_win_over_those_of_the_load(case):
    usual, other = case.score().summary(), case.score(**case.changing).summary()
    assert other[case.key] != usual[case.key]
    metric = case.load(**case.changing)
    assert metric.compute(**case.given) == other
    (name,) = case.changing
    default = next(f.default for f in dataclasses.fields(metric.options_class) if f.name == name)
    assert metric.compute(**case.given, **{name: default}) == usual
    assert metric.compute(**case.given) == other
    metric.add_batch(**case.given)
    assert metric.compute(**{name: default}) == usual


# --- batches ----------------------------------------------------------------------------------------------------------


def test_batches_of_any_sizes_score_like_one_call(case):
    metric, count = case.load(), len(case.ids)
    whole, given = metric.compute(**case.given, ids=case.ids, per_example=True), copy.deepcopy(case.given)
    for cut in range(count + 1):
        for rows in (range(cut), range(cut, count)):
            metric.add_batch(**case.part(rows), ids=case.ids[rows.start : rows.stop])
        assert len(metric) == count and f"stored examples: {count}" in repr(metric)
        assert same(metric.compute(per_example=True), whole) and len(metric) == 0
    for row in range(count - 1):
        metric.add(prediction=given["predictions"][row], reference=given["references"][row], ids=case.ids[row])
    last = case.part([count - 1])
    assert same(metric.compute(**last, ids=case.ids[-1:], per_example=True), whole)
    backwards = metric.compute(**case.part(range(count)[::-1]))
    expected = {name: value for name, value in case.score().summary().items() if value is not None}
    assert {name: value for name, value in backwards.items() if value is not None} == pytest.approx(expected, rel=1e-15)
    assert given == case.given  # the columns of the caller are unchanged


def test_a_refused_batch_or_call_leaves_nothing_behind(case):
    metric, expected = case.load(), case.score().summary()
    one, count = case.part([0]), len(case.ids)
    metric.add_batch(**case.given)
    for bad, named in (
        ({**case.given, "predictions": one["predictions"]}, "predictions 1"),
        ({**one, "predictions": {"q": 1}}, "predictions"),
        ({**case.part([0, 0]), "ids": ["a"]}, "ids 1"),
        ({**case.given, "weights": [1] * count}, "predictions, references"),
        ({"references": case.given["references"]}, "predictions missing"),
        ({**case.given, "unknown": case.ids}, "'unknown' here"),
        ({}, "predictions.* missing"),
    ):
        with pytest.raises((TypeError, ValueError), match=named):
            metric.add_batch(**bad)
        assert len(metric) == count
    with pytest.raises(TypeError, match="multiple values for keyword argument 'predictions'"):
        metric.add(prediction=1, predictions=1, reference=1)
    assert metric.compute() == expected
    metric.add_batch(**one)
    with pytest.raises(ValueError, match=next(iter(case.bad))):
        metric.compute(**case.bad)
    assert len(metric) == 0
    with pytest.raises(ValueError, match="nothing to compute"):
        metric.compute()
    with pytest.raises(ValueError, match="empty"):
        metric.compute(predictions=[], references=[])
    assert metric.compute(**case.given) == expected


EMPTY = {
    "lists": list,
    "tuples": tuple,
    "dicts": dict,
    "iterators": lambda: iter(()),
    "array": lambda: np.array([]),
    "matrix": lambda: np.zeros((0, 3)),
    "Arrow column": lambda: pa.array([], pa.string()),
    "Arrow table": lambda: pa.table({"id": pa.array([], pa.string())}),
    "frame": lambda: pytest.importorskip("pandas").DataFrame(),
    "named frame": lambda: pytest.importorskip("pandas").DataFrame({"qid": [], "docid": []}),
}


@pytest.mark.parametrize("form", EMPTY)
def test_a_batch_of_nothing_adds_nothing(case, form):
    """Before the first batch, between batches and in the last call, beside other columns too; of modules and streams."""
    classes = {"labels": ["cat", "dog", "fox", "owl"]} if case.metric == "label_metrics" else {}
    metric, stream = case.load(**classes), qassay.stream(case.metric, **case.options, **classes)
    count, make = len(case.ids), EMPTY[form]
    for rows in ([0], range(1, count), None):
        metric.add_batch(predictions=make(), references=make())
        stream.add(make(), references=make(), ids=[])
        assert len(metric) == len(stream) == (count if rows is None else rows[0])
        if rows is not None:
            metric.add_batch(**case.part(rows), groups=[f"g{row}" for row in rows])
            stream.add(**case.part(rows), groups=[f"g{row}" for row in rows])
    expected = case.score(**classes, groups=[f"g{row}" for row in range(count)]).summary()
    assert stream.summary() == metric.compute(predictions=make(), references=make()) == expected
    stream.reset()
    stream.add(make(), make())
    with pytest.raises(ValueError, match="nothing was added"):
        stream.summary()
    for one_sided in ({"predictions": make()}, {"references": make()}):
        with pytest.raises((TypeError, ValueError)):
            stream.add(**{**case.part([0]), **one_sided})


# --- copies, threads, processes, other metrics ------------------------------------------------------------------------


def test_pickle_and_copy_keep_options_and_rows(case, load):
    metric, expected = load(**case.changing), case.score(**case.changing).summary()
    metric.add_batch(**case.part([0, 1]))
    for twin in (pickle.loads(pickle.dumps(metric)), copy.deepcopy(metric)):
        assert twin.compute(**case.part(range(2, len(case.ids)))) == expected
        assert twin.compute(**case.given) == expected
    assert len(metric) == 2


UNPICKLE = """
import pickle, sys
for path in sys.argv[1:]:
    metric, given, expected = pickle.loads(open(path, "rb").read())
    assert metric.compute(**given) == expected, path
"""


def test_a_fresh_interpreter_unpickles_modules_of_both_ways(evaluate, tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)
    for name, case in MODULES.items():
        metrics = evaluate.load(f"./metrics/{name}", **case.options), case.load()
        for place, metric in enumerate(metrics):
            kept = (metric, case.given, case.score().summary())
            (tmp_path / f"{name} {place}").write_bytes(pickle.dumps(kept))
    command = [sys.executable, "-c", UNPICKLE, *map(str, sorted(tmp_path.iterdir()))]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_threads_add_to_one_metric_or_stream(case):
    """No batch is lost and no row moves, while other threads look and copy."""
    classes = {"labels": ["cat", "dog", "fox", "owl"]} if case.metric == "label_metrics" else {}
    metric, stream = case.load(**classes), qassay.stream(case.metric, **case.options, **classes)
    parts = [case.part([row % len(case.ids)]) for row in range(60)]

    def add(place):
        metric.add_batch(**parts[place], ids=[f"q{place}"])
        stream.add(**parts[place], ids=[f"q{place}"])
        return len(pickle.loads(pickle.dumps(stream)).scores()), len(copy.deepcopy(metric)), stream.summary()

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            assert len(list(pool.map(add, range(60)))) == 60
    finally:
        sys.setswitchinterval(before)
    columns = {name: [part[name][0] for part in parts] for name in case.given}
    expected = qassay.score(case.metric, **columns, **{**case.options, **classes}).summary()
    assert metric.compute() == pytest.approx(expected) and stream.summary() == pytest.approx(expected)


def test_nothing_is_written(case, load, tmp_path):
    metric = load(cache_dir=str(tmp_path / "cache"))
    metric.add_batch(**case.given)
    metric.compute()
    assert not (tmp_path / "cache").exists()


def test_combine_and_save(evaluate, case, load, tmp_path):
    both = evaluate.combine([load(), load(**case.changing)])
    first, second = case.score().summary()[case.key], case.score(**case.changing).summary()[case.key]
    expected = {f"{case.metric}_0_{case.key}": first, f"{case.metric}_1_{case.key}": second}
    both.add_batch(**case.part([0]))
    result = both.compute(**case.part(range(1, len(case.ids))))
    assert {name: result[name] for name in expected} == expected
    found = case.load().compute(**case.given, confidence=0.9, n_resamples=50, per_example=True, signature=True)
    saved = json.loads(evaluate.save(tmp_path / "result.json", **found, experiment="a run").read_text("utf-8"))
    assert same({name: saved[name] for name in found}, found)
