"""The assertion for tests of models: on Scores and on files, and what pytest shows of it. Decisions: comparison/test_margin.py."""

import re
from pathlib import Path

import pytest

import qassay
from qassay.testing import assert_not_worse

ROOT = Path(__file__).parents[2]
ANSWERS = ROOT / "samples" / "answers"
GOLD, SMALL, LARGE = (str(ANSWERS / f"{name}.json") for name in ("gold", "small_model", "large_model"))


def test_scores_and_files_give_one_verdict():
    scores = qassay.score_files(GOLD, {"old": SMALL, "new": LARGE}, normalizer="french")
    of_scores = assert_not_worse(scores["new"], scores["old"], "f1", margin=0.05)
    of_files = assert_not_worse(Path(LARGE), SMALL, "f1", margin=0.05, gold=GOLD, normalizer="french")
    assert of_files == of_scores and of_scores.is_not_worse and of_scores.difference.first == "old"
    with pytest.raises(
        AssertionError, match="(?s)^f1: new is worse than old by more than 0.05\nold 0.*largest losses: "
    ):
        assert_not_worse(SMALL, LARGE, "f1", margin=0.05, gold=GOLD)


def test_tables_may_hold_their_gold_answers(tmp_path):
    rows = [f"q{number},Rome,Rome" for number in range(60)]
    for name, extra in (("old", ""), ("new", "ish")):
        (tmp_path / f"{name}.csv").write_text("\n".join(["id,gold,prediction", *[row + extra for row in rows]]))
    files = [str(tmp_path / f"{name}.csv") for name in ("new", "old")]
    with pytest.raises(AssertionError, match="exact_match: new is worse than old"):
        assert_not_worse(*files, "exact_match", margin=0.1)
    (tmp_path / "two.csv").write_text("\n".join(["id,gold,a_prediction,b_prediction", "q1,Rome,Rome,Rome"]))
    with pytest.raises(ValueError, match="^old: .*two.csv holds 2 systems"):
        columns = {"predictions": ["a_prediction", "b_prediction"]}
        assert_not_worse(files[0], str(tmp_path / "two.csv"), "f1", margin=0.1, columns=columns)


def test_arguments_for_files_need_files():
    scores = qassay.score_files(GOLD, {"old": SMALL, "new": LARGE})
    with pytest.raises(TypeError, match="^gold, normalizer: "):
        assert_not_worse(scores["new"], scores["old"], "f1", margin=0.1, gold=GOLD, normalizer="french")
    with pytest.raises(TypeError, match="^old is a file"):
        assert_not_worse(scores["new"], SMALL, "f1", margin=0.1, gold=GOLD)
    with pytest.raises(TypeError, match="system 'new' must be a Scores"):
        assert_not_worse({"q1": "Rome"}, scores["old"], "f1", margin=0.1)


@pytest.mark.thorough
def test_the_page_of_pytest_is_true(monkeypatch):
    page = (ROOT / "docs" / "check.md").read_text("utf-8").partition("## In pytest")[2]
    code, message = (re.search(rf"```{language}\n(.*?)```", page, re.DOTALL)[1] for language in ("python", "text"))
    monkeypatch.chdir(ANSWERS.parent)
    names = {}
    exec(compile(code, "docs/check.md", "exec"), names)  # noqa: S102 - our own page
    with pytest.raises(AssertionError) as caught:
        names["test_the_new_model_is_not_worse"]()
    assert f"{caught.value}\n" == message
