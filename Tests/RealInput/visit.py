"""Chromium visits a web site: the visit's HTTP Archive, and Chromium's own trace of it."""

import pathlib
import sys

from playwright.sync_api import sync_playwright

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "Scripts"))
from chromium import chromium  # noqa: E402

# Only what its network stack does; all of its categories would fill a file of many megabytes.
CATEGORIES = ["netlog"]


def record_visit(site, har, trace):
    """Opens the page twice, waits until all its loads have ended, and writes both files."""
    with sync_playwright() as playwright:
        # Root, as in a container, gets no sandbox; the pages are our own.
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        browser.start_tracing(path=trace, categories=CATEGORIES)
        context = browser.new_context(record_har_path=har, record_har_content="omit")
        context.set_default_timeout(30_000)
        page = context.new_page()
        for _ in range(2):
            page.goto(site + "/")
            page.wait_for_function("document.title == 'done'")
        context.close()
        browser.stop_tracing()
        browser.close()
