"""Lets 4 processes write while two copy and checkpoint the store in a loop, and a reader holds it for 30 s at a time.

Made in the long form only, for 30 minutes, or for LOADLOG_TORTURE_SECONDS: a third of the time the writers are as fast
as they can be, with nobody reading for long; then they keep a pace, beside a reader that comes again two seconds after it
has gone, and the log has a bound. While somebody reads, it grows with all that is written, whoever writes it: no pace, no
bound. Copies are LoadLog's and cp's, which is no copy but reads all of the file. Checkpoints are the shell's, under the
gate, and beside it where SQLite has the fix for what goes wrong there; while the writers are fast also doctor's, which
reads all of the store before.
"""

import sqlite3
import subprocess
import threading

from bench import duration
from flatness import outlast, size
from outcome import Outcome
from hosts import Host, Record

WRITERS = 4
TASKS = 4
"""Loads a second of one writer beside the reader. Each costs up to 56 KB of log in a store of some 10 MB, and a reader
that the next one or a copy overlaps holds up the log for both."""
PACE = 2
DEADLINE = 5000
READING = 30
"""Between two readers: while they overlap no log of SQLite's ever begins anew."""
PAUSE = 2
MOST_LOG = 64 << 20
FIXED_RELEASES = ((3, 44, 6), (3, 50, 7), (3, 51, 3))


def run(bench):
    seconds = duration(bench, short=None, long=1800)
    if seconds is None:
        return None
    outcome = Outcome()
    store = bench.folder / "store" / "loads.db"
    writers = []
    for name, pace, share in (("fast", None, 1 / 3), ("paced", PACE, 2 / 3)):
        writers += phase(bench, outcome, Storm(bench, store, pace), name, pace, seconds * share)
    record = Record(store)
    outcome.tried = sum(writer.count("started") + writer.count("finished") for writer in writers)
    outcome.lost = len(record.lost(writers))
    outcome.survived = outcome.tried - outcome.lost
    outcome.corrupt += len(record.faults)
    outcome.failures += record.faults[:3]
    return outcome


def phase(bench, outcome, storm, name, pace, seconds):
    """The writers of a part of the time, which have ended."""
    command = [bench.program("LoadLogHostFixture"), "record", storm.store]
    options = [TASKS, DEADLINE, *([pace] if pace else [])]
    writers = [Host(bench, f"{name}{n}", [*command, f"f{n}", *options]) for n in range(WRITERS)]
    works = [storm.copy, storm.checkpoint, storm.watch, *([storm.read] if pace else [])]
    outlast(bench, outcome, writers, works, storm.is_over, seconds)
    outcome.corrupt += storm.bad_copies
    outcome.failures += storm.failures[:10]
    if pace and storm.longest_log > MOST_LOG:
        outcome.fail(f"{name}: the log had {storm.longest_log:,} bytes")
    bench.say(
        f"{name}: {storm.copies:,} copies, {storm.checkpoints:,} checkpoints, of which"
        f" {storm.refused} came too late, {storm.readings} readers;"
        f" the log had up to {storm.longest_log:,} bytes"
    )
    return writers


class Storm:
    """All that goes on beside the writers."""

    def __init__(self, bench, store, pace):
        self.bench = bench
        self.store = store
        self.pace = pace
        self.is_over = threading.Event()
        self.copies = self.bad_copies = self.checkpoints = self.refused = self.readings = self.longest_log = 0
        self.failures = []

    def call(self, *command):
        answer = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=120)
        return answer.returncode, answer.stdout + answer.stderr

    def copy(self):
        copy = self.bench.folder / "copy.db"
        while not self.is_over.is_set():
            code, text = self.call(self.bench.loadlog, "export", "--format", "sqlite", "-o", copy, "--db", self.store)
            if code != 0:
                self.failures.append(f"export: {text.strip()}")
            elif faults := Record(copy).faults:
                self.bad_copies += 1
                self.failures.append(f"a copy: {faults[0]}")
            self.call("cp", self.store, self.bench.folder / "no-copy.db")
            self.copies += 1

    def checkpoint(self):
        release = tuple(int(part) for part in self.call("sqlite3", "--version")[1].split(" ")[0].split("."))
        is_safe = any(release[:2] == fixed[:2] and release >= fixed for fixed in FIXED_RELEASES)
        is_safe = is_safe or release > max(FIXED_RELEASES)
        shell = ["sqlite3", self.store, "PRAGMA wal_checkpoint"]
        gated = ["flock", f"{self.store}-gate", *shell]
        doctor = [self.bench.loadlog, "doctor", "--repair", "--db", self.store]
        # doctor reads all of the store before it checkpoints; overlapping with copies it is what has no bound.
        ways = [gated] + [shell] * is_safe + [doctor] * (not self.pace)
        while not self.is_over.is_set():
            code, text = self.call(*ways[self.checkpoints % len(ways)])
            self.checkpoints += 1
            if code == 4 or "locked" in text:
                self.refused += 1
            elif code != 0 and "! wal" not in text:
                self.failures.append(f"checkpoint: {text.strip()}")

    def read(self):
        """One transaction of 30 s after another, each of another connection."""
        while not self.is_over.wait(PAUSE):
            connection = sqlite3.connect(f"file:{self.store}?mode=ro", uri=True, isolation_level=None)
            connection.execute("BEGIN")
            before = connection.execute("SELECT count(*) FROM session").fetchone()
            self.is_over.wait(READING)
            if connection.execute("SELECT count(*) FROM session").fetchone() != before:
                self.failures.append("a reader saw rows that came after it")
            connection.execute("COMMIT")
            connection.close()
            self.readings += 1

    def watch(self):
        while not self.is_over.wait(0.2):
            self.longest_log = max(self.longest_log, size(f"{self.store}-wal"))
