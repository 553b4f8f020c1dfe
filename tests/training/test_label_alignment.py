"""Labels of Trainer and gold answers: every order of small sets, tokenizers that lose much; and what hooks log."""

import functools
import itertools
import json
import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qassay.training import Classification, ExtractiveQA, GenerativeQA, MultiLabel


class WordTokenizer:
    """A tokenizer of known words; the others are <unk>, which is not decoded."""

    pad_token_id, eos_token_id = 0, 1

    def __init__(self, words):
        self.words = ["<pad>", "</s>", "<unk>", *words]

    def __len__(self):
        return len(self.words)

    def __call__(self, text=None, text_target=None):
        if text is None:
            return {"input_ids": [self(one)["input_ids"] for one in text_target]}
        return {"input_ids": [self.words.index(word) if word in self.words else 2 for word in text.split()]}

    def batch_decode(self, rows, skip_special_tokens):
        return [" ".join(self.words[number] for number in row if number > 2) for row in rows]


def accentless_tokenizer():
    pytest.importorskip("transformers", reason='needs transformers: pip install -e ".[test-all]"')
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    words = ["<pad>", "</s>", "<unk>", "orleans", "rome", "sao", "paulo"]
    tokenizer = Tokenizer(models.WordLevel({word: n for n, word in enumerate(words)}, "<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.NFD(), normalizers.StripAccents(), normalizers.Lowercase()]
    )
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="<pad>", eos_token="</s>", unk_token="<unk>")


def byte_tokenizer():
    pytest.importorskip("transformers", reason='needs transformers: pip install -e ".[test-all]"')
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    signs = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE({sign: n for n, sign in enumerate(["<pad>", "</s>", *signs])}, []))
    tokenizer.pre_tokenizer, tokenizer.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="<pad>", eos_token="</s>")


TOKENIZERS = [
    lambda: WordTokenizer(["Rome", "São"]),
    pytest.param(accentless_tokenizer, marks=pytest.mark.thorough),
    pytest.param(byte_tokenizer, marks=pytest.mark.thorough),
]
CITIES = [["Rome", "Roma"], ["São Paulo"], ["Orléans"], []]


def coded(tokenizer, texts, longest=None):
    rows = [[*tokenizer(text)["input_ids"][:longest], tokenizer.eos_token_id] for text in texts]
    width = max(map(len, rows))
    return np.array([row + [-100] * (width - len(row)) for row in rows])


def ask(made, predictions, given, **more):
    return made(SimpleNamespace(predictions=predictions, label_ids=given), **more)


def refuse(message, *given, error=ValueError):
    with pytest.raises(error, match=message):
        ask(*given)


class Texts:
    """A tokenizer of whole texts."""

    pad_token_id = 0

    def __init__(self, *texts):
        self.texts = ["", *texts]

    def __len__(self):
        return len(self.texts)

    def batch_decode(self, rows, skip_special_tokens):
        return [self.texts[row[0]] for row in rows]


@pytest.mark.parametrize(
    ("golds", "text", "belongs"),
    [
        (["The  U.S.A."], "the usa", True),
        (["Oslo", "Christiania"], "Christiania", True),
        (["Ångström"], "A\u030angstro\u0308m", True),
        (["東京"], "答えは東京です。", True),
        ([], "unanswerable", True),
        (["%"], "$", False),
        (["art"], "Martha", False),
        (["東京"], "京都", False),
    ],
)
def test_labels_that_belong_to_their_gold_answers(golds, text, belongs):
    ids = np.array([[1], [2]])
    made = GenerativeQA(Texts(text, "Lyon"), [golds, ["Lyon"]], measures=["total"])
    if belongs:
        assert ask(made, ids, ids) == {"total": 2}
    else:
        refuse("row 0", made, ids, ids)


@pytest.mark.parametrize("longest", [None, 9, 1])
@pytest.mark.parametrize("make", TOKENIZERS, ids=["words", "accents", "bytes"])
def test_what_tokenizers_lose_is_not_a_disagreement(make, longest):
    tokenizer = make()
    ids = coded(tokenizer, ["Rome", "São Paulo", "Orléans", "nothing"], longest)
    made = GenerativeQA(tokenizer, CITIES, measures=["total"])
    assert ask(made, ids, ids) == {"total": 4}
    assert ask(made, ids[:2], ids[:2], compute_result=False) == {}
    assert ask(made, ids[2:], ids[2:], compute_result=True) == {"total": 4}
    with pytest.raises(ValueError, match=r"references\[\d\]"):
        ask(GenerativeQA(tokenizer, [["Ur"], ["Lyon"], ["Bern"], ["Rome"]]), ids, ids)


