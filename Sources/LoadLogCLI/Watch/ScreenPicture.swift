/// The lines on a terminal's screen, of which only those that changed are sent again.
struct ScreenPicture {
  private var shown: [String] = []

  /// The text that changes the screen to these lines, from the top; empty if they are there already.
  mutating func changes(to lines: [String]) -> String {
    defer { shown = lines }
    let changed = lines.indices.filter { $0 >= shown.count || shown[$0] != lines[$0] }
    let rest = lines.count < shown.count ? "\u{1B}[\(lines.count + 1);1H\u{1B}[J" : ""
    return changed.map { "\u{1B}[\($0 + 1);1H\(lines[$0])\u{1B}[K" }.joined() + rest
  }

  /// Forgets what is shown, because the terminal has lost it.
  mutating func forget() { shown = [] }

  /// The lines of a text, fitted to the height of a screen. The last line, below the others, says how many there was no room
  /// for; if there is room for all and more, an empty line separates it from them.
  ///
  /// - Parameters:
  ///   - height: the height of the screen.
  ///   - footer: the words of the last line.
  static func fitted(_ text: String, height: Int, footer: String) -> [String] {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if lines.last == "" { lines.removeLast() }
    let room = max(0, height - 1)
    guard lines.count > room else { return lines + (lines.count < room ? ["", footer] : [footer]) }
    let rest = lines.count - room
    return lines.prefix(room) + ["\(rest) more line\(rest == 1 ? "" : "s"); \(footer)"]
  }
}
