public import LoadLogCore
import LoadLogText

/// What one line says of a load that runs: its feed, its message, the time gone by and, if the feed has a habit,
/// how far along it should be.
public struct ActivityFrame: Sendable, Hashable {
  /// What is loaded.
  public var feed: Feed
  /// What the load says.
  public var message: String?
  /// The time gone by, in nanoseconds.
  public var elapsed: Int64
  /// What half of the feed's loads do not exceed, in nanoseconds; nil if that is not known.
  public var usual: Double?

  /// Describes a running load.
  public init(feed: Feed, message: String? = nil, elapsed: Int64, usual: Double? = nil) {
    self.feed = feed
    self.message = message
    self.elapsed = elapsed
    self.usual = usual
  }
}

extension TerminalFrames {
  /// One line, shorter than the width so that no terminal wraps it. Where room is scarce the bar leaves first,
  /// then the estimate; then the message is cut.
  public func line(_ frame: ActivityFrame, tick: Int) -> String {
    let words = [frame.feed.name, frame.message ?? ""].filter { !$0.isEmpty }.joined(separator: "  ")
    let elapsed = DurationText.elapsed(frame.elapsed)
    var tails = [elapsed]
    if let usual = frame.usual, usual > 0 {
      let estimate = "usually \(DurationText.measured(usual))"
      tails = [
        "\(elapsed)  \(bar(frame.elapsed, of: usual))  \(estimate)", "\(elapsed)  \(estimate)", elapsed,
      ]
    }
    let head = fitted(words, to: .max)
    let least = min(DisplayWidth.of(head), 16)
    func room(beside tail: String) -> Int { width - DisplayWidth.of(tail) - 5 }
    let tail = tails.first { room(beside: $0) >= least } ?? elapsed
    let line = "\(signs.spinner(tick)) \(glyphs.fitted(head, to: max(0, room(beside: tail))))  \(tail)"
    return glyphs.fitted(line, to: width - 1)
  }

  private func bar(_ elapsed: Int64, of usual: Double) -> String {
    let cells = 16
    let filled = Int(min(1, Double(max(elapsed, 0)) / usual) * Double(cells))
    return String(repeating: signs.full, count: filled)
      + String(repeating: signs.empty, count: cells - filled)
  }
}
