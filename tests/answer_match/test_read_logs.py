"""Logs of lm_eval, Inspect and FlashRAG, and results of Haystack, in small files of their layout.

tests/integrations/test_logs.py reads what the harnesses themselves write.
"""

import importlib
import io
import json
import warnings
import zipfile
from pathlib import Path

import pyarrow as pa
import pytest

import qassay
from qassay.cli import main
from qassay.files import FileError, read_gold
from qassay.files.content import read_content
from qassay.system_files import system_names

with pytest.MonkeyPatch.context() as patch:
    patch.syspath_prepend(Path(__file__).resolve().parents[2] / "benchmarks")
    logs = importlib.import_module("harness_logs")

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
    "FlashRAG": (logs.flashrag_output(ANSWERS), "intermediate_data.json"),
}


@pytest.mark.parametrize("kind", EVERY)
@pytest.mark.parametrize("metric", ["answer_match", "answer_equivalence", "semantic_answer_similarity"])
def test_a_log_is_scored_by_every_family_of_answers(save_table, kind, metric):
    options = {"model": "lite"} if metric == "semantic_answer_similarity" else {}
    (scores,) = qassay.score_files(save_table(*EVERY[kind]), metric=metric, **options).values()
    assert scores.summary(["total"]) == {"total": 4}
    right = next(iter(scores.columns.values())) > 0.9
    assert right.tolist() == [True, True, False, True]


@pytest.mark.parametrize("kind", EVERY)
def test_a_log_has_questions_and_their_details(save_table, kind):
    gold = read_gold(save_table(*EVERY[kind]))
    assert gold.metric == "answer_match" and gold.is_self_contained
    assert gold.details["question"] == list(logs.QUESTIONS)
    topic = "doc.topic" if kind == "lm_eval" else "metadata.topic"
    assert gold.details[topic] == ["a", "b", "a", "b"]


@pytest.mark.parametrize("kind", EVERY)
def test_two_logs_are_compared_by_one_command(save_table, tmp_path, monkeypatch, capsys, kind):
    data, name = EVERY[kind]
    others = {
        "lm_eval": lambda: logs.lm_eval_lines({"none": OTHERS}),
        "Inspect, JSON": lambda: logs.inspect_log([OTHERS]),
        "Inspect, eval": lambda: logs.inspect_archive(logs.inspect_log([OTHERS])),
        "FlashRAG": lambda: logs.flashrag_output(OTHERS),
    }[kind]()
    assert (
        main(["compare", str(save_table(data, f"a_{name}")), str(save_table(others, f"b_{name}")), "--format", "json"])
        == 0
    )
    printed = json.loads(capsys.readouterr().out)
    assert [system["values"]["exact_match"] for system in printed["systems"].values()] == [0.75, 0.75]


@pytest.mark.parametrize(
    "metric", ["answer_match", "semantic_answer_similarity", "retriever_reader", "retrieval_ranking"]
)
def test_explain_names_the_files_of_harnesses(capsys, metric):
    assert main(["explain", metric]) == 0
    _, _, told = capsys.readouterr().out.partition("files of harnesses (details: docs/integrations/logs.md)\n")
    names = [line.split()[0] for line in told.partition("\n\n")[0].splitlines() if line[2] != " "]
    wanted = {"retriever_reader": ["Haystack"], "retrieval_ranking": ["BEIR", "MTEB", "ranx", "ir_measures"]}
    assert names == wanted.get(metric, ["lm_eval", "Inspect", "FlashRAG", "Haystack"])


# --- lm_eval ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "target, expected",
    [
        (lambda golds: golds[0], ["Paris", "Nile", "Mount Everest", "Pacific"]),
        (lambda golds: golds, list(logs.QUESTIONS.values())),
        (lambda golds: {"text": golds, "answer_start": [0]}, list(logs.QUESTIONS.values())),
        (lambda golds: [3, 5], [["[3, 5]"]] * 4),  # a list of numbers that the question does not have is a text
        (lambda golds: "[not a list", [["[not a list"]] * 4),
        (lambda golds: len(golds), ["2", "1", "2", "1"]),
    ],
)
def test_targets_of_lm_eval(save_table, target, expected):
    path = save_table(logs.lm_eval_lines({"none": ANSWERS}, target), "log.jsonl")
    assert columns(path)["gold_answers"] == expected


