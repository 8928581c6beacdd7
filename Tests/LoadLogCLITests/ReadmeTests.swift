import Foundation
import LoadLog
import LoadLogPresentation
import LoadLogReports
import LoadLogTestSupport
import Testing

/// README and the pages of Docs show what the program prints, and examples that compile.
@Suite(.timeLimit(.minutes(10))) struct ReadmeTests {
  private static let project = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  private static let readme = project.appendingPathComponent("README.md")

  @Test func sessionsInTheDocumentsShowWhatTheProgramPrints() throws {
    let store = try ExampleStore()
    let docs = Self.project.appendingPathComponent("Docs")
    let pages = try FileManager.default.contentsOfDirectory(at: docs, includingPropertiesForKeys: nil)
    var shown: [String] = []
    for page in [Self.readme] + pages.filter({ $0.pathExtension == "md" }) {
      shown += try checkSessions(of: page, against: store)
    }
    #expect(shown.sorted() == ["busy", "check", "status"])
  }

  /// Compares each session of a page with what the program prints, and returns their names. A session begins with the
  /// mark `<!-- session: NAME -->` before a block of code.
  private func checkSessions(of page: URL, against store: ExampleStore) throws -> [String] {
    var text = try String(contentsOf: page, encoding: .utf8)
    var names: [String] = []
    var rest = text.startIndex
    while let mark = text[rest...].firstMatch(of: /<!-- session: ([a-z]+) -->\n```\n/) {
      let name = String(mark.1)
      let block = try #require(text.range(of: "```\n", range: mark.range.upperBound..<text.endIndex))
      let session = mark.range.upperBound..<block.lowerBound
      let printed = try store.session(name)
      if ProcessInfo.processInfo.environment["LOADLOG_RECORD_SNAPSHOTS"] == "1" {
        let start = text.distance(from: text.startIndex, to: session.lowerBound)
        text.replaceSubrange(session, with: printed)
        rest = text.index(text.startIndex, offsetBy: start + printed.count)
      } else {
        #expect(text[session] == printed, "session \(name) of \(page.lastPathComponent)")
        rest = block.upperBound
      }
      names.append(name)
    }
    if try text != String(contentsOf: page, encoding: .utf8) {
      try text.write(to: page, atomically: true, encoding: .utf8)
    }
    return names
  }

  @Test func readmeListsTheVerbsThatTheHelpLists() throws {
    let rows = try Self.rowsOfVerbs()
    #expect(rows.flatMap(\.verbs).sorted() == Verbs.displayedNames.sorted())
    let text = try String(contentsOf: Self.readme, encoding: .utf8)
    for verb in Verbs.names { #expect(text.contains("`loadlog \(verb)"), "README does not mention \(verb)") }
  }

  @Test func readmeNamesOnlyOptionsThatTheHelpHas() throws {
    for row in try Self.rowsOfVerbs() {
      let help = row.verbs.compactMap(Verbs.help).joined()
      for option in row.text.matches(of: /--[a-z][a-z-]*/) {
        #expect(help.contains("\(option.0) "), "README: \(row.verbs) have no \(option.0)")
      }
    }
  }

  /// The rows of the table of verbs; a row may name several verbs in its first column.
  private static func rowsOfVerbs() throws -> [(verbs: [String], text: Substring)] {
    let lines = try String(contentsOf: readme, encoding: .utf8).split(separator: "\n")
    // Select the table by its header: another table lists the times of some verbs.
    let table = lines.drop { !$0.hasPrefix("| verb | ") }.dropFirst(2).prefix { $0.hasPrefix("| `loadlog ") }
    return table.map { row in
      let names = row.split(separator: " | ")[0].matches(of: /`loadlog ([a-z-]+)/)
      return (verbs: names.map { String($0.1) }, text: row)
    }
  }

  @MainActor @Test func theExampleWithIndicatorsCompilesAndRecords() async throws {
    let loads = LoadingController.inMemory()
    let api = Reviews()
    // example: indicators
    let network = NetworkActivityIndicator(loads)  // push and pop on any thread; bind isVisible
    network.push()
    network.pop(.succeeded)

    let veil = Veil(loads)  // bind isVisible, opacity, message, blocksInteraction
    veil.veil(message: "Signing in…")
    veil.remove(.succeeded)

    // reload() returns .succeeded or .unchanged; an error that it throws is a failure.
    let pull = PullToRefresh(loads, feed: "reviews", handler: .load { try await api.reload() })
    pull.beginDrag()  // bind statusText, lastUpdatedText, inset, arrow
    pull.scroll(to: 70)
    pull.release()  // pulled far enough: a load starts, and its handler runs
    // end
    while pull.state == .loading {
      try Task.checkCancellation()
      await Task.yield()
    }
    let states = try await loads.history().loads.map { "\($0.feed.name) \($0.state.rawValue)" }
    #expect(states.sorted() == ["network succeeded", "reviews unchanged", "veil succeeded"])
    try await loads.close()

    let page = Self.project.appendingPathComponent("Docs/Library.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    let source = try String(contentsOfFile: #filePath, encoding: .utf8)
    let opening = try #require(source.range(of: "    // example: indicators\n")).upperBound
    let end = try #require(source.range(of: "    // end\n", range: opening..<source.endIndex)).lowerBound
    let example = source[opening..<end].replacing("\n    ", with: "\n").dropFirst(4)
    #expect(
      text.contains("<!-- example: indicators -->\n```swift\nimport LoadLogPresentation\n\n\(example)```\n"))
  }
}

/// The API that the example loads from.
private struct Reviews {
  func reload() async throws -> Verdict { .unchanged }
}

/// A store with one morning's loads, the same in every run.
private struct ExampleStore {
  private let store: TemporaryStore
  private let clock: ManualClock
  private let app = ManualProcessTable()
  /// Controllers that stay open: a clean close would cancel the running loads.
  private var open: [LoadingController] = []
  private let zone = LocalZone.fixed(hours: 1, "CET")

  /// Records the loads, by an app and by a process that dies.
  init() throws {
    store = try TemporaryStore()
    // Sat 21 Nov 2026, 06:00:00 UTC
    clock = ManualClock(wall: 1_795_240_800_000_000)
    let worker = app.another()
    let loads = try controller(worker)
    try record(60, "reviews", took: 1.2, in: loads)
    try record(24, "images", took: 0.3, in: loads)
    try loads.record(
      .start(SessionID(), "backup/db", message: nil, tag: nil), callSite: CallSite("jobs/backup.sh:12"))
    clock.advance(by: .seconds(40))
    try loads.flush()
    worker.kill()

    let reader = try controller(app)
    for _ in 0..<3 { try reader.record(.push("network"), callSite: CallSite("Reader/ImageCache.swift:88")) }
    clock.advance(by: .milliseconds(400))
    for _ in 0..<5 {
      try reader.record(.pop("network", .ended), callSite: CallSite("Reader/ImageCache.swift:117"))
    }
    try fail("archive", "timed out after 30.0 s", in: reader)
    try reader.record(
      .start(SessionID(), "reviews", message: nil, tag: nil),
      callSite: CallSite("Reader/ReviewsView.swift:42"))
    clock.advance(by: .seconds(754))
    try record(1, "images", took: 0.3, in: reader)
    clock.advance(by: .seconds(125))
    open = [loads, reader]
  }

  /// The commands of a session, each with its output.
  func session(_ name: String) throws -> String {
    switch name {
    case "status": "$ loadlog status\n" + (try status(isBusy: false))
    case "busy": "$ loadlog status --busy\n" + (try status(isBusy: true))
    case "check":
      try "$ loadlog status --check\n" + check(StatusCheck())
        + "$ loadlog status archive --check --max-age 25h\n"
        + check(StatusCheck(maximumAge: 25 * 3_600_000_000_000), feeds: ["archive"])
    default: throw UnknownSession(name: name)
    }
  }

  private struct UnknownSession: Error { let name: String }

  private func status(isBusy: Bool) throws -> String {
    let reader = try reader()
    var summary = try reader.status(LoadFilter(), runningLimit: nil)
    if isBusy { summary.add(try reader.busy(LoadFilter(), progress: { _, _ in })) }
    return StatusReport(summary, store: store.path).text(PageStyle(zone: zone))
  }

  private func check(_ check: StatusCheck, feeds: [String] = []) throws -> String {
    let filter = LoadFilter(feeds: feeds.map { FeedPattern($0) })
    return try check.findings(in: reader(), filter, zone: zone).findings.map { $0.line + "\n" }.joined()
  }

  private func reader() throws -> SQLiteLoadReader {
    try SQLiteLoadReader(at: store.path, processes: app, locks: ManualLocks(), clock: clock)
  }

  private func controller(_ processes: ManualProcessTable) throws -> LoadingController {
    var options = LoadingController.Options()
    options.onOpenFailure = .fail
    options.clock = clock
    options.processes = processes
    options.locks = ManualLocks()
    return try LoadingController(storeAt: store.url, options: options)
  }

  private func record(_ count: Int, _ feed: Feed, took seconds: Double, in loads: LoadingController) throws {
    for number in 0..<count {
      let id = SessionID()
      try loads.record(.start(id, feed, message: nil, tag: nil))
      // Whole milliseconds: a start is kept in microseconds, so a finer end would overlap the next start.
      clock.advance(by: .milliseconds(Int(seconds * 1000) * (4 + number % 7) / 4))
      try loads.record(.finish(id, .succeeded))
    }
  }

  private func fail(_ feed: Feed, _ reason: String, in loads: LoadingController) throws {
    let id = SessionID()
    try loads.record(.start(id, feed, message: nil, tag: nil))
    clock.advance(by: .seconds(30))
    try loads.record(.finish(id, .failed(reason)))
  }
}
