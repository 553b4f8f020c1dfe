"""Files that are scored in this process: no Ray is needed, and messages name the file."""

import gzip
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import qassay
from qassay.cluster import files
from qassay.cluster.files import Files
from qassay.cluster.partial_sums import PartialSums
from qassay.core.measures import SumMeasure

TABLE = pa.table(
    {
        "id": [f"q{row}" for row in range(40)],
        "prediction": [("Rome", "in Rome", "")[row % 3] for row in range(40)],
        "references": [[["Rome"], ["Rome", "Roma"], []][row % 3] if row % 5 else ["Lyon"] for row in range(40)],
        "weights": [float(row % 4) for row in range(40)],
        "lang": [("fr", None)[row % 2] for row in range(40)],
        "context": ["of no use"] * 40,
    }
)
RUN = pa.table({"qid": ["x", "y", "x", "z"], "docid": ["1", "1", "2", "1"], "score": [0.5, 0.1, 0.7, 1.0]})
QRELS = {"x": {"1": 1}, "y": {"2": 1}, "w": {"1": 1}}


@pytest.fixture(autouse=True)
def without_ray(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)


@pytest.fixture
def folder(tmp_path):
    """A folder of Parquet files of 15, 0 and 25 rows, and of others."""
    pq.write_table(TABLE.slice(0, 15), tmp_path / "a.parquet")
    pq.write_table(TABLE.slice(0, 0), tmp_path / "b.parquet")
    pq.write_table(TABLE.slice(15), tmp_path / "c.parquet")
    (tmp_path / "_SUCCESS").write_text("")
    (tmp_path / "notes.txt").write_text("")
    return tmp_path


def expected(**options) -> qassay.Scores:
    names = {"predictions": "prediction", "references": "references", "ids": "id", "weights": "weights"}
    return qassay.score(
        "answer_match", **{name: TABLE[column].to_pylist() for name, column in names.items()}, **options
    )


def written(table: pa.Table, path) -> str:
    pq.write_table(table, path)
    return str(path)


@pytest.mark.parametrize("given", ["", "*.parquet", "lists"])
def test_parquet(folder, given):
    paths = [str(folder / f"{name}.parquet") for name in "abc"] if given == "lists" else str(folder / given)
    found = qassay.cluster.score(paths, normalizer="french")
    assert found == expected(normalizer="french") and list(found.ids) == TABLE["id"].to_pylist()
    sums = qassay.cluster.score(paths, keep="sums", n_resamples=9)
    assert sums.summary() == {**expected().summary(), **expected().notes}
    assert sums.interval() == PartialSums.of(expected(), n_resamples=9).interval()
    by_lang = qassay.cluster.score(paths, by="lang")
    assert by_lang == expected().by(TABLE["lang"])


@pytest.mark.parametrize("ending", [".jsonl", ".jsonl.gz"])
def test_json_lines(tmp_path, ending):
    lines = TABLE.to_pandas().to_json(orient="records", lines=True, force_ascii=False).encode()
    path = tmp_path / f"rows{ending}"
    path.write_bytes(gzip.compress(lines) if ending.endswith("gz") else lines)
    (tmp_path / "none.jsonl").write_text("")
    assert qassay.cluster.score(tmp_path) == expected()
    assert qassay.cluster.score(str(path), keep="sums").summary(["f1"]) == expected().summary(["f1"])


# --- groups -----------------------------------------------------------------------------------------------------------

ARTICLES = [f"article {row * row % 7}" for row in range(40)]
GROUPED = TABLE.append_column("article", pa.array(ARTICLES))


@pytest.mark.parametrize("cuts", [(), (7, 7, 30), tuple(range(1, 40))])
def test_groups_match_one_machine_whatever_the_files(tmp_path, cuts):
    for start, end in zip((0, *cuts), (*cuts, 40), strict=True):
        pq.write_table(GROUPED.slice(start, end - start), tmp_path / f"{start:02}-{end:02}.parquet")
    whole = expected().with_groups(ARTICLES)
    found = qassay.cluster.score(tmp_path, columns={"groups": "article"})
    assert found == whole and found.interval() == whole.interval()
    sums = qassay.cluster.score(tmp_path, columns={"groups": "article"}, keep="sums")
    names = [name for name, measure in whole.measures.items() if isinstance(measure, SumMeasure)]
    for name, ends in sums.interval(names=names).items():
        assert ends == pytest.approx(whole.interval(names=[name])[name], abs=1e-12), name
    assert sums.group_counts()["f1"] == len(whole.groups.labels) == len(sums.buckets)
    by_lang = qassay.cluster.score(tmp_path, columns={"groups": "article"}, by="lang", keep="sums")
    assert {lang: own.group_counts()["f1"] for lang, own in by_lang.items()} == {
        lang: len(own.groups.labels) for lang, own in whole.by(TABLE["lang"]).items()
    }


