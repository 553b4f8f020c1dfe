"""Random and adversarial rows for the golden numbers of presets; a seed gives the same rows on every machine.

A kind of rows is a function of a random generator and a number of rows; it returns the columns of `qassay.score` by name.
"""

import hashlib
import importlib
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
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
    predictions, references = answer_pairs(random, n)
    return {"predictions": predictions, "references": references}


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
    return {"predictions": written, "references": references}


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
        predictions, references = answer_pairs(random, n, _LANGUAGES[language].split())
        return {"predictions": predictions, "references": references}

    return rows


french, german, russian, mixed, korean_answers = (_in(language) for language in ("fr", "de", "ru", "mixed", "ko"))


def japanese(random: Random, n: int) -> Columns:
    """Japanese answers, some with blanks and full stops; some questions without an answer."""
    columns = _in("ja")(random, n)
    columns["references"] = [[] if random.random() < 0.05 else golds for golds in columns["references"]]
    return columns


def korean(random: Random, n: int) -> Columns:
    """Korean answers, some long; some questions without an answer."""
    columns = _in("ko")(random, n)
    for row in range(0, n, 20):
        long = phrase(random, _LANGUAGES["ko"].split(), 120)
        columns["references"][row] = [long]
        columns["predictions"][row] = changed(random, long[random.randint(0, 40) : random.randint(60, 400)])
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
    return {"predictions": predictions, "references": references}


def gaia_answers(random: Random, n: int) -> Columns:
    """Numbers, lists and texts, one gold answer each."""
    numbers = [
        "1000",
        "1,000",
        "$1,000.50",
        "3.14",
        "-5",
        "20%",
        "1e3",
        "inf",
        "nan",
        "0",
        "0.0",
        "1_000",
        " 7 ",
        "１２",
        "+3",
        ".5",
        "1000.0",
    ]
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
    return {"predictions": predictions, "references": references}


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
    return {
        "predictions": predictions,
        "references": references,
        "ids": [f"r{row}" for row in range(n)],
        "gold_details": gold,
        "predicted_details": predicted,
    }


def twowiki_rows(random: Random, n: int) -> Columns:
    """Answers with aliases, facts with titles in another case, and triples in several wordings; some are missing."""
    predictions, references = answer_pairs(random, n)
    titles = ["A Film", "a film", "B", "Ünder", "C (song)"]
    names = ["The King", "the king!", "Queen", "a.b", "", "Élan", "director"]
    columns: Columns = {"gold_facts": [], "predicted_facts": [], "gold_details": [], "predicted_details": []}
    for _ in range(n):
        facts = [[random.choice(titles), random.randrange(3)] for _ in range(random.randint(0, 4))]
        own = random.choice(
            [facts, [[title.upper(), place] for title, place in facts], facts[1:], [*facts, ["B", 7]], []]
        )
        columns["gold_facts"].append(facts)
        columns["predicted_facts"].append(None if random.random() < 0.05 else own)
        triples = [
            [[random.choice(names) for _ in range(3)] for _ in range(random.randint(1, 3))]
            for _ in range(random.randint(0, 3))
        ]
        said = [random.choice(wordings) for wordings in triples]
        said = random.choice(
            [said, said[1:], [*said, ["x", "y", "z"]], [[part.upper() for part in one] for one in said], []]
        )
        columns["gold_details"].append({"evidences": triples})
        columns["predicted_details"].append({"evidence": None if random.random() < 0.05 else said})
    return {"predictions": predictions, "references": references, **columns}


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
    return {"predictions": answers, "references": golds, "no_answer_probabilities": doubts}


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
    return {"predictions": predictions, "references": references}


def answers_with_facts(random: Random, n: int) -> Columns:
    """Answers of HotpotQA with one gold answer, many of them yes or no, and supporting facts."""
    predictions, references = answer_pairs(random, n, most_golds=1)
    facts = [["A", 0], ["A", 1], ["B", 0], ["C (song)", 2]]
    gold = [random.sample(facts, random.randint(1, 3)) for _ in range(n)]
    own = [random.choice([facts, one, one[1:], [*one, ["a", 0]], []]) for one in gold]
    return {"predictions": predictions, "references": references, "predicted_facts": own, "gold_facts": gold}


def columns_of(rows: str, seed: int, n: int) -> Columns:
    """The columns of a kind of rows, named MODULE:FUNCTION, with the module beside this file."""
    module, _, function = rows.partition(":")
    beside = str(Path(__file__).resolve().parent)
    sys.path.insert(0, beside)
    try:
        make: Callable[[Random, int], Columns] = getattr(importlib.import_module(module), function)
    finally:
        sys.path.remove(beside)
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
