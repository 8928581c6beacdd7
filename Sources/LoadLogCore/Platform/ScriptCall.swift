/// How an interpreter was called: with a script file, with a program text, or with neither.
enum ScriptCall: Equatable {
  /// A script file; the argument as it was given.
  case file(String)
  /// A text on the command line: `sh -c TEXT`, `python3 -c TEXT`, `perl -e TEXT`, or a module by name.
  case text
  /// An interactive shell, or no interpreter at all.
  case none

  /// The options of one interpreter that matter for finding its script.
  struct Grammar {
    /// Letters of single-dash options that introduce a text or a module, alone or in a cluster (`-ec`).
    var text = ""
    /// Options whose next argument is a value.
    var valued: Set<String> = []
    /// Long options that introduce a text.
    var longText: Set<String> = []
  }

  init(_ process: ProcessFacts) {
    guard let grammar = Self.grammar(of: process.program) else {
      self = .none
      return
    }
    var skipsValue = false
    for argument in process.operands {
      if skipsValue {
        skipsValue = false
        continue
      }
      if argument == "-" || argument == "-s" {
        // The script comes on standard input.
        self = .none
        return
      }
      guard argument.hasPrefix("-") || argument.hasPrefix("+") else {
        self = .file(argument)
        return
      }
      if grammar.bringsText(argument) {
        self = .text
        return
      }
      skipsValue = grammar.takesValue(argument)
    }
    self = .none
  }
}

extension ScriptCall.Grammar {
  func bringsText(_ option: String) -> Bool {
    if option.hasPrefix("--") { return longText.contains(option.prefix { $0 != "=" }.description) }
    guard option.hasPrefix("-") else { return false }
    // What follows a letter with a value is the value: `-Mstrict`, not -M -s -t ….
    let letters = option.dropFirst().prefix { !valued.contains("-\($0)") }
    return letters.contains { text.contains($0) }
  }

  /// Whether the next argument is this option's value: `-o pipefail`, and `-euo pipefail` too.
  func takesValue(_ option: String) -> Bool {
    if valued.contains(option) { return true }
    guard option.hasPrefix("-"), !option.hasPrefix("--"), let last = option.last else { return false }
    let letters = option.dropFirst().dropLast()
    return valued.contains("-\(last)") && !letters.contains { valued.contains("-\($0)") }
  }
}

extension ScriptCall {
  static let shells: Set<String> = [
    "sh", "bash", "rbash", "dash", "ash", "zsh", "ksh", "mksh", "yash", "posh", "fish", "busybox",
  ]

  /// The grammar of an interpreter by its program's name, with or without a version; nil for others.
  private static func grammar(of program: String) -> Grammar? {
    if program == "fish" {
      return Grammar(text: "c", valued: ["-C", "--init-command"], longText: ["--command"])
    }
    if shells.contains(program) {
      return Grammar(text: "c", valued: ["-o", "+o", "-O", "+O", "--rcfile", "--init-file"])
    }
    var name = program[...]
    while let last = name.last, last.isNumber || last == "." || last == "-" { name = name.dropLast() }
    switch name {
    // Apple's Python runs as Python.app/Contents/MacOS/Python.
    case "python", "Python", "pypy":
      return Grammar(text: "cm", valued: ["-W", "-X", "--check-hash-based-pycs"])
    case "ruby": return Grammar(text: "e", valued: ["-r", "-I", "-C", "-E"])
    case "perl": return Grammar(text: "eE", valued: ["-I", "-M", "-m"])
    case "node", "nodejs":
      return Grammar(
        text: "ep", valued: ["-r", "--require", "--import", "--loader", "-C", "--conditions"],
        longText: ["--eval", "--print"])
    case "php": return Grammar(text: "rBRE", valued: ["-c", "-d", "-z"])
    case "lua", "tclsh", "Rscript", "osascript": return Grammar(text: "e", valued: ["-l"])
    case "ksh", "mksh", "zsh", "bash": return Grammar(text: "c", valued: ["-o", "+o"])
    default: return nil
    }
  }
}

extension ProcessFacts {
  /// Whether it is a shell, of any name.
  var isShell: Bool { ScriptCall.shells.contains(program) }
}
