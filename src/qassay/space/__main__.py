"""The page as a program: `python -m qassay.spaces_app`. In the folder of the demo Space this file is app.py."""

import sys

from qassay.spaces_app.launch import serve

if __name__ == "__main__":
    try:
        serve()
    except KeyboardInterrupt:
        sys.exit(130)
