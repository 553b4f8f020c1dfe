"""Comparing systems on the same examples: alignment, differences, paired tests."""
