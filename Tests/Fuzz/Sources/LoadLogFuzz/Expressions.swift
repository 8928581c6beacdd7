import LoadLog
import LoadLogReports

/// Reads bytes as expressions on the command line.
enum Expressions {
  /// 21 November 2026, 08:41:07 UTC.
  private static let now: Int64 = 1_795_250_467_000_000

  /// Reads a time, or two separated by a line break.
  static let time: LoadLogFuzz.Target = { bytes in
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", maxSplits: 1).map(String.init)
    for zone in [LocalZone.current, .fixed(hours: -11, "X"), .fixed(hours: 14, "Y")] {
      let expression = TimeExpression(now: now, zone: zone)
      for line in lines { check(line, by: expression, in: zone) }
      if lines.count > 1, let window = try? expression.window(since: lines[0], until: lines[1]),
        let since = window.since, let until = window.until
      {
        precondition(since < until, "an empty window")
      }
    }
  }

  private static func check(_ text: String, by expression: TimeExpression, in zone: LocalZone) {
    do throws(LoadLogError) {
      let moment = try expression.microseconds(text)
      let head = JSONHead(generated: now, store: "")
      let report = LastUpdatedReport(feed: "f", date: moment, head: head)
      _ = report.text(.local, zone: zone)
      // A time in JSON, which has milliseconds, must be read back as the same time.
      let shown = report.text(.utc, zone: zone)
      guard let again = try? expression.microseconds(shown) else { return precondition(moment < 0, shown) }
      precondition(again <= moment && moment - again < 1000, "\(text): \(shown)")
    } catch {
      precondition(error.code == .invalidInput, error.description)
      expectOneLine(error)
    }
  }

  /// Reads a duration.
  static let duration: LoadLogFuzz.Target = { bytes in
    let text = String(decoding: bytes, as: UTF8.self)
    do throws(LoadLogError) {
      let nanoseconds = try DurationExpression.nanoseconds(text)
      precondition(nanoseconds >= 0, text)
      precondition(
        text.allSatisfy { $0.isASCII && ($0.isNumber || $0.isLowercase || ". ".contains($0)) }, text)
    } catch {
      precondition(error.code == .invalidInput, error.description)
      expectOneLine(error)
    }
  }

  /// Matches a pattern with a feed, separated by a line break.
  static let pattern: LoadLogFuzz.Target = { bytes in
    let lines = String(decoding: bytes, as: UTF8.self).split(
      separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
    guard lines.count == 2 else { return }
    let pattern = FeedPattern(String(lines[0]))
    let feed = Feed(String(lines[1]))
    let expected =
      Feed(pattern.text).name == feed.name
      || pattern.isGlob
        && fits(Array(pattern.text.unicodeScalars.prefix(300)), Array(feed.name.unicodeScalars.prefix(300)))
    guard pattern.text.unicodeScalars.count <= 300, feed.name.unicodeScalars.count <= 300 else {
      _ = pattern.matches(feed)
      return
    }
    precondition(pattern.matches(feed) == expected, "\(pattern.text) and \(feed.name)")
  }

  /// Reference implementation of the match by dynamic programming, with one row for each character of the
  /// pattern.
  private static func fits(_ pattern: [Unicode.Scalar], _ name: [Unicode.Scalar]) -> Bool {
    var row = [true] + name.map { _ in false }
    for sign in pattern {
      var next = [sign == "*" && row[0]]
      for (index, scalar) in name.enumerated() {
        let isOne = sign == "?" || sign == scalar
        next.append(sign == "*" ? row[index + 1] || next[index] : isOne && row[index])
      }
      row = next
    }
    return row[name.count]
  }

  private static func expectOneLine(_ error: LoadLogError) {
    precondition(!error.description.unicodeScalars.contains(where: VisibleText.mustShow), error.description)
  }
}
