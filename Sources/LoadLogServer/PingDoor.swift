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
  /// The number of bytes of a body that are read.
  static let mostBytes = 10 << 20

  private let keys: PingKeys
  private let book: PingBook

  /// Creates a door to a store.
  package init(_ keys: PingKeys, storeAt path: String) {
    self.keys = keys
    book = PingBook(at: path)
  }

  /// Closes the store; the next ping opens it again.
  package func close() { book.close() }

  /// Answers a request.
  ///
  /// - Parameter names: the parts of the path after `/ping`.
  func answer(_ request: ServerRequest, _ names: [String]) -> ServerResponse {
    guard let place = Place(names) else { return Self.text(404, "not found") }
    guard place.slug == place.slug?.lowercased() else { return Self.text(400, "invalid url format") }
    guard let feed = place.slug.map({ keys.feed(place.secret, $0) }) ?? keys.feed(place.secret) else {
      return Self.text(404, "not found")
    }
    let query = Self.query(request.query)
    let kind: Ping.Kind
    switch place.action {
    case nil: kind = .success
    case "start"?: kind = .start
    case "fail"?: kind = .failure(exitCode: nil)
    case "log"?: kind = .log
    case let digits?:
      guard let code = Int(digits), code <= 255 else { return Self.text(400, "invalid url format") }
      kind = code == 0 ? .success : .failure(exitCode: code)
    }
    var run: SessionID?
    if let text = query["rid"] {
      guard let uuid = UUID(uuidString: text) else { return Self.text(400, "invalid uuid format") }
      run = SessionID(uuid)
    }
    // A feed that is named in the file of keys is wanted, even if it was never loaded.
    let creates = place.slug == nil || query["create"] == "1"
    do {
      let body = request.body.flatMap { $0.total > 0 ? $0 : nil }
      let ping = Ping(kind, of: feed, run: run, body: body, line: body.flatMap { ErrorLine($0).text })
      switch try book.record(
        ping, from: request.client, request.agent, creates: creates, after: request.waited)
      {
      case .unknownFeed: return Self.text(404, "not found")
      case .created where place.slug != nil: return Self.text(201, "Created", isAccepted: true)
      case .created, .recorded: return Self.text(200, "OK", isAccepted: true)
      }
    } catch {
      var answer = Self.text(error.code == .invalidInput ? 400 : 503, error.description)
      if answer.status == 503 { answer.fields["retry-after"] = "5" }
      return answer
    }
  }

  /// The answer to a ping whose body is too long.
  static let refusalOfLongBody = text(413, "the body is longer than \(mostBytes / 1_048_576) MiB")
  /// The answer to a ping whose body does not arrive.
  static let refusalOfSlowBody = text(408, "the body did not arrive in time")

  private static func text(_ status: Int, _ text: String, isAccepted: Bool = false) -> ServerResponse {
    var answer = ServerResponse(status, "text/plain; charset=utf-8", Array(text.utf8))
    answer.fields["cache-control"] = "max-age=0, no-cache, no-store, must-revalidate, private"
    if isAccepted {
      answer.fields["ping-body-limit"] = String(keptBytes)
      answer.fields["access-control-allow-origin"] = "*"
      answer.fields["cross-origin-resource-policy"] = "cross-origin"
    }
    return answer
  }

  /// The parameters of a query; of equal names the last counts.
  private static func query(_ text: String) -> [String: String] {
    let pairs = text.split(separator: "&").map { part in
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let texts = pair.map { String($0).replacing("+", with: " ").removingPercentEncoding ?? "" }
      return (texts[0], texts.count > 1 ? texts[1] : "")
    }
    return Dictionary(pairs) { _, last in last }
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
        if rest.first == "" { rest = [] }
      } else {
        guard let name = rest.popFirst(), name.wholeMatch(of: /[-a-zA-Z0-9_]+/) != nil else { return nil }
        slug = name
      }
      guard rest.count <= 1 else { return nil }
      action = rest.first
      guard let action else { return }
      guard ["start", "fail", "log"].contains(action) || action.wholeMatch(of: /[0-9]+/) != nil else {
        return nil
      }
    }
  }
}
