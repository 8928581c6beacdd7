"""Prints the loads of a file in the Trace Event Format without using LoadLog: one per line, then counts.

Usage: trace_loads.py FILE EPOCH [name|cat]      EPOCH: microseconds since 1970
"""

import json
import sys
from collections import Counter
from decimal import ROUND_HALF_UP, Decimal

PAIRS = {"B": "E", "b": "e", "S": "F"}


def events(path):
    with open(path, encoding="utf-8-sig") as file:
        text = file.read()
    try:
        document = json.loads(text, parse_float=Decimal)
    except json.JSONDecodeError:
        # An array may lack its closing bracket.
        document = json.loads(text.rstrip().rstrip(",") + "]", parse_float=Decimal)
    return document["traceEvents"] if isinstance(document, dict) else document


def nanoseconds(microseconds):
    return int((Decimal(microseconds) * 1000).to_integral_value(ROUND_HALF_UP))


def moment(event, epoch):
    time = nanoseconds(event["ts"])
    return time if time >= 10**18 else epoch * 1000 + time


def group(event, phase):
    if phase == "B":
        return ("thread", str(event.get("pid")), str(event.get("tid")))
    both = event.get("id2") or {}
    local = (both["local"], event.get("pid")) if "local" in both else None
    return (phase, event.get("cat"), str(event.get("id")), local, both.get("global"), event.get("scope"))


def main(path, epoch, source="name"):
    epoch = int(epoch)
    counts, skipped, waiting, lines, rejected = Counter(), Counter(), [], [], 0

    def load(feed, began, duration, state):
        lines.append(f"load {began // 1000} {duration} {state} {feed}")
        counts[(feed, state)] += 1

    for event in events(path):
        phase = event["ph"]
        known = event.get("args", {}).get("loadlog", {}).get("state")
        if phase in ("X", *PAIRS) and source not in event:
            rejected += 1
        elif phase == "X":
            load(event[source], moment(event, epoch), nanoseconds(event["dur"]) if "dur" in event else "-",
                 known or "ended")
        elif phase in PAIRS:
            waiting.append((group(event, phase), event.get("name"), event[source], moment(event, epoch), known))
        elif phase in PAIRS.values():
            opener = next(key for key, value in PAIRS.items() if value == phase)
            partner = next(
                (one for one in reversed(waiting)
                 if one[0] == group(event, opener) and event.get("name") in (None, one[1])), None)
            if partner is None:
                lines.append(f"orphan {moment(event, epoch) // 1000} {event.get(source, '-')}")
            else:
                waiting.remove(partner)
                known = known or (partner[4] if partner[4] not in (None, "running") else None)
                load(partner[2], partner[3], moment(event, epoch) - partner[3], known or "ended")
        elif phase != "M":
            skipped[phase] += 1
    for _, _, feed, began, known in waiting:
        load(feed, began, "-", known or "abandoned")
    for line in sorted(lines):
        print(line)
    for (name, word), count in sorted(counts.items()):
        print("count", count, word, name)
    if rejected:
        print("rejected", rejected)
    for phase, count in sorted(skipped.items()):
        print("skipped", count, phase)


main(*sys.argv[1:])
