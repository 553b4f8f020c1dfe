"""The served page of a metric: its events, uploads, hostile texts, faults and limits."""

import json

import pytest

pytest.importorskip("gradio", reason='needs gradio: pip install -e ".[test-all]"')
pytestmark = pytest.mark.thorough

from qassay.pages import limits  # noqa: E402

from .conftest import ATTACK  # noqa: E402

SECRET = "zebra-secret-7431"


@pytest.fixture(scope="module")
def server(answers, tmp_path_factory):
    """The page of answer_match, served, and a client of it."""
    import httpx

    uploads = tmp_path_factory.mktemp("uploads")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GRADIO_TEMP_DIR", str(uploads))
        patch.setenv("GRADIO_ANALYTICS_ENABLED", "False")
        patch.setattr("gradio.networking.url_ok", lambda url: False)  # as where the first answer is late
        demo, options = answers.build()
        demo.launch(server_name="127.0.0.1", prevent_thread_lock=True, **options)
        with httpx.Client(base_url=demo.local_url, timeout=200) as client:
            yield demo, client
            assert [path for path in uploads.rglob("*.csv") if path.is_file()], "no test has made a download"
        demo.close()
    assert [path for path in uploads.rglob("*") if path.is_file() and path.stat().st_size] == [], "files must not stay"


@pytest.fixture
def send(server, send_event):
    """`send(event, values)`: whether an event went well, and what came back."""
    demo, client = server

    def call(event, values):
        message = send_event(client, demo.config["dependencies"][event]["id"], values)
        return message["success"], message["output"]

    return call


SCORED = 1  # in the order in which the page defines its events


def values_of(predictions, references, options="", files=(None, None)):
    return [predictions, references, *[""] * 4, *files, options]


def file_data(server, name, content):
    _, client = server
    (path,) = client.post("/gradio_api/upload", files={"files": (name, content)}).raise_for_status().json()
    return {"path": path, "orig_name": name, "meta": {"_type": "gradio.FileData"}}


def test_the_page_has_no_public_endpoints_and_the_bounds_of_the_demo(server):
    """Both use one server; tests/space/test_safety.py tests its limits."""
    from qassay.pages.server import MAX_SESSIONS, ServedBlocks, launch_options

    demo, client = server
    assert client.get("/gradio_api/info").json() == {"named_endpoints": {}, "unnamed_endpoints": {}}
    assert isinstance(demo, ServedBlocks) and demo.max_file_size == limits.MAX_FILE
    assert demo._queue.max_size == limits.QUEUE and demo.state_holder.capacity == MAX_SESSIONS
    kinds = [middleware.cls for middleware in demo.app.user_middleware]
    assert all(one.cls in kinds for one in launch_options()["app_kwargs"]["middleware"])


def test_hostile_text_is_text(send):
    predictions, references = json.dumps({ATTACK: ATTACK}), json.dumps({ATTACK: [ATTACK], "\ud800": []})
    well, output = send(SCORED, values_of(predictions, references))
    assert well
    _, _, values, signature, _, note, examples, _ = output["data"]
    assert [row[:3] for row in examples["data"]] == [[ATTACK] * 3, ["\\ud800", "", ""]]
    assert ATTACK not in values + signature + note
    assert {type(cell) for row in examples["data"] for cell in row} == {str}


def test_errors_reach_the_page_escaped(send):
    for values, message in (
        (values_of("[" * 100_000, "[]"), "predictions"),
        (values_of("", ""), "predictions and references missing"),
        (values_of("[1]", '[["a"]]'), "predictions[0]"),
        (values_of('["a"]', '[["a"]]', f"unit={ATTACK}"), "&lt;img src=x onerror="),
        (values_of('["a"]', '[["a"]]', f"{ATTACK}=1"), "&#x27;&lt;img src&#x27;"),
    ):
        well, output = send(SCORED, values)
        assert not well and message in output["error"] and "<" not in output["error"]


def test_uploads_are_scored_and_hostile_names_are_text(server, send):
    files = [file_data(server, "p.json", b'["a"]'), file_data(server, "r.json", b'[["a"]]')]
    well, output = send(SCORED, values_of("", "", files=files))
    assert well and '<th scope="row">exact_<wbr>match</th><td class="number">1.0000</td>' in output["data"][2]
    assert output["data"][6]["data"][0][1:3] == ["a", "a"]
    files[0] = file_data(server, "<b onclick=x>&amp;.json", b"{")
    well, output = send(SCORED, values_of("", "", files=files))
    assert not well and "not valid JSON" in output["error"] and "<" not in output["error"]


def test_files_of_the_machine_cannot_be_read(server, send, tmp_path):
    (tmp_path / "secret.json").write_text('["secret"]')
    stranger = {"path": str(tmp_path / "secret.json"), "meta": {"_type": "gradio.FileData"}}
    well, output = send(SCORED, values_of("", '[["a"]]', files=[stranger, None]))
    assert not well and "secret" not in str(output["error"]).replace("secret.json", "")
    assert server[1].get(f"/gradio_api/file={tmp_path / 'secret.json'}").status_code == 403


def test_a_fault_of_the_metric_is_reported_and_the_log_quotes_nobody(send, answers, monkeypatch, capfd, caplog):
    def fails(*_):
        raise RuntimeError(SECRET)

    monkeypatch.setattr(type(answers), "score", fails)
    well, output = send(SCORED, values_of('["a"]', '[["a"]]'))
    assert not well and output["error"] == "RuntimeError: a fault of answer_match, not of the input"
    said = capfd.readouterr()
    assert SECRET not in said.err + said.out + caplog.text
    assert "answer_match failed: RuntimeError" in caplog.text and "in fails" in caplog.text
