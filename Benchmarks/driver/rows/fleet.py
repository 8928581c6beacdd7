"""Rows 17 and 18: a fleet's database."""

import shutil
import sys
from statistics import median

from measuring import Mark, Row
from rows.bench import Bench
from tools import ROOT, Folder

# After the driver's own modules, some of which have the same names.
sys.path.insert(1, str(ROOT / "Tests/Torture"))

from made_fleet import MadeFleet  # noqa: E402
from postgres import Postgres  # noqa: E402

SHIPPED, COPIED = "loadlog sync", "psql \\copy"
FEED = "feed-03"
# What the verbs ask, in one statement.
DATES = f"SELECT max(last_updated), max(last_attempted), max(last_failed) FROM fleet_status WHERE feed = '{FEED}'"
STATUS = """
    SELECT feed, max(last_updated), max(last_attempted), max(last_failed), sum(loads), sum(running), sum(succeeded),
      sum(failed), sum(crashed), max(max_duration)
    FROM fleet_status GROUP BY feed ORDER BY feed
    """


class Database(Postgres):
    """A server of PostgreSQL with the tables of a fleet."""

    def __init__(self, tools):
        super().__init__()
        tools.run(tools.loadlog_net, "fleet", "init", "--to", self.url())

    def seconds(self, tools, *words):
        """How long psql takes as a whole process."""
        return tools.run(self.programs / "psql", "-X", "-q", "-A", "-t", "-d", self.url(), *words).seconds


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

            # The first questions find no page of the tables in memory.
            figures = [{
                "last-updated": loadlog("last-updated", FEED),
                "psql, last-updated": database.seconds(tools, "-c", DATES),
                "status": loadlog("status"),
                "psql, status": database.seconds(tools, "-c", STATUS),
            } for _ in range(bench.sizes.turns + 1)][1:]
        return {name: median(each[name] for each in figures) for name in figures[0]}

    return Row(
        "18", f"questions to a fleet of {hosts:,} hosts with 20 feeds and 30 days", "s", [ask],
        [Mark("last-updated", "psql, last-updated", "≤", 2), Mark("status", "psql, status", "≤", 2)], turns=1)
