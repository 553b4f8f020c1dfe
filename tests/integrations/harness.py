"""The harnesses live in an environment of their own (extra `harnesses`): elsewhere a file of tests is skipped as one."""

import importlib.util
import linecache
import os
import re
from pathlib import Path

import pytest

from ..test_documented_code import run

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "integrations.md"


def need(*libraries: str, in_job: bool = True) -> None:
    """Skip the file of tests that calls this where a library is not installed.

    Args:
        in_job: whether the job of .ci/run installs them; then REQUIRE_HARNESSES makes it a failure that one is missing.
            torchmetrics, which the main job installs, and lighteval, which none does, are not among them.
    """
    for library in libraries:
        if importlib.util.find_spec(library) is None:
            if in_job and os.environ.get("REQUIRE_HARNESSES"):
                raise ModuleNotFoundError(f"No module named {library!r}, and REQUIRE_HARNESSES is set", name=library)
            pytest.skip(f"needs {library}: pip install {library}, or the extra harnesses", allow_module_level=True)


def blocks(section: str, language: str, page: Path = PAGE) -> list[str]:
    """The blocks of code in a language of a section of a page, docs/integrations.md unless another is given."""
    (text,) = re.findall(rf"^## {section}\n(.*?)(?=^## |\Z)", page.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def run_inspect(samples, answers, log_format: str = "eval", **settings):
    """The log of a task of Inspect on these samples, to which its mock model gives these answers."""
    import inspect_ai
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    said = [ModelOutput.from_content("mockllm/model", answer) for answer in answers]
    for output in said:
        output.usage = ModelUsage()
    asked = {"model": get_model("mockllm/model", custom_outputs=said, memoize=False), "display": "none"}
    asked |= {"log_dir": "logs", "log_format": log_format, "max_connections": 1, "max_samples": 1}
    (log,) = inspect_ai.eval(inspect_ai.Task(samples, **settings), **asked)
    return log


def run_section(section: str, page: Path = PAGE, **names) -> dict:
    """Run the Python of a section from the top, compare what it gives with its comments, and give the names it made.

    A section whose comments say nothing that can be compared is a failure.
    """
    compared = 0
    for place, block in enumerate(blocks(section, "python", page)):
        name = f"{page.name}, {section} block {place}"
        linecache.cache[name] = (len(block), None, block.splitlines(keepends=True), name)  # for inspect.getsource
        compared += run(block, names, name)
    assert compared
    return names
