import Foundation
import LoadLog
import LoadLogReports

/// A command that only a shell understands, such as `cd /tmp`, or "echo hi | wc" as one word.
enum ShellText {
  /// Commands of shells that are no programs, and what must follow: alone, a `cd` would do nothing.
  private static let builtins = ["cd": " && COMMAND", ".": "", "source": "", "eval": "", "exec": ""]

  /// The command with which a shell runs words that could not be started.
  ///
  /// - Returns: nil if they look like a program and its arguments.
  static func command(for words: [String]) -> String? {
    let name = words[0]
    let end = builtins[name]
    guard end != nil || isLine(name) && !isFound(name) else { return nil }
    let text = ([name] + words.dropFirst().map(PageStyle.shellWord)).joined(separator: " ") + (end ?? "")
    // POSIX has no source.
    return "\(name == "source" ? "bash" : "sh") -c \(PageStyle.shellWord(text))"
  }

  /// Whether a word has an operator of shells, or begins with a command: the name of a missing file may have a space, too.
  private static func isLine(_ word: String) -> Bool {
    let first = String(word.prefix { $0 != " " })
    let isCommand = first != word && (builtins[first] != nil || isFound(first))
    return isCommand || word.contains(where: "|&;<>$*".contains)
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
