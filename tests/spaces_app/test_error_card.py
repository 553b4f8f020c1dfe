"""The card of an example: every system's answer, what is right and where it stands, all of it escaped."""

import re

import pytest

from qassay.retrieval_ranking.query_documents import judged_documents
from qassay.spaces_app.error_card import example_card, ranked_documents, shown_documents
from qassay.spaces_app.inputs import sample_analysis
from qassay.spaces_app.samples import SAMPLES

ATTACK = '<script>alert("x")</script><img src=x onerror=alert(1)>'


def card(analysis, identifier, system=None) -> str:
    system = system or analysis.systems[0]
    return example_card(analysis, system, list(analysis.scores(system).ids).index(identifier))


def words(html: str) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", html).split())


@pytest.mark.parametrize("name", SAMPLES)
def test_examples_of_every_sample_have_a_card_with_all_systems(name):
    analysis = sample_analysis(name)
    for row in range(0, len(analysis.scores(analysis.systems[0])), 3):
        html = example_card(analysis, analysis.systems[0], row)
        assert html.startswith('<div class="qassay"><article')
        assert all(f"<dt><bdi>{system}</bdi>" in html for system in analysis.systems)


def test_an_answer_is_marked_word_by_word():
    html = card(sample_analysis("answers"), "lighthouse-5", "large_model")
    assert '<mark class="common">letter R</mark>' in html and '<del class="missing">Morse</del>' in html
    assert "too long · exact_match 0.00 · f1 80.00" in words(html)
    assert '<mark class="gold">the Morse letter <span' in html and 'title="small_model">R</span></mark>' in html
    assert "Skarrow Head lighthouse" in html


def test_a_verdict_has_its_reasons():
    """Each on a line, in the scale of the page."""
    html = card(sample_analysis("equivalence"), "lighthouse-5", "large_model")
    assert re.search(r"large_model · accepted · equivalence [\d.]+ · .*[+−]\d\d?\.\d words: ", words(html))
    assert '<ul class="reasons"><li><span class="up">+' in html and "what moved the score" in html
    assert "reasons" not in card(sample_analysis("similarity"), "lighthouse-5", "large_model")
    assert "what moved" not in card(sample_analysis("equivalence"), "lighthouse-4"), "judged without the scorer"


def test_no_answer_is_said_in_words():
    text = words(card(sample_analysis("answers"), "lighthouse-4"))
    assert (
        "Gold has no answer" in text
        and "large_model · correct · exact_match 100.00 · f1 100.00 · human label 1 no answer" in text
    )


def test_rankings_tell_relevant_from_unjudged_in_words():
    html = card(sample_analysis("rankings"), "bike-repair")
    text = words(html)
    assert text.count("✓ relevant") >= 4 and "✗ not relevant" in text and "? unjudged" in text
    assert "The first 10 of bm25" in text and "Ranks of the relevant documents" in text
    assert "not in the run ·" in words(card(sample_analysis("rankings"), "well-water"))


def test_candidates_that_are_right_by_another_name_are_marked():
    text = words(card(sample_analysis("factoids"), "tolma21", "careful"))
    assert "ascorbic acid ✓ a gold answer" in text and "folic acid ✓ a gold answer" in text
    assert "✓" not in words(card(sample_analysis("factoids"), "tolma01", "hasty")).split("careful")[0]


def test_pipelines_show_their_documents():
    text = words(card(sample_analysis("pipeline"), "p02"))
    assert "Retrieved documents" in text and "tolmere-origins ✓ gold document" in text
    assert "✓ gold document" not in words(card(sample_analysis("pipeline"), "p01")).split("dense ·")[0]


def test_labels_are_right_or_wrong():
    assert "rooms" in words(card(sample_analysis("labels"), "m02")) and "opening ✗ wrong" in words(
        card(sample_analysis("labels"), "m02")
    )


def test_the_text_to_label_is_shown_once():
    html = words(card(sample_analysis("labels"), "m02"))
    assert html.count("May we eat in the small room?") == 1 and "channel chat" in html


