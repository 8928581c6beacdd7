"""Stores of many loads, and the same loads in the forms that peers read. They are kept, and made again when the schema or
MakeStore changes."""

import hashlib
import subprocess

from tools import BENCHMARKS, DATA, PEERS, ROOT, say

COLUMNS = {
    "id": """lower(substr(hex(s.id), 1, 8) || '-' || substr(hex(s.id), 9, 4) || '-' || substr(hex(s.id), 13, 4)
      || '-' || substr(hex(s.id), 17, 4) || '-' || substr(hex(s.id), 21))""",
    "feed": "feed.name",
    "state": "state.name",
    "started_at": "s.started_at",
    "duration": "s.duration",
    "message": "message.value",
    "call_site": "call_site.value",
    "reason": "reason.value",
}

LOADS = """
FROM session AS s JOIN feed ON feed.id = s.feed JOIN state ON state.code = s.state
LEFT JOIN text AS message ON message.id = s.message
LEFT JOIN text AS call_site ON call_site.id = s.call_site
LEFT JOIN text AS reason ON reason.id = s.reason
ORDER BY s.seq
"""


class Stores:
    """Stores by the number of their loads, in a folder of their own for each schema."""

    def __init__(self, tools):
        self.tools = tools
        self.folder = DATA / self._digest()
        self.folder.mkdir(parents=True, exist_ok=True)
        others = [other.name for other in DATA.glob("stores-*") if other != self.folder]
        if others:
            say(f"{DATA.name}: {', '.join(others)} may be deleted; they were made with another schema or MakeStore")

    @staticmethod
    def _digest():
        digest = hashlib.sha256()
        for folder in (ROOT / "Migrations/SQLite/sql", BENCHMARKS / "Sources/MakeStore"):
            for file in sorted(folder.iterdir()):
                digest.update(file.read_bytes())
        return f"stores-{digest.hexdigest()[:12]}"

    def store(self, loads, feeds=100, has_failures=True):
        options, name = [], f"{loads}"
        if feeds != 100:
            options, name = [*options, "--feeds", f"{feeds}"], f"{name}-of-{feeds}-feeds"
        if not has_failures:
            options, name = [*options, "--without-failures"], f"{name}-without-failures"

        def make(store):
            say(f"making a store of {loads:,} loads {' '.join(options)}".rstrip())
            subprocess.run([self.tools.make_store, store, f"{loads}", *options], check=True)

        return self._store(name, make)

    def imported(self, loads):
        """A store that was filled by one import, of feeds that never fail."""
        def make(store):
            lines = self.lines(loads, has_failures=False)
            say(f"importing {loads:,} loads")
            subprocess.run(
                [self.tools.loadlog, "import", lines, "--format", "ndjson", "-q", "--db", store],
                stdout=subprocess.DEVNULL, check=True)

        return self._store(f"{loads}-imported", make)

    def _store(self, name, make):
        path = self.folder / name / "loadlog.db"
        if not path.exists():
            draft = self.folder / f"{name}.draft"
            subprocess.run(["rm", "-rf", draft], check=True)
            draft.mkdir()
            make(draft / path.name)
            # Empties the log, so that the database file alone is the store.
            subprocess.run(
                ["sqlite3", "-cmd", ".dbconfig no_ckpt_on_close on", draft / path.name,
                 "PRAGMA wal_checkpoint(TRUNCATE)"], stdout=subprocess.DEVNULL, check=True)
            draft.rename(path.parent)
        return path

    def size(self, loads):
        """Bytes of a store's database and log."""
        path = self.store(loads)
        return sum(path.with_name(path.name + end).stat().st_size for end in ("", "-wal"))

    def raw(self, loads):
        """The values of the loads as csv."""
        values = ", ".join(COLUMNS.values())
        return self._selected(loads, "raw.csv", f"SELECT {values} {LOADS}", "-csv")

    def objects(self, loads):
        """The same as ndjson, one line per load, for tools that know nothing of starts and finishes."""
        values = ", ".join(f"'{name}', {value}" for name, value in COLUMNS.items())
        return self._selected(loads, "objects.ndjson", f"SELECT json_object({values}) {LOADS}")

    def _selected(self, loads, name, query, *options):
        store = self.store(loads)
        return self._made(store.with_name(name), lambda file: subprocess.run(
            ["sqlite3", "-readonly", *options, store, query], stdout=file, check=True))

    def lines(self, loads, has_failures=True):
        """What LoadLog exports as ndjson: one line per start and one per finish."""
        store = self.store(loads, has_failures=has_failures)
        return self._made(store.with_name("lines.ndjson"), lambda file: subprocess.run(
            [self.tools.loadlog, "export", "--format", "ndjson", "--db", store], stdout=file, check=True))

    def lines_of_size(self, loads, size):
        """The first lines of the export, at most `size` bytes."""
        store = self.store(loads)

        def cut(file):
            export = subprocess.Popen(
                [self.tools.loadlog, "export", "--format", "ndjson", "--db", store], stdout=subprocess.PIPE)
            for line in export.stdout:
                if file.tell() + len(line) > size:
                    break
                file.write(line)
            export.kill()
            export.wait()

        return self._made(store.with_name(f"lines-{size}.ndjson"), cut)

    def duckdb(self, loads):
        """The loads as a table in DuckDB's own format."""
        raw = self.raw(loads)
        path = raw.with_name("loads.duckdb")
        if not path.exists():
            say(f"loading {loads:,} loads into DuckDB")
            draft = raw.with_name("draft.duckdb")
            subprocess.run(["rm", "-f", draft], check=True)
            subprocess.run([self.tools.python, PEERS / "status.py", "load", draft, raw], check=True)
            draft.rename(path)
        return path

    @staticmethod
    def _made(path, make):
        if not path.exists():
            say(f"writing {path.name}")
            draft = path.with_suffix(".draft")
            with open(draft, "wb") as file:
                make(file)
            draft.rename(path)
        return path
