"""Kills processes while they record: at random moments, and at each call that changes a file of the store.

Four programs write to one store while another's load is open. Each is killed, two when they have acknowledged a random
number of lines, two by a shim at a random call. Then programs with a fixed course are killed at their first call that
writes, synchronizes, truncates, renames or deletes, at their second, and so on: one creates a store, one finds a long
log and checkpoints it, and one repairs.

The control: counts the lines that a program prints before it records a load as acknowledgements. Loads of a program
that is killed in between must be missing, as if LoadLog acknowledged them before the commit.
"""

import os
import random
import shutil
import signal
import subprocess
from concurrent.futures import ThreadPoolExecutor

import stores
from bench import Refused
from outcome import Outcome
from recorder import Meddling, Recorder
from testimony import CRASHED, Damaged, RUNNING, Record, Testimony

WRITERS = 4


def run(bench):
    outcome = Outcome()
    early = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        rounds = [(number, bench.random.randrange(2**32)) for number in range(bench.times(200, 2000))]
        for verdict in pool.map(lambda each: random_round(bench, *each), rounds):
            _count(outcome, verdict)
            early += verdict.early
        bench.say(f"{outcome.tried} rounds with {WRITERS} writers killed")
        for course in (_new_store(bench), _long_log(bench), _repair(bench)):
            before = outcome.tried
            for verdict in _at_each_call(bench, pool, course):
                _count(outcome, verdict)
                early += verdict.early
            bench.say(f"{course.name}: killed at each of {outcome.tried - before} calls")
    outcome.control = f"acknowledged before they are committed, {early:,} are lost"
    outcome.is_void = not early
    return outcome


class Verdict:
    """The result for one store: all failures, by the kind of check."""

    def __init__(self, place):
        self.place = place
        self.is_killed = True
        self.early = 0
        self.lost, self.corrupt, self.wrong = [], [], []

    @property
    def faults(self):
        return self.lost + self.corrupt + self.wrong


def _count(outcome, verdict):
    outcome.tried += 1
    outcome.lost += len(verdict.lost)
    outcome.corrupt += len(verdict.corrupt)
    outcome.survived += not verdict.faults
    for fault in verdict.faults:
        outcome.fail(f"{verdict.place}: {fault}")


# At random moments.


def random_round(bench, number, seed):
    chance = random.Random(seed)
    folder = bench.folder / f"random-{number}"
    folder.mkdir()
    store = folder / "loadlog.db"
    witness = Recorder(bench, store)
    witness.tell("start open", "say ready")
    witness.await_line("said ready")
    survivors = {stores.survivor(bench, store), *witness.testimony.started}
    writers = []
    for index in range(WRITERS):
        environment = None
        if index % 2:
            meddling = Meddling(bench, store, f"control-{index}")
            at = chance.randint(1, 40 if chance.random() < 0.3 else 600)
            meddling.plan(Meddling.EVERY, first=at, last=Meddling.FOREVER)
            environment = meddling.environment
        writer = Recorder(bench, store, environment=environment)
        writer.tell(f"push pushes-{index} 2", "flush", f"pop pushes-{index} 1", "start open")
        writer.tell(f"loads f 1000000 {1 + index}")
        writers.append(writer)
    for index in chance.sample(range(0, WRITERS, 2), 2):
        writers[index].await_lines(chance.randint(1, 20 if chance.random() < 0.3 else 200))
        writers[index].kill()
    for index in range(1, WRITERS, 2):
        writers[index].wait()
    verdict = Verdict(f"round {number}")
    for writer in writers:
        if writer.process.returncode != -signal.SIGKILL:
            verdict.wrong.append(f"a writer ended with {writer.process.returncode}: {writer.errors.decode()[:300]}")
    testimonies = [writer.testimony for writer in writers]
    _judge(bench, store, verdict, testimonies, survivors, in_flight=sum(range(1, WRITERS + 1)))
    witness.kill()
    _clear(bench, folder, verdict)
    return verdict


