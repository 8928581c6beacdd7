import LoadLogCore
@testable import LoadLogPresentation
import LoadLogTestSupport
import LoadLogText
import Testing

@Suite struct TerminalFrameTests {
  private static let articles = [
    "Sailing to the Faroes", "A bridge of glass", "What moss remembers", "The last lamplighter",
    "Bees above the station", "Maps of quiet streets",
  ]
  private static let settings = ["Downloads", "Appearance", "Account"]

  private static let overlay = ActivityOverlayFrame(
    covered: ActivityOverlayFrame.Panel(title: "Articles", content: articles),
    usable: ActivityOverlayFrame.Panel(title: "Settings", content: settings),
    label: "Loading", isVisible: true, isAnimating: true)
  private static let veil = VeilFrame(
    title: "Reader", content: articles,
    message: "Saving what you have read on all of your devices. Please wait…",
    isVisible: true, isAnimating: true)
  private static let views = LoadingViewFrame(
    title: "Reader", content: articles,
    covers: [
      LoadingView.Cover(tag: "1", message: "Loading article…"),
      LoadingView.Cover(tag: "2", message: "Loading pictures…"),
    ])
  private static let loading = PullToRefreshFrame(
    title: "Articles", rows: articles, offset: 60, arrow: .hidden, isAnimating: true, status: "Loading…",
    lastUpdated: "Last Updated: 11/21/26, 9:41\u{202F}AM")

  /// Draws all scenes, one below the other.
  private func sheet(_ frames: TerminalFrames) -> String {
    var pulling = Self.loading
    (pulling.offset, pulling.arrow, pulling.isAnimating) = (30, .down, false)
    pulling.status = "Pull down to refresh…"
    var armed = pulling
    (armed.offset, armed.arrow, armed.status) = (72, .up, "Release to refresh…")
    var unveiled = Self.veil
    unveiled.isVisible = false
    var scenes: [(String, [String])] = [
      ("activity", [activity(frames, tick: 3), activity(frames, median: 4.2e9, tick: 4)]),
      ("network, 3 loads", network(3, isVisible: true, frames)),
      ("network, none", network(0, isVisible: false, frames)),
    ]
    scenes.append(("overlay", frames.lines(Self.overlay, tick: 2)))
    scenes.append(("veil", frames.lines(Self.veil, tick: 5)))
    scenes.append(("veil, removed", frames.lines(unveiled, tick: 5)))
    scenes.append(("tagged views", frames.lines(Self.views, tick: 1)))
    scenes.append(("pulling", frames.lines(pulling, tick: 0)))
    scenes.append(("armed", frames.lines(armed, tick: 0)))
    scenes.append(("loading", frames.lines(Self.loading, tick: 9)))
    return scenes.map { name, lines in "-- \(name)\n" + lines.map { $0 + "\n" }.joined() }.joined()
  }

  private func activity(
    _ frames: TerminalFrames, elapsed: Int64 = 2_100_000_000, median: Double? = nil, tick: Int = 0
  ) -> String {
    frames.line("backup/db", message: "Nightly dump", elapsed: elapsed, median: median, tick: tick)
  }

  private func network(_ count: Int, isVisible: Bool, _ frames: TerminalFrames) -> [String] {
    frames.lines(
      NetworkActivityFrame(title: "Reader", content: Self.articles, isVisible: isVisible, count: count),
      tick: 0)
  }

  @Test(
    arguments: [
      ("80", TerminalFrames(width: 80)), ("40", TerminalFrames(width: 40, height: 9)),
      ("ascii", TerminalFrames(width: 72, height: 11, glyphs: .ascii)),
    ])
  func scenesMatchTheirSnapshots(name: String, frames: TerminalFrames) {
    let sheet = sheet(frames)
    #expect(Snapshot("frames-\(name).txt").difference(from: sheet) == nil)
    let lines = sheet.split(separator: "\n").filter { !$0.hasPrefix("-- ") }.dropFirst(2)
    #expect(lines.allSatisfy { DisplayWidth.of(String($0)) == frames.width })
    #expect(frames.glyphs == .unicode || sheet.utf8.allSatisfy { $0 < 0x80 })
  }

