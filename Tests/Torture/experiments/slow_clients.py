"""Holds connections to the server open: slow, endless and malformed requests, readers that stop; others must be answered.

Each attack goes on while another client asks and pings. It must be answered within seconds, the server's memory must not
grow, a client that reads slowly but steadily must get its whole answer, and at the end the server must end in order, although
a client does not read its answer.
"""

import http.server
import json
import re
import resource
import threading
import time
import uuid

from outcome import Outcome
from server import Server

# Seconds in which a client that behaves must be answered, also on a busy machine: most answers take milliseconds.
LIMIT = 3
# Those during attacks that take long even if no client is slow: a kernel whose queue is full asks clients to come
# again after some seconds, and thousands of answers that are not read are made nevertheless. Fewer than those after which the
# server closes a slow connection in any case.
LONG_LIMIT = 8
# Bytes by which the memory may grow: what is kept for answers that are not read.
MEMORY_SLACK = 96 << 20
MANY = 500
# Bytes a second that a steady client reads: an answer takes so long that each time limit for a client passes some times.
RATE = 110_000
# Loads of its answer, which is far longer than what a kernel keeps for a client, and characters of a message.
LOADS, MESSAGE = 3000, 1000
# Seconds until an attack begins at the latest: a kernel whose queue is full has no room for all connections at once.
LONGEST_OPENING = 10


def run(bench):
    outcome = Outcome()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    crowd = min(10_000, hard - 1_000)
    with Server(bench, bench.folder / "loads.db") as server:
        server.ping("pinged?create=1")
        pings, memory = 1, server.memory
        ping = f"/ping/{server.key}/slow?create=1"
        many, unread = f"{crowd:,} connections", "clients that do not read"
        attacks = {
            "malformed heads": Drip(server, MANY, b"malformed\r\n\r\n"),
            "slow heads": Drip(server, MANY, server.head("/")[:-2] + b"X: "),
            "slow bodies": Drip(server, MANY, server.head(ping, "POST", "Content-Length: 100000")),
            "slow bodies with a wrong key": Drip(server, MANY, server.head(f"/ping/{'x' * 32}/f", "POST", "Content-Length: 100000")),
            "slow imports": Drip(server, MANY, server.head("/api/v1/import", "POST", "Content-Type: application/json", "Content-Length: 100000")),
            "bodies of 1 GiB": Flood(server, server.head(ping, "POST", f"Content-Length: {1 << 30}")),
            "endless chunks": Flood(server, server.head(ping, "POST", "Transfer-Encoding: chunked"), b"10000\r\n%s\r\n" % (b"x" * 0x10000)),
            many: Drip(server, crowd, b""),
            unread: Drip(server, 16, server.head("/") * 1000, receives=4096),
            "listeners that do not read": Drip(server, 64, server.head("/events"), receives=4096),
        }
        for name, attack in attacks.items():
            limit = LONG_LIMIT if name in (many, unread) else LIMIT
            with attack:
                slowest, answered = watched(server, outcome, name, limit, bench.times(6, 60))
            pings += answered
            slowest_after, answered = watched(server, outcome, f"after {name}", limit, 0)
            pings += answered
            bench.say(f"{name}: answers within {slowest:.2f} s, afterwards {slowest_after:.2f} s; {server.memory / 1048576:.1f} MB")
        if server.memory > memory + MEMORY_SLACK:
            outcome.fail(f"memory went from {memory:,} to {server.memory:,} bytes")
        missing, seconds = read_steadily(server)
        outcome.tried += 1
        outcome.survived += not missing
        if missing:
            outcome.fail(f"a client that reads {RATE:,} bytes a second misses {missing:,} of its answer after {seconds:.1f} s")
        found = len(bench.ask(server.store, "history", "pinged", "--limit", "all")["loads"])
        outcome.lost = max(0, pings - found)
        with Drip(server, 3, server.head("/") * 1000, receives=4096), Drip(server, 3, server.head("/events")):
            time.sleep(1)
            if (code := server.end()) != 0:
                outcome.fail(f"with a client that does not read, the server ended with {code}")
    outcome.control = control()
    outcome.is_void = not outcome.control
    return outcome


