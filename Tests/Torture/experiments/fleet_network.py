"""Delays, cuts and swallows what travels between syncs and PostgreSQL; at the end each row is there once.

In the long form ten hosts share 1,000 rounds, because a round over a network that takes seconds takes a minute.
"""

from concurrent.futures import ThreadPoolExecutor

import fleet
from outcome import Outcome
from postgres import Postgres
from proxy import Proxy


def run(bench):
    outcome = Outcome()
    with Postgres() as database:
        fleet.make_tables(bench, database.url())
        lines = [Line(bench, database, number) for number in range(bench.times(1, 10))]
        with ThreadPoolExecutor(len(lines)) as threads:
            failed, unknown = map(sum, zip(*threads.map(Line.sync, lines)))
            for line, (code, said) in zip(lines, threads.map(Line.finish, lines)):
                if code != 0:
                    outcome.fail(f"{line.host.name}: the last sync failed: {said}")
        fleet.check(outcome, [line.host for line in lines], database)
        loads = database.psql("SELECT count(*) FROM session")[0][0]
        bench.say(f"{loads} loads, {failed} rounds failed")
        outcome.control = f"{failed} rounds failed, {unknown} of them after their batch had arrived"
        outcome.is_void = unknown == 0
    return outcome


class Line:
    """A host that records, and the bad line over which it ships."""

    def __init__(self, bench, database, number):
        self.database = database
        self.proxy = Proxy(database.port)
        self.host = fleet.Host(bench, f"host-{number}", database.url(self.proxy.port), "--loads", "all")
        self.recorder = self.host.recorder()
        # So few that a sync over the slowest network keeps up with them.
        self.recorder.tell(f"loads news 1000000 2 {bench.times(5, 100)}")
        self.recorder.await_lines(8)
        random, slowest = bench.random, bench.times(0.02, 2)
        self.plans = [
            (
                random.choice([0, 0, 0, random.uniform(0, slowest)]),
                random.choice([None, random.randrange(1, 60_000)]),
                # The answers to a round are short.
                random.choice([None, random.randrange(1, 1600)]),
                random.choice([None, None, None, None, None, 2, 3, 4]),
            )
            for _ in range(bench.times(60, 100))]

    def sync(self):
        """Ships once by each plan. Returns how many rounds failed, and how many of them although their batch arrived."""
        failed = unknown = 0
        for plan in self.plans:
            self.proxy.delay, self.proxy.cut_sent, self.proxy.cut_answered, self.proxy.last_commit = plan
            code, _ = self.host.sync()
            failed += code != 0
            unknown += self.host.has_arrived_unknown(self.database)
        return failed, unknown

    def finish(self):
        """Ends the recording, and ships the rest over a good line. Returns the exit code of that, and what it said."""
        self.recorder.kill()
        self.proxy.delay, self.proxy.cut_sent, self.proxy.cut_answered, self.proxy.last_commit = 0, None, None, None
        answer = self.host.sync()
        self.proxy.close()
        return answer
