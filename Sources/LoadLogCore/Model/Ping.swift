/// What a client that nobody here can see reports of a load: the meaning of a request to `loadlog serve`.
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

  /// The id of a load that the client's run with ``run`` is; nil if it has none.
  ///
  /// - Parameter number: counts the loads of this feed and run from 0: a run may be started again under the same id.
  package func load(_ number: UInt32) -> SessionID? {
    guard let run else { return nil }
    var hash = StableHash()
    hash.add(field: "ping")
    hash.add(field: feed.name)
    hash.add(bytes: run.bytes)
    return LoadIdentity.id(hash, occurrence: number)
  }
}
