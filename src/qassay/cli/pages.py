"""The commands `qassay app` and `qassay spaces`: the page on this machine, and folders for Spaces."""

import argparse
from pathlib import Path

from .file_arguments import add_command

_APP = """examples:
  qassay app
  qassay app --port 8000 --open
  qassay app --model cross-encoder/stsb-roberta-large --model ./my_model
"""


def add_app(commands) -> None:
    """Adds `qassay app` to the commands of the parser."""
    command = add_command(
        commands,
        "app",
        "start the page: upload files, score, inspect errors, compare, report",
        "Start the page on this machine, with sample data, and print its address. It does not contact any other machine.",
        _APP,
    )
    add = command.add_argument
    add("--host", metavar="ADDRESS",
        help="address to listen on: 127.0.0.1 for this machine only, 0.0.0.0 for all machines that can reach it; default: "
        "GRADIO_SERVER_NAME, else 127.0.0.1")  # fmt: skip
    add(
        "--port",
        type=int,
        metavar="N",
        help="port to listen on; default: GRADIO_SERVER_PORT, else the first free port from 7860",
    )
    add("--model", metavar="NAME_OR_FOLDER", nargs="+", action="extend", default=[], dest="models",
        help="models that the page offers for semantic answer similarity in addition to the built-in scorer; a name "
        "is downloaded from the Hugging Face Hub on first use, a folder is on this machine")  # fmt: skip
    add("--open", action="store_true", help="open the page in a browser")
    command.set_defaults(run=_app)


def add_spaces(commands) -> None:
    """Adds `qassay spaces build` to the commands of the parser."""
    command = commands.add_parser(
        "spaces", help="build folders to push as Hugging Face Spaces: the metrics and the demo"
    )
    actions = command.add_subparsers(required=True, metavar="ACTION", parser_class=type(command))
    build = actions.add_parser(
        "build",
        help="render folders that work without qassay installed",
        description="Render each metric, and the demo, as a self-contained folder OUT/NAME, ready to push as a Space.",
    )
    build.add_argument("out", metavar="OUT", type=Path, help="the folder to write them to")
    build.add_argument("names", metavar="NAME", nargs="*", help="metrics to render, or demo; default: all")
    build.add_argument("--leaderboard", metavar="SETTINGS", type=Path,
        help="YAML or JSON: write OUT/leaderboard, which takes submissions and ranks them, and OUT/leaderboard-private with the "
        "hidden gold answers (docs/leaderboard_space.md)")  # fmt: skip
    build.set_defaults(run=_build)


def _app(arguments: argparse.Namespace) -> str:
    from ..spaces_app.launch import serve

    serve(arguments.host, arguments.port, arguments.models, arguments.open)
    return ""


def _build(arguments: argparse.Namespace) -> str:
    from ..leaderboards.space import render_board_space
    from ..pages.build import render_spaces

    paths = render_board_space(arguments.leaderboard, arguments.out) if arguments.leaderboard else []
    if arguments.names or not arguments.leaderboard:
        paths += render_spaces(arguments.out, arguments.names)
    return "".join(f"{path}\n" for path in paths)
