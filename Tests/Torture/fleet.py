"""Hosts of a fleet: each has a store, a program that records, and syncs that may be killed."""

import os
import sqlite3
import subprocess
from collections import Counter

from outcome import Skipped
from recorder import Recorder

PATIENCE = 300

# Where a store has the rows of a table of the fleet's database, if not in a table of that name.
STORED = {
    "text_value": "text",
    "site": "imbalance_site",
    "expectation": "expected",
    "flip": "feed_flip",
    "session": "session LEFT JOIN visibility ON visibility.session = seq LEFT JOIN run ON run.session = seq",
}
# Columns that a store has by another name.
RENAMED = {("feed", "overlap_count"): "overlaps", ("owner", "name"): "host"}
# Columns that a store computes.
COMPUTED = {
    ("feed", "failures"): """
        pruned_failures + (
          SELECT count(*) FROM session AS s LEFT JOIN run ON run.session = s.seq
          WHERE s.feed = feed.id AND s.state = 3 AND coalesce(run.is_retried, 0) = 0
            AND coalesce(s.started_at > feed.last_success_started, 1))
        """,
}
# A store deletes the row instead; and what an owner does after its last load was shipped does not follow.
NOT_COMPARED = {
    ("expectation", "is_removed"), ("acknowledgement", "is_removed"),
    *(("owner", name) for name in ("last_commit_at", "closed_at", "verdict", "evidence", "dropped"))}
# Which rows a store ships, and which of a host's rows the store still has.
SHIPPED = {"owner": "id IN (SELECT owner FROM session UNION SELECT owner FROM unmatched)", "site": "count <> 0"}
KEPT = {
    "site": "count <> 0", "expectation": "is_removed IS NOT TRUE", "acknowledgement": "is_removed IS NOT TRUE"}
# How both show values that they store differently.
SHOWN_HERE = {"uuid": 'lower(hex("{}"))', "bytea": 'lower(hex("{}"))'}
SHOWN_THERE = {"boolean": '"{}"::int', "uuid": "replace(\"{}\"::text, '-', '')", "bytea": "encode(\"{}\", 'hex')"}


class Host:
    """A store that ships."""

    def __init__(self, bench, name, url, *options):
        self.program = os.environ.get("LOADLOG_NET")
        if not self.program:
            raise Skipped("LOADLOG_NET names no server")
        self.bench, self.name, self.url, self.options = bench, name, url, options
        self.folder = bench.folder / name
        self.folder.mkdir()
        self.store = self.folder / "loads.db"

    def recorder(self):
        return Recorder(self.bench, self.store)

    def arguments(self, *options):
        return [self.program, "sync", "--db", self.store, "--to", self.url, "--name", self.name, *self.options, *options]

    def start_sync(self, *options, environment=None):
        return subprocess.Popen(
            self.arguments(*options), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, **(environment or {})})

    def sync(self, *options, prefix=(), environment=None):
        """The exit code of one round, and what it said."""
        answer = subprocess.run(
            [*prefix, *self.arguments(*options)], capture_output=True, text=True, timeout=PATIENCE,
            env={**os.environ, **(environment or {})})
        return answer.returncode, answer.stderr

    def command(self, *words):
        """Runs a command of loadlog on the store; it may fail, as the loads that it records do.

        Returns: what it has printed.
        """
        return subprocess.run(
            [self.bench.loadlog, *words], env={**os.environ, "LOADLOG_DB": self.store}, capture_output=True, text=True,
            timeout=PATIENCE).stdout

    @property
    def id(self):
        with sqlite3.connect(f"file:{self.store}?mode=ro", uri=True) as store:
            return store.execute("SELECT lower(hex(host)) FROM fleet").fetchone()[0]

    def has_arrived_unknown(self, database):
        """Whether the newest batch in the database is one of which the store does not know whether it arrived."""
        with sqlite3.connect(f"file:{self.store}?mode=ro", uri=True) as store:
            attempts = {token for (token,) in store.execute(
                "SELECT lower(hex(token)) FROM fleet_attempt WHERE token IS NOT (SELECT token FROM fleet)")}
        arrived = database.psql(f"SELECT replace(token::text, '-', '') FROM host WHERE name = '{self.name}'")
        return bool(arrived) and arrived[0][0] in attempts

    def differences(self, database):
        """The number of rows of each table that the database has otherwise than the store, without tables that agree."""
        found = {}
        store = sqlite3.connect(f"file:{self.store}?mode=ro", uri=True)
        try:
            for table, columns in tables(database).items():
                here = ", ".join(
                    COMPUTED.get((table, name)) or SHOWN_HERE.get(kind, '"{}"').format(RENAMED.get((table, name), name))
                    for name, kind in columns)
                there = ", ".join(SHOWN_THERE.get(kind, '"{}"').format(name) for name, kind in columns)
                mine = Counter(
                    tuple("" if value is None else str(value) for value in row)
                    for row in store.execute(
                        f"SELECT {here} FROM {STORED.get(table, table)} WHERE {SHIPPED.get(table, 'true')}"))
                theirs = Counter(tuple(row) for row in database.psql(
                    f"SELECT {there} FROM {table} WHERE host = '{self.id}' AND {KEPT.get(table, 'true')}"))
                if wrong := (mine - theirs).total() + (theirs - mine).total():
                    found[table] = wrong
        finally:
            store.close()
        return found


def tables(database):
    """The compared columns of each table with rows of hosts, and their types."""
    found = {}
    for table, name, kind in database.psql(
        """
        SELECT table_name, column_name, data_type FROM information_schema.columns AS c
        WHERE column_name <> 'host' AND EXISTS (
          SELECT 1 FROM information_schema.columns AS h JOIN information_schema.tables AS t
            USING (table_schema, table_name)
          WHERE t.table_type = 'BASE TABLE' AND h.column_name = 'host' AND table_name = c.table_name)
        ORDER BY table_name, ordinal_position
        """
    ):
        if (table, name) not in NOT_COMPARED:
            found.setdefault(table, []).append((name, kind))
    return found


def make_tables(bench, url, *options):
    """Makes the tables of a fleet."""
    program = os.environ.get("LOADLOG_NET")
    if not program:
        raise Skipped("LOADLOG_NET names no server")
    subprocess.run([program, "fleet", "init", "--to", url, *options], check=True, capture_output=True)


def check(outcome, hosts, database, what=""):
    """Compares the hosts' stores with the database."""
    for host in hosts:
        outcome.tried += 1
        wrong = host.differences(database)
        if wrong:
            outcome.lost += sum(wrong.values())
            outcome.fail(f"{host.name}{what}: other rows: {wrong}")
        else:
            outcome.survived += 1
