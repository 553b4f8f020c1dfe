"""Human verdicts on a few examples correct what a measure says of all of them."""

METHODS = ("ppi", "rogan_gladen")
LABEL_INTERVALS = ("auto", "normal")
