#if Tracing && Server
  import LoadLog
  import LoadLogTracing
  import Tracing

  /// Spans of all kinds. Each feed shows one rule.
  struct Spans {
    let loads: LoadingController
    /// Records what the second tracer gets.
    let others: LoadingController

    private var tracer: LoadTracer { LoadTracer(loads, names: ["exact", "some.*"]) }

    func make() async throws {
      await choose()
      end()
      propagate()
      forward()
      try await meetInManyTasks()
      try await loads.close()
      tracer.startSpan("exact", context: .topLevel).end()
      try await others.close()
    }

    /// Only names that match, and spans that get the attribute.
    private func choose() async {
      for name in ["exact", "exactly", "some.thing", "some", "other"] {
        tracer.startSpan(name, context: .topLevel).end()
      }
      let span = tracer.startSpan("GET /reviews/42", context: .topLevel)
      print("recording before: \(span.isRecording)")
      span.attributes["http.request.method"] = "GET"
      span.attributes[LoadTracer.feedAttribute] = "by attribute"
      span.attributes[LoadTracer.feedAttribute] = "by another attribute"
      print("recording after: \(span.isRecording)")
      span.operationName = "/reviews/{app}"
      span.end()
      span.attributes[LoadTracer.feedAttribute] = "after the end"
      tracer.startSpan("some.thing\n", context: .topLevel).end()
    }

    /// Every way in which a span can end.
    private func end() {
      let broken = Fault(description: "broken pipe")
      try? tracer.withSpan("some.thrown", context: .topLevel) { _ in throw broken }
      try? tracer.withSpan("some.cancelled", context: .topLevel) { _ in throw CancellationError() }
      let named = tracer.startSpan("some.status", context: .topLevel)
      named.recordError(broken)
      named.setStatus(SpanStatus(code: .error, message: "no space left"))
      named.end()
      let handled = tracer.startSpan("some.handled", context: .topLevel)
      handled.recordError(broken)
      handled.end()
      let corrected = tracer.startSpan("some.corrected", context: .topLevel)
      corrected.setStatus(SpanStatus(code: .error))
      corrected.setStatus(SpanStatus(code: .ok))
      corrected.end()
      let twice = tracer.startSpan("some.twice", context: .topLevel)
      twice.end()
      twice.end()
      _ = tracer.startSpan("some.dropped", context: .topLevel)
    }

    /// What crosses processes. Prints what each header of a request becomes in the next one.
    private func propagate() {
      let trace = "0af7651916cd43dd8448eb211c80319c"
      for headers in [
        ["traceparent": "00-\(trace)-b7ad6b7169203331-01", "tracestate": "a=1,b=2"],
        ["traceparent": "cc-\(trace)-b7ad6b7169203331-ff-later"],
        ["traceparent": "00-\(trace)-b7ad6b7169203331-01-more", "tracestate": "a=1"],
        ["traceparent": "ff-\(trace)-b7ad6b7169203331-01"],
        ["traceparent": "00-\(trace)-0000000000000000-01"],
        ["traceparent": "00-\(trace.uppercased())-b7ad6b7169203331-01"], ["tracestate": "a=1"], [:],
      ] {
        var context = InstrumentationContext.topLevel
        tracer.extract(headers, into: &context, using: Headers())
        var next: [String: String] = [:]
        tracer.withSpan("not recorded", context: context) { span in
          tracer.withSpan("some.inner", context: span.context) { inner in
            tracer.inject(inner.context, into: &next, using: Headers())
          }
        }
        print("header \(next["traceparent"] ?? "-") \(next["tracestate"] ?? "-")")
      }
    }

    /// A second tracer gets all spans, and its trace ids are those of the loads.
    private func forward() {
      let first = LoadTracer(loads, names: ["both"], forwardingTo: LoadTracer(others, names: ["*"]))
      var headers: [String: String] = [:]
      try? first.withSpan("only the other", context: .topLevel) { outer in
        try first.withSpan("both", context: outer.context) { span in
          first.inject(span.context, into: &headers, using: Headers())
          throw Fault(description: "both failed")
        }
      }
      print("forwarded \(headers["traceparent"] ?? "-")")
      // This one carries no trace in headers.
      let mute = LoadTracer(loads, names: ["mute"], forwardingTo: NoOpTracer())
      mute.startSpan("mute", context: .topLevel).end()
    }

    /// 8 tasks with 100 pairs of spans each.
    private func meetInManyTasks() async throws {
      let tracer = tracer
      await withTaskGroup { group in
        for _ in 0..<8 {
          group.addTask {
            for _ in 0..<100 {
              await tracer.withSpan("some.outer", context: .topLevel) { _ in
                await tracer.withSpan("some.nested") { _ in await Task.yield() }
              }
            }
          }
        }
      }
      try await loads.flush()
    }
  }

  private struct Headers: Extractor, Injector {
    func extract(key: String, from carrier: [String: String]) -> String? { carrier[key] }

    func inject(_ value: String, forKey key: String, into carrier: inout [String: String]) {
      carrier[key] = value
    }
  }
#endif
