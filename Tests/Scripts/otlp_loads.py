"""Prints the loads of OTLP/JSON traces without using LoadLog: one per line, then counts.

Usage: otlp_loads.py FILE [name|service]
"""

import json
import sys
from collections import Counter


def documents(path):
    with open(path, encoding="utf-8-sig") as file:
        text = file.read()
    decoder, position = json.JSONDecoder(), 0
    while text[position:].strip():
        position += len(text[position:]) - len(text[position:].lstrip())
        document, position = decoder.raw_decode(text, position)
        yield document


def service(resource):
    for attribute in resource.get("attributes", []):
        if attribute["key"] == "service.name":
            return attribute["value"]["stringValue"]
    return "unknown_service"


def state(span, known):
    if known not in (None, "running"):
        return known
    if not int(span.get("endTimeUnixNano", 0)):
        return known or "abandoned"
    return "failed" if span.get("status", {}).get("code") in (2, "STATUS_CODE_ERROR") else "succeeded"


def main(path, source="name"):
    counts = Counter()
    for document in documents(path):
        for group in document.get("resourceSpans", []):
            for scope in group["scopeSpans"]:
                for span in scope["spans"]:
                    own = {one["key"]: one["value"].get("stringValue") for one in span.get("attributes", [])}
                    began, ended = int(span["startTimeUnixNano"]), int(span.get("endTimeUnixNano", 0))
                    feed = span["name"] if source == "name" else service(group.get("resource", {}))
                    word = state(span, own.get("loadlog.state"))
                    print("load", began // 1000, ended - began if ended >= began else "-", word, feed)
                    counts[(feed, word)] += 1
    for (name, word), count in sorted(counts.items()):
        print("count", count, word, name)


main(*sys.argv[1:])
