"""The events of the tab Report, called as the page calls them."""

from pathlib import Path

import pytest

from qassay.spaces_app.address import View
from qassay.spaces_app.analysis import analyze
from qassay.spaces_app.comparisons import CompareChoices
from qassay.spaces_app.inputs import sample_analysis, sample_inputs
from qassay.spaces_app.report_view import FILES, ONE_PAGE, PAGE, make_file, shown_report

CHOSEN = CompareChoices(test="t", measures="main")


@pytest.fixture(scope="module")
def built(build_tab):
    from qassay.spaces_app.report_tab import build_report_tab

    return build_tab(build_report_tab, CompareChoices(), "")


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path / "files"))
    return tmp_path / "files"


@pytest.fixture
def tab(built):
    return built.tab


@pytest.fixture
def write(built, files):
    return built.handlers["write"][0]


@pytest.fixture
def analysis():
    return analyze(sample_inputs("labels"))


def test_refresh_gives_a_value_for_each_output(tab, analysis):
    for one in (None, analysis, sample_analysis("curves")):
        assert len(tab.refresh(one)) == len(tab.outputs)
    assert tab.refresh(None)[0].visible and not tab.refresh(None)[1].visible
    assert tab.refresh(analysis)[1].visible


def test_files_are_written_when_they_are_asked_for(gr, tab, write, files, analysis):
    from qassay.spaces_app.report_tab import known_files

    tab.refresh(analysis)
    assert not files.exists() and known_files(analysis, CHOSEN) is None
    layout, *found = write(analysis, CHOSEN, None, PAGE)
    assert layout.visible and layout.value == ".html"
    buttons = found[: len(FILES)]
    paths = [Path(button.value["path"] if isinstance(button.value, dict) else button.value) for button in buttons]
    for ending, path in zip(FILES, paths, strict=True):
        assert path.parent.parent == files and path.name == f"qassay-report-rules-vs-tuned{ending}"
        assert path.read_bytes() == make_file(analysis, CHOSEN, ending)
    assert all(button.interactive for button in buttons) and CHOSEN in found
    assert all(value == gr.skip() for value in write(analysis, CHOSEN, CHOSEN, PAGE))
    assert all(value == gr.skip() for value in write(None, None, None, PAGE)), "nothing without scores"


def test_files_that_were_swept_away_are_written_again(write, analysis):
    from qassay.spaces_app.report_tab import known_files, write_report_files

    first = write_report_files(analysis, CHOSEN)
    assert write_report_files(analysis, CHOSEN) == first
    Path(first[".md"]).unlink()
    write(analysis, CHOSEN, CHOSEN, PAGE)
    second = known_files(analysis, CHOSEN)
    assert second and second != first


def test_one_page_is_shown_where_there_is_a_comparison(built, write, analysis):
    show = built.handlers["show"][0]
    button, frame, told = show(analysis, CHOSEN, ONE_PAGE)
    assert "layout=one-page" in told
    assert button.value["path"].endswith("/qassay-report-rules-vs-tuned-one-page.html") and "tuned" in frame
    assert frame == shown_report(analysis, CHOSEN, ONE_PAGE) != shown_report(analysis, CHOSEN)
    alone = analyze(sample_inputs("curves"))
    layout, main, one_page, *_ = write(alone, CHOSEN, None, ONE_PAGE)
    assert not layout.visible and main.interactive and not one_page.interactive
    assert show(alone, CHOSEN, ONE_PAGE)[1] == shown_report(alone, CHOSEN)


def test_a_link_to_one_page_opens_it(gr, tab, write, analysis):
    from qassay.spaces_app.report_tab import report_view

    updates, misfits = tab.follow(analysis, report_view(ONE_PAGE))
    (layout,) = (update for update in updates if update != gr.skip())
    assert layout.value == ONE_PAGE and not misfits
    layout, main, *_, page, _, _, _, told, _ = write(analysis, CHOSEN, None, layout.value)
    assert layout.value == ONE_PAGE and main.value["path"].endswith(ONE_PAGE)
    assert page == shown_report(analysis, CHOSEN, ONE_PAGE) and "layout=one-page" in told
    _, misfits = tab.follow(analysis, View("report", layout="poster"))
    assert misfits == ["Unknown layout of the report 'poster'; there are one-page"]
