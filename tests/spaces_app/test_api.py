"""The public functions of the Space: by gradio_client, by raw HTTP and as tools of MCP."""

import asyncio
import importlib.util
import inspect
import json
import re
import subprocess
from pathlib import Path

import pytest

from qassay.cli import main
from qassay.spaces_app.samples import FOLDER, SAMPLES

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module", autouse=True)
def gradio_parts(gr):
    """Imported by the tests and not before: Gradio takes seconds."""
    global httpx, Client, handle_file, api
    import httpx
    from gradio_client import Client, handle_file

    from qassay.spaces_app import api


PUBLIC = {
    "/score", "/compare", "/score_runs", "/calibrate", "/score_files", "/compare_files", "/score_runs_files",
    "/calibrate_files", "/agreement", "/agreement_files", "/list_metrics", "/explain",
}  # fmt: skip
SAMPLED, LABELS = (FOLDER / "answers" / name for name in ("sampled_model.csv", "large_model_labels.csv"))
LABELLED = FOLDER / "answers" / "labelled_answers.csv"
GOLD, SMALL, LARGE = (FOLDER / "answers" / name for name in ("gold.json", "small_model.json", "large_model.json"))


@pytest.fixture(scope="module")
def client(app_server):
    return Client(app_server.url, verbose=False, analytics_enabled=False)


def text_of(path):
    return Path(path).read_text("utf-8")


def printed(capsys, *arguments):
    """What the command line prints as JSON."""
    assert main([str(part) for part in arguments]) == 0
    return json.loads(capsys.readouterr().out)


# --- what there is ----------------------------------------------------------------------------------------------------


def test_the_public_endpoints_are_these_and_the_rest_is_private(app_server):
    info = httpx.get(f"{app_server.url}/gradio_api/info").json()
    assert set(info["named_endpoints"]) == PUBLIC and info["unnamed_endpoints"] == {}
    events = app_server.demo.config["dependencies"]
    assert {f"/{event['api_name']}" for event in events if event["api_visibility"] != "private"} == PUBLIC
    assert sum(event["api_visibility"] == "private" for event in events) > 3


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_every_argument_is_described(app_server, name):
    info = httpx.get(f"{app_server.url}/gradio_api/info").json()["named_endpoints"][name]
    function = getattr(api, name[1:])
    parameters = inspect.signature(function).parameters
    assert [one["parameter_name"] for one in info["parameters"]] == list(parameters)
    assert info["description"] == inspect.getdoc(function).split("\n\n")[0].replace("\n", " ")
    for parameter in parameters:
        assert f"\n    {parameter}: " in inspect.getdoc(function)


# --- numbers ----------------------------------------------------------------------------------------------------------


def test_score_gives_what_the_command_line_gives(client, capsys):
    found = client.predict(text_of(GOLD), text_of(SMALL), "", "", "all", api_name="/score")
    told = printed(capsys, "score", GOLD, SMALL, "--measures", "all", "--format", "json")
    assert found.pop("remarks") == []
    assert found["systems"].pop("predictions") == told["systems"].pop("small_model")
    assert found == told


def test_compare_gives_what_the_command_line_gives(client, capsys):
    names = {"first_name": "small_model", "second_name": "large_model"}
    found = client.predict(text_of(GOLD), text_of(SMALL), text_of(LARGE), **names, api_name="/compare")
    told = printed(capsys, "compare", GOLD, SMALL, LARGE, "--format", "json")
    for key in ("differences", "systems", "test", "correction", "signature", "scale", "error_kinds"):
        assert found[key] == told[key], key
    assert [len(change["losses"]) for change in found["disagreements"]] == [3] and "command" not in found


