"""The descriptor of retrieval_ranking."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..core.family import Family
from .about import ABOUT, ERROR_KIND, WITH_OFFICIAL

if TYPE_CHECKING:
    from ..core.file_columns import Gold

_EVERYTHING = (*WITH_OFFICIAL, "all_trec")


class RetrievalRankingFamily(Family):
    """Runs against judgements: `--measures` says what is computed."""

    name = "retrieval_ranking"
    source = "trec_eval 10, for all measures that it has"
    function = "score_rankings"
    options = "RankingOptions"
    known_as = {
        "trec_eval": 'retrieval_ranking, which has its measures: measures="all_trec"',
        "pytrec_eval": 'retrieval_ranking, which takes its dicts of dicts: score_dtype="float32" for its ties',
        "ranx": "retrieval_ranking, which takes dicts of dicts, such as run.to_dict()",
        "ir_measures": "retrieval_ranking, which reads its names of measures",
        "beir": "retrieval_ranking with measures such as ndcg@10 and recall@100",
        **{
            name: f"a measure of retrieval_ranking: {name}@10 counts the first 10 documents"
            for name in ("ndcg", "mrr", "map", "p", "recall", "hit_rate")
        },
        "hits": "the measure hit_rate@k of retrieval_ranking",
    }
    smallest = (({"predictions": {"q": {"d": 1.0}}, "references": {"q": {"d": 1}}}, {}),)
    about = ABOUT

    def columns_of_files(self, gold: "Gold", predictions: Mapping[str, Any]) -> dict[str, Any]:
        """The judgements by name, unless the gold file may be a run."""
        from .fields import column_of

        named = column_of({gold.names.get("relevance", ""): None}, "relevance")  # a column that a run does not have
        columns = {**gold.columns, **predictions}
        if columns.get("references") and (named or gold.kind not in ("qrels", "ranking_table")):
            columns["qrels"] = columns.pop("references")
        return columns

    def measure_options(
        self, names: Sequence[str] | None, by: Sequence[str], gold: "Gold", form: str
    ) -> dict[str, Any]:
        """The requested measures, else those implied by the format and the kind of file, and those that slices need."""
        more = ERROR_KIND if "error_kind" in by else ()
        if names is not None:
            measures = [part for name in names for part in (_possible(_EVERYTHING, gold) if name == "all" else [name])]
            return {"measures": (*measures, *more, *(["num_rel"] if "relevant_count" in by else []))}
        implied: Sequence[str] = ()
        if gold.options.keys().isdisjoint(("measures", "preset")):
            if form in self.about.formats:
                implied = ("official",)
            elif gold.kind == "trec_qrels":
                implied = WITH_OFFICIAL
        implied = _possible(implied, gold) if implied else ()
        if more:
            options_class: Any = self.load()[1]
            implied = (*(implied or options_class.from_keywords(**gold.options).measures), *more)
        return {"measures": implied} if implied else {}

    def measures(self) -> list[tuple[str, str]]:
        from .measures import list_measures

        return list_measures()


def _possible(names: Sequence[str], gold: "Gold") -> tuple[str, ...]:
    """The measures of these names and groups, without those that the option ties="expected" does not support."""
    from .measures import parse_measures

    expected = gold.options.get("ties") == "expected"
    return tuple(str(measure) for measure in parse_measures(names) if measure.kind.expectation or not expected)


FAMILY = RetrievalRankingFamily()
