import Foundation
import LoadLog
import LoadLogTestSupport
import Logging
import Synchronization

/// A controller with its own store file, clock and log.
struct Bench {
  let place: TemporaryStore
  let clock = ManualClock()
  let log: CapturedLog
  let loads: LoadingController

  init(_ change: (inout LoadingController.Options) -> Void = { _ in }) throws {
    place = try TemporaryStore()
    log = CapturedLog(keeping: place)
    var options = LoadingController.Options()
    options.clock = clock
    options.logger = log.logger
    options.onOpenFailure = .fail
    change(&options)
    loads = try LoadingController(storeAt: place.url, options: options)
  }

  /// Creates a controller whose store cannot be opened until ``repair()``: its path is a folder.
  static func withoutStore(_ change: (inout LoadingController.Options) -> Void = { _ in }) throws -> Bench {
    let bench = try Bench(change)
    try FileManager.default.createDirectory(at: bench.place.url, withIntermediateDirectories: true)
    return bench
  }

  func repair() throws { try FileManager.default.removeItem(at: place.url) }

  /// Creates another controller for the same store.
  func another() throws -> LoadingController {
    var options = LoadingController.Options()
    options.clock = clock
    options.logger = log.logger
    options.onOpenFailure = .fail
    return try LoadingController(storeAt: place.url, options: options)
  }

  /// Creates the store with one load and a clock of its own, so that it leaves no alarm on the bench's clock.
  func makeStore(loading feed: Feed) async throws {
    var options = LoadingController.Options()
    options.clock = ManualClock()
    options.logger = log.logger
    let loads = try LoadingController(storeAt: place.url, options: options)
    await loads.loading(feed) { await Task.yield() }
    try await loads.close()
  }

  var files: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: place.folder.path)) ?? []).sorted()
  }
}

extension LoadingController {
  /// Returns all recorded loads, oldest first.
  func allLoads() async throws -> [LoadingSession] {
    try await flush()
    return try await history().loads.reversed()
  }

  /// Returns the only recorded load; nil if there are none or several.
  func onlyLoad() async throws -> LoadingSession? {
    let all = try await allLoads()
    return all.count == 1 ? all.first : nil
  }

  func numbers(of feed: Feed) async throws -> LoadNumbers? {
    try await status().feeds.first { $0.feed == feed }?.numbers
  }
}

/// Collects log messages, and keeps the store's folder until no controller can log any more.
final class CapturedLog: Sendable {
  private let place: TemporaryStore
  private let entries = Mutex<[(message: String, metadata: Logger.Metadata)]>([])

  init(keeping place: TemporaryStore) { self.place = place }

  var logger: Logger { Logger(label: "test") { [self] _ in Handler(log: self) } }

  var messages: [String] { entries.withLock { $0.map(\.message) } }

  /// All log messages as one text.
  var text: String { entries.withLock { "\($0)" } }

  /// Returns the metadata value for a key of the last message with a text.
  func detail(_ key: String, of message: String) -> String? {
    entries.withLock { $0.last { $0.message == message }?.metadata[key]?.description }
  }

  private struct Handler: LogHandler {
    let log: CapturedLog
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    init(log: CapturedLog) { self.log = log }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      log.entries.withLock { $0.append((event.message.description, event.metadata ?? [:])) }
    }
  }
}

struct Broken: Error, Equatable {}
