import Foundation

/// A running program whose output goes to files, so that it never waits for a full pipe. If it is still running when
/// the last reference is released, it is killed.
final class RunningProgram {
  struct CannotStart: Error {
    let number: Int32
  }

  struct StillWaiting: Error, CustomStringConvertible {
    let description: String
  }

  enum Input {
    case nothing
    case text(String)
    /// Open until ``closeInput()``.
    case open
  }

  let pid: pid_t
  private let files: URL
  private var input: Int32 = -1
  private var end: Int32?

  /// Starts a program with the signal mask, handlers and files that a shell would give it.
  init(_ command: [String], environment: [String: String], input: Input, files: URL) throws {
    self.files = files.appending(path: "program-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: self.files, withIntermediateDirectories: true)
    var ends: [Int32] = [-1, -1]
    if case .open = input {
      guard pipe(&ends) == 0 else { throw CannotStart(number: errno) }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      self.input = ends[1]
    }
    if case .text(let text) = input { try Data(text.utf8).write(to: self.files.appending(path: "in")) }
    defer { if ends[0] >= 0 { close(ends[0]) } }

    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
      let flags = Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_CLOEXEC_DEFAULT)
    #else
      var actions = posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
      let flags = Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK)
    #endif
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    switch input {
    case .nothing: posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    case .text: posix_spawn_file_actions_addopen(&actions, 0, self.files.path + "/in", O_RDONLY, 0)
    case .open: posix_spawn_file_actions_adddup2(&actions, ends[0], 0)
    }
    for (file, name) in [(Int32(1), "out"), (2, "err")] {
      let path = self.files.path + "/" + name
      posix_spawn_file_actions_addopen(&actions, file, path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    }
    #if !canImport(Darwin)
      // Close all descriptors: other tests open files at the same time. Closing one that is not open is no error here.
      for file in Int32(3)..<1024 { posix_spawn_file_actions_addclose(&actions, file) }
    #endif
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, flags)

    var arguments = command.map { strdup($0) }
    var variables = environment.map { strdup("\($0)=\($1)") }
    defer { for text in arguments + variables { free(text) } }
    arguments.append(nil)
    variables.append(nil)
    var child: pid_t = 0
    let result = posix_spawn(&child, command[0], &actions, &attributes, arguments, variables)
    guard result == 0 else { throw CannotStart(number: result) }
    pid = child
  }

  deinit {
    closeInput()
    if end == nil {
      kill(pid, SIGKILL)
      var status: Int32 = 0
      waitpid(pid, &status, 0)
    }
  }

  /// The program's standard output so far.
  var output: String { text("out") }

  /// The program's standard error so far.
  var errors: String { text("err") }

  func signal(_ number: Int32) { kill(pid, number) }

  /// Writes to the program's standard input.
  func write(_ text: String) {
    let bytes = Array(text.utf8)
    _ = bytes.withUnsafeBytes { Foundation.write(input, $0.baseAddress, $0.count) }
  }

  /// Closes the program's standard input.
  func closeInput() {
    if input >= 0 { close(input) }
    input = -1
  }

  /// Waits for a complete line of the output, counted from 0.
  func line(_ number: Int = 0) throws -> String {
    var lines: [Substring] = []
    try Wait.until("line \(number) of \(files.lastPathComponent); errors: \(errors)") {
      lines = output.split(separator: "\n", omittingEmptySubsequences: false)
      return lines.count > number + 1
    }
    return String(lines[number])
  }

  /// Waits until the program has ended.
  func wait() throws -> Finished {
    var status: Int32 = 0
    if end == nil {
      try Wait.until("the end of a program; errors: \(errors)") { waitpid(pid, &status, WNOHANG) == pid }
      end = status & 0x7F == 0 ? status >> 8 & 0xFF : -(status & 0x7F)
    }
    return Finished(code: end ?? 0, output: output, errors: errors)
  }

  /// Kills the program and reaps it.
  func killAndReap() throws {
    signal(SIGKILL)
    _ = try wait()
  }

  private func text(_ name: String) -> String {
    let data = try? Data(contentsOf: files.appending(path: name))
    return String(decoding: data ?? Data(), as: UTF8.self)
  }
}

/// How a program ended.
struct Finished: Equatable {
  /// The exit code, or the negative number of the signal that ended the program.
  let code: Int32
  let output: String
  let errors: String

  var errorLines: [Substring] { errors.split(separator: "\n", omittingEmptySubsequences: false).dropLast() }

  /// Whether standard error is one line that starts with the program's name and has no control characters.
  var isOneComplaint: Bool {
    errorLines.count == 1 && errors.hasPrefix("loadlog: ") && errors.hasSuffix("\n")
      && !errors.dropLast().unicodeScalars.contains(where: Hostile.contains)
  }
}

/// Waits for a condition.
enum Wait {
  /// Polls until the condition holds, for up to two minutes: only a program that hangs takes that long.
  ///
  /// - Parameter pause: the microseconds between two polls.
  static func until(
    _ what: @autoclosure () -> String, pause: useconds_t = 2000, _ condition: () throws -> Bool
  ) throws {
    let limit = ContinuousClock.now + .seconds(120)
    while try !condition() {
      guard ContinuousClock.now < limit else {
        throw RunningProgram.StillWaiting(description: "waited in vain for " + what())
      }
      usleep(pause)
    }
  }
}
