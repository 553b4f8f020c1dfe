"""What moved the score of an answer, as HTML: for cards of examples, and for the page of one metric, which copies this file."""

MOST_REASONS = 3  # of one answer
