"""Prints the rows of a CSV file as JSON arrays, one per line.

Usage: csv_rows.py FILE
"""

import csv
import json
import sys

with open(sys.argv[1], encoding="utf-8", newline="") as file:
    for row in csv.reader(file, strict=True):
        print(json.dumps(row, ensure_ascii=False, separators=(",", ":")))
