"""Records loads with Python's sqlite3: one connection, cached statements, WAL, synchronous = FULL.

Does the work of writer.c, one transaction per event.

    writer.py STORE SCHEMA SECONDS
"""

import json
import os
import sqlite3
import sys
import time
import uuid

FEEDS = 100


def main(path, schema, seconds):
    store = sqlite3.connect(path, timeout=10, isolation_level=None)
    store.execute("PRAGMA journal_mode = WAL")
    store.execute("PRAGMA synchronous = FULL")
    with open(schema, encoding="utf-8") as file:
        store.executescript(file.read())
    pid, pairs = os.getpid(), 0
    began = now = time.monotonic()
    while now - began < seconds:
        feed = 1 + pairs % FEEDS
        wall, boot = time.time_ns() // 1000, time.clock_gettime_ns(time.CLOCK_BOOTTIME)
        identity = uuid.uuid4().bytes
        store.execute("BEGIN IMMEDIATE")
        store.execute(
            "INSERT INTO session (id, feed, owner, started_at, started_boot, message, call_site)"
            " VALUES (?, ?, ?, ?, ?, 1, 2)",
            (identity, feed, pid, wall, boot),
        )
        store.execute("UPDATE feed SET last_attempted = ? WHERE id = ?", (wall, feed))
        store.execute("COMMIT")

        ended, duration = time.time_ns() // 1000, time.clock_gettime_ns(time.CLOCK_BOOTTIME) - boot
        store.execute("BEGIN IMMEDIATE")
        store.execute(
            "UPDATE session SET state = 1, duration = ?, wall_drift = ? WHERE id = ? AND state = 0",
            (duration, ended - wall - duration // 1000, identity),
        )
        store.execute(
            "UPDATE feed SET last_updated = ?1, last_changed = ?1, last_verdict = 1 WHERE id = ?2", (ended, feed)
        )
        store.execute("COMMIT")
        pairs += 1
        now = time.monotonic()
    print(json.dumps({"pairs": pairs, "seconds": now - began}))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], float(sys.argv[3]))
