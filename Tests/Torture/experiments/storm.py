"""Lets 4 processes write while two copy and checkpoint the store in a loop, and a reader holds it for 30 s at a time.

Runs in the long form only, for 30 minutes, or for LOADLOG_TORTURE_SECONDS: a third of the time the writers are as fast
as possible, and no reader stays long. Then they keep a pace, and a reader returns two seconds after each end; the log must
stay within a bound. The pace is necessary: while a reader is active, the log grows with every write. LoadLog and cp copy
the store; a file from cp is no valid copy, but cp reads the whole file. The sqlite3 shell runs checkpoints under the
gate, and without the gate if SQLite has the fix for that case. While the writers are fast, doctor also runs checkpoints,
and reads the whole store before each.
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
"""Seconds between two readers: SQLite never restarts its log while readers overlap."""
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
    """Runs the writers for a part of the time, and returns them after their end."""
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
        f" {storm.refused} were too late, {storm.readings} readers;"
        f" the log had up to {storm.longest_log:,} bytes"
    )
    return writers


class Storm:
    """The copies, checkpoints and readers beside the writers."""

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
        # doctor reads the whole store before its checkpoint; the log has no bound while it overlaps with copies.
        ways = [gated] + [shell] * is_safe + [doctor] * (not self.pace)
        while not self.is_over.is_set():
            code, text = self.call(*ways[self.checkpoints % len(ways)])
            self.checkpoints += 1
            if code == 4 or "locked" in text:
                self.refused += 1
            elif code != 0 and "! wal" not in text:
                self.failures.append(f"checkpoint: {text.strip()}")

    def read(self):
        """Runs transactions of 30 s one after another, each on a new connection."""
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
