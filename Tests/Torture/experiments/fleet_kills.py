"""Kills syncs and PostgreSQL while hosts record; at the end the database has the rows of each store, each once.

A run proves something only if kills met the protocol: some batches must have arrived without their host's knowledge.

Three controls ship the same loads as they must not: as increments, taking any attempt that arrived for the newest one, and
without a fence between two that ship at once.
"""

import contextlib
import sqlite3
import subprocess
import sys
import time

import fleet
import naive
from outcome import Outcome
from postgres import Postgres
from recorder import Meddling

HOSTS = 4
# What each host does beside many loads, over and over: each table gets rows, and rows that change.
COMMANDS = (
    ("run", "backup", "--tag", "nightly", "-m", "Copying", "--", "true"),
    ("push", "network", "--call-site", "Network.swift:12"),
    ("expect", "backup", "--every", "1h", "--max-failures", "2"),
    ("run", "backup", "--retry", "1", "--delay", "1ms", "--", "false"),
    ("pop", "network", "--call-site", "Network.swift:20"),
    ("pop", "network", "--call-site", "Network.swift:21"),
    ("start", "endless", "--owner-pid", "1"),
    ("notify", "--once", "--on-change", "true"),
    ("unbalanced", "--ack", "--all", "-m", "seen"),
    ("expect", "backup", "--clear"),
)
# Locks of the database: one that is free, and one for those that shall wait.
FREE, HELD = "0", "1"


