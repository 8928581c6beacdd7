"""Rows 8, 13 and 14: commands that record, as whole processes."""

import shutil
import subprocess
from statistics import median

from measuring import Mark, Row
from rows.bench import FEED, SCHEMA, Bench, sql_text
from tools import PEERS, Folder

TIMES = 20  # pairs, or commands, in one turn


def start_and_finish(bench: Bench):
    tools = bench.tools

    def loadlog():
        with Folder() as folder:
            store, seconds = folder / "loadlog.db", 0
            for turn in range(TIMES + 1):
                start = tools.run(
                    tools.loadlog, "start", FEED, "-m", "Loading…", "--call-site", "bench:1", "--db", store)
                finish = tools.run(tools.loadlog, "finish", start.output.decode().strip(), "--db", store)
                # The first pair creates the store and does not count.
                seconds += (start.seconds + finish.seconds) if turn else 0
            return {"LoadLog": seconds / TIMES}

    def shell(name, *options):
        def run():
            with Folder() as folder:
                store, seconds = folder / "peer.db", 0
                subprocess.run(
                    ["sqlite3", store, "PRAGMA journal_mode = WAL", sql_text(SCHEMA)],
                    stdout=subprocess.DEVNULL, check=True)
                for turn in range(TIMES):
                    for query in ("start.sql", "finish.sql"):
                        sql = sql_text(PEERS / "queries" / query).replace(":id", f"{turn:032x}")
                        seconds += tools.run("sqlite3", *options, store, sql).seconds
                return {name: seconds / TIMES}
        return run

    return Row(
        "8", "`loadlog start`, then `finish`, whole processes", "s",
        [
            bench.disk, loadlog, shell("sqlite3"),
            shell("sqlite3 that leaves its log", "-cmd", ".dbconfig no_ckpt_on_close on")],
        [Mark("LoadLog", "sqlite3", "≤", 3), Mark("LoadLog", "sqlite3 that leaves its log", "≤", 3)])


def run_true(bench: Bench):
    """What `run` adds to a command: the difference of two medians, each of commands that took turns."""
    tools, feed, loads = bench.tools, "feeds/0", bench.sizes.run_loads
    empty, large = "added on an empty store", f"added on {loads:,} imported loads"
    imported = bench.stores.imported(loads)

    def run():
        with Folder() as folder:
            stores = {empty: folder / "empty.db", large: folder / "large.db"}
            shutil.copyfile(imported, stores[large])
            # Most loads are older than 90 days. Without this each command would prune some.
            tools.run(tools.loadlog, "prune", "--keep", "all", "--by-default", "--db", stores[large])
            # Otherwise the first commits would wait until the whole copy is on disk.
            subprocess.run(["sync", stores[large]], check=True)
            seconds = {name: [] for name in ("true", *stores)}
            for turn in range(TIMES + 1):
                measured = {"true": tools.run("true").seconds}
                for name, store in stores.items():
                    measured[name] = tools.run(tools.loadlog, "run", feed, "--db", store, "--", "true").seconds
                if turn:  # the first turn creates the empty store, reads the other one from disk, and does not count
                    for name, value in measured.items():
                        seconds[name].append(value)
            true = median(seconds.pop("true"))
            return {"true": true} | {name: median(values) - true for name, values in seconds.items()}

    return Row(
        "13", "what `loadlog run FEED -- true` adds to `true`; FEED is the busiest of 100 feeds that never fail", "s",
        [bench.disk, run], [Mark(large, empty, "≤", 1.3)])


def run_output(bench: Bench):
    """What `run` takes for a command that writes much, to a reader that discards it; and what keeping the end adds."""
    tools, size = bench.tools, bench.sizes.large_import
    command = f"head -c {size} /dev/zero"

    def run():
        with Folder() as folder:
            store = folder / "loadlog.db"
            tools.run(tools.loadlog, "run", FEED, "--db", store, "--", "true")  # creates the store
            loadlog = f"'{tools.loadlog}' run {FEED} --db '{store}'"
            lines = {
                "cat": f"{command} | cat",
                "`run`": f"{loadlog} -- {command}",
                "`run --keep-output`": f"{loadlog} --keep-output -- {command}",
            }
            return {name: tools.run("sh", "-c", f"{line} > /dev/null").seconds for name, line in lines.items()}

    return Row(
        "14", f"a command that writes {size // 1_000_000:,} MB", "s", [bench.disk, run],
        [Mark("`run --keep-output`", "cat", "≤", 2)])
