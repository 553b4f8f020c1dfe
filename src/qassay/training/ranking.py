"""Evaluates rankings while a cross-encoder or encoder of sentence-transformers trains: MRR, nDCG, MAP with
intervals.
"""

import importlib.metadata
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ..core.columns import check_rows
from ..core.interval_settings import Intervals
from ..core.options import check_whole
from ..core.remarks import public
from ..core.safe_names import safe_name
from ..core.scores import Scores
from ..core.shown import describe
from ..registry import get_family
from .hook import LoggedMeasures, refuse_nan, to_array

try:
    from sentence_transformers.base.evaluation import BaseEvaluator
except ImportError as error:
    try:
        installed = f"but {importlib.metadata.version('sentence-transformers')} is installed"
    except importlib.metadata.PackageNotFoundError:
        installed = "which is not installed"
    raise ImportError(
        f'Ranking needs sentence-transformers 6, {installed}: run `pip install -U "qassay[sas]"`'
    ) from error

RankingOptions: Any
score_rankings, RankingOptions = get_family("retrieval_ranking").load()

_DOCUMENTS_AT_ONCE = 8192
_QUERIES_AT_ONCE = 1024


class Ranking(BaseEvaluator):
    """An evaluator of sentence-transformers: pass it as `evaluator=` to a trainer, or call it with a model.

    A SentenceTransformer (or a sparse encoder) encodes queries and documents and ranks by its own similarity; a
    CrossEncoder scores pairs, and needs candidates.

    Args:
        queries: query id -> text. Only judged queries are used.
        documents: document id -> text.
        qrels: query id -> {document id: relevance}, or -> list or set of relevant documents.
        candidates: query id -> ids of the documents to rank, for re-ranking; None: all documents are searched.
        groups: judged query id -> label, such as its topic: queries of one group belong together, so intervals draw
            whole groups.
        measures: measures of retrieval_ranking; the first is the primary metric, which selects the best model
            (`metric_for_best_model="eval_ndcg@10"`, or with a name "eval_<name>_ndcg@10").
        confidence, n_resamples, seed: as in `Scores.interval`, for `ndcg@10_low` and `ndcg@10_high`; None: no intervals.
        safe_names: log `ndcg_at_10` instead of `ndcg@10`, as MLflow requires.
        top_k: the number of retrieved documents to keep per query.
        name: prefix of the names of the numbers, also shown in the model card.
        batch_size: texts or pairs per call of the model.
        show_progress_bar: of the model.
        options: of `RankingOptions`, such as ties="expected".

    Raises:
        ImportError: sentence-transformers is not installed. TypeError, ValueError: ids without a text, unknown options
            of retrieval_ranking; when called, a CrossEncoder without candidates or with several labels, scores that are
            NaN.

    Attributes:
        scores: the Scores of the last evaluation, for slices and single queries; None before the first.

    Example:
        >>> documents = {"d1": "Paris is in France", "d2": "Rome is in Italy"}
        >>> evaluator = Ranking({"q1": "where is Rome?"}, documents, {"q1": ["d2"]}, measures=["mrr@10"], name="dev")
        >>> evaluator.primary_metric
        'mrr@10'
    """

    def __init__(
        self,
        queries: Mapping[Any, str],
        documents: Mapping[Any, str],
        qrels: Mapping[Any, Any],
        candidates: Mapping[Any, Sequence[Any]] | None = None,
        *,
        groups: Mapping[Any, Any] | None = None,
        measures: Sequence[str] = ("ndcg@10", "mrr@10", "map"),
        confidence: float | None = 0.95,
        n_resamples: int = 1000,
        seed: int = 0,
        safe_names: bool = False,
        top_k: int = 1000,
        name: str = "",
        batch_size: int = 32,
        show_progress_bar: bool = False,
        **options: Any,
    ):
        super().__init__()  # type: ignore[no-untyped-call]
        for what, texts in (("queries", queries), ("documents", documents), ("qrels", qrels)):
            if not isinstance(texts, Mapping) or not texts:
                raise TypeError(f"{what} must be a dict by id that is not empty, got {describe(texts)}")
        self.options = RankingOptions.from_keywords(**options, measures=measures)
        self.name = name
        self.batch_size = check_whole("batch_size", batch_size)
        self.top_k = check_whole("top_k", top_k)
        self.show_progress_bar = show_progress_bar
        self.report = LoggedMeasures(
            self.options.measures, Intervals(confidence, "auto", n_resamples, seed), safe_names
        )
        first = self.options.measures[0]
        self.primary_metric = safe_name(first) if safe_names else first
        self.qrels = dict(qrels)
        self.queries = _texts_of(self.qrels, queries, "queries", "qrels")
        self.documents = _texts_of(documents, documents, "documents", "documents")
        judged = {document for relevances in self.qrels.values() for document in relevances}
        if not judged & self.documents.keys():
            raise ValueError("not one document of qrels is among documents; give the documents that were judged")
        self.candidates = None if candidates is None else self._check_candidates(candidates)
        self.scores: Scores | None = None
        # Check judgements and options now, not after the first epoch.
        some = next(iter(self.documents))
        self.groups = groups
        self._score({query: {next(iter(self.qrels[query]), some): 0.0} for query in self.queries})

    @classmethod
    def from_samples(
        cls, samples: Sequence[Mapping[str, Any]], *, always_rerank_positives: bool = True, **arguments: Any
    ) -> "Ranking":
        """An evaluator for samples in the layout of the re-ranking evaluators of sentence-transformers.

        A text that a sample has several times is as many documents, as there.

        Args:
            samples: dicts with query, positive (texts) and either negative or documents (texts).
            always_rerank_positives: also rank positives that are not in documents; False: they count as not found.
            arguments: arguments of `Ranking`.

        Example:
            >>> samples = [{"query": "where is Rome?", "positive": ["in Italy"], "negative": ["in France", "in Spain"]}]
            >>> Ranking.from_samples(samples, measures=["map"]).candidates
            {0: ['d0', 'd1', 'd2']}
        """
        names: dict[tuple[str, int], str] = {}
        queries, qrels, candidates = {}, {}, {}
        for row, sample in enumerate(samples):
            where = f"samples[{row}]"
            others = [key for key in ("negative", "documents") if key in sample]
            if "query" not in sample or "positive" not in sample or len(others) != 1:
                raise ValueError(
                    f"{where} has the keys {', '.join(map(str, sample))}; give query, positive and one of negative, documents"
                )
            positive, ranked = (
                [t] if isinstance(t := sample[key], str) else list(t) for key in ("positive", others[0])
            )
            check_rows([*positive, *ranked], f"{where}: documents", (), str, "give texts")
            if others[0] == "documents" and not always_rerank_positives:
                ids = _numbered([*ranked, *(text for text in positive if text not in ranked)], names)
                right = [name for name, text in zip(ids, ranked, strict=False) if text in positive] + ids[len(ranked) :]
                ids = ids[: len(ranked)]
            else:
                ids = _numbered(
                    [*positive, *(t for t in ranked if others[0] == "negative" or t not in positive)], names
                )
                right = ids[: len(positive)]
            queries[row], qrels[row], candidates[row] = sample["query"], dict.fromkeys(right, 1), ids
        documents = {name: text for (text, _), name in names.items()}
        return cls(queries, documents, qrels, candidates, **arguments)

    @public
    def __call__(
        self, model: Any, output_path: str | None = None, epoch: int = -1, steps: int = -1
    ) -> dict[str, float]:
        """Rank with the model and score the rankings; called by the trainers of sentence-transformers.

        Nothing is written to output_path: the trainers log the numbers.
        """
        run = self._search(model) if hasattr(model, "encode_query") else self._score_pairs(model)
        self.scores = self._score(run)
        numbers = self.report.numbers(self.scores)
        metrics = self.prefix_name_to_metrics(numbers, self.name)
        if hasattr(model, "model_card_data"):
            self.store_metrics_in_model_card_data(model, metrics, epoch, steps)
        return metrics

    def _score(self, run: Mapping[Any, Any]) -> Scores:
        scores: Scores = score_rankings(run, self.qrels, groups=self.groups, options=self.options)
        return scores.require_several_groups()

    def get_config_dict(self) -> dict[str, Any]:
        """The configuration of the evaluator for the model card."""
        return {"measures": list(self.options.measures), "signature": self.options.signature()}

    def _search(self, model: Any) -> dict[Any, dict[Any, float]]:
        """query -> {document: score}: of the candidates, or of the top_k documents."""
        import torch

        encode = {"batch_size": self.batch_size, "show_progress_bar": self.show_progress_bar, "convert_to_tensor": True}
        queries = model.encode_query(list(self.queries.values()), **encode)
        ids, query_ids = list(self.documents), list(self.queries)
        if self.candidates is not None:
            candidates = {document for ranked in self.candidates.values() for document in ranked}
            ids = [document for document in ids if document in candidates]
        index_of = {document: index for index, document in enumerate(ids)}
        run: dict[Any, dict[Any, float]] = {query: {} for query in query_ids}
        best: dict[int, tuple[Any, Any]] = {}  # first query of a block -> the scores and indices of its best documents
        for start in range(0, len(ids), _DOCUMENTS_AT_ONCE):
            block = ids[start : start + _DOCUMENTS_AT_ONCE]
            documents = model.encode_document([self.documents[document] for document in block], **encode)
            for low in range(0, len(query_ids), _QUERIES_AT_ONCE):
                some = torch.arange(low, min(low + _QUERIES_AT_ONCE, len(query_ids)), device=queries.device)
                # Sparse tensors cannot be sliced.
                scores = model.similarity(queries.index_select(0, some), documents).float().cpu()
                refuse_nan(scores.numpy(), "similarities of queries", low)
                if self.candidates is not None:
                    for row, line in enumerate(scores.numpy(), low):
                        ranked = self.candidates[query_ids[row]]
                        indices = [index_of[d] - start for d in ranked if start <= index_of[d] < start + len(block)]
                        run[query_ids[row]] |= {block[index]: float(line[index]) for index in indices}
                    continue
                values, columns = scores.topk(min(self.top_k, len(block)))
                columns = columns + start
                if low in best:
                    values, columns = map(torch.hstack, zip(best[low], (values, columns), strict=True))
                    values, order = values.topk(min(self.top_k, values.shape[1]))
                    columns = columns.gather(1, order)
                best[low] = values, columns
        for low, (values, columns) in best.items():
            for query, line, indices in zip(query_ids[low:], values.tolist(), columns.tolist(), strict=False):
                run[query] = dict(zip([ids[index] for index in indices], line, strict=True))
        return run

    def _score_pairs(self, model: Any) -> dict[Any, dict[Any, float]]:
        """query -> {candidate: score} of a cross-encoder."""
        if not hasattr(model, "predict"):
            raise TypeError(f"Ranking takes a SentenceTransformer or a CrossEncoder, got {describe(model)}")
        if self.candidates is None:
            raise ValueError(
                "a CrossEncoder scores pairs: give Ranking the candidates, query id -> ids of documents to rank"
            )
        pairs = [(query, document) for query in self.queries for document in self.candidates[query]]
        texts = [(self.queries[query], self.documents[document]) for query, document in pairs]
        scores = to_array(
            model.predict(
                texts, batch_size=self.batch_size, show_progress_bar=self.show_progress_bar, convert_to_numpy=True
            ),
            "scores",
        )
        if scores.ndim != 1:
            raise ValueError(f"the model gives {scores.shape[1]} scores per pair; rank with one of num_labels=1")
        refuse_nan(scores[:, None], "scores of pairs")
        run: dict[Any, dict[Any, float]] = {query: {} for query in self.queries}
        for (query, document), score in zip(pairs, scores.tolist(), strict=True):
            run[query][document] = score
        return run

    def _check_candidates(self, candidates: Mapping[Any, Sequence[Any]]) -> dict[Any, list[Any]]:
        checked = {}
        for query in self.queries:
            if query not in candidates:
                raise ValueError(
                    f"candidates: the query {query!r} has none; give a list of documents for every judged query"
                )
            checked[query] = list(dict.fromkeys(candidates[query]))
            unknown = next((document for document in checked[query] if document not in self.documents), None)
            if unknown is not None:
                raise ValueError(f"candidates: the document {unknown!r} of query {query!r} is not among documents")
        return checked


def _numbered(texts: Sequence[str], names: dict[tuple[str, int], str]) -> list[str]:
    """The ids of the documents of a sample; `names`: a text and how often the sample had it before -> its id."""
    counts: Counter[str] = Counter()
    ids = []
    for text in texts:
        ids.append(names.setdefault((text, counts[text]), f"d{len(names)}"))
        counts[text] += 1
    return ids


def _texts_of(ids: Mapping[Any, Any], texts: Mapping[Any, str], name: str, whose: str) -> dict[Any, str]:
    for identifier in ids:
        if identifier not in texts:
            raise ValueError(f"{whose}: {identifier!r} is not among {name}; give the text of each")
    chosen = {identifier: texts[identifier] for identifier in ids}
    check_rows(list(chosen.values()), name, list(chosen), str, "give the text of each")
    return chosen
