"""What tables, documents and pages need to know of retrieval_ranking, and how to cite it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..core.about import SYSTEM_SLICES, USUAL_SLICES, About, ErrorKinds, RankColumn, Slices, Texts
from ..core.examples import Examples, JudgedDocument, said
from .trec_output import trec_eval_text

if TYPE_CHECKING:
    from ..core.file_columns import Gold
    from ..core.scores import Scores
    from .query_documents import QueryDocuments

CITATION = """
@inproceedings{buckley-voorhees-2004-retrieval,
    title = "Retrieval Evaluation with Incomplete Information",
    author = "Buckley, Chris and Voorhees, Ellen M.",
    booktitle = "Proceedings of the 27th Annual International ACM SIGIR Conference",
    year = "2004",
    pages = "25--32",
}
"""
# For TREC qrels: the default measures, with all of trec_eval's default output.
WITH_OFFICIAL = ("mrr", "map", "ndcg@10", "recall@100", "hit_rate@10", "official")
_COUNTED = ("missing", "no_relevant", "tied")  # what the notes say in words
_MAIN = ("ndcg@10", "map", "mrr")
ERROR_KIND = ("mrr", "unjudged@1")  # columns that the slice `error_kind` needs
_SHOWN = 10  # documents
_TIES = {
    "trec": "order by document id, as trec_eval does",
    "stable": "in the order of the run",
    "best": "in the best order for the run",
    "worst": "in the worst order for the run",
    "expected": "the mean over all orders",
}
_FOUND_UP_TO = 10  # ranks


def ranking_error_kinds(scores: "Scores") -> list[str] | None:
    """The first kind of error that applies to each ranking; None without the columns `mrr` and `unjudged@1`, and with
    ties="expected", because documents then have no single rank.

    If the document at rank 1 is unjudged, the pool of judgements may be too shallow to decide, so "unjudged top" precedes
    "found late" and "not found".
    """
    from ..core.slices import first_that_holds

    if not {"mrr", "unjudged@1"} <= scores.columns.keys() or scores.options.ties == "expected":
        return None
    reciprocal, unjudged = scores.columns["mrr"], scores.columns["unjudged@1"]
    return first_that_holds(
        {
            "no relevant": scores.subsets["no_relevant"],
            "not in the run": scores.subsets["missing"],
            "relevant first": reciprocal == 1,
            "found, not first": reciprocal >= 1 / _FOUND_UP_TO,
            "unjudged top": unjudged == 1,
            "found late": reciprocal > 0,
        },
        "not found",
    )


_ERRORS = ErrorKinds(
    {
        "relevant first": "The first document is relevant.",
        "found, not first": "The first relevant document is at rank 2 to 10.",
        "found late": "The first relevant document is after rank 10.",
        "unjudged top": "No document up to rank 10 is relevant, and nobody judged the first one.",
        "not found": "No relevant document is in the ranking.",
        "not in the run": "There is no ranking.",
        "no relevant": "The query has no relevant document.",
    },
    ("relevant first", "no relevant"),
    ranking_error_kinds,
)


def _usual_measures(scores: "Scores") -> list[str]:
    """All computed measures, sums of documents last; without counts that the notes report, and without `unjudged@1`
    if only kinds of errors need it.
    """
    aside = (*_COUNTED, "total", *(ERROR_KIND[1:] if _is_for_kinds(scores) else ()))
    names = [name for name in scores.measures if name not in aside]
    return sorted(names, key=lambda name: name.startswith("num_"))


def _is_for_kinds(scores: "Scores") -> bool:
    """Whether `unjudged@1` follows implied measures, as `measure_options` writes them."""
    from .measures import parse_measures

    *others, last = scores.options.measures
    implied = (
        type(scores.options)(preset=scores.options.preset).measures,
        tuple(map(str, parse_measures(WITH_OFFICIAL))),
    )
    return last == ERROR_KIND[1] and tuple(name for name in others if name != ERROR_KIND[0]) in {
        tuple(name for name in names if name != ERROR_KIND[0]) for names in implied
    }


def _first_measures(scores: "Scores") -> list[str]:
    """nDCG at 10, MAP and MRR; otherwise the first two."""
    return [name for name in _MAIN if name in scores.measures] or _usual_measures(scores)[:2]


def _may_have(name: str) -> bool:
    from .measures import parse_measures

    try:
        parse_measures([name])
    except ValueError:
        return name == "all"
    return True


def _shown_measures(names: Sequence[str] | None, scores: "Scores") -> Sequence[str] | None:
    """The requested measures by their usual names, with the bounds of ties if these were computed."""
    from .measures import parse_measures

    if not names or "all" in names:
        return names
    requested = set(map(str, parse_measures(names)))
    return [name for name in scores.measures if name.partition("_ties_")[0] in requested]


def _notes(options: Any) -> dict[str, str]:
    above = "" if options.relevance_level <= 1 else ", except in nDCG, DCG and ERR, which use every relevance above 0"
    return {
        "missing": "queries judged, but not in the run: scored 0",
        "skipped": "queries judged, but not in the run: omitted",
        "trivial": "queries without a relevant document, or with relevant ones only: omitted",
        "no_relevant": f"queries without a relevant document: scored 0{above}; to omit one, leave it unjudged (null instead of [])",
        "duplicates": "documents retrieved again for the same query: omitted",
        "unmatched": "queries in the run, but not judged: omitted",
        "tied": f"queries with a tie that involves a relevant document: {_TIES[options.ties]}",
    }


def _slices(gold: "Gold", scores: "Scores") -> Slices:
    """By the number of relevant documents of the query."""
    if "num_rel" not in scores.columns:
        return {}
    from ..core.slices import count_range

    return {"relevant_count": lambda: [count_range(int(count)) for count in scores.columns["num_rel"]]}


def _texts(examples: Examples) -> Texts:
    """The relevant documents, best first, and the first documents of the run, at most ten of each, by their ids.

    In files of NLPCC and tables without documents, the documents are the rows of the file, or the places in the
    query, counted from 0.
    """
    documents, ids = _documents(examples)
    return (
        [documents.relevant(query, _SHOWN) for query in ids],
        [said(documents.retrieved(query, _SHOWN)) for query in ids],
    )


def _first_documents(examples: Examples, most: int) -> list[list[JudgedDocument]]:
    """The first documents of the run; a judgement below 0 means that a document was in the pool but not judged."""
    (documents, ids), level, found = _documents(examples), examples.scores.options.relevance_level, []
    for query in ids:
        relevance = documents.relevance(query)
        judged = [(name, relevance.get(name)) for name in documents.retrieved(query, most)]
        found.append(
            [
                JudgedDocument(name, None if value is None or value < 0 else value >= level, value)
                for name, value in judged
            ]
        )
    return found


def _documents(examples: Examples) -> "tuple[QueryDocuments, list[Any]]":
    """The documents of all queries, and the ids of those of the examples."""
    from .query_documents import QueryDocuments

    documents = QueryDocuments({**examples.gold.columns, **examples.predictions}, examples.scores.options)
    return documents, [examples.scores.ids[row] for row in examples.rows]


def _first_right_ranks(scores: "Scores") -> RankColumn | None:
    """Uses the column of reciprocal ranks; of several cutoffs, the deepest."""
    cut = [name for name in scores.columns if name.startswith("mrr@") and name[4:].isdigit()]
    column = "mrr" if "mrr" in scores.columns else max(cut, key=lambda name: int(name[4:]), default=None)
    if column is None or scores.options.ties == "expected":
        return None
    return RankColumn(column, "Rank of the first relevant document", "queries")


ABOUT = About(
    titles={
        "11pt_avg": "11-point average precision",
        "gm_map": "Geometric mean of AP",
        "ndcg_rel": "nDCG (rel)",
        "num_q": "Queries",
        "num_rel": "Relevant documents",
        "num_rel_ret": "Relevant documents retrieved",
        "num_ret": "Documents retrieved",
        "set_p": "Set precision",
    },
    groups=("iprec@", "num_"),
    formats={"trec_eval": trec_eval_text},
    usual_slices=(*USUAL_SLICES, "relevant_count", "missing", "no_relevant", "tied"),
    system_slices=(*SYSTEM_SLICES, "tied"),
    report_slices=("relevant_count", "question_word"),
    examples_name="queries",
    answers_are=("documents",),
    errors=_ERRORS,
    usual_measures=_usual_measures,
    first_measures=_first_measures,
    may_have=_may_have,
    shown_measures=_shown_measures,
    notes=_notes,
    more_slices=_slices,
    texts=_texts,
    cells=lambda examples: {},  # a run has hundreds of documents per query: read them in the run
    documents=_first_documents,
    first_right_ranks=_first_right_ranks,
)
