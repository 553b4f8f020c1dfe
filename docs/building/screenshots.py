"""The pictures of the page: starts it, and takes screenshots of its sample.

    pip install -e ".[test-all]" && python docs/building/screenshots.py

Writes small PNGs with a palette into docs/images. The browser is CHROME_PATH, otherwise the first Chromium or Chrome.
"""

import argparse
import io
import os
import shutil
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from benchmarks.inputs import ROOT
from benchmarks.space import served

COLOURS = 128
MAX_BYTES = 150_000
_PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# Name -> the view of the sample, and whether in dark colours.
SHOTS = {"score": ("", False), "compare": ("#tab=compare", True)}


def main() -> None:
    """Serve the page, and write every picture."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "docs" / "images")
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    program = os.environ.get("CHROME_PATH") or next(filter(None, map(shutil.which, _PROGRAMS)))
    with served() as (_, url, _), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        for name, (view, dark) in SHOTS.items():
            size, scheme = {"width": 1100, "height": 900}, "dark" if dark else "light"
            page = browser.new_context(viewport=size, color_scheme=scheme).new_page()
            page.goto(f"{url}?sample=answers{view}")
            page.get_by_role("tab").first.wait_for()
            if view:
                page.locator("#result").evaluate("part => part.scrollIntoView()")
            picture = compressed(page.screenshot(animations="disabled", caret="hide"))
            (folder / f"{name}.png").write_bytes(picture)
            print(f"{folder / name}.png  {len(picture) / 1000:.0f} kB")
            if len(picture) > MAX_BYTES:
                raise SystemExit(f"{name}.png is larger than {MAX_BYTES / 1000:g} kB; make its window smaller")
        browser.close()


def compressed(png: bytes) -> bytes:
    """A PNG with few colours, which suffice for text and charts."""
    file = io.BytesIO()
    Image.open(io.BytesIO(png)).convert("RGB").quantize(
        COLOURS, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE
    ).save(file, "PNG", optimize=True)
    return file.getvalue()


if __name__ == "__main__":
    main()
