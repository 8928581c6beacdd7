import Foundation
package import LoadLog
import LoadLogCLI
import LoadLogCore
import LoadLogReports

/// Answers requests from a store, or from a fleet. Knows no sockets, so that it can be tested without any.
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
    @Sendable (_ words: [String], _ path: String, _ open: () throws(LoadLogError) -> any LoadReading) throws
    -> [UInt8]

  private let record: ServedRecord
  private let watch: Guard
  private let verb: Verb
  private let pages: LivePages
  private let keys: PingKeys?
  private let pings: PingDoor?
  private let imports: ImportDoor?
  /// The stage of the demo, which the HTTP server asks itself: its states are a stream.
  let demo: DemoDoor

  /// Creates the routes to a record.
  ///
  /// - Parameters:
  ///   - record: the store, or the fleet.
  ///   - watch: decides which requests are answered.
  ///   - verb: answers verbs.
  ///   - keys: the secrets of badges; nil to show none.
  ///   - pings: answers pings; nil to take none, and no other loads.
  ///   - demo: answers the gestures of the demo.
  package init(
    to record: ServedRecord, watch: Guard, verb: @escaping Verb, keys: PingKeys? = nil,
    pings: PingDoor? = nil, demo: DemoDoor = DemoDoor()
  ) {
    self.record = record
    self.watch = watch
    self.verb = verb
    self.keys = keys
    self.pings = pings
    self.demo = demo
    imports = pings.flatMap { _ in record.path.map(ImportDoor.init) }
    pages = LivePages(record)
  }

  /// Answers a request.
  package func answer(_ request: ServerRequest) -> ServerResponse {
    refusal(of: request) ?? response(to: request)
  }

  /// The reason to refuse a request before its body is read; nil to read it and ask for the ``response(to:)``.
  func refusal(of request: ServerRequest) -> ServerResponse? {
    watch.refusal(of: request).map { refuse(request, with: $0) }
  }

  /// Completes the answer to a request that is refused, and says to the user of the server why a ping is.
  func refuse(_ request: ServerRequest, with answer: ServerResponse) -> ServerResponse {
    if case .ping = request.door {
      pings?.note(answer.status, String(decoding: answer.body, as: UTF8.self), of: fromClient(request))
    }
    return Self.complete(answer, to: request)
  }

  /// The request, with the address of the client behind a proxy.
  private func fromClient(_ request: ServerRequest) -> ServerRequest {
    var request = request
    request.client = watch.client(of: request)
    return request
  }

  /// Answers a request that is not refused.
  func response(to request: ServerRequest) -> ServerResponse {
    let answer = request.door.isQuestion ? asking { routed(request) } : routed(request)
    return Self.complete(answer, to: request)
  }

  /// Asks the record, within the time that it may take.
  private func asking<Value, Failure>(_ work: () throws(Failure) -> Value) throws(Failure) -> Value {
    try SQLiteLoadReader.answering(within: ServeSettings.deadline, work)
  }

  /// Answers pings together.
  func responses(toPings requests: [ServerRequest]) -> [ServerResponse] {
    zip(answers(toPings: requests), requests).map { Self.complete($0, to: $1) }
  }

  private func answers(toPings requests: [ServerRequest]) -> [ServerResponse] {
    guard let pings else {
      let why = "this server takes no pings\(record.path == nil ? ": \(Self.onlyShown)" : "")"
      return requests.map { _ in PingDoor.text(404, why) }
    }
    return pings.answers(
      requests.map { request in
        guard case .ping(let names) = request.door else { return (request, []) }
        return (fromClient(request), names)
      })
  }

  /// Answers a gesture of the demo that is not refused, after it was done.
  func response(toGesture request: ServerRequest) async -> ServerResponse {
    Self.complete(await demo.answer(request))
  }

  /// Whether the record has changed since the last call, which is then to be announced to listeners.
  package func refreshPage() throws(LoadLogError) -> Bool {
    try asking { () throws(LoadLogError) in try pages.refresh() }
  }

  /// Adds what every answer has.
  static func complete(_ answer: ServerResponse, to request: ServerRequest? = nil) -> ServerResponse {
    var answer = answer
    answer.fields.merge(safety) { given, _ in given }
    answer.fields["content-length"] = String(answer.body.count)
    if answer.status == 401 { answer.fields["www-authenticate"] = "Bearer" }
    if answer.status == 503 { answer.fields["retry-after"] = "5" }
    if request?.method == "HEAD" { answer.body = [] }
    return answer
  }

  /// What no answer goes without.
  private static let safety = [
    "cache-control": "no-store", "x-content-type-options": "nosniff", "referrer-policy": "no-referrer",
    "content-security-policy":
      "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    "cross-origin-resource-policy": "same-origin",
  ]

  /// Why nothing is recorded in a fleet, and where to.
  private static let onlyShown = "it shows a fleet; send them to the server of the host that records them"

  private func open() throws(LoadLogError) -> any FollowedReading { try record.open() }

  private func routed(_ request: ServerRequest) -> ServerResponse {
    do {
      switch request.door {
      case .page: return try pages.answer(search: Query(request.query).value("feed") ?? "")
      case .feed(let name): return try pages.answer(feed: name)
      case .file(let name): return LivePages.file(name)
      case .metrics: return try metrics()
      case .health:
        _ = try open().dataVersion()
        return .text(200, "ok\n")
      case .ping: return answers(toPings: [request])[0]
      case .badge(let name):
        guard let key = Query(request.query).value("key"), keys?.hasBadges(key) == true else {
          return .failure(
            404, "there is no such badge",
            hint: "A badge needs ?key=KEY, from a line \"badge KEY\" in the file of ping keys.")
        }
        return try Badge.answer(name, open())
      case .question(let names):
        guard let words = try APIQuestion.words(names, request.query) else { return Self.nothing }
        do {
          return ServerResponse(200, ServerResponse.mediaType, try verb(words, record.name, open))
        } catch let error as LoadLogError where error.code == .invalidInput {
          throw WrongQuery(error, request.query)
        }
      case .description:
        return ServerResponse(
          200, ServerResponse.mediaType, Array((OpenAPI.description.text() + "\n").utf8))
      case .loads, .traces:
        guard let imports else {
          return .failure(
            403, "this server changes nothing", hint: record.path == nil ? Self.onlyShown : nil)
        }
        return try imports.answer(request)
      case .session: return try session(request)
      case .demo: return ServerResponse(200, "text/html; charset=utf-8", DemoDoor.page)
      case .events, .states, .gesture, .nothing: return Self.nothing
      case .invalid: return .failure(400, "the path has an invalid escape")
      }
    } catch let error as WrongQuery {
      return .failure(400, error.why, field: error.field, hint: error.hint)
    } catch {
      return .failure(error, isForEverybody: request.door.needsNoToken)
    }
  }

  private static let nothing = ServerResponse.failure(404, "there is nothing at this address")

  private func metrics() throws(LoadLogError) -> ServerResponse {
    let reader = try open()
    let text = PrometheusText(
      try reader.status(LoadFilter(), runningLimit: nil), storeBytes: reader.bytesOnDisk,
      version: LoadLogVersion.current)
    var bytes: [UInt8] = []
    text.append(to: &bytes)
    return ServerResponse(200, PrometheusText.mediaType, bytes)
  }

  private func session(_ request: ServerRequest) throws(LoadLogError) -> ServerResponse {
    guard let token = watch.token else { return .failure(404, "this server asks for no token") }
    guard case .file(let form) = request.body,
      let cookie = token.cookie(for: String(decoding: try form.bytes(), as: UTF8.self))
    else {
      return LoginPage.answer(isWrong: true)
    }
    var answer = ServerResponse.text(303, "")
    answer.fields["location"] = "/"
    answer.fields["set-cookie"] = cookie
    return answer
  }
}
