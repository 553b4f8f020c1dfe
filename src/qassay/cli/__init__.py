"""The `qassay` command: score files, compare systems, list the metrics, explain one, open the page, build the folders of Spaces."""

import importlib
import sys
import warnings
from collections.abc import Sequence

from ..core.errors import is_expected
from ..core.shown import error_text
from .arguments import build_parser
from .errors import fail, fail_by_defect, is_out_of_memory
from .paths import check_paths
from .streams import flush_streams, print_to_stderr, write_output

# Command -> its module and function; modules are imported for their command only.
_FUNCTIONS = {
    "score": (".commands", "score"),
    "compare": (".commands", "compare"),
    "check": ("..check.command", "check"),
    "leaderboard": (".leaderboards", "leaderboard"),
    "calibrate": (".people", "calibrate"),
    "agreement": (".people", "agreement"),
    "plan": (".plans", "plan"),
    "list": (".about", "list_all"),
    "explain": (".about", "explain"),
    "view": (".view", "view"),
    "app": (".about", "app"),
    "spaces": (".about", "spaces"),
}
_NO_MEMORY = "there is not enough memory; score fewer examples at a time, or fewer measures"


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command.

    Returns:
        0; 1 where `qassay check` did not pass a system; 2 after an error, with one line on stderr that names the file and what to do; 70 after a defect of qassay
        itself, with one line to report (with the environment variable QASSAY_DEBUG=1 also the traceback); 130 when
        interrupted; 141 when the reader of the output has gone.
    """
    try:
        with warnings.catch_warnings():
            warnings.showwarning = lambda message, *_: print_to_stderr(
                f"qassay: warning: {' '.join(str(message).split())}"
            )
            return _run(argv)
    except KeyboardInterrupt:
        code = 130
    except BrokenPipeError:
        code = 141
    except RecursionError as error:
        code = fail("the input is nested too deeply; flatten it", error)
    except MemoryError as error:
        code = fail(_NO_MEMORY, error)
    except (OSError, ImportError) as error:
        code = fail(error_text(error), error)
    except (ValueError, TypeError) as error:
        code = fail(str(error), error) if is_expected(error) else fail_by_defect(error)
    except Exception as error:  # noqa: BLE001  whatever it is, people get one line to report
        if is_out_of_memory(error):
            code = fail(f"{_NO_MEMORY}, or smaller batches (--option batch_size=8)", error)
        else:
            code = fail_by_defect(error)
    finally:
        flush_streams()
    return code


def _run(argv: Sequence[str] | None) -> int:
    arguments = build_parser().parse_args(argv)
    arguments.argv = sys.argv[1:] if argv is None else list(argv)
    check_paths(arguments)
    module, function = _FUNCTIONS[arguments.command]
    text = getattr(importlib.import_module(module, __package__), function)(arguments)
    write_output(text, getattr(arguments, "output", None))
    return int(getattr(arguments, "status", 0))
