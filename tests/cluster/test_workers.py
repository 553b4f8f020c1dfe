"""The work of cluster workers on blocks, and the joining of their parts, without a cluster."""

import sys

import pyarrow as pa
import pytest

import qassay
from qassay.cluster import PartialSums, scoring, workers
from qassay.cluster.sums import id_keys
from qassay.registry import get_family
from qassay.semantic_answer_similarity.pair_scorers import PairScorer

from .some_rows import alike

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


def job(metric="answer_match", columns=COLUMNS, **more) -> workers.Job:
    settings = {name: more.pop(name) for name in ("by", "keep", "names", "qrels") if name in more}
    _, options_class = get_family(metric).load()
    return workers.Job(metric, options_class(**more), columns, **settings)


def received(tables, given) -> list:
    parts = [workers.unpack(data.as_buffer(), given.options) for table in tables for data in table["part"]]
    for part in parts:
        if part.error is not None:
            raise part.error
    return parts


def joined(blocks, given):
    """The result of these blocks."""
    whole = workers.Part()
    for block in blocks:
        for part in received(workers.score_rows(block, given), given):
            whole.add(part)
    return scoring._result(whole, given)


def one_machine(table=TABLE, columns=COLUMNS, **options) -> qassay.Scores:
    return qassay.score(
        "answer_match", **{name: table[column].to_pylist() for name, column in columns.items()}, **options
    )


def test_sums():
    whole, given = one_machine(), job(keep="sums")
    (part,) = received(workers.score_rows(TABLE, given), given)
    alike(part.scores[None][0], PartialSums.of(whole))
    assert (part.keys[0] == id_keys(["a", "b", "c", "d"])).all()
    given = job(keep="sums", by="lang", names=("f1",))
    (part,) = received(workers.score_rows(TABLE, given), given)
    by_lang = {key: scores.summary(["f1"]) for key, scores in whole.by(TABLE["lang"]).items()}
    assert {key: sums.summary(["f1"]) for key, (sums,) in part.scores.items()} == by_lang
    with pytest.raises(ValueError, match="'f2'"):
        received(workers.score_rows(TABLE, given := job(keep="sums", names=("f2",))), given)


@pytest.mark.parametrize("size", [1, 2, 4])
def test_blocks_joined(size, monkeypatch):
    monkeypatch.setattr(workers, "_ROWS_AT_ONCE", 2)
    blocks = [TABLE.slice(start, size) for start in range(0, 4, size)]
    assert joined(blocks, job()) == one_machine()
    assert joined(blocks, job(by="lang")) == one_machine().by(TABLE["lang"])
    alike(joined(blocks, job(keep="sums")), PartialSums.of(one_machine()))
    without_ids = {name: column for name, column in COLUMNS.items() if name != "ids"}
    found = joined(blocks, job(columns=without_ids, by="lang", missing="skip"))
    assert found == one_machine(columns=without_ids, missing="skip").by(TABLE["lang"])


@pytest.mark.parametrize("keep", ["scores", "sums"])
@pytest.mark.parametrize("cuts", [(), (7, 7, 30), tuple(range(1, 40))])
def test_groups_match_one_machine_whatever_the_blocks(cuts, keep):
    rows = range(40)
    table = pa.table(
        {
            "id": [f"q{row}" for row in rows],
            "answer": [("Rome", "in Rome", "")[row % 3] for row in rows],
            "golds": [[["Rome"], ["Rome", "Roma"], []][row % 3] if row % 5 else ["Lyon"] for row in rows],
            "article": [f"article {row * row % 7}" for row in rows],
        }
    )
    columns = {"predictions": "answer", "references": "golds", "ids": "id", "groups": "article"}
    blocks = [table.slice(start, end - start) for start, end in zip((0, *cuts), (*cuts, 40), strict=True)]
    found, whole = joined(blocks, job(columns=columns, keep=keep)), one_machine(table, columns)
    if keep == "scores":
        assert found == whole
    else:
        alike(found, PartialSums.of(whole))
        assert len(whole.groups.labels) == len(found)


def test_slices_of_the_examples_that_are_left():
    table = TABLE.set_column(1, "answer", pa.array(["Rome", None, "", "Lyon"]))
    left = one_machine(table, missing="skip").by(["it", "it", "fr"])
    assert joined([table], job(by="lang", missing="skip")) == left
    assert list(left) == ["fr", "it"]


