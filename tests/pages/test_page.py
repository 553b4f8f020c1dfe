"""The pages of the metrics: input, limits, escaping and tables, without a server."""

import csv
import gzip
import inspect
import io
import json
import math
import re

import pytest

import qassay
from qassay.pages import limits, page
from qassay.pages.limits import InputError
from qassay.pages.page import check_upload, example_text, outcome, parse_column, parse_options_box
from qassay.pages.result_view import values_html
from qassay.registry import get_family
from qassay.semantic_answer_similarity.module import SemanticAnswerSimilarity

from .conftest import ATTACK, app

METRICS = qassay.list_metrics()


def example_of(shown):
    return {name: example_text(value) for name, value in shown.example.items()}


# --- the pages of all metrics ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["answer_match", "retrieval_ranking", "label_metrics"])
def test_the_example_scores_as_the_metric_does(name):
    shown = app(name)
    assert (shown.name, len(shown.columns)) == (name, 2)
    found = shown.score(example_of(shown), {}, shown.options.replace("level=0.9", ""))
    options = {**parse_options_box(shown.options.replace("level=0.9", ""), []), **shown.fixed}
    direct = qassay.load(name).compute(**shown.example, **options, level=0.95)
    values = {row[0]: row[1:] for row in found.measures}
    for key, value in direct.items():
        measure, _, end = key.rpartition("_")
        cells = values[measure][1:] if end in ("low", "high") else values[key][:1]
        assert (f"{value:.4f}" if isinstance(value, float) else str(value)) in cells, key
    assert found.signature.startswith(f"{name}|") and found.header[0] == "id"
    assert len(found.shown) == len(found.examples) == direct["total"]


# --- what is read ---------------------------------------------------------------------------------------------------


def test_a_regular_expression_of_a_visitor_is_refused():
    """It can take seconds."""
    for box in ("extract=regex:(a+)+$", '{"extract": "regex:(a+)+$"}'):
        with pytest.raises(InputError, match="regular expression"):
            parse_options_box(box, [])


def test_options_that_are_refused():
    for text, message in {
        "normalizer": "'normalizer'",
        "unit=token\nunit=character": "'unit'",
        '{"unit": "token",}': "options: .*JSON",
        "n_resamples=1e9": "n_resamples is at most 10,000",
        "labels=1000001": "labels is at most 1,000,000",
        "x" * 2_001: "2,001 .*at most 2,000",
    }.items():
        with pytest.raises(InputError, match=message):
            parse_options_box(text, ["predictions", "references"])


CLOSED = (
    "model", "revision", "mode", "encoder", "encoder_revision", "symmetric", "dtype", "backend", "max_length", "device",
    "batch_size", "trust_remote_code", "progress", "questions", "confidences",
)  # fmt: skip


def test_visitors_cannot_have_a_model_fetched_or_run():
    shown = app("semantic_answer_similarity")
    for name in CLOSED:
        with pytest.raises(InputError, match=f"options: {name} "):
            shown.score(example_of(shown), {}, f"{name}=lite")
    parameters = inspect.signature(SemanticAnswerSimilarity._compute).parameters
    free = {*get_family(shown.name).page_options, "level", "n_resamples", "bootstrap_seed", "interval_method"}
    own = {"self", *shown.columns, *shown.optional, "per_example", "signature", "counts", "safe_names"}
    assert {*parameters} - own == {*free, *CLOSED} and not free & {*CLOSED}


def test_rows_that_meet_too_many_values_are_refused():
    many = json.dumps({"q": [f"answer {place}" for place in range(2_000)]})
    with pytest.raises(InputError, match=r"4,000,000 .*at most 3,000"):
        app("answer_match").score({"predictions": many, "references": many}, {}, "top_k=2000")
    rows = [[{"id": key, "answers": ["x"] * 2_000} for key in keys] for keys in ("abc", "cab")]
    with pytest.raises(InputError, match="comparisons"):
        limits.check_pairs(*rows)


def test_limits_of_boxes_and_rows(answers, monkeypatch):
    monkeypatch.setattr(page, "MAX_TEXT", 40)
    with pytest.raises(InputError, match="predictions: 45 .*at most 40"):
        answers.score({"predictions": json.dumps(["a" * 41]), "references": '[["a"]]'}, {})
    monkeypatch.setattr(limits, "MAX_ROWS", 2)
    assert parse_column("predictions", '["a", "b"]') == ["a", "b"]
    for column in ('["a", "b", "c"]', '{"1": "a", "2": "b", "3": "c"}'):
        with pytest.raises(InputError, match="predictions: 3 rows .*at most 2"):
            parse_column("predictions", column)


