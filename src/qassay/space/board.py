"""The Space of a leaderboard that takes submissions: the board, the form, and what it is about.

`qassay spaces build OUT --leaderboard SETTINGS` writes a folder whose app.py calls `serve_board`. Gold answers and
submissions lie in another folder, which no route of the server leads to.
"""

import functools
import json
import os
import pkgutil
import sys
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import gradio as gr
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.responses import HTMLResponse, Response

from qassay.core.writing import WriteError
from qassay.leaderboards.hosting import HostedBoard
from qassay.leaderboards.settings import read_board_settings
from qassay.leaderboards.space import LOGIN_NEEDS, SETTINGS, private_folder, store_folder
from qassay.leaderboards.submissions import Refused, Submission
from qassay.pages.faults import log_fault, toast
from qassay.pages.limits import AT_ONCE, KEEP_SECONDS, QUEUE, SWEEP_SECONDS
from qassay.pages.page import theme
from qassay.pages.server import ServedBlocks, launch_options
from qassay.spaces_app.board_view import (
    about_html,
    board_page,
    frame_html,
    has_template,
    lead_html,
    receipt_html,
    title_html,
)
from qassay.spaces_app.handlers import PRIVATE, guarded, words_of
from qassay.spaces_app.launch import serve_built
from qassay.spaces_app.view_parts import style

_NOT_TAKEN = "Not taken"
_CSS = (
    ".qassay iframe.board{width:100%;height:max(34rem,calc(100vh - 12rem));border:1px solid var(--line);border-radius:8px}"
    ".qassay p>a.inline{margin:0;padding:0}"
    "@media (min-width:40rem){#submit-button{align-self:flex-start;flex-grow:0;width:14rem}}"
)
_LOG_IN = "log in with your Hugging Face account first, by the button above the form; programs cannot log in"
_NO_LOGIN_HERE = (
    "users log in with Hugging Face accounts, which only works in a Space on the Hub; to try the leaderboard on "
    "your own machine, set login: none"
)
_NO_ADDRESSES_HERE = (
    "login: none distinguishes users by their network address, but in a Space on the Hub all users have the address of its "
    "proxy; set login: huggingface"
)


def serve_board(app_file: str) -> int:
    """Serve the leaderboard of the folder of an app.py until it is stopped; the exit status."""
    folder = Path(app_file).resolve().parent
    warnings.simplefilter("ignore")  # they may quote submissions
    os.environ.setdefault(
        "FORWARDED_ALLOW_IPS", ""
    )  # else programs on this machine could say which address they come from
    try:
        serve_built(lambda: lambda: build_board_app(open_board(folder)))
    except KeyboardInterrupt:
        return 130
    except (ValueError, OSError) as error:
        print(f"qassay: {error}", file=sys.stderr)
        return 2
    return 0


def open_board(folder: Path) -> HostedBoard:
    """The leaderboard of a folder that `qassay spaces build` wrote."""
    private = private_folder(folder)
    return HostedBoard(read_board_settings(folder / SETTINGS), private, store_folder(private))


def build_board_app(board: HostedBoard) -> tuple[gr.Blocks, dict[str, Any]]:
    """The page, and the keyword arguments of its launch."""
    settings = board.settings
    if settings.login == "none" and is_on_hub():
        raise ValueError(_NO_ADDRESSES_HERE)
    if (
        settings.login == "huggingface"
        and is_on_hub()
        and (lacking := [name for name in LOGIN_NEEDS if not find_spec(name)])
    ):
        raise ValueError(f"login: huggingface needs {' and '.join(lacking)}; run: pip install {' '.join(lacking)}")
    board.report()  # so that a store that cannot be ranked fails at the start
    title = settings.title
    with ServedBlocks(title=title, analytics_enabled=False, delete_cache=(SWEEP_SECONDS, KEEP_SECONDS)) as demo:
        gr.HTML(title_html(board), elem_id="intro")
        with gr.Tabs():
            with gr.Tab("Board", id="board"):
                shown = gr.HTML(frame_html(board), elem_id="board")
            with gr.Tab("Submit", id="submit"):
                lead = gr.HTML(lead_html(board))
                _add_form(board, shown)
            with gr.Tab("About", id="about"):
                about = gr.HTML(about_html(board))

        @guarded
        def load():
            return frame_html(board), lead_html(board), about_html(board)

        demo.load(load, None, [shown, lead, about], show_progress="hidden", **PRIVATE)
    demo.queue(max_size=QUEUE, default_concurrency_limit=AT_ONCE)
    options = launch_options()
    options["app_kwargs"]["middleware"].append(Middleware(BoardFiles, board=board))
    options["max_file_size"] = settings.limits.file_mb * 1_000_000
    hidden = [os.path.dirname(os.path.abspath(board.task.gold_path)), str(board.store.folder.resolve())]
    return demo, {
        **options,
        "theme": theme(),
        "css": style() + _CSS,
        "head": f"<script>{pkgutil.get_data(__name__, 'board.js').decode('utf-8')}</script>",
        "footer_links": ["api", "settings"],
        "quiet": True,
        "blocked_paths": hidden,
    }


