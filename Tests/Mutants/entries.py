"""Reads the entries of `*.mutants` and applies them.

An entry removes one rule from the project:

    # name-of-the-mutant
    rule: the rule that is gone when the entry is applied
    killed by: a filter for `swift test`, `torture EXPERIMENT`, or `script NAME` for Tests/Scripts/NAME.py
    file: Sources/LoadLogSQLite/Summaries/Summary.swift
    --- before
        numbers.unbalanced.unacknowledged = numbers.unbalanced.total - acknowledged
    --- after
        numbers.unbalanced.unacknowledged = numbers.unbalanced.total

The lines after `--- before` must occur exactly once in the file, one after another and with their indentation. The
lines after `--- after` replace them; there may be none. More pairs of `--- before` and `--- after` change more places
of the same file, another `file:` line begins another file. Blank lines at the end of either part are ignored.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
FOLDER = Path(__file__).resolve().parent


class BadEntry(Exception):
    """An entry that cannot be read or applied; the text says where and why."""


@dataclass
class Change:
    """Lines of one file that an entry replaces."""

    file: str
    before: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)


@dataclass
class Mutant:
    """One entry."""

    name: str
    target: str
    place: str
    rule: str = ""
    killer: str = ""
    changes: list[Change] = field(default_factory=list)

    def files(self):
        """The files it changes, each once, in the order of the entry."""
        return list(dict.fromkeys(change.file for change in self.changes))

    def mutated(self, file, text):
        """The text of a file with this entry's changes. All places are found in the text as it was before."""
        lines = text.split("\n")
        found = sorted(
            ((self.position(change, lines), change) for change in self.changes if change.file == file),
            key=lambda pair: pair[0],
        )
        for (start, change), (next_start, _) in zip(found, found[1:]):
            if start + len(change.before) > next_start:
                raise BadEntry(f"{self.place}: {self.name}: two changes of {file} share line {next_start + 1}")
        for start, change in reversed(found):
            lines[start : start + len(change.before)] = change.after
        return "\n".join(lines)

    def position(self, change, lines):
        """The index of the first line that a change replaces."""
        length = len(change.before)
        starts = [start for start in range(len(lines) - length + 1) if lines[start : start + length] == change.before]
        if len(starts) != 1:
            places = " and ".join(str(start + 1) for start in starts[:3])
            count = f"occur {len(starts)} times (lines {places})" if starts else "do not occur"
            raise BadEntry(
                f"{self.place}: {self.name}: its lines {count} in {change.file}; they must occur exactly once:\n"
                + "\n".join("    | " + line for line in change.before)
            )
        return starts[0]


def read_all(folder=FOLDER):
    """All entries, and a message for each line that cannot be read."""
    mutants, problems = [], []
    for file in sorted(folder.glob("*.mutants")):
        entries, messages = read(file)
        mutants += entries
        problems += messages
    return mutants, problems


def read(file):
    """The entries of one file, and a message for each line that cannot be read."""
    mutants, problems = [], []
    mutant = change = part = None
    path = ""
    for number, line in enumerate(file.read_text(encoding="utf-8").split("\n"), start=1):
        place = f"{file.name}:{number}"
        if heading := re.fullmatch(r"# ([a-z0-9-]+)", line):
            mutant, change, part, path = Mutant(heading[1], file.stem, place), None, None, ""
            mutants.append(mutant)
        elif mutant and line.startswith("file: "):
            path, change, part = line.removeprefix("file: ").strip(), None, None
        elif mutant and path and line == "--- before":
            change = Change(path)
            mutant.changes.append(change)
            part = change.before
        elif change and line == "--- after" and part is change.before:
            part = change.after
        elif part is not None:
            part.append(line)
        elif mutant and not path and line.startswith("rule: "):
            mutant.rule = line.removeprefix("rule: ").strip()
        elif mutant and not path and line.startswith("killed by: "):
            mutant.killer = line.removeprefix("killed by: ").strip()
        elif line.strip():
            problems.append(f"{place}: this line does not belong to an entry: {line}")
    for change in (change for mutant in mutants for change in mutant.changes):
        for lines in (change.before, change.after):
            while lines and not lines[-1].strip():
                lines.pop()
    return mutants, problems
