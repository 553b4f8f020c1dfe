"""The Space: `python app.py` is `qassay app`."""

import sys

from qassay.cli import main

if __name__ == "__main__":
    sys.exit(main(["app"]))
