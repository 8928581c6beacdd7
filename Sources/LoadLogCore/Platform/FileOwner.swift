import LoadLogLibC

/// Sets the owner of new files beside a store.
enum FileOwner {
  /// If root created a file, changes its owner to that of the store beside it, as SQLite does with its log: otherwise
  /// the owner of the store could not open it. Does nothing for any other user.
  ///
  /// - Parameter sibling: the store; if it is nil or does not exist, nothing changes.
  static func adopt(_ descriptor: Int32, from sibling: String?) {
    var info = stat()
    guard geteuid() == 0, let sibling, stat(sibling, &info) == 0, info.st_uid != 0 else { return }
    _ = fchown(descriptor, info.st_uid, info.st_gid)
  }
}
