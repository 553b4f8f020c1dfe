"""Units: names of units with their dimension and their size in base units."""

from .words import Text, stem

# dimension: sizes in base units, each with names of its unit.
_TABLE = """
length: 1 m metre meter, 1000 km kilometre kilometer, .01 cm centimetre centimeter, .001 mm millimetre millimeter, 1609.344 mile mi, .3048 foot feet ft, .0254 inch inches, .9144 yard yd
mass: 1 g gram, 1000 kg kilo kilogram, .001 mg milligram, 1000000 ton tonne, 453.59237 pound lb lbs, 28.3495 ounce oz
time: 1 second sec, 60 minute min, 3600 hour hr h, 86400 day, 604800 week, 2629800 month, 31557600 year yr, 315576000 decade
volume: 1 l litre liter, .001 ml millilitre milliliter, .01 cl centilitre centiliter, 3.78541 gallon, .473176 pint
share: .01 percent, .001 permille
kelvin: 1 kelvin k
celsius: 1 celsius c
fahrenheit: 1 fahrenheit f
money dollar: 1 dollar usd buck, .01 cent
money euro: 1 euro eur
money sterling: 1 sterling gbp quid
money yen: 1 yen jpy
power: 1 watt w, 1000 kw kilowatt, 1000000 mw megawatt
speed: .44704 mph, .277777778 kmh kph
area: 10000 hectare ha, 4046.856 acre
"""
UNITS = {
    name: (dimension, float(size))
    for dimension, _, units in (line.partition(": ") for line in _TABLE.strip().splitlines())
    for size, *names in map(str.split, units.split(","))
    for name in names
}
_TEMPERATURES = {"kelvin": (1.0, 0.0), "celsius": (1.0, 273.15), "fahrenheit": (5 / 9, 459.67 * 5 / 9)}


def read_unit(text: Text, first: int, end: int, dimension: str = "") -> tuple[str, float, float, int]:
    """The unit of the number at the words from `first` to before `end`: its dimension, size and offset, and the index after it.

    A unit follows the number; a currency may also precede it, and a code of three capital letters may be on either side.
    Without a unit, the dimension is the given one and the size 1; with "share", an article or "of" may be between.

    Example:
        >>> from .words import read_text
        >>> [read_unit(read_text(text), 0, 1) for text in ("5 kilometres", "5 km per hour", "5 °C", "5 apples")]
        [('length', 1000.0, 0.0, 2), ('speed', 0.2777777777777778, 0.0, 4), ('temperature', 1.0, 273.15, 3), ('', 1.0, 0.0, 1)]
    """
    words, raw, size, offset = text.words, text.raw, 1.0, 0.0
    skip = end + (dimension == "share" and words[end : end + 1] in (["a"], ["an"], ["of"]))
    skip += words[skip : skip + 1] in (["degree"], ["degrees"])
    unit = _unit_at(words, skip)
    before = UNITS.get(words[first - 1]) if first else None
    if unit:
        (dimension, size), end = unit, skip + 1
        other = _unit_at(words, end + 1) if words[end : end + 1] in (["per"], ["an"], ["a"]) else None
        if other and (dimension, other[0]) == ("length", "time"):
            dimension, size, end = "speed", size / other[1], end + 2
        if dimension in _TEMPERATURES:
            (size, offset), dimension = _TEMPERATURES[dimension], "temperature"
    elif before and before[0].startswith("money"):
        dimension, size = before
    elif not dimension:
        code = next((n for n in (first - 1, end) if 0 <= n < len(raw) and _is_code(raw[n])), None)
        dimension = "" if code is None else f"code {words[code]}"
    return dimension, size, offset, end


def _is_code(raw: str) -> bool:
    return len(raw) == 3 and raw.isupper() and raw.isalpha()


def _unit_at(words: list[str], index: int) -> tuple[str, float] | None:
    """The dimension and size of the unit at an index of folded words; None if there is none."""
    if index >= len(words):
        return None
    return UNITS.get(words[index]) or UNITS.get(stem(words[index])) or UNITS.get(words[index].rstrip("s"))
