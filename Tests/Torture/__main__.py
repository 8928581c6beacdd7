"""Tries to make LoadLog lose acknowledged loads. Called by `./dev torture`, which builds the programs:

    python3 Tests/Torture FOLDER [--long] [--seed N] [EXPERIMENT…]

An experiment is a file in `experiments/`. It reports the number of tries, what survived, and the result of its control:
the same experiment without the rule under test. The control must lose or break something, or the run proves nothing.
"""

import argparse
import sys
import time
import traceback

import experiments
from bench import Bench
from outcome import Outcome, Skipped, Table


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
    for name in options.experiments or known:
        experiment = known[name]
        with Bench(options.programs, name, seed=options.seed, is_long=options.long) as bench:
            begun = time.monotonic()
            bench.say(experiment.__doc__.strip().splitlines()[0])
            try:
                outcome = experiment.run(bench)
            except Skipped as reason:
                table.skip(name, str(reason))
                bench.say(f"skipped: {reason}")
                continue
            except Exception:
                # The other experiments still run.
                outcome = Outcome(failures=[traceback.format_exc()])
            if outcome is None:
                table.skip(name, "only in the long form")
                continue
            table.add(name, outcome, seconds=time.monotonic() - begun)
            for line in outcome.failures[:20]:
                bench.say(line)
    print(table.text())
    sys.exit(0 if table.holds else 1)


main()
