"""Every script of benchmarks/ runs with its smallest arguments, ends well and prints its table.

Not here: screenshots.py needs a browser; reward_goldens.py needs published files; ranking.py takes minutes.
"""

import importlib.util
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
GOLD, SMALL = (ROOT / "samples" / "answers" / f"{name}.json" for name in ("gold", "small_model"))

# Script -> arguments, a part of what it prints, and the library that it needs.
SCRIPTS = {
    "agreement": ("pairs.csv", "all (60)", None),
    "answers": ("--small --repeats 1", "rankings of 10 documents", "evaluate"),
    "compare": ("--questions 200 --permutations 500 --repeats 1", "scipy permutation_test", None),
    "preset_goldens": ("--programs programs --check 20", "gaia: 20 numbers, 0 differ", None),
    "equivalence": (". --repeats 1 --answers 10", "answer_match (EM, F1, contains)", None),
    "equivalence_cases": ("", "second half", None),
    "known_failures": ("", "variations", None),
    "interval_coverage": ("--samples 2 --sizes 20 --groups 10 --gate-sizes 30 --workers 1"
                          " --tables shares intervals groups differences tests skew", "Type I error", None),
    "scale": ("--coverage --runs 2", "│", None),
    "similarity": ("--lite --data squad --repeats 1", "lite", None),
    "space": (f"{GOLD} {SMALL}", "│", "gradio"),
    "input_lines": ("", "  in all", None),
    "way_in": ("", "changes of file", None),
    "versions": ("--python 3.99 --bounds newest", "no Python 3.99 is here; skipped", None),
}  # fmt: skip


