"""Adapters to the harnesses of the field, one short file each, which imports its library when it is used.

Each calls the public functions of qassay and nothing else; `docs/integrations/` has a page for each.
"""
