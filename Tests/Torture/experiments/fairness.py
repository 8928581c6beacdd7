"""Lets 12 processes with 4 tasks each write at once, and stops the process that holds the gate while the others wait.

No caller may get BUSY before its deadline, the slowest process must make progress, callers that wait for a stopped
process must get an error at their deadline, and all must continue when that process does. This experiment checks times;
the short form has fewer seconds.
"""

import os
import signal
import subprocess
import time

from outcome import Outcome
from hosts import Hang, Record, Host

PROCESSES = 12
TASKS = 4
"""Tolerance in milliseconds for timers and a loaded machine."""
GRACE = 4000


def run(bench):
    outcome = Outcome()
    deadline, calm, stopped = bench.times((5.0, 4, 8), (5.0, 20, 10))
    store = bench.folder / "store" / "loads.db"
    command = [bench.program("LoadLogHostFixture"), "record", store]
    writers = [Host(bench, f"w{n}", [*command, f"f{n}", TASKS, int(deadline * 1000)]) for n in range(PROCESSES)]
    try:
        contest(bench, outcome, writers, store, deadline, calm, stopped)
    except Hang as hang:
        outcome.fail(str(hang))
    finally:
        for writer in writers:
            writer.kill()
    record = Record(store)
    outcome.lost = len(record.lost(writers))
    outcome.corrupt = len(record.faults)
    still = sum(state == "running" for state in record.states.values())
    if still:
        outcome.fail(f"{still} loads run though all have closed")
    outcome.tried = sum(writer.count("started") + writer.count("finished") for writer in writers)
    outcome.survived = outcome.tried - outcome.lost
    control(bench, outcome, deadline, calm + stopped)
    return outcome


def contest(bench, outcome, writers, store, deadline, calm, stopped):
    for writer in writers:
        writer.awaited("finished")
    before = [writer.count("finished") for writer in writers]
    time.sleep(calm)
    moved = [writer.count("finished") - number for writer, number in zip(writers, before)]
    bench.say(f"finished in {calm} s, slowest and fastest process: {min(moved):,} and {max(moved):,}")
    if min(moved) < TASKS:
        outcome.fail(f"the slowest process finished {min(moved)} loads in {calm} s, the fastest {max(moved)}")
    early = [refusal for writer in writers for refusal in writer.refusals]
    if early:
        outcome.fail(f"{len(early)} refusals with no process stopped, such as {early[0]}")

    holder = stop_holder(store, writers)
    refused = [len(writer.refusals) for writer in writers]
    answer = subprocess.run([bench.loadlog, "status", "--db", str(store)], capture_output=True, timeout=120)
    if answer.returncode != 0:
        outcome.fail(f"status beside a stopped holder: {answer.stderr.decode().strip()}")
    time.sleep(stopped)
    for writer, number in zip(writers, refused):
        errors = writer.refusals[number:]
        if writer is not holder and len(errors) < TASKS:
            outcome.fail(f"{writer.name}: {len(errors)} of {TASKS} callers got an error about the stopped holder")
    finished = [writer.count("finished") for writer in writers]
    os.kill(holder.pid, signal.SIGCONT)

    for writer, number in zip(writers, finished):
        writer.awaited("finished", number + 2 * TASKS)
    for writer in writers:
        if (code := writer.end()) != 0:
            outcome.fail(f"{writer.name} ended with {code}")
    for writer in writers:
        for code, waited in writer.refusals:
            # A stopped process could not check its own deadline.
            longest = deadline * 1000 + GRACE + (stopped * 1000 if writer is holder else 0)
            if code != "busy" or not deadline * 1000 <= waited <= longest:
                outcome.fail(f"{writer.name} was refused with {code} after {waited:,.0f} ms")


def stop_holder(store, writers):
    """Stops the process that holds the gate; lets one continue that has just released it."""
    gate = store.with_name(store.name + "-gate").stat()
    place = f"{os.major(gate.st_dev):02x}:{os.minor(gate.st_dev):02x}:{gate.st_ino}"
    end = time.monotonic() + 30
    while time.monotonic() < end:
        writer = next((writer for writer in writers if writer.pid == holder(place)), None)
        if writer is None:
            continue
        os.kill(writer.pid, signal.SIGSTOP)
        while not is_stopped(writer.pid):
            pass
        if holder(place) == writer.pid:
            return writer
        os.kill(writer.pid, signal.SIGCONT)
    raise Hang("no process holds the gate")


def holder(place):
    """The pid of the process with the lock; an arrow marks processes that wait."""
    with open("/proc/locks") as locks:
        for line in locks:
            words = line.split()
            if words[1] == "FLOCK" and words[5] == place:
                return int(words[4])
    return None


def is_stopped(pid):
    with open(f"/proc/{pid}/stat") as stat:
        return stat.read().rsplit(") ", 1)[1][0] == "T"


def control(bench, outcome, deadline, seconds):
    """A plain SQLite writer for each task, with the same deadline; none of them is stopped."""
    store = bench.folder / "plain.db"
    program = bench.compiled("plain_writer.c", "-lsqlite3")
    command = [program, "write", store, int(deadline * 1000)]
    with Host(bench, "plain", command) as first:
        first.awaited("finished")
    writers = [Host(bench, f"p{n}", command) for n in range(PROCESSES * TASKS)]
    for writer in writers:
        writer.awaited("finished", 0)
    time.sleep(seconds)
    for writer in writers:
        writer.kill()
    moved = [writer.count("finished") for writer in writers]
    refused = sum(writer.count("refused") > 0 for writer in writers)
    starved = sum(number == 0 for number in moved)
    outcome.control = f"plain SQLite: {refused} of {len(writers)} BUSY, slowest {min(moved):,}, fastest {max(moved):,}"
    outcome.is_void = not refused and not starved and min(moved) * 10 > max(moved)
