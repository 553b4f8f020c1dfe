"""The result document: its schema, its columns, its texts, and its numbers."""

import json
import re
import shlex
import sys
from pathlib import Path

import numpy as np
import pytest

import qassay
from qassay.cli import main
from qassay.core.interval_settings import Intervals
from qassay.files.score_files import open_files, score_opened
from qassay.results import document
from qassay.results.document import _without_folders, compare_document
from qassay.results.plain_data import json_text
from qassay.results.read import check_document, read_document
from qassay.stats.difference import ComparisonSettings

SAMPLES = Path(__file__).parents[2] / "samples"
SCHEMA = json.loads(Path(qassay.__file__).parent.joinpath("results", "schema.json").read_text("utf-8"))
A, K, R, L, V = "answers", "rankings", "rag", "labels", "verdicts"
PAIR = f"{A}/gold.json {A}/small_model.json {A}/large_model.json"
COMMANDS = {
    "score answers": f"score {PAIR} --by error_kind language",
    "score thresholds": f"score {A}/gold.json {A}/large_model.json --no-answer-probabilities {A}/large_model_no_answer.json",
    "score confidences": f"score {A}/gold.json {A}/large_model.json --confidences {A}/large_model_no_answer.json",
    "score runs": f"score {A}/gold.json {A}/sampled_model.csv --columns run_id=seed --pass-at 1,2",
    "score extracted": f"score {A}/gold.json {A}/large_model.json --option extract=last_line",
    "score sentences": f"score {K}/sentences.qa {K}/sentences.scores",
    "score claims": f"score {V}/dense_claims.json",
    "score curves": f"score {L}/spam.csv --metric average_precision",
    "score boxes": f"score {L}/pages.jsonl {L}/pages_found.jsonl",
    "score no intervals": f"score {PAIR} --no-intervals --percent",
    "compare answers": f"compare {PAIR} --by question_word --percent",
    "compare three": f"compare {PAIR} leaderboard/systems/cedar.json --baseline small_model",
    "compare articles": f"compare {PAIR} --groups article",
    "compare rankings": f"compare {K}/qrels.txt {K}/bm25.run {K}/dense.run --by relevant_count",
    "compare RAG": f"compare {R}/questions.jsonl {R}/keyword.jsonl {R}/dense.jsonl --metric answer_match --metric "
    "retrieval_ranking --metric retriever_reader",
    "compare factoids": "compare factoid/gold.json factoid/careful.json factoid/hasty.json --by type",
    "compare labels": f"compare {L}/desk.csv {L}/desk_rules.csv {L}/desk_tuned.csv --metric label_metrics --by channel",
    "compare subjects": f"compare {L}/subjects.jsonl {L}/subjects_words.jsonl {L}/subjects_graph.jsonl --metric label_metrics",
    "compare similarity": f"compare {PAIR} --metric semantic_answer_similarity --metric answer_equivalence --option model=lite",
    "leaderboard": f"leaderboard {A}/gold.json leaderboard/systems --about leaderboard/about.yaml",
    "leaderboard factoids": "leaderboard factoid/gold.json factoid/careful.json factoid/hasty.json --questions count --by type",
}  # fmt: skip
QUICK = {"score": ["--resamples", "50"], "compare": ["--resamples", "50", "--permutations", "200"]}
QUICK["leaderboard"] = QUICK["compare"]


def printed(capsys, command):
    verb, *arguments = shlex.split(command)
    arguments = [str(SAMPLES / part) if (SAMPLES / part).exists() else part for part in arguments]
    assert main([verb, *arguments, *QUICK[verb], "--format", "json"]) == 0
    return json.loads(capsys.readouterr().out, parse_constant=pytest.fail)


@pytest.mark.parametrize("name", COMMANDS)
def test_commands_print_documents_of_the_schema_without_folders(name, capsys):
    jsonschema = pytest.importorskip("jsonschema")
    found = printed(capsys, COMMANDS[name])
    jsonschema.Draft202012Validator(SCHEMA).validate(found)
    assert check_document(found) is found
    assert str(SAMPLES) not in json.dumps(found) and "/home" not in found["command"]
    systems = [system["name"] for system in found["systems"]]
    for part in found["parts"]:
        measures = [measure["name"] for measure in part["measures"]]
        assert part["leads"] in measures and {*part["values"]} == {*systems} == {*part["examples"]["systems"]}
        assert all({*cells} <= {*measures} for cells in part["values"].values())
        assert {one["measure"] for one in part["comparisons"]} <= {*measures}
        n = len(part["examples"]["ids"])
        for line in found["remarks"]:
            assert line["metric"] != part["metric"] or all(place < n for place in line["examples"] or ())
        for slicing in part["slices"]:
            by_system = slicing["codes"] if slicing["of_systems"] else dict.fromkeys(systems, slicing["codes"])
            for system, codes in by_system.items():
                sizes = np.bincount([code for code in codes if code >= 0], minlength=len(slicing["labels"])).tolist()
                assert sizes == (slicing["n"][system] if slicing["of_systems"] else slicing["n"])


