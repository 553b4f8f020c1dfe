"""Logs of lm_eval and Inspect, and outputs of FlashRAG, in small files of their layout.

tests/integrations/test_logs.py reads what the harnesses themselves write.
"""

import io
import json
import warnings
import zipfile

import pyarrow as pa
import pytest

import qassay
from qassay.cli import main
from qassay.files import FileError, read_gold
from qassay.files.content import read_content

from .. import harness_logs as logs

ANSWERS = ["Paris", "the Nile", "K2", "Pacific"]  # three are right
OTHERS = ["Paris", "Nile", "Everest", ""]
EM = ["exact_match"]


@pytest.fixture
def score(save_table):
    """A function: contents of a log -> exact match of its only system."""

    def exact_match(data, name="log.json", **given):
        (scores,) = qassay.score_files(save_table(data, name), **given).values()
        return scores.summary(EM)["exact_match"]

    return exact_match


def columns(path):
    return dict(read_content(path).value.columns)


def said_by(call, *arguments):
    with pytest.raises(FileError) as error:
        call(*arguments)
    return str(error.value)


ARCHIVE = logs.inspect_archive(logs.inspect_log([ANSWERS]))
EVERY = {
    "lm_eval": (logs.lm_eval_lines({"none": ANSWERS}), "samples.jsonl"),
    "Inspect, JSON": (logs.inspect_log([ANSWERS]), "log.json"),
    "Inspect, eval": (ARCHIVE, "log.eval"),
}


@pytest.mark.parametrize("kind", EVERY)
def test_a_log_has_answers_gold_answers_questions_and_details(save_table, kind):
    path = save_table(*EVERY[kind])
    for metric in ("answer_match", "answer_equivalence"):
        (scores,) = qassay.score_files(path, metric=metric).values()
        assert (next(iter(scores.columns.values())) > 0.9).tolist() == [True, True, False, True]
    gold = read_gold(path)
    assert gold.metric == "answer_match" and gold.is_self_contained
    assert gold.details["question"] == list(logs.QUESTIONS)
    assert gold.details["doc.topic" if kind == "lm_eval" else "metadata.topic"] == ["a", "b", "a", "b"]


# --- lm_eval ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "target, expected",
    [
        (lambda golds: golds, list(logs.QUESTIONS.values())),
        (lambda golds: {"text": golds, "answer_start": [0]}, list(logs.QUESTIONS.values())),
        (lambda golds: [3, 5], [["[3, 5]"]] * 4),  # a list of numbers that the question does not have is a text
        (lambda golds: len(golds), ["2", "1", "2", "1"]),
        *((lambda golds, text=text: text, [read] * 4) for text, read in {
            "('a', 'b')": ["a", "b"],
            "[('a',), ('b',)]": ["a", "b"],
            "('a',),('b',)": ["a", "b"],
            "[['a'], ['b', 'c']]": [["a"], ["b", "c"]],  # answers of several spans
            "['a' \"b's\"\n 'c']": ["a", "b's", "c"],
            "array(['a', '(b)'], dtype=object)": ["a", "(b)"],
            "{'aliases': ['a', 'b'], 'value': 'c'}": ["c", "a", "b"],
            "{'text': array(['a'], dtype=object), 'answer_start': array([3])}": ["a"],
            "[{'text': 'a'}, {'text': 'b'}]": ["a", "b"],
            "id,question": "id,question",  # of no dict
            "(A)": ["(A)"],
            "{'a': 1}": ["{'a': 1}"],
        }.items()),
    ],
)  # fmt: skip
def test_targets_of_lm_eval(save_table, target, expected):
    path = save_table(logs.lm_eval_lines({"none": ANSWERS}, target), "log.jsonl")
    assert columns(path)["gold_answers"] == expected


