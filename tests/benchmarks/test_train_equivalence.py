"""The script that makes the trees of the built-in scorer of answer equivalence."""

import importlib.metadata
import json

import numpy as np
import pytest

from qassay.answer_equivalence.lite_features import EQUIVALENCE_FEATURES, FOUND
from qassay.answer_equivalence.lite_rules import calibrated_probabilities
from qassay.core.forest import evaluate_forest, read_forest
from qassay.core.resources import read_resource

STORED = read_resource("equivalence_model.json", "qassay.answer_equivalence")


@pytest.fixture(scope="session")
def script(load_script):
    pytest.importorskip("sklearn", reason="scikit-learn, which fits the trees, is not installed")
    return load_script("train_equivalence")


@pytest.fixture
def folder(tmp_path, script, monkeypatch):
    """Both files with simulated verdicts, and few, small trees."""
    monkeypatch.setattr(script, "ROUNDS", 3)
    names = ("Ada", "Boris", "Carla", "Dmitri", "Elena", "Fritz", "Greta", "Hugo")
    for part, file in enumerate(("nq", "triviaqa_half")):
        rows = []
        for number in range(60):
            gold, other = (f"{names[(number + i) % 8]} {names[(number * 3 + i) % 7]}son" for i in (0, 1))
            row = {
                "question": f"who won race {number} of {part}",
                "golden_answer": f"{gold}/the {gold}",
                "improper": number == 5,
            }
            for place, system in enumerate(script.SYSTEMS):
                right = (number + place) % 3 > 0
                row |= {f"answer_{system}": f"It was {gold if right else other}.", f"judge_{system}": right}
            rows.append(row)
        rows[7]["judge_fid"] = rows[8]["answer_fid"] = None
        (tmp_path / f"evouna_{file}.json").write_text(json.dumps(rows), "utf-8")
    return tmp_path


def test_rows_without_a_verdict_or_of_improper_questions_are_omitted(script, folder):
    rows = script.read_rows(folder / "evouna_nq.json")
    assert len(rows.answers) == 59 * 5 - 1 and "who won race 5 of 0" not in rows.questions
    assert rows.answers.count("") == 1 and rows.golds[0] == ["Ada Adason", "the Ada Adason"]


def test_command_writes_the_same_file_again(script, folder, monkeypatch, capsys):
    written = []
    for name in ("one.json", "two.json"):
        monkeypatch.setattr("sys.argv", ["train_equivalence.py", str(folder), "--output", str(folder / name)])
        script.main()
        written.append((folder / name).read_bytes())
    assert written[0] == written[1] and f"{len(written[0]):,} bytes" in capsys.readouterr().out
    assert json.loads(written[0])["scorers"]["question"]["features"] == [*EQUIVALENCE_FEATURES]


def test_forests_predict_as_scikit_learn(script, folder):
    data = script.training(script.read_rows(folder / "evouna_nq.json"), {}, True)
    for model in script.fit_both(data):
        forest = read_forest(script.forest_document(model, script.SCALE))
        np.testing.assert_allclose(
            evaluate_forest(forest, data.judged), model.decision_function(data.judged), rtol=0, atol=1e-3
        )


def test_calibrated_mean_is_the_mean_of_verdicts_where_the_second_forest_speaks_too(script, folder):
    rows = script.read_rows(folder / "evouna_nq.json")
    data = script.training(rows, {}, True)
    columns = dict(zip(data.names, data.judged.T, strict=True))
    margins = script.out_of_fold(data, rows.questions)
    scores = calibrated_probabilities(margins, columns, script.calibration(data, rows.questions))
    asked = columns["recall"] >= FOUND
    assert 0 < asked.sum() < len(asked)
    for part in (asked, ~asked):
        assert scores[part].mean() == pytest.approx(rows.accepted[part].mean(), abs=2e-3)


def test_trees_that_do_not_read_a_group_do_not_depend_on_it(script, folder):
    data = script.training(script.read_rows(folder / "evouna_nq.json"), {}, True)
    for model in script.fit_both(data._replace(unused="words")):
        read = np.array([script.GROUP_OF_FEATURE[name] != "words" for name in data.names])
        np.testing.assert_array_equal(model.decision_function(data.judged), model.decision_function(data.judged * read))


@pytest.mark.parametrize("name", ["nq", "both", "adversarial"])
def test_tables(script, folder, monkeypatch, capsys, name):
    monkeypatch.setattr("sys.argv", ["train_equivalence.py", str(folder), "--tables", name])
    script.main()
    printed = capsys.readouterr().out
    expected = {
        "nq": ("with questions", "accuracy held out", "exact_match", "without words"),
        "both": ("questions held out", "  triviaqa_half", "accepted"),
        "adversarial": ("adversarial", "  all"),
    }
    assert all(words in printed for words in expected[name])


def test_made_answers_have_both_verdicts_and_are_reproducible(script, folder):
    rows = script.read_rows(folder / "evouna_nq.json")
    one, two = (script.made_cases(rows.questions[::5], rows.golds[::5]) for _ in range(2))
    assert one.answers == two.answers and 0.2 < one.accepted.mean() < 0.8
    assert one.accepted[one.for_verdicts].all()


def test_made_answers_have_another_word_in_the_place_of_one(script):
    syllables = ("ba", "ke", "li", "mo", "nu", "pa", "re", "si", "to", "vu")
    golds = [[" ".join(f"{one}{one}{other}" for other in ("ra", "tinde", "lo"))] for one in syllables]
    made = script.made_cases([f"why was match {number} stopped" for number in range(len(golds))], golds)
    wrong = [
        set(answer.split()) & set(texts[0].split())
        for answer, texts, accepted, kept in zip(
            made.answers, made.golds, made.accepted, made.for_verdicts, strict=True
        )
        if kept and not accepted
    ]
    assert wrong and all(1 <= len(shared) <= 2 for shared in wrong)  # "It was a b c.": the full stop


def test_some_gold_answers_are_omitted_but_not_all(script, folder):
    fewer, places = script.with_fewer_golds(script.read_rows(folder / "evouna_nq.json"))
    assert len(places) == len(fewer.golds) and {len(golds) for golds in fewer.golds} == {1}


@pytest.mark.thorough
def test_model_is_rebuilt_bit_for_bit(script, evouna):
    if importlib.metadata.version("scikit-learn") != json.loads(STORED)["scikit-learn"]:
        pytest.skip("another scikit-learn than the one that made the file")
    rows = [script.read_rows(evouna / f"evouna_{name}.json") for name in ("nq", "triviaqa_half")]
    assert script.model_text(script.joined(rows)) == STORED
