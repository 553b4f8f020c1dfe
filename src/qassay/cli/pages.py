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
        "spaces", help="build folders to push as Hugging Face Spaces: the metrics and the page"
    )
    actions = command.add_subparsers(required=True, metavar="ACTION", parser_class=type(command))
    build = actions.add_parser(
        "build",
        help="write them from the last commit of a clone",
        description="Write the Space of each metric, and of the page, to OUT/NAME. OUT/qassay also holds the wheel of the "
        "package; the other Spaces install it from there.",
    )
    build.add_argument("out", metavar="OUT", type=Path, help="the folder to write them to")
    build.add_argument("names", metavar="NAME", nargs="*", help="metrics, or qassay for the page; default: all")
    build.add_argument(
        "--owner", metavar="OWNER", required=True, help="the user or organisation that will have the Spaces"
    )
    build.set_defaults(run=_build)


def _app(arguments: argparse.Namespace) -> str:
    from ..space.launch import serve

    serve(arguments.host, arguments.port, arguments.models, arguments.open)
    return ""


def _build(arguments: argparse.Namespace) -> str:
    from ..space.build import build_spaces

    paths = build_spaces(arguments.out, arguments.owner, arguments.names)
    return "".join(f"{path}\n" for path in paths)
