"""Random and adversarial rows for the golden numbers of presets and rewards; a seed gives the same rows on every machine.

A kind of rows is a function of a random generator and a number of rows; it returns the columns of `qassay.score` by name.
"""

import hashlib
import json
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

Columns = dict[str, Any]

_WORDS = """the a an The A of in New York Paris Lyon 1903 1,000 1000 3.14 -5 $20 20% U.S. O'Neill rock'n'roll Müller naïve café
São Jean-Paul state-of-the-art Mr. Mrs. St. and or not yes no Yes No noanswer Noanswer I II IV ½ Ⅳ １９ 中国 北京 東京 서울 Москва
“quoted” ‘single’ – — … € £ _under_ x² ß İstanbul ﬁre e\u0301te\u0301 été Å A\u030a the_the theatre another Athens an-the a.b""".split()
_ODD = [
    "", " ", "the", "A", "a an the", "...", "—", "\u00a0", "\t", "\n", "yes", "no", "noanswer", "Yes.", "the yes", "YES!", "a\u00a0b",
    "\u200b", "“”", "an an", "0", "-", "_", "the\u2019s",
]  # fmt: skip
_MARKS = ["", "", "", ".", ",", "!", "?", ";", '"', "'", "(", ")", "’", "”"]
_SPACES = [" "] * 12 + ["  ", "\t", "\n", "\u00a0", " \u200a", "-"]


def both(predictions: list[Any], references: list[Any], **more: Any) -> Columns:
    return {"predictions": predictions, "references": references, **more}


def phrase(random: Random, words: Sequence[str] = _WORDS, most: int = 6) -> str:
    """A few words with odd punctuation and spaces between them."""
    parts = [random.choice(words) + random.choice(_MARKS) for _ in range(random.randint(1, most))]
    return "".join(part + random.choice(_SPACES) for part in parts[:-1]) + parts[-1]


def changed(random: Random, text: str, words: Sequence[str] = _WORDS) -> str:
    """A variant of the text: another case, more or fewer words, articles, punctuation, another order."""
    parts = text.split()
    for _ in range(random.randint(0, 2)):
        change = random.randrange(8)
        place = random.randint(0, len(parts))
        if change == 0:
            parts = [part.upper() if random.random() < 0.5 else part.lower() for part in parts]
        elif change == 1:
            parts.insert(place, random.choice(words))
        elif change == 2:
            parts = parts[:place] + parts[place + 1 :]
        elif change == 3:
            parts.insert(place, random.choice(["the", "a", "an", "The"]))
        elif change == 4:
            parts = [part + random.choice(_MARKS) for part in parts]
        elif change == 5:
            parts.reverse()
        elif change == 6:
            parts += parts[:1]
        else:
            parts = ["".join(parts)]
    return random.choice(_SPACES).join(parts)


def answer_pairs(
    random: Random, n: int, words: Sequence[str] = _WORDS, odd: Sequence[str] = _ODD, most_golds: int = 4
) -> tuple[list[str], list[list[str]]]:
    """n answers and n lists of at least one gold answer."""
    answers, golds = [], []
    for _ in range(n):
        own = [
            random.choice(odd) if random.random() < 0.1 else phrase(random, words)
            for _ in range(random.randint(1, most_golds))
        ]
        kind = random.random()
        answer = random.choice(odd) if kind < 0.1 else phrase(random, words)
        answers.append(changed(random, random.choice(own), words) if kind > 0.3 else answer)
        golds.append(own)
    return answers, golds


def answers(random: Random, n: int) -> Columns:
    """Answers with several gold answers."""
    return both(*answer_pairs(random, n))


def tagged(random: Random, n: int) -> Columns:
    """Output of a model with its answer in tags: none, one or several, broken, with lines and other tags inside."""
    predictions, references = answer_pairs(random, n)
    frames = [
        "<answer>{}</answer>", "<answer> {}\n</answer>", "<think>hm {} hm</think>\n<answer>{}</answer>", "{}", "<answer>{}", "{}</answer>",
        "<answer>{}</answer> or <answer>{}</answer>", "<answer>x</answer><answer>{}</answer></answer>", "<Answer>{}</Answer>",
        "<answer><answer>{}</answer></answer>", "<answer></answer>", "x</answer><answer>{}</answer>", "<answer>{}<answer>", "",
    ]  # fmt: skip
    written = []
    for answer in predictions:
        frame = random.choice(frames[:3] if random.random() < 0.6 else frames)
        written.append(frame.replace("{}", answer))
    return both(written, references)


