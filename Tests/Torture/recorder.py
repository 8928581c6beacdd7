"""Programs that record, with and without a shim between them and the system."""

import mmap
import os
import struct
import subprocess
import threading
import time

from testimony import Testimony


class Meddling:
    """Controls `shims/meddle.c`: which calls of which kinds fail or kill the program."""

    WRITE, SYNC, CUT, NAME = 1, 2, 4, 8
    EVERY = 15
    FOREVER = 2**64 - 1
    LAYOUT = "<QQQQIi"

    def __init__(self, bench, store, name="control"):
        self.path = store.parent / name
        self.path.write_bytes(bytes(struct.calcsize(self.LAYOUT)))
        with open(self.path, "r+b") as file:
            self.memory = mmap.mmap(file.fileno(), 0)
        self.environment = {
            "LD_PRELOAD": bench.compiled("meddle.c", "-shared", "-fPIC"),
            "LOADLOG_TORTURE_STORE": str(store),
            "LOADLOG_TORTURE_CONTROL": str(self.path),
        }

    def plan(self, kinds, first=0, last=0, error=0):
        """Lets the calls `first` to `last` of the kinds fail, or without an error kill the program; 0 only counts."""
        struct.pack_into(self.LAYOUT, self.memory, 0, 0, first or self.FOREVER, last, 0, kinds, error)

    def clear(self):
        """Lets all calls succeed again."""
        struct.pack_into("<Q", self.memory, 16, 0)

    @property
    def calls(self):
        return struct.unpack_from("<Q", self.memory, 0)[0]

    @property
    def hits(self):
        return struct.unpack_from("<Q", self.memory, 24)[0]


class Recorder:
    """The fixture that records on command and prints what was acknowledged."""

    """Seconds after which the program counts as hanging: no command takes that long."""
    LONGEST = 900

    def __init__(self, bench, store, *arguments, environment=None):
        self.process = subprocess.Popen(
            [bench.program("LoadLogTortureFixture"), str(store), *arguments],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env={**os.environ, **(environment or {})},
        )
        bench.recorders.append(self.process)
        self.output = bytearray()
        self.errors = b""
        self.changed = threading.Condition()
        self.readers = [threading.Thread(target=self._read), threading.Thread(target=self._read_errors)]
        for reader in self.readers:
            reader.start()

    def _read(self):
        while piece := self.process.stdout.read1():
            with self.changed:
                self.output += piece
                self.changed.notify_all()
        with self.changed:
            self.changed.notify_all()

    def _read_errors(self):
        self.errors = self.process.stderr.read()

    def tell(self, *commands):
        """Sends commands; ignores a program that is dead."""
        try:
            self.process.stdin.write("".join(command + "\n" for command in commands).encode())
            self.process.stdin.flush()
        except BrokenPipeError:
            pass

    def await_lines(self, count):
        """Waits until the program has printed `count` lines, or is dead."""
        self._await(lambda: self.output.count(b"\n") >= count)

    def await_line(self, line):
        """Waits until the program has printed this line, or is dead."""
        wanted = line.encode() + b"\n"
        self._await(lambda: self.output.startswith(wanted) or b"\n" + wanted in self.output)

    def _await(self, condition):
        end = time.monotonic() + self.LONGEST
        with self.changed:
            while not condition() and self.readers[0].is_alive():
                self.changed.wait(timeout=1)
                if time.monotonic() > end:
                    self.process.kill()
                    raise RuntimeError(f"it hangs after {self.output[-300:].decode(errors='replace')!r}")

    def flush_after_trouble(self):
        """Flushes after the fault is over: a try that started before may still fail, the next one must succeed.

        Returns: whether the flush succeeded.
        """
        for number in range(2):
            before = len(self.testimony.refusals)
            self.tell("flush", f"say flush-{number}")
            self.await_line(f"said flush-{number}")
            if len(self.testimony.refusals) == before:
                return True
        return False

    def finish(self):
        """Closes the program's input and waits for its end.

        Returns: its exit code; negative if a signal ended it.
        """
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        return self.wait()

    def wait(self):
        code = self.process.wait(timeout=300)
        for reader in self.readers:
            reader.join()
        self.process.stdout.close()
        self.process.stderr.close()
        return code

    def kill(self):
        self.process.kill()
        return self.finish()

    @property
    def testimony(self):
        return Testimony.of(self.output.decode())