# It has the function of GAIA's scorer.
PROGRAM = """
import qassay

def question_scorer(answer, gold):
    return qassay.score("answer_match", [answer], [[gold]], preset="gaia")["exact_match"]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Invented data: verdicts in the form of EVOUNA, labelled pairs, questions in SQuAD's format with answers."""
    folder = tmp_path_factory.mktemp("data")
    names = ("Ada", "Boris", "Carla", "Dmitri", "Elena", "Fritz", "Greta", "Hugo")
    for part, file in enumerate(("nq", "triviaqa_half")):
        rows = []
        for number in range(60):
            gold, other = (f"{names[(number + i) % 8]} {names[(number * 3 + i) % 7]}son" for i in (0, 1))
            row = {
                "question": f"who won race {number} of {part}",
                "golden_answer": f"{gold}/the {gold}",
                "improper": False,
            }
            for place, system in enumerate(SYSTEMS):
                right = (number + place) % 3 > 0
                answer = f"It was {gold if right else other}."
                if place % 2:
                    who = gold if right else other
                    answer = f"the answer to question {number} of {part} is of course {who} , as every book on that old race of {place} says in one of its first pages and again at the very end"
                row |= {f"answer_{system}": answer, f"judge_{system}": right}
            rows.append(row)
        (folder / f"evouna_{file}.json").write_text(json.dumps(rows), "utf-8")
    golds = [f"{word} {number}" for word in ("cat", "north", "Rome") for number in range(20)]
    others = [gold[i % 3 :] if i % 4 else f"thing{i}" for i, gold in enumerate(golds)]
    lines = [f"{i},{gold},{other},{i % 3},{0.9 - 0.4 * (i % 3)}" for i, (gold, other) in enumerate(zip(golds, others))]
    for name in ("pairs", "nq_open_pairs"):
        (folder / f"{name}.csv").write_text("\n".join([",answer1,answer2,label,sas", *lines]), "utf-8")
    (folder / "programs" / "gaia").mkdir(parents=True)
    (folder / "programs" / "gaia" / "scorer.py").write_text(PROGRAM, "utf-8")
    (folder / "squad").mkdir()
    context = " ".join(f"{name} had {number} mills in 18{number}1." for number, name in enumerate(names))
    questions = [{"id": name, "question": "Where?", "answers": [{"text": f"{name}son"}]} for name in names]
    data = [{"title": "Mills", "paragraphs": [{"context": context, "qas": questions}]}]
    (folder / "squad" / "dev-v2.0.json").write_text(json.dumps({"data": data}), "utf-8")
    (folder / "squad" / "predictions_bert.json").write_text(
        json.dumps({name: f"{name} town" for name in names}), "utf-8"
    )
    return folder


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_runs_and_prints_its_table(folder, name):
    words, printed, library = SCRIPTS[name]
    if library:
        pytest.importorskip(library, reason=f'needs {library}: pip install -e ".[test-all]"')
    command = [sys.executable, ROOT / "benchmarks" / f"{name}.py", *shlex.split(words)]
    environment = {key: value for key, value in os.environ.items() if key != "QASSAY_TEST_DATA"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert printed in done.stdout


def test_every_script_is_run_here_or_named():
    scripts = {path.stem for path in (ROOT / "benchmarks").glob("*.py") if "__main__" in path.read_text("utf-8")}
    others = {"evouna", "labels", "train_text_pairs", "training"}  # below
    absent = {"ranking", "screenshots", "reward_goldens"}
    assert scripts == {*SCRIPTS, *others, *absent}


def test_the_commands_of_the_page_about_evouna(load_script, folder, monkeypatch, capsys):
    script = load_script("evouna")
    monkeypatch.chdir(folder)
    ran = []
    text = (ROOT / "docs" / "people_and_judges.md").read_text("utf-8")
    block = re.search(r"^```bash\n(python benchmarks/evouna\.py.*?)^```", text, re.DOTALL | re.MULTILINE)[1]
    for line in block.splitlines():
        command, *words = shlex.split(line)
        few = [] if "--table" in words else ["--draws", "2", "--labels", "30"]
        assert not main(words) if command == "qassay" else script.main([*words[1:], *few]) is None
        ran.append(capsys.readouterr().out)
    assert ran[1] == "evouna_nq.csv: 300 answers to 60 questions\n" and "300 labelled answers" in ran[2]


def test_both_models_are_written_and_written_again(load_script, folder, tmp_path, monkeypatch, capsys):
    script = load_script("train_text_pairs")
    for rounds in ("ROUNDS", "MADE_ROUNDS", "SIMILARITY_ROUNDS"):
        monkeypatch.setattr(script, rounds, 3)
    written = []
    for name in ("one", "two"):
        monkeypatch.setattr("sys.argv", ["train_text_pairs.py", str(folder), "--output", str(tmp_path / name)])
        script.main()
        files = (tmp_path / name / file for file in (script.EQUIVALENCE, script.SIMILARITY))
        written.append([file.read_bytes() for file in files])
    assert written[0] == written[1] and "two" in capsys.readouterr().out
    assert set(json.loads(written[0][0])["scorers"]) == {"question", "no_question"}


def test_tables_of_the_model_of_similarity(load_script, folder, monkeypatch, capsys):
    script = load_script("train_text_pairs")
    monkeypatch.setattr(script, "SIMILARITY_ROUNDS", 3)
    monkeypatch.setattr(script, "SEEDS", (0,))
    monkeypatch.setattr("sys.argv", ["train_text_pairs.py", str(folder), "--tables", "similarity"])
    script.main()
    assert "without values" in capsys.readouterr().out


def test_labels_are_timed_in_each_form(load_script):
    script = load_script("labels")
    found = script.one_label(200, None, None, 1)
    assert list(found) == ["integers, lists", "integers, arrays", "strings, lists", "strings, arrays"]


# It has the signature, files and texts of the peer; a clone with the real one is not part of the tests.
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


@pytest.mark.skipif(importlib.util.find_spec("transformers") is None, reason="needs transformers")
@pytest.mark.parametrize("change", ["pass", "texts['q4'] += '!'"])
def test_post_processing_is_compared_with_a_peer(load_script, tmp_path, monkeypatch, capsys, change):
    script = load_script("training")
    path = tmp_path / script.SCRIPT
    path.parent.mkdir(parents=True)
    path.write_text(PEER.replace("CHANGE", change))
    words = ["--transformers", str(tmp_path), "--questions", "6", "--length", "160", "--repeats", "1"]
    monkeypatch.setattr("sys.argv", ["training.py", *words])
    if change == "pass":
        script.main()
        assert "equal: 6 texts (" in capsys.readouterr().out
    else:
        with pytest.raises(SystemExit, match="'q4'"):
            script.main()


def test_each_table_of_a_page_has_a_script_that_writes_it(load_script):
    tables, on_pages = load_script("page_tables"), []
    block = re.compile(r"(?ms)^<!-- table (\S+) -->\n\n(.*?)\n\n<!-- end of table (\S+) -->$")
    for page in (ROOT / "docs" / "benchmarks.md", ROOT / "metrics" / "answer_equivalence" / "README.md"):
        text = page.read_text("utf-8")
        blocks = block.findall(text)
        assert len(blocks) == text.count("<!-- table ") == text.count("<!-- end of table ")
        for name, content, _ in blocks:
            origin = rf"\n\nMeasured \d{{4}}-\d\d-\d\d on .+ by `{re.escape(tables.COMMANDS[name])}`\.$"
            assert content.startswith("|") and re.search(origin, content), name
            on_pages.append(name)
            new = tables.replaced(text, name, tables.Shown("", ["", "n"], [["new", "1"]]), "2026-11-28 by hand")
            assert new.partition(f"<!-- table {name} -->")[0] == text.partition(f"<!-- table {name} -->")[0]
            assert (
                new.partition(f"<!-- end of table {name} -->")[2] == text.partition(f"<!-- end of table {name} -->")[2]
            )
    assert sorted(on_pages) == sorted(tables.COMMANDS)


def test_the_matrix_of_versions_has_the_bounds_of_the_package(load_script):
    versions = load_script("versions")
    oldest = dict(line.split("==") for line in versions.oldest())
    bounded = [line for line in versions.requirements() if ">=" in line and not line.startswith("qassay")]
    assert {re.match(r"[\w-]+", line)[0]: re.search(r">=([\w.]+)", line)[1] for line in bounded} == oldest
    text = (ROOT / ".github" / "workflows" / "versions.yml").read_text("utf-8")
    listed = re.findall(r'"(3\.\d+)"', re.search(r"python: \[(.*)\]", text)[1])
    assert set(versions.pythons()) <= set(listed)
