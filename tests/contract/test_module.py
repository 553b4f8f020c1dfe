"""What holds for the evaluate module of every family: loading, options, batches, columns of libraries, processes."""

import ast
import concurrent.futures
import copy
import dataclasses
import doctest
import importlib
import inspect
import itertools
import json
import math
import pickle
import random
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest

import qassay
from qassay.core.scores import Scores
from qassay.registry import FAMILIES

ROOT = Path(__file__).resolve().parents[2]


@dataclasses.dataclass
class Case:
    """Rows of a family, what its module is loaded with, an option that changes `key`, and options that are wrong."""

    metric: str
    predictions: list
    references: list
    changing: dict
    key: str
    typo: tuple[str, str]
    bad: tuple[dict, str]
    options: dict = dataclasses.field(default_factory=dict)

    @property
    def given(self) -> dict:
        return {"predictions": self.predictions, "references": self.references}

    @property
    def ids(self) -> list:
        return [f"q{row}" for row in range(len(self.predictions))]

    def load(self, **options):
        return qassay.load(self.metric, **{**self.options, **options})

    def score(self, **options) -> Scores:
        return qassay.score(self.metric, **self.given, **{**self.options, **options})

    def part(self, rows) -> dict:
        return {name: [column[row] for row in rows] for name, column in self.given.items()}


def answer(document, text, place):
    return {"text": text, "document_id": document, "start": place, "end": place + len(text)}


def pipeline(documents, *answers):
    return {"documents": documents, "answers": list(answers)}


TEXTS = ["in France", "Rome", "", "nine", "1.0"]
GOLDS = [["France"], ["Rome", "Roma"], [], ["ten"], ["1.0 m"]]
CASES = {
    case.metric: case
    for case in (
        Case(
            "answer_match", TEXTS, GOLDS, {"unit": "character"}, "f1",
            ("normaliser", "normalizer"), ({"normalizer": "sqad"}, "unknown normalizer 'sqad'"),
        ),
        Case(
            "retrieval_ranking",
            [["d3", "d1"], ["d5", "d2"], ["d9"], ["d1"]],
            [["d1", "d2"], ["d5"], ["d4"], ["d1", "d6"]],
            {"ap_denominator": "num_retrieved_relevant"}, "map",
            ("measure", "measures"), ({"ties": "random"}, "option ties='random' is unknown"),
        ),
        Case(
            "factoid_accuracy",
            [["cat", "Dog"], ["fox"], ["a", "b"], ["elk"]],
            [["dog", "canine"], ["vixen", "Fox!"], ["c"], [["elk"], ["moose"]]],
            {"normalizer": "squad"}, "lenient_accuracy",
            ("topk", "top_k"), ({"version": 4}, "option version=4 is unknown"),
        ),
        Case(
            "retriever_reader",
            [
                pipeline(["d2", "d1"], answer("d1", "nine", 4)),
                pipeline(["d3"], None),
                pipeline(["x"], answer("x", "y", 0)),
                pipeline(["d5"], answer("d5", "z", 7)),
            ],
            [
                pipeline(["d1"], answer("d1", "nine m", 4)),
                pipeline(["d3"]),
                pipeline(["d4"], answer("d4", "y", 0)),
                pipeline(["d5"], answer("d5", "z", 7)),
            ],
            {"denominator": "queries"}, "reader_top1_accuracy",
            ("denominators", "denominator"), ({"top_k": 0}, "top_k must be an integer of at least 1, got 0"),
        ),
        Case(
            "semantic_answer_similarity", TEXTS, GOLDS, {"raw": True}, "sas",
            ("modell", "model"), ({"batch_size": 0}, "batch_size must be an integer of at least 1, got 0"),
            {"model": "lite"},
        ),
        Case(
            "answer_equivalence", TEXTS, GOLDS, {"threshold": 0.001}, "accepted",
            ("treshold", "threshold"), ({"threshold": 2}, "threshold is a number from 0 to 1, got 2"),
        ),
        Case(
            "claim_support",
            [["support", "not_support"], ["partial_support"], ["support", None], ["not_support"]],
            [["vital", "okay"], ["okay"], ["vital", "vital"], ["vital"]],
            {"empty": "skip"}, "vital_score",
            ("unjudge", "unjudged"), ({"task": "claim"}, "option task='claim' is unknown"),
        ),
        Case(
            "label_metrics", ["cat", "dog", "dog", "cow"], ["cat", "cat", "dog", "fox"],
            {"labels": ["cat", "dog", "cow", "fox", "owl"]}, "macro_f1",
            ("zero_divisions", "zero_division"), ({"task": None}, "option task=None is unknown"),
        ),
        Case(
            "average_precision", [0.9, 0.6, 0.4, 0.5], [True, False, True, False],
            {"interpolation": "voc11"}, "average_precision",
            ("threshold", "thresholds"), ({"style": "coc"}, "option style='coc' is unknown"),
        ),
    )
}  # fmt: skip


