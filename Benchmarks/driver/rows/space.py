"""Rows 10 and 11: bytes on disk and in memory."""

from measuring import Mark, Row
from rows.bench import Bench
from tools import Folder


def bytes_on_disk(bench: Bench):
    loads = bench.sizes.status[-1]
    return Row(
        "10", "bytes on disk per load, indexes and histograms included, 10,000,000 loads", "B",
        [lambda: {
            "LoadLog": bench.stores.size(loads) / loads,
            "csv": bench.stores.raw(loads).stat().st_size / loads}],
        [Mark("LoadLog", None, "≤", 130, "bytes"), Mark("LoadLog", "csv", "≤", 1.5)], turns=1)


def memory(bench: Bench):
    tools, sizes = bench.tools, bench.sizes
    large = bench.stores.lines_of_size(sizes.status[-1], sizes.large_import)
    store = bench.stores.store(sizes.status[-1])

    def measured(name, *command):
        def run():
            with Folder() as folder:
                parts = [part(folder) if callable(part) else part for part in command]
                return {name: tools.run(*parts).memory - tools.run(tools.empty).memory}
        return run

    def new_store(folder):
        return folder / "loadlog.db"

    return Row(
        "11", "memory beyond that of an empty process", "B",
        [
            measured("idle controller", tools.measure, "idle", new_store),
            measured("512 tasks", tools.measure, "recording", new_store, sizes.seconds, 512, "async"),
            measured("status at 10,000,000", tools.loadlog, "status", "--db", store),
            measured("import of 1 GB", tools.loadlog, "import", large, "--format", "ndjson", "--db", new_store),
        ],
        [
            Mark("idle controller", None, "≤", 8e6, "B"),
            Mark("512 tasks", None, "≤", 40e6, "B"),
            Mark("status at 10,000,000", None, "≤", 40e6, "B"),
            Mark("import of 1 GB", None, "≤", 64e6, "B")])
