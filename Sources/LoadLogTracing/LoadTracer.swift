#if Tracing
  public import LoadLogCore
  public import Tracing

  /// A tracer that records chosen spans as loads.
  ///
  ///     let tracer = LoadTracer(loads, names: ["reviews.*"])
  ///     InstrumentationSystem.bootstrap(tracer)
  ///
  ///     try await withSpan("reviews.refresh") { _ in try await api.refresh() }
  ///
  /// A span is recorded if its name matches one of the patterns when it starts; the name is then the feed. A span whose
  /// attribute ``feedAttribute`` is set while it is open is recorded from then on, as a load of the feed that the
  /// attribute names. Use it where a library names the spans. All other spans only carry the trace on.
  ///
  /// A load of a span keeps the trace id as its tag, and the ids of the span and of its parent in its message:
  /// `loadlog history --trace ID` lists the loads of a trace, and `--grep ID` those of a span and of its children.
  ///
  /// | span | verdict |
  /// | --- | --- |
  /// | ended with the status error | `failed`; the reason is the message of the status, else the recorded error |
  /// | ended with the status error after a `CancellationError`, or in a cancelled task | `cancelled` |
  /// | ended otherwise | `succeeded`; the reason is the recorded error, if there is one |
  /// | released without an end | `abandoned`, reason `dropped` |
  /// | open when its process is killed | `crashed` |
  ///
  /// Starting and ending a span never waits: the events are queued, as those of `LoadingController.push(_:)` are, and are
  /// durable a few milliseconds later if the store is free. A span that starts just before its process is killed can be
  /// missing. Loads have the times of the controller's clocks; times that are passed to a span only reach the tracer to
  /// which spans are forwarded.
  ///
  /// Without another tracer, the trace crosses processes in the headers `traceparent` and `tracestate` of
  /// [W3C Trace Context](https://www.w3.org/TR/trace-context/).
  public final class LoadTracer: Tracer {
    /// The name of the attribute whose value is the feed of a span.
    public static let feedAttribute = "loadlog.feed"

    let loads: LoadingController
    let next: (any Tracer)?
    private let names: [FeedPattern]

    /// Creates a tracer.
    ///
    /// - Parameters:
    ///   - loads: records the spans. Close it when the app ends: spans that are still open are cancelled then.
    ///   - names: patterns for the names of spans to record. A name should not contain values that change from request to
    ///     request, because each name is a feed.
    ///   - next: another tracer, which gets every span, event and attribute, and which alone carries the trace on. Give it
    ///     here rather than to a `MultiplexInstrument`, of whose tracers only the first one gets the spans. Loads have
    ///     its trace ids if it injects the header `traceparent`, and no trace ids otherwise.
    public init(
      _ loads: LoadingController, names: [FeedPattern] = [], forwardingTo next: (any Tracer)? = nil
    ) {
      self.loads = loads
      self.names = names
      self.next = next
    }

    /// Starts a span and returns at once; records a load if the span is chosen.
    public func startSpan<Instant: TracerInstant>(
      _ operationName: String, context: @autoclosure () -> InstrumentationContext, ofKind kind: SpanKind,
      at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
    ) -> LoadSpan {
      let origin = context()
      let span: LoadSpan
      if let next {
        let other = next.startSpan(
          operationName, context: origin, ofKind: kind, at: instant(), function: function, file: fileID,
          line: line)
        span = LoadSpan(self, operationName, other.context, origin: origin, next: other, fileID, line)
      } else {
        var context = origin
        context.traceParent = origin.traceParent?.child() ?? TraceParent()
        span = LoadSpan(self, operationName, context, origin: origin, next: nil, fileID, line)
      }
      let feed = Feed(operationName)
      if names.contains(where: { $0.matches(feed) }) { span.record(as: feed) }
      return span
    }

    /// Waits until the loads of all spans that started or ended are durable, then flushes the tracer to which spans are
    /// forwarded. Blocks the thread.
    @available(*, deprecated)
    public func forceFlush() {
      // The controller has already reported the error.
      try? loads.flush()
      next?.forceFlush()
    }

    /// Writes the trace into the headers of an outgoing request.
    public func inject<Carrier, Inject: Injector>(
      _ context: InstrumentationContext, into carrier: inout Carrier, using injector: Inject
    ) where Inject.Carrier == Carrier {
      if let next { return next.inject(context, into: &carrier, using: injector) }
      guard let place = context.traceParent else { return }
      injector.inject(place.header, forKey: Header.traceParent, into: &carrier)
      if let state = place.state { injector.inject(state, forKey: Header.traceState, into: &carrier) }
    }

    /// Reads the trace from the headers of an incoming request. Headers that are not valid are ignored.
    public func extract<Carrier, Extract: Extractor>(
      _ carrier: Carrier, into context: inout InstrumentationContext, using extractor: Extract
    ) where Extract.Carrier == Carrier {
      if let next { return next.extract(carrier, into: &context, using: extractor) }
      guard let header = extractor.extract(key: Header.traceParent, from: carrier),
        let place = TraceParent(header, state: extractor.extract(key: Header.traceState, from: carrier))
      else { return }
      context.traceParent = place
    }

    /// Returns the position of a context in its trace; nil if it has none, or if the other tracer does not pass it on.
    func place(of context: InstrumentationContext) -> TraceParent? {
      guard let next else { return context.traceParent }
      var headers: [String: String] = [:]
      next.inject(context, into: &headers, using: HeaderInjector())
      return headers[Header.traceParent].flatMap { TraceParent($0) }
    }
  }

  private enum Header {
    static let traceParent = "traceparent", traceState = "tracestate"
  }

  private struct HeaderInjector: Injector {
    func inject(_ value: String, forKey key: String, into carrier: inout [String: String]) {
      carrier[key.lowercased()] = value
    }
  }

  private enum TraceParentKey: InstrumentationContextKey {
    typealias Value = TraceParent
    static var nameOverride: String? { Header.traceParent }
  }

  extension InstrumentationContext {
    /// The position in the trace, if no other tracer keeps it.
    fileprivate var traceParent: TraceParent? {
      get { self[TraceParentKey.self] }
      set { self[TraceParentKey.self] = newValue }
    }
  }
#endif