def test_means_of_examples_are_the_values(capsys):
    found = printed(capsys, COMMANDS["compare answers"])
    (part,) = found["parts"]
    assert found["scale"] == 100
    for system, columns in part["examples"]["systems"].items():
        for measure in ("exact_match", "f1"):
            values = np.array(columns["values"][measure], float)
            assert values.mean() == pytest.approx(part["values"][system][measure]["value"], abs=1e-5)
            for slicing in part["slices"]:
                codes = np.array(slicing["codes"])
                for place, of_label in enumerate(slicing["values"]):
                    assert values[codes == place].mean() == pytest.approx(of_label[system][measure]["value"], abs=1e-5)


def test_slices_have_the_numbers_of_scores_of_their_examples():
    gold = {f"q{row}": ["a b"] if row % 3 else [] for row in range(60)}
    answers = {key: ["a b", "a", ""][row % 7 % 3] for row, key in enumerate(gold)}
    scores = qassay.score("answer_match", answers, gold)
    labels = [str(row % 4) for row in range(60)]
    (part,) = document(scores, by={"place": labels})["parts"]
    (slicing,) = [one for one in part["slices"] if one["name"] == "place"]
    assert slicing["requested"] and slicing["labels"] == ["0", "1", "2", "3"]
    for place, (_, of_label) in enumerate(sorted(scores.by(labels).items())):
        for measure, one in slicing["values"][place]["scores"].items():
            assert one["value"] == pytest.approx(of_label[measure], abs=1e-12)
            ends = of_label.interval([measure])[measure]
            assert [one["low"], one["high"]] == pytest.approx(list(ends), abs=1e-12)
            assert one["method"] == ends.method


def test_one_system_two_systems_and_a_leaderboard_of_scores():
    gold = {f"q{row}": [str(row)] for row in range(40)}
    systems = {
        name: qassay.score("answer_match", {key: key[1:] if row < right else "?" for row, key in enumerate(gold)}, gold)
        for name, right in (("sharp", 36), ("fair", 30), ("blunt", 12))
    }
    compared = document(systems, "compare", measures="f1", n_permutations=200)
    assert len(compared["parts"][0]["comparisons"]) == 3 and compared["parts"][0]["ranks"][0]["measure"] == "f1"
    board = document(systems, "leaderboard", measures=["exact_match"], n_permutations=200, percent=True)
    (ranking,) = board["parts"][0]["ranks"]
    assert [row["system"] for row in ranking["systems"]] == ["sharp", "fair", "blunt"] and ranking["systems"][0][
        "value"
    ] == 90
    (ranks,) = document(systems, "compare", measures="f1", n_permutations=200, percent=True)["parts"][0]["ranks"]
    assert [row["value"] for row in ranks["systems"]] == [90, 75, 30]
    plain = document(systems["fair"])
    assert plain["kind"] == "score" and plain["test"] is None and plain["parts"][0]["examples"]["question"] is None
    for wrong in (3, {}, {"a": 1}):
        with pytest.raises(TypeError, match="Scores"):
            document(wrong)
    with pytest.raises(ValueError, match="kind"):
        document(systems, "rank")
    with pytest.raises(ValueError, match="2 labels for the 40"):
        document(systems["fair"], by={"half": ["a", "b"]})


def scored(*paths):
    given = open_files(None, str(SAMPLES / paths[0]), [str(SAMPLES / path) for path in paths[1:]], {})
    return score_opened(given)


def test_texts_have_a_budget_and_wrong_answers_come_first(monkeypatch):
    settings = ComparisonSettings(intervals=Intervals(n_resamples=50), n_permutations=100)
    answers = scored("answers/gold.json", "answers/small_model.json", "answers/large_model.json")
    whole = compare_document(answers, settings)
    monkeypatch.setattr(sys.modules["qassay.results.document"], "TEXT_BUDGET", 2_500)
    assert whole["texts"]["left_out"] == "" and whole["parts"][0]["examples"]["has_text"] is None
    cut = compare_document(answers, settings)
    (part,) = cut["parts"]
    examples, full = part["examples"], whole["parts"][0]["examples"]
    assert cut["texts"]["used"] <= 2_500 and str(examples["has_text"].count(False)) in cut["texts"]["left_out"]
    right = [kind["right"] for kind in part["kinds"]["order"]]
    is_wrong = [
        any(not right[columns["kinds"][place]] for columns in examples["systems"].values())
        for place in range(len(examples["ids"]))
    ]
    kept = [wrong for wrong, has_text in zip(is_wrong, examples["has_text"], strict=True) if has_text]
    assert kept and all(kept)
    for place, has_text in enumerate(examples["has_text"]):
        assert examples["question"][place] == (full["question"][place] if has_text else None)
    for system, columns in examples["systems"].items():
        assert columns["values"] == full["systems"][system]["values"]
    check_document(cut)


