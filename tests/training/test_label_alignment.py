"""Whether labels belong to gold answers, and in which order: against all permutations, and with tokenizers that lose much."""

import functools
import itertools
import json
import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import qassay
from qassay.training import Classification, ExtractiveQA, GenerativeQA, MultiLabel
from qassay.training.hook import LoggedMeasures, other_number
from qassay.training.label_alignment import DecodedLabels, GoldRows, text_form


def labels(texts):
    return DecodedLabels(list(texts), [2] * len(texts))


GOLDS = st.lists(st.sampled_from(["a1", "b22", "c333", "d4444"]), max_size=2, unique=True)


@given(st.lists(st.tuples(GOLDS, st.integers(0, 1)), min_size=1, max_size=5), st.randoms(use_true_random=False))
def test_rows_are_put_in_order_only_where_there_is_one_way(rows, random):
    golds = [own for own, _ in rows]
    texts = [own[place % len(own)] if own else "unanswerable" for own, place in rows]
    shuffled = random.sample(texts, len(texts))
    ways = {
        tuple(tuple(sorted(golds[row])) for row in order)
        for order in itertools.permutations(range(len(golds)))
        if all(
            (text in golds[row]) if golds[row] else text == "unanswerable"
            for text, row in zip(shuffled, order, strict=True)
        )
    }
    assert ways  # the one that was shuffled, at least
    order = GoldRows(golds, list).order_of(labels(shuffled))
    if order is not None:
        assert sorted(order.tolist()) == list(range(len(golds)))
        placed = dict(zip(order.tolist(), (tuple(sorted(own)) for own in golds), strict=True))
        assert ways == {tuple(placed[label] for label in range(len(golds)))}
    elif all(len({tuple(sorted(own)) for own in golds if text in own}) <= 1 for text in texts):
        raise AssertionError("every label belongs to one kind of row")


@pytest.mark.parametrize(
    ("golds", "text"),
    [
        (["The  U.S.A."], "the usa"),
        (["Oslo", "Christiania"], "Christiania"),
        (["Ångström"], "A\u030angstro\u0308m"),
        (["%"], "%"),
        (["東京"], "答えは東京です。"),
        (["New York City, in the state"], "New York Ci"),  # truncated: no label is longer
        ([], "unanswerable"),
        ([], ""),
        (["Rome"], None),  # nothing but masked tokens
    ],
)
def test_labels_that_belong_to_their_gold_answers(golds, text):
    assert GoldRows([golds], list).mismatches(labels([text])) == []


@pytest.mark.parametrize(
    ("golds", "text"), [(["Rome"], "Oslo"), (["Rome"], ""), (["%"], "$"), (["art"], "Martha"), (["東京"], "京都")]
)
def test_labels_that_do_not(golds, text):
    rows = GoldRows([golds, ["a long answer"]], list)
    assert rows.mismatches(DecodedLabels([text, "a long answer"], [1, 4])) == [0]


def test_labels_of_questions_without_answers_are_of_one_text():
    rows = GoldRows([[], [], []], list)
    assert rows.mismatches(labels(["Unanswerable", "unanswerable.", "unanswerable"])) == []
    assert rows.mismatches(DecodedLabels([None] * 3, [0] * 3)) == []
    assert rows.mismatches(labels(["Rome", "Oslo", "Rome"])) == [1]  # of another data set
    assert rows.order_of(labels(["Rome", "Oslo", "Rome"])) is None
    assert GoldRows([[], [], ["Ur"]], list).mismatches(labels(["none", "I cannot tell", "Ur"])) == []


@given(st.text(max_size=8))
def test_forms_are_their_own_forms(text):
    assert text_form(text_form(text)) == text_form(text)
    assert text_form(f" {text} ") == text_form(text) == text_form(text.casefold())


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


def test_dropped_rows_are_distinguished_from_other_data_sets():
    for n, size, dropped in ((8, 9, True), (90, 100, True), (3, 9, False), (50, 100, False), (7, 5, False)):
        assert ("dataloader_drop_last=True" in other_number(n, {None: size}, "X")) == dropped


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