@pytest.fixture(params=CASES)
def case(request) -> Case:
    return CASES[request.param]


def same(one, other) -> bool:
    """Whether two results are the same, NaN included."""
    return json.dumps(one) == json.dumps(other)


def script_of(case):
    (script,) = [
        member
        for _, member in inspect.getmembers(
            importlib.import_module(f"qassay.{case.metric}.{case.metric}"), inspect.isclass
        )
        if member.__module__.endswith(f"{case.metric}.{case.metric}")
    ]
    return script


def test_every_family_has_a_case():
    assert set(CASES) == set(FAMILIES)


# --- loading and help -------------------------------------------------------------------------------------------------


def test_all_ways_to_load_it_give_the_same(evaluate, case, monkeypatch):
    monkeypatch.chdir(ROOT)
    expected = case.score().summary()
    for metric in (
        evaluate.load(f"./metrics/{case.metric}", **case.options),
        case.load(),
        script_of(case)(**case.options),
    ):
        result = metric.compute(**case.given)
        assert result == expected and metric.name == case.metric
        assert {type(value) for value in result.values()} == {float, int}
        assert json.loads(json.dumps(result)) == result and not any(map(math.isnan, result.values()))


def test_columns_and_options_are_reported_by_signature_and_help(case):
    family, metric = FAMILIES[case.metric], case.load()
    function, options_class = family.load()
    columns = [name for name in inspect.signature(function).parameters if name != "options"]
    own = {field.name: field.default for field in dataclasses.fields(options_class) if field.init}
    shared = {
        name: column.default for name, column in inspect.signature(Scores.result).parameters.items() if name != "self"
    }
    for method in (metric.compute, metric._compute):
        parameters = inspect.signature(method).parameters
        assert list(parameters)[: len(columns)] == columns
        options = {name: parameters[name].default for name in list(parameters)[len(columns) :]}
        extras = {name: options[name] for name in type(metric).extras}
        given = case.options if method == metric.compute else {}  # at the load
        assert options == {**own, **extras, **shared, **given} and not any(extras.values())
    helped = metric.inputs_description.partition("Returns:")[0]
    told = {
        name for line in helped.splitlines() if line.startswith("    ") for name in line.partition(":")[0].split(", ")
    }
    assert [name for name in (*columns, *options) if not any(part.strip() == name for part in told)] == []
    for text in (metric.compute.__doc__, metric.add.__doc__, metric.add_batch.__doc__, type(metric).__doc__):
        assert text.endswith(metric.inputs_description)
    assert metric.description and metric.citation and metric.info.reference_urls


def test_features_match_the_columns(case):
    metric = case.load()
    layouts = metric.info.features if isinstance(metric.info.features, list) else [metric.info.features]
    assert {tuple(layout) for layout in layouts} == {("predictions", "references")}
    metric.add_batch(**case.given, ids=case.ids)
    shown = metric.features if isinstance(metric.features, list) else [metric.features]
    assert [list(layout) for layout in shown] == [["predictions", "references", "ids"]] * len(layouts)
    assert {layout["ids"].dtype for layout in shown} == {"null"}
    assert f"stored examples: {len(case.ids)}" in repr(metric)
    metric.compute()
    assert metric.features == metric.info.features


def card_of(case, start=None, end=None):
    """The card of a family, or a part of it."""
    card = (ROOT / "metrics" / case.metric / "README.md").read_text("utf-8")
    return card[card.index(start) if start else 0 : card.index(end) if end else None]