def test_the_date_is_left_out_for_builds_that_can_be_repeated(monkeypatch):
    scores = qassay.score("answer_match", ["a"], [["a"]])
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", document(scores)["date"])
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    assert "date" not in document(scores)


def test_missing_predictions_are_a_check_with_their_examples(capsys, tmp_path):
    gold, system = tmp_path / "gold.json", tmp_path / "system.json"
    gold.write_text(json.dumps({"a": ["x"], "b": ["y"], "c": ["z"]}))
    system.write_text(json.dumps({"a": "x", "z": "?"}))
    assert main(["score", str(gold), str(system), "--format", "json"]) == 0
    remarks = {line["id"]: line for line in json.loads(capsys.readouterr().out)["remarks"]}
    assert remarks["missing"]["examples"] == [1, 2] and remarks["missing"]["kind"] == "check"
    assert remarks["unmatched"]["count"] == 1 and remarks["unmatched"]["examples"] is None


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("qassay score /a/b/gold.json /a/x.json --by language", "qassay score gold.json x.json --by language"),
        ("qassay score a=/x/b.json,/x/c.json gold/d.json", "qassay score a=b.json,c.json gold/d.json"),
        ("qassay score '/a b/gold.json' '/a/b c.json'", "qassay score gold.json 'b c.json'"),
        ("qassay score g.json s.json --option separator=/", "qassay score g.json s.json --option separator=/"),
    ],
)
def test_commands_have_no_folders_of_this_machine(command, shown):
    assert _without_folders(command) == shown


def test_documents_come_back_from_files_and_others_are_refused(tmp_path):
    import gzip

    found = document(qassay.score("answer_match", ["a", "b"], [["a"], ["c"]]))
    path = tmp_path / "result.json"
    path.write_text(json_text(found), "utf-8")
    assert read_document(path) == found
    path.write_bytes(gzip.compress(json_text(found).encode()))
    assert read_document(path) == found
    short = json.loads(json_text(found))
    short["parts"][0]["examples"]["systems"]["scores"]["values"]["f1"].pop()
    lacking, other = (json.loads(json_text(found)) for _ in range(2))
    del lacking["parts"][0]["examples"]["ids"]
    other["parts"][0]["slices"] = 3
    for wrong, told in (
        ("{", "not JSON"),
        ("[]", "not a result document"),
        ('{"format": "qassay.result/99"}', "version 99"),
        ('{"format": "qassay.result/1"}', "kind"),
        (json.dumps(short), r"systems\.scores\.values\.f1 has 1 items and must have 2"),
        (json.dumps({**lacking, "parts": []}), "has no parts"),
        (json.dumps(lacking), r"parts\[0\] has no field 'ids'"),
        (json.dumps(other), r"parts\[0\] has a field of another type"),
    ):
        path.write_text(wrong)
        with pytest.raises(ValueError, match=told) as error:
            read_document(path)
        assert str(path) in str(error.value)


def test_the_first_version_is_still_read():
    found = read_document(Path(__file__).parents[1] / "viewer" / "result-1.json")
    assert found["format"] == "qassay.result/1" and found["parts"][0]["comparisons"]


def test_remarks_of_a_leaderboard_name_systems_as_the_document_does(capsys):
    found = printed(capsys, COMMANDS["leaderboard"])
    (missing,) = [line for line in found["remarks"] if line["id"] == "missing"]
    assert missing["system"] == "juniper" and missing["text"].startswith("Juniper (no Japanese): 4 ")
    assert len(missing["examples"]) == missing["count"] == 4


def test_large_comparisons_need_no_scipy_stats():
    import subprocess
    import sys

    program = (
        "import sys, qassay\nfrom qassay.results import document\n"
        "gold = {f'q{n}': ['a b', 'c'] for n in range(400)}\n"
        "systems = {s: qassay.score('answer_match', {k: 'abc'[(n * s) % 3] for n, k in enumerate(gold)}, gold) for s in (1, 2)}\n"
        "document({str(s): of for s, of in systems.items()}, 'compare', by={'third': [str(n % 3) for n in range(400)]})\n"
        "sys.exit('scipy.stats' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_a_measure_of_one_system_alone_is_shown_too(capsys):
    found = printed(
        capsys, f"score {PAIR} --no-answer-probabilities large_model={SAMPLES / A / 'large_model_no_answer.json'}"
    )
    shown = {measure["name"]: measure["shown"] for measure in found["parts"][0]["measures"]}
    assert shown["best_f1"] and not shown["precision"]
    assert "best_f1" not in found["parts"][0]["values"]["small_model"]