def _judge(bench, store, verdict, testimonies, survivors, in_flight):
    """Checks a store after its writers are dead, before and after a repair."""
    try:
        record = Record(store)
        verdict.lost += record.lost(testimonies)
        verdict.early = sum(1 for _ in record.lost([testimony.said_early for testimony in testimonies]))
        verdict.wrong += record.invented([*testimonies, Testimony(started=survivors)], in_flight)
        dead = (record.ids(RUNNING) - survivors) | record.ids(CRASHED)
        seen = {row["load"] for row in bench.ask(store, "unbalanced")["unbalanced"] if row["kind"] == "crashed"}
        if seen != dead:
            verdict.wrong.append(f"{len(seen)} are seen as crashed for {len(dead)}")
        verdict.corrupt += stores.complaints(bench, store, "--repair")
        record = Record(store)
        verdict.lost += record.lost(testimonies)
        if record.ids(CRASHED) != dead:
            verdict.wrong.append(f"{len(record.ids(CRASHED))} are crashed for {len(dead)}")
        if record.ids(RUNNING) != survivors:
            verdict.wrong.append(f"{record.ids(RUNNING)} run for the survivors' {survivors}")
        # The lock file of a surviving library owner stays; the owner of a script's load has none.
        left = {path.name[len(store.name):] for path in store.parent.glob(store.name + "?*")}
        left -= {"-wal", "-shm", "-gate"}
        if len(left) != len(survivors) - 1 or not all(name.startswith("-owner-") for name in left):
            verdict.wrong.append(f"left behind: {sorted(left)}")
    except (Damaged, Refused) as damage:
        verdict.corrupt.append(str(damage))


def _clear(bench, folder, verdict):
    if verdict.faults:
        bench.keep(folder)
    shutil.rmtree(folder)


# At each call of a fixed course.


class Course:
    """A fixed course of commands on a copy of the same store."""

    def __init__(self, name, base=None, testimonies=(), survivor=None, commands=None, verb=None):
        self.name, self.base, self.testimonies, self.survivor = name, base, list(testimonies), survivor
        self.commands, self.verb = commands, verb

    def play(self, bench, store, environment):
        """Returns: exit code, output and standard error."""
        if self.verb:
            done = subprocess.run(
                [bench.loadlog, *self.verb, "--db", store], capture_output=True, timeout=300,
                env={**os.environ, **environment},
            )
            return done.returncode, Testimony(), done.stderr
        recorder = Recorder(bench, store, environment=environment)
        recorder.tell(*self.commands)
        return recorder.finish(), recorder.testimony, recorder.errors


def _new_store(bench):
    return Course(
        "a new store",
        commands=(
            "thread f 2", "loads f 4 2", "push g 3", "pop g 1", "pop h 1", "flush", "start f", "push g 1", "flush",
            "pop g 1", "close",
        ),
    )


def _long_log(bench):
    store, survivor = _base(bench, "long-log")
    said = stores.with_long_log(bench, store)
    return Course("a long log moved", store, [said], survivor, commands=("loads f 6 1", "push h 1", "close"))


def _repair(bench):
    store, survivor = _base(bench, "repair")
    recorder = Recorder(bench, store)
    recorder.tell("push g 5", "pop g 1", "pop h 2", "flush", "loads f 9 1", "start f", "say enough")
    recorder.await_line("said enough")
    recorder.kill()
    return Course("a repair", store, [recorder.testimony], survivor, verb=("doctor", "--repair"))


def _base(bench, name):
    folder = bench.folder / name
    folder.mkdir()
    return folder / "loadlog.db", stores.survivor(bench, folder / "loadlog.db")


def _at_each_call(bench, pool, course):
    """Kills the program at its first call, at its second, and so on, until it reaches its end alive."""
    at = 1
    while True:
        numbers = range(at, at + 16)
        at += 16
        verdicts = list(pool.map(lambda number: _killed_at(bench, course, number), numbers))
        yield from (verdict for verdict in verdicts if verdict.is_killed or verdict.faults)
        if not all(verdict.is_killed for verdict in verdicts):
            return


def _killed_at(bench, course, number):
    folder = bench.folder / f"{course.name} {number}"
    folder.mkdir()
    store = stores.copy(course.base, folder) if course.base else folder / "loadlog.db"
    meddling = Meddling(bench, store, "meddling")
    meddling.plan(Meddling.EVERY, first=number, last=Meddling.FOREVER)
    verdict = Verdict(f"{course.name}, call {number}")
    code, testimony, errors = course.play(bench, store, meddling.environment)
    if meddling.hits and code != -signal.SIGKILL or not meddling.hits and code not in (0, 1):
        verdict.wrong.append(f"it ended with {code}: {errors.decode()[:300]}")
    if not meddling.calls:
        verdict.wrong.append("the shim was not there")
    testimonies = [*course.testimonies, testimony]
    survivor = course.survivor or stores.survivor(bench, store)
    _judge(bench, store, verdict, testimonies, {survivor}, in_flight=2)
    _clear(bench, folder, verdict)
    verdict.is_killed = meddling.hits > 0
    return verdict
