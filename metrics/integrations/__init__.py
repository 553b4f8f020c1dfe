"""Adapters to the harnesses of the field, one short file each, which imports its library when it is used.

Each scores with `qassay.scorer` or `qassay.score`; what several share is in files beside them.
`docs/integrations/` has a page for each.
"""
