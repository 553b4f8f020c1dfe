"""Rows for the golden numbers of presets with special rules, as in `preset_rows`."""

from collections.abc import Sequence
from functools import partial
from random import Random

from preset_rows import Columns, answer_pairs, changed, phrase

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
    """Short answers with one to six gold answers, half of them with the words of `preset_rows`."""
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
    return {
        "predictions": [{"id": name, "prediction_text": answer} for name, answer in zip(ids, answers, strict=True)],
        "references": [{"id": name, "answers": gold} for name, gold in zip(ids, golds, strict=True)],
        "gold_details": gold,
        "predicted_details": own,
    }


def scans(random: Random, n: int) -> Columns:
    """Answers read from a scan: gold answers with wrong, missing and additional characters and spaces."""
    answers, golds = answer_pairs(random, n)
    for row, own in enumerate(golds):
        if random.random() < 0.7:
            answers[row] = misread(random, random.choice(own), random.choice([0, 1, 1, 2, 3, 5]))
    return {"predictions": answers, "references": golds}


_TOLD = """the and And a an adoption agencies agency, running run ran happily; camping camped beaches, mother's mothers May 2023
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
        gold = phrase(random, _TOLD, 9) if row % 25 else random.choice(["", "the", ";", " , ", "x; y; z"])
        answer = changed(random, gold, _TOLD) if random.random() < 0.7 else phrase(random, _TOLD, 7)
        categories.append(random.randint(1, 5))
        answers.append(random.choice([*_SAID_NOTHING, answer, answer]) if categories[-1] == 5 else answer)
        golds.append([gold])
        turns = [f"D{random.randint(1, 6)}:{random.randint(1, 4)}" for _ in range(random.randint(0, 4))]
        sessions = [f"S{random.randint(1, 6)}" for _ in range(3)]
        others = [f"D{random.randint(1, 6)}:{random.randint(1, 4)}" for _ in range(4)]
        evidence.append(turns)
        contexts.append(random.choice([None, sessions, sessions, others, others, turns[:2] + others]))
    return {
        "predictions": answers,
        "references": golds,
        "gold_details": {"category": categories, "evidence": evidence},
        "predicted_details": {"context": contexts},
    }


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
    return {"predictions": answers, "references": golds, "no_answer_probabilities": probabilities}


def span_sets(random: Random, n: int) -> Columns:
    """Answers of several spans, and gold answers of several spans or none."""
    predictions, references = [], []
    for _ in range(n):
        golds = [phrase(random, _FEW, 4) for _ in range(random.choice([0, 1, 2, 3, 5]))]
        own = [changed(random, gold, _FEW) for gold in golds if random.random() < 0.8]
        own += [phrase(random, _FEW, 3) for _ in range(random.choice([0, 0, 1, 2]))]
        if random.random() < 0.1:
            own = random.choice([[], [""], ["the"], [own[0]] * 2 if own else []])
        if random.random() < 0.05:
            golds, own = [" ".join(random.choices(_FEW, k=80))], [" ".join(random.choices(_FEW, k=90))]
        random.shuffle(own)
        predictions.append(own)
        references.append(golds)
    return {"predictions": predictions, "references": references}


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
    return {"predictions": predictions, "references": references}


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
    return {"predictions": predictions, "references": references}


def several_lines(random: Random, n: int) -> Columns:
    """Answers with lines before and after them."""
    predictions, references = answer_pairs(random, n)
    frames = ["{}", "\n{}", "\n\n{}\nQuestion: {}", "{}\n{}", " \n{}", "{}\r\nb", ""]
    return {
        "predictions": [random.choice(frames).replace("{}", text) for text in predictions],
        "references": references,
    }


_NUMBERS = ["3", "5", "12", "05", "３", "one", "3.", "No. 5", "3rd", "15 and 3", ""]


def numbered(random: Random, n: int, before: str = "") -> Columns:
    """Answers with numbers in them, and gold answers that are a number, or name a paragraph."""
    predictions = [" ".join(random.choice(_NUMBERS) for _ in range(random.randint(0, 4))) for _ in range(n)]
    golds = [
        [before + random.choice(["3", "5", "12", "30"]) for _ in range(random.choice([1, 1, 2]))] for _ in range(n)
    ]
    return {"predictions": predictions, "references": golds}


paragraphs = partial(numbered, before="Paragraph ")
paragraphs_zh = partial(numbered, before="答案是段落")


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
    return {
        "predictions": own,
        "references": gold,
        "gold_details": {"answer_type": kinds, "scale": scales},
        "predicted_details": {"scale": own_scales},
    }


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
    return {
        "predictions": predictions,
        "references": golds,
        "gold_details": {"pages": gold},
        "predicted_details": {"pages": own},
    }