def test_the_question_decides_whether_a_target_is_a_list_of_numbers_or_a_text(save_table):
    lines = [json.loads(line) for line in logs.lm_eval_lines({"none": ANSWERS}, lambda golds: "['a']").splitlines()]
    lines[0] |= {"target": "[3, 5]", "doc": {"answer": [3, 5]}}
    lines[1] |= {"target": "['b']", "doc": {"answer": "['b']"}}
    assert columns(save_table(lines, "log.jsonl"))["gold_answers"] == [["3", "5"], ["['b']"], ["a"], ["a"]]


def test_targets_that_may_be_numbers_of_choices_get_a_warning(save_table):
    def log(answers, place=0):
        lines = [json.loads(line) for line in logs.lm_eval_lines({"none": answers}, lambda golds: place).splitlines()]
        return [{**line, "doc": {"choices": ["Paris", "Nile"]}} for line in lines]

    with pytest.warns(UserWarning, match=r"the gold answers are numbers, which may be places in doc\.choices"):
        read_content(save_table(log(ANSWERS), "log.jsonl"))
    for lines in (log(["0", "1", " 1", "0"]), log(ANSWERS, place=2)):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            read_content(save_table(lines, "log.jsonl"))


def test_gold_answers_of_the_data_set_may_count(score):
    data = logs.lm_eval_lines({"none": ANSWERS}, lambda golds: golds[-1])
    assert score(data, "log.jsonl") == 0.5
    assert score(data, "log.jsonl", columns={"references": "doc.answers"}) == 0.75


def test_lines_that_are_read_one_by_one_are_the_same(save_table):
    """A log that begins with doc_id, as lm_eval writes it, is streamed."""
    data = logs.lm_eval_lines({"none": ANSWERS})
    mixed = [dict(sorted(json.loads(line).items(), reverse=True)) for line in data.splitlines()]
    assert columns(save_table(data, "a.jsonl")) == columns(save_table(mixed, "b.jsonl"))
    damaged = data.replace(b"Everest", b"\xffverest", 1)
    told = said_by(read_content, save_table(damaged, "log.jsonl"))
    assert "this file is not text in UTF-8 (byte 0xff in line 3)" in told


def test_a_log_of_lm_eval_as_a_list_and_of_one_line_is_the_same(save_table, score):
    lines = logs.lm_eval_lines({"none": ANSWERS}).splitlines(keepends=True)
    rows = [json.loads(line) for line in lines]
    assert score(rows) == score(b"".join(lines), "log.jsonl") == 0.75
    assert score(lines[0]) == 1 and score(lines[2], "log.jsonl") == 0


def test_several_filters_are_systems_or_one_is_named(save_table, score):
    data = logs.lm_eval_lines({"strict-match": ANSWERS, "flexible": ["x"] * 4})
    path = save_table(data, "log.jsonl")
    each = "predictions=prediction_strict-match predictions=prediction_flexible"
    with pytest.raises(
        FileError,
        match=r'as a system: columns=\{"predictions": \["prediction_strict-match"\, "prediction_flexible"\]\}',
    ):
        qassay.score_files(path)
    assert score(data, "log.jsonl", columns={"predictions": "prediction_strict-match"}) == 0.75
    names = [pair.partition("=")[2] for pair in each.split()]
    found = qassay.score_files(path, columns={"predictions": names})
    assert [scores.summary(EM)["exact_match"] for scores in found.values()] == [0.75, 0]


def test_filters_with_other_questions_are_refused(save_table):
    lines = logs.lm_eval_lines({"a": ANSWERS, "b": ANSWERS}).splitlines(keepends=True)
    told = said_by(read_content, save_table(b"".join(lines[:-1]), "log.jsonl"))
    assert "the filters a and b of this log of lm_eval do not have the same questions" in told


def test_answers_before_the_filter_can_be_scored_with_an_extraction(score):
    raw = [f"It is <answer>{answer}</answer>" for answer in ANSWERS]
    data = logs.lm_eval_lines({"tag": ["[invalid]"] * 4}, resps=raw)
    assert score(data, "log.jsonl") == 0
    assert score(data, "log.jsonl", columns={"predictions": "resps"}, extract="answer_tag") == 0.75
    assert score(logs.lm_eval_lines({"none": raw}), "log.jsonl", extract="answer_tag") == 0.75


