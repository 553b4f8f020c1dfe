"""Features of pairs of texts, an answer and its gold answers: the input of the two built-in `lite` models."""
