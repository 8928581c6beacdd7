"""Records everything that an app can record for half an hour, queries and prunes; nothing may grow.

Runs in the long form only, for 30 minutes, or for LOADLOG_TORTURE_SECONDS. Two processes make loads, pushes, pops,
listeners and queries; commands beside them push, pop, query, and prune loads older than a tenth of the time. Unbalanced
rows stay on purpose: the file may grow only by these.
"""

import json
import sqlite3
import subprocess
import threading

from bench import duration
from flatness import outlast, size
from outcome import Outcome
from hosts import Host, Record

APPS = 2
RATE = 50
DEADLINE = 5000
MOST_LOG = 64 << 20
"""Bytes of one row that stays, with its indexes, and of the data kept per day and feed."""
ROW = 1024
FILE_SLACK = 2 << 20


def run(bench):
    seconds = duration(bench, short=None, long=1800)
    if seconds is None:
        return None
    outcome = Outcome()
    store = bench.folder / "store" / "loads.db"
    command = [bench.program("LoadLogHostFixture"), "mix", store, DEADLINE, RATE]
    apps = [Host(bench, f"app{n}", command) for n in range(APPS)]
    beside = Beside(bench, store, seconds / 10)
    files = []

    def look():
        files.append(Size(store))
        bench.say(str(files[-1]))

    outlast(bench, outcome, apps, [beside.go_on], beside.is_over, seconds, look)
    judge(bench, outcome, beside, apps, files, store)
    return outcome


def judge(bench, outcome, beside, apps, files, store):
    record = Record(store)
    outcome.corrupt = len(record.faults)
    outcome.tried = sum(int(line) for app in apps for line in app.lines("turns")[-1:]) + beside.calls
    outcome.survived = outcome.tried
    outcome.failures += record.faults[:3] + beside.failures[:10]
    if files:
        first, last = files[0], files[-1]
        grown = (last.file - first.file) - ROW * max(0, last.rows - first.rows)
        if grown > FILE_SLACK:
            outcome.fail(f"the file grew by {grown:,} bytes beyond its rows: {first} to {last}")
        if max(file.log for file in files) > MOST_LOG:
            outcome.fail(f"the log had {max(file.log for file in files):,} bytes")
    diagnosis = subprocess.run([bench.loadlog, "doctor", "--db", str(store)], capture_output=True, text=True)
    if diagnosis.returncode != 0:
        outcome.fail(f"doctor: {diagnosis.stdout.strip()}")
    bench.say(f"{beside.calls:,} commands, {beside.pruned:,} loads pruned")


class Size:
    """The size of a store, and its number of rows."""

    def __init__(self, store):
        connection = sqlite3.connect(f"file:{store}?mode=ro", uri=True, timeout=30)
        self.rows = sum(
            connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in ("session", "unmatched")
        )
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        self.file = pages * connection.execute("PRAGMA page_size").fetchone()[0]
        connection.close()
        self.log = size(f"{store}-wal")
        self.beside = len(list(store.parent.iterdir()))

    def __str__(self):
        return f"{self.rows:,} rows in {self.file:,} bytes, log {self.log:,}, {self.beside} files"


class Beside:
    """Commands beside the apps, one after another."""

    def __init__(self, bench, store, age):
        self.bench = bench
        self.store = store
        self.age = max(1, int(age))
        self.is_over = threading.Event()
        self.calls = self.pruned = 0
        self.failures = []

    def go_on(self):
        turn = 0
        while not self.is_over.wait(0.2):
            verbs = [
                ["push", "shell"], ["pop", "shell"], ["status", "--json"], ["history", "--limit", "100", "--json"],
                ["run", "shell", "--", "true"], ["unbalanced", "--json"], ["last-updated", "shell"],
            ]
            self.call(*verbs[turn % len(verbs)])
            if turn % 50 == 49:
                self.prune()
            turn += 1

    def prune(self):
        answer = self.call("prune", "--older-than", f"{self.age}s", "--json")
        self.pruned += json.loads(answer)["loads"] if answer else 0

    def call(self, *arguments):
        self.calls += 1
        answer = subprocess.run(
            [self.bench.loadlog, *arguments, "--db", str(self.store)], capture_output=True, text=True, timeout=120,
            stdin=subprocess.DEVNULL,
        )
        if answer.returncode != 0:
            self.failures.append(f"{' '.join(arguments)}: {answer.stderr.strip()}")
        return answer.stdout
