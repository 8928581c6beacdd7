#!/usr/bin/env python3
"""Watches the live page of `loadlog-net serve` in a browser while loads are recorded, and prints the faults.

    live_page.py LOADLOG LOADLOG-NET

Both are built programs. Needs the packages playwright and axe-playwright-python, and a Chromium. Exits 1 if anything is wrong.
"""

import pathlib
import subprocess
import sys
import tempfile
import time

from accessibility import violations
from served import become_live, check, expect, see, serving, watch

# A change must appear in this time. Without an announcement the page looks every 30 seconds.
LIMIT_MS = 10_000


class Store:
    """A store with some feeds, and the programs that know it."""

    def __init__(self, loadlog, folder):
        self.loadlog = loadlog
        self.path = str(pathlib.Path(folder) / "loads.db")
        for number in range(21):
            self.run(f"feed{number:02}", "true")
        self.run("broken", "sh", "-c", "exit 3")
        self.run("..", "true")

    def run(self, feed, *command, options=()):
        self.tell("run", feed, "-q", *options, "--", *command)

    def tell(self, verb, feed, *words):
        subprocess.run(
            [self.loadlog, verb, feed, "--db", self.path, *words], check=False, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)


def follow(page, store):
    become_live(page)
    expect(page.locator("#feed-table tbody tr", has_text="..").get_by_role("link").count() == 0, "a link that leads elsewhere")
    page.evaluate("""() => {
      window.live = document.getElementById('live');
      window.writes = 0;
      new MutationObserver(() => { window.writes += 1; }).observe(live, { childList: true });
    }""")
    order = lambda: page.eval_on_selector_all("#feed-table tbody th", "all => all.map(one => one.textContent.trim())")
    page.click("#feed-table thead button:has-text('Feed')")
    page.click("#feed-table thead button:has-text('Feed')")
    before = order()
    expect(before == sorted(before, reverse=True), "the table is sorted")
    page.locator("details").first.evaluate("one => { one.open = true }")
    page.evaluate("window.marker = 1; window.scrollTo(0, 300)")
    scroll = page.evaluate("window.scrollY")

    store.run("zz/new", "true")
    page.wait_for_selector("#feed-table >> text=zz/new", timeout=LIMIT_MS)
    expect(order() == sorted(order(), reverse=True), "the order is kept")
    expect(page.evaluate("window.marker") == 1, "the page is not loaded again")
    expect(page.evaluate("window.scrollY") == scroll, "the place on the page is kept")
    expect(page.locator("details[open]").count() == 1, "what was open stays open")

    box = page.get_by_role("searchbox")
    box.fill("feed1")
    rows = page.locator("#feed-table tbody tr")
    loads = lambda feed: rows.filter(has_text=feed).locator("td").nth(3)
    store.run("feed10", "true")
    see(loads("feed10")).to_have_text("2", timeout=LIMIT_MS)
    see(box).to_have_value("feed1")
    see(box).to_be_focused()
    expect(page.evaluate("live.isConnected && writes === 0"), "a screen reader reads the same again")

    page.keyboard.press("Enter")
    see(page.locator("[role=search] output")).to_contain_text("10")
    see(rows).to_have_count(10)
    become_live(page)
    box.fill("")
    store.run("feed20", "true")
    store.run("feed10", "true")
    see(loads("feed10")).to_have_text("3", timeout=LIMIT_MS)
    see(rows).to_have_count(10)
    see(box).to_have_value("")

    rows.filter(has_text="feed10").get_by_role("link").click()
    see(page.get_by_role("heading", level=1)).to_have_text("feed10")
    become_live(page)
    store.run("feed10", "sh", "-c", "echo 'no such table' >&2; exit 4")
    see(page.locator("main")).to_contain_text("exit 4", timeout=LIMIT_MS)
    keep_place(page, store)
    page.get_by_role("link", name="All feeds").click()
    become_live(page)


def keep_place(page, store):
    """Output that is read stays where it is when something else changes."""
    store.run("feed10", "sh", "-c", "seq 1000; exit 5", options=["--keep-output"])
    output = page.locator("details pre")
    see(output).to_contain_text("1000", timeout=LIMIT_MS)
    output.evaluate("one => { one.closest('details').open = true; one.scrollTop = 200; one.isOld = true; }")
    store.run("feed11", "true")
    page.wait_for_function("() => !document.querySelector('details pre').isOld", timeout=LIMIT_MS)
    expect(output.evaluate("one => one.scrollTop") == 200, "the place in an output is kept")


