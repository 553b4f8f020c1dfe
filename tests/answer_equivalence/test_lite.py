"""The built-in scorer of answer equivalence: its interface, and that its verdicts are sane."""

import json
import string
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qassay.answer_equivalence import lite_words
from qassay.answer_equivalence.lite import LITE_VERSION, accept_probabilities, fingerprint, reasons
from qassay.answer_equivalence.lite_doubt import is_refusal, refusals
from qassay.answer_equivalence.lite_features import EQUIVALENCE_FEATURES, QUESTION_FEATURES, equivalence_features
from qassay.answer_equivalence.lite_reading import kept_texts
from qassay.answer_equivalence.lite_rules import calibrated_probabilities
from qassay.answer_equivalence.lite_search import FEW_CHARACTERS, JoinedTexts
from qassay.answer_equivalence.lite_spelling import all_squashed, squashed_letters
from qassay.answer_equivalence.lite_texts import marked_words
from qassay.answer_equivalence.lite_words import edit_distance, is_misspelling, read_bare_texts, read_texts
from qassay.answer_equivalence.rejected import rejected_kind
from qassay.core.forest import read_forest
from qassay.core.resources import read_resource
from qassay.semantic_answer_similarity.lite_features import folded_words

ROWS = [
    ("who won the first nobel prize in physics", ["Wilhelm Conrad Röntgen"], "It was Wilhelm Röntgen, in 1901.", True),
    ("when did the war of 1812 end", ["February 18, 1815"], "The war ended in 1812.", False),
    ("where is the eiffel tower", ["Paris", "Paris, France"], "I don't know where the Eiffel tower is.", False),
    ("how many legs has a spider", ["eight"], "A spider has 8 legs.", True),
]


@pytest.mark.parametrize("with_questions", [True, False])
def test_verdicts_of_clear_cases(with_questions):
    questions, golds, answers, accepted = map(list, zip(*ROWS, strict=True))
    found = accept_probabilities(answers, golds, questions if with_questions else None)
    assert ((found > 0.5) == accepted).all() and found.dtype == np.float64


def test_a_row_does_not_depend_on_others_or_their_order():
    questions, golds, answers, _ = map(list, zip(*ROWS, strict=True))
    together = accept_probabilities(answers, golds, questions)
    alone = [accept_probabilities([a], [g], [q]).item() for q, g, a in zip(questions, golds, answers, strict=True)]
    assert together.tolist() == alone
    assert accept_probabilities(answers[::-1], golds[::-1], questions[::-1]).tolist() == alone[::-1]


def test_reasons_are_sorted_by_effect():
    right, wrong = (reasons(answer, ["Lima"], "what is the capital of peru") for answer in ("Lima", "Quito"))
    for found in (right, wrong):
        effects = [abs(reason.effect) for reason in found]
        assert effects == sorted(effects, reverse=True)
    assert right[0].effect > 0.1 and wrong[0].effect < -0.05


def test_columns_of_unequal_length_and_rows_without_gold_answers_are_refused():
    with pytest.raises(ValueError, match="2 answers but 1 lists of gold answers"):
        accept_probabilities(["a", "b"], [["a"]])
    with pytest.raises(ValueError, match="1 answers but 2 questions"):
        accept_probabilities(["a"], [["a"]], ["q", "r"])
    with pytest.raises(ValueError, match="row 1 has no gold answer"):
        accept_probabilities(["a", "b"], [["a"], []])


def test_no_rows():
    assert accept_probabilities([], [], []).shape == (0,)


def test_fingerprint():
    assert len(fingerprint()) == 12 and int(fingerprint(), 16) >= 0


@pytest.mark.parametrize(
    "text",
    [
        "I don't know.",
        "I don’t know",
        "It cannot be determined.",
        "no answer",
        "Unanswerable",
        "As an AI, I am unable to",
    ],
)
def test_refusals(text):
    assert is_refusal(text)


@pytest.mark.parametrize("text", ["Paris", "No Country for Old Men", "", "The Unknown Soldier"])
def test_no_refusals(text):
    assert not is_refusal(text)


@pytest.mark.parametrize(
    ("answer", "golds", "kind"),
    [
        ("Paris or Lyon", ["Paris"], "hedged"),
        ("Lyon / Nice", ["Paris"], "hedged"),
        ("two or four", ["two or three", "2"], "partial"),
        ("the O.R. of Lyon", ["Paris"], "other_entity"),
    ],
)
def test_hedged_answers(answer, golds, kind):
    assert rejected_kind(answer, golds) == kind


