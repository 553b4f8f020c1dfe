"""Human verdicts on a few examples correct what a measure says of all of them."""

METHODS = ("ppi", "rogan_gladen")
INTERVAL_METHODS = ("auto", "normal")
