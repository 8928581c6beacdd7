"""Tries to make LoadLog lose acknowledged loads. Called by `./dev torture`, which builds the programs:

    python3 Tests/Torture FOLDER [--long] [--seed N] [EXPERIMENT…]

An experiment is a file in `experiments/`. It reports the number of tries, what survived, and the result of its control:
the same experiment without the rule under test. The control must lose or break something, or the run proves nothing.
"""

import argparse
import itertools
import signal
import sys
import time
import traceback
from concurrent.futures import ProcessPoolExecutor

import experiments
from bench import Bench
from outcome import Outcome, Skipped, Table

# Seconds after which an experiment of the short form counts as one that hangs: none takes a quarter of them.
LONGEST = 1200


def give_up(*_):
    raise RuntimeError(f"it has not ended after {LONGEST} s")


def attempt(name, options):
    """Runs an experiment.

    Returns: its outcome, or why it was skipped, and how many seconds it took.
    """
    experiment = experiments.all()[name]
    begun = time.monotonic()
    with Bench(options.programs, name, seed=options.seed, is_long=options.long) as bench:
        bench.say(experiment.__doc__.strip().splitlines()[0])
        signal.signal(signal.SIGALRM, give_up)
        try:
            signal.alarm(0 if options.long else LONGEST)
            outcome = experiment.run(bench)
        except Skipped as reason:
            outcome = str(reason)
            bench.say(f"skipped: {reason}")
        except Exception:
            # The other experiments still run.
            outcome = Outcome(failures=[traceback.format_exc()])
        finally:
            signal.alarm(0)
        seconds = time.monotonic() - begun
        if isinstance(outcome, Outcome):
            for line in outcome.failures[:20]:
                bench.say(line)
            # The table comes when all have ended.
            named = zip(Table.HEADINGS[1:], outcome.numbers)
            bench.say(", ".join(f"{name} {value}" for name, value in named) + f": {outcome.verdict}, {seconds:,.0f} s")
    return outcome or "only in the long form", seconds


def main():
    known = experiments.all()
    parser = argparse.ArgumentParser(prog="./dev torture")
    parser.add_argument("programs", help=argparse.SUPPRESS)
    parser.add_argument("--long", action="store_true", help="as many tries as for the documented figures; takes hours")
    parser.add_argument("--seed", type=int, default=1, help="of the random generator (%(default)s)")
    parser.add_argument("experiments", metavar="EXPERIMENT", nargs="*", help="names (all): " + ", ".join(known))
    options = parser.parse_intermixed_args()
    unknown = [name for name in options.experiments if name not in known]
    if unknown:
        parser.error(f"there is no experiment {unknown[0]!r}")

    table = Table()
    names = options.experiments or list(known)
    # Most wait more than they work. The figures of the long form are published, so nothing disturbs them.
    with ProcessPoolExecutor(1 if options.long else 2) as lanes:
        try:
            for name, (outcome, seconds) in zip(names, lanes.map(attempt, names, itertools.repeat(options))):
                if isinstance(outcome, str):
                    table.skip(name, outcome)
                else:
                    table.add(name, outcome, seconds)
        finally:
            # If the system kills a lane, this has the experiments before its own.
            print(table.text(), flush=True)
    sys.exit(0 if table.holds else 1)


main()
