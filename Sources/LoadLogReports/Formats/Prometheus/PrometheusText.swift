public import LoadLogCore

/// Metrics of a record in the text format of Prometheus, version 0.0.4.
///
/// Counts are those of all time, pruned loads included. Messages, tags, reasons and call sites are no labels: they would
/// make a time series each, and may hold secrets.
/// Source: Prometheus, "Exposition formats" and "Metric and label naming".
public struct PrometheusText: Sendable {
  /// The media type of the text.
  public static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

  private let summary: StatusSummary
  private let storeBytes: Int64?
  private let version: String

  /// Creates the metrics.
  ///
  /// - Parameters:
  ///   - summary: the status of the feeds over all time.
  ///   - storeBytes: the size of the store with its log; nil if it is unknown.
  ///   - version: the version of the program.
  public init(_ summary: StatusSummary, storeBytes: Int64?, version: String) {
    self.summary = summary
    self.storeBytes = storeBytes
    self.version = version
  }

  /// Appends the text.
  public func append(to bytes: inout [UInt8]) {
    let feeds = summary.feeds
    var text = Writing(bytes: bytes)
    text.family("last_updated_timestamp_seconds", .gauge, "Time of the last success, in seconds since 1970.")
    for feed in feeds {
      guard let updated = feed.dates.lastUpdated else { continue }
      text.sample([("feed", feed.feed.name)], thousandths: updated / 1000)
    }
    text.family("running", .gauge, "Loads that are running.")
    for feed in feeds { text.sample([("feed", feed.feed.name)], feed.numbers.running) }
    text.family("overrunning", .gauge, "Loads that have been running for longer than they may.")
    for feed in feeds { text.sample([("feed", feed.feed.name)], feed.numbers.overrunning ?? 0) }
    text.family("late", .gauge, "1 if no success came by the time at which one was expected, else 0.")
    // A schedule that cannot be read is none, and makes its feed late.
    let expected = feeds.filter { feed in
      feed.expectation.map { $0.expectation.schedule != nil || $0.fault != nil } ?? false
    }
    for feed in expected where !feed.isJudgedByFleet {
      text.sample([("feed", feed.feed.name)], feed.problems.contains(.late) ? 1 : 0)
    }
    text.family("failing", .gauge, "1 if the feed is failing, else 0.")
    for feed in feeds { text.sample([("feed", feed.feed.name)], feed.problems.contains(.failing) ? 1 : 0) }
    addImbalances(to: &text)
    text.family("loads_finished", .counter, "Loads that finished with this verdict.")
    for feed in feeds {
      for (verdict, count) in Self.verdicts {
        text.sample([("feed", feed.feed.name), ("verdict", verdict.rawValue)], feed.numbers[keyPath: count])
      }
    }
    text.histogram(
      "load_duration_seconds", "Durations of finished loads.", summary.totals.duration)
    if let storeBytes {
      text.family("store_bytes", .gauge, "Size of the store and its log on the disk.")
      text.sample([], Int(clamping: storeBytes))
    }
    text.family("build_info", .gauge, "1, with the version of the program that wrote these metrics.")
    text.sample([("version", version)], 1)
    bytes = text.bytes
  }

  /// The verdicts that programs report. Those of dead owners are imbalances: a late finish takes them back.
  private static var verdicts: [(SessionState, KeyPath<LoadNumbers, Int>)] {
    [
      (.succeeded, \.succeeded), (.unchanged, \.unchanged), (.failed, \.failed), (.cancelled, \.cancelled),
      (.ended, \.ended),
    ]
  }

  /// Kinds without an imbalance are left out: six zeros for each feed would add no information.
  private func addImbalances(to text: inout Writing) {
    text.family(
      "unbalanced", .gauge, "Starts that never finished and finishes without a start, acknowledged or not.")
    for feed in summary.feeds {
      for (kind, count) in feed.numbers.unbalanced.kinds where count > 0 {
        text.sample([("feed", feed.feed.name), ("kind", kind)], count)
      }
    }
    let orphans = summary.feedless.orphanFinish
    if orphans > 0 { text.sample([("feed", ""), ("kind", "orphan_finish")], orphans) }
  }
}

extension PrometheusText {
  private enum Kind: String { case gauge, counter, histogram }

  /// Writer of the format's lines.
  private struct Writing {
    var bytes: [UInt8]
    private var name = ""

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// Begins the samples of a metric.
    mutating func family(_ name: String, _ kind: Kind, _ help: String) {
      self.name = "loadlog_" + name + (kind == .counter ? "_total" : "")
      bytes += "# HELP \(self.name) \(help)\n# TYPE \(self.name) \(kind.rawValue)\n".utf8
    }

    mutating func sample(_ labels: [(name: String, value: String)], _ value: Int) {
      begin(labels)
      bytes.append(number: Int64(value))
      bytes.append(UInt8(ascii: "\n"))
    }

    mutating func sample(_ labels: [(name: String, value: String)], thousandths value: Int64) {
      begin(labels)
      bytes.append(thousandths: value)
      bytes.append(UInt8(ascii: "\n"))
    }

    /// Writes a histogram with a bucket for each power of two from 2^20 ns (1 ms) to 2^43 ns (2.4 h). These bounds are
    /// bounds of the stored histogram, too, so that the counts are exact.
    mutating func histogram(_ name: String, _ help: String, _ durations: DurationStatistics?) {
      family(name, .histogram, help)
      let base = self.name
      self.name = base + "_bucket"
      var rest = (durations?.histogram.buckets ?? [])[...]
      var count = durations?.histogram.zeroCount ?? 0
      for power in 20...43 {
        let bound = Int64(1) << Int64(power)
        let last = DurationHistogram.index(of: bound)
        while let bucket = rest.first, bucket.index <= last {
          count = count.addingClamping(bucket.count)
          rest.removeFirst()
        }
        sample([("le", Self.seconds(bound))], count)
      }
      sample([("le", "+Inf")], durations?.count ?? 0)
      self.name = base + "_sum"
      begin([])
      bytes += "\(Self.seconds(durations?.sum ?? 0))\n".utf8
      self.name = base + "_count"
      sample([], durations?.count ?? 0)
    }

    private mutating func begin(_ labels: [(name: String, value: String)]) {
      bytes += name.utf8
      for (index, label) in labels.enumerated() {
        bytes.append(UInt8(ascii: index == 0 ? "{" : ","))
        bytes += "\(label.name)=\"".utf8
        for byte in label.value.utf8 {
          switch byte {
          case UInt8(ascii: "\\"): bytes.append(text: "\\\\")
          case UInt8(ascii: "\""): bytes.append(text: "\\\"")
          case UInt8(ascii: "\n"): bytes.append(text: "\\n")
          default: bytes.append(byte)
          }
        }
        bytes.append(UInt8(ascii: "\""))
      }
      if !labels.isEmpty { bytes.append(UInt8(ascii: "}")) }
      bytes.append(UInt8(ascii: " "))
    }

    private static func seconds(_ nanoseconds: Int64) -> String { CSVLine.seconds(nanoseconds) }
  }
}
