#!/usr/bin/env python3
"""Looks at all pages of `loadlog-net serve` in a browser, uses them by keyboard, and prints the faults.

    server_pages.py LOADLOG LOADLOG-NET FIXTURE SCREENSHOTS [PICTURES]

LOADLOG and LOADLOG-NET are built programs; FIXTURE is LoadLogReportFixture, which makes the store. Screenshots go to
SCREENSHOTS; the picture in the documentation goes to PICTURES. Needs the packages playwright and axe-playwright-python, and a Chromium.
Exits 1 if anything is wrong.
"""

import contextlib
import datetime
import pathlib
import subprocess
import sys
import tempfile

from accessibility import violations
from report_pages import LABELS, OVERFLOW, TINY
from served import become_live, check, expect, see, serving, watch

PAGES = {"live": "/", "feed": "/feeds/backup%2Fdb", "running": "/feeds/reviews", "demo": "/demo"}
# The name of the server for a browser on another machine.
NAME = "loads.example"
WIDTHS = (320, 390, 1280)
# How often a user may press Tab to reach something.
MOST_TABS = 80


class Store:
    """Three months of loads."""

    def __init__(self, loadlog, fixture, folder):
        self.loadlog, self.path = loadlog, str(pathlib.Path(folder) / "loadlog.db")
        subprocess.run([fixture, "--store", self.path], check=True)
        dump = "echo dumping app; echo pg_dump: connection refused >&2; exit 2"
        self.load("feeds/news")
        self.load("backup/db", "--keep-output", "--call-site", "/srv/jobs/backup.sh:12", command=["sh", "-c", dump])

    @contextlib.contextmanager
    def running(self, feed, site):
        """A load that runs meanwhile."""
        load = subprocess.Popen([self.loadlog, "run", "-q", feed, "--db", self.path, "--call-site", site, "--", "sleep", "600"])
        try:
            yield
        finally:
            load.terminate()
            load.wait()

    def add_feeds(self):
        """Adds so many feeds that the pages can be searched."""
        # At a fixed date the span that the charts show would be another each day.
        start = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(days=6)
        lines = "".join(
            f'{{"event":"{event}","at":"{start + datetime.timedelta(minutes=minute, seconds=number):%FT%TZ}",'
            f'"feed":"mirror/{number:02}"}}\n'
            for number in range(12) for minute, event in enumerate(("push", "pop")))
        subprocess.run([self.loadlog, "import", "-", "--db", self.path], input=lines, text=True, check=True,
                       stdout=subprocess.DEVNULL)

    def load(self, feed, *options, command=("true",)):
        subprocess.run([self.loadlog, "run", "-q", feed, "--db", self.path, *options, "--", *command], capture_output=True)


def look(browser, address, screenshots, pages):
    """Screenshots of pages in two widths and colour schemes, and what is hard to read on them."""
    for scheme in ("light", "dark"):
        for width in WIDTHS:
            context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
            for name, path in pages.items():
                page = context.new_page()
                watch(page, address, allowed="status of 401")
                page.goto(address + path)
                if name != "token":
                    become_live(page)
                page.locator("details").evaluate_all("(all) => all.forEach((one) => one.open = true)")
                size = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
                expect(size[0] <= size[1], f"{name}, {scheme}: {size[0]} wide in {size[1]}")
                # The screens of the demo are pictures.
                found = [] if name == "demo" else [fault for kind in (OVERFLOW, LABELS, TINY) for fault in page.evaluate(kind)]
                for fault in found + violations(page):
                    expect(False, f"{name}, {scheme}, {width}: {fault}")
                page.screenshot(path=screenshots / f"server-{name}-{scheme}-{width}.png", full_page=True)
                page.close()
            context.close()


def tab_to(page, what):
    """Presses Tab until something has the focus."""
    for _ in range(MOST_TABS):
        page.keyboard.press("Tab")
        if what.evaluate("one => one === document.activeElement"):
            return
    expect(False, f"Tab does not reach {what}")


