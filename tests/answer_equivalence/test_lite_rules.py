"""The decisions of the rules of the built-in scorer, which override its trees."""

import pytest

from qassay.answer_equivalence.lite import accept_probabilities, reasons
from qassay.answer_equivalence.lite_meanings import _GROUPS_ALIKE, words_alike
from qassay.answer_equivalence.lite_names import _SAME_GROUPS, COUNTRIES, SAME_WORD
from qassay.answer_equivalence.lite_texts import marked_words
from qassay.answer_equivalence.lite_words import edit_distance

REJECTED = [
    ("What is the capital of France?", ["Paris"], "**Reasoning:** Paris is the largest city.\n\n**Answer:** Lyon"),
    ("Which condition is low blood pressure?", ["hypotension"], "hypertension"),
    ("What is low blood sugar called?", ["hypoglycemia"], "The condition is called hyperglycemia."),
    ("Which salt is NaNO3?", ["sodium nitrate"], "sodium nitrite"),
    ("What grows from the floor of a cave?", ["stalagmite"], "a stalactite"),
    ("Is it legal or illegal?", ["legal"], "illegal"),
    ("What kind of encryption is AES?", ["symmetric"], "asymmetric"),
    ("Which country has Tehran as its capital?", ["Iran"], "Tirana"),
    ("What is the capital of France?", ["Paris"], "By comparison, Lyon."),
    ("Which country is south of Nepal?", ["India"], "Indiana"),
    ("Who beat whom?", ["Rome beat Carthage"], "Carthage beat Rome"),
    ("What was the score?", ["Arsenal 3, Chelsea 1"], "It was Chelsea 3, Arsenal 1."),
    ("Who shot Alexander Hamilton?", ["Aaron Burr"], "It was Hamilton who shot Aaron Burr."),
    ("Who may vote?", ["people older than 18"], "people younger than 18"),
    (
        "What is the capital of Vietnam?",
        ["Hanoi"],
        "**Ho Chi Minh City.** It is the largest city. Hanoi has fewer inhabitants.",
    ),
    ("Which mountain is the tallest?", ["Mount Everest"], "K2 is the tallest one, taller than Mount Everest."),
    ("Which country has the state of Chiapas?", ["Mexico"], "New Mexico"),
    ("Who won in 2016?", ["Serena Williams"], "It was Venus Williams who took the title."),
    ("Who was president in 1905?", ["Theodore Roosevelt"], "F. D. Roosevelt"),
    ("Which team plays at Old Trafford?", ["Manchester United"], "Manchester City"),
    ("When was he shot?", ["November 22, 1963"], "He was shot in Dallas on November 25, 1963."),
    (
        "How high is the tower?",
        ["330 metres"],
        "With its antennas the tower is 330 feet high, and many steps lead to the top.",
    ),
    ("In what year did the war begin?", ["1950"], "That was in the 1950s."),
    (
        "Which river flows through Baghdad?",
        ["Tigris"],
        "It is the Tigris or the Euphrates, and I'm unable to say which.",
    ),
    ("Which city hosted the Games of 2000?", ["Sydney"], "Sydney. Hmm, on second thoughts: Melbourne."),
    ("Who invented dynamite?", ["Alfred Nobel"], "Alfred Nobel. Oops, no, it was invented by Robert Oppenheimer."),
    ("Which city?", ["Paris"], "- Paris\n- Lyon\n- Nice"),
    ("What is x?", ["5"], "-5"),
    ("What is x?", ["25"], ".25"),
    ("Why did the game end early?", ["because of a thunderstorm"], "because of a power cut"),
    ("How many people live there?", ["83 million"], "83k"),
    ("How many people live there?", ["1,000"], "10\u202f000"),
    ("How many eggs are there?", ["12"], "two dozen"),
    ("How many eggs are there?", ["1.6"], "1.5 dozen"),
    ("How many eggs are there?", ["48"], "twenty-four dozen"),
    ("How many people live there?", ["52,200"], "B52\xa0200"),
    ("What is the speed of light?", ["3 × 10^8 m/s"], "3 × 10⁶ m/s"),
    ("When was it released?", ["October 30, 2019"], "Oct. 31, 2019"),
    ("In which language is it written?", ["C++"], "C"),
    ("In which language is it written?", ["C++"], "C#"),
    ("Which world war began in 1939?", ["World War II"], "World War I"),
    ("Which country has the city of Ljubljana?", ["Slovenia"], "Slovakia"),
    ("Which country has the city of Niamey?", ["Niger", "the Republic of Niger"], "It is Nigeria."),
    (
        "Which mountain is the tallest?",
        ["Mount Everest"],
        "The tallest mountain is K2, climbed less than Mount Everest.",
    ),
    ("Which tree is it?", ["oak"], "ash elm oak fir yew " * 30),
    ("How did he get there?", ["he walked"], "he drove"),
    ("Who may drive?", ["people older than 17"], "everyone under 17"),
    ("What is the capital of Nebraska?", ["Lincoln"], "Abraham Lincoln"),
    ("Which band recorded Purple Rain?", ["Prince"], "Prince Charles"),
    ("Who composed The Magic Flute?", ["Mozart"], "Mozambique"),
    ("Who ruled the Soviet Union until 1953?", ["Stalin"], "I think it was Stallone."),
    ("Which element is named after France?", ["Francium"], "France"),
    ("What nationality was Haydn?", ["Austrian"], "He was Australian."),
    ("Which goddess is the city named after?", ["Athena"], "Athens"),
    ("Which island nation was invaded in 1983?", ["Grenada"], "Granada"),
    ("Which halogen is a liquid?", ["Bromine"], "Bromide"),
    ("Who was president in 1990?", ["George Bush"], "I think it was George Washington."),
    ("Which state has Richmond as its capital?", ["Virginia"], "West Virginia"),
    ("What did he do?", ["He quit his job"], "He did not quit his job"),
    ("What happens to a gas when heated?", ["it expands"], "It doesn't expand."),
    ("What happened to the ship?", ["It sank"], "It never sank"),
    ("How much did profits change?", ["rose 5%"], "fell 5%"),
    ("Which planet is the largest?", ["Jupiter"], "Any planet but Jupiter"),
    ("Who wrote Hamlet?", ["Shakespeare"], "Shakespeare's brother"),
    ("Who painted it?", ["Leonardo da Vinci"], "a student of Leonardo da Vinci"),
    ("What year?", ["1066"], "the year before 1066"),
    ("What year?", ["1066"], "1066 BC"),
    ("Which month?", ["June"], "after June"),
    ("What is the result?", ["x = 3"], "x ≠ 3"),
    ("What is the result?", ["x = 3"], "x > 3"),
    ("Which direction?", ["north"], "northeast"),
    ("How far is it?", ["10 miles"], "10 miles per hour"),
    ("When does it open?", ["5 pm"], "5:00"),
    ("When does it open?", ["5 pm"], "It opens at 15:00."),
    ("When was the war?", ["1914–18"], "1914–1919"),
    ("What share is it?", ["50%"], "It isn't half."),
    ("How long is it?", ["2.5 hours"], "2½ minutes"),
    ("How much is it?", ["$0.5"], "£½"),
    ("Which decade was it?", ["1980s"], "the 1880s"),
    ("Which city hosted the Games of 2004?", ["Athens"], "Athens, Sydney, Atlanta"),
    ("Is it safe?", ["yes"], "Absolutely not."),
    ("Is it safe?", ["no"], "Absolutely. It is safe."),
    ("Is it safe?", ["yes"], "Definitely, or perhaps no."),
]
ACCEPTED = [
    ("When was it released?", ["October 31, 2019"], "Oct. 31, 2019"),
    ("When is it?", ["31 December"], "Dec 31"),
    ("How many people live there?", ["83 million"], "83M"),
    ("How many people live there?", ["20,000"], "about 20k"),
    ("How many people live there?", ["2,345,678"], "2\u202f345\u202f678"),
    ("How many people live there?", ["1000"], "about 1\xa0000"),
    ("In which year?", ["300"], "in the year 300"),
    ("How many eggs are there?", ["12"], "A dozen."),
    ("What is the speed of light?", ["3 x 10^8 m/s"], "3×10⁸ m/s"),
    ("What is the speed of light?", ["300,000,000 m/s"], "about 3.00 \\times 10^{8} m/s"),
    ("What is its charge?", ["1.6 × 10^-19 C"], "1.6 x 10⁻¹⁹ C"),
    ("How many eggs are there?", ["6"], "half a dozen"),
    ("How many eggs are there?", ["36"], "three dozen eggs"),
    ("How many eggs are there?", ["18"], "1.5 dozen"),
    ("How many eggs are there?", ["288"], "twenty-four dozen"),
    ("How much did it cost?", ["1.5 billion dollars"], "$1.5B"),
    ("How much did it cost?", ["5 million pounds"], "£5m"),
    ("Which company makes it?", ["3m"], "The company is 3M."),
    ("What is the share?", ["0.25"], ".25"),
    ("Is Python a programming language?", ["yes"], "Yep"),
    ("Is Python a programming language?", ["yes"], "Correct."),
    ("Can penguins fly?", ["No"], "False."),
    (
        "What is the capital of Australia?",
        ["Canberra"],
        "The capital of Australia is **Canberra** (not Sydney, as many believe).",
    ),
    ("What did he do?", ["He quit his job"], "He quit his job, not his hobby."),
    ("Is it safe?", ["It is not safe"], "It isn't safe."),
    ("When did it open?", ["before 1945"], "Before 1945"),
    ("Who was the father of Anna Freud?", ["Sigmund Freud"], "Anna was the youngest daughter of Sigmund Freud."),
    ("What is it?", ["photosynthesis"], "<final>photosynthesis</final>"),
    ("Which planet is the largest?", ["Jupiter"], "It is none other than Jupiter."),
    ("Which part of the plant kingdom are mosses?", ["Bryophyta"], "Bryophytes"),
    ("Who composed The Magic Flute?", ["Mozart"], "Wolfgang Amadeus Mozzart"),
    ("Who was president in 1990?", ["George Bush"], "It was George H. W. Bush."),
    ("Which state has Richmond as its capital?", ["Virginia"], "It is in Northern Virginia."),
    ("What nationality was Haydn?", ["Austrian"], "He came from Austria."),
    ("What is the capital of France?", ["Paris"], "**Answer:** Paris\n\n**Explanation:** It is on the Seine."),
    ("What is the capital of France?", ["Paris"], "## Answer\n\nParis\n\n## Explanation\n\nIt is on the Seine."),
    ("What is the capital of France?", ["Paris"], "Reasoning: Lyon is on the Rhone.\nAnswer: Paris"),
    (
        "What is the capital of France?",
        ["Paris"],
        "Great question! The answer is Paris. Let me know if you need anything else!",
    ),
    ("Where does she come from?", ["India"], "It is an Indian city."),
    ("When did it land?", ["July 20, 1969"], "1969-07-20"),
    ("How many dalmatians are there?", ["101"], "One hundred and one"),
    ("Which Super Bowl was it?", ["Super Bowl LII"], "Super Bowl 52"),
    ("How much water is in the bottle?", ["500 ml"], "half a litre"),
    ("How far is a marathon?", ["42.195 km"], "26 miles and 385 yards"),
    ("At what temperature does water freeze?", ["0 degrees Celsius"], "At 273.15 kelvin."),
    ("Where was Mozart born?", ["Salzburg"], "Certainly! There is no doubt about it: Mozart was born in Salzburg."),
    ("Which metal is liquid?", ["mercury"], "None other than mercury."),
    ("What is the capital of Brazil?", ["Brasilia"], "Rio de Janeiro. No, wait, that was until 1960. It's Brasilia."),
    ("What is the colour of a lemon?", ["yellow"], "yelow"),
    ("Which city is it?", ["Quito"], "Answer: Quito, Ecuador."),
    ("Who is it?", ["John Smith, Jr."], "Final answer: John Smith, Jr."),
    ("Who is it?", ["Greta Thunberg"], "It's Greta Thunberg, I believe."),
    ("What is the capital?", ["Paris"], "The capital is **Paris**, not Lyon."),
    ("Which sign is it?", ["\u2b22"], "\u2b22"),
    ("Who played him?", ["Matthew Gregory Wise"], "Greg Wise"),
    ("What happened?", ["red, white and blue"], "blue, white and red"),
    ("When did it end?", ["18 February 1815"], "February 18, 1815"),
    ("Which city has the Gateway of India?", ["Mumbai"], "Bombay"),
    ("Who led the firm?", ["William Boeing"], "Bill Boeing"),
    ("Where is the family from?", ["the Netherlands"], "It is a Dutch family."),
    ("What did she buy?", ["a car"], "an automobile"),
    ("Which country is it?", ["Myanmar"], "Burma"),
    ("Which city is the capital of Nebraska?", ["Lincoln"], "The city of Lincoln"),
    ("What is the capital of Minnesota?", ["Paul", "Saint Paul"], "St. Paul"),
    ("Which band recorded Innuendo?", ["Queen"], "Queen recorded it."),
    ("What did the thief do with the money?", ["he hid the money in a cave"], "He concealed it in a cavern."),
    ("Who may drive?", ["people older than 17"], "Everyone over 17."),
    ("Which war was it?", ["War of the Oranges (May to June 1801)"], "the War of the Oranges"),
    ("When does it open?", ["5 pm"], "17:00"),
    ("When does it open?", ["17:30"], "The shop opens at 5.30 p.m."),
    ("When does the sun stand highest?", ["noon"], "at 12:00"),
    ("When was the war?", ["1914–18"], "It lasted from 1914 to 1918."),
    ("Which decade was it?", ["1980s"], "the '80s"),
    ("Which decade was it?", ["the nineties"], "the 1990s"),
    ("How long is the film?", ["2.5 hours"], "It is 2½ hours long."),
    ("How long is the film?", ["2 1/2 hours"], "two and a half hours"),
    ("What share is it?", ["50%"], "half"),
    ("What is the probability of heads?", ["1/2"], "Both sides are equally likely, so it is therefore 0.5."),
    ("What share of the land is forest?", ["a third"], "1/3 of the land"),
    ("How many molecules are in a mole?", ["6.022 x 10^23"], "6.022e23"),
    ("How many people live there?", ["about 370,000"], "Roughly 0.37 million people"),
    ("How many people live there?", ["1,000"], "about 1 000"),
    ("Where was Napoleon born?", ["Ajaccio"], "Ajaccio, Corsica, France"),
    ("Did she win the prize?", ["yes"], "Absolutely. She won it in 1911."),
    ("Did she win the prize?", ["no"], "Nope, she did not."),
    ("Which web site was it?", ["The Hoop, or thehoop.example"], "The Hoop"),
]


