"""The events of the tab Report, called as the page calls them."""

import os
from pathlib import Path

import pytest

from qassay.spaces_app.analysis import analyze
from qassay.spaces_app.compare_view import CompareChoices
from qassay.spaces_app.inputs import sample_inputs
from qassay.spaces_app.report_view import FILES, make_file


@pytest.fixture(scope="module", autouse=True)
def gradio_parts():
    """Imported by the tests and not before: Gradio takes seconds."""
    global gr, get_upload_folder, build_report_tab, known_files, write_report_files
    gr = pytest.importorskip("gradio", reason='gradio is not installed; run pip install -e ".[test]"')
    from gradio.utils import get_upload_folder

    from qassay.spaces_app.report_tab import build_report_tab, known_files, write_report_files


CHOSEN = CompareChoices(test="t", measures="main")


@pytest.fixture
def built(tmp_path, monkeypatch):
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path / "files"))
    with gr.Blocks(analytics_enabled=False) as demo:
        state = gr.State(None)
        with gr.Tabs(), gr.Tab("Report"):
            tab = build_report_tab(state, gr.State(CompareChoices()))
    return demo, tab, {fn.name: fn.fn for fn in demo.fns.values()}


@pytest.fixture
def analysis():
    return analyze(sample_inputs("labels"))


def test_refresh_gives_a_value_for_each_output(built, analysis):
    _, tab, _ = built
    for one in (None, analysis, analyze(sample_inputs("curves"))):
        assert len(tab.refresh(one)) == len(tab.outputs)
    assert tab.refresh(None)[0].visible and not tab.refresh(None)[1].visible
    assert tab.refresh(analysis)[1].visible


def test_files_are_written_when_they_are_asked_for(built, analysis):
    _, tab, handlers = built
    tab.refresh(analysis)
    assert not os.path.exists(get_upload_folder()) and known_files(analysis, CHOSEN) is None
    found = handlers["write"](analysis, CHOSEN, None)
    paths = [Path(button.value["path"] if isinstance(button.value, dict) else button.value) for button in found[:6]]
    for name, path in zip(FILES, paths, strict=True):
        assert path.parent == Path(get_upload_folder()) and path.name.startswith(Path(name).stem)
        assert path.suffix == Path(name).suffix and path.read_bytes() == make_file(analysis, CHOSEN, name)
    assert all(button.interactive for button in found[:6]) and CHOSEN in found
    again = handlers["write"](analysis, CHOSEN, CHOSEN)
    assert all(value == gr.skip() for value in again)


def test_files_that_were_swept_away_are_written_again(built, analysis):
    _, _, handlers = built
    first = write_report_files(analysis, CHOSEN)
    assert write_report_files(analysis, CHOSEN) == first
    Path(first["qassay_report.md"]).unlink()
    handlers["write"](analysis, CHOSEN, CHOSEN)
    second = known_files(analysis, CHOSEN)
    assert second and second != first


def test_nothing_is_written_without_scores(built):
    _, _, handlers = built
    assert all(value == gr.skip() for value in handlers["write"](None, None, None))
