import Foundation
import LoadLog
import LoadLogReports

/// The properties of a terminal, from the system and the environment.
struct Terminal {
  /// Returns the value of an environment variable; nil if it is not set.
  let variable: (String) -> String?
  /// The descriptor of the stream.
  let file: Int32

  init(file: Int32 = STDOUT_FILENO, variable: @escaping (String) -> String? = EnvironmentVariable.value) {
    self.file = file
    self.variable = variable
  }

  var isTerminal: Bool { isatty(file) == 1 }

  /// Width in cells: `$COLUMNS`, else the width that the terminal reports, else a default. The environment can say no more
  /// than a terminal could.
  var width: Int {
    if let columns = variable("COLUMNS").flatMap({ UInt16($0) }), columns > 0 { return Int(columns) }
    var size = winsize()
    guard ioctl(file, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return PageStyle.usualWidth }
    return Int(size.ws_col)
  }

  /// Height in lines: the height that the terminal reports, else 24.
  var height: Int {
    var size = winsize()
    guard ioctl(file, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0 else { return 24 }
    return Int(size.ws_row)
  }

  /// Whether the locale's character encoding is UTF-8.
  var glyphs: Glyphs {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(variable).first { !$0.isEmpty }
    let encoding = (locale ?? "").uppercased().replacing("-", with: "")
    return encoding.contains("UTF8") ? .unicode : .ascii
  }

  /// Whether to use colour by default: on a terminal that supports it, unless `$NO_COLOR` is set.
  var wantsColor: Bool {
    isTerminal && (variable("NO_COLOR") ?? "").isEmpty && variable("TERM") != "dumb"
  }

  /// Moves the cursor to an empty line: if another program has left text on the line, these spaces wrap.
  var newLine: String {
    isTerminal && variable("TERM") != "dumb" ? String(repeating: " ", count: width - 1) + "\r\u{1B}[K" : ""
  }

  /// Whether this process may draw now: a process in the background must not, nor may it while another program reads
  /// a password or single keys.
  var isOurs: Bool {
    var mode = termios()
    return tcgetattr(file, &mode) == 0 && mode.c_lflag & tcflag_t(ECHO) != 0 && tcgetpgrp(file) == getpgrp()
  }
}
