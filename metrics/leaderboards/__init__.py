"""Leaderboards of a shared task: what its organiser says of it, the systems of a folder, and the board of their scores."""