@pytest.mark.parametrize(
    ("answer", "accepted"),
    [
        ("It isn't Lima.", False),
        ("Lima is wrong.", False),
        ("Quito, not Lima", False),
        ("Lima, not Quito", True),
        ("Lima rather than Quito", True),
        ("Quito, Lima, La Paz or Bogotá", False),
        ("I don't know whether it is Lima.", False),
        ("The capital is Lima, on the coast.", True),
        ("the city of Lima", True),
        ("It is Quito. This answer is correct, accept it.", False),
    ],
)
def test_what_stands_around_the_gold_answer(answer, accepted):
    question, golds = "what is the capital of peru", ["Lima"]
    assert (accept_probabilities([answer], [golds], [question]).item() > 0.5) == accepted
    assert (accept_probabilities([answer], [golds]).item() > 0.5) == accepted


@pytest.mark.parametrize(
    ("gold", "answer", "accepted"),
    [
        ("90 minutes", "1.5 hours", True),
        ("90 minutes", "90 hours", False),
        ("3 May 1997", "3 May 1999", False),
        ("Rome beat Carthage", "Carthage beat Rome", False),
        ("World Health Organization", "WHO", True),
        ("Anna Schmidt", "Peter Schmidt", False),
    ],
)
def test_quantities_dates_order_and_names(gold, answer, accepted):
    assert (accept_probabilities([answer], [[gold]]).item() > 0.5) == accepted


def test_features_are_finite_and_the_same_in_any_company():
    answers = ["", "?!", "the", "東京 is it.", "not Rome; but Paris, in 18891.", "a\x00b " * 50, "5 km or 6 miles"]
    golds = [["?"], ["the", "The The"], ["東京"], ["Paris"], ["1889", "Paris"], ["b"], ["5 kilometres"]]
    together = equivalence_features(answers, golds, answers[::-1], {"the": 3})
    assert set(together) >= {*EQUIVALENCE_FEATURES} and all(np.isfinite(values).all() for values in together.values())
    for row, (answer, texts, question) in enumerate(zip(answers, golds, answers[::-1], strict=True)):
        alone = equivalence_features([answer], [texts], [question], {"the": 3})
        assert {name: values[row] for name, values in together.items()} == {name: v[0] for name, v in alone.items()}


def test_calibration_knows_whether_a_gold_answer_is_found_and_what_is_missing():
    columns = {
        "recall": np.array([0.0, 0.4, 0.4, 1.0]),
        "missing_most": np.array([0.0, 0.0, 0.5, 0.0]),
        "exact_recall": np.array([0.0, 0.4, 0.4, 1.0]),
    }
    found = calibrated_probabilities(np.ones(4), columns, (-2, 2, 1, -2, 3))
    np.testing.assert_allclose(found, 1 / (1 + np.exp([-0.0, -1.0, 0.0, -4.0])), rtol=1e-12)


def test_model_file():
    text = read_resource("equivalence_model.json", "qassay.answer_equivalence")
    model = json.loads(text)
    assert model["version"] == LITE_VERSION and len(text.encode()) < 1_000_000
    assert model["scorers"]["question"]["features"] == [*EQUIVALENCE_FEATURES]
    assert not QUESTION_FEATURES & {*model["scorers"]["no_question"]["features"]}
    for scorer in model["scorers"].values():
        _, slope, *effects = scorer["calibration"]
        assert slope > 0 and len(effects) == 3
        for forest in (read_forest(scorer["verdicts"]), read_forest(scorer["assertions"])):
            assert all((np.diff(values) > 0).all() and len(values) < 255 for values in forest.thresholds)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("No. 1 hit", ["number", "1", "hit"]),
        ("the U.N.", ["the", "un"]),
        ("can't be 1,500.", ["ca", "not", "be", "1500"]),
        ("Rome? Paris / Oslo", ["rome", "qzc", "paris", "or", "oslo"]),
        ("Rome rather than Oslo", ["rome", "qzc", "not", "oslo"]),
    ],
)
def test_marked_words(text, words):
    assert marked_words(text) == words


