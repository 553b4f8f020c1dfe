"""The rules of published reward files, as settings."""

import dataclasses
from collections.abc import Mapping


@dataclasses.dataclass(frozen=True)
class Rules:
    """The rules of a published reward file.

    Attributes:
        source: repository and path.
        preset: of answer_match.
        extract: takes the answer out; None: the preset's own.
        prompt_answers: how many answers of a text belong to its prompt.
        layout: what the reward for the format asks for.
        most_tags: measure -> the number of <answer> or of </answer> above which its value counts a quarter.
    """

    source: str
    preset: str
    extract: str | None = None
    prompt_answers: int = 0
    layout: str = "answer"
    most_tags: Mapping[str, int] = dataclasses.field(default_factory=dict)


NO_RULES = Rules("", "")  # what counts where no rules are given
_SEARCH_R1 = "PeterGriffinJin/Search-R1, verl/utils/reward_score"
#: Name -> the rules of a published file; without gold answers they reward as for a wrong answer. Read only.
RULES: Mapping[str, Rules] = {
    "verl": Rules(
        "verl-project/verl, verl/utils/reward_score/search_r1_like_qa_em.py", "search_r1", most_tags={"exact_match": 10}
    ),
    "search_r1_qa_em": Rules(f"{_SEARCH_R1}/qa_em.py", "search_r1", prompt_answers=1),
    "search_r1_qa_em_format": Rules(
        f"{_SEARCH_R1}/qa_em_format.py", "search_r1", prompt_answers=1, layout="search_after_prompt"
    ),
    "flashrag": Rules("RUC-NLPIR/FlashRAG, flashrag/evaluator/metrics.py", "flashrag", "none"),
}
