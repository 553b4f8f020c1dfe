"""Whatever answers, ids, labels and names of systems hold: reports show it as text, and every reader gets it back."""

import csv
import io
import json
import math
import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from qassay.cli import main
from qassay.core.interval_settings import Intervals
from qassay.core.shown import visible, write_csv
from qassay.files.example_tables import write_examples
from qassay.files.score_files import open_files, score_opened
from qassay.results.document import DocumentSettings, compare_document, score_document
from qassay.results.records import remark
from qassay.results.text import render
from qassay.results.writers import escape_latex, escape_markdown, markdown_code, markdown_row
from qassay.stats.difference import ComparisonSettings

pandas = pytest.importorskip("pandas", reason='needs pandas: pip install -e ".[test-all]"')

BREAKS = ["a\rb", "a\r\nb", "a\nb", " \r", "a\r=1+1", "a\x0bb", "a\x85b", "a\u2028b"]
CELLS = [*BREAKS, 'a"b', '"', ",", "a,b", " a ", "", "'", "\ufeffa", "a\tb", "\\", "#a", "NA", "1e5", "🦖", "العربية"]
FORMULAS = ["\r", "=1+1", "+a", "-a", "@a", "\t=1", "\r=1", "\n=1", "＝1", "-0.5.1", "=", "-", "+1-1"]
NUMBERS = ["-0.5", "+1", "-1e-07", "-inf", -0.5, -1, 1e-300, 0.1 + 0.2]


# --- CSV --------------------------------------------------------------------------------------------------------------


def read_with_pandas(data):
    table = pandas.read_csv(io.BytesIO(data), dtype=str, keep_default_na=False)
    return [list(table.columns), *table.values.tolist()]


def read_with_python(data):
    return list(csv.reader(io.TextIOWrapper(io.BytesIO(data), "utf-8", newline="")))


READERS = [read_with_pandas, read_with_python]


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0")), min_size=1, max_size=5))
@settings(deadline=None)
def test_every_text_survives_csv(texts):
    rows = [["id", "text"], *(["q", text] for text in texts)]
    file = io.StringIO(newline="")
    write_csv(file, rows)
    assert all(read(file.getvalue().encode()) == rows for read in READERS)


@pytest.mark.parametrize("read", READERS)
def test_examples_come_back_and_hold_no_formula(tmp_path, read):
    cells = [*CELLS, *FORMULAS, *NUMBERS]
    ids = [f"q{place}" for place in range(len(cells))]
    write_examples(str(tmp_path / "x.csv"), {"id": ids, "text": cells})
    header, *rows = read((tmp_path / "x.csv").read_bytes())
    assert header == ["id", "text"]
    assert [row[1] for row in rows] == [*CELLS, *(f"'{cell}" for cell in FORMULAS), *map(str, NUMBERS)]


def test_lines_of_examples_hold_the_data_as_they_are(tmp_path):
    cells = [*CELLS, *FORMULAS]
    write_examples(str(tmp_path / "x.jsonl"), {"text": cells})
    lines = (tmp_path / "x.jsonl").read_text("utf-8").split("\n")[:-1]
    assert [json.loads(line)["text"] for line in lines] == cells
    write_examples(str(tmp_path / "x.jsonl"), {"value": [math.inf, -math.inf, 1.5]})
    assert (tmp_path / "x.jsonl").read_text("utf-8") == '{"value": "inf"}\n{"value": "-inf"}\n{"value": 1.5}\n'


# --- Markdown ---------------------------------------------------------------------------------------------------------

