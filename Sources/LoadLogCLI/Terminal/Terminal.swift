import Foundation
import LoadLog
import LoadLogReports

/// What the environment says of the terminal.
struct Terminal {
  /// The value of a variable; nil if it is not set.
  let variable: (String) -> String?
  /// The stream that is looked at.
  let file: Int32

  init(file: Int32 = STDOUT_FILENO, variable: @escaping (String) -> String? = EnvironmentVariable.value) {
    self.file = file
    self.variable = variable
  }

  var isTerminal: Bool { isatty(file) == 1 }

  /// Its width in cells: `$COLUMNS`, else what the terminal says, else the usual one.
  var width: Int {
    if let columns = variable("COLUMNS").flatMap({ Int($0) }), columns > 0 { return columns }
    var size = winsize()
    guard ioctl(file, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return PageStyle.usualWidth }
    return Int(size.ws_col)
  }

  /// Its height in lines: what the terminal says, else the 24 of old.
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

  /// Whether colour is wanted where nobody chose: on a terminal that can, unless `$NO_COLOR` is set.
  var wantsColor: Bool {
    isTerminal && (variable("NO_COLOR") ?? "").isEmpty && variable("TERM") != "dumb"
  }

  /// Whether this process may draw now; one in the background must not.
  var isOurs: Bool { isTerminal && tcgetpgrp(file) == getpgrp() }
}
