"""Repeated runs of a system on the command line: several files, a column of runs, pass@k, refused input."""

import csv
import re

import pytest

import qassay

GOLD = [{"id": f"q{row}", "answers": ["yes"], "kind": "ab"[row % 2]} for row in range(12)]
RIGHT = {"seed1": range(6), "seed2": range(3, 7), "seed3": (0, 3, 5, 7, 8, 9, 10)}


def answers(right):
    return {row["id"]: "yes" if place in right else "no" for place, row in enumerate(GOLD)}


def table(*names, runs=RIGHT, rows=range(12)):
    """A CSV of the answers of each run."""
    lines = [
        ",".join({"id": f"q{place}", "prediction": "yes" if place in right else "no", "gold": "yes", "seed": run}[name]
                 for name in names)
        for run, right in runs.items() for place in rows
    ]  # fmt: skip
    return "\n".join([",".join(names), *lines, ""])


@pytest.fixture
def files(put):
    """The gold file, `model=seed1.json,...`, and the file of another system."""
    paths = [put(f"{name}.json", answers(right)) for name, right in RIGHT.items()]
    return put("gold.json", GOLD), f"model={','.join(map(str, paths))}", put("other.json", answers(range(2)))


@pytest.fixture
def expected():
    gold = {row["id"]: row["answers"] for row in GOLD}
    return qassay.runs({name: qassay.score("answer_match", answers(right), gold) for name, right in RIGHT.items()})


def test_several_files_are_runs_of_one_system(tree, files, expected):
    call = ("score", *files, "--measures", "exact_match")
    found = tree(*call, "--pass-at", "1,3")["systems"]
    assert found["model"]["values"] == {
        "exact_match": expected["exact_match"],
        **{name: expected.pass_at([1, 3])[name] for name in ("pass@1", "pass@3")},
    }
    interval = expected.interval(names=["exact_match"])["exact_match"]
    assert found["model"]["intervals"]["exact_match"] == list(interval)
    assert set(found["other"]["values"]) == {"exact_match"} and "runs" not in found["other"]


@pytest.mark.parametrize("gold", [True, False])
def test_a_column_says_which_run_a_row_is_of(tree, put, files, expected, gold):
    names = ["id", "prediction", *(["gold"] if gold else []), "seed"]
    path = put("model.csv", table(*names))
    paths = [path] if gold else [files[0], path]
    found = tree("score", *paths, "--columns", "run_id=seed", "--measures", "exact_match")["systems"]["model"]
    assert found["values"]["exact_match"] == pytest.approx(expected["exact_match"])
    assert found["runs"]["exact_match"]["runs"] == 3
    if gold:
        scores = qassay.score("answer_match", list(csv.DictReader(path.open())), columns={"run_id": "seed"})
        assert scores.run_values(["exact_match"]) == expected.run_values(["exact_match"])
        for systems in ([path, put("other.csv", path.read_text())], [put("n.csv", table("id", "prediction", "seed"))]):
            found = qassay.score_files(path, systems, columns={"run_id": "seed"})
            assert [own.run_values() for own in found.values()] == [expected.run_values()] * len(systems)


def test_a_duplicate_id_says_how_to_name_a_column_of_runs(put, fail, files):
    told = fail("score", files[0], put("runs.csv", table("id", "prediction", "seed")))
    assert "duplicates=" in told and 'with columns={"run_id": "NAME"}\n' in told


def test_input_that_is_not_runs_is_refused(files, put, fail):
    gold, model, other = files
    names = ("id", "prediction", "seed")
    some = {"seed1": range(3), "seed2": range(3)}
    repeated = table(*names, runs=some) + "q0,yes,seed2\n"
    for arguments, told in (
        (("score", gold, put("b.csv", repeated), "--columns", "run_id=seed"), "run seed2: predictions id[12] repeats the id 'q0'"),
        (("score", gold, put("c.csv", table(*names, runs={"s": [1]})), "--columns", "run_id=seed"), "has one run only, 's'"),
        (("score", gold, put("d.csv", table(*names) + "q0,yes,\n"), "--columns", "run_id=seed"), "row 36: the column seed is empty"),
        (("score", gold, put("e.csv", table(*names)), "--columns", "run_id=sead"), "there is no column 'sead' (did you mean 'seed'?); it has: id"),
        (("score", gold, other, "--columns", "run_id=seed"), "a column of runs is for tables of rows"),
        (("score", gold, model, "--pass-at", "4"), "pass@4 needs 4 runs or more; there are 3"),
        (("score", gold, model, "--pass-hat", "1,4"), "pass^4 needs 4 runs or more; there are 3"),
        (("score", gold, other, "--pass-at", "1"), "pass@k and pass^k require a system with several runs"),
        (("score", gold, model, "--output", model.split(",")[1]), "this file is read by the command"),
    ):  # fmt: skip
        assert told in fail(*arguments), arguments


