"""What kind of error each example is, by the scores of its family: "too long", "found late", "gave no answer", ..."""

import numpy as np

from .scores import Scores

# The kinds of each family, the best first.
ANSWER_ERROR_KINDS = (
    "correct", "same words", "too long", "too short", "partial", "no shared word", "gave no answer", "no prediction",
    "answered an unanswerable",
)  # fmt: skip
RANKING_ERROR_KINDS = (
    "relevant first", "found", "found late", "unjudged top", "not found", "not in the run", "no relevant",
)  # fmt: skip
READING_ERROR_KINDS = (
    "correct", "wrong answer", "gave no answer", "answered an unanswerable", "document not found", "no prediction",
)  # fmt: skip
ENTITY_ERROR_KINDS = (
    "correct", "correct later", "partial", "wrong", "gave no answer", "no prediction", "not scored",
)  # fmt: skip
LABEL_ERROR_KINDS = (
    "correct", "true label first", "found", "too many", "too few", "partial", "wrong", "not found", "no true labels",
)  # fmt: skip
_FOUND_UP_TO = 10  # ranks


def answer_error_kinds(scores: Scores) -> list[str]:
    """What is wrong with each answer of answer_match.

    The first of these that holds:

    - "correct": exact match.
    - "no prediction": the system does not have the question.
    - "gave no answer": nothing after normalisation, or withheld by the threshold.
    - "answered an unanswerable": an answer where there is none.
    - "same words": the words of a gold answer, in another order (F1 1).
    - "too long": all words of a gold answer are there, and more (recall 1).
    - "too short": all its words are in one gold answer, which has more (precision 1).
    - "partial": some shared words; "no shared word": none (F1 0).

    Precision and recall are each the best over the gold answers, so that a kind says that there is a gold answer of
    which it is true. An answer that holds one gold answer and stands inside another is "too long": all that is asked
    for is there. Of DROP there is only F1: its kinds are "partial" and "no shared word", which an answer without any of
    the right numbers is too. With `top_k` the smallest k counts, and the best of its answers by each measure. Words are
    what the option `unit` counts: tokens, characters or positions.

    Example:
        >>> import qassay
        >>> given = ["in Paris", "Seine", "", "1889", "Rome"]
        >>> golds = [["Paris"], ["river Seine"], ["Lyon"], [], ["Milan", "Turin"]]
        >>> answer_error_kinds(qassay.score("answer_match", given, golds))
        ['too long', 'too short', 'gave no answer', 'answered an unanswerable', 'no shared word']
    """
    ranks = getattr(scores.options, "top_k", None)
    cut = f"@{min(ranks)}" if ranks else ""
    exact_match, f1 = scores.columns[f"exact_match{cut}"], scores.columns[f"f1{cut}"]
    nothing = np.zeros(len(scores))
    precision, recall = (scores.columns.get(f"{name}{cut}", nothing) for name in ("precision", "recall"))
    unanswerable = scores.subsets.get("no_answer", nothing > 0)
    return _first_kinds(
        {
            "correct": exact_match == 1,
            "no prediction": scores.subsets["missing"],
            "gave no answer": scores.subsets["abstained"],
            "answered an unanswerable": unanswerable,
            "same words": f1 == 1,
            "too long": recall == 1,
            "too short": precision == 1,
            "partial": f1 > 0,
        },
        "no shared word",
    )


def ranking_error_kinds(scores: Scores) -> list[str] | None:
    """What is wrong with each ranking of retrieval_ranking; None without the columns `mrr` and `judged@1`, and with
    ties="expected", under which a document has no one rank.

    The first of these that holds:

    - "no relevant": the query has no relevant document.
    - "not in the run": the run does not have the query.
    - "relevant first": the document at rank 1 is relevant.
    - "found": the first relevant document is at rank 2 to 10.
    - "unjudged top": no relevant document up to rank 10, and nobody judged the one at rank 1: the pool of judgements
      may be too shallow to tell, which is why it comes before the next two.
    - "found late": the first relevant document is behind rank 10; "not found": there is none in the ranking.

    Example:
        >>> import qassay
        >>> run = {"q1": {"a": 2.0, "b": 1.0}, "q2": {"x": 1.0}, "q3": {"c": 1.0}}
        >>> qrels = {"q1": {"b": 1, "a": 0}, "q2": {"d": 1}, "q3": {"e": 1, "c": 0}, "q4": {"f": 1}}
        >>> ranking_error_kinds(qassay.score("retrieval_ranking", run, qrels, measures=["mrr", "judged@1"]))
        ['found', 'unjudged top', 'not found', 'not in the run']
    """
    if not {"mrr", "judged@1"} <= scores.columns.keys() or scores.options.ties == "expected":
        return None
    reciprocal, judged = scores.columns["mrr"], scores.columns["judged@1"]
    return _first_kinds(
        {
            "no relevant": scores.subsets["no_relevant"],
            "not in the run": scores.subsets["missing"],
            "relevant first": reciprocal == 1,
            "found": reciprocal >= 1 / _FOUND_UP_TO,
            "unjudged top": judged == 0,
            "found late": reciprocal > 0,
        },
        "not found",
    )


