"""What the pages of a leaderboard that takes submissions say, as HTML; everything from users and organisers escaped."""

import re
import shlex
from collections.abc import Sequence
from datetime import datetime

from qassay.comparison.ranking_table import letters_mean
from qassay.leaderboards.hosting import LEVEL, HostedBoard, Receipt
from qassay.leaderboards.public_slices import LEAST_EXAMPLES, REST
from qassay.leaderboards.settings import UTC, BoardSettings
from qassay.reports.chart_parts import escaped
from qassay.reports.html_parts import code, heads, row, scroll_table, whole_page
from qassay.reports.leaderboard_page import leaderboard_page
from qassay.spaces_app.view_parts import section, wrapped

_STYLE = re.compile("<style>.*?</style>", re.DOTALL)
_FRAMED = "body>header{display:none}main{padding-top:0}"
_SANDBOX = 'sandbox="allow-scripts allow-popups allow-popups-to-escape-sandbox allow-downloads"'
_EXAMPLE = '{"id 1": "an answer", "id 2": "another"}'
_WIDEST = 40  # characters of an option in the command


def board_page(board: HostedBoard, *, is_framed: bool = False, theme: str = "") -> str:
    """The board as a separate page; while there are fewer than two systems, what there is.

    Args:
        is_framed: without the title and the description, which are around the frame.
        theme: "dark" or "light"; anything else: the theme of the reader's system.
    """
    report = board.report()
    page = _page_of_few(board) if report is None else leaderboard_page(report)
    if theme in ("dark", "light"):
        page = _STYLE.sub(lambda style: _in_theme(style[0], theme), page)
    return page.replace("</head>", f"<style>{_FRAMED}</style></head>", 1) if is_framed else page


def _in_theme(style: str, theme: str) -> str:
    """A style that does not ask for the theme of the reader's system."""
    holds = "(min-width:0)" if theme == "dark" else "(max-width:0)"
    return style.replace("(prefers-color-scheme:dark)", holds).replace(
        "color-scheme:light dark", f"color-scheme:{theme}"
    )


def _page_of_few(board: HostedBoard) -> str:
    systems = board.public()["systems"]
    names = list(systems[0]["values"]) if systems else []
    rows = [
        row(
            escaped(of["name"]),
            *(f"<td>{_value(of['values'].get(name), of['intervals'].get(name))}</td>" for name in names),
        )
        for of in systems
    ]
    table = scroll_table("Systems are ranked as soon as there are two.", heads("System", *map(escaped, names)), rows)
    body = table if systems else "<p>No system has been submitted yet.</p>"
    return whole_page(
        board.settings.title, "Leaderboard", escaped(board.settings.description), [("systems", "Systems", body)]
    )


def title_html(board: HostedBoard) -> str:
    """The heading of the page."""
    return wrapped(f'<h1 class="title">{escaped(board.settings.title)}</h1>')


def frame_html(board: HostedBoard) -> str:
    """The board inside the page: a frame of the separate page, new for every submission, and a link to it."""
    version, title = board.n_systems(), escaped(board.settings.title)
    return wrapped(
        f'<iframe class="board" src="board.html?frame={version}" {_SANDBOX} title="Leaderboard: {title}"></iframe>',
        '<p class="faint"><a class="inline" href="board.html" target="_blank" rel="noopener">Open the board as a separate page</a>, '
        'which can be saved; <a class="inline" href="board.json" target="_blank" rel="noopener">its numbers as JSON</a>.</p>',
    )


def receipt_html(receipt: Receipt) -> str:
    """What came of a submission that was taken."""
    values = "".join(
        f"<li>{escaped(name)}: {_value(value, receipt.row.intervals[name])}</li>"
        for name, value in receipt.row.values.items()
    )
    told = "".join(f"<li>{escaped(line)}</li>" for line in receipt.told)
    return wrapped(
        f"<section><h2>{escaped(receipt.row.system)} is on the leaderboard</h2><ul>{values}{told}</ul>"
        f'<p class="faint">Submission {escaped(receipt.row.id)}. The tab Board has its rank.</p></section>'
    )


def about_html(board: HostedBoard) -> str:
    """The tab About: rules, how systems are scored and ranked, limits, and how to score on a public set."""
    settings, task = board.settings, board.task
    measures = ", ".join(settings.measures or board.measures()) or "the main measures of the metric"
    facts = [
        f"The metric is {task.metric}; measures: {measures}. Systems are sorted by the first measure.",
        f"Intervals are at a level of {100 * LEVEL:g} %; {letters_mean(LEVEL)}. Ranks have intervals too.",
        f"Values and intervals are rounded to {settings.digits} decimal places, because exact values would help to guess hidden answers.",
        "Gold answers and scores of single examples are never shown.",
        *([f"Slices of fewer than {LEAST_EXAMPLES} examples are shown together as {REST}."] if settings.by else []),
        _missing_words(settings),
        "A file with other ids is refused."
        if settings.unknown == "refuse"
        else "Predictions with other ids are ignored.",
        *(["The board shows the best submission of each team and user."] if settings.shown == "best" else []),
    ]
    signature = f"<p>Signature: {code(task.signature())}</p>"
    return wrapped(
        section("Task", _paragraphs(settings.description)),
        section("Rules", _paragraphs(settings.rules)),
        section("How systems are scored", _list(facts) + signature),
        section("Limits", _list(_limit_lines(settings))),
        section("Score your system yourself", _own_scores(board)),
    )