def run(bench):
    outcome = Outcome()
    with Postgres() as database:
        fleet.make_tables(bench, database.url())
        hosts = [
            fleet.Host(bench, f"host-{number}", database.url(), "--loads", "all", "--with-messages")
            for number in range(HOSTS)]
        recorders = [host.recorder() for host in hosts]
        for number, recorder in enumerate(recorders):
            recorder.tell(f"loads feed-{number} 1000000 4 5")
            recorder.await_lines(8)
        killers = [Killer(bench, host) for host in hosts]
        kills, server_kills = bench.times(50, 500), bench.times(20, 200)
        controls = Naive(database, hosts[0])
        unknown = 0
        for number in range(kills):
            for host, killer in zip(hosts, killers):
                host.command(*COMMANDS[number % len(COMMANDS)])
                if host is hosts[number % HOSTS] and number % (kills // server_kills) == 0:
                    killer.kill_at_any_time(database)
                else:
                    killer.kill_at_a_write()
                unknown += host.has_arrived_unknown(database)
            if number % 6 == 0:
                controls.sync()
        for recorder in recorders:
            recorder.kill()
        for host in hosts:
            code, said = host.sync()
            if code != 0:
                outcome.fail(f"{host.name}: the last sync failed: {said}")
        fleet.check(outcome, hosts, database)
        if (known := int(database.psql("SELECT count(*) FROM host")[0][0])) != HOSTS:
            outcome.fail(f"the database has {known} hosts instead of {HOSTS}")
        loads = database.psql("SELECT count(*) FROM session")[0][0]
        bench.say(
            f"{loads} loads of {HOSTS} hosts, {kills * HOSTS} syncs and {server_kills} servers killed; "
            f"{unknown} batches had arrived without their host's knowledge")
        wrong = controls.differences()
        outcome.control = "wrong rows: " + ", ".join(f"{mode} {rows:,}" for mode, rows in wrong.items())
        outcome.is_void = 0 in wrong.values() or unknown == 0
    return outcome


class Killer:
    """Kills syncs of a host."""

    def __init__(self, bench, host):
        self.host, self.random = host, bench.random
        self.meddling = Meddling(bench, host.store)
        self.meddling.plan(Meddling.EVERY)
        began = time.monotonic()
        self.start().wait(fleet.PATIENCE)
        # Of a round that nothing disturbs.
        self.seconds, self.writes = time.monotonic() - began, self.meddling.calls

    def start(self):
        return self.host.start_sync(environment=self.meddling.environment)

    def kill_at_a_write(self):
        """Before a call that changes the store: a batch that was committed in between is there, and its host does not know."""
        self.meddling.plan(
            Meddling.EVERY, first=self.random.randrange(1, self.writes + 1), last=Meddling.FOREVER)
        self.start().wait(fleet.PATIENCE)

    def kill_at_any_time(self, database):
        """Together with the server."""
        self.meddling.plan(Meddling.EVERY)
        sync = self.start()
        time.sleep(self.random.uniform(0, self.seconds))
        database.kill()
        sync.kill()
        sync.wait(fleet.PATIENCE)
        database.start()


class Naive:
    """Ships a host's loads in the ways that the protocol must not."""

    MODES = ("increments", "any-attempt", "no-fence")

    def __init__(self, database, host):
        self.database, self.host = database, host
        database.psql(naive.TABLES)

    def start(self, mode, lock, *arguments):
        return subprocess.Popen(
            [sys.executable, naive.__file__, mode, self.host.store, self.host.folder / f"naive-{mode}",
             self.database.programs / "psql", self.database.url(), lock, *arguments])

    def sync(self):
        """Ships in each way at a bad moment."""
        self.start("increments", FREE, "after").wait(fleet.PATIENCE)
        # The first of two commits last, and crashes. What the second one read is newer: this load has ended.
        held = self.host.command("start", "held", "--detached").strip()
        with self.held_back():
            late = [self.start("any-attempt", HELD, "after"), self.start("no-fence", HELD)]
            self.until("the late ones have read", lambda: self.waiting() == len(late))
            self.host.command("finish", held)
            # Otherwise the next round would ship that load again.
            newest = self.newest()
            self.until("enough loads", lambda: self.newest() >= newest + naive.OPEN)
            for process in [self.start("any-attempt", FREE, "before"), self.start("no-fence", FREE)]:
                process.wait(fleet.PATIENCE)
        for process in late:
            process.wait(fleet.PATIENCE)

    @contextlib.contextmanager
    def held_back(self):
        """Lets nothing commit that needs the lock."""
        with subprocess.Popen(
            [self.database.programs / "psql", "-X", "-q", "-A", "-t", "-d", self.database.url()],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
            holder.stdin.write(f"SELECT 'held' FROM pg_advisory_lock({HELD});\n")
            holder.stdin.flush()
            holder.stdout.readline()
            yield

    def waiting(self):
        """The number of those that wait for the lock."""
        return int(self.database.psql("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")[0][0])

    def newest(self):
        """The number of the newest load of the host."""
        with contextlib.closing(sqlite3.connect(f"file:{self.host.store}?mode=ro", uri=True)) as store:
            return store.execute("SELECT max(seq) FROM session").fetchone()[0]

    def until(self, what, condition):
        deadline = time.monotonic() + fleet.PATIENCE
        while not condition():
            if time.monotonic() > deadline:
                raise RuntimeError(f"not within {fleet.PATIENCE} s: {what}")
            time.sleep(0.01)

    def differences(self):
        """The number of wrong rows of each way after a last round."""
        for mode in self.MODES:
            if self.start(mode, FREE).wait(fleet.PATIENCE) != 0:
                raise RuntimeError(f"the last round of {mode} failed")
        loads = dict(naive.rows_since(self.host.store, 0))
        shipped = int(self.database.psql("SELECT loads FROM naive WHERE mode = 'increments'")[0][0])
        arrived = {
            mode: {int(seq): int(state) for seq, state in self.database.psql(
                f"SELECT seq, state FROM naive_load WHERE mode = '{mode}'")} for mode in self.MODES[1:]}
        return {
            "increments": abs(shipped - max(loads)),
            # It ships no load twice, so those that ran are as they were: only missing ones count.
            "any-attempt": len(loads.keys() - arrived["any-attempt"].keys()),
            "no-fence": len(loads.items() ^ arrived["no-fence"].items()),
        }
