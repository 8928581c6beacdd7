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
      ENOLCK, ENOTSUP, EOPNOTSUPP:
      code = .storeUnusable
    default:
      code = .io
    }
    self.init(code, what: what, why: String(cString: strerror(number)), advice: advice, path: path)
  }

  /// The error for an open store whose path does not lead to its files any more.
  package static func storeMoved(_ path: String) -> Self {
    Self(
      .storeMoved, what: "store", why: "its files were moved, replaced or deleted while it was open",
      advice: "Never copy or move a store in use; loadlog export --format sqlite makes a copy.", path: path)
  }
}
