"""Whether the rows of Trainer are those of the references, by labels and by inputs; and what hooks log."""

import json
import re
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qassay.training import Classification, DataSets, ExtractiveQA, GenerativeQA, MultiLabel

from .words import NEEDS, WordTokenizer, fast_tokenizer, prediction


def accentless_tokenizer():
    pytest.importorskip("transformers", reason=NEEDS)
    from tokenizers.normalizers import NFD, Lowercase, Sequence, StripAccents

    return fast_tokenizer(["orleans", "rome", "sao", "paulo"], Sequence([NFD(), StripAccents(), Lowercase()]))


def byte_tokenizer():
    pytest.importorskip("transformers", reason=NEEDS)
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
    rows = [
        [*tokenizer(text, add_special_tokens=False)["input_ids"][:longest], tokenizer.eos_token_id] for text in texts
    ]
    width = max(map(len, rows))
    return np.array([row + [-100] * (width - len(row)) for row in rows])


def ask(made, predictions, labels, inputs=None, **more):
    return made(prediction(predictions, labels, inputs), **more)


@pytest.mark.parametrize(
    ("golds", "text", "belongs"),
    [
        (["The  U.S.A."], "the usa", True),
        (["Oslo", "Christiania"], "Christiania", True),
        (["Ångström"], "A\u030angstro\u0308m", True),
        ([], "unanswerable", True),
        (["%"], "$", False),
        (["art"], "Martha", False),
        (["東京"], "京都", False),
    ],
)
def test_labels_that_are_gold_answers(golds, text, belongs):
    ids = np.array([[1], [2]])
    made = GenerativeQA(WordTokenizer([text, "Lyon"], special=["<pad>"]), [golds, ["Lyon"]], measures=["total"])
    if belongs:
        assert ask(made, ids, ids) == {"total": 2}
    else:
        with pytest.raises(ValueError, match=r"references\[0\].*row 0"):
            ask(made, ids, ids)


@pytest.mark.parametrize("longest", [None, 9, 1])
@pytest.mark.parametrize("make", TOKENIZERS, ids=["words", "accents", "bytes"])
def test_truncation_and_what_tokenizers_lose_do_not_differ(make, longest):
    tokenizer = make()
    ids = coded(tokenizer, ["Rome", "São Paulo", "Orléans", "nothing"], longest)
    made = GenerativeQA(tokenizer, CITIES, measures=["total"])
    assert ask(made, ids, ids) == {"total": 4}
    assert ask(made, ids[:2], ids[:2], compute_result=False) == {}
    assert ask(made, ids[2:], ids[2:], compute_result=True) == {"total": 4}
    with pytest.raises(ValueError, match=r"references\[\d\]"):
        ask(GenerativeQA(tokenizer, [["Ur"], ["Lyon"], ["Bern"], ["Rome"]]), ids, ids)


WORDS = [f"w{number}" for number in range(40)]


@given(
    st.lists(
        st.lists(st.sampled_from(WORDS), min_size=1, max_size=6), min_size=20, max_size=40, unique_by=lambda row: row[0]
    ),
    st.integers(1, 5),
    st.randoms(use_true_random=False),
)
def test_truncated_targets_with_several_gold_answers(rows, longest, random):
    tokenizer = WordTokenizer(WORDS)
    texts = [" ".join(row) for row in rows]
    golds = [random.sample([f"the {text}!", "same", text.upper() + " more"], 3) + [text] for text in texts]
    ids = coded(tokenizer, texts, longest)
    made = GenerativeQA(tokenizer, golds, measures=["total"])
    assert ask(made, ids, ids) == {"total": len(rows)}
    with pytest.raises(ValueError, match="include_for_metrics"):
        ask(made, ids, np.roll(ids, 1, axis=0))


def test_a_few_other_labels_are_named_and_more_are_refused():
    words = [f"city{row}" for row in range(40)]
    tokenizer = WordTokenizer([*words, "two"])
    made = GenerativeQA(tokenizer, [[word] for word in words], measures=["exact_match"])
    labels = np.array([tokenizer(word)["input_ids"] for word in [*words[:-2], "two", "two"]])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")  # of Python: a warning is shown once
        assert [ask(made, coded(tokenizer, words), labels)["exact_match"] for _ in range(2)] == [1.0, 1.0]
    (warned,) = caught
    assert re.search(r"references\[38\].*row 38 .*'two'.*2 of 40 rows", str(warned.message))
    labels[37] = labels[39]  # more than 5 %
    with pytest.raises(ValueError, match="'two'.*3 of 40 rows.*include_for_metrics"):
        ask(made, coded(tokenizer, words), labels)


def test_labels_of_another_kind_are_refused_unless_the_option_says_so():
    tokenizer = WordTokenizer(["A", "B", "Rome", "Oslo"])
    letters, cities = coded(tokenizer, ["B", "A"]), coded(tokenizer, ["Rome", "Rome"])
    golds = [["Rome"], ["Oslo"]]
    with pytest.raises(ValueError, match="2 of 2 .*check_labels=False"):
        ask(GenerativeQA(tokenizer, golds), cities, letters)
    with pytest.raises(TypeError, match="label_ids .*check_labels=False"):
        ask(GenerativeQA(tokenizer, golds), cities, np.array([0, 1]))
    made = GenerativeQA(tokenizer, golds, measures=["exact_match"], check_labels=False)
    for labels in (letters, np.array([0, 1]), None):
        assert ask(made, cities, labels) == {"exact_match": 0.5}
    # Without labels nothing can be checked but the number.
    assert ask(GenerativeQA(tokenizer, golds, measures=["exact_match"]), cities, None) == {"exact_match": 0.5}


