"""Tables as people have them: an index of pandas, odd cells, missing values of pandas, weights, and what is refused."""

import json

import numpy as np
import pandas as pd
import pytest

import qassay


def test_a_folder_with_one_log_is_read_as_the_log_itself(tmp_path, run, lm_eval_log):
    for name, right in (("m3", 3), ("m4", 6)):
        (tmp_path / name).mkdir()
        lm_eval_log(tmp_path / name / "samples_t_2026-01-01T00-00-00.000000.jsonl", right)
        (tmp_path / name / "results_2026-01-01T00-00-00.000000.json").write_text("{}", "utf-8")
    folders = tmp_path / "m3", tmp_path / "m4"
    code, out, errors = run("compare", *folders, "--metric", "own_scores", "--format", "json")
    assert code == 0, errors
    assert [one["name"] for one in json.loads(out)["parts"][0]["measures"] if one["shown"]] == ["acc"]


def test_the_index_of_series_has_the_ids():
    judge = pd.Series([0.1, 0.2, 0.9], index=["q1", "q2", "q3"])
    right = pd.Series([1, 0, 0], index=["q3", "q1", "q2"])
    found = qassay.scores_of({"judge": judge, "right": right})
    assert list(found.ids) == ["q1", "q2", "q3"] and found.columns["right"].tolist() == [0, 0, 1]
    assert list(qassay.scores_of({"judge": judge.reset_index(drop=True)}).ids) == [0, 1, 2]
    alone = qassay.scores_of(judge.rename("judge"))
    assert dict(alone) == {"judge": pytest.approx(0.4)} and list(alone.ids) == ["q1", "q2", "q3"]
    filtered = qassay.scores_of({"judge": pd.Series([0.1, 0.9], index=[0, 5])})
    assert list(filtered.ids) == [0, 5]
    with pytest.raises(ValueError, match="other has no ids, but judge has some; give ids=, or all columns by id"):
        qassay.scores_of({"judge": judge.to_dict(), "other": [1, 2, 3]})
    with pytest.raises(ValueError, match=r"judge\[3\] \(id 'q4'\) has no value"):
        qassay.scores_of({"judge": judge, "more": pd.Series([1, 2, 3, 4], index=["q1", "q2", "q3", "q4"])})
    with pytest.raises(ValueError, match="repeats the id 'q1'"):
        qassay.scores_of({"judge": pd.Series([0.1, 0.9], index=["q1", "q1"])})


def test_the_index_of_a_frame_has_the_ids():
    frame = pd.DataFrame({"judge": [0.1, 0.2, 0.9], "topic": ["a", "b", "a"]}, index=["q1", "q2", "q3"])
    assert list(qassay.scores_of(frame).ids) == ["q1", "q2", "q3"]
    named = frame.rename_axis("question")
    assert list(qassay.scores_of(named).ids) == list(qassay.scores_of(named, ids="question").ids) == ["q1", "q2", "q3"]
    first, second = qassay.scores_of(frame), qassay.scores_of(frame[::-1])
    assert qassay.compare({"a": first, "b": second}).differences[0].difference == 0
    assert list(qassay.scores_of(frame.reset_index(drop=True)).ids) == [0, 1, 2]
    assert list(qassay.scores_of(frame.assign(id=["x", "y", "z"])).ids) == ["x", "y", "z"]
    long = pd.concat([frame, frame]).assign(bot=["a"] * 3 + ["b"] * 3)
    assert list(qassay.scores_of(long, system="bot")["b"].ids) == ["q1", "q2", "q3"]
    rows = long.reset_index(drop=True)[1:]  # its index counts rows, over all systems
    assert list(qassay.scores_of(rows, system="bot")["a"].ids) == [0, 1]


ORIENTS = ("columns", "index", "records", "split", "table", "lines", "csv", "parquet")


@pytest.mark.parametrize("index", [None, "qid"])
@pytest.mark.parametrize("form", ORIENTS)
def test_what_pandas_writes(tmp_path, form, index):
    frame = pd.DataFrame({"qid": [f"q{n}" for n in range(9)], "topic": ["a", "b", "c"] * 3, "judge": [n / 8 for n in range(9)],
                          "right": [n % 2 > 0 for n in range(9)], "stars": pd.array([3, None, 5] * 3, dtype="Int64")})  # fmt: skip
    frame = frame.set_index(index) if index else frame
    path = tmp_path / f"a.{form}"
    if form in ("csv", "parquet"):
        getattr(frame, f"to_{form}")(path)
    else:
        lines = {"orient": "records", "lines": True} if form == "lines" else {"orient": form}
        frame.to_json(path, **lines)
    (found,) = qassay.score_files(path, metric="own_scores", groups="topic", missing="skip").values()
    assert dict(found) == {"judge": 0.5, "right": pytest.approx(4 / 9), "stars": 4, "unscored": 3}
    has_ids = index is None or form not in ("records", "lines")
    assert list(found.ids) == ([f"q{n}" for n in range(9)] if has_ids else [*range(9)])
    assert found.groups.labels == ("a", "b", "c")
    for numbers in (frame, frame.reset_index().to_dict("list"), frame.reset_index().to_dict("records")):
        assert dict(qassay.scores_of(numbers, missing="skip")) == dict(found)
    assert list(qassay.scores_of(frame.reset_index().set_index(["qid", "topic"]), missing="skip").ids) == [
        f"q{n}" for n in range(9)
    ]


