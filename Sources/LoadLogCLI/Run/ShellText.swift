import Foundation
import LoadLog
import LoadLogReports

/// A command that only a shell understands, such as `cd /tmp`, or "echo hi | wc" as one word.
enum ShellText {
  /// Commands of shells that are no programs.
  private static let builtins: Set = [
    "cd", "source", "export", "set", "ulimit", "alias", "eval", "exec", ".",
  ]

  /// The command with which a shell runs words that could not be started.
  ///
  /// - Returns: nil if they look like a program and its arguments.
  static func command(for words: [String]) -> String? {
    let name = words[0]
    guard builtins.contains(name) || name.contains(where: " |&;<>$*".contains) && !isFound(name) else {
      return nil
    }
    let text = ([name] + words.dropFirst().map(PageStyle.shellWord)).joined(separator: " ")
    // POSIX has no source.
    return "\(name == "source" ? "bash" : "sh") -c \(PageStyle.shellWord(text))"
  }

  /// Whether a program has this name: it can exist and yet not start, as a script whose interpreter is missing.
  private static func isFound(_ name: String) -> Bool {
    if name.contains("/") { return access(name, F_OK) == 0 }
    let path = EnvironmentVariable.value("PATH") ?? "/bin:/usr/bin"
    return path.split(separator: ":", omittingEmptySubsequences: false).contains { folder in
      access("\(folder.isEmpty ? "." : folder)/\(name)", F_OK) == 0
    }
  }
}
