"""The descriptor of answer_match."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ..core.family import Family
from .about import ABOUT, SMALLEST, SMALLEST_ROWS

if TYPE_CHECKING:
    from ..core.file_columns import Gold
    from ..core.scores import Scores


class AnswerMatchFamily(Family):
    """Answers against gold answers."""

    name = "answer_match"
    source = "the evaluation script of SQuAD 2.0; the scripts of other benchmarks for their presets and files"
    function = "score_answers"
    options = "AnswerMatchOptions"
    known_as = {
        "em": "the measure exact_match of answer_match",
        "exact_match": "a measure of answer_match",
        "f1": "a measure of answer_match (of classes: macro_f1, micro_f1 and weighted_f1 of label_metrics)",
        "mkqa": "the presets mkqa:LANG of answer_match, such as mkqa:de",
        "anls": 'a measure of answer_match with preset="docvqa"',
        "heq": 'heq_q and heq_d of answer_match with preset="quac"',
        "accuracy": "exact_match of answer_match for answers, accuracy of label_metrics for labels",
    }
    smallest = SMALLEST
    scores_outputs = True
    about = ABOUT

    def gold_of_file(self, gold: "Gold") -> "Gold":
        from .gold_texts import without_empty

        return without_empty(gold)

    def columns_of_files(self, gold: "Gold", predictions: Mapping[str, Any]) -> dict[str, Any]:
        """Adds what the preset reads in addition to answers, from columns with these names."""
        from .presets import rules_of

        rules, there = rules_of(gold.options), {**gold.details, **gold.more}
        found = {name: there[name] for name in (rules.kind.gold_details if rules else ()) if name in there}
        return {**gold.columns, **({"gold_details": found} if found else {}), **predictions}

    def one(self, options: Any) -> Callable[..., dict[str, float] | None] | None:
        from .one import one_answer

        return one_answer(options)

    def smallest_rows(self, options: Any) -> list[Mapping[str, Any]]:
        """Also with facts, evidences and dialog turns, which are optional in some presets."""
        return [*super().smallest_rows(options), *SMALLEST_ROWS]

    def score_config(self, name: str, columns: Mapping[str, Any], options: Mapping[str, Any]) -> "Scores":
        from .drop_in import score_answers_as

        return score_answers_as(name, columns, options)


FAMILY = AnswerMatchFamily()
