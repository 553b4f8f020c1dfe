"""Single examples: what is filtered and in which order, addresses that lead back, the list, and the card with all answers."""

import dataclasses
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qassay.reports.chart_parts import escaped
from qassay.reports.right_wrong import right_wrong_tables
from qassay.spaces_app.address import View
from qassay.spaces_app.error_card import example_card, ranked_documents, shown_documents
from qassay.spaces_app.errors_address import choice_of, view_of
from qassay.spaces_app.errors_choice import (
    CHANGES,
    ERRORS,
    EVERY,
    IN_TURN,
    WORST,
    Choice,
    change_choices,
    chosen_rows,
    first_choice,
    kind_choices,
    order_choices,
    part_choices,
)
from qassay.spaces_app.errors_values import kinds_of, rightness, values
from qassay.spaces_app.errors_view import MOST_ROWS, filters_html, list_html
from qassay.spaces_app.example_columns import rows_in
from qassay.spaces_app.inputs import sample_analysis
from qassay.spaces_app.marked_text import MOST_CHARACTERS, Passage, find_passage, marked_passages

ATTACK = '<script>alert("x")</script><img src=x onerror=alert(1)>'
FOUR = pytest.mark.parametrize("name", ["answers", "factoids", "runs", "curves"])


@pytest.fixture
def answers():
    return sample_analysis("answers")


# --- which examples, in which order -----------------------------------------------------------------------------------


@FOUR
def test_all_choices_give_examples_and_their_counts_are_true(name):
    analysis = sample_analysis(name).by_run
    for system in analysis.systems[:2]:
        first = first_choice(analysis, system)
        assert chosen_rows(analysis, first)
        for label, kind in kind_choices(analysis, system):
            assert label == f"{kind} ({len(chosen_rows(analysis, Choice(system, kind))):,})"
        for label, part in part_choices(analysis, system)[1:]:
            assert label.endswith(f" ({len(chosen_rows(analysis, Choice(system, part=part))):,})")
        for label, change in change_choices(analysis, first)[1:]:
            rows = chosen_rows(analysis, Choice(system, other=first.other, change=change))
            assert label.endswith(f" ({len(rows):,})")
        for order in order_choices(analysis):
            rows = chosen_rows(analysis, Choice(system, order=order))
            assert sorted(rows) == list(range(len(analysis.scores(system))))


def test_the_first_choice_is_the_errors_of_the_worse_system_with_their_kinds_in_turn(answers):
    choice = first_choice(answers)
    assert choice == Choice("small_model", ERRORS, other="large_model", order=WORST)
    swapped = answers.main._replace(systems=dict(reversed(answers.main.systems.items())))
    assert first_choice(dataclasses.replace(answers, scored=(swapped,))).system == "small_model", "not by its place"
    rows, kinds = chosen_rows(answers, choice), kinds_of(answers, "small_model")
    shown = [kinds[row] for row in rows]
    assert len(rows) == 33 and not {*shown} & set(answers.family.telling.errors.right)
    n = len({*shown})
    assert n > 3 and len({*shown[:n]}) == n
    assert (np.diff(values(answers, "small_model")[rows[IN_TURN:]]) >= 0).all()


def test_changes_part_the_examples_by_both_systems(answers):
    def against(change, measure=""):
        given = {"measure": measure} if measure else {}
        return set(chosen_rows(answers, Choice("small_model", other="large_model", change=change, **given)))

    rows = {change: against(change) for change in CHANGES}
    of_right = [rows[name] for name in ("both_right", "both_wrong", "only_right", "only_wrong")]
    assert sorted(row for part in of_right for row in part) == list(range(64))
    first, second = rightness(answers, "small_model"), rightness(answers, "large_model")
    assert rows["only_wrong"] == set(np.flatnonzero((first == 0) & (second == 1)).tolist())
    for measure, found in (("f1", rows["worse"]), ("exact_match", against("worse", "exact_match"))):
        own, other = (answers.by_example(system, measure) for system in ("small_model", "large_model"))
        assert found == set(np.flatnonzero(own < other).tolist()), measure


def test_right_and_wrong_are_those_of_compare_where_there_are_no_kinds():
    """An answer that a judge of similarity accepts is right, although its similarity is not exactly 1."""
    analysis = sample_analysis("similarity")
    assert kind_choices(analysis, "small_model") == [] and first_choice(analysis).kind == EVERY
    first, second = (rightness(analysis, system) for system in analysis.systems)
    (table,) = right_wrong_tables(analysis.main, tuple(analysis.systems))
    counts = [int(((first == one) & (second == other)).sum()) for one in (1, 0) for other in (1, 0)]
    assert counts == list(table[3:7])
    assert ((second == 1) & (values(analysis, analysis.systems[1]) < 100)).any()


