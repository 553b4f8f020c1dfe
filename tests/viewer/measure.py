"""How fast the viewer answers: `python tests/viewer/measure.py FILE.html [firefox]`, median of 20 in milliseconds.

Chromium, or the machine's own Firefox by WebDriver BiDi (from Firefox 143 on, with Playwright 1.57 or newer). A time ends when the browser has laid out and painted what the change shows.
"""

import re
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

AFTER_PAINT = "await new Promise(done => requestAnimationFrame(() => setTimeout(done)));"
CHANGES = {
    "filter by kind": """const field = document.querySelector('#kind'); field.value = turn % 2 ? 'errors' : 'no shared word';
        field.dispatchEvent(new Event('change'));""",
    "filter by slice": """const field = document.querySelector('#slice'); field.value = field.options[1 + turn % 5].value;
        field.dispatchEvent(new Event('change'));""",
    "against the other": """const field = document.querySelector('#versus'); field.value = turn % 2 ? 'lost' : 'better';
        field.dispatchEvent(new Event('change'));""",
    "range of values": """const field = document.querySelector('#low'); field.value = turn; field.dispatchEvent(new Event('change'));""",
    "a new search": """const field = document.querySelector('#text'); field.value = 'storm ' + 'abcdefghijklmnopqrst'[turn];
        field.dispatchEvent(new Event('input'));""",
    "search of a frequent word": """const field = document.querySelector('#text'); field.value = turn % 2 ? 'storm' : 'lamp';
        field.dispatchEvent(new Event('input'));""",
    "order by question": """document.querySelector('#sort-question').click();""",
    "next example": """document.querySelector('#next').click();""",
    "scroll by a page": """document.querySelector('.examples').scrollTop += 3000;""",
    "Back": """history.back(); await new Promise(done => addEventListener('popstate', done, {once: true}));""",
}
CLEAR = """document.querySelector('.chips a.go, .chips a.chip')?.click();"""
TABS = ("answer", "examples", "slices", "compare", "curves", "remarks")


def median_of(page, code, prepare=""):
    times = []
    for turn in range(21):
        page.evaluate(f"async turn => {{ {prepare} {AFTER_PAINT} }}", turn)
        times.append(
            page.evaluate(
                f"""async turn => {{ const start = performance.now(); {code} document.body.offsetHeight;
                const laid = performance.now() - start; {AFTER_PAINT} return [laid, performance.now() - start]; }}""",
                turn,
            )
        )
    return [statistics.median(column) for column in zip(*times[1:], strict=True)], times[0]


def start(playwright, name):
    if name == "firefox":
        program = next(filter(None, map(shutil.which, ("firefox", "firefox-esr"))))
        return playwright.firefox.launch(channel="moz-firefox", executable_path=program)
    program = next(filter(None, map(shutil.which, ("chromium-headless-shell", "chromium", "google-chrome"))))
    return playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])


def main(path, name="chromium"):
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = start(playwright, name)
        # Without its policy, which in Firefox refuses the code of the measurement.
        measured = Path(folder) / "page.html"
        measured.write_text(
            re.sub(r"<meta http-equiv=.Content-Security-Policy.[^>]*>", "", Path(path).read_text(), count=1)
        )
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        loads = []
        for _ in range(5):
            page.goto(measured.as_uri())
            loads.append(page.evaluate("performance.now()"))
        print(f"{'open the page':28}{statistics.median(loads):8.1f}")
        print(f"{'':28}{'laid out':>8}{'painted':>9}{'first':>8}")
        page.locator("#tab-examples").click()
        for name, code in CHANGES.items():
            (laid, painted), first = median_of(page, code, "" if name in ("Back", "next example") else CLEAR)
            print(f"{name:28}{laid:8.1f}{painted:9.1f}{first[0]:8.1f}")
        for name in TABS:
            if page.locator(f"#tab-{name}").count():
                other = "answer" if name != "answer" else "remarks"
                (laid, painted), first = median_of(
                    page,
                    f"document.querySelector('#tab-{name}').click();",
                    f"document.querySelector('#tab-{other}').click();",
                )
                print(f"{'tab ' + name:28}{laid:8.1f}{painted:9.1f}{first[0]:8.1f}")
        browser.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
