import ArgumentParser
import Foundation
package import LoadLog
import LoadLogReports
import Logging

/// The options of every verb: the store, and how much to print.
struct StoreOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The store (default: $LOADLOG_DB, else loadlog/loadlog.db in $XDG_STATE_HOME or ~/.local/state).",
      valueName: "path"),
    completion: .file())
  var db: String?

  @Flag(name: .shortAndLong, help: "Print no remarks and no spinner.")
  var quiet = false

  @Flag(name: .shortAndLong, help: "Print more details to standard error.")
  var verbose = false

  func validate() throws {
    if quiet, verbose { throw ValidationError("--quiet and --verbose cannot be combined.") }
  }

  /// The store's path.
  ///
  /// - Throws: `storeUnusable` if the path is empty, which SQLite would take for a temporary database, or if the
  ///   environment names a path that is not UTF-8.
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

  /// The URL of the file that a path names. Foundation would replace "~" with a home folder, and would resolve ".."
  /// differently from the system.
  ///
  /// - Throws: `storeUnusable` if the path is relative and the current folder no longer exists.
  static func url(of path: String) throws(LoadLogError) -> URL {
    URL(fileURLWithPath: try GivenPath.absolute(path))
  }

  /// The reader of the store.
  ///
  /// - Throws: the library's errors; if the store is missing, with advice on how to create one.
  func reader() throws(LoadLogError) -> SQLiteLoadReader {
    try asking { path throws(LoadLogError) in try SQLiteLoadReader(at: path) }
  }

  /// Asks the store at the path, which must exist.
  ///
  /// - Throws: the errors of `question`; if the store is missing, with advice on how to create one.
  func asking<Answer>(
    _ question: (_ path: String) throws(LoadLogError) -> Answer
  ) throws(LoadLogError) -> Answer {
    let path = try path()
    remark("store \(VisibleText.quoted(path))")
    do {
      return try question(path)
    } catch {
      throw error.withAdviceToRecord(in: db)
    }
  }

  /// A controller that records in the store, and creates it at the first event if it is missing.
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
    // The command reports what its event did from the receipt; the library's log would report it a second time.
    options.logger = Logger(label: "loadlog") { _ in SwiftLogNoOpLogHandler() }
    return LoadingController(
      store: .sqlite(at: try GivenPath.absolute(path), for: options), fallback: .inMemory(for: options),
      options: options)
  }

  /// Records one event durably, and passes its receipt to `answer`. The store is closed after the answer, because a
  /// close may run a checkpoint. The close ends no loads: their owner is a process that outlives this one, or there is none.
  func record(
    _ kind: LoadEvent.Kind, for owner: LoadingController.OwnerChoice = .detached, callSite: CallSite? = nil,
    answer: (Receipt) throws -> Void
  ) throws {
    let controller = try controller(for: owner)
    let receipt = try controller.record(kind, callSite: callSite)
    defer { try? controller.close() }
    try answer(receipt)
  }

  /// A command for the reader to run on the same store.
  func command(_ words: String) -> String { PageStyle(hintedStore: db).command(words) }

  /// Whether to report success: on a terminal, or with `--verbose`, because cron sends whatever is printed.
  var reportsSuccess: Bool { !quiet && (verbose || Terminal(file: STDERR_FILENO).isTerminal) }

  /// Prints a remark if `--verbose` is given.
  func remark(_ text: @autoclosure () -> String) {
    if verbose { Output.note(text()) }
  }
}

extension LoadLogError {
  /// The error; if the store is missing, with advice on how to create it.
  ///
  /// - Parameter store: the path of the store for commands; nil if they find it themselves.
  package func withAdviceToRecord(in store: String?) -> LoadLogError {
    guard code == .storeMissing else { return self }
    let command = PageStyle(hintedStore: store).commandToRecord
    return LoadLogError(
      code, what: what, value: value, why: why, advice: "Record a first load: \(command).", path: path,
      underlying: self)
  }
}
