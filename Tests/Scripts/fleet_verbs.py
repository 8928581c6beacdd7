"""Asks a fleet with the verbs that do more than answer once, as a user does, and compares with the stores.

    fleet_verbs.py LOADLOG LOADLOG-NET
"""

import json
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests" / "Torture"))

from fleet_hosts import Host  # noqa: E402
from postgres import Postgres  # noqa: E402

faults = []


def expect(what, found, wanted):
    if found != wanted:
        faults.append(f"{what}: {found!r}, not {wanted!r}")


def main():
    programs = [pathlib.Path(name).resolve() for name in sys.argv[1:]]
    with tempfile.TemporaryDirectory(prefix="loadlog-fleet-") as folder, Postgres() as database:
        fleet = Fleet(pathlib.Path(folder), programs, database)
        export(fleet)
    for fault in faults:
        print(f"fleet: {fault}")
    print(f"fleet: the verbs: {len(faults)} faults")
    return 1 if faults else 0


class Fleet:
    """Two hosts that have shipped, one of them every load and its messages, and one that asks."""

    def __init__(self, folder, programs, database):
        self.database = database
        self.all, self.some, self.laptop = [
            Host(folder, name, programs, database) for name in ("web-1", "web-2", "laptop")]
        for host in (self.all, self.some, self.laptop):
            host.environment["LOADLOG_FLEET"] = database.url()
        self.laptop.shell("loadlog fleet init")
        self.all.shell("loadlog run backup -q -m 'disk 1' -- true", "loadlog run backup -q -- false || true")
        self.some.shell("loadlog run backup -q -m secret -- true", "loadlog pop network || true")
        self.all.shell("loadlog sync --lease 10m --loads all --with-messages")
        self.some.shell("loadlog sync --lease 10m")

    def says(self, *lines):
        """What the lines print, with what they remark."""
        return self.laptop.shell("exec 2>&1", *lines)


def numbers(status):
    """What must be equal wherever a record is asked."""
    return {
        feed["feed"]: {name: feed[name] for name in ("last_updated", "loads", "succeeded", "failed", "unbalanced")}
        | {"count": feed["duration"] and feed["duration"]["count"]} for feed in json.loads(status)["feeds"]}


def export(fleet):
    said = fleet.says("loadlog export --fleet -o all.ndjson")
    expect("what an export says of its gaps", said, "".join(f"loadlog: {line}\n" for line in (
        "the fleet has no row of 1 load, only counts. The file has their counts of whole UTC days.",
        "web-2 ships no messages, so the file has none of theirs.")))
    fleet.laptop.shell("loadlog import -q --db copy.db all.ndjson")
    expect("the counts of a store that imports the fleet",
           numbers(fleet.laptop.shell("loadlog status --json --db copy.db")),
           numbers(fleet.laptop.shell("loadlog status --json --fleet")))
    text = (fleet.laptop.home / "all.ndjson").read_text()
    expect("messages that are shipped", ("disk 1" in text, "secret" in text), (True, False))

    said = fleet.says("loadlog export --fleet --by-host --host web-2 --format csv 2>&1 >web-2.csv")
    expect("what a table leaves out", "the fleet has no row of 1 load, only counts. They are not in the file." in said,
           True)
    rows = fleet.laptop.shell("loadlog export -q --fleet --by-host --host web-1 --format csv").splitlines()[1:]
    expect("the loads of one host", [row.count("web-1/backup") for row in rows], [1, 1])
    expect("what a fleet that ships all says", fleet.says("loadlog export --fleet --host web-1 -o web-1.ndjson"), "")
    lines = [json.loads(line) for line in (fleet.laptop.home / "web-1.ndjson").read_text().splitlines()]
    expect("days that are only counted", [line for line in lines if line["event"] == "sealed_day"], [])

    metrics = fleet.laptop.shell("loadlog export --fleet --format prometheus")
    expect("the metrics of all hosts",
           'loadlog_loads_finished_total{feed="backup",verdict="succeeded"} 2' in metrics, True)
    for words, code in (("--format sqlite -o copy.db", 2), ("--with-output", 2), ("nowhere", 1)):
        said = fleet.says(f"loadlog export --fleet {words} && exit 9 || echo exit $?")
        expect(f"export --fleet {words}", said.splitlines()[-1], f"exit {code}")


if __name__ == "__main__":
    sys.exit(main())