def test_a_json_object_of_objects_is_read_by_its_longer_side(tmp_path):
    by_measure = {"judge": {"a": 0, "b": 1, "c": 1}, "right": {"c": 1, "b": 0, "a": 0}}
    by_id = {of: {name: by_measure[name][of] for name in by_measure} for of in "abc"}
    for value in (by_measure, by_id):
        (tmp_path / "a.json").write_text(json.dumps(value), "utf-8")
        found = qassay.score_files(tmp_path / "a.json", metric="own_scores")["a"]
        assert found.columns["right"].tolist() == [0, 0, 1] and list(found.ids) == ["a", "b", "c"]
        assert found == qassay.scores_of(value)
    (tmp_path / "a.json").write_text(json.dumps({"a": {"x": 1, "y": 0}, "b": {"x": 0, "y": 1}}), "utf-8")
    with pytest.raises(ValueError, match="this is no table of numbers"):
        qassay.score_files(tmp_path / "a.json", metric="own_scores")


def test_fields_of_objects_are_slices_and_groups(tmp_path, run, lm_eval_log):
    files = [lm_eval_log(tmp_path / f"{name}.jsonl", right) for name, right in (("a", 3), ("b", 6))]
    call = ("compare", *files, "--metric", "own_scores", "--columns", "questions=doc.question")
    code, out, errors = run(*call, "--by", "doc.level", "--groups", "doc.question")
    assert code == 0 and "by doc.level" in out, errors
    code, _, errors = run(*call, "--by", "doc.none")
    assert code == 2 and "no slice 'doc.none'" in errors


@pytest.mark.parametrize("kind", [pd.Series, np.array, pd.Index, list])
def test_ids_groups_and_weights_may_be_any_column(kind):
    numbers = {"judge": [0.1, 0.2, 0.9]}
    given = {"ids": kind(["x", "y", "z"]), "groups": kind(["g", "g", "h"]), "weights": kind([1, 1, 2])}
    found = qassay.scores_of(numbers, **given)
    assert list(found.ids) == ["x", "y", "z"] and dict(found) == pytest.approx({"judge": 2.1 / 4})
    assert dict(qassay.scores_of(pd.DataFrame(numbers), **given)) == dict(found)


@pytest.mark.parametrize("odd", ["failed", "50%", "0,5", "4/5"])
def test_a_column_with_an_odd_cell_is_named(tmp_path, run, odd):
    words = f"row 1: '{odd}' in the column judge is not a number; give one in every row, or leave the cell empty"
    rows = [{"id": n, "judge": 0.5 if n != 1 else odd, "right": n % 2} for n in range(4)]
    with pytest.warns(UserWarning, match=words):
        assert dict(qassay.scores_of(rows)) == {"right": 0.5}
    with pytest.warns(UserWarning, match=words), pytest.raises(ValueError, match="no column of numbers"):
        qassay.scores_of([{"id": row["id"], "judge": row["judge"]} for row in rows])
    pd.DataFrame(rows).to_csv(tmp_path / "a.csv", index=False)
    pd.DataFrame(rows).assign(judge=0.5).to_csv(tmp_path / "b.csv", index=False)
    code, _, errors = run("compare", tmp_path / "a.csv", tmp_path / "b.csv", "--metric", "own_scores")
    assert code == 0 and f"a.csv: {words}" in errors
    code, _, errors = run(
        "score", tmp_path / "a.csv", tmp_path / "b.csv", "--metric", "own_scores", "--measures", "judge"
    )
    assert code == 2 and f"row 1: '{odd}' in the column judge is not a number" in errors


@pytest.mark.parametrize("empty", ["N/A", "<NA>", "#N/A", "", "nan"])
def test_words_for_nothing_are_missing(tmp_path, empty):
    (tmp_path / "a.csv").write_text(f"id,judge\nx,0.5\ny,{empty}\nz,1\n", "utf-8")
    rows = [{"id": "x", "judge": 0.5}, {"id": "y", "judge": empty}, {"id": "z", "judge": 1}]
    from_file = qassay.score_files(tmp_path / "a.csv", None, "own_scores", missing="skip")["a"]
    assert dict(from_file) == dict(qassay.scores_of(rows, missing="skip")) == {"judge": 0.75, "unscored": 1}


@pytest.mark.parametrize("kind", ["Int64", "Float64", "boolean"])
def test_missing_values_of_pandas(kind):
    column = pd.Series([1, None, 0, 1], dtype=kind)
    expected = {"f": pytest.approx(2 / 3), "unscored": 1}
    for numbers in ({"f": column}, pd.DataFrame({"f": column})):
        assert dict(qassay.scores_of(numbers, missing="skip")) == expected
        with pytest.raises(ValueError, match=r"f\[1\] .*has no value \(1 of 4 have none\)|f\[1\] has no value"):
            qassay.scores_of(numbers)


