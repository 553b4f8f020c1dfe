"""`qassay calibrate`: columns of the file of labels, bad input."""

from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "samples" / "answers"
FILES = (FOLDER / "gold.json", FOLDER / "large_model.json")
LABELS = FOLDER / "large_model_labels.csv"


def test_columns_of_the_file_of_labels(tree, put):
    text = LABELS.read_text("utf-8").replace("id,label", "uid,right")
    votes = put("votes.csv", text)
    named = ("--label-columns", "ids=uid", "labels=right")
    found = tree("calibrate", *FILES, "--labels", votes, *named)
    assert found == tree("calibrate", *FILES, "--labels", LABELS)


def test_bad_input(fail, put, tmp_path):
    unknown = put("labels.csv", LABELS.read_text("utf-8") + "nobody-1,1\n")
    few = put("few.csv", "".join(LABELS.read_text("utf-8").splitlines(keepends=True)[:5]))
    for message, *arguments in (
        ("--labels FILE is missing",),
        ("labels.csv: 1 of 41 labels have unknown ids, such as 'nobody-1'", "--labels", unknown),
        ("few.csv: 4 labels are too few", "--labels", few),
        ("none.csv", "--labels", tmp_path / "none.csv"),
        ("--next", "--next", "0"),
        ("got metrics: 1, systems: 2, files of labels: 1", FOLDER / "small_model.json", "--labels", LABELS),
        ("'ppi2'", "--labels", LABELS, "--method", "ppi2"),
        ("--output", "--labels", LABELS, "--output", LABELS),
        ("ROLE=NAME", "--labels", LABELS, "--label-columns", "x"),
    ):
        assert message in fail("calibrate", *FILES, *arguments)
    message = fail("calibrate", FILES[0], FOLDER / "sampled_model.csv", "--columns", "run_id=seed", "--labels", LABELS)
    assert "one run" in message
