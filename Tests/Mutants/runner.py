"""Applies one entry after another to a copy of the project, and runs the tests that must notice."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter

from checks import asks_loadlog_net, is_built_with_traits, script_of
from entries import PROJECT

WORK = PROJECT / ".build-mutants"
COPY = WORK / "loadlog"
TRAITS = ["--scratch-path", ".build-server", "--traits", "Server,Tracing,Fleet"]
BUILD_LOG = WORK / "build.log"
TEST_LOG = WORK / "test.log"

# The oracle need not look for the shortest schedule that fails, and its first schedules are enough.
ENVIRONMENT = (
    {"LOADLOG_ORACLE_SHRINK": "0", "LOADLOG_ORACLE_SCHEDULES": "600"}
    | os.environ
    | {"LOADLOG_NET": str(COPY / ".build-server/debug/loadlog-net")}
)


class CannotRun(Exception):
    """The project does not build, or a test that an entry names does not pass, without any mutant."""


def run(mutants):
    """Runs the mutants, prints a line for each and a table, and returns whether the tests have killed all of them."""
    refresh_copy()
    say("building without a mutant")
    if not build(mutant.killer for mutant in mutants):
        raise CannotRun("the project does not build without a mutant:\n" + end_of(BUILD_LOG))
    prove_killers(mutants)
    results = {mutant.name: result_of(mutant) for mutant in mutants}
    print_table(mutants, results)
    return all(result == "killed" for result, _ in results.values())


def refresh_copy():
    """Makes the copy equal to the project. Files that are equal stay untouched, so that they are not built again."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=PROJECT,
        stdout=subprocess.PIPE,
        check=True,
    ).stdout
    files = {name for name in os.fsdecode(listed).split("\0") if name and (PROJECT / name).is_file()}
    COPY.mkdir(parents=True, exist_ok=True)
    for file in files:
        original, copied = PROJECT / file, COPY / file
        if not copied.is_file() or original.read_bytes() != copied.read_bytes():
            copied.parent.mkdir(parents=True, exist_ok=True)
            # With a new date, so that it is built again even if an earlier run was killed while a mutant was applied.
            shutil.copy(original, copied)
    for folder, folders, names in os.walk(COPY):
        folders[:] = [name for name in folders if not name.startswith((".build", ".swiftpm"))]
        for name in names:
            file = os.path.relpath(os.path.join(folder, name), COPY)
            # The versions that the build has chosen are not in git.
            if file not in files and file != "Package.resolved":
                (COPY / file).unlink()
    # Some tests use the Python packages that `./dev test` has installed.
    packages = COPY / ".build-venv"
    if (PROJECT / packages.name).exists() and not packages.exists():
        packages.symlink_to(PROJECT / packages.name)


def prove_killers(mutants):
    """Runs each test that an entry names without a mutant: one that is missing or fails proves nothing."""
    by_killer = {}
    for mutant in mutants:
        by_killer.setdefault(mutant.killer, mutant)
    for killer, mutant in by_killer.items():
        say(f"running without a mutant: {killer}")
        code = run_tests(killer)
        if code != 0 or not re.search(r"Test run with [1-9][0-9]* test|  holds, |: 0 faults", text_of(TEST_LOG)):
            raise CannotRun(
                f"{mutant.name} names tests that fail or are missing without it: {killer}\n" + end_of(TEST_LOG)
            )


def result_of(mutant):
    """Applies a mutant, runs its tests and takes it back. Returns the result and the seconds it took."""
    begun = time.monotonic()
    originals = {file: (COPY / file).read_bytes() for file in mutant.files()}
    try:
        for file, text in originals.items():
            (COPY / file).write_bytes(mutant.mutated(file, text.decode("utf-8")).encode("utf-8"))
        result, note = tested(mutant)
    finally:
        for file, text in originals.items():
            (COPY / file).write_bytes(text)
    seconds = time.monotonic() - begun
    print(f"{result:9} {mutant.name}: {mutant.rule} [{note}] {seconds:.0f} s", flush=True)
    return result, seconds


def tested(mutant):
    """The result of a mutant that is applied, and what is worth knowing about it."""
    if not build([mutant.killer]):
        errors = [line for line in text_of(BUILD_LOG).split("\n") if "error:" in line]
        return "NO BUILD", errors[0].strip() if errors else f"see {BUILD_LOG}"
    code = run_tests(mutant.killer)
    if code == 0:
        return "SURVIVED", mutant.killer
    if code is None:
        return "killed", "the tests did not end"
    failed = re.search(r"^✘ Test (.*) failed after", text_of(TEST_LOG), re.MULTILINE)
    return "killed", failed[1] if failed else mutant.killer


def build(killers):
    """Builds what these killers run. Returns whether all was built."""
    builds = []
    for killer in killers:
        what = ["--product", "loadlog"] if script_of(killer) else ["--build-tests"]
        needed = [[*TRAITS, *what] if is_built_with_traits(killer) else what]
        if script_of(killer) or asks_loadlog_net(killer):
            needed.append([*TRAITS, "--product", "loadlog-net"])
        builds += (options for options in needed if options not in builds)
    # Without this, the order of the traits changes, and with it everything is compiled again.
    swift = ["env", "SWIFT_DETERMINISTIC_HASHING=1", "swift", "build"]
    return all(execute([*swift, *options], BUILD_LOG, limit=None) == 0 for options in builds)


def run_tests(killer):
    """Runs tests by a filter, an experiment or a script. Returns the exit code, or None if they did not end in time."""
    if killer.startswith("torture "):
        shown = subprocess.run(
            ["swift", "build", "--show-bin-path"], cwd=COPY, stdout=subprocess.PIPE, text=True, check=True
        )
        experiment = killer.removeprefix("torture ")
        return execute(["python3", "Tests/Torture", shown.stdout.strip(), experiment], TEST_LOG, limit=1800)
    if script := script_of(killer):
        programs = [f".build-server/debug/{name}" for name in ("loadlog", "loadlog-net")]
        return execute(["python3", script.relative_to(PROJECT), *programs], TEST_LOG, limit=900)
    traits = TRAITS if is_built_with_traits(killer) else []
    command = ["swift", "test", *traits, "--skip-build", "--disable-xctest", "--filter", killer]
    return execute(command, TEST_LOG, limit=900)


def execute(command, log, limit):
    """Runs a command in the copy. What it leaves running is killed with it: a mutant may hang anywhere."""
    with open(log, "wb") as output:
        process = subprocess.Popen(
            command,
            cwd=COPY,
            env=ENVIRONMENT,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            return process.wait(limit)
        except subprocess.TimeoutExpired:
            return None
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()


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
    sys.stdout.flush()


def end_of(log):
    return "\n".join(text_of(log).split("\n")[-20:])


def text_of(log):
    return log.read_text(encoding="utf-8", errors="replace")


def say(text):
    print(text, file=sys.stderr, flush=True)
