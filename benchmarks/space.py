"""Measures time and memory of the Space on a separate server: start, scoring by its API and by its page.

    python benchmarks/space.py GOLD PREDICTIONS [PREDICTIONS ...] [--rows 0]

For SQuAD 2.0 dev: `python benchmarks/space.py squad2/dev-v2.0.json squad2/predictions_*.json`. The page is driven
through the events of its button Score, with all tabs, as a browser sends them. `--rows` also scores a table with this
number of rows. CPU and memory (current and peak, as counted by Linux) are measured for the server's process.
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
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
from gradio_client import Client, handle_file
from rich.console import Console
from rich.table import Table

SECONDS = 300


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("gold", type=Path)
    parser.add_argument("predictions", type=Path, nargs="+")
    parser.add_argument("--rows", type=int, default=0)
    args = parser.parse_args()
    table = Table("", "seconds", "CPU seconds", "memory (MB)", "peak (MB)", title="the Space")
    with tempfile.TemporaryDirectory() as folder, served(folder) as (process, url, seconds):
        worked = [0.0]

        def note(what: str, seconds: float) -> None:
            worked.append(cpu(process.pid))
            sizes = (f"{memory(process.pid, kind):,.0f}" for kind in ("VmRSS", "VmHWM"))
            table.add_row(what, f"{seconds:.1f}", f"{worked[-1] - worked[-2]:.1f}", *sizes)

        note("start to the first answer", seconds)
        with contextlib.closing(Page(url)) as page:
            note("a visitor arrives: sample in all tabs", timed(page.load))
            note("page: upload, score, all tabs", timed(page.score, args.gold, args.predictions))
            note("the same again", timed(page.score, args.gold, args.predictions))
        client = Client(url, verbose=False, analytics_enabled=False)
        files = [handle_file(path) for path in (args.gold, *args.predictions)]
        for predictions in files[1:]:
            note("score", timed(client.predict, files[0], [predictions], api_name="/score"))
        if len(files) > 2:
            note(f"score, {len(files) - 1} systems", timed(client.predict, files[0], files[1:], api_name="/score"))
        if args.rows:
            rows = Path(folder) / "rows.csv"
            rows.write_text("id,prediction,answer\n" + "".join(f"q{row},a{row % 7},a\n" for row in range(args.rows)))
            note(f"score, {args.rows:,} rows", timed(client.predict, handle_file(rows), [], api_name="/score"))
            with contextlib.closing(Page(url)) as page:
                note(f"page, {args.rows:,} rows", timed(page.score, rows, []))
    Console().print(table)


def timed(function: Any, *args: Any, **named: Any) -> float:
    """The seconds of a call."""
    start = time.perf_counter()
    function(*args, **named)
    return time.perf_counter() - start


@contextlib.contextmanager
def served(folder: str) -> Iterator[tuple[subprocess.Popen, str, float]]:
    """Start the Space in a separate process; yields the process, its address, and the seconds until it answered."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    variables = {"GRADIO_SERVER_PORT": str(port), "GRADIO_TEMP_DIR": folder}
    start = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "qassay", "app"], env={**os.environ, **variables}, stdout=subprocess.DEVNULL
    )
    try:
        url = f"http://127.0.0.1:{port}/"
        while True:
            with contextlib.suppress(httpx.TransportError):
                if httpx.get(url).status_code == 200:
                    break
            if process.poll() is not None or time.perf_counter() - start > SECONDS:
                sys.exit("the Space did not start")
            time.sleep(0.05)
        yield process, url, time.perf_counter() - start
    finally:
        process.terminate()
        process.wait()


def memory(pid: int, kind: str) -> float:
    """Megabytes of a process (Linux)."""
    found = re.search(rf"{kind}:\s*(\d+) kB", Path(f"/proc/{pid}/status").read_text("ascii"))
    return int(found[1]) / 1024


def cpu(pid: int) -> float:
    """CPU seconds of a process (Linux)."""
    fields = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Page:
    """A browser on the page: values of components, and events with the events that follow."""

    def __init__(self, url: str) -> None:
        self.http = httpx.Client(base_url=f"{url}gradio_api/", timeout=SECONDS)
        config = httpx.get(f"{url}config").json()
        self.events = config["dependencies"]
        self.parts = {part["id"]: part["props"] for part in config["components"]}
        self.values = {number: props.get("value") for number, props in self.parts.items()}
        self.session = secrets.token_hex(8)

    def close(self) -> None:
        """Leave the page."""
        self.http.close()

    def load(self) -> None:
        """The events of opening the page."""
        for event in self.events:
            if any(kind == "load" for _, kind in event["targets"]):
                self._run(event)

    def score(self, gold: Path, predictions: list[Path]) -> None:
        """Upload the files and press Score."""
        slots = {props.get("elem_id"): number for number, props in self.parts.items()}
        self.values[slots["gold"]] = self._upload(gold)
        self.values[slots["systems"]] = [self._upload(path) for path in predictions] or None
        (button,) = (number for number, props in self.parts.items() if props.get("elem_id") == "score")
        for event in self.events:
            if [button, "click"] in event["targets"]:
                self._run(event)

    def _upload(self, path: Path) -> dict[str, Any]:
        (uploaded,) = self.http.post("upload", files={"files": (path.name, path.read_bytes())}).json()
        return {"path": uploaded, "orig_name": path.name, "meta": {"_type": "gradio.FileData"}}

    def _run(self, event: dict) -> None:
        """An event and the events that follow it."""
        data = [self.values.get(number) for number in event["inputs"]]
        join = {"data": data, "fn_index": event["id"], "session_hash": self.session}
        self.http.post("queue/join", json=join).raise_for_status()
        with self.http.stream("GET", "queue/data", params={"session_hash": self.session}) as stream:
            for line in stream.iter_lines():
                message = json.loads(line.removeprefix("data:")) if line.startswith("data:") else {}
                if message.get("msg") == "process_completed":
                    break
        if not message["success"]:
            sys.exit(f"an event failed: {message['output']}")
        for number, value in zip(event["outputs"], message["output"]["data"]):
            if not (isinstance(value, dict) and value.get("__type__") == "update"):
                self.values[number] = value
            elif "value" in value:
                self.values[number] = value["value"]
        for after in self.events:
            if after["trigger_after"] == event["id"]:
                self._run(after)


if __name__ == "__main__":
    main()
