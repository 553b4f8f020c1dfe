"""The tab Score says what was scored, how sure it is and what fits together, and never shows markup of users."""

import re
from html.parser import HTMLParser

import pytest

from qassay.catalog import measure_meaning
from qassay.spaces_app.analysis import Settings
from qassay.spaces_app.inputs import sample_analysis
from qassay.spaces_app.report_view import definitions
from qassay.spaces_app.runs_view import drawn_names
from qassay.spaces_app.samples import SAMPLES
from qassay.spaces_app.score_view import files_html, interval_width_in_words, problem_html, quick_html, score_html

ATTACK = "<img src=x onerror=alert(1)>\"'&"
_VOID = {"br", "wbr", "rect", "circle", "path", "line", "polyline", "polygon"}


class Structure(HTMLParser):
    """Elements with their attributes; refuses tags that do not close in order."""

    def __init__(self, text):
        super().__init__()
        self.stack, self.tags, self.names = [], [], set()
        self.feed(text)
        assert not self.stack

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.names |= {name for name, _ in attributes}
        if tag not in _VOID:
            self.stack.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append(tag)

    def handle_endtag(self, tag):
        if tag not in _VOID:
            assert self.stack.pop() == tag


def words(text):
    """What a page says, without its charts."""
    return " ".join(re.sub("<[^>]+>", " ", re.sub("<svg.*?</svg>", " ", text, flags=re.DOTALL)).split())


@pytest.mark.parametrize("name", SAMPLES)
def test_every_sample_is_shown_whole(name):
    analysis = sample_analysis(name)
    page = score_html(analysis)
    Structure(page)
    text = words(page)
    for system, scores in analysis.main.scores.items():
        lacks = any(scores.notes.get(note) for note in ("missing", "skipped", "unmatched", "duplicates"))
        assert (f"{system} : nothing is missing" in text) != bool(lacks)
    drawn = drawn_names(analysis)
    assert all(f"k = {name.partition('@')[2]}" in text for name in drawn) and bool(drawn) == ("majority@k" in text)
    for measure in analysis.report.systems[analysis.systems[0]].keys() - set(drawn):
        assert measure.replace("_", "_ ").strip() in text or measure in text
    assert analysis.report.signatures[analysis.family.name] in text
    assert text.count("is known to ±") == (0 if analysis.has_runs else len(analysis.main_measures))
    assert ("Kinds of errors" in text) == (analysis.by_run.error_kinds is not None)


@pytest.mark.parametrize("name", SAMPLES)
def test_meanings_are_those_of_the_report_and_know_no_flags(name):
    analysis = sample_analysis(name)
    page, report = words(score_html(analysis)), words(definitions(analysis))
    assert "--" not in page + report
    told = 0
    for one in analysis.scored:
        for measure in {name for cells in analysis.report.systems.values() for name in cells} & set(
            one.scores[analysis.systems[0]].measures
        ):
            meaning = measure_meaning(one.family.name, measure)
            assert meaning in page and meaning in report
            told += bool(meaning)
    assert told


def test_the_values_of_the_sample_of_answers():
    text = words(score_html(sample_analysis("answers")))
    assert "64 questions, scored by answer_match" in text
    assert "F1 f1 64 58.33 46.85 to 68.97 82.05 ★ (better by the test) 71.17 to 89.44" in text
    assert "With n = 64, f1 is known to ±11.1; for ±1 you need about 7,900 questions." in text
    assert "large_model : nothing is missing. All 64 questions have a prediction; none is unknown or duplicate." in text


def test_what_is_missing_unknown_or_empty_is_told(analysis_of):
    gold = {"a": ["x"], "b": ["y"], "c": ["z"]}
    systems = {"one": {"a": "x", "b": "", "q": "?"}, "two": {"a": "", "b": "y", "c": "z"}}
    page = words(score_html(analysis_of(gold, systems)))
    for told in ("one : 2 of 3 questions have a prediction.", "one : 1 of 3 answers are empty",
                 "one: 1 without a prediction : scored 0.", "two : nothing is missing.",
                 "one: 1 predicted under an id that no gold answer has: omitted."):  # fmt: skip
        assert told in page
    assert "one : nothing is missing" not in page


