"""The environment of experiments: programs, a temporary folder, shims, a random generator."""

import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import threading

import faketime

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parent.parent
SECONDS = "LOADLOG_TORTURE_SECONDS"
BUILT = ROOT / ".build-torture"
_compiling = threading.Lock()


def duration(bench, short, long):
    """Seconds for which an experiment runs; None if it does not run in this form. The environment may override it."""
    given = os.environ.get(SECONDS)
    return float(given) if given else bench.times(short, long)


class Refused(Exception):
    """LoadLog did not answer with exit code 0."""


class Bench:
    """What one experiment works with. At the end its recorders are killed, and its folder is removed, as is what libfaketime
    shared; what is kept of failures stays, until it is made again."""

    def __init__(self, programs, name, seed, is_long):
        self.programs = pathlib.Path(programs)
        self.name = name
        self.is_long = is_long
        self.seed = seed
        self.random = random.Random(f"{name} {seed}")
        self.kept = BUILT / "failed" / name
        self.recorders = []

    def __enter__(self):
        shutil.rmtree(self.kept, ignore_errors=True)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix=f"loadlog-torture-{self.name}-"))
        return self

    def __exit__(self, *_):
        for process in self.recorders:
            process.kill()
        faketime.remove_shared()
        shutil.rmtree(self.folder, ignore_errors=True)

    def say(self, line):
        print(f"{self.name}: {line}", file=sys.stderr, flush=True)

    def keep(self, folder, name=None):
        """Keeps what a failure happened in, by the folder's name or another, and says where.

        Returns: where.
        """
        kept = self.kept / (name or folder.name)
        shutil.copytree(folder, kept, dirs_exist_ok=True, ignore_dangling_symlinks=True)
        self.say(f"kept in {kept}")
        return kept

    def times(self, short, long):
        """The number of tries, in the short form and in the long one."""
        return long if self.is_long else short

    def program(self, name):
        """The path of a program that Swift built."""
        return str(self.programs / name)

    @property
    def loadlog(self):
        return self.program("loadlog")

    def ask(self, store, *arguments):
        """The decoded answer of `loadlog … --json`.

        Raises: `Refused` on anything but exit 0.
        """
        answer = subprocess.run(
            [self.loadlog, *arguments, "--db", str(store), "--json"], capture_output=True, timeout=120
        )
        if answer.returncode != 0:
            raise Refused(f"{' '.join(arguments)}: {answer.returncode} {answer.stderr.decode(errors='replace').strip()}")
        return json.loads(answer.stdout)

    def compiled(self, source, *flags):
        """A program or, with `-shared`, a library of `shims/`, made by the C compiler if it is older than the texts."""
        text = HERE / "shims" / source
        target = BUILT / (text.stem + (".so" if "-shared" in flags else ""))
        newest = max(file.stat().st_mtime for file in text.parent.iterdir())
        libraries = [flag for flag in flags if flag.startswith("-l")]
        options = ["-O1", "-Wall", "-Wextra", "-Werror", *(flag for flag in flags if flag not in libraries)]
        with _compiling:
            if not target.exists() or target.stat().st_mtime < newest:
                BUILT.mkdir(exist_ok=True)
                # Compile to another name first: programs may be loading the existing file.
                draft = target.with_suffix(f".{os.getpid()}")
                subprocess.run(["cc", *options, "-o", str(draft), str(text), *libraries, "-ldl"], check=True)
                draft.rename(target)
        return str(target)
