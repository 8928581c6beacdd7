import Foundation
import LoadLog
import LoadLogCLI
import LoadLogCore

/// Answers pings: the Pinging API of Healthchecks, so that its clients work with another host.
///
/// Sources: https://healthchecks.io/docs/http_api/ and the views of github.com/healthchecks/healthchecks.
package final class PingDoor: Sendable {
  /// The number of bytes of a body that are kept: its end.
  package static let keptBytes = 100_000
  private let keys: PingKeys
  private let book: PingBook
  private let onRefusal: @Sendable (String) -> Void

  /// Creates a door to a store.
  ///
  /// - Parameter onRefusal: called with a line that says why a ping was refused; its key is not in it.
  package init(
    _ keys: PingKeys, storeAt path: String, onRefusal: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.keys = keys
    book = PingBook(at: path)
    self.onRefusal = onRefusal
  }

  /// Closes the store; the next ping opens it again.
  package func close() { book.close() }

  /// Answers requests together: their pings are in one transaction.
  ///
  /// - Parameter requests: the requests, each with the parts of its path after `/ping`.
  func answers(_ requests: [(request: ServerRequest, names: [String])]) -> [ServerResponse] {
    let read = requests.map { request, names in
      Result { () throws(Refusal) in try Self.entry(request, names, keys) }
    }
    var outcomes = book.record(read.compactMap { try? $0.get().entry })[...]
    return zip(requests, read).map { one, read in
      do throws(Refusal) {
        let (entry, hasSlug) = try read.get()
        return try Self.answer(outcomes.removeFirst(), to: entry, hasSlug: hasSlug)
      } catch {
        note(error.status, error.cause, of: one.request)
        return Self.text(error.status, error.why)
      }
    }
  }

  /// Says who sent a ping that is refused, and why.
  func note(_ status: Int, _ cause: String, of request: ServerRequest) {
    let agent = request.agent.isEmpty ? "" : " (\(TextLimit.cut(request.agent, to: TextLimit.tag) ?? ""))"
    onRefusal(VisibleText.line("ping from \(request.client)\(agent) refused with \(status): \(cause)"))
  }

  private struct Refusal: Error {
    let status: Int
    /// What Healthchecks answers.
    let why: String
    /// What was wrong, for the user of the server.
    let cause: String

    init(_ status: Int, _ why: String, _ cause: String) {
      self.status = status
      self.why = why
      self.cause = cause
    }
  }

  private static func entry(
    _ request: ServerRequest, _ names: [String], _ keys: PingKeys
  ) throws(Refusal) -> (entry: PingBook.Entry, hasSlug: Bool) {
    guard let place = Place(names) else {
      throw Refusal(
        404, "not found",
        "an address is KEY/FEED or UUID, and may end in /start, /fail, /log or an exit code; FEED has only a-z, 0-9, - and _"
      )
    }
    guard place.slug == place.slug?.lowercased() else {
      throw Refusal(400, "invalid url format", "its feed has capital letters")
    }
    guard let feed = place.slug.map({ keys.feed(place.secret, $0) }) ?? keys.feed(place.secret) else {
      throw Refusal(404, "not found", "its key or UUID was not in the file of ping keys at the start")
    }
    let kind: Ping.Kind
    switch place.action {
    case nil: kind = .success
    case "start"?: kind = .start
    case "fail"?: kind = .failure(exitCode: nil)
    case "log"?: kind = .log
    case let digits?:
      guard let code = Int(digits), code <= 255 else {
        throw Refusal(400, "invalid url format", "the exit code is greater than 255")
      }
      kind = code == 0 ? .success : .failure(exitCode: code)
    }
    let query = Query(request.query)
    var run: SessionID?
    if let text = query.value("rid") {
      guard let uuid = UUID(uuidString: text) else {
        throw Refusal(400, "invalid uuid format", "its rid is not a UUID")
      }
      run = SessionID(uuid)
    }
    var body: KeptOutput?
    if case .end(let output) = request.body, output.total > 0 { body = output }
    let ping = Ping(kind, of: feed, run: run, body: body, line: body.flatMap { ErrorLine($0).text })
    // A feed that is named in the file of keys is wanted, even if it was never loaded.
    let creates = place.slug == nil || query.value("create") == "1"
    return (
      PingBook.Entry(ping, from: request.client, request.agent, creates: creates), place.slug != nil
    )
  }

  private static func answer(
    _ outcome: Result<PingBook.Outcome, LoadLogError>, to entry: PingBook.Entry, hasSlug: Bool
  ) throws(Refusal) -> ServerResponse {
    switch outcome {
    case .success(.unknownFeed):
      let name = VisibleText.quoted(entry.ping.feed.name)
      throw Refusal(404, "not found", "no feed is named \(name); ?create=1 adds it")
    case .success(.created) where hasSlug: return text(201, "Created", isAccepted: true)
    case .success: return text(200, "OK", isAccepted: true)
    case .failure(let error) where error.code == .invalidInput:
      throw Refusal(400, error.description, error.description)
    case .failure(let error):
      // A key for pings opens nothing else, so its holder does not learn where the store is.
      throw Refusal(
        503, "the ping cannot be recorded\(ServerResponse.code(of: error))", error.description)
    }
  }

  /// An answer to a client of Healthchecks.
  static func text(_ status: Int, _ text: String, isAccepted: Bool = false) -> ServerResponse {
    var answer = ServerResponse.text(status, text)
    answer.fields["cache-control"] = "max-age=0, no-cache, no-store, must-revalidate, private"
    if isAccepted {
      answer.fields["ping-body-limit"] = String(keptBytes)
      answer.fields["access-control-allow-origin"] = "*"
      answer.fields["cross-origin-resource-policy"] = "cross-origin"
    }
    return answer
  }

  /// What the path of a ping names: `UUID`, `UUID/`, `UUID/ACTION`, `KEY/SLUG` or `KEY/SLUG/ACTION`.
  private struct Place {
    let secret: String
    /// Nil if the secret is a UUID.
    let slug: String?
    /// Nil for a success.
    let action: String?

    init?(_ names: [String]) {
      guard let secret = names.first else { return nil }
      self.secret = secret
      var rest = names.dropFirst()
      if UUID(uuidString: secret) != nil {
        slug = nil
        if rest == [""] { rest = [] }
      } else {
        guard let name = rest.popFirst(), Self.isSlug(name) else { return nil }
        slug = name
      }
      guard rest.count <= 1 else { return nil }
      action = rest.first
      guard let action else { return }
      guard ["start", "fail", "log"].contains(action) || Self.isNumber(action) else { return nil }
    }

    private static func isSlug(_ text: String) -> Bool {
      !text.isEmpty
        && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
    }

    private static func isNumber(_ text: String) -> Bool {
      !text.isEmpty && text.allSatisfy { $0.isASCII && $0.isNumber }
    }
  }
}