def test_a_star_is_where_the_paired_test_agrees_and_the_best_is_bold(analysis_of):
    gold = {str(number): ["x"] for number in range(12)}
    right, half = dict.fromkeys(gold, "x"), {key: "x" if int(key) % 6 else "n" for key in gold}

    def row(systems):
        page = score_html(analysis_of(gold, systems))
        return next(part for part in page.split("<tr>") if "<code><bdi>exact_<wbr>match</bdi></code>" in part)

    by_chance = row({"one": right, "two": half})
    assert "★" not in by_chance and by_chance.count("<strong>") == 1 and "<strong>100.00</strong>" in by_chance
    assert row({"one": dict.fromkeys(gold, "n"), "two": right}).count("★") == 1
    assert "★" not in row({"one": dict.fromkeys(gold, "n"), "two": right, "three": half}), "not better than every other"
    for equal in (("one", "two"), ("one",)):
        assert "<strong>" not in row(dict.fromkeys(equal, half))


def test_values_without_spread_do_not_tell_how_sure_they_are(analysis_of):
    files = {"a": ["x"], "b": ["y"]}, {"one": {"a": "x", "b": "y"}}
    page = words(score_html(analysis_of(*files, settings=Settings(interval_method="percentile"))))
    assert "f1 is known to ±0.0: examples that are all alike do not show how certain that is." in page
    assert "Method of the intervals: percentiles of the bootstrap." in page
    assert "f1 is known to ±32.9; for ±1 you need about" in words(score_html(analysis_of(*files)))


def test_groups_are_told_with_the_values(analysis_of):
    gold = "id,answer,topic\n" + "".join(f"{number},a,t{number // 5}\n" for number in range(40))
    answers = {str(number): "a" if number % 7 else "b" for number in range(40)}
    found = analysis_of(gold, {"one": answers}, groups="topic")
    page = words(score_html(found))
    assert "Values with 95 % intervals over 8 groups by topic (few: under 30), rates from 0 to 100" in page
    assert "Method of the intervals: effective Wilson." in page
    assert "With n = 40 in 8 groups, f1 is known to" in page and "groups of questions like these." in page
    assert "shrinks with the square root of the number of groups" in page


def test_many_measures_fold():
    page = score_html(sample_analysis("rankings"))
    assert re.search(r"<summary>\d+ more measures</summary>", page)
    assert "more measures" not in score_html(sample_analysis("answers"))


def test_nothing_of_users_becomes_markup(analysis_of):
    found = analysis_of({ATTACK: [ATTACK], "b": ["x"]}, {ATTACK: {ATTACK: ATTACK, "u": ATTACK}, "other": {"b": "x"}})
    pages = [
        score_html(found),
        files_html([ATTACK], [ATTACK]),
        problem_html(ATTACK),
        quick_html({"f1": 1.0}, "", ATTACK),
    ]
    for page in pages:
        structure = Structure(page)
        assert "img" not in structure.tags and "script" not in structure.tags
        assert not {name for name in structure.names if name.startswith("on")}


def test_the_width_of_an_interval_counts_in_the_scale_of_the_report():
    assert interval_width_in_words("f1", 64, 0.121, "questions", 1) == (
        "With n = 64, f1 is known to ±0.121; for ±0.01 you need about 9,400 questions."
    )
    assert interval_width_in_words("f1", 9_000, 0.9, "questions", 100) == "With n = 9,000, f1 is known to ±0.9."


def test_nothing_is_shown_for_nothing():
    assert files_html([]) == problem_html("") == ""
    assert "<p>" not in quick_html({"f1": 1.0}, "", "")
