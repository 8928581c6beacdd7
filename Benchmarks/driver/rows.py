"""The rows of the table: what is measured, against whom, and how far it shall reach."""

import os
import subprocess
import time
from dataclasses import dataclass
from datetime import datetime, timezone
from statistics import median

from measuring import Reach, Row
from stores import Stores
from tools import PEERS, Folder, Tools

SCHEMA = PEERS / "schema.sql"
FEED = "feeds/7"
DISK = "the disk: 4 kB made durable"


@dataclass(frozen=True)
class Sizes:
    """How much work; rates are of so many seconds, stores of so many loads."""

    seconds: float
    status: tuple
    imported: int
    large_import: int  # bytes
    turns: int


LONG = Sizes(2, (10_000, 1_000_000, 10_000_000), 1_000_000, 1_000_000_000, 5)
QUICK = Sizes(0.1, (100, 1_000, 10_000), 1_000, 1_000_000, 1)


def sql_text(path):
    """As an argument of the sqlite3 shell, which would take a leading comment for an option."""
    return "\n" + path.read_text(encoding="utf-8")


class Rows:
    def __init__(self, tools: Tools, stores: Stores, sizes: Sizes):
        self.tools, self.stores, self.sizes = tools, stores, sizes

    def all(self):
        return {
            1: self.one_caller, 2: self.many_callers, 3: self.many_processes, 4: self.counting,
            5: self.empty_loading, 6: self.status, 7: self.questions, 8: self.start_and_finish,
            9: self.import_lines, 10: self.bytes_on_disk, 11: self.memory}

    # Rates

    def _measure(self, name, *arguments):
        """LoadLog in a process of its own over a new store: pairs a second."""
        def run():
            with Folder() as folder:
                what, *rest = arguments
                result = self.tools.json(
                    self.tools.measure, what, folder / "loadlog.db", self.sizes.seconds, *rest)
                return {name: result["pairs"] / result["seconds"]}
        return run

    def _peer(self, name, *program, rest=(), but=""):
        def run():
            with Folder() as folder:
                schema = folder / "schema.sql"
                schema.write_text(SCHEMA.read_text(encoding="utf-8") + but, encoding="utf-8")
                result = self.tools.json(*program, folder / "peer.db", schema, self.sizes.seconds, *rest)
                return {name: result["pairs"] / result["seconds"]}
        return run

    def _c(self, name, events=1, but=""):
        return self._peer(name, self.tools.writer, rest=(events,), but=but)

    def _c_unindexed(self, name, events=1):
        """LoadLog fills the index of starts later, C never; for comparison, without a mark."""
        return self._c(f"{name}, without the index of starts", events, "DROP INDEX session_by_start;")

    def _grdb(self, name, callers, face, synchronous="FULL"):
        return self._peer(name, self.tools.grdb_writer, rest=(callers, face, synchronous))

    @staticmethod
    def _disk():
        """How long the disk takes for one durable write, in the same turn: half of the figures are ratios of that."""
        seconds = []
        with Folder() as folder, open(folder / "file", "wb", buffering=0) as file:
            for _ in range(100):
                os.pwrite(file.fileno(), bytes(4096), 0)
                began = time.perf_counter()
                os.fdatasync(file.fileno())
                seconds.append(time.perf_counter() - began)
        return {DISK: median(seconds)}

    def one_caller(self):
        return Row(
            1, "durable start + finish pairs a second, one caller at a time", "/s",
            [
                self._disk,
                self._measure("LoadLog async", "recording", 1, "async"),
                self._measure("LoadLog sync", "recording", 1, "sync"),
                self._c("C"),
                self._c_unindexed("C"),
                self._grdb("GRDB", 1, "sync"),
                self._peer("Python", self.tools.python if self.tools.has_packages else "python3",
                           PEERS / "writer.py"),
            ],
            [Reach("LoadLog async", "C", "≥", 0.75), Reach("LoadLog sync", "C", "≥", 0.9)], units={DISK: "s"})

    def many_callers(self):
        contestants, reaches = [self._disk], []
        for callers, times in ((64, 10), (512, 20)):
            loadlog, grdb, limit = (
                f"LoadLog {callers}", f"GRDB {callers}", f"C, {callers} events a transaction")
            contestants += [
                self._measure(loadlog, "recording", callers, "async"),
                self._grdb(grdb, callers, "async"), self._c(limit, callers),
                self._c_unindexed(limit, callers)]
            reaches += [Reach(loadlog, grdb, "≥", times), Reach(loadlog, limit, "≥", 0.7)]
        return Row(
            2, "the same by 64 and 512 concurrent tasks, 100 feeds", "/s", contestants, reaches, units={DISK: "s"})

    def many_processes(self):
        def loadlog():
            with Folder() as folder:
                results = self.tools.json_together([
                    [self.tools.measure, "recording", folder / "loadlog.db", self.sizes.seconds, 64, "async"]
                ] * 4)
                return {
                    "LoadLog": sum(result["pairs"] / result["seconds"] for result in results),
                    "slowest 1 % of LoadLog's calls ÷ their median":
                        max(result["p99"] / result["p50"] for result in results)}

        def c():
            with Folder() as folder:
                results = self.tools.json_together(
                    [[self.tools.writer, folder / "peer.db", SCHEMA, self.sizes.seconds, 1]] * 4)
                return {"C": sum(result["pairs"] / result["seconds"] for result in results)}

        return Row(
            3, "the same by 64 tasks in each of 4 processes on one store", "/s", [self._disk, loadlog, c],
            [
                Reach("LoadLog", "C", "≥", 3),
                Reach("slowest 1 % of LoadLog's calls ÷ their median", None, "≤", 20)],
            units={"slowest 1 % of LoadLog's calls ÷ their median": "", DISK: "s"})

    def counting(self):
        def counting(name, threads):
            def run():
                with Folder() as folder:
                    result = self.tools.json(
                        self.tools.measure, "counting", folder / "loadlog.db", self.sizes.seconds, threads)
                    return {name: result["seconds"] / result["pairs"]}
            return run

        def mutex():
            result = self.tools.json(self.tools.measure, "mutex", self.sizes.seconds / 4)
            return {"mutex": result["seconds"] / result["pairs"]}

        def allocations():
            with Folder() as folder:
                result = self.tools.json(
                    self.tools.measure, "counting", folder / "loadlog.db", self.sizes.seconds, 1,
                    environment={"LD_PRELOAD": str(self.tools.allocations)})
                return {"allocations": result["allocations"] / result["pairs"]}

        return Row(
            4, "`push` + `pop` as the caller sees it, 1 thread and 4", "s",
            [counting("LoadLog, 1 thread", 1), counting("LoadLog, 4 threads", 4), mutex, allocations],
            [
                Reach("LoadLog, 1 thread", "mutex", "≤", 5),
                Reach("allocations", None, "≤", 0, "a pair")],
            units={"allocations": ""})

    def empty_loading(self):
        return Row(
            5, "`loading { }` around an empty body, `durability: .process`", "/s",
            [
                self._measure("LoadLog async", "loading", "async"),
                self._grdb("GRDB async", 1, "async", "NORMAL"),
                self._measure("LoadLog sync", "loading", "sync"),
                self._grdb("GRDB sync", 1, "sync", "NORMAL"),
            ],
            [Reach("LoadLog async", "GRDB async", "≥", 1), Reach("LoadLog sync", "GRDB sync", "≥", 1)])

    # Whole processes

    def _loadlog(self, name, store, *arguments, codes=(0,)):
        return lambda: {
            name: self.tools.run(self.tools.loadlog, *arguments, "--db", store, codes=codes).seconds}

    def _shell(self, name, store, query):
        return lambda: {name: self.tools.run("sqlite3", "-readonly", store, query).seconds}

    def status(self):
        names = [f"LoadLog, {loads:,} loads" for loads in self.sizes.status]
        contestants = [
            self._loadlog(name, self.stores.store(loads), "status")
            for name, loads in zip(names, self.sizes.status)]
        if self.tools.has_packages:
            table = self.stores.duckdb(self.sizes.status[-1])
            contestants.append(lambda: {
                "DuckDB, its query alone": self.tools.json(
                    self.tools.python, PEERS / "status.py", table, 1)[0]})
        return Row(
            6, "`loadlog status` on 10,000 · 1,000,000 · 10,000,000 loads, process start included", "s",
            contestants,
            [
                Reach("DuckDB, its query alone", names[-1], "≥", 50),
                Reach(names[-1], names[0], "≤", 1.3)],
            skipped=[] if self.tools.has_packages else ["DuckDB"])

    def questions(self):
        store = self.stores.store(self.sizes.status[-1])
        newest = int(subprocess.run(
            ["sqlite3", "-readonly", store, "SELECT started_at FROM session ORDER BY seq DESC LIMIT 1"],
            stdout=subprocess.PIPE, check=True).stdout)
        # The last 36 hours of the store, whenever it is asked.
        since = newest // 1_000_000 - 36 * 3600
        moment = datetime.fromtimestamp(since, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        contestants, reaches = [], []
        for name, arguments, query in (
            ("status --since", ("status", "--since", moment), "status-since.sql"),
            ("history --limit 20", ("history", "--limit", "20"), "history.sql"),
            ("last-updated", ("last-updated", FEED), "last-updated.sql"),
            ("unbalanced", ("unbalanced",), "unbalanced.sql"),
        ):
            sql = sql_text(PEERS / "queries" / query)
            contestants += [
                self._loadlog(name, store, *arguments, codes=(0, 1)),
                self._shell(f"sqlite3 {name}", store, sql.replace(":since", f"{since * 1_000_000}"))]
            reaches.append(Reach(name, f"sqlite3 {name}", "≤", 3))
        return Row(
            7, "`status` of 36 hours, `history --limit 20`, `last-updated`, `unbalanced` on 10,000,000 loads",
            "s", contestants, reaches)

    def start_and_finish(self):
        times = 20

        def loadlog():
            with Folder() as folder:
                store, seconds = folder / "loadlog.db", 0
                for turn in range(times + 1):
                    start = self.tools.run(
                        self.tools.loadlog, "start", FEED, "-m", "Loading…", "--call-site", "bench:1",
                        "--db", store)
                    finish = self.tools.run(
                        self.tools.loadlog, "finish", start.output.decode().strip(), "--db", store)
                    # The first one makes the store.
                    seconds += (start.seconds + finish.seconds) if turn else 0
                return {"LoadLog": seconds / times}

        def shell(name, *options):
            def run():
                with Folder() as folder:
                    store, seconds = folder / "peer.db", 0
                    subprocess.run(
                        ["sqlite3", store, "PRAGMA journal_mode = WAL", sql_text(SCHEMA)],
                        stdout=subprocess.DEVNULL, check=True)
                    for turn in range(times):
                        for query in ("start.sql", "finish.sql"):
                            sql = sql_text(PEERS / "queries" / query).replace(":id", f"{turn:032x}")
                            seconds += self.tools.run("sqlite3", *options, store, sql).seconds
                    return {name: seconds / times}
            return run

        return Row(
            8, "`loadlog start`, then `finish`, whole processes", "s",
            [
                self._disk, loadlog, shell("sqlite3"),
                shell("sqlite3 that leaves its log", "-cmd", ".dbconfig no_ckpt_on_close on")],
            [Reach("LoadLog", "sqlite3", "≤", 2.5), Reach("LoadLog", "sqlite3 that leaves its log", "≤", 2.5)])

    def import_lines(self):
        loads = self.sizes.imported
        lines, objects, raw = (
            self.stores.lines(loads), self.stores.objects(loads), self.stores.raw(loads))

        def in_folder(name, command):
            def run():
                with Folder() as folder:
                    return {name: self.tools.run(*command(folder)).seconds}
            return run

        contestants = [
            in_folder("LoadLog", lambda folder: (
                self.tools.loadlog, "import", lines, "--format", "ndjson", "--db", folder / "loadlog.db")),
            in_folder("sqlite3 .import", lambda folder: (
                "sqlite3", folder / "peer.db",
                "CREATE TABLE session (id TEXT PRIMARY KEY, feed TEXT, state TEXT, started_at INTEGER,"
                " duration INTEGER, message TEXT, call_site TEXT, reason TEXT)",
                "CREATE INDEX session_by_start ON session (feed, started_at)",
                f'.import --csv "{raw}" session')),
        ]
        if self.tools.has_packages:
            contestants.append(in_folder("sqlite-utils", lambda folder: (
                self.tools.python, "-m", "sqlite_utils", "insert", folder / "peer.db", "session", objects,
                "--nl", "--pk", "id")))
        return Row(
            9, "import of 1,000,000 loads", "s", contestants,
            [Reach("sqlite-utils", "LoadLog", "≥", 5), Reach("sqlite3 .import", "LoadLog", "≥", 0.5)],
            skipped=[] if self.tools.has_packages else ["sqlite-utils"])

    # Bytes

    def bytes_on_disk(self):
        loads = self.sizes.status[-1]
        return Row(
            10, "bytes on disk a load, indexes and histograms included, 10,000,000 loads", "B",
            [lambda: {
                "LoadLog": self.stores.size(loads) / loads,
                "csv": self.stores.raw(loads).stat().st_size / loads}],
            [Reach("LoadLog", None, "≤", 120, "bytes"), Reach("LoadLog", "csv", "≤", 1.5)], turns=1)

    def memory(self):
        large = self.stores.lines_of_size(self.sizes.status[-1], self.sizes.large_import)
        store = self.stores.store(self.sizes.status[-1])

        def held(*command):
            return self.tools.run(*command).memory

        def measured(name, *command):
            def run():
                with Folder() as folder:
                    parts = [part(folder) if callable(part) else part for part in command]
                    return {name: held(*parts) - held(self.tools.empty)}
            return run

        def own(folder):
            return folder / "loadlog.db"

        return Row(
            11, "memory beyond an empty process's", "B",
            [
                measured("idle controller", self.tools.measure, "idle", own),
                measured("512 tasks", self.tools.measure, "recording", own, self.sizes.seconds, 512, "async"),
                measured("status at 10,000,000", self.tools.loadlog, "status", "--db", store),
                measured(
                    "import of 1 GB", self.tools.loadlog, "import", large, "--format", "ndjson", "--db", own),
            ],
            [
                Reach("idle controller", None, "≤", 8e6, "B"),
                Reach("512 tasks", None, "≤", 40e6, "B"),
                Reach("status at 10,000,000", None, "≤", 40e6, "B"),
                Reach("import of 1 GB", None, "≤", 64e6, "B")])
