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


class Results:
    """RESULTS.md: of each row the last figures, with Reasons/N.md below them."""

    def __init__(self, text):
        # By number of row: its lines in the table of marks, and its title, machine and figures.
        self.marks, self.figures = {}, {}
        head, *parts = text.split("\n## ")
        for line in head.splitlines():
            number = line.removeprefix("| ").split(" |")[0]
            if line.startswith("| ") and number not in ("#", "---"):
                self.marks.setdefault(number, []).append(line)
        for part in parts:
            lines = part.splitlines()
            self.figures[lines[0].split(".")[0]] = [
                line for line in lines if line == lines[0] or line.startswith(("|", "Measured "))]

    def put(self, row):
        """Replaces the figures of a row."""
        self.marks[row.number] = list(summary(row))
        self.figures[row.number] = [f"{row.number}. {row.work}", machine(), *figures(row)]

    def page(self, numbers):
        """The text, with the rows in an order; others are left out."""
        numbers = [number for number in numbers if number in self.figures]
        parts = [
            "# Results", "",
            "Written by `./dev bench`, which replaces the rows that it measures. Contestants take turns, A B A B.", "",
            "Most marks are ratios of two medians from one run. Times and sizes in **bold** are absolute: users can rely on "
            "them, and they depend on the machine and its disk. All other times and rates only explain the ratios. "
            "[Peers](Peers/README.md) says what each peer does and does not do.", "",
            "| # | work | figure | measured | mark | reached |", "| --- | --- | --- | --- | --- | --- |",
            *(line for number in numbers for line in self.marks[number])]
        for number in numbers:
            title, measured, *table = self.figures[number]
            parts += ["", f"## {title}", "", measured, "", *table]
            reason = REASONS / f"{number}.md"
            if reason.exists():
                parts += ["", reason.read_text(encoding="utf-8").strip()]
        return "\n".join(parts) + "\n"


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
    """When, of which commit and on which machine a row was measured."""
    model = next(
        (line.split(":", 1)[1].strip() for line in _read("/proc/cpuinfo").splitlines()
         if line.startswith("model name")), platform.processor())
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    sources = ["Package.swift", "Sources", "Migrations", "Benchmarks/Sources", "Benchmarks/Peers"]
    changed = _output("git", "-C", ROOT, "status", "--porcelain", "--", *sources)
    return (
        f"Measured on {datetime.now(timezone.utc):%Y-%m-%d}, commit "
        f"{_output('git', '-C', ROOT, 'rev-parse', '--short', 'HEAD')}"
        + (" with uncommitted changes" if changed else "")
        + f": {model}, {os.cpu_count()} cores, {amount(memory, 'B')} memory; {platform.system()} {platform.release()}; "
        f"{_output('findmnt', '-no', 'FSTYPE', '-T', DATA)}; SQLite {sqlite3.sqlite_version}; "
        f"{_output('swift', '--version').splitlines()[0]}")


def _read(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError:
        return ""


def _output(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return done.stdout.decode().strip()