def use_keys(page, store):
    """Searches, sorts and opens the page of a feed without a mouse; a change in between takes nothing away."""
    tab_to(page, page.get_by_role("searchbox"))
    page.keyboard.type("s")
    page.keyboard.press("Enter")
    see(page.locator("[role=search] output")).to_contain_text("feeds found")
    become_live(page)
    heading = page.locator("#feed-table thead th", has_text="Loads")
    tab_to(page, heading.get_by_role("button"))
    page.keyboard.press("Enter")
    see(heading).to_have_attribute("aria-sort", "descending")
    rows = page.locator("#feed-table tbody tr")
    see(rows.first).to_contain_text("feeds/news")
    before = rows.first.text_content()
    store.load("feeds/news")
    see(rows.first).not_to_have_text(before)
    see(heading.get_by_role("button")).to_be_focused()
    page.keyboard.press("Enter")
    see(heading).to_have_attribute("aria-sort", "ascending")
    link = page.locator("#feed-table").get_by_role("link", name="reviews")
    tab_to(page, link)
    store.load("feeds/news")
    see(rows.last).not_to_have_text(before)
    see(link).to_be_focused()
    page.keyboard.press("Enter")
    see(page.get_by_role("heading", level=1)).to_have_text("reviews")
    become_live(page)
    summary = page.locator("details summary").first
    tab_to(page, summary)
    page.keyboard.press("Enter")
    see(page.locator("details[open]")).to_have_count(1)
    store.load("reviews")
    see(page.locator("#loads ~ table tbody tr").nth(1)).to_contain_text("succeeded")
    see(page.locator("details[open]")).to_have_count(1)
    tab_to(page, page.get_by_role("link", name="All feeds"))
    page.keyboard.press("Enter")
    see(page.get_by_role("heading", level=1)).to_have_text("LoadLog report")


def log_in(page, address, token):
    """The page of the token has the focus in its field."""
    field = page.get_by_label("Token", exact=True)
    page.goto(f"{address}/")
    see(field).to_be_focused()
    page.keyboard.type("wrong")
    page.keyboard.press("Enter")
    see(page.get_by_role("alert")).to_be_visible()
    see(field).to_be_focused()
    for violation in violations(page):
        expect(False, f"a wrong token: {violation}")
    page.keyboard.type(token)
    page.keyboard.press("Enter")
    become_live(page)


def take_picture(browser, address, file):
    """The beginning of the live page."""
    page = browser.new_page(viewport={"width": 1280, "height": 900}, device_scale_factor=0.8)
    page.goto(address)
    see(page.locator(".headline")).to_contain_text("2 running")
    become_live(page)
    end = page.evaluate("document.querySelector('#feeds').closest('section').getBoundingClientRect().bottom + scrollY")
    page.screenshot(path=file, full_page=True, clip={"x": 0, "y": 0, "width": 1280, "height": end + 20})
    page.context.close()


def main():
    loadlog, net, fixture, screenshots, *pictures = sys.argv[1:]
    screenshots = pathlib.Path(screenshots)

    def steps(browser):
        with tempfile.TemporaryDirectory(prefix="loadlog-") as folder:
            store, token = Store(loadlog, fixture, folder), pathlib.Path(folder) / "token"
            serve = [net, "serve", "--db", store.path, "--listen", "127.0.0.1:0"]
            with serving(*serve) as address, store.running("reviews", "Reader/ReviewsView.swift:42"):
                look(browser, address, screenshots, PAGES)
                with store.running("feeds/news", "Reader/NewsFeed.swift:31"):
                    for place in pictures:
                        take_picture(browser, address, pathlib.Path(place) / "live.png")
                store.add_feeds()
                look(browser, address, screenshots, {"search": "/?feed=mirror"})
                page = browser.new_page()
                watch(page, address)
                page.goto(address)
                use_keys(page, store)
                page.context.close()
            with serving(*serve, "--behind-proxy", "--token-file", str(token)) as address:
                look(browser, address, screenshots, {"token": "/"})
                log_in(browser.new_page(), address, token.read_text().strip())
            # To this name the browser sends no Sec-Fetch-Site, because neither TLS nor the loopback interface protects it.
            serve = [net, "serve", "--db", store.path, "--listen", "0.0.0.0:0", "--plain-http", "--host-name", NAME]
            with serving(*serve, "--token-file", str(token)) as address:
                log_in(browser.new_page(), f"http://{NAME}:{address.rsplit(':')[-1]}", token.read_text().strip())

    return check("the server's pages", steps, f"--host-resolver-rules=MAP {NAME} 127.0.0.1")


if __name__ == "__main__":
    sys.exit(main())
