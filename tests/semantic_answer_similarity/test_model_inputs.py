"""Token ids against those of the tokenizer itself, the blocks that bound memory, and batches."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("sentence_transformers", reason='needs sentence-transformers: pip install -e ".[test-all]"')

from qassay.semantic_answer_similarity.model_inputs import read_token_rows, token_batches

pytestmark = pytest.mark.thorough

TEXTS = ["Paris", "", "the river in the green city", "é ü 中文 😀", "cat " * 70, "x" * 300]


@pytest.fixture
def tokenizer(model_folders):
    """The tokenizer of a small model, with 64 tokens per row."""
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(model_folders("classic"))


@pytest.mark.parametrize("seconds", [None, TEXTS[::-1]])
def test_rows_match_the_tokenizer(tokenizer, seconds):
    expected = tokenizer(TEXTS, seconds, truncation="longest_first", max_length=64)
    rows = read_token_rows(tokenizer, TEXTS, seconds, limit=64)
    assert [rows.ids[a:b].tolist() for a, b in zip(rows.starts, rows.starts[1:])] == expected["input_ids"]
    assert [rows.types[a:b].tolist() for a, b in zip(rows.starts, rows.starts[1:])] == expected["token_type_ids"]
    whole = tokenizer(TEXTS, seconds, verbose=False)["input_ids"]
    assert rows.truncated.tolist() == [len(row) > 64 for row in whole] and rows.truncated.any()


@given(st.lists(st.integers(0, 300), max_size=80), st.integers(1, 40), st.integers(1, 2000))
def test_batches_hold_all_rows_once_in_order_of_length(lengths, size, budget):
    lengths = np.array(lengths, np.int64)
    batches = list(token_batches(lengths, size, budget))
    order = np.concatenate([np.zeros(0, np.int64), *batches])
    assert sorted(order.tolist()) == list(range(len(lengths)))
    assert all(
        len(rows) <= size and (len(rows) == 1 or len(rows) * lengths[rows].max() <= max(budget, len(rows)))
        for rows in batches
    )
    assert (np.diff(lengths[order]) <= 0).all()


def test_truncation_from_the_left_keeps_the_end(tokenizer):
    tokenizer.truncation_side = "left"
    text = "cat " * 5000 + "dog paris"
    rows = read_token_rows(tokenizer, [text], ["london"], limit=12)
    expected = tokenizer(text, "london", truncation="longest_first", max_length=12)["input_ids"]
    assert rows.ids.tolist() == expected and rows.truncated.tolist() == [True]