_LANGUAGES = {
    "fr": """un une des le la les du au l'eau L'Île d'Arc aujourd'hui jusqu'à Paris cœur été Été où 1 789 n° « » ’ rock'n'roll qu'il""",
    "de": "der die das ein eine einen Straße STRASSE München 3,5 % z.B. Österreich „so“ groß Größe Haus-Tür im am the",
    "ru": "в на Москва Москве Ёлка елка «Мир» 1945 г. — № и не США Санкт-Петербург МОСКВА",
    "ko": """서울 서울에서 '서울' "대한민국" 《책》 <사과> 〈글〉 ‘한국’ 1945년 3.1운동 '()‘’ "()‘’ (가) 은 는 을 를 BTS bts""",
    "ja": "東京 東京。 京都、 「大阪」 １９４５年 1945年 ABC abc 。 です です。 ｱｲ アイ の は ・ ー",
    "mixed": "the 北京 北京， ไทย กรุงเทพ القاهرة الـ दिल्ली Athens Αθήνα Việt là của Straße Москва 3.14 １ Ⅳ el un la",
}


def _in(language: str) -> Callable[[Random, int], Columns]:
    def rows(random: Random, n: int) -> Columns:
        return both(*answer_pairs(random, n, _LANGUAGES[language].split()))

    return rows


french, german, russian, mixed, korean_answers = (_in(language) for language in ("fr", "de", "ru", "mixed", "ko"))


def japanese(random: Random, n: int) -> Columns:
    """Japanese answers, some with blanks and full stops; some questions without an answer."""
    columns = _in("ja")(random, n)
    columns["references"] = [[] if random.random() < 0.05 else golds for golds in columns["references"]]
    return columns


def french_one(random: Random, n: int) -> Columns:
    """French answers with one gold answer each."""
    columns = french(random, n)
    return {**columns, "references": [golds[:1] for golds in columns["references"]]}


def passages(random: Random, n: int) -> Columns:
    """Ranked passages; some contain a gold answer, unchanged or changed."""
    predictions, references = [], []
    for _ in range(n):
        golds = [phrase(random, most=3) for _ in range(random.randint(1, 3))]
        texts = [phrase(random, most=12) for _ in range(random.choice([1, 2, 6, 25, 105]))]
        if random.random() < 0.7:
            place, gold = random.randrange(len(texts)), random.choice(golds)
            texts[place] = (
                f"{phrase(random)} {changed(random, gold) if random.random() < 0.5 else gold}{random.choice(_MARKS)} {phrase(random)}"
            )
        predictions.append(texts)
        references.append(golds)
    return both(predictions, references)


def gaia_answers(random: Random, n: int) -> Columns:
    """Numbers, lists and texts, one gold answer each."""
    numbers = "1000|1,000|$1,000.50|3.14|-5|20%|1e3|inf|nan|0|0.0|1_000| 7 |１２|+3|.5|1000.0".split("|")
    items = [*numbers, "sea gull", "Seagull", "St. Louis", "New York", "a.b", "", " ", "U.S.", "yes", "ß", "İ"]
    predictions, references = [], []
    for _ in range(n):
        kind = random.randrange(3)
        if kind == 0:
            gold = random.choice(numbers)
            answer = random.choice(
                [gold, random.choice(numbers), f"${gold}", f"{gold}%", f"{gold}.0", f" {gold}", f"{gold} apples"]
            )
        elif kind == 1:
            parts = [random.choice(items) for _ in range(random.randint(2, 4))]
            gold = random.choice([", ", ",", "; "]).join(parts)
            said = (
                [random.choice([part, part.upper(), f"{part} ", random.choice(items)]) for part in parts]
                if random.random() < 0.8
                else parts[1:]
            )
            answer = random.choice([",", "; "]).join(said)
        else:
            gold = phrase(random, most=3).replace(",", " ").replace(";", " ")
            answer = random.choice([gold, gold.upper(), "".join(gold.split()), changed(random, gold), f"{gold}."])
        predictions.append(answer)
        references.append([gold])
    return both(predictions, references)


