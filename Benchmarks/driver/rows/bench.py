"""What all rows share: the programs, the stores, how much work, and contestants that many rows use."""

import os
import time
from dataclasses import dataclass
from statistics import median

from stores import Stores
from tools import PEERS, Folder, Tools

SCHEMA = PEERS / "schema.sql"
FEED = "feeds/7"
DISK = "the disk: 4 kB made durable"


@dataclass(frozen=True)
class Sizes:
    """How much work. Seconds are lengths of runs; the other numbers are loads unless a comment says otherwise."""

    seconds: float
    watched_seconds: float
    status: tuple
    imported: int
    large_import: int  # bytes
    feeds: int  # number of feeds in the stores of many feeds
    feed_loads: tuple
    run_loads: int
    hosts: int  # number of hosts of a fleet
    rounds: int  # number of rounds of one host
    turns: int


LONG = Sizes(
    2, 30, (10_000, 1_000_000, 10_000_000), 1_000_000, 1_000_000_000, 10_000, (30_000, 600_000), 600_000, 1_000, 500, 5)
QUICK = Sizes(0.1, 2, (100, 1_000, 10_000), 1_000, 1_000_000, 100, (300, 6_000), 6_000, 20, 5, 1)


@dataclass(frozen=True)
class Bench:
    tools: Tools
    stores: Stores
    sizes: Sizes

    def loadlog(self, name, store, *arguments, codes=(0,)):
        """A contestant: the command line as a whole process, in seconds."""
        return lambda: {
            name: self.tools.run(self.tools.loadlog, *arguments, "--db", store, codes=codes).seconds}

    def shell(self, name, store, query):
        """A contestant: the sqlite3 shell as a whole process, in seconds."""
        return lambda: {name: self.tools.run("sqlite3", "-readonly", store, query).seconds}

    @staticmethod
    def disk():
        """How long the disk takes for one durable write. Measured in the same turn, because it bounds many figures."""
        seconds = []
        with Folder() as folder, open(folder / "file", "wb", buffering=0) as file:
            for _ in range(100):
                os.pwrite(file.fileno(), bytes(4096), 0)
                began = time.perf_counter()
                os.fdatasync(file.fileno())
                seconds.append(time.perf_counter() - began)
        return {DISK: median(seconds)}


def sql_text(path):
    """A query as an argument of the sqlite3 shell. Without the line break, the shell would take a leading comment for
    an option."""
    return "\n" + path.read_text(encoding="utf-8")