@pytest.mark.parametrize("name", SAMPLES)
def test_texts_and_files_give_the_same_numbers_for_every_family(client, name):
    sample = SAMPLES[name]
    gold = FOLDER / sample.gold
    settings = {"metric": sample.metric or "", "options": "\n".join(sample.options)}
    settings["columns"] = "\n".join(f"{role}={column}" for role, column in sample.columns.items())
    system = next((FOLDER / path for path in sample.systems.values()), None)
    texts = client.predict(text_of(gold), text_of(system) if system else "", **settings, api_name="/score")
    file = handle_file(system) if system else None
    files = client.predict(gold=handle_file(gold), predictions=file, **settings, api_name="/score_files")
    assert next(iter(texts["systems"].values()))["values"] and texts == files
    json.dumps(texts, allow_nan=False)


@pytest.mark.parametrize("name", [name for name, sample in SAMPLES.items() if len(sample.systems) == 2])
def test_files_of_every_family_are_compared(client, name):
    sample = SAMPLES[name]
    first, second = (handle_file(FOLDER / path) for path in sample.systems.values())
    settings = {"metric": sample.metric or "", "options": "\n".join(sample.options), "texts": 1}
    found = client.predict(handle_file(FOLDER / sample.gold), first, second, **settings, api_name="/compare_files")
    assert set(found["systems"]) == {"first", "second"}
    assert found["differences"] and all(0 <= one["p_value"] <= 1 for one in found["differences"])


def test_runs_give_what_the_command_line_gives(client, capsys, tmp_path):
    files = [SMALL, LARGE]
    named = {"measures": "exact_match,f1", "pass_at": "1,2", "majority_at": "1"}
    found = client.predict(text_of(GOLD), list(map(text_of, files)), **named, api_name="/score_runs")
    told = printed(capsys, "score", GOLD, f"system={SMALL},{LARGE}", "--measures", "exact_match", "f1", "--pass-at", "1,2",
                   "--majority-at", "1", "--format", "json")  # fmt: skip
    widths = found.pop("expected_width")["system"]
    assert found["systems"] == told["systems"] and "pass@2" in told["systems"]["system"]["values"]
    assert widths["f1"]["twice_both"] < widths["f1"]["now"] and {*widths} == {"exact_match", "f1"}
    asked = client.predict(text_of(GOLD), list(map(text_of, files)), measures="em,recall", api_name="/score_runs")
    assert {*asked["expected_width"]["system"]} == {"exact_match", "recall"}
    assert asked["expected_width"]["system"]["exact_match"] == widths["exact_match"]
    uploaded = client.predict(handle_file(GOLD), list(map(handle_file, files)), **named, api_name="/score_runs_files")
    assert uploaded["systems"] == told["systems"] and uploaded["expected_width"]["system"] == widths
    named = {"columns": "run_id=seed", "measures": "f1"}
    found = client.predict(text_of(GOLD), [text_of(SAMPLED)], **named, api_name="/score_runs")
    told = printed(capsys, "score", GOLD, SAMPLED, "--columns", "run_id=seed", "--measures", "f1", "--format", "json")
    assert found["systems"]["system"] == told["systems"]["sampled_model"]
    found = client.predict(text_of(GOLD), text_of(SAMPLED), **named, api_name="/score")
    assert found["systems"]["predictions"] == told["systems"]["sampled_model"], "also by score"


def test_calibrate_gives_what_the_command_line_gives(client, capsys):
    named = {"measures": "exact_match,f1", "width": 0.15, "to_next": 3, "groups": "article"}
    given = {"gold": text_of(GOLD), "predictions": text_of(LARGE), "labels": text_of(LABELS)}
    found = client.predict(**given, **named, api_name="/calibrate")
    told = printed(capsys, "calibrate", GOLD, LARGE, "--labels", LABELS, "--measures", "exact_match", "f1", "--width", "0.15",
                   "--next", "3", "--groups", "article", "--format", "json")  # fmt: skip
    assert found.pop("systems") == {"predictions": {"notes": {}}} and told.pop("systems") == {
        "large_model": {"notes": {}}
    }
    assert [one.pop("system") for tree in (found, told) for one in tree["measures"]] == [
        *["predictions"] * 2,
        *["large_model"] * 2,
    ]
    assert found == told
    files = {"gold": GOLD, "predictions": LARGE, "labels": LABELS}
    uploaded = client.predict(
        **{name: handle_file(path) for name, path in files.items()}, **named, api_name="/calibrate_files"
    )
    assert [one.pop("system") for one in uploaded["measures"]] == ["predictions"] * 2
    assert uploaded["measures"] == found["measures"] and uploaded["next"] == found["next"]
    settings = {"method": "rogan_gladen", "interval_method": "normal", "level": 0.8}
    found = client.predict(**given, **settings, api_name="/calibrate")
    told = printed(capsys, "calibrate", GOLD, LARGE, "--labels", LABELS, "--method", "rogan_gladen", "--interval-method",
                   "normal", "--level", "0.8", "--format", "json")  # fmt: skip
    assert found["measures"] == [{**one, "system": "predictions"} for one in told["measures"]]
    first = client.predict(given["gold"], given["predictions"], to_next=5, api_name="/calibrate")
    assert main(["calibrate", str(GOLD), str(LARGE), "--next", "5"]) == 0
    assert first == {"next": capsys.readouterr().out.split()}


