import Foundation
import LoadLog
import LoadLogReports

/// The properties of a terminal, from the system and the environment.
struct Terminal {
  /// Returns the value of an environment variable; nil if it is not set.
  private let variable: (String) -> String?
  /// The descriptor of the stream.
  let file: Int32

  init(file: Int32 = STDOUT_FILENO, variable: @escaping (String) -> String? = EnvironmentVariable.value) {
    self.file = file
    self.variable = variable
  }

  var isTerminal: Bool { isatty(file) == 1 }

  /// Whether programs can move its cursor and change its colours.
  var canDraw: Bool { isTerminal && variable("TERM") != "dumb" }

  /// Width in cells: `$COLUMNS`, else the width that the terminal reports, else a default. The environment can say no more
  /// than a terminal could.
  var width: Int {
    if let columns = variable("COLUMNS").flatMap({ UInt16($0) }), columns > 0 { return Int(columns) }
    return size.ws_col > 0 ? Int(size.ws_col) : PageStyle.usualWidth
  }

  /// Height in lines: the height that the terminal reports, else 24.
  var height: Int { size.ws_row > 0 ? Int(size.ws_row) : 24 }

  /// The size that the terminal reports, in cells; zero if it reports none.
  private var size: winsize {
    var size = winsize()
    return ioctl(file, UInt(TIOCGWINSZ), &size) == 0 ? size : winsize()
  }

  /// Whether the locale's character encoding is UTF-8.
  var glyphs: Glyphs {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(variable).first { !$0.isEmpty }
    let encoding = (locale ?? "").uppercased().replacing("-", with: "")
    return encoding.contains("UTF8") ? .unicode : .ascii
  }

  /// Whether to use colour by default: on a terminal that supports it, unless `$NO_COLOR` is set.
  var wantsColor: Bool { canDraw && (variable("NO_COLOR") ?? "").isEmpty }

  /// Moves the cursor to an empty line: if another program has left text on the line, these spaces wrap.
  var newLine: String {
    canDraw ? String(repeating: " ", count: width - 1) + "\r\u{1B}[K" : ""
  }

  /// Whether this process may draw now: a process in the background must not, nor may it while another program reads
  /// a password or single keys.
  var isOurs: Bool {
    var mode = termios()
    return tcgetattr(file, &mode) == 0 && mode.c_lflag & tcflag_t(ECHO) != 0 && tcgetpgrp(file) == getpgrp()
  }
}
