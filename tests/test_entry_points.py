"""`qassay.answer_match(...)` of every family, and the stub by which editors know its arguments.

`python tests/test_entry_points.py` writes the stub again after an option has changed.
"""

import dataclasses
import inspect
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import qassay
from qassay.core.options import documented_entries, keyword_names
from qassay.registry import FAMILIES, get_family

ROOT = Path(__file__).resolve().parent.parent
STUB = ROOT / "src" / "qassay" / "entry_points.pyi"


def _type_of(family, field):
    """The type of an option's values: a single value may replace several, and text a file or dict."""
    if field.name in (*family.reading.dict_options, *family.reading.list_options):
        return "Any"
    text = field.type if isinstance(field.type, str) else getattr(field.type, "__name__", str(field.type))
    text = str(field.type) if "|" in str(field.type) or "[" in str(field.type) else text
    several = re.search(r"tuple\[(\w+), \.\.\.\]", text)
    if several:
        one = "" if text.startswith(f"{several[1]} |") else f"{several[1]} | "
        text = text.replace(several[0], f"{one}Sequence[{several[1]}]")
    return text.replace("typing.", "")


def stub_of(name):
    """The signature of a family with its help, as text of a stub."""
    family = get_family(name)
    function, options_class = family.load()
    fields = {field.name: field for field in dataclasses.fields(options_class)}
    columns = [column for column in inspect.signature(function).parameters.values() if column.name != "options"]
    star = [] if any(column.kind is column.KEYWORD_ONLY for column in columns) else ["*"]
    lines = []
    for column in columns:
        if column.kind is column.KEYWORD_ONLY and "*" not in lines:
            lines.append("*")
        lines.append(f"{column.name}: Any" + ("" if column.default is column.empty else " = ..."))
    lines += star
    lines += [f"{option}: {_type_of(family, fields[option])} = ..." for option in keyword_names(options_class)]
    entries = [entry for entry in documented_entries(function, "Args") if entry[0] != "options"]
    entries += documented_entries(options_class, "Attributes")
    wrap = textwrap.TextWrapper(118, initial_indent=" " * 8, subsequent_indent=" " * 12, break_on_hyphens=False)
    arguments = [wrap.fill(f"{names}: {meaning}") for names, meaning in entries]
    return "\n".join(
        [
            f"def {name}(",
            *(f"    {line}," for line in lines),
            ") -> Scores:",
            f'    """Score examples with {name}: columns in, per-example statistics out.',
            "",
            "    Args:",
            *arguments,
            '    """',
            "",
        ]
    )


def stub_text():
    head = "# Written by tests/test_entry_points.py from the columns and options of the families: do not edit.\n"
    imports = "from collections.abc import Sequence\nfrom typing import Any\n\nfrom .core.scores import Scores\n"
    return "\n".join([head + imports, *map(stub_of, FAMILIES)])


def test_the_stub_has_the_columns_and_options_of_every_family():
    assert STUB.read_text("utf-8") == stub_text()  # run this file to write it again


@pytest.mark.parametrize("name", FAMILIES)
def test_a_family_can_be_called(name):
    columns, options = get_family(name).smallest[0]
    function, options_class = get_family(name).load()
    call = getattr(qassay, name)
    assert call(**columns, **options) == qassay.score(name, **columns, **options)
    names = [column for column in inspect.signature(function).parameters if column != "options"]
    assert list(inspect.signature(call).parameters) == [*names, *keyword_names(options_class)]
    with pytest.raises(TypeError, match=f"{name} has no column or option 'nothing'"):
        call(**columns, nothing=1)


@pytest.mark.thorough
def test_a_family_can_be_called_before_anything_is_loaded_and_after_its_modules_are():
    code = """if True:
        import sys, qassay
        call = qassay.answer_match
        assert "numpy" not in sys.modules and callable(call)
        import qassay.answer_match.scoring
        assert qassay.answer_match is call and call(["a"], [["a"]])["f1"] == 1.0
    """
    subprocess.run([sys.executable, "-c", code], check=True)


if __name__ == "__main__":
    STUB.write_text(stub_text(), "utf-8")
