"""Rows 15 and 16: `loadlog serve`."""

import http.client
import shutil
import threading
import time
from statistics import median

import served
from measuring import Mark, Row
from rows.bench import DISK, SCHEMA, Bench
from tools import PEERS, Folder

PLAIN, RUNS = "plain", "runs"
SLOWEST = "slowest 1 % of LoadLog's answers ÷ their median"
CHANGES = 3  # after which the page is asked for, in one turn
RATE = 1.1  # renderings a second: the server's limit is 1, and how long it takes to read the first and last page varies
PERIOD = 0.02  # seconds from one ping to the next while the page is watched


def pings(bench: Bench):
    tools, seconds = bench.tools, bench.sizes.seconds

    def rates(name, server, prefix, may_fail=False):
        answered = {what: server.pings(prefix, seconds, what) for what in (PLAIN, RUNS)}
        failed = sum(each["errors"] for each in answered.values())
        if failed and not may_fail:
            raise RuntimeError(f"{failed} pings failed")

        def rate(what):
            return (answered[what]["pings"] - answered[what]["errors"]) / answered[what]["seconds"]

        figures = {name: rate(PLAIN), f"{name}, starts and ends": rate(RUNS)}
        return figures, max(each["p99"] / each["p50"] for each in answered.values())

    def loadlog():
        with Folder() as folder:
            store = folder / "loadlog.db"
            tools.run(tools.loadlog, "run", "seed", "--db", store, "--", "true")  # creates the store
            with served.loadlog(tools, store) as server:
                figures, slowest = rates("LoadLog", server, served.ping_prefix(store))
        return figures | {SLOWEST: slowest}

    def flask():
        # As many workers as the manual of gunicorn recommends for two cores, with threads so that connections stay open.
        with Folder() as folder, served.Served(
            tools.python, "-m", "gunicorn", "--workers", 5, "--threads", 16, "--bind", "127.0.0.1:{port}",
            f"pings:application({str(folder / 'peer.db')!r}, {str(SCHEMA)!r})", folder=PEERS) as server:
            # A writer that waits too long for the others is refused by SQLite, and its ping fails.
            return rates("Flask", server, "/ping/key", may_fail=True)[0]

    def constant():
        with served.Served(tools.constant, "{port}") as server:
            figures, _ = rates("Hummingbird", server, "/ping/key")
        return {"Hummingbird answering a constant": figures["Hummingbird"]}

    contestants, skipped = [bench.disk, loadlog], []
    if tools.has_packages:
        contestants.append(flask)
    else:
        skipped.append("Flask")
    if tools.constant:
        contestants.append(constant)
    else:
        skipped.append("Hummingbird")
    return Row(
        "15", f"durable pings per second over {served.CONNECTIONS} connections, 100 feeds", "/s", contestants,
        [
            Mark("LoadLog", "Flask", "≥", 10),
            Mark("LoadLog, starts and ends", "Flask, starts and ends", "≥", 10),
            Mark("LoadLog", "Hummingbird answering a constant", "≥", 0.5),
            Mark(SLOWEST, None, "<", 20)],
        units={SLOWEST: "", DISK: "s"}, skipped=skipped)


def live_page(bench: Bench):
    tools, seconds = bench.tools, bench.sizes.watched_seconds / 3
    loads = bench.sizes.feed_loads[-1]
    template = bench.stores.store(loads, feeds=bench.sizes.feeds)
    page, renderings = "the page after a change", f"renderings a second for {served.CONNECTIONS} listeners"

    def run():
        with Folder() as folder:
            store = folder / "loadlog.db"
            shutil.copyfile(template, store)
            with served.loadlog(tools, store) as server:
                change = served.ping_prefix(store) + "/changing?create=1"
                with Listeners(server, 1) as one:
                    server.get("/")
                    for _ in range(CHANGES):
                        one.changed.clear()
                        server.get(change)
                        one.changed.wait(served.PATIENCE)
                with Listeners(server, served.CONNECTIONS) as many:
                    end = time.monotonic() + seconds
                    while time.monotonic() < end:
                        server.get(change)
                        time.sleep(PERIOD)
                return {
                    "start": server.start, page: median(one.seconds), renderings: many.renderings,
                    "memory": server.memory}

    return Row(
        "16", f"`loadlog serve` of {bench.sizes.feeds:,} feeds with {loads:,} loads", "s", [run],
        [
            Mark("start", None, "<", 0.03, "s"), Mark(page, None, "<", 0.15, "s"),
            Mark(renderings, None, "≤", RATE, "/s"), Mark("memory", None, "<", 80e6, "B")],
        units={renderings: "/s", "memory": "B"}, turns=3)


class Listeners:
    """Clients that ask for the page after each change, as the page's own script does."""

    def __init__(self, server, count):
        self.server = server
        self.changed = threading.Event()  # set after a page was read
        self.seconds = []  # from asking for the page to its end
        self._pages = {}  # the first time that each page was read, by its hash
        self._streams = [self._stream() for _ in range(count)]
        self._threads = [threading.Thread(target=self._listen, args=stream) for stream in self._streams]

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        for connection, _ in self._streams:
            connection.sock.shutdown(2)
        for thread in self._threads:
            thread.join()

    def _stream(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port)
        connection.request("GET", "/events")
        return connection, connection.getresponse()

    def _listen(self, _, stream):
        try:
            for line in stream:
                if line.startswith(b"event: change"):
                    self._read()
        except (OSError, http.client.HTTPException):
            pass

    def _read(self):
        began = time.monotonic()
        text = hash(self.server.get("/"))
        now = time.monotonic()
        self.seconds.append(now - began)
        self._pages.setdefault(text, now)
        self.changed.set()

    @property
    def renderings(self):
        """How many different pages were read a second."""
        times = sorted(self._pages.values())
        return (len(times) - 1) / (times[-1] - times[0]) if len(times) > 1 else 0