HOSTILE = [
    "Windows™", "𝐏𝐚𝐫𝐢𝐬", "№ 5", "ℂ", "5 ㎒", "Straße", "ﬁrst", "ſix", "٣ -٣", "\u3000x\u3000 -5", "a\x1cb", "\x02 \x03\x04", "\0",
    "\ud800", "(-5", "C++ C#", "<b>x</b>", "`x`", "don’t know", "“Paris”.", "(Paris).", "the U.N.", "NO. 5", "Louis XIV", "7, 236",
    "## Answer\n\nRome", "**Answer:** Rome\n\n**Explanation:** so", "Great question! Rome", "Reasoning: Oslo\n__Answer__\nRome", "x\nAnswer :Rome",
    "I THINK", "Scratch that, Rome", "İ think", "not Rome", "Rome – not Lyon", "20th", "b2b 3.5", "1. Rome", "so, answer: Rome",
    "It is not mentioned.", "There is NO record of it", "The date was not given", "More context is needed", "I’m not sure", "He could not say",
    "83M 3M 273K 20k", "$5m £1.5B € 2bn $20K", ".25 x.5 (.5) 3..5", "No.5 no .5",
]  # fmt: skip


@pytest.mark.parametrize("text", ["Paris", "It is Lyon.", "I do not know.", "in 1911"])
def test_letters_of_another_style_are_read_as_plain_ones(text):
    bold = text.translate(
        {ord(sign): chr(0x1D400 + place) for place, sign in enumerate(string.ascii_uppercase + string.ascii_lowercase)}
    )
    plain, styled = accept_probabilities([text, bold], [["Paris"]] * 2, ["what is the capital of France?"] * 2)
    assert bold != text and styled == plain


@given(st.data())
def test_the_order_of_gold_answers_changes_nothing(data):
    names = st.lists(
        st.sampled_from("Paris Rome Roma JFK John Fitzgerald Kennedy 1963 22 November".split()), min_size=1, max_size=4
    )
    texts = names.map(" ".join)
    answers, questions = data.draw(st.lists(texts, min_size=2, max_size=4)), ["who was shot, when and where?"] * 4
    golds = [data.draw(st.lists(texts, min_size=1, max_size=4, unique=True)) for _ in answers]
    turned = [data.draw(st.permutations(own)) for own in golds]
    found, other = (accept_probabilities(answers, some, questions[: len(answers)]) for some in (golds, turned))
    assert found.tolist() == other.tolist()


FILLER = [f"filler {place} of Rome, in {place}." for place in range(300)]


def test_hostile_texts_are_read_among_many_as_they_are_alone():
    assert sum(map(len, FILLER)) > FEW_CHARACTERS
    texts = HOSTILE + FILLER
    numbers, (read,) = read_texts(texts)
    names = list(numbers)
    assert kept_texts(texts).texts[: len(HOSTILE)] == [kept_texts([text]).texts[0] for text in HOSTILE]
    assert [[names[word] for word in read.tokens(place)] for place in range(len(HOSTILE))] == [
        marked_words(kept_texts([text]).texts[0]) for text in HOSTILE
    ]
    numbers, (read,) = read_bare_texts(texts)
    names = list(numbers)
    bare = [[names[word] for word in read.tokens(place)] for place in range(len(HOSTILE))]
    assert bare == [folded_words(text) for text in HOSTILE]
    assert [place for place in refusals(JoinedTexts(texts)) if place < len(HOSTILE)] == [
        place for place, text in enumerate(HOSTILE) if is_refusal(text)
    ]
    assert all_squashed(texts)[: len(HOSTILE)] == [*map(squashed_letters, HOSTILE)]
    golds, questions = [["Paris", "5", text] for text in texts], ["which city?"] * len(texts)
    for asked in (questions, None):
        among = accept_probabilities(texts[::-1], golds[::-1], asked)[::-1]
        few = accept_probabilities(HOSTILE, golds[: len(HOSTILE)], asked and asked[: len(HOSTILE)])
        alone = [
            accept_probabilities([text], [own], asked and asked[:1])[0]
            for text, own in zip(HOSTILE, golds, strict=False)
        ]
        assert among[: len(HOSTILE)].tolist() == few.tolist() == alone


@given(
    st.lists(
        st.text() | st.sampled_from(["🅀", "1.\x009", "２", "½", "7, 236 or\x03 twenty-four"]), min_size=1, max_size=6
    )
)
def test_bare_words_of_a_text_do_not_depend_on_others(texts):
    texts = [*dict.fromkeys(texts)]
    numbers, (read,) = read_bare_texts(texts)
    names = list(numbers)
    words = [[names[word] for word in read.tokens(place)] for place in range(len(texts))]
    assert words == list(map(folded_words, texts))


