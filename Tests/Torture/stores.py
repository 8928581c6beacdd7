"""Stores that several experiments begin with."""

import os
import shutil
import subprocess

from recorder import Recorder

# The write-ahead log is moved into the database when it holds 1,000 pages of 4,120 bytes: two commits or so before.
ALMOST_LONG_LOG = 4_020_000


def survivor(bench, store):
    """Starts a load of this process, which lives on; makes the store if there is none.

    Returns: its id.
    """
    answer = subprocess.run(
        [bench.loadlog, "start", "survivor", "--owner-pid", str(os.getpid()), "--db", store],
        capture_output=True, check=True, timeout=120,
    )
    return answer.stdout.decode().strip()


def with_long_log(bench, store):
    """Makes a store of a program that was killed, whose log is about to be moved into the database.

    Returns: what the program said.
    """
    recorder = Recorder(bench, store)
    recorder.tell("push g 2", "flush", "start f")
    log, loads = store.with_name(store.name + "-wal"), 0
    while not log.exists() or log.stat().st_size < ALMOST_LONG_LOG:
        loads += 1
        recorder.tell("loads f 1 1", f"say {loads}")
        recorder.await_line(f"said {loads}")
    recorder.kill()
    return recorder.testimony


def copy(store, folder):
    """Copies a store that nobody uses, as a file system holds it; the index of its log is made anew."""
    for file in store.parent.glob(store.name + "*"):
        if not file.name.endswith("-shm"):
            shutil.copy(file, folder)
    return folder / store.name


def complaints(bench, store, *options):
    """What `doctor` finds amiss: damage, and counters that do not say what the loads do.

    Whatever else is to be seen to makes it exit with 1 as well.
    """
    answer = subprocess.run(
        [bench.loadlog, "doctor", *options, "--json", "--db", store], capture_output=True, timeout=120
    )
    text = answer.stdout.decode(errors="replace")
    is_wrong = any(words in text for words in ('"problem"', "do not say what", "does not say what"))
    if answer.returncode not in (0, 1) or is_wrong:
        yield f"doctor: {answer.returncode} {text} {answer.stderr.decode(errors='replace')}"
