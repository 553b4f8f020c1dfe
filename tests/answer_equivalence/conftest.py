"""The small models of the tests of similarity."""

from ..semantic_answer_similarity.conftest import model_folders

__all__ = ["model_folders"]