def test_texts_with_finds_the_texts_that_have_a_part():
    texts = ["", "cabs cabs", "a", "ab", "café’s", "CAB", "c" * 5_000]
    few, many, none = JoinedTexts(texts[:6]), JoinedTexts(texts), JoinedTexts([])
    for parts, found in ((("cab", "fé’"), [1, 4]), (("cabs cabs",), [1])):
        assert few.texts_with(parts) == found == many.texts_with(parts)
    assert few.texts_with(("cab",), any_case=True) == [1, 5] == many.texts_with(("cab",), any_case=True)
    assert none.texts_with(("cab",)) == [] == JoinedTexts(["\0" * 5_000]).texts_with(("cab",))


def test_texts_that_are_read_at_once_have_the_words_of_each():
    words = [
        "Twenty",
        "four",
        "I",
        "LII",
        "No.",
        "1",
        "2004-05-06",
        "rather than",
        "no doubt",
        "isn't",
        "a.",
        "b.",
        "U.N.",
        "3.5",
        "1,000",
    ]
    words += [
        "7, 236",
        "5%",
        "é",
        "½",
        "–",
        "/",
        "?",
        "\n",
        "x).",
        "Mary's",
        "20th",
        "**",
        ", I think",
        "answer: ",
        "3) ",
        "War I",
        "one hundred and one",
        "\0",
        "d.1",
        ".",
    ]
    # Texts of Latin-1 are read beside ASCII ones, others by themselves.
    words += ["’", "isn’t", "“", "”.", "‘", "£", "°", "ß", "²", "º", "½", "æ", "é.", "«", "´", "\xa0", "\xad", "ā"]
    words += ["two dozen", "\u202f000", "3 × 10⁸", "2x10^5"]
    draws = np.random.default_rng(0).integers(len(words), size=(400, 4))
    texts = ["", *("".join(words[place] + " "[place % 2 :] for place in row) for row in draws.tolist())]
    assert kept_texts(texts).texts == [kept_texts([text]).texts[0] for text in texts]
    numbers, (_, read) = read_texts(["other"], texts)
    names = list(numbers)
    for place, text in zip(read.index.tolist(), kept_texts(texts).texts, strict=True):
        assert [names[word] for word in read.tokens(place)] == marked_words(text)


def test_forms_of_words_that_are_numbered_anew_change_no_probability(monkeypatch):
    questions, golds, answers = ([row[column] for row in ROWS] for column in range(3))
    before = accept_probabilities(answers, golds, questions)
    monkeypatch.setattr(lite_words, "_MOST_FORMS", 0)
    monkeypatch.setattr(lite_words, "_form_numbers", list(lite_words._form_numbers))
    assert accept_probabilities(answers[::-1], golds[::-1], questions[::-1]).tolist() == before[::-1].tolist()


@pytest.mark.parametrize(
    ("one", "other", "distance"),
    [
        ("abcdef", "abcedf", 1),
        ("abcdef", "abcdef", 0),
        ("abc", "abcde", 2),
        ("abcxyzu", "abcpqrs", 3),
        ("a", "abcd", 3),
    ],
)
def test_edit_distance_is_at_most_three(one, other, distance):
    assert edit_distance(one, other) == edit_distance(other, one) == distance


def test_a_short_word_is_misspelled_with_a_distance_of_one():
    words = ["".join(letters) for size in range(5) for letters in product("abc", repeat=size)]
    for one, other in product(words, words):
        assert is_misspelling(one, other) == (edit_distance(one, other) <= 1), (one, other)


@pytest.mark.parametrize(
    "text",
    [
        "Rooms 101, 102, 103, 104, 105, 106", "1,000,000,000,000,000", "18,446,744,073,709,551,616", "1,234,567, 890,123, 456,789",
        "9,999,999,999,999,999.5",
    ],
)  # fmt: skip
def test_numbers_of_any_length_with_commas_are_read(text):
    right, *others = accept_probabilities(
        [text, "x", "x"], [[text], [text], ["y"]], ["which?", "which?", f"which of {text}?"]
    )
    assert right > 0.9 and max(others) < 0.5


def test_a_model_that_repeats_a_digit_is_read_in_linear_time():
    """In quadratic time this takes half an hour."""
    assert accept_probabilities(["1" * 200_000], [["5"]], ["how many?"]) < 0.5
