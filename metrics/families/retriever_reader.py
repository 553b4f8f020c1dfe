"""retriever_reader on the command line."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from karat.families.base import Family

if TYPE_CHECKING:
    from karat.core.scores import Scores
    from karat.files import Gold

_READER = ("accuracy", "em", "f1")
_MEANINGS = {
    "retriever_recall": "questions with a gold document among the retrieved ones (hit rate)",
    "retriever_map": "mean average precision of the retrieved documents",
    "retriever_mrr": "mean of 1 / rank of the first gold document",
    "reader_top1_accuracy": "the first answer overlaps with a gold answer",
    "reader_topk_accuracy": "one of the first k answers does",
    "reader_top1_em": "the first answer is a gold answer",
    "reader_topk_em": "one of the first k answers is",
    "reader_top1_f1": "F1 of the first answer",
    "reader_topk_f1": "highest F1 of the first k answers",
    "reader_top1_fk": "another name of reader_topk_f1",
    "reader_top1_no_answer_accuracy": "unanswerable questions to which the first answer is no answer",
    "reader_topk_no_answer_accuracy": "unanswerable questions with no answer among the first k",
    "correct_retrievals": "number of questions with a gold document among the retrieved ones",
    "has_answer_judged": "number of questions with an answer that the reader is judged by",
    "no_answer_judged": "number of questions without an answer that the reader is judged by",
}


class RetrieverReader(Family):
    """Pipeline outputs against gold answers with their documents; `--by failure` says where a pipeline fails."""

    name = "retriever_reader"
    module = "karat.core.reading"
    function = "score_reading"
    options = "ReaderOptions"
    smallest: Mapping[str, Any] = {
        "predictions": [{"documents": ["d"], "answers": ["a"]}],
        "references": [{"documents": ["d"], "answers": ["a"]}],
    }
    gold_words = (*Family.gold_words, "there are no questions")
    counted = ("missing", "no_relevant")
    groups = ("retriever_", "reader_top1_", "reader_topk_")
    gold_alone = (
        "this has gold answers only; give outputs of a pipeline too: karat score GOLD OUTPUTS --metric retriever_reader"
    )

    def usual_measures(self, scores: "Scores") -> list[str]:
        """Those of the retriever, then of the reader under their true names; where there are questions with and without
        an answer, for both kinds apart.
        """
        both = scores.subsets["has_answer"].any() and scores.subsets["no_answer"].any()
        names = [name for name in scores.measures if name.startswith("retriever_")]
        for top in ("top1", "topk"):
            names += [f"reader_{top}_{reading}" for reading in _READER]
            if both:
                names += [f"reader_{top}_{reading}_has_answer" for reading in _READER]
                names.append(f"reader_{top}_no_answer_accuracy")
        return names

    def main_measures(self, scores: "Scores") -> list[str]:
        """Recall of the retriever, accuracy and F1 of the reader's best answer."""
        return ["retriever_recall", "reader_topk_accuracy", "reader_topk_f1"]

    def note_words(self, options: Any) -> Mapping[str, str]:
        words = "without a gold document: 0 for the retriever"
        if options.denominator == "correct_retrievals":
            words += ", and the reader is not judged by them; to judge it by them use --option denominator=queries"
        return {**super().note_words(options), "no_relevant": words}

    def measures(self) -> list[tuple[str, str]]:
        whole = {
            f"{name}_has_answer": f"{meaning}, over questions with an answer" for name, meaning in _MEANINGS.items()
        }
        return [(name, {**whole, **_MEANINGS}.get(name, "")) for name, _ in super().measures()]

    def slices(self, gold: "Gold", scores: "Scores") -> dict[str, Callable[[], Sequence[str]]]:
        """By where the pipeline fails, and by what the question asks for.

        The label "no_answer" of `failure` holds two opposite faults: silent though answerable, and answered though
        unanswerable; the columns `has_answer` and `failure_no_answer` of `--per-example` tell them apart.
        """
        from karat.core.reading import failure_labels

        return {**super().slices(gold, scores), "failure": lambda: failure_labels(scores)}

    def keeps_last(self, options: Any) -> bool:
        return options.duplicates == "last"
