package import LoadLogCore
import LoadLogText

/// A running load on one line: its feed, message and elapsed time, and its progress against the feed's median.
package struct ActivityFrame: Sendable, Hashable {
  /// The feed of the load.
  package var feed: Feed
  /// The message of the load.
  package var message: String?
  /// Elapsed time, in nanoseconds.
  package var elapsed: Int64
  /// The feed's median duration, in nanoseconds; nil if it is unknown.
  package var median: Double?

  /// Creates a frame.
  package init(feed: Feed, message: String? = nil, elapsed: Int64, median: Double? = nil) {
    self.feed = feed
    self.message = message
    self.elapsed = elapsed
    self.median = median
  }
}

extension TerminalFrames {
  /// Draws a running load on one line, at least one cell narrower than ``width``, so that terminals do not wrap it.
  ///
  /// If the line is too narrow, the progress bar is omitted first, then the estimate; then the message is cut.
  package func line(_ frame: ActivityFrame, tick: Int) -> String {
    let words = [frame.feed.name, frame.message ?? ""].filter { !$0.isEmpty }.joined(separator: "  ")
    let elapsed = DurationText.elapsed(frame.elapsed)
    var tails = [elapsed]
    if let median = frame.median, median > 0 {
      let estimate = "usually \(DurationText.measured(median))"
      tails = [
        "\(elapsed)  \(bar(frame.elapsed, of: median))  \(estimate)", "\(elapsed)  \(estimate)", elapsed,
      ]
    }
    let head = fitted(words, to: .max)
    let minimumWidth = min(DisplayWidth.of(head), 16)
    func room(beside tail: String) -> Int { width - DisplayWidth.of(tail) - 5 }
    let tail = tails.first { room(beside: $0) >= minimumWidth } ?? elapsed
    let line = "\(signs.spinner(tick)) \(glyphs.fitted(head, to: max(0, room(beside: tail))))  \(tail)"
    return glyphs.fitted(line, to: width - 1)
  }

  private func bar(_ elapsed: Int64, of median: Double) -> String {
    let cells = 16
    let filled = Int(min(1, Double(max(elapsed, 0)) / median) * Double(cells))
    return String(repeating: signs.full, count: filled)
      + String(repeating: signs.empty, count: cells - filled)
  }
}
