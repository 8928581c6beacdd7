"""Ends a server by SIGTERM while clients read long answers, and exits 1 with what they miss.

    ended_server.py PORT PID

The server must be one that takes imports. Some of the clients send no more after their request.
"""

import json
import os
import re
import signal
import socket
import sys
import uuid
from concurrent.futures import ThreadPoolExecutor

# Loads whose answer is longer than what the kernel keeps for a client that does not read, in characters of a message.
LOADS, MESSAGE = 3000, 1000
CLIENTS = 4
# Seconds for an answer.
PATIENCE = 60


def connected(port):
    return socket.create_connection(("127.0.0.1", port), PATIENCE)


def record(port):
    """Imports the loads. Returns: the status."""
    load = {"event": "start", "at": "2026-11-20T10:00:00Z", "feed": "long", "message": "x" * MESSAGE}
    body = "".join(json.dumps({**load, "id": str(uuid.uuid4())}) + "\n" for _ in range(LOADS)).encode()
    head = (
        f"POST /api/v1/import HTTP/1.1\r\nHost: localhost:{port}\r\nContent-Type: application/x-ndjson\r\n"
        f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n")
    with connected(port) as connection:
        connection.sendall(head.encode() + body)
        return int(connection.recv(1 << 16).split()[1])


class Reader:
    """A client that has read the start of a long answer."""

    def __init__(self, port, sends_more):
        self.connection = connected(port)
        self.connection.sendall(
            f"GET /api/v1/history?feed=long&limit={LOADS} HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n".encode())
        if not sends_more:
            self.connection.shutdown(socket.SHUT_WR)
        self.read = self.connection.recv(1 << 16)

    def missing(self):
        """Reads the rest, as fast as it comes. Returns: the number of bytes that never come."""
        head, _, _ = self.read.partition(b"\r\n\r\n")
        length = len(head) + 4 + int(re.search(rb"content-length: (\d+)", head.lower()).group(1))
        count = len(self.read)
        with self.connection:
            while piece := self.connection.recv(1 << 16):
                count += len(piece)
        return length - count


def faults(port, server):
    if (status := record(port)) != 200:
        yield f"the import is answered with {status}"
    readers = [Reader(port, number % 2 == 0) for number in range(CLIENTS)]
    os.kill(server, signal.SIGTERM)
    # All at the same time: one that waited for others before it reads on would be cut off after 10 s.
    with ThreadPoolExecutor(CLIENTS) as lanes:
        for number, missing in enumerate(lanes.map(Reader.missing, readers)):
            if missing:
                yield f"client {number} misses {missing:,} bytes"


if __name__ == "__main__":
    found = list(faults(int(sys.argv[1]), int(sys.argv[2])))
    print("\n".join(found))
    sys.exit(1 if found else 0)
