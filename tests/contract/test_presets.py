"""Every preset has golden numbers of its official script, a source, and a line in the card of its metric."""

import importlib
import json
import math
from pathlib import Path

import pytest

import qassay
from qassay.core.options import keyword_names
from qassay.registry import FAMILIES, all_presets, find_preset, get_family

PRESETS = all_presets()
ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "data" / "presets"
ELSEWHERE = {  # golden numbers that another test has
    "bioasq": "tests/factoid_accuracy/test_scoring.py",
    "trec_eval": "tests/retrieval_ranking/test_parity.py",
    "nlpcc": "tests/retrieval_ranking/test_parity.py",
    "piaf": "tests/retriever_reader/test_scoring.py",
    **dict.fromkeys(
        ("simpleqa", "longmemeval", "nuggets", "alce", "ragchecker"), "tests/claim_support/test_official.py"
    ),
}
ONE_OF_EACH = [
    *{name.partition(":")[0]: name for name in PRESETS if name not in ELSEWHERE}.values()
]  # one of mkqa:LANG


@pytest.fixture(scope="session")
def rows(load_script):
    return load_script("rows")


def _preset(name):
    """The metric and the preset of a name; the test is skipped where it needs jieba or nltk, which is not there."""
    metric, preset = PRESETS[name]
    if preset.options.get("normalizer") == "jieba":
        pytest.importorskip("jieba")
    if name == "locomo":
        pytest.importorskip("nltk")
    return metric, preset


def test_every_preset_has_golden_numbers(rows):
    wanted = {rows.golden_file(name) for name in PRESETS.keys() - ELSEWHERE.keys()}
    assert {path.name for path in GOLDEN.glob("*.json")} == wanted
    for name, path in ELSEWHERE.items():
        assert f'preset="{name}"' in (ROOT / path).read_text()


@pytest.mark.parametrize("name", [name for name in PRESETS if name not in ELSEWHERE])
def test_numbers_of_the_official_script(name, rows):
    """Per row to the last bit; totals as the script adds them up, up to the order of its additions."""
    metric, preset = _preset(name)
    golden = json.loads((GOLDEN / rows.golden_file(name)).read_text())
    columns = rows.columns_of(golden["rows"], golden["seed"], golden["n"])
    assert rows.rows_hash(columns) == golden["hash"]
    scores = qassay.score(metric, **columns, preset=name)
    assert len(scores) == golden["n"] >= 200
    for measure, packed in golden["measures"].items():
        official = rows.unpack(packed)
        found = [None if math.isnan(value) else value for value in scores.columns[measure].tolist()]
        wrong = [row for row in range(golden["n"]) if official[row] != found[row]]
        shown = [
            (row, official[row], found[row], columns["predictions"][row], columns["references"][row]) for row in wrong
        ]
        assert not shown, (measure, shown[:3])
        assert len(set(official)) > 1, f"{measure} is the same in every row"
    for measure, (official, scale) in golden["totals"].items():
        assert math.isclose(scores[measure] * scale, official, rel_tol=1e-12), measure
    assert golden["measures"] or golden["totals"]
    if name in ONE_OF_EACH:
        _one_by_one(qassay.scorer(metric, preset=name), columns, golden, rows)
        _in_batches_and_tables(scores, columns, preset)


def _one_by_one(scorer, columns, golden, rows):
    """The same numbers example by example, if there is a fast path."""
    if get_family(scorer.metric).one(scorer.options) is None:
        return
    found = scorer.many(
        **{{"predictions": "predictions", "references": "golds"}.get(n, n): c for n, c in columns.items()}
    )
    for measure, packed in golden["measures"].items():
        official = rows.unpack(packed)
        assert [row.get(measure) for row in found] == official, measure


def _in_batches_and_tables(scores, columns, preset):
    """Batches give the result of one call; a table shows the measures."""
    stream, half = qassay.stream(scores.options.family, preset=preset.name), len(scores) // 4 * 2
    for part in (slice(0, half), slice(half, None)):
        stream.add(**{key: _part(column, part) for key, column in columns.items()})
    assert stream.scores() == scores
    about = get_family(scores.options.family).about
    shown = about.usual_measures(scores)
    assert not preset.measures or {measure.partition("@")[0] for measure in shown} == {*preset.measures}
    assert {*about.main_measures(scores)} <= {*shown}
    kinds = about.errors.of(scores)
    assert kinds is None or len(kinds) == len(scores)


def _part(column, rows):
    """Some rows of a column, or of each column of a dict of them."""
    return {key: of[rows] for key, of in column.items()} if isinstance(column, dict) else column[rows]


def test_what_a_preset_says():
    for name, (metric, preset) in PRESETS.items():
        options_class = get_family(metric).load()[1]
        assert preset.name == name and preset.line and preset.source
        assert preset.options.keys() <= {*keyword_names(options_class)} - {"preset"}, name
        made = options_class(preset=name)
        assert qassay.from_signature(made.signature()).signature() == made.signature()
        assert made.of_preset is preset and made.keywords()["preset"] == name
        assert options_class.of_config(name, {}) == options_class(**options_class.config_options(name))
        assert find_preset(name) == PRESETS[name]
    assert len(PRESETS) == sum(len(family.load()[1].presets) for family in FAMILIES.values()), "a name is in one metric"


def test_the_page_and_the_cards_list_the_presets(monkeypatch):
    """`python docs/building/preset_table.py` writes the tables."""
    monkeypatch.syspath_prepend(ROOT / "docs" / "building")
    tables = importlib.import_module("preset_table")
    page = (ROOT / "docs" / "presets.md").read_text(encoding="utf-8")
    assert tables.with_table(page) == page
    for metric in {metric for metric, _ in PRESETS.values()}:
        card = (ROOT / "metrics" / metric / "README.md").read_text(encoding="utf-8")
        assert tables.card_with_table(card, metric) == card, metric
