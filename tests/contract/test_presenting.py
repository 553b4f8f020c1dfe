"""What Python shows of scores of every family: a value by name, reports in files, tables of notebooks, charts."""

import json
import xml.etree.ElementTree as ET

import pytest

import qassay
from qassay.registry import FAMILIES

INPUTS = [(name, *inputs) for name, family in FAMILIES.items() for inputs in family.smallest]


@pytest.fixture(params=INPUTS, ids=lambda case: "-".join([case[0], *map(str, case[2].values())])[:60])
def scores(request):
    name, columns, options = request.param
    return qassay.score(name, **columns, **options)


def test_a_measure_by_name(scores):
    assert {name: scores[name] for name in scores.measures} == scores.summary(scores.measures)
    assert all(name in scores for name in scores.measures) and "nothing" not in scores and 0 not in scores
    with pytest.raises(KeyError, match="no measure 'nothing'.*available: "):
        scores["nothing"]
    with pytest.raises(KeyError):
        scores[0]
    with pytest.raises(TypeError, match="not iterable"):
        iter(scores)


def test_a_report_in_every_form_has_the_values(scores, tmp_path):
    shown = list(qassay.registry.family_of(scores).telling.usual_measures(scores))
    for ending in ("html", "md", "tex", "csv", "json"):
        scores.report(tmp_path / f"r.{ending}", n_resamples=20)
        text = (tmp_path / f"r.{ending}").read_text("utf-8")
        assert scores.signature() in text or ending in ("csv", "tex", "html")
    (cells,) = json.loads((tmp_path / "r.json").read_text("utf-8"))["systems"].values()
    assert list(cells["values"]) == shown
    assert {name: value for name, value in cells["values"].items() if value is not None} == {
        name: value for name, value in scores.summary(shown).items() if cells["values"][name] is not None
    }
    qassay.report({"one": scores, "two": scores}, tmp_path / "two.csv", level=None)
    assert {line.split(",")[0] for line in (tmp_path / "two.csv").read_text().splitlines()[1:]} == {"one", "two"}


def test_a_notebook_shows_a_table_and_a_chart(scores):
    table = scores._repr_html_()
    ET.fromstring(table)
    assert scores.signature().split("|")[0] in table and "<script" not in table and len(repr(scores)) < 1000
    with pytest.raises(ValueError, match="option kind='nothing' is unknown; it is one of: 'values', 'examples'"):
        scores.plot("nothing")
    plot = scores.plot()
    assert ET.fromstring(plot._repr_svg_()).tag.endswith("svg") and ET.fromstring(plot._repr_html_()).tag == "div"


def test_a_comparison_shows_itself(scores, tmp_path):
    try:
        comparison = qassay.compare({"a": scores, "b": scores}, n_resamples=20)
    except ValueError:
        pytest.skip("a single example of this task cannot be compared")
    comparison.report(tmp_path / "c.md")
    text = (tmp_path / "c.md").read_text("utf-8")
    of_labels = FAMILIES[scores.options.family].telling.answers_are == ("labels",) and scores.options.task != "ranked"
    assert ("examples to read are omitted" in text) != of_labels
    ET.fromstring(comparison._repr_html_())
    assert repr(comparison).startswith(f"<Comparison of a, b on {len(scores)} examples: ")
