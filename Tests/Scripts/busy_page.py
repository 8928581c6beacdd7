#!/usr/bin/env python3
"""Changes the record 200 times a second while the live page is open, and prints what that costs and any faults.

    busy_page.py LOADLOG LOADLOG-NET

Both are built programs. Pings change a store of a thousand feeds. A release build should take less than half a core; times
are printed and are no faults, because a machine may be busy. Needs the packages playwright and axe-playwright-python, and a Chromium.
Exits 1 if anything is wrong.
"""

import http.client
import pathlib
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time

from served import become_live, check, expect, see, serving, watch

FEEDS = 1000
PER_SECOND = 200
SECONDS = 10
CONNECTIONS = 4
# Clicks a sort button. Returns: the milliseconds until the new order is drawn.
CLICK = """(name) => new Promise((resolve) => {
  const heading = [...document.querySelectorAll('#feed-table thead th')].find((one) => one.textContent === name);
  const start = performance.now();
  heading.querySelector('button').click();
  requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - start)));
})"""


def fill(loadlog, store):
    """Records ten loads of each feed."""
    lines = (
        f'{{"event":"start","at":"{at}","feed":"feed-{number}","id":"{uuid}"}}\n'
        f'{{"event":"finish","at":"{at}","id":"{uuid}","verdict":"succeeded","duration_ns":{1_000_000 * (number + 1)}}}\n'
        for number in range(FEEDS) for day in range(10)
        for at, uuid in [(f"2026-11-{day + 10}T09:{number % 60:02}:00Z", f"01a1f90f-{number:04x}-7{day:03x}-8000-000000000000")])
    subprocess.run([loadlog, "import", "-", "--db", store], input="".join(lines), text=True, check=True, stdout=subprocess.DEVNULL)


class Pings(threading.Thread):
    """Sends each ping at its time, over one of the connections."""

    def __init__(self, address, key, first):
        super().__init__()
        self.first = first
        self.connection = http.client.HTTPConnection(address.removeprefix("http://"), timeout=60)
        self.key = key
        self.taken = 0

    def run(self):
        start = time.monotonic()
        for number in range(self.first, PER_SECOND * SECONDS, CONNECTIONS):
            time.sleep(max(0, start + number / PER_SECOND - time.monotonic()))
            self.connection.request("GET", f"/ping/{self.key}/feed-{number % FEEDS}")
            answer = self.connection.getresponse()
            answer.read()
            self.taken += answer.status == 200
        self.connection.close()


def children_seconds():
    """The processor time of the children that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def ping(page, address, key):
    """Sends the pings while a user sorts the table. Returns: how long each click took in milliseconds."""
    pings, clicks = [Pings(address, key, first) for first in range(CONNECTIONS)], []
    for one in pings:
        one.start()
    while any(one.is_alive() for one in pings):
        clicks.append(page.evaluate(CLICK, "Loads"))
        page.wait_for_timeout(200)
    taken = sum(one.taken for one in pings)
    expect(taken == PER_SECOND * SECONDS, f"{taken} of {PER_SECOND * SECONDS} pings were taken")
    see(page.locator(".headline")).to_contain_text(f"{10 * FEEDS + taken:,} loads")
    return clicks


def main():
    loadlog, net = sys.argv[1:]

    def steps(browser):
        with tempfile.TemporaryDirectory() as folder:
            store = str(pathlib.Path(folder) / "loads.db")
            fill(loadlog, store)
            used, fetches = children_seconds(), []
            with serving(net, "serve", "--db", store, "--listen", "127.0.0.1:0") as address:
                key = re.search(r"^\w{20,}$", pathlib.Path(f"{store}-ping-keys").read_text(), re.M).group()
                page = browser.new_page()
                watch(page, address)
                page.on("request", lambda request: request.url == f"{address}/" and fetches.append(request))
                page.goto(address)
                become_live(page)
                before, start = len(fetches), time.monotonic()
                clicks = ping(page, address, key)
                seconds = time.monotonic() - start
                page.context.close()
            # It ends with the server, and has its start and the first page in it.
            used = (children_seconds() - used) / seconds
            fetched = (len(fetches) - before) / seconds
            print(f"{PER_SECOND * SECONDS / seconds:.0f} changes a second: {used:.2f} of a core, {fetched:.2f} fetches a second,"
                  f" a click sorts after {statistics.median(clicks):.0f} ms (median), at most {max(clicks):.0f} ms")
            expect(fetched <= 1.2, "the page is fetched too often")

    return check("the busy page", steps)


if __name__ == "__main__":
    sys.exit(main())
