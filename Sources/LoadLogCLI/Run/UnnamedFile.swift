import Foundation
import LoadLog

/// A temporary file without a name, which ends when it is closed. Commands do not inherit it.
enum UnnamedFile {
  /// The folder for temporary files: `$TMPDIR`, else `/tmp`.
  static var usualFolder: String {
    EnvironmentVariable.value("TMPDIR").flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
  }

  /// Makes an empty file.
  ///
  /// - Returns: its descriptor, which the caller closes.
  static func make(in folder: String = usualFolder) throws(OutputError) -> Int32 {
    var path = Array((folder + "/loadlog-XXXXXX").utf8CString)
    let file = mkstemp(&path)
    guard file >= 0 else { throw OutputError(number: errno) }
    unlink(path)
    _ = fcntl(file, F_SETFD, FD_CLOEXEC)
    return file
  }
}
