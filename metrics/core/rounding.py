"""How much apart numbers may be by rounding alone, of the size of the values."""

ROUNDING = 1e-9  # of differences between values, and of p-values
ROUNDING_OF_SUMS = 1e-11  # of deviations between sums of many values
TINY = 1e-12  # of variances, and of numbers on the scale 0..1
