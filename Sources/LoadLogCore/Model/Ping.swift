/// What a client whose process cannot be seen from here reports of a load: the meaning of a request to `loadlog serve`.
package struct Ping: Sendable, Hashable {
  /// What happened.
  package enum Kind: Sendable, Hashable {
    /// A load started.
    case start
    /// A load succeeded.
    case success
    /// A load failed; with the exit code of its command, if it is known.
    case failure(exitCode: Int?)
    /// A message about a running load.
    case log
  }

  /// The feed.
  package let feed: Feed
  /// What happened.
  package let kind: Kind
  /// The client's own id of the run, which its start and its end have in common; nil if it has none.
  package let run: SessionID?
  /// What the client wrote; nil if it wrote nothing.
  package let body: KeptOutput?
  /// The line of the body that says what happened; nil if there is none.
  package let line: String?

  /// Creates a ping from its parts.
  package init(
    _ kind: Kind, of feed: Feed, run: SessionID? = nil, body: KeptOutput? = nil, line: String? = nil
  ) {
    self.kind = kind
    self.feed = feed
    self.run = run
    self.body = body
    self.line = line
  }

  /// The verdict that it reports; nil if it reports none.
  package var verdict: Verdict? {
    switch kind {
    case .success: .succeeded
    case .failure(let code): .failed(code.map { "exit \($0)\(line.map { ": \($0)" } ?? "")" } ?? line)
    case .start, .log: nil
    }
  }

  /// The ids that loads of the client's run with ``run`` can have; nil if it has none.
  ///
  /// They have version 8 (RFC 9562) and begin with the same eight bytes, which are a hash of the feed and the run. Then
  /// follows a number, because a run may be started again under the same id: later loads have greater ids. The last four
  /// bytes are those of a hash, because tables show ids by their ends.
  package var loads: ClosedRange<SessionID>? {
    identity.map { identity in
      let prefix = LoadIdentity.id(identity, occurrence: 0).high
      return SessionID(high: prefix, low: 1 << 63)...SessionID(high: prefix, low: 3 << 62 - 1)
    }
  }

  /// The id of the run's next load; nil if the client has no run.
  ///
  /// - Parameter newest: the id of its newest load; nil if there is none.
  package func load(after newest: SessionID?) -> SessionID? {
    guard let identity, let loads else { return nil }
    let number = newest.map { (UInt32(truncatingIfNeeded: $0.low >> 32) &+ 1) & 0x3FFF_FFFF } ?? 0
    let end = LoadIdentity.id(identity, occurrence: number).low & 0xFFFF_FFFF
    return SessionID(
      high: loads.lowerBound.high, low: loads.lowerBound.low | UInt64(number) << 32 | end)
  }

  private var identity: StableHash? {
    run.map { run in
      var hash = StableHash()
      hash.add(field: "ping")
      hash.add(field: feed.name)
      hash.add(bytes: run.bytes)
      return hash
    }
  }
}
