"""The public functions of the Space, by gradio_client, by raw HTTP and as tools of MCP, give what the command line gives."""

import asyncio
import inspect
import json
import re
import subprocess
from pathlib import Path

import pytest

pytest.importorskip("gradio", reason='needs gradio: pip install -e ".[test-all]"')

import httpx
from gradio_client import Client, handle_file

from qassay.cli import main
from qassay.space import api
from qassay.space.app import build
from qassay.space.samples import FOLDER, SAMPLES

pytestmark = pytest.mark.thorough

ROOT = Path(__file__).resolve().parents[2]
PUBLIC = {
    "/score", "/compare", "/score_runs", "/calibrate", "/score_files", "/compare_files", "/score_runs_files",
    "/calibrate_files", "/agreement", "/agreement_files", "/list_metrics", "/explain",
}  # fmt: skip
ANSWERS = FOLDER / "answers"
GOLD, SMALL, LARGE = (ANSWERS / name for name in ("gold.json", "small_model.json", "large_model.json"))
LABELS = ANSWERS / "large_model_labels.csv"
LABELLED = ANSWERS / "labelled_answers.csv"


@pytest.fixture(scope="module")
def client(app_server):
    return Client(app_server.url, verbose=False, analytics_enabled=False)


def text_of(path):
    return Path(path).read_text("utf-8")


