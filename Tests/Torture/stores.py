"""Makes the stores with which several experiments start."""

import os
import shutil
import subprocess

from recorder import Recorder

# A checkpoint runs when the write-ahead log holds 1,000 pages of 4,120 bytes. Stop about two commits before that.
ALMOST_LONG_LOG = 4_020_000


def survivor(bench, store):
    """Starts a load owned by this process, which stays alive; creates the store if there is none.

    Returns: its id.
    """
    answer = subprocess.run(
        [bench.loadlog, "start", "survivor", "--owner-pid", str(os.getpid()), "--db", store],
        capture_output=True, check=True, timeout=120,
    )
    return answer.stdout.decode().strip()


def with_long_log(bench, store):
    """Makes a store with a log that is about to be checkpointed, by a program that is then killed.

    Returns: the output of the program.
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
    """Copies the files of a store that no process uses, without the index of the log, which SQLite rebuilds."""
    for file in store.parent.glob(store.name + "*"):
        if not file.name.endswith("-shm"):
            shutil.copy(file, folder)
    return folder / store.name


def complaints(bench, store, *options):
    """The problems that `doctor` finds: damage, and counters that do not agree with the loads.

    Exit code 1 alone is not enough: `doctor` also exits 1 for harmless findings.
    """
    answer = subprocess.run(
        [bench.loadlog, "doctor", *options, "--json", "--db", store], capture_output=True, timeout=120
    )
    text = answer.stdout.decode(errors="replace")
    is_wrong = any(words in text for words in ('"problem"', "disagree with the loads", "disagrees with the loads"))
    if answer.returncode not in (0, 1) or is_wrong:
        yield f"doctor: {answer.returncode} {text} {answer.stderr.decode(errors='replace')}"