def test_the_difference_of_two_systems_is_calibrated(client, capsys, tmp_path):
    other = tmp_path / "small.csv"
    other.write_text(text_of(LABELS).replace("id,label", "qid,right"))
    texts = (text_of(GOLD), text_of(LARGE), text_of(other), text_of(SMALL), text_of(other))
    found = client.predict(*texts, label_columns="ids = qid\nlabels=right", lam="1", api_name="/calibrate")
    told = printed(capsys, "calibrate", GOLD, LARGE, SMALL, "--labels", LABELS, "--labels", LABELS, "--lam", "1", "--format",
                   "json")  # fmt: skip
    assert [one["value"] for one in found["measures"]] == [one["value"] for one in told["measures"]]
    assert len(found["measures"]) == 3


def test_agreement_gives_what_the_command_line_gives(client, capsys):
    given = {"metrics": "answer_match", "measures": "f1, contains", "level": 0.9, "right_from": "0.5"}
    columns = "references = gold_answers\nsystem=system"
    found = client.predict(text_of(LABELLED), **given, columns=columns, api_name="/agreement")
    told = printed(capsys, "agreement", LABELLED, "--metric", "answer_match", "--measures", "f1", "contains", "--level", "0.9",
                   "--format", "json")  # fmt: skip
    assert found == told
    assert client.predict(handle_file(LABELLED), **given, api_name="/agreement_files") == told


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"labelled": " "}, "labelled is empty; give a table of answers with labels"),
        ({"labelled": "a,b\n1,2\n"}, "labelled: no column is known to hold the labels; it has: a, b; say which with columns: labels=NAME"),
        ({"labelled": "[]", "columns": "label=a"}, "columns: 'label=a' must be role=name with one of the roles: labels"),
        ({"labelled": "[]", "right_from": "x"}, "right_from must be a number"),
        ({"labelled": "[]", "level": "x"}, "level"),
        ({"labelled": "[]", "metrics": "label_metrics"}, "label_metrics does not score answers as texts"),
    ],
)  # fmt: skip
def test_errors_of_agreement_are_in_qassays_words(client, given, message):
    with pytest.raises(Exception) as caught:
        client.predict(**given, api_name="/agreement")
    assert message in str(caught.value) and "--" not in str(caught.value)


