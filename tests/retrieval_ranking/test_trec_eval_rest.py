"""What trec_eval 10 prints for its less known measures and options, on topics made here: golden numbers of its output.

`tests/data/trec_eval_rest.json` has the order of its measures, for each set of its
options the values of the topics in units of the last printed digit, and the averages as printed;
`trec_eval_judges.json` is like it, for `-R prefs` and `-R qrels_jg`.
"""

import importlib
import json
from pathlib import Path

import pytest

from qassay import score
from qassay.cli import main
from qassay.retrieval_ranking.trec_output import trec_eval_text

GOLDEN = json.loads((Path(__file__).parents[1] / "data" / "trec_eval_rest.json").read_text("utf-8"))
JUDGES_GOLDEN = json.loads((Path(__file__).parents[1] / "data" / "trec_eval_judges.json").read_text("utf-8"))
with pytest.MonkeyPatch.context() as patch:  # the topics are those of the golden numbers
    patch.syspath_prepend(Path(__file__).parents[1] / "golden" / "cases")
    made = importlib.import_module("retrieval_ranking_trec_eval")


@pytest.fixture(scope="module")
def topics():
    return made.made_topics()


@pytest.mark.parametrize("arguments", made.OPTIONS)
def test_what_trec_eval_prints(topics, arguments):
    """Names, order, values of every topic and averages."""
    averages, by_topic = GOLDEN[arguments]["all"], dict(GOLDEN[arguments]["topics"])
    scores = score(
        "retrieval_ranking",
        *topics,
        measures=[name for name in GOLDEN["order"] if name in {**averages, **by_topic}],
        **{"missing": "zero", **made.OPTIONS[arguments]},
    )
    texts = by_topic.pop("relstring").split(" ")
    numbers = {name: [f"{value / 10**4:.4f}" for value in values] for name, values in by_topic.items()}
    values = {**numbers, "relstring": [f"'{text}'" for text in texts]}
    expected = [
        (name, topic, values[name][row])
        for row, topic in enumerate(scores.ids)
        for name in GOLDEN["order"]
        if name in values
    ]
    expected += [(name, "all", averages[name]) for name in GOLDEN["order"] if name in averages]
    printed = [tuple(line.split("\t")) for line in trec_eval_text("run", scores, [], True).splitlines()]
    assert [(name.strip(), topic, value) for name, topic, value in printed] == expected


def test_the_depth_matches_the_order_of_ties():
    run, qrels = {"q": {"a": 1.0, "b": 1.0, "c": 1.0}}, {"q": {"a": 1}}
    found = {
        ties: score("retrieval_ranking", run, qrels, ties=ties, depth=2, measures=["num_rel_ret"])["num_rel_ret"]
        for ties in ("trec", "stable", "best", "worst")
    }
    assert found == {"trec": 0, "stable": 1, "best": 1, "worst": 0}


def test_relevance_as_text_in_parts_and_tables():
    """Lists of levels per query in tables, unchanged by batches and weights, without a value over all queries."""
    run, qrels = {"p": ["a", "b", "c"], "q": ["x"]}, {"p": {"a": 11, "c": -1}, "q": {"x": 2.5}, "r": {"y": 1}}
    scores = score("retrieval_ranking", run, qrels, measures=["relstring@2", "relstring", "map"])
    assert scores.per_example()["relstring"] == [[">", "-", "."], ["2"], []]
    assert scores.to_arrow().column("relstring@2").to_pylist() == [[">", "-"], ["2"], []]
    assert "relstring" not in scores.summary()
    parts = [score("retrieval_ranking", run, {q: qrels[q]}, measures=["relstring@2"]) for q in ("p", "q")]
    assert type(scores).concat(parts).per_example()["relstring@2"] == [[">", "-"], ["2"]]


def test_gains_of_very_different_queries_do_not_mix():
    """Each query is summed separately, so small gains of the second query keep their digits."""
    run, qrels = {"p": ["a"], "q": ["x", "y", "z"]}, {"p": {"a": 1e17}, "q": {"x": 0.1, "z": 0.2, "w": 0.3}}
    names = ["G", "ndcg_rel", "Rndcg"]
    both = score("retrieval_ranking", run, qrels, measures=names, gain="linear", relevance_level=0.1)
    alone = score("retrieval_ranking", {"q": run["q"]}, {"q": qrels["q"]}, measures=names, relevance_level=0.1)
    assert {name: column[1] for name, column in both.columns.items()} == {
        name: column[0] for name, column in alone.columns.items()
    }


# --- preferences, several judges -------------------------------------------------------------------------------------


def without_parts(rows):
    """The judgements of a judge in one part, and each document once."""
    return list({row[:2] + row[3:4]: row[:2] + ("0",) + row[3:] for row in rows}.values())


@pytest.fixture(scope="module")
def judged():
    return made.made_judgements()


