"""retrieval_ranking on the command line."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from karat.families.base import Family
from karat.trec_eval import trec_eval_text

if TYPE_CHECKING:
    from karat.core.options import Options
    from karat.core.scores import Scores
    from karat.files import Gold

# For qrels of TREC: the default measures with all of trec_eval's own default output.
_WITH_OFFICIAL = ("mrr", "map", "ndcg@10", "recall@100", "hit_rate@10", "official")
_EVERYTHING = (*_WITH_OFFICIAL, "all_trec")
_MAIN = ("ndcg@10", "map", "mrr")
_TIES = {
    "trec": "order by document id, as trec_eval does",
    "stable": "in the order of the run",
    "best": "in the best order for the run",
    "worst": "in the worst order for the run",
    "expected": "the mean over all orders",
}


class RetrievalRanking(Family):
    """Runs against judgements: `--measures` says what is computed, and trec_eval's layout is one of the formats."""

    name = "retrieval_ranking"
    module = "karat.core.ranking"
    function = "score_rankings"
    options = "RankingOptions"
    smallest: Mapping[str, Any] = {"predictions": {"q": {"d": 1.0}}, "references": {"q": {"d": 1}}}
    groups = ("iprec@", "num_")
    gold_alone = "this has judgements only; give a run too: karat score QRELS RUN"
    gold_words = (*Family.gold_words, "qrels", "relevances", "there is nothing to score")
    dict_options = ("gain",)
    counted = ("missing", "no_relevant", "tied")
    formats: Mapping[str, Callable] = {"trec_eval": trec_eval_text}

    def usual_measures(self, scores: "Scores") -> list[str]:
        """All that were computed, sums of documents last; what the notes tell in words is left out."""
        names = [name for name in scores.measures if name not in (*self.counted, "total")]
        return sorted(names, key=lambda name: name.startswith("num_"))

    def main_measures(self, scores: "Scores") -> list[str]:
        """nDCG at 10, MAP and MRR, or else the first two."""
        return [name for name in _MAIN if name in scores.measures] or self.usual_measures(scores)[:2]

    def measure_options(
        self, names: Sequence[str] | None, by: Sequence[str], gold: "Gold", form: str
    ) -> dict[str, Any]:
        if names is not None:
            wanted = [part for name in names for part in (_possible(_EVERYTHING, gold) if name == "all" else [name])]
            return {"measures": (*wanted, *(["num_rel"] if "relevant_count" in by else []))}
        if {"measures", "preset"} & gold.options.keys():
            return {}
        if form in self.formats:
            return {"measures": _possible(("official",), gold)}
        return {"measures": _possible(_WITH_OFFICIAL, gold)} if gold.kind == "trec_qrels" else {}

    def shown_measures(self, names: Sequence[str] | None, scores: "Scores") -> Sequence[str] | None:
        """Those asked for, under their usual names, with the bounds of ties where these were computed."""
        from karat.core.ranking_measures import parse_measures

        if names is None or "all" in names:
            return names
        asked = set(map(str, parse_measures(names)))
        return [name for name in scores.measures if name.partition("_ties_")[0] in asked]

    def measures(self) -> list[tuple[str, str]]:
        from karat.core.ranking_measures import list_measures

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
        """By the number of relevant documents of the query, and by what it asks for."""
        found = super().slices(gold, scores)
        if "num_rel" in scores.columns:
            from karat.core.slices import count_range

            found["relevant_count"] = lambda: [count_range(int(count)) for count in scores.columns["num_rel"]]
        return found

    def why_no_slice(self, name: str) -> str:
        if name == "relevant_count":
            return " without num_rel in --option measures=..."
        return super().why_no_slice(name)


def _possible(names: Sequence[str], gold: "Gold") -> tuple[str, ...]:
    """The measures of these names and groups, without those that the option ties="expected" cannot have."""
    from karat.core.ranking_measures import parse_measures

    expected = gold.options.get("ties") == "expected"
    return tuple(str(measure) for measure in parse_measures(names) if measure.has_expectation or not expected)
