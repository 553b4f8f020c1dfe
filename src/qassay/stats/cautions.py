"""Cautions: when a test or an interval of a difference is known to mislead, and the text of each caution.

The rules come from simulations of equally good systems (`benchmarks/coverage.py`).
"""

import numpy as np

from ..core.intervals import FEW_DEGREES, FEW_UNITS
from .paired_tests import PairedOutcome, student_t_test
from .pairs import changes_of
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
    "ranks_not_means": "Wilcoxon's test finds a difference of ranks that the means do not have; test means by permutation",
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


def cautions_of(
    tested: PairedOutcome,
    confidence: float,
    found: DifferenceSpread,
    in_groups: bool,
    examples: tuple[np.ndarray, np.ndarray] | None,
) -> tuple[str, ...]:
    """The codes of `CAUTIONS` that apply to a difference.

    Args:
        examples: the values of each example in both systems; None if examples have no values.
    """
    if not found.n_units:
        return ()
    (p_value, test), least, (variance, effective, degrees) = tested, least_signs(confidence), found.spread
    too_few_groups = in_groups and found.n_units < least
    holds = {
        "too_few_groups": too_few_groups,
        "few_groups": in_groups and not too_few_groups and effective < FEW_UNITS,
        "equal_differences": test == "t" and found.n_changed > 0 and variance == 0 and found.n_units > 1,
        "few_differ": 0 < found.n_changed < least and not too_few_groups,
        "skewed": abs(found.skew) >= SKEWED and (found.changes is None or test in AS_REQUESTED),
        "lacks_tail": test == "rule of three",
        "ranks_not_means": test == "wilcoxon"
        and examples is not None
        and _ranks_disagree(*examples, p_value, confidence),
        "few_for_bootstrap": test == "bootstrap" and effective < _FEW_FOR_BOOTSTRAP,
        "few_carry": 0 < found.n_changed and degrees < FEW_DEGREES,
    }
    return tuple(code for code in CAUTIONS if holds.get(code))


def _ranks_disagree(first: np.ndarray, second: np.ndarray, p_value: float, confidence: float) -> bool:
    """Whether the ranks of changes have the opposite sign of the mean, or are significant while the mean is not."""
    from scipy.stats import rankdata

    changes = changes_of(first, second)
    changes = changes[changes != 0]
    if not len(changes):
        return False
    ranks = float(rankdata(abs(changes)) @ np.sign(changes))
    alpha = round(1 - confidence, 12)
    return ranks * float(changes.sum()) < 0 or p_value < alpha <= student_t_test(first, second).p_value
