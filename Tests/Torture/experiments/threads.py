"""Runs the tests with several threads repeatedly under the thread sanitizer: `./dev sanitize`.

The first run builds them in a separate folder, which takes some minutes if the folder is missing. The control is a
deliberate race before each run.
"""

import os
import re
import signal
import subprocess

from bench import ROOT
from outcome import Outcome

CONTROL = "the sanitizer reports the deliberate race"


def run(bench):
    outcome = Outcome()
    seen = 0
    for number in range(bench.times(2, 10)):
        log = bench.folder / f"run-{number + 1}"
        log.mkdir()
        code, said = sanitized(bench)
        (log / "said").write_text(said)
        seen += CONTROL in said
        reports = re.findall(r"(?:WARNING|SUMMARY): ThreadSanitizer.*", said)
        issues = re.findall(r"✘ .* recorded an issue.*|.*: Fatal error: .*", said)
        tests = sum(int(count) for count in re.findall(r"Test run with (\d+) tests?", said))
        bench.say(f"{number + 1}: {tests} tests, {len(reports)} reports, exit {code}")
        outcome.tried += 1
        if code == 0 and not reports and tests:
            outcome.survived += 1
        else:
            outcome.fail("; ".join([*reports[:5], *issues[:5]]) or said[-1000:])
            bench.keep(log)
    outcome.control = f"the deliberate race is reported in {seen} of {outcome.tried}"
    outcome.is_void = seen < outcome.tried
    return outcome


def sanitized(bench):
    """Returns: the exit code and the output; prints the progress."""
    lines = []
    command = [ROOT / "dev", "sanitize"]
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
        start_new_session=True
    ) as dev:
        try:
            for line in dev.stdout:
                lines.append(line)
                if line.startswith("==> "):
                    bench.say(line[4:].rstrip())
        except BaseException:
            # The end of the block waits for it, and the tests that it runs may hang.
            os.killpg(dev.pid, signal.SIGKILL)
            raise
    return dev.returncode, "".join(lines)
