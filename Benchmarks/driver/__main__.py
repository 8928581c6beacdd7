"""Measures LoadLog and its peers. `./dev bench` builds the programs and calls

    python3 Benchmarks/driver FOLDER FOLDER [--quick] [ROW…]
"""

import argparse
import sys

sys.dont_write_bytecode = True  # no __pycache__ beside the sources

import report
from rows import ROWS
from rows.bench import LONG, QUICK, Bench
from stores import Stores
from tools import BENCHMARKS, Tools, say

RESULTS = BENCHMARKS / "RESULTS.md"


def main():
    parser = argparse.ArgumentParser(prog="./dev bench")
    parser.add_argument("programs", help=argparse.SUPPRESS)
    parser.add_argument("server_programs", help=argparse.SUPPRESS)
    parser.add_argument(
        "--quick", action="store_true", help="run every row once on small stores, to check that it still works")
    parser.add_argument("--turns", type=int, help=f"turns of each contestant (default: {LONG.turns})")
    parser.add_argument(
        "rows", metavar="ROW", nargs="*", help=f"rows to measure: {', '.join(ROWS)} (default: all)")
    options = parser.parse_intermixed_args()
    unknown = [row for row in options.rows if row not in ROWS]
    if unknown:
        parser.error(f'there is no row "{unknown[0]}"; use {", ".join(ROWS)}')

    sizes = QUICK if options.quick else LONG
    turns = options.turns or sizes.turns
    tools = Tools(options.programs, options.server_programs, may_install=not options.quick)
    bench = Bench(tools, Stores(tools), sizes)

    numbers = options.rows or list(ROWS)
    for number in numbers:
        row = ROWS[number](bench)
        row.measure(turns, say)
        for line in [*report.figures(row), *report.summary(row)]:
            print(line, flush=True)
        if not options.quick:
            # At once, because a later row may fail.
            results = report.Results(RESULTS.read_text(encoding="utf-8"))
            results.put(row)
            RESULTS.write_text(results.page(ROWS), encoding="utf-8")

    if options.quick:
        print(f"rows run: {len(numbers)}. Runs this small say nothing about speed.")
    else:
        say(f"wrote {RESULTS.relative_to(BENCHMARKS.parent)}")


main()
