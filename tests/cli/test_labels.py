"""`qassay score` with tables of labels, of scores and of boxes, and with sparse rows of labels."""

from pathlib import Path

import pytest
from scipy import sparse

import qassay

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
FOLDER = SAMPLES / "labels"
DESK, RULES = (str(FOLDER / f"{name}.csv") for name in ("desk", "desk_rules"))
ARTICLES = str(FOLDER / "articles.jsonl")
SUBJECTS, OLD, WORDS = (str(FOLDER / f"subjects{name}.txt") for name in ("", "_old", "_words"))
LABELS, CURVES = ("--metric", "label_metrics"), ("--metric", "average_precision")


def matrix_of(path):
    """A file of sparse rows, label by label."""
    header, *lines = Path(path).read_text("utf-8").splitlines()
    cells = [(row, *cell.split(":")) for row, line in enumerate(lines) for cell in line.split()]
    rows, labels, values = zip(*cells, strict=True)
    places = list(rows), list(map(int, labels))
    return sparse.csr_matrix((list(map(float, values)), places), tuple(map(int, header.split())))


def test_propensities(tree, tmp_path):
    """Counts from a training file in both formats, with commas, as a dict and from the function are equal."""
    columns = matrix_of(WORDS), matrix_of(SUBJECTS)
    rows, width = [[0, 3], [1], [], [3, 2], [3]], columns[1].shape[1]
    counts = [sum(label in row for row in rows) for label in range(width)]
    new, old = tmp_path / "train.txt", tmp_path / "old.txt"
    new.write_text(f"5 {width}\n" + "".join(" ".join(f"{x}:1" for x in row) + "\n" for row in rows))
    old.write_text(f"5 9 {width}\n" + "".join(",".join(map(str, row)) + " 4:0.5\n" for row in rows))
    counted = {"label_counts": counts, "n_train": 5, "dataset": "amazon"}
    weights = [1 + label / 4 for label in range(width)]
    listed, sized, amazon = ",".join(map(str, counts)), "n_train=5", "dataset=amazon"
    for given, options in (
        ((f"label_counts={new}", amazon), counted),
        ((f"label_counts={old}", amazon), counted),
        ((f"label_counts={listed}", sized, amazon), counted),
        (("inverse_propensities=" + ",".join(map(str, weights)),), {"inverse_propensities": weights}),
    ):
        found = tree("score", SUBJECTS, WORDS, "--no-intervals", "--option", *given)
        scores = qassay.score("label_metrics", *columns, task="ranked", **options)
        assert found["systems"]["subjects_words"]["values"] == scores.summary(scores.measures)
        assert "psp@3" in scores.measures and found["signature"] == scores.signature()


def test_rows_of_labels_without_scores(values):
    assert values(SUBJECTS, OLD, "--option", "task=multi")["subjects_old"]["exact_match"] == 1
    assert values(SUBJECTS, WORDS) == values(OLD, WORDS, *LABELS)


def test_a_class_that_is_called_none(tree, tmp_path):
    """The text of pos_label is always the name of a class, never None or a number."""
    path = tmp_path / "named.csv"
    for name in ("none", "None", "1"):
        path.write_text(f"id,score,label\na,0.9,{name}\nb,0.2,other\nc,0.4,{name}\n", "utf-8")
        found = tree("score", path, *CURVES, "--no-intervals", "--option", f"pos_label={name}")
        assert found["systems"]["named"]["values"]["positives"] == 2
        signed = "'1'" if name == "1" else name
        assert f"|pos:{signed}|" in found["signature"]


@pytest.mark.parametrize(
    "arguments, words",
    [
        ((DESK, RULES, *CURVES), "desk_rules.csv: row 0: "),
        ((SUBJECTS,), "subjects.txt: "),
        ((DESK, WORDS, *LABELS), "subjects_words.txt: "),
        ((ARTICLES, *LABELS), "articles.jsonl: "),
        ((SUBJECTS, WORDS, "--option", f"label_counts={DESK}"), "desk.csv: these are not sparse rows of labels (XMC)"),
    ],
)
def test_wrong_calls(fail, arguments, words):
    assert words in fail("score", *arguments)
