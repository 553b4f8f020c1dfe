"""retrieval_ranking prints what the official programs print: trec_eval 10 on its own data, NLPCC-DBQA's evaluator."""

import pyarrow as pa
import pytest

from qassay import score
from qassay.retrieval_ranking.measures import parse_measure

from .as_tables import as_tables

TEXTS = {"runid", "relstring"}


def read_qrels(path):
    qrels = {}
    for line in path.read_text("utf-8").splitlines():
        query, _, document, relevance = line.split()
        qrels.setdefault(query, {})[document] = int(relevance)
    return qrels


def read_run(path):
    run = {}
    for line in path.read_text("utf-8").splitlines():
        query, _, document, _, number, _ = line.split()
        run.setdefault(query, {})[document] = float(number)
    return run


def read_output(path):
    """topic -> name -> printed value"""
    printed = {}
    for line in path.read_text("utf-8").splitlines():
        name, topic, value = line.split("\t")
        if name.strip() not in TEXTS:
            printed.setdefault(topic, {})[name.strip()] = value
    return printed


FORMS = {
    "dicts": lambda run, qrels: (run, qrels),
    "arrow": as_tables,
}


@pytest.fixture(scope="module")
def run(trec):
    return read_run(trec / "results.test")


@pytest.fixture(scope="module")
def qrels(trec):
    return read_qrels(trec / "qrels.test")


@pytest.fixture(scope="module")
def graded(trec):
    return read_qrels(trec / "qrels.rel_level")


def column_of(name):
    return str(parse_measure(name))


def as_printed(value, like):
    return f"{value:.4f}" if "." in like else f"{value:.0f}"


@pytest.mark.parametrize("form", FORMS)
def test_every_line_of_trec_eval(trec, run, qrels, form):
    """Of each topic and of all: the lines of -m all_trec -q, and those without options."""
    printed, official = read_output(trec / "out.test.aq"), read_output(trec / "out.test")["all"]
    assert {topic: len(lines) for topic, lines in printed.items()} == {"301": 95, "302": 95, "303": 95, "all": 98}
    assert len(official) == 29 and printed["all"] == read_output(trec / "out.test.a")["all"]
    measures = ["all_trec"] if form == "arrow" else list(printed["all"])
    scores = score("retrieval_ranking", *FORMS[form](run, qrels), measures=measures)
    summary = scores.summary()
    for lines in (printed["all"], official):
        assert {name: as_printed(summary[column_of(name)], value) for name, value in lines.items()} == lines
        assert all(type(summary[column_of(name)]) is int for name, value in lines.items() if "." not in value)
    assert list(scores.ids) == ["301", "302", "303"]
    for row, topic in enumerate(scores.ids):
        found = {n: as_printed(scores.columns[column_of(n)][row], value) for n, value in printed[topic].items()}
        assert found == printed[topic]


def test_the_preset_has_the_lines_without_options(trec, run, qrels):
    printed = read_output(trec / "out.test")["all"]
    summary = score("retrieval_ranking", run, qrels, preset="trec_eval").summary()
    assert {name: as_printed(summary[column_of(name)], value) for name, value in printed.items()} == printed


# What trec_eval 10 prints with other options: name -> 301, 302, 303, all ("" where it was not noted).
TABLES = {
    "qrels.test": (
        "qrels",
        {},
        {
            "rbp": ".1861 .7628 .0212 ",
            "rbp(p=0.8)": ".1338 .7857 .0037 ",
        },
    ),
    "qrels.rel_level": (
        "graded",
        {},
        {
            "map": ".0324 .4175 .0823 .1774",
            "bpref": ".1230 .4712 .0000 .1981",
            "infAP": ".0324 .4175 .1200 .1900",
            "ndcg": ".1396 .6617 .3669 .3894",
            "ndcg_cut_10": ".0439 .7530 .0000 .2656",
            "recall_100": ".0485 .5455 .8750 .4897",
            "recip_rank": ".1667 1.0000 .0526 .4064",
        },
    ),
    "-l2 qrels.rel_level": (
        "graded",
        {"relevance_level": 2},
        {
            "map": ".0003 .4175 .0823 .1667",
            "bpref": ".0000 .4712 .0000 .1571",
            "infAP": ".0003 .4175 .1200 .1792",
            "ndcg": ".1396 .6617 .3669 .3894",
            "ndcg_cut_10": ".0439 .7530 .0000 .2656",
            "recall_100": ".0000 .5455 .8750 .4735",
            "recip_rank": ".0033 1.0000 .0526 .3520",
        },
    ),
    "-J qrels.rel_level": (
        "graded",
        {"judged_only": True},
        {
            "map": ".0441 .4245 .1361 .2016",
            "bpref": ".1230 .4712 .0000 .1981",
            "infAP": ".0441 .4245 .1361 .2016",
            "ndcg": ".1479 .6654 .4249 .4128",
            "ndcg_cut_10": ".0439 .7530 .0731 .2900",
            "recall_100": ".0654 .5455 1.0000 .5370",
            "recip_rank": ".1667 1.0000 .1000 .4222",
        },
    ),
    "exp2 gains": ("graded", {"gain": "exp2"}, {"ndcg": ".1056 .6617 .3669 .3781", "ndcg_cut_10": ".0129   "}),
}


