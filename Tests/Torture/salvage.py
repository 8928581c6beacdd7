"""Counts what `loadlog recover` saves of a damaged store, without LoadLog.

A row is intact if the damaged files still hold the page that it is on in the sound store: the same 4,096 bytes, on any
page of the file, or in an unchanged frame of the log before its last unchanged commit. Which table a page belongs to and
what its rows say, SQLite tells of the sound store. A row is saved if the new store has one with the same number and the
same values in all columns that refer to no other row.
"""

import hashlib
import json
import pathlib
import sqlite3
import subprocess
import tempfile

from pages import LEAF_TABLE, row_numbers
from stores import complaints

PAGE = 4096
LOG_HEADER, FRAME_HEADER = 32, 24
FRAME = FRAME_HEADER + PAGE
COLUMNS = {
    "text": "value",
    "feed": "name, last_updated, last_changed, last_attempted, last_success_started, last_failed, overlaps",
    "owner": "uid, kind, machine_id, boot_id, pid, host, app, opened_at, last_event, last_commit_at",
    "session": "id, state, is_anonymous, started_at, started_boot, duration, wall_drift, duration_source",
    "unmatched": "id, kind, session, at, at_boot, state",
}


class Salvage:
    """The rows of sound stores by the page that they are on."""

    def __init__(self, *sound):
        self.rows = {}
        for files in sound:
            self._add(_merged(files))

    def _add(self, file):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "sound.db"
            path.write_bytes(file)
            contents = contents_of(path)
            database = sqlite3.connect(path)
            leaves = database.execute("SELECT name, pageno FROM dbstat WHERE pagetype = 'leaf'").fetchall()
            database.close()
        for table, number in leaves:
            page = file[PAGE * (number - 1) : PAGE * number]
            if table in COLUMNS and page[0] == LEAF_TABLE:
                self.rows[page] = [(table, row, contents[table][row]) for row in row_numbers(page)]

    def intact(self, files, log):
        """Returns: the rows of pages that damaged files still hold; `log` is the sound log, if it belongs to the file."""
        pages = {files.store[at : at + PAGE] for at in range(0, len(files.store), PAGE)}
        waiting = []
        for at in range(LOG_HEADER, min(len(log), len(files.log)) - FRAME + 1, FRAME):
            frame = files.log[at : at + FRAME]
            if frame != log[at : at + FRAME]:
                continue
            waiting.append(frame[FRAME_HEADER:])
            if frame[4:8] != bytes(4):
                pages.update(waiting)
                waiting = []
        return {row for page in pages & self.rows.keys() for row in self.rows[page]}


def contents_of(path):
    """Returns: for each table the values of its rows by their numbers."""
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    database.text_factory = bytes
    contents = {
        table: {row[0]: row[1:] for row in database.execute(f"SELECT rowid, {columns} FROM {table}")}
        for table, columns in COLUMNS.items()
    }
    database.close()
    return contents


def recover(bench, files, store, hanging):
    """Recovers a damaged store.

    Returns: what is wrong, or nothing; and the rows of the new store.
    """
    new = store.with_name("saved.db")
    command = [bench.loadlog, "recover", store, "-o", new, "--json"]
    try:
        done = subprocess.run(command, capture_output=True, timeout=hanging)
    except subprocess.TimeoutExpired:
        return f"recover hangs for {hanging} s", set()
    said = done.stderr.decode(errors="replace").strip()
    if type(files).read(store) != files:
        return "recover writes to the damaged store", set()
    if new.exists() != (done.returncode in (0, 1)):
        return f"recover: exit {done.returncode}, and the new store exists: {new.exists()}", set()
    if done.returncode in (3, 6):
        is_told = said.startswith("loadlog: ") and "\n" not in said
        return "" if is_told else f"recover is not clear: {said[:300]}", set()
    if done.returncode not in (0, 1):
        return f"recover: exit {done.returncode} {said[-300:]}", set()
    if not all(source["sha256"] == _digest(source["path"]) for source in json.loads(done.stdout)["sources"]):
        return "recover prints another SHA-256 than the file has", set()
    for complaint in complaints(bench, new):
        return f"the recovered store: {complaint[:500]}", set()
    contents = contents_of(new)
    return "", {(table, row, values) for table, rows in contents.items() for row, values in rows.items()}


def _digest(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


def _merged(files):
    """Returns: the file with the pages of its log."""
    pages = {number: files.store[PAGE * number : PAGE * (number + 1)] for number in range(len(files.store) // PAGE)}
    for at in range(LOG_HEADER, len(files.log) - FRAME + 1, FRAME):
        pages[int.from_bytes(files.log[at : at + 4], "big") - 1] = files.log[at + FRAME_HEADER : at + FRAME]
    file = bytearray(b"".join(pages[number] for number in sorted(pages)))
    # SQLite reads a file in this mode without a log.
    file[18:20] = b"\1\1"
    return bytes(file)
