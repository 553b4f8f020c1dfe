"""Charts in notebooks and files: every kind, its numbers in words, and hostile texts."""

import random
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import qassay
from qassay.core.measure_titles import measure_title
from qassay.results.plots import Bar, bar_chart, curve_chart

RANDOM = random.Random(0)
GOLD = {f"q{row}": ["a"] if row % 3 else [] for row in range(60)}
ANSWERS = {key: RANDOM.choice(["a", ""]) for key in GOLD}
UNSURE = {key: RANDOM.random() for key in GOLD}


def words(plot):
    root = ET.fromstring(plot._repr_svg_())
    assert not {element.tag.rpartition("}")[2] for element in root.iter()} & {"script", "image", "a", "foreignObject"}
    return root.get("aria-label")


def scores_with(kind):
    if kind in ("threshold", "reliability"):
        return qassay.score("answer_match", ANSWERS, GOLD, no_answer_probabilities=UNSURE)
    if kind in ("first_rank", "over_k"):
        run = {f"q{row}": {f"d{rank}": -float(rank) for rank in range(9)} for row in range(4)}
        qrels = {"q0": {"d0": 1}, "q1": {"d1": 1}, "q2": {"d4": 1}, "q3": {"x": 1}}
        return qassay.score("retrieval_ranking", run, qrels, measures=("mrr", "recall@1", "recall@5"))
    if kind == "precision_recall":
        return qassay.score("average_precision", [{"a": 0.9, "b": 0.1}, {"a": 0.2, "b": 0.3}], ["a", "b"])
    return qassay.score("label_metrics", list("aabc"), list("abbc"))


@pytest.mark.parametrize("kind", ["threshold", "reliability", "first_rank", "over_k", "precision_recall", "classes"])
def test_a_chart_of_every_curve(kind):
    scores = scores_with(kind)
    assert words(scores.plot(kind)) and words(scores.plot()).startswith("Values with 95 % intervals")
    if kind == "first_rank":
        assert "1: 1; 2: 1; 3: 0; 4-5: 1; not found: 1" in words(scores.plot(kind))
    if kind == "threshold":
        assert measure_title("f1", {}) in words(scores.plot(kind, "f1"))
    if kind == "precision_recall":
        assert " of b" in words(scores.plot(kind, label="b"))
        with pytest.raises(ValueError, match="'c'"):
            scores.plot(kind, label="c")


def test_a_chart_says_how_many_bars_it_leaves_out():
    labels = [f"c{row}" for row in range(45)]
    assert words(qassay.score("label_metrics", labels, labels).plot("classes")).endswith("; and 5 more")


def test_hostile_texts_and_missing_numbers(tmp_path):
    attack = '</svg><script>alert(1)</script>\x00\ud800"'
    charts = [
        bar_chart(attack, [Bar(attack, 0.5, 0.4, 0.6), Bar("b", np.nan), Bar("c", -0.1)], str),
        *(
            curve_chart({"draw": draw, "title": attack, "x": [1, 2, 3], "y": [0.1, None, 0.3], "x_title": attack,
                         "y_title": attack, "x_range": None, "y_range": None, "mark": {"x": 1, "y": 0.2, "title": attack}})
            for draw in ("line", "steps", "points", "bars")
        ),
    ]  # fmt: skip
    for chart in charts:
        assert "alert" in ET.fromstring(chart).get("aria-label") and "nan" not in chart
        chart.encode()
    for nothing in ([], [Bar("a", np.nan)]):
        with pytest.raises(ValueError, match="only rates"):
            bar_chart("t", nothing, str)


def test_a_chart_is_saved_as_svg(tmp_path):
    plot = qassay.score("answer_match", ["a"], [["a"]]).plot()
    plot.save(tmp_path / "x.svg")
    assert ET.parse(tmp_path / "x.svg").getroot().tag.endswith("svg")
    with pytest.raises(ValueError, match=r"\.svg"):
        plot.save(tmp_path / "x.png")