def test_bounds_are_included_and_in_the_scale_of_the_page(answers):
    f1 = 100 * answers.scores("small_model").columns["f1"]
    for low, high in ((0.0, 0.0), (20.0, 80.0), (100.0, None), (None, 0.0)):
        rows = chosen_rows(answers, Choice("small_model", low=low, high=high))
        wanted = (f1 >= (0 if low is None else low)) & (f1 <= (100 if high is None else high))
        assert rows and sorted(rows) == np.flatnonzero(wanted).tolist()


def test_text_is_found_wherever_it_stands_and_filters_hold_together(answers):
    for text, row in (("LIGHTHOUSE-4", 3), ("herring  boats", 3), (" thomas reay\n", 3), ("1858–1861", 0)):
        rows = chosen_rows(answers, Choice("small_model", text=text))
        assert row in rows and len(rows) < 10
    choice = Choice("small_model", "answered an unanswerable", "question_word:who", text="boats")
    assert chosen_rows(answers, choice) == [3]
    assert chosen_rows(answers, choice._replace(part="question_word:why")) == []
    assert chosen_rows(answers, choice._replace(other="large_model", change="only_wrong", high=0.0)) == [3]


def test_systems_with_other_examples_are_matched_by_id(analysis_of):
    systems = {"one": {"a": "A", "b": "x", "c": "C"}, "two": {"b": "B", "c": "C"}}
    analysis = analysis_of({name: [name.upper()] for name in "abc"}, systems, options=("missing=skip",))
    assert list(rows_in(analysis, "two", "one")) == [None, 0, 1] and list(rows_in(analysis, "one", "two")) == [1, 2]
    found = {change: chosen_rows(analysis, Choice("one", other="two", change=change)) for change in CHANGES}
    assert found["both_right"] == [2] and found["only_wrong"] == found["worse"] == [1]
    assert 0 not in [row for rows in found.values() for row in rows], "the other does not have it"


# --- addresses --------------------------------------------------------------------------------------------------------


def test_every_field_and_ids_of_all_characters_lead_back(answers, analysis_of):
    choice = Choice(
        "large_model", "too long", "question_word:why", "small_model", "both_wrong", "f1", 0.25, 99.5, "a&b=c <é>", "original order"
    )  # fmt: skip
    assert choice_of(answers, View.parse(view_of(answers, choice).href())) == (choice, None, [])
    ids = ["a&b=c #é", "\ud800<script>", "x" * 1000, "x" * 1000 + "y", "x" * 999, "x" * 300, "x" * 301]
    analysis = analysis_of({identifier: ["A"] for identifier in ids}, {"one": dict.fromkeys(ids, "B")})
    first = first_choice(analysis)
    for row in range(len(ids)):
        assert choice_of(analysis, View.parse(view_of(analysis, first, row).href()))[1:] == (row, [])


@pytest.mark.parametrize(
    ("view", "named"),
    [
        (View(system="gone"), "'gone'; there are small_model, large_model"),
        (View(kind="gone"), "'gone'"),
        (View(system="large_model", kind="too short"), "too short"),
        (View(slice="gone:who"), "gone:who"),
        (View(change="gone"), "gone"),
        (View(measure="gone", low="1"), "gone"),
        (View(low="nan"), "nan"),
        (View(high="1e999"), "1e999"),
        (View(example="gone"), "gone"),
    ],
)
def test_what_does_not_fit_is_told_and_the_examples_are_shown_without_it(answers, view, named):
    choice, row, (told,) = choice_of(answers, view)
    assert named in told
    assert row is None and chosen_rows(answers, choice) and choice.kind in (EVERY, ERRORS)


# --- the list ---------------------------------------------------------------------------------------------------------


def test_what_visitors_wrote_is_cut_and_escaped_and_long_lists_end(analysis_of):
    hostile = "<script>alert(1)</script>\ud800\n\"'" + "x" * 1000
    analysis = analysis_of([{"id": f"{hostile}{n}", "question": hostile, "answers": [hostile]} for n in range(2)],
                           {hostile[:80]: {f"{hostile}{n}": hostile for n in range(2)}})  # fmt: skip
    choice = first_choice(analysis)._replace(text="<script>")
    rows = chosen_rows(analysis, choice)
    page = list_html(analysis, choice, rows, rows[0]) + filters_html(analysis, choice, rows)
    assert rows and "<script" not in page and "\ud800" not in page and "'x" not in page
    assert page.encode() and "x" * 400 not in page
    many = analysis_of({f"q{n}": ["A"] for n in range(300)}, {"one": {f"q{n}": "B" for n in range(300)}})
    rows = chosen_rows(many, first_choice(many))
    assert list_html(many, first_choice(many), rows, rows[0]).count("<tr") == MOST_ROWS + 1
    assert "300" in filters_html(many, first_choice(many), rows)


