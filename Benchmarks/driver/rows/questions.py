"""Rows 6, 7 and 12: questions to stores of many loads, and of many feeds, as whole processes."""

import json
import subprocess
from datetime import datetime, timezone

from measuring import Mark, Row
from rows.bench import FEED, Bench, sql_text
from tools import PEERS, Folder

DUCKDB = "DuckDB, its query alone"


def status(bench: Bench):
    names = [f"LoadLog, {loads:,} loads" for loads in bench.sizes.status]
    contestants = [
        bench.loadlog(name, bench.stores.store(loads), "status")
        for name, loads in zip(names, bench.sizes.status)]
    if bench.tools.has_packages:
        table = bench.stores.duckdb(bench.sizes.status[-1])
        contestants.append(lambda: {
            DUCKDB: bench.tools.json(bench.tools.python, PEERS / "status.py", table, 1)[0]})
    return Row(
        "6", "`loadlog status` on 10,000 · 1,000,000 · 10,000,000 loads, process start included", "s",
        contestants,
        [Mark(DUCKDB, names[-1], "≥", 12), Mark(names[-1], names[0], "≤", 1.3)],
        skipped=[] if bench.tools.has_packages else ["DuckDB"])


def questions(bench: Bench):
    store = bench.stores.store(bench.sizes.status[-1])
    newest = int(subprocess.run(
        ["sqlite3", "-readonly", store, "SELECT started_at FROM session ORDER BY seq DESC LIMIT 1"],
        stdout=subprocess.PIPE, check=True).stdout)
    # The last 36 hours of the store, whenever the row is run.
    since = newest // 1_000_000 - 36 * 3600
    moment = datetime.fromtimestamp(since, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    contestants, marks = [], []
    for name, arguments, query in (
        ("status --since", ("status", "--since", moment), "status-since.sql"),
        ("history --limit 20", ("history", "--limit", "20"), "history.sql"),
        ("last-updated", ("last-updated", FEED), "last-updated.sql"),
        ("unbalanced", ("unbalanced",), "unbalanced.sql"),
    ):
        sql = sql_text(PEERS / "queries" / query)
        contestants += [
            bench.loadlog(name, store, *arguments, codes=(0, 1)),
            bench.shell(f"sqlite3 {name}", store, sql.replace(":since", f"{since * 1_000_000}"))]
        marks.append(Mark(name, f"sqlite3 {name}", "≤", 3))
    failed = "history --state failed, no load has failed"
    contestants.append(bench.loadlog(
        failed, bench.stores.store(bench.sizes.status[-1], has_failures=False), "history", "--state", "failed"))
    marks.append(Mark(failed, None, "<", 0.05, "s"))
    return Row(
        "7", "`status` of 36 hours, `history`, `last-updated` and `unbalanced` on 10,000,000 loads", "s",
        contestants, marks)


def many_feeds(bench: Bench):
    contestants, marks, units = [], [], {}
    for loads in bench.sizes.feed_loads:
        store = bench.stores.store(loads, feeds=bench.sizes.feeds)
        status, report, size = (f"{what}, {loads:,} loads" for what in ("status", "report", "size of the report"))
        check = f"status --check with expectations, {loads:,} loads"
        contestants += [
            bench.loadlog(status, store, "status"), _check(bench, check, store, bench.sizes.feeds),
            _report(bench, report, size, store)]
        marks += [
            Mark(status, None, "<", 0.1, "s"), Mark(check, None, "<", 0.2, "s"), Mark(report, None, "<", 2, "s"), Mark(size, None, "<", 1e6, "B")]
        units[size] = "B"
    return Row(
        "12", "`loadlog status`, its check and `loadlog report` on 10,000 feeds", "s", contestants, marks, units=units)


def _check(bench: Bench, name, store, feeds):
    """A check of a copy of the store in which each feed has an expectation, half of them with a cron expression."""
    def run():
        with Folder() as folder:
            copy = folder / "expected.db"
            bench.tools.run(bench.tools.loadlog, "export", "--format", "sqlite", "-o", copy, "--db", store)
            lines = folder / "expectations.ndjson"
            lines.write_text("".join(_expectation(number) for number in range(feeds)))
            bench.tools.run(bench.tools.loadlog, "import", lines, "--db", copy)
            run = bench.tools.run(bench.tools.loadlog, "status", "--check", "--late", "--db", copy, codes=(0, 1))
            return {name: run.seconds}
    return run


def _expectation(number):
    schedule = {"cron": f"{number % 60} 2 * * *", "timezone": "Europe/Berlin"} if number % 2 else {
        "every_ns": 86_400_000_000_000}
    line = {"event": "expectation", "feed": f"feeds/{number}", **schedule, "since": "2025-11-01T00:00:00Z"}
    return json.dumps(line) + "\n"


def _report(bench: Bench, name, size, store):
    def run():
        with Folder() as folder:
            page = folder / "report.html"
            seconds = bench.tools.run(bench.tools.loadlog, "report", "-q", "-o", page, "--db", store).seconds
            return {name: seconds, size: page.stat().st_size}
    return run