def test_numbers_by_id_in_another_form_are_refused(tmp_path, run):
    (tmp_path / "a.json").write_text('{"q1": 0.5, "q2": 0.7}', "utf-8")
    code, _, errors = run("score", tmp_path / "a.json", "--metric", "own_scores")
    assert code == 2 and "a.json: this is no table of numbers; give a row for each example, such as [{" in errors
    for numbers in ({"q1": 0.5, "q2": 0.7}, {"a": {"x": 1}}):  # by id, or by measure
        with pytest.raises(ValueError, match="this is no table of numbers"):
            qassay.scores_of(numbers)
    by_id = qassay.scores_of({name: {"x": 1, "y": 2} for name in "abc"})
    assert (dict(by_id), list(by_id.ids)) == ({"x": 1, "y": 2}, ["a", "b", "c"])
    with pytest.raises(ValueError, match="g has the id 'c'"):
        qassay.scores_of({"f": {"a": 1, "b": 1}, "g": {"a": 1, "b": 1, "c": 0}})


def test_weights_of_a_table_of_text(tmp_path, run):
    (tmp_path / "a.csv").write_text("id,judge,weight\nx,0.5,1\ny,1,3\n", "utf-8")
    assert qassay.score_files(tmp_path / "a.csv", None, "own_scores")["a"]["judge"] == 0.875
    (tmp_path / "a.csv").write_text("id,judge,weight\nx,0.5,1\ny,1,heavy\n", "utf-8")
    code, _, errors = run("score", tmp_path / "a.csv", "--metric", "own_scores")
    assert code == 2 and "row 1: 'heavy' in the column weight is not a number" in errors


@pytest.mark.parametrize("name", ["a.csv", "a.tsv"])
def test_a_table_without_rows(tmp_path, run, name):
    (tmp_path / name).write_text("id,judge\n" if name == "a.csv" else "id\tjudge\n", "utf-8")
    for more in ((), ("--columns", "system=id")):
        code, _, errors = run("score", tmp_path / name, "--metric", "own_scores", *more)
        assert code == 2 and len(errors.strip().splitlines()) == 1 and "rows" in errors, errors
    with pytest.raises(ValueError, match="this table has no rows; give a row for each example"):
        qassay.scores_of(pd.DataFrame({"judge": []}))


def test_0_for_a_missing_number_is_refused_where_lower_is_better():
    values = {"seconds": [1.0, None], "right": [1, 0]}
    with pytest.raises(ValueError, match=r"seconds\[1\].*0 would be the best since lower is better; give missing=skip"):
        qassay.scores_of(values, missing="zero", lower_is_better="seconds")
    found = qassay.scores_of({"seconds": [1.0, 2.0], "right": [1, None]}, missing="zero", lower_is_better="seconds")
    assert dict(found) == {"seconds": 1.5, "right": 0.5, "unscored": 1}


def test_several_data_sets_on_the_command_line(tmp_path, run):
    for data_set, most, more in (("one", 1, {}), ("two", 5, {"extra": 1})):
        rows = [{"id": n, "bot": bot, "judge": n % 3 / 2 * most, "right": (n + (bot == "b")) % 2, **more} for bot in "ab" for n in range(30)]  # fmt: skip
        pd.DataFrame(rows).to_csv(tmp_path / f"{data_set}.csv", index=False)
        for bot in "ab":
            pd.DataFrame([row for row in rows if row["bot"] == bot]).to_csv(
                tmp_path / f"{data_set}_{bot}.csv", index=False
            )
    one, two = tmp_path / "one.csv", tmp_path / "two.csv"
    arguments = ["leaderboard", one, "--set", "two", two, "--columns", "system=bot", "--format", "json"]
    code, out, errors = run(*arguments)
    assert code == 0, errors
    assert "not all tables have extra: omitted" in errors and "unbounded:judge" in out
    first, second = (
        [f"{bot}={tmp_path}/{of}_{bot}.csv" for bot in "ab"] for of in ("one", "two")
    )  # a table for each system
    code, out, errors = run("leaderboard", *first, "--metric", "own_scores", "--set", "two", *second)
    assert code == 0 and "one_a" in out and "two" in out, errors
    pd.read_csv(two)[["id", "bot", "extra"]].to_csv(two, index=False)
    code, _, errors = run(*arguments)
    assert code == 2 and "two.csv: there is no column of numbers 'judge', which another table has" in errors


def test_a_leaderboard_shows_all_measures(tmp_path, run):
    for system in ("a", "b"):
        pd.DataFrame([{"id": n, **{f"m{k}": n % (k + 2) % 2 for k in range(10)}} for n in range(20)]).to_csv(
            tmp_path / f"{system}.csv", index=False
        )
    code, out, _ = run("leaderboard", tmp_path / "a.csv", tmp_path / "b.csv", "--metric", "own_scores", "--output", tmp_path / "b.json")  # fmt: skip
    text = (tmp_path / "b.json").read_text("utf-8")
    assert code == 0 and "m7" in text and json.loads(text)
