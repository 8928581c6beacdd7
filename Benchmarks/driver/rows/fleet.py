"""Rows 17 to 20: a fleet's database, and the hosts that ship to it."""

import re
import shutil
import subprocess
import time
from statistics import median

from measuring import Mark, Row
from rows.bench import DISK, Bench
from tools import Folder

from made_fleet import MadeFleet
from postgres import Postgres

SHIPPED, COPIED = "loadlog sync", "psql \\copy"
ROUNDS, WRITTEN = "LoadLog", "pgbench, the rows alone"
NOWHERE = "postgresql://loadlog@127.0.0.1:1/fleet"
UNREACHABLE = 5  # the exit code
FEED = "feed-03"
# What psql can tell of a verb's answer in one statement.
DATES = f"SELECT max(last_updated), max(last_attempted), max(last_failed) FROM fleet_status WHERE feed = '{FEED}'"
STATUS = """
    SELECT feed, max(last_updated), max(last_attempted), max(last_failed), sum(loads), sum(running), sum(succeeded),
      sum(failed), sum(crashed), max(max_duration)
    FROM fleet_status GROUP BY feed ORDER BY feed
    """

# The rows of a round, written as one statement of the server.
ROUND = """
    BEGIN;
    UPDATE host SET rev = rev + 1, synced_at = now();
    INSERT INTO feed SELECT * FROM feed
      ON CONFLICT (host, id) DO UPDATE SET last_updated = excluded.last_updated, last_attempted = excluded.last_attempted;
    INSERT INTO summary SELECT * FROM summary
      ON CONFLICT (host, day, feed) DO UPDATE SET loads = excluded.loads, success_histogram = excluded.success_histogram;
    COMMIT;
    """


class Database(Postgres):
    """A server of PostgreSQL with the tables of a fleet."""

    def __init__(self, tools):
        super().__init__()
        tools.run(tools.loadlog_net, "fleet", "init", "--to", self.url())

    def seconds(self, tools, *words):
        """How long psql takes as a whole process."""
        return tools.run(self.programs / "psql", "-X", "-q", "-A", "-t", "-d", self.url(), *words).seconds

    def statements(self, ask):
        """What a program sends while it asks, as SQL for psql, with its parameters as literals."""
        self.psql("ALTER ROLE postgres SET log_statement = 'all'")
        size = self.log.stat().st_size
        ask()
        self.psql("ALTER ROLE postgres RESET log_statement")
        # Later lines of an entry begin with a tab.
        entries = self.log.read_bytes()[size:].decode().replace("\n\t", "\n")
        found = re.findall(
            r"LOG:  (?:statement|execute <unnamed>): (.*?)\n(?:\S+ \S+ \S+ \[\d+\] DETAIL:  parameters: (.*?)\n)?"
            r"(?=\S+ \S+ \S+ \[\d+\] |\Z)", entries, re.DOTALL)
        statements = []
        for statement, parameters in found:
            values = dict(re.findall(r"\$(\d+) = (NULL|'(?:[^']|'')*')", parameters))
            statements.append(re.sub(r"\$(\d+)", lambda one: values[one[1]], statement))
        return [one for one in statements if "log_statement" not in one]


def shipping(bench: Bench):
    tools, loads = bench.tools, bench.sizes.imported
    store = bench.stores.imported(loads)

    def both():
        with Folder() as folder, Database(tools) as database:
            own = folder / "loadlog.db"
            shutil.copy(store, own)
            shipped = tools.run(
                tools.loadlog_net, "sync", "--loads", "all", "--db", own, "--to", database.url()).seconds
            rows = folder / "rows.csv"
            database.seconds(tools, "-c", f"\\copy session TO '{rows}' CSV")
            database.psql("TRUNCATE session", seconds=600)
            return {SHIPPED: shipped, COPIED: database.seconds(tools, "-c", f"\\copy session FROM '{rows}' CSV")}

    return Row(
        "17", f"shipping {loads:,} loads to PostgreSQL", "s", [both], [Mark(COPIED, SHIPPED, "≥", 0.5)], turns=3)


