"""The kind of model in a folder, refusals and their messages, and the cache of loaded models."""

import re
import sys
import time
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

pytest.importorskip("sentence_transformers", reason='needs sentence_transformers: pip install -e ".[test-all]"')

import torch

from qassay.semantic_answer_similarity import encoders
from qassay.semantic_answer_similarity.encoders import clear_models, load_scorer

pytestmark = pytest.mark.thorough


def kind_of(folder: str, mode: str = "auto") -> str:
    return encoders._kind_of(folder, None, mode)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        *((name, "cross") for name in ("classic", "identity", "modular", "modernbert")),
        *((name, "bi") for name in ("bi", "prompts")),
    ],
)
def test_the_kind_is_detected(model_folders, name, kind):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert kind_of(model_folders(name)) == kind_of(model_folders(name), kind) == kind
        scorer = load_scorer(model_folders(name))
    assert scorer.mode == kind and scorer.name == model_folders(name)
    assert scorer.symmetric == (kind == "bi") and not scorer.reads_questions


@pytest.mark.parametrize(
    ("name", "mode", "named"),
    [
        ("bi", "cross", "random numbers"),
        ("encoder", "cross", "BertModel"),
        ("three_labels", "auto", "3 numbers"),
        ("causal", "auto", "LlamaForCausalLM"),
        ("sparse", "bi", "SparseEncoder"),
        ("headless", "auto", "classifier"),
        ("empty", "auto", "config.json"),
    ],
)
def test_other_kinds_are_refused(model_folders, name, mode, named):
    with pytest.raises(ValueError, match=named) as error:
        load_scorer(model_folders(name), mode=mode)
    assert repr(model_folders(name)) in str(error.value)


def rename_weights(folder, rename, binary=False):
    """Rewrite the weights of a folder under other names; weights without a new name are omitted."""
    from safetensors.torch import load_file, save_file

    weights = {rename(name): value for name, value in load_file(folder / "model.safetensors").items()}
    weights.pop(None, None)
    if binary:
        (folder / "model.safetensors").unlink()
        torch.save(weights, folder / "pytorch_model.bin")
    else:
        save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})


@pytest.mark.parametrize("binary", [False, True])
def test_one_lacking_weight_is_found(copied, binary):
    folder = copied("classic")
    lost = "bert.encoder.layer.1.output.dense.bias"
    rename_weights(folder, lambda name: None if name == lost else name, binary)
    with pytest.raises(ValueError, match=lost):
        load_scorer(str(folder))


@pytest.mark.parametrize(
    ("name", "mode", "named"), [("classic", "bi", "cross-encoder"), ("encoder", "auto", "BertModel")]
)
def test_what_is_odd_but_wanted_warns(model_folders, name, mode, named):
    with pytest.warns(UserWarning, match=named):
        assert kind_of(model_folders(name), mode) == "bi"


def test_relevance_models_warn_at_every_call(copied):
    folder = copied("classic", "Big-ReRank")
    for _ in range(2):
        with pytest.warns(UserWarning, match="Big-ReRank") as found:
            load_scorer(f"{folder}/")
        assert [warning.filename for warning in found] == [__file__]
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # only the last part of a path counts
        load_scorer(str(copied("classic", "reranker/sts")))


def test_broken_folders_say_what_is_wrong(copied, tmp_path):
    folder, without = copied("classic"), copied("classic", "without tokenizer")
    (without / "tokenizer.json").unlink()
    (folder / "model.safetensors").unlink()
    (tmp_path / "file").write_text("")
    for path, named in ((folder, "model.safetensors"), (without, "tokenizer"), (tmp_path / "file", "is a file"),
                        ("./x", "no folder"), ("two words", "'two words'")):  # fmt: skip
        with pytest.raises(ValueError, match=named):
            load_scorer(str(path))
    (folder / "config.json").write_text("{")
    with pytest.raises(ValueError, match="config.json"):
        load_scorer(str(folder))


def test_a_folder_has_a_fingerprint_of_its_files(model_folders, copied, tmp_path):
    folder, two = copied("classic", "one"), copied("classic", "two")
    found = load_scorer(str(folder)).revision
    assert re.fullmatch("folder-[0-9a-f]{12}", found)
    (two / "README.md").write_text("a note")
    (two / ".cache").mkdir()
    (two / ".cache" / "x.json").write_text("{}")
    (tmp_path / "link").symlink_to(folder)
    for same in (two, tmp_path / "link", f"{folder}/../one/"):
        assert load_scorer(str(same), revision=found).revision == found
    with pytest.raises(ValueError, match=f"'main'.*{found}"):
        load_scorer(str(folder), revision="main")
    for name in ("model.safetensors", "config.json"):
        other = copied("classic", f"changed-{name}")
        content = (other / name).read_bytes()
        (other / name).write_bytes(
            content[:-9] + bytes([content[-9] ^ 1]) + content[-8:] if "safe" in name else content + b"\n"
        )
        assert load_scorer(str(other)).revision != found


