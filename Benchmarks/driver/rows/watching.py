"""Row 6b: questions while others record as fast as they can."""

import threading
import time
from statistics import median

from measuring import Mark, Row
from rows.bench import Bench
from tools import Folder

CONTROLLERS = 4
TASKS = 500  # per controller
PERIOD = 0.1  # seconds from one question to the next
IDLE_QUESTIONS = 20
BUSY = 4  # exit code of a question that missed its deadline; its time counts like any other


class LogWatch:
    """The largest size of a store's write-ahead log, sampled every few milliseconds. Uses `stat` only, because opening
    and closing a file of a live store would release SQLite's locks."""

    def __init__(self, store):
        self.log, self.greatest = store.with_name(store.name + "-wal"), 0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._sample)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._over.set()
        self._thread.join()

    def _sample(self):
        while not self._over.wait(0.005):
            try:
                self.greatest = max(self.greatest, self.log.stat().st_size)
            except FileNotFoundError:
                pass


def status_while_recording(bench: Bench):
    tools, seconds, idle_loads = bench.tools, bench.sizes.watched_seconds, bench.sizes.status[1]
    idle, idle_store = f"an idle store of {idle_loads:,} loads", bench.stores.store(idle_loads)

    def ask(store):
        return tools.run(tools.loadlog, "status", "--db", store, codes=(0, BUSY)).seconds

    def watched(name, *recorders):
        """Asks while the recorders run, and again after they have closed the store. The base is a store that was made
        in advance and never had two writers, because recording may have made this one slow for good."""
        def run():
            with Folder() as folder:
                store = folder / "loadlog.db"
                tools.run(tools.measure, "idle", store)  # creates the store
                with LogWatch(store) as log:
                    running = [
                        tools.begin(tools.measure, "recording", store, seconds, TASKS, "async", controllers)
                        for controllers in recorders]
                    asked = []
                    while any(recorder.poll() is None for recorder in running):
                        began = time.monotonic()
                        asked.append(ask(store))
                        time.sleep(max(0, began + PERIOD - time.monotonic()))
                    loads = sum(result["pairs"] for result in tools.json_results(running))
                after = [(ask(store), ask(idle_store)) for _ in range(IDLE_QUESTIONS)]
                third = len(asked) // 3 or 1
                return {
                    f"{name}: status": median(asked),
                    f"{name}: the first third": median(asked[:third]),
                    f"{name}: the last third": median(asked[-third:]),
                    f"{name}: p99": sorted(asked)[len(asked) * 99 // 100],
                    f"{name}: slowest": max(asked),
                    f"{name}: after the close": median(seconds for seconds, _ in after),
                    idle: median(seconds for _, seconds in after),
                    f"{name}: largest log": log.greatest,
                    f"{name}: recorded": loads,
                    f"{name}: asked": len(asked),
                }
        return run

    names = ("1 process", "4 processes")
    marks, units = [], {}
    for name in names:
        marks += [
            Mark(f"{name}: status", idle, "≤", 5),
            Mark(f"{name}: after the close", idle, "≤", 5),
            Mark(f"{name}: p99", None, "<", 0.25, "s", pick=max),
            Mark(f"{name}: largest log", None, "<", 64e6, "B", pick=max)]
        units |= {
            f"{name}: largest log": "B", f"{name}: recorded": "#loads", f"{name}: asked": "#questions"}
    return Row(
        "6b", f"`loadlog status` while 4 controllers × {TASKS} tasks record for {seconds:g} s on one store", "s",
        [watched(names[0], CONTROLLERS), watched(names[1], *[1] * CONTROLLERS)], marks, turns=3, units=units)
