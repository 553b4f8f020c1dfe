"""The checks of the data: what they count leads to as many examples on the tab Errors, and ids to their examples."""

import html
import json
import re

import pytest

from qassay.spaces_app.address import View
from qassay.spaces_app.errors_address import choice_of
from qassay.spaces_app.errors_choice import chosen_rows
from qassay.spaces_app.inputs import sample_analysis
from qassay.spaces_app.linked_remarks import remarks_html
from qassay.spaces_app.samples import SAMPLES
from qassay.spaces_app.score_view import score_html

GOLD = {f"q{n}": [f"city {n}"] for n in range(9)}


def linked(body):
    """Text and view of each link."""
    found = re.findall(r'<a class="go" href="([^"]*)">(.*?)</a>', body)
    return [(html.unescape(re.sub("<.*?>", "", text)), View.parse(html.unescape(href))) for href, text in found]


def checks(analysis):
    page = score_html(analysis)
    return page[page.index("Checks of the data") :].split("</section>")[0]


def listed(analysis, view):
    """The ids that a view lists, and the one that is read."""
    choice, row, misfits = choice_of(analysis, view)
    assert not misfits
    ids = analysis.by_run.scores(choice.system).ids
    return [ids[place] for place in chosen_rows(analysis.by_run, choice)], None if row is None else ids[row]


@pytest.mark.parametrize("name", SAMPLES)
def test_what_a_check_counts_is_what_opens(name):
    analysis = sample_analysis(name)
    found = linked(checks(analysis))
    for text, view in found:
        assert len(listed(analysis, view)[0]) == int(text.split()[0].replace(",", "")) > 0, text
    told = [text for text, _ in found]
    if name == "rankings":
        assert told[:2] == ["39", "40"]
        assert (
            "1 query judged, but not in the run" in told
            and "9 queries with a tie that involves a relevant document" in told
        )
        assert not any("not judged" in text for text in told), "queries that are not judged are not in the scores"
    if name == "answers":
        assert told == ["64 questions", "64 questions", "8", "14"]


def test_missing_predictions_lead_to_their_questions_and_unknown_ids_nowhere(analysis_of):
    systems = {"one": {key: "x" for key in [*GOLD][:-2]} | {"odd <id>": "?"}, "two": dict.fromkeys(GOLD, "")}
    analysis = analysis_of(GOLD, systems)
    found = dict(linked(checks(analysis)))
    assert [*found] == ["9 questions", "7", "9", "2 without a prediction"]
    assert sorted(listed(analysis, found["2 without a prediction"])[0]) == [*GOLD][-2:]
    assert sorted(listed(analysis, found["7"])[0]) == [*GOLD][:-2]


def test_ids_that_runs_lack_lead_to_the_run_and_the_question(analysis_of, tmp_path):
    names = {str(tmp_path / "0.json"): "<1>.json", str(tmp_path / "second.json"): "2.json"}
    (tmp_path / "second.json").write_text(json.dumps(dict.fromkeys([*GOLD][:4], "x")))
    analysis = analysis_of(GOLD, {"m": dict.fromkeys(GOLD, "x")}, runs={"m": [*names]}, shown_files=names)
    (line,) = [line for line in remarks_html(analysis) if "by run" in line]
    told = re.sub("<.*?>", "", line)
    assert html.unescape(told) == next(remark for remark in analysis.report.remarks if "by run" in remark)
    found = dict(linked(line))
    assert [*found] == ["5 in 2", "'q4'", "'q5'", "'q6'"] and "<1>" not in line
    ids, _ = listed(analysis, found["5 in 2"])
    assert sorted(ids) == [*GOLD][4:] and found["5 in 2"].system == "m (2)"
    assert listed(analysis, found["'q5'"])[1] == "q5" and found["'q5'"].system == "m (2)"
