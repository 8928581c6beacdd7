import Foundation
import TestProcesses
import Testing

/// A temporary folder for one test, with the store of the built `loadlog`.
final class Place {
  struct NotBuilt: Error, CustomStringConvertible {
    let description: String
  }

  let folder: URL
  /// The environment of the programs: of the tests' own environment it has only PATH, and the number of the mutant that
  /// `./dev mutate` tries.
  var environment: [String: String]

  /// The folder of the built programs.
  static let programs = BuiltPrograms.folder

  init() throws {
    let loadlog = Self.programs.appending(path: "loadlog").path
    guard FileManager.default.isExecutableFile(atPath: loadlog) else {
      throw NotBuilt(description: "\(loadlog) is not built")
    }
    folder = FileManager.default.temporaryDirectory.appending(path: "loadlog-end-\(UUID().uuidString)")
    try FileManager.default.createDirectory(
      at: folder.appending(path: "home"), withIntermediateDirectories: true)
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    environment = [
      "PATH": Self.programs.path + ":" + path, "HOME": folder.path + "/home",
      "XDG_STATE_HOME": folder.path + "/home/state", "TZ": "UTC", "LC_ALL": "C.UTF-8",
      "LOADLOG_DB": folder.path + "/store/loads.db",
    ]
    environment["LOADLOG_MUTANT"] = ProcessInfo.processInfo.environment["LOADLOG_MUTANT"]
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  var store: String { folder.path + "/store/loads.db" }

  /// Runs `loadlog` to its end.
  @discardableResult
  func loadlog(
    _ arguments: String..., input: RunningProgram.Input = .nothing
  ) throws -> Finished {
    try loadlog(arguments, input: input)
  }

  @discardableResult
  func loadlog(_ arguments: [String], input: RunningProgram.Input = .nothing) throws -> Finished {
    try start(["loadlog"] + arguments, input: input).wait()
  }

  /// Starts a load whose owner is the test process.
  ///
  /// - Returns: its id.
  func begin(_ feed: String, _ options: String...) throws -> String {
    let started = try loadlog(["start", feed, "--owner-pid", "\(getpid())"] + options)
    try #require(started.code == 0, "\(started.errors)")
    return started.output.trimmingCharacters(in: .newlines)
  }

  /// Runs a text in a shell to its end.
  @discardableResult
  func shell(_ text: String, in shell: String = "bash") throws -> Finished {
    try start([shell, "-c", text]).wait()
  }

  /// Asks or changes the store with the sqlite3 shell.
  @discardableResult
  func sqlite(_ text: String) throws -> String {
    let answer = try start(["sqlite3", "-batch", "-cmd", ".timeout 5000", store, text]).wait()
    try #require(answer.code == 0 && answer.errors == "", "\(answer.errors)")
    return answer.output
  }

  /// Writes a script to a file and starts it.
  func script(
    _ text: String, in shell: String = "bash", input: RunningProgram.Input = .open
  ) throws -> RunningProgram {
    try start([shell, try write(text, to: "job-\(UUID().uuidString).sh")], input: input)
  }

  /// Starts a program, which is looked up on the path.
  func start(_ command: [String], input: RunningProgram.Input = .open) throws -> RunningProgram {
    let program = try #require(
      Self.find(command[0], in: environment["PATH"] ?? ""), "\(command[0]) is missing")
    return try RunningProgram(
      [program] + command.dropFirst(), environment: environment, input: input,
      files: folder.appending(path: "programs"))
  }

  /// The state of a process, as `ps` names it: T is stopped, Z is a zombie; nil if it is gone.
  func state(of pid: Int32) throws -> Character? {
    try start(["ps", "-o", "stat=", "-p", "\(pid)"], input: .nothing).wait().output.first
  }

  /// The permissions of a file, in octal digits.
  func mode(of path: String) throws -> String {
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    return try String(#require(mode), radix: 8)
  }

  /// Writes a file in the folder.
  ///
  /// - Returns: its path.
  @discardableResult
  func write(_ text: String, to name: String) throws -> String {
    let file = folder.appending(path: name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
    return file.path
  }

  /// Writes a program in the folder.
  ///
  /// A shell writes it: this process starts others all the time, and until such a child executes its own program it has
  /// what is open for writing here; a file that is open for writing cannot be executed.
  ///
  /// - Returns: its path.
  @discardableResult
  func program(_ text: String, at name: String) throws -> String {
    let file = folder.path + "/" + name
    let write = #"mkdir -p "$(dirname "$0")"; cat > "$0"; chmod +x "$0""#
    let written = try start(["sh", "-c", write, file], input: .text(text)).wait()
    try #require(written.code == 0, "\(written.errors)")
    return file
  }

  /// Whether a program is on the path of the tests.
  static func has(_ program: String) -> Bool {
    find(program, in: ProcessInfo.processInfo.environment["PATH"] ?? "") != nil
  }

  /// Whether the system shows its processes as files.
  static let hasProc = FileManager.default.fileExists(atPath: "/proc/self")

  /// Whether there is a device that is always full.
  static let hasFullDevice = FileManager.default.fileExists(atPath: "/dev/full")

  /// Whether `script` is that of Linux: others take the command in another way.
  static let hasScript = has("script") && hasProc

  /// Whether bash shows a test what is on its command line; version 3, which macOS has, does not.
  static let hasModernBash = (try? Place().shell("[ ${BASH_VERSINFO[0]} -ge 4 ]").code) == 0

  private static func find(_ program: String, in path: String) -> String? {
    if program.contains("/") { return program }
    return path.split(separator: ":").map { "\($0)/\(program)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }
}
