"""Small file systems, which an experiment can fill without harm to the machine."""

import ctypes
import errno
import multiprocessing
import os
import pathlib
import subprocess

from outcome import Skipped

PAGE = 4096
CLONE_NEWNS, CLONE_NEWUSER = 0x0002_0000, 0x1000_0000


def in_a_child(work, bench):
    """Calls `work(bench)` in a child process: no other process must see its mounts, and they end with it.

    Returns: the outcome that it returns. Raises: `Skipped` if it returns a text.
    """
    with multiprocessing.get_context("fork").Pool(1) as pool:
        outcome = pool.apply(_mounting, (work, bench))
    if isinstance(outcome, str):
        raise Skipped(outcome)
    return outcome


def _mounting(work, bench):
    return _mount_for_oneself() or work(bench)


def _mount_for_oneself():
    """Makes mounts private to this process; in a user namespace if it has no right to mount otherwise.

    Returns: the reason for a failure, or nothing.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWNS) != 0:
        user, group = os.getuid(), os.getgid()
        if libc.unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0:
            return f"no right to mount: {os.strerror(ctypes.get_errno())}"
        pathlib.Path("/proc/self/setgroups").write_text("deny")
        pathlib.Path("/proc/self/uid_map").write_text(f"0 {user} 1")
        pathlib.Path("/proc/self/gid_map").write_text(f"0 {group} 1")
    return _failure(["mount", "--make-rprivate", "/"])


def mount(disk):
    """Mounts a file system of 1 MB at a folder. Returns: the reason for a failure, or nothing."""
    return _failure(["mount", "-t", "tmpfs", "-o", "size=1m,mode=700", "tmpfs", disk])


def _failure(command):
    answer = subprocess.run(command, capture_output=True, text=True)
    return answer.stderr.strip() or None if answer.returncode else None


def fill(disk, free_pages):
    """Fills it with the file `ballast`, except for some pages."""
    with open(disk / "ballast", "ab", buffering=0) as file:
        try:
            while True:
                file.write(bytes(PAGE))
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
        file.truncate(max(0, file.tell() // PAGE - free_pages) * PAGE)


def make_room(disk):
    """Empties it, and makes it larger."""
    (disk / "ballast").unlink()
    subprocess.run(["mount", "-o", "remount,size=64m", disk], check=True)


def unmount(disk):
    subprocess.run(["umount", disk], check=True)
