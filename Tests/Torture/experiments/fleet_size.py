"""Asks a fleet of 1,000 hosts that a script made: the numbers are right, and in the long form quick and small enough."""

import json
import os
import subprocess
import sys
import time

import fleet
from made_fleet import MadeFleet
from outcome import Outcome
from postgres import Postgres

# The least of this many runs counts: others may use the machine.
RUNS = 10
MEGABYTES = 64


def run(bench):
    outcome = Outcome()
    with Postgres() as database:
        fleet.make_tables(bench, database.url())
        made = MadeFleet(database, hosts=bench.times(50, 1_000), feeds=20, days=bench.times(5, 30))
        made.make()
        ask = Asker(bench, outcome, database.url())
        dates = ask("last-updated feed-03", 0.020)
        newest = database.psql("SELECT max(last_updated) / 1000000 FROM feed WHERE name = 'feed-03'")[0][0]
        expect(outcome, "the last update", int(seconds(dates["last_updated"])), int(newest))
        status = ask("status", 1)
        expect(outcome, "loads", status["totals"]["loads"], made.loads)
        expect(outcome, "failed loads", status["totals"]["failed"], made.failed)
        expect(outcome, "running loads", status["totals"]["running"], 2 * made.hosts)
        expect(outcome, "late hosts", len(status["hosts"]["late"]), made.late)
        expect(outcome, "loads of the window", ask("status --since 2000-01-01")["totals"]["loads"], made.loads)
        expect(outcome, "feeds of hosts", len(ask("status --by-host")["feeds"]), made.hosts * made.feeds)
        database.psql("DELETE FROM summary WHERE day = -1 AND feed = 0 AND host = (SELECT min(id::TEXT)::UUID FROM host)")
        missing = made.loads - ask("status")["totals"]["loads"]
        outcome.control = f"{missing:,} loads missing without a row of one host"
        outcome.is_void = missing == 0
    return outcome


def expect(outcome, what, found, wanted):
    outcome.tried += 1
    if found == wanted:
        outcome.survived += 1
    else:
        outcome.fail(f"{what}: {wanted} expected, {found} found")


def seconds(date):
    return time.mktime(time.strptime(date[:19], "%Y-%m-%dT%H:%M:%S")) - time.timezone


class Asker:
    """Asks the fleet, and checks time and memory in the long form."""

    def __init__(self, bench, outcome, url):
        self.bench, self.outcome, self.url = bench, outcome, url

    def __call__(self, verb, limit=None):
        """The answer to a question, which must be there within a number of seconds."""
        program = os.environ.get("LOADLOG_NET_RELEASE") or os.environ["LOADLOG_NET"]
        words = [program, *verb.split(" "), "--fleet", "--to", self.url, "--json"]
        least, memory = None, 0
        for _ in range(RUNS if limit and self.bench.is_long else 1):
            began = time.monotonic()
            with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=sys.stderr) as process:
                try:
                    answer = process.stdout.read()
                except BaseException:
                    # The end of the block waits for it.
                    process.kill()
                    raise
                _, status, usage = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
            took = time.monotonic() - began
            least = min(took, least or took)
            memory = max(memory, usage.ru_maxrss / 1024)
        self.bench.say(f"{verb}: {1000 * least:,.0f} ms, {memory:.0f} MB")
        if limit and self.bench.is_long:
            expect(self.outcome, f"{verb} within {1000 * limit:.0f} ms", least < limit, True)
            expect(self.outcome, f"{verb} within {MEGABYTES} MB", memory < MEGABYTES, True)
        return json.loads(answer)
