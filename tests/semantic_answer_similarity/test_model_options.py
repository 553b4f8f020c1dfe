"""The names of models: ids, folders, and the name of the built-in scorer, which a folder may have too."""

import importlib.util
import os
from pathlib import Path

import pytest

import qassay
from qassay.registry import get_family
from qassay.semantic_answer_similarity.model_options import named_model

SCORED_BY_MODELS = ("semantic_answer_similarity", "answer_equivalence")


@pytest.fixture
def in_folder(tmp_path, monkeypatch):
    """A folder to work in that holds a folder `lite`, a folder `other` and nothing else."""
    for name in ("lite", "other"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ("lite", "lite"),
        ("./lite", "./lite"),
        ("lite/", "./lite"),
        (Path("lite"), "./lite"),
        ("other/", "other"),
        ("org/model", "org/model"),
        ("./none/", "./none/"),
    ],
)
def test_a_folder_is_not_the_built_in_scorer(in_folder, given, named):
    assert named_model(given) == named.replace("/", os.sep)


@pytest.mark.thorough
@pytest.mark.parametrize("name", SCORED_BY_MODELS)
def test_a_folder_named_lite_is_loaded(in_folder, name):
    """It once scored silently by the built-in scorer."""
    pytest.importorskip("sentence_transformers", reason='needs sentence_transformers: pip install -e ".[test-all]"')
    options = get_family(name).load()[1](model="./lite")
    assert options.fingerprint is None and qassay.from_signature(options.signature()) == options
    with pytest.raises(ValueError, match=r"'\./lite'.*config.json"):
        qassay.score(name, ["a"], [["b"]], model=Path("lite"), **({"questions": ["?"]} if "equiv" in name else {}))


@pytest.mark.parametrize("name", SCORED_BY_MODELS)
def test_scores_of_other_trees_do_not_join(name, monkeypatch):
    """The fingerprint of the model file is in both forms of the signature."""
    mine = qassay.score(name, ["a"], [["b"]], ids=["1"], model="lite")
    scoring = __import__(f"qassay.{name}.scoring", fromlist=["scoring"])
    monkeypatch.setattr(scoring, "lite_model", lambda: {"version": "3", "fingerprint": "0" * 12, "accepted": 0.5})
    others = qassay.score(name, ["a"], [["b"]], ids=["2"], model="lite")
    assert all("fingerprint:000000000000" in others.options.signature(short) for short in (False, True))
    with pytest.raises(ValueError, match="fingerprint="):
        qassay.Scores.concat([mine, others])


@pytest.mark.parametrize("name", SCORED_BY_MODELS)
def test_a_misspelling_of_lite_and_a_file_of_python_are_refused_first(in_folder, name):
    for model, named in (
        ("light", "did you mean 'lite'"),
        (" Litte ", "did you mean 'lite'"),
        ("judge.py", "ORG/NAME"),
    ):
        with pytest.raises(ValueError, match=f"model='?{model}'?.*{named}"):
            qassay.score(name, ["a"], [["b"]], model=model)
        (in_folder / model).mkdir()
        assert get_family(name).load()[1](model=model).model == model


@pytest.mark.parametrize("name", SCORED_BY_MODELS)
def test_without_the_packages_of_models_another_name_suggests_lite_first(in_folder, monkeypatch, name):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    columns = {"questions": ["?"]} if "equiv" in name else {}
    for model, error, named in (
        ("bem", ImportError, "'bem'.*torch.*\"lite\""),
        ("./bem", ValueError, "'./bem'"),
        ("org/bem", ImportError, "torch"),
    ):
        with pytest.raises(error, match=named):
            qassay.score(name, ["a"], [["b"]], model=model, **columns)
