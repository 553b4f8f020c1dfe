"""Tables of the ranks of three or more systems in a comparison report, and the meaning of their columns."""
