"""A server under test beside a store, and plain sockets to it, which may say what no client would."""

import os
import re
import signal
import socket
import subprocess
import time

from outcome import Skipped

PATIENCE = 60


class Server:
    """`loadlog-net serve`. Its store has one load of the feed `seed`."""

    def __init__(self, bench, store):
        self.program = os.environ.get("LOADLOG_NET")
        if not self.program:
            raise Skipped("LOADLOG_NET names no server")
        self.bench, self.store = bench, store
        subprocess.run([bench.loadlog, "run", "seed", "--db", store, "--", "true"], check=True)
        self.errors = store.with_name("server.err")
        self.start()

    def start(self):
        with open(self.errors, "wb") as errors:
            self.process = subprocess.Popen(
                [self.program, "serve", "--listen", "127.0.0.1:0", "--db", self.store], stderr=errors)
        deadline = time.monotonic() + PATIENCE
        while not (said := re.search(r":(\d+)/\n.*with a key from \"(.*)\"", text := self.errors.read_text())):
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"the server does not start: {text}")
            time.sleep(0.01)
        self.port = int(said.group(1))
        with open(said.group(2), encoding="utf-8") as keys:
            self.key = [key for key in keys.read().split("\n") if key and key[0] != "#"][0]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()

    def kill(self):
        self.process.kill()
        self.process.wait()

    @property
    def memory(self):
        """Private memory in bytes."""
        with open(f"/proc/{self.process.pid}/status") as status:
            return int(re.search(r"RssAnon:\s+(\d+)", status.read()).group(1)) * 1024

    def end(self):
        """Ends it by SIGTERM. Returns: its exit code, or None if it does not end."""
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            return None

    def head(self, target, method="GET", *fields, host=None):
        """The head of a request, in bytes."""
        lines = [f"{method} {target} HTTP/1.1", f"Host: {host or f'127.0.0.1:{self.port}'}", *fields]
        return b"".join(line.encode("utf-8", "surrogateescape") + b"\r\n" for line in lines) + b"\r\n"

    def connected(self, receives=None, seconds=PATIENCE):
        """A connection; with a small buffer for what it receives, if its size is given."""
        connection = socket.socket()
        connection.settimeout(seconds)
        if receives:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receives)
        try:
            connection.connect(("127.0.0.1", self.port))
        except OSError:
            connection.close()
            raise
        return connection

    def send(self, data, seconds=10, is_all=True):
        """All that the server answers to some bytes, until it closes or says nothing for some seconds.

        If they are all, it learns that no more come, and takes the client for gone if the answer takes long.
        """
        answer = b""
        try:
            with self.connected(seconds=seconds) as connection:
                connection.sendall(data)
                if is_all:
                    connection.shutdown(socket.SHUT_WR)
                while piece := connection.recv(1 << 16):
                    answer += piece
        except OSError:
            pass
        return answer

    def ask(self, target, method="GET", *fields, body=b"", host=None, seconds=PATIENCE):
        """The status and the whole answer of one request; the status is 0 without an answer."""
        fields = ("Connection: close", *fields, *([f"Content-Length: {len(body)}"] if body else ()))
        answer = self.send(self.head(target, method, *fields, host=host) + body, seconds, is_all=False)
        return (statuses(answer) or [0])[0], answer

    def ping(self, place, body=b"", *fields, seconds=PATIENCE):
        """The status and the answer of a ping."""
        return self.ask(f"/ping/{self.key}/{place}", "POST" if body else "GET", *fields, body=body, seconds=seconds)


def statuses(answer):
    """The status of each response in an answer."""
    return [int(code) for code in re.findall(rb"(?:^|\r\n\r\n|\n|[^\r\n])HTTP/1\.1 (\d{3}) ", answer)]
