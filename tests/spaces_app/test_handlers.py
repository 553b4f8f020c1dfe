"""Errors of handlers as people and programs see them."""

import csv
import errno
import inspect

import pytest


@pytest.fixture(scope="module", autouse=True)
def gradio_parts(gr):
    """Imported by the tests and not before: Gradio takes seconds."""
    global TOAST_SECONDS, PRIVATE, guarded, refusing, toast
    from qassay.pages.faults import TOAST_SECONDS
    from qassay.spaces_app.handlers import PRIVATE, guarded, refusing, toast


ATTACK = '<img src=x onerror="alert(1)">'


@pytest.fixture(params=["guarded", "refusing"])
def wrap(request):
    return {"guarded": guarded, "refusing": refusing}[request.param]


def raising(error):
    def handler(value, progress=None):
        """What it does."""
        if error is None:
            return value
        raise error

    return handler


def test_values_and_signatures_pass(wrap):
    handler = raising(None)
    assert wrap(handler)(3) == 3
    assert inspect.signature(wrap(handler)) == inspect.signature(handler) and wrap(handler).__doc__ == "What it does."


@pytest.mark.parametrize("error", [ValueError, ImportError])
def test_qassays_words_reach_both_and_only_the_page_escapes_them(gr, error):
    with pytest.raises(gr.Error) as page:
        guarded(raising(error(ATTACK)))(1)
    with pytest.raises(gr.Error) as program:
        refusing(raising(error(ATTACK)))(1)
    assert (
        page.value.message == "&lt;img src=x onerror=&quot;alert(1)&quot;&gt;" and page.value.duration == TOAST_SECONDS
    )
    assert program.value.message == ATTACK
    assert {page.value.title, program.value.title} == {"The input could not be read"}
    assert not page.value.print_exception and not program.value.print_exception


def test_deep_nesting_is_the_inputs_fault_and_gradios_errors_pass(gr, wrap):
    with pytest.raises(gr.Error, match="nested too deeply"):
        wrap(raising(RecursionError("x")))(1)
    own = gr.Error("mine")
    with pytest.raises(gr.Error) as caught:
        wrap(raising(own))(1)
    assert caught.value is own


@pytest.mark.parametrize("error", [csv.Error("field larger"), OverflowError("too large")])
def test_what_only_unlikely_input_does_is_the_inputs_fault(gr, error):
    with pytest.raises(gr.Error, match="the input cannot be read: a cell or a number in it is too long"):
        refusing(raising(error))(1)


@pytest.mark.parametrize("error", [KeyError, ZeroDivisionError, OSError])
def test_a_fault_is_named_without_what_it_quotes(gr, wrap, error, caplog):
    with pytest.raises(gr.Error) as caught:
        wrap(raising(error("the visitor's answer")))(1)
    assert caught.value.message == f"{error.__name__}: a fault of qassay, not of the input"
    assert caught.value.title == "Something went wrong"
    assert f"handler failed: {error.__name__}" in caplog.text and "in handler" in caplog.text
    assert "the visitor's answer" not in caplog.text and not caught.value.print_exception


def test_wrong_types_are_a_programs_fault_and_never_a_visitors(gr):
    with pytest.raises(gr.Error, match="level must be a number"):
        refusing(raising(TypeError("level must be a number")))(1)
    with pytest.raises(gr.Error, match="TypeError: a fault of qassay"):
        guarded(raising(TypeError("'<' not supported")))(1)
    with pytest.raises(gr.Error, match="too large for this server"):
        guarded(raising(MemoryError()))(1)


def test_a_full_disk_is_told_and_is_no_fault_of_ours(gr):
    with pytest.raises(gr.Error, match="the disk of this server is full; try again later"):
        guarded(raising(OSError(errno.ENOSPC, "No space left on device")))(1)


def test_messages_are_short_and_have_no_lone_surrogates():
    told = toast("\ud800" + "x" * 10_000)
    assert told.message.startswith("\\ud800xxx") and len(told.message) < 2_100


def test_private_means_private():
    assert PRIVATE == {"api_visibility": "private"}