def musique_rows(random: Random, n: int) -> Columns:
    """Pairs of an answerable and an unanswerable row of a question, in random order, with support and sufficiency."""
    predictions, references = answer_pairs(random, n)
    gold = {"support": [], "answerable": [], "question_id": []}
    predicted = {"support": [], "answerable": []}
    for row in range(n):
        first = row % 2 == 0
        question = row // 2
        answerable = random.random() < 0.5 if first else not gold["answerable"][-1]
        support = sorted(random.sample(range(20), random.randint(0, 4)))
        gold["support"].append(support)
        gold["answerable"].append(answerable)
        gold["question_id"].append(f"q{question}")
        own = random.choice([support, support[1:], [*support, 19, 19], [], random.sample(range(20), 2)])
        predicted["support"].append(own)
        predicted["answerable"].append(answerable if random.random() < 0.8 else not answerable)
    return both(
        predictions, references, ids=[f"r{row}" for row in range(n)], gold_details=gold, predicted_details=predicted
    )


def twowiki_rows(random: Random, n: int) -> Columns:
    """Answers with aliases, facts with titles in another case, and triples in several wordings; some are missing."""
    predictions, references = answer_pairs(random, n)
    titles = ["A Film", "a film", "B", "Ünder", "C (song)"]
    names = ["The King", "the king!", "Queen", "a.b", "", "Élan", "director"]
    columns: Columns = {"gold_details": [], "predicted_details": []}
    for _ in range(n):
        facts = [[random.choice(titles), random.randrange(3)] for _ in range(random.randint(0, 4))]
        own = random.choice(
            [facts, [[title.upper(), place] for title, place in facts], facts[1:], [*facts, ["B", 7]], []]
        )
        own = None if random.random() < 0.05 else own
        triples = [
            [[random.choice(names) for _ in range(3)] for _ in range(random.randint(1, 3))]
            for _ in range(random.randint(0, 3))
        ]
        said = [random.choice(wordings) for wordings in triples]
        said = random.choice(
            [said, said[1:], [*said, ["x", "y", "z"]], [[part.upper() for part in one] for one in said], []]
        )
        said = None if random.random() < 0.05 else said
        columns["gold_details"].append({"supporting_facts": facts, "evidences": triples})
        columns["predicted_details"].append({"supporting_facts": own, "evidence": said})
    return both(predictions, references, **columns)


def questions_with_doubts(random: Random, n: int) -> Columns:
    """Answers of SQuAD 2.0: a third of the questions has no answer, and each prediction a no-answer probability.

    No answer but "" is without words, and no two probabilities are equal: the script's search for thresholds differs there.
    """
    answers, golds = answer_pairs(random, n)
    golds = [[] if random.random() < 0.3 else own for own in golds]
    answers = ["" if random.random() < 0.2 else answer for answer in answers]
    answers = [answer if not answer or any(map(str.isalnum, answer)) else "Paris" for answer in answers]
    answers = [
        "Paris" if answer and not {*answer.lower().split()} - {"a", "an", "the"} else answer for answer in answers
    ]
    doubts = [value / n for value in random.sample(range(n), n)]
    return both(answers, golds, no_answer_probabilities=doubts)


def span_answers(random: Random, n: int) -> Columns:
    """Answers of DROP: several spans, many of them numbers; up to three gold answers."""
    numbers = ["3", "12", "3.5", "1,000", "-1", "5 yards", "5", "05", "1e3", "red-brown 3", "½"]

    def spans() -> list[str]:
        return [
            random.choice(numbers) if random.random() < 0.4 else phrase(random, most=4)
            for _ in range(random.choice([1, 1, 2, 3]))
        ]

    references = [[spans() for _ in range(random.choice([1, 1, 2, 3]))] for _ in range(n)]
    predictions = []
    for golds in references:
        own = [changed(random, span) for span in random.choice(golds)]
        random.shuffle(own)
        predictions.append(own if random.random() < 0.7 else spans())
    return both(predictions, references)


