"""Every number is what it was: see `run.py` in this folder, whose option --write writes them anew."""

import pytest

from . import run


@pytest.mark.parametrize(
    "name", [*run.names(False), *(pytest.param(name, marks=pytest.mark.thorough) for name in run.names(True))]
)
def test_numbers_are_golden(name):
    for library in run.libraries(name):
        pytest.importorskip(library, reason=f'needs {library}: pip install -e ".[test-all]"')
    old = run.stored(name)
    new, tolerance = run.compute(name)
    lines = run.changes(old, new, tolerance)
    assert old, f"there is no file numbers/{name}.jsonl; run.py --write makes it"
    assert not lines, f"{len(lines)} keys changed:\n" + "\n".join(lines[: run.SHOWN])


def test_every_file_of_numbers_has_cases():
    assert sorted(path.stem for path in (run.HERE / "numbers").glob("*.jsonl")) == run.names()


# Key of the worked example -> what the text prints, and its decimals. BioASQ's notebook prints another lenient accuracy in an
# earlier cell, and SAS needs the model of its authors.
PRINTED = {
    "bioasq/version 9/summary/strict_accuracy": (0.3333333333333333, 15),
    "bioasq/version 9/summary/lenient_accuracy": (0.8333333333333334, 15),
    "bioasq/version 9/summary/mrr": (0.5138888888888888, 15),
    "extractive/answer_match/columns/exact_match": ([0, 0], 15),
    "extractive/answer_match/columns/f1": ([0.7, 0], 1),
    "nlpcc/relevant at ranks 1, 4, 5/summary/p@1": (1, 15),
    "nlpcc/relevant at ranks 1, 4, 5/summary/p@2": (0.5, 15),
    "nlpcc/relevant at ranks 1, 4, 5/summary/p@3": (0.33, 2),
    "nlpcc/relevant at ranks 1, 4, 5/summary/p@4": (0.5, 15),
    "nlpcc/relevant at ranks 1, 4, 5/summary/p@5": (0.6, 15),
    "piaf/relevant at ranks 2, 4/summary/p@2": (0.5, 15),
    "piaf/relevant at ranks 2, 4/summary/p@4": (0.5, 15),
    "piaf/relevant at ranks 2, 4/summary/map": (0.5, 15),
    "piaf/first at ranks 1, 2, 4/mrr": (0.58, 2),
}


def test_worked_examples_of_the_source_texts_give_the_numbers_that_they_print():
    found, _ = run.compute("source_texts")
    for key, (printed, decimals) in PRINTED.items():
        assert found[key] == pytest.approx(printed, abs=0.5 * 10**-decimals), key