def test_groups_that_cannot_be_used_are_refused_by_file_and_row(tmp_path):
    pq.write_table(GROUPED.slice(0, 15), tmp_path / "a.parquet")
    for articles, told in (
        (None, "b.parquet .*'article'"),
        ([*ARTICLES[:17], None, *ARTICLES[18:]], r"row 0 of \S*b.parquet\): groups\[2\] \(id 'q17'\)"),
        ([[label] for label in ARTICLES], "b.parquet .*'article'"),
    ):
        table = TABLE if articles is None else TABLE.append_column("article", pa.array(articles))
        pq.write_table(table.slice(15), tmp_path / "b.parquet")
        with pytest.raises(ValueError, match=told):
            qassay.cluster.score(tmp_path, columns={"groups": "article"})


@pytest.mark.parametrize(("where", "keep"), [("rows", "scores"), ("judgements", "sums"), ("both", "scores")])
def test_groups_of_queries(tmp_path, where, keep):
    topics = {"x": "red", "y": "blue", "z": "red", "w": "red"}
    qrels = {query: own for query, own in QRELS.items() if where != "rows" or query != "w"}
    rows = [(query, document, level) for query, own in qrels.items() for document, level in own.items()]
    table = pa.table(dict(zip(("query_id", "corpus_id", "relevance"), map(list, zip(*rows, strict=True)), strict=True)))
    run = RUN
    if where != "judgements":
        run = run.append_column("topic", pa.array([topics[query] for query in run["qid"].to_pylist()]))
    if where != "rows":
        table = table.append_column("topic", pa.array([topics[query] for query in table["query_id"].to_pylist()]))
    given = {"qrels": table, "columns": {"groups": "topic"}, "keep": keep}
    found = qassay.cluster.score(written(run, tmp_path / "run.parquet"), "retrieval_ranking", **given)
    whole = qassay.score("retrieval_ranking", RUN, qrels, groups=topics)
    if keep == "scores":
        assert found == whole and found.groups == whole.groups
    assert found.interval() == (whole if keep == "scores" else PartialSums.of(whole)).interval()


def test_groups_of_queries_that_cannot_be_used(tmp_path):
    def run(*topics):
        return RUN.append_column("topic", pa.array(topics))

    judged = pa.table({"query": ["x", "y"], "document": ["1", "2"], "relevance": [1, 1], "topic": ["red", "b"]})
    known = run("red", "blue", "red", "red")
    for table, qrels, told in (
        (known, QRELS, "'w'"),
        (run("red", "blue", "green", "red"), QRELS, "'x' has 'red' and 'green'"),
        (known, judged, "'y' .*'blue' .*'b'"),
    ):
        with pytest.raises(ValueError, match=told):
            path = written(table, tmp_path / "run.parquet")
            qassay.cluster.score(path, "retrieval_ranking", qrels=qrels, columns={"groups": "topic"})


def test_rankings(tmp_path):
    run = written(RUN, tmp_path / "run.parquet")
    names = RUN.rename_columns(["query", "document", "score"])
    assert qassay.cluster.score(run, "retrieval_ranking", qrels=QRELS) == qassay.score(
        "retrieval_ranking", names, QRELS
    )
    rows = [(query, document, level) for query, own in QRELS.items() for document, level in own.items()]
    qrels = pa.table(dict(zip(("query_id", "corpus_id", "relevance"), map(list, zip(*rows, strict=True)), strict=True)))
    whole = qassay.score("retrieval_ranking", names, QRELS)
    for join in ("auto", "key"):
        options = {"qrels": written(qrels, tmp_path / "qrels.parquet"), "join": join}
        found = qassay.cluster.score(run, "retrieval_ranking", **options)
        assert found == whole
        assert list(found.ids) == (sorted(QRELS) if join == "key" else list(QRELS))
        sums = qassay.cluster.score(run, "retrieval_ranking", keep="sums", n_resamples=9, **options)
        assert sums.interval() == PartialSums.of(whole, n_resamples=9).interval()
    with pytest.raises(ValueError, match="no query in common"):
        qassay.cluster.score(run, "retrieval_ranking", qrels={"v": {"1": 1}})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda table: table.drop_columns(["references"]), "c.parquet .*'references'"),
        (lambda table: table.set_column(0, "id", pa.array(range(25))), r"c.parquet .*'id' .*a.parquet"),
        (
            lambda table: table.set_column(2, "references", pa.array([["Rome"]] * 3 + [None] * 22)),
            r"row 15 .*row 0 of \S*c.parquet\): references\[3\] \(id 'q18'\)",
        ),
        (
            lambda table: table.set_column(0, "id", pa.array(["r", "r", *table["id"].to_pylist()[2:]])),
            r"c.parquet\): \S+ id\[1\] repeats the id 'r' of row 0",
        ),
    ],
)
def test_messages_name_the_file(folder, change, message):
    written(change(TABLE.slice(15)), folder / "c.parquet")
    with pytest.raises((TypeError, ValueError), match=message):
        qassay.cluster.score(folder, by="lang")


