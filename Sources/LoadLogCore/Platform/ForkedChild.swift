internal import CLoadLogShims

/// Refuses to work in a forked child of a process that uses LoadLog.
///
///     try ForkedChild.refuse(path)
///
/// SQLite keeps the locks of a process in memory. A forked child inherits that memory without the locks, and mutexes
/// that threads of its parent may have held at the fork: it can neither read nor write the store safely, not even
/// through a connection of its own. After exec(2) it can.
package enum ForkedChild {
  /// Whether this process was forked from one that had used LoadLog. The first call in a process registers a handler
  /// for its forks. Takes no lock; callable on any thread.
  package static var isThisProcess: Bool { loadlog_is_forked_child() != 0 }

  /// The error of a call in a forked child.
  package static func error(_ path: String?) -> LoadLogError {
    LoadLogError(
      .closed, what: "store", why: "this process was forked from one that uses LoadLog",
      advice: "Record after exec, or make the first controller after the fork.", path: path)
  }

  /// Throws `closed` in a forked child.
  package static func refuse(_ path: String?) throws(LoadLogError) {
    if isThisProcess { throw error(path) }
  }
}
