"""A wall clock that is off, by libfaketime."""

import pathlib

"""libfaketime moves the environment in the first program that loads it, and Swift finds no arguments then."""
SHELL = ["sh", "-c", 'exec "$@"', "sh"]


def needs_faketime():
    return None if faketime_library() else "libfaketime is not installed"


def faketime_library():
    """The path of libfaketime for programs with threads: the other library may give one of two threads the true time."""
    places = pathlib.Path("/usr").glob("lib*/**/faketime/libfaketimeMT.so.1")
    return next((str(place) for place in places), None)


def faketime(step=None):
    """An environment in which the wall clock is off by the given seconds.

    The command `faketime` would stop if a program that was killed had the same process id: its semaphore is still there.
    """
    env = {"LD_PRELOAD": faketime_library(), "FAKETIME_DONT_FAKE_MONOTONIC": "1", "DONT_FAKE_MONOTONIC": "1"}
    return env if step is None else {**env, "FAKETIME": f"{step:+d}"}


def remove_shared():
    """Removes the semaphores and the shared memory of processes that are gone: a program that was started by `exec`, or
    killed, does not remove its own."""
    for file in pathlib.Path("/dev/shm").glob("*faketime_*"):
        if not pathlib.Path("/proc", file.name.rpartition("_")[2]).exists():
            file.unlink(missing_ok=True)
