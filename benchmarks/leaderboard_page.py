"""Measures the page of a leaderboard: its size, the time to write it, and the time until a reader can use it.

    pip install -e ".[test-all]" && python benchmarks/leaderboard_page.py --systems 50 --slices 8

The systems are simulated; each has four measures, over all questions and in each slice. Times are the minimum of five
visits with Chromium (CHROME_PATH, otherwise the first Chromium or Chrome): until DOMContentLoaded, which is after the
script of the page, and from a click to the next frame.
"""

import argparse
import os
import shutil
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from playwright.sync_api import sync_playwright

from qassay.core.intervals import Interval
from qassay.reports.leaderboard import board_report
from qassay.reports.leaderboard_page import leaderboard_page
from qassay.stats.leaderboard import Leaderboard
from qassay.stats.letters import compact_letters
from qassay.stats.ranking import RankedSystem, Ranking

MEASURES = ("f1", "exact_match", "precision", "recall")
_PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking")
_VISITS = 5
# Milliseconds from an act to the second frame after it.
_TIMED = """act => new Promise(done => {
    const start = performance.now();
    eval(act);
    requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - start)));
})"""
_ACTS = {
    "first sort": "document.querySelector('.board thead [data-key=\"measure:1\"] button').click()",
    "search": "{const box = document.getElementById('filter'); box.value = '1'; box.dispatchEvent(new Event('input'))}",
    "all again": "{const box = document.getElementById('filter'); box.value = ''; box.dispatchEvent(new Event('input'))}",
    "slice": "{const box = document.getElementById('slice'); box.value = 1; box.dispatchEvent(new Event('change'))}",
    "matrix": "document.querySelector('#pairs-box details').open = true",
    "system": "document.querySelector('.board tbody button').click()",
}


def main() -> None:
    """Write the page, open it, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--systems", type=int, default=50)
    parser.add_argument("--slices", type=int, default=8)
    asked = parser.parse_args()
    report = board_report(invented_board(asked.systems, asked.slices), "answer_match", examples_name="questions")
    start = time.perf_counter()
    page = leaderboard_page(report)
    print(f"{asked.systems} systems, {len(MEASURES)} measures, {asked.slices} slices")
    print(f"written in {time.perf_counter() - start:.2f} s, {len(page.encode()) / 1e6:.2f} MB")
    for act, milliseconds in timed_in_browser(page).items():
        print(f"{act:<18} {milliseconds:6.0f} ms")


def invented_board(n_systems: int, n_slices: int, seed: int = 0) -> Leaderboard:
    """A leaderboard of values without statistics behind them."""
    rng = np.random.default_rng(seed)
    names = [f"system-{place:03d}" for place in range(n_systems)]
    skills = np.sort(rng.beta(8, 3, n_systems))[::-1]

    def rankings(n: int) -> dict[str, Ranking]:
        return {name: _ranking(name, names, skills + rng.normal(0, 0.01, n_systems), n) for name in MEASURES}

    scores: Any = SimpleNamespace(notes={}, n_examples=10_000, signature=lambda: "invented")
    slices = {"topic": {f"topic {place}": rankings(1000) for place in range(n_slices)}} if n_slices else {}
    return Leaderboard(dict.fromkeys(names, scores), rankings(10_000), slices, {}, [], 0.95, 1000, seed)


def _ranking(measure: str, names: list[str], values: np.ndarray, n: int) -> Ranking:
    order = np.argsort(-values)
    values = values[order]
    error = np.sqrt(0.5 / n)
    p_values = np.minimum(1, np.exp(-(((values[:, None] - values) / error) ** 2) / 2) * len(names))
    np.fill_diagonal(p_values, np.nan)
    letters = compact_letters(p_values < 0.05)
    ends = [Interval(value - error, value + error, "wilson") for value in values]
    systems = [
        RankedSystem(names[row], float(values[place]), ends[place], place + 1, (1, len(names)), letters[place], 0.02)
        for place, row in enumerate(order)
    ]
    return Ranking(measure, tuple(systems), p_values, n, 0.95)


def timed_in_browser(page: str) -> dict[str, float]:
    """Action of a reader -> milliseconds."""
    program = os.environ.get("CHROME_PATH") or next(filter(None, map(shutil.which, _PROGRAMS)))
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = Path(folder) / "page.html"
        path.write_text(page, "utf-8")
        browser = playwright.chromium.launch(executable_path=program, args=_FLAGS)
        visits = [_visit(browser, path.as_uri()) for _ in range(_VISITS)]
        browser.close()
    return {act: min(visit[act] for visit in visits) for act in visits[0]}


def _visit(browser: Any, address: str) -> dict[str, float]:
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(address)
    loaded = "performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd"
    found = {"DOMContentLoaded": page.evaluate(loaded)}
    found |= {name: page.evaluate(_TIMED, act) for name, act in _ACTS.items()}
    page.close()
    return found


if __name__ == "__main__":
    main()