@pytest.mark.parametrize("case", TABLES)
def test_tables_of_trec_eval(run, qrels, graded, case):
    which, options, table = TABLES[case]
    judged = {"qrels": qrels, "graded": graded}[which]
    scores = score("retrieval_ranking", run, judged, measures=list(table), **options)
    for name, line in table.items():
        column = column_of(name)
        values = [*scores.columns[column], scores.summary()[column]]
        expected = line.split(" ")
        found = [f"{value:.4f}".lstrip("0") if text else "" for value, text in zip(values, expected, strict=True)]
        assert found == expected, name


def test_a_topic_that_the_run_lacks(run, qrels):
    without = {topic: run[topic] for topic in ("301", "302")}
    names = ["map", "p@10", "ndcg", "mrr"]
    zero = score("retrieval_ranking", without, qrels, measures=names)
    assert [f"{value:.4f}" for value in zero.summary(names).values()] == ["0.1500", "0.3000", "0.2734", "0.3889"]
    assert zero.summary()["missing"] == 1
    assert zero.subsets["missing"].tolist() == [False, False, True]
    skip = score("retrieval_ranking", without, qrels, measures=names, missing="skip")
    assert (f"{skip.summary()['map']:.4f}", list(skip.ids)) == ("0.2249", ["301", "302"])


def test_tie_bounds_of_topic_301(run, qrels):
    scores = score("retrieval_ranking", run, qrels, measures=["map"], tie_bounds=True)
    row = list(scores.ids).index("301")
    bounds = [scores.columns[f"map{end}"][row] for end in ("_ties_worst", "", "_ties_best")]
    assert [f"{value:.6f}" for value in bounds] == ["0.032417", "0.032425", "0.032425"]
    for ties, expected in (("worst", "0.032417"), ("expected", "0.032421"), ("best", "0.032425")):
        found = score("retrieval_ranking", run, qrels, measures=["map"], ties=ties)
        assert f"{found.columns['map'][row]:.6f}" == expected


# case: MAP and MRR of the official program (questions with no or only correct sentences dropped), of the guideline
NLPCC = {
    "allneg_skipped": (("0.5", "0.5"), (0.25, 0.25)),
    "allpos_skipped": (("0.5", "0.5"), (0.75, 0.75)),
    "label2": (("0.5", "0.5"), (0.5, 0.5)),
    "multi_pos": (("0.5", "0.5"), (0.5, 0.5)),
    "nonadjacent_same_q": (("0.833333333333333", "0.833333333333333"), (2.5 / 3, 2.5 / 3)),
    "ties_stable_pos_first": (("1", "1"), (1.0, 1.0)),
    "ties_stable_neg_first": (("0.5", "0.5"), (0.5, 0.5)),
    "random500": (("0.356861288914892", "0.413384640230489"), (0.2672224634857011, 0.3085975566487166)),
}


def read_case(folder, name):
    """Columns of one row per sentence; a question is a run of adjacent rows, so one that comes back is another one."""
    columns = {"query": [], "document": [], "label": [], "score": []}
    questions = []
    lines = (folder / f"{name}.qa").read_text("utf-8").splitlines()
    for line, number in zip(lines, (folder / f"{name}.sc").read_text("utf-8").split(), strict=True):
        question, sentence, label = line.split("\t")
        if not questions or questions[-1] != question:
            questions.append(question)
        row = (f"question {len(questions)}", sentence, int(label), float(number))
        for column, value in zip(columns.values(), row, strict=True):
            column.append(value)
    return columns


@pytest.mark.parametrize("case", NLPCC)
def test_nlpcc_cases(nlpcc, case):
    official, guideline = NLPCC[case]
    printed = dict(line.split("\t") for line in (nlpcc / f"{case}.res").read_text("utf-8").splitlines())
    assert (printed["MAP"], printed["MRR"]) == official
    table = read_case(nlpcc, case)
    without_documents = {name: table[name] for name in ("query", "label", "score")}
    for form in (table, pa.table(table), without_documents):
        found = score("retrieval_ranking", form, preset="nlpcc", skip_trivial=True).summary()
        assert (f"{found['map']:.15g}", f"{found['mrr']:.15g}") == official
    assert case != "random500" or found["total"] == 366
    found = score("retrieval_ranking", table, preset="nlpcc").summary()
    assert (found["map"], found["mrr"]) == pytest.approx(guideline, rel=1e-12)
