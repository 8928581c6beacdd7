"""Puts a fleet's database back to a backup, and stores, too: the database is healed, a copied or old store refused."""

import shutil
import sqlite3

import fleet
from outcome import Outcome
from postgres import Postgres

REFUSED = 3


def run(bench):
    outcome = Outcome()
    with Postgres() as database:
        fleet.make_tables(bench, database.url())
        host = fleet.Host(bench, "host", database.url(), "--loads", "all")
        record(host, 20)
        succeed(outcome, host)
        database.backup()
        for _ in range(3):
            record(host, 20)
            succeed(outcome, host)
        database.restore()
        if not host.differences(database):
            outcome.fail("the restored database lacks nothing, so this proves nothing")
        succeed(outcome, host)
        fleet.check(outcome, [host], database, " after a restore")

        put_back = host.folder / "backup.db"
        copy(host.store, put_back)
        record(host, 20)
        succeed(outcome, host)
        elsewhere = fleet.Host(bench, "elsewhere", database.url())
        copy(host.store, elsewhere.store)
        with sqlite3.connect(elsewhere.store) as store:
            store.execute("UPDATE fleet SET machine_id = 'another machine'")
        refuse(outcome, elsewhere, "a store that another machine ships")
        newer = host.folder / "newer.db"
        copy(host.store, newer)
        copy(put_back, host.store)
        refuse(outcome, host, "a store that was put back")
        copy(newer, host.store)
        record(host, 5)
        succeed(outcome, host)
        fleet.check(outcome, [host], database, " after its own store is back")
    return outcome


def record(host, loads):
    recorder = host.recorder()
    recorder.tell(f"loads news {loads} 2", "push network 2", "pop network 3", "close")
    recorder.finish()


def succeed(outcome, host):
    outcome.tried += 1
    code, said = host.sync()
    if code == 0:
        outcome.survived += 1
    else:
        outcome.fail(f"{host.name}: {code} {said}")


def refuse(outcome, host, what):
    outcome.tried += 1
    code, said = host.sync()
    if code == REFUSED and "--as-new-host" in said:
        outcome.survived += 1
    else:
        outcome.fail(f"{what}: {code} {said}")


def copy(source, target):
    """Copies a store that is not in use."""
    for suffix in ("-wal", "-shm", ""):
        target.with_name(target.name + suffix).unlink(missing_ok=True)
        if source.with_name(source.name + suffix).exists():
            shutil.copy(source.with_name(source.name + suffix), target.with_name(target.name + suffix))
