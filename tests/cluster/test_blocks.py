"""The work of cluster workers on a block, without a cluster."""

import pyarrow as pa
import pytest

import qassay
from qassay.cluster import blocks as worker
from qassay.cluster.buckets import id_keys
from qassay.cluster.partial_sums import PartialSums
from qassay.cluster.results import Whole
from qassay.registry import get_family
from qassay.semantic_answer_similarity.pair_scorers import PairScorer

TABLE = pa.table(
    {
        "id": ["a", "b", "c", "d"],
        "answer": ["Rome", "in Rome", "", "Lyon"],
        "golds": [["Rome"], ["Rome", "Roma"], [], ["Paris"]],
        "lang": ["it", None, "it", "fr"],
        "weights": [0.0, 0.0, 2.0, 0.5],
    }
)
COLUMNS = {"predictions": "answer", "references": "golds", "ids": "id", "weights": "weights"}
RUN = pa.table(
    {"q": ["x", "y", "x", "z"], "d": ["1", "1", "2", "1"], "s": [0.5, 0.1, 0.7, 1.0], "lang": ["fr", "it", "fr", "it"]}
)
ROLES = {"query": "q", "document": "d", "score": "s"}
JUDGED = pa.table(
    {"query": ["x", "y", "w"], "key": ["x", "y", "w"], "document": ["1", "2", "1"], "relevance": [1.0, 1.0, 1.0]}
)  # fmt: skip


def job(metric="answer_match", columns=COLUMNS, by=None, keep="scores", names=None, **options) -> worker.Job:
    _, options_class = get_family(metric).load()
    return worker.Job(metric, options_class(**options), columns, by, keep, names, 8, 0)


def sent(tables, given=None) -> list:
    options = (given or job()).options
    return [worker.unpacked(data.as_buffer(), options) for table in tables for data in table["part"]]


def test_sums():
    whole = qassay.score("answer_match", **{name: TABLE[column].to_pylist() for name, column in COLUMNS.items()})
    (part,) = sent(worker.score_rows(TABLE, job(keep="sums")))
    assert part.sums[None].interval() == PartialSums.of(whole, n_resamples=8).interval()
    assert (part.keys == id_keys(["a", "b", "c", "d"])).all()
    (part,) = sent(worker.score_rows(TABLE, job(keep="sums", by="lang", names=("f1",))))
    by_lang = {key: own.summary(["f1"]) for key, own in whole.by(TABLE["lang"]).items()}
    assert {key: own.summary(["f1"]) for key, own in part.sums.items()} == by_lang
    (failure,) = sent(worker.score_rows(TABLE, job(keep="sums", names=("f2",))))
    assert failure.row == 0 and "'f2'" in str(failure.error)


class Failing(PairScorer):
    """Fails as models do."""

    name, mode = "failing", "own"

    def score(self, predictions, references, questions=None):
        raise RuntimeError("CUDA out of memory")


def test_models_and_judges():
    """A model is loaded once, and its failure is told; a worker gets a function of a notebook from the caller."""

    def loaded(given):
        return type("Worker", (worker.ModelWorker,), {"job": given})()

    columns = {"predictions": "answer", "references": "golds"}
    given = job("semantic_answer_similarity", columns, model="lite")
    (part,) = sent(loaded(given)(TABLE), given)
    expected = qassay.score("semantic_answer_similarity", TABLE["answer"], TABLE["golds"], model="lite")
    assert part.scores == expected and part.by_position
    for model, told in (("no/where/at-all", "'no/where/at-all'"), (Failing(), "Failing .*CUDA out of memory")):
        (failure,) = sent(loaded(given := job("semantic_answer_similarity", columns, model=model))(TABLE), given)
        with pytest.raises(ValueError, match=told):
            raise failure.error
    given = job("answer_equivalence", {**COLUMNS, "questions": "id"}, model=lambda *row: 0.5)
    (part,) = sent(worker.score_rows(TABLE, given), given)
    assert (part.scores.options.use_questions, part.scores.options.model) == (True, given.options.model)


# --- rankings -------------------------------------------------------------------------------------------------------


def test_rows_of_queries_that_cannot_be_scored():
    given, by_lang = job("retrieval_ranking", ROLES), job("retrieval_ranking", ROLES, by="lang")
    judging = job("retrieval_ranking", {"query": "q", "score": "s", "relevance": "label"})
    two = pa.table({"q": ["x", "x"], "d": [["1"], ["2"]], "s": [[0.5], [0.5]]})
    none = pa.table({"q": ["x", "y"], "s": [[0.5, 0.2], []], "label": [[1, 0], None]})
    other = RUN.set_column(3, "lang", pa.array(["fr", "it", "it", None]))
    for block, asked, told in (
        (two, given, "'x'"),
        (none, judging, "'y'"),
        (other, by_lang, "'x' has 'fr' and 'it' .*'lang'"),
        (RUN.set_column(1, "d", pa.array([1, 2, 3, 4])), given, "'d'"),
        (pa.concat_tables([RUN, RUN]), given, "'x' has the document"),
    ):
        kind, judged = ("strings", JUDGED) if asked is not judging else (None, None)
        (failure,) = sent(worker.score_block(block, kind, asked, False, lambda judged=judged: judged), asked)
        with pytest.raises((TypeError, ValueError), match=told):
            raise failure.error


@pytest.mark.parametrize("keep", ["scores", "sums"])
def test_parts_joined(keep):
    given = job(keep=keep)
    joined = Whole(given)
    with pytest.raises(ValueError, match="empty"):
        joined.result()
    for start in (0, 2):
        (part,) = sent(worker.score_rows(TABLE.slice(start, 2), given))
        joined.add(part, start)
    result = joined.result()
    whole = qassay.score("answer_match", **{name: TABLE[column].to_pylist() for name, column in COLUMNS.items()})
    assert (result == whole) if keep == "scores" else (result["f1"] == pytest.approx(whole["f1"]))