def test_results_of_nothing_are_refused():
    idle = TABLE.set_column(4, "weights", pa.array([0.0] * 4))
    alone = TABLE.append_column("article", pa.array(["Rome"] * 4))
    in_groups = {**COLUMNS, "groups": "article"}
    for blocks, given, message in (
        ([], job(), "empty"),
        ([TABLE, TABLE.slice(0, 1)], job(), "'a'"),
        ([TABLE, TABLE.slice(0, 1).set_column(3, "lang", pa.array(["fr"]))], job(by="lang"), "'a'"),
        ([idle], job(), "weights"),
        ([alone.set_column(1, "answer", pa.nulls(4, pa.string()))], job(missing="skip"), r"no example .*\(4 skipped\)"),
        ([idle], job(keep="sums"), "weights"),
        ([alone.slice(0, 2), alone.slice(2)], job(columns=in_groups, keep="sums"), "one group"),
        ([alone.slice(0, 2), alone.slice(2)], job(columns=in_groups, by="lang"), "one group"),
        ([alone.set_column(5, "article", pa.array(["r", None, "s", "s"]))], job(columns=in_groups), "'b'"),
        ([TABLE.drop_columns(["lang"])], job(by="lang"), "KeyError: .*lang"),
    ):
        with pytest.raises((TypeError, ValueError), match=message):
            joined(blocks, given)


def test_ids_by_their_numbers():
    for ids in ([7, 8], ["8", "7"]):
        assert workers.ids_among(pa.table({"qid": ids}), "qid", id_keys(["7"]))["id"].to_pylist() == ["7"]


def test_ray_is_not_installed(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ImportError, match=r"qassay\[ray\]"):
        qassay.cluster.score("answers.parquet")


class Failing(PairScorer):
    """Fails as models do."""

    name, mode = "failing", "own"

    def score(self, predictions, references, questions=None):
        raise RuntimeError("CUDA out of memory")


def test_models_and_judges():
    """A model's failure is reported; a worker gets a function of a notebook from the caller."""
    columns = {"predictions": "answer", "references": "golds"}
    given = job("semantic_answer_similarity", columns, model="lite")
    (part,) = received(workers.ModelWorker()(TABLE, given), given)
    expected = qassay.score("semantic_answer_similarity", TABLE["answer"], TABLE["golds"], model="lite")
    assert part.scores == {None: [expected]} and part.by_position
    for model, message in (("no/where/at-all", "'no/where/at-all'"), (Failing(), "Failing .*CUDA out of memory")):
        with pytest.raises(ValueError, match=message):
            received(
                workers.ModelWorker()(TABLE, given := job("semantic_answer_similarity", columns, model=model)), given
            )
    given = job("answer_equivalence", {**COLUMNS, "questions": "id"}, model=lambda *row: 0.5)
    (part,) = received(workers.score_rows(TABLE, given), given)
    assert (part.every[0].options.use_questions, part.every[0].options.model) == (True, given.options.model)


def test_rankings_with_separate_judgements():
    """Queries without judgements are omitted; a query that two rows have is refused."""
    run = pa.table(
        {
            "qid": [1, 2, 3],
            "docs": [["a", "b"], ["c"], ["d"]],
            "scores": [[1.0, 1.0], [0.5], [2.0]],
            "lang": list("xyx"),
        }
    )
    columns, qrels = {"ids": "qid", "predictions": "docs", "scores": "scores"}, {"1": {"b": 1}, "3": {"x": 1}}
    given = job("retrieval_ranking", columns, by="lang", qrels={**qrels, "4": {"a": 1}})
    (part,) = received(workers.score_rows(run, given), given)
    assert (part.queries, part.labels, part.notes) == ({"1", "3"}, ["x", "x"], {"unmatched": 1})
    whole = qassay.score("retrieval_ranking", {1: {"a": 1.0, "b": 1.0}, 3: {"d": 2.0}}, {"1": ["b"], "3": ["x"]})
    assert part.every == [whole]
    (none,) = received(workers.score_rows(run.slice(1, 1), given), given)
    assert (none.every, none.notes, none.rows) == ([], {"unmatched": 1}, 1)
    with pytest.raises(ValueError, match="'1' is given twice"):
        received(workers.score_rows(pa.concat_tables([run, run]), given), given)
