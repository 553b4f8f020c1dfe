"""The kind of model in a folder, refusals and their messages, and the cache of loaded models."""

import importlib.metadata
import json
import re
import shutil
import sys
import time
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from qassay.semantic_answer_similarity import model_hub, model_loading
from qassay.semantic_answer_similarity.model_hub import ModelNotFound
from qassay.semantic_answer_similarity.model_loading import clear_models, load_scorer, model_kind
from qassay.semantic_answer_similarity.scoring import SimilarityOptions

COMMIT = "d" * 40


@pytest.fixture(autouse=True, scope="module")
def libraries():
    """Loaded by the first test, so that collecting tests stays quick."""
    global torch
    torch = pytest.importorskip("torch", reason="models need the packages of qassay[sas]")
    pytest.importorskip("sentence_transformers", reason="models need the packages of qassay[sas]")


def kind_of(folder: str, mode: str = "auto") -> str:
    return model_kind(folder, model_hub.find_model(folder), mode)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        *((name, "cross") for name in ("classic", "identity", "modular", "modernbert")),
        *((name, "bi") for name in ("bi", "prompts", "static")),
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
    ("name", "mode", "message"),
    [
        ("bi", "cross", "is a bi-encoder: as a cross-encoder it would get a last layer of random numbers"),
        ("encoder", "cross", "was saved as BertModel: as a cross-encoder it would get a last layer of random numbers"),
        ("three_labels", "auto", "gives 3 numbers per pair, as classifiers do"),
        ("three_labels", "cross", "gives 3 numbers per pair, as classifiers do"),
        ("causal", "auto", "is LlamaForCausalLM, which writes text"),
        ("causal", "cross", "is LlamaForCausalLM, which writes text"),
        ("sparse", "auto", "is a SparseEncoder, which is neither"),
        ("sparse", "bi", "is a SparseEncoder, which is neither"),
        ("headless", "auto", "weights classifier.bias, classifier.weight of the model .* random numbers"),
        ("headless", "cross", "weights classifier.bias, classifier.weight of the model .* random numbers"),
        ("empty", "auto", "has neither modules.json nor config.json.*holds nothing"),
    ],
)
def test_other_kinds_are_refused(model_folders, name, mode, message):
    with pytest.raises(ValueError, match=message) as error:
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
@pytest.mark.parametrize(
    "rename",
    [
        lambda name: name,
        lambda name: name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta"),
        lambda name: name.removeprefix("bert."),
    ],
)
def test_weights_of_any_spelling_are_loaded_once(model_folders, copied, monkeypatch, rename, binary):
    from transformers import PreTrainedModel

    folder = copied("classic")
    rename_weights(folder, rename, binary)
    loads, real = [], PreTrainedModel.from_pretrained.__func__
    monkeypatch.setattr(
        PreTrainedModel, "from_pretrained", classmethod(lambda *a, **k: loads.append(a[0].__name__) or real(*a, **k))
    )
    scorer = load_scorer(str(folder))
    assert loads == ["BertForSequenceClassification"]
    expected = load_scorer(model_folders("classic")).score(["cat", "paris"], ["dog", "london"]).scores
    np.testing.assert_allclose(scorer.score(["cat", "paris"], ["dog", "london"]).scores, expected, atol=1e-6)


@pytest.mark.parametrize("binary", [False, True])
def test_one_lacking_weight_is_found(copied, binary):
    folder = copied("classic")
    lost = "bert.encoder.layer.1.output.dense.bias"
    rename_weights(folder, lambda name: None if name == lost else name, binary)
    with pytest.raises(ValueError, match=f"the weights {lost} of the model .* random numbers"):
        load_scorer(str(folder))


def test_weights_in_several_files_are_loaded_once(model_folders, copied, monkeypatch):
    from transformers import AutoModelForSequenceClassification

    folder = copied("classic")
    (folder / "model.safetensors").unlink()
    model = AutoModelForSequenceClassification.from_pretrained(model_folders("classic"))
    model.save_pretrained(folder, max_shard_size="30KB")
    assert len(list(folder.glob("*.safetensors"))) > 1
    monkeypatch.setattr(
        AutoModelForSequenceClassification,
        "from_pretrained",
        lambda path, **options: 1 / 0 if "output_loading_info" in options else model,
    )
    load_scorer(str(folder))
    part = min(folder.glob("*.safetensors"))
    assert model_hub._has_weights(folder)
    part.unlink()
    assert not model_hub._has_weights(folder)


def test_a_modular_folder_with_a_random_head_is_refused(model_folders, copied):
    folder = copied("identity")
    shutil.copy(model_folders("headless") + "/model.safetensors", folder / "model.safetensors")
    with pytest.raises(ValueError, match=r"weights classifier.bias, classifier.weight .* random numbers"):
        load_scorer(str(folder))


