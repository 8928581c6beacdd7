"""Programs that record while an experiment disturbs them or their store, and the contents of the store afterwards."""

import os
import signal
import sqlite3
import subprocess
import time


class Hang(Exception):
    """An expected output did not arrive in time."""


class Host:
    """A program that prints one line per acknowledgement, at once, and obeys commands on its input."""

    def __init__(self, bench, name, command, env=None):
        self.name = name
        self.path = bench.folder / f"{name}.out"
        with open(self.path, "wb") as output, open(bench.folder / f"{name}.err", "wb") as errors:
            self.process = subprocess.Popen(
                [str(word) for word in command], stdin=subprocess.PIPE, stdout=output, stderr=errors,
                env={**os.environ, **(env or {})}, start_new_session=True,
            )
        self.pid = self.process.pid

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()

    def tell(self, line):
        try:
            self.process.stdin.write(line.encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise Hang(f"{self.name} has ended before the command {line!r}") from None

    def lines(self, word):
        """The rest of each line that starts with the word; ignores a last line that a kill has cut."""
        start = word + " "
        whole = self.path.read_bytes().decode(errors="replace").split("\n")[:-1]
        return [line[len(start):] for line in whole if line.startswith(start)]

    def count(self, word):
        return len(self.lines(word))

    @property
    def refusals(self):
        """The code and the waited milliseconds of each refusal."""
        return [(code, float(waited)) for code, waited in (line.split(" ") for line in self.lines("refused"))]

    def awaited(self, word, count=1, seconds=60):
        """Waits for the first `count` lines that begin with a word.

        Raises Hang if the program ends before, or after `seconds`.
        """
        end = time.monotonic() + seconds
        while len(lines := self.lines(word)) < count:
            if time.monotonic() > end:
                raise Hang(f"{self.name}: {len(lines)} of {count} lines {word!r} in {seconds} s")
            if self.process.poll() is not None and len(lines := self.lines(word)) < count:
                raise Hang(f"{self.name} has ended with {len(lines)} of {count} lines {word!r}")
            time.sleep(0.01)
        return lines[:count]

    def end(self, seconds=60):
        """Closes the program's input and waits for its end."""
        self.process.stdin.close()
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise Hang(f"{self.name} does not end in {seconds} s") from None

    def kill(self):
        """Kills the program and its forked children."""
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()


class Record:
    """The contents of a store, read with SQLite alone."""

    def __init__(self, store, query="SELECT id, state FROM session_history"):
        connection = sqlite3.connect(f"file:{store}?mode=ro", uri=True, timeout=30)
        try:
            self.faults = [row[0] for row in connection.execute("PRAGMA integrity_check") if row[0] != "ok"]
            self.states = dict(connection.execute(query))
        except sqlite3.DatabaseError as error:
            self.faults = [str(error)]
            self.states = {}
        finally:
            connection.close()

    def lost(self, hosts):
        """The acknowledged loads of the hosts that are missing in the store."""
        started = {id for host in hosts for id in host.lines("started")}
        finished = {id for host in hosts for id in host.lines("finished")}
        unfinished = {id for id in finished & self.states.keys() if self.states[id] != "succeeded"}
        return (started | finished) - self.states.keys() | unfinished
