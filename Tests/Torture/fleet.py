"""Hosts of a fleet: each has a store, a program that records, and syncs that may be killed."""

import os
import sqlite3
import subprocess

from outcome import Skipped
from recorder import Recorder

PATIENCE = 300

# What a store and the fleet's database must agree on: for each table a query in SQLite, and one in PostgreSQL for the rows
# of one host. Numbers of rows are the store's own in both.
TABLES = {
    "session": (
        """
        SELECT session.seq, lower(hex(session.id)), feed.name, state, started_at, duration, wall_drift, is_anonymous,
          call_site.value, reason.value
        FROM session JOIN feed ON feed.id = session.feed
        LEFT JOIN text AS call_site ON call_site.id = session.call_site
        LEFT JOIN text AS reason ON reason.id = session.reason ORDER BY session.seq
        """,
        """
        SELECT s.seq, replace(s.id::text, '-', ''), f.name, s.state, s.started_at, s.duration, s.wall_drift,
          s.is_anonymous::int, c.value, r.value
        FROM session AS s JOIN feed AS f ON f.host = s.host AND f.id = s.feed
        LEFT JOIN text_value AS c ON c.host = s.host AND c.id = s.call_site
        LEFT JOIN text_value AS r ON r.host = s.host AND r.id = s.reason
        WHERE s.host = '{host}' ORDER BY s.seq
        """,
    ),
    "summary": (
        """
        SELECT day, feed, loads, succeeded, failed, cancelled, ended, crashed, abandoned, extra_pop, acknowledged,
          success_count, success_sum, other_count, other_sum FROM summary ORDER BY day, feed
        """,
        """
        SELECT day, feed, loads, succeeded, failed, cancelled, ended, crashed, abandoned, extra_pop, acknowledged,
          success_count, success_sum, other_count, other_sum FROM summary WHERE host = '{host}' ORDER BY day, feed
        """,
    ),
    "feed": (
        "SELECT id, name, last_updated, last_attempted, last_failed FROM feed ORDER BY id",
        "SELECT id, name, last_updated, last_attempted, last_failed FROM feed WHERE host = '{host}' ORDER BY id",
    ),
    "site": (
        "SELECT day, feed, kind, call_site, is_likely, count FROM imbalance_site WHERE count <> 0 ORDER BY 1, 2, 3, 4, 5",
        """
        SELECT day, feed, kind, call_site, is_likely::int, count FROM site
        WHERE host = '{host}' AND count <> 0 ORDER BY 1, 2, 3, 4, 5
        """,
    ),
    "unmatched": (
        "SELECT seq, lower(hex(id)), kind, at, state FROM unmatched ORDER BY seq",
        """
        SELECT seq, replace(id::text, '-', ''), kind, at, state FROM unmatched WHERE host = '{host}' ORDER BY seq
        """,
    ),
}


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

    def start_sync(self, *options, prefix=()):
        return subprocess.Popen(
            [*prefix, *self.arguments(*options)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def sync(self, *options, prefix=()):
        """The exit code of one round, and what it said."""
        answer = subprocess.run(
            [*prefix, *self.arguments(*options)], capture_output=True, text=True, timeout=PATIENCE)
        return answer.returncode, answer.stderr

    @property
    def id(self):
        with sqlite3.connect(f"file:{self.store}?mode=ro", uri=True) as store:
            return store.execute("SELECT lower(hex(host)) FROM fleet").fetchone()[0]

    def differences(self, database):
        """The number of rows of each table that the database has otherwise than the store, without tables that agree."""
        found = {}
        store = sqlite3.connect(f"file:{self.store}?mode=ro", uri=True)
        try:
            for table, (own, shipped) in TABLES.items():
                mine = {tuple("" if value is None else str(value) for value in row) for row in store.execute(own)}
                theirs = {tuple(row) for row in database.psql(shipped.format(host=self.id))}
                if wrong := len(mine ^ theirs):
                    found[table] = wrong
        finally:
            store.close()
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