def test_three_labels_in_a_folder_of_sentence_transformers_are_refused(model_folders, tmp_path):
    from sentence_transformers import CrossEncoder

    CrossEncoder(model_folders("three_labels"), device="cpu").save(str(tmp_path / "saved"))
    with pytest.raises(ValueError, match="gives 3 numbers per pair"):
        load_scorer(str(tmp_path / "saved"))


def test_labels_are_counted_as_transformers_does(copied):
    path = copied("classic") / "config.json"
    config = json.loads(path.read_text())
    assert "num_labels" not in config
    del config["id2label"], config["label2id"]
    path.write_text(json.dumps(config))
    with pytest.raises(ValueError, match="gives 2 numbers per pair"):
        kind_of(str(path.parent))


@pytest.mark.parametrize(
    ("name", "mode", "message"),
    [
        ("classic", "bi", "is a cross-encoder; with mode='bi' its last layer is dropped"),
        ("modular", "bi", "is a cross-encoder; with mode='bi'"),
        ("encoder", "auto", "was saved as BertModel and not as a sentence encoder"),
    ],
)
def test_what_is_odd_but_wanted_warns(model_folders, name, mode, message):
    with pytest.warns(UserWarning, match=message):
        assert kind_of(model_folders(name), mode) == "bi"


@pytest.mark.parametrize("name", ["ettin-reranker-17m-v1", "ms-marco-MiniLM-L6-v2", "Big-ReRank", "msmarco-distilbert"])
def test_relevance_models_warn_at_every_call(copied, name):
    folder = copied("classic", name)
    for _ in range(2):
        with pytest.warns(UserWarning, match="how relevant a passage is to a query, not how similar two") as found:
            load_scorer(f"{folder}/")
        assert [warning.filename for warning in found] == [__file__]


def test_only_the_last_part_of_a_path_warns(model_folders, copied, local_hub):
    folder = copied("classic", "reranker/sts")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load_scorer(str(folder))
    local_hub.add("reranker/base", model_folders("classic"), COMMIT, "main")
    with pytest.warns(UserWarning, match="'reranker/base' seems to rate how relevant"):
        load_scorer("reranker/base")


def test_broken_folders_say_what_is_wrong(copied):
    folder = copied("classic")
    (folder / "model.safetensors").unlink()
    with pytest.raises(ValueError, match="could not be loaded: OSError: .*model.safetensors"):
        load_scorer(str(folder))
    (folder / "config.json").write_text("{")
    with pytest.raises(ValueError, match="config.json is not valid JSON"):
        load_scorer(str(folder))


@pytest.mark.parametrize("path", ["./x", "/x/y", "~/no such", "a/b/c", "x/", "..\\x"])
def test_a_missing_path_is_reported(path):
    with pytest.raises(ModelNotFound, match='there is no folder .*model="lite"'):
        load_scorer(path)


def test_other_names_that_are_not_models(tmp_path):
    (tmp_path / "file").write_text("")
    for name, error, message in (
        (str(tmp_path / "file"), ModelNotFound, "is a file; give the folder"),
        ("two words", ModelNotFound, "neither a folder nor an id of the hub"),
        (" ", ValueError, "model is empty"),
    ):
        with pytest.raises(error, match=message):
            load_scorer(name)


def test_a_folder_has_a_fingerprint_of_its_files(model_folders, copied, tmp_path):
    folder, two = copied("classic", "one"), copied("classic", "two")
    found = load_scorer(str(folder)).revision
    assert re.fullmatch("folder-[0-9a-f]{12}", found)
    (two / "README.md").write_text("a note")
    (two / "picture.png").write_bytes(b"\x89")
    (two / ".cache").mkdir()
    (two / ".cache" / "x.json").write_text("{}")
    (tmp_path / "link").symlink_to(folder)
    for same in (two, tmp_path / "link", f"{folder}/../one/"):
        assert load_scorer(str(same)).revision == found
    assert load_scorer(str(folder), revision=found).loaded is load_scorer(str(folder)).loaded
    for name in ("model.safetensors", "config.json", "tokenizer_config.json"):
        other = copied("classic", f"changed-{name}")
        content = (other / name).read_bytes()
        (other / name).write_bytes(
            content[:-9] + bytes([content[-9] ^ 1]) + content[-8:] if "safe" in name else content + b"\n"
        )
        assert load_scorer(str(other)).revision != found
    assert load_scorer(model_folders("bi")).revision != found


@pytest.mark.parametrize("loaded", [False, True])
def test_a_folder_must_have_the_fingerprint_that_is_requested(model_folders, loaded):
    clear_models()
    found = model_hub._fingerprint(model_folders.root / "classic")
    if loaded:
        assert load_scorer(model_folders("classic")).revision == found
    with pytest.raises(ValueError, match="revision='main' does not fit the folder") as error:
        load_scorer(model_folders("classic"), revision="main")
    assert repr(found) in str(error.value)
    assert load_scorer(model_folders("classic"), revision=found).revision == found


@pytest.mark.parametrize("package", ["torch", "sentence_transformers"])
def test_missing_packages_say_what_to_install(monkeypatch, model_folders, package):
    folder = model_folders("classic")
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=r'pip install "qassay\[sas\]".*model="lite"') as error:
        load_scorer(folder)
    assert package.replace("_", "-") in str(error.value)


