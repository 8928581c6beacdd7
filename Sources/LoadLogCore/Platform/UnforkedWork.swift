internal import CLoadLogShims

/// Work that a fork must not cut in two, as with SQLite: it keeps in memory what the process has locked, and a child
/// forked in the middle of a transaction would find locks that nobody gives back.
///
///     UnforkedWork.begin()
///     defer { UnforkedWork.end() }
///
/// fork(2) waits until no other thread is at such work, five seconds at most, and whoever begins meanwhile waits for
/// the fork.
package enum UnforkedWork {
  /// Begins.
  package static func begin() { loadlog_enter_unforked() }

  /// Ends. Does nothing in a child that was forked meanwhile.
  package static func end() { loadlog_leave_unforked() }
}
