"""Which column is what: named for several systems of one table, for ids with two names, and before what `separator=` says."""

import csv
import io

import pytest

import qassay

WIDE = "id,lang,gold,small,large\n1,en,Paris,Paris,London\n2,fr,Rome,Roma,Rome\n3,fr,Oslo,Oslo,Oslo\n"
BOTH = ("--columns", "predictions=small", "predictions=large")
LABELS = "id,topic,truth,rules,tuned\n1,x,a,a,b\n2,y,b,a,b\n"
SCORES = "id,truth,rules,tuned\n1,1,0.9,0.2\n2,0,0.1,0.6\n"
PAIRS = "query,document,relevance,bm25,dense\nq,a,1,0.9,0.1\nq,b,0,0.2,0.8\n"
QUICK = ("--resamples", "20")


# --- several systems in one table -------------------------------------------------------------------------------------

TABLES = [
    ("answer_match", "exact_match", WIDE, ("predictions=small", "predictions=large")),
    ("semantic_answer_similarity", "sas", WIDE, ("predictions=small", "predictions=large")),
    ("label_metrics", "accuracy", LABELS, ("predictions=rules", "predictions=tuned", "references=truth")),
    ("average_precision", "average_precision", SCORES, ("predictions=rules", "predictions=tuned", "references=truth")),
    ("retrieval_ranking", "mrr", PAIRS, ("score=bm25", "score=dense")),
]


@pytest.mark.parametrize(
    "aside, metric, measure, table, columns", [*((False, *case) for case in TABLES), (True, *TABLES[0])]
)
def test_each_column_is_a_system_as_if_it_were_alone(values, put, aside, metric, measure, table, columns):
    path = put("wide.csv", table)
    rows = [line.split(",")[:-2] for line in table.splitlines()]
    gold = put("gold.csv", "".join(",".join(row) + "\n" for row in rows))
    files = (gold, path) if aside else (path,)
    roles = [pair.partition("=")[0] for pair in columns]
    systems = [pair for pair in columns if roles.count(pair.partition("=")[0]) == 2]
    others = [pair for pair in columns if pair not in systems]
    model = {"model": "lite"} if measure == "sas" else {}
    usual = ("--metric", metric, *(["--option", "model=lite"] if model else []))
    both = values(*files, *usual, "--columns", *columns)
    names = [pair.partition("=")[2] for pair in systems]
    assert list(both) == names
    for pair, name in zip(systems, names, strict=True):
        (alone,) = values(*files, *usual, "--columns", pair, *others).values()
        assert both[name] == alone and measure in alone
    columns = {**dict(pair.split("=") for pair in others), roles[0]: names}
    found = qassay.score_files(path, columns=columns, metric=metric, **model)
    assert {name: scores[measure] for name, scores in found.items()} == {name: both[name][measure] for name in names}


def test_a_wide_table_is_compared_sliced_and_written(run, put, tmp_path):
    path, examples, report = put("wide.csv", WIDE), tmp_path / "per.csv", tmp_path / "report.html"
    printed = run("compare", path, *BOTH, "--by", "lang", "--per-example", examples, "--report", report, *QUICK)
    assert "large − small" in printed and "small" in report.read_text("utf-8")
    rows = list(csv.DictReader(examples.open(encoding="utf-8", newline="")))
    assert [(row["system"], row["id"], row["prediction"]) for row in rows] == [
        ("small", "1", "Paris"), ("small", "2", "Roma"), ("small", "3", "Oslo"),
        ("large", "1", "London"), ("large", "2", "Rome"), ("large", "3", "Oslo"),
    ]  # fmt: skip
    assert "small" not in rows[0] and "large" not in rows[0], "the prediction of a system, and of no other"


