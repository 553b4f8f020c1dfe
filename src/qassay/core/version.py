"""The version of the package, which every signature names."""

__version__ = "0.1.0"
