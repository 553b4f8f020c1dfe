"""The descriptor of factoid_accuracy."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..core.family import Family
from .about import ABOUT

if TYPE_CHECKING:
    from ..core.file_columns import Gold


class FactoidAccuracyFamily(Family):
    """BioASQ's exact answers, or its documents."""

    name = "factoid_accuracy"
    source = "the official evaluation program of BioASQ task B"
    function = "score_entities"
    options = "FactoidOptions"
    known_as = {
        "bioasq": "factoid_accuracy",
        "strict_accuracy": "a measure of factoid_accuracy",
        "lenient_accuracy": "a measure of factoid_accuracy",
    }
    smallest = (
        ({"predictions": [["a"]], "references": [["a"]]}, {}),
        ({"predictions": [["d"]], "references": [["d"]]}, {"phase": "A"}),
    )
    about = ABOUT

    def smallest_rows(self, options: Any) -> list[Mapping[str, Any]]:
        return [*super().smallest_rows(options), {"predictions": ["yes"], "references": ["yes"]}]

    def measure_options(
        self, names: Sequence[str] | None, by: Sequence[str], gold: "Gold", form: str
    ) -> dict[str, Any]:
        """The rules of the official program for its line, unless the user has set others."""
        if form not in self.about.formats:
            return {}
        _, options_class = self.load()
        options: Any = options_class.from_keywords(**gold.options)
        if options.phase == "A":  # has these rules anyway
            return {}
        rules = {"top_k": None, **({"missing": "skip"} if options.version == 9 else {})}
        return {name: value for name, value in rules.items() if name not in gold.options}


FAMILY = FactoidAccuracyFamily()
