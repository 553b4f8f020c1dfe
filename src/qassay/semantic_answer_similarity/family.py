"""The descriptor of semantic_answer_similarity."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..core.family import Family
from .about import ABOUT

if TYPE_CHECKING:
    from ..core.file_columns import Gold
    from ..core.scores import Scores


class AnswerTextsFamily(Family):
    """A family that reads the files of answer_match as texts, and scores them by a model.

    Attributes:
        options_of_blank: the options that matter to blank answers, besides the model.
    """

    options_of_blank: tuple[str, ...] = ()

    @property
    def files_of(self) -> str:
        return "answer_match"

    def gold_of_file(self, gold: "Gold") -> "Gold":
        """Gold answers as texts; options that the format implies are rules of answer_match."""
        from ..answer_match.gold_texts import gold_columns, gold_texts, without_empty

        gold = without_empty(gold)
        columns = gold_columns(gold.ids, gold_texts(gold, joined=bool(gold.options)))  # tables imply no options
        if "weights" in gold.columns:
            columns["weights"] = gold.columns["weights"]
        return dataclasses.replace(gold, columns=columns, options={})

    def columns_of_files(self, gold: "Gold", predictions: Mapping[str, Any]) -> dict[str, Any]:
        """Without what only answer_match uses: no-answer probabilities and details."""
        others = ("no_answer_probabilities", "predicted_details")
        return {**gold.columns, **{name: column for name, column in predictions.items() if name not in others}}

    def score_blank(
        self, references: Sequence, ids: Sequence | None = None, groups: Any = None, *, options: Any
    ) -> "Scores":
        """As in the base, with the lite model and without questions: no model reads an empty answer, so none is loaded."""
        same = {name: getattr(options, name) for name in self.options_of_blank}
        return super().score_blank(references, ids, groups, options=type(options)(model="lite", **same))


class SemanticAnswerSimilarityFamily(AnswerTextsFamily):
    """Answers against gold answers by meaning."""

    name = "semantic_answer_similarity"
    source = "Risch et al. 2021, Semantic Answer Similarity"
    function = "score_similarity"
    options = "SimilarityOptions"
    known_as = {"sas": "semantic_answer_similarity, and its measure sas"}
    smallest = (
        ({"predictions": ["a"], "references": [["a"]]}, {"model": "lite", "extract": "last_line"}),
    )  # the same measures as any model
    scores_outputs = True
    options_of_blank = "normalizer", "thresholds", "top_k", "extract", "unextracted", "missing", "duplicates"
    page_options = "raw", *options_of_blank
    about = ABOUT


FAMILY = SemanticAnswerSimilarityFamily()
