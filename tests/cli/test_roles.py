"""Which column is what: named for one file, for several systems of one table, and before what `separator=` says."""

import csv
import io
import json
import warnings

import pytest

import qassay
from qassay.cli import main
from qassay.files import ROLES
from qassay.files.kinds import all_files, files_of
from qassay.registry import FAMILIES, get_family

WIDE = "id,lang,gold,small,large\n1,en,Paris,Paris,London\n2,fr,Rome,Roma,Rome\n3,fr,Oslo,Oslo,Oslo\n"
BOTH = ("--columns", "predictions=small", "predictions=large")
LABELS = "id,topic,truth,rules,tuned\n1,x,a,a,b\n2,y,b,a,b\n"
SCORES = "id,truth,rules,tuned\n1,1,0.9,0.2\n2,0,0.1,0.6\n"
PAIRS = "query,document,relevance,bm25,dense\nq,a,1,0.9,0.1\nq,b,0,0.2,0.8\n"
QUICK = ("--resamples", "20")


def values_of(report):
    return {name: system["values"] for name, system in json.loads(report)["systems"].items()}


# --- several systems in one table -------------------------------------------------------------------------------------

TABLES = [
    ("answer_match", "exact_match", WIDE, ("predictions=small", "predictions=large")),
    ("semantic_answer_similarity", "sas", WIDE, ("predictions=small", "predictions=large")),
    ("label_metrics", "accuracy", LABELS, ("predictions=rules", "predictions=tuned", "references=truth")),
    ("average_precision", "average_precision", SCORES, ("predictions=rules", "predictions=tuned", "references=truth")),
    ("retrieval_ranking", "mrr", PAIRS, ("score=bm25", "score=dense")),
]


@pytest.mark.parametrize("metric, measure, table, columns", TABLES)
@pytest.mark.parametrize("aside", [False, True])
def test_each_column_is_a_system_as_if_it_were_alone(run, put, metric, measure, table, columns, aside):
    path = put("wide.csv", table)
    rows = [line.split(",")[: -len(BOTH[1:])] for line in table.splitlines()]
    gold = put("gold.csv", "".join(",".join(row) + "\n" for row in rows))
    files = (gold, path) if aside else (path,)
    roles = [pair.partition("=")[0] for pair in columns]
    systems = [pair for pair in columns if roles.count(pair.partition("=")[0]) == 2]
    others = [pair for pair in columns if pair not in systems]
    usual = ("--metric", metric, *(["--option", "model=lite"] if measure == "sas" else []), "--format", "json", *QUICK)
    both = values_of(run("score", *files, *usual, "--columns", *columns))
    assert list(both) == [pair.partition("=")[2] for pair in systems]
    for pair in systems:
        (alone,) = values_of(run("score", *files, *usual, "--columns", pair, *others)).values()
        assert both[pair.partition("=")[2]] == alone and measure in alone
    found = qassay.score_files(
        path, columns={**dict(pair.split("=") for pair in others), roles[0]: [pair.partition("=")[2] for pair in systems]},
        metric=metric, **({"model": "lite"} if measure == "sas" else {}),
    )  # fmt: skip
    assert {name: scores.summary([measure]) for name, scores in found.items()} == {
        name: {measure: values[measure]} for name, values in both.items()
    }


def test_a_wide_table_is_compared_sliced_and_written(run, put, tmp_path):
    path, examples, report = put("wide.csv", WIDE), tmp_path / "per.csv", tmp_path / "report.html"
    printed = run(
        "compare",
        path,
        *BOTH,
        "--by",
        "lang",
        "--per-example",
        examples,
        "--report",
        report,
        "--permutations",
        "20",
        *QUICK,
    )
    assert "large − small" in printed and "small" in report.read_text("utf-8")
    rows = list(csv.DictReader(examples.open(encoding="utf-8", newline="")))
    assert [(row["system"], row["id"], row["prediction"]) for row in rows] == [
        ("small", "1", "Paris"), ("small", "2", "Roma"), ("small", "3", "Oslo"),
        ("large", "1", "London"), ("large", "2", "Rome"), ("large", "3", "Oslo"),
    ]  # fmt: skip
    assert "small" not in rows[0] and "large" not in rows[0], "the prediction of a system, and of no other"


