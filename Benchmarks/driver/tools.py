"""Finds, compiles and installs the programs that are measured, and runs them."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BENCHMARKS = ROOT / "Benchmarks"
PEERS = BENCHMARKS / "Peers"
DATA = ROOT / ".build-bench-data"
VENV = ROOT / ".build-bench-venv"
# Modules of the experiments that the driver uses, too. After its own, some of which have the same names.
sys.path.insert(1, str(ROOT / "Tests/Torture"))
PACKAGES = ["duckdb", "sqlite-utils", "flask", "gunicorn"]


def say(text):
    print(f"==> {text}", file=sys.stderr, flush=True)


class Tools:
    """The programs. `folder` holds the release builds of the Swift programs, made by ./dev, and `server_folder` those of the
    server, its peer and its rounds, of which a quick run has only the first."""

    def __init__(self, folder, server_folder, may_install):
        self.loadlog, self.measure, self.make_store, self.grdb_writer, self.empty = (
            Path(folder) / name for name in ("loadlog", "measure", "make-store", "grdb-writer", "empty"))
        self.loadlog_net, *others = (Path(server_folder) / name for name in ("loadlog-net", "constant", "rounds"))
        self.constant, self.rounds = (program if program.exists() else None for program in others)
        own = DATA / "tools"
        own.mkdir(parents=True, exist_ok=True)
        self.timed = self._compile(BENCHMARKS / "Tools/timed.c", own / "timed")
        self.allocations = self._compile(
            BENCHMARKS / "Tools/allocations.c", own / "allocations.so", "-shared", "-fPIC")
        self.writer = self._compile(PEERS / "writer.c", own / "writer", "-lsqlite3")
        self.python = VENV / "bin/python"
        self.has_packages = self._has_packages() or (may_install and self._install_packages())

    @staticmethod
    def _compile(source, target, *flags):
        subprocess.run(["cc", "-O2", "-Wall", "-Wextra", "-o", target, source, *flags], check=True)
        return target

    def _has_packages(self):
        if not self.python.exists():
            return False
        modules = "import " + ", ".join(name.replace("-", "_") for name in PACKAGES)
        return subprocess.run([self.python, "-c", modules], stderr=subprocess.DEVNULL, check=False).returncode == 0

    def _install_packages(self):
        """Installs the peers from PyPI; returns false if there is no network."""
        say(f"installing {', '.join(PACKAGES)} into {VENV.name}")
        commands = [
            [sys.executable, "-m", "venv", VENV],
            [self.python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *PACKAGES]]
        return all(subprocess.run(command, check=False).returncode == 0 for command in commands)

    @staticmethod
    def json(*command, environment=None):
        """Runs a program whose last line is JSON, and returns that line decoded."""
        done = subprocess.run(
            [str(part) for part in command], stdout=subprocess.PIPE, check=True,
            env={**os.environ, **(environment or {})})
        return json.loads(done.stdout.splitlines()[-1])

    @staticmethod
    def begin(*command):
        """Starts a program that prints one line of JSON when it ends, without waiting for it."""
        return subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE)

    @staticmethod
    def json_results(running):
        """Waits for programs that `begin` started, and returns what they printed."""
        outputs = [process.communicate()[0] for process in running]
        for process in running:
            if process.returncode:
                raise subprocess.CalledProcessError(process.returncode, process.args)
        return [json.loads(output) for output in outputs]

    def json_together(self, commands):
        """Runs several programs at once, as `json` does."""
        return self.json_results([self.begin(*command) for command in commands])

    def run(self, *command, codes=(0,), stdin=None, environment=None):
        """Runs a whole process and measures its wall time and its memory."""
        read, write = os.pipe()
        command = [self.timed, *command]
        with tempfile.TemporaryFile() as output:
            done = subprocess.run(
                ["sh", "-c", f'exec 3>&{write}; exec "$@"', "sh", *(str(part) for part in command)],
                stdin=stdin or subprocess.DEVNULL, stdout=output, pass_fds=[write], check=False,
                env={**os.environ, **(environment or {})})
            os.close(write)
            with os.fdopen(read) as figures:
                nanoseconds, kilobytes = figures.read().split()
            output.seek(0)
            if done.returncode not in codes:
                raise subprocess.CalledProcessError(done.returncode, command)
            return Run(output.read(), int(nanoseconds) / 1e9, int(kilobytes) * 1024)


class Run:
    """Output of a whole process, its wall time in seconds and its peak resident set size in bytes."""

    def __init__(self, output, seconds, memory):
        self.output, self.seconds, self.memory = output, seconds, memory


class Folder:
    """A new folder for one store, on the disk that is measured. Deleted at the end of its `with` block."""

    def __enter__(self):
        DATA.mkdir(exist_ok=True)
        self.path = Path(tempfile.mkdtemp(prefix="run-", dir=DATA))
        return self.path

    def __exit__(self, *_):
        shutil.rmtree(self.path, ignore_errors=True)
