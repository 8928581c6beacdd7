"""The table as text: printed, and written to RESULTS.md."""

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
    """RESULTS.md, with Reasons/N.md below row N."""
    parts = [
        "# Results", "",
        "Written by `./dev bench`: one run on one machine. Contestants take "
        f"{turns} {'turn' if turns == 1 else 'turns'}, A B A B; where a row has fewer turns, its table says so.", "",
        "Most marks are ratios of two medians from this run. Times and sizes in **bold** are absolute: users can rely on "
        "them, and they depend on the machine and its disk. All other times and rates only explain the ratios. "
        "[Peers](Peers/README.md) says what each peer does and does not do.", "",
        *(f"- {line}" for line in machine()), "",
        "| # | work | figure | measured | mark | reached |", "| --- | --- | --- | --- | --- | --- |",
        *(line for row in rows for line in summary(row)), ""]
    for row in rows:
        parts += [f"## {row.number}. {row.work}", "", *figures(row), ""]
        reason = REASONS / f"{row.number}.md"
        if reason.exists():
            parts += [reason.read_text(encoding="utf-8").strip(), ""]
    return "\n".join(parts)


def summary(row):
    for mark in row.measured_marks:
        value = amount(mark.value(row.samples), mark.unit)
        bound = f"{mark.sign} {amount(mark.bound, mark.unit)}"
        if mark.is_absolute:
            bound = f"**{bound}**"
        reached = "yes" if mark.is_met(row.samples) else "**no**"
        yield f"| {row.number} | {row.work} | {mark.what} | {value} | {bound} | {reached} |"
    for name in row.skipped:
        yield f"| {row.number} | {row.work} | {name} is not installed | – | – | skipped |"


def figures(row):
    yield "| figure | median | minimum | maximum | turns |"
    yield "| --- | --- | --- | --- | --- |"
    for name, samples in row.samples.items():
        texts = " | ".join(row.text(name, pick(samples)) for pick in (median, min, max))
        yield f"| {name} | {texts} | {len(samples)} |"


def machine():
    """The machine and the versions that the figures hold for."""
    model = next(
        (line.split(":", 1)[1].strip() for line in _read("/proc/cpuinfo").splitlines()
         if line.startswith("model name")), platform.processor())
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    measured = ["Package.swift", "Sources", "Migrations", "Benchmarks/Sources", "Benchmarks/Peers"]
    changed = _output("git", "-C", ROOT, "status", "--porcelain", "--", *measured)
    return [
        f"{datetime.now(timezone.utc):%Y-%m-%d}, commit {_output('git', '-C', ROOT, 'rev-parse', '--short', 'HEAD')}"
        + (", with uncommitted changes" if changed else ""),
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