def test_a_probability_for_each_system_of_a_table(run, put):
    table = "id,gold,a,b,pa,pb\n1,[],x,y,0.9,0.1\n2,Rome,Rome,Rome,0.1,0.8\n"
    columns = ("predictions=a", "predictions=b", "no_answer_probabilities=pa", "no_answer_probabilities=pb")
    path = put("wide.csv", table)
    found = values_of(run("score", path, "--columns", *columns, "--format", "json", *QUICK))
    for system, probability in (("a", "pa"), ("b", "pb")):
        names = ("--columns", f"predictions={system}", f"no_answer_probabilities={probability}")
        alone = values_of(run("score", path, *names, "--format", "json", *QUICK))
        assert found[system] == alone["wide"] and "best_f1" in alone["wide"]
    assert found["a"]["best_f1"] > found["b"]["best_f1"]
    doubts = put("doubts.json", {"1": 0.9, "2": 0.1})
    by_file = run(
        "score", path, "--columns", *columns[:2], "--no-answer-probabilities", f"a={doubts}", "--format", "json"
    )
    assert values_of(by_file)["a"]["best_f1"] == found["a"]["best_f1"] and "best_f1" not in values_of(by_file)["b"]


def test_systems_of_several_tables_are_distinguished(run, put):
    first, second = put("one.csv", WIDE), put("two.csv", WIDE)
    found = values_of(run("score", first, first, second, *BOTH, "--format", "json", *QUICK))
    assert list(found) == ["one/small", "one/large", "two/small", "two/large"]
    names = ("--columns", "one:predictions=small", "two.csv:predictions=large")
    assert list(values_of(run("score", first, first, second, *names, "--format", "json", *QUICK))) == ["one", "two"]


@pytest.mark.parametrize(
    "columns, words",
    [
        (("predictions=small", "predictions=huge"), "there is no column 'huge'"),
        (("predictions=small", "predictions=gold"), "the column gold is given both as predictions and as references"),
        ((*BOTH[1:], "references=large"), "the column large is given both as predictions and as references"),
        ((*BOTH[1:], "no_answer_probabilities=a", "no_answer_probabilities=b", "no_answer_probabilities=c"),
         "there are 2 systems (predictions: small, large), but 3 columns for the role no_answer_probabilities (a, b, c)"),
        (("predictions=small", "no_answer_probabilities=a", "no_answer_probabilities=b"),
         "the role no_answer_probabilities takes one column for each system"),
    ],
)  # fmt: skip
def test_columns_that_are_not_systems_are_refused(fail, put, columns, words):
    assert words in fail("score", put("wide.csv", WIDE), "--columns", *columns)


@pytest.mark.parametrize(
    "head, spelling",
    [
        ("id,gold,prediction_a,prediction_b", "--columns predictions=prediction_a predictions=prediction_b"),
        ("id,gold,gpt_answer,t5_answer", "--columns predictions=gpt_answer predictions=t5_answer"),
        ("id,gold,predictions,output", "--columns predictions=predictions predictions=output"),
    ],
)
def test_several_columns_are_not_guessed_but_told(fail, put, head, spelling):
    message = fail("score", put("wide.csv", f"{head}\n1,a,b,c\n"))
    assert "or score each as a system: " in message
    assert set(spelling.split()) <= set(message.split("or score each as a system: ")[1].split())


def test_a_comparison_of_one_table_says_how(fail, put):
    message = fail("compare", put("wide.csv", WIDE), "--columns", "predictions=small")
    assert "for example --columns predictions=a predictions=b" in message