def test_an_old_sentence_transformers_is_refused(monkeypatch, model_folders):
    folder = model_folders("classic")
    monkeypatch.setattr(importlib.metadata, "version", lambda _: "5.1.2")
    with pytest.raises(ImportError, match="needs? sentence-transformers 6 or later, here is 5.1.2"):
        load_scorer(folder)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_length": 65}, "max_length=65 is more than the 64 tokens"),
        ({"max_length": 5}, "max_length=5 leaves the model .* next to nothing .* at least 6"),
        ({"max_length": 1}, "must be at least 6"),
        ({"mode": "bi", "max_length": 3}, "must be at least 4"),
        ({"device": "cuda:99"}, "device='cuda:99' is not here; available: cpu"),
        ({"device": "gpu"}, "device='gpu' is not here; available: cpu"),
        ({"device": ["cpu", "npu:3"]}, "device='npu:3' is not here"),
        ({"device": "cpu", "dtype": "float16"}, "slower than float32 without a GPU; use dtype='bfloat16'"),
    ],
)
def test_wrong_options(model_folders, options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        load_scorer(model_folders("classic"), **options)


def test_the_shortest_length_tells_pairs_apart(model_folders):
    scores = load_scorer(model_folders("classic"), max_length=6).score(["cat", "dog", "the cat"], ["paris"] * 3).scores
    assert len(set(scores.round(6))) == 3
    assert load_scorer(model_folders("bi"), max_length=4).loaded.limit == 4
    with pytest.raises(ValueError, match="must be at least 7"):  # three tokens of the prompt
        load_scorer(model_folders("prompts"), max_length=6)


def test_devices_of_torch_are_names():
    for device in (torch.device("cpu"), [torch.device("cpu")]):
        assert SimilarityOptions(device=device).device == "cpu"


def test_float16_of_the_best_device_needs_a_gpu(model_folders, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(ValueError, match="slower than float32 without a GPU"):
        load_scorer(model_folders("classic"), dtype="float16")


def test_a_model_is_loaded_once(model_folders, tmp_path):
    first = load_scorer(model_folders("classic"), batch_size=2, num_threads=1)
    link = tmp_path / "link"
    link.symlink_to(model_folders("classic"))
    for again in (
        load_scorer(model_folders("classic")),
        load_scorer(model_folders("classic") + "/."),
        load_scorer(str(link), mode="cross", progress=False),
    ):
        assert again.loaded is first.loaded
    others = [
        load_scorer(model_folders("classic"), **options).loaded
        for options in ({"dtype": "bfloat16"}, {"max_length": 20}, {"device": "cpu"})
    ]
    assert len({id(loaded.model) for loaded in [first.loaded, *others]}) == 4
    clear_models()
    assert load_scorer(model_folders("classic")).loaded is not first.loaded


def test_threads_that_want_one_model_load_it_once(model_folders, monkeypatch):
    clear_models()
    loads, real = [], model_loading._load_encoder
    monkeypatch.setattr(model_loading, "_load_encoder", lambda *a: loads.append(a) or time.sleep(0.1) or real(*a))
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(load_scorer, [model_folders("bi")] * 4))
    assert len(loads) == 1 and len({id(scorer.loaded) for scorer in found}) == 1


def test_dtype_comes_from_the_option_and_not_from_the_file(model_folders, copied):
    from transformers import AutoModelForSequenceClassification

    folder = copied("classic")
    model = AutoModelForSequenceClassification.from_pretrained(model_folders("classic"), dtype=torch.bfloat16)
    model.save_pretrained(folder)
    assert load_scorer(str(folder)).loaded.model.dtype == torch.float32
    half = load_scorer(model_folders("classic"), dtype="bfloat16")
    assert half.loaded.model.dtype == torch.bfloat16
    full = load_scorer(model_folders("classic"))
    pairs = ["cat", "paris", "a b c"], ["dog", "paris, france", "11"]
    np.testing.assert_allclose(half.score(*pairs).scores, full.score(*pairs).scores, atol=0.05)


def test_loading_prints_nothing(model_folders, capfd):
    from transformers.utils import logging

    clear_models()
    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    load_scorer(model_folders("classic"))
    load_scorer(model_folders("bi"))
    assert capfd.readouterr() == ("", "")
    assert (logging.get_verbosity(), logging.is_progress_bar_enabled()) == (level, bars)


@pytest.mark.parametrize("kind", ["classic", "bi"])
def test_a_model_without_its_tokenizer_is_refused(copied, kind):
    folder = copied(kind)
    for path in folder.rglob("*"):
        if path.name in ("tokenizer.json", "vocab.txt", "tokenizer_config.json", "special_tokens_map.json"):
            path.unlink()
    with pytest.raises(ValueError, match=r"has no vocabulary: the files of its tokenizer|could not be loaded"):
        load_scorer(str(folder))


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