@pytest.mark.parametrize("arguments", made.JUDGES)
def test_what_trec_eval_prints_of_judges(judged, arguments):
    run, rows = judged
    group = arguments.split()[1]
    table = made.table_of(rows if group == "all_prefs" else without_parts(rows))
    scores = score("retrieval_ranking", run=run, qrels=table, measures=[group], **made.JUDGES[arguments])
    averages, by_topic = JUDGES_GOLDEN[arguments]["all"], JUDGES_GOLDEN[arguments]["topics"]
    assert len(scores) == 210 and len(run) < 200
    expected = [
        (name, topic, str(values[row]) if "num_" in name else f"{values[row] / 10**4:.4f}")
        for row, topic in enumerate(scores.ids)
        for name, values in by_topic.items()
    ]
    expected += [("runid", "all", "run"), *((name, "all", value) for name, value in averages.items())]
    printed = [tuple(line.split("\t")) for line in trec_eval_text("run", scores, [group], True).splitlines()]
    assert [(name.strip(), topic, value) for name, topic, value in printed] == expected


def test_a_file_of_preferences(tmp_path, judged, capsys):
    """`--format trec_eval` prints what Python computes, and without measures those of preferences are meant."""
    run, rows = judged
    queries = list(run)[:25]
    run, rows = {query: run[query] for query in queries}, [row for row in rows if row[0] in queries]
    gold, predictions = tmp_path / "gold.prefs", tmp_path / "run.txt"
    lines = [f"{query} Q0 {d} 1 {number} run\n" for query, found in run.items() for d, number in found.items()]
    predictions.write_text("".join(lines), "utf-8")
    scores = score("retrieval_ranking", run=run, qrels=made.table_of(rows), measures=["all_prefs"])
    for blank in (" ", "\t"):
        gold.write_text("# comment\n" + "".join(blank.join(map(str, row)) + "\n" for row in rows), "utf-8")
        assert main(["score", str(gold), str(predictions), "--format", "trec_eval", "-q"]) == 0
        assert capsys.readouterr().out == trec_eval_text("run", scores, ["all_prefs"], True)
    assert main(["score", str(gold), str(predictions), "--measures", "mrr"]) == 2
    assert "twice" in capsys.readouterr().err
    gold.write_text("q j p d 1\nq j p e x\n", "utf-8")
    assert main(["score", str(gold), str(predictions)]) == 2
    assert "line 2: 'x' is not a number; column 5 " in capsys.readouterr().err


PREFERENCES = [
    ("q", "ann", "1", "a", 2),
    ("q", "ann", "1", "b", 1),
    ("q", "bob", "1", "b", 1),
    ("q", "bob", "1", "a", 0),
]


def preferences(*rows, measures=("prefs",), **options):
    return score("retrieval_ranking", run={"q": ["a", "b"]}, qrels=made.table_of(rows), measures=measures, **options)


def test_preferences_by_hand():
    """Ann prefers a, bob b: one of two preferences is kept, the pair counts half, each judge once."""
    names = ["prefs_num_prefs_poss", "prefs_num_prefs_ful", "prefs_simp", "prefs_pair", "prefs_avgjg"]
    assert preferences(*PREFERENCES).summary(names) == dict(zip(names, [2, 1, 0.5, 0.5, 0.5], strict=True))
    assert preferences(*PREFERENCES, measures=["map_avgjg", "P_avgjg_1"]).summary(["map_avgjg", "p_avgjg@1"]) == {
        "map_avgjg": 0.75,
        "p_avgjg@1": 0.5,
    }


def test_judgements_and_measures_that_are_refused():
    circle = [
        ("q", "j", part, *pair) for part, pair in zip("1122", [("a", 2), ("b", 1), ("b", 2), ("a", 1)], strict=True)
    ]
    ann = PREFERENCES[0]
    for rows, told, options in (
        ([("q", "j", "1", "a", 2), ("q", "j", "1", "a", 1)], "'q': judge 'j'", {}),
        ([("q", "j", "1", "a", 0), ("q", "j", "2", "a", 1)], "judge 'j'.* level 0", {}),
        (circle, "judge 'j'.* circle", {}),
        ([("q", "j", "1", "a", -1)], "document 'a'.* below 0", {}),
        ([("q", "j", "1", "a", float("nan"))], "document 'a' of query 'q' is nan", {}),
        ([ann], "prefs_simp .* map ", {"measures": ["prefs_simp", "map"]}),
        ([ann], "prefs_simp .*ties=best.*ties=trec", {"measures": ["prefs_simp"], "ties": "best"}),
        ([ann, ann], "'q' judges the document 'a' twice", {"measures": ["map_avgjg"]}),
    ):
        with pytest.raises(ValueError, match=told):
            preferences(*rows, **options)
    with pytest.raises(ValueError, match="prefs_simp .*query, judge"):
        score("retrieval_ranking", {"q": ["a"]}, {"q": {"a": 1}}, measures=["prefs_simp"])
