"""What is this file? Told from its content, never from its name."""

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

from ..answer_match.read_drop import read_drop
from ..answer_match.read_hotpotqa import read_hotpotqa, read_hotpotqa_predictions
from ..answer_match.read_squad import (
    read_answer_list,
    read_answers_by_id,
    read_lists_by_id,
    read_plain_list,
    read_squad,
)
from ..factoid_accuracy.read_bioasq import is_bioasq, read_bioasq, read_bioasq_system
from ..label_metrics.read_xmc import read_xmc, read_xmc_scores
from ..retrieval_ranking.read_json import (
    has_runs_inside,
    is_mteb_run,
    is_ranking,
    may_be_ranking,
    read_json_qrels,
    read_json_run,
    read_mteb_run,
)
from ..retrieval_ranking.read_nlpcc import read_nlpcc, read_nlpcc_scores
from ..retrieval_ranking.read_tables import ranking_table, read_gold_ranking_table, read_run_table, serves_as_ranking
from ..retrieval_ranking.read_trec import read_trec_qrels, read_trec_run
from ..retriever_reader.read_pipeline import is_pipeline_outputs
from .content import Content, Table
from .inputs import ANSWERS, CURVES, ENTITIES, LABELS, PIPELINES, RANKINGS, Gold, Predictions
from .label_tables import (
    has_boxes,
    label_table,
    read_found_boxes,
    read_gold_boxes,
    read_gold_classes,
    read_gold_labels,
    read_label_predictions,
)
from .lines import Lines
from .tables import as_table, read_gold_table, read_prediction_table, roles_of


@dataclasses.dataclass(frozen=True)
class Kind:
    """A kind of file.

    Attributes:
        name, text: its name in the code and in messages.
        serves: what it serves as ("gold", "predictions", "probabilities").
        metric: which metric scores it.
        gold_reader, prediction_reader: what reads it, where it can be so.
        is_table: its readers also take names of columns.
    """

    name: str
    text: str
    serves: frozenset[str]
    metric: str = ANSWERS
    gold_reader: Callable[..., Gold] | None = dataclasses.field(default=None, compare=False)
    prediction_reader: Callable[..., Predictions] | None = dataclasses.field(default=None, compare=False)
    is_table: bool = False

    def read_gold(self, content: Content, names: Mapping[str, str]) -> Gold:
        """The file as gold, by its reader."""
        assert self.gold_reader, self.name
        return self.gold_reader(content, names) if self.is_table else self.gold_reader(content)

    def read_predictions(self, content: Content, gold: Gold, names: Mapping[str, str]) -> Predictions:
        """The file as predictions for a gold file, by its reader."""
        assert self.prediction_reader, self.name
        return self.prediction_reader(content, gold, *([names] if self.is_table else []))


def sniff(content: Content, metric: str | None = None) -> Kind:
    """The kind of a file.

    Args:
        metric: what is to be scored, which decides what tables and lists by id are; by default their columns do.

    Example:
        >>> sniff(Content("a.json", {"q1": "Paris"})).text
        'predictions ({id: text})'
        >>> sniff(Content("package.json", {"name": "x", "engines": {}})).text
        'a JSON object with the keys name, engines'
    """
    value = content.value
    if isinstance(value, Lines):
        return _LINES[value.kind]
    if is_bioasq(value) and (metric in (None, ENTITIES) or not isinstance(value, Table)):
        return _BIOASQ
    if is_pipeline_outputs(value):
        return _PIPELINE
    kind = next((kind for kind, known in _KINDS if known(value)), None)
    if metric == RANKINGS and (kind is None or kind.name in _LOOSE):
        kind = _asked_ranking(value) or kind
    if (kind is None and metric is None) or (metric in (LABELS, CURVES) and (kind is None or kind.name in _ONE_ROW)):
        kind = _labels(value, metric) or kind
    if kind:
        return kind
    if is_mteb_run(value) or is_ranking(value):
        return _MTEB if is_mteb_run(value) else _RANKING
    table = as_table(value)
    if table is None:
        return Kind("unknown", _shape(value), frozenset())
    serves = serves_as_ranking(table) if metric != ANSWERS else frozenset()
    return _ranking_table_kind(table, serves) if serves else _table_kind(table)


