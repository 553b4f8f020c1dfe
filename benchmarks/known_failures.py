"""Variations of failures of scorers of answer equivalence, and the share that the built-in one judges right.

    python benchmarks/known_failures.py [--half {0,1,both}] [--wrong]

The script makes about 200 answers of fourteen kinds; half of them, by a hash of question and answer, may be looked at (`--wrong` lists
the misjudged ones of this half), the other half is only measured.
"""

import argparse
import hashlib
from collections.abc import Iterator

import numpy as np

from qassay.answer_equivalence.lite import accept_probabilities

Case = tuple[
    str, str, list[str], str, bool
]  # kind, question, gold answers, answer, whether a careful person accepts it
_COINS = "KES NGN INR PKR IDR THB VND PHP EGP GHS UGX TZS".split()
_INITIALED = (
    ("George H. W. Bush", "George W. Bush"), ("John Q. Adams", "John B. Adams"), ("Michael J. Fox", "Michael B. Fox"),
    ("Harry S. Smith", "Harry B. Smith"), ("Anna M. Lopez", "Anna R. Lopez"), ("James T. Kirk", "James R. Kirk"),
    ("William H. Gates", "William J. Gates"), ("Mary L. Cook", "Mary T. Cook"),
)  # fmt: skip
_QUALIFIED = (
    ("Democratic Republic of the Congo", "Republic of the Congo"), ("South Sudan", "Sudan"), ("West Virginia", "Virginia"),
    ("New Mexico", "Mexico"), ("Equatorial Guinea", "Guinea"), ("North Korea", "South Korea"), ("South Carolina", "North Carolina"),
    ("Dominican Republic", "Czech Republic"), ("East Timor", "West Timor"), ("Upper Austria", "Lower Austria"),
)  # fmt: skip
_LISTS = (
    ("Which three states are called Baltic?", ["Estonia", "Latvia", "Lithuania"]),
    ("Which countries formed the Benelux union?", ["Belgium", "Netherlands", "Luxembourg"]),
    ("Who were the members of the trio?", ["Emerson", "Lake", "Palmer"]),
    ("Which colours does the flag have?", ["black", "red", "gold"]),
    ("Which rivers meet there?", ["Danube", "Inn", "Ilz"]),
    ("Which brothers led the band?", ["Barry", "Robin", "Maurice"]),
)
_SHORT = (
    ("John F. Kennedy", "JFK"), ("Franklin Delano Roosevelt", "FDR"), ("National Aeronautics and Space Administration", "NASA"),
    ("European Union", "EU"), ("World Health Organization", "WHO"), ("Federal Bureau of Investigation", "FBI"),
    ("North Atlantic Treaty Organization", "NATO"), ("United Arab Emirates", "UAE"), ("Massachusetts Institute of Technology", "MIT"),
)  # fmt: skip
_OTHER_FORMS = (
    ("Vienna", "Wien"),
    ("Rome", "Roma"),
    ("Prague", "Praha"),
    ("Lisbon", "Lisboa"),
    ("Warsaw", "Warszawa"),
    ("Milan", "Milano"),
)
_JAPANESE = (
    ("東京", "東京です。"),
    ("大阪", "大阪だと思います。"),
    ("富士山", "富士山です。"),
    ("夏目漱石", "夏目漱石が書きました。"),
    ("京都", "答えは京都です。"),
)
_VAGUE = (
    "It depends on how you look at it.", "someone from that period", "one of the larger ones", "There are different opinions about this.",
    "a well-known person", "in a city somewhere in the south", "quite a long time ago", "for several reasons", "a number of them",
)  # fmt: skip
_NAMES = ("Isaac Newton", "Lima", "the Amazon", "Ada Lovelace", "Nikola Tesla", "Cairo", "Marie Curie")