def test_masked_labels():
    tokenizer = WordTokenizer(["p", "q"])
    ids = coded(tokenizer, ["p", "q"])
    masked = np.where([[True], [False]], -100, ids)
    with pytest.raises(ValueError, match=r"references\[0\].*'p'.* row 0 is masked"):
        ask(GenerativeQA(tokenizer, [["p"], ["q"]]), ids, masked)
    for golds, labels in (
        ([["p"], ["q"]], np.full_like(ids, -100)),  # all are masked: they show nothing
        ([[], ["q"]], masked),
        ([[""], ["q"]], masked),  # an empty answer has no token to mask
    ):
        assert ask(GenerativeQA(tokenizer, golds, measures=["total"]), ids, labels) == {"total": 2}


def test_data_sets_that_cannot_be_distinguished():
    tokenizer = WordTokenizer(["yes", "no", "Rome"])
    sets = {"a": [["yes"], ["no"]], "b": [["yes", "Rome"], ["no"]], "c": [["Rome"]]}

    def hooks(inputs, **more):
        return {name: GenerativeQA(tokenizer, golds, inputs=inputs.get(name), **more) for name, golds in sets.items()}

    made = DataSets(hooks({}, measures=["total"]))
    answers = coded(tokenizer, ["yes", "no"])
    for labels in (answers, None):
        with pytest.raises(ValueError, match="'a' and 'b'.*include_for_metrics"):
            ask(made, answers, labels)
    with pytest.raises(ValueError, match="'a': .*3 predictions, but 2 .*'b': .*'c': .*1 ref"):
        ask(made, coded(tokenizer, ["yes"] * 3), None)
    assert ask(made, answers[:1], None) == {"total": 1} and list(made.scores_by_set) == ["c"]
    inputs = {"a": [[3], [4]], "b": [[4], [5]], "c": [[6]]}
    made = DataSets(hooks(inputs, measures=["exact_match"]))
    assert ask(made, answers[::-1], None, np.array([[5], [4]])) == {"exact_match": 1.0}
    assert list(made.scores_by_set) == ["b"] and made.hooks["b"].answers == ["yes", "no"]
    for row, last in enumerate((False, True)):
        found = ask(made, answers[row : row + 1], None, np.array([[4 + row]]), compute_result=last)
    assert found == {"exact_match": 1.0}
    with pytest.raises(ValueError, match=r"references\[0\]"):
        GenerativeQA(tokenizer, [[1]])


@given(st.permutations(range(6)), st.integers(0, 2))
def test_inputs_give_the_order_of_references(order, padding):
    """Rows 1 and 4 have the same input, so the model answers them alike."""
    tokenizer, order = WordTokenizer("abcdef"), np.array(order)
    inputs = [[3], [4, 5], [5], [6, 6], [4, 5], [7]]
    answers = coded(tokenizer, ["a", "b", "c", "d", "b", "f"])
    padded = np.array([[0] * padding + row + [-100] * (2 - len(row)) for row in inputs])
    made = GenerativeQA(tokenizer, list("abcdef"), inputs=inputs, measures=["exact_match"])
    assert ask(made, answers[order], answers, padded[order]) == {"exact_match": 5 / 6}
    assert made.answers == ["a", "b", "c", "d", "b", "f"]
    some = np.array([row for row in order if row != 2])
    with pytest.raises(ValueError, match=r"row 2 of inputs did not come \(1 of 6\)"):
        ask(made, answers[some], None, padded[some])
    with pytest.raises(ValueError, match="12 rows, but inputs 6: .*reset"):
        ask(made, np.tile(answers, (2, 1)), None, np.tile(padded, (2, 1)))


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
    options = {"config_name": config, "version_2_with_negative": negative, "confidence": 0.9}
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
        lambda measures: ExtractiveQA({**EXAMPLES, "answers": [["Rome"], ["Ur"]]}, FEATURES, measures=measures),
    ],
)
def test_a_measure_that_no_example_has_is_refused_before_training(make):
    with pytest.raises(ValueError, match="'no_answer_f1'"):
        make(["f1", "no_answer_f1"])
    assert make(["f1", "no_answer_total"]).report.measures == ("f1", "no_answer_total")


def test_numbers_of_classes_are_finite():
    truth = np.array([[0, 0, 0], [0, 0, 0]])
    for made, handed in (
        (Classification(3, per_class=True, confidence=0.9), np.array([1, 1])),
        (Classification(confidence=0.9, zero_division="nan"), np.array([1, 1])),
        (MultiLabel(3, per_class=True, confidence=0.9), truth),
        (MultiLabel(3, zero_division="nan", confidence=0.9), truth),
    ):
        json.dumps(ask(made, np.zeros((2, 3)), handed), allow_nan=False)
