"""Spans made by the OpenTelemetry SDK while it loads real things, written as OTLP/JSON."""

import base64
import json
import urllib.request

from google.protobuf.json_format import MessageToDict
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.trace import Link, SpanKind, Status, StatusCode


class JSONDocuments(SpanExporter):
    """Writes each batch of spans as one OTLP/JSON document."""

    def __init__(self, path, indent=None):
        self.file = open(path, "w", encoding="utf-8")
        self.indent = indent

    def export(self, spans):
        request = MessageToDict(encode_spans(spans), use_integers_for_enums=True)
        json.dump(with_hexadecimal_ids(request), self.file, indent=self.indent, ensure_ascii=False)
        self.file.write("\n")
        return SpanExportResult.SUCCESS

    def shutdown(self):
        self.file.close()


def with_hexadecimal_ids(value):
    """OTLP/JSON wants the ids of traces and spans in hexadecimal digits; protobuf's JSON has base64."""
    if isinstance(value, list):
        return [with_hexadecimal_ids(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {
        key: base64.b64decode(one).hex() if key in ("traceId", "spanId", "parentSpanId")
        else with_hexadecimal_ids(one)
        for key, one in value.items()
    }


def record_spans(site, document, lines):
    """Writes one indented document, and a file with one document a line, as a collector's file exporter does."""
    for path, indent, batch, service in [(document, 2, 512, "reader"), (lines, None, 4, None)]:
        # Without a name of its own the SDK calls the service unknown_service.
        provider = TracerProvider(resource=Resource.create({"service.name": service} if service else {}))
        provider.add_span_processor(BatchSpanProcessor(
            JSONDocuments(path, indent), max_export_batch_size=batch, schedule_delay_millis=600_000))
        load_everything(site, provider.get_tracer("loadlog.tests", "1.0"))
        provider.shutdown()


def load_everything(site, tracer):
    with tracer.start_as_current_span("visit", kind=SpanKind.CLIENT) as visit:
        for path in ["/", "/style.css", "/picture.png", "/missing.png", "/broken.json", "/unanswered"]:
            # An error ends in an event and in a status with a description; the SDK adds both.
            try:
                with tracer.start_as_current_span("GET " + path, kind=SpanKind.CLIENT) as span:
                    with urllib.request.urlopen(site + path, timeout=10) as response:
                        span.set_attributes({"http.response.status_code": response.status, "url.path": path})
                        response.read()
                    span.set_status(Status(StatusCode.OK))
            except OSError:
                pass
        with tracer.start_as_current_span("réviews, \"5\" 🧪", links=[Link(visit.get_span_context())]) as span:
            span.set_attributes({"flags": [True, False], "ratio": 0.5, "count": 2**53 + 1, "empty": ""})
            span.add_event("parsed", {"bytes": 12})
        with tracer.start_as_current_span("parse") as span:
            span.set_status(Status(StatusCode.ERROR, "line 1: {\"unexpected\": end}"))
