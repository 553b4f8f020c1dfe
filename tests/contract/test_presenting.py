"""What Python shows of scores of every family: a value by name, reports in files, tables of notebooks, charts."""

import json
import xml.etree.ElementTree as ET

import pytest

import qassay
from qassay.registry import FAMILIES, family_of

from .families import CASES


@pytest.fixture(params=CASES)
def scores(request):
    return CASES[request.param].score(wrong=[0])


def test_a_measure_by_name(scores):
    assert {name: scores[name] for name in scores.measures} == scores.summary(scores.measures)
    assert all(name in scores for name in scores.measures) and "nothing" not in scores and 0 not in scores
    with pytest.raises(KeyError, match="no measure 'nothing'.*available: "):
        scores["nothing"]
    with pytest.raises(KeyError):
        scores[0]
    with pytest.raises(TypeError, match="not iterable"):
        iter(scores)


def test_reports_have_the_values(scores, tmp_path):
    shown = list(family_of(scores).telling.usual_measures(scores))
    for ending in ("html", "md", "json"):
        scores.report(tmp_path / f"r.{ending}", n_resamples=10)
    assert scores.signature() in (tmp_path / "r.md").read_text("utf-8")
    (cells,) = json.loads((tmp_path / "r.json").read_text("utf-8"))["systems"].values()
    assert list(cells["values"]) == shown
    values = {name: value for name, value in cells["values"].items() if value is not None}
    assert values == {name: scores[name] for name in values}


def test_a_notebook_shows_a_table_and_a_chart(scores):
    table = scores._repr_html_()
    ET.fromstring(table)
    assert scores.options.family in table and "<script" not in table and len(repr(scores)) < 1000
    with pytest.raises(ValueError, match="kind='nothing'.*'values', 'examples'"):
        scores.plot("nothing")
    plot = scores.plot()
    assert ET.fromstring(plot._repr_svg_()).tag.endswith("svg") and ET.fromstring(plot._repr_html_()).tag == "div"


def test_a_comparison_shows_itself(scores, tmp_path):
    comparison = qassay.compare({"a": scores, "b": scores}, n_resamples=10, n_permutations=10)
    comparison.report(tmp_path / "c.md")
    text = (tmp_path / "c.md").read_text("utf-8")
    of_labels = FAMILIES[scores.options.family].telling.answers_are == ("labels",) and scores.options.task != "ranked"
    assert ("examples to read are omitted" in text) != of_labels
    ET.fromstring(comparison._repr_html_())
    assert repr(comparison).startswith(f"<Comparison of a, b on {len(scores)} examples: ")
