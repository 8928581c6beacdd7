"""The result of an experiment."""

from dataclasses import dataclass, field


class Skipped(Exception):
    """The experiment cannot run on this machine; the text says what is missing."""


@dataclass
class Outcome:
    """The numbers of one experiment.

    `lost` counts acknowledged records that are missing, `corrupt` stores that cannot be read or have wrong contents.
    `control` is the result without the rule, or empty if the experiment has no control. `is_void` means that the
    control did not fail, so the run proves nothing.
    """

    tried: int = 0
    survived: int = 0
    lost: int = 0
    corrupt: int = 0
    control: str = ""
    is_void: bool = False
    failures: list[str] = field(default_factory=list)

    def fail(self, line):
        """Notes any other failure."""
        self.failures.append(line)

    @property
    def holds(self):
        return self.tried > 0 and self.survived == self.tried and not (
            self.lost or self.corrupt or self.is_void or self.failures
        )

    @property
    def verdict(self):
        return "holds" if self.holds else "void" if self.is_void else "FAILED"

    @property
    def numbers(self):
        """The texts of the columns "tried" to "control"."""
        counts = (self.tried, self.survived, self.lost, self.corrupt)
        return [*(f"{count:,}" for count in counts), self.control or "–"]


class Table:
    HEADINGS = ("experiment", "tried", "survived", "lost", "corrupt", "control", "")

    def __init__(self):
        self.rows = []
        self.failures = []
        self.holds = True

    def add(self, name, outcome, seconds):
        self.holds = self.holds and outcome.holds
        self.rows.append((name, *outcome.numbers, f"{outcome.verdict}, {seconds:,.0f} s"))
        self.failures += (f"{name}: {line}" for line in outcome.failures[:20])

    def skip(self, name, reason):
        self.rows.append((name, "–", "–", "–", "–", "–", f"skipped: {reason}"))

    def text(self):
        rows = [self.HEADINGS, *self.rows]
        widths = [max(len(row[column]) for row in rows) for column in range(len(self.HEADINGS))]
        lines = []
        for row in rows:
            cells = [
                cell.rjust(width) if 1 <= column <= 4 else cell.ljust(width)
                for column, (cell, width) in enumerate(zip(row, widths))
            ]
            lines.append("  ".join(cells).rstrip())
        # Once more: one reads a long log from its end.
        return "\n".join(lines + self.failures)
