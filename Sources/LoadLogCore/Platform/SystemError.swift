import LoadLogLibC

extension LoadLogError {
  /// The error for an errno value met at a file.
  ///
  /// - Parameters:
  ///   - number: The errno value.
  ///   - what: What was being done, such as "cannot open".
  ///   - path: The file.
  package init(errno number: Int32, what: String, path: String) {
    let code: Code
    var advice: String?
    switch number {
    case ENOSPC, EDQUOT:
      code = .diskFull
      advice = "Free some space and try again."
    case EACCES, EPERM, EROFS, ENOENT, ENOTDIR, EISDIR, ELOOP, ENAMETOOLONG, EEXIST, ENXIO,
      ENOLCK, EOPNOTSUPP:
      code = .storeUnusable
    default:
      code = .io
    }
    self.init(code, what: what, why: String(cString: strerror(number)), advice: advice, path: path)
  }
}
