"""The Space of a leaderboard: a public folder, and a private folder beside it.

OUT/leaderboard is pushed to the Hub, where everybody can read the files of a public Space. Gold answers, files of
baselines and submissions are in OUT/leaderboard-private, which is never pushed; on the Hub a variable names its path.
"""

import dataclasses
import json
import os
from pathlib import Path

from ..core.writing import write_files
from ..pages.demo import package_files, page_file
from .hosting import HostedBoard
from .settings import BoardSettings, read_board_settings

NAME = "leaderboard"
SETTINGS = "settings.json"
PRIVATE_VARIABLE = "QASSAY_BOARD_PRIVATE"  # the folder of gold answers and baselines
STORE_VARIABLE = "QASSAY_BOARD_STORE"  # the folder of submissions
LOGIN_NEEDS = ("authlib", "itsdangerous")  # the packages of gradio[oauth]
_APP = '''"""A leaderboard that takes submissions, written by `qassay spaces build OUT --leaderboard SETTINGS`: `python app.py`."""

import sys

from qassay.spaces_app.board import serve_board

if __name__ == "__main__":
    sys.exit(serve_board(__file__))
'''
_GITIGNORE = "*-private/\nprivate/\nstore/\n__pycache__/\n"


def render_board_space(settings: "str | os.PathLike[str]", out: "str | os.PathLike[str]") -> list[Path]:
    """Write the Space of a leaderboard to `out/leaderboard`, and its hidden files to `out/leaderboard-private`.

    Other files of the folders remain, so submissions survive when the Space is written again.

    Args:
        settings: the file of the settings, see `BoardSettings`.

    Returns:
        Both folders, the public one first.

    Raises:
        ValueError: settings that `read_board_settings` refuses, or that do not fit the gold data or the baselines.
            WriteError: a file that cannot be written.
    """
    path = Path(settings)
    read = read_board_settings(path)
    HostedBoard.check(read, path.parent)
    hidden, private = _hidden_files(read, path.parent)
    public = Path(out) / NAME
    secret = private_beside(public)
    write_files(secret, private)
    secret.chmod(0o700)
    write_files(
        public,
        {
            **package_files(with_samples=False),
            "app.py": _APP.encode(),
            "README.md": _card(read).encode(),
            "requirements.txt": _requirements(read),
            ".gitignore": _GITIGNORE.encode(),
            SETTINGS: (json.dumps(hidden.to_dict(), ensure_ascii=False, indent=2) + "\n").encode(),
        },
    )
    return [public, secret]


def private_beside(public: Path) -> Path:
    """The default folder of hidden files."""
    return public.with_name(f"{public.name}-private")


def private_folder(public: Path) -> Path:
    """The folder of the gold answers of a Space.

    Raises:
        ValueError: it does not exist; the message names the variable to set.
    """
    found = Path(os.environ.get(PRIVATE_VARIABLE) or private_beside(public))
    if not found.is_dir():
        raise ValueError(
            f"the folder of the hidden gold answers is not there: {found}; set the variable {PRIVATE_VARIABLE} to the folder "
            f"{NAME}-private that was written beside this one"
        )
    return found


def store_folder(private: Path) -> Path:
    """The folder of submissions: below the folder of gold answers, unless a variable names another."""
    return Path(os.environ.get(STORE_VARIABLE) or private / "store")


def _hidden_files(settings: BoardSettings, folder: Path) -> tuple[BoardSettings, dict[str, bytes]]:
    """The settings with the names of files in the private folder, and these files."""
    gold = "gold" + "".join(Path(settings.gold).suffixes)
    files = {gold: (folder / settings.gold).read_bytes()}
    baselines = {}
    for place, (name, file) in enumerate(settings.baselines.items(), 1):
        baselines[name] = f"baselines/{place}{''.join(Path(file).suffixes)}"
        files[baselines[name]] = (folder / file).read_bytes()
    return dataclasses.replace(settings, gold=gold, baselines=baselines), files


def _requirements(settings: BoardSettings) -> bytes:
    needs = LOGIN_NEEDS if settings.login == "huggingface" else ()
    return page_file("requirements.txt") + "".join(f"{name}\n" for name in needs).encode()


def _card(settings: BoardSettings) -> str:
    """The card of the Space: front matter for the Hub, and how to run it."""
    text = page_file("README.md").decode()
    version = next(line for line in text.splitlines() if line.startswith("sdk_version:"))
    python = next(line for line in text.splitlines() if line.startswith("python_version:"))
    has_login = settings.login == "huggingface"
    head = [
        f"title: {json.dumps(' '.join(settings.title.split()), ensure_ascii=False)}",
        "emoji: 🏁",
        "colorFrom: blue",
        "colorTo: indigo",
        "sdk: gradio",
        version,
        python,
        "app_file: app.py",
        "pinned: false",
        *(["hf_oauth: true"] if has_login else []),
        "tags:",
        "- leaderboard",
        "- question-answering",
        "- evaluation",
    ]
    return "\n".join(
        ["---", *head, "---", "", _README.format(private=PRIVATE_VARIABLE, store=STORE_VARIABLE, name=NAME)]
    )


_README = """# Leaderboard

A leaderboard with hidden gold answers: submissions are checked, scored, stored and ranked by
[qassay](https://pypi.org/project/qassay), with intervals of values and ranks and with letters of systems that cannot be told apart.

| | |
|---|---|
| `app.py` | starts the leaderboard: `python app.py` |
| `settings.json` | what the organiser decided; nothing in it is secret |
| `qassay/` | the package that scores and ranks |
| `requirements.txt` | what it needs beside Gradio |

The gold answers are not here. `{name}-private`, which was written beside this folder, has them and gets the submissions. Everybody
can read the files of a public Space: never push that folder with this one. Push it as a private data set, mount it or
persistent storage in the Space, and set two variables in the settings of the Space:

| | |
|---|---|
| `{private}` | the folder with the gold answers, such as `/data/private` |
| `{store}` | a folder that stays when the Space restarts, such as `/data/store`; without it submissions are in `store` of the private folder |

On your own machine, where both folders lie side by side:

```bash
pip install -r requirements.txt "gradio>=6.31,<7"
python app.py
```

People log in with Hugging Face accounts only in a Space (`hf_oauth: true` above); to try the leaderboard elsewhere, write it with
`login: none`.
"""