def test_types_that_are_read_alike(folder):
    other = TABLE.slice(15).set_column(0, "id", TABLE["id"].slice(15).combine_chunks().cast(pa.large_string()))
    other = other.set_column(3, "weights", TABLE["weights"].slice(15).cast(pa.int64()))
    other = other.set_column(1, "prediction", TABLE["prediction"].slice(15).combine_chunks().dictionary_encode())
    written(other.append_column("more", pa.array(range(25))).drop_columns(["context"]), folder / "c.parquet")
    assert qassay.cluster.score(folder) == expected()


def test_files_that_are_not_scored_here(folder, monkeypatch):
    needs_ray = pytest.raises(ImportError, match="qassay.cluster needs Ray")
    for more in ({"concurrency": 1}, {"metric": "semantic_answer_similarity", "model": "lite"}):
        with needs_ray:
            qassay.cluster.score(folder, **more)
    monkeypatch.setattr(files, "MOST_ROWS", 40)
    with needs_ray:
        qassay.cluster.score(folder)
    monkeypatch.setattr(files, "MOST_ROWS", 41)
    assert len(qassay.cluster.score(folder)) == 40
    monkeypatch.setattr(files, "_MOST_BYTES", 1000)
    with needs_ray:
        qassay.cluster.score(folder)
    (folder / "lang=fr").mkdir()
    assert Files.of(str(folder), "dataset") is None  # names of folders are columns
    assert Files.of("s3://bucket/rows.parquet", "dataset") is None
    (folder / "lang=fr").rmdir()
    (folder / "a.parquet").write_bytes(b"PAR1")
    with pytest.raises(ValueError, match="a.parquet"):
        qassay.cluster.score(folder)


def test_which_files_are_meant(folder):
    (folder / "a_note.json").write_text("{}")  # such as dataset_info.json
    assert qassay.cluster.score(folder) == expected()
    (folder / "more.jsonl").write_text("{}")
    with pytest.raises(ValueError, match="json and parquet"):
        qassay.cluster.score(folder)
    with pytest.raises(ValueError, match=r"'.*d\*.parquet'"):
        qassay.cluster.score([str(folder / "a.parquet"), str(folder / "d*.parquet")])
    for text in ('{"id": "q99", \n', '{"id": "q1"}\n{"id": ' + "[" * 100_000, '{"a":' * 100_000 + "1" + "}" * 100_000):
        (folder / "more.jsonl").write_text(text)  # Arrow's parser would end the process
        with pytest.raises(ValueError, match="more.jsonl"):
            qassay.cluster.score(folder / "more.jsonl")
    (folder / "more.jsonl").write_text("")
    with pytest.raises(ValueError, match="empty"):
        qassay.cluster.score(folder / "more.jsonl")


@pytest.mark.parametrize(("duplicates", "keep"), [("first", "sums"), ("last", "scores")])
def test_duplicates_in_several_files(folder, duplicates, keep):
    again = TABLE.slice(15).set_column(0, "id", pa.array(["q3", *TABLE["id"].slice(16).to_pylist()]))
    again = again.set_column(4, "lang", pa.array(["it"] * 25))
    written(again, folder / "c.parquet")
    whole = pa.concat_tables([TABLE.slice(0, 15), again])
    columns = {name: whole[name].to_pylist() for name in ("references", "weights")}
    columns |= {"predictions": whole["prediction"].to_pylist(), "ids": whole["id"].to_pylist()}
    expected = qassay.score("answer_match", **columns, duplicates=duplicates)
    found = qassay.cluster.score(folder, duplicates=duplicates, keep=keep, n_resamples=9)
    by_lang = qassay.cluster.score(folder, duplicates=duplicates, keep=keep, n_resamples=9, by="lang")
    n_italian = 25 if duplicates == "last" else 24  # where the row of q3 that counts is
    if keep == "scores":
        assert found == expected and found.notes["duplicates"] == 1
    else:
        assert found.summary() == expected.summary()
        assert found.interval() == PartialSums.of(expected, n_resamples=9).interval()
    assert len(by_lang["it"]) == n_italian and sum(map(len, by_lang.values())) == 39
    with pytest.raises(ValueError, match="'q3' in row 15"):
        qassay.cluster.score(folder, keep=keep)
