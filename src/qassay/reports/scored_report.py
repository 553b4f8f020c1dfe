"""The format of a report by the name of its file."""

import os

FORMS = {".html": "html", ".htm": "html", ".md": "markdown", ".tex": "latex", ".csv": "csv", ".json": "json"}


def form_of_file(path: "str | os.PathLike[str]", what: str = "report") -> str:
    """The format of a report by the ending of its file: "html", "markdown", "latex", "csv" or "json".

    Args:
        what: the option that names the file, for the message.

    Raises:
        ValueError: another ending.

    Example:
        >>> form_of_file("report.html"), form_of_file("table.TEX")
        ('html', 'latex')
    """
    name = os.fspath(path)
    ending = os.path.splitext(name)[1].lower()
    if ending not in FORMS:
        raise ValueError(f"{what} {name}: the name must end with one of: {', '.join(FORMS)}")
    return FORMS[ending]