@pytest.mark.parametrize(
    ("function", "given", "message"),
    [
        ("score_runs", {"runs": ['{"a": "x"}']}, "runs needs two or more files, or the column of runs, columns run_id=NAME; got one file"),
        ("score_runs", {"runs": []}, "or the column of runs, columns run_id=NAME; got 0 files"),
        ("score_runs", {"runs": ['{"a": "x"}', " "]}, "run 2 is empty; give the predictions"),
        ("score_runs", {"runs": ['{"a": "x"}'] * 21}, "21 files of runs are too many; at most 20"),
        ("score_runs", {"runs": ['{"a": "x"}', '{"a": "y"}'], "pass_at": "x"}, "pass_at takes integers"),
        ("score_runs", {"runs": ['{"a": "x"}', '{"a": "y"}'], "pass_at": "3"}, "pass@3"),
        ("score_runs", {"runs": ['{"a": "x"}', "["]}, "run 2: this is not valid JSON"),
        ("score_runs", {"runs": ['{"a": "x"}', 7]}, "run 2 must be the text of a file"),
        ("score_runs", {"runs": "x"}, "runs must be a list of the texts of files"),
        ("calibrate", {"predictions": '{"a": "x"}'}, "give a file of labels, or a number of examples"),
        ("calibrate", {"predictions": '{"a": "x"}', "labels": '{"a": 1}'}, "labels: 1 label is too few"),
        ("calibrate", {"predictions": '{"a": "x"}', "labels": '{"b": 1}'}, "labels: 1 of 1 labels have unknown ids"),
        ("calibrate", {"predictions": '{"a": "x"}', "labels": "1", "label_columns": "x"}, "label_columns: 'x' must be"),
        ("calibrate", {"predictions": '{"a": "x"}', "labels": '{"a": 1}', "lam": "x"}, "lam must be a number"),
        ("calibrate", {"predictions": '{"a": "x"}', "labels": '{"a": 1}', "width": 2}, "width: it must be above 0"),
        ("calibrate", {"predictions": '{"a": "x"}', "other_labels": '{"a": 1}'}, "other_predictions is empty; give the answers"),
        ("calibrate", {"predictions": '{"a": "x"}', "other_predictions": '{"a": "y"}', "other_labels": '{"a": 1}'},
         "labels: predictions has no labels; a difference needs a file of labels for each system"),
        ("calibrate", {"predictions": '{"a": "x"}', "to_next": "7"}, "to_next must be an integer"),
        ("calibrate", {"predictions": "id,prediction,s\na,x,1\na,y,2\n", "columns": "run_id=s", "to_next": 1},
         "labels judge the answers of one run; give the file of one run, without run_id"),
    ],
)  # fmt: skip
def test_errors_of_runs_and_labels_are_in_qassays_words(client, function, given, message):
    with pytest.raises(Exception) as caught:
        client.predict(**{"gold": '{"a": ["x"]}', **given}, api_name=f"/{function}")
    words = str(caught.value)
    assert type(caught.value).__name__ == "AppError" and message in words
    assert "--" not in words and "/" not in words.replace("0/1", "") and "Traceback" not in words


def test_options_columns_measures_level_and_probabilities(client):
    table = "qid;gold list;mine\n1;a;a\n2;b;c\n".replace(";", ",")
    found = client.predict(
        table, columns="references=gold list\nids=qid\npredictions=mine", measures="f1", level=0.9, options="seed=3",
        api_name="/score",
    )  # fmt: skip
    (numbers,) = found["systems"].values()
    assert numbers["values"] == {"f1": 0.5} and numbers["counts"] == {"f1": 2}
    assert found["interval"] == {
        "level": 0.9,
        "requested_method": "auto",
        "n_resamples": 1000,
        "seed": 3,
        "group_name": None,
    }
    named = {"groups": "article", "interval_method": "percentile", "measures": "f1"}
    found = client.predict(text_of(GOLD), text_of(LARGE), **named, api_name="/score")
    assert (found["interval"]["group_name"], found["interval"]["requested_method"]) == ("article", "percentile")
    assert found["systems"]["predictions"]["group_counts"] == {"f1": 11}
    doubts = text_of(FOLDER / "answers" / "large_model_no_answer.json")
    found = client.predict(
        text_of(GOLD), text_of(LARGE), no_answer_probabilities=doubts, measures="all", api_name="/score"
    )
    assert "best_f1" in found["systems"]["predictions"]["values"]


def test_gold_answers_in_several_columns(client):
    table = "mine,gold,other\nx,y,x\nz,z,w\n"
    for columns, value in (("references=gold", 0.5), ("references=gold\nreferences=other", 1.0)):
        found = client.predict(table, columns=f"predictions=mine\n{columns}", measures="f1", api_name="/score")
        assert [numbers["values"] for numbers in found["systems"].values()] == [{"f1": value}]


