"""Fills the disk of the server's store, then locks the store; pings get 503 and come again, and none that was answered is lost.

While the store cannot be written, each ping must be refused with 503 and Retry-After within seconds, and the server must go
on to answer questions. While the store cannot be read either, questions must be refused so too. As soon as there is room, or
the lock is gone, the same server must record again.
"""

import contextlib
import shutil
import sqlite3
import subprocess
import threading
import time
import uuid

import small_disk
from outcome import Outcome
from server import Server

CLIENTS = 8
# The server waits 5 s for a lock, for all pings together.
LIMIT = 15
# A question may take 2 s.
QUESTION_LIMIT = 4


def run(bench):
    return small_disk.in_a_child(_sick, bench)


def _sick(bench):
    """Returns: the outcome, or the reason why it cannot run."""
    outcome = Outcome()
    refused = 0
    for number in range(bench.times(2, 20)):
        disk = bench.folder / f"disk-{number}"
        disk.mkdir()
        if problem := small_disk.mount(disk):
            return problem
        try:
            with Server(bench, disk / "loads.db") as server:
                pings = Pings(outcome)
                pings.server = server
                pings.must_work("at the beginning")
                small_disk.fill(disk, bench.random.randrange(4))
                refused += pings.must_be_refused("with a full disk")
                small_disk.make_room(disk)
                pings.must_work("when there is room again")
                with locked(server.store):
                    refused += pings.must_be_refused("with a locked store")
                pings.must_work("when the lock is gone")
                if server.end() != 0:
                    outcome.fail("the server did not end in order")
            # One that has opened the store already would keep others from locking it so.
            with Server(bench, disk / "loads.db") as server:
                pings.server = server
                with locked(server.store, for_all=True):
                    refused += pings.must_be_refused("with a store locked for all", 503)
                pings.must_work("when that lock is gone")
                pings.must_all_be_there(bench)
                if server.end() != 0:
                    outcome.fail("the server did not end in order")
        finally:
            small_disk.unmount(disk)
            shutil.rmtree(disk)
    outcome.control = f"{refused} refusals"
    outcome.is_void = refused == 0
    return outcome


@contextlib.contextmanager
def locked(store, for_all=False):
    """Keeps SQLite's lock for writers, or the one that keeps readers out too."""
    connection = sqlite3.connect(store, isolation_level=None, timeout=30)
    if for_all:
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    connection.execute("BEGIN EXCLUSIVE" if for_all else "BEGIN IMMEDIATE")
    try:
        yield
    finally:
        connection.execute("ROLLBACK")
        connection.close()


class Pings:
    """Pings of some clients at the same time, and which were answered."""

    def __init__(self, outcome):
        self.outcome = outcome
        self.accepted = []
        self.lock = threading.Lock()

    def all(self):
        """The status, the answer and the seconds of a ping of each client."""
        answers = []

        def client(number):
            run = uuid.uuid4()
            begun = time.monotonic()
            status, answer = self.server.ping(f"client{number}?create=1&rid={run}", b"x" * 5000)
            with self.lock:
                answers.append((status, answer, time.monotonic() - begun))
                if status in (200, 201):
                    self.accepted.append(f"client{number}")

        clients = [threading.Thread(target=client, args=(number,)) for number in range(CLIENTS)]
        for each in clients:
            each.start()
        for each in clients:
            each.join()
        return answers

    def must_work(self, when):
        for status, answer, _ in self.all():
            self.count(status in (200, 201), f"{when}: {status} {answer[-200:]!r}")

    def must_be_refused(self, when, asked=200):
        """Pings until pings are refused, and once more; questions must get a status. Returns: the number of refusals."""
        answers = []
        for _ in range(1000):
            newest = self.all()
            answers += newest
            if any(status == 503 for status, *_ in newest):
                break
        answers += self.all()
        for status, answer, seconds in answers:
            is_refusal = status == 503 and b"retry-after: " in answer.lower()
            self.count((is_refusal or status in (200, 201)) and seconds < LIMIT, f"{when}: {status} after {seconds:.1f} s {answer[-200:]!r}")
        for door in ("/healthz", "/api/v1/status", "/metrics", "/"):
            begun = time.monotonic()
            status, answer = self.server.ask(door)
            seconds = time.monotonic() - begun
            is_right = status == asked and (status == 200 or b"retry-after: " in answer.lower()) and seconds < QUESTION_LIMIT
            self.count(is_right, f"{when}, {door}: {status} after {seconds:.1f} s {answer[-200:]!r}")
        return sum(status == 503 for status, *_ in answers)

    def must_all_be_there(self, bench):
        loads = bench.ask(self.server.store, "history", "--limit", "all")["loads"]
        for number in range(CLIENTS):
            feed = f"client{number}"
            missing = self.accepted.count(feed) - sum(load["feed"] == feed for load in loads)
            self.outcome.lost += max(0, missing)
            if missing < 0:
                self.outcome.fail(f"{-missing} refused pings of {feed} are in the record")
        health = subprocess.run([bench.loadlog, "doctor", "--db", self.server.store], capture_output=True, text=True)
        if health.returncode not in (0, 1):
            self.outcome.corrupt += 1

    def count(self, holds, fault):
        self.outcome.tried += 1
        self.outcome.survived += bool(holds)
        if not holds:
            self.outcome.fail(fault)
