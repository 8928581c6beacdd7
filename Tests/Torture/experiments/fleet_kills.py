"""Kills syncs and PostgreSQL while hosts record; at the end the database has the rows of each store, each once.

The control ships counts as increments, and notes what it has shipped after the commit: a kill between both counts twice.
"""

import subprocess
import sys
import time

import fleet
from bench import HERE
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
        naive = Naive(database, hosts[0])
        for number in range(kills):
            for host in hosts[number % 2::2]:
                sync = host.start_sync()
                time.sleep(bench.random.uniform(0, 0.12))
                if number % (kills // server_kills) == 0 and host is hosts[number % 2]:
                    database.kill()
                    database.start()
                sync.kill()
                sync.wait()
            naive.sync_and_kill(bench.random.uniform(0.02, 0.15))
        for recorder in recorders:
            recorder.kill()
        for host in hosts:
            code, said = host.sync()
            if code != 0:
                outcome.fail(f"{host.name}: the last sync failed: {said}")
        naive.sync()
        fleet.check(outcome, hosts, database)
        loads = database.psql("SELECT count(*) FROM session")[0][0]
        bench.say(f"{loads} loads of {HOSTS} hosts, {kills * HOSTS // 2} syncs and {server_kills} servers killed")
        wrong = naive.difference()
        outcome.control = f"increments: {wrong:+} loads"
        outcome.is_void = wrong == 0
    return outcome


class Naive:
    """Ships counts as increments."""

    def __init__(self, database, host):
        self.database, self.host = database, host
        database.psql("CREATE TABLE naive (loads BIGINT NOT NULL); INSERT INTO naive VALUES (0)")
        self.position = host.folder / "naive-position"
        self.position.write_text("0")

    def command(self):
        return [sys.executable, HERE / "naive.py", self.host.store, self.position, self.database.programs / "psql",
                self.database.url()]

    def sync_and_kill(self, seconds):
        process = subprocess.Popen(self.command(), stderr=subprocess.DEVNULL)
        time.sleep(seconds)
        process.kill()
        process.wait()

    def sync(self):
        subprocess.run(self.command(), check=True)

    def difference(self):
        shipped = int(self.database.psql("SELECT loads FROM naive")[0][0])
        return shipped - int(self.position.read_text())
