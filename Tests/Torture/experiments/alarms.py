"""Kills `notify` at random moments and at each of its writes; each flip must be delivered, and none after that is stored.

A flip may be delivered twice only if the notifier dies between the end of its command and the commit that says so. Each
feed fails once, so that it is told of at once.
"""

import contextlib
import ctypes
import os
import shutil
import signal
import sqlite3
import subprocess
import time

from outcome import Outcome, Skipped

FEEDS = 5
KILLS_PER_STORE = 4
CALLS = "pwrite64,write,ftruncate,fdatasync"
PR_SET_CHILD_SUBREAPER = 36


def run(bench):
    if not shutil.which("strace"):
        raise Skipped("strace is missing")
    outcome = Outcome()
    with adopted_orphans():
        repeated = kills_at_random(bench, outcome, bench.times(200, 2000))
        kill_at_each_write(bench, outcome)
        forgetful = kills_at_random(bench, Outcome(), 40, forgets=True)
    outcome.control = f"without a name that stays: {forgetful} repeats"
    outcome.is_void = forgetful == 0
    bench.say(f"{repeated} deliveries repeated because a notifier died before its commit")
    return outcome


@contextlib.contextmanager
def adopted_orphans():
    """What a killed notifier leaves behind becomes a child of this process, which waits for its end."""
    library = ctypes.CDLL(None)
    if library.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise Skipped("the system does not hand over orphans")
    try:
        yield
    finally:
        # Nothing here waits for those of the experiments that come later.
        library.prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)


class Trial:
    """A store whose feeds have failed, and a file to which the notifier's command appends them."""

    def __init__(self, bench, name):
        self.bench = bench
        self.folder = bench.folder / name
        self.folder.mkdir()
        self.store, self.told = self.folder / "loads.db", self.folder / "told"
        self.told.touch()
        for number in range(FEEDS):
            subprocess.run(
                [bench.loadlog, "run", f"feed{number}", "--db", self.store, "--", "false"], stderr=subprocess.DEVNULL)

    def command(self, name="n"):
        # One write of one line, so that no line is torn.
        pick = "grep -o '^      .feed.: .feed[0-9]' | tr -dc '0-9'"
        return [
            self.bench.loadlog, "notify", "--once", "--name", name, "--db", str(self.store),
            "--on-change", f"line=$({pick}); echo \"$line\" >> {self.told}",
        ]

    def start(self, before=(), name="n"):
        return subprocess.Popen([*before, *self.command(name)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def reap(self):
        """Waits for everything that a killed notifier has left."""
        while True:
            try:
                os.waitpid(-1, 0)
            except ChildProcessError:
                return

    def deliveries(self):
        return [feed for line in self.told.read_text().split() for feed in line]

    def committed(self):
        with sqlite3.connect(self.store) as database:
            try:
                rows = database.execute(
                    "SELECT substr(feed.name, 5) FROM notified JOIN feed ON feed.id = notified.feed"
                    " WHERE notifier = 'n'").fetchall()
            finally:
                database.rollback()
        database.close()
        return {row[0] for row in rows}

    def finish(self, outcome):
        """Runs the notifier to its end, and checks that all was told."""
        self.bench_call("UPDATE notifier SET next_attempt = NULL")
        last = self.start()
        errors = last.communicate()[1].decode()
        if last.returncode != 0:
            outcome.fail(f"{self.folder.name}: the last check exited {last.returncode}: {errors.strip()}")
        missing = set(map(str, range(FEEDS))) - set(self.deliveries())
        outcome.lost += len(missing)
        known = len(self.deliveries())
        again = self.start()
        again.wait()
        again.stderr.close()
        if len(self.deliveries()) > known:
            outcome.fail(f"{self.folder.name}: told again after the end")
        return len(self.deliveries()) - FEEDS

    def bench_call(self, text):
        with sqlite3.connect(self.store) as database:
            database.execute(text)
        database.close()


def kills_at_random(bench, outcome, kills, forgets=False):
    """Kills notifiers; returns how many deliveries were repeated."""
    repeated = done = number = 0
    kind = "forgetful" if forgets else "random"
    usual = seconds_of_a_check(bench, kind)
    while done < kills:
        trial = Trial(bench, f"{kind}{number}")
        number += 1
        for attempt in range(KILLS_PER_STORE):
            sealed, seen = trial.committed() if not forgets else set(), len(trial.deliveries())
            notifier = trial.start(name=f"n{attempt}" if forgets else "n")
            time.sleep(bench.random.uniform(0, usual))
            notifier.kill()
            notifier.stderr.close()
            notifier.wait()
            trial.reap()
            done += 1
            outcome.tried += 1
            wrong = sealed & set(trial.deliveries()[seen:])
            if wrong:
                outcome.fail(f"{trial.folder.name}: delivered after its commit: {sorted(wrong)}")
            else:
                outcome.survived += 1
        repeated += trial.finish(outcome)
        shutil.rmtree(trial.folder)
    return repeated


def seconds_of_a_check(bench, kind):
    trial = Trial(bench, f"{kind} usual")
    begun = time.monotonic()
    trial.start().communicate()
    return time.monotonic() - begun


def kill_at_each_write(bench, outcome):
    """Kills a notifier at its first write, then another one at its second, until one ends."""
    for write in range(1, 1000):
        trial = Trial(bench, f"write{write}")
        strace = [
            "strace", "-f", "-b", "execve", "-o", "/dev/null", "-e", f"trace={CALLS}",
            "-e", f"inject={CALLS}:signal=KILL:when={write}",
        ]
        notifier = trial.start(before=strace)
        notifier.stderr.close()
        code = notifier.wait()
        trial.reap()
        outcome.tried += 1
        before = outcome.lost
        trial.finish(outcome)
        outcome.survived += outcome.lost == before
        shutil.rmtree(trial.folder)
        if code == 0:
            bench.say(f"{write - 1} writes")
            return
    outcome.fail("no notifier ended")
