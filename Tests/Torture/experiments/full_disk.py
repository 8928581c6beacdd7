"""Fills the disk, then makes room again.

A program records on a file system of 1 MB that has only some free pages, before the store is created or after. It must
report the cause, drop the events that its queue cannot hold, and count them. When there is room again, the same process
must record again. `doctor` must report the number of dropped events, and all others must be there. The control:
refused and dropped events show that there was no room.
"""

import collections
import json
import subprocess

import small_disk
import stores
from outcome import Outcome
from recorder import Recorder
from testimony import Damaged, ENDED, Record

# More events than the queue holds while the store fails, plus one batch in flight.
PUSHES, POPS = 70_000, 5_000


def run(bench):
    return small_disk.in_a_child(_filled_disks, bench)


def _filled_disks(bench):
    """Returns: the outcome, or the reason why it cannot run."""
    outcome = Outcome()
    seen = collections.Counter()
    for pages in (None, *range(bench.times(8, 64))):
        disk = bench.folder / f"disk-{pages}"
        disk.mkdir()
        if problem := small_disk.mount(disk):
            return problem
        try:
            faults = list(_filled(bench, disk, pages, seen, is_overflowing=pages == 0))
        except Damaged as damage:
            outcome.corrupt += 1
            faults = [str(damage)]
        outcome.tried += 1
        outcome.survived += not faults
        outcome.lost += sum(fault.startswith("lost ") for fault in faults)
        for fault in faults:
            outcome.fail(f"{'a new store' if pages is None else f'{pages} pages free'}: {fault}")
        if faults:
            bench.keep(disk)
        small_disk.unmount(disk)
    outcome.control = f"{seen['refused']:,} refusals, {seen['dropped']:,} dropped"
    outcome.is_void = not seen["refused"] or not seen["dropped"]
    return outcome


def _filled(bench, disk, free_pages, seen, is_overflowing):
    """Yields: failures. Adds the refused and dropped events to `seen`."""
    store = disk / "loadlog.db"
    recorder = Recorder(bench, store)
    if free_pages is not None:
        recorder.tell("loads f 5 1", "push p 3", "flush", "start open", "say well")
        recorder.await_line("said well")
        if recorder.testimony.refusals:
            yield f"refused while there was room: {recorder.testimony.refusals}"
    small_disk.fill(disk, free_pages or 0)
    recorder.tell("loads g 9 2", "thread h 3", "say fuller")
    recorder.await_line("said fuller")
    small_disk.fill(disk, 0)
    recorder.tell("loads g 2 1")
    if is_overflowing:
        recorder.tell(f"push over {PUSHES}", f"pop over {POPS}")
    recorder.tell("failure", "say full")
    recorder.await_line("said full")
    refusals = recorder.testimony.refusals
    seen["refused"] += len(refusals)
    if not refusals:
        yield "nothing was refused while the disk was full"
    for refusal in refusals:
        if " disk_full: " not in refusal or str(store) not in refusal or "no space" not in refusal.lower():
            yield f"an error that does not name path and cause: {refusal}"
    if is_overflowing and "failure none" in recorder.testimony.said:
        yield "it drops events and reports no failure"
    if free_pages is not None:
        yield from _ask_for_trouble(bench, store)

    # There is room again, for all queued events.
    small_disk.make_room(disk)
    if not recorder.flush_after_trouble():
        yield f"recording did not resume: {recorder.testimony.refusals[-1]}"
    before = len(recorder.testimony.refusals)
    recorder.tell("loads after 3 1", "push p 1", "flush", "failure", "say room")
    recorder.await_line("said room")
    testimony = recorder.testimony
    if len(testimony.refusals) > before or "failure none" not in testimony.said:
        yield f"recording did not resume: {testimony.refusals[before:]}"

    record = Record(store)
    over = [state for state, _, feed, _ in record.loads.values() if feed == "over"]
    kept = len(over) + over.count(ENDED) + record.extra_pops["over"]
    seen["dropped"] += record.dropped
    made = PUSHES + POPS if is_overflowing else 0
    if kept + record.dropped != made or is_overflowing and not record.dropped:
        yield f"{kept} pushes and pops are kept and {record.dropped} counted as dropped, of {made}"
    answer = subprocess.run([bench.loadlog, "doctor", "--json", "--db", store], capture_output=True, timeout=120)
    found = [each["text"] for each in json.loads(answer.stdout)["findings"] if each["topic"] == "events"]
    several = f"{record.dropped} pushes, pops or finishes were dropped" if record.dropped else "none were dropped"
    expected = "1 push, pop or finish was dropped" if record.dropped == 1 else several
    if len(found) != 1 or not found[0].startswith(expected):
        yield f"doctor does not report that {record.dropped} were dropped: {found}"
    yield from stores.complaints(bench, store)

    recorder.tell("close", "say all")
    recorder.await_line("said all")
    if recorder.finish() != 0 or "closed" not in recorder.testimony.said:
        yield f"it did not close: {recorder.testimony.refusals[-1:]} {recorder.errors.decode()[-300:]}"
    testimony = recorder.testimony
    for counts in (testimony.pushing, testimony.pushed, testimony.popping, testimony.popped):
        counts.pop("over", None)
    record = Record(store)
    yield from (f"lost {fault}" for fault in record.lost([testimony]))
    yield from record.invented([testimony], in_flight=0)


def _ask_for_trouble(bench, store):
    """The command line on a full disk: a write fails with one line and exit code 5; reads succeed."""
    answer = subprocess.run([bench.loadlog, "push", "f", "--db", store], capture_output=True, text=True, timeout=120)
    if answer.returncode != 5 or str(store) not in answer.stderr or "no space" not in answer.stderr.lower():
        yield f"loadlog push: {answer.returncode} {answer.stdout}{answer.stderr}"
    answer = subprocess.run([bench.loadlog, "status", "--db", store], capture_output=True, text=True, timeout=120)
    if answer.returncode != 0:
        yield f"loadlog status: {answer.returncode} {answer.stderr}"
