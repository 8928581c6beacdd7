import CLoadLogShims
import LoadLog
import LoadLogCore
import LoadLogReports
import Synchronization

/// The report as pages that a script keeps up to date: one of all feeds, one for each search, one for each feed.
///
/// Calls block the thread. Any number of threads may call at the same time; one renders at a time.
final class LivePages: Sendable {
  private enum Target: Hashable {
    case all(search: String)
    case feed(Feed)
  }

  private struct Page {
    let bytes: [UInt8]
    /// The version of the record that it shows.
    let version: Int64
    /// When it was made, on the boot clock in nanoseconds.
    let made: Int64
  }

  private struct State {
    var reader: (any FollowedReading)?
    var file: FileID?
    var pages: [Target: Page] = [:]
    /// The newest version that listeners know, and when it was announced.
    var announced: (version: Int64, at: Int64) = (-1, .min)
  }

  private let record: ServedRecord
  private let state = Mutex(State())

  /// How long a page is given out if nothing happens, in nanoseconds: then its ages are old.
  private static let patience: Int64 = 10_000_000_000
  /// The least time between two renderings of a page for clients that do not listen, in nanoseconds.
  private static let pause: Int64 = 1_000_000_000
  /// The greatest number of pages that are kept.
  private static let most = 16
  /// The number of loads on the page of a feed.
  private static let loads = 50

  init(_ record: ServedRecord) { self.record = record }

  /// The page of all feeds, or of those whose names contain some words or match a pattern.
  ///
  /// - Throws: what reading the store throws.
  func answer(search: String) throws(LoadLogError) -> ServerResponse { try answer(.all(search: search)) }

  /// The page of one feed.
  ///
  /// - Throws: `notFound` if the record does not know it; what reading the store throws.
  func answer(feed name: String) throws(LoadLogError) -> ServerResponse {
    try answer(.feed(Feed(name).validated()))
  }

  /// Whether the record has changed since the last call, which is then to be announced to listeners.
  func refresh() throws(LoadLogError) -> Bool {
    try state.withLock { state throws(LoadLogError) in
      let now = BootClock().now().boot
      guard now.subtractingClamping(state.announced.at) >= record.pause else { return false }
      let version = try reader(&state).dataVersion()
      guard version != state.announced.version else { return false }
      state.announced = (version, now)
      return true
    }
  }

  private func answer(_ target: Target) throws(LoadLogError) -> ServerResponse {
    let bytes = try state.withLock { state throws(LoadLogError) in
      let reader = try reader(&state)
      let (version, now) = (try reader.dataVersion(), BootClock().now().boot)
      if let page = state.pages[target], isFresh(page, version, now, state) { return page.bytes }
      let page = Page(bytes: try render(target, reader), version: version, made: now)
      // A page of thousands of feeds takes tens of megabytes, and the next one may be made by another thread.
      loadlog_return_memory()
      if state.pages.count >= Self.most, let oldest = state.pages.min(by: { $0.value.made < $1.value.made }) {
        state.pages[oldest.key] = nil
      }
      state.pages[target] = page
      return page.bytes
    }
    return ServerResponse(200, "text/html; charset=utf-8", bytes)
  }

  /// A page that was announced to listeners is old, also if it was just made: what they ask for now they show for long.
  private func isFresh(_ page: Page, _ version: Int64, _ now: Int64, _ state: State) -> Bool {
    let age = now - page.made
    guard version != page.version else { return age < Self.patience }
    return age < Self.pause && page.made > state.announced.at
  }

  /// The reader of the store, whose file may have been replaced.
  private func reader(_ state: inout State) throws(LoadLogError) -> any FollowedReading {
    let file = record.path.flatMap { FileID(path: $0) }
    if let reader = state.reader, file == state.file { return reader }
    let reader = try record.open()
    state = State(reader: reader, file: file)
    return reader
  }

  private func render(_ target: Target, _ reader: any FollowedReading) throws(LoadLogError) -> [UInt8] {
    var contents: ReportContents
    let view: HTMLReport.View
    switch target {
    case .all(let search):
      let isPattern = search.contains { $0 == "*" || $0 == "?" }
      let feeds = search.isEmpty ? [] : [FeedPattern(isPattern ? search : "*\(search)*")]
      contents = try ReportContents(
        reading: reader, LoadFilter(feeds: feeds), store: record.name, limits: .live)
      contents.hosts = try record.trouble(feeds)
      view = .live(search: search)
    case .feed(let feed):
      let pattern = FeedPattern(exactly: feed)
      try reader.expectFeeds([pattern])
      contents = try ReportContents(
        reading: reader, LoadFilter(feeds: [pattern]), store: record.name, limits: .live)
      try contents.readOutputs(from: reader)
      view = .feed(feed, try reader.history(LoadFilter(feeds: [pattern], limit: Self.loads)))
    }
    let report = HTMLReport(contents, as: view, hintedStore: record.path, fleetOptions: record.fleetOptions)
    return Array(report.html().utf8)
  }

  /// The files that the pages need, by name.
  static let files = HTMLReport.liveFiles.merging(DemoDoor.files) { report, _ in report }

  /// One of the ``files``.
  static func file(_ name: String) -> ServerResponse {
    ServerResponse(
      200, "text/\(name.hasSuffix(".css") ? "css" : "javascript"); charset=utf-8",
      Array((files[name] ?? "").utf8))
  }
}
