"""Records spans with the SDK of OpenTelemetry, and posts them as OTLP/JSON.

Usage: otlp_http.py URL [gzip]
"""

import gzip
import sys
import urllib.request

from google.protobuf.json_format import MessageToJson
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.trace import StatusCode


class Collector(SpanExporter):
    def __init__(self):
        self.spans = []

    def export(self, spans):
        self.spans += spans
        return SpanExportResult.SUCCESS


def main(url, encoding=""):
    collector = Collector()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(collector))
    tracer = provider.get_tracer("test")
    with tracer.start_as_current_span("checkout"):
        with tracer.start_as_current_span("payment") as span:
            span.set_status(StatusCode.ERROR, "card refused")
    body = MessageToJson(encode_spans(collector.spans)).encode()
    fields = {"Content-Type": "application/json"}
    if encoding == "gzip":
        body = gzip.compress(body)
        fields["Content-Encoding"] = "gzip"
    with urllib.request.urlopen(urllib.request.Request(url, body, fields), timeout=20) as answer:
        print(answer.status, answer.read().decode())


main(*sys.argv[1:])
