import Foundation

/// The error of a command that could not be started.
struct SpawnError: Error {
  /// The errno value.
  let number: Int32

  /// The exit code that a shell would report: 127 if there is no such command, 126 if it cannot be executed.
  var exitCode: Int32 { number == ENOENT ? 127 : 126 }

  var text: String { String(cString: strerror(number)) }
}

/// A command in the caller's process group and on its terminal, so that the terminal's signals reach it directly.
/// Foundation's `Process` makes a new process group, and takes a command for running while anything that it left in the
/// background runs; this uses `posix_spawn`.
struct ChildProcess {
  let pid: pid_t
  /// Whether it leads a process group of its own.
  let hasOwnGroup: Bool

  /// What signals are sent to: the command, or its group if that is its own.
  private var target: pid_t { hasOwnGroup ? -pid : pid }

  /// Whether a process of its own group is left. Ask once the command itself has been waited for, and all that have ended
  /// with it.
  var hasGroupMembers: Bool { hasOwnGroup && kill(-pid, 0) == 0 }

  /// Starts a command, which is looked up on the path.
  ///
  /// The command inherits everything except the files that this process opened, which close on exec. Signals that
  /// this process handles or ignores have their default action in the command, unless the caller had ignored them.
  ///
  /// - Parameters:
  ///   - input: the file that replaces the command's standard input; nil for none.
  ///   - output: has the files that replace the command's standard output and standard error; nil for none.
  ///   - variables: environment variables that the command has beside those of this process.
  ///   - ownGroup: whether it gets a process group of its own.
  ///   - blocked: the command's signal mask; nil for the mask of this process.
  init(
    _ command: [String], input: Int32? = nil, output: CommandOutput?, variables: [String: String] = [:],
    ownGroup: Bool = false, blocked: sigset_t?
  ) throws(SpawnError) {
    hasOwnGroup = ownGroup
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
    if let input { posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO) }
    for stream in [STDOUT_FILENO, STDERR_FILENO] {
      if let file = output?.file(for: stream) { posix_spawn_file_actions_adddup2(&actions, file, stream) }
    }
    var defaults = sigset_t()
    sigemptyset(&defaults)
    for signal in StandardStreams.newlyIgnored { sigaddset(&defaults, signal) }
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    var flags = POSIX_SPAWN_SETSIGDEF
    if ownGroup {
      posix_spawnattr_setpgroup(&attributes, 0)
      flags |= POSIX_SPAWN_SETPGROUP
    }
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
    var environment = Self.environment(with: variables)
    defer { for variable in environment { free(variable) } }
    environment.append(nil)
    var result = posix_spawnp(&child, program, &actions, &attributes, arguments, environment)
    if result == ENOEXEC {
      // A script that names no interpreter. A shell runs it, as it does when env or cron starts it.
      let shell = Self.words(["/bin/sh", "-c", "exec \"$0\" \"$@\""])
      defer { for word in shell { free(word) } }
      result = posix_spawn(&child, "/bin/sh", &actions, &attributes, shell + arguments, environment)
    }
    guard result == 0 else { throw SpawnError(number: result) }
    pid = child
  }

  /// Copies of this process's environment variables, byte for byte, after some others, which win.
  private static func environment(with variables: [String: String]) -> [UnsafeMutablePointer<CChar>?] {
    var all = variables.map { strdup("\($0)=\($1)") }
    var next = environ
    while let variable = next.pointee {
      if !variables.keys.contains(where: { strncmp(variable, "\($0)=", $0.utf8.count + 1) == 0 }) {
        all.append(strdup(variable))
      }
      next += 1
    }
    return all
  }

  /// How the command ended; nil while it is running.
  ///
  /// - Parameter stopped: called if a signal has stopped the command, as ^Z does.
  func end(stopped: () -> Void) -> (end: ChildEnd, usage: rusage)? {
    var status: Int32 = 0
    var usage = rusage()
    while wait4(pid, &status, WNOHANG | WUNTRACED, &usage) == pid {
      guard status & 0xFF == 0x7F else { return (ChildEnd(waitStatus: status), usage) }
      stopped()
    }
    return nil
  }

  /// Passes a signal on to the command. A shell sends SIGCONT to the whole group, so that a command that was stopped has
  /// had it already.
  func pass(_ number: Int32) {
    var report = siginfo_t()
    if number == SIGCONT, waitid(P_PID, id_t(pid), &report, WNOHANG | WCONTINUED) == 0,
      report.si_signo == SIGCHLD
    {
      return
    }
    kill(target, number)
  }

  /// Ends the command with a signal, even if it is stopped.
  func end(with number: Int32) {
    kill(target, number)
    kill(target, SIGCONT)
  }

  /// Copies of a command's words. If the command is the end of this process's command line, they are copies of the
  /// original bytes, which need not be UTF-8.
  private static func words(_ command: [String]) -> [UnsafeMutablePointer<CChar>?] {
    let given = Program.arguments.suffix(command.count)
    return given.map { String(cString: $0) } == command
      ? given.map { strdup($0) } : command.map { strdup($0) }
  }
}
