package import LoadLogCore

/// A table of a fleet's database that holds rows of stores.
///
/// A column has the name and the meaning of the column in the store, unless its comment says otherwise. Each row
/// belongs to one host: the database puts the host's id before the columns listed here.
package enum ShippedTable: String, Sendable, CaseIterable {
  // In the order in which rows are written: loads last, because they refer to the others.
  case text = "text_value"
  case feed, owner, summary, site, expectation, flip, acknowledgement, unmatched, session

  /// The columns after the host's.
  package var columns: [ShippedColumn] {
    switch self {
    case .text: [.key("id", .bigint), ShippedColumn("value", .text)]
    case .feed: Self.feedColumns
    case .owner: Self.ownerColumns
    case .summary: Self.summaryColumns
    case .site: Self.siteColumns
    case .expectation: Self.expectationColumns
    case .flip: Self.flipColumns
    case .acknowledgement: Self.acknowledgementColumns
    case .unmatched: Self.unmatchedColumns
    case .session: Self.sessionColumns
    }
  }

  /// The table of the store, and the columns of the key by which its rows are shipped.
  var stored: (table: String, keys: [String]) {
    switch self {
    case .text: ("text", ["id"])
    case .feed, .owner, .acknowledgement: (rawValue, ["id"])
    case .summary: (rawValue, ["day", "feed"])
    case .site: ("imbalance_site", ["day", "feed"])
    case .expectation: ("expected", ["pattern"])
    case .flip: ("feed_flip", ["n"])
    case .unmatched, .session: (rawValue, ["seq"])
    }
  }
}

/// A column of a fleet's table.
package struct ShippedColumn: Sendable, Hashable {
  /// The type in the fleet's database, in its own words.
  package enum Kind: String, Sendable {
    case bigint = "BIGINT"
    case smallint = "SMALLINT"
    case boolean = "BOOLEAN"
    case text = "TEXT"
    case uuid = "UUID"
    case bytea = "BYTEA"
  }

  package let name: String
  package let kind: Kind
  /// Whether the column, after the host's id, identifies the row.
  package let isKey: Bool
  /// What SQLite selects for it.
  let source: String
  /// The column of the store's table that holds it.
  let stored: String
  /// The table whose row the column's number names; nil if it is no such number.
  package let target: ShippedTable?

  init(
    _ name: String, _ kind: Kind, isKey: Bool = false, from source: String? = nil, in stored: String? = nil,
    of target: ShippedTable? = nil
  ) {
    self.name = name
    self.kind = kind
    self.isKey = isKey
    self.source = source ?? name
    self.stored = stored ?? self.source
    self.target = target
  }

  static func key(
    _ name: String, _ kind: Kind, from source: String? = nil, in stored: String? = nil,
    of target: ShippedTable? = nil
  ) -> ShippedColumn {
    ShippedColumn(name, kind, isKey: true, from: source, in: stored, of: target)
  }

  /// A column that names a row of another table by its number.
  static func reference(_ name: String, to target: ShippedTable) -> ShippedColumn {
    ShippedColumn(name, .bigint, of: target)
  }
}

/// A value of a column of a fleet's table.
package enum ShippedValue: Sendable, Hashable {
  case null
  /// Of a column of whole numbers, or 0 and 1 of a boolean one.
  case integer(Int64)
  case text(String)
  /// The 16 bytes of a UUID.
  case uuid(SessionID)
  case bytes([UInt8])
}

// MARK: - Columns

extension ShippedTable {
  private static let feedColumns: [ShippedColumn] = [
    .key("id", .bigint), ShippedColumn("name", .text), ShippedColumn("last_updated", .bigint),
    ShippedColumn("last_changed", .bigint), ShippedColumn("last_attempted", .bigint),
    ShippedColumn("last_success_started", .bigint),
    // All of them: which failures have rows differs between the store and the database.
    ShippedColumn(
      "failures", .bigint, from: "feed.pruned_failures + \(CountedFailure.failedInRow)", in: "pruned_failures"
    ),
    ShippedColumn("last_failed", .bigint), .reference("last_failure", to: .text),
    ShippedColumn("last_verdict", .smallint), ShippedColumn("overlap_count", .bigint, from: "overlaps"),
    ShippedColumn("is_expected", .boolean),
  ]