def variations() -> Iterator[Case]:
    """The answers, the same at every call."""
    rng = np.random.default_rng(99)

    def number(low: int, high: int) -> int:
        return int(rng.integers(low, high))

    for coin in _COINS:
        amount = 1000 * number(20, 400)
        question = "What does a teacher in the town earn in a year?"
        yield (
            "money",
            question,
            [f"{coin} {amount:,}"],
            f"A teacher in the town earns {coin} {amount + 3000:,} in a year.",
            False,
        )
        if amount % 3000 == 0:
            yield (
                "money",
                question,
                [f"{coin} {amount:,}"],
                f"A teacher in the town earns {coin} {amount:,} in a year.",
                True,
            )
    for unit in ("ml", "mg", "cm", "kg", "litres", "hours", "pages", "steps", "drops", "tablets"):
        count = number(2, 40)
        question = f"How many {unit} should it be?"
        yield "units", question, [f"{count} {unit}"], f"{2 * count} {unit}", False
        yield "units", question, [f"{count} {unit}"], f"It should be {count} {unit}.", True
    for _ in range(8):
        low, high = number(0, 4), number(4, 8)
        yield "score", "What was the final score?", [f"{high}-{low}"], f"{low}-{high}", False
        yield "score", "What was the final score?", [f"{high}-{low}"], f"It ended {high}-{low}.", True
    for code in ("CSC", "MAT", "BIO", "PHY", "ENG", "HIS", "ART", "CHM"):
        count = number(110, 480)
        yield "code", "Which course comes first?", [f"{code} {count}"], f"{code} {count + 10}", False
    for gold, answer in (
        ("True", "Yes"),
        ("yes", "He certainly did."),
        ("yes", "Yes, she did."),
        ("False", "No"),
        ("no", "No, he did not."),
        ("true", "That is correct."),
    ):
        yield "yes", "Did the author live in Kent?", [gold], answer, True
        yield "yes", "Was the bridge finished in time?", [gold], answer, True
    for gold, answer in (("True", "No"), ("yes", "No, he did not."), ("False", "Yes"), ("no", "Yes, it was.")):
        yield "yes", "Was the bridge finished in time?", [gold], answer, False
    for gold, other in _INITIALED:
        yield "initials", "Who was elected in that year?", [gold], other, False
        yield "initials", "Who was elected in that year?", [gold], f"It was {gold}.", True
    for gold, other in _QUALIFIED:
        yield "qualified", "In which of them does the river rise?", [gold], other, False
        yield "qualified", "In which of them does the river rise?", [gold], f"in {gold}", True
    for question, items in _LISTS:
        gold = f"{items[0]}, {items[1]} and {items[2]}"
        yield "list", question, [gold], f"{items[0]} and {items[1]}", False
        yield "list", question, [gold], f"{items[2]} and {items[0]}", False
        yield "list", question, [gold], f"{items[2]}, {items[0]} and {items[1]}", True
    for long, short in _SHORT:
        yield "acronym", "What is meant here?", [long], short, True
        yield "acronym", "What is meant here?", [short], long, True
    for century in range(15, 20):
        yield "years", "When was it built?", [f"{century + 1}th century"], f"the {century}00s", True
        yield "years", "When was it built?", [f"the {century}00s"], f"in the {century + 1}th century", True
    for year in (1968, 1974, 1981, 1987, 1994, 1999):
        yield "years", "In which year did they meet?", [str(year)], f"'{year % 100}", True
    for gold, other in _OTHER_FORMS:
        yield "other language", "Which city is the capital?", [gold], other, True
    for gold, answer in _JAPANESE:
        yield "japanese", "どれですか。", [gold], answer, True
    for name in _NAMES:
        yield "nothing", "What was behind it?", [name], f"{name} had nothing to do with it.", False
        yield "nothing", "What was behind it?", [name], f"It has nothing to do with {name}.", False
    for place, answer in enumerate(_VAGUE):
        yield "vague", "Who or what was the cause?", [_NAMES[place % len(_NAMES)]], answer, False


def half_of(case: Case) -> int:
    return hashlib.sha256(f"{case[1]}{case[2]}{case[3]}".encode()).digest()[0] % 2


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--half", choices=("0", "1", "both"), default="0", help="0 may be looked at, 1 is only measured"
    )
    parser.add_argument("--wrong", action="store_true", help="list the misjudged answers of half 0")
    args = parser.parse_args()
    cases = [case for case in variations() if args.half in ("both", str(half_of(case)))]
    kinds, questions, golds, answers, accepted = map(list, zip(*cases, strict=True))
    found = accept_probabilities(answers, golds, questions)
    right = (found >= 0.5) == np.array(accepted)
    print(f"{len(cases)} variations, {right.mean():.3f} judged right")
    if args.half != "0":
        return
    for kind in dict.fromkeys(kinds):
        own = [one for one, name in zip(right.tolist(), kinds, strict=True) if name == kind]
        print(f"  {kind:<16}{len(own):>4}  {np.mean(own):.2f}")
    for case, value, is_right in zip(cases, found.tolist(), right.tolist(), strict=True):
        if args.wrong and not is_right:
            print(f"  {value:.2f} {'accept' if case[4] else 'reject'}  {case[1]} | {case[2]} | {case[3]}")


if __name__ == "__main__":
    main()