def test_labels_of_another_kind_are_refused_unless_the_option_says_so():
    tokenizer = WordTokenizer(["A", "B", "Rome", "Oslo"])
    letters, cities = coded(tokenizer, ["B", "A"]), coded(tokenizer, ["Rome", "Rome"])
    golds = [["Rome"], ["Oslo"]]
    with pytest.raises(ValueError, match="2 of 2 .*check_labels=False"):
        ask(GenerativeQA(tokenizer, golds), cities, letters)
    with pytest.raises(TypeError, match="label_ids .*check_labels=False"):
        ask(GenerativeQA(tokenizer, golds), cities, np.array([0, 1]))
    made = GenerativeQA(tokenizer, golds, measures=["exact_match"], check_labels=False)
    for handed in (letters, np.array([0, 1]), None):
        assert ask(made, cities, handed) == {"exact_match": 0.5}
    # Without labels nothing can be checked but the number.
    assert ask(GenerativeQA(tokenizer, golds, measures=["exact_match"]), cities, None) == {"exact_match": 0.5}


def test_data_sets_that_cannot_be_told_apart():
    tokenizer = WordTokenizer(["yes", "no", "Rome"])
    sets = {"a": [["yes"], ["no"]], "b": [["yes", "Rome"], ["no"]], "c": [["Rome"]]}
    made = GenerativeQA(tokenizer, sets, measures=["total"])
    answers = coded(tokenizer, ["yes", "no"])
    for written, handed in ((answers, answers), (answers, None), (answers[::-1], answers[::-1])):
        refuse("'a' and 'b'", made, written, handed)
    refuse("3 predictions, but 2 .* 'a', 2 .* 'b', 1 .* 'c'", made, coded(tokenizer, ["yes"] * 3), None)
    assert ask(made, answers[:1], None) == {"total": 1} and list(made.scores_by_set) == ["c"]
    with pytest.raises(ValueError, match="'x' and 'y'"):
        GenerativeQA(tokenizer, {"x": [["yes"]], "y": [["yes"]]})
    with pytest.raises(TypeError, match="'y': references"):
        GenerativeQA(tokenizer, {"x": [["yes"]], "y": [[1]]})


# What a row has (no articles, which scores omit): gold answers, label and what the model writes. None: all of its tokens are masked.
OWN_GOLDS = st.sampled_from([["p"], ["q"], ["p", "q"], ["p", "r"], ["p q"], ["no"]])
ANSWERED = OWN_GOLDS.flatmap(
    lambda golds: st.tuples(
        st.just(golds), st.sampled_from([*golds, f"r {golds[0]}"]), st.sampled_from(["p", "q", "r", "no", ""])
    )
)
ANSWERLESS = st.tuples(
    st.just([]), st.sampled_from([None, None, "z", "z", "no z", "p", "q", ""]), st.sampled_from(["", "p", "z"])
)


@functools.cache
def letters():
    return WordTokenizer(["p", "q", "r", "no", "z"])


def shuffled_numbers(rows, order):
    """What is logged, and told, of rows in this order: (numbers, warnings); numbers are None if they are refused."""
    tokens = [letters()(label)["input_ids"] + [1] if label is not None else [] for _, label, _ in rows]
    given = np.array([row + [-100] * (4 - len(row)) for row in tokens])
    texts = coded(letters(), [text for _, _, text in rows])
    made = GenerativeQA(letters(), [golds for golds, _, _ in rows], measures=["exact_match", "f1", "total"])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = ask(made, texts[list(order)], given[list(order)])
        except ValueError as error:
            assert "these rows do not belong together" in str(error)
            found = None
    return found, " ".join(str(one.message) for one in caught)


def check_all_orders(rows):
    n = len(rows)
    made = GenerativeQA(letters(), [g for g, _, _ in rows], measures=["exact_match", "f1", "total"], check_labels=False)
    right = ask(made, coded(letters(), [text for _, _, text in rows]), None)
    for order in itertools.permutations(range(n)):
        found, told = shuffled_numbers(rows, order)
        assert found in (right, None) or "do not tell which row is which" in told, (order, found, right, told)
    return right