def test_sets_of_labels_have_right_surplus_and_missing_ones(analysis_of):
    rows = [
        {"id": "1", "reference": ["a", "b"], "prediction": ["b", "c"]},
        {"id": "2", "reference": [], "prediction": []},
    ]
    analysis = analysis_of(rows, metric="label_metrics", options=("task=multi",))
    assert "b ✓ right c ✗ surplus a ✗ missing" in words(card(analysis, "1"))
    assert "nothing, rightly" in words(card(analysis, "2"))


def test_ranked_labels_stay_in_their_order(analysis_of):
    rows = [{"id": "1", "reference": ["a", "b"], "prediction": ["c", "a"]}]
    analysis = analysis_of(rows, metric="label_metrics", options=("task=ranked", "k=1,2"))
    assert "c ✗ not true a ✓ true" in words(card(analysis, "1"))


def test_everything_from_users_is_escaped(analysis_of):
    question = {"id": ATTACK, "question": ATTACK, "answers": [{"text": ATTACK, "answer_start": 2}], ATTACK: ATTACK}
    paragraph = {"context": f"a {ATTACK} b", "qas": [question]}
    gold = {"version": "2", "data": [{"title": ATTACK, "paragraphs": [paragraph]}]}
    systems = {f"0{ATTACK}": {ATTACK: ATTACK}, f"1{ATTACK}": {ATTACK: f"the {ATTACK}"}}
    html = card(analysis_of(gold, systems), ATTACK)
    assert "<script" not in html and "<img" not in html and html.count("&lt;script&gt;") >= 8


def test_a_system_without_the_example_says_so(analysis_of):
    systems = {"one": {"a": "A", "b": "B"}, "two": {"b": "B"}}
    analysis = analysis_of({"a": ["A"], "b": ["B"]}, systems, options=("missing=skip",))
    assert "two does not have this example" in words(card(analysis, "a"))
    assert "does not have" not in words(card(analysis, "b", "two"))


# --- documents --------------------------------------------------------------------------------------------------------


def test_documents_are_judged_and_relevant_ones_have_their_rank_in_each_run(analysis_of):
    runs = {
        "one": {"q": {"bad": 4.0, "good": 3.0, "new": 2.0, "pooled": 1.0}},
        "two": {"q": {"good": 2.0, "fair": 1.0}},
    }
    analysis = analysis_of({"q": {"good": 2, "fair": 1, "bad": 0, "pooled": -1, "lost": 1}}, runs)
    found = [(document.name, document.is_relevant) for document in shown_documents(analysis, "one", 0, 0)]
    assert found == [("bad", False), ("good", True), ("new", None), ("pooled", None)]
    ranked = ranked_documents(analysis, {"one": 0, "two": 0})
    assert ranked == [("good", 2, [2, 1]), ("fair", 1, [None, 2]), ("lost", 1, [None, None])]


def test_judgements_of_a_table_and_of_lists():
    references = sample_analysis("rankings").gold.columns["references"]
    worth = judged_documents(references, ["bulky-waste", "no-such-query"])
    assert worth[0]["news-24-05"] >= 1 and worth[1] == {}
    assert judged_documents([["a", "b"], ["c"]], [1]) == [{"c": 1.0}]


def test_gold_documents_are_marked():
    sample = sample_analysis("pipeline")
    for row, recall in enumerate(sample.scores("keyword").columns["retriever_recall"]):
        found = shown_documents(sample, "keyword", row, row)
        assert any(document.is_relevant for document in found) == (recall > 0)


def test_the_group_is_told_where_intervals_are_over_groups():
    from qassay.spaces_app.analysis import analyze
    from qassay.spaces_app.inputs import sample_with

    grouped = analyze(sample_with("answers", None, (), None, "article").inputs)
    assert "group <bdi>article</bdi>: <bdi>Skarrow Head lighthouse</bdi>" in example_card(grouped, "small_model", 3)
