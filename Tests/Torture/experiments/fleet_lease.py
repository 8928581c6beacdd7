"""Silences a host whose clock is wrong: its running load is unknown to the fleet, never crashed, and runs again later."""

import json
import os
import subprocess
import time

import fleet
from outcome import Outcome
from postgres import Postgres

# Seconds.
LEASE = 1


def run(bench):
    outcome = Outcome()
    with Postgres() as database:
        fleet.make_tables(bench, database.url())
        for clock in ("-1h", "+10d", "+0s"):
            prefix = () if clock == "+0s" else ("faketime", "-f", clock)
            host = fleet.Host(bench, f"host{clock}", database.url(), "--lease", f"{LEASE}s")
            recorder = host.recorder()
            recorder.tell(f"start feed{clock}")
            recorder.await_lines(1)
            expect(outcome, host, "running", prefix)
            # The fleet judges by the database's clock, so only real time silences a host.
            time.sleep(5 * LEASE)
            outcome.tried += 1
            found = state(host)
            if found == "unknown":
                outcome.survived += 1
            else:
                outcome.fail(f"{host.name}: silent for 5 leases, and {found}")
            expect(outcome, host, "running", prefix)
            recorder.kill()
            # Its own host proves that it crashed.
            expect(outcome, host, "crashed", prefix)
    return outcome


def expect(outcome, host, wanted, prefix):
    outcome.tried += 1
    code, said = host.sync(prefix=prefix)
    found = state(host)
    if code == 0 and found == wanted:
        outcome.survived += 1
    else:
        outcome.fail(f"{host.name}: {wanted} expected, {found} found, sync {code} {said}")


def state(host):
    answer = subprocess.run(
        [host.program, "history", "--fleet", "--host", host.name, "--to", host.url, "--json"],
        capture_output=True, text=True, timeout=fleet.PATIENCE, env={**os.environ})
    loads = json.loads(answer.stdout)["loads"] if answer.returncode == 0 else []
    return loads[0]["state"] if loads else f"nothing: {answer.stderr}"
