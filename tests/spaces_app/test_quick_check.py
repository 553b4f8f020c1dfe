"""One answer against its gold answers."""

import re

import pytest

from qassay.pages.limits import InputError


@pytest.fixture
def check_answer(gr):
    from qassay.spaces_app.quick_check import check_answer

    return check_answer


def cells(page):
    return re.findall(r"<td>([^<]+)</td>", page)


def test_values_of_one_answer(check_answer):
    page = check_answer("in Paris", "Lyon\nParis\n")
    assert cells(page)[:4] == ["0.00", "66.67", "50.00", "100.00"]
    assert '<mark class="common">Paris</mark>' in page and '<ins class="surplus">in</ins>' in page
    assert cells(check_answer("Paris", "Paris")) == ["100.00"] * 5


def test_no_answer(check_answer):
    assert cells(check_answer("", "")) == ["100.00"] * 5
    assert cells(check_answer("  ", "Paris"))[:2] == ["0.00", "0.00"]
    assert cells(check_answer("Paris", "\n"))[:2] == ["0.00", "0.00"]


def test_markup_is_text(check_answer):
    page = check_answer("<script>alert(1)</script>", "<b>x</b>")
    assert "<script" not in page and "<b>" not in page


@pytest.mark.parametrize(("answer", "golds"), [("x" * 20_001, "y"), ("x", "y\n" * 5_000)])
def test_too_much_is_refused(check_answer, answer, golds):
    with pytest.raises(InputError, match="too (long|many)"):
        check_answer(answer, golds)
