"""Small models with random weights, saved in all the shapes that a model folder can have."""

import functools
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

WORDS = "the a of in and paris london city france england river obama barack president cat dog green blue 11 eleven"
LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789.,'?-"


class ModelFolders:
    """Builds each kind of folder once: `folders("classic")` is its path.

    - classic: sequence classification with one label
    - positions: the same with a larger tokenizer limit than the model has positions
    - roberta: the same of a kind that starts to count positions at 2
    - modernbert: the same with attention to 8 neighbours in most layers
    - two_labels, three_labels: sequence classification with two and three labels
    - identity: a cross-encoder saved by sentence-transformers with raw logits as its outputs
    - modular: a cross-encoder of a transformer, pooling and a dense layer (modules.json, no classification class)
    - bi: a sentence encoder
    - prompts: a sentence encoder that puts a prompt before each text by default
    - encoder: a transformer alone
    - headless: says it is a classifier, but has no weights for that
    - not_a_number: sequence classification whose weights are NaN
    - zeros: a sentence encoder whose weights are NaN
    - causal, sparse, empty: only the configuration
    """

    def __init__(self, root: Path) -> None:
        self.root = root

    def __call__(self, name: str) -> str:
        folder = self.root / name
        if not folder.exists():
            getattr(self, f"_{name}")(folder)
        return str(folder)

    def _tokenizer(
        self, folder: Path, limit: int = 64, names=("input_ids", "token_type_ids", "attention_mask")
    ) -> None:
        from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
        from transformers import PreTrainedTokenizerFast

        special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
        pieces = [*special, *WORDS.split(), *LETTERS, *("##" + letter for letter in LETTERS)]
        tokenizer = Tokenizer(models.WordPiece({piece: i for i, piece in enumerate(pieces)}, unk_token="[UNK]"))
        tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
        tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        tokenizer.post_processor = processors.TemplateProcessing(
            single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
        )
        roles = dict(zip(("pad_token", "unk_token", "cls_token", "sep_token"), special))
        PreTrainedTokenizerFast(
            tokenizer_object=tokenizer,
            model_max_length=limit,
            model_input_names=list(names),
            **roles,
        ).save_pretrained(folder)

    def _config(self, **more):
        from transformers import BertConfig

        return BertConfig(
            vocab_size=128, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64,
            max_position_embeddings=64, initializer_range=0.4, **more,
        )  # fmt: skip

    def _classic(self, folder: Path, labels: int = 1, limit: int = 64, fill: float | None = None) -> None:
        import torch
        from transformers import BertForSequenceClassification

        torch.manual_seed(1)
        model = BertForSequenceClassification(self._config(num_labels=labels))
        if fill is not None:
            torch.nn.init.constant_(model.classifier.weight, fill)
        model.save_pretrained(folder)
        self._tokenizer(folder, limit)

    _positions = functools.partialmethod(_classic, limit=500)
    _two_labels = functools.partialmethod(_classic, labels=2)
    _three_labels = functools.partialmethod(_classic, labels=3)
    _not_a_number = functools.partialmethod(_classic, fill=float("nan"))

    def _roberta(self, folder: Path) -> None:
        import torch
        from transformers import RobertaConfig, RobertaForSequenceClassification

        torch.manual_seed(4)
        config = RobertaConfig(
            vocab_size=128, hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=64,
            max_position_embeddings=66, num_labels=1, pad_token_id=1, bos_token_id=2, eos_token_id=3,
        )  # fmt: skip
        RobertaForSequenceClassification(config).save_pretrained(folder)
        self._tokenizer(folder, limit=500)

    def _modernbert(self, folder: Path) -> None:
        import torch
        from transformers import ModernBertConfig, ModernBertForSequenceClassification

        torch.manual_seed(5)
        config = ModernBertConfig(
            vocab_size=128, hidden_size=32, num_hidden_layers=3, num_attention_heads=2, intermediate_size=64,
            max_position_embeddings=64, local_attention=8, global_attn_every_n_layers=3, num_labels=1,
            pad_token_id=0, bos_token_id=2, eos_token_id=3, cls_token_id=2, sep_token_id=3, initializer_range=0.4,
        )  # fmt: skip
        ModernBertForSequenceClassification(config).save_pretrained(folder)
        self._tokenizer(folder, names=["input_ids", "attention_mask"])

    def _identity(self, folder: Path) -> None:
        import torch
        from sentence_transformers import CrossEncoder

        CrossEncoder(self("classic"), activation_fn=torch.nn.Identity(), device="cpu").save(str(folder))

    def _encoder(self, folder: Path) -> None:
        import torch
        from transformers import BertModel

        torch.manual_seed(2)
        BertModel(self._config()).save_pretrained(folder)
        self._tokenizer(folder)

    def _modular(self, folder: Path) -> None:
        import torch
        from sentence_transformers import CrossEncoder
        from sentence_transformers.base.modules import Dense, Transformer
        from sentence_transformers.sentence_transformer.modules import Pooling

        torch.manual_seed(3)
        dense = Dense(32, 1, activation_function=torch.nn.Identity(), module_output_name="scores")
        modules = [Transformer(self("encoder")), Pooling(32, pooling_mode="cls"), dense]
        CrossEncoder(modules=modules, device="cpu").save(str(folder))

    def _bi(self, folder: Path, **more) -> None:
        from sentence_transformers import SentenceTransformer
        from sentence_transformers.base.modules import Transformer
        from sentence_transformers.sentence_transformer.modules import Pooling

        modules = [Transformer(self("encoder")), Pooling(32, pooling_mode="mean")]
        SentenceTransformer(modules=modules, device="cpu", **more).save(str(folder))

    _prompts = functools.partialmethod(_bi, prompts={"query": "the river: "}, default_prompt_name="query")

    def _zeros(self, folder: Path) -> None:
        import torch
        from sentence_transformers import SentenceTransformer

        model = SentenceTransformer(self("bi"), device="cpu")
        torch.nn.init.constant_(model[0].model.embeddings.word_embeddings.weight, float("nan"))
        model.save(str(folder))

    def _headless(self, folder: Path) -> None:
        self._encoder(folder)
        self._write(folder, "config.json", architectures=["BertForSequenceClassification"], id2label={"0": "LABEL_0"})

    def _causal(self, folder: Path) -> None:
        self._write(folder, "config.json", architectures=["LlamaForCausalLM"], model_type="llama")

    def _sparse(self, folder: Path) -> None:
        self._write(folder, "config_sentence_transformers.json", model_type="SparseEncoder")
        (folder / "modules.json").write_text("[]", "utf-8")

    def _empty(self, folder: Path) -> None:
        folder.mkdir()

    @staticmethod
    def _write(folder: Path, name: str, **values) -> None:
        folder.mkdir(exist_ok=True)
        path = folder / name
        old = json.loads(path.read_text("utf-8")) if path.exists() else {}
        path.write_text(json.dumps({**old, **values}), "utf-8")


@pytest.fixture(scope="session")
def model_folders(tmp_path_factory) -> Callable[[str], str]:
    """Paths of small models by the names in `ModelFolders`."""
    pytest.importorskip("sentence_transformers", reason='needs sentence_transformers: pip install -e ".[test-all]"')
    return ModelFolders(tmp_path_factory.mktemp("models"))


@pytest.fixture
def copied(model_folders, tmp_path):
    """Copies a model's folder under a new name: `copied("classic")`."""
    return lambda kind, name="copy": Path(shutil.copytree(model_folders(kind), tmp_path / name))


@pytest.fixture
def downloaded(model_folders, monkeypatch, tmp_path) -> Callable[..., None]:
    """Puts a model into an empty cache of downloads, as the client of the hub leaves it, while the hub is out of reach."""
    import huggingface_hub

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setenv("SENTENCE_TRANSFORMERS_HOME", str(tmp_path))

    def add(name: str, kind: str, commit: str, *revisions: str) -> None:
        folder = tmp_path / f"models--{name.replace('/', '--')}"
        shutil.copytree(model_folders(kind), folder / "snapshots" / commit)
        (folder / "refs").mkdir()
        for revision in revisions:
            (folder / "refs" / revision).write_text(commit, "utf-8")

    return add
