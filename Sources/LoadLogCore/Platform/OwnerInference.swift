import LoadLogLibC
import Synchronization

/// Infers the owner of a `loadlog start` without `--owner-pid` from the ancestors of its process.
///
/// The owner is the nearest ancestor that is none of these, which end before the load does:
///
/// - a forked subshell: the same program and arguments as its own parent;
/// - a program that runs one command: `timeout`, `sudo`, `xargs`, `env`, `make` (also `gmake` and the
///   other g-names) and, for the same reason, `setsid`, `nice`, `nohup`, `stdbuf`, `time` and `doas`;
/// - the `sh -c` by which one of these runs it.
///
/// The result is a guess; `--owner-pid $$` is certain. Reads the system on the calling thread, and each process only
/// once, so that all answers agree with each other.
package struct OwnerInference: Sendable {
  private let start: Int32
  private let facts: @Sendable (Int32) -> ProcessFacts?
  private let isFile: @Sendable (String) -> Bool

  /// Starts at the calling process's parent.
  package init() {
    self.init(startingAt: getppid(), facts: ProcessFacts.read, isFile: SystemFile.isRegularFile)
  }

  /// Starts at a process of a table, for tests.
  init(
    startingAt start: Int32, facts: @escaping @Sendable (Int32) -> ProcessFacts?,
    isFile: @escaping @Sendable (String) -> Bool
  ) {
    let seen = Seen()
    self.start = start
    self.facts = { pid in seen.facts(of: pid, facts) }
    self.isFile = isFile
  }

  /// The facts that were read of each process.
  private final class Seen: Sendable {
    private let facts = Mutex<[Int32: ProcessFacts?]>([:])

    func facts(of pid: Int32, _ read: (Int32) -> ProcessFacts?) -> ProcessFacts? {
      facts.withLock { facts in
        if let known = facts[pid] { return known }
        let new = read(pid)
        facts[pid] = .some(new)
        return new
      }
    }
  }

  /// The owner's pid and the name of its program; nil if no guess is safe: the ancestors end outside of the pid
  /// namespace, or one of them cannot be examined. The load is detached then.
  package func inferredOwner() -> (pid: Int32, app: String)? {
    guard let (pid, facts) = nearest(from: start) else { return nil }
    return (pid, facts.program)
  }

  /// The absolute path of the calling script, without its arguments; nil if the caller is not a script.
  ///
  /// Skips the same ancestors as ``inferredOwner()``, and shells or interpreters that run a text given on the command
  /// line (`bash -c`, `python3 -c`). Stops at the first other program, such as an interactive shell.
  package func callingScript() -> String? {
    var next = start
    var left = Self.deepest
    while left > 0, let (_, facts) = nearest(from: next) {
      switch ScriptCall(facts) {
      case .file(let argument): return path(of: argument, facts)
      case .text: next = facts.parent
      case .none: return nil
      }
      left -= 1
    }
    return nil
  }
}

extension OwnerInference {
  /// Maximum number of ancestors to read: a chain that is read while processes start and end could loop.
  private static let deepest = 256

  private static let runners: Set<String> = [
    "timeout", "sudo", "xargs", "env", "make", "gtimeout", "gxargs", "genv", "gmake",
    "setsid", "nice", "nohup", "stdbuf", "time", "doas", "gnice", "gnohup", "gstdbuf", "gtime",
  ]

  /// The nearest process from `start` on that is not skipped.
  private func nearest(from start: Int32) -> (pid: Int32, facts: ProcessFacts)? {
    var pid = start
    for _ in 0..<Self.deepest {
      guard pid > 0, let here = facts(pid) else { return nil }
      if !isPassedOver(here) { return (pid, here) }
      pid = here.parent
    }
    return nil
  }

  private func isPassedOver(_ process: ProcessFacts) -> Bool {
    if Self.runners.contains(process.program) { return true }
    guard process.parent > 0, let parent = facts(process.parent) else { return false }
    if process.isSubshell(of: parent) { return true }
    return ScriptCall(process) == .text && process.isShell && isRunner(parent)
  }

  private func isRunner(_ process: ProcessFacts) -> Bool {
    Self.runners.contains(process.program)
  }

  private func path(of argument: String, _ process: ProcessFacts) -> String? {
    if argument.hasPrefix("/") { return isFile(argument) ? argument : nil }
    // The open script is right even after the script has changed its directory.
    let name = ProcessFacts.lastComponent(argument)
    if let open = process.scriptFiles.first(where: { $0.hasPrefix("/") && $0.hasSuffix("/" + name) }) {
      return open
    }
    guard let folder = process.workingDirectory else { return nil }
    var parts = folder.split(separator: "/")
    for part in argument.split(separator: "/") where part != "." {
      if part == ".." { parts = parts.dropLast() } else { parts.append(part) }
    }
    let path = "/" + parts.joined(separator: "/")
    return isFile(path) ? path : nil
  }
}

extension ProcessFacts {
  /// Whether it is a fork of its parent that has run no other program since.
  fileprivate func isSubshell(of parent: ProcessFacts) -> Bool {
    !arguments.isEmpty && arguments == parent.arguments && executable == parent.executable
  }
}
