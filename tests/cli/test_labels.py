"""`qassay score` with tables of labels, of scores and of boxes."""

from pathlib import Path

import pytest

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
FOLDER = SAMPLES / "labels"
DESK, RULES = (str(FOLDER / f"{name}.csv") for name in ("desk", "desk_rules"))
ARTICLES = str(FOLDER / "articles.jsonl")
SUBJECTS, WORDS = (str(FOLDER / f"subjects{name}.jsonl") for name in ("", "_words"))
LABELS, CURVES = ("--metric", "label_metrics"), ("--metric", "average_precision")


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
        ((SUBJECTS, *LABELS), "subjects.jsonl: "),
        ((DESK, WORDS, *LABELS), "subjects_words.jsonl: "),
        ((ARTICLES, *LABELS), "articles.jsonl: "),
    ],
)
def test_wrong_calls(fail, arguments, words):
    assert words in fail("score", *arguments)
