"""Tokenizers of words, in plain Python and of transformers, and tiny models: shared by the tests of training."""

from types import SimpleNamespace

NEEDS = 'needs transformers: pip install -e ".[test-all]"'


class WordTokenizer:
    """A tokenizer of known words; the special ones, which come first, are not decoded. Id 0 is padding."""

    pad_token_id = 0

    def __init__(self, words, special=("<pad>", "</s>", "<unk>")):
        self.words, self.special = [*special, *words], special
        self.eos_token_id = 1 if "</s>" in special else None

    def __len__(self):
        return len(self.words)

    def __call__(self, text=None, text_target=None, add_special_tokens=False):
        if text is None:
            return {"input_ids": [self(one)["input_ids"] for one in text_target]}
        known = [word if word in self.words else "<unk>" for word in text.split()]
        return {"input_ids": [self.words.index(word) for word in known if word in self.words]}

    def batch_decode(self, rows, skip_special_tokens):
        assert skip_special_tokens
        return [" " + " ".join(self.words[number] for number in row if number >= len(self.special)) for row in rows]


def fast_tokenizer(words, normalizer=None, **special):
    """The same as a tokenizer of transformers."""
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    vocabulary = {word: number for number, word in enumerate(["<pad>", "</s>", "<unk>", *words])}
    made = Tokenizer(models.WordLevel(vocabulary, "<unk>"))
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    if normalizer is not None:
        made.normalizer = normalizer
    names = {"pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>", **special}
    return PreTrainedTokenizerFast(tokenizer_object=made, **names)


def tiny_llama(words, **more):
    """The configuration of a tiny causal model for a tokenizer of these words."""
    from transformers import LlamaConfig

    sizes = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
    ids = {"vocab_size": len(words) + 3, "pad_token_id": 0, "eos_token_id": 1, "bos_token_id": None}
    return LlamaConfig(**{**sizes, **ids, **more})


def tiny_t5(words, **more):
    """The same of an encoder-decoder model."""
    from transformers import T5Config

    sizes = {"d_model": 16, "d_kv": 8, "d_ff": 16, "num_layers": 1, "num_heads": 2, "decoder_start_token_id": 0}
    return T5Config(**sizes, vocab_size=len(words) + 3, pad_token_id=0, eos_token_id=1, **more)


def prediction(predictions, labels=None, inputs=None):
    """What Trainer gives to compute_metrics."""
    return SimpleNamespace(predictions=predictions, label_ids=labels, inputs=inputs)
