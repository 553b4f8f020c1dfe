"""Adapters to evaluation harnesses, one short file each, which imports its library on use.

Each calls `qassay.scorer` or `qassay.score`. `docs/integrations.md` has a section for each, and recipes for harnesses
that need no adapter.
"""
