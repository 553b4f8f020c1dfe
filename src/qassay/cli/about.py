"""The commands that score nothing: `qassay list`, `explain`, `app` and `spaces build`."""

import argparse

from ..catalog import explanation, one_line, presets_text
from ..registry import FAMILIES
from .streams import terminal_width


def list_all(arguments: argparse.Namespace) -> str:
    """A line for each metric, or some for each preset."""
    if arguments.presets:
        return presets_text(terminal_width(True) or 80)
    wide = max(map(len, FAMILIES))
    return "".join(f"{name:<{wide}}  {one_line(name)}\n" for name in sorted(FAMILIES))


def explain(arguments: argparse.Namespace) -> str:
    """The columns, options and measures of a metric, or the meaning of another name."""
    return explanation(arguments.name, terminal_width(True) or 80)


def app(arguments: argparse.Namespace) -> str:
    """Serve the page until it is interrupted."""
    from ..space.launch import serve

    serve(arguments.host, arguments.port, arguments.models, arguments.open)
    return ""


def spaces(arguments: argparse.Namespace) -> str:
    """Write the folders of Spaces."""
    from ..space.build import build_spaces

    paths = build_spaces(arguments.out, arguments.owner, arguments.names)
    return "".join(f"{path}\n" for path in paths)