def test_repeats_of_lm_eval_are_runs(save_table):
    data = logs.lm_eval_lines({"all": [[one, other] for one, other in zip(ANSWERS, OTHERS, strict=True)]})
    path = save_table(data, "log.jsonl")
    assert 'say which column names the run with columns={"run_id": "repeat"}' in said_by(qassay.score_files, path)
    (runs,) = qassay.score_files(path, columns={"run_id": "repeat"}).values()
    each = {name: run.summary(EM)["exact_match"] for name, run in runs.each_run().items()}
    assert each == {"1": 0.75, "2": 0.75}


def test_filters_with_one_and_with_several_answers_get_a_message(save_table):
    data = logs.lm_eval_lines({"first": ANSWERS, "all": [[answer, "x"] for answer in ANSWERS]})
    told = said_by(
        lambda path: qassay.score_files(path, columns={"predictions": "prediction_all"}), save_table(data, "l.jsonl")
    )
    assert "must be str, got list" in told


@pytest.mark.parametrize("kind, answers", [(" Paris", [["-1.5", "True"]]), (" Paris", [[-1.5, False]])])
def test_multiple_choice_has_no_answers_in_text(save_table, kind, answers):
    data = logs.lm_eval_lines({"none": answers * 4}, kind=kind)
    told = said_by(qassay.score_files, save_table(data, "log.jsonl"))
    assert "line 1 of this log of lm_eval has log-likelihoods and no answer in text" in told
    without = [{**json.loads(line), "arguments": {}} for line in data.splitlines()]
    assert "has log-likelihoods" in said_by(qassay.score_files, save_table(without, "log.jsonl"))


def test_a_truncated_log_is_reported(save_table):
    data = logs.lm_eval_lines({"none": ANSWERS})
    told = said_by(read_content, save_table(data[:-200], "log.jsonl"))
    assert told.endswith(
        "line 4 breaks off, as in a log of lm_eval that stopped early; write it again, or remove the line"
    )


def test_results_of_lm_eval_have_no_answers(save_table):
    results = {"results": {}, "configs": {}, "versions": {}, "n-shot": {}}
    assert "give samples_TASK_DATE.jsonl" in said_by(read_content, save_table(results))


@pytest.mark.parametrize("target", ["", None])
def test_a_log_without_gold_answers_needs_a_gold_file(save_table, score, target):
    data = logs.lm_eval_lines({"none": ANSWERS}, lambda golds: target)
    told = said_by(qassay.score_files, save_table(data, "log.jsonl"))
    assert "predictions (log of lm_eval with the columns id, question, doc_hash" in told and "not a gold file" in told
    gold = save_table({str(number): golds for number, golds in enumerate(logs.QUESTIONS.values())}, "gold.json")
    (scores,) = qassay.score_files(gold, [save_table(data, "log.jsonl")]).values()
    assert scores.summary(EM) == {"exact_match": 0.75}


def test_a_gold_file_may_have_the_ids_of_the_data_set(save_table):
    gold = save_table({f"q{number}": golds for number, golds in enumerate(logs.QUESTIONS.values())}, "gold.json")
    log = save_table(logs.lm_eval_lines({"none": ANSWERS}, str), "log.jsonl")
    (scores,) = qassay.score_files(gold, [log], columns={"log": {"ids": "doc.id"}}).values()
    assert scores.summary(EM) == {"exact_match": 0.75}


def test_other_questions_under_the_same_ids_are_reported(save_table):
    one = [json.loads(line) for line in logs.lm_eval_lines({"none": ANSWERS}).splitlines()]
    other = [{**row, "doc": {**row["doc"], "question": f"{row['doc']['question']}?"}} for row in one]
    files = save_table(one, "a.jsonl"), [save_table(other, "b.jsonl")]
    with pytest.warns(
        UserWarning, match=r"4 of 4 questions have another question than in .*a\.jsonl, first that with the id 0"
    ):
        qassay.score_files(*files)
    for row in one + other:
        del row["doc"]
    other[2]["doc_hash"] = "new"
    files = save_table(one, "a.jsonl"), [save_table(other, "b.jsonl")]
    with pytest.warns(UserWarning, match="1 of 4 questions have another doc_hash than .*id 2"):
        qassay.score_files(*files)
    other[2]["target"] = "K2"
    told = said_by(lambda: qassay.score_files(files[0], [save_table(other, "b.jsonl")]))
    assert "the id '2' has ['K2'] as gold" in told


