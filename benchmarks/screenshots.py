"""Makes the pictures of the Space in the README: starts it, loads a sample, and takes screenshots of its tabs.

    pip install -e ".[test-all]" && python benchmarks/screenshots.py

Writes small PNGs with a palette into docs/images. The browser is CHROME_PATH, otherwise the first Chromium or Chrome.
"""

import argparse
import io
import os
import shutil
from pathlib import Path
from typing import NamedTuple

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from qassay.space.app import build
from qassay.space.samples import SAMPLES

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "images"
COLOURS = 128
MAX_BYTES = 150_000
_PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking")


class Shot(NamedTuple):
    """A picture.

    Attributes:
        tab: the visible tab.
        top: CSS selector of the element at its upper edge.
        ready: text that appears when the tab is complete.
        sample: key of `SAMPLES`.
        width, height: of the window in pixels.
        dark: in the dark theme.
    """

    tab: str
    top: str
    ready: str
    sample: str = "answers"
    width: int = 1100
    height: int = 760
    dark: bool = False


SHOTS = {
    "score": Shot("Score", "#intro", "Kinds of errors"),
    "compare": Shot("Compare", "#compare-overview", "Likely real", dark=True),
}


def main() -> None:
    """Serve the Space, and write every picture."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER)
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    program = os.environ.get("CHROME_PATH") or next(filter(None, map(shutil.which, _PROGRAMS)))
    demo, options = build()
    demo.launch(prevent_thread_lock=True, **options)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=_FLAGS)
        for name, shot in SHOTS.items():
            page = browser.new_page(viewport={"width": shot.width, "height": shot.height})
            page.goto(f"{demo.local_url}?__theme={'dark' if shot.dark else 'light'}")
            picture = compressed(take(page, shot))
            (folder / f"{name}.png").write_bytes(picture)
            print(f"{folder / name}.png  {len(picture) / 1000:.0f} kB")
            if len(picture) > MAX_BYTES:
                raise SystemExit(f"{name}.png is larger than {MAX_BYTES / 1000:g} kB; make its window smaller")
            page.close()
        browser.close()
    demo.close(verbose=False)


def take(page: Page, shot: Shot) -> bytes:
    """The PNG of a shot."""
    page.get_by_text("Kinds of errors").first.wait_for()
    if shot.sample != "answers":
        page.get_by_role("button", name=SAMPLES[shot.sample].label, exact=True).click()
    page.get_by_role("tab", name=shot.tab, exact=True).click()
    page.locator("[role=tabpanel]:visible").get_by_text(shot.ready).first.wait_for()
    page.evaluate("() => document.fonts.ready")
    # Scroll as far as possible.
    page.locator(shot.top).first.evaluate("part => window.scrollTo(0, part.getBoundingClientRect().top + scrollY - 12)")
    return page.screenshot(animations="disabled", caret="hide")


def compressed(png: bytes) -> bytes:
    """A PNG with few colours, which suffice for text and charts."""
    file = io.BytesIO()
    Image.open(io.BytesIO(png)).convert("RGB").quantize(
        COLOURS, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE
    ).save(file, "PNG", optimize=True)
    return file.getvalue()


if __name__ == "__main__":
    main()
