"""The module that `evaluate.load` takes; the code is in the package qassay."""

from qassay.claim_support.module import ClaimSupport

__all__ = ["ClaimSupport"]
