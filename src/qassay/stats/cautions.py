"""Cautions: when a test or an interval of a difference is known to mislead, and the text of each caution.

The rules come from simulations of equally good systems (`benchmarks/coverage.py`).
"""

from ..core.intervals import FEW_DEGREES, FEW_UNITS
from .paired_tests import PairedOutcome
from .sample_size import least_signs
from .spreads import AS_REQUESTED, DifferenceSpread

_FEW_FOR_BOOTSTRAP = 50
SKEWED = 0.3  # the least skewness of a difference, divided by the square root of the number of units, with a caution

# Code -> the text of a remark, followed by the measures or the labels of a slice.
CAUTIONS = {
    "too_few_groups": "fewer than {least} groups: swapping whole groups cannot give p below {alpha:g}",
    "few_groups": f"fewer than {FEW_UNITS} groups (or very unequal groups): intervals and tests are less reliable",
    "equal_differences": "all differences are equal, so t is infinite: p comes from a sign test",
    "few_differ": "fewer than {least} examples or groups differ between the systems: a sign test cannot give p below {alpha:g}",
    "skewed": "the differences are few and skewed: as a test of means, p may be up to three times too small; read the "
    "interval",
    "lacks_tail": "no example changes against the difference, so p allows for rare changes that so few examples may lack",
    "few_for_bootstrap": f"fewer than {_FEW_FOR_BOOTSTRAP} examples or groups: the p-values of the bootstrap test are too small; "
    "test by permutation",
    "over_runs": "p comes from a t-test over other questions and other runs, since the runs of a system differ",
    "few_carry": "few examples or groups vary, so the interval of the difference may be too narrow",
}
FEW_MEANS = f"few: under {FEW_UNITS} examples or groups, or few of them vary"  # explains a mark
OF_GROUPS = ("too_few_groups", "few_groups")  # cautions about all pairs of systems
OF_FEW = (*OF_GROUPS, "few_carry")  # cautions for which an interval is marked
ALWAYS_SHOWN = (
    "too_few_groups",
    "few_groups",
    "equal_differences",
    "lacks_tail",
    "over_runs",
)  # other cautions, shown if p is below 1 - confidence


def caution_texts(confidence: float) -> dict[str, str]:
    """Code -> the text of its remark, for tests at the level 1 - confidence."""
    least, alpha = least_signs(confidence), round(1 - confidence, 12)
    return {code: text.format(least=least, alpha=alpha) for code, text in CAUTIONS.items()}


def cautions_of(tested: PairedOutcome, confidence: float, found: DifferenceSpread, in_groups: bool) -> tuple[str, ...]:
    """The codes of `CAUTIONS` that apply to a difference."""
    if not found.n_units:
        return ()
    test, least, (variance, effective, degrees) = tested.test, least_signs(confidence), found.spread
    too_few_groups = in_groups and found.n_units < least
    holds = {
        "too_few_groups": too_few_groups,
        "few_groups": in_groups and not too_few_groups and effective < FEW_UNITS,
        "equal_differences": test == "t" and found.n_changed > 0 and variance == 0 and found.n_units > 1,
        "few_differ": 0 < found.n_changed < least and not too_few_groups,
        "skewed": abs(found.skew) >= SKEWED and (found.changes is None or test in AS_REQUESTED),
        "lacks_tail": test == "rule of three",
        "few_for_bootstrap": test == "bootstrap" and effective < _FEW_FOR_BOOTSTRAP,
        "few_carry": 0 < found.n_changed and degrees < FEW_DEGREES,
    }
    return tuple(code for code in CAUTIONS if holds.get(code))
