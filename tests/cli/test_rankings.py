"""`qassay score` with rankings: runs against judgements, in qassay's formats and in trec_eval's layout."""

import pytest

from qassay.cli import main

QRELS = """\
q1 0 d1 1
q1 0 d2 0
q1 0 d3 2
q2 0 d1 1
q3 0 d9 0
q4 0 d4 1
"""
RUN = """\
q1 Q0 d3 1 3.0 mine
q1 Q0 d2 2 2.0 mine
q1 Q0 d1 3 1.0 mine
q2 Q0 d1 1 1.0 mine
q2 Q0 d5 2 1.0 mine
q3 Q0 d9 1 1.0 mine
q7 Q0 d1 1 1.0 mine
"""


@pytest.fixture
def files(tmp_path):
    qrels, run = tmp_path / "small.qrels", tmp_path / "first.run"
    qrels.write_text(QRELS, encoding="utf-8")
    run.write_text(RUN, encoding="utf-8")
    return qrels, run


# --- tables -----------------------------------------------------------------------------------------------------------


def test_per_cent_scales_rates_only(files, values):
    arguments = (*files, "--measures", "map", "num_ret", "utility", "gm_map", "--option", "relevance_level=2")
    plain, scaled = (values(*arguments, *more)["first"] for more in ((), ("--percent",)))
    assert (plain["map"], plain["utility"]) == (0.25, -1.0)
    for name, factor in {"map": 100, "gm_map": 100, "num_ret": 1, "utility": 1}.items():
        assert scaled[name] == pytest.approx(factor * plain[name], rel=1e-12), name


# --- trec_eval's layout -----------------------------------------------------------------------------------------------


def test_notes_are_not_among_the_numbers_and_queries_are_in_the_order_of_their_bytes(put, capsys):
    queries = ["9", "é", "10", "a", "B"]
    qrels, ran = (
        put(name, "".join(f"{query} {line}\n" for query in queries))
        for name, line in (("q.qrels", "0 d 1"), ("r.run", "Q0 d 1 1 tag"))
    )
    more = put("more.run", ran.read_text("utf-8") + "q7 Q0 d1 1 1.0 tag\n")
    assert main(["score", str(qrels), str(more), "--format", "trec_eval", "-q", "--measures", "map"]) == 0
    out, err = capsys.readouterr()
    assert [line.split("\t")[1] for line in out.splitlines()] == ["10", "9", "B", "a", "é", "all"]
    assert "qassay: note: 1 query in the run, but not judged: omitted\n" in err


def test_the_output_of_trec_eval_byte_for_byte(trec, capfdbinary):
    arguments = ["score", str(trec / "qrels.test"), str(trec / "results.test"), "--format", "trec_eval"]
    assert main(arguments) == 0
    summary = capfdbinary.readouterr().out
    assert summary == (trec / "out.test").read_bytes()
    assert main([*arguments, "-q"]) == 0
    names = {line.split()[0] for line in summary.splitlines()}
    everything = (trec / "out.test.aq").read_bytes().splitlines(keepends=True)
    assert capfdbinary.readouterr().out == b"".join(line for line in everything if line.split()[0] in names)


def test_all_measures_of_trec_eval_byte_for_byte(trec, capfdbinary):
    files = [str(trec / "qrels.test"), str(trec / "results.test")]
    assert main(["score", *files, "--format", "trec_eval", "--measures", "all_trec", "-q"]) == 0
    assert capfdbinary.readouterr().out == (trec / "out.test.aq").read_bytes()


# --- white space, names of documents, ranks, files in each other's place ----------------------------------------------