def reading_error_kinds(scores: Scores) -> list[str]:
    """Where each question of retriever_reader fails: `failure_labels` in words, its two opposite faults apart.

    The first of these that holds:

    - "no prediction": the pipeline does not have the question.
    - "correct": nothing fails.
    - "document not found": no gold document of an answerable question was retrieved.
    - "answered an unanswerable": an answer where there is none.
    - "gave no answer": none to an answerable question, although its document was retrieved.
    - "wrong answer": none of the answers is right.

    Example:
        >>> import qassay
        >>> gold = {"q": {"answers": [{"text": "Lyon", "document_id": "d1"}]}}
        >>> reading_error_kinds(qassay.score("retriever_reader", {"q": {"documents": [], "answers": ["Lyon"]}}, gold))
        ['document not found']
    """
    failed = scores.subsets
    return _first_kinds(
        {
            "no prediction": failed["missing"],
            "correct": failed["failure_none"],
            "document not found": failed["failure_retriever"],
            "gave no answer": failed["failure_no_answer"] & failed["has_answer"],
            "answered an unanswerable": failed["failure_no_answer"],
        },
        "wrong answer",
    )


def entity_error_kinds(scores: Scores) -> list[str]:
    """What is wrong with each answer of factoid_accuracy, one set of kinds for all types of question.

    "correct" is a right first candidate, the whole list and nothing else, or the right one of yes and no; "correct
    later" a right candidate behind the first of a factoid question; "partial" a list of which something is right;
    "no prediction" a question that the system does not have; "gave no answer" one with no answer that can be read.
    Summaries are "not scored". In phase A the documents are a list.

    Example:
        >>> import qassay
        >>> given, golds = [["cat", "dog"], ["fox", "owl"], "no"], [["dog"], ["fox"], "no"]
        >>> types = ["factoid", "list", "yesno"]
        >>> entity_error_kinds(qassay.score("factoid_accuracy", given, golds, question_types=types))
        ['correct later', 'partial', 'correct']
    """
    nothing = np.zeros(len(scores))
    column = {
        name: scores.columns.get(name, nothing) for name in ("strict", "lenient", "list_f1", "f1", "yesno_correct")
    }
    return _first_kinds(
        {
            "not scored": scores.subsets.get("summary", nothing > 0),
            "no prediction": scores.subsets["missing"],
            "gave no answer": scores.subsets["unanswered"],
            "correct": np.any([column[name] == 1 for name in ("strict", "list_f1", "f1", "yesno_correct")], axis=0),
            "correct later": column["lenient"] == 1,
            "partial": (column["list_f1"] > 0) | (column["f1"] > 0),
        },
        "wrong",
    )


def label_error_kinds(scores: Scores) -> list[str]:
    """What is wrong with the labels of each row of label_metrics.

    One label: "correct" or "wrong". Sets: "correct", "too many" (all true labels and others), "too few" (only true
    labels, not all), "partial" (some true labels and others) or "wrong" (others only). Rankings: "true label first",
    "found" (behind the first place), "not found", or "no true labels".

    Example:
        >>> import qassay
        >>> given, true = [["a", "b"], [], ["c"]], [["a"], ["b"], ["d"]]
        >>> label_error_kinds(qassay.score("label_metrics", given, true, task="multi"))
        ['too many', 'too few', 'wrong']
    """
    columns = scores.columns
    if "rr" in columns:
        found = columns["rr"]
        empty = scores.subsets["no_labels"]
        return _first_kinds({"no true labels": empty, "true label first": found == 1, "found": found > 0}, "not found")
    if "correct" in columns:
        return _first_kinds({"correct": columns["correct"] == 1}, "wrong")
    right, wrong, lacking = (columns[name].lengths > 0 for name in ("tp", "fp", "fn"))
    return _first_kinds(
        {"correct": ~wrong & ~lacking, "too many": ~lacking, "too few": ~wrong, "partial": right},
        "wrong",
    )


def _first_kinds(holds: dict[str, np.ndarray], otherwise: str) -> list[str]:
    """For each example the first kind that holds."""
    kinds = [*holds, otherwise]
    places = np.select(list(holds.values()), list(range(len(holds))), len(holds))
    return [kinds[place] for place in places.tolist()]
