import Foundation

/// A command that could not be started.
struct SpawnError: Error {
  /// The errno value.
  let number: Int32

  /// As shells have it: 127 if there is no such command, 126 if it cannot be executed.
  var exitCode: Int32 { number == ENOENT ? 127 : 126 }

  var text: String { String(cString: strerror(number)) }
}

/// A command in the caller's process group and on its terminal: the terminal's signals reach it by
/// themselves. `posix_spawn` because Foundation's `Process` makes a group of its own.
struct ChildProcess {
  let pid: pid_t

  /// Starts a command that is looked up on the path.
  ///
  /// It inherits everything but what this process opened, which closes on exec. Signals that are handled
  /// here are at their default there, and so are those ignored here, unless the caller had them ignored.
  ///
  /// - Parameters:
  ///   - standardError: replaces the command's standard error.
  ///   - blocked: the signals that are blocked there; nil for those that are here.
  init(_ command: [String], standardError: Int32?, blocked: sigset_t?) throws(SpawnError) {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
    #else
      var actions = posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    if let standardError { posix_spawn_file_actions_adddup2(&actions, standardError, STDERR_FILENO) }
    var defaults = sigset_t()
    sigemptyset(&defaults)
    for signal in StandardStreams.newlyIgnored { sigaddset(&defaults, signal) }
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    var flags = POSIX_SPAWN_SETSIGDEF
    if var blocked {
      posix_spawnattr_setsigmask(&attributes, &blocked)
      flags |= POSIX_SPAWN_SETSIGMASK
    }
    posix_spawnattr_setflags(&attributes, Int16(flags))
    var arguments = Self.words(command)
    defer { for argument in arguments { free(argument) } }
    arguments.append(nil)

    guard let program = arguments[0] else { throw SpawnError(number: ENOENT) }
    var child: pid_t = 0
    let result = posix_spawnp(&child, program, &actions, &attributes, arguments, environ)
    guard result == 0 else { throw SpawnError(number: result) }
    pid = child
  }

  /// How it ended, or nil while it runs.
  func end() -> ChildEnd? {
    var status: Int32 = 0
    return waitpid(pid, &status, WNOHANG) == pid ? ChildEnd(waitStatus: status) : nil
  }

  /// Passes a signal on.
  func signal(_ number: Int32) { kill(pid, number) }

  /// Copies of a command's words: the bytes that this process was given, which need not be UTF-8, if the
  /// command ends its own command line.
  private static func words(_ command: [String]) -> [UnsafeMutablePointer<CChar>?] {
    let all = UnsafeBufferPointer(start: CommandLine.unsafeArgv, count: Int(CommandLine.argc))
    let given = all.suffix(command.count).compactMap { $0.map { UnsafePointer($0) } }
    let texts: [String] = given.map { String(cString: $0) }
    return texts == command ? given.map { strdup($0) } : command.map { strdup($0) }
  }
}
