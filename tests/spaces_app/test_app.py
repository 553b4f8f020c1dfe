"""The page as it is launched: the same for users, tests and the Space; its memory with real data."""

import errno
import subprocess
import sys
from pathlib import Path

import pytest

from qassay.pages import limits


@pytest.fixture(scope="module", autouse=True)
def gradio_parts():
    """Imported by the tests and not before: Gradio takes seconds."""
    global gr, app, server
    gr = pytest.importorskip("gradio", reason='gradio is not installed; run pip install -e ".[test]"')
    from qassay.spaces_app import app, server


MEGABYTES = 400  # with SQuAD 2.0 dev scored, which takes about 300


def test_the_launch_is_safe_and_offline(app_server):
    demo = app_server.demo
    config = demo.config
    assert isinstance(demo, server.SpaceBlocks) and config["title"] == "qassay"
    assert not demo.share and not demo.show_error and demo.max_file_size == limits.MAX_FILE
    assert not config["run_history"] and not config["analytics_enabled"] and not demo.enable_monitoring
    assert demo.allowed_paths == [] and demo._queue.max_size == limits.QUEUE
    assert demo._queue.default_concurrency_limit == limits.AT_ONCE


def test_every_event_of_the_page_is_private_and_guarded(app_server):
    functions = [fn for fn in app_server.demo.fns.values() if fn.fn is not None]
    page = [fn for fn in functions if fn.api_visibility == "private"]
    assert len(page) > 3 and len(functions) - len(page) == 12
    assert all(getattr(fn.fn, "is_guarded", False) for fn in functions), [fn.name for fn in functions]
    limits = {fn.concurrency_limit for fn in functions}
    assert None not in limits, "an event without a limit could run any number of times at once"


def test_a_tab_that_fails_is_emptied_and_the_others_are_filled(monkeypatch):
    told = []
    monkeypatch.setattr(app.gr, "Warning", lambda words, duration: told.append(words))

    def refresh(analysis):
        if analysis:
            raise KeyError("<an answer>")
        return ["empty"]

    assert app._filled("Slices", app.Tab([None], refresh), "analysis") == ["empty"]
    assert told == ["Slices: KeyError: a fault of qassay, not of the input"]
    assert app._filled("Slices", app.Tab([None], lambda analysis: [analysis]), "analysis") == ["analysis"]
    told.clear()

    def restore(token):
        if token == "full":
            raise OSError(errno.ENOSPC, "no space left")
        return [token], ["gone"]

    tab = app.Tab([None], lambda analysis: ["empty"], restore=restore)
    assert app._restored("Agreement", tab, "full") == (["empty"], [])
    assert told == ["Agreement: the disk of this server is full; try again later"]
    assert app._restored("Agreement", tab, "token") == (["token"], ["gone"]) and len(told) == 1


def test_the_sample_shown_first_offers_its_groups(app_server):
    (groups,) = [box for box in app_server.demo.blocks.values() if getattr(box, "elem_id", None) == "groups"]
    assert [value for _, value in groups.choices][:3] == ["", "article", "paragraph"]


def test_what_visitors_first_see_is_made_once():
    assert app.first_analysis() is app.first_analysis()
    assert app.first_analysis().systems == ["small_model", "large_model"]


def test_the_report_follows_the_choices_of_the_comparison():
    demo, _ = app.build()
    page = {fn.name: fn for fn in demo.fns.values() if fn.api_visibility == "private"}
    compare, write = page["compare"], page["write"]
    shared = [block for block in compare.outputs if block in write.inputs]
    assert [block.value for block in shared] == [app.CompareChoices()]


def test_importing_the_space_loads_no_gradio_and_building_the_page_nothing_heavy():
    code = (
        "import sys, qassay.spaces_app\n"
        "assert 'gradio' not in sys.modules\n"
        "import qassay.spaces_app.app\n"
        "qassay.spaces_app.app.build()\n"
        "heavy = {'torch', 'sentence_transformers', 'transformers', 'datasets', 'sklearn', 'matplotlib', 'plotly'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


MEASURED = """
import contextlib, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
import space
gold, *predictions = map(Path, sys.argv[3:])
with space.served(sys.argv[2]) as (process, url, _), contextlib.closing(space.Page(url)) as page:
    page.load()
    page.score(gold, predictions)
    print(space.memory(process.pid, "VmRSS"))
"""


@pytest.mark.thorough
@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
def test_memory_with_squad(squad2, tmp_path):
    """Upload, score and all tabs of 11,873 questions and two systems, in a server of its own."""
    files = [squad2 / name for name in ("dev-v2.0.json", "predictions_bert.json", "predictions_bidaf_elmo.json")]
    benchmarks = Path(__file__).resolve().parents[2] / "benchmarks"
    command = [sys.executable, "-c", MEASURED, str(benchmarks), str(tmp_path), *map(str, files)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) <= MEGABYTES
