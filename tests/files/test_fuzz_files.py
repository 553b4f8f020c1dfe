"""Changed files through the command line: those that mean the same score the same, all others have one clear line.

QASSAY_FUZZ=500 changes each kind of files as many times.
"""

import contextlib
import gzip
import json
import os
import subprocess

import pytest

from .broken_files import call, try_file
from .file_samples import samples

SAMPLES = samples()
KINDS = list(SAMPLES)
CHANGES = int(os.environ.get("QASSAY_FUZZ", "1"))


def thoroughly(*cases):
    """Cases that only `pytest -m thorough` runs."""
    return [pytest.param(*case, marks=pytest.mark.thorough) for case in cases]


def write(folder, sample, change=lambda data: data):
    """The files in a folder, each changed, and the arguments of the call that scores them."""
    folder.mkdir(exist_ok=True)
    for name, data in sample.files.items():
        (folder / name).write_bytes(change(data))
    return sample.arguments(folder)


def without_order(out):
    """A result document without what follows the order of the examples; a file's keys have none that means anything."""
    found = json.loads(out)
    for part in found["parts"]:
        del part["examples"]
        for slicing in part["slices"]:
            del slicing["codes"]
    return found


def result(arguments, folder):
    """What a call prints, whatever the files are called."""
    code, out, err = call([str(argument) for argument in arguments])
    return code, out, err.replace(str(folder), "FOLDER")


@pytest.mark.parametrize("kind", KINDS)
def test_changed_files_have_a_result_or_one_clear_line(tmp_path, kind):
    for number in range(CHANGES):
        what, end = try_file(kind, SAMPLES[kind], number, tmp_path)
        assert end in ("scored", "refused"), f"{what}: {end}"


# --- the same in another form -----------------------------------------------------------------------------------------


def reordered(value):
    if isinstance(value, dict):
        return {key: reordered(value[key]) for key in reversed(value)}
    return [reordered(part) for part in value] if isinstance(value, list) else value


def rewritten(**options):
    """The JSON values of a file written in another way; a file of other things is as it is."""

    def change(data):
        try:
            return json.dumps(reordered(json.loads(data)), **options).encode()
        except ValueError:
            return data

    return change


FORMS = {
    "CR LF": lambda data: data.replace(b"\n", b"\r\n"),
    "byte order mark": lambda data: b"\xef\xbb\xbf" + data,
    "blank lines at the end": lambda data: data.rstrip(b"\n") + b"\r\n\n\r\n\n",
    "gzip in two parts": lambda data: gzip.compress(data[:10]) + gzip.compress(data[10:]),
    "keys reordered": rewritten(),
    "JSON with blanks and escapes": rewritten(indent=3, separators=(" ,\t", " : ")),
}
REORDERED = ("keys reordered", "JSON with blanks and escapes")
NOT_FOR_BYTES = ("CR LF", "byte order mark", "blank lines at the end")


# By default each form is tried with some kinds of files, and thoroughly with about half of them.
TURNS = [(kind, form, KINDS.index(kind) + place) for kind in KINDS for place, form in enumerate(FORMS)]
SOME, MORE = ([(kind, form) for kind, form, turn in TURNS if turn % 6 in among] for among in ({0}, {2, 4}))


@pytest.mark.parametrize("kind, form", [*SOME[:25], *thoroughly(*SOME[25:], *MORE)])
def test_the_same_in_another_form_scores_the_same(tmp_path, kind, form):
    if form in NOT_FOR_BYTES and ("parquet" in kind or kind == "inspect_eval"):
        form = "gzip in two parts"
    expected = result(write(tmp_path / "as it is", SAMPLES[kind]), tmp_path)
    changed = result(write(tmp_path / "changed", SAMPLES[kind], FORMS[form]), tmp_path)
    assert (changed[0], changed[2]) == (expected[0], expected[2]) == (0, expected[2])
    assert without_order(changed[1]) == without_order(expected[1])
    assert form in REORDERED or changed[1] == expected[1]


@pytest.mark.thorough
@pytest.mark.skipif(not os.path.exists("/dev/fd"), reason="there are no names of pipes here")
@pytest.mark.parametrize("kind", KINDS)
def test_a_pipe_is_read_as_a_file_is(tmp_path, kind):
    """The same result with <(cat FILE), a name of an open pipe."""
    sample, folder = SAMPLES[kind], tmp_path / "pipes"
    expected = result(write(tmp_path / "files", sample), tmp_path / "files")
    folder.mkdir()
    with contextlib.ExitStack() as stack:
        for name in sample.files:
            cat = stack.enter_context(subprocess.Popen(["cat", tmp_path / "files" / name], stdout=subprocess.PIPE))
            (folder / name).symlink_to(f"/dev/fd/{cat.stdout.fileno()}")
        assert result(sample.arguments(folder), folder) == expected and expected[0] == 0


@pytest.mark.thorough
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.endswith("_parquet")])
def test_a_parquet_file_that_was_cut_is_refused_wherever_it_was_cut(tmp_path, kind):
    arguments = write(tmp_path, SAMPLES[kind])
    for name, data in SAMPLES[kind].files.items():
        for tenths in range(1, 10):
            (tmp_path / name).write_bytes(data[: len(data) * tenths // 10])
            code, out, err = result(arguments, tmp_path)
            assert code == 2 and not out and f"FOLDER/{name}" in err and err.count("\n") == 1
        (tmp_path / name).write_bytes(data)
