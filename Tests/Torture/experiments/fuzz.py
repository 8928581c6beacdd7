"""Fuzzes all readers of foreign text or bytes, guided by coverage: importers, times, durations, patterns, stores.

Runs in the long form only, for 10 minutes per target or for LOADLOG_TORTURE_SECONDS: libFuzzer under the address
sanitizer, two targets at a time. No input may trap, leak or exceed a memory bound, and each target checks more
conditions (Tests/Fuzz). Inputs start from Tests/Fuzz/Corpus; new interesting ones stay in .build-fuzz/corpus.
"""

import concurrent.futures
import os
import re
import subprocess

from bench import ROOT, duration
from outcome import Outcome, Skipped

PACKAGE = ROOT / "Tests" / "Fuzz"
SCRATCH = ROOT / ".build-fuzz"
CONTROL = "control"
MEGABYTES = 2048
"""Seconds that no single input takes, even on a busy machine; the longest inputs are files of some kilobytes."""
HANGING = 60
LONGEST = 8192


def run(bench):
    seconds = duration(bench, short=None, long=600)
    if seconds is None:
        return None
    fuzzer = build(bench)
    targets = subprocess.run([fuzzer], capture_output=True, text=True, check=True).stdout.split()
    outcome = Outcome()
    (SCRATCH / "found").mkdir(exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for target, (tried, problem) in zip(
            targets, pool.map(lambda target: fuzzed(bench, fuzzer, target, seconds), targets)
        ):
            if target == CONTROL:
                outcome.is_void = not problem
                outcome.control = f"a trap behind 4 bytes {'found' if problem else 'NOT found'}"
                continue
            outcome.tried += tried
            outcome.survived += tried - (problem is not None)
            if problem:
                outcome.fail(f"{target}: {problem}")
    return outcome


def build(bench):
    """Returns: the program, which is a package of its own and is built into a folder of its own."""
    swift = subprocess.run(["readlink", "-f", subprocess.getoutput("command -v swift")], capture_output=True, text=True)
    toolchain = swift.stdout.strip().rsplit("/", 2)[0]
    libraries = sorted(ROOT.__class__(toolchain).glob("lib/clang/*/lib/linux/libclang_rt.fuzzer_no_main-*.a"))
    if not libraries:
        raise Skipped("the Swift toolchain has no libFuzzer")
    command = ["swift", "build", "--package-path", PACKAGE, "--scratch-path", SCRATCH, "-c", "release"]
    command += ["--product", "LoadLogFuzz", "--sanitize=address"]
    command += ["-Xswiftc", "-sanitize-coverage=edge,inline-8bit-counters,pc-table,trace-cmp"]
    command += ["-Xlinker", libraries[-1], "-Xlinker", "-lstdc++"]
    bench.say("building the fuzzer with the address sanitizer")
    made = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if made.returncode != 0:
        raise RuntimeError(made.stdout[-3000:] + made.stderr[-3000:])
    folder = subprocess.run(
        [str(word) for word in command + ["--show-bin-path"]], capture_output=True, text=True, check=True
    )
    return folder.stdout.strip() + "/LoadLogFuzz"


def fuzzed(bench, fuzzer, target, seconds):
    """Returns: the number of inputs, and the failure, if any."""
    grown, found = SCRATCH / "corpus" / target, SCRATCH / "found" / f"{target}-"
    grown.mkdir(parents=True, exist_ok=True)
    kept = PACKAGE / "Corpus" / target
    command = [fuzzer, target, f"-max_total_time={seconds:.0f}", f"-seed={bench.seed}", f"-max_len={LONGEST}"]
    command += [f"-rss_limit_mb={MEGABYTES}", f"-timeout={HANGING}", "-print_final_stats=1", "-use_value_profile=1"]
    command += [f"-artifact_prefix={found}", grown, *([kept] if kept.exists() else [])]
    words = PACKAGE / "Words" / target
    if words.exists():
        command.append(f"-dict={words}")
    # Swift's runtime reports a trap; its interactive debugger would wait for input.
    environment = os.environ | {"SWIFT_BACKTRACE": "enable=no", "TZ": "Europe/Berlin"}
    environment["LSAN_OPTIONS"] = f"suppressions={PACKAGE / 'leaks.txt'}:print_suppressions=0"
    done = subprocess.run(
        [str(word) for word in command], stdin=subprocess.DEVNULL, capture_output=True, env=environment,
        timeout=seconds + 10 * HANGING,
    )  # fmt: skip
    said = done.stderr.decode(errors="backslashreplace")
    tried = int((re.search(r"stat::number_of_executed_units: *(\d+)", said) or [0, 0])[1])
    memory = (re.search(r"stat::peak_rss_mb: *(\d+)", said) or [0, "?"])[1]
    covered = (re.findall(r"cov: (\d+)", said) or ["?"])[-1]
    bench.say(f"{target}: {tried:,} inputs, {covered} edges, {memory} MB at most")
    if done.returncode == 0:
        return tried, None
    telling = [line for line in said.splitlines() if re.search(r"Fatal error|==\d+== ?ERROR|SUMMARY:|Test unit written", line)]
    return max(1, tried), "; ".join(telling)[-800:] or f"exit {done.returncode}: {said[-500:]}"