GOLD = "q1 0 d3 1\nq1 0 d1 0\nq2 0 d5 1\n"
TABS = "q1\tQ0\td1\t1\t9.5\tr\nq1\tQ0\td2\t2\t8.5\tr\nq1\tQ0\td3\t3\t7.5\tr\nq2\tQ0\td4\t1\t9\tr\nq2\tQ0\td5\t2\t8\tr\n"
TABLE = "qid,docid,docno,rank,score\nq1,7,d1,0,9.5\nq1,5,d2,1,8.5\nq1,9,d3,2,7.5\nq2,3,d4,0,9\nq2,1,d5,1,8\n"
RANKED = "qid,docno,{}\nq1,d1,1\nq1,d2,2\nq1,d3,3\nq2,d4,1\nq2,d5,2\n"
LEVELS = "qid,docid,score\nq,d1,0\nq,d2,3\nq,d3,3\n"
MANY = "".join(f"q 0 d{n} {n / 41}\n" for n in range(41))
DISTANCES = ["distance", "_distance", "cosine_distance", "vector-distance", "L2", "euclidean", "loss"]
AS_JSON = {"q1": {"d3": 1, "d1": 0}, "q2": {"d5": 1}}


@pytest.mark.parametrize(
    "gold, ran, arguments",
    [
        (GOLD.replace(" ", "\t"), TABS, ()),
        (GOLD, TABLE, ()),
        ("qid,docno,label\nq1,d3,1\nq2,d5,1\n", TABLE, ()),
        (AS_JSON, TABLE, ()),
        (GOLD, RANKED.format("rank"), ()),
        (GOLD, RANKED.format("rank").replace(",", "\t"), ("--columns", "score=rank")),
        (GOLD, RANKED.format("distance"), ("--option", "lower_is_better=yes")),
        (GOLD, RANKED.format("l2"), ("--columns", "score=l2", "--option", "lower_is_better=yes")),
        (GOLD, RANKED.format("_distance"), ("--option", "lower_is_better=yes")),
        *((GOLD, RANKED.format(name), ()) for name in ("position", "ranking", "Rank position")),
        (GOLD, RANKED.format("position"), ("--columns", "score=position")),
    ],
)  # fmt: skip
def test_files_whose_mrr_is_known(values, put, gold, ran, arguments):
    """d3 is third of q1 and d5 second of q2: (1/3 + 1/2) / 2, as trec_eval prints."""
    assert values(put("gold", gold), put("ran", ran), "--measures", "mrr", *arguments)["ran"]["mrr"] == pytest.approx(
        5 / 12
    )


@pytest.mark.parametrize(
    "gold, ran, words",
    [
        (GOLD, TABS.replace("\td", "\tD"), "ids like 'D1', the judgements like 'd3' (query 'q1')"),
        (GOLD, TABS.replace("9.5", "1"), "query 'q1' has 'd1' at rank 1, but 'd2' at rank 2 has the better score"),
        (GOLD, TABLE.replace("1,8.5", "1,7"), "query 'q1' has 'd2' at rank 1, but 'd3' at rank 2 has the better score"),
        (GOLD, TABLE.replace("1,8.5", "1,9.5"), None),
        (GOLD, TABLE.replace("8\n", "10\n"), "query 'q2' has 'd4' at rank 0, but 'd5' at rank 1 has the better score"),
        ("qid,docid,relevance\nq,d1,.33\nq,d2,.67\nq,d3,1\n", LEVELS, None),
        (MANY, "q Q0 d1 1 3 r\nq Q0 d2 2 3 r\n", None),
    ],
)
def test_remarks(capsys, put, gold, ran, words):
    assert main(["score", str(put("gold", gold)), str(put("ran", ran)), "--measures", "mrr", "--no-intervals"]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == (words is not None) and all(line.startswith("qassay: warning: ") for line in lines)
    assert not words or words in lines[0]


# --- bad input --------------------------------------------------------------------------------------------------------


def test_topic_beside_query_is_not_taken_without_a_word(tree, fail, put):
    judged = "".join(f"t{row // 2},q{row},d{row},1\n" for row in range(4))
    judged = put("qr.csv", f"topic,query,docid,relevance\n{judged}")
    run = put("rk.csv", "query,docid,score\n" + "".join(f"q{row},d{row},1\n" for row in range(4)))
    assert "the query could be topic or query" in fail("score", judged, run, "--groups", "topic")
    found = tree("score", judged, run, "--columns", "query=query", "--measures", "mrr")
    assert found["systems"]["rk"]["values"]["mrr"] == 1