def printed(capsys, *arguments):
    """What the command line prints as JSON."""
    assert main([*map(str, arguments), "--format", "json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_the_public_endpoints_are_these_and_every_argument_is_described(app_server):
    info = httpx.get(f"{app_server.url}/gradio_api/info").json()
    assert set(info["named_endpoints"]) == PUBLIC and info["unnamed_endpoints"] == {}
    for name in PUBLIC:
        function, told = getattr(api, name[1:]), info["named_endpoints"][name]
        parameters = list(inspect.signature(function).parameters)
        assert [one["parameter_name"] for one in told["parameters"]] == parameters
        assert all(f"\n    {parameter}: " in inspect.getdoc(function) for parameter in parameters)


def test_score_and_compare(client, capsys):
    found = client.predict(text_of(GOLD), text_of(SMALL), "", "", "all", api_name="/score")
    told = printed(capsys, "score", GOLD, SMALL, "--measures", "all")
    assert found.pop("remarks") == []
    assert found["systems"].pop("predictions") == told["systems"].pop("small_model") and found == told
    names = {"first_name": "small_model", "second_name": "large_model"}
    found = client.predict(text_of(GOLD), text_of(SMALL), text_of(LARGE), **names, api_name="/compare")
    told = printed(capsys, "compare", GOLD, SMALL, LARGE)
    for key in ("differences", "systems", "test", "correction", "signature", "scale", "error_kinds"):
        assert found[key] == told[key], key
    assert "command" not in found


@pytest.mark.parametrize("name", SAMPLES)
def test_texts_and_files_give_the_same_numbers_for_every_metric(client, name):
    sample = SAMPLES[name]
    gold, system = FOLDER / sample.gold, next((FOLDER / path for path in sample.systems.values()), None)
    settings = {"metric": sample.metric or "", "options": "\n".join(sample.options)}
    settings["columns"] = "\n".join(f"{role}={column}" for role, column in sample.columns.items())
    texts = client.predict(text_of(gold), text_of(system) if system else "", **settings, api_name="/score")
    file = system and handle_file(system)
    files = client.predict(gold=handle_file(gold), predictions=file, **settings, api_name="/score_files")
    assert next(iter(texts["systems"].values()))["values"] and texts == files
    json.dumps(texts, allow_nan=False)


def test_runs(client, capsys):
    files, named = [SMALL, LARGE], {"measures": "exact_match,f1", "pass_at": "1,2", "majority_at": "1"}
    found = client.predict(text_of(GOLD), list(map(text_of, files)), **named, api_name="/score_runs")
    told = printed(capsys, "score", GOLD, f"system={SMALL},{LARGE}", "--measures", "exact_match", "f1", "--pass-at", "1,2",
                   "--majority-at", "1")  # fmt: skip
    widths = found["expected_width"]["system"]
    assert found["systems"] == told["systems"] and "pass@2" in told["systems"]["system"]["values"]
    assert widths["f1"]["twice_both"] < widths["f1"]["now"]
    uploaded = client.predict(handle_file(GOLD), list(map(handle_file, files)), **named, api_name="/score_runs_files")
    assert uploaded["systems"] == told["systems"] and uploaded["expected_width"]["system"] == widths


def test_calibration_also_of_a_difference(client, capsys):
    named = {"measures": "exact_match,f1", "width": 0.15, "to_next": 3, "groups": "article"}
    given = {"gold": GOLD, "predictions": LARGE, "labels": LABELS}
    found = client.predict(**{name: text_of(path) for name, path in given.items()}, **named, api_name="/calibrate")
    told = printed(capsys, "calibrate", GOLD, LARGE, "--labels", LABELS, "--measures", "exact_match", "f1", "--width", "0.15",
                   "--next", "3", "--groups", "article")  # fmt: skip
    uploaded = client.predict(
        **{name: handle_file(path) for name, path in given.items()}, **named, api_name="/calibrate_files"
    )
    for tree in (found, told, uploaded):
        assert len({one.pop("system") for one in tree["measures"]}) == 1
    assert found["measures"] == told["measures"] == uploaded["measures"] and found["next"] == told["next"]
    other = text_of(LABELS).replace("id,label", "qid,right")
    texts = (text_of(GOLD), text_of(LARGE), other, text_of(SMALL), other)
    found = client.predict(*texts, label_columns="ids = qid\nlabels=right", lam="1", api_name="/calibrate")
    told = printed(capsys, "calibrate", GOLD, LARGE, SMALL, "--labels", LABELS, "--labels", LABELS, "--lam", "1")
    assert [one["value"] for one in found["measures"]] == [one["value"] for one in told["measures"]]


def test_agreement(client, capsys):
    given = {"metrics": "answer_match", "measures": "f1, contains", "level": 0.9, "right_from": "0.5"}
    columns = "references = gold_answers\nsystem=system"
    found = client.predict(text_of(LABELLED), **given, columns=columns, api_name="/agreement")
    told = printed(
        capsys, "agreement", LABELLED, "--metric", "answer_match", "--measures", "f1", "contains", "--confidence", "0.9"
    )
    assert found == told == client.predict(handle_file(LABELLED), **given, api_name="/agreement_files")


RUNS = ['{"a": "x"}', '{"a": "y"}']


@pytest.mark.parametrize(
    ("function", "given", "named"),
    [
        ("score", {"gold": "["}, "gold: "),
        ("score", {"columns": "x"}, "columns: 'x'"),
        ("score_runs", {"runs": [RUNS[0], "["]}, "run 2: "),
        ("score_runs", {"runs": RUNS[:1] * 21}, "21"),
        ("calibrate", {"labels": '{"a": 1}', "width": 2}, "width"),
        ("agreement", {"labelled": "a,b\n1,2\n"}, "a, b"),
    ],
)
def test_errors_name_the_argument_in_plain_text(client, function, given, named):
    usual = {
        "score": {"predictions": RUNS[0]}, "compare": {"first": RUNS[0], "second": RUNS[1]}, "calibrate": {"predictions": RUNS[0]},
    }  # fmt: skip
    gold = {} if function == "agreement" else {"gold": '{"a": ["x"]}'}
    with pytest.raises(Exception) as caught:
        client.predict(**{**gold, **usual.get(function, {}), **given}, api_name=f"/{function}")
    words = str(caught.value)
    assert type(caught.value).__name__ == "AppError" and named in words
    assert not any(part in words for part in ("--", "qassay_", "&lt;", "Traceback"))


def test_nothing_that_is_no_number_and_no_lone_surrogate_reaches_a_client(client):
    gold, answers = '{"\\ud800": ["a"], "q": ["b"]}', '{"\\ud800": "\\udfff", "q": "b"}'
    found = client.predict(gold, answers, '{"\\ud800": "a", "q": ""}', "k=1", "k=5", api_name="/compare")
    json.dumps(found, allow_nan=False, ensure_ascii=False).encode("utf-8")
    assert "\\udfff" in json.dumps(found, ensure_ascii=False)


def test_the_commands_of_the_page_about_programs(app_server, tmp_path):
    """The blocks of curl in docs/space.md, one after another in one shell."""
    page = (ROOT / "docs" / "space.md").read_text("utf-8")
    blocks = [block for block in re.findall(r"^```bash\n(.*?)^```", page, re.DOTALL | re.MULTILINE) if "curl" in block]
    script = "".join(blocks).replace("http://127.0.0.1:7860", app_server.url)
    (tmp_path / "samples").symlink_to(ROOT / "samples")
    ran = subprocess.run(["bash", "-ec", script], cwd=tmp_path, capture_output=True, encoding="utf-8", timeout=300)
    found = [
        json.loads(line.partition("data: ")[2])[0] for line in ran.stdout.splitlines() if line.startswith("data: ")
    ]
    assert len(blocks) == len(found) == 2, ran
    texts, files = ([system["values"]["f1"] for system in one["systems"].values()] for one in found)
    assert texts == [1.0] and files == [pytest.approx(0.5833, abs=1e-4)]


# --- MCP --------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def mcp_server(tmp_path_factory):
    """The Space as it is served where GRADIO_MCP_SERVER asks for tools; what an MCP client does, as a function."""
    pytest.importorskip("mcp", reason='needs mcp: pip install -e ".[test-all]"')
    from mcp import ClientSession
    from mcp.client.streamable_http import streamablehttp_client

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GRADIO_MCP_SERVER", "True")
        patch.setenv("GRADIO_TEMP_DIR", str(tmp_path_factory.mktemp("uploads")))
        demo, options = build()
        demo.launch(prevent_thread_lock=True, server_name="127.0.0.1", **options)

        def ask(question):
            async def run():
                async with (
                    streamablehttp_client(f"{demo.local_url}gradio_api/mcp/") as (receive, send, _),
                    ClientSession(receive, send) as session,
                ):
                    await session.initialize()
                    return await question(session)

            return asyncio.run(run())

        yield ask
        demo.close()


def test_tools_of_mcp_take_text_alone_score_and_tell_what_is_wrong(mcp_server, tmp_path):
    tools = {tool.name: tool.inputSchema for tool in mcp_server(lambda session: session.list_tools()).tools}
    assert set(tools) == {name[1:] for name in PUBLIC if not name.endswith("_files")}
    assert tools["compare"]["required"] == ["gold", "first", "second"]
    parts = [one for schema in tools.values() for one in schema["properties"].values()]
    assert all(one["description"] for one in parts)
    assert {one["type"] for one in parts} == {"string", "number", "integer", "array"}
    given = {"gold": '{"q": ["a"], "r": ["b"]}', "predictions": '{"q": "a", "r": "x"}', "measures": "exact_match"}
    found = mcp_server(lambda session: session.call_tool("score", given))
    assert json.loads(found.content[0].text)["systems"]["predictions"]["values"] == {"exact_match": 0.5}
    for wrong, named in (
        ({**given, "gold": "["}, "gold: "),
        ({"predictions": "{}"}, "gold"),
        ({"gold": "{}", "golds": "{}"}, "'golds'"),
    ):
        told = mcp_server(lambda session, wrong=wrong: session.call_tool("score", wrong))
        assert told.isError and named in told.content[0].text
    (tmp_path / "secret.json").write_text('{"q": ["secret"]}')
    file = {"path": str(tmp_path / "secret.json"), "meta": {"_type": "gradio.FileData"}}
    for tool in ("score", "score_files"):
        told = mcp_server(lambda session, tool=tool: session.call_tool(tool, {"gold": file, "predictions": file}))
        assert told.isError and '"secret"' not in told.content[0].text
