"""The descriptor of own_scores. The registry does not list it, because it reads numbers and computes none."""

from collections.abc import Mapping, Sequence
from typing import Any

from ..core.about import About
from ..core.examples import Examples
from ..core.family import Family
from ..core.file_columns import Gold


def _texts(examples: Examples) -> tuple[list[list[str]], list[list[str]]]:
    """The gold answers and the answers, if the table has them beside the numbers."""
    scores, answers = examples.scores, examples.predictions["predictions"] or {}
    given = [answers.get(scores.ids[row]) for row in examples.rows]
    return _listed(examples.references), _listed(given)


def _listed(texts: Sequence[Any]) -> list[list[str]]:
    return [[] if text is None else [str(text)] for text in texts]


class OwnScoresFamily(Family):
    """Numbers that another tool made, a row per example."""

    name = "own_scores"
    source = "the tool that made the numbers"
    function = "score_given"
    options = "OwnOptions"
    smallest = (({"measures": {"score": [1.0]}}, {}),)
    list_options = ("lower_is_better", "unbounded")
    about = About(
        usual_slices=(),
        report_slices=(),
        system_slices=("unscored",),
        usual_measures=lambda scores: [name for name, measure in scores.measures.items() if measure.has_interval],
        notes=lambda options: {
            "unscored": "without a number of some measure: "
            + ("omitted there" if options.missing == "skip" else "scored 0")
        },
        texts=_texts,
        cells=lambda examples: {},
    )

    def columns_of_files(self, gold: Gold, predictions: Mapping[str, Any]) -> dict[str, Any]:
        """The columns of a table; its gold answers and answers, if it has them, are shown, and not scored."""
        return {name: cells for name, cells in predictions.items() if name in self.columns}


FAMILY = OwnScoresFamily()
