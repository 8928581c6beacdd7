import LoadLogLibC

/// The file descriptors that this process may still open.
package enum SpareFiles {
  /// What an open store and a command that is recorded in it need together, and libdispatch, which crashes the process
  /// if it cannot open its own.
  private static let needed = 16

  /// Throws `io` if too few descriptors are left (`ulimit -n`). Call it before a connection is opened.
  package static func require() throws(LoadLogError) {
    var spare: [Int32] = []
    defer { for file in spare { close(file) } }
    for _ in 0..<needed {
      let file = open("/dev/null", O_RDONLY | O_CLOEXEC)
      guard file >= 0 else {
        // Another failure says nothing about descriptors.
        guard errno == EMFILE || errno == ENFILE else { return }
        throw LoadLogError(
          .io, what: "store", why: "too few file descriptors are left",
          advice: "Raise the limit: ulimit -n 64.")
      }
      spare.append(file)
    }
  }
}
