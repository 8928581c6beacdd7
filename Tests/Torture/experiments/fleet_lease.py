"""Silences a host whose clock is wrong: its running load is unknown to the fleet, never crashed, and runs again later.

The control judges leases by the clocks of the hosts, which must be wrong.
"""

import json
import os
import subprocess
import time

import fleet
from faketime import SHELL, faketime, needs_faketime
from outcome import Outcome, Skipped
from postgres import Postgres

# Seconds. A sync and a question must take less, also on a busy machine.
LEASE = 5
# How many seconds each host's clock is off.
CLOCKS = {"-1h": -3600, "+10d": 864_000, "+0s": 0}


def run(bench):
    if reason := needs_faketime():
        raise Skipped(reason)
    outcome = Outcome()
    misjudged = 0
    with Postgres() as database:
        fleet.make_tables(bench, database.url())
        hosts = {
            clock: fleet.Host(bench, f"host{clock}", database.url(), "--lease", f"{LEASE}s") for clock in CLOCKS}
        recorders = {clock: host.recorder() for clock, host in hosts.items()}
        for clock, host in hosts.items():
            recorders[clock].tell(f"start feed{clock}")
            recorders[clock].await_lines(1)
            expect(outcome, host, "running", CLOCKS[clock])
            misjudged += not is_alive_by_its_clock(database, host)
        # The fleet judges by the database's clock, so only real time silences a host.
        time.sleep(5 * LEASE)
        for clock, host in hosts.items():
            misjudged += is_alive_by_its_clock(database, host)
            outcome.tried += 1
            found = state(host)
            if found == "unknown":
                outcome.survived += 1
            else:
                outcome.fail(f"{host.name}: silent for 5 leases, and {found}")
            expect(outcome, host, "running", CLOCKS[clock])
            recorders[clock].kill()
            # Its own host proves that it crashed.
            expect(outcome, host, "crashed", CLOCKS[clock])
    outcome.control = f"{misjudged} hosts misjudged by their own clocks"
    outcome.is_void = misjudged == 0
    return outcome


def is_alive_by_its_clock(database, host):
    """Whether the lease holds at the time that the host's clock shows."""
    ((answer,),) = database.psql(
        f"""
        SELECT lease_until > now() - clock_offset * INTERVAL '1 microsecond' FROM host WHERE name = '{host.name}'
        """)
    return answer == "t"


def expect(outcome, host, wanted, step):
    outcome.tried += 1
    code, said = host.sync(prefix=SHELL, environment=faketime(step) if step else {})
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