def test_files_are_checked_before_they_are_read(answers, rankings, upload, monkeypatch):
    wide = upload("wide.csv", ";".join(map(str, range(1_001))) + "\n")
    with pytest.raises(InputError, match=r"^wide.csv: too many columns"):
        answers.score({}, {"references": wide})
    monkeypatch.setattr("qassay.pages.uploads.MAX_ROWS", 2)
    qrels = upload("qrels.txt", "q 0 a 1\nq 0 b 1\nq 0 c 1\n")
    with pytest.raises(InputError, match=r"^qrels.txt: 3 lines are too many; at most 2"):
        rankings.score({}, {"qrels": qrels})


# --- files ----------------------------------------------------------------------------------------------------------


@pytest.fixture()
def upload(tmp_path):
    def write(name, content):
        path = tmp_path / "0123abcd" / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    return write


@pytest.fixture
def both(upload):
    """`both(predictions, references)`: an upload of each."""

    def write(predictions, references):
        return {"predictions": upload("p.json", predictions), "references": upload("r.json", references)}

    return write


def test_values_of_boxes_are_limited(monkeypatch):
    monkeypatch.setattr(limits, "MAX_VALUES_OF_ROW", 3)
    assert parse_column("run", '{"q1": {"a": 1, "b": 1, "c": 1}, "q2": [[], {}, ""]}')
    for text, where in (('[["a"], ["a", ["b", {"c": 1, "d": 2}]]]', "[1]"), ('{"q": ["a", "b", [], {}]}', "['q']")):
        with pytest.raises(InputError, match=f"^{re.escape(f'run{where}: 4 values')}"):
            parse_column("run", text)
    monkeypatch.setattr(limits, "MAX_VALUES", 4)
    with pytest.raises(InputError, match="^run: more than 4 values"):
        parse_column("run", '[["a", "b", "c"], ["d", "e"]]')


def test_uploads_that_are_refused(upload, monkeypatch):
    monkeypatch.setattr(page, "MAX_FILE", 100)
    for content, message in {
        gzip.compress(b'["a"]', mtime=0): "UTF-8",
        b"PK\x03\x04\x14\x00\x00": "plain text",
        b"PAR1\x15\x04\x15\x00": "plain text",
        '["a\u00e9"]'.encode("latin-1"): "byte 3 of",
        b"x" * 101: "larger",
    }.items():
        with pytest.raises(InputError, match=message):
            check_upload("predictions", upload("up.json", content))


# --- what is shown --------------------------------------------------------------------------------------------------


def test_tables_and_download():
    ids = ["=1+1", "@x", "-5", ATTACK, "\ud800", 7] + list(range(400))
    result = {
        "f1": 1 / 3,
        "f1_low": 0.0,
        "f1_high": 1.0,
        "best_threshold": -math.inf,
        "total": len(ids),
        "per_example": {"id": ids, "f1": [math.nan] + [1 / 3] * (len(ids) - 1), "missing": [True] + [False] * 405},
        "signature": "s|v:1",
    }
    found = outcome(result, 0.95)
    assert found.measures == [
        ["f1", "0.3333", "0.0000", "1.0000"],
        ["best_threshold", "-inf", "", ""],
        ["total", "406", "", ""],
    ]
    assert len(found.shown) == 200 and {type(cell) for row in found.shown for cell in row} == {str}
    assert found.shown[0] == ["=1+1", "", "yes"] and found.shown[4] == ["\\ud800", "0.3333", "no"]
    header, *rows = csv.reader(io.StringIO(found.csv.decode("utf-8")))
    assert header == ["id", "f1", "missing"] and len(rows) == 406
    assert [row[0] for row in rows[:6]] == ["'=1+1", "'@x", "-5", ATTACK, "\\ud800", "7"]
    assert rows[0][1:] == ["", "True"] and float(rows[1][1]) == 1 / 3


# --- parts of the page ----------------------------------------------------------------------------------------------


def test_names_of_measures_and_counts_are_escaped():
    found = outcome({ATTACK: 0.5, f"{ATTACK}_low": 0.25, f"{ATTACK}_high": 0.75, f"n {ATTACK}": 3}, 0.95)
    shown = values_html(found)
    assert "<img" not in shown and "<script" not in shown and shown.count("&lt;img") == 2
    assert 'style="left:25.0%;width:50.0%"' in shown and 'style="left:50.0%"' in shown
