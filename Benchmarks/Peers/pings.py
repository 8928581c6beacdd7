"""Takes pings with Flask and sqlite3: a connection for each thread, WAL, synchronous = FULL. A ping is committed before it
is answered.

    gunicorn 'pings:application("STORE", "SCHEMA")'
"""

import os
import sqlite3
import threading
import time
import uuid

from flask import Flask, request

SUCCEEDED = 1


def application(path, schema):
    local = threading.local()

    def database():
        if not hasattr(local, "store"):
            local.store = sqlite3.connect(path, timeout=10, isolation_level=None)
            local.store.execute("PRAGMA journal_mode = WAL")
            local.store.execute("PRAGMA synchronous = FULL")
        return local.store

    with open(schema, encoding="utf-8") as file:
        database().executescript(file.read())
    del local.store  # the workers are forked from this process

    app = Flask(__name__)

    @app.get("/ping/<key>/<slug>")
    @app.get("/ping/<key>/<slug>/<action>")
    def ping(key, slug, action="success"):
        wall, boot = time.time_ns() // 1000, time.clock_gettime_ns(time.CLOCK_BOOTTIME)
        run = request.args.get("rid")
        identity = uuid.UUID(run).bytes if run else uuid.uuid4().bytes
        store = database()
        store.execute("BEGIN IMMEDIATE")
        try:
            store.execute("INSERT OR IGNORE INTO feed (name) VALUES (?)", (slug,))
            (feed,) = store.execute("SELECT id FROM feed WHERE name = ?", (slug,)).fetchone()
            if action == "start":
                _start(store, identity, feed, wall, boot)
            else:
                _end(store, identity, feed, wall, boot)
            store.execute("COMMIT")
        except BaseException:
            store.execute("ROLLBACK")
            raise
        return "OK"

    return app


def _start(store, identity, feed, wall, boot):
    # A start that was overtaken by its end changes nothing.
    store.execute(
        "INSERT OR IGNORE INTO session (id, feed, owner, started_at, started_boot) VALUES (?, ?, ?, ?, ?)",
        (identity, feed, os.getpid(), wall, boot),
    )
    store.execute("UPDATE feed SET last_attempted = ? WHERE id = ?", (wall, feed))


def _end(store, identity, feed, wall, boot):
    ended = store.execute(
        "UPDATE session SET state = ?, duration = ? - started_boot, wall_drift = 0 WHERE id = ? AND state = 0",
        (SUCCEEDED, boot, identity),
    ).rowcount
    if not ended:
        store.execute(
            "INSERT INTO session (id, feed, owner, state, started_at, started_boot) VALUES (?, ?, ?, ?, ?, ?)",
            (identity, feed, os.getpid(), SUCCEEDED, wall, boot),
        )
    store.execute(
        "UPDATE feed SET last_updated = ?1, last_changed = ?1, last_verdict = ?2 WHERE id = ?3",
        (wall, SUCCEEDED, feed),
    )