@settings(max_examples=60, deadline=None)
@given(st.lists(st.one_of(ANSWERED, ANSWERLESS), min_size=1, max_size=4))
def test_no_shuffle_of_a_small_set_gives_another_number_silently(rows):
    right = check_all_orders(rows)
    # In order nothing is changed, and refused only where no row tells.
    found, told = shuffled_numbers(rows, range(len(rows)))
    assert found == right or (found is None and not any(golds for golds, _, _ in rows))
    assert "in another order than" not in told


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.one_of(ANSWERED, ANSWERLESS.map(lambda row: ([], "z", row[2]))), min_size=2, max_size=4),
    st.data(),
)
def test_masked_labels_of_answered_rows_do_not_give_a_number_silently(rows, data):
    row = data.draw(st.integers(0, len(rows) - 1))
    rows[row] = (["p"], None, "p")
    if any(label is not None for _, label, _ in rows):
        check_all_orders(rows)


PARIS = [(["p"], "p", "p"), ([], None, ""), (["q"], "q", "q"), ([], None, "")]


def test_masked_labels_are_put_back_to_rows_without_answers():
    for order in itertools.permutations(range(4)):
        found, told = shuffled_numbers(PARIS, order)
        assert found == {"exact_match": 1.0, "f1": 1.0, "total": 4}
        assert "do not tell" not in told and ("in another order than" in told) == (order[0] != 0 or order[2] != 2)


@pytest.mark.parametrize(
    "rows",
    [
        [(["p"], "p", "p"), ([], "z", "")],
        [(["p"], "p", "p"), ([], None, "")],
        [(["p"], "p", "p"), ([], "z", ""), (["p q"], "p q", "p q")],
    ],
)
def test_rows_without_answers_that_get_the_labels_of_others_are_seen(rows):
    for order in itertools.permutations(range(len(rows))):
        found, told = shuffled_numbers(rows, order)
        assert found["exact_match"] == 1.0 and "do not tell" not in told


@pytest.mark.parametrize(
    "rows",
    [
        [(["p", "q"], "p", "q"), (["p", "r"], "p", "r")],
        [(["no"], "no", "no"), ([], "no z", "")],
        [(["p"], "p", "p"), ([], "p", "")],
    ],
)
def test_labels_that_do_not_tell_the_rows_are_named(rows):
    found, told = shuffled_numbers(rows, range(len(rows)))
    assert found["exact_match"] == 1.0 and "check_labels=False" in told
    assert any(shuffled_numbers(rows, order)[0] != found for order in itertools.permutations(range(len(rows))))


def test_a_label_of_no_row_is_named():
    words = [f"city{row}" for row in range(30)]
    tokenizer = WordTokenizer([*words, "two"])
    made = GenerativeQA(tokenizer, [[word] for word in words], measures=["exact_match"])
    given = np.array([tokenizer(word)["input_ids"] for word in [*words[:-1], "two"]])
    with pytest.warns(UserWarning, match="1 of 30 .*'two' .*row 29"):
        assert ask(made, coded(tokenizer, words), given)["exact_match"] == 1.0
    given[28] = given[29]  # more than one in 20: rather another data set
    refuse("'two'", made, coded(tokenizer, words), given)


def test_a_masked_label_of_an_answered_row_is_named():
    made = GenerativeQA(letters(), [["p"], ["q"]])
    ids = coded(letters(), ["p", "q"])
    handed = np.where([[True], [False]], -100, ids)
    refuse(r"\['p'\].* row 0", made, ids, handed)
    assert ask(GenerativeQA(letters(), [["p"], ["q"]], measures=["total"]), ids, np.full_like(ids, -100)) == {
        "total": 2
    }
    blank = GenerativeQA(letters(), [[""], ["q"]], measures=["total"])  # an empty answer has no token to mask
    assert ask(blank, ids, handed) == {"total": 2}


# --- what is logged ---------------------------------------------------------------------------------------------------