def drop_log(answers, **fields):
    """A log of the task drop, whose targets are the keys of the answer object; `answers` of each question, as tuples."""
    lines = [
        json.loads(line)
        for line in logs.lm_eval_lines(
            {"none": ["Paris", "Rome", "10 yards", "the Nile"]}, lambda _: "number,spans"
        ).splitlines()
    ]
    docs = [
        {"query_id": "q", "answer": {"number": "", "spans": list(one[0])}, "answers": one, **fields} for one in answers
    ]
    return [{**line, "doc": doc} for line, doc in zip(lines, docs, strict=True)]


SPANS = [[["Paris"], ["Lutetia"]], [["Rome", "Oslo"]], [["10"]], [["Nile"]]]


def test_the_log_of_drop_is_scored_by_its_answers_and_rules(save_table, tmp_path, capsys):
    path = save_table(drop_log(SPANS, validated_answers={}), "samples_drop.jsonl")
    (scores,) = qassay.score_files(path).values()
    assert scores.summary(["exact_match", "f1"]) == {"exact_match": 0.5, "f1": pytest.approx((1 + 0.5 + 0.67 + 1) / 4)}
    assert scores.options.preset == "drop"
    assert main(["score", str(path), "--option", "preset=squad_v2"]) == 2  # which has no answers of several spans
    assert "references[1][0] (id 1)" in capsys.readouterr().err


def test_joined_keys_are_no_gold_answer(save_table):
    one = [[["Paris"]], [["Rome"]], [["10"]], [["Nile"]]]
    lines = drop_log(one)
    assert columns(save_table(lines, "log.jsonl"))["gold_answers"] == [["Paris"], ["Rome"], ["10"], ["Nile"]]
    for line in lines:
        del line["doc"]["answers"]
    path = save_table(lines, "log.jsonl")
    with pytest.raises(FileError, match=r"references\[0\] \(id 0\) has the keys number, spans"):
        qassay.score_files(path)
    (scores,) = qassay.score_files(path, preset="drop").values()
    assert scores["exact_match"] == 0.75


def test_several_filters_are_systems_or_one_is_named(save_table, score):
    data = logs.lm_eval_lines({"strict-match": ANSWERS, "flexible": ["x"] * 4})
    path, names = save_table(data, "log.jsonl"), ["prediction_strict-match", "prediction_flexible"]
    assert all(name in said_by(qassay.score_files, path) for name in names)
    assert {*names, "gold_answers"} <= columns(path).keys() and "resps" not in columns(path)
    assert score(data, "log.jsonl", columns={"predictions": names[0]}) == 0.75
    found = qassay.score_files(path, columns={"predictions": names})
    assert [scores.summary(EM)["exact_match"] for scores in found.values()] == [0.75, 0]


LM_EVAL = logs.lm_eval_lines({"none": ANSWERS})
STARTED = logs.inspect_log([ANSWERS], "started", error={"message": "no memory\nmore"})


