"""Simulates power cuts at random moments, and opens the stores that the disk may hold then.

A shim records, in one order, every write, truncation, synchronization and change of a name that three programs make at
one store from its creation on, and their acknowledgements. From the record the experiment makes images of the disk
after a cut and reads them: every load acknowledged before the cut must be there.

With `durability: .process` a cut may lose only loads acknowledged in the last 10 s, and the store must stay
consistent.

There are two controls. NORMAL checks the record of `durability: .process`, which is SQLite's `synchronous=NORMAL`,
against the promise of the default: it must lose loads. OFF is the record of the default durability without the
synchronizations after the creation of the store, as with `synchronous=OFF`, which the product does not offer: it must
corrupt stores. Its cuts are after the first checkpoint: before that, the checksums in the log protect the store in any
order of writes, and the time of the first checkpoint depends on the machine.
"""

import bisect
import multiprocessing
import os
import pathlib
import random
import shutil
import subprocess
import tempfile

import disk
import stores
from bench import Refused
from outcome import Outcome
from recorder import Recorder
from testimony import Damaged, Record, RUNNING, Testimony

PROGRAMS = 3
# The bound of `durability: .process`, in nanoseconds.
BOUND = 10_000_000_000
# NORMAL must lose something in this many images, or the run proves nothing.
LOSING = 1_000
# One of this many images is also opened by loadlog.
SAMPLE = 50


def run(bench):
    images = bench.times(10_000, 100_000)
    share = images // 5
    # The promise of `.process` is a time, so record for longer than that, and so slowly that no checkpoint moves the log
    # into the database, which would make it durable. Then record nothing: the last loads must become durable too.
    relaxed = Workload(bench, "process", durability="process")
    relaxed.begin(bench.times(1, 6) * [(30, 20, 0), (8, 2500, 14)])
    strict = Workload(bench, "power", durability="power")
    strict.begin(8 * [(9, 0, 0)])
    strict.end()
    bench.say(strict.description)
    power = strict.cut(images)
    off = strict.cut(share, first=strict.moved, synchronizes=strict.only_until_made, sample=None)
    relaxed.end()
    bench.say(relaxed.description)
    process = relaxed.cut(share, bound=BOUND)
    normal = relaxed.cut(share, sample=None)

    outcome = Outcome(tried=images + share, lost=power.lost + process.lost, corrupt=power.corrupt + process.corrupt)
    outcome.survived = outcome.tried - power.failed - process.failed
    for fault in power.faults + process.faults:
        outcome.fail(fault)
    outcome.control = (
        f"OFF corrupts {off.corrupt:,} of {share:,}, NORMAL loses in {normal.losing:,} of {share:,}"
    )
    outcome.is_void = off.corrupt < share / 2 or normal.losing < LOSING
    bench.say(f"default durability: {images - power.failed:,} of {images:,} images hold all that was acknowledged")
    bench.say(f"`.process`: {share - process.failed:,} of {share:,} hold all but the last {BOUND // 10**9} s")
    return outcome


class Workload:
    """A record of three programs that write to one store."""

    def __init__(self, bench, name, durability):
        self.bench, self.durability = bench, durability
        self.folder = bench.folder / name
        self.folder.mkdir()
        self.store = self.folder / "store" / "loadlog.db"
        self.store.parent.mkdir(mode=0o700)
        self.path = self.folder / "record"
        self.path.touch()
        self.environment = {
            "LD_PRELOAD": bench.compiled("record.c", "-shared", "-fPIC"),
            "LOADLOG_TORTURE_STORE": str(self.store),
            "LOADLOG_TORTURE_RECORD": str(self.path),
        }

    def begin(self, rounds):
        """For each round, how many loads a task of each program makes, with which pause in milliseconds, and for how
        many seconds nothing is recorded then."""
        self.rounds = rounds
        self.recorders = [
            Recorder(self.bench, self.store, self.durability, environment=self.environment) for _ in range(PROGRAMS)
        ]
        for number, recorder in enumerate(self.recorders):
            for round, (loads, pause, idle) in enumerate(rounds):
                tasks = number + 1
                recorder.tell(
                    f"push pushes-{number} 2", "flush", f"loads feed-{number % 2} {loads * tasks} {tasks} {pause}",
                    "start open", f"pop pops-{number} 1", "flush", f"push pushes-{number} 1", f"pop pushes-{number} 1",
                    f"idle {idle}", f"say {round}",
                )

    def end(self):
        """Has the log moved into the database after every round, while the programs go on, until they end."""
        for round in range(len(self.rounds)):
            for recorder in self.recorders:
                recorder.await_line(f"said {round}")
                # Exit code 1: it reports imbalances, such as extra pops.
                subprocess.run(
                    [self.bench.loadlog, "doctor", "--repair", "--db", self.store], capture_output=True, timeout=300,
                    env={**os.environ, **self.environment},
                )
        for recorder in self.recorders:
            recorder.tell("close")
            if recorder.finish() != 0:
                raise RuntimeError(recorder.errors.decode())
        self.entries = disk.read(self.path)
        made = max(index for index, entry in enumerate(self.entries[:1000]) if entry.kind == b"r")
        self.made = next(index for index, entry in enumerate(self.entries) if index > made and entry.kind == b"d")
        logged = self._first_write(f"{self.store}-wal", after=self.made)
        self.moved = self._first_write(str(self.store), after=logged)

    def _first_write(self, name, after):
        return next(
            index for index, entry in enumerate(self.entries)
            if index > after and entry.kind == b"w" and entry.name == name
        )

    @property
    def description(self):
        kinds = [entry.kind for entry in self.entries]
        size = sum(len(entry.bytes) for entry in self.entries) / 1e6
        seconds = (self.entries[-1].time - self.entries[0].time) / 1e9
        return (
            f"{self.durability}: {kinds.count(b'w'):,} writes, {size:.0f} MB, {kinds.count(b's'):,} synchronizations,"
            f" {kinds.count(b't')} cuts, {kinds.count(b'o'):,} lines said in {seconds:.0f} s"
        )

    def only_until_made(self, entry):
        """For a control: ignores all synchronizations after the creation of the store."""
        return entry.time <= self.entries[self.made].time

    def cut(self, images, first=0, bound=0, synchronizes=None, sample=SAMPLE):
        """Cuts the power so often and looks at what is left: after any call from the first; and where the promise speaks of
        seconds, half of the times at any moment, for nothing is called while nothing happens."""
        chance = self.bench.random
        times = [entry.time for entry in self.entries]

        def cut(number):
            if bound and number % 2:
                moment = chance.randint(times[first], times[-1])
                return bisect.bisect_right(times, moment), moment
            after = chance.randint(first, len(times))
            return after, times[max(after - 1, 0)]

        cuts = sorted(cut(number) for number in range(images))
        shares = min(os.cpu_count(), images)
        jobs = [
            Job(self, cuts[number::shares], bound, synchronizes, sample, chance.randrange(2**32))
            for number in range(shares)
        ]
        global _jobs
        _jobs = jobs
        # Fork, so that the record need not be copied to the workers.
        with multiprocessing.get_context("fork").Pool(shares) as pool:
            found = pool.map(_work, range(shares))
        return sum(found[1:], start=found[0])


