"""No test of a harness asks the network, and no harness reports that it ran."""

import os
import socket
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

_QUIET = {
    "DEEPEVAL_TELEMETRY_OPT_OUT": "YES",
    "HAYSTACK_TELEMETRY_ENABLED": "False",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_UPDATE_DOWNLOAD_COUNTS": "0",  # of datasets
    "LANGSMITH_TRACING": "false",
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "RAGAS_DO_NOT_TRACK": "true",
}
os.environ.update(_QUIET)  # now: some read it while they are imported, and deepeval's plugin when the session ends
_LOCAL = ("localhost", "127.0.0.1", "::1", None)


@pytest.fixture(autouse=True)
def offline(monkeypatch, tmp_path):
    """Works in a folder of its own; fails a test during which something asks for another machine."""
    asked, own = [], socket.getaddrinfo

    def look_up(host, *args, **kwargs):
        if host in _LOCAL:
            return own(host, *args, **kwargs)
        asked.append(host)
        raise OSError(f"a test of a harness asks for {host}")

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    monkeypatch.setenv("INSPECT_TRACE_FILE", str(tmp_path / "trace.log"))
    monkeypatch.setenv("WANDB_MODE", "offline")  # not in all tests: transformers prints it when it is imported
    monkeypatch.chdir(tmp_path)
    # With `python -m pytest`, the metadata that setuptools leaves in the clone would hide those of the installation.
    monkeypatch.setattr(sys, "path", [folder for folder in sys.path if folder not in ("", str(ROOT))])
    yield
    assert not asked
