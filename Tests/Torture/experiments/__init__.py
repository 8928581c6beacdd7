"""The experiments by name, in the order in which they are made."""

import importlib

NAMES = ["damage"]


def all():
    """Modules by name; each has a docstring whose first line says what is done, and `run(bench)`, which returns an
    outcome, or nothing if it is made in the long form only."""
    return {name: importlib.import_module(f"experiments.{name}") for name in NAMES}
