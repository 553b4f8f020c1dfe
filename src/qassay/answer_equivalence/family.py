"""The descriptor of answer_equivalence."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..core.shown import first_names
from ..semantic_answer_similarity.family import AnswerTextsFamily
from .about import ABOUT

if TYPE_CHECKING:
    from ..core.file_columns import Gold


_JUDGES = "llm judge|llm_judge|llm as a judge|llm-as-a-judge|llm_as_a_judge|gpt judge|gpt-4 judge|autorater"


def _are_texts(cells: Sequence[Any]) -> bool:
    """Whether cells are texts, some of them not blank."""
    return all(isinstance(cell, str | None) for cell in cells) and any(cell and cell.strip() for cell in cells)


class AnswerEquivalenceFamily(AnswerTextsFamily):
    """Whether a person would accept the answers."""

    name = "answer_equivalence"
    source = "Bulian et al. 2022, Tomayto, Tomahto; trained on the verdicts of EVOUNA, Wang et al. 2023"
    function = "score_equivalence"
    options = "EquivalenceOptions"
    known_as = {
        "bem": "answer_equivalence, whose built-in scorer needs no network; model= takes a cross-encoder of that kind, or a port of BEM",
        "pedants": "answer_equivalence, with a built-in model",
        **dict.fromkeys(
            _JUDGES.split("|"),
            "answer_equivalence with a callable that asks the model: model=judge",
        ),
        "answer equivalence": "answer_equivalence",
        "evouna": "a data set of verdicts, by which answer_equivalence was trained",
    }
    smallest = (({"predictions": ["a"], "references": [["a"]]}, {"extract": "last_line"}),)
    scores_outputs = True
    # Where similarity is requested too, these are options of its model.
    lone_options = "model", "revision", "dtype", "backend", "max_length", "device", "batch_size", "trust_remote_code"
    reads_questions = True
    options_of_blank = "threshold", "extract", "unextracted", "missing", "duplicates"
    page_options = "use_questions", *options_of_blank
    about = ABOUT

    def gold_of_file(self, gold: "Gold") -> "Gold":
        """Also with the questions."""
        texts = super().gold_of_file(gold)
        if "question" not in gold.details:
            return texts
        return dataclasses.replace(texts, columns={**texts.columns, "questions": gold.details["question"]})

    def remark_of_gold(self, gold: "Gold") -> str | None:
        """The columns that might hold the questions of a table, where none is known to."""
        unused = [name for name, cells in gold.details.items() if _are_texts(cells)]
        if "question" in gold.details or gold.kind != "table" or not unused:
            return None
        if gold.options.get("use_questions") is False:
            return None
        return (
            f"{gold.path}: no column is known to hold the questions, so answers are judged without them; unused: "
            f'{first_names(unused, 8)}; say which with columns={{"questions": "NAME"}}'
        )

    def smallest_rows(self, options: Any) -> list[Mapping[str, Any]]:
        """Adds a question, for scorers that need it, and an empty answer, which no scorer judges."""
        return [{"predictions": [""], "references": [["a"]], "questions": ["a"]}]

    def check_questions(self, options: Any, are_given: bool) -> None:
        """The built-in scorer has trees without the question; other scorers mostly read it."""
        from .scoring import check_use_of_questions

        check_use_of_questions(options, are_given)


FAMILY = AnswerEquivalenceFamily()