_GOLD, _SYSTEM = frozenset(["gold"]), frozenset(["predictions"])
_BOTH = _GOLD | _SYSTEM
_LINES = {
    "trec_qrels": Kind("trec_qrels", "TREC qrels", _GOLD, RANKINGS, read_trec_qrels),
    "trec_run": Kind("trec_run", "a TREC run", _SYSTEM, RANKINGS, None, read_trec_run),
    "nlpcc": Kind("nlpcc", "pairs of NLPCC-DBQA (question, sentence, label)", _GOLD, RANKINGS, read_nlpcc),
    "numbers": Kind("numbers", "scores without ids, one per line", _SYSTEM, RANKINGS, None, read_nlpcc_scores),
    "xmc": Kind("xmc", "sparse rows of labels (XMC)", _BOTH, LABELS, read_xmc, read_xmc_scores),
}
_RANKING = Kind(
    "ranking",
    "numbers of documents by query ({query: {document: number}})",
    _BOTH,
    RANKINGS,
    read_json_qrels,
    read_json_run,
)
_BIOASQ = Kind("bioasq", "a BioASQ file", _BOTH, ENTITIES, read_bioasq, read_bioasq_system)
_PIPELINE = Kind("pipeline_outputs", "documents and answers of a pipeline by id", _BOTH, PIPELINES)
_LISTS = Kind("ranking", "lists of documents", _BOTH, RANKINGS, read_json_qrels, read_json_run)
_MTEB = Kind("mteb_run", "a run of MTEB", _SYSTEM, RANKINGS, None, read_mteb_run)


def _labels(value: Any, metric: str | None) -> Kind | None:
    """The kind of a table of labels, where these are asked for; of one with boxes also where nothing is."""
    table = label_table(value)
    if table is None:
        return None
    text = f"a table ({table.format}) with the columns {', '.join(table.columns)}"
    if has_boxes(table) and metric != LABELS:
        return Kind("boxes", text, _BOTH, CURVES, read_gold_boxes, read_found_boxes, True)
    if metric is None:
        return None
    read_gold = read_gold_labels if metric == LABELS else read_gold_classes
    return Kind("labels", text, _BOTH, metric, read_gold, read_label_predictions, True)


def _asked_ranking(value: Any) -> Kind | None:
    """The kind of a JSON value or table of which it is known that it should be a ranking."""
    table = ranking_table(value)
    if table is not None:
        serves = serves_as_ranking(table)
        return _ranking_table_kind(table, serves or _BOTH)
    if is_ranking(value):
        return _RANKING
    if is_mteb_run(value) or has_runs_inside(value):
        return _MTEB
    return _LISTS if may_be_ranking(value) else None


def _is_squad(value: Any) -> bool:
    data = value.get("data") if isinstance(value, dict) else None
    return (
        isinstance(data, list) and bool(data) and all(isinstance(item, dict) and "paragraphs" in item for item in data)
    )


def _is_hotpotqa(value: Any) -> bool:
    return isinstance(value, Table) and {"supporting_facts", "answer"} <= value.columns.keys()


def _is_drop(value: Any) -> bool:
    return _values_are(value, lambda item: isinstance(item, dict) and "qa_pairs" in item)


def _is_hotpotqa_predictions(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and value.keys() == {"answer", "sp"}
        and _values_are(value, lambda item: isinstance(item, dict))
    )


def _is_probabilities(value: Any) -> bool:
    return _values_are(value, lambda item: isinstance(item, (int, float)) and not isinstance(item, bool))


def _is_lists_by_id(value: Any) -> bool:
    return as_table(value) is None and _values_are(value, lambda item: isinstance(item, list))


