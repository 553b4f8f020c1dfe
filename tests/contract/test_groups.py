"""What holds for groups of examples in every family: how they come in, what carries them, and what intervals make of them."""

import math
import pickle

import numpy as np
import pytest

import qassay
from qassay.cluster import PartialSums
from qassay.core.bootstrap import units_of
from qassay.core.intervals import values_without
from qassay.core.measures import SumMeasure
from qassay.core.scores import Scores

from .test_module import CASES as MODULES
from .test_module import same
from .test_scores_of_families import CASES, CLASSES, every_case

every_module = pytest.mark.parametrize("module", MODULES.values(), ids=MODULES)


def twice(case) -> tuple[Scores, list[str]]:
    """Scores of the rows of a case twice, the second time wrong, and a group for both copies of each row."""
    n = len(case.rows)
    labels = [f"g{row % n}" for row in range(2 * n)]
    return case.score(rows=[*range(n)] * 2, wrong=range(n, 2 * n), groups=labels), labels


# --- intervals --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["auto", "percentile"])
@every_case
def test_groups_of_one_example_change_no_interval(case, method):
    whole = case.score()
    single = case.score(groups=[f"g{row}" for row in reversed(range(len(case.rows)))])
    found, plain = (scores.interval(n_resamples=20, method=method) for scores in (single, whole))
    assert found == plain and [ends.method for ends in found.values()] == [ends.method for ends in plain.values()]
    assert single.summary() == whole.summary() and single.groups.are_single


@pytest.mark.parametrize("method", ["auto", "percentile"])
@every_case
def test_the_order_of_rows_and_the_names_of_groups_do_not_matter(case, method):
    scores, labels = twice(case)
    found = scores.interval(n_resamples=20, method=method)
    order = np.random.default_rng(len(labels)).permutation(len(labels))
    assert scores.take(order).interval(n_resamples=20, method=method) == found
    names = {label: f"a much longer name, {label}" for label in labels}  # in the same order, so that draws are the same
    assert scores.with_groups([names[label] for label in labels]).interval(n_resamples=20, method=method) == found


@every_case
def test_names_in_another_order_change_draws_only(case):
    scores, labels = twice(case)
    turned = scores.with_groups([f"g{99 - int(label[1:])}" for label in labels])
    measures = {name: measure for name, measure in scores.measures.items() if measure.has_interval}
    found, other = (one.interval(n_resamples=5) for one in (scores, turned))
    for name in values_without(
        measures, units_of(scores.rows, scores.groups, measures.values())
    ):  # which are not drawn
        assert other[name] == pytest.approx(found[name], abs=1e-12), name


@every_case
def test_two_copies_of_each_example_in_its_group_say_as_much_as_one(case):
    half = case.score(wrong=[0])
    both = case.score(rows=[*range(len(half))] * 2, wrong=[0, len(half)], groups=[*range(len(half))] * 2)
    measures = {name: measure for name, measure in half.measures.items() if measure.has_interval}
    ones, copies = (
        values_without(measures, units_of(scores.rows, scores.groups, measures.values())) for scores in (half, both)
    )
    assert ones.keys() == copies.keys()
    counts = units_of(half.rows, None, measures.values()).counts
    for name, values in ones.items():
        repeated = np.repeat(np.ravel(values), counts)
        assert np.sort(np.ravel(copies[name])) == pytest.approx(np.sort(repeated), abs=1e-12, nan_ok=True), name


@pytest.mark.parametrize("grouping", ["none", "pairs", "single"])
@every_case
def test_intervals_of_sums_match_scores(case, grouping):
    scores, labels = twice(case)
    n = len(scores)
    scores = scores.with_groups({"none": None, "pairs": labels, "single": [*range(n)]}[grouping])
    names = [name for name, m in scores.measures.items() if m.has_interval and isinstance(m, SumMeasure)]
    sums = [PartialSums.of(scores.take(rows), names) for rows in np.array_split(np.arange(n)[::-1], 3)]
    whole = PartialSums.concat(sums)
    assert len(whole.buckets) == (n if grouping != "pairs" else len(set(labels)))  # each has a bucket of its own
    found, expected = whole.interval(), scores.interval(names=names)
    assert found == PartialSums.of(scores, names).interval()
    for name, interval in found.items():
        assert interval == pytest.approx(expected[name], abs=1e-12, nan_ok=True), name
        assert (interval.method, interval.rarest) == (expected[name].method, expected[name].rarest), name
        assert interval.rests_on_few == expected[name].rests_on_few, name
    counted = {"none": {}, "pairs": len(set(labels)), "single": n}[grouping]
    assert whole.group_counts().get("total", counted) == counted


# --- objects with groups ----------------------------------------------------------------------------------------------