def test_a_probability_for_each_system_of_a_table(values, put):
    path = put("wide.csv", "id,gold,a,b,pa,pb\n1,[],x,y,0.9,0.1\n2,Rome,Rome,Rome,0.1,0.8\n")
    columns = ("predictions=a", "predictions=b", "no_answer_probabilities=pa", "no_answer_probabilities=pb")
    found = values(path, "--columns", *columns)
    for system in "ab":
        alone = values(path, "--columns", f"predictions={system}", f"no_answer_probabilities=p{system}")
        assert found[system] == alone["wide"] and "best_f1" in alone["wide"]


def test_systems_of_several_tables_are_distinguished(values, put):
    first, second = put("one.csv", WIDE), put("two.csv", WIDE)
    assert list(values(first, first, second, *BOTH)) == ["one/small", "one/large", "two/small", "two/large"]


# --- ids that are called differently in the files ---------------------------------------------------------------------


def test_of_several_columns_of_ids_each_file_has_one(values, fail, put):
    gold = put("gold.csv", "code,gold\nx,Paris\ny,Rome\n")
    model, other = put("model.csv", "key,said\ny,Rome\nx,Paris\n"), put("other.csv", "id,said\ny,Rome\nx,no\n")
    names = ("predictions=said", "ids=code", "ids=key")
    found = values(gold, model, other, "--columns", *names)
    assert {name: of["exact_match"] for name, of in found.items()} == {"model": 1, "other": 0.5}
    columns = {"predictions": "said", "ids": ["code", "key"]}
    scores = qassay.score_files(gold, {"model": model}, columns=columns)["model"]
    assert scores.summary(["exact_match"]) == {"exact_match": 1}
    by_id = put("gold.json", {"x": ["Paris"], "y": ["Rome"]})
    for first, words in (
        (by_id, "model.csv: there is no column 'kye' (did you mean 'key'?)"),
        (gold, "gold.csv: there is no"),
    ):
        assert words in fail("score", first, model, "--columns", "predictions=said", "ids=kye")


def test_of_several_columns_of_queries_and_documents_each_file_has_one(values, put):
    qrels = put("qrels.csv", "topic_code,page,relevance\nq,a,1\nq,b,0\n")
    run = put("run.csv", "asked,hit,score\nq,b,.9\nq,a,.5\n")
    names = ("query=topic_code", "query=asked", "document=page", "document=hit")
    assert values(qrels, run, "--metric", "retrieval_ranking", "--columns", *names)["run"]["mrr"] == 0.5


# --- named roles come before the separator ----------------------------------------------------------------------------


def test_a_separator_between_gold_answers(values, put):
    cells = " ; ".join(["Paris", "in Paris", ""])
    path = put("t.csv", f"id,golds,answer\n1,{cells},in Paris\n2,Rome,Roma\n3,[],\n")
    found = values(path, "--columns", "separator= ; ", "predictions=answer", "references=golds")["t"]
    assert (found["total"], found["no_answer_total"], found["exact_match"]) == (3, 1, pytest.approx(2 / 3))


def test_a_csv_with_one_column_is_read_where_the_column_is_named(values, put):
    files = put("gold.csv", "q\nfoo\nbar\n"), put("model.csv", "p\nfoo\nbaz\n")
    names = ("references=q", "predictions=p")
    assert values(*files, "--metric", "label_metrics", "--columns", *names)["model"]["accuracy"] == 0.5


# --- roles that the metric does not use, and standard input -----------------------------------------------------------


def test_columns_of_standard_input(values, fail, put, monkeypatch):
    model, text = put("model.csv", "uid,prediction\n2,Rome\n1,Paris\n"), "id,key,gold\n1,2,Paris\n2,1,Rome\n"

    def piped():
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        return "-"

    for ids, exact in (("id", 1), ("key", 0)):
        (found,) = values(piped(), model, "--columns", f"ids={ids}", "ids=uid").values()
        assert found["exact_match"] == exact
    assert "standard input: there is no column 'nope'" in fail("score", piped(), model, "--columns", "ids=nope")
    assert "unrecognized arguments: -x" in fail("score", "-", model, "-x")
