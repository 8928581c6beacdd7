"""Prints the loads of an HTTP Archive without using LoadLog: one per line, then counts.

Usage: har_loads.py FILE [host|url]
"""

import json
import sys
from collections import Counter
from datetime import datetime, timedelta, timezone
from decimal import ROUND_HALF_UP, Decimal
from urllib.parse import urlsplit

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
PARTS = ["blocked", "dns", "connect", "send", "wait", "receive"]


def nanoseconds(milliseconds):
    return int((Decimal(milliseconds) * 1000000).to_integral_value(ROUND_HALF_UP))


def duration(entry):
    time = entry.get("time")
    if time is not None and time >= 0:
        return nanoseconds(time)
    timings = entry.get("timings") or {}
    parts = [timings[part] for part in PARTS if timings.get(part) is not None and timings[part] >= 0]
    return nanoseconds(sum(parts)) if parts else "-"


def state(entry):
    status = (entry.get("response") or {}).get("status") or 0
    if status == 304:
        return "unchanged"
    return "failed" if status <= 0 or status >= 400 else "succeeded"


def feed(entry, source):
    url = urlsplit(entry["request"]["url"])
    if not url.hostname:
        return url.scheme + ":"
    if source == "host":
        return url.hostname
    return f"{url.scheme}://{url.netloc.rpartition('@')[2]}{url.path}"


def main(path, source="host"):
    with open(path, encoding="utf-8-sig") as file:
        archive = json.load(file, parse_float=Decimal)
    counts = Counter()
    for entry in archive["log"]["entries"]:
        began = datetime.fromisoformat(entry["startedDateTime"].replace("Z", "+00:00"))
        microseconds = (began - EPOCH) // timedelta(microseconds=1)
        print("load", microseconds, duration(entry), state(entry), feed(entry, source))
        counts[(feed(entry, source), state(entry))] += 1
    for (name, word), count in sorted(counts.items()):
        print("count", count, word, name)


main(*sys.argv[1:])
