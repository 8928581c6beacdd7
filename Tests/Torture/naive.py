"""The controls of the fleet's experiments: ships loads to a database as the protocol must not.

    naive.py MODE STORE NOTES PSQL URL LOCK [CRASH]

It ships what was recorded since the last time, which it notes in the file NOTES, and commits when it gets the advisory lock
LOCK of the database. It ends at once "before" or "after" the commit if CRASH says so. The modes:

- increments: adds the number of loads, and notes it after the commit.
- any-attempt: takes whatever attempt of its own it finds in the database for the newest one.
- no-fence: writes rows whatever the database has, also older ones than another run wrote meanwhile.
"""

import json
import pathlib
import sqlite3
import subprocess
import sys
import uuid

TABLES = """
    CREATE TABLE naive (mode TEXT PRIMARY KEY, loads BIGINT NOT NULL, token TEXT NOT NULL);
    INSERT INTO naive VALUES ('increments', 0, ''), ('any-attempt', 0, ''), ('no-fence', 0, '');
    CREATE TABLE naive_load (mode TEXT, seq BIGINT, state BIGINT, PRIMARY KEY (mode, seq))
    """
"""How many loads before the newest known one may still run, and are shipped again."""
OPEN = 64


def main():
    mode, store, notes, psql, url, lock, *crash = sys.argv[1:]
    notes = pathlib.Path(notes)

    def noted():
        return json.loads(notes.read_text()) if notes.exists() else (0, [])

    def ask(sql):
        return subprocess.run(
            [psql, "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", url], input=sql, check=True,
            capture_output=True, text=True).stdout

    def note():
        # Whole or not at all: the controls must fail by their rules, not by files that are cut off.
        draft = notes.with_suffix(f".{uuid.uuid4()}")
        draft.write_text(json.dumps((known, attempts)))
        draft.rename(notes)

    known, attempts = noted()
    if mode == "any-attempt":
        found = ask("SELECT token FROM naive WHERE mode = 'any-attempt'").strip()
        if any(token == found for token, _ in attempts):
            known, attempts = attempts[-1][1], []
            note()
    rows = rows_since(store, known - OPEN if mode == "no-fence" else known)
    last = rows[-1][0] if rows else known
    if mode == "increments":
        change = f"UPDATE naive SET loads = loads + {last - known} WHERE mode = 'increments'"
    else:
        token = str(uuid.uuid4())
        attempts = [*attempts, (token, last)] if mode == "any-attempt" else []
        note()
        values = ", ".join(f"('{mode}', {seq}, {state})" for seq, state in rows) or "('', 0, 0)"
        change = f"""
            INSERT INTO naive_load VALUES {values} ON CONFLICT (mode, seq) DO UPDATE SET state = excluded.state;
            UPDATE naive SET token = '{token}' WHERE mode = '{mode}'
            """
    if crash == ["before"]:
        return
    ask(f"BEGIN; SELECT pg_advisory_xact_lock({lock}); {change}; COMMIT")
    if crash == ["after"]:
        return
    # Another run may have noted more meanwhile.
    known, attempts = max(last, noted()[0]), []
    note()


def rows_since(store, seq):
    database = sqlite3.connect(f"file:{store}?mode=ro", uri=True)
    try:
        return database.execute("SELECT seq, state FROM session WHERE seq > ? ORDER BY seq", (seq,)).fetchall()
    finally:
        database.close()


if __name__ == "__main__":
    main()