@pytest.mark.parametrize(("question", "golds", "answer"), REJECTED)
def test_rejected(question, golds, answer):
    assert accept_probabilities([answer], [golds], [question]) < 0.5


@pytest.mark.parametrize(("question", "golds", "answer"), ACCEPTED)
def test_accepted(question, golds, answer):
    assert accept_probabilities([answer], [golds], [question]) >= 0.5


def test_spaces_and_markup_change_nothing():
    question, golds = "Which city is the capital of France?", ["Paris"]
    plain = accept_probabilities(
        ["As an AI language model, I cannot say.", "It is Paris."], [golds] * 2, [question] * 2
    )
    odd = ["As  an AI\u00a0language model, I cannot\tsay.", "It is `Paris`."]
    assert accept_probabilities(odd, [golds] * 2, [question] * 2).tolist() == plain.tolist()


@pytest.mark.parametrize(
    ("one", "other", "distance"),
    [
        ("", "", 0),
        ("yelow", "yellow", 1),
        ("prague", "prauge", 1),
        ("stalactite", "stalagmite", 2),
        ("kiev", "warsaw", 3),
    ],
)
def test_edit_distance(one, other, distance):
    assert edit_distance(one, other) == edit_distance(other, one) == distance


def test_words_of_one_meaning_are_in_one_group_and_written_as_texts_are_read():
    words = " ".join(_SAME_GROUPS.split(",")).split()
    assert len(words) == len(set(words)) == len(SAME_WORD) and "plane" in SAME_WORD
    for word in (*words, *COUNTRIES):
        assert marked_words(word) == [word]


