"""Measures LoadLog beside its peers. Called by `./dev bench`, which builds what is measured:

    python3 Benchmarks/driver FOLDER [--quick] [ROW…]
"""

import argparse

import report
from rows import LONG, QUICK, Rows
from stores import Stores
from tools import BENCHMARKS, Tools, say

RESULTS = BENCHMARKS / "RESULTS.md"


def main():
    parser = argparse.ArgumentParser(prog="./dev bench")
    parser.add_argument("programs", help=argparse.SUPPRESS)
    parser.add_argument("--quick", action="store_true", help="run everything once, small: is it all in order?")
    parser.add_argument("--turns", type=int, help=f"turns of each contestant ({LONG.turns})")
    parser.add_argument("rows", metavar="ROW", nargs="*", type=int, help="numbers of rows (all)")
    options = parser.parse_intermixed_args()

    sizes = QUICK if options.quick else LONG
    turns = options.turns or sizes.turns
    tools = Tools(options.programs, may_install=not options.quick)
    rows = Rows(tools, Stores(tools), sizes).all()
    unknown = set(options.rows) - set(rows)
    if unknown:
        parser.error(f"there is no row {min(unknown)}")

    measured = []
    for number in options.rows or rows:
        row = rows[number]()
        row.measure(turns, say)
        measured.append(row)
        for line in [*report.figures(row), *report.summary(row)]:
            print(line, flush=True)

    if options.quick:
        print(f"{len(measured)} rows run; so small a run says nothing of speed")
    elif not options.rows:
        RESULTS.write_text(report.page(measured, turns), encoding="utf-8")
        say(f"wrote {RESULTS.relative_to(BENCHMARKS.parent)}")


main()
