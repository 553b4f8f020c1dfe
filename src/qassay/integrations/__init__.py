"""Adapters to evaluation harnesses, one short file each, which imports its library on use.

Each scores with `qassay.scorer` or `qassay.score`; shared code is in separate files.
`docs/integrations.md` has a section for each, and recipes for harnesses that need none.
"""