@every_case
def test_slices_parts_and_copies_carry_groups(case):
    scores, labels = twice(case)
    n = len(scores)
    assert scores.groups.listed() == labels
    assert scores.take([n - 1, 0]).groups.listed() == [labels[n - 1], labels[0]]
    assert scores.subset(np.arange(n) < 2).groups.listed() == labels[:2]
    assert {value: part.groups.labels for value, part in scores.by(labels).items()} == {g: (g,) for g in labels}
    parts = [scores.take(range(1)), scores.take(range(1, n))]
    assert parts[0].groups.labels == (labels[0],) and Scores.concat(parts).groups == scores.groups
    assert Scores.concat(parts) == scores == Scores.concat(parts[::-1])
    assert scores != scores.with_groups(None) and scores != scores.with_groups([*labels[1:], labels[0]])
    copy = pickle.loads(pickle.dumps(scores))
    assert copy == scores and copy.interval(n_resamples=5) == scores.interval(n_resamples=5)
    assert scores.per_example()["group"] == labels and scores.to_pandas()["group"].tolist() == labels
    assert scores.to_arrow()["group"].to_pylist() == labels
    with pytest.raises(ValueError, match="part 1 has no groups, but the first has; give groups to all or to none"):
        Scores.concat([parts[0], parts[1].with_groups(None)])


# --- forms of groups --------------------------------------------------------------------------------------------------


@every_case
def test_groups_by_id_match_a_column(case):
    n = len(case.rows)
    rows, labels = [*range(n)] * 2, [7, 7, *range(2 * n - 2)]
    listed = case.score(rows=rows, groups=labels)
    by_id = {f"q{row}": label for row, label in enumerate(labels)}
    assert case.score(rows=rows, groups={**dict(reversed(by_id.items())), "other": 1}) == listed
    assert case.score(rows=rows, groups=np.array(labels)) == listed.with_groups(list(map(str, labels))) == listed
    with pytest.raises(
        ValueError, match=r"groups has no value for the id 'q1' \(1 in all\); give one for every example"
    ):
        case.score(rows=rows, groups={name: label for name, label in by_id.items() if name != "q1"})


@every_case
def test_labels_that_make_no_groups_are_refused(case):
    n = len(case.rows)
    labels = [f"g{row}" for row in range(n)]
    for wrong, error, told in (
        (
            [*labels[1:], None],
            ValueError,
            rf"groups\[{n - 1}\] \(id 'q{n - 1}'\) is empty \(None\); give every example",
        ),
        ([math.nan, *labels[1:]], ValueError, r"groups\[0\] \(id 'q0'\) is empty \(nan\)"),
        (["", *labels[1:]], ValueError, r"groups\[0\] \(id 'q0'\) is empty \(''\)"),
        (np.array([*labels[1:], ""]), ValueError, rf"groups\[{n - 1}\] \(id 'q{n - 1}'\) is empty \(''\)"),
        ([labels[0], ["a"], *labels[2:]], TypeError, r"groups\[1\] \(id 'q1'\) must be a string or a number, got list"),
        ([math.inf, *labels[1:]], TypeError, r"groups\[0\] \(id 'q0'\) must be a string or a number"),
        ([10**5000, *labels[1:]], ValueError, r"groups\[0\] \(id 'q0'\) has too many digits"),
        (labels[1:], ValueError, f"columns have different lengths: references {n}, groups {n - 1}"),
        ([*labels, "g"], ValueError, f"columns have different lengths: references {n}, groups {n + 1}"),
        ("abcdefgh"[:n], TypeError, "groups must be a column with one item per example"),
        (["a"] * n, ValueError, f"all {n} examples are in one group, 'a': how groups differ cannot be estimated"),
    ):
        with pytest.raises(error, match=told) as caught:
            case.score(groups=wrong)
        assert caught.value.column in ("groups", None)


@pytest.mark.parametrize("name", ["answers", "drop", "similarity", "equivalence", "rankings", "factoids", "pipelines"])
def test_groups_of_rows_that_are_omitted_are_gone(name):
    case = CASES[name]
    rows, labels = [0, 1, 0, 1], {"q0": "a", "q1": "b", "q2": "c", "q3": "b"}
    references = {f"q{place}": case.rows[row][2] for place, row in enumerate(rows)}
    predictions = {f"q{place}": case.rows[row][0] for place, row in enumerate(rows) if place != 2}
    options = {**case.options, "missing": "skip"}
    for groups in (labels, list(labels.values())):
        scores = qassay.score(case.metric, predictions, references, groups=groups, **options)
        assert list(scores.ids) == ["q0", "q1", "q3"] and scores.groups.listed() == ["a", "b", "b"]
        assert scores.groups.labels == ("a", "b")
    del predictions["q0"]
    with pytest.raises(ValueError, match="all 2 examples are in one group, 'b'"):
        qassay.score(case.metric, predictions, references, groups=labels, **options)


