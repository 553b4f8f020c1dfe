"""A plan of a test set as a sentence and a table."""

from ..core.text_tables import ABSENT, TableReport, columns_of, text_table
from ..stats.plan import Plan


def plan_report(found: Plan, percent: bool = False) -> TableReport:
    """How many questions are needed, and what fewer and more give; `percent`: sizes in per cent of the measure."""
    scale = 100 if percent else 1

    def size(value: float) -> str:
        return f"{100 * value:.2f}" if percent else f"{value:.4f}"

    in_groups = found.n_groups is not None
    columns = columns_of("right", ["questions", *(["groups"] if in_groups else []), "width", "detectable", "power"])
    rows = [
        [
            f"{point.n:,}",
            *([f"{point.n_groups:,}"] if in_groups else []),
            size(point.width),
            size(point.detectable),
            ABSENT if point.power is None else f"{point.power:.3f}",
        ]
        for point in found.curve
    ]
    level = f"{100 * found.confidence:g} %"
    what = {
        "width": f"a {level} interval of {found.measure} that is {scale * found.size:g} wide",
        "difference": f"a test that detects a difference of {scale * found.size:g} in {found.measure} with "
        f"{100 * found.power:g} % power (level {1 - found.confidence:.3g})",
    }[found.wish]
    groups = f" in {found.n_groups:,} groups" if found.n_groups is not None else ""
    assumed = "" if found.correlation is None else f"; correlation of the systems {found.correlation:g} (assumed)"
    lines = [
        f"{found.n:,} questions{groups} are needed for {what}",
        f"expected value {size(found.value)}; standard deviation of a question {size(found.deviation)}, of its difference "
        f"between two systems {size(found.difference_deviation)}{assumed}",
        f"width: of the {level} interval of a value; detectable: the difference that a paired test detects with {100 * found.power:g} % power; power: how often it detects the planned difference",
    ]
    data = found.to_dict()
    return TableReport([text_table(columns, rows)], lines, [], data["curve"], data)
