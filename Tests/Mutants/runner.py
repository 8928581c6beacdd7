"""Builds a copy of the project with its mutants, and runs for each of them the tests that must notice it."""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import switches
from checks import script_of
from entries import PROJECT

WORK = PROJECT / ".build-mutants"
COPY = WORK / "loadlog"
FLAGS = ["--scratch-path", ".build-server", "--traits", "Server,Tracing,Fleet"]
PROGRAMS = COPY / ".build-server/debug"
BUILD_LOG = WORK / "build.log"

# The oracle need not look for the shortest schedule that fails, and its first schedules are enough. Without deterministic
# hashing, the order of the traits changes, and with it everything is compiled again.
ENVIRONMENT = (
    {"LOADLOG_ORACLE_SHRINK": "0", "LOADLOG_ORACLE_SCHEDULES": "600"}
    | os.environ
    | {"LOADLOG_NET": str(PROGRAMS / "loadlog-net"), "SWIFT_DETERMINISTIC_HASHING": "1"}
)

# A test that records an issue fails; one that has recorded a known issue may not. A script says its faults as it finds them.
FAILURE = re.compile(r"✘ Test (.*?) recorded an issue|^FAULT (.*)", re.MULTILINE)


class CannotRun(Exception):
    """The project does not build, or a test that an entry names does not pass, without any mutant."""


@dataclass
class Run:
    """A run of the tests of one mutant, or of none."""

    code: int | None  # None: they were stopped, because one had failed or time was up
    output: str
    seconds: float


def run(mutants):
    """Runs the mutants, prints a line for each and a table, and returns whether the tests have killed all of them."""
    numbers = switches.number_of(mutants)
    together = build_together(mutants, numbers)
    killers = list(dict.fromkeys(mutant.killer for mutant in mutants))
    alone = prove(killers)
    results = {}

    def judge(mutant):
        number = numbers[mutant.name] if mutant.name in together else 0
        results[mutant.name] = judged(mutant, number, limit=30 + 5 * alone[mutant.killer].seconds)

    in_parallel(judge, [mutant for mutant in mutants if mutant.name in together])
    for mutant in mutants:
        if mutant.name not in together:
            with_a_build_of_its_own(mutant, judge, results)
    print_table(mutants, results)
    return all(result == "killed" for result, _ in results.values())