@pytest.mark.parametrize("keep, labels", [("first", ["a", "b"]), ("last", ["b", "c"])])
@pytest.mark.parametrize(
    "metric", ["answer_match", "semantic_answer_similarity", "answer_equivalence", "retriever_reader"]
)
def test_groups_of_duplicates_match_the_row_that_counts(metric, keep, labels):
    case = next(case for case in CASES.values() if case.metric == metric)
    rows = [case.rows[0], case.rows[1], case.rows[0]]
    columns = {"predictions": [row[0] for row in rows], "references": [row[2] for row in rows], "ids": [1, 2, 1]}
    scores = qassay.score(metric, **columns, groups=["a", "b", "c"], duplicates=keep, **case.options)
    assert scores.groups.listed() == labels


# --- streams ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CASES)
def test_a_stream_joins_the_groups_of_its_batches(name):
    case, classes = CASES[name], {"labels": CLASSES[name]} if name in CLASSES else {}
    n, stream = len(case.rows), qassay.stream(case.metric, **case.options, **classes)
    labels = ["a", *["b"] * (n - 1)]
    for place, label in enumerate(labels):
        if place:
            with pytest.raises(ValueError, match="batch 2 has no groups, but the first has; give groups to all"):
                stream.add(
                    predictions={f"q{place}": case.rows[place][0]}, references={f"q{place}": case.rows[place][2]}
                )
        else:
            with pytest.raises(ValueError, match="nothing was added"):
                stream.scores()
        stream.add(
            predictions={f"q{place}": case.rows[place][0]},
            references={f"q{place}": case.rows[place][2]},
            groups=[label],
        )
        if place:
            break
        assert stream.scores().groups.labels == ("a",)
    assert stream.scores() == case.score(rows=[0, 1], groups=labels[:2], **classes)


def test_a_stream_of_one_group_is_refused_when_it_is_asked():
    stream = qassay.stream("answer_match", missing="skip")
    for _ in range(2):
        stream.add(predictions=["a", None], references=[["a"], ["b"]], groups=["x", "y"])
    stream.add(predictions=[None], references=[["b"]], groups=["y"])  # all are omitted
    with pytest.raises(ValueError, match="all 2 examples are in one group, 'x'"):
        stream.interval()
    stream.add(predictions=["b"], references=[["b"]], groups=["y"])
    assert stream.scores().groups.listed() == ["x", "x", "y"] and stream.summary()["skipped"] == 3
    stream.add(predictions=["b"], references=[["b"]], groups=["z"], weights=[0])
    assert stream.scores().groups.listed() == ["x", "x", "y", "z"]


# --- the evaluate module ----------------------------------------------------------------------------------------------


@every_module
def test_the_module_takes_a_column_of_groups(module):
    metric, n = module.load(), len(module.ids)
    labels = ["a", "a", *["b"] * (n - 2)]
    scores = module.score(groups=labels)
    given = {"ids": module.ids, "groups": labels}
    found = metric.compute(**module.given, **given, level=0.9, per_example=True)
    assert found["per_example"]["group"] == labels
    low, high = scores.interval(0.9)[module.key]
    assert (found[f"{module.key}_low"], found[f"{module.key}_high"]) == (low, high)
    assert (low, high) != module.score().interval(0.9)[module.key]
    for rows in ([0], range(1, n)):
        metric.add_batch(**module.part(rows), **{name: [column[row] for row in rows] for name, column in given.items()})
    assert same(metric.compute(level=0.9, per_example=True), found)
    metric.add(prediction=module.predictions[0], reference=module.references[0], groups="a")
    with pytest.raises(ValueError, match="this batch has the columns predictions, references; the rows added before"):
        metric.add_batch(**module.given)
    assert metric.compute()["total"] == 1
    for wrong, told in ((["a"] * n, "in one group, 'a'"), (labels[1:], "different lengths"), ([None] * n, "is empty")):
        with pytest.raises(ValueError, match=told):
            metric.compute(**module.given, groups=wrong)
        if told == "different lengths":
            with pytest.raises(ValueError, match=told):
                metric.add_batch(**module.given, groups=wrong)
    assert len(metric) == 0


@every_module
def test_metrics_that_are_combined_share_groups(evaluate, module):
    both = evaluate.combine([module.load(), module.load(**module.changing)])
    labels = ["a", "a", *["b"] * (len(module.ids) - 2)]
    found = both.compute(**module.given, groups=labels, level=0.9)
    for place, options in enumerate(({}, module.changing)):
        expected = module.score(groups=labels, **options).result(level=0.9)
        assert {name: found[f"{module.metric}_{place}_{name}"] for name in expected} == expected


