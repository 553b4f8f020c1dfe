"""Repeated runs of one system: joined from Scores or files, their measures and variance, k answers drawn from several."""
