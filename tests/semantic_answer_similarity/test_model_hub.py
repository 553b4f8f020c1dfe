"""Models from the hub: downloads, the cache, and a hub that is out of reach."""

import shutil
import types

import pytest

pytest.importorskip("sentence_transformers", reason='needs sentence_transformers: pip install -e ".[test-all]"')

import huggingface_hub

from qassay.semantic_answer_similarity import model_hub
from qassay.semantic_answer_similarity.model_hub import ModelNotFound
from qassay.semantic_answer_similarity.model_loading import clear_models, load_scorer

pytestmark = pytest.mark.thorough

COMMIT = "d" * 40


@pytest.fixture
def unreachable_hub(monkeypatch, tmp_path):
    """A hub that refuses connections, and an empty cache of downloads; gives the cache's folder."""
    calls = []

    def refuse(*_, **options):
        calls.append(options)
        raise ConnectionError("no route")

    monkeypatch.setattr(huggingface_hub.HfApi, "model_info", refuse)
    monkeypatch.setenv("SENTENCE_TRANSFORMERS_HOME", str(tmp_path))
    return types.SimpleNamespace(cache=tmp_path, calls=calls)


def cached_model(cache, folder: str, name: str, commit: str = "c" * 40) -> None:
    """Lay a folder into a cache of downloads, as the hub's client would."""
    root = cache / f"models--{name.replace('/', '--')}"
    shutil.copytree(folder, root / "snapshots" / commit)
    (root / "refs").mkdir()
    (root / "refs" / "main").write_text(commit)


def test_an_unreachable_hub_says_how_to_get_the_model(unreachable_hub):
    with pytest.raises(ModelNotFound) as error:
        load_scorer("cross-encoder/stsb-roberta-large", revision="abc")
    assert isinstance(error.value, ValueError) and isinstance(error.value, OSError)
    assert "--revision abc --local-dir" in str(error.value) and "ConnectionError" in str(error.value)
    assert unreachable_hub.calls == [{"revision": "abc", "timeout": model_hub._HUB_TIMEOUT}]


def test_offline_mode_asks_nobody(local_hub, monkeypatch, capfd):
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)  # as HF_HUB_OFFLINE=1 in the environment
    with pytest.raises(ModelNotFound, match=r"hub cannot be reached \(OfflineModeIsEnabled\)"):
        load_scorer("org/name")
    assert not local_hub.requests and "Retrying" not in capfd.readouterr().err


def test_what_was_downloaded_earlier_is_used_without_network(unreachable_hub, model_folders):
    cached_model(unreachable_hub.cache, model_folders("classic"), "org/cached")
    scorer = load_scorer("org/cached")
    assert (scorer.name, scorer.revision, scorer.mode) == ("org/cached", "c" * 40, "cross")
    assert load_scorer("org/cached", revision="c" * 40).revision == "c" * 40
    expected = load_scorer(model_folders("classic")).score(["cat"], ["dog"]).scores
    assert scorer.score(["cat"], ["dog"]).scores == expected
    assert load_scorer("org/cached").loaded is scorer.loaded and len(unreachable_hub.calls) == 1
    cached_model(unreachable_hub.cache, model_folders("bi"), "org/cached-bi")
    assert load_scorer("org/cached-bi").mode == "bi"
    with pytest.raises(ModelNotFound, match="at revision 'other' is not on this machine"):
        load_scorer("org/cached", revision="other")


@pytest.mark.parametrize("revision", [None, "refs/pr/1", COMMIT])
def test_a_download_is_found_again_without_the_hub(local_hub, model_folders, revision):
    branches = ["main"] if revision is None else [] if revision == COMMIT else [revision]
    local_hub.add("org/model", model_folders("modular"), COMMIT, *branches)
    scorer = load_scorer("org/model", revision=revision)
    assert (scorer.mode, scorer.loaded.revision, scorer.revision) == ("cross", COMMIT, COMMIT)
    expected = load_scorer(model_folders("modular")).score(["cat"], ["dog"]).scores
    assert scorer.score(["cat"], ["dog"]).scores == expected
    local_hub.close()
    clear_models()
    again = load_scorer("org/model", revision=revision)
    assert again.loaded is not scorer.loaded and again.loaded.revision == COMMIT
    assert again.score(["cat"], ["dog"]).scores == expected
    with pytest.raises(ModelNotFound, match="at revision 'other' is not on this machine"):
        load_scorer("org/model", revision="other")


def test_a_branch_that_moved_is_followed(local_hub, model_folders):
    for kind, commit in (("classic", COMMIT), ("identity", "b" * 40)):
        local_hub.add("org/model", model_folders(kind), commit, "main")
        clear_models()
        assert load_scorer("org/model").revision == commit


def test_the_weights_of_a_refused_model_are_not_downloaded(local_hub, model_folders):
    local_hub.add("org/nli", model_folders("three_labels"), COMMIT, "main")
    with pytest.raises(ValueError, match="gives 3 numbers"):
        load_scorer("org/nli")
    assert not any("safetensors" in path for path in local_hub.requests)


@pytest.mark.parametrize(
    ("error", "name", "named"),
    [
        ("RepositoryNotFoundError", "org/nobody", "hf auth login"),
        ("RepositoryNotFoundError", "stsb-roberta-large", "cross-encoder/stsb-roberta-large"),
        ("GatedRepoError", "org/gated", "hf auth login"),
        ("RevisionNotFoundError", "org/name", "'v9'"),
    ],
)
def test_what_the_hub_does_not_have(monkeypatch, unreachable_hub, error, name, named):
    kind = getattr(huggingface_hub.errors, error)

    def refuse(*_, **__):
        raise kind.__new__(kind, "404")

    monkeypatch.setattr(huggingface_hub.HfApi, "model_info", refuse)
    with pytest.raises(ModelNotFound, match=named):
        model_hub.find_model(name, "v9" if error.startswith("Revision") else None)