# --- bounds of measures -----------------------------------------------------------------------------------------------


def bounded(scores: Scores) -> None:
    for name, measure in scores.measures.items():
        low, high = measure.bounds or (-math.inf, math.inf)
        values = measure.by_example(scores.rows)
        values = np.array([]) if values is None else values[~np.isnan(values)]
        for value in (scores[name], *values.tolist()):
            assert low - 1e-12 <= value <= high + 1e-12, (name, value)
        if measure.has_interval:
            ends = scores.interval(names=[name], n_resamples=10)[name]
            assert math.isnan(ends.low) or low - 1e-12 <= ends.low <= scores[name] + 1e-12, name
            assert math.isnan(ends.high) or scores[name] - 1e-12 <= ends.high <= high + 1e-12, name


@every_case
def test_values_lie_within_the_bounds_of_their_measure(case):
    n = len(case.rows)
    for wrong in ([], [0], range(n)):
        bounded(case.score(wrong=wrong))
        bounded(case.score(wrong=wrong, weights=[2, *[0.5] * (n - 1)]))


@pytest.mark.parametrize("config", ["squad", "squad_v2"])
def test_bounds_of_configs_have_their_scale(config):
    options = qassay.registry.get_family("answer_match").load()[1].of_config(config, {})
    rows = [{"id": "a", "prediction_text": "Rome", "no_answer_probability": 0.5}]
    rows.append({"id": "b", "prediction_text": "in Bern", "no_answer_probability": 0.1})
    rows = rows if config == "squad_v2" else [{k: row[k] for k in ("id", "prediction_text")} for row in rows]
    gold = [
        {"id": row["id"], "answers": {"text": [text], "answer_start": [0]}} for row, text in zip(rows, ["Rome", "Bern"])
    ]
    scores = qassay.registry.get_family("answer_match").score_config(
        config, {"predictions": rows, "references": gold}, {}
    )
    assert scores.options == options and scores.measures["f1"].bounds == (0.0, 100.0)
    bounded(scores)


def test_bounds_of_all_measures_of_rankings():
    chance = np.random.default_rng(0)
    run = {f"q{q}": {f"d{d}": float(chance.integers(5)) for d in range(12)} for q in range(6)}
    qrels = {q: {d: int(chance.integers(-1, 3)) for d in docs} for q, docs in run.items()}
    names = [
        "dcg", "dcg@3", "ndcg@3", "ndcg(gain=exp2)", "err(max=2)@5", "rbp", "rbp_resid", "infap", "bpref", "gm_map", "gm_bpref",
        "utility", "map(denominator=fixed:2)", "map(denominator=fixed:2)@2", "map(denominator=fixed:2)@3", "map(denominator=min_mn)",
        "gm_map(denominator=fixed:1)", "rprec(mult=2)", "relative_p@3", "11pt_avg", "set_f", "set_map", "set_relative_p",
        "judged@3", "unjudged@3", "yaap", "ideal_dcg", "official", "all_trec",
    ]  # fmt: skip
    scores = qassay.score("retrieval_ranking", run, qrels, measures=names)
    bounded(scores)
    bounded(qassay.score("retrieval_ranking", run, qrels, measures=names[:6], ties="expected"))
    ends = {name: scores.measures[name].bounds for name in names[:-2]}
    above = {
        "dcg",
        "dcg@3",
        "ideal_dcg",
        "map(denominator=fixed:2)",
        "map(denominator=fixed:2)@3",
        "gm_map(denominator=fixed:1)",
    }
    assert {name for name, both in ends.items() if both == (0.0, math.inf)} == above
    assert {name for name, both in ends.items() if both is None} == {"utility", "yaap"}
    assert scores["map(denominator=fixed:2)"] > 1


def test_a_value_beyond_the_usual_bounds_has_an_interval_around_it():
    """BioASQ's program divides the precisions of any number of documents by ten."""
    documents = [f"d{row}" for row in range(30)]
    scores = qassay.score("factoid_accuracy", [documents, documents], [documents, documents[:20]], phase="A", version=5)
    low, high = scores.interval()["map"]
    assert scores["map"] == 2.5 and low < 2.5 < high
    assert scores.measures["gmap"].bounds == (1e-5, 1 + 1e-5)


def test_the_help_of_groups_names_every_family():
    told = " ".join(repr(qassay.explain("groups")).split())
    assert [name for name in MODULES if f"groups: a column of {name}: " not in told] == []
    assert told.count("intervals draw whole groups") == len(MODULES)