  @Test func spinnerTurnsOnlyWhileAnimating() {
    let frames = TerminalFrames(width: 60)
    var still = Self.overlay
    still.isAnimating = false
    #expect(frames.lines(Self.overlay, tick: 1) != frames.lines(Self.overlay, tick: 2))
    #expect(frames.lines(still, tick: 1) == frames.lines(still, tick: 2))
    #expect(frames.lines(Self.views, tick: 0) == frames.lines(Self.views, tick: 10))
    var silent = Self.veil
    (silent.message, silent.isAnimating) = (nil, false)
    #expect(frames.lines(silent, tick: 1) == frames.lines(silent, tick: 2))
  }

  @Test func listWithoutAPullShowsOnlyItsRows() {
    var list = Self.loading
    let frames = TerminalFrames(width: 60)
    for offset in [0, 9, -500, -.infinity, .nan] as [Double] {
      list.offset = offset
      #expect(!frames.lines(list, tick: 0).joined().contains("Updated"), "\(offset)")
    }
  }

  @Test(
    arguments: [
      TerminalFrames(width: 80), TerminalFrames(width: 24, height: 8, glyphs: .ascii),
      TerminalFrames(width: 0, height: 0), TerminalFrames(width: 300, height: 100),
    ])
  func hostileTextContainsNoControlCharactersAndFitsTheLines(frames: TerminalFrames) {
    let text = "\u{1B}[2J日本語\u{202E}👩‍👩‍👧\u{7}e\u{301}\u{200B} " + String(repeating: "界", count: 60)
    let long = Array(repeating: text, count: 50)
    let panel = ActivityOverlayFrame.Panel(title: text, content: long)
    let covers = (1...9).map { LoadingView.Cover(tag: "\($0)\(text)", message: text) }
    let drawn = [
      frames.lines(
        NetworkActivityFrame(title: text, content: long, isVisible: true, count: .max), tick: .min),
      frames.lines(
        ActivityOverlayFrame(covered: panel, usable: panel, label: text, isVisible: true, isAnimating: true),
        tick: .max),
      frames.lines(
        VeilFrame(
          title: text, content: long, message: text + "\n" + text, isVisible: true, isAnimating: true),
        tick: 1),
      frames.lines(LoadingViewFrame(title: text, content: long, covers: covers), tick: 1),
      frames.lines(
        PullToRefreshFrame(
          title: text, rows: long, offset: .infinity, arrow: .up, isAnimating: false, status: text,
          lastUpdated: text), tick: 1),
    ]
    for lines in drawn {
      #expect(lines.count == frames.height)
      #expect(lines.allSatisfy { DisplayWidth.of($0) == frames.width }, "\(lines.joined(separator: "\n"))")
      #expect(lines.joined().unicodeScalars.allSatisfy { !VisibleText.mustShow($0) })
    }
    let line = frames.line(Feed(text), message: text, elapsed: .max, median: 1, tick: 1)
    #expect(DisplayWidth.of(line) < frames.width)
    #expect(line.unicodeScalars.allSatisfy { !VisibleText.mustShow($0) })
  }

  @Test(
    arguments: [
      (24, "⠋ backup/db  Nigh…  2 s"), (44, "⠋ backup/db  Nightly …  2 s  usually 4.20 s"),
      (57, "⠋ backup/db  Nightly dump  2 s  usually 4.20 s"),
      (58, "⠋ backup/db  Nigh…  2 s  ████████░░░░░░░░  usually 4.20 s"),
    ])
  func narrowLineOmitsItsBarFirstThenItsEstimate(width: Int, line: String) {
    #expect(activity(TerminalFrames(width: width), median: 4.2e9) == line)
  }

  @Test(
    arguments: [(0, 0), (2_100_000_000, 8), (4_200_000_000, 16), (9_000_000_000_000, 16), (-1, 0)]
      as [(Int64, Int)])
  func barIsFullFromTheMedianOn(elapsed: Int64, cells: Int) {
    let line = activity(TerminalFrames(width: 100), elapsed: elapsed, median: 4.2e9)
    #expect(line.count { $0 == "█" } == cells)
  }
}
