"""The page on a separate server: its start, one visitor, and many at once.

    python -m benchmarks space GOLD PREDICTIONS [PREDICTIONS ...] [--visitors 10]

A visitor uploads the files, waits in line and fetches the document, as the page does; the time of the browser comes on top.
"""

import argparse
import contextlib
import json
import os
import re
import secrets
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx

from .measure import Table

SECONDS = 300


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("gold", type=Path)
    parser.add_argument("predictions", type=Path, nargs="+")
    parser.add_argument("--visitors", type=int, default=10)


def run(args: argparse.Namespace) -> Iterator[Table]:
    rows, files = [], [args.gold, *args.predictions]
    with served() as (process, url, seconds):

        def note(what: str, seconds: float) -> None:
            rows.append([what, f"{seconds:.2f}", f"{memory(process.pid):,.0f}"])

        note("start to the first answer", seconds)
        note("a visitor", visit(url, files))
        note("the same again", visit(url, files))
        with ThreadPoolExecutor(args.visitors) as pool:
            found = list(pool.map(lambda _: visit(url, files), range(args.visitors)))
        note(f"{args.visitors} visitors at once: the first", min(found))
        note(f"{args.visitors} visitors at once: the last", max(found))
    yield Table("", ["the page", "seconds", "MB of the server"], rows)


def visit(url: str, files: Sequence[Path]) -> float:
    """The seconds from a click on Score until the document is there."""
    start = time.perf_counter()
    with httpx.Client(base_url=url, timeout=SECONDS) as http:
        number = re.search(r'"fn_index": (\d+)', http.get("/").text)[1]
        start = time.perf_counter()
        sent = [("files", (path.name, path.read_bytes())) for path in files]
        paths = http.post("gradio_api/upload", files=sent).raise_for_status().json()
        given = [
            {"path": path, "orig_name": file.name, "meta": {"_type": "gradio.FileData"}}
            for path, file in zip(paths, files, strict=True)
        ]
        session = secrets.token_hex(8)
        join = {"data": [given[0], given[1:], ""], "fn_index": int(number), "session_hash": session}
        http.post("gradio_api/queue/join", json=join).raise_for_status()
        with http.stream("GET", "gradio_api/queue/data", params={"session_hash": session}) as stream:
            messages = (json.loads(line[5:]) for line in stream.iter_lines() if line.startswith("data:"))
            done = next(message for message in messages if message["msg"] == "process_completed")
        if not done["success"]:
            sys.exit(f"scoring failed: {done['output']}")
        http.get(f"document/{done['output']['data'][0]}").raise_for_status().json()
    return time.perf_counter() - start


@contextlib.contextmanager
def served() -> Iterator[tuple[subprocess.Popen, str, float]]:
    """Start the page in a separate process; yields the process, its address, and the seconds until it answered."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    start = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "qassay", "app"],
        env={**os.environ, "GRADIO_SERVER_PORT": str(port)},
        stdout=subprocess.DEVNULL,
    )
    try:
        url = f"http://127.0.0.1:{port}/"
        while True:
            with contextlib.suppress(httpx.TransportError):
                if httpx.get(url, timeout=SECONDS).status_code == 200:
                    break
            if process.poll() is not None or time.perf_counter() - start > SECONDS:
                sys.exit("the page did not start")
            time.sleep(0.05)
        yield process, url, time.perf_counter() - start
    finally:
        process.terminate()
        process.wait()


def memory(pid: int) -> float:
    """Megabytes of a process (Linux), without those that score."""
    found = re.search(r"VmRSS:\s*(\d+) kB", Path(f"/proc/{pid}/status").read_text("ascii"))
    return int(found[1]) / 1024
