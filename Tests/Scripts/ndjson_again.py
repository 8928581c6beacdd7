"""Parses lines of JSON and prints them as Python formats them.

Usage: ndjson_again.py FILE
"""

import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    for line in file:
        print(json.dumps(json.loads(line), ensure_ascii=True))
