"""The metric families by name: the folder of each has a descriptor, which imports neither numpy nor the scoring."""

import importlib
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from .core.family import Family as Family

if TYPE_CHECKING:
    from .core.presets import Preset
    from .core.scores import Scores

DEFAULT = "answer_match"  # the default family of a file
# The names of the metrics and of their folders; each family.py defines the descriptor FAMILY.
MetricName: TypeAlias = Literal[
    "answer_match",
    "retrieval_ranking",
    "factoid_accuracy",
    "retriever_reader",
    "semantic_answer_similarity",
    "answer_equivalence",
    "claim_support",
    "label_metrics",
    "average_precision",
]
OWN_SCORES = "own_scores"  # numbers that other tools made: not a metric, so it is not listed
# Name -> family, in the order of listings and of detection of files.
FAMILIES: Mapping[str, Family] = {
    name: importlib.import_module(f".{name}.family", __package__).FAMILY for name in get_args(MetricName)
}


def get_family(name: str) -> Family:
    """The family with this name.

    Raises:
        ValueError: unknown name (the message lists the valid names).
    """
    if name == OWN_SCORES:
        family: Family = importlib.import_module(f".{name}.family", __package__).FAMILY
        return family
    if name not in FAMILIES:
        from .core.options import did_you_mean

        elsewhere = "; ".join(pointers(name))
        near = f": it is {elsewhere}" if elsewhere else did_you_mean(name, FAMILIES)
        raise ValueError(f"no metric {name!r}{near}; available: {', '.join(sorted(FAMILIES))}")
    return FAMILIES[name]


def text_families() -> dict[str, Family]:
    """The metrics that score the text of an answer against gold answers, by name."""
    every = FAMILIES.items()
    return {name: family for name, family in every if family.scores_outputs and family.about.answers_are == ("texts",)}


def text_family(name: str) -> Family:
    """The family with this name, one of `text_families`.

    Raises:
        ValueError: an unknown metric, or one that does not score answers as texts.
    """
    family, fitting = get_family(name), text_families()
    if name not in fitting:
        raise ValueError(f"{name} does not score answers as texts; these metrics do: {', '.join(fitting)}")
    return family


def pointers(name: object) -> list[str]:
    """The names here of a name from other tools, as clauses that follow "it is"; [] for an unknown name.

    Example:
        >>> pointers("SAS"), pointers("nothing")
        (['semantic_answer_similarity, and its measure sas'], [])
    """
    if not isinstance(name, str):
        return []
    found = [family.known_as[name.lower()] for family in FAMILIES.values() if name.lower() in family.known_as]
    if name in all_presets():
        family_name, _ = all_presets()[name]
        found.append(
            f"the preset {name} of {family_name}, qassay.score({family_name!r}, ..., preset={name!r}) or "
            f"qassay.load({family_name!r}, {name!r})"
        )
    return found


def sorted_options(names: Iterable[str], options: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Metric -> its options. Each option is passed to the metrics that have it: a preset to those with this preset, a lone
    option of a metric (see `Family.lone_options`) only if no other metric has one of its name.

    Raises:
        TypeError: an option that none of the metrics takes. ValueError: a preset of another metric.
    """
    from .core.options import did_you_mean, keyword_names

    taken = {name: keyword_names(get_family(name).load()[1]) for name in names}
    require_preset(taken, options.get("preset"))
    if len(taken) == 1:
        get_family(*taken).load()[1].check_names(options)
    found: dict[str, dict[str, Any]] = {name: {} for name in taken}
    for option, value in options.items():
        taking = [name for name in taken if option in taken[name]]
        if not taking:
            near = did_you_mean(option, set().union(*taken.values()))
            raise TypeError(f"none of the metrics {', '.join(taken)} has the option {option!r}{near}")
        first = [
            name
            for name in taking
            if (_has_preset(name, value) if option == "preset" else option not in get_family(name).lone_options)
        ]
        for name in first or taking:
            found[name][option] = value
    return found


def options_by_metric(names: Iterable[str], pairs: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Metric -> its options, of options written as NAME=VALUE, each read by its type: see `sorted_options`.

    Raises:
        ValueError: a pair without a value, a value of the wrong type, or two values of one option. TypeError: an option that no
            metric takes.
    """
    from .core.option_texts import list_of_option, texts_of_pairs, value_of_option
    from .core.options import option_types

    found = sorted_options(names, texts_of_pairs(pairs))
    for name, texts in found.items():
        family = get_family(name)
        kinds = option_types(family.load()[1])
        for key, text in texts.items():
            is_list = key in family.list_options
            texts[key] = list_of_option(text) if is_list else value_of_option(key, text, kinds[key])
    return found


def all_presets() -> dict[str, tuple[str, "Preset"]]:
    """Every preset: name -> the family that has it, and the preset. No two families have presets of the same name."""
    return {
        name: (family.name, preset) for family in FAMILIES.values() for name, preset in family.load()[1].presets.items()
    }


def _has_preset(name: str, preset: Any) -> bool:
    return isinstance(preset, str) and preset in get_family(name).load()[1].presets


def require_preset(names: Iterable[str], preset: Any) -> None:
    """Refuse a preset of another metric; the options refuse unknown presets."""
    names = list(names)
    if not isinstance(preset, str) or any(_has_preset(name, preset) for name in names):
        return
    owner, _ = all_presets().get(preset, (None, None))
    if owner is not None:
        raise ValueError(f"preset={preset} belongs to the metric {owner}, not to {' or '.join(names)}")


def find_preset(name: str) -> tuple[str, "Preset"]:
    """The family and the preset with this name; a ValueError that suggests the nearest name if there is none."""
    presets = all_presets()
    if not isinstance(name, str) or name not in presets:
        from .core.options import did_you_mean
        from .core.shown import shown

        raise ValueError(f"no preset {shown(name)}{did_you_mean(name, presets)}; `qassay list --presets` lists them")
    return presets[name]


def named_groups() -> dict[str, str]:
    """The named groups of all metrics: name -> which examples belong together."""
    return {name: meaning for family in FAMILIES.values() for name, meaning in family.about.group_names.items()}


def family_of(scores: "Scores") -> Family:
    """The family of these scores."""
    return get_family(scores.options.family)


def usual_measures(scores: "Scores") -> list[str]:
    """The default measures of a table: the usual measures of the metric, and measures of confidences if present."""
    from .core.selective import selective_measures  # needs numpy

    return [*family_of(scores).about.usual_measures(scores), *selective_measures(scores)]


def compared_measures(systems: "Mapping[str, Scores]") -> tuple[list[str], list[str]]:
    """The default measures of a comparison: the usual measures of the metric, and its main measures for slices."""
    first = next(iter(systems.values()))
    family = family_of(first)
    usual, main, every = (
        [
            name
            for name in names
            if all(name in scores.measures and scores.measures[name].has_interval for scores in systems.values())
        ]
        for names in (usual_measures(first), family.about.main_measures(first), first.measures)
    )
    return usual or main or every, main or usual or every  # every: includes measures such as pass@1
