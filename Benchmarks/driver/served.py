"""Servers in processes of their own, and wrk, which sends them pings."""

import http.client
import re
import signal
import subprocess
import time

from tools import BENCHMARKS, Tools

from postgres import free_ports

PATIENCE = 30
CONNECTIONS = 64


class Served:
    """A server at a free port of this machine, until the end of its `with` block. `{port}` in its command is the port."""

    def __init__(self, *command, path="/ping/key/first", folder=None):
        (self.port,) = free_ports(1)
        command = [str(part).replace("{port}", str(self.port)) for part in command]
        began = time.perf_counter()
        self.process = subprocess.Popen(
            command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not self._answers(path):
            if self.process.poll() is not None or time.perf_counter() - began > PATIENCE:
                self.end()
                raise RuntimeError(f"the server does not start: {' '.join(command)}")
            time.sleep(0.0005)
        self.start = time.perf_counter() - began  # seconds until it has answered

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def _answers(self, path):
        try:
            self.get(path)
        except OSError:
            return False
        return True

    def get(self, path):
        """The body of an answer. Throws OSError if there is none, or if it is a failure."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            if answer.status >= 400:
                raise OSError(f"{path} is answered with {answer.status}")
            return answer.read()
        finally:
            connection.close()

    @property
    def memory(self):
        """The greatest amount of memory that was resident, in bytes."""
        with open(f"/proc/{self.process.pid}/status", encoding="utf-8") as status:
            return int(re.search(r"VmHWM:\s+(\d+)", status.read()).group(1)) * 1024

    def pings(self, prefix, seconds, what="plain"):
        """Lets wrk send pings over connections that stay open. Returns: its figures, as Tools/pings.lua prints them."""
        return Tools.json(
            "wrk", "--threads", 1, "--connections", CONNECTIONS, "--duration", f"{max(1, round(seconds))}s",
            "--script", BENCHMARKS / "Tools/pings.lua", f"http://127.0.0.1:{self.port}", prefix, what)


def loadlog(tools, store):
    """LoadLog's server of a store, which must exist."""
    return Served(tools.loadlog_net, "serve", "--listen", "127.0.0.1:{port}", "--db", store, path="/healthz")


def ping_prefix(store):
    """The path of pings at LoadLog's server."""
    lines = store.with_name(store.name + "-ping-keys").read_text(encoding="utf-8").splitlines()
    return "/ping/" + next(line for line in lines if line and line[0] != "#")
