"""Evaluates the rankings of a sentence-transformers model during training: MRR, nDCG, MAP with intervals."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..core.columns import check_rows
from ..core.options import check_whole
from ..core.remarks import public
from ..core.safe_names import safe_name
from ..core.scores import Scores
from ..core.shown import describe
from ..registry import get_family
from .hook import refuse_nan, to_array
from .logged import LoggedMeasures

try:
    from sentence_transformers.base.evaluation import BaseEvaluator
except ImportError as error:
    raise ImportError(f'Ranking needs sentence-transformers 6: run `pip install -U "qassay[sas]"` ({error})') from error

RankingOptions: Any
score_rankings, RankingOptions = get_family("retrieval_ranking").load()


class Ranking(BaseEvaluator):
    """An evaluator of sentence-transformers: pass it as `evaluator=` to a trainer, or call it with a model.

    A SentenceTransformer (or a sparse encoder) encodes queries and documents and ranks by its similarity. A CrossEncoder
    scores pairs, and requires candidates.

    Args:
        queries: query id -> text. Only judged queries are used.
        documents: document id -> text; an encoder embeds all at once.
        qrels: query id -> {document id: relevance}, or -> list or set of relevant documents.
        candidates: query id -> ids of the documents to rank, for re-ranking; None: all documents are searched.
        groups: judged query id -> group, such as its topic; intervals then draw whole groups.
        measures: measures of retrieval_ranking; the first is the primary metric, which selects the best model
            (`metric_for_best_model="eval_ndcg@10"`, or with a name "eval_<name>_ndcg@10").
        confidence: as in `Scores.interval`, for `ndcg@10_low` and `ndcg@10_high`; None: no intervals.
        safe_names: log `ndcg_at_10` instead of `ndcg@10`, as MLflow requires.
        top_k: the number of retrieved documents to keep per query.
        name: prefix of the logged names, also shown in the model card.
        batch_size: texts or pairs per call of the model.
        show_progress_bar: of the model.
        options: of `RankingOptions`, such as ties="expected".

    Raises:
        ImportError: sentence-transformers is not installed. TypeError, ValueError: ids without a text, unknown options
            of retrieval_ranking. When called: a CrossEncoder without candidates or with several labels, scores that are
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
        self.report = LoggedMeasures(self.options.measures, confidence, safe_names)
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

    @public
    def __call__(
        self, model: Any, output_path: str | None = None, epoch: int = -1, steps: int = -1
    ) -> dict[str, float]:
        """Rank with the model and score the rankings; called by the trainers of sentence-transformers.

        Nothing is written to output_path: the trainers log the numbers.
        """
        run = self._search(model) if hasattr(model, "encode_query") else self._score_pairs(model)
        for row, scored in enumerate(run.values()):
            refuse_nan(np.array([list(scored.values())]), "scores of queries", row)
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
        from sentence_transformers.util import semantic_search

        encode = {"batch_size": self.batch_size, "show_progress_bar": self.show_progress_bar, "convert_to_tensor": True}
        candidates = self.candidates
        ids = list(self.documents)
        if candidates is not None:
            used = {document for ranked in candidates.values() for document in ranked}
            ids = [document for document in ids if document in used]
        queries = model.encode_query(list(self.queries.values()), **encode)
        documents = model.encode_document([self.documents[document] for document in ids], **encode)
        if candidates is None:
            found = semantic_search(queries, documents, top_k=self.top_k, score_function=model.similarity)
            pairs = zip(self.queries, found, strict=True)
            return {query: {ids[int(hit["corpus_id"])]: hit["score"] for hit in hits} for query, hits in pairs}
        index_of = {document: index for index, document in enumerate(ids)}
        run = {}
        for row, query in enumerate(self.queries):
            ranked = candidates[query]
            # Sparse tensors cannot be sliced.
            one = queries.index_select(0, torch.tensor([row], device=queries.device))
            rows = torch.tensor([index_of[document] for document in ranked], device=documents.device)
            scores = model.similarity(one, documents.index_select(0, rows)).float().cpu()[0]
            run[query] = dict(zip(ranked, scores.tolist(), strict=True))
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
        settings = {"batch_size": self.batch_size, "show_progress_bar": self.show_progress_bar}
        scores = to_array(model.predict(texts, **settings, convert_to_numpy=True), "scores")
        if scores.ndim != 1:
            raise ValueError(f"the model gives {scores.shape[1]} scores per pair; rank with one of num_labels=1")
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


def _texts_of(ids: Mapping[Any, Any], texts: Mapping[Any, str], name: str, whose: str) -> dict[Any, str]:
    for identifier in ids:
        if identifier not in texts:
            raise ValueError(f"{whose}: {identifier!r} is not among {name}; give the text of each")
    chosen = {identifier: texts[identifier] for identifier in ids}
    check_rows(list(chosen.values()), name, list(chosen), str, "give the text of each")
    return chosen
