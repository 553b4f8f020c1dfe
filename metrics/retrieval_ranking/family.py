"""The descriptor of retrieval_ranking: what generic code asks of this family."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..core.family import Family, JudgedDocument, RankColumn, said
from ..core.hints import Hint, Message
from .trec_output import trec_eval_text

if TYPE_CHECKING:
    from ..core.file_columns import Gold
    from ..core.options import Options
    from ..core.scores import Scores
    from ..core.streaming import RowGroups

# For qrels of TREC: the default measures with all of trec_eval's own default output.
_WITH_OFFICIAL = ("mrr", "map", "ndcg@10", "recall@100", "hit_rate@10", "official")
_EVERYTHING = (*_WITH_OFFICIAL, "all_trec")
_MAIN = ("ndcg@10", "map", "mrr")
_ERROR_KIND = ("mrr", "judged@1")  # what the slice `error_kind` needs
_SHOWN = 10  # documents
_ALL = 10**9
_IPREC = re.compile(r"iprec@\d+(\.\d+)?(e-\d+)?")
_TIES = {
    "trec": "order by document id, as trec_eval does",
    "stable": "in the order of the run",
    "best": "in the best order for the run",
    "worst": "in the worst order for the run",
    "expected": "the mean over all orders",
}


class RetrievalRankingFamily(Family):
    """Runs against judgements: `--measures` says what is computed, and trec_eval's layout is one of the formats."""

    name = "retrieval_ranking"
    source = "trec_eval 10, for all measures that it has"
    module = "qassay.retrieval_ranking.scoring"
    kinds = "qassay.retrieval_ranking.kinds"
    function = "score_rankings"
    options = "RankingOptions"
    report_slices = ("relevant_count", "question_word")
    smallest: Mapping[str, Any] = {"predictions": {"q": {"d": 1.0}}, "references": {"q": {"d": 1}}}
    groups = ("iprec@", "num_")
    gold_alone = Message("this has judgements only; give a run too", Hint("usage", "QRELS RUN"))
    gold_columns = (*Family.gold_columns, "relevances")
    dict_options = ("gain",)
    counted = ("missing", "no_relevant", "tied")
    examples_name = "queries"
    formats: Mapping[str, Callable] = {"trec_eval": trec_eval_text}
    ranks_documents = True
    values_chart = "sorted"
    right_kinds = ("relevant first", "no relevant")
    usual_slices = (*Family.usual_slices, "relevant_count", "missing", "no_relevant", "tied")
    system_slices = (*Family.system_slices, "tied")

    @property
    def error_kind_order(self) -> tuple[str, ...]:
        from .error_kinds import RANKING_ERROR_KINDS

        return RANKING_ERROR_KINDS

    def row_groups(self) -> "RowGroups":
        from .row_groups import ROW_GROUPS

        return ROW_GROUPS

    def usual_measures(self, scores: "Scores") -> list[str]:
        """All that were computed, sums of documents last; what the notes tell in words is left out, and so is
        `judged@1` where only kinds of errors need it.
        """
        aside = (*self.counted, "total", *(_ERROR_KIND[1:] if _is_for_kinds(scores) else ()))
        names = [name for name in scores.measures if name not in aside]
        return sorted(names, key=lambda name: name.startswith("num_"))

    def main_measures(self, scores: "Scores") -> list[str]:
        """nDCG at 10, MAP and MRR, or else the first two."""
        return [name for name in _MAIN if name in scores.measures] or self.usual_measures(scores)[:2]

    def measure_options(
        self, names: Sequence[str] | None, by: Sequence[str], gold: "Gold", form: str
    ) -> dict[str, Any]:
        """What is asked for, or else what the format and the kind of file imply, and what slices need: `num_rel` for
        `relevant_count`, `mrr` and `judged@1` for `error_kind`.
        """
        more = _ERROR_KIND if "error_kind" in by else ()
        if names is not None:
            wanted = [part for name in names for part in (_possible(_EVERYTHING, gold) if name == "all" else [name])]
            return {"measures": (*wanted, *more, *(["num_rel"] if "relevant_count" in by else []))}
        if {"measures", "preset"} & gold.options.keys():
            implied = None
        elif form in self.formats:
            implied = _possible(("official",), gold)
        else:
            implied = _possible(_WITH_OFFICIAL, gold) if gold.kind == "trec_qrels" else None
        if more:
            _, options_class = self.load()
            implied = (*(implied or options_class.from_keywords(**gold.options).measures), *more)
        return {} if implied is None else {"measures": implied}

    def shown_measures(self, names: Sequence[str] | None, scores: "Scores") -> Sequence[str] | None:
        """Those asked for, under their usual names, with the bounds of ties where these were computed."""
        from .measures import parse_measures

        if names is None or "all" in names:
            return names
        asked = set(map(str, parse_measures(names)))
        return [name for name in scores.measures if name.partition("_ties_")[0] in asked]

    def measures(self) -> list[tuple[str, str]]:
        from .measures import list_measures

        return list_measures()

    def note_words(self, options: "Options") -> Mapping[str, str]:
        return {
            "missing": "judged, but not in the run: scored 0",
            "skipped": "judged, but not in the run: left out",
            "trivial": "without a relevant document, or with relevant ones only: left out",
            "no_relevant": "without a relevant document: 0 in all measures but those of gain (nDCG, DCG, ERR)",
            "unmatched": "in the run, but not judged: left out",
            "tied": f"with a tie that touches a relevant document: {_TIES[options.ties]}",
        }

    def slices(self, gold: "Gold", scores: "Scores") -> dict[str, Callable[[], Sequence[str]]]:
        """By kind of error, by the number of relevant documents of the query, and by what it asks for."""
        labellings = super().slices(gold, scores)
        if "num_rel" in scores.columns:
            from ..core.slices import count_range

            labellings["relevant_count"] = lambda: [count_range(int(count)) for count in scores.columns["num_rel"]]
        return labellings

    def why_no_slice(self, name: str) -> str:
        if name == "relevant_count":
            return Message(" without num_rel in ", Hint("any option", "measures"))
        if name == "error_kind":
            return " without the measures mrr and judged@1, and with ties=expected"
        return super().why_no_slice(name)

    def error_kinds(self, scores: "Scores") -> list[str] | None:
        """None where mrr and judged@1 were not computed."""
        from .error_kinds import ranking_error_kinds

        return ranking_error_kinds(scores)

    def answer_cells(self, gold: "Gold", predictions: Mapping[str, Any], scores: "Scores") -> dict:
        """None: a run has hundreds of documents for a query, which are read best in the run itself."""
        return {}

    def sides(
        self, gold: "Gold", predictions: Mapping[str, Any], scores: "Scores", rows: Sequence[int], places: Sequence[int]
    ) -> tuple[list[list[str]], list[list[str]]]:
        """The relevant documents, best first, and the first documents of the run, at most ten of each, by their ids.

        Files of NLPCC and tables without documents have none: there the documents are the rows of the file, or the
        places in the query, counted from 0.
        """
        from .query_documents import first_documents, relevant_documents

        ids = [scores.ids[row] for row in rows]
        judged, ranked = gold.columns.get("references"), predictions["predictions"]
        relevant = relevant_documents(ranked if judged is None else judged, ids, scores.options, _SHOWN)
        retrieved = first_documents(ranked, judged, ids, scores.options, _SHOWN)
        return relevant, list(map(said, retrieved))

    def first_documents(
        self, gold: "Gold", predictions: Mapping[str, Any], scores: "Scores", row: int, place: int, most: int
    ) -> list[JudgedDocument]:
        """The first documents of the run; a judgement below 0 says that a document was in the pool but not judged."""
        from .query_documents import first_documents, judged_documents

        judged, ids = _judged(gold, predictions), [scores.ids[row]]
        relevance = judged_documents(judged, ids)[0]
        level, documents = scores.options.relevance_level, []
        for name in first_documents(predictions["predictions"], judged, ids, scores.options, most)[0]:
            value = relevance.get(name)
            documents.append(JudgedDocument(name, None if value is None or value < 0 else value >= level, value))
        return documents

    def relevant_documents(
        self, gold: "Gold", predictions: Mapping[str, Any], scores: "Scores", row: int, most: int
    ) -> dict[str, float]:
        from .query_documents import judged_documents, relevant_documents

        judged, ids = _judged(gold, predictions), [scores.ids[row]]
        relevance = judged_documents(judged, ids)[0]
        return {name: relevance[name] for name in relevant_documents(judged, ids, scores.options, most)[0]}

    def document_ranks(
        self, gold: "Gold", predictions: Mapping[str, Any], scores: "Scores", row: int
    ) -> dict[str, int]:
        from .query_documents import first_documents

        judged, ids = _judged(gold, predictions), [scores.ids[row]]
        order = first_documents(predictions["predictions"], judged, ids, scores.options, _ALL)[0]
        return {name: rank for rank, name in reversed(list(enumerate(order, 1)))}

    def first_right_ranks(self, scores: "Scores") -> RankColumn | None:
        """By the column of reciprocal ranks; of several with a cut-off by the deepest."""
        cut = [name for name in scores.columns if name.startswith("mrr@") and name[4:].isdigit()]
        column = "mrr" if "mrr" in scores.columns else max(cut, key=lambda name: int(name[4:]), default=None)
        if column is None or scores.options.ties == "expected":
            return None
        return RankColumn(column, "Rank of the first relevant document", "queries")

    def recall_points(self, scores: "Scores") -> dict[str, float]:
        return {name: float(name.removeprefix("iprec@")) for name in scores.measures if _IPREC.fullmatch(name)}


def _judged(gold: "Gold", predictions: Mapping[str, Any]) -> Any:
    """The judgements; of a table that holds both they are beside the documents of the run."""
    judged = gold.columns.get("references")
    return predictions["predictions"] if judged is None else judged


def _is_for_kinds(scores: "Scores") -> bool:
    """Whether `judged@1` stands behind measures that are implied, which is what `measure_options` makes of them."""
    from .measures import parse_measures

    *others, last = scores.options.measures
    implied = (
        type(scores.options)(preset=scores.options.preset).measures,
        tuple(map(str, parse_measures(_WITH_OFFICIAL))),
    )
    return last == _ERROR_KIND[1] and tuple(name for name in others if name != _ERROR_KIND[0]) in {
        tuple(name for name in names if name != _ERROR_KIND[0]) for names in implied
    }


def _possible(names: Sequence[str], gold: "Gold") -> tuple[str, ...]:
    """The measures of these names and groups, without those that the option ties="expected" cannot have."""
    from .measures import parse_measures

    expected = gold.options.get("ties") == "expected"
    return tuple(str(measure) for measure in parse_measures(names) if measure.has_expectation or not expected)


FAMILY = RetrievalRankingFamily()