def fleet_questions(bench: Bench):
    tools, hosts = bench.tools, bench.sizes.hosts

    def ask():
        with Database(tools) as database:
            MadeFleet(database, hosts=hosts, feeds=20, days=30).make()

            def loadlog(*words):
                return tools.run(tools.loadlog_net, *words, "--fleet", "--to", database.url()).seconds

            def verb(*words, statement):
                name = words[0]
                script = database.folder / f"{name}.sql"
                script.write_text(
                    ";\n".join(database.statements(lambda: loadlog(*words))) + ";\n", encoding="utf-8")
                return {
                    name: lambda: loadlog(*words),
                    same(name): lambda: database.seconds(tools, "-o", "/dev/null", "-f", script),
                    f"psql, one statement for {name}": lambda: database.seconds(tools, "-c", statement)}

            questions = verb("last-updated", FEED, statement=DATES) | verb("status", statement=STATUS)
            # The first questions find no page of the tables in memory.
            figures = [
                {name: question() for name, question in questions.items()} for _ in range(bench.sizes.turns + 1)][1:]
        return {name: median(each[name] for each in figures) for name in figures[0]}

    def same(name):
        return f"psql, the same statements as {name}"

    return Row(
        "18", f"questions to a fleet of {hosts:,} hosts with 20 feeds and 30 days", "s", [ask],
        [Mark(name, same(name), "≤", 2) for name in ("last-updated", "status")], turns=1)


def rounds(bench: Bench):
    tools, count = bench.tools, bench.sizes.rounds

    def both():
        with Folder() as folder, Database(tools) as database:
            made = tools.json(tools.rounds, folder / "loadlog.db", database.url(), count)
            script = folder / "round.sql"
            script.write_text(ROUND, encoding="utf-8")
            began = time.perf_counter()
            # Over one connection, as LoadLog ships rounds that follow each other soon.
            subprocess.run(
                [database.programs / "pgbench", "-n", "-t", str(count), "-f", script, database.url()], check=True,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            return {ROUNDS: made["rounds"] / made["seconds"], WRITTEN: count / (time.perf_counter() - began)}

    contestants, skipped = ([bench.disk, both], []) if tools.rounds else ([], ["LoadLog"])
    return Row(
        "19", "rounds a second of one host whose 20 feeds have new loads in each", "/s", contestants,
        [Mark(ROUNDS, None, "≥", 300, unit="/s")], units={DISK: "s"}, skipped=skipped)


def recording_while_away(bench: Bench):
    """What rows 1 to 4 measure, on a store that ships and on one that does not."""
    tools, seconds = bench.tools, bench.sizes.seconds
    works = {
        "1 caller": [("recording", 1, "async")], "512 callers": [("recording", 512, "async")],
        "4 processes": [("recording", 64, "async")] * 4, "push + pop": [("counting", 1)]}

    def record(work, is_shipped):
        with Folder() as folder:
            store = folder / "loadlog.db"
            tools.run(tools.loadlog, "run", "seed", "--db", store, "--", "true")
            sync = [tools.loadlog_net, "sync", "--db", store, "--to", NOWHERE]
            if is_shipped:
                tools.run(*sync, codes=(UNREACHABLE,))
                syncing = subprocess.Popen([*sync, "--every", "60s"], stderr=subprocess.DEVNULL)
            results = tools.json_together([[tools.measure, what, store, seconds, *rest] for what, *rest in works[work]])
            if is_shipped:
                syncing.terminate()
                syncing.wait()
            return {with_destination(work) if is_shipped else work: sum(
                result["pairs"] / result["seconds"] for result in results)}

    def with_destination(work):
        return f"{work}, with a destination"

    return Row(
        "20", "pairs of rows 1 to 4 a second, with a fleet's database as destination that cannot be reached", "/s",
        [bench.disk, *(
            lambda work=work, is_shipped=is_shipped: record(work, is_shipped)
            for work in works for is_shipped in (False, True))],
        [Mark(with_destination(work), work, "≥", 0.95) for work in works], units={DISK: "s"})