def zipped(**members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        for name, text in members.items():
            file.writestr(name, text)
    return out.getvalue()


@pytest.mark.parametrize(
    ("data", "name", "named"),
    [
        (LM_EVAL.replace(b"Everest", b"\xffverest", 1), "log.jsonl", "line 3"),
        (LM_EVAL[:-200], "log.jsonl", "line 4 is not valid JSON: unterminated string"),
        (logs.lm_eval_lines({"none": [["-1.5", "True"]] * 4}, kind=" Paris"), "log.jsonl", "line 1.*log-likelihoods"),
        (b"".join(logs.lm_eval_lines({"a": ANSWERS, "b": ANSWERS}).splitlines(True)[:-1]), "log.jsonl", "filters a and b"),
        ({"results": {}, "configs": {}, "versions": {}, "n-shot": {}}, "log.json", "samples_TASK_DATE.jsonl"),
        (logs.inspect_archive(STARTED), "log.eval", "started, no memory"),
        ({**logs.inspect_log([ANSWERS]), "samples": None}, "log.json", "has no samples"),
        (zipped(**{"_journal/start.json": "{}", "samples/a": "{}"}), "log.eval", "header.json"),
        (ARCHIVE[:-40], "log.eval", "end of this zip file"),
    ],
)  # fmt: skip
def test_logs_that_are_refused(save_table, data, name, named):
    with pytest.raises(FileError, match=named):
        qassay.score_files(save_table(data, name))


def test_names_of_systems_are_the_folders_of_lm_eval(save_table, tmp_path):
    for model in ("small", "large"):
        (tmp_path / model).mkdir()
        save_table(LM_EVAL, f"{model}/samples_t_2026-01-0{len(model) - 4}T10-00-00.123456.jsonl")
        save_table({"results": {}}, f"{model}/results_2026-01-01T10-00-00.123456.json")
    paths = sorted(tmp_path.glob("*/samples*"))
    assert list(qassay.score_files(paths[0], paths)) == ["large/samples_t", "small/samples_t"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # results are beside every log, and known
        assert list(qassay.score_files(tmp_path / "large")) == ["large"]
        assert list(qassay.score_files(paths[0], tmp_path / "small")) == ["small"]
        (tmp_path / "small" / "results_2026-01-01T10-00-00.123456.json").unlink()
        assert list(qassay.score_files(paths[0], tmp_path / "small")) == ["small"]


def test_answers_before_the_filter_can_be_scored_with_an_extraction(score):
    raw = [f"It is <answer>{answer}</answer>" for answer in ANSWERS]
    data = logs.lm_eval_lines({"tag": ["[invalid]"] * 4}, resps=raw)
    assert score(data, "log.jsonl") == 0
    assert score(data, "log.jsonl", columns={"predictions": "resps"}, extract="answer_tag") == 0.75
    assert score(logs.lm_eval_lines({"none": raw}), "log.jsonl", extract="answer_tag") == 0.75


def test_repeats_of_lm_eval_are_runs(save_table):
    data = logs.lm_eval_lines({"all": [[answer, "x"] for answer in ANSWERS]})
    path = save_table(data, "log.jsonl")
    assert 'name their column with columns={"run_id": "NAME"}' in said_by(qassay.score_files, path)
    (runs,) = qassay.score_files(path, columns={"run_id": "repeat"}).values()
    each = {name: run.summary(EM)["exact_match"] for name, run in runs.each_run().items()}
    assert each == {"1": 0.75, "2": 0.0}


# --- Inspect ----------------------------------------------------------------------------------------------------------


def packed_by_zstd(data):
    """An archive whose members are packed by zstd, each in two frames, as Inspect writes it."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as plain, zipfile.ZipFile(out, "w") as archive:
        for member in plain.infolist():
            content = plain.read(member)
            parts = [pa.compress(part, codec="zstd", asbytes=True) for part in (content[:9], content[9:])]
            info = zipfile.ZipInfo(member.filename)
            archive.writestr(info, b"".join(parts))
            info.CRC, info.file_size, info.compress_type = member.CRC, member.file_size, 93
    return out.getvalue()


def test_an_archive_packed_by_zstd(save_table, score):
    path = save_table(packed_by_zstd(ARCHIVE), "log.eval")
    assert columns(path) == columns(save_table(ARCHIVE, "plain.eval"))
    damaged = bytearray(path.read_bytes())
    place = damaged.index(b"samples/q1") + len("samples/q1_epoch_1.json")
    damaged[place + 20] ^= 255
    told = said_by(read_content, save_table(bytes(damaged), "log.eval"))
    assert "samples/q1_epoch_1.json" in told


def test_epochs_are_runs_also_of_two_logs(save_table, capsys):
    one = save_table(logs.inspect_log([ANSWERS, OTHERS]), "one.json")
    other = save_table(logs.inspect_archive(logs.inspect_log([OTHERS, OTHERS])), "other.eval")
    assert "epoch" in said_by(qassay.score_files, one)
    turned = logs.inspect_log([ANSWERS, OTHERS])
    turned["samples"].reverse()
    assert columns(save_table(turned))["epoch"] == [1] * 4 + [2] * 4
    assert main(["compare", str(one), str(other), "--columns", "run_id=epoch", "--format", "json"]) == 0
    values = json.loads(capsys.readouterr().out)["parts"][0]["values"]
    assert {name: cells["exact_match"]["value"] for name, cells in values.items()} == {"one": 0.75, "other": 0.75}


def test_missing_samples_and_letters_of_choices_are_reported(save_table, score):
    log = logs.inspect_log([ANSWERS])
    with pytest.warns(UserWarning, match="3 of the 4 samples"):
        read_content(save_table({**log, "samples": log["samples"][:3]}))
    log = logs.inspect_log([["ANSWER: A", "ANSWER: B", "A", "A"]])
    log["samples"] = [{**sample, "choices": ["x", "y"], "target": "A"} for sample in log["samples"]]
    with pytest.warns(UserWarning, match="scores.match.answer"):
        assert score(log) == 0.5
    with pytest.warns(UserWarning, match="letters of choices"):
        assert score(log, columns={"predictions": "scores.match.answer"}) == 0.75


def test_a_sample_that_ended_with_an_error_has_no_prediction(save_table):
    log = logs.inspect_log([ANSWERS])
    log["samples"][0]["error"] = {"message": "timeout"}
    (scores,) = qassay.score_files(save_table(log)).values()
    assert scores.summary(["exact_match", "missing"]) == {"exact_match": 0.5, "missing": 1}


def test_messages_attachments_and_answers_of_scorers(save_table, score):
    log = logs.inspect_log([ANSWERS])
    first, second, *_ = log["samples"]
    text = [{"type": "reasoning", "reasoning": "hm"}, {"type": "text", "text": "Where is it?"}]
    first["input"] = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": text}]
    first["output"] = {"choices": [{"message": {"content": text}}]}
    second["output"]["completion"] = "attachment://abc"
    second["attachments"] = {"abc": "Nile"}
    found = columns(save_table(log))
    assert found["question"][0] == found["prediction"][0] == "Where is it?"
    assert found["prediction"][1] == "Nile"
    assert score(log, columns={"predictions": "scores.match.answer"}) == 0.75
    second["attachments"] = {}
    assert "sample 2 of this log of Inspect has a text in an attachment that is not there" in said_by(
        read_content, save_table(log)
    )


def test_samples_in_parts(save_table):
    """Inspect may write a sample as a folder, with its metadata apart."""
    log = logs.inspect_log([ANSWERS])
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for sample in log.pop("samples"):
            folder = f"samples/{sample['id']}_epoch_1"
            archive.writestr(f"{folder}/metadata.json", json.dumps(sample.pop("metadata")))
            archive.writestr(f"{folder}/sample.json", json.dumps(sample))
            archive.writestr(f"{folder}/messages/0.json", "[]")
        archive.writestr("header.json", json.dumps(log))
    assert columns(save_table(out.getvalue(), "parts.eval")) == columns(save_table(ARCHIVE, "log.eval"))


# --- FlashRAG ---------------------------------------------------------------------------------------------------------


def test_outputs_of_flashrag_are_tables_with_objects(save_table):
    path = save_table(logs.flashrag_output(ANSWERS))
    qrels = save_table({f"test_{number}": {"1": 1} for number in range(4)}, "qrels.json")
    (scores,) = qassay.score_files(qrels, [path], columns={"run": "output.retrieval_result"}).values()
    assert scores.summary(["mrr"]) == {"mrr": 1}
    (scores,) = qassay.score_files(path, columns={"predictions": "output.pred"}).values()
    assert scores.summary(EM) == {"exact_match": 0.75}


# --- what is no log ---------------------------------------------------------------------------------------------------


def test_tables_that_look_a_little_like_logs_are_tables(save_table):
    for row in (
        {"id": "a", "prediction": "x", "target": "x", "filter": "none"},
        {"doc_id": 1, "target": "x", "prediction": "x"},
        {"id": "a", "version": 1, "status": "success", "prediction": "x", "gold": "x"},
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            table = read_content(save_table([row])).value
        assert (table.format, dict(table.columns)) == ("JSON", {name: [cell] for name, cell in row.items()})
