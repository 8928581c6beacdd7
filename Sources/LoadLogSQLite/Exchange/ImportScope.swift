import GRDB
import LoadLogCore

/// What an import remembers from one transaction to the next. It does not grow with the file: what would is kept in
/// the scratch database.
struct ImportScope {
  /// A start whose finish may stand right behind it.
  struct Pending {
    let start: StartLine
    let id: SessionID
    let position: FilePosition
  }

  var rows = RowCache()
  var result = ImportResult()
  /// Rows of the owners that the file has named, by their uids.
  var owners: [String: Int64] = [:]
  /// The first item of the file that names no owner: the owner to which it and all others like it belong is named after
  /// it, so that the same file has the same owner when it is imported again.
  var firstOwnerless: LoadIdentity?
  /// That owner's row, if it has been needed.
  var importOwner: Int64?
  /// Rows of feeds whose dates stand in the file: their loads move none.
  var datedFeeds: Set<Int64> = []
  var pending: Pending?
  /// The last session of the record when the import began.
  var lastSession: Int64?
  /// There are days on which loads were pruned.
  var hasSealedDays = true

  /// Memory stays bounded however many owners there are.
  static let mostOwners = 4096
}