def test_large_sets_warn_only_where_many_shuffles_would_be_unseen():
    cities = [[f"city{row}", f"town{row // 2}"] for row in range(600)]
    many = [*cities, *[[]] * 600]
    texts = [f"town{row // 2}" for row in range(600)] + ["none"] * 600
    assert not GoldRows(many, list).may_hide_an_order(labels(texts))
    assert GoldRows([["A", "B"], ["B"]] * 600, list).may_hide_an_order(labels(["B"] * 1200))
    assert not GoldRows([["A"], ["B"]] * 600, list).may_hide_an_order(labels(["A", "B"] * 600))


@pytest.mark.parametrize("stray", [3, 199])
def test_a_few_labels_without_a_row_are_reported_and_scored(stray):
    golds = [[f"city{row}"] for row in range(200)]
    texts = [own[0] for own in golds]
    rows = GoldRows(golds, list)
    assert not rows.are_unknown_labels(labels(["two", *texts[1:][::-1]]), [*range(99)])
    texts[stray] = "two"
    assert rows.mismatches(labels(texts)) == [stray] and rows.are_unknown_labels(labels(texts), [stray])
    many = [*["two"] * 11, *texts[11:]]
    assert not rows.are_unknown_labels(labels(many), [*range(11)])  # more than one in 20: rather another data set
    texts[stray] = "city7"  # of another row: they may have changed places
    assert not rows.are_unknown_labels(labels(texts), [stray])
    few = GoldRows(golds[:4], list)
    assert not few.are_unknown_labels(labels(["two", "city1", "city2", "city3"]), [0])


def test_a_label_of_no_row_is_named():
    words = [f"city{row}" for row in range(30)]
    tokenizer = WordTokenizer([*words, "two"])
    made = GenerativeQA(tokenizer, [[word] for word in words], measures=["exact_match"])
    given = np.array([tokenizer(word)["input_ids"] for word in [*words[:-1], "two"]])
    with pytest.warns(UserWarning, match="1 of 30 .*'two' .*row 29"):
        assert ask(made, coded(tokenizer, words), given)["exact_match"] == 1.0


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
    made = ExtractiveQA(
        {**EXAMPLES, "answers": golds},
        FEATURES,
        config_name=config,
        version_2_with_negative=negative,
        level=0.9,
        n_resamples=9,
    )
    found = ask(made, (LOGITS[logits],) * 2, None)
    json.dumps(found, allow_nan=False)
    lacking = {(True, True): "no_answer", (False, False): "has_answer"}.get((bool(golds[0]), bool(golds[1])))
    counted = {
        name
        for name in found
        if lacking and name.startswith((lacking, "NoAns" if lacking == "no_answer" else "HasAns"))
    }
    assert counted <= {f"{lacking}_total"}


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
    made = GenerativeQA(tokenizer, {"x": [["a"]], "y": [["b"], []]}, measures=["f1", "no_answer_f1"], level=0.9)
    for texts, keys in ((["a"], {"f1"}), (["b", ""], {"f1", "no_answer_f1"})):
        ids = coded(tokenizer, texts)
        assert {name for name in ask(made, ids, ids) if not name.endswith(("_low", "_high"))} == keys


def test_numbers_of_classes_are_finite():
    truth = np.array([[0, 0, 0], [0, 0, 0]])
    for made, handed in (
        (Classification(3, per_class=True, level=0.9, n_resamples=9), np.array([1, 1])),
        (Classification(level=0.9, zero_division="nan", n_resamples=9), np.array([1, 1])),
        (MultiLabel(3, per_class=True, level=0.9, n_resamples=9), truth),
        (MultiLabel(3, zero_division="nan", level=0.9, n_resamples=9), truth),
        (MultiLabel(3, task="ranked", level=0.9, n_resamples=9), truth),
    ):
        json.dumps(ask(made, np.zeros((2, 3)), handed), allow_nan=False)


def test_a_report_omits_what_only_examples_without_weight_have():
    scores = qassay.score("answer_match", ["a", ""], [["a"], []], weights=[1, 0])
    found = LoggedMeasures().numbers(scores)
    assert "no_answer_f1" not in found and found["no_answer_total"] == 1 and found["has_answer_f1"] == 1.0
