#if Tracing
  import LoadLogCore
  import Synchronization
  public import Tracing

  /// A span of a ``LoadTracer``. It may be used on any thread, and none of its methods waits.
  public final class LoadSpan: Span {
    /// The context in which the work of the span runs.
    public let context: InstrumentationContext

    private let tracer: LoadTracer
    /// The context in which the span was started.
    private let origin: InstrumentationContext
    private let next: (any Span)?
    private let fileID: String, line: UInt
    private let state: Mutex<State>

    private struct State {
      var name: String
      var status: SpanStatus?
      /// The verdict that the last recorded error would give.
      var error: Verdict?
      /// The load; nil if the span is not recorded.
      var load: LoadingToken?
      var isEnded = false

      var verdict: Verdict {
        guard status?.code == .error else { return .succeeded(error?.reason) }
        return error?.state == .cancelled ? .cancelled : .failed(status?.message ?? error?.reason)
      }
    }

    init(
      _ tracer: LoadTracer, _ name: String, _ context: InstrumentationContext, origin: InstrumentationContext,
      next: (any Span)?, _ fileID: String, _ line: UInt
    ) {
      self.tracer = tracer
      self.context = context
      self.origin = origin
      self.next = next
      self.fileID = fileID
      self.line = line
      state = Mutex(State(name: name))
    }

    /// Records the rest of the span as a load, unless it is already recorded or has ended.
    func record(as feed: Feed) {
      state.withLock { state in
        guard state.load == nil, !state.isEnded else { return }
        let ids = ids
        state.load = tracer.loads.begin(
          feed, message: message(ids, state.name, feed), tag: ids?.tag, callSite)
      }
    }

    private var ids: TraceSpan? {
      tracer.place(of: context).map { TraceSpan($0, parent: tracer.place(of: origin)) }
    }

    private func message(_ ids: TraceSpan?, _ name: String, _ feed: Feed) -> String? {
      let name = name == feed.name ? nil : name
      return ids.map { $0.message(name: name) } ?? name
    }

    private var callSite: CallSite { CallSite("\(fileID):\(line)") }

    // MARK: - Span

    /// The name of the span. A new name does not change the feed of its load; it stands in the load's message.
    public var operationName: String {
      get { state.withLock { $0.name } }
      set {
        state.withLock { state in
          state.name = newValue
          guard let load = state.load else { return }
          tracer.loads.update(load, message: message(ids, newValue, load.feed))
        }
        next?.operationName = newValue
      }
    }

    /// The attributes, which only the tracer to which spans are forwarded keeps. Setting ``LoadTracer/feedAttribute``
    /// records the rest of the span as a load of the feed that it names.
    public var attributes: SpanAttributes {
      get { next?.attributes ?? [:] }
      set {
        if case .string(let feed)? = newValue.get(LoadTracer.feedAttribute) { record(as: Feed(feed)) }
        next?.attributes = newValue
      }
    }

    /// Whether the span is recorded as a load, or the tracer to which spans are forwarded records it.
    public var isRecording: Bool { state.withLock { $0.load != nil } || next?.isRecording ?? false }

    /// Sets the status, which decides the verdict of the load. A later status replaces it.
    public func setStatus(_ status: SpanStatus) {
      state.withLock { $0.status = status }
      next?.setStatus(status)
    }

    /// Notes an error. It is the reason of the load's verdict, but only the status makes the load fail.
    public func recordError<Instant: TracerInstant>(
      _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
    ) {
      let verdict = LoadingController.verdict(for: error)
      state.withLock { $0.error = verdict }
      next?.recordError(error, attributes: attributes, at: instant())
    }

    /// Passes an event to the tracer to which spans are forwarded.
    public func addEvent(_ event: SpanEvent) { next?.addEvent(event) }

    /// Passes a link to the tracer to which spans are forwarded.
    public func addLink(_ link: SpanLink) { next?.addLink(link) }

    /// Ends the span, and its load if it is recorded. A second end has no effect.
    public func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
      let (isFirst, load, verdict) = state.withLock { state in
        defer { (state.load, state.isEnded) = (nil, true) }
        return (!state.isEnded, state.load, state.verdict)
      }
      guard isFirst else { return }
      if let load { tracer.loads.end(load, verdict, callSite) }
      next?.end(at: instant())
    }
  }
#endif
