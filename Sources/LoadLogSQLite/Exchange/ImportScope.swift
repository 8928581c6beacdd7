import GRDB
import LoadLogCore

/// The state that an import carries from one transaction to the next. Its size is bounded; whatever grows
/// with the file is in the scratch database.
struct ImportScope {
  /// A start whose finish may follow directly.
  struct Pending {
    let start: StartLine
    let id: SessionID
    let position: FilePosition
  }

  var rows = RowCache()
  var result = ImportResult()
  /// The owners that the file has named, by uid: their rows, and the last commits that the file describes.
  var owners: [String: (row: Int64, lastCommit: Int64?)] = [:]
  /// The first item that names no owner. The uid of the import's own owner is derived from it, so that
  /// importing the file again finds the same owner.
  var firstOwnerless: LoadIdentity?
  /// The row of the import's own owner; nil until an item needs it.
  var importOwner: Int64?
  /// Rows of the feeds whose dates are in the file, so that their loads do not move them.
  var datedFeeds: Set<Int64> = []
  var pending: Pending?
  /// The parts of a kept output so far; at most ``KeptOutput/most`` bytes.
  var output: (id: SessionID, bytes: [UInt8])?
  /// The row of the last session when the import began.
  var lastSession: Int64?
  /// Whether the record has days with pruned loads.
  var hasSealedDays = true

  /// The maximum number of owners to remember. The others are found in the record again.
  static let mostOwners = 4096
}
