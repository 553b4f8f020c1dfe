"""How well measures agree with human labels of answers: which measure to trust on your own data."""