EXAMPLES = {"id": ["p", "q"], "context": ["Rome x", "Ur y"]}
FEATURES = {"example_id": ["p", "q"], "offset_mapping": [[None, (0, 4), (5, 6)], [None, (0, 2), (3, 4)]]}
LOGITS = {
    "no answer": np.array([[9.0, 0, 0], [9.0, 0, 0]], np.float32),
    "answers": np.array([[0, 9.0, 0], [0, 9.0, 0]], np.float32),
    "masked": np.array([[-np.inf, -np.inf, -np.inf], [0, -np.inf, -np.inf]], np.float32),
}


@pytest.mark.parametrize("golds", [[["Rome"], ["Ur"]], [[], []]], ids=["answers", "none"])
@pytest.mark.parametrize("logits", LOGITS)
@pytest.mark.parametrize(("config", "negative"), [("default", True), ("squad", False), ("squad_v2", True)])
def test_extractive_numbers_are_finite_and_rest_on_something(golds, logits, config, negative):
    options = {"config_name": config, "version_2_with_negative": negative, "confidence": 0.9, "n_resamples": 9}
    made = ExtractiveQA({**EXAMPLES, "answers": golds}, FEATURES, **options)
    found = ask(made, (LOGITS[logits],) * 2, None)
    json.dumps(found, allow_nan=False)
    lacking = ("no_answer", "NoAns") if golds[0] else ("has_answer", "HasAns")
    assert {name for name in found if name.startswith(lacking)} <= {f"{lacking[0]}_total"}


def test_the_threshold_that_withholds_everything_does_so_as_an_argument():
    options = {
        "version_2_with_negative": True,
        "measures": ["exact_match", "best_exact_match", "best_exact_match_threshold"],
    }
    logits = (LOGITS["answers"],) * 2
    made = ExtractiveQA({**EXAMPLES, "answers": [[], []]}, FEATURES, **options)
    found = ask(made, logits, None)
    assert (found["exact_match"], found["best_exact_match"]) == (0.0, 1.0)
    assert made.scores.summary(["best_exact_match_threshold"])["best_exact_match_threshold"] == -np.inf
    best = found["best_exact_match_threshold"]
    again = ExtractiveQA({**EXAMPLES, "answers": [[], []]}, FEATURES, null_score_diff_threshold=best, **options)
    assert ask(again, logits, None)["exact_match"] == 1.0


@pytest.mark.parametrize(
    "make",
    [
        lambda measures: GenerativeQA(WordTokenizer(["a"]), [["a"], ["b"]], measures=measures),
        lambda measures: GenerativeQA(WordTokenizer(["a"]), {"x": [["a"]], "y": [["b"], ["a"]]}, measures=measures),
        lambda measures: ExtractiveQA({**EXAMPLES, "answers": [["Rome"], ["Ur"]]}, FEATURES, measures=measures),
    ],
)
def test_a_measure_that_no_example_has_is_refused_before_training(make):
    with pytest.raises(ValueError, match="'no_answer_f1'"):
        make(["f1", "no_answer_f1"])
    assert make(["f1", "no_answer_total"]).report.measures == ("f1", "no_answer_total")


def test_a_measure_that_one_data_set_lacks_is_logged_for_the_others():
    tokenizer = WordTokenizer(["a", "b"])
    made = GenerativeQA(tokenizer, {"x": [["a"]], "y": [["b"], []]}, measures=["f1", "no_answer_f1"], confidence=0.9)
    for texts, keys in ((["a"], {"f1"}), (["b", ""], {"f1", "no_answer_f1"})):
        ids = coded(tokenizer, texts)
        assert {name for name in ask(made, ids, ids) if not name.endswith(("_low", "_high"))} == keys


def test_numbers_of_classes_are_finite():
    truth = np.array([[0, 0, 0], [0, 0, 0]])
    for made, handed in (
        (Classification(3, per_class=True, confidence=0.9, n_resamples=9), np.array([1, 1])),
        (Classification(confidence=0.9, zero_division="nan", n_resamples=9), np.array([1, 1])),
        (MultiLabel(3, per_class=True, confidence=0.9, n_resamples=9), truth),
        (MultiLabel(3, zero_division="nan", confidence=0.9, n_resamples=9), truth),
        (MultiLabel(3, task="ranked", confidence=0.9, n_resamples=9), truth),
    ):
        json.dumps(ask(made, np.zeros((2, 3)), handed), allow_nan=False)