def _add_form(board: HostedBoard, shown: gr.HTML) -> None:
    """The form of the tab Submit, and its event, which programs may call too."""
    has_login = board.settings.login == "huggingface"
    if has_login and is_on_hub():
        gr.LoginButton()
    file = gr.File(label="Predictions", file_count="single", elem_id="file", height=140)
    with gr.Row():
        system = gr.Textbox(label="Name of the system", max_length=200, elem_id="system")
        team = gr.Textbox(label="Team", max_length=200, elem_id="team")
    link = gr.Textbox(label="Link (optional)", placeholder="https://", max_length=500, elem_id="link")
    button = gr.Button("Submit", variant="primary", elem_id="submit-button")
    receipt = gr.HTML(elem_id="receipt")
    button.click(
        submit_function(board, in_hub=is_on_hub()),
        [file, system, team, link],
        [receipt, shown],
        api_name="submit",
        api_description="Submit a file of predictions; the result is HTML.",
        show_progress_on=receipt,
    )


def submit_function(board: HostedBoard, *, in_hub: bool) -> Callable[..., tuple[str, str]]:
    """What the button Submit calls: with the account where people log in, else with the address of the caller."""

    def hand_in(file: str | None, system: str, team: str, link: str, user: str) -> tuple[str, str]:
        if not file:
            raise toast("choose the file of predictions first", _NOT_TAKEN)
        told = (text or "" for text in (system, team, link))
        try:
            receipt = board.submit(Submission(file, os.path.basename(file), *told, user=user))
        except Refused as error:
            raise _not_taken(str(error)) from None
        except WriteError as error:
            log_fault("a submission", error)
            raise _not_taken("the server cannot store it; try again later, or ask the organisers") from None
        except Exception as error:
            words, _ = words_of(error, "a submission", ())
            raise _not_taken(words) from None
        _rank_again(board)
        return receipt_html(receipt), frame_html(board)

    if board.settings.login == "none":

        def submit(file: str | None, system: str, team: str, link: str, request: gr.Request) -> tuple[str, str]:
            client = request.client
            return hand_in(file, system, team, link, client.host if client else "")

        return submit
    if not in_hub:

        def refuse(file: str | None, system: str, team: str, link: str) -> tuple[str, str]:
            raise _not_taken(_NO_LOGIN_HERE)

        return refuse

    def submit_as(
        file: str | None, system: str, team: str, link: str, profile: gr.OAuthProfile | None
    ) -> tuple[str, str]:
        if profile is None:
            raise _not_taken(_LOG_IN)
        return hand_in(file, system, team, link, profile.username)

    return submit_as


def _rank_again(board: HostedBoard) -> None:
    """Rank the board with the newest submission, which is taken even if that fails."""
    try:
        board.report(wait=True)
    except Exception as error:  # noqa: BLE001  whoever opens the board meets it too
        log_fault("the ranking", error)


def is_on_hub() -> bool:
    """Whether this is a Space of the Hub: elsewhere Gradio lets everybody in as the owner of this machine's token."""
    return gr.utils.get_space() is not None


def _not_taken(words: str) -> gr.Error:
    error = toast(words, _NOT_TAKEN)
    error.duration = None  # long ones are read slowly
    return error


class BoardFiles:
    """ASGI middleware that answers board.html, board.json and template.json: what everybody may see of the board, and nothing else."""

    def __init__(self, app: Any, board: HostedBoard):
        self.app, self.board = app, board
        self.answers = {"board.html", "board.json", *(["template.json"] if has_template(board) else [])}

    async def __call__(self, scope: dict, receive: Any, send: Any) -> None:
        """Answer for these files, pass everything else on."""
        name = scope["path"].removeprefix("/") if scope["type"] == "http" else ""
        if name not in self.answers or scope["method"] not in ("GET", "HEAD"):
            await self.app(scope, receive, send)
            return
        asked = dict(parse_qsl(scope["query_string"].decode("latin-1")))
        html_of = functools.partial(_html_of, is_framed="frame" in asked, theme=asked.get("theme", ""))
        answer = html_of if name == "board.html" else _OTHER_FILES[name]
        response: Response = await run_in_threadpool(answer, self.board)
        response.headers["cache-control"] = "no-store"
        response.headers["x-content-type-options"] = "nosniff"
        await response(scope, receive, send)


def _html_of(board: HostedBoard, *, is_framed: bool, theme: str) -> Response:
    return HTMLResponse(board_page(board, is_framed=is_framed, theme=theme))


def _json_of(board: HostedBoard) -> Response:
    return Response(json.dumps(board.public(), ensure_ascii=False, allow_nan=False), media_type="application/json")


def _template_of(board: HostedBoard) -> Response:
    text = json.dumps(dict.fromkeys(sorted(board.task.ids), ""), ensure_ascii=False, indent=1)
    return Response(text, media_type="application/json")


_OTHER_FILES: dict[str, Callable[[HostedBoard], Response]] = {"board.json": _json_of, "template.json": _template_of}
