"""qassay.score_files: the numbers of the command line, from Python."""

import json
from pathlib import Path

import pytest

import qassay
from qassay import system_files
from qassay.cli import main

SAMPLES = Path(qassay.__file__).resolve().parent.parent / "samples"


def test_systems_of_files_with_probabilities():
    folder = SAMPLES / "answers"
    names = {"a=b": folder / "small_model.json", "large": folder / "large_model.json"}
    doubts = {"large": folder / "large_model_no_answer.json"}
    found = qassay.score_files(folder / "gold.json", names, no_answer_probabilities=doubts, no_answer_threshold=None)
    assert list(found) == ["a=b", "large"]
    assert "best_f1" in found["large"].measures and "best_f1" not in found["a=b"].measures
    odd = qassay.score_files(
        folder / "gold.json", {"a=b": names["large"]}, no_answer_probabilities={"a=b": doubts["large"]}
    )
    assert odd["a=b"] == found["large"]


def test_metric_options_measures_and_columns(tmp_path):
    runs = {"bm25": SAMPLES / "rankings" / "bm25.run"}
    scores = qassay.score_files(SAMPLES / "rankings" / "qrels.txt", runs, measures=["mrr@5"])["bm25"]
    assert list(scores.measures)[:1] == ["mrr@5"]
    answers = {"small": SAMPLES / "answers" / "small_model.json"}
    name = "semantic_answer_similarity"
    assert (
        qassay.score_files(SAMPLES / "answers" / "gold.json", answers, name, model="lite")["small"].options.family
        == name
    )
    (tmp_path / "table.csv").write_text("mine,right\nin France,France\n")
    columns = {"predictions": "mine", "references": "right"}
    found = qassay.score_files(tmp_path / "table.csv", columns=columns, normalizer="none")
    assert found["table"].summary(["exact_match"]) == {"exact_match": 0.0}


def test_what_cannot_be_scored(tmp_path):
    gold = tmp_path / "gold.json"
    gold.write_text(json.dumps({"a": ["x"]}))
    with pytest.raises(TypeError, match="no option 'normaliser'.*normalizer"):
        qassay.score_files(gold, {"s": gold}, normaliser="squad")
    with pytest.raises(ValueError, match="gold answers only"):
        qassay.score_files(gold)
    with pytest.raises(ValueError, match="probabilities of 'other', but the systems are: s"):
        qassay.score_files(SAMPLES / "answers" / "gold.json", {"s": SAMPLES / "answers" / "small_model.json"},
                          no_answer_probabilities={"other": gold})  # fmt: skip


# --- the gold answers of tables are compared once -----------------------------------------------------------------------


def _command(paths):
    assert main(["score", *map(str, paths), "--no-intervals", "--metric", "all", "--option", "model=lite"]) == 0


def _python(paths):
    qassay.score_files(paths[0], {path.stem: path for path in paths[1:]})


WAYS = [_command, _python]


@pytest.fixture
def tables(tmp_path):
    def put(*heads, last="x"):
        paths = []
        for name, head in zip("abc", heads, strict=False):
            paths.append(tmp_path / f"{name}.csv")
            cells = {"id": "1", "prediction": "x", "gold": last if name == "c" else "x"}
            paths[-1].write_text(f"{head}\n{','.join(cells[column] for column in head.split(','))}\n")
        return paths

    return put


@pytest.mark.parametrize(("way", "gold"), [*((way, "id,gold") for way in WAYS), (_command, "id,prediction,gold")])
def test_each_table_is_compared_once(tables, monkeypatch, way, gold):
    compared = []
    compare = system_files.has_own_gold

    def count(content, *rest):
        compared.append(Path(content.path).name)
        return compare(content, *rest)

    monkeypatch.setattr(system_files, "has_own_gold", count)
    way(tables(gold, "id,prediction,gold", "id,prediction"))
    assert compared == ["b.csv", "c.csv"]


@pytest.mark.parametrize("way", WAYS)
def test_another_gold_answer_is_refused_everywhere(tables, capsys, way):
    paths = tables("id,gold", "id,prediction,gold", "id,prediction,gold", last="y")
    with pytest.raises((ValueError, AssertionError)) as caught:
        way(paths)
    assert "c.csv: the id '1' has ['y'] as gold, but ['x'] in " in f"{caught.value}{capsys.readouterr().err}"


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"gold.json": '{"q1": ["Paris"]}'}, 'give predictions too, as systems={"name": file}'),
        ({"gold.json": '{"q1": ["a"]}', "system.run": "1 Q0 d1 1 0.5 x\n"}, 'add metric="retrieval_ranking"'),
    ],
)
def test_messages_are_worded_for_python(tmp_path, files, words):
    for name, text in files.items():
        (tmp_path / name).write_text(text, "utf-8")
    gold, *systems = (tmp_path / name for name in files)
    with pytest.raises(ValueError) as caught:
        qassay.score_files(gold, {path.stem: path for path in systems} or None)
    assert words in str(caught.value) and "--" not in str(caught.value) and "qassay score" not in str(caught.value)


@pytest.mark.parametrize("argument", ["systems", "no_answer_probabilities"])
def test_input_that_is_not_a_file_is_refused(argument):
    with pytest.raises(TypeError, match=f"{argument} must be .* got int: 3"):
        qassay.score_files("gold.json", **{argument: 3})


def test_a_list_of_files_has_the_names_of_the_command_line():
    folder = SAMPLES / "answers"
    files = [folder / "small_model.json", str(folder / "large_model.json")]
    found = qassay.score_files(folder / "gold.json", files)
    assert found == qassay.score_files(folder / "gold.json", {path.stem: path for path in map(Path, files)})
    assert list(found) == ["small_model", "large_model"]
    assert qassay.score_files(folder / "gold.json", files[0]) == {"small_model": found["small_model"]}
    doubts = [folder / "large_model_no_answer.json"] * 2
    assert qassay.score_files(folder / "gold.json", files, no_answer_probabilities=doubts) == qassay.score_files(
        folder / "gold.json", files, no_answer_probabilities=dict(zip(found, doubts, strict=True))
    )


@pytest.mark.parametrize(
    "gold, system, options",
    [
        ("answers/gold.json", "answers/small_model.json", {}),
        ("rankings/qrels.txt", "rankings/bm25.run", {}),
    ],
)
def test_an_unknown_measure_is_refused(gold, system, options):
    with pytest.raises(ValueError, match="no measure.*nope"):
        qassay.score_files(SAMPLES / gold, [SAMPLES / system], measures=["nope"], **options)


def test_slices_and_groups_of_omitted_rows_without_ids(tmp_path):
    """Examples without ids are called by the places of their rows."""
    rows = [("x", None, "r"), ("y", "y", "s"), ("z", "z", "t")]
    lines = [json.dumps(dict(zip(("gold", "prediction", "article"), row))) for row in rows]
    path = tmp_path / "table.jsonl"
    path.write_text("\n".join(lines))
    (scores,) = qassay.score_files(path, missing="skip", groups="article").values()
    assert scores.ids == [1, 2] and scores.groups.listed() == ["s", "t"]
    gold, answers = tmp_path / "gold.jsonl", tmp_path / "answers.jsonl"
    gold.write_text("\n".join(json.dumps({"gold": gold, "article": article}) for gold, _, article in rows))
    named = [json.dumps({"id": f"q{row}", "prediction": answer}) for row, (_, answer, _) in enumerate(rows)]
    answers.write_text("\n".join(named))
    with pytest.raises(ValueError, match="no ids"):
        qassay.score_files(gold, answers, missing="skip", groups="article")
