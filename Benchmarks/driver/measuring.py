"""Figures, taken in turns, and what they are held against."""

from dataclasses import dataclass, field
from statistics import median


@dataclass(frozen=True)
class Reach:
    """A bound for the ratio of two medians; without `base` for a median itself."""

    figure: str
    base: str | None
    sign: str  # ≥ or ≤
    bound: float
    unit: str = "×"

    def value(self, samples):
        value = median(samples[self.figure])
        return value if self.base is None else value / median(samples[self.base])

    def is_met(self, samples):
        value = self.value(samples)
        return value >= self.bound if self.sign == "≥" else value <= self.bound

    @property
    def what(self):
        return self.figure if self.base is None else f"{self.figure} ÷ {self.base}"


@dataclass
class Row:
    """One line of the table: contestants that do the same work, each a function that does it once and returns its
    figures by name."""

    number: int
    work: str
    unit: str
    contestants: list
    reaches: list
    turns: int | None = None  # fewer, where a figure does not vary
    units: dict = field(default_factory=dict)  # of single figures, where they differ
    samples: dict = field(default_factory=dict)
    skipped: list = field(default_factory=list)

    def measure(self, turns, say):
        """In turns, A B A B, so that what slows the machine down slows all of them down."""
        for turn in range(min(turns, self.turns or turns)):
            for contestant in self.contestants:
                figures = contestant()
                for name, value in figures.items():
                    self.samples.setdefault(name, []).append(value)
                say(f"row {self.number}, turn {turn + 1}: " + ", ".join(
                    f"{name} {self.text(name, value)}" for name, value in figures.items()))

    @property
    def possible_reaches(self):
        return [
            reach for reach in self.reaches
            if reach.figure in self.samples and (reach.base is None or reach.base in self.samples)]

    def text(self, name, value):
        return amount(value, self.units.get(name, self.unit))


SCALES = {
    "s": [(1, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")],
    "B": [(1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1, "bytes")],
}


def amount(value, unit):
    """Three digits and a unit of a fitting size."""
    scales = SCALES.get(unit, [(1, unit)])
    size, name = next((scale for scale in scales if abs(value) >= scale[0]), scales[-1])
    value /= size
    digits = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2
    return f"{value:,.{digits}f} {name}".rstrip()