# --- columns of one file ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("file", ["model", "model.csv", "{path}"])
def test_columns_of_one_file(run, put, file):
    gold = put("gold.csv", "id,key,gold\nx,1,Paris\ny,2,Rome\n")
    model = put("model.csv", "id,uid,said,other\n2,x,Paris,no\n1,y,Rome,no\n")
    other = put("other.csv", "id,said\n1,Paris\n2,Rome\n")
    called = file.format(path=model)
    names = ("ids=id", "predictions=said", f"{called}:ids=uid", "gold:ids=id")
    (one,) = values_of(run("score", gold, model, "--columns", *names, "--format", "json", *QUICK)).values()
    assert one["exact_match"] == 1 and one["missing"] == 0
    names = ("ids=id", "predictions=said", "gold:ids=key", "other:predictions=said", f"{called}:predictions=other")
    both = values_of(run("score", gold, model, other, "--columns", *names, "--format", "json", *QUICK))
    assert {name: values["exact_match"] for name, values in both.items()} == {"model": 0, "other": 1}
    columns = {"predictions": "said", "gold": {"ids": "id"}, called: {"ids": "uid"}}
    assert qassay.score_files(gold, {"model": model}, columns=columns)["model"].summary(["exact_match"]) == {
        "exact_match": 1
    }


@pytest.mark.parametrize(
    "columns, words",
    [
        (("modle:ids=uid",), "columns of modle: there is no such file (did you mean 'model'?); available: gold, model"),
        (("model:ids=udi",), "model.csv: there is no column 'udi' (did you mean 'uid'?); it has: uid, output"),
        (("model:id=uid",), "--columns 'model:id=uid' must be ROLE=NAME, or FILE:ROLE=NAME with one of the roles:"),
        (("prediction=said",), "separator (did you mean 'predictions'?)"),
        (("model:id=uid",), "separator (did you mean 'ids'?)"),
        (("gold:ids=uid",), "gold.json: this has no columns to name, but ids is named for it"),
        (("model:ids=",), "must be ROLE=NAME"),
    ],
)
def test_names_that_no_file_has_are_refused(fail, put, columns, words):
    gold, model = put("gold.json", {"1": ["a"]}), put("model.csv", "uid,output\n1,a\n")
    assert words in fail("score", gold, model, "--columns", *columns)


def test_a_name_that_two_files_have_is_refused(fail, put, tmp_path):
    for folder in "ab":
        (tmp_path / folder).mkdir()
    gold, files = put("gold.json", {"1": ["a"]}), [put(f"{folder}/m.csv", "uid,output\n1,a\n") for folder in "ab"]
    assert f"this could be {files[0]} or {files[1]}; give the path" in fail(
        "score", gold, *files, "--columns", "m.csv:ids=uid"
    )


# --- named roles come before the separator ----------------------------------------------------------------------------


@pytest.mark.parametrize("separator", ["|", " ; "])
def test_a_separator_between_gold_answers(run, put, separator):
    cells = separator.join(["Paris", "in Paris", ""])
    path = put("t.csv", f"id,golds,answer\n1,{cells},in Paris\n2,Rome,Roma\n3,,\n")
    columns = ("--columns", f"separator={separator}", "predictions=answer", "references=golds")
    report = json.loads(run("score", path, *columns, "--format", "json", *QUICK))
    assert report["metric"] == "answer_match"
    values = report["systems"]["t"]["values"]
    assert (values["total"], values["no_answer_total"], values["exact_match"]) == (3, 1, pytest.approx(2 / 3))


def test_a_separator_alone_is_one_of_labels(run, put):
    path = put("t.csv", "id,label,prediction\n1,a;b,b;a\n2,a,b\n")
    report = json.loads(
        run("score", path, "--columns", "separator=;", "--option", "task=multi", "--format", "json", *QUICK)
    )
    assert report["metric"] == "label_metrics"


