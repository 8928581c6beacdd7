import LoadLogLibC

/// Whose a new file beside a store is.
enum FileOwner {
  /// Gives a file that root has made to the owner of the file beside it, as SQLite does with its log: whoever the store
  /// belongs to could not open it otherwise. Does nothing for everybody else.
  ///
  /// - Parameter sibling: the store; nil, or one that is not there, changes nothing.
  static func adopt(_ descriptor: Int32, from sibling: String?) {
    var info = stat()
    guard geteuid() == 0, let sibling, stat(sibling, &info) == 0, info.st_uid != 0 else { return }
    _ = fchown(descriptor, info.st_uid, info.st_gid)
  }
}