  private static let ownerColumns: [ShippedColumn] = [
    .key("id", .bigint), ShippedColumn("uid", .uuid), ShippedColumn("kind", .text),
    ShippedColumn("machine_id", .text), ShippedColumn("boot_id", .text), ShippedColumn("pid", .bigint),
    ShippedColumn("name", .text, from: "host"), ShippedColumn("app", .text),
    ShippedColumn("opened_at", .bigint), ShippedColumn("last_commit_at", .bigint),
    ShippedColumn("closed_at", .bigint), ShippedColumn("verdict", .smallint),
    ShippedColumn("evidence", .text), ShippedColumn("dropped", .bigint),
  ]

  private static let summaryColumns: [ShippedColumn] =
    [.key("day", .bigint), .key("feed", .bigint)]
    + [
      "loads", "succeeded", "unchanged", "failed", "cancelled", "ended", "crashed", "rebooted", "abandoned",
      "orphan_finish", "duplicate_finish", "extra_pop", "pops_after_reset", "acknowledged", "first_start",
    ].map { ShippedColumn($0, .bigint) } + durations("success") + durations("other")
    + [ShippedColumn("is_sealed", .boolean)]

  private static func durations(_ prefix: String) -> [ShippedColumn] {
    ["count", "sum", "least", "greatest"].map { ShippedColumn("\(prefix)_\($0)", .bigint) }
      + [ShippedColumn("\(prefix)_histogram", .bytea)]
  }

  private static let siteColumns: [ShippedColumn] = [
    .key("day", .bigint), .key("feed", .bigint), .key("kind", .smallint),
    .key("call_site", .bigint, of: .text),
    .key("is_likely", .boolean), ShippedColumn("count", .bigint),
  ]

  private static let expectationColumns: [ShippedColumn] = [
    .key("pattern", .text, from: "shipped_key", in: "pattern"), ShippedColumn("is_glob", .boolean),
    ShippedColumn("every", .bigint), ShippedColumn("cron", .text), ShippedColumn("timezone", .text),
    ShippedColumn("grace", .bigint), ShippedColumn("max_running", .bigint),
    ShippedColumn("max_failures", .bigint), ShippedColumn("anywhere", .boolean),
    ShippedColumn("note", .text), ShippedColumn("since", .bigint), ShippedColumn("paused_at", .bigint),
    ShippedColumn("paused_until", .bigint),
    ShippedColumn("is_removed", .boolean, from: "pattern IS NULL"),
  ]

  private static let flipColumns: [ShippedColumn] = [
    .key("n", .bigint), .reference("feed", to: .feed), ShippedColumn("at", .bigint),
    ShippedColumn("from_state", .text), ShippedColumn("to_state", .text), ShippedColumn("since", .bigint),
    ShippedColumn("reason", .text), ShippedColumn("call_site", .text), ShippedColumn("last_success", .bigint),
    ShippedColumn("down", .bigint), ShippedColumn("missed", .bigint),
  ]

  private static let acknowledgementColumns: [ShippedColumn] = [
    .key("id", .uuid, from: "shipped_key", in: "id"), ShippedColumn("at", .bigint),
    ShippedColumn("by", .text),
    ShippedColumn("note", .text), ShippedColumn("is_removed", .boolean, from: "id IS NULL"),
  ]

  private static let unmatchedColumns: [ShippedColumn] = [
    .key("seq", .bigint), ShippedColumn("id", .uuid), ShippedColumn("kind", .smallint),
    .reference("feed", to: .feed), ShippedColumn("session", .uuid), .reference("owner", to: .owner),
    ShippedColumn("at", .bigint), ShippedColumn("state", .smallint), .reference("reason", to: .text),
    .reference("call_site", to: .text),
  ]

  private static let sessionColumns: [ShippedColumn] = [
    .key("seq", .bigint), ShippedColumn("id", .uuid), .reference("feed", to: .feed),
    .reference("owner", to: .owner), ShippedColumn("state", .smallint),
    ShippedColumn("is_anonymous", .boolean),
    ShippedColumn("is_finished_after_verdict", .boolean), ShippedColumn("started_at", .bigint),
    ShippedColumn("duration", .bigint), ShippedColumn("wall_drift", .bigint),
    ShippedColumn("duration_source", .smallint), .reference("message", to: .text),
    .reference("tag", to: .text), .reference("call_site", to: .text), .reference("reason", to: .text),
    ShippedColumn("visible", .bigint), ShippedColumn("suppressed", .bigint),
    ShippedColumn("attempt", .bigint),
    ShippedColumn("is_retried", .boolean), ShippedColumn("user_time", .bigint),
    ShippedColumn("system_time", .bigint), ShippedColumn("max_memory", .bigint),
  ]
}