@pytest.mark.parametrize(
    "column, arguments, told",
    [
        ("gold", (), "gold: the question 'q1' has 'yes' in the run seed1 and 'no' in the run seed2"),
        ("weight", (), "weight: the question 'q1' has '1' in the run seed1 and '2' in the run seed2"),
        ("kind", ("--groups", "kind"), "kind: the question 'q1' has 'a' in the run seed1 and 'b' in the run seed2"),
        ("kind", (), ""),
    ],
)
def test_runs_of_a_gold_table_have_the_same_gold_groups_and_weights(put, run, fail, column, arguments, told):
    cells = {"gold": ("yes", "no"), "weight": ("1", "2")}.get(column, ("a", "b"))
    fixed = {"gold": "yes", "kind": "a"} | ({"title": "a"} if column == "title" else {})
    rows = [
        {"id": f"q{n}", "prediction": "yes", **fixed, column: cells[n == 1 and seed == "seed2"], "seed": seed}
        for seed in ("seed1", "seed2")
        for n in range(3)
    ]
    path = put("all.csv", "\n".join([",".join(rows[0]), *(",".join(row.values()) for row in rows), ""]))
    call = ("score", path, "--columns", "run_id=seed", *arguments)
    assert told in (fail if told else run)(*call)
    if told and not arguments:
        with pytest.raises(ValueError, match=told):
            qassay.score("answer_match", rows, columns={"run_id": "seed"})


def test_one_file_has_a_name_too(files, put, tree, fail):
    gold, _, other = files
    found = tree("score", gold, f"mine={other}", other, "--measures", "exact_match")["systems"]
    assert list(found) == ["mine", "other"] and found["mine"] == found["other"]
    whole = put("a=b.json", answers(range(3)))  # an existing path is not split into name and file
    assert list(tree("score", gold, whole)["systems"]) == ["a=b"]
    with_comma = put("x,y.json", answers(range(3)))
    assert list(tree("score", gold, f"mine={with_comma}")["systems"]) == ["mine"]
    assert "mine=none.json" in fail("score", gold, "mine=none.json")
    assert "two systems are called mine" in fail("score", gold, f"mine={other}", f"mine={with_comma}")


def test_files_of_runs_with_different_questions_are_reported_by_count_and_id(put, run):
    ids = [f"q{n}" for n in range(9)]
    gold = put("gold.json", [{"id": q, "answers": ["yes"]} for q in ids])
    paths = [
        put(f"{name}.json", dict.fromkeys(own, "yes"))
        for name, own in (("r1", [*ids[:5], "z9"]), ("r2", [*ids[4:], "z8", "z7"]))
    ]
    told = [r"8 .*4 in r1 \('q5', .*4 in r2 \('q0'", r"3 .*1 in r1, 2 in r2\)"]
    lines = [f"{q},yes,r1" for q in (*ids[:5], "z9")] + [f"{q},yes,r2" for q in (*ids[4:], "z8", "z7")]
    one = put("one.csv", "\n".join(["id,prediction,seed", *lines]))
    for files in ([f"m={paths[0]},{paths[1]}"], [one, "--columns", "run_id=seed"]):
        text = run("score", gold, *files)
        assert all(re.search(line, text) for line in told)
    with pytest.warns(UserWarning, match=told[0]) as caught:
        scores = qassay.score_files(gold, {"m": paths})["m"]
    assert {found.filename for found in caught} == {__file__}
    assert scores["missing"] == 4 and [of["unmatched"] for of in scores.notes_by_run.values()] == [1, 2]
    assert list(scores.each_run()["r2"].subset("missing").ids) == ids[:4]