def test_metrics_are_listed_and_explained(client):
    metrics = client.predict(api_name="/list_metrics")
    assert [metric["name"] for metric in metrics] == sorted(metric["name"] for metric in metrics)
    for metric in metrics:
        told = client.predict(metric["name"], api_name="/explain")
        assert told["line"] == metric["about"] and told["options"] and told["measures"] and told["columns"]


# --- errors -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"gold": "["}, "gold: this is not valid JSON: a value is missing or misspelt in line 1, column 2"),
        ({"gold": "[" * 100_000}, "gold: this JSON cannot be read: it is nested too deeply; flatten it"),
        ({"gold": "  "}, "gold is empty; give a gold file"),
        ({"gold": "x" * 30, "predictions": ""}, "predictions is empty; give the predictions of the system"),
        ({"gold": '{"a": ["<b>"]}', "predictions": '{"b": "x"}'}, "predictions"),
        ({"metric": "<b>"}, "<b>"),
        ({"options": "nosuch=1"}, "nosuch"),
        ({"measures": "nosuch"}, "nosuch"),
        ({"level": 2}, "level"),
        ({"columns": "x"}, "columns: 'x' must be role=name"),
        ({"gold": "a,b,gold\nx,y,x\n", "predictions": "", "columns": "ids=a\nids=b"},
         "the role ids takes one column, but is given a and b; give one of them"),
        ({"columns": "gold:ids=a"}, "columns: 'gold:ids=a' must be role=name"),
    ],
)  # fmt: skip
def test_errors_are_in_qassays_words_and_plain_text(client, given, message):
    with pytest.raises(Exception) as caught:
        client.predict(**{"gold": '{"a": ["x"]}', "predictions": '{"a": "x"}', **given}, api_name="/score")
    words = str(caught.value)
    assert type(caught.value).__name__ == "AppError" and message in words
    assert "--" not in words and "qassay_" not in words and "&lt;" not in words and "Traceback" not in words


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"first_name": "x", "second_name": "x"}, "first_name and second_name must be two short names"),
        ({"first_name": ""}, "first_name and second_name must be two short names"),
        ({"first_name": "a\nb"}, "first_name and second_name must be two short names"),
        ({"first_name": "a" * 61}, "first_name and second_name must be two short names"),
        ({"first": ""}, "first is empty; give the predictions of both systems"),
        ({"texts": 101}, "texts must be an integer from 0 to 100"),
        ({"test": "nosuch"}, "option test='nosuch' is unknown"),
        ({"correction": "nosuch"}, "option correction='nosuch' is unknown"),
    ],
)
def test_comparisons_that_are_refused(client, given, message):
    systems = {"gold": '{"a": ["x"]}', "first": '{"a": "x"}', "second": '{"a": "y"}'}
    with pytest.raises(Exception, match=message):
        client.predict(**{**systems, **given}, api_name="/compare")


def test_names_of_systems_may_hold_an_equals_sign(client):
    files = {"gold": '{"a": ["x"]}', "first": '{"a": "x"}', "second": '{"a": "y"}'}
    found = client.predict(**files, first_name="k=1", second_name="k=5", api_name="/compare")
    assert list(found["systems"]) == ["k=1", "k=5"]


def test_nothing_that_is_no_number_and_no_lone_surrogate_reaches_a_client(client):
    gold, answers = '{"\\ud800": ["a"], "q": ["b"]}', '{"\\ud800": "\\udfff", "q": "b"}'
    found = client.predict(gold, answers, '{"\\ud800": "a", "q": ""}', api_name="/compare")
    json.dumps(found, allow_nan=False, ensure_ascii=False).encode("utf-8")
    assert "\\udfff" in json.dumps(found, ensure_ascii=False)


