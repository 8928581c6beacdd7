import ArgumentParser
import Foundation
import LoadLog
import LoadLogCore
import LoadLogReports

/// `demo`: shows the five indicators.
struct DemoVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Walk through the five loading indicators.",
    usage: """
      loadlog demo [--db <path>]
      loadlog demo --web [--no-browser]
      """,
    discussion: """
      Takes less than 20 seconds. The loads that drive the indicators are recorded in a new temporary store, or in \
      the store that --db names; $LOADLOG_DB is ignored. At the end demo prints the status of the store. Without a \
      terminal it prints one line per load: id, feed, state, start in UTC, and duration.

      With --web the indicators are drawn by a page in a browser instead, which sends back what you do with them. \
      A server of this machine holds them and the temporary store until Ctrl-C ends it.

      Example:

        loadlog demo
        loadlog demo --web
        loadlog demo --db demo.db && loadlog history --db demo.db
      """,
    shouldDisplay: false)

  @Option(
    help: ArgumentHelp("The store to record in (default: a new temporary one).", valueName: "path"),
    completion: .file())
  var db: String?

  @Flag(help: "Show them on a page in a browser, which needs loadlog-net.")
  var web = false

  @Flag(
    name: .customLong("no-browser"), help: "With --web: print the address of the page, and open no browser.")
  var staysClosed = false

  @Option(help: .hidden)
  var speed = 1.0

  func validate() throws {
    if db == "" { throw ValidationError("--db is empty.") }
    if web, db != nil { throw ValidationError("--web and --db cannot be combined.") }
    if staysClosed, !web { throw ValidationError("--no-browser needs --web.") }
    guard (0.1...1000).contains(speed) else { throw ValidationError("--speed must be from 0.1 to 1000.") }
  }

  func run() throws {
    if web { try NetProgram.execute() }
    // Swift's own threads are started by libdispatch, which would wait for them forever.
    try DaemonThread.require()
    let path = try db ?? DemoFolder().store
    let stop = try MainThread.run { [speed] in
      let loads = try StoreOptions.controller(at: path, for: .thisProcess)
      // Open the store before the next line says that loads are recorded in it.
      try await loads.ask { _ in }
      try Output.write("Each load of this demo is recorded in \(VisibleText.line(path))\n")
      let terminal = Terminal()
      let stage = DemoStage(screen: DemoScreen(terminal), glyphs: terminal.glyphs) { try Output.write($0) }
      return try await DemoShow(Demo(loads, stage: stage, speed: speed)).run()
    }
    if stop == nil { try Output.write("\n\(status(of: path))\n") }
    try Output.write("Look closer: loadlog history --db \(PageStyle.shellWord(path))\n")
    if let stop { throw ExitCode(128 + stop) }
  }

  /// The status of the store after the demo.
  private func status(of path: String) throws -> String {
    let terminal = Terminal()
    let page = PageStyle(width: terminal.width, glyphs: terminal.glyphs, hasColor: terminal.wantsColor)
    // An existing store may have other feeds.
    let filter = db == nil ? LoadFilter() : LoadFilter(feeds: ["demo/*"])
    let status = try SQLiteLoadReader(at: path).status(filter, runningLimit: nil)
    return StatusReport(status, store: path).text(page)
  }
}