def test_names_of_systems_are_the_folders_of_lm_eval(save_table, tmp_path):
    for model in ("small", "large"):
        (tmp_path / model).mkdir()
        data = logs.lm_eval_lines({"none": ANSWERS})
        save_table(data, f"{model}/samples_t_2026-01-0{len(model) - 4}T10-00-00.123456.jsonl")
        save_table({"results": {}}, f"{model}/results_2026-01-01T10-00-00.123456.json")
    paths = sorted(tmp_path.glob("*/samples*"))
    assert list(qassay.score_files(paths[0], paths)) == ["large/samples_t", "small/samples_t"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # results are beside every log, and known
        assert list(qassay.score_files(tmp_path / "large")) == ["large"]
    save_table({}, "large/other.json")
    with pytest.warns(UserWarning, match=r"large: of its 3 files samples_t_2026-01-01T10-00-00\.123456\.jsonl is read"):
        assert list(qassay.score_files(tmp_path / "large")) == ["large"]
    save_table(data, "large/samples_t_2026-01-03T10-00-00.123456.jsonl")  # the task again
    told = said_by(qassay.score_files, tmp_path / "large")
    assert "this folder has 2 logs: samples_t_2026-01-01T" in told and told.endswith("give one of them")


def test_the_ending_and_the_date_of_a_log_do_not_name_its_system():
    paths = ["a.EVAL.gz", "b.eval.jsonl", "samples_t_2026-01-01T10-00-00.123456.jsonl"]
    assert system_names(paths) == ["a", "b", "samples_t"]
    dates = [f"samples_t_2026-01-0{day}T10-00-00.123456.jsonl" for day in (1, 2)]
    assert system_names(dates) == [name.removesuffix(".jsonl") for name in dates]


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
    assert told.endswith("this log of Inspect is broken, in samples/q1_epoch_1.json; make it again")


def test_epochs_are_runs_also_of_two_logs(save_table, capsys):
    one = save_table(logs.inspect_log([ANSWERS, OTHERS]), "one.json")
    other = save_table(logs.inspect_archive(logs.inspect_log([OTHERS, OTHERS])), "other.eval")
    assert "--columns run_id=epoch" in refused(capsys, one)
    assert main(["compare", str(one), str(other), "--columns", "run_id=epoch", "--format", "json"]) == 0
    systems = json.loads(capsys.readouterr().out)["systems"]
    assert list(systems) == ["one", "other"]
    assert [system["values"]["exact_match"] for system in systems.values()] == [0.75, 0.75]


def test_an_id_that_is_a_list_is_refused_if_runs_are_split(save_table):
    log = logs.inspect_log([ANSWERS, OTHERS])
    log["samples"][1]["id"] = ["q"]
    told = said_by(lambda path: qassay.score_files(path, columns={"run_id": "epoch"}), save_table(log))
    assert told.endswith("row 1: the id in the column id is list: ['q']; give a text or a number")


def refused(capsys, *files):
    assert main(["score", *map(str, files)]) == 2
    return capsys.readouterr().err


def test_a_table_with_repeated_ids_and_no_column_of_runs_is_refused_beside_other_files(save_table, capsys):
    rows = [{"id": 1, "part": part, "prediction": "a", "gold": "a"} for part in (1, 1)]
    path = save_table(rows, "a.json")
    assert "repeats the id 1" in refused(capsys, path, path)


@pytest.mark.parametrize("status", ["error", "cancelled", "started"])
@pytest.mark.parametrize("make", [logs.inspect_archive, dict])
def test_an_evaluation_that_stopped_early_is_refused(save_table, status, make):
    log = logs.inspect_log([ANSWERS], status, error={"message": "no memory\nmore"})
    told = said_by(read_content, save_table(make(log), "log.eval"))
    assert told.endswith(
        f"is not of a whole evaluation (its status: {status}, no memory); finish it with inspect eval-retry"
    )


def test_unfinished_archives_are_refused_and_other_zip_files_are_not_logs(save_table):
    def archive(*names):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as file:
            for name in names:
                file.writestr(name, "{}\0")
        return save_table(out.getvalue(), "log.eval")

    assert "was not finished: it has no header" in said_by(read_content, archive("_journal/start.json", "samples/a"))
    assert "this zip file is not a log of Inspect: it has no header.json; unpack it" in said_by(
        read_content, archive("a.txt")
    )
    assert "the end of this zip file is missing" in said_by(read_content, save_table(ARCHIVE[:-40], "log.eval"))


def test_missing_samples_are_reported_and_a_log_without_any_is_refused(save_table):
    log = logs.inspect_log([ANSWERS])
    with pytest.warns(UserWarning, match="has 3 of the 4 samples of its task"):
        read_content(save_table({**log, "samples": log["samples"][:3]}))
    assert "has no samples" in said_by(read_content, save_table({**log, "samples": None}))


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


def test_letters_of_choices_are_reported(save_table, score):
    log = logs.inspect_log([["ANSWER: A", "ANSWER: B", "A", "A"]])
    log["samples"] = [{**sample, "choices": ["x", "y"], "target": "A"} for sample in log["samples"]]
    with pytest.warns(UserWarning, match="letters of choices; .* such as scores.match.answer"):
        assert score(log) == 0.5
    with pytest.warns(UserWarning, match="letters of choices.* by the normalizer none"):
        assert score(log, columns={"predictions": "scores.match.answer"}) == 0.75
    log["samples"][1]["target"] = ["A", "B"]
    with pytest.raises(FileError, match="several right choices, which must all be given"):
        score(log)


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


# --- FlashRAG and Haystack --------------------------------------------------------------------------------------------


def test_an_output_of_flashrag_has_documents_for_rankings(save_table):
    path = save_table(logs.flashrag_output(ANSWERS))
    qrels = save_table({f"test_{number}": {"1": 1} for number in range(4)}, "qrels.json")
    (scores,) = qassay.score_files(qrels, [path]).values()
    assert scores.summary(["mrr"]) == {"mrr": 1}
    rows = logs.flashrag_output(ANSWERS)
    assert columns(path)["raw_pred"] == [f"{answer}\n" for answer in ANSWERS]
    del rows[1]["output"]["pred"]
    assert "sample 2 of this output of FlashRAG has no output with 'pred'" in said_by(read_content, save_table(rows))


RESULTS = logs.haystack_results(ANSWERS)
GOLD = {f"q{number}": golds for number, golds in enumerate(logs.QUESTIONS.values())}


@pytest.mark.parametrize(
    "results",
    [
        RESULTS,
        {key: {"llm": result["llm"]} for key, result in RESULTS.items()},
        {key: result["llm"] for key, result in RESULTS.items()},  # of one node, without its name
        {key: {**result, "retriever": {"documents": [{"id": "d"}]}} for key, result in RESULTS.items()},
        [{"id": key, **result} for key, result in RESULTS.items()],
        {
            key: {"llm": {"replies": [{"role": "assistant", "content": [{"text": result["llm"]["replies"][0]}]}]}}
            for key, result in RESULTS.items()
        },
        {
            key: {"llm": {"replies": [{"role": "assistant", "content": result["llm"]["replies"][0]}]}}
            for key, result in RESULTS.items()
        },
        {
            key: {
                "b": {
                    "answers": [
                        {"type": "haystack.GeneratedAnswer", "init_parameters": result["builder"]["answers"][0]}
                    ]
                }
            }
            for key, result in RESULTS.items()
        },
    ],
)
def test_results_of_haystack(save_table, results):
    gold = save_table(GOLD, "gold.json")
    (scores,) = qassay.score_files(gold, [save_table(results, "model.json")]).values()
    assert scores.summary(EM) == {"exact_match": 0.75}


def test_results_in_the_order_of_the_gold_file_and_one_alone(save_table):
    gold = save_table(list(GOLD.values()), "gold.json")
    (scores,) = qassay.score_files(gold, [save_table(list(RESULTS.values()), "model.json")]).values()
    assert scores.summary(EM) == {"exact_match": 0.75}
    one = save_table([["Paris"]], "one.json")
    (scores,) = qassay.score_files(one, [save_table(RESULTS["q0"], "model.json")]).values()
    assert scores.summary(EM) == {"exact_match": 1}


def test_results_in_another_order_than_the_questions_are_refused(save_table):
    asked = [{"question": question, "answers": golds} for question, golds in logs.QUESTIONS.items()]
    results = [{"b": {"answers": [{"data": row["answers"][0], "query": row["question"]}]}} for row in asked]
    gold = save_table(asked, "gold.json")
    (scores,) = qassay.score_files(gold, [save_table(results, "model.json")]).values()
    assert scores.summary(EM) == {"exact_match": 1}
    told = said_by(qassay.score_files, gold, [save_table(results[::-1], "model.json")])
    assert f"row 0 answers the question of row {len(asked) - 1} of " in told and "or by id" in told


def test_several_answers_of_a_result_are_ranked_and_no_answer_is_empty(save_table):
    answers = [{"data": "Lyon"}, {"data": "Paris"}], [{"data": None}]
    results = {f"q{number}": {"reader": {"answers": of}} for number, of in enumerate(answers)}
    gold, model = save_table({"q0": ["Paris"], "q1": []}, "gold.json"), save_table(results, "model.json")
    (scores,) = qassay.score_files(gold, [model], top_k=(1, 2)).values()
    assert scores.summary(["exact_match@1", "exact_match@2"]) == {"exact_match@1": 0.5, "exact_match@2": 1}
    assert "for ranked lists of answers give the option top_k" in said_by(qassay.score_files, gold, [model])


@pytest.mark.parametrize(
    "results, words",
    [
        (
            {"q0": {"a": {"answers": ["x"]}, "b": {"answers": ["y"]}}},
            "row 0 has answers of several nodes (a, b); keep one",
        ),
        ({"q0": {"r": {"documents": []}}}, "row 0 has no node with answers (its nodes: r)"),
        ([{"id": "q0", "l": {"replies": ["x"]}}, {"l": {"replies": ["x"]}}], "row 1 has no id, and other rows have"),
    ],
)
def test_results_that_are_refused(save_table, results, words):
    assert words in said_by(qassay.score_files, save_table(GOLD, "gold.json"), [save_table(results, "model.json")])


def test_results_of_haystack_are_not_a_gold_file(save_table):
    assert "results of a pipeline of Haystack, not a gold file" in said_by(read_gold, save_table(RESULTS))


# --- what is no log ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "rows",
    [
        [{"id": "a", "prediction": "x", "target": "x", "filter": "none"}],
        [{"doc_id": 1, "target": "x", "prediction": "x"}],
        [{"id": "a", "golden_answers": ["x"], "output": "x"}],
        [{"id": "a", "version": 1, "status": "success", "prediction": "x", "gold": "x"}],
    ],
)
def test_tables_that_look_a_little_like_logs_are_tables(save_table, rows):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        table = read_content(save_table(rows)).value
    assert (table.log, dict(table.columns)) == (None, {name: [cell] for name, cell in rows[0].items()})


def odd_files():
    """Every log with one value replaced, at each place."""
    odd = (None, 3, "", [], [None], {}, {"a": 1})
    for data in ([json.loads(line) for line in logs.lm_eval_lines({"none": ANSWERS[:2]}).splitlines()],
                 logs.inspect_log([ANSWERS[:2], ANSWERS[:2]]), logs.flashrag_output(ANSWERS[:2])):  # fmt: skip
        sample = data["samples"][0] if isinstance(data, dict) else data[0]
        for of in (data if isinstance(data, dict) else {}, sample, sample.get("output", {})):
            for name, kept in list(of.items()):
                for value in odd:
                    of[name] = value
                    yield data
                of[name] = kept


def test_odd_values_in_a_log_have_a_result_or_an_error_of_the_file(save_table):
    refused = 0
    for data in odd_files():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                read_content(save_table(data))
            except FileError:
                refused += 1
    assert refused > 40
