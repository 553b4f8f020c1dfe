"""What Python shows of scores of every family: a value by name, tables of notebooks, charts, reports of comparisons."""

import xml.etree.ElementTree as ET

import pytest

import qassay

from .families import CASES, few_cases, smallest_row


def test_a_measure_by_name():
    scores = CASES["answers"].score(wrong=[0])
    assert {name: scores[name] for name in scores.measures} == scores.summary(scores.measures)
    assert all(name in scores for name in scores.measures) and "nothing" not in scores and 0 not in scores
    with pytest.raises(KeyError, match="no measure 'nothing'.*available: "):
        scores["nothing"]
    with pytest.raises(KeyError):
        scores[0]
    assert dict(scores) == scores.summary(scores.measures) and list(scores) == list(scores.measures)
    name, *_ = scores.measures
    assert scores[name.upper()] == scores[name]


@few_cases
def test_only_some_measures(case):
    scores = case.score(wrong=[0])
    names = list(scores.measures)[1::-1]
    few = scores.only(names)
    assert list(few) == names and dict(few) == {name: scores[name] for name in names}
    assert names[0] in str(few) and few.counts() == {name: scores.counts()[name] for name in names}
    with pytest.raises(ValueError, match="no measure 'nothing'"):
        scores.only(["nothing"])


@pytest.mark.parametrize("name", qassay.list_metrics())
def test_every_score_takes_measures(name):
    prediction, reference, options = smallest_row(name)
    every = qassay.score(name, [prediction] * 2, [reference] * 2, **options)
    first = next(measure for measure in every if measure not in every.notes)
    few = qassay.score(name, [prediction] * 2, [reference] * 2, measures=[first], **options)
    assert few[first] == every[first] and next(iter(few)) == first


@few_cases
def test_scores_and_comparisons_show_themselves(case, tmp_path):
    scores = case.score(wrong=[0])
    table, plot = scores._repr_html_(), scores.plot()
    ET.fromstring(table)
    assert scores.options.family in table and "<script" not in table and len(repr(scores)) < 1000
    assert ET.fromstring(plot._repr_svg_()).tag.endswith("svg")
    with pytest.raises(ValueError, match="kind=nothing.*'values'"):
        scores.plot("nothing")
    comparison = qassay.compare({"a": scores, "b": scores}, n_resamples=10, n_permutations=10)
    comparison.report(tmp_path / "c.md")
    assert scores.signature() in (tmp_path / "c.md").read_text("utf-8")
    ET.fromstring(comparison._repr_html_())
    assert repr(comparison).startswith(f"<Comparison of a, b on {len(scores)} examples: ")