# Tokens are kept apart where a character is escaped, as readers that look for addresses see them.
RENDERER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
RENDERER.core.ruler.disable("text_join")
RENDERER.validateLink = lambda address: True  # others let "javascript:" through
# What GitHub and others make links of, without any brackets.
ADDRESS = re.compile(r"(?i)(https?|ftp|mailto|xmpp):\S|//\w|www\.|\w\.[a-z]{2}")
MAIL = re.compile(r"[\w.+-]+@[\w-]+\.[\w.-]*[a-z]|(?<!\w)@\w")
ISSUE = re.compile(r"#\d+(?!\w)|(?i:(?<!\w)gh-\d+(?!\w))")
ATTACKS = [
    "fix #1",
    "![i](http://evil.example/x.png)",
    "<img src=x onerror=alert(1)>",
    "<http://evil.example>",
    "&lt;b&gt; &#60; &copy &amp;",
    "a.b+c@evil.co.uk, @torvalds",
    "xmpp:me@evil.example/x",
    "a`me@evil.example`b",
    "a | b || \\| c |",
    "*a* **b** _c_ __d__ ~~e~~ ~f~",
    "ends with \\",
    "$x$ $$y$$ 5$",
    "a  \nb\n\n# c",
    "\x1b[31mred",
]
ALPHABET = "ab1 \t\n\r\\`*_{}[]()<>#+-.!|~&;:/@$^='\"wW?,\u202e\x1b"


def shown(document):
    """The text of a rendered document, what was made of it, and the pieces of text that are not code."""
    texts, kinds, plain = [], set(), []

    def walk(tokens):
        for token in tokens:
            if token.type == "inline":
                walk(token.children)
            elif token.content and token.type in ("text", "text_special", "code_inline"):
                texts.append(token.content)
                if token.type == "code_inline":
                    plain.append("")
                elif token.type == "text":
                    plain.append(token.content)
                else:
                    plain.append(None)
            elif token.type != "text":
                kinds.add(token.type)
                plain.extend(["\n"] * (token.type == "hardbreak"))

    walk(RENDERER.parse(document))
    return "".join(texts), kinds, plain


_LIST = {f"{part}_{end}" for part in ("bullet_list", "list_item", "paragraph") for end in ("open", "close")}
PLACES = {
    "paragraph": ("note  \n{}  \nnote", {"paragraph_open", "paragraph_close", "hardbreak"}, "note{}note"),
    "list": ("- {}", _LIST, "{}"),
    "behind a name": ("  - gold: {}", _LIST, "gold: {}"),
}


def check_markdown(text):
    expected, escaped = visible(" ".join(text.split())), escape_markdown(text)
    for place, (form, kinds, around) in PLACES.items():
        if place in ("paragraph", "list") and not expected:
            continue
        found, made, plain = shown(form.format(escaped))
        assert found == around.format(expected).rstrip(), place
        assert made <= kinds, place
        assert not any(ADDRESS.search(piece) for piece in plain if piece), place
        # GitHub looks for these in the joined text.
        joined = "".join(piece if piece else "\0" if piece == "" else "\\" for piece in plain)
        assert not MAIL.search(joined) and not ISSUE.search(joined), place
    row = markdown_row([escaped, "x"])
    tokens = RENDERER.parse(f"{markdown_row(['a', 'b'])}\n{markdown_row(['---', '---'])}\n{row}")
    cells = [token for token in tokens if token.type == "inline"]
    assert len(cells) == 4 and cells[3].content == "x"
    assert "".join(token.content for token in cells[2].children) == expected
    assert {token.type for token in cells[2].children} <= {"text", "text_special", "code_inline"}


def test_markdown_shows_attacks_as_text():
    for text in ATTACKS:
        check_markdown(text)


@given(st.text(ALPHABET, max_size=12) | st.lists(st.sampled_from(ATTACKS), max_size=3).map("".join))
@settings(max_examples=400)
@example("\\|")
@example("fix #1___")
@example("_gh-1_")
@example("#1_@x")
def test_markdown_shows_any_text_as_it_is(text):
    check_markdown(text)


