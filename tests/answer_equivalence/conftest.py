"""The small models of the tests of similarity."""

from ..semantic_answer_similarity.conftest import local_hub, model_folders

__all__ = ["local_hub", "model_folders"]
