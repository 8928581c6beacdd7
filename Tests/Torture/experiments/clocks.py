"""Sets the clock back an hour and ahead ten days during loads; simulates suspends, reboots and other namespaces.

libfaketime steps the wall clock. A preloaded clock simulates a suspend: CLOCK_BOOTTIME and the wall clock advance, and
CLOCK_MONOTONIC does not. A reboot is another boot id, mounted over the kernel's, with a boot clock that starts again;
another time namespace has a boot clock of its own.
"""

import datetime
import json
import os
import pathlib
import shutil
import struct
import subprocess
import time

from faketime import SHELL, faketime, faketime_library, needs_faketime
from hosts import Host
from outcome import Outcome, Skipped

STEPS = {"an hour back": -3600, "ten days ahead": 864_000}
SUSPENDED = 8 * 3600
"""Tolerance in seconds between a duration in the record and outside, and between a jump and the step."""
SLACK = 1.0
"""In milliseconds; no machine misses it."""
DEADLINE = 120_000
BOOT_ID = "/proc/sys/kernel/random/boot_id"
JUMP_THRESHOLD = 1.0


def run(bench):
    parts = {
        "steps in a host": (steps_in_a_host, needs_faketime),
        "steps between commands": (steps_between_commands, needs_faketime),
        "suspend": (suspend, lambda: None),
        "another time namespace": (time_namespaces, lambda: needs_right("--time", "--boottime", "100000")),
        "reboot": (reboot, needs_reboot),
    }
    trial = Trial(bench)
    missing = []
    for name, (part, lack) in parts.items():
        if reason := lack():
            missing.append(f"{name} not tried: {reason}")
            bench.say(missing[-1])
            continue
        trial.name = name
        for round in range(bench.times(1, 20)):
            trial.store = bench.folder / f"{part.__name__}-{round}" / "loads.db"
            part(trial)
            trial.check_numbers()
    if len(missing) == len(parts):
        raise Skipped("; ".join(missing))
    trial.outcome.control = "; ".join(
        [f"wall times alone: {trial.naive} of {trial.outcome.tried} wrong", *missing]
    )
    trial.outcome.is_void = trial.naive == 0
    return trial.outcome


def needs_right(*flags):
    tried = shutil.which("unshare") and subprocess.run(["unshare", *flags, "true"], capture_output=True)
    return None if tried and tried.returncode == 0 else "no right to make namespaces here (needs root)"


def needs_reboot():
    machine = pathlib.Path("/etc/machine-id")
    if not machine.exists() or not machine.read_text().strip():
        return "the machine has no id, so that no reboot of it can be proven"
    return needs_right("--mount")


class Seen:
    """The times of a load as observed from outside, by the true clock."""

    def __init__(self, id):
        self.id = id
        self.since = self.began = self.least = self.most = None

    @classmethod
    def start(cls, start):
        since = now()
        seen = cls(start())
        seen.since, seen.began = since, now()
        return seen

    def finish(self, finish):
        self.least = now() - self.began
        finish(self.id)
        self.most = now() - self.since


def now():
    return time.clock_gettime(time.CLOCK_BOOTTIME)


