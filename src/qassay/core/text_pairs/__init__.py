"""What two texts have in common: features of an answer beside gold answers, which the two built-in `lite` models read."""
