"""Estimates of the mean human verdict on all examples, from verdicts on a few of them and a measure of all."""

METHODS = ("ppi", "rogan_gladen")
LABEL_INTERVALS = ("auto", "normal")
