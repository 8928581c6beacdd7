"""The table as text: printed, and kept as RESULTS.md."""

import os
import platform
import sqlite3
import subprocess
from datetime import datetime, timezone
from statistics import median

from measuring import amount
from tools import BENCHMARKS, DATA, ROOT

REASONS = BENCHMARKS / "Reasons"


def page(rows, turns):
    """RESULTS.md; what Reasons/N.md says of row N goes along."""
    parts = [
        "# Results", "",
        "Written by `./dev bench`, one run on one machine. A figure is a ratio of medians, contestants taking "
        f"{turns} {'turn' if turns == 1 else 'turns'} A B A B; times and rates are this machine's alone. What the peers do "
        "and do not do is said in [Peers](Peers).", "",
        *(f"- {line}" for line in machine()), "",
        "| # | work | ratio | is | reach | met |", "| --- | --- | --- | --- | --- | --- |",
        *(line for row in rows for line in summary(row)), ""]
    for row in rows:
        parts += [f"## {row.number}. {row.work}", "", *figures(row), ""]
        reason = REASONS / f"{row.number}.md"
        if reason.exists():
            parts += [reason.read_text(encoding="utf-8").strip(), ""]
    return "\n".join(parts)


def summary(row):
    for reach in row.possible_reaches:
        value = amount(reach.value(row.samples), reach.unit)
        met = "yes" if reach.is_met(row.samples) else "**no**"
        bound = amount(reach.bound, reach.unit)
        yield f"| {row.number} | {row.work} | {reach.what} | {value} | {reach.sign} {bound} | {met} |"
    for name in row.skipped:
        yield f"| {row.number} | {row.work} | {name} is not here | – | – | skipped |"


def figures(row):
    yield "| figure | median | least | greatest | turns |"
    yield "| --- | --- | --- | --- | --- |"
    for name, samples in row.samples.items():
        texts = " | ".join(row.text(name, pick(samples)) for pick in (median, min, max))
        yield f"| {name} | {texts} | {len(samples)} |"


def machine():
    """What the figures hold for."""
    model = next(
        (line.split(":", 1)[1].strip() for line in _read("/proc/cpuinfo").splitlines()
         if line.startswith("model name")), platform.processor())
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    measured = ["Package.swift", "Sources", "Migrations", "Benchmarks/Sources", "Benchmarks/Peers"]
    changed = _output("git", "-C", ROOT, "status", "--porcelain", "--", *measured)
    return [
        f"{datetime.now(timezone.utc):%Y-%m-%d}, commit {_output('git', '-C', ROOT, 'rev-parse', '--short', 'HEAD')}"
        + (", with changes" if changed else ""),
        f"{model}, {os.cpu_count()} cores, {amount(memory, 'B')} memory; {platform.system()} {platform.release()}; "
        f"{_output('findmnt', '-no', 'FSTYPE', '-T', DATA)}",
        f"SQLite {sqlite3.sqlite_version}; {_output('swift', '--version').splitlines()[0]}",
    ]


def _read(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError:
        return ""


def _output(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return done.stdout.decode().strip()