def test_the_card_names_every_column_option_and_measure(case):
    inputs = card_of(case, "### Inputs", "### Output Values")
    names = inspect.signature(case.load().compute).parameters
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
    for given in runpy.run_path(str(ROOT / "metrics" / case.metric / "tests.py"))["test_cases"]:
        expected = given.pop("result")
        result = script_of(case)().compute(**given)
        assert {name: result[name] for name in expected} == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_examples_of_script_and_card(evaluate, case, monkeypatch):
    monkeypatch.chdir(ROOT)
    failed, attempted = doctest.testmod(
        inspect.getmodule(type(evaluate.load(f"./metrics/{case.metric}", **case.options)))
    )
    assert failed == 0 and attempted >= 4
    failed, attempted = doctest.testfile(str(ROOT / "metrics" / case.metric / "README.md"), module_relative=False)
    assert failed == 0 and attempted >= 4


# --- options ----------------------------------------------------------------------------------------------------------


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


def test_wrong_options_are_refused_at_load_and_per_call(case):
    wrong, right = case.typo
    metric = case.load()
    with pytest.raises(
        TypeError, match=rf"does not take '{wrong}' here \(did you mean '{right}'\?\); columns: predictions, "
    ):
        case.load(**{wrong: 1})
    with pytest.raises(
        TypeError, match=rf"'{wrong}' here \(did you mean '{right}'\?\); .*options: .*per_example, level"
    ):
        metric.compute(**case.given, **{wrong: 1})
    options, message = case.bad
    for call in (lambda: case.load(**options), lambda: metric.compute(**case.given, **options)):
        with pytest.raises(ValueError, match=message):
            call()
    for call in (metric.add_batch, metric.add):
        with pytest.raises(TypeError, match="'per_example' here"):
            call(**case.given, per_example=True)
    with pytest.raises(TypeError, match="'ids' here"):
        case.load(ids=case.ids)
    with pytest.raises(TypeError, match="'prediction' here"):
        metric.compute(prediction=case.predictions, references=case.references)
    assert len(metric) == 0


def test_configs(case):
    configs = FAMILIES[case.metric].load()[1].configs
    for name in configs:
        assert qassay.load(case.metric, name, **case.options).config_name == name
    with pytest.raises(ValueError, match=f"{case.metric} has no config 'squad_v3'.*; it has: {', '.join(configs)}$"):
        qassay.load(case.metric, "squad_v3", **case.options)


def test_more_on_request(case):
    metric, scores = case.load(), case.score(ids=case.ids, weights=[2, *[1] * (len(case.ids) - 1)])
    more = {
        "per_example": True,
        "level": 0.9,
        "n_resamples": 50,
        "bootstrap_seed": 3,
        "signature": True,
        "counts": True,
    }
    result = metric.compute(**case.given, ids=case.ids, weights=scores.weights, **more)
    assert same(json.loads(json.dumps(result)), result)
    assert result["per_example"]["id"] == case.ids and result["per_example"]["weight"] == scores.weights.tolist()
    assert {name: result[name] for name in scores.summary()} == scores.summary()
    low, high = scores.interval(0.9, 50, 3)[case.key]
    assert (result[f"{case.key}_low"], result[f"{case.key}_high"]) == (low, high) and low <= result[case.key] <= high
    assert result["counts"] == scores.counts()
    drawn = metric.compute(**case.given, ids=case.ids, weights=scores.weights, **more, interval_method="percentile")
    expected = scores.interval(0.9, 50, 3, [case.key], "percentile")[case.key]
    assert (drawn[f"{case.key}_low"], drawn[f"{case.key}_high"]) == expected != (low, high)
    assert "interval_method: method of these intervals" in metric.inputs_description
    with pytest.raises(ValueError, match="interval_method='wald'"):
        metric.compute(**case.given, interval_method="wald")
    for text in (result["signature"], scores.options.signature(short=True)):
        options = qassay.from_signature(text).keywords()
        again = case.score(ids=case.ids, weights=scores.weights, **options)
        assert again == scores and again.signature() == result["signature"]
    for name in ("per_example", "signature", "counts"):
        with pytest.raises(ValueError, match=f"option {name}='yes' is unknown"):
            metric.compute(**case.given, **{name: "yes"})


# --- columns and batches ----------------------------------------------------------------------------------------------

COLUMNS = {
    "tuple": tuple,
    "iterator": iter,
    "generator": lambda values: (value for value in values),
    "values of a dict": lambda values: dict(enumerate(values)).values(),
    "series": lambda values: importlib.import_module("pandas").Series(values, index=range(9, 9 + len(values))),
    "Arrow": pa.array,
    "chunked": lambda values: pa.chunked_array([pa.array(values)[:1], pa.array(values)[1:]]),
    "data set": lambda values: importlib.import_module("datasets").Dataset.from_dict({"column": values})["column"],
}