@given(st.text("ab` |\\*", max_size=10))
def test_code_shows_any_text_as_it_is(text):
    found, made, _ = shown(f"x {markdown_code(text)}" if text.strip() else "x ")
    assert found.rstrip() == f"x {' '.join(text.split())}".rstrip() and made <= {"paragraph_open", "paragraph_close"}


# --- LaTeX ------------------------------------------------------------------------------------------------------------


def test_latex_shows_text_as_it_is():
    for text, shown in {
        r"\input{/etc/passwd}": r"\textbackslash{}input\{/etc/passwd\}",
        "5 % & $x_1^2$ #~": r"5 \% \& \$x\_1\textasciicircum{}2\$ \#\textasciitilde{}",
        "[2pt] *": "{[}2pt{]} {*}",
        "<a|b>": r"\textless{}a\textbar{}b\textgreater{}",
        "a--b---c -1 a-b": "a-{}-b-{}-{}-c -1 a-b",
        "``x'' ,, ?` !`": "`{}`x'{}' ,{}, ?{}` !{}`",
        "a\n\n\\end{document}\r%": r"a \textbackslash{}end\{document\} \%",
        "\x1b[31m\u202e": r"\textbackslash{}x1b{[}31m\textbackslash{}u202e",
    }.items():
        assert escape_latex(text) == shown


@given(st.text("\\{}[]$%#&_^~*-`'<>|\n\ra1", max_size=12))
def test_latex_has_no_command_and_no_group_of_the_data(text):
    """Without qassay's own commands only letters and digits remain, so TeX interprets nothing of the data."""
    left = re.sub(r"\\text[a-z]+\{\}|\\[&%$#_{}]|\{[\[\]*]\}|\{\}", "", escape_latex(text))
    assert re.fullmatch(r"[a1 '`-]*", left) and not re.search(r"--|``|''", escape_latex(text))


# --- whole reports ----------------------------------------------------------------------------------------------------

NASTY = "[x](javascript:alert(1)) ![i](http://e.example/i.png) <script>|`a`| & \\ % $x_1^2$ {\n} \x1b[31m\x07\b\r\x9b2J \u202eabc"

LINES = "b\r=1+1"


@pytest.fixture(scope="module")
def compared(tmp_path_factory):
    """A comparison of systems whose names, ids, questions, answers and slices are hostile."""
    folder = tmp_path_factory.mktemp("hostile")
    gold = [{"id": f"{NASTY}{i}", "question": NASTY, "references": [NASTY], NASTY: NASTY} for i in range(6)]
    answers = {row["id"]: NASTY for row in gold}
    systems = {f"{NASTY}a": answers, LINES: {**answers, gold[0]["id"]: "wrong"}}
    paths = {name: folder / f"{place}.json" for place, name in enumerate(["gold", *systems])}
    for name, content in {"gold": gold, **systems}.items():
        paths[name].write_text(json.dumps(content), "utf-8")
    given = open_files(None, str(paths["gold"]), [str(path) for path in paths.values()][1:], {})
    (scored,) = score_opened(given)
    return scored._replace(systems=dict(zip(systems, scored.systems.values(), strict=True)))


def rendered(scored, form, kind, **look):
    intervals, settings = Intervals(n_resamples=20), DocumentSettings(by=[NASTY])
    if kind == "values":
        found = score_document([scored], intervals, settings)
    else:
        found = compare_document([scored], ComparisonSettings(intervals=intervals, n_permutations=20), settings)
    found["remarks"] = [remark(NASTY)]
    return render(found, form, **look)


KINDS = ("values", "comparison")


@pytest.mark.parametrize("kind", KINDS)
def test_no_control_of_the_data_reaches_a_terminal(compared, kind):
    text = rendered(compared, "table", kind, width=80)
    assert r"\x1b[31m" in text and r"\u202e" in text
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text)