def test_missing_packages_say_what_to_install(monkeypatch, model_folders):
    folder = model_folders("classic")
    for package in ("torch", "sentence_transformers"):
        with monkeypatch.context() as patch, pytest.raises(ImportError, match=r"qassay\[sas\]") as error:
            patch.setitem(sys.modules, package, None)
            load_scorer(folder)
        assert package.replace("_", "-") in str(error.value)


@pytest.mark.parametrize(
    "options",
    [
        {"max_length": 65},
        {"max_length": 5},
        {"device": "cuda:99"},
    ],
    ids=str,
)
def test_wrong_options(model_folders, options):
    with pytest.raises(ValueError, match=str(list(options.values())[-1]).split(":")[0]):
        load_scorer(model_folders("classic"), **options)


def test_a_model_is_loaded_once(model_folders, tmp_path):
    first = load_scorer(model_folders("classic"), batch_size=2)
    link = tmp_path / "link"
    link.symlink_to(model_folders("classic"))
    for again in (
        load_scorer(model_folders("classic")),
        load_scorer(model_folders("classic") + "/."),
        load_scorer(str(link), mode="cross", progress=False),
    ):
        assert again.model is first.model
    others = [
        load_scorer(model_folders("classic"), **options)
        for options in ({"dtype": "bfloat16"}, {"max_length": 20}, {"device": "cpu"})
    ]
    assert len({id(scorer.model) for scorer in [first, *others]}) == 4
    clear_models()
    assert load_scorer(model_folders("classic")).model is not first.model


def test_threads_that_want_one_model_load_it_once(model_folders, monkeypatch):
    clear_models()
    loads, real = [], encoders._load
    monkeypatch.setattr(encoders, "_load", lambda *a: loads.append(a) or time.sleep(0.1) or real(*a))
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(load_scorer, [model_folders("bi")] * 4))
    assert len(loads) == 1 and len({id(scorer.model) for scorer in found}) == 1


def test_dtype_comes_from_the_option_and_not_from_the_file(model_folders, copied):
    from transformers import AutoModelForSequenceClassification

    folder = copied("classic")
    model = AutoModelForSequenceClassification.from_pretrained(model_folders("classic"), dtype=torch.bfloat16)
    model.save_pretrained(folder)
    assert load_scorer(str(folder)).model.dtype == torch.float32
    half = load_scorer(model_folders("classic"), dtype="bfloat16")
    assert half.model.dtype == torch.bfloat16
    full = load_scorer(model_folders("classic"))
    pairs = ["cat", "paris", "a b c"], ["dog", "paris, france", "11"]
    np.testing.assert_allclose(half.score(*pairs).scores, full.score(*pairs).scores, atol=0.05)


def test_a_sentence_encoder_without_some_weights_is_refused(copied):
    from safetensors.numpy import load_file, save_file

    folder = copied("bi")
    (file,) = folder.rglob("model.safetensors")
    weights = load_file(file)
    lacking = {name: array for name, array in weights.items() if ".layer.0.attention" not in name}
    assert len(lacking) < len(weights)
    save_file(lacking, file, metadata={"format": "pt"})
    with pytest.raises(ValueError, match=r"the weights .*attention.* are not in its files, so they would be random"):
        load_scorer(str(folder))
    save_file({name: array for name, array in weights.items() if "pooler" not in name}, file, metadata={"format": "pt"})
    assert load_scorer(str(folder)).mode == "bi", "nobody uses the pooler"


COMMIT = "d" * 40


def test_a_model_of_the_hub_has_its_commit_as_revision(downloaded, model_folders):
    downloaded("org/model", "identity", COMMIT, "main", "v1")
    for revision in (None, "v1", COMMIT):
        scorer = load_scorer("org/model", revision=revision)
        assert (scorer.name, scorer.mode, scorer.revision) == ("org/model", "cross", COMMIT)
    assert (
        scorer.score(["cat"], ["dog"]).scores == load_scorer(model_folders("identity")).score(["cat"], ["dog"]).scores
    )
    for model, version in (("org/nobody", None), ("org/model", "v9")):
        with pytest.raises(ValueError, match=f"'{model}'.*hub"):
            load_scorer(model, revision=version)


def test_code_of_a_model_that_is_not_trusted_is_not_run(copied):
    import json

    folder = copied("classic")
    config = json.loads((folder / "config.json").read_text("utf-8"))
    del config["model_type"]
    config["auto_map"] = {name: f"own.{name}" for name in ("AutoConfig", "AutoModelForSequenceClassification")}
    (folder / "config.json").write_text(json.dumps({**config, "model_type": "own"}), "utf-8")
    (folder / "own.py").write_text("raise RuntimeError('it ran')", "utf-8")
    with pytest.raises(ValueError, match="trust_remote_code"):
        load_scorer(str(folder))
