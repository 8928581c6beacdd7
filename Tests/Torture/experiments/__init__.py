"""The experiments by name, in the order in which they run. `threads` never waits, so others run beside it, not after it."""

import importlib

NAMES = [
    "threads", "kills", "power_cuts", "faults", "full_disk", "storm", "robbery", "alarms", "pings", "requests", "slow_clients",
    "hostile", "sick_store", "fleet_kills", "fleet_power_cuts", "fleet_restore", "fleet_network", "fleet_offline",
    "fleet_lease", "fleet_secrets", "fleet_failover", "fleet_size", "fairness", "clocks", "soak", "damage", "hostile_text",
    "bad_input", "fuzz",
]  # fmt: skip


def all():
    """Modules by name; each has a docstring whose first line says what it does, and `run(bench)`, which returns an
    outcome, or nothing if it runs in the long form only."""
    return {name: importlib.import_module(f"experiments.{name}") for name in NAMES}
