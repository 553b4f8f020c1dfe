"""Numbers of other tools: values, intervals and tests equal scipy's; what tables and frames may hold, and what is refused."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import qassay

IDS = [f"q{n}" for n in range(40)]
SHARP = {
    "judge": [1 + n * 7 % 5 for n in range(40)],
    "right": [n % 4 > 0 for n in range(40)],
    "seconds": [2.0 + n % 3 for n in range(40)],
}
BLUNT = {
    "judge": [1 + n * 3 % 4 for n in range(40)],
    "right": [n % 3 > 0 for n in range(40)],
    "seconds": [1.0 + n % 4 for n in range(40)],
}
LOWER = {"lower_is_better": ["seconds"]}


def rows(system=None, values=SHARP, **more):
    named = {} if system is None else {"system": system}
    return [
        {"id": i, **named, "topic": "law" if n % 2 else "art", **{k: v[n] for k, v in values.items()}, **more}
        for n, i in enumerate(IDS)
    ]


def test_values_intervals_and_tests_are_those_of_scipy():
    sharp, blunt = (qassay.scores_of(of, IDS, **LOWER) for of in (SHARP, BLUNT))
    assert dict(sharp) == {"judge": 3.0, "right": 0.75, "seconds": 2.975}
    found = sharp.interval()
    t = stats.t.interval(0.95, 39, np.mean(SHARP["judge"]), stats.sem(SHARP["judge"]))
    assert found["judge"] == pytest.approx(t, abs=1e-12)
    assert found["judge"] == pytest.approx((2.5419507048, 3.4580492952), abs=1e-9)  # t.interval of scipy
    wilson = stats.binomtest(30, 40).proportion_ci(0.95, "wilson")
    assert found["right"] == pytest.approx((wilson.low, wilson.high), abs=1e-12)
    compared = qassay.compare({"blunt": blunt, "sharp": sharp}, test="t", correction="none")
    paired = stats.ttest_rel(SHARP["seconds"], BLUNT["seconds"])
    assert compared.differences[2].p_value == pytest.approx(paired.pvalue, abs=1e-12)
    assert compared.differences[2].lower_is_better and not compared.differences[0].lower_is_better
    assert sharp.signature().startswith("own_scores|lower:seconds|unbounded:judge,seconds|")
    assert qassay.from_signature(sharp.signature()) == sharp.options
    assert qassay.leaderboard({"blunt": blunt, "sharp": sharp}, "seconds").names == ["blunt", "sharp"]


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_a_file_a_frame_and_columns_give_the_same(tmp_path, form):
    frame = pd.DataFrame([*rows("sharp"), *rows("blunt", BLUNT)])
    path = tmp_path / f"long.{form}"
    {"csv": lambda: frame.to_csv(path), "jsonl": lambda: frame.to_json(path, orient="records", lines=True),
     "parquet": lambda: frame.to_parquet(path)}[form]()  # fmt: skip
    from_frame = qassay.scores_of(frame, system="system", groups="topic", **LOWER)
    files = qassay.score_files(path, metric="own_scores", columns={"system": "system"}, groups="topic", **LOWER)
    for name, values in (("sharp", SHARP), ("blunt", BLUNT)):
        topics = ["law" if n % 2 else "art" for n in range(40)]
        plain = qassay.scores_of(values, IDS, topics, unbounded=["judge", "seconds"], **LOWER)
        assert from_frame[name] == files[name] == plain


def test_bounds_are_those_of_all_systems():
    frame = pd.DataFrame([*rows("a", {"loss": [0.5] * 40}), *rows("b", {"loss": [1.5] * 40})])
    found = qassay.scores_of(frame, system="system")
    assert found["a"].measures["loss"].bounds is None
    alone = qassay.scores_of({"loss": [0.5] * 40}, IDS)
    assert alone.measures["loss"].bounds == (0, 1)
    with pytest.raises(ValueError, match="unbounded"):
        qassay.compare({"a": alone, "b": found["b"]})


def test_a_missing_number_is_refused_omitted_or_0():
    values = {"f": [0.5, float("nan"), 1.0, None], "g": [1, 0, 1, 0]}
    with pytest.raises(ValueError, match=r"f\[1\] \(id 'q1'\) has no value \(2 of 4 have none\); missing=skip"):
        qassay.scores_of(values, IDS[:4])
    assert dict(qassay.scores_of(values, IDS[:4], missing="skip")) == {"f": 0.75, "g": 0.5, "unscored": 2}
    assert dict(qassay.scores_of(values, IDS[:4], missing="zero")) == {"f": 0.375, "g": 0.5, "unscored": 2}
    with pytest.raises(ValueError, match="unscored is the count .*rename the measure"):
        qassay.scores_of({"unscored": [1, 0]}, missing="skip")


def test_what_ragas_writes(tmp_path, run):
    for name, gain in (("a", 0.0), ("b", 0.2)):
        table = [
            {"user_input": f"Who is {n}?", "retrieved_contexts": ["x", "y"], "response": f"{name}{n}", "reference": "z",
             "faithfulness": float("nan") if n == 3 else n % 5 / 5 + gain, "answer_relevancy": 0.5 + gain}
            for n in range(20)
        ]  # fmt: skip
        pd.DataFrame(table).to_csv(tmp_path / f"{name}.csv", index=name == "b")
    files = [tmp_path / "a.csv", tmp_path / "b.csv", "--metric", "own_scores", "--columns", "ids=user_input"]
    code, _, errors = run("compare", *files)
    assert code == 2 and "a.csv: faithfulness[3] (id 'Who is 3?') has no value" in errors and "Traceback" not in errors
    code, out, errors = run("compare", *files, "--option", "missing=skip", "--format", "json")
    (part,) = json.loads(out)["parts"]
    assert code == 0 and errors == ""
    assert [one["name"] for one in part["measures"] if one["shown"]] == ["faithfulness", "answer_relevancy"]
    _, out, _ = run("compare", *files, "--option", "missing=skip", "--report", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text("utf-8")
    assert "1 without a number of some measure: omitted there" in out and "Who is 0?" in page and "b0" in page


def test_what_lm_eval_writes(tmp_path, run, lm_eval_log):
    files = [
        lm_eval_log(tmp_path / f"samples_{of}.jsonl", right, ("none", "strict")) for of, right in (("a", 3), ("b", 6))
    ]
    code, _, errors = run("compare", *files, "--metric", "own_scores")
    assert code == 2 and "column doc_id[1] repeats the id 0" in errors and "system" in errors
    code, out, _ = run("score", *files, "--columns", "system=filter", "questions=doc.question", "--format", "json")
    systems = ["samples_a/none", "samples_a/strict", "samples_b/none", "samples_b/strict"]
    assert code == 0 and [of["name"] for of in json.loads(out)["systems"]] == systems
    found = qassay.score_files(files[0], {"b": str(files[1])}, "own_scores", columns={"system": "filter"})
    assert found["b/none"]["acc"] == 0.6


def test_a_run_of_a_system_in_two_files_is_refused(tmp_path):
    files = [tmp_path / name for name in ("a.csv", "b.csv")]
    for path in files:
        path.write_text("id,bot,seed,judge\n1,a,1,0\n1,a,2,1\n")
    with pytest.raises(ValueError, match="b.csv: the run '1' of 'a' is in a file before too"):
        qassay.score_files(f"x={files[0]},{files[1]}", [], "own_scores", columns={"system": "bot", "run_id": "seed"})


def test_other_questions_under_one_id_are_refused(tmp_path, run):
    first, second = rows(question="Who?"), rows(values=BLUNT, question="Who?")
    second[7]["question"] = "Where?"
    for name, table in (("first", first), ("second", second)):
        pd.DataFrame(table).to_csv(tmp_path / f"{name}.csv", index=False)
    for command in ("compare", "leaderboard"):
        code, _, errors = run(command, tmp_path / "first.csv", tmp_path / "second.csv", "--metric", "own_scores")
        assert code == 2 and "example 'q7' differs in its questions" in errors


def test_runs_folders_slices_and_examples(tmp_path, run):
    folder = tmp_path / "systems"
    folder.mkdir()
    for name, values in (("sharp", SHARP), ("blunt", BLUNT)):
        pd.DataFrame([{**row, "seed": seed} for seed in (1, 2) for row in rows(values=values)]).to_csv(
            folder / f"{name}.csv", index=False
        )
    settings = ["--metric", "own_scores", "--columns", "run_id=seed", "--measures", "judge", "right", "--by", "topic"]
    code, out, errors = run("leaderboard", folder, *settings, "--per-example", tmp_path / "rows.csv")
    assert code == 0 and "law" in out and errors == ""
    assert pd.read_csv(tmp_path / "rows.csv").columns.tolist()[:4] == ["id", "system", "judge", "right"]
    assert qassay.score_files(folder, None, "own_scores", columns={"run_id": "seed"})["sharp"].n_runs == 2


@pytest.mark.parametrize(
    ("numbers", "more", "words"),
    [
        ({"f": [1, 2]}, {"ids": ["a", "a"]}, r"ids\[1\] repeats the id 'a'"),
        ({"f": ["x", 1]}, {}, "there is no column of numbers; it has: f"),
        ({"f": [float("inf")]}, {}, r"f\[0\] is inf; give a finite number"),
        ({"f": [1, 2], "g": [1]}, {}, "columns have different lengths: f 2, g 1"),
        ({"f": {"a": 1, "b": 2}, "g": {"a": 1}}, {}, "g has no value for the id 'b'"),
        ({}, {}, "no table of numbers"),
        ({"f": []}, {}, "this table has no rows"),
        ({"f": [1]}, {"lower_is_better": ["loss"]}, "lower_is_better lists 'loss', but the measures are: f"),
        ({"f": [1]}, {"measures": "ff"}, "there is no column 'ff'.*it has: f"),
        ([{"id": 1, "f": 1}, {"id": 1, "f": 2}], {}, 'name their column: system="NAME"'),
        ([{"id": 1, "f": "x"}], {}, "no column of numbers; it has: id, f$"),
        ([{"id": 1, "gold": "x", "prediction": "y"}], {}, "prediction; answers of several systems need a file"),
        ([{"id": 1, "f": "x"}], {"measures": "f"}, "row 0: 'x' in the column f is not a number"),
        ([{"id": 1, "f": 1}], {"system": "bot"}, "there is no column 'bot'"),
        ([1, 2], {}, "no table of numbers"),
        ([{"id": 1, "f": 1, "of": of, "kind": of} for of in "ab"], {"system": "of", "groups": "kind"}, "kind differs between"),
    ],
)  # fmt: skip
def test_what_is_refused(numbers, more, words):
    with pytest.raises((TypeError, ValueError), match=words):
        qassay.scores_of(numbers, **more)


def test_texts_beside_columns_are_not_read_and_ids_may_be_a_column():
    found = qassay.scores_of({"id": ["a", "b"], "f1": [0.5, 1.0], "hashcode": "roberta"}, ids="id")
    assert (dict(found), list(found.ids)) == ({"f1": 0.75}, ["a", "b"])


def test_series_with_the_index_of_the_ids_are_in_their_order():
    part = pd.DataFrame({"id": IDS, "judge": SHARP["judge"]})[10:20]
    for ids in (part.id, part.id.tolist()):
        found = qassay.scores_of({"judge": part.judge}, ids)
        assert found.ids == IDS[10:20] and found.columns["judge"].tolist() == SHARP["judge"][10:20]
    numbered = pd.DataFrame({"id": range(11, 14), "judge": [1, 2, 3]}, index=range(10, 13))  # ids like the index
    assert qassay.scores_of({"judge": numbered.judge}, numbered.id).columns["judge"].tolist() == [1, 2, 3]
    by_id = part.set_index("id").judge
    assert qassay.scores_of({"judge": by_id}, part.id[::-1]).columns["judge"].tolist() == SHARP["judge"][10:20][::-1]


def test_wide_tables_need_the_same_names_of_measures():
    first, second = qassay.scores_of({"judge_a": [1, 0]}), qassay.scores_of({"judge_b": [1, 1]})
    with pytest.raises(ValueError, match="a has judge_a; b has judge_b; give the same measure the same name"):
        qassay.compare({"a": first, "b": second})


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--no-answer-probabilities", "a.csv"], "own_scores does not use no-answer probabilities"),
        (["--metric", "answer_match"], "own_scores, .* is scored by itself; omit answer_match"),
        (["--format", "trec_eval"], "--format trec_eval is for retrieval_ranking"),
    ],
)
def test_what_is_for_answers_is_refused(tmp_path, monkeypatch, run, arguments, words):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text("id,bot,judge\n1,a,0.5\n", "utf-8")
    code, _, errors = run("score", "a.csv", "--columns", "system=bot", *arguments)
    assert code == 2 and re.search(words, errors)


def test_confidences_of_numbers(tmp_path):
    (tmp_path / "a.csv").write_text("id,right,confidence\n1,1,0.9\n2,0,0.2\n", "utf-8")
    (found,) = qassay.score_files(tmp_path / "a.csv", None, "own_scores", confidences=[tmp_path / "a.csv"]).values()
    assert {name for name in found.measures if name.startswith("aurc")}
