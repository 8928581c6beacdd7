import LoadLog
import LoadLogReports

/// Where `notify` delivers flips: a command or a webhook.
package protocol FlipDestination {
  /// The option that names it, for messages such as "--on-change: exit 1".
  var option: String { get }

  /// Delivers a batch of flips; blocks until it is known whether that succeeded.
  func deliver(_ batch: FlipBatch) -> DeliveryEnd
}

/// How a delivery ended.
package enum DeliveryEnd: Equatable, Sendable {
  case succeeded
  /// The reason, on one line.
  case failed(String)
}

/// A batch of flips, as a destination gets it.
package struct FlipBatch: Sendable {
  /// The same for each attempt to deliver the same flips, and for no others: a receiver can ignore what it has already.
  package let id: String
  /// A JSON object with the flips.
  package let json: String
  /// The flips on one line.
  package let line: String
  /// The flips with their reasons, on a line each.
  package let text: String

  /// - Parameters:
  ///   - flips: the flips, in the order of their feeds.
  ///   - notifier: its name.
  ///   - summary: the status of their feeds.
  ///   - store: the store's path.
  init(_ flips: [FeedFlip], of notifier: String, summary: StatusSummary, store: String) {
    let fields = flips.flatMap { [$0.feed.name, $0.from.rawValue, $0.to.rawValue, "\($0.at)"] }
    id = "flips_\(StableHash(fields: [notifier] + fields).name)"
    let report = AlarmReport(flips, summary: summary, store: store)
    json = report.json().text() + "\n"
    (line, text) = (report.line, report.text)
  }
}
