"""The gate for releases: is a new system at most a margin worse than an old one?"""
