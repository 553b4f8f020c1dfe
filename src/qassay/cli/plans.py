"""The command `qassay plan`: how many questions a test set needs, from a share or from the scores of a pilot."""

import argparse

from ..results.plan_tables import plan_report
from ..results.writers import report_text
from ..stats.plan import plan as planned
from .inputs import choose_format, note, scored_of
from .streams import width_of

_UNITS = ("share", "width", "difference")  # in per cent with --percent


def plan(arguments: argparse.Namespace) -> str:
    """The plan, in the chosen format."""
    choose_format(arguments)
    scale = 100 if arguments.percent else 1
    wishes = {name: None if (value := getattr(arguments, name)) is None else value / scale for name in _UNITS}
    pilot, measure = None, None
    if arguments.gold is not None:
        scored = scored_of(arguments)
        systems = scored[0].scores
        if len(scored) > 1 or len(systems) > 2 or len(arguments.measures or ()) > 1:
            raise ValueError(
                "a plan takes one metric, one measure, and one or two systems; got metrics: "
                f"{len(scored)}, measures: {len(arguments.measures or ())}, systems: {len(systems)}"
            )
        note(arguments, scored)
        pilot, measure = (
            systems if len(systems) > 1 else next(iter(systems.values())),
            (arguments.measures or [None])[0],
        )
    given = arguments.group_sizes
    found = planned(
        pilot,
        **wishes,
        measure=measure,
        correlation=arguments.correlation,
        group_sizes=given[0] if len(given) == 1 else given,
        group_correlation=arguments.group_correlation,
        runs=arguments.runs,
        run_share=arguments.run_share,
        confidence=arguments.confidence,
        power=arguments.power,
    )
    return report_text(plan_report(found, arguments.percent), arguments.format, width=width_of(arguments))
