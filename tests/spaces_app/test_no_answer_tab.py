"""The components of the tab No answer: a value for each, whatever was scored."""

import pytest

from qassay.spaces_app.inputs import sample_analysis
from qassay.spaces_app.samples import SAMPLES


@pytest.fixture(scope="module")
def tab(build_tab):
    from qassay.spaces_app.no_answer_tab import build_no_answer_tab

    built = build_tab(build_no_answer_tab)
    assert len(built.demo.fns) == 2
    return built.tab


@pytest.mark.parametrize("name", [None, *SAMPLES])
def test_every_output_has_a_value(tab, name):
    head, controls, which, slider, table, curves = tab.refresh(name and sample_analysis(name))
    assert head.startswith('<div class="qassay">') and which == "as scored"
    assert controls.visible is (name == "answers")
    assert bool(table) is (name in ("answers", "runs")) and bool(curves) is (name == "answers")
    if name == "answers":
        assert (slider.minimum, slider.maximum, slider.value) == (0.0, 1.0, 0.5)


def test_the_table_follows_the_choice(tab):
    assert [component.elem_id for component in tab.outputs[2:4]] == ["no-answer-which", "no-answer-threshold"]
    choices = {value for _, value in tab.outputs[2].choices}
    assert choices == {"as scored", "best F1", "own"}