def vanish(browser, address, store):
    """A page that was sorted, and whose only feed is forgotten, is up to date nevertheless."""
    page = browser.new_page()
    watch(page, address)
    store.tell("expect", "solo", "--every", "1d")
    page.goto(f"{address}/?feed=solo")
    become_live(page)
    page.click("#feed-table thead button:has-text('Feed')")
    page.evaluate("""() => {
      window.said = [];
      new MutationObserver(() => { said.push(live.textContent); })
        .observe(document.getElementById('live'), { childList: true });
    }""")
    store.tell("expect", "solo", "--clear")
    see(page.locator("#feed-table")).to_have_count(0, timeout=LIMIT_MS)
    store.run("unrelated", "true")
    become_live(page)
    expect(page.evaluate("said") == [], "a page without a table is not up to date")
    page.context.close()


def hidden(page):
    """Hides a page, as another tab in front of it does."""
    page.evaluate("""() => {
      Object.defineProperty(document, 'hidden', { value: true, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    }""")


def visible(page):
    page.evaluate("() => { delete document.hidden; document.dispatchEvent(new Event('visibilitychange')); }")


def hide(page, store):
    """A hidden page requests nothing, and is up to date when it becomes visible."""
    become_live(page)
    hidden(page)
    page.evaluate("""() => {
      window.changes = 0;
      const events = new EventSource('/events');
      events.addEventListener('change', () => { window.changes += 1; });
      return new Promise((resolve) => { events.addEventListener('open', resolve, { once: true }); });
    }""")
    fetched = []
    for number in (1, 2, 3):
        store.run("seen/later", "true")
        page.wait_for_function("number => window.changes >= number", arg=number)
        if number == 1:  # The page has ended what it requested before it was hidden.
            page.on("request", lambda request: request.resource_type == "fetch" and fetched.append(request.url))
    expect(fetched == [], "a hidden page is refreshed")
    visible(page)
    see(page.locator("#feed-table tbody tr", has_text="seen/later")).to_have_count(1, timeout=LIMIT_MS)


def share(browser, address, store):
    """A browser has six connections to a server for all its tabs. Those that are hidden leave them to the others."""
    context = browser.new_context()
    tabs = []
    for _ in range(7):
        tab = context.new_page()
        watch(tab, address)
        tab.goto(address)
        become_live(tab)
        tabs.append(tab)
        hidden(tab)
    store.run("shared", "true")
    for tab in (tabs[0], tabs[-1]):
        visible(tab)
        see(tab.locator("#feed-table")).to_contain_text("shared", timeout=LIMIT_MS)
        become_live(tab)
    context.close()


def refuse(browser, address, store):
    """A page whose stream is refused, as by a proxy while the server restarts, says so and connects again."""
    page = browser.new_page()
    watch(page, address, allowed="status of 503")
    page.clock.install()
    page.route("**/events", lambda route: route.fulfill(status=503))
    page.goto(address)
    state = page.locator("#live")
    see(state).to_have_text("not connected")
    store.run("refused", "true")
    table, end = page.locator("#feed-table"), time.monotonic() + 20
    # The server renders the page at most once a second, so the first answer may be an older one.
    while "refused" not in table.text_content() and time.monotonic() < end:
        page.clock.fast_forward(30_000)
    see(table).to_contain_text("refused")
    see(state).to_have_text("not connected")
    page.unroute("**/events")
    page.clock.fast_forward(5_000)
    become_live(page)
    store.run("connected", "true")
    see(page.locator("#feed-table")).to_contain_text("connected", timeout=LIMIT_MS)
    page.context.close()


def main():
    loadlog, net = sys.argv[1:]

    def steps(browser):
        with tempfile.TemporaryDirectory() as folder:
            store = Store(loadlog, folder)
            with serving(net, "serve", "--db", store.path, "--listen", "127.0.0.1:0") as address:
                page = browser.new_page()
                watch(page, address)
                page.goto(address)
                follow(page, store)
                hide(page, store)
                share(browser, address, store)
                refuse(browser, address, store)
                vanish(browser, address, store)
                for violation in violations(page):
                    expect(False, violation)
                plain = browser.new_context(java_script_enabled=False).new_page()
                plain.goto(address)
                expect("zz/new" in plain.content(), "without scripts the page is complete")

    return check("the live page", steps)


if __name__ == "__main__":
    sys.exit(main())
