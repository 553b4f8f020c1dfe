"""Leaderboards of a shared task: description, systems of a folder, and board."""
