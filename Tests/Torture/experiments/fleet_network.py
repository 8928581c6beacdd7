"""Delays, cuts and swallows what travels between a sync and PostgreSQL; at the end each row is there once."""

import fleet
from outcome import Outcome
from postgres import Postgres
from proxy import Proxy


def run(bench):
    outcome = Outcome()
    with Postgres() as database:
        fleet.make_tables(bench, database.url())
        proxy = Proxy(database.port)
        host = fleet.Host(bench, "host", database.url(proxy.port), "--loads", "all")
        recorder = host.recorder()
        recorder.tell("loads news 1000000 2 5")
        recorder.await_lines(8)
        failed = 0
        for number in range(bench.times(60, 1000)):
            proxy.delay = bench.random.choice([0, 0, 0, bench.random.uniform(0, bench.times(0.02, 2))])
            proxy.cut_sent = bench.random.choice([None, bench.random.randrange(1, 60_000)])
            # The answers to a round are short: many cuts fall on the answer to COMMIT.
            proxy.cut_answered = bench.random.choice([None, bench.random.randrange(1, 1200)])
            code, _ = host.sync()
            failed += code != 0
        recorder.kill()
        proxy.delay, proxy.cut_sent, proxy.cut_answered = 0, None, None
        code, said = host.sync()
        if code != 0:
            outcome.fail(f"the last sync failed: {said}")
        fleet.check(outcome, [host], database)
        proxy.close()
        loads = database.psql("SELECT count(*) FROM session")[0][0]
        bench.say(f"{loads} loads, {failed} rounds failed")
        outcome.control = f"{failed} rounds failed"
        outcome.is_void = failed == 0
    return outcome
