"""Measurements of qassay, run by `python -m benchmarks NAME`: speed against other programs, coverage of intervals, built-in models."""
