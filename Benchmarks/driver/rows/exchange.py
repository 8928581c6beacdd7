"""Row 9: import."""

from measuring import Mark, Row
from rows.bench import Bench
from tools import Folder


def import_lines(bench: Bench):
    tools, stores, loads = bench.tools, bench.stores, bench.sizes.imported
    lines, objects, raw = stores.lines(loads), stores.objects(loads), stores.raw(loads)

    def in_folder(name, command):
        def run():
            with Folder() as folder:
                return {name: tools.run(*command(folder)).seconds}
        return run

    contestants = [
        in_folder("LoadLog", lambda folder: (
            tools.loadlog, "import", lines, "--format", "ndjson", "--db", folder / "loadlog.db")),
        in_folder("sqlite3 .import", lambda folder: (
            "sqlite3", folder / "peer.db",
            "CREATE TABLE session (id TEXT PRIMARY KEY, feed TEXT, state TEXT, started_at INTEGER,"
            " duration INTEGER, message TEXT, call_site TEXT, reason TEXT)",
            "CREATE INDEX session_by_start ON session (feed, started_at)",
            f'.import --csv "{raw}" session')),
    ]
    if tools.has_packages:
        contestants.append(in_folder("sqlite-utils", lambda folder: (
            tools.python, "-m", "sqlite_utils", "insert", folder / "peer.db", "session", objects,
            "--nl", "--pk", "id")))
    return Row(
        "9", "import of 1,000,000 loads", "s", contestants,
        [Mark("sqlite-utils", "LoadLog", "≥", 2.5), Mark("sqlite3 .import", "LoadLog", "≥", 0.35)],
        skipped=[] if tools.has_packages else ["sqlite-utils"])
