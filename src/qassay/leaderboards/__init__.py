"""Leaderboards of shared tasks: facts from the organiser, and the ranking of the systems."""