def answers_with_facts(random: Random, n: int) -> Columns:
    """Answers of HotpotQA with one gold answer, many of them yes or no, and supporting facts."""
    predictions, references = answer_pairs(random, n, most_golds=1)
    facts = [["A", 0], ["A", 1], ["B", 0], ["C (song)", 2]]
    gold = [random.sample(facts, random.randint(1, 3)) for _ in range(n)]
    own = [random.choice([facts, one, one[1:], [*one, ["a", 0]], []]) for one in gold]
    given, true = ([{"supporting_facts": row} for row in rows] for rows in (own, gold))
    return both(predictions, references, predicted_details=given, gold_details=true)


_FEW = ["the", "cat", "sat", "on", "a", "mat", "Yes", "no", "unknown", "in", "1999", "red-brown", "U.S."]
_CANNOT = "CANNOTANSWER"


def _several(random: Random, n: int, most: int, odd: float = 0.15) -> tuple[list[str], list[list[str]]]:
    """Answers, and similar gold answers of several people."""
    answers, golds = [], []
    for _ in range(n):
        first = phrase(random, _FEW)
        own = [changed(random, first, _FEW) if random.random() < 0.8 else phrase(random, _FEW) for _ in range(most)]
        own = [random.choice(["", "the", "Yes", "yes.", " "]) if random.random() < odd else gold for gold in own]
        own = own[: random.randint(1, most)]
        answers.append(changed(random, random.choice(own), _FEW) if random.random() < 0.8 else phrase(random, _FEW))
        golds.append(own)
    return answers, golds


