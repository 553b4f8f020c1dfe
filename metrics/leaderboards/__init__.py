"""Leaderboards of a shared task: its description, the systems of a folder, and the board of their scores."""