# --- what was guessed is said -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "gold, system, columns, notes",
    [
        ("id,gold\n1,x\n", "id,prediction\n1,x\n", (), []),
        ("gold\nx\ny\n", "id,prediction\n2,y\n1,x\n", (), ["no ids in gold.csv: matched by row order"]),
        ("id,gold\n1,x\n2,y\n", "prediction\ny\nx\n", (), ["no ids in system.csv: matched by row order"]),
        ("gold\nx\n", "prediction\nx\n", (), []),
        ("qid,gold_answers\n1,x\n", "question_id,predicted_answer\n1,x\n", (), []),
        ("id,gold\n1,x\n", "uid,output\n1,x\n", (),
         ["system.csv: columns chosen by name: output as predictions, uid as ids; choose others with --columns predictions=NAME"]),
        ("id,gold\n1,x\n", "uid,output\n1,x\n", ("predictions=output", "system:ids=uid"), []),
        ("id,target\n1,x\n", "id,prediction\n1,x\n", (),
         ["gold.csv: columns chosen by name: target as references; choose others with --columns references=NAME"]),
        ("id,target,output\n1,x,x\n", None, (),
         ["gold.csv: columns chosen by name: target as references, output as predictions; choose others with "
          "--columns references=NAME"]),
        ("id,target,output\n1,x,x\n", "id,prediction\n1,x\n", ("references=target",), []),  # output is not scored
        ("id,gold,a,b\n1,x,x,y\n", None, ("predictions=a", "predictions=b"), []),
    ],
)  # fmt: skip
def test_columns_of_other_names_than_their_role_are_reported(put, capsys, gold, system, columns, notes):
    files = [put("gold.csv", gold), *([put("system.csv", system)] if system else [])]
    named = ["--columns", *columns] if columns else []
    assert main(["score", *map(str, files), *named, "--format", "json", "--no-intervals"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["metric"] == "answer_match"
    assert [line.replace(f"{files[0].parent}/", "") for line in err.splitlines()] == [
        f"qassay: note: {n}" for n in notes
    ]


ROW = {"qid": 1, "question": "q", "ctxs": [{"id": "a"}], "expected_ids": ["a"], "output": "x", "golds": ["x"]}


@pytest.mark.parametrize(
    "metric, gold, system, told",
    [
        ("retrieval_ranking", ROW, None, {"expected_ids as qrels", "ctxs as run"}),
        ("retriever_reader", ROW, None, {"expected_ids as qrels", "ctxs as documents", "output as answers"}),
        ("all", ROW, None, {"expected_ids as qrels", "ctxs as run and documents", "output as predictions and answers"}),
        ("retrieval_ranking", {"qid": 1, "expected_ids": ["a"]}, {"qid": 1, "ctxs": ["a"]},
         {"expected_ids as qrels", "ctxs as run"}),
        ("retrieval_ranking", {"topic": 1, "doc_id": "a", "relevance": 1}, {"qid": 1, "document": "a", "score": 2.0},
         {"topic as query"}),
        ("retrieval_ranking", {"qid": 1, "doc_id": "a", "score": 1}, {"topic": 1, "pid": "a", "score": 2.0},
         {"topic as query"}),
        ("average_precision", {"id": 1, "boxes": [[0, 0, 5, 5]], "labels": ["cat"]},
         {"image_id": 1, "boxes": [[0, 0, 5, 5]], "scores": [0.5], "labels": ["cat"]}, set()),
        ("average_precision", {"id": 1, "boxes": [[0, 0, 5, 5]], "labels": ["cat"]},
         {"uid": 1, "boxes": [[0, 0, 5, 5]], "scores": [0.5], "labels": ["cat"]}, {"uid as ids"}),
        ("label_metrics", {"id": 1, "label": "a"}, {"uid": 1, "prediction": "a"}, {"uid as ids"}),
    ],
)  # fmt: skip
def test_guessed_columns_are_reported_for_every_family(put, capsys, metric, gold, system, told):
    gold_file = put("gold.jsonl", json.dumps(gold))
    files = [gold_file, *([put("system.jsonl", json.dumps(system))] if system else [])]
    arguments = ["--metric", metric, "--no-intervals"]
    assert main(["score", *map(str, files), *arguments]) == 0
    lines = [line for line in capsys.readouterr().err.splitlines() if "columns chosen by name" in line]
    assert {part for line in lines for part in line.split(": ")[-1].split("; ")[0].split(", ")} == told
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        qassay.score_files(*files, metric=metric)
    texts = [str(warning.message) for warning in warned if "columns chosen by name" in str(warning.message)]
    assert [text.split("; choose")[0] for text in texts] == [
        line[len("qassay: note: ") :].split("; choose")[0] for line in lines
    ]
    assert all('columns={"' in text and "--" not in text for text in texts)
    assert all(warning.filename == __file__ for warning in warned)


def test_a_guessed_column_of_labels_is_reported(put, capsys):
    table = put("t.csv", "id,target,output\n1,x,x\n")
    assert main(["score", str(table), "--metric", "label_metrics", "--no-intervals"]) == 0
    assert "target as references, output as predictions; choose others" in capsys.readouterr().err


def test_score_names_the_scores_of_average_precision(run, tmp_path, capsys):
    path = tmp_path / "ap.csv"
    path.write_text("id,label,s1,s2\n1,1,.9,.1\n2,0,.8,.2\n3,1,.7,.15\n")
    call = ("score", path, "--metric", "average_precision", "--no-intervals", "--format", "csv", "--columns")
    out = run(*call, "score=s1", "score=s2")
    assert out == run(*call, "predictions=s1", "predictions=s2") and "s1,,,average_precision,3,0.8333" in out
    assert "ap,,,average_precision,3,0.8333" in run(*call, "score=s1")
    assert "taken by" not in capsys.readouterr().err


@pytest.mark.parametrize("metric", ["answer_match", "label_metrics", "factoid_accuracy", "semantic_answer_similarity"])
def test_a_csv_with_one_column_is_read_where_the_column_is_named(run, fail, tmp_path, metric):
    for name, text in (("gold", "q\nfoo\nbar\n"), ("model", "p\nfoo\nbaz\n")):
        (tmp_path / f"{name}.csv").write_text(text)
    files = tmp_path / "gold.csv", tmp_path / "model.csv"
    settings = ["--metric", metric, "--no-intervals", *(["--option", "model=lite"] if metric.startswith("sem") else [])]
    for names in (("references=q", "predictions=p"), ("gold:references=q", "model:predictions=p")):
        assert "0.5" in run("score", *files, *settings, "--columns", *names)
    if metric == "answer_match":  # without names it may be any text
        assert "plain text beginning with 'q', not a gold file" in fail("score", *files)
        assert "plain text beginning with 'p', not predictions" in fail("score", *files, "--columns", "references=q")


# --- roles that the metric does not use, and standard input -----------------------------------------------------------


@pytest.mark.parametrize("metric", FAMILIES)
def test_roles_that_only_other_metrics_use_are_refused(fail, put, metric):
    path = put("t.csv", "id,golds,prediction,x\n1,a,a,b\n")
    files = files_of(get_family(metric).reading.kinds)
    used = {*files.roles, *files.other_roles, *files_of("answer_match").roles, "separator", "run_id"}
    others = [role for role in ROLES if role not in used]
    assert others
    for role in others:
        told = fail("score", path, "--metric", metric, "--columns", f"model:{role}=x", f"{role}=x")
        user = next(name for name, other in all_files().items() if role in other.roles)
        assert f"{files.metric} does not use the role {role}, which {user} uses; omit --columns {role}=" in told
        assert f"score it with --metric {user}" in told
        told = fail("score", put("u.csv", "x,y\n1,2\n"), "--metric", metric, "--columns", "ids=x", f"{role}=x")
        assert f"({files.metric} does not use the role {role}, which {user} uses)" in told


def test_the_message_names_the_role_and_the_missing_columns(fail, put):
    path = put("t.csv", "id,golds,prediction\n1,a,a\n")
    for role, metric in (("documents", "retriever_reader"), ("relevance", "retrieval_ranking")):
        told = fail("score", path, "--columns", f"{role}=golds")
        assert "no column is known to hold" in told
        assert f"(the role {role} belongs to {metric}; for another metric omit --columns {role}=...)" in told
    assert "the role" not in fail("score", put("u.csv", "x,y\n1,2\n"), "--columns", "references=x")


def test_columns_of_standard_input(run, fail, put, monkeypatch):
    model, text = put("model.csv", "uid,prediction\n2,Rome\n1,Paris\n"), "id,key,gold\n1,2,Paris\n2,1,Rome\n"
    for called, exact in (("-:ids=id", 1), ("stdin:ids=id", 1), ("-:ids=key", 0)):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        arguments = ["score", "-", model, "--columns", called, "model:ids=uid", "--format", "json", *QUICK]
        (values,) = values_of(run(*arguments)).values()
        assert values["exact_match"] == exact
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert "standard input: there is no column 'nope'" in fail("score", "-", model, "--columns", "-:ids=nope")
    assert "unrecognized arguments: -x" in fail("score", "-", model, "-x")
