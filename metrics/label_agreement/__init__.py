"""How well measures agree with the labels that people gave answers: which measure to trust on data of one's own."""