@pytest.mark.parametrize("kind", COLUMNS)
def test_columns_of_libraries(case, kind):
    made, metric = COLUMNS[kind], case.load()
    references = case.references
    if case.metric == "factoid_accuracy":  # one name, or several names of several entities: Arrow has one type for all
        references = [[["dog", "canine"]], [["vixen", "Fox!"]], [["c"]], [["elk"], ["moose"]]]
    expected = metric.compute(predictions=case.predictions, references=references)
    assert (
        metric.compute(predictions=made(case.predictions), references=made(references), ids=made(case.ids)) == expected
    )
    metric.add_batch(predictions=made(case.predictions), references=made(references))
    assert metric.compute() == expected


@pytest.mark.parametrize("seed", range(2))
def test_batches_of_any_sizes_score_like_one_call(case, seed):
    chance, metric, count = random.Random(seed), case.load(), len(case.predictions)
    whole = metric.compute(**case.given, ids=case.ids, per_example=True)
    cuts = sorted(chance.choices(range(count + 1), k=2))
    for start, stop in zip([0, *cuts], [*cuts, count], strict=True):
        metric.add_batch(**case.part(range(start, stop)), ids=case.ids[start:stop])
    assert len(metric) == count
    assert same(metric.compute(per_example=True), whole) and len(metric) == 0
    for row in range(cuts[0]):
        metric.add(prediction=case.predictions[row], reference=case.references[row], ids=case.ids[row])
    rest = {**case.part(range(cuts[0], count)), "ids": case.ids[cuts[0] :]}
    assert same(metric.compute(**rest, per_example=True), whole) and len(metric) == 0


def test_dicts_by_id_are_matched_by_id(case):
    whole = case.load().compute(**case.given, ids=case.ids, per_example=True)
    references = dict(zip(case.ids, case.references, strict=True))
    predictions = dict(reversed(list(zip(case.ids, case.predictions, strict=True))))
    metric = case.load()
    assert same(metric.compute(predictions=predictions, references=references, per_example=True), whole)
    for ids in (case.ids[:1], case.ids[1:]):
        metric.add_batch(
            **{"predictions": {i: predictions[i] for i in ids}, "references": {i: references[i] for i in ids}}
        )
    assert same(metric.compute(per_example=True), whole)
    with pytest.raises(ValueError, match="references .*(no ids|plain list).*give .*both"):
        metric.compute(predictions=predictions, references=case.references)


def test_the_order_of_rows_does_not_matter(case):
    rows = list(reversed(range(len(case.predictions))))
    assert case.load().compute(**case.part(rows)) == pytest.approx(case.score().summary(), rel=1e-15)


def test_a_refused_batch_or_call_leaves_nothing_behind(case):
    metric, expected = case.load(), case.score().summary()
    one = case.part([0])
    metric.add_batch(**case.given)
    for bad, error, message in (
        (
            {"predictions": one["predictions"], "references": case.references},
            ValueError,
            "different lengths: predictions 1",
        ),
        ({"predictions": {"q": 1}, "references": one["references"]}, (TypeError, ValueError), "predictions"),
        (
            {"predictions": case.predictions[0:1] * 2, "references": one["references"] * 2, "ids": ["a"]},
            ValueError,
            "ids 1",
        ),
        (
            {**case.given, "weights": [1] * len(case.ids)},
            ValueError,
            "the rows added before have predictions, references",
        ),
        ({"references": case.references}, ValueError, r"predictions missing: \w+ needs predictions"),
        ({**case.given, "unknown": case.ids}, TypeError, "does not take 'unknown' here"),
        ({}, ValueError, "nothing to add: give predictions"),
    ):
        with pytest.raises(error, match=message):
            metric.add_batch(**bad)
        assert len(metric) == len(case.ids)
    with pytest.raises(TypeError, match="predictions is given twice"):
        metric.add(prediction=case.predictions[0], predictions=case.predictions[0], reference=case.references[0])
    assert metric.compute() == expected
    metric.add_batch(**one)
    with pytest.raises(ValueError, match=case.bad[1]):
        metric.compute(**case.bad[0])
    assert len(metric) == 0
    with pytest.raises(ValueError, match="nothing to compute: give predictions"):
        metric.compute()
    with pytest.raises(ValueError, match="empty"):
        metric.compute(predictions=[], references=[])
    assert metric.compute(**case.given) == expected


