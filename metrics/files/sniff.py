"""What is this file? Told from its content, never from its name."""

import dataclasses
from collections.abc import Callable
from typing import Any

from karat.files.bioasq import is_bioasq
from karat.files.content import Content, Table
from karat.files.inputs import ANSWERS, ENTITIES, PIPELINES, RANKINGS
from karat.files.json_rankings import has_runs_inside, is_mteb_run, is_ranking, may_be_ranking
from karat.files.lines import Lines
from karat.files.pipeline_outputs import is_pipeline_outputs
from karat.files.ranking_tables import ranking_table, serves_as_ranking
from karat.files.tables import as_table, roles_of


@dataclasses.dataclass(frozen=True)
class Kind:
    """A kind of file.

    Attributes:
        name, text: its name in the code and in messages.
        serves: what it serves as ("gold", "predictions", "probabilities").
        metric: which metric scores it.
    """

    name: str
    text: str
    serves: frozenset[str]
    metric: str = ANSWERS


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
    kind = next((Kind(name, text, frozenset(serves)) for name, text, serves, known in _KINDS if known(value)), None)
    if metric == RANKINGS and (kind is None or kind.name in _LOOSE):
        kind = _asked_ranking(value) or kind
    if kind:
        return kind
    if is_mteb_run(value) or is_ranking(value):
        return _MTEB if is_mteb_run(value) else _RANKING
    table = as_table(value)
    if table is None:
        return Kind("unknown", _shape(value), frozenset())
    serves = serves_as_ranking(table) if metric != ANSWERS else frozenset()
    return _ranking_table_kind(table, serves) if serves else _table_kind(table)


_LINES = {
    "trec_qrels": Kind("trec_qrels", "TREC qrels", frozenset(["gold"]), RANKINGS),
    "trec_run": Kind("trec_run", "a TREC run", frozenset(["predictions"]), RANKINGS),
    "nlpcc": Kind("nlpcc", "pairs of NLPCC-DBQA (question, sentence, label)", frozenset(["gold"]), RANKINGS),
    "numbers": Kind("numbers", "scores without ids, one per line", frozenset(["predictions"]), RANKINGS),
}
_BOTH = frozenset(["gold", "predictions"])
_RANKING = Kind("ranking", "numbers of documents by query ({query: {document: number}})", _BOTH, RANKINGS)
_BIOASQ = Kind("bioasq", "a BioASQ file", _BOTH, ENTITIES)
_PIPELINE = Kind("pipeline_outputs", "documents and answers of a pipeline by id", _BOTH, PIPELINES)
_LISTS = Kind("ranking", "lists of documents", _BOTH, RANKINGS)
_MTEB = Kind("mteb_run", "a run of MTEB", frozenset(["predictions"]), RANKINGS)


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
_KINDS: tuple[tuple[str, str, tuple[str, ...], Callable[[Any], bool]], ...] = (
    ("squad", "a SQuAD gold file", ("gold",), _is_squad),
    ("hotpotqa", "a HotpotQA gold file", ("gold",), _is_hotpotqa),
    ("drop", "a DROP gold file", ("gold",), _is_drop),
    (
        "hotpotqa_predictions",
        'HotpotQA predictions ({"answer": ..., "sp": ...})',
        ("predictions",),
        _is_hotpotqa_predictions,
    ),
    ("probabilities", "no-answer probabilities ({id: number})", ("probabilities",), _is_probabilities),
    ("mapping", "lists of answers by id ({id: [text, ...]})", ("gold", "predictions"), _is_lists_by_id),
    ("mapping", "predictions ({id: text})", ("predictions",), _is_answers_by_id),
    ("list", "a JSON list without ids", ("gold", "predictions"), _is_list),
)


_LOOSE = ("mapping", "list")  # kinds that rankings may look like


def _table_kind(table: Table) -> Kind:
    roles = roles_of(table)
    names = ", ".join(table.columns)
    serves = {"gold" for role in ("references", "answer") if role in roles}
    serves |= {"predictions" for role in ("predictions", "answer") if role in roles}
    if not serves and len(table.columns) == 1:
        return Kind("text" if table.is_text else "table", f"plain text beginning with {names[:40]!r}", frozenset())
    if serves == {"predictions"}:
        return Kind("table", f"predictions ({table.format} with the columns {names})", frozenset(serves))
    return Kind("table", f"a table ({table.format}) with the columns {names}", frozenset(serves))


def _ranking_table_kind(table: Table, serves: frozenset[str]) -> Kind:
    what = {"gold": "judgements", "predictions": "a run"}.get("".join(serves), "a table of rankings")
    return Kind(
        "ranking_table", f"{what} ({table.format} with the columns {', '.join(table.columns)})", serves, RANKINGS
    )


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