def refresh_copy(texts):
    """Makes the copy equal to the project, but for these texts of files, which stay as they are if they are equal: what is
    untouched is not built again."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=PROJECT,
        stdout=subprocess.PIPE,
        check=True,
    ).stdout
    files = {name for name in os.fsdecode(listed).split("\0") if name and (PROJECT / name).is_file()}
    COPY.mkdir(parents=True, exist_ok=True)
    for file in files - texts.keys():
        write(file, (PROJECT / file).read_bytes())
        shutil.copymode(PROJECT / file, COPY / file)
    for file, text in texts.items():
        write(file, text)
    for folder, folders, names in os.walk(COPY):
        folders[:] = [name for name in folders if not name.startswith((".build", ".swiftpm"))]
        for name in names:
            file = os.path.relpath(os.path.join(folder, name), COPY)
            # The versions that the build has chosen are not in git.
            if file not in files | texts.keys() | {"Package.resolved"}:
                (COPY / file).unlink()
    # Some tests use the Python packages that `./dev test` has installed.
    packages = COPY / ".build-venv"
    if (PROJECT / packages.name).exists() and not packages.exists():
        packages.symlink_to(PROJECT / packages.name)


def write(file, text):
    """Writes a file of the copy, unless it is equal."""
    copied = COPY / file
    if not copied.is_file() or copied.read_bytes() != text:
        copied.parent.mkdir(parents=True, exist_ok=True)
        copied.write_bytes(text)


def build_together(mutants, numbers):
    """Builds the copy with as many mutants as compile as cases, and returns their names."""
    chosen = mutants
    while True:
        texts, together = switches.switched(chosen, numbers)
        refresh_copy(texts | {"Package.swift": manifest()})
        say(f"building with {len(together)} of {len(mutants)} mutants, each of which is off")
        if build():
            return together
        names = {number: name for name, number in numbers.items()}
        wrong = {
            names[number]
            for file, line in errors()
            if file in texts
            for number in switches.numbers_at(texts[file].decode(), line)
        }
        if not wrong:
            raise CannotRun("the project does not build without a mutant:\n" + end_of(text_of(BUILD_LOG)))
        say(f"these do not compile as cases: {', '.join(sorted(wrong))}")
        chosen = [mutant for mutant in chosen if mutant.name in together - wrong]


def manifest():
    """The manifest, but a warning is no error: a rule that is gone leaves variables that nothing uses."""
    return (PROJECT / "Package.swift").read_bytes().replace(b".treatAllWarnings(as: .error),", b"")


def errors():
    """The files of the copy with errors, and the numbers of the lines."""
    for file, line in re.findall(r"^(/[^:\n]+):(\d+):\d+: error: ", text_of(BUILD_LOG), re.MULTILINE):
        if file.startswith(f"{COPY}/"):
            yield os.path.relpath(file, COPY), int(line)


def prove(killers):
    """Runs each test that an entry names without a mutant: one that is missing or fails proves nothing."""
    runs = {}

    def prove_one(killer):
        runs[killer] = run_tests(killer, number=0, limit=1800)
        say(f"passes without a mutant: {killer}")

    in_parallel(prove_one, killers, key=lambda killer: killer)
    for killer, one in runs.items():
        if one.code != 0 or not re.search(r"Test run with [1-9][0-9]* test|  holds, |: 0 faults", one.output):
            raise CannotRun(f"these tests fail or are missing without a mutant: {killer}\n{end_of(one.output)}")
    return runs


def in_parallel(work, items, key=lambda mutant: mutant.killer):
    """Calls `work` with each item, several at a time; experiments and scripts come alone, because they need all cores."""
    tests = [item for item in items if not key(item).startswith(("torture ", "script "))]
    # Many wait more than they work.
    with ThreadPoolExecutor(3 * os.cpu_count()) as pool:
        list(pool.map(work, tests))
    for item in items:
        if item not in tests:
            work(item)


def judged(mutant, number, limit):
    """Runs the tests of a mutant that is built. Returns the result and the seconds it took."""
    one = run_tests(mutant.killer, number, limit)
    result, note = "killed", mutant.killer
    if one.code == 0:
        result = "SURVIVED"
    elif failed := FAILURE.search(one.output):
        note = failed[1] or failed[2]
    elif one.code is None:
        note = "the tests did not end"
    return reported(mutant, result, note, one.seconds)


def reported(mutant, result, note, seconds):
    print(f"{result:9} {mutant.name}: {mutant.rule} [{note}] {seconds:.0f} s", flush=True)
    return result, seconds


def with_a_build_of_its_own(mutant, judge, results):
    """Applies a mutant that cannot be a case, builds, has it judged, and takes it back."""
    begun = time.monotonic()
    before = {file: (COPY / file).read_bytes() for file in mutant.files()}
    try:
        for file in before:
            write(file, mutant.mutated(file, (PROJECT / file).read_text(encoding="utf-8")).encode())
        if build():
            judge(mutant)
        else:
            lines = [line for line in text_of(BUILD_LOG).split("\n") if "error:" in line]
            note = lines[0].strip() if lines else f"see {BUILD_LOG}"
            results[mutant.name] = reported(mutant, "NO BUILD", note, time.monotonic() - begun)
    finally:
        for file, text in before.items():
            write(file, text)


def build():
    """Builds everything that the tests use. Returns whether all was built."""
    with open(BUILD_LOG, "wb") as log:
        command = ["swift", "build", *FLAGS, "--build-tests"]
        return subprocess.run(command, cwd=COPY, env=ENVIRONMENT, stdout=log, stderr=log).returncode == 0


def run_tests(killer, number, limit):
    """Runs tests by a filter, an experiment or a script, with the mutant of this number."""
    if killer.startswith("torture "):
        command = ["python3", "Tests/Torture", PROGRAMS, killer.removeprefix("torture ")]
    elif script := script_of(killer):
        command = ["python3", script.relative_to(PROJECT), PROGRAMS / "loadlog", PROGRAMS / "loadlog-net"]
    else:
        # `swift test --skip-build` does the same after some seconds, in which it plans a build.
        command = [PROGRAMS / "LoadLogPackageTests.xctest", "--testing-library", "swift-testing", "--filter", killer]
    return execute(command, number, limit)


def execute(command, number, limit):
    """Runs a command in the copy. What it leaves running is killed with it: a mutant may hang anywhere."""
    begun = time.monotonic()
    # The path is short because that of a socket has 107 bytes.
    with tempfile.TemporaryDirectory(prefix="lm.", ignore_cleanup_errors=True) as folder, open(
        f"{folder}/output", "w+b"
    ) as output:
        os.chmod(folder, 0o755)  # Other users may enter it.
        process = subprocess.Popen(
            command,
            cwd=COPY,
            env=ENVIRONMENT | {switches.VARIABLE: str(number), "TMPDIR": folder},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            while process.poll() is None and time.monotonic() < begun + limit and not has_failed(output.name):
                time.sleep(0.1)
            code = process.poll()
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
        output.seek(0)
        return Run(code, output.read().decode(errors="replace"), time.monotonic() - begun)


def has_failed(log):
    """Whether a test has failed already. It may go on for long, or wait for what never comes."""
    return FAILURE.search(text_of(Path(log))) is not None


def print_table(mutants, results):
    """Prints what became of the mutants of each target, and the names of those that were not killed."""
    columns = ["mutants", "killed", "SURVIVED", "NO BUILD", "seconds"]
    rows = {}
    for mutant in mutants:
        result, seconds = results[mutant.name]
        for target in (mutant.target, "all"):
            rows.setdefault(target, Counter()).update({"mutants": 1, result: 1, "seconds": seconds})
    rows["all"] = rows.pop("all")
    print("\n" + f"{'target':22}" + "".join(f"{column.lower():>10}" for column in columns))
    for target, row in rows.items():
        print(f"{target:22}" + "".join(f"{row[column]:10.0f}" for column in columns))
    for name, (result, _) in results.items():
        if result != "killed":
            print(f"{result.lower()}: {name}")


def end_of(output):
    return "\n".join(output.split("\n")[-20:])


def text_of(log):
    return log.read_text(encoding="utf-8", errors="replace")


def say(text):
    print(text, file=sys.stderr, flush=True)
