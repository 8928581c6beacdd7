"""Prints the spans of an OTLP/JSON document as OpenTelemetry's own protobuf classes read it, one per line.

Usage: otlp_proto_loads.py FILE      Needs the package opentelemetry-proto.
"""

import base64
import json
import sys

from google.protobuf.json_format import ParseDict
from opentelemetry.proto.trace.v1.trace_pb2 import Status, TracesData


def with_base64_ids(document):
    # OTLP/JSON writes ids in hexadecimal, protobuf's JSON in base64.
    for group in document["resourceSpans"]:
        for scope in group["scopeSpans"]:
            for span in scope["spans"]:
                for key in ("traceId", "spanId"):
                    span[key] = base64.b64encode(bytes.fromhex(span[key])).decode()
    return document


def text(attributes, key):
    return next((one.value.string_value for one in attributes if one.key == key), "-")


def main(path):
    with open(path, encoding="utf-8") as file:
        traces = ParseDict(with_base64_ids(json.load(file)), TracesData())
    for group in traces.resource_spans:
        for scope in group.scope_spans:
            for span in scope.spans:
                assert len(span.trace_id) == 16 and len(span.span_id) == 8
                began, ended = span.start_time_unix_nano, span.end_time_unix_nano
                print("span", span.trace_id.hex(), span.span_id.hex(), began, ended - began if ended else "-",
                      Status.StatusCode.Name(span.status.code), text(span.attributes, "loadlog.state"),
                      text(group.resource.attributes, "service.name"), span.name)


main(*sys.argv[1:])
