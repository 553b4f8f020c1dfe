"""Tables that benchmark commands write to pages: one block is replaced, and every block belongs to a command."""

import argparse
import re
import stat
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "docs" / "benchmarks.md", ROOT / "metrics" / "answer_equivalence" / "README.md"]
BLOCK = re.compile(r"(?ms)^<!-- table (\S+) -->\n\n(.*?)\n\n<!-- end of table (\S+) -->$")
TEXT = """# Page

<!-- table lite -->

| a | b |
| --- | ---: |
| old | 1 |

Measured 2020-01-01 by hand.

<!-- end of table lite -->

Between.

<!-- table labels -->
<!-- end of table labels -->

After.
"""


@pytest.fixture(scope="module")
def tables(load_script):
    return load_script("page_tables")


@pytest.fixture
def table(tables):
    return tables.Shown("", ["", "pairs", "what"], [["new \\1", "1,234", "x"], ["empty", "", ""]])


def test_only_the_named_block_is_replaced(tables, table):
    found = tables.replaced(TEXT, "lite", table, "2026-11-28 on a machine with Python 3")
    start, end = TEXT.index("| a |"), TEXT.index("\n\n<!-- end of table lite")
    new = """| | pairs | what |
| --- | ---: | --- |
| new \\1 | 1,234 | x |
| empty | | |

Measured 2026-11-28 on a machine with Python 3 by `benchmarks/similarity.py --data FOLDER`."""
    assert found == TEXT[:start] + new + TEXT[end:]
    assert tables.replaced(found, "lite", table, "2026-11-28 on a machine with Python 3") == found
    assert "| new" in tables.replaced(TEXT, "labels", table, "today").partition("Between.")[2]


@pytest.mark.parametrize(
    ("text", "name", "message"),
    [
        (TEXT, "other", "no script writes a table 'other'; the tables are answers,"),
        (TEXT, "training", "needs one '<!-- table training -->' .* it has the tables lite, labels"),
        (TEXT + TEXT, "lite", "needs one '<!-- table lite -->'"),
        (TEXT.replace("<!-- end of table lite -->\n", ""), "lite", "one '<!-- end of table lite -->'"),
    ],
)
def test_unknown_and_broken_blocks_are_refused(tables, table, text, name, message):
    with pytest.raises(SystemExit, match=message):
        tables.replaced(text, name, table, "today")


def test_a_tag_in_a_cell_is_text_on_the_page(tables):
    assert "| in &lt;answer> | 1 |" in tables.Shown("", ["a", "b"], [["in <answer>", "1"]]).markdown()


def test_a_row_of_another_length_is_refused(tables):
    with pytest.raises(SystemExit, match="table 'lite': each row needs 2 cells"):
        tables.replaced(TEXT, "lite", tables.Shown("", ["a", "b"], [["1"]]), "today")


def test_a_page_is_written_completely(tables, table, tmp_path, capsys):
    page = tmp_path / "page.md"
    page.write_text(TEXT, "utf-8")
    page.chmod(0o640)
    tables.put(page, "lite", table, ["scipy"])
    assert re.search(r"^Measured \d{4}-\d\d-\d\d on \d+ x .+ with Python 3.+ scipy \S+ by `", page.read_text(), re.M)
    assert stat.S_IMODE(page.stat().st_mode) == 0o640 and [*tmp_path.iterdir()] == [page]
    assert capsys.readouterr().out == "wrote table lite of page.md\n"
    with pytest.raises(SystemExit):
        tables.put(page, "training", table)
    assert "| new" in page.read_text()


def test_options_of_partial_runs_are_refused(tables, capsys):
    parser = argparse.ArgumentParser()
    parser.add_argument("--few-rows", action="store_true")
    tables.add_page_option(parser)
    for words, message in (
        (["--page", "--few-rows"], "omit --few-rows"),
        (["--page", "missing.md"], "no file missing.md"),
    ):
        with pytest.raises(SystemExit):
            tables.check_page_option(parser, parser.parse_args(words), "few_rows")
        assert message in capsys.readouterr().err
    tables.check_page_option(parser, parser.parse_args(["--few-rows"]), "few_rows")
    assert parser.parse_args(["--page"]).page == PAGES[0]


def test_a_time_that_was_not_measured_ends_the_script(tables):
    with pytest.raises(SystemExit, match="'ranx' was not measured"):
        tables.Measured(qassay=1.0)["ranx"]


def test_times_and_ratios(tables):
    assert tables.faster(0.0471, 1.05) == "0.0471 s, **22x**"
    assert tables.faster(2, 7.9, of_peer=True) == "7.9 s, **4.0x**"
    assert tables.in_seconds(1234) == "1,234 s"


def test_each_table_of_a_page_has_a_script_that_writes_it_and_its_line_of_origin(tables):
    on_pages = []
    for page in PAGES:
        text = page.read_text("utf-8")
        blocks = BLOCK.findall(text)
        assert len(blocks) == text.count("<!-- table ") == text.count("<!-- end of table ")
        for name, content, end in blocks:
            assert end == name
            origin = rf"\n\nMeasured \d{{4}}-\d\d-\d\d on .+ by `{re.escape(tables.COMMANDS[name])}`\.$"
            assert content.startswith("|") and re.search(origin, content), name
        on_pages += [name for name, *_ in blocks]
    assert sorted(on_pages) == sorted(tables.COMMANDS)
    for name, command in tables.COMMANDS.items():
        script = (ROOT / command.split()[0]).read_text("utf-8")
        assert re.search(rf'put\(\s*args\.page,\s*"{name}",', script), name
    assert not re.search(r"(?m)^\|", BLOCK.sub("", PAGES[0].read_text("utf-8")))


def test_tables_of_pages_from_made_up_times(tables, load_script):
    script = load_script("answers")
    seconds = {script.PEER: 1.0, script.MODULE: 0.05, script.SUMMARY: 0.1}
    table = script.page_table({"few": seconds}, {"nothing": 600.0, "evaluate": 2200.0, "qassay": 700.0})
    assert table.rows[0] == ["few", "1 s", "0.05 s, **20x**", "0.1 s, **10x**"]
    assert table.rows[2][1:3] == ["1,600 MB", "100 MB, **1/16**"]
    script = load_script("ranking")
    measured = dict.fromkeys(
        [script.FROM_DICTS, script.FROM_ARROW, f"{script.FROM_ARROW}, not sorted", script.PYTREC, script.RANX,
         "ir_measures, RR@10", script.IN_PROCESS, script.COMMAND, script.COMMAND_Q, script.PARSER, script.PROGRAM,
         script.PROGRAM_Q, "qassay.score", *script.PEERS], 1.5)  # fmt: skip
    rows = script.page_table(measured, measured, [measured, measured], measured, measured, measured).rows
    assert len(rows) == 12 and {len(row) for row in rows} == {6}
    with pytest.raises(SystemExit, match="trec_eval"):
        del measured[script.PROGRAM_Q]
        script.page_table(measured, measured, [measured, measured], measured, measured, measured)


def test_labels_are_timed_in_each_form(load_script):
    script = load_script("labels")
    found = script.one_label(200, None, None, 1, script.Table())
    assert list(found) == ["integers, lists", "integers, arrays", "strings, lists", "strings, arrays"]
    assert all(set(seconds) == {"qassay module, compute", script.SUMMARY} for seconds in found.values())