def test_raw_http_by_names(app_server):
    with httpx.Client(base_url=f"{app_server.url}/gradio_api/", timeout=200) as http:
        body = {"gold": '{"q": ["a"]}', "predictions": '{"q": "a"}'}
        event = http.post("call/v2/score", json=body).raise_for_status().json()["event_id"]
        text = http.get(f"call/score/{event}").text
    assert "event: complete" in text
    (found,) = json.loads(text.partition("data: ")[2])
    assert found["systems"]["predictions"]["values"]["f1"] == 1.0


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
    assert len(blocks) == len(found) == ran.stdout.count("event: complete") == 2, ran
    texts, files = ({name: system["values"] for name, system in one["systems"].items()} for one in found)
    assert [values["f1"] for values in texts.values()] == [1.0]
    assert [round(values["f1"], 4) for values in files.values()] == [0.5833]


# --- MCP --------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def mcp_server(tmp_path_factory):
    """The Space as it is served where GRADIO_MCP_SERVER asks for tools; what an MCP client does, as a function."""
    pytest.importorskip("mcp", reason='mcp is not installed; run pip install "gradio[mcp]"')
    from mcp import ClientSession
    from mcp.client.streamable_http import streamablehttp_client

    from qassay.spaces_app.app import build

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


def test_the_tools_of_mcp_are_described_and_take_text_alone(mcp_server):
    tools = {tool.name: tool for tool in mcp_server(lambda session: session.list_tools()).tools}
    assert set(tools) == {"score", "compare", "score_runs", "calibrate", "agreement", "list_metrics", "explain"}
    assert tools["score"].description.startswith("Score the predictions of one system against gold data")
    schema = tools["score"].inputSchema
    told = [one["description"] for tool in tools.values() for one in tool.inputSchema["properties"].values()]
    assert all(words.endswith((".", "to 100", "JSONL", "0 and 1", "none")) for words in told), told
    assert schema["required"] == ["gold"] and "TREC qrels" in schema["properties"]["gold"]["description"]
    assert tools["compare"].inputSchema["required"] == ["gold", "first", "second"]
    kinds = {one["type"] for tool in tools.values() for one in tool.inputSchema["properties"].values()}
    assert kinds == {"string", "number", "integer", "array"}


def test_tools_of_mcp_score_and_tell_what_is_wrong(mcp_server):
    given = {"gold": '{"q": ["a"], "r": ["b"]}', "predictions": '{"q": "a", "r": "x"}', "measures": "exact_match"}
    found = mcp_server(lambda session: session.call_tool("score", given))
    assert not found.isError
    assert json.loads(found.content[0].text)["systems"]["predictions"]["values"] == {"exact_match": 0.5}
    wrong = mcp_server(lambda session: session.call_tool("score", {**given, "gold": "["}))
    assert wrong.isError and "gold: this is not valid JSON" in wrong.content[0].text


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"predictions": "{}"}, "the argument gold is missing; score takes: gold (needed), predictions"),
        ({"gold": "{}", "golds": "{}"}, "there is no argument 'golds'; score takes: gold (needed), predictions"),
    ],
)
def test_mcp_names_wrong_arguments_and_those_there_are(mcp_server, given, words, capfd, caplog):
    wrong = mcp_server(lambda session: session.call_tool("score", given))
    assert wrong.isError and words in wrong.content[0].text
    said = capfd.readouterr()
    assert said.err + said.out + caplog.text == ""


def test_mcp_reads_no_file_of_the_server(mcp_server, tmp_path):
    (tmp_path / "secret.json").write_text('{"q": ["secret"]}')
    file = {"path": str(tmp_path / "secret.json"), "meta": {"_type": "gradio.FileData"}}
    for tool in ("score", "score_files"):
        found = mcp_server(lambda session, tool=tool: session.call_tool(tool, {"gold": file, "predictions": file}))
        assert found.isError and '"secret"' not in found.content[0].text


def test_without_its_extra_mcp_is_not_left_out_silently(monkeypatch):
    from qassay.spaces_app import server

    monkeypatch.setenv("GRADIO_MCP_SERVER", "True")
    real = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *rest: None if name == "mcp" else real(name, *rest))
    with pytest.raises(ImportError, match=r"run `pip install \"qassay\[app\]\"`, or omit the variable"):
        server.wants_mcp()
    monkeypatch.setenv("GRADIO_MCP_SERVER", "False")
    assert server.wants_mcp() is False