class Trial:
    def __init__(self, bench):
        self.bench = bench
        self.outcome = Outcome()
        self.naive = 0
        self.name = ""
        self.store = None

    def loadlog(self, *arguments, env=None, within=(), fails=False):
        answer = subprocess.run(
            [*within, *SHELL, self.bench.loadlog, *arguments, "--db", str(self.store)], capture_output=True, text=True,
            env={**os.environ, **(env or {})}, timeout=60,
        )
        if answer.returncode != 0 and not fails:
            raise RuntimeError(f"{arguments}: {answer.stderr}")
        return answer.stdout.strip()

    def load(self, seen):
        loads = self.bench.ask(self.store, "history", "--limit", "1000")["loads"]
        return next((load for load in loads if load["id"] == seen.id), None)

    def check(self, seen, jump=None, asleep=0.0, source="boot", state="succeeded", **expected):
        """Checks the record of a load against the observed times."""
        self.outcome.tried += 1
        load = self.load(seen)
        if load is None:
            self.outcome.lost += 1
            return
        wrong = []
        duration, clock_jump = load["duration"], load["clock_jump"]
        if duration is None or not seen.least + asleep <= duration <= seen.most + asleep + SLACK:
            wrong.append(f"duration {duration}, seen {seen.least + asleep:.3f} to {seen.most + asleep:.3f}")
        if jump is None and clock_jump is not None or jump is not None and (
            clock_jump is None or abs(clock_jump - jump) > SLACK
        ):
            wrong.append(f"clock_jump {clock_jump}, not {jump}")
        if load["duration_source"] != source:
            wrong.append(f"duration_source {load['duration_source']}, not {source}")
        for key, value in {"state": state, **expected}.items():
            if load[key] != value:
                wrong.append(f"{key} {load[key]}, not {value}")
        between = (date(load["finished"]) - date(load["started"])).total_seconds()
        self.naive += not seen.least + asleep - SLACK <= between <= seen.most + asleep + SLACK
        if wrong:
            self.outcome.fail(f"{self.name}: {'; '.join(wrong)}")
        self.outcome.survived += not wrong

    def check_last(self, feed, seen):
        """Checks that a feed's date is that of the load that finished last, whatever the clock read."""
        updated = self.bench.ask(self.store, "status", feed)["feeds"][0]["last_updated"]
        if updated != self.load(seen)["finished"]:
            self.outcome.fail(f"{self.name}: {feed} last updated {updated}, not at its last finish")

    def check_numbers(self):
        """Checks, at several times, that no number in an answer is negative or impossibly large."""
        for step in [0, *STEPS.values()] if faketime_library() else [0]:
            env = faketime(step) if step else {}
            for verb in ("status", "history", "unbalanced"):
                answer = subprocess.run(
                    [*SHELL, self.bench.loadlog, verb, "--json", "--db", str(self.store)], capture_output=True,
                    env={**os.environ, **env}, check=True, timeout=60,
                )
                for key, number in numbers(answer.stdout):
                    if key != "clock_jump" and not 0 <= number < 2 * max(SUSPENDED, *STEPS.values()):
                        self.outcome.fail(f"{self.name}, asked {step:+} s away: {verb} says {key} {number}")


def numbers(text):
    """All numbers of a JSON text with their keys."""
    found = []

    def look(key, value):
        if isinstance(value, dict):
            for inner, item in value.items():
                look(inner, item)
        elif isinstance(value, list):
            for item in value:
                look(key, item)
        elif isinstance(value, (int, float)) and not isinstance(value, bool) and key not in ("pid", "schema_version"):
            found.append((key, value))

    look("", json.loads(text))
    return found


def date(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))


class Told(Host):
    """A host that starts and finishes loads on command, with clocks of its own."""

    def __init__(self, trial, name, env, within=()):
        fixture = trial.bench.program("LoadLogHostFixture")
        name = f"{name}-{trial.store.parent.name}"
        super().__init__(trial.bench, name, [*within, fixture, "record", trial.store, "none", 0, DEADLINE], env)
        self.started = self.finished = 0

    def start(self, feed):
        def begin():
            self.tell(f"start {feed}")
            self.started += 1
            return self.awaited("started", self.started)[-1]

        return Seen.start(begin)

    def finish(self, seen):
        def end(id):
            self.tell(f"finish {id}")
            self.finished += 1
            self.awaited("finished", self.finished)

        seen.finish(end)


def steps_in_a_host(trial):
    for number, step in enumerate(STEPS.values()):
        clock = trial.bench.folder / f"clock-{number}"
        clock.write_text("+0\n")
        env = {**faketime(), "FAKETIME_TIMESTAMP_FILE": str(clock), "FAKETIME_NO_CACHE": "1"}
        feed = f"f{number}"
        with Told(trial, f"stepped{number}", env, SHELL) as host:
            before, across = host.start(feed), host.start(feed)
            host.finish(before)
            clock.write_text(f"{step:+d}\n")
            host.finish(across)
            trial.check_last(feed, across)
            after = host.start(feed)
            host.finish(after)
            trial.check_last(feed, after)
            # And back again, as a user does who corrects the clock.
            again = host.start(feed)
            clock.write_text("+0\n")
            host.finish(again)
            trial.check_last(feed, again)
            host.end()
        trial.check(before)
        trial.check(across, jump=step)
        trial.check(after)
        trial.check(again, jump=-step)


def steps_between_commands(trial):
    for number, step in enumerate(STEPS.values()):
        feed = f"f{number}"
        stepped = faketime(step)
        for start_env, finish_env, jump in (({}, stepped, step), (stepped, {}, -step), (stepped, stepped, None)):
            seen = Seen.start(lambda: trial.loadlog("start", feed, "--detached", env=start_env))
            seen.finish(lambda id: trial.loadlog("finish", id, env=finish_env))
            trial.check(seen, jump=jump)
            trial.check_last(feed, seen)


