import Foundation
import LoadLogReports

/// What the environment says of the terminal.
struct Terminal {
  let environment: [String: String]
  /// The stream that is looked at.
  let file: Int32

  init(file: Int32 = STDOUT_FILENO, environment: [String: String] = ProcessInfo.processInfo.environment) {
    self.file = file
    self.environment = environment
  }

  var isTerminal: Bool { isatty(file) == 1 }

  /// Its width in cells: `$COLUMNS`, else what the terminal says, else the usual one.
  var width: Int {
    if let columns = environment["COLUMNS"].flatMap({ Int($0) }), columns > 0 { return columns }
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
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
    let encoding = (locale ?? "").uppercased().replacing("-", with: "")
    return encoding.contains("UTF8") ? .unicode : .ascii
  }

  /// Whether colour is wanted where nobody chose: on a terminal that can, unless `$NO_COLOR` is set.
  var wantsColor: Bool {
    isTerminal && environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
  }

  /// Whether this process may draw now; one in the background must not.
  var isOurs: Bool { isTerminal && tcgetpgrp(file) == getpgrp() }
}