def test_columns_of_the_caller_are_unchanged(case):
    metric, given = case.load(), copy.deepcopy(case.given)
    metric.add_batch(**given)
    metric.add_batch(**given)
    metric.compute()
    metric.compute(**given)
    assert given == case.given


# --- copies, threads, processes, other metrics ------------------------------------------------------------------------


def test_pickle_and_copy_keep_options_and_rows(case):
    metric, expected = case.load(**case.changing), case.score(**case.changing).summary()
    metric.add_batch(**case.part([0, 1]))
    for twin in (pickle.loads(pickle.dumps(metric)), copy.deepcopy(metric)):
        assert twin.compute(**case.part(range(2, len(case.ids)))) == expected
        assert twin.compute(**case.given) == expected
    assert len(metric) == 2


def test_threads_share_one_metric(case):
    metric = case.load()
    parts = [case.part(rows) for rows in ([0], [1, 0], range(len(case.ids)))]
    expected = [case.load().compute(**part) for part in parts]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for _ in range(5):
            assert list(pool.map(lambda part: metric.compute(**part), parts * 4)) == expected * 4


@pytest.mark.parametrize("by_id", [False, True])
def test_rows_of_two_processes_meet(case, by_id, tmp_path):
    parts = [case.part([0]), case.part(range(1, len(case.ids)))]
    ids = [case.ids[:1], case.ids[1:]]
    if by_id:
        parts = [
            {name: dict(zip(own, column, strict=True)) for name, column in part.items()}
            for own, part in zip(ids, parts, strict=True)
        ]
    else:
        parts = [
            {**part, "groups": groups} for part, groups in zip(parts, (["a"], ["a", *["b"] * (len(case.ids) - 2)]))
        ]
    expected = case.score(**({} if by_id else {"groups": [label for part in parts for label in part["groups"]]}))
    metrics = [case.load(num_process=2, process_id=rank, cache_dir=str(tmp_path)) for rank in (0, 1)]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:  # threads simulate processes
        runs = [pool.submit(metric.compute, **part, level=0.9) for metric, part in zip(metrics, parts, strict=True)]
        assert runs[1].result() is None
    assert runs[0].result() == expected.result(level=0.9)
    assert not list(tmp_path.rglob("*.arrow"))


def test_one_process_writes_nothing(case, tmp_path):
    metric = case.load(cache_dir=str(tmp_path / "cache"))
    metric.add_batch(**case.given)
    metric.compute()
    assert not (tmp_path / "cache").exists()


def test_combine_and_save(evaluate, case, tmp_path):
    both = evaluate.combine([case.load(), case.load(**case.changing)])
    first, second = case.score().summary()[case.key], case.score(**case.changing).summary()[case.key]
    expected = {f"{case.metric}_0_{case.key}": first, f"{case.metric}_1_{case.key}": second}
    result = both.compute(**case.given)
    assert {name: result[name] for name in expected} == expected
    both.add_batch(**case.part([0]))
    assert both.compute(**case.part(range(1, len(case.ids)))) == result
    found = case.load().compute(**case.given, level=0.9, n_resamples=50, per_example=True, signature=True)
    saved = json.loads(evaluate.save(tmp_path / "result.json", **found, experiment="a run").read_text("utf-8"))
    assert same({name: saved[name] for name in found}, found)


@pytest.mark.parametrize(
    ("name", "config", "decided"),
    [
        ("answer_match", "squad", {"empty_gold": "keep", "empty_f1": 0.0}),
        ("answer_match", "squad_v2", {"no_answer_threshold": 1.0}),
        ("retrieval_ranking", "nlpcc", {"preset": "nlpcc"}),
    ],
)
def test_the_signature_shows_the_defaults_that_count(name, config, decided):
    metric = qassay.load(name, config, missing="skip")
    shown = {key: parameter.default for key, parameter in inspect.signature(metric.compute).parameters.items()}
    plain = {
        key: parameter.default for key, parameter in inspect.signature(qassay.load(name).compute).parameters.items()
    }
    assert shown == plain | decided | {"missing": "skip"}
    assert metric.compute.__doc__.count("Args:") == metric.add_batch.__doc__.count("Args:") == 1
