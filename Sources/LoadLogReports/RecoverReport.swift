public import LoadLogCore

/// Report of `loadlog recover`: what was saved of a damaged store, and what was not.
public struct RecoverReport: Sendable {
  private let result: RecoveryResult
  private let target: String
  private let head: JSONHead

  /// Creates a report of a recovery into a new store at a path.
  public init(_ result: RecoveryResult, target: String, head: JSONHead) {
    self.result = result
    self.target = target
    self.head = head
  }

  /// Returns the report as text for people.
  public func text(_ page: PageStyle) -> String {
    let saved =
      "saved \(Words.count(result.saved("session"), "load")) of \(Words.count(result.saved("feed"), "feed")) "
      + "in \(VisibleText.quoted(target))"
    return ([saved] + tables + losses.map { "\(page.glyphs.alarm) \($0)" } + sources).joined(separator: "\n")
      + "\n"
  }

  /// One line per table: the rows that were saved, and those that were not.
  private var tables: [String] {
    let names = result.tables.map(\.name.count).max() ?? 0
    let counts = result.tables.map { Words.count($0.saved) }
    let width = counts.map(\.count).max() ?? 0
    return zip(result.tables, counts).map { table, count in
      let name = DisplayWidth.padded(table.name, to: names)
      let line = "  \(name)  \(DisplayWidth.padded(count, to: width, alignment: .right)) saved"
      let reasons = rejections(table).map { "\(Words.count($0.count)) \($0.reason.rawValue)" }
      return line + (reasons.isEmpty ? "" : "; not saved: " + reasons.joined(separator: ", "))
    }
  }

  /// What was lost beside rows, one sentence each.
  private var losses: [String] {
    var losses: [String] = []
    if result.unreadablePages > 0 {
      let hasMore = result.unreadablePages > result.listedPages.count
      let numbers = result.listedPages.map { "\($0)" } + (hasMore ? ["others"] : [])
      losses.append(
        "\(Words.count(result.unreadablePages)) of \(Words.count(result.pages, "page")) cannot be read, or assigned to "
          + "a table: \(Words.list(numbers))")
    }
    switch result.log {
    case .foreign: losses.append("the write-ahead log belongs to another store and was ignored")
    case .read(let frames, let damaged) where damaged > 0:
      losses.append(
        "\(Words.count(damaged)) of \(Words.count(frames + damaged, "frame")) of the write-ahead log "
          + (damaged == 1 ? "is damaged" : "are damaged")
      )
    case .none, .read: break
    }
    for (count, noun, meaning) in [
      (result.namelessFeeds, "feed", "without a readable name; the loads are in feeds named recovered/N"),
      (result.unknownOwners, "owner", "of loads cannot be read; the loads have owners without a process"),
      (result.lostReferences, "text", "of loads, such as messages, reasons and call sites, cannot be read"),
      (result.lostCounts, "counter", "of pruned loads cannot be read"),
    ] where count > 0 { losses.append("\(Words.count(count, noun)) \(meaning)") }
    return losses
  }

  private var sources: [String] {
    result.sources.map { source in
      "unchanged: \(VisibleText.quoted(source.path)), "
        + (source.digest.map { "SHA-256 \($0)" } ?? "parts of which the disk cannot read")
    }
  }

  private func rejections(
    _ table: RecoveryResult.Table
  ) -> [(reason: RecoveryResult.Rejection, count: Int)] {
    RecoveryResult.Rejection.allCases.compactMap { reason in
      table.rejected[reason].map { (reason: reason, count: $0) }
    }
  }

  /// Returns the report as JSON for programs.
  public func json() -> JSONValue {
    let tables = result.tables.map { table -> JSONValue in
      let rejected = JSONValue.object(
        RecoveryResult.Rejection.allCases.map {
          JSONValue.Member(key: $0.rawValue, value: .count(table.rejected[$0] ?? 0))
        })
      return ["table": .string(table.name), "saved": .count(table.saved), "rejected": rejected]
    }
    return head.object.appending([
      "target": .string(target), "complete": .bool(result.isComplete), "tables": .array(tables),
      "pages": .count(result.pages), "unreadable_pages": .count(result.unreadablePages),
      "log": log, "nameless_feeds": .count(result.namelessFeeds),
      "unknown_owners": .count(result.unknownOwners),
      "lost_references": .count(result.lostReferences), "lost_counts": .count(result.lostCounts),
      "sources": .array(result.sources.map { ["path": .string($0.path), "sha256": .text($0.digest)] }),
    ])
  }

  private var log: JSONValue {
    switch result.log {
    case .none: .null
    case .foreign: ["foreign": true, "frames": .count(0), "damaged": .count(0)]
    case .read(let frames, let damaged):
      ["foreign": false, "frames": .count(frames), "damaged": .count(damaged)]
    }
  }
}