def lead_html(board: HostedBoard, now: datetime | None = None) -> str:
    """The line above the form: whether submissions are taken now, and how many."""
    settings, now = board.settings, now or datetime.now(UTC)
    if settings.opens and now < settings.opens:
        words = f"Submissions are taken from {_moment(settings.opens)} on."
    elif settings.closes and now > settings.closes:
        words = f"Submissions were taken until {_moment(settings.closes)}. The board stays."
    else:
        until = f" until {_moment(settings.closes)}" if settings.closes else ""
        words = f"At most {settings.limits.user_per_day} submissions of a user in a day are taken{until}."
    login = " Log in with your Hugging Face account first." if settings.login == "huggingface" else ""
    return wrapped(f'<p class="lead">{escaped(words + login)}</p><p class="faint">{_format_words(board)}</p>')


def has_template(board: HostedBoard) -> bool:
    """Whether everybody may have a file of predictions with all ids and empty answers."""
    return board.settings.name_ids and board.task.family.scores_outputs


def _format_words(board: HostedBoard) -> str:
    """What a file looks like, as HTML."""
    size = f"at most {board.settings.limits.file_mb} MB, not compressed"
    if not board.task.family.scores_outputs:
        return f"A file of predictions as {code('qassay score')} reads it, {size}."
    given = f"JSON such as {code(_EXAMPLE)}, or CSV or JSONL with the columns id and prediction; {size}."
    link = ' <a class="inline" href="template.json" target="_blank" rel="noopener">A file with all ids</a>, to be filled in.'
    return given + (link if has_template(board) else "")


def own_command(board: HostedBoard) -> str:
    """The command line that scores a file on a public set as the leaderboard does."""
    settings = board.settings
    parts = ["qassay", "score", "PUBLIC_SET", "PREDICTIONS", "--metric", board.task.metric]
    parts += ["--preset", settings.preset] if settings.preset else []
    for name, value in settings.options.items():
        text = str(value)
        parts += ["--option", f"{name}={text}"] if len(text) <= _WIDEST else []
    for name, value in settings.columns.items():
        parts += ["--columns", f"{name}={value}"] if isinstance(value, str) else []
    parts += ["--measures", ",".join(settings.measures)] if settings.measures else []
    return shlex.join(parts)


def _own_scores(board: HostedBoard) -> str:
    address = board.settings.public_set
    link = (
        f'<a class="inline" href="{escaped(address)}" target="_blank" rel="noopener nofollow">{escaped(address)}</a>'
        if address
        else ""
    )
    given = f"On the public set {link}:" if link else "On any set whose gold answers you have, with the same options:"
    return f"<p>{given}</p><pre><code>pip install qassay\n{escaped(own_command(board))}</code></pre>"


def _missing_words(settings: BoardSettings) -> str:
    if settings.missing == "refuse":
        return "A file without a prediction for every example is refused."
    return "Examples without a prediction count as wrong."


def _limit_lines(settings: BoardSettings) -> list[str]:
    limits = settings.limits
    lines = [
        f"Submissions of a user: at most {limits.user_per_day} in a day (UTC), {limits.user_in_all} in all.",
        f"Submissions of all users: at most {limits.per_day} in a day, {limits.in_all:,} in all.",
        f"Files of a user, including refused files: at most {limits.attempts_per_hour} within an hour.",
        f"A file has at most {limits.file_mb} MB and is not compressed.",
    ]
    lines += [f"Submissions are taken from {_moment(settings.opens)} on."] if settings.opens else []
    lines += [f"Submissions are taken until {_moment(settings.closes)}."] if settings.closes else []
    if settings.login == "none":
        lines.append("Nobody logs in: only the network address distinguishes users.")
    return lines


def _moment(value: datetime) -> str:
    return f"{value.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def _value(value: float | None, ends: Sequence[float | None] | None) -> str:
    if value is None:
        return "–"
    low, high = ends or (None, None)
    return f"{value:g}" + ("" if low is None or high is None else f" ({low:g} to {high:g})")


def _paragraphs(text: str) -> str:
    return "".join(f"<p>{escaped(part)}</p>" for part in text.split("\n\n") if part.strip())


def _list(lines: Sequence[str]) -> str:
    return f"<ul>{''.join(f'<li>{escaped(line)}</li>' for line in lines)}</ul>"
