"""The comparison of post-processing at a tiny size: a stand-in for the peer's script, which answers as it does."""

import pytest

# It has the peer's signature, files and texts; a clone with the real one is not part of the tests.
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


@pytest.fixture
def run(load_script, tmp_path, monkeypatch):
    script = load_script("training")

    def main(change="pass"):
        path = tmp_path / script.SCRIPT
        path.parent.mkdir(parents=True)
        path.write_text(PEER.replace("CHANGE", change))
        words = ["--transformers", str(tmp_path), "--questions", "6", "--length", "160", "--repeats", "1"]
        monkeypatch.setattr("sys.argv", ["training.py", *words])
        script.main()

    return main


def test_the_tables(run, capsys):
    run()
    printed = capsys.readouterr().out
    assert "equal: 6 texts (" in printed and "(0 of them no answer)" in printed
    for title in ("SQuAD 2.0: 6 questions", "SQuAD 1.1: 6 questions", "above the data"):
        assert title in printed


def test_another_text_is_reported(run):
    with pytest.raises(SystemExit, match="1 texts differ, the first of .'q4'."):
        run("texts['q4'] += '!'")


def test_without_a_clone(load_script, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["training.py", "--transformers", str(tmp_path)])
    with pytest.raises(SystemExit):
        load_script("training").main()
    assert "give --transformers, a checkout" in capsys.readouterr().err