def suspend(trial):
    offsets = trial.bench.folder / "offsets"
    offsets.write_bytes(bytes(16))
    env = {"LD_PRELOAD": trial.bench.compiled("clocks.c", "-shared", "-fPIC"), "CLOCK_OFFSETS": str(offsets)}
    with Told(trial, "suspended", env) as host:
        across = host.start("f")
        set_offsets(offsets, SUSPENDED, SUSPENDED)
        host.finish(across)
        after = host.start("f")
        host.finish(after)
        # The machine wakes up, and its hardware clock is off by an hour.
        stepped = host.start("f")
        set_offsets(offsets, 2 * SUSPENDED - 3600, 2 * SUSPENDED)
        host.finish(stepped)
        host.end()
    trial.check(across, asleep=SUSPENDED)
    trial.check(after)
    trial.check(stepped, asleep=SUSPENDED, jump=-3600)
    trial.check_last("f", stepped)


def set_offsets(path, wall, boot):
    """Sets the offsets in seconds; writes in place, because the file is mapped."""
    with open(path, "r+b") as file:
        file.write(struct.pack("qq", int(wall * 1e9), int(boot * 1e9)))


def time_namespaces(trial):
    away, farther = (["unshare", "--time", "--boottime", str(seconds)] for seconds in (100_000, 900_000))
    # The second namespace is made when the first is gone, and may get its number.
    for number, (starting, finishing) in enumerate((([], away), (away, []), (away, farther))):
        feed = f"f{number}"
        seen = Seen.start(lambda: trial.loadlog("start", feed, "--owner-pid", str(os.getpid()), within=starting))
        for place in ([], away):
            state = trial.loadlog("history", feed, "--state", "crashed", within=place, fails=True)
            if seen.id[-6:] in state:
                trial.outcome.fail(f"{trial.name}: the living owner was taken for dead")
        seen.finish(lambda id: trial.loadlog("finish", id, within=finishing))
        trial.check(seen, source="wall")
    with Told(trial, "away", None, away) as host:
        seen = host.start("f")
        host.finish(seen)
        host.end()
    trial.check(seen)


def reboot(trial):
    bench = trial.bench
    boot_id = bench.folder / "boot_id"
    boot_id.write_text("00000000-0000-4000-8000-000000000001\n")
    offsets = bench.folder / "boot-offsets"
    offsets.write_bytes(bytes(16))
    env = {"LD_PRELOAD": bench.compiled("clocks.c", "-shared", "-fPIC"), "CLOCK_OFFSETS": str(offsets)}
    anew = ["unshare", "--mount", "sh", "-c", f'mount --bind "{boot_id}" {BOOT_ID} && exec "$@"', "sh"]
    started = []
    with Told(trial, "booted", None) as host:
        started.append(host.start("f"))
        host.kill()
    for owner in (["--detached"], ["--owner-pid", str(os.getpid())]):
        started.append(Seen.start(lambda: trial.loadlog("start", "f", *owner)))
    # The boot clock started again a minute ago.
    set_offsets(offsets, 0, 60 - now())
    unbalanced = trial.loadlog("unbalanced", "--json", env=env, within=anew, fails=True)
    trial.loadlog("doctor", "--repair", env=env, within=anew, fails=True)
    kept = trial.loadlog("unbalanced", "--json", fails=True)
    for words in (unbalanced, kept):
        if (found := words.count('"rebooted"')) != len(started):
            trial.outcome.fail(f"{trial.name}: {found} of {len(started)} loads are rebooted")
    for seen in started:
        seen.finish(lambda id: trial.loadlog("finish", id, env=env, within=anew))
        trial.check(seen, source="wall", finished_after_verdict=True)
    trial.check_last("f", started[-1])
    # A hardware clock that lost its time: the end is before the start, and the duration is unknown.
    lost = Seen.start(lambda: trial.loadlog("start", "f", "--detached"))
    set_offsets(offsets, -3600, 60 - now())
    lost.finish(lambda id: trial.loadlog("finish", id, env=env, within=anew))
    trial.outcome.tried += 1
    load = trial.load(lost)
    if load["duration"] is None and load["state"] == "succeeded":
        trial.outcome.survived += 1
    else:
        trial.outcome.fail(f"{trial.name}: a load that ends before it starts has duration {load['duration']}")
    trial.check_last("f", lost)
