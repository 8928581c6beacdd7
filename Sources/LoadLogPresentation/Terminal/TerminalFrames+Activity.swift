package import LoadLogCore
import LoadLogText

extension TerminalFrames {
  /// Draws a running load on one line, at least one cell narrower than ``width``, so that terminals do not wrap it.
  ///
  /// If the line is too narrow, the progress bar is omitted first, then the estimate; then the message is cut.
  ///
  /// - Parameters:
  ///   - elapsed: For how long the load runs, in nanoseconds.
  ///   - median: The feed's median duration, in nanoseconds; nil if it is unknown.
  ///   - tick: The position of the spinner.
  package func line(_ feed: Feed, message: String?, elapsed: Int64, median: Double?, tick: Int) -> String {
    let words = [feed.name, message ?? ""].filter { !$0.isEmpty }.joined(separator: "  ")
    let time = DurationText.elapsed(elapsed)
    var tails = [time]
    if let median, median > 0 {
      let estimate = "usually \(DurationText.measured(median))"
      tails = ["\(time)  \(bar(elapsed, of: median))  \(estimate)", "\(time)  \(estimate)", time]
    }
    let head = fitted(words, to: .max)
    let minimumWidth = min(DisplayWidth.of(head), 16)
    func room(beside tail: String) -> Int { width - DisplayWidth.of(tail) - 5 }
    let tail = tails.first { room(beside: $0) >= minimumWidth } ?? time
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
