"""Takes SQLite's locks away from a host that records, opens and closes its store with a plain shell, kills it.

Closing any descriptor of a file drops all POSIX locks that the process holds on it: a host that copies its own database
or scans it for viruses loses SQLite's locks. The next program that closes the store assumes that it is the last one,
and deletes the log. A host may also fork after it has opened the store: its child is refused, and stays alive with all
that it has inherited.
"""

import subprocess

from outcome import Outcome
from hosts import Hang, Record, Host

"""The host's commands at the start, and those before each time that a shell opens and closes the store."""
WAYS = {
    "copies": ([], ["copy db"]),
    "copies of the log and its index": ([], ["copy -wal", "copy -shm"]),
    "a fork": (["fork"], []),
    "a fork and copies": (["fork"], ["copy db", "copy -shm"]),
}
TASKS = 4
"""What a forked child tries."""
CHILD_CALLS = 3
# In milliseconds; no machine misses it.
DEADLINE = 120_000


def run(bench):
    outcome = Outcome()
    for round in range(bench.times(6, 200)):
        for number, way in enumerate(WAYS):
            attempt(bench, outcome, way, f"host{number}-{round}")
    control(bench, outcome, bench.times(3, 20))
    return outcome


def attempt(bench, outcome, way, name):
    outcome.tried += 1
    store = bench.folder / name / "loads.db"
    fixture = bench.program("LoadLogHostFixture")
    with Host(bench, name, [fixture, "record", store, "f", TASKS, DEADLINE]) as host:
        try:
            host.awaited("finished", 50)
            rob(bench, host, way, store)
        except Hang as hang:
            return outcome.fail(f"{way}: {hang}")
        finally:
            host.kill()
    judge(outcome, way, Record(store), host)


def rob(bench, host, way, store):
    at_first, each_time = WAYS[way]
    for command in at_first:
        host.tell(command)
    copies = 0
    for _ in range(bench.random.randint(3, 8)):
        before = host.count("finished")
        for command in each_time:
            host.tell(command)
            copies += 1
            host.awaited("copied", copies)
        shell(store)
        # The robbed host goes on.
        host.awaited("finished", before + bench.random.randint(20, 60))
        if at_first:
            host.awaited("child", CHILD_CALLS)


def shell(store):
    """Opens and closes the store, as a user does who inspects it."""
    subprocess.run(
        ["sqlite3", "-batch", str(store), "SELECT count(*) FROM sqlite_schema"],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=True, timeout=60,
    )


def judge(outcome, way, record, host):
    lost = record.lost([host])
    outcome.lost += len(lost)
    codes = sorted({code for code, _ in host.refusals})
    if record.faults:
        outcome.corrupt += 1
        outcome.fail(f"{way}: {record.faults[0]}")
    if lost:
        outcome.fail(f"{way}: {len(lost)} of {host.count('started')} lost, such as {sorted(lost)[0]}")
    answers = set(host.lines("child")) - {"closed"}
    if answers:
        outcome.fail(f"{way}: the forked child got {', '.join(sorted(answers))}")
    if set(codes) - {"store_moved"}:
        outcome.fail(f"{way}: refused with {', '.join(codes)}")
    outcome.survived += not lost and not record.faults and not set(codes) - {"store_moved"} and not answers


def control(bench, outcome, rounds):
    """The same host without LoadLog's rules: SQLite used as documented."""
    losses = wrecks = 0
    for round in range(rounds):
        store = bench.folder / f"plain-{round}.db"
        program = bench.compiled("plain_writer.c", "-lsqlite3")
        with Host(bench, f"plain-{round}", [program, "write", store, DEADLINE]) as host:
            try:
                host.awaited("finished", 50)
                for number in range(3):
                    host.tell("copy")
                    host.awaited("copied", number + 1)
                    shell(store)
                    host.awaited("finished", host.count("finished") + 50)
            except (subprocess.CalledProcessError, Hang):
                pass  # A file may be damaged so badly that no program can use it.
            finally:
                host.kill()
        record = Record(store, "SELECT id, 'there' FROM load")
        wrecks += bool(record.faults)
        losses += len(set(host.lines("finished")) - record.states.keys())
    outcome.control = f"plain SQLite lost {losses:,}, wrecked {wrecks} of {rounds} files"
    outcome.is_void = losses == 0
