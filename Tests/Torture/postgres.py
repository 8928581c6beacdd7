"""A PostgreSQL server of an experiment: in a folder of its own, on a free port of loopback."""

import contextlib
import glob
import os
import pathlib
import pwd
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import time

from outcome import Skipped

PATIENCE = 60
PROGRAMS = sorted(glob.glob("/usr/lib/postgresql/*/bin"))


def become_postgres(folder):
    """The words before a command that runs as a user who may run PostgreSQL, which refuses root; it gets the folder."""
    if os.getuid() != 0:
        return []
    user = pwd.getpwnam("postgres")
    os.chown(folder, user.pw_uid, user.pw_gid)
    return ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]


def free_ports(count):
    """Free ports of loopback, below those that the system gives to connections, one of which could take them meanwhile."""
    ports = []
    with contextlib.ExitStack() as sockets:
        while len(ports) < count:
            one, port = sockets.enter_context(socket.socket()), random.randrange(10_000, 32_000)
            with contextlib.suppress(OSError):
                one.bind(("127.0.0.1", port))
                ports.append(port)
    return ports


def ask(programs, url, sql, seconds=PATIENCE):
    """The rows of a query, as lists of texts."""
    # Long statements do not fit into an argument.
    answer = subprocess.run(
        [programs / "psql", "-X", "-q", "-A", "-t", "-F", "\x1f", "-v", "ON_ERROR_STOP=1", "-d", url],
        input=sql, check=True, capture_output=True, text=True, timeout=seconds)
    return [line.split("\x1f") for line in answer.stdout.splitlines()]


class Postgres:
    """A server that is durable, as a real one is."""

    def __init__(self):
        if not PROGRAMS:
            raise Skipped("PostgreSQL is not installed")
        self.programs = pathlib.Path(PROGRAMS[-1])
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="loadlog-torture-postgres-"))
        self.data, self.log = self.folder / "data", self.folder / "log"
        self.prefix = become_postgres(self.folder)
        (self.port,) = free_ports(1)
        subprocess.run(
            [*self.prefix, self.programs / "initdb", "-D", self.data, "-U", "postgres", "-A", "trust", "-E", "UTF8",
             "--locale=C"], check=True, stdout=subprocess.DEVNULL, cwd="/")
        self.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        # One that is killed leaves its shared memory behind.
        self.stop(signal.SIGQUIT)
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self):
        self.process = self._launch()
        deadline = time.monotonic() + PATIENCE
        while subprocess.run(
            [self.programs / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(self.port)]).returncode != 0:
            if time.monotonic() > deadline:
                raise RuntimeError("PostgreSQL does not start")
            time.sleep(0.02)
            # It refuses to start while a connection of a server that was killed has not ended.
            if self.process.poll() is not None:
                self.process = self._launch()

    def _launch(self):
        with open(self.log, "ab") as log:
            return subprocess.Popen(
                [*self.prefix, self.programs / "postgres", "-D", self.data, "-p", str(self.port),
                 "-c", "listen_addresses=127.0.0.1", "-c", f"unix_socket_directories={self.folder}"],
                stdout=subprocess.DEVNULL, stderr=log, cwd="/", start_new_session=True)

    def kill(self):
        """Kills the server and all its processes at once."""
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        # The processes of connections are in sessions of their own, and end when they notice.
        lock = self.data / "postmaster.pid"
        lock.unlink(missing_ok=True)
        time.sleep(0.2)

    def url(self, port=None):
        return f"postgresql://postgres@127.0.0.1:{port or self.port}/postgres?sslmode=disable"

    def psql(self, sql, seconds=PATIENCE):
        """The rows of a query, as lists of texts."""
        return ask(self.programs, self.url(), sql, seconds)

    def backup(self):
        """A copy of all its files, taken while it is stopped."""
        self.stop()
        copy = self.folder / "backup"
        shutil.rmtree(copy, ignore_errors=True)
        subprocess.run([*self.prefix, "cp", "-a", self.data, copy], check=True, cwd="/")
        self.start()

    def restore(self):
        """Puts that copy back."""
        self.stop()
        shutil.rmtree(self.data)
        subprocess.run([*self.prefix, "cp", "-a", self.folder / "backup", self.data], check=True, cwd="/")
        self.start()

    def stop(self, by=signal.SIGINT):
        self.process.send_signal(by)
        self.process.wait(PATIENCE)