def test_words_of_one_meaning_beside_equal_words_are_written_as_texts_are_read():
    for group in _GROUPS_ALIKE.split(","):
        assert len(group.split()) > 1
        for word in group.split():
            assert marked_words(word) == [word]
    assert words_alike("shut") & words_alike("closed") and not words_alike("shut") & words_alike("opened")
    assert words_alike("carrying") & words_alike("bearing") and not words_alike("qwertz")


def test_numbers_of_several_words():
    assert marked_words("two thousand three hundred and nine, a hundred and twenty-one")[0] == "2309"
    assert marked_words("Super Bowl XLIX in Washington DC") == ["super", "bowl", "49", "in", "washington", "dc"]


@pytest.mark.parametrize(
    ("question", "golds", "answer", "words", "rises"),
    [
        (
            "Which city is the capital?",
            ["Hanoi"],
            "Ho Chi Minh City. Hanoi is much smaller.",
            "begins with another name",
            0,
        ),
        ("What is x?", ["5"], "-5", "a sign, such as a minus", 0),
        ("Which sign is it?", ["\u2b22"], "\u2b22", "to the letter", 1),
        ("Who may drive?", ["people older than 17"], "Anyone over 17", "in other words", 1),
        ("Which city is it?", ["Lincoln"], "Abraham Lincoln", "bears the name", 0),
    ],
)
def test_the_rule_that_decides_is_a_reason(question, golds, answer, words, rises):
    rule = next(reason for reason in reasons(answer, golds, question) if reason.feature == "rule")
    assert words in rule.words and (rule.effect > 0) == rises
    assert not any(
        reason.feature == "rule" for reason in reasons("It is Hanoi, in the north.", ["Hanoi"], "Where is it?")
    )