def watched(server, outcome, name, limit, seconds):
    """Asks and pings for some seconds, at least once; each answer must come within the limit.

    Returns: the slowest answer, and the number of answered pings.
    """
    slowest = answered = 0
    ping = f"/ping/{server.key}/pinged"
    end = time.monotonic() + seconds
    while True:
        for door in ("/healthz", "/", ping):
            begun = time.monotonic()
            status = server.ask(door)[0]
            took = time.monotonic() - begun
            slowest = max(slowest, took)
            outcome.tried += 1
            outcome.survived += (is_good := status == 200 and took < limit)
            if not is_good:
                outcome.fail(f"{name}: status {status} after {took:.1f} s")
            answered += door == ping and status == 200
        if time.monotonic() >= end:
            return slowest, answered
        time.sleep(0.1)


def read_steadily(server):
    """Reads a long answer slowly. Returns: the number of bytes that are missing, and the seconds that it took."""
    load = {"event": "start", "at": "2026-11-20T10:00:00Z", "feed": "long", "message": "x" * MESSAGE}
    body = "".join(json.dumps({**load, "id": str(uuid.uuid4())}) + "\n" for _ in range(LOADS)).encode()
    status, answer = server.ask("/api/v1/import", "POST", "Content-Type: application/x-ndjson", body=body)
    if status != 200:
        raise RuntimeError(f"the import is answered with {answer}")
    begun = time.monotonic()
    with server.connected() as connection:
        connection.sendall(server.head(f"/api/v1/history?feed=long&limit={LOADS}"))
        answer = connection.recv(1 << 16)
        head, _, _ = answer.partition(b"\r\n\r\n")
        missing = len(head) + 4 + int(re.search(rb"content-length: (\d+)", head.lower()).group(1)) - len(answer)
        while missing and (piece := connection.recv(RATE // 10)):
            missing -= len(piece)
            time.sleep(len(piece) / RATE)
    return missing, time.monotonic() - begun


class Drip:
    """Many connections that send a beginning and then a byte each second, and never read. One that is closed is opened
    again."""

    def __init__(self, server, count, beginning, receives=None):
        self.server, self.count, self.beginning, self.receives = server, count, beginning, receives
        self.is_full, self.is_over = threading.Event(), threading.Event()
        self.thread = threading.Thread(target=self.drip)

    def __enter__(self):
        self.thread.start()
        self.is_full.wait(LONGEST_OPENING)
        return self

    def __exit__(self, *_):
        self.is_over.set()
        self.thread.join()

    def drip(self):
        connections = []
        while not self.is_over.wait(1 if len(connections) >= self.count else 0):
            kept = [each for each in connections if self.sends(each, b"x" if self.beginning else b"")]
            opened = [self.opened() for _ in range(min(self.count - len(kept), 100))]
            connections = kept + [each for each in opened if each]
            if len(connections) >= self.count:
                self.is_full.set()
        for each in connections:
            each.close()

    def opened(self):
        """A new connection; None if there is no room for it at once."""
        try:
            connection = self.server.connected(self.receives, seconds=0.2)
            connection.setblocking(False)
        except OSError:
            return None
        return connection if self.sends(connection, self.beginning) else None

    def sends(self, connection, data):
        try:
            connection.send(data)
        except BlockingIOError:
            pass
        except OSError:
            connection.close()
            return False
        return True


class Flood:
    """Some connections that send as much as the server takes."""

    def __init__(self, server, beginning, piece=b"x" * 0x10000):
        self.server, self.beginning, self.piece = server, beginning, piece
        self.is_over = threading.Event()
        self.threads = [threading.Thread(target=self.flood) for _ in range(4)]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.is_over.set()
        for thread in self.threads:
            thread.join()

    def flood(self):
        while not self.is_over.is_set():
            try:
                with self.server.connected(seconds=1) as connection:
                    connection.sendall(self.beginning)
                    while not self.is_over.is_set():
                        connection.sendall(self.piece)
            except OSError:
                pass


def control():
    """A server that serves one client after the other lets one slow client keep others out."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def log_message(self, *_):
            pass

    served = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    served.handle_error = lambda *_: None
    thread = threading.Thread(target=served.serve_forever, daemon=True)
    thread.start()
    naive = object.__new__(Server)
    naive.port = served.server_address[1]
    with Drip(naive, 1, b"GET"):
        status, _ = naive.ask("/healthz", seconds=LIMIT)
    served.shutdown()
    served.server_close()
    return "" if status else "one slow client keeps others out of a simple server"
