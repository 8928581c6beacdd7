"""The tests in which threads meet, again and again under the thread sanitizer: `./dev sanitize`.

The short form makes one run more than the one that is made of its own in any case, and only where that has left its
build: to build so takes longer than all other short forms.
"""

import re
import subprocess

from bench import ROOT
from outcome import Outcome, Skipped


def run(bench):
    if not bench.is_long and not (ROOT / ".build-tsan").exists():
        raise Skipped("./dev sanitize has not been built here; run it first")
    outcome = Outcome()
    for number in range(bench.times(1, 10)):
        done = subprocess.run([ROOT / "dev", "sanitize"], stdin=subprocess.DEVNULL, capture_output=True, text=True)
        said = done.stdout + done.stderr
        reports = re.findall(r"(?:WARNING|SUMMARY): ThreadSanitizer.*", said)
        tests = sum(int(count) for count in re.findall(r"Test run with (\d+) tests?", said))
        bench.say(f"{number + 1}: {tests} tests, {len(reports)} reports, exit {done.returncode}")
        outcome.tried += 1
        if done.returncode == 0 and not reports and tests:
            outcome.survived += 1
        else:
            outcome.fail("; ".join(reports[:5]) or said[-1000:])
    return outcome
