"""Relative tolerances for rounding errors."""

ROUNDING = 1e-9  # for differences between values, and for p-values
ROUNDING_OF_SUMS = 1e-11  # for deviations between sums of many values
TINY = 1e-12  # for variances, and for numbers from 0 to 1
