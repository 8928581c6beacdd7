"""Figures, measured in turns, and the marks that they must reach."""

import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import median

COMPARISONS = {"≥": operator.ge, "≤": operator.le, "<": operator.lt}


@dataclass(frozen=True)
class Mark:
    """A bound for the ratio of two figures. Without `base` it bounds the figure itself.

    A figure is the median of its turns; `pick=max` takes the worst turn, for what must hold all the time."""

    figure: str
    base: str | None
    sign: str  # a key of COMPARISONS
    bound: float
    unit: str = "×"
    pick: Callable = median

    def value(self, samples):
        value = self.pick(samples[self.figure])
        return value if self.base is None else value / median(samples[self.base])

    def is_met(self, samples):
        return COMPARISONS[self.sign](self.value(samples), self.bound)

    @property
    def is_absolute(self):
        """A time or a size, and no ratio: it depends on the machine."""
        return self.base is None and self.unit in SCALES

    @property
    def what(self):
        figure = self.figure + (", worst turn" if self.pick is max else "")
        return figure if self.base is None else f"{figure} ÷ {self.base}"


@dataclass
class Row:
    """One row of the table: contestants that do the same work. Each is a function that does the work once and returns
    its figures by name."""

    number: str
    work: str
    unit: str
    contestants: list
    marks: list
    turns: int | None = None  # fewer turns, where a figure hardly varies or a turn takes long
    units: dict = field(default_factory=dict)  # of figures whose unit is not `unit`
    samples: dict = field(default_factory=dict)
    skipped: list = field(default_factory=list)

    def measure(self, turns, say):
        """Contestants take turns, A B A B, so that anything that slows the machine down slows all of them down."""
        for turn in range(min(turns, self.turns or turns)):
            for contestant in self.contestants:
                figures = contestant()
                for name, value in figures.items():
                    self.samples.setdefault(name, []).append(value)
                say(f"row {self.number}, turn {turn + 1}: " + ", ".join(
                    f"{name} {self.text(name, value)}" for name, value in figures.items()))

    @property
    def measured_marks(self):
        """The marks whose figures were measured."""
        return [
            mark for mark in self.marks
            if mark.figure in self.samples and (mark.base is None or mark.base in self.samples)]

    def text(self, name, value):
        return amount(value, self.units.get(name, self.unit))


SCALES = {
    "s": [(1, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")],
    "B": [(1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1, "bytes")],
}


def amount(value, unit):
    """Three digits and a unit that fits the size. A unit that begins with # is what is counted: all digits, no fraction."""
    if unit.startswith("#"):
        return f"{value:,.0f} {unit[1:]}".rstrip()
    scales = SCALES.get(unit, [(1, unit)])
    size, name = next((scale for scale in scales if abs(value) >= scale[0]), scales[-1])
    value /= size
    digits = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2
    return f"{value:,.{digits}f} {name}".rstrip()