_jobs = []


def _work(number):
    return _jobs[number].run()


class Found:
    """The failures that were found in images."""

    def __init__(self):
        self.lost = self.losing = self.corrupt = self.failed = 0
        self.faults = []

    def __add__(self, other):
        sum = Found()
        for name in ("lost", "losing", "corrupt", "failed", "faults"):
            setattr(sum, name, getattr(self, name) + getattr(other, name))
        return sum


class Job:
    """Some of the cuts of a workload."""

    def __init__(self, workload, cuts, bound, synchronizes, sample, seed):
        self.workload, self.cuts, self.bound, self.sample = workload, cuts, bound, sample
        self.synchronizes = synchronizes or (lambda entry: True)
        self.chance = random.Random(seed)

    def run(self):
        found = Found()
        entries = self.workload.entries
        state = disk.Disk(self.synchronizes)
        said, promised = Hearing(), Hearing()
        times = [entry.time for entry in entries]
        memory = "/dev/shm" if os.path.isdir("/dev/shm") else None
        with tempfile.TemporaryDirectory(prefix="loadlog-image-", dir=memory) as folder:
            played = heard = 0
            for number, (cut, moment) in enumerate(self.cuts):
                for entry in entries[played:cut]:
                    state.play(entry)
                    said.hear(entry)
                played = cut
                # Loads acknowledged within the bound before the cut may be lost.
                last = cut if not self.bound else bisect.bisect_right(times, moment - self.bound)
                for entry in entries[heard:last]:
                    promised.hear(entry)
                heard = max(heard, last)
                is_sampled = self.sample is not None and number % self.sample == 0
                self._look(pathlib.Path(folder), state, promised, said, f"cut after {cut} calls", is_sampled, found)
        return found

    def _look(self, folder, state, promised, said, place, is_sampled, found):
        shutil.rmtree(folder / "image", ignore_errors=True)
        store = folder / "image" / "loadlog.db"
        store.parent.mkdir(mode=0o700)
        for name, content in state.image(self.chance).items():
            (store.parent / os.path.basename(name)).write_bytes(content)
        lost, wrong = [], []
        try:
            if store.exists():
                record = Record(store)
                lost = list(record.lost(promised.testimonies))
                wrong = list(record.invented(said.testimonies, in_flight=sum(range(1, PROGRAMS + 1))))
                if is_sampled:
                    wrong += self._ask(store, record)
            elif any(testimony.started or testimony.pushed for testimony in promised.testimonies):
                lost = ["the store"]
        except (Damaged, Refused) as damage:
            found.corrupt += 1
            wrong = [str(damage)]
        found.lost += len(lost)
        found.losing += bool(lost)
        found.failed += bool(lost or wrong)
        found.faults += [f"{place}: {fault}" for fault in (lost + wrong)[:3]]
        # A control is expected to fail.
        if (lost or wrong) and self.sample is not None and store.parent.exists():
            self.workload.bench.keep(store.parent, f"{self.workload.durability}, {place}")

    def _ask(self, store, record):
        """Checks that loadlog finds the image sound and reports the same imbalances; all programs are gone."""
        bench = self.workload.bench
        yield from stores.complaints(bench, store)
        listed = [row["id"] for row in bench.ask(store, "unbalanced")["unbalanced"]]
        if sorted(listed) != sorted(record.unbalanced | record.ids(RUNNING)):
            yield f"unbalanced lists {len(listed)} for {len(record.unbalanced | record.ids(RUNNING))}"


class Hearing:
    """Reads the output of each program on a thread of its own."""

    def __init__(self):
        self.by_process = {}

    def hear(self, entry):
        if entry.kind == b"o":
            testimony = self.by_process.setdefault(entry.process, Testimony())
            for line in entry.bytes.decode().splitlines():
                testimony.hear(line)

    @property
    def testimonies(self):
        return self.by_process.values()
