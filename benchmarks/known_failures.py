"""Variations of failures of scorers of answer equivalence, and the share that the built-in one judges right.

    python benchmarks/known_failures.py [--half {0,1,both}] [--wrong]

misleading_answers/known_failures.jsonl has about 200 answers of fourteen kinds; half of them, by a hash of question and answer, may be
looked at (`--wrong` lists the misjudged ones of this half), the other half is only measured.
"""

import argparse
import hashlib

import numpy as np
from equivalence_cases import THRESHOLD, Case, read_cases

from qassay.answer_equivalence.lite import accept_probabilities


def half_of(case: Case) -> int:
    return hashlib.sha256(f"{case.question}{case.golds}{case.answer}".encode()).digest()[0] % 2


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--half", choices=("0", "1", "both"), default="0", help="0 may be looked at, 1 is only measured"
    )
    parser.add_argument("--wrong", action="store_true", help="list the misjudged answers of half 0")
    args = parser.parse_args()
    cases = [case for case in read_cases("known_failures") if args.half in ("both", str(half_of(case)))]
    kinds, questions, golds, answers, accepted = map(list, zip(*cases, strict=True))
    found = accept_probabilities(answers, golds, questions)
    right = (found >= THRESHOLD) == np.array(accepted)
    print(f"{len(cases)} variations, {right.mean():.3f} judged right")
    if args.half != "0":
        return
    for kind in dict.fromkeys(kinds):
        of_kind = right[np.array(kinds) == kind]
        print(f"  {kind:<16}{len(of_kind):>4}  {of_kind.mean():.2f}")
    for case, value, is_right in zip(cases, found.tolist(), right.tolist(), strict=True):
        if args.wrong and not is_right:
            verdict = "accept" if case.accept else "reject"
            print(f"  {value:.2f} {verdict}  {case.question} | {case.golds} | {case.answer}")


if __name__ == "__main__":
    main()
