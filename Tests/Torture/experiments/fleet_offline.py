"""Records without a network while old loads are pruned; the next sync ships the rest, and the counts are equal."""

import sqlite3
import subprocess
import time

import fleet
from outcome import Outcome
from postgres import Postgres

PART = 50_000
# Seconds; in the long form, whose loads take long enough that a start of the program does not count.
MOST_DRAINING = 60


def run(bench):
    outcome = Outcome()
    loads = bench.times(20_000, 1_000_000)
    with Postgres() as database:
        fleet.make_tables(bench, database.url())
        host = fleet.Host(bench, "host", database.url(), "--loads", "all")
        record(host, 100)
        if (answer := host.sync())[0] != 0:
            outcome.fail(f"the first sync failed: {answer[1]}")
        database.stop()
        for _ in range(2):
            record(host, loads // 2)
            if host.sync()[0] == 0:
                outcome.fail("a sync without a database succeeded")
            subprocess.run(
                [bench.loadlog, "prune", "--older-than", "1ms", "--db", host.store], check=True, capture_output=True)
        database.start()
        began = time.monotonic()
        if (answer := host.sync())[0] != 0:
            outcome.fail(f"the last sync failed: {answer[1]}")
        drained = time.monotonic() - began
        bench.say(f"{loads} loads, drained in {drained:.1f} s")
        if bench.is_long and drained > MOST_DRAINING:
            outcome.fail(f"draining took {drained:.1f} s")
        store = sqlite3.connect(f"file:{host.store}?mode=ro", uri=True)
        sql = "SELECT loads, succeeded, failed, cancelled FROM summary WHERE day = -1 AND feed = 0"
        mine = [str(value) for value in store.execute(sql).fetchone()]
        rows = store.execute("SELECT count(*) FROM session").fetchone()[0]
        store.close()
        theirs = database.psql(f"{sql} AND host = '{host.id}'")[0]
        outcome.tried, outcome.survived = int(mine[0]), int(mine[0]) if mine == theirs else 0
        if mine != theirs:
            outcome.fail(f"the store counts {mine}, the database {theirs}")
        outcome.control = f"{loads - rows:,} loads pruned before they were shipped"
        outcome.is_void = rows >= loads
    return outcome


def record(host, loads):
    # In parts, because no recorder may take longer than five minutes.
    for first in range(0, loads, PART):
        recorder = host.recorder()
        recorder.tell(f"loads news {min(PART, loads - first)} 64", "close")
        recorder.finish()
