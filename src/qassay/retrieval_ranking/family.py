"""The descriptor of retrieval_ranking."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..core.examples import Examples, JudgedDocument, said
from ..core.family import Family
from ..core.family_telling import ErrorKinds, RankColumn, Sides, Slices, Telling
from .trec_output import trec_eval_numbers, trec_eval_text

if TYPE_CHECKING:
    from ..core.file_columns import Gold
    from ..core.scores import Scores
    from .query_documents import QueryDocuments

# For TREC qrels: the default measures, with all of trec_eval's default output.
_WITH_OFFICIAL = ("mrr", "map", "ndcg@10", "recall@100", "hit_rate@10", "official")
_EVERYTHING = (*_WITH_OFFICIAL, "all_trec")
_COUNTED = ("missing", "no_relevant", "tied")  # what the notes tell in words
_MAIN = ("ndcg@10", "map", "mrr")
_ERROR_KIND = ("mrr", "unjudged@1")  # columns that the slice `error_kind` needs
_SHOWN = 10  # documents
_ALL = 10**9
_TIES = {
    "trec": "order by document id, as trec_eval does",
    "stable": "in the order of the run",
    "best": "in the best order for the run",
    "worst": "in the worst order for the run",
    "expected": "the mean over all orders",
}


class RankingTelling(Telling):
    """Documents of runs, in tables or in trec_eval's layout."""

    titles = {
        "11pt_avg": "11-point average precision",
        "gm_map": "Geometric mean of AP",
        "ndcg_rel": "nDCG (rel)",
        "num_q": "Queries",
        "num_rel": "Relevant documents",
        "num_rel_ret": "Relevant documents retrieved",
        "num_ret": "Documents retrieved",
        "set_p": "Set precision",
    }
    groups = ("iprec@", "num_")
    formats = {"trec_eval": trec_eval_text}
    official_numbers = {"trec_eval": trec_eval_numbers}
    usual_slices = (*Telling.usual_slices, "relevant_count", "missing", "no_relevant", "tied")
    system_slices = (*Telling.system_slices, "tied")
    count_slices = ("relevant_count",)
    report_slices = ("relevant_count", "question_word")
    examples_name = "queries"
    answers_are = ("documents",)

    @property
    def errors(self) -> ErrorKinds:
        """Kinds of errors for scores with mrr and unjudged@1."""
        from .error_kinds import RANKING_ERRORS

        return RANKING_ERRORS

    def usual_measures(self, scores: "Scores") -> list[str]:
        """All computed measures, sums of documents last; without counts that the notes report, and without `unjudged@1`
        if only kinds of errors need it.
        """
        aside = (*_COUNTED, "total", *(_ERROR_KIND[1:] if _is_for_kinds(scores) else ()))
        names = [name for name in scores.measures if name not in aside]
        return sorted(names, key=lambda name: name.startswith("num_"))

    def main_measures(self, scores: "Scores") -> list[str]:
        """nDCG at 10, MAP and MRR; otherwise the first two."""
        return [name for name in _MAIN if name in scores.measures] or self.usual_measures(scores)[:2]

    def rates_answers(self, name: str) -> bool:
        return not name.startswith(("judged@", "unjudged@"))

    def may_have(self, name: str) -> bool:
        from .measures import parse_measures

        try:
            parse_measures([name])
        except ValueError:
            return name == "all"
        return True

    def shown_measures(self, names: Sequence[str] | None, scores: "Scores") -> Sequence[str] | None:
        """The requested measures by their usual names, with the bounds of ties if these were computed."""
        from .measures import parse_measures

        if not names or "all" in names:
            return names
        requested = set(map(str, parse_measures(names)))
        return [name for name in scores.measures if name.partition("_ties_")[0] in requested]

    def note_words(self, options: Any) -> Mapping[str, str]:
        return {
            "missing": "queries judged, but not in the run: scored 0",
            "skipped": "queries judged, but not in the run: omitted",
            "trivial": "queries without a relevant document, or with relevant ones only: omitted",
            "no_relevant": "queries without a relevant document: 0 in all measures except gain (nDCG, DCG, ERR)",
            "duplicates": "documents retrieved again for the same query: omitted",
            "unmatched": "queries in the run, but not judged: omitted",
            "tied": f"queries with a tie that involves a relevant document: {_TIES[options.ties]}",
        }

    def slices(self, gold: "Gold", scores: "Scores") -> Slices:
        """Slices by kind of error, by the number of relevant documents of the query, and by question word."""
        labellings = super().slices(gold, scores)
        if "num_rel" in scores.columns:
            from ..core.slices import count_range

            labellings["relevant_count"] = lambda: [count_range(int(count)) for count in scores.columns["num_rel"]]
        return labellings

    def why_no_slice(self, name: str) -> str:
        if name == "relevant_count":
            return " without num_rel in the option measures"
        if name == "error_kind":
            return " without the measures mrr and unjudged@1, and with ties=expected"
        return super().why_no_slice(name)

    def answer_cells(self, examples: Examples) -> dict[str, tuple[str, list]]:
        """None: a run has hundreds of documents for a query, which are better read in the run itself."""
        return {}

    def sides(self, examples: Examples) -> Sides:
        """The relevant documents, best first, and the first documents of the run, at most ten of each, by their ids.

        In files of NLPCC and tables without documents, the documents are the rows of the file, or the places in the
        query, counted from 0.
        """
        documents, ids = _documents(examples), _ids(examples)
        return (
            [documents.relevant(query, _SHOWN) for query in ids],
            [said(documents.retrieved(query, _SHOWN)) for query in ids],
        )

    def first_documents(self, examples: Examples, most: int) -> list[list[JudgedDocument]]:
        """The first documents of the run; a judgement below 0 means that a document was in the pool but not judged."""
        documents, level, found = _documents(examples), examples.scores.options.relevance_level, []
        for query in _ids(examples):
            relevance = documents.relevance(query)
            names = documents.retrieved(query, most)
            found.append([_judgement_of(name, relevance.get(name), level) for name in names])
        return found

    def relevant_documents(self, examples: Examples, most: int) -> list[dict[str, float]]:
        documents = _documents(examples)
        relevances = ((documents.relevance(query), documents.relevant(query, most)) for query in _ids(examples))
        return [{name: relevance[name] for name in names} for relevance, names in relevances]

    def document_ranks(self, examples: Examples) -> list[dict[str, int]]:
        documents = _documents(examples)
        ranked = (documents.retrieved(query, _ALL) for query in _ids(examples))
        return [{name: rank for rank, name in enumerate(names, 1)} for names in ranked]

    def first_right_ranks(self, scores: "Scores") -> RankColumn | None:
        """Uses the column of reciprocal ranks; of several cut-offs, the deepest."""
        cut = [name for name in scores.columns if name.startswith("mrr@") and name[4:].isdigit()]
        column = "mrr" if "mrr" in scores.columns else max(cut, key=lambda name: int(name[4:]), default=None)
        if column is None or scores.options.ties == "expected":
            return None
        return RankColumn(column, "Rank of the first relevant document", "queries")


