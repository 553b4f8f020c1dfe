"""Words that exclude each other: opposites, names that are easily confused, and terms that differ in one prefix or suffix."""

from itertools import permutations

_OPPOSITES = """
older younger, older under, younger over, oldest youngest, north south, northern southern, east west, eastern western,
north northeast, north northwest, south southeast, south southwest, east northeast, east southeast, west northwest, west southwest, northeast northwest, southeast southwest, northeast southeast, northwest southwest,
left right, above below, over under, up down, upper lower, before after, earlier later, earliest latest, more less, more fewer,
most least, most fewest, higher lower, highest lowest, larger smaller, largest smallest, bigger smaller, biggest smallest,
longer shorter, longest shortest, male female, man woman, men women, boy girl, king queen, prince princess, father mother,
son daughter, brother sister, husband wife, uncle aunt, nephew niece, win lose, won lost, increase decrease,
increased decreased, rise fall, rise drop, rose fell, rose dropped, rose declined, rose decreased, increased fell, increased dropped,
grew shrank, grew fell, gained lost, hot cold, warm cold, open closed, true false, rich poor, maximum minimum, odd even,
positive negative, day night, morning evening, summer winter, spring autumn, import export, buy sell, bought sold, inner outer,
inside outside, internal external, vertical horizontal, acid alkaline, legal illegal, alive dead, guilty innocent,
clockwise anticlockwise, faster slower, heavier lighter, yes no, accept reject, accepted rejected, arrive leave, enter leave,
wide narrow, deep shallow, thick thin, asleep awake, attack defend, strong weak, stronger weaker, victory defeat,
married divorced, expand contract, solid liquid, evergreen deciduous,
stalactite stalagmite, stalactites stalagmites, methane ethane, propane butane, silicon silicone,
athens athena, aries ares, libya libra, turin turing, galilee galileo, carter cartier, trajan trojan, virgil virgin,
rome romeo, roman romanian, romans romanians, maine marne, maine mainz, parma palma, monet manet, grenada granada, dante danton,
carolina caroline, slovenian slovakian, slovene slovak, austrian australian, austrians australians, persian prussian
"""
# A word with another prefix of its line is another term; "-": no prefix.
_PREFIXES = """
hypo hyper, endo exo ecto, macro micro, intra inter extra, pre post, ante post, sub super, mono di tri tetra poly,
uni bi tri multi, homo hetero, under over, maxi mini, pro anti, kilo mega giga tera milli micro nano centi deci,
- un, - in, - im, - il, - ir, - dis, - non, - a, - an, - anti
"""
_SUFFIXES = "ate ite ide ine, ane ene yne, ful less"
_SAME_TERMS = frozenset(("flammable inflammable", "habitable inhabitable"))
_ROOT_LETTERS = 4  # that both words share, but 3 before a suffix


def _opposite_words() -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for pair in _OPPOSITES.split(","):
        one, other = pair.split()
        found.setdefault(one, set()).add(other)
        found.setdefault(other, set()).add(one)
    return found


OPPOSITES = _opposite_words()


def _pairs_of(lines: str) -> tuple[tuple[str, str], ...]:
    groups = ([part.strip("-") for part in line.split()] for line in lines.split(","))
    return tuple(dict.fromkeys(pair for group in groups for pair in permutations(group, 2)))


_PREFIX_PAIRS, _SUFFIX_PAIRS = _pairs_of(_PREFIXES), _pairs_of(_SUFFIXES)


def exclude_each_other(one: str, other: str) -> bool:
    """Whether two words are opposites, or the same word with prefixes or suffixes that exclude each other.

    Example:
        >>> exclude_each_other("north", "south"), exclude_each_other("hypotension", "hypertension")
        (True, True)
        >>> exclude_each_other("sulfate", "sulfite"), exclude_each_other("legal", "legally")
        (True, False)
    """
    if other in OPPOSITES.get(one, ()):
        return True
    if " ".join(sorted((one, other))) in _SAME_TERMS:
        return False
    return any(
        one.startswith(first) and len(rest := one[len(first) :]) >= _ROOT_LETTERS and other == second + rest
        for first, second in _PREFIX_PAIRS
    ) or any(
        one.endswith(first) and len(rest := one.removesuffix(first)) >= _ROOT_LETTERS - 1 and other == rest + second
        for first, second in _SUFFIX_PAIRS
    )
