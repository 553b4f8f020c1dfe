"""What visitors scored is found again by their token, for a while, within bounds."""

import dataclasses

import pytest

from qassay.spaces_app import kept_work
from qassay.spaces_app.agreement_view import JudgedTable
from qassay.spaces_app.analysis import Analysis
from qassay.spaces_app.inputs import sample_analysis
from qassay.spaces_app.kept_work import KeptWork
from qassay.spaces_app.opened import opened, work_html

TABS = ("score", "errors")


@pytest.fixture
def scored():
    """`scored()` is work of a visitor, as if the files of a sample were uploaded."""
    answers = sample_analysis("answers")
    return lambda: dataclasses.replace(answers, inputs=answers.inputs._replace(sample=""))


@pytest.fixture
def clock(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(kept_work.time, "monotonic", lambda: now[0])
    return now


def test_a_token_finds_its_work_and_no_other(scored):
    kept, mine, yours = KeptWork(), scored(), scored()
    tokens = kept.keep(mine), kept.keep(yours)
    assert kept.find(tokens[0], Analysis) is mine and kept.find(tokens[1], Analysis) is yours
    assert kept.keep(mine) == tokens[0] and len(set(tokens)) == 2 and min(map(len, tokens)) >= 32
    assert kept.find("", Analysis) is kept.find(tokens[0][:-1], Analysis) is kept.find("x" * 100_000, Analysis) is None
    assert kept.find(tokens[0], JudgedTable) is None, "a token of something else"


def test_it_is_kept_for_a_time_after_its_last_use(scored, clock):
    kept, used, left = KeptWork(seconds=100), scored(), scored()
    tokens = kept.keep(used), kept.keep(left)
    clock[0] = 60.0
    kept.touch(used)
    clock[0] = 120.0
    assert kept.find(tokens[0], Analysis) is used and kept.find(tokens[1], Analysis) is None


def test_of_too_many_the_ones_used_longest_ago_are_forgotten(scored):
    kept = KeptWork(most=2)
    works = [scored() for _ in range(3)]
    tokens = [kept.keep(work) for work in works]
    kept.touch(works[0])
    kept.forget_old()
    assert [kept.find(token, Analysis) is not None for token in tokens] == [True, False, True]


def test_each_kind_has_places_of_its_own(scored):
    kept, mine, tables = KeptWork(most=2), scored(), [JudgedTable(f"{n}.csv", None) for n in range(3)]
    token = kept.keep(mine)
    tokens = [kept.keep(table) for table in tables]
    kept.forget_old()
    assert kept.find(token, Analysis) is mine
    assert [kept.find(one, JudgedTable) for one in tokens] == [None, *tables[1:]]


def test_an_address_and_a_token_lead_to_one_analysis(scored):
    kept, mine, first = KeptWork(), scored(), sample_analysis("answers")
    token = kept.keep(mine)

    def lead(query, token="", shown=None):
        found = opened(query, token, shown, first, kept, TABS)
        return found.analysis, found.view.tab, list(found.misfits)

    assert lead("") == (first, "", [])
    assert lead("?tab=errors", token) == (mine, "errors", [])
    assert lead("?tab=errors", shown=mine) == (mine, "errors", [])
    assert lead("?sample=rankings", token, mine)[0] is sample_analysis("rankings")
    analysis, tab, misfits = lead("?tab=gone&sample=gone", "of an hour ago")
    assert analysis is first and tab == "" and len(misfits) == 3
    other = dataclasses.replace(first)  # scored with options
    assert lead("?sample=answers", kept.keep(other))[0] is other
    assert lead("?sample=answers", shown=other)[0] is other


def test_the_token_of_a_sample_as_it_is_offered_is_empty(scored):
    kept = KeptWork()
    assert 'data-work=""' in work_html(sample_analysis("answers"), kept) and 'data-work=""' in work_html(None, kept)
    work = scored()
    assert f'data-work="{kept.keep(work)}" data-sample=""' in work_html(work, kept)
