"""Comparing systems on the same examples: differences, paired tests."""
