"""Simulates power cuts of hosts that ship: whatever their disks hold then, the next sync goes on, and every row is equal.

Each host records and ships until a batch has arrived, then its programs are killed. From a record of all that they wrote,
the experiment makes images of its disk. Each image must know the batch that the database has; otherwise the host would
be taken for a copy, and refused. A store may have forgotten that the batch arrived, but not that it was sent: some images
must have.

The control ignores the synchronizations of the program that ships: its images forget that a batch was sent.
"""

import contextlib
import sqlite3
import time

import disk
import fleet
from outcome import Outcome
from postgres import PATIENCE, Postgres
from recorder import Recorder

IMAGES = 50
SENT, ARRIVED, FORGOTTEN = "sent", "arrived", "forgotten"


def run(bench):
    outcome = Outcome()
    unsure = without = 0
    with Postgres() as database:
        fleet.make_tables(bench, database.url())
        hosts = bench.times(12, 100)
        for number in range(hosts):
            host = ShippingHost(bench, f"host-{number}", database)
            host.ship_until_cut()
            for _ in range(IMAGES):
                outcome.tried += 1
                knows = host.lose_power()
                unsure += knows == SENT
                if knows == FORGOTTEN:
                    outcome.lost += 1
                    outcome.fail(f"{host.name}: the store forgot the batch that the database has")
                    bench.keep(host.folder)
                else:
                    outcome.survived += 1
            code, said = host.sync()
            if code != 0:
                outcome.fail(f"{host.name}: the sync after the power cut failed: {said}")
            fleet.check(outcome, [host], database)
            without += sum(host.lose_power(ignoring=host.syncing) == FORGOTTEN for _ in range(IMAGES))
    bench.say(f"{unsure} of {hosts * IMAGES} images do not know that the newest batch has arrived")
    outcome.control = f"without synchronization {without} of {hosts * IMAGES} forget what they sent"
    outcome.is_void = 0 in (without, unsure)
    return outcome


class ShippingHost(fleet.Host):
    """A host whose writes are recorded from the creation of its store on."""

    def __init__(self, bench, name, database):
        super().__init__(bench, name, database.url(), "--loads", "all")
        self.database = database
        self.record = self.folder / "record"
        self.record.touch()
        self.store = self.folder / "store" / "loads.db"
        self.store.parent.mkdir(mode=0o700)
        self.environment = {
            "LD_PRELOAD": bench.compiled("record.c", "-shared", "-fPIC"),
            "LOADLOG_TORTURE_STORE": str(self.store),
            "LOADLOG_TORTURE_RECORD": str(self.record),
        }

    def ship_until_cut(self):
        recorder = Recorder(self.bench, self.store, environment=self.environment)
        recorder.tell("loads feed 20 4", "flush", "say recorded")
        recorder.await_line("said recorded")
        sync = self.start_sync("--every", "1s", environment=self.environment)
        self.syncing = sync.pid
        for round in range(self.bench.random.randrange(1, 4)):
            before = self.token()
            recorder.tell(f"loads feed-{round} 5 1", "flush")
            self.until(lambda: self.token() != before)
        sync.kill()
        sync.wait(fleet.PATIENCE)
        recorder.kill()
        # A commit may still be under way.
        others = "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
        self.until(lambda: self.database.psql(others) == [["0"]])
        self.newest = self.token()
        self.entries = disk.read(self.record)

    def until(self, condition):
        deadline = time.monotonic() + PATIENCE
        while not condition():
            if time.monotonic() > deadline:
                raise RuntimeError(f"{self.name} has shipped nothing within {PATIENCE} s")

    def token(self):
        """That of the batch that the database has."""
        rows = self.database.psql(f"SELECT replace(token::text, '-', '') FROM host WHERE name = '{self.name}'")
        return rows[0][0] if rows else None

    def lose_power(self, ignoring=None):
        """Replaces the store by one that the disk may hold after the cut.

        With `ignoring`, the synchronizations of this process take no effect.

        Returns: what the store knows of the batch that the database has.
        """
        state = disk.Disk(lambda entry: entry.process != ignoring)
        for entry in self.entries:
            state.play(entry)
        for file in self.store.parent.iterdir():
            file.unlink()
        for name, content in state.image(self.bench.random).items():
            (self.store.parent / name.rpartition("/")[2]).write_bytes(content)
        with contextlib.closing(sqlite3.connect(f"file:{self.store}?mode=ro", uri=True)) as store:
            base = store.execute("SELECT lower(hex(token)) FROM fleet").fetchone()
            attempts = store.execute("SELECT lower(hex(token)) FROM fleet_attempt").fetchall()
        newest = (self.newest,)
        return ARRIVED if base == newest else SENT if newest in attempts else FORGOTTEN
