import Foundation

/// What a path leads to, and what a request for it must be like.
enum Door: Sendable, Equatable {
  /// The page.
  case page
  /// A file that the page needs.
  case file(String)
  /// Server-sent events.
  case events
  /// The page of one feed.
  case feed(String)
  /// Metrics for Prometheus.
  case metrics
  /// Whether the store can be asked.
  case health
  /// A ping: the parts of the path after `/ping`.
  case ping([String])
  /// The badge of a feed.
  case badge(String)
  /// A question of the JSON interface: the parts of the path after `/api/v1`.
  case question([String])
  /// The description of the JSON interface.
  case description
  /// Loads in LoadLog's own format.
  case loads
  /// Traces of OpenTelemetry.
  case traces
  /// The exchange of the token for a cookie.
  case session
  /// The page of the demo.
  case demo
  /// The states of the demo, as server-sent events.
  case states
  /// What a user does on the page of the demo.
  case gesture
  /// Nothing.
  case nothing
  /// An escape in the path is invalid.
  case invalid

  /// The door of a path with its escapes. A slash that is escaped belongs to its part.
  init(path: String) {
    var names: [String] = []
    for part in path.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
      guard let name = part.removingPercentEncoding else {
        // Refused as any address of a ping that leads nowhere.
        self = names.first == "ping" ? .ping([]) : .invalid
        return
      }
      names.append(name)
    }
    self =
      switch (names.first, names.dropFirst().first, names.count) {
      case ("", _, 1): .page
      case ("events", _, 1): .events
      case ("metrics", _, 1): .metrics
      case ("healthz", _, 1): .health
      case ("session", _, 1): .session
      case ("demo", _, 1): .demo
      case ("demo", "events", 2): .states
      case ("demo", "gestures", 2): .gesture
      case ("feeds", let feed?, 2): .feed(feed)
      case ("badge", let file?, 2) where file.hasSuffix(".svg"): .badge(String(file.dropLast(4)))
      case ("ping", _, 2...): .ping(Array(names.dropFirst()))
      case ("v1", "traces", 2): .traces
      case ("api", "v1", 3...):
        switch names.dropFirst(2) {
        case ["openapi.json"]: .description
        case ["import"]: .loads
        case let question: .question(Array(question))
        }
      case (let name?, _, 1) where LivePages.files[name] != nil: .file(name)
      default: .nothing
      }
  }

  /// The methods that are answered.
  var methods: [String] {
    switch self {
    case .ping: ["GET", "HEAD", "POST"]
    case .loads, .traces, .session, .gesture: ["POST"]
    default: ["GET", "HEAD"]
    }
  }

  /// Whether its answer is for every client that may send requests: it is no secret, or the address holds one.
  var needsNoToken: Bool {
    switch self {
    case .ping, .badge, .health, .file, .session: true
    default: false
    }
  }

  /// The answer to a request that is refused: a line of text for clients of Healthchecks, JSON for all others.
  ///
  /// - Parameters:
  ///   - field: the header field at fault.
  ///   - hint: what to do.
  func refusal(_ status: Int, _ why: String, field: String? = nil, hint: String? = nil) -> ServerResponse {
    guard case .ping = self else { return .failure(status, why, field: field, hint: hint) }
    return PingDoor.text(status, hint.map { "\(why). \($0)" } ?? why)
  }

  /// Whether the record is asked for its answer.
  var isQuestion: Bool {
    switch self {
    case .page, .feed, .metrics, .health, .badge, .question: true
    default: false
    }
  }

  /// Whether people ask it with a browser.
  var isPage: Bool {
    switch self {
    case .page, .feed, .demo: true
    default: false
    }
  }

  /// What a request's body may be.
  var body: BodyRule {
    switch self {
    case .ping: .end(of: 10 << 20)
    case .loads:
      .file(most: 64 << 20, types: ["application/x-ndjson", "application/ndjson", "application/json"])
    case .traces: .file(most: 8 << 20, types: ["application/json"])
    case .session: .file(most: 1024, types: ["application/x-www-form-urlencoded"])
    case .gesture: .file(most: 1024, types: ["application/json"])
    default: .none
    }
  }
}

/// What the body of a request may be.
enum BodyRule: Sendable, Equatable {
  /// There is none.
  case none
  /// The end is kept, at most this many bytes.
  case end(of: Int)
  /// At most this many bytes, of one of these media types, are kept in a file. Only pages of this server may send it.
  case file(most: Int, types: [String])

  /// The additional time that a body of the greatest size may take: a second for each MiB.
  var patience: Duration {
    if case .file(let most, _) = self { .seconds(most >> 20) } else { .zero }
  }
}
