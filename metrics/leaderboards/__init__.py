"""Leaderboards of a shared task: what its organiser says about it, the systems of a folder, and the board of their scores."""
