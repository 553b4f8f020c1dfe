"""The shared core: numpy and pyarrow only."""