class RetrievalRankingFamily(Family):
    """Runs against judgements: `--measures` says what is computed."""

    name = "retrieval_ranking"
    source = "trec_eval 10, for all measures that it has"
    function = "score_rankings"
    options = "RankingOptions"
    known_as = {
        "trec_eval": 'retrieval_ranking, which has all of its measures: measures="all_trec"',
        "pytrec_eval": 'retrieval_ranking, which takes its dicts of dicts: score_dtype="float32" for its ties',
        "ranx": "retrieval_ranking, which takes dicts of dicts",
        "ir_measures": "retrieval_ranking, which reads its names of measures",
        "beir": "retrieval_ranking with measures such as ndcg@10 and recall@100",
        **{
            name: f"a measure of retrieval_ranking: {name}@10 counts the first 10 documents"
            for name in ("ndcg", "mrr", "map", "p", "recall", "hit_rate")
        },
        "hits": "the measure hit_rate@k of retrieval_ranking",
    }
    smallest = (({"predictions": {"q": {"d": 1.0}}, "references": {"q": {"d": 1}}}, {}),)
    dict_options = ("gain",)
    telling = RankingTelling()

    def columns_of_files(self, gold: "Gold", predictions: Mapping[str, Any]) -> dict[str, Any]:
        """The judgements by name, once it is checked that they are not the run."""
        from .fields import column_of
        from .swapped import how_swapped

        judgements = gold.columns.get("references")
        if not judgements:
            return {**gold.columns, **predictions}
        named = column_of({gold.names.get("relevance", ""): None}, "relevance")  # a column that a run does not have
        is_pair = gold.kind in ("qrels", "ranking_table") and named is None
        if is_pair and how_swapped(predictions["predictions"], judgements):
            raise ValueError(
                f"this looks like judgements (integers of a few levels), and {gold.path} like a run (scores); "
                "if they are not, call the column of judgements relevance, else give the gold file as gold"
            )
        return {**gold.columns, "references": None, "qrels": judgements, **predictions}

    def row_groups(self) -> Any:
        from . import row_groups

        return row_groups

    def measure_options(
        self, names: Sequence[str] | None, by: Sequence[str], gold: "Gold", form: str
    ) -> dict[str, Any]:
        """The requested measures, else those implied by the format and the kind of file, and what slices need:
        `num_rel` for
        `relevant_count`, `mrr` and `unjudged@1` for `error_kind`.
        """
        more = _ERROR_KIND if "error_kind" in by else ()
        if names is not None:
            measures = [part for name in names for part in (_possible(_EVERYTHING, gold) if name == "all" else [name])]
            return {"measures": (*measures, *more, *(["num_rel"] if "relevant_count" in by else []))}
        if {"measures", "preset"} & gold.options.keys():
            implied = None
        elif form in self.telling.formats:
            implied = _possible(("all_prefs" if gold.kind == "trec_prefs" else "official",), gold)
        elif gold.kind == "trec_prefs":
            implied = _possible(("all_prefs",), gold)
        else:
            implied = _possible(_WITH_OFFICIAL, gold) if gold.kind == "trec_qrels" else None
        if more:
            options_class: Any = self.load()[1]
            implied = (*(implied or options_class.from_keywords(**gold.options).measures), *more)
        return {} if implied is None else {"measures": implied}

    def measures(self) -> list[tuple[str, str]]:
        from .measures import list_measures

        return list_measures()


def _ids(examples: Examples) -> list[Any]:
    return [examples.scores.ids[row] for row in examples.rows]


def _documents(examples: Examples) -> "QueryDocuments":
    from .query_documents import QueryDocuments

    return QueryDocuments({**examples.gold.columns, **examples.predictions}, examples.scores.options)


def _judgement_of(name: str, relevance: float | None, level: float) -> JudgedDocument:
    return JudgedDocument(name, None if relevance is None or relevance < 0 else relevance >= level, relevance)


def _is_for_kinds(scores: "Scores") -> bool:
    """Whether `unjudged@1` follows implied measures, as `measure_options` writes them."""
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
    """The measures of these names and groups, without the measures that the option ties="expected" does not support."""
    from .measures import parse_measures

    expected = gold.options.get("ties") == "expected"
    return tuple(str(measure) for measure in parse_measures(names) if measure.kind.expectation or not expected)


FAMILY = RetrievalRankingFamily()