@pytest.mark.parametrize("kind", KINDS)
def test_markdown_reports_hold_nothing_live(compared, kind):
    text = rendered(compared, "markdown", kind)
    tokens = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).parse(text)
    made = {child.type for token in tokens for child in [token, *(token.children or ())]}
    assert not {"link_open", "image", "html_block", "fence", "code_block", "blockquote_open", "heading_open"} & made
    assert {child.content for token in tokens for child in token.children or () if child.type == "html_inline"} == set()
    assert "[x](javascript:alert(1)) ![i](http://e.example/i.png) <script>|`a`| &" in "".join(
        child.content for token in tokens for child in token.children or ()
    )
    sizes = {}
    for line in text.splitlines():
        if line.startswith("|"):
            sizes.setdefault(len(re.findall(r"(?<!\\)\|", line)), line)
    assert all(len(re.sub(r"\\.", "", line).split("|")) == size + 1 for size, line in sizes.items())


@pytest.mark.parametrize("kind", KINDS)
def test_latex_reports_hold_no_command_of_the_data(compared, kind):
    text = rendered(compared, "latex", kind)
    allowed = {"begin", "end", "toprule", "midrule", "bottomrule", "addlinespace"}
    signs = {"textbackslash", "textasciicircum", "textless", "textgreater", "textbar"}
    lines = [line for line in text.splitlines() if not line.startswith("%")]
    assert set(re.findall(r"\\([a-zA-Z]+)", "\n".join(lines))) <= allowed | signs
    starts = ("%", "\\begin", "\\end", "\\toprule", "\\midrule", "\\bottomrule", "\\addlinespace")
    assert all(not line or line.startswith(starts) or line.endswith(r" \\") for line in text.splitlines())
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", text)


@pytest.mark.parametrize("kind", KINDS)
def test_csv_reports_come_back(compared, kind):
    rows = read_with_python(rendered(compared, "csv", kind).encode())
    assert len({len(row) for row in rows}) == 1 and len(rows) > 4
    assert {cell for row in rows for cell in row if cell.startswith("[x]")} == {NASTY, f"{NASTY}a"}
    assert LINES in {cell for row in rows for cell in row}


@pytest.mark.parametrize("form", ["csv", "json", "table"])
def test_a_terminal_gets_no_control_of_the_data_in_any_format(tmp_path, capsys, monkeypatch, form):
    """CSV and JSON in a file or a pipe hold the data as they are; a terminal would obey them."""
    for name, content in (("gold", {"q\x9b2J": ["a"]}), ("\x1b[2J\x1b[8mx", {"q\x9b2J": "a"})):
        (tmp_path / f"{name}.json").write_text(json.dumps(content), "utf-8")
    arguments = ["score", str(tmp_path / "gold.json"), str(tmp_path / "\x1b[2J\x1b[8mx.json"), "--format", form]
    assert main([*arguments, "--output", str(tmp_path / "out")]) == 0
    raw = json.loads((tmp_path / "out").read_text("utf-8"))["parts"][0]["values"] if form == "json" else {}
    assert "\x1b[2J\x1b[8mx" in raw or form != "json"
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert main(arguments) == 0
    out = re.sub(r"\x1b\[(?:[0-2]|3[1-7])(?:;(?:[0-2]|3[1-7]))*m", "", capsys.readouterr().out)
    assert r"[2J" in out and not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", out)


def test_visible_characters_are_unchanged_and_invisible_ones_are_shown():
    for text in ("العربية (2024) هي Paris!", "می‌خواهم", "👨‍👩‍👧", "naïve café", "a\tb\nc\r\nd", "東京 — “x”"):
        assert visible(text) == text
    for text, shown in {
        "pa\u200bris\ufeff": r"pa\u200bris\ufeff",
        "pa\u200dris": r"pa\u200dris",
        "\u2066a\u2069\u202c": r"\u2066a\u2069\u202c",
        "a\rb\x7f\x85": r"a\rb\x7f\x85",
        "\ud800\U000e0041": r"\ud800\U000e0041",
    }.items():
        assert visible(text) == shown