# --- the card ---------------------------------------------------------------------------------------------------------


def card(analysis, identifier, system=None):
    system = system or analysis.systems[0]
    return example_card(analysis, system, list(analysis.scores(system).ids).index(identifier))


def words(page):
    return " ".join(re.sub(r"<[^>]*>", " ", page).split())


def test_an_answer_is_marked_word_by_word_in_all_systems(answers):
    page = card(answers, "lighthouse-5", "large_model")
    assert '<mark class="common">letter R</mark>' in page and '<del class="missing">Morse</del>' in page
    assert "too long · exact_match 0.00 · f1 80.00" in words(page)
    assert '<mark class="gold">the Morse letter <span' in page and 'title="small_model">R</span></mark>' in page


def test_labels_and_documents_are_right_surplus_missing_or_unjudged(analysis_of):
    rows = [{"id": "1", "reference": ["a", "b"], "prediction": ["b", "c"]}]
    analysis = analysis_of(rows, metric="label_metrics", options=("task=multi",))
    assert "b ✓ right c ✗ surplus a ✗ missing" in words(card(analysis, "1"))
    runs = {
        "one": {"q": {"bad": 4.0, "good": 3.0, "new": 2.0, "pooled": 1.0}},
        "two": {"q": {"good": 2.0, "fair": 1.0}},
    }
    analysis = analysis_of({"q": {"good": 2, "fair": 1, "bad": 0, "pooled": -1, "lost": 1}}, runs)
    found = [(document.name, document.is_relevant) for document in shown_documents(analysis, "one", 0, 0)]
    assert found == [("bad", False), ("good", True), ("new", None), ("pooled", None)]
    ranked = ranked_documents(analysis, {"one": 0, "two": 0})
    assert ranked == [("good", 2, [2, 1]), ("fair", 1, [None, 2]), ("lost", 1, [None, None])]
    pipeline = sample_analysis("pipeline")
    for row, recall in enumerate(pipeline.scores("keyword").columns["retriever_recall"]):
        found = shown_documents(pipeline, "keyword", row, row)
        assert any(document.is_relevant for document in found) == (recall > 0)


def test_everything_from_users_is_escaped_and_a_system_without_the_example_says_so(analysis_of):
    question = {"id": ATTACK, "question": ATTACK, "answers": [{"text": ATTACK, "answer_start": 2}], ATTACK: ATTACK}
    gold = {"data": [{"title": ATTACK, "paragraphs": [{"context": f"a {ATTACK} b", "qas": [question]}]}]}
    systems = {f"0{ATTACK}": {ATTACK: ATTACK}, f"1{ATTACK}": {ATTACK: f"the {ATTACK}"}}
    page = card(analysis_of(gold, systems), ATTACK)
    assert "<script" not in page and "<img" not in page and page.count("&lt;script&gt;") >= 8
    systems = {"one": {"a": "A", "b": "B"}, "two": {"b": "B"}}
    analysis = analysis_of({"a": ["A"], "b": ["B"]}, systems, options=("missing=skip",))
    assert "two does not have" in words(card(analysis, "a")) and "does not have" not in words(card(analysis, "b"))


# --- passages marked in a text ----------------------------------------------------------------------------------------


def bare(page):
    """The marked text without its key and tags."""
    return re.sub(r"<[^>]*>", "", page.partition("</div>")[0])


def test_the_offset_decides_between_occurrences_and_case_counts_only_where_it_helps():
    context = "Paris is not Paris, Texas"
    assert find_passage(context, Passage("Paris", 13)) == (13, 18)
    assert find_passage(context, Passage("Paris", 2)) == find_passage(context, Passage("Paris")) == (0, 5)
    assert find_passage("CAT cat", Passage("cat")) == (4, 7) and find_passage("CAT", Passage("cat")) == (0, 3)
    assert find_passage("İ CAT", Passage("cat")) is None  # small letters are more than capitals: offsets would be wrong
    assert 'not <mark class="gold">Paris</mark>, Texas' in marked_passages(context, [Passage("Paris", 13)], {})
    long = marked_passages("x" * 50_000 + "here" + "y" * 50_000, [Passage("here")], {})
    assert "here" in bare(long) and len(long) < MOST_CHARACTERS + 500


@given(
    st.text(alphabet="ab <&", max_size=30),
    st.lists(st.tuples(st.text(alphabet="ab <&", max_size=4), st.integers(-3, 33)), max_size=4),
    st.lists(st.text(alphabet="ab <&", max_size=4), max_size=3),
)
def test_a_marked_text_stays_whole_and_its_tags_match(context, golds, said):
    page = marked_passages(context, [Passage(*gold) for gold in golds], {"one": said, "two": said[:1]})
    assert bare(page) == escaped(context)
    assert page.count("<mark") == page.count("</mark>") and page.count("<span") == page.count("</span>")