def _is_answers_by_id(value: Any) -> bool:
    # Some other values among many texts are let through: the core names their ids and says what to give instead.
    if not isinstance(value, dict) or as_table(value) is not None:
        return False
    texts = sum(item is None or isinstance(item, (str, list)) for item in value.values())
    odd = sum(isinstance(item, (int, float)) for item in value.values())
    return texts + odd == len(value) and texts > odd


def _is_list(value: Any) -> bool:
    return (
        isinstance(value, list) and bool(value) and all(item is None or isinstance(item, (str, list)) for item in value)
    )


def _values_are(value: Any, accept: Callable[[Any], bool]) -> bool:
    return isinstance(value, dict) and bool(value) and all(map(accept, value.values()))


# The first that fits is the kind; tables come last.
_KINDS: tuple[tuple[Kind, Callable[[Any], bool]], ...] = (
    (Kind("squad", "a SQuAD gold file", _GOLD, ANSWERS, read_squad), _is_squad),
    (Kind("hotpotqa", "a HotpotQA gold file", _GOLD, ANSWERS, read_hotpotqa), _is_hotpotqa),
    (Kind("drop", "a DROP gold file", _GOLD, ANSWERS, read_drop), _is_drop),
    (
        Kind(
            "hotpotqa_predictions",
            'HotpotQA predictions ({"answer": ..., "sp": ...})',
            _SYSTEM,
            ANSWERS,
            None,
            read_hotpotqa_predictions,
        ),
        _is_hotpotqa_predictions,
    ),
    (Kind("probabilities", "no-answer probabilities ({id: number})", frozenset(["probabilities"])), _is_probabilities),
    (
        Kind(
            "mapping",
            "lists of answers by id ({id: [text, ...]})",
            _BOTH,
            ANSWERS,
            read_lists_by_id,
            read_answers_by_id,
        ),
        _is_lists_by_id,
    ),
    (Kind("mapping", "predictions ({id: text})", _SYSTEM, ANSWERS, None, read_answers_by_id), _is_answers_by_id),
    (Kind("list", "a JSON list without ids", _BOTH, ANSWERS, read_plain_list, read_answer_list), _is_list),
)


_LOOSE = ("mapping", "list")  # kinds that rankings may look like
_ONE_ROW = ("mapping", "list", "probabilities")  # kinds that a table of labels with one row may look like


def _table_kind(table: Table) -> Kind:
    roles = roles_of(table)
    names = ", ".join(table.columns)
    serves = {"gold" for role in ("references", "answer") if role in roles}
    serves |= {"predictions" for role in ("predictions", "answer") if role in roles}
    if not serves and len(table.columns) == 1:
        return Kind("text" if table.is_text else "table", f"plain text beginning with {names[:40]!r}", frozenset())
    text = f"a table ({table.format}) with the columns {names}"
    if serves == {"predictions"}:
        text = f"predictions ({table.format} with the columns {names})"
    return Kind("table", text, frozenset(serves), ANSWERS, read_gold_table, read_prediction_table, True)


def _ranking_table_kind(table: Table, serves: frozenset[str]) -> Kind:
    what = {"gold": "judgements", "predictions": "a run"}.get("".join(serves), "a table of rankings")
    text = f"{what} ({table.format} with the columns {', '.join(table.columns)})"
    return Kind("ranking_table", text, serves, RANKINGS, read_gold_ranking_table, read_run_table, True)


def _shape(value: Any) -> str:
    if isinstance(value, dict):
        keys = [str(key) for key in value]
        if not keys:
            return "an empty JSON object"
        return f"a JSON object with the keys {', '.join(keys[:5])}" + (", ..." if len(keys) > 5 else "")
    if isinstance(value, list):
        kinds = sorted({_JSON_NAMES.get(type(item), "other value") for item in value})
        return f"a JSON list of {' and '.join(kind + 's' for kind in kinds)}" if value else "an empty JSON list"
    return f"a JSON {_JSON_NAMES.get(type(value), 'value')}"


_JSON_NAMES = {
    str: "string",
    int: "number",
    float: "number",
    bool: "boolean",
    type(None): "null",
    dict: "object",
    list: "list",
}
