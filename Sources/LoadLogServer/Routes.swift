import Foundation
package import LoadLog
import LoadLogCore
import LoadLogReports

/// Answers requests from a store. Knows no sockets, so that it can be tested without any.
///
/// Calls block the thread. Any number of threads may call at the same time.
package final class Routes: Sendable {
  /// Answers a verb of the command line.
  ///
  /// - Parameters:
  ///   - words: the verb and its arguments.
  ///   - path: the store's path, as the answer names it.
  ///   - open: opens the store for reading.
  /// - Returns: the bytes that the verb would print.
  package typealias Verb =
    @Sendable (_ words: [String], _ path: String, _ open: () throws(LoadLogError) -> SQLiteLoadReader) throws
    -> [UInt8]

  private let path: String
  private let watch: Guard
  private let verb: Verb
  private let version: String
  private let page: LivePage
  private let pings: PingDoor?

  /// Creates the routes to a store.
  ///
  /// - Parameters:
  ///   - path: the store.
  ///   - watch: decides which requests are answered.
  ///   - version: the version of the program, for metrics.
  ///   - verb: answers verbs.
  ///   - pings: answers pings; nil to change nothing in the store.
  package init(
    storeAt path: String, watch: Guard, version: String, verb: @escaping Verb, pings: PingDoor? = nil
  ) {
    self.path = path
    self.watch = watch
    self.version = version
    self.verb = verb
    self.pings = pings
    page = LivePage(path)
  }

  /// Answers a request.
  package func answer(_ request: ServerRequest) -> ServerResponse {
    var answer = Self.complete(watch.refusal(of: request) ?? routed(request))
    if request.method == "HEAD" { answer.body = [] }
    return answer
  }

  /// The path of server-sent events, which the HTTP server answers itself, because it holds the connection.
  static let events = "/events"

  /// The reason to refuse a request for events; nil to send them.
  func refusal(of request: ServerRequest) -> ServerResponse? { watch.refusal(of: request).map(Self.complete) }

  /// The head of an answer with events.
  static let listening = complete(ServerResponse(200, "text/event-stream", []))

  /// The answer to one listener too many.
  static var refusalOfListener: ServerResponse {
    var answer = ServerResponse.failure(
      503, "too many listeners", hint: "At most \(EventHub.most) clients can listen at the same time.")
    answer.fields["retry-after"] = "5"
    return complete(answer)
  }

  /// The answer to a request with a body.
  static let refusalOfBody = complete(.failure(413, "only a ping has a body"))

  /// The answers to pings whose bodies are too long, or do not arrive.
  static let refusalOfLongBody = complete(PingDoor.refusalOfLongBody)
  static let refusalOfSlowBody = complete(PingDoor.refusalOfSlowBody)

  /// Renders the page again if the record has changed.
  ///
  /// - Returns: whether it has.
  func refreshPage() throws(LoadLogError) -> Bool { try page.refresh() }

  /// Adds what every answer has.
  private static func complete(_ answer: ServerResponse) -> ServerResponse {
    var answer = answer
    answer.fields.merge(safety) { given, _ in given }
    answer.fields["content-length"] = String(answer.body.count)
    return answer
  }

  /// How long the store may take for one question.
  private static let deadline = Duration.seconds(2)

  /// What no answer goes without.
  private static let safety = [
    "cache-control": "no-store", "x-content-type-options": "nosniff", "referrer-policy": "no-referrer",
    "content-security-policy":
      "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "cross-origin-resource-policy": "same-origin",
  ]

  private func open() throws(LoadLogError) -> SQLiteLoadReader {
    try SQLiteLoadReader(at: path, deadline: Self.deadline)
  }

  private func routed(_ request: ServerRequest) -> ServerResponse {
    do {
      let parts = request.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
      guard let names = Self.decoded(parts) else { return .failure(400, "the path has an invalid escape") }
      switch (names.count, names.first) {
      case (1, ""): return try page.answer()
      case (_, "ping") where request.isPing:
        guard let pings else { return .failure(404, "this server takes no pings") }
        return pings.answer(request, Array(names.dropFirst()))
      case (1, "metrics"): return try metrics()
      case (1, "healthz"):
        _ = try open().dataVersion()
        return ServerResponse(200, "text/plain; charset=utf-8", Array("ok\n".utf8))
      default:
        if names.count == 1, let file = LivePage.file(names[0]) { return file }
        guard names.starts(with: ["api", "v1"]), let question = APIQuestion(Array(names.dropFirst(2))) else {
          return .failure(404, "there is nothing at this address")
        }
        return ServerResponse(
          200, ServerResponse.mediaType, try verb(question.words(request.query), path, open))
      }
    } catch let error as LoadLogError {
      return .failure(error)
    } catch let error as WrongQuery {
      return .failure(400, error.why, field: error.field)
    } catch {
      return .failure(503, "\(error)")
    }
  }

  private func metrics() throws(LoadLogError) -> ServerResponse {
    let reader = try open()
    let text = PrometheusText(
      try reader.status(LoadFilter(), runningLimit: nil), storeBytes: reader.bytesOnDisk, version: version)
    var bytes: [UInt8] = []
    text.append(to: &bytes)
    return ServerResponse(200, PrometheusText.mediaType, bytes)
  }

  /// The parts of a path without their escapes; nil if one is invalid. A slash that was escaped belongs to its part.
  private static func decoded(_ parts: some Sequence<Substring>) -> [String]? {
    var names: [String] = []
    for part in parts {
      guard let name = part.removingPercentEncoding else { return nil }
      names.append(name)
    }
    return names
  }
}
