"""The card of an example: every system's answer, what is right and where it stands, all of it escaped."""

import json
import re

import pytest

from qassay.spaces_app.analysis import Inputs, analyze
from qassay.spaces_app.error_card import example_card
from qassay.spaces_app.inputs import sample_inputs
from qassay.spaces_app.samples import SAMPLES

ATTACK = '<script>alert("x")</script><img src=x onerror=alert(1)>'


@pytest.fixture(scope="module")
def samples():
    return {name: analyze(sample_inputs(name)) for name in SAMPLES}


def card(analysis, identifier, system=None) -> str:
    system = system or analysis.systems[0]
    return example_card(analysis, system, list(analysis.scores(system).ids).index(identifier))


def words(html: str) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", html).split())


@pytest.mark.parametrize("name", SAMPLES)
def test_examples_of_every_sample_have_a_card_with_all_systems(samples, name):
    analysis = samples[name]
    for row in range(0, len(analysis.scores(analysis.systems[0])), 3):
        html = example_card(analysis, analysis.systems[0], row)
        assert html.startswith('<div class="qassay"><article')
        assert all(f"<dt><bdi>{system}</bdi>" in html for system in analysis.systems)


def test_an_answer_is_marked_word_by_word(samples):
    html = card(samples["answers"], "lighthouse-5", "large_model")
    assert '<mark class="common">letter R</mark>' in html and '<del class="missing">Morse</del>' in html
    assert "too long · exact_match 0.00 · f1 80.00" in words(html)
    assert '<mark class="gold">the Morse letter <span' in html and 'title="small_model">R</span></mark>' in html
    assert "Skarrow Head lighthouse" in html


def test_no_answer_is_said_in_words(samples):
    text = words(card(samples["answers"], "lighthouse-4"))
    assert "Gold has no answer" in text and "large_model · correct · exact_match 100.00 · f1 100.00 no answer" in text


def test_rankings_tell_relevant_from_unjudged_in_words(samples):
    html = card(samples["rankings"], "bike-repair")
    text = words(html)
    assert text.count("✓ relevant") >= 4 and "✗ not relevant" in text and "? unjudged" in text
    assert "The first 10 of bm25" in text and "Where the relevant documents stand" in text
    assert "not in the run ·" in words(card(samples["rankings"], "well-water"))


def test_candidates_that_are_right_by_another_name_are_marked(samples):
    text = words(card(samples["factoids"], "tolma21", "careful"))
    assert "ascorbic acid ✓ a gold answer" in text and "folic acid ✓ a gold answer" in text
    assert "✓" not in words(card(samples["factoids"], "tolma01", "hasty")).split("careful")[0]


def test_pipelines_show_their_documents(samples):
    text = words(card(samples["pipeline"], "p02"))
    assert "Retrieved documents" in text and "tolmere-origins ✓ gold document" in text
    assert "✓ gold document" not in words(card(samples["pipeline"], "p01")).split("dense ·")[0]


def test_labels_are_right_or_wrong(samples):
    assert "rooms" in words(card(samples["labels"], "m02")) and "opening ✗ wrong" in words(
        card(samples["labels"], "m02")
    )


def test_sets_of_labels_have_right_surplus_and_missing_ones(tmp_path):
    rows = [
        {"id": "1", "reference": ["a", "b"], "prediction": ["b", "c"]},
        {"id": "2", "reference": [], "prediction": []},
    ]
    (tmp_path / "sets.json").write_text(json.dumps(rows))
    analysis = analyze(Inputs("t", str(tmp_path / "sets.json"), {}, metric="label_metrics", options=("task=multi",)))
    assert "b ✓ right c ✗ surplus a ✗ missing" in words(card(analysis, "1"))
    assert "nothing, rightly" in words(card(analysis, "2"))


def test_ranked_labels_stay_in_their_order(tmp_path):
    rows = [{"id": "1", "reference": ["a", "b"], "prediction": ["c", "a"]}]
    (tmp_path / "ranked.json").write_text(json.dumps(rows))
    inputs = Inputs("t", str(tmp_path / "ranked.json"), {}, metric="label_metrics", options=("task=ranked", "k=1,2"))
    assert "c ✗ not true a ✓ true" in words(card(analyze(inputs), "1"))


def test_everything_from_users_is_escaped(tmp_path):
    question = {"id": ATTACK, "question": ATTACK, "answers": [{"text": ATTACK, "answer_start": 2}], ATTACK: ATTACK}
    paragraph = {"context": f"a {ATTACK} b", "qas": [question]}
    gold = {"version": "2", "data": [{"title": ATTACK, "paragraphs": [paragraph]}]}
    (tmp_path / "gold.json").write_text(json.dumps(gold))
    systems = {}
    for place, answer in enumerate((ATTACK, f"the {ATTACK}")):
        path = tmp_path / f"{place}.json"
        path.write_text(json.dumps({ATTACK: answer}))
        systems[f"{place}{ATTACK}"] = str(path)
    html = card(analyze(Inputs("t", str(tmp_path / "gold.json"), systems)), ATTACK)
    assert "<script" not in html and "<img" not in html and html.count("&lt;script&gt;") >= 8


@pytest.mark.parametrize("metric", ["retrieval_ranking", "retriever_reader"])
def test_documents_are_escaped(tmp_path, metric):
    if metric == "retrieval_ranking":
        gold, run = {ATTACK: {ATTACK: 1}}, {ATTACK: {ATTACK: 1.0}}
    else:
        answer = {"text": ATTACK, "document_id": ATTACK}
        gold = [{"id": ATTACK, "answers": [answer], "documents": [ATTACK]}]
        run = [{"id": ATTACK, "answers": [answer], "documents": [ATTACK]}]
    for name, content in (("gold", gold), ("run", run)):
        (tmp_path / f"{name}.json").write_text(json.dumps(content))
    inputs = Inputs("t", str(tmp_path / "gold.json"), {ATTACK: str(tmp_path / "run.json")}, metric=metric)
    html = card(analyze(inputs), ATTACK)
    assert "<script" not in html and "<img" not in html and "✓" in html


def test_a_system_without_the_example_says_so(tmp_path):
    for name, content in (("gold", {"a": ["A"], "b": ["B"]}), ("one", {"a": "A", "b": "B"}), ("two", {"b": "B"})):
        (tmp_path / f"{name}.json").write_text(json.dumps(content))
    paths = {name: str(tmp_path / f"{name}.json") for name in ("one", "two")}
    analysis = analyze(Inputs("t", str(tmp_path / "gold.json"), paths, options=("missing=skip",)))
    assert "two does not have this example" in words(card(analysis, "a"))
    assert "does not have" not in words(card(analysis, "b", "two"))
