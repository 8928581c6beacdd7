"""Kills syncs and PostgreSQL while hosts record; at the end the database has the rows of each store, each once.

Three controls ship the same loads as they must not: as increments, taking any attempt that arrived for the newest one, and
without a fence between two that ship at once.
"""

import subprocess
import sys
import time

import fleet
import naive
from outcome import Outcome
from postgres import Postgres

HOSTS = 4


def run(bench):
    outcome = Outcome()
    with Postgres() as database:
        fleet.make_tables(bench, database.url())
        hosts = [fleet.Host(bench, f"host-{number}", database.url(), "--loads", "all") for number in range(HOSTS)]
        recorders = [host.recorder() for host in hosts]
        for number, recorder in enumerate(recorders):
            recorder.tell(f"loads feed-{number} 1000000 4 5")
            recorder.await_lines(8)
        kills, server_kills = bench.times(60, 2000), bench.times(6, 200)
        controls = Naive(database, hosts[0])
        for number in range(kills):
            for host in hosts[number % 2::2]:
                sync = host.start_sync()
                time.sleep(bench.random.uniform(0, 0.12))
                if number % (kills // server_kills) == 0 and host is hosts[number % 2]:
                    database.kill()
                    database.start()
                sync.kill()
                sync.wait()
            if number % 6 == 0:
                controls.sync()
        for recorder in recorders:
            recorder.kill()
        for host in hosts:
            code, said = host.sync()
            if code != 0:
                outcome.fail(f"{host.name}: the last sync failed: {said}")
        fleet.check(outcome, hosts, database)
        loads = database.psql("SELECT count(*) FROM session")[0][0]
        bench.say(f"{loads} loads of {HOSTS} hosts, {kills * HOSTS // 2} syncs and {server_kills} servers killed")
        wrong = controls.differences()
        outcome.control = "wrong rows: " + ", ".join(f"{mode} {rows:,}" for mode, rows in wrong.items())
        outcome.is_void = 0 in wrong.values()
    return outcome


class Naive:
    """Ships a host's loads in the ways that the protocol must not."""

    MODES = ("increments", "any-attempt", "no-fence")

    def __init__(self, database, host):
        self.database, self.host = database, host
        database.psql(naive.TABLES)

    def start(self, mode, *arguments):
        return subprocess.Popen(
            [sys.executable, naive.__file__, mode, self.host.store, self.host.folder / f"naive-{mode}",
             self.database.programs / "psql", self.database.url(), *arguments])

    def sync(self):
        """Ships in each way at a bad moment."""
        self.start("increments", "0", "after").wait()
        # The first of two commits last, and crashes. What the second one read is newer.
        late = [self.start("any-attempt", "1", "after"), self.start("no-fence", "1")]
        time.sleep(0.3)
        for process in [self.start("any-attempt", "0", "before"), self.start("no-fence", "0"), *late]:
            process.wait()

    def differences(self):
        """The number of wrong rows of each way after a last round."""
        for mode in self.MODES:
            if self.start(mode, "0").wait() != 0:
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