def conversations(random: Random, n: int) -> Columns:
    """Short answers with one to six gold answers, half of them with other words."""
    answers, golds = _several(random, n // 2, 6)
    others, more = answer_pairs(random, n - n // 2)
    return {"predictions": answers + others, "references": golds + more}


def dialogs(random: Random, n: int) -> Columns:
    """Questions of dialogs by id, with gold answers of up to five people; some say CANNOTANSWER."""
    answers, golds = _several(random, n, 5, 0.05)
    for row, own in enumerate(golds):
        share = random.choice([0, 0, 0.3, 0.5, 1])
        golds[row] = [_CANNOT if random.random() < share else gold or "x" for gold in own]
        if random.random() < 0.2:
            answers[row] = random.choice([_CANNOT, "cannotanswer", golds[row][0]])
    ids, dialog = [], 0
    while len(ids) < n:
        ids += [f"C_{dialog}_q#{turn}" for turn in range(random.randint(1, 7))]
        dialog += 1
    ids = ids[:n]
    gold = {name: [random.choice("ynx") for _ in ids] for name in ("yesno", "followup")}
    own = {name: [random.choice([value, "x"]) for value in column] for name, column in gold.items()}
    answers = [None if random.random() < 0.03 else answer for answer in answers]
    return both(
        [{"id": name, "prediction_text": answer} for name, answer in zip(ids, answers, strict=True)],
        [{"id": name, "answers": gold} for name, gold in zip(ids, golds, strict=True)],
        gold_details=gold,
        predicted_details=own,
    )


def scans(random: Random, n: int) -> Columns:
    """Answers read from a scan: gold answers with wrong, missing and additional characters and spaces."""
    answers, golds = answer_pairs(random, n)
    for row, own in enumerate(golds):
        if random.random() < 0.7:
            answers[row] = misread(random, random.choice(own), random.choice([0, 1, 1, 2, 3, 5]))
    return both(answers, golds)


_MEMORIES = """the and And a an adoption agencies agency, running run ran happily; camping camped beaches, mother's mothers May 2023
painting paintings; pottery-class relational conditional generously dying skies pets, Ölbild naïve 7 1,000 No not mentioned""".split()
_SAID_NOTHING = [
    "Not mentioned in the conversation",
    "No information available.",
    "(a) not mentioned",
    "no information",
]


def memories(random: Random, n: int) -> Columns:
    """Questions of five categories about a long conversation, with the turns of the evidence and of the context."""
    answers, golds, categories, evidence, contexts = [], [], [], [], []
    for row in range(n):
        gold = phrase(random, _MEMORIES, 9) if row % 25 else random.choice(["", "the", ";", " , ", "x; y; z"])
        answer = changed(random, gold, _MEMORIES) if random.random() < 0.7 else phrase(random, _MEMORIES, 7)
        categories.append(random.randint(1, 5))
        answers.append(random.choice([*_SAID_NOTHING, answer, answer]) if categories[-1] == 5 else answer)
        golds.append([gold])
        turns = [f"D{random.randint(1, 6)}:{random.randint(1, 4)}" for _ in range(random.randint(0, 4))]
        sessions = [f"S{random.randint(1, 6)}" for _ in range(3)]
        others = [f"D{random.randint(1, 6)}:{random.randint(1, 4)}" for _ in range(4)]
        evidence.append(turns)
        contexts.append(random.choice([None, sessions, sessions, others, others, turns[:2] + others]))
    return both(
        answers,
        golds,
        gold_details={"category": categories, "evidence": evidence},
        predicted_details={"context": contexts},
    )


def misread(random: Random, text: str, times: int, characters: Sequence[str] = "abcXYZ 012İß \t") -> str:
    """The text with some characters replaced, inserted, deleted or in another case."""
    letters = list(text)
    for _ in range(times):
        place = random.randint(0, len(letters))
        change = random.randrange(4)
        if change == 0:
            letters.insert(place, random.choice(characters))
        elif change == 1:
            letters[place : place + 1] = [random.choice(characters)]
        elif change == 2:
            del letters[place : place + 1]
        else:
            letters = list("".join(letters).swapcase())
    return "".join(letters)


_LANGUAGE_WORDS = """ال الكتاب بال of the ein einen eines dem des der die das un una unos las el la los le les l' d' leçon desk une du
un'altra dell'arte gl'i degli italia ilva gatto gli lo uno delle en et ett ei het de den des o os as a um uma uns umas ovo se yks yksi
az egy ház của là cái chiếc những 東京タワー 中国 北京大学 ภาษาไทย ភ្នំពេញ 서울 Москва ירושלים İstanbul naïve 1.000 3,5 Yes no""".split()


def multilingual(random: Random, n: int) -> Columns:
    """Answers with words of many languages, questions without an answer, and distinct no-answer probabilities."""
    answers, golds = answer_pairs(random, n, _LANGUAGE_WORDS)
    for row in range(n):
        if random.random() < 0.15:
            golds[row], answers[row] = [], random.choice(["", "Москва", "中国 2"])
    probabilities = [place / n for place in random.sample(range(n), n)]
    return both(answers, golds, no_answer_probabilities=probabilities)


def long_answers(random: Random, n: int) -> Columns:
    """Long answers with citations and several lines; gold rows of sub-questions with short answers."""
    predictions, references = [], []
    for row in range(n):
        pairs = [[phrase(random, most=3) for _ in range(random.randint(1, 3))] for _ in range(random.randint(1, 4))]
        if random.random() < 0.1:
            pairs[0] = [random.choice(["", "the", "!", " "])]
        parts = [changed(random, random.choice(pair)) for pair in pairs if random.random() < 0.7]
        parts += [phrase(random) for _ in range(random.randint(0, 2))]
        marks = [" [1]", "[2]", " [1][3].", ".", " |", "\n", " [12", "]", "<|im_end|>", ", ", " [x] ", ""]
        text = "".join(part + random.choice(marks) for part in parts)
        predictions.append(random.choice(["", "", "\n", " "]) + text if row % 20 else "")
        references.append(pairs)
    return both(predictions, references)


_CHINESE = """北京 大学 2008年 1,000米 3.5% GDP iPhone 公里 《红楼梦》 “国家” ABC-12 中国·上海 12:30 東京タワー 臺灣 台湾 １２％ 人口 （甲） 、 。 ， … a b12
第一 名 km² 百度 A股""".split()


def chinese(random: Random, n: int) -> Columns:
    """Chinese answers with digits, letters and punctuation that need no tokeniser."""
    predictions, references = [], []
    for _ in range(n):
        pieces = [
            [random.choice([*_CHINESE, " "]) for _ in range(random.randint(1, 8))] for _ in range(random.randint(1, 3))
        ]
        if random.random() < 0.08:
            pieces[0] = [random.choice(["", " ", "。", "《》", "-", "％"])]
        own = list(random.choice(pieces)) if random.random() < 0.8 else [random.choice(_CHINESE)]
        for _ in range(random.choice([0, 0, 1, 2])):
            place = random.randint(0, len(own))
            own[place : place + random.randint(0, 2)] = [random.choice(["", " ", *_CHINESE])]
        predictions.append(random.choice([str, str.upper, str.lower])("".join(own)))
        references.append(["".join(piece) for piece in pieces])
    return both(predictions, references)


def several_lines(random: Random, n: int) -> Columns:
    """Answers with lines before and after them."""
    predictions, references = answer_pairs(random, n)
    frames = ["{}", "\n{}", "\n\n{}\nQuestion: {}", "{}\n{}", " \n{}", "{}\r\nb", ""]
    return both([random.choice(frames).replace("{}", text) for text in predictions], references)


_AMOUNTS = """12 12.5 12.345 (12) -3 $1,234.5 23.42% 0.2342 .5 1 million 5 thousand 3 hundred 2.50 the total revenue U.S. cost of sales
2019 FY18 and a £12.00 (1.5) % inf nan １２ 1e3 12m 10%,""".split()
_SCALES = ["", "", "", "thousand", "million", "billion", "percent"]


def amounts(random: Random, n: int) -> Columns:
    """Similar amounts and phrases of finance with their scales."""
    rows = []
    for _ in range(n):
        kind, scale = random.choice(["span", "multi-span", "arithmetic", "count"]), random.choice(_SCALES)
        many = random.randint(1, 3) if kind == "multi-span" else 1
        gold = [" ".join(random.choices(_AMOUNTS, k=random.randint(1, 3))) for _ in range(many)]
        if kind == "arithmetic":
            gold = [str(random.choice([12, 12.5, 23.42, -3, 0.01, 1234.567, -0.5]))]
        elif kind == "count":
            gold = [str(random.randint(0, 12))]
        own = list(gold) if random.random() < 0.6 else [random.choice(_AMOUNTS)]
        if random.random() < 0.3:
            own = [changed(random, text, _AMOUNTS) for text in own]
        if random.random() < 0.2 and kind == "arithmetic":
            own = [
                random.choice([f"{float(gold[0]):.4f}", f"{float(gold[0]) / 100:.4f}", f"{gold[0]}%", f"${gold[0]}"])
            ]
        if random.random() < 0.05:
            own = random.choice([[], "", ["the"], [""]])
        random.shuffle(own) if isinstance(own, list) else None
        rows.append((own, gold, kind, scale, scale if random.random() < 0.8 else random.choice(_SCALES)))
    own, gold, kinds, scales, own_scales = map(list, zip(*rows, strict=True))
    return both(
        own, gold, gold_details={"answer_type": kinds, "scale": scales}, predicted_details={"scale": own_scales}
    )


def with_pages(random: Random, n: int) -> Columns:
    """Answers with the pages that a system retrieved, and gold answers with theirs."""
    predictions, references = answer_pairs(random, n)
    golds = [[gold for gold in own if gold.strip()] or ["x"] for own in references]
    names = ["12", "7", " 7", "100", "a b", "99"]
    gold = [[random.choices(names, k=random.choice([0, 1, 1, 2, 3])) for _ in own] for own in golds]
    own = []
    for sets in gold:
        pages = random.choices(names, k=random.randint(0, 4))
        own.append(random.choice(sets) + pages if random.random() < 0.6 else pages)
    return both(predictions, golds, gold_details={"pages": gold}, predicted_details={"pages": own})


# --- of rewards

_PROMPT = (
    "<|im_start|>user\nReason inside <think> and </think>, call <search> query </search> and read <information> and </information>. Write the "
    "answer inside <answer> and </answer>, for example <answer> Beijing </answer>. Question: {}?<|im_end|>\n<|im_start|>assistant\n"
)
_TAGS = [f"<{end}{name}>" for name in ("think", "search", "information", "answer") for end in ("", "/")]


def written(random: Random, n: int) -> Columns:
    """Completions with no, one, two, nested, unclosed, upper-case and many tags; gold answers also as a text, or none."""
    columns = tagged(random, n)
    texts, golds = columns["predictions"], columns["references"]
    for row in range(n):
        kind = random.random()
        if kind < 0.1:  # one more tag than verl allows, or as many as it allows
            more = random.choice([9, 10, 11, 30])
            texts[row] = random.choice(["<answer>x</answer>", "</answer>", "<answer>"]) * more + texts[row]
        elif kind < 0.15:
            texts[row] = texts[row].upper()
        elif kind < 0.2:
            golds[row] = golds[row][0]
        elif kind < 0.25:
            golds[row] = []
    return columns


def with_prompts(random: Random, n: int) -> Columns:
    """Texts after a prompt with no, one or two examples of an answer."""
    columns = written(random, n)
    prompts = ["", _PROMPT.format("Who"), _PROMPT.format("Who"), _PROMPT.format("Who") * 2, "<answer>", "</answer>"]
    columns["predictions"] = [random.choice(prompts) + text for text in columns["predictions"]]
    return columns


def with_searches(random: Random, n: int) -> Columns:
    """Texts that think, search, read and answer after a prompt, complete or with an extra, missing or misplaced tag."""
    predictions, references = answer_pairs(random, n)
    texts = []
    for answer, golds in zip(predictions, references, strict=True):
        blocks = [f"<think>{phrase(random)}</think>"]
        for _ in range(random.randrange(3)):
            found = changed(random, random.choice(golds)) if random.random() < 0.4 else phrase(random)
            found = f"{phrase(random)} {found} {phrase(random)}"
            blocks += [f"<search>{phrase(random)}</search>", f"<information>{found}</information>"]
            blocks += [f"<think>{random.choice(['', ' ', phrase(random)])}</think>"]
        blocks += [f"<answer>{answer}</answer>"]
        for _ in range(random.choice([0, 0, 0, 1, 2])):
            place = random.randrange(len(blocks))
            change = random.randrange(5)
            if change == 0:
                del blocks[place : place + 1]
            elif change == 1:
                blocks.insert(place, random.choice([*_TAGS, phrase(random), "\u2003", "<Think>", "<|im_end|>"]))
            elif change == 2:
                blocks.append(random.choice(blocks or [""]))
            elif change == 3 and blocks:
                blocks[place] = blocks[place].replace(random.choice(_TAGS), random.choice(["", *_TAGS]), 1)
            else:
                random.shuffle(blocks)
            blocks = blocks or [""]
        text = random.choice(["", "\n", "\n\n"]).join(blocks)
        start = random.choice([_PROMPT.format("Who")] * 5 + ["", "<|im_start|>assistant", "<answer>a</answer>"])
        texts.append(start + text + random.choice(["", "", "", "\n", "<|im_end|>", "<|im_start|>assistant\n"]))
    golds = [[] if random.random() < 0.03 else own for own in references]
    return both(texts, golds)


def answered(random: Random, n: int) -> Columns:
    """Plain answers; gold answers also as a text, or none."""
    predictions, references = answer_pairs(random, n)
    references = [random.choice([golds] * 8 + [golds[0], []]) for golds in references]
    return both(predictions, references)


def columns_of(kind: str, seed: int, n: int) -> Columns:
    """The columns of a kind of rows: the name of a function of this file."""
    make: Callable[[Random, int], Columns] = globals()[kind]
    return make(Random(seed), n)


def golden_file(preset: str) -> str:
    """The name of the file of golden numbers."""
    return f"{preset.replace(':', '_')}.json"


def rows_hash(columns: Columns) -> str:
    """A hash of columns, to check that golden numbers were made from them."""
    return hashlib.sha256(json.dumps(columns, sort_keys=True).encode()).hexdigest()[:16]


def pack(values: Sequence[float | None]) -> dict[str, Any]:
    """Numbers, or None if a measure does not apply, as distinct numbers and the place of each row's number among them."""
    distinct = sorted(set(values), key=lambda value: (value is not None, value))
    places = {value: place for place, value in enumerate(distinct)}
    return {"values": distinct, "rows": " ".join(str(places[value]) for value in values)}


def unpack(packed: dict[str, Any]) -> list[float | None]:
    """The numbers of `pack`."""
    return [packed["values"][int(place)] for place in packed["rows"].split()]
