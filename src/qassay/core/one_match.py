"""Compares one answer with its gold answers in plain Python, in microseconds, with the rules of `matching` to the last
bit.
"""

import dataclasses
from collections import Counter
from collections.abc import Callable, Sequence

from .text import Normalizer

MATCH_COLUMNS = ("exact_match", "f1", "precision", "recall", "contains")

Match = tuple[float, float, float, float, float, bool]


@dataclasses.dataclass(frozen=True)
class MatchRules:
    """How an answer is compared with gold answers; the defaults are those of SQuAD 2.0.

    Attributes:
        normalizer: of answers and gold answers.
        unit: what F1, precision, recall and containment count: "token" or "character", as in `token_table`.
        drop_empty_golds: drop gold answers that normalise to the empty string; if none is left, the empty answer is right.
        empty_f1: the F1, precision and recall of an answer without tokens against a gold answer without tokens: 1 in
            SQuAD 2.0, 0 in 1.1; always 1 in a row without gold answers.
        substring: `contains` searches the normalised answer for the normalised text of a gold answer, not for its
            tokens.
        whole_answers: normalised texts that share no token with other texts, such as "yes".
    """

    normalizer: Normalizer
    unit: str = "token"
    drop_empty_golds: bool = True
    empty_f1: float = 1.0
    substring: bool = False
    whole_answers: Sequence[str] = ()


def match_one(rules: MatchRules) -> Callable[[str, Sequence[str]], Match]:
    """`match_texts` for one answer, as a function of an answer and its gold answers.

    It gives the numbers of MATCH_COLUMNS, and whether the answer normalises to nothing.

    Example:
        >>> from qassay.core.text import get_normalizer
        >>> match_one(MatchRules(get_normalizer("squad")))("in the Alps", ["Alps", "the French Alps"])
        (0.0, 0.6666666666666666, 0.5, 1.0, 1.0, False)
    """
    normalise, empty_f1, substring = rules.normalizer.shortest, rules.empty_f1, rules.substring
    by_token, has_blanks = rules.unit == "token", rules.normalizer.unit != rules.unit
    whole, nothing = frozenset(rules.whole_answers), None
    # The most recent gold answers, their texts, and whether any is left.
    known: tuple[Sequence[str], list[str], bool] | None = None

    def match(answer: str, golds: Sequence[str]) -> Match:
        nonlocal nothing, known
        text, last = normalise(answer), known
        if last is not None and last[0] == golds:  # of ranked answers, or several of one question
            _, gold_texts, has_golds = last
        else:
            gold_texts = [normalise(gold) for gold in dict.fromkeys(golds)]
            if nothing is None:
                nothing = normalise("")
            if rules.drop_empty_golds and nothing in gold_texts:
                gold_texts = [gold for gold in gold_texts if gold != nothing]
            has_golds = bool(gold_texts)
            if not has_golds:  # no gold answer is left: the empty answer is right
                gold_texts = [nothing]
            known = [*golds], gold_texts, has_golds
        # Characters are tokens too: a text is a sequence of them.
        tokens: Sequence[str] = text.split() if by_token else text if has_blanks else "".join(text.split())
        if text in gold_texts:
            right = 1.0 if tokens or not golds else empty_f1
            return 1.0, right, right, right, 1.0, text == nothing
        f1 = precision = recall = contains = 0.0
        if substring and has_golds and any(gold in text for gold in gold_texts):  # every text contains the empty text
            contains = 1.0
        seen, counts = set(tokens), None
        n_tokens = len(tokens)
        for gold in gold_texts:
            gold_tokens = gold.split() if by_token else gold if has_blanks else "".join(gold.split())
            if not tokens:
                if not gold_tokens:  # different strings of white space
                    f1 = precision = recall = empty_f1
                    contains = contains if substring else 1.0
                continue
            common = seen.intersection(gold_tokens)
            if not common:
                continue
            shared, n_gold = len(common), len(gold_tokens)
            if n_tokens > len(seen) and n_gold > shared:  # a token may occur several times in both texts
                counts = counts or Counter(tokens)
                shared = sum([min(count, counts[token]) for token, count in Counter(gold_tokens).items()])
            if not (whole and (text in whole or gold in whole)):
                part, found = shared / n_tokens, shared / n_gold
                both = (2 * part * found) / (part + found)  # in the order of the official script, to match its last bit
                # Comparisons are faster than calls of max().
                f1 = both if both > f1 else f1
                precision = part if part > precision else precision
                recall = found if found > recall else recall
            if contains == 0 and shared == n_gold and not substring:
                contains = 1.0 if n_gold == 1 or _stands_in(gold_tokens, tokens) else 0.0
        return 0.0, f1, precision, recall, contains, text == nothing

    return match


def _stands_in(inner: Sequence[str], outer: Sequence[str]) -> bool:
    """Whether tokens occur contiguously in others."""
    if isinstance(inner, str) and isinstance(outer, str):
        return inner in outer
    return f" {' '.join(inner)} " in f" {' '.join(outer)} "
