"""Numbers from Scores: differences, paired tests, ranks, margins, and repeated runs of one system."""
