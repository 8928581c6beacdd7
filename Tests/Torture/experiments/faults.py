"""Makes each call that changes a file of the store fail, once and permanently, with a full disk and an I/O error.

A program runs a fixed course, whatever fails: one creates a store, another finds a long log and checkpoints it. A shim
makes its first write fail, its second, and so on; then each synchronization and each truncation. Once: the next call
succeeds. Permanently: all later calls fail too, until the end of the course. Then the same process continues, and must
record again.

Its results must be true: acknowledged loads are there, once; each refusal has an error that names the store and the
cause; and `doctor` and `status` agree with the rows. The long form has three courses. The control: refusals show that
the calls do fail.
"""

import errno
import itertools
import os
import shutil
from concurrent.futures import ThreadPoolExecutor

import stores
from bench import Refused
from outcome import Outcome
from recorder import Meddling, Recorder
from testimony import Damaged, Record, Testimony

KINDS = {"write": Meddling.WRITE, "sync": Meddling.SYNC, "cut": Meddling.CUT}
CAUSES = {"ENOSPC": errno.ENOSPC, "EIO": errno.EIO}
LASTING = {"once": False, "for good": True}
# The text of each cause in an error.
NAMED = {
    # SQLite distinguishes ENOSPC only where it writes rows.
    "ENOSPC": ("no space is left", "No space left", "I/O error"),
    "EIO": ("I/O error", "Input/output error"),
}
# One of this many stores is also read by loadlog; in the long form, all are.
SAMPLE = 8


class Course:
    def __init__(self, name, commands, base=None, testimony=None):
        self.name, self.commands, self.base, self.testimony = name, commands, base, testimony


def run(bench):
    outcome = Outcome()
    refusals = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for course in courses(bench):
            for kind, cause, lasting in itertools.product(KINDS, CAUSES, LASTING):
                tried = 0
                for faults, refused in sweep(bench, pool, course, kind, cause, lasting):
                    tried += 1
                    refusals += refused
                    outcome.survived += not any(faults.values())
                    outcome.lost += len(faults["lost"])
                    outcome.corrupt += len(faults["corrupt"])
                    for fault in itertools.chain(*faults.values()):
                        outcome.fail(fault)
                outcome.tried += tried
                bench.say(f"{course.name}: {tried} times {kind} fails {lasting} with {cause}")
    outcome.control = f"{refusals:,} refusals"
    outcome.is_void = refusals * 10 < outcome.tried
    return outcome


def courses(bench):
    for number in range(bench.times(1, 3)):
        loads = 1 + number
        yield Course(
            f"a new store, {loads} loads",
            ("push g 2", f"loads f {loads} 2", "pop g 1", "pop h 1", "flush", "thread f 1", "start f"),
        )
        folder = bench.folder / f"base-{number}"
        folder.mkdir()
        base = folder / "loadlog.db"
        said = stores.with_long_log(bench, base)
        yield Course(f"a long log, {loads} loads", (f"loads f {loads} 1", "push h 1", "flush"), base, said)


def sweep(bench, pool, course, kind, cause, lasting):
    """Makes the first call of a kind fail, the second, and so on, until there are no more.

    Yields: the failures of each run, and the number of refusals.
    """
    at = 1
    while True:
        numbers = range(at, at + 8)
        at += len(numbers)
        tries = list(pool.map(lambda number: failing(bench, course, kind, cause, lasting, number), numbers))
        yield from ((faults, refused) for is_hit, faults, refused in tries if is_hit or any(faults.values()))
        if not all(is_hit for is_hit, *_ in tries):
            return


def failing(bench, course, kind, cause, lasting, number):
    """Returns: whether there was such a call, the failures, and the number of refusals."""
    place = f"{course.name}, {kind} {number} fails {lasting} with {cause}"
    folder = bench.folder / place
    folder.mkdir()
    store = stores.copy(course.base, folder) if course.base else folder / "loadlog.db"
    meddling = Meddling(bench, store, "meddling")
    meddling.plan(
        KINDS[kind], first=number, last=Meddling.FOREVER if LASTING[lasting] else number, error=CAUSES[cause]
    )
    faults = {"lost": [], "corrupt": [], "wrong": []}
    recorder = Recorder(bench, store, environment=meddling.environment)
    recorder.tell(*course.commands, "say course")
    recorder.await_line("said course")
    was_hit = meddling.hits > 0
    if was_hit:
        meddling.clear()
        if not recorder.flush_after_trouble():
            faults["wrong"].append(f"recording did not resume: {recorder.testimony.refusals[-1]}")
    before = len(recorder.testimony.refusals)
    # If the fault has not occurred yet, it affects these loads.
    recorder.tell("push after 1", "flush", "loads after 1 1", "failure", "close", "say more")
    recorder.await_line("said more")
    meddling.clear()
    testimony = recorder.testimony
    if was_hit and (len(testimony.refusals) > before or "failure none" not in testimony.said):
        faults["wrong"].append(f"recording did not resume: {testimony.refusals[before:]}")
    recorder.tell("close", "say all")
    recorder.await_line("said all")
    code = recorder.finish()
    testimony = recorder.testimony
    if code != 0 or not testimony.is_closed:
        faults["wrong"].append(f"it ended with {code}: {testimony.refusals[-1:]} {recorder.errors.decode()[-300:]}")
    if not meddling.calls:
        faults["wrong"].append("the shim was not there")
    for refusal in testimony.refusals:
        if str(store) not in refusal or not any(text in refusal for text in NAMED[cause]):
            faults["wrong"].append(f"an error that does not name path and cause: {refusal}")
    try:
        record = Record(store)
        testimonies = [testimony, *([course.testimony] if course.testimony else [])]
        faults["lost"] += record.lost(testimonies)
        faults["wrong"] += record.invented(testimonies, in_flight=0)
        if bench.is_long or number % SAMPLE == 0:
            faults["corrupt"] += stores.complaints(bench, store)
            totals = bench.ask(store, "status")["totals"]
            if totals["loads"] != len(record.loads):
                faults["wrong"].append(f"status counts {totals['loads']} for {len(record.loads)}")
    except (Damaged, Refused) as damage:
        faults["corrupt"].append(str(damage))
    for texts in faults.values():
        texts[:] = [f"{place}: {text}" for text in texts]
    if any(faults.values()):
        bench.keep(folder)
    shutil.rmtree(folder)
    return meddling.hits > 0, faults, len(testimony.refusals)
