"""Removes one rule of the project after another and shows which test notices. `entries.py` describes an entry.

    python3 Tests/Mutants check          checks all entries without building: names, lines, tests, the table of rules
    python3 Tests/Mutants list [NAME…]   prints the entries
    python3 Tests/Mutants run [NAME…]    applies them one after another; `./dev mutate` calls this

A NAME is the name of a mutant or part of it. Without a NAME, all mutants are used. The exit code is 0 if all is well,
1 if there are problems or mutants that survive, and 2 for wrong usage.
"""

import argparse
import signal
import sys

import checks
import entries


def main():
    parser = argparse.ArgumentParser(prog="python3 Tests/Mutants", description=__doc__.split("\n")[0])
    parser.add_argument("command", choices=["check", "list", "run"])
    parser.add_argument("names", metavar="NAME", nargs="*", help="the name of a mutant, or part of it (all)")
    options = parser.parse_args()
    mutants, problems = entries.read_all()
    if options.command == "check":
        return check(mutants, problems)
    chosen = choose(mutants, options.names)
    if options.command == "list":
        for mutant in chosen:
            print(f"{mutant.target:20} {mutant.name}: {mutant.rule} [{mutant.killer}]")
        return 0
    return run(chosen, problems)


def check(mutants, problems):
    problems += checks.problems_of_all(mutants)
    report(problems)
    if not problems:
        print(f"{len(mutants)} mutants fit the sources", file=sys.stderr)
    return 1 if problems else 0


def run(mutants, problems):
    problems += (problem for mutant in mutants for problem in checks.problems_of(mutant))
    report(problems)
    if problems:
        return 1
    import runner  # needs packages that a check can do without

    try:
        return 0 if runner.run(mutants) else 1
    except runner.CannotRun as reason:
        report([reason])
        return 1


def choose(mutants, names):
    """The mutants with these names, or with names that contain them."""
    chosen = set()
    for name in names:
        found = {mutant.name for mutant in mutants if mutant.name == name}
        found = found or {mutant.name for mutant in mutants if name in mutant.name}
        if not found:
            print(f"there is no mutant {name!r}; python3 Tests/Mutants list shows all", file=sys.stderr)
            sys.exit(2)
        chosen |= found
    return [mutant for mutant in mutants if not names or mutant.name in chosen]


def report(problems):
    for problem in problems:
        print(problem, file=sys.stderr)


# The running build or test is stopped, and the mutant taken back, however the run ends.
signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
sys.exit(main())
