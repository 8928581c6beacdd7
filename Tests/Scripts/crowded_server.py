"""Locks a store, asks its server more than it lets wait, and exits 1 with what is wrong.

    crowded_server.py STORE PORT

While the store is locked, each question takes as long as it may.
"""

import re
import select
import socket
import sqlite3
import struct
import sys
import time
import uuid

# As many as may wait, and more.
WAITING, CROWD = 64, 100
# Of those that are gone: together they would take longer than the server may take to answer the next one.
GONE = 40
# Seconds that a question may wait, and how often this is tried: on a busy machine some questions may take longer.
DEADLINE, TRIES = 2, 20
# Seconds for an answer that waits for no other.
PATIENCE = 30


class Question:
    """A request that the server has read."""

    def __init__(self, port, target):
        self.connection = socket.create_connection(("127.0.0.1", port), PATIENCE)
        # The server says "continue" as soon as it has read the head.
        self.connection.sendall(
            f"GET {target} HTTP/1.1\r\nHost: localhost:{port}\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n".encode())
        self.read = self.connection.recv(25)

    def reset(self):
        """Goes as a program does that is killed with data that it has not read."""
        reset(self.connection)

    def close(self):
        """Goes as most programs do: the server learns only that nothing more is sent."""
        self.connection.close()

    def answer(self):
        """The status, and the whole answer."""
        with self.connection:
            answer = self.read
            while piece := self.connection.recv(1 << 16):
                answer += piece
        return int(re.search(rb"HTTP/1\.1 ([2-5]\d\d) ", answer).group(1)), answer.lower()


def reset(connection):
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def is_crowded(answer):
    return b"too many requests are waiting" in answer


def faults(store, port):
    with_lock = locked(store)
    for number, question in enumerate([Question(port, "/api/v1/status") for _ in range(GONE)]):
        question.reset() if number % 2 else question.close()
    status, answer = Question(port, "/api/v1/unbalanced").answer()
    if status != 503 or is_crowded(answer):
        yield f"after clients that are gone: {answer}"
    crowd = [Question(port, "/api/v1/status") for _ in range(CROWD)]
    status, answer = Question(port, "/report.css").answer()
    if status != 200:
        yield f"what needs no store: {answer}"
    with_lock.close()
    answers = [question.answer() for question in crowd]
    if not any(is_crowded(answer) for _, answer in answers):
        yield "all of the crowd may wait"
    for status, answer in answers:
        if status != 200 and (status != 503 or b"\r\nretry-after: 5\r\n" not in answer):
            yield f"one of the crowd: {answer}"
    status, answer = Question(port, "/api/v1/status").answer()
    if status != 200:
        yield f"without the lock: {answer}"
    yield from short_waits(store, port)
    yield from lost_imports(store, port)


def locked(store):
    """A connection that lets no other read."""
    connection = sqlite3.connect(store, isolation_level=None)
    connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    connection.execute("BEGIN EXCLUSIVE")
    return connection


def short_waits(store, port):
    """Clients that send no more, but read, behind a question that does not take long."""
    for _ in range(TRIES):
        with_lock = locked(store)
        began = time.monotonic()
        crowd = [Question(port, "/api/v1/status") for _ in range(5)]
        for question in crowd:
            question.connection.shutdown(socket.SHUT_WR)
        with_lock.close()
        answers = [question.answer() for question in crowd]
        if time.monotonic() - began < DEADLINE:
            for status, answer in answers:
                if status != 200:
                    yield f"a client that sends no more: {answer}"
            return
    yield f"five questions are never answered within {DEADLINE} s"


def lost_imports(store, port):
    """Imports that wait for a lock, of clients that are gone before their turn."""
    with_lock = sqlite3.connect(store, isolation_level=None)
    with_lock.execute("BEGIN IMMEDIATE")
    sent = {send_load(port, name): name for name in [f"gone-{number}" for number in range(WAITING + 1)]}
    # One more than may wait: when it is refused, the server has read all others.
    refused, _, _ = select.select(list(sent), [], [], PATIENCE)
    if len(refused) != 1:
        yield f"{len(refused)} imports are refused of one more than may wait"
    for connection in refused:
        del sent[connection]
    for number, connection in enumerate(sent):
        reset(connection) if number % 2 else connection.close()
    for _ in range(10):
        Question(port, "/report.css").answer()
    with_lock.close()
    deadline = time.monotonic() + PATIENCE
    while lost := missing(sent.values(), port):
        if time.monotonic() > deadline:
            yield f"loads of clients that are gone: {lost}"
            break


def missing(feeds, port):
    """Those of the feeds that the store does not know."""
    _, answer = Question(port, "/api/v1/status").answer()
    return [feed for feed in feeds if f'"{feed}"'.encode() not in answer]


def send_load(port, feed):
    load = f'{{"event":"start","at":"2026-11-20T10:00:00Z","feed":"{feed}","id":"{uuid.uuid4()}"}}\n'
    connection = socket.create_connection(("127.0.0.1", port), PATIENCE)
    connection.sendall(
        f"POST /api/v1/import HTTP/1.1\r\nHost: localhost:{port}\r\nContent-Type: application/x-ndjson\r\n"
        f"Content-Length: {len(load)}\r\nConnection: close\r\n\r\n{load}".encode())
    return connection


if __name__ == "__main__":
    found = list(faults(sys.argv[1], int(sys.argv[2])))
    print("\n".join(found))
    sys.exit(1 if found else 0)
