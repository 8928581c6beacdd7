import ArgumentParser
import Foundation
import LoadLog
import Logging

/// What every verb takes: the store, and how much is said.
struct StoreOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The store (default: $LOADLOG_DB, else loadlog/loadlog.db in $XDG_STATE_HOME or ~/.local/state).",
      valueName: "path"),
    completion: .file())
  var db: String?

  @Flag(name: .shortAndLong, help: "Say less: no remarks, no spinner.")
  var quiet = false

  @Flag(name: .shortAndLong, help: "Say more, on standard error.")
  var verbose = false

  func validate() throws {
    if quiet, verbose { throw ValidationError("--quiet and --verbose exclude each other.") }
  }

  /// The store's path.
  ///
  /// - Throws: `storeUnusable` if an empty one is given, which SQLite would take for a temporary database, or the
  ///   environment names one that is not UTF-8.
  func path() throws(LoadLogError) -> String {
    let environment = EnvironmentVariable.value("LOADLOG_DB")
    for (name, given) in [("--db", db), ("$LOADLOG_DB", db == nil ? environment : nil)] where given == "" {
      throw LoadLogError(.storeUnusable, what: name, value: "", why: "it is empty", advice: "Name a file.")
    }
    let used = db != nil ? [] : environment != nil ? ["LOADLOG_DB"] : ["XDG_STATE_HOME", "HOME"]
    for name in used where EnvironmentVariable.isGarbled(name) {
      throw LoadLogError(
        .storeUnusable, what: "$\(name)", value: EnvironmentVariable.value(name),
        why: "it is not valid UTF-8", advice: "Name the store with --db.")
    }
    return db ?? environment ?? StorePath.default.path
  }

  /// The file that a path names. Foundation would make "~" a home, and lead ".." elsewhere than the system.
  ///
  /// - Throws: `storeUnusable` if the path begins in a folder that is gone.
  static func url(of path: String) throws(LoadLogError) -> URL {
    URL(fileURLWithPath: try GivenPath.absolute(path))
  }

  /// The store, to ask.
  ///
  /// - Throws: what the library throws; on a missing store with advice on how to get one.
  func reader() throws(LoadLogError) -> SQLiteLoadReader {
    try asking { path throws(LoadLogError) in try SQLiteLoadReader(at: path) }
  }

  /// An answer from the store at the path, which must be there.
  ///
  /// - Throws: what `question` throws; on a missing store with advice on how to get one.
  func asking<Answer>(
    _ question: (_ path: String) throws(LoadLogError) -> Answer
  ) throws(LoadLogError) -> Answer {
    let path = try path()
    remark("store \(VisibleText.quoted(path))")
    do {
      return try question(path)
    } catch  where error.code == .storeMissing {
      throw LoadLogError(
        .storeMissing, what: error.what, value: error.value, why: error.why,
        advice: "Record a first load: loadlog run FEED -- COMMAND.", path: error.path, underlying: error)
    }
  }

  /// The store, to record in. It is made if it is missing, when the first event comes.
  func controller(for owner: LoadingController.OwnerChoice) throws(LoadLogError) -> LoadingController {
    let path = try path()
    remark("store \(VisibleText.quoted(path))")
    return try Self.controller(at: path, for: owner)
  }

  /// A controller that records in the store at a path, and refuses to record anywhere else.
  static func controller(
    at path: String, for owner: LoadingController.OwnerChoice
  ) throws(LoadLogError) -> LoadingController {
    var options = LoadingController.Options()
    options.onOpenFailure = .fail
    options.owner = owner
    // What became of an event is told from its receipt; the library's own remarks would say it twice.
    options.logger = Logger(label: "loadlog") { _ in SwiftLogNoOpLogHandler() }
    return LoadingController(
      store: .sqlite(at: try GivenPath.absolute(path), for: options), fallback: .inMemory(for: options),
      options: options)
  }

  /// Records one event, durably, and answers. Only then the store is closed, which may take a checkpoint; the
  /// owner outlives this process, or there is none, so nothing of what it started ends with that.
  func record(
    _ kind: LoadEvent.Kind, for owner: LoadingController.OwnerChoice = .detached, callSite: CallSite? = nil,
    answer: (Receipt) throws -> Void
  ) throws {
    let controller = try controller(for: owner)
    let receipt = try controller.record(kind, callSite: callSite)
    defer { try? controller.close() }
    try answer(receipt)
  }

  /// Says something to those who want to hear more.
  func remark(_ text: @autoclosure () -> String) {
    if verbose { Output.note(text()) }
  }
}
