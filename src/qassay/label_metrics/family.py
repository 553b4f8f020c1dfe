"""The descriptor of label_metrics."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..core.family import Family
from .about import ABOUT

if TYPE_CHECKING:
    from ..core.scores import Scores


class LabelMetricsFamily(Family):
    """Labels against the true ones."""

    name = "label_metrics"
    source = "scikit-learn"
    function = "score_labels"
    options = "LabelOptions"
    known_as = {
        "classification_report": "label_metrics with per_class=True",
        "macro_f1": "a measure of label_metrics",
        "micro_f1": "a measure of label_metrics",
    }
    smallest = (
        ({"predictions": ["class"], "references": ["class"]}, {"task": "single", "per_class": True}),
        ({"predictions": [["class"]], "references": [["class"]]}, {"task": "multi", "per_class": True}),
        ({"predictions": [["class"]], "references": [["class"]]}, {"task": "ranked"}),
    )
    scores_outputs = True
    named_only = True
    list_options = ("labels",)
    about = ABOUT

    def smallest_rows(self, options: Any) -> list[Mapping[str, Any]]:
        """With a class of the option labels if given."""
        label = "class" if options.labels is None else options.labels.labels[0]
        return [{"predictions": [row], "references": [row]} for row in (label, [label])]

    def score_blank(
        self, references: Sequence, ids: Sequence | None = None, groups: Any = None, *, options: Any
    ) -> "Scores":
        """As in the base, with a true label instead of an empty prediction, since labels cannot be empty."""
        function, _ = self.load()
        label = next((label for label in references if isinstance(label, str)), "")
        scores = function([label] * len(references), references, ids, groups=groups, options=options)
        return scores.require_several_groups()

    def measures(self) -> list[tuple[str, str]]:
        """Measures of one label per row, then of sets, of classes and of rankings."""
        return sorted(super().measures(), key=lambda entry: entry[0] == "total")


FAMILY = LabelMetricsFamily()
