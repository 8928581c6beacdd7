/// The entries that wait to be committed, in order, in chunks of one batch each.
///
/// Adding an entry and taking a batch take constant time however many entries wait, and a queue that is
/// emptied as fast as it is filled reuses the same capacity.
struct PendingEntries {
  typealias Entry = CommitQueueEntry

  /// Maximum number of entries in one batch, which is one transaction.
  static let mostInBatch = 4096

  /// At least one chunk; entries are added to the last one, the only one that may be empty.
  private var chunks: [[Entry]] = [[]]
  private(set) var count = 0
  /// Number of entries whose caller waits.
  private(set) var callers = 0

  var isEmpty: Bool { count == 0 }

  /// All entries in order. Takes time in proportion to their number.
  var all: [Entry] { Array(chunks.joined()) }

  /// The earliest deadline. Callers come in the order of their deadlines, so it is the first caller's.
  var nextDeadline: Int64? {
    guard callers > 0 else { return nil }
    for chunk in chunks {
      if let entry = chunk.first(where: { $0.waiter != nil }) { return entry.deadline }
    }
    return nil
  }

  /// Whether a caller waits for an entry of the next batch.
  var hasCallerInFirstBatch: Bool { chunks[0].contains { $0.waiter != nil } }

  mutating func append(_ entry: Entry) {
    if chunks[chunks.count - 1].count >= Self.mostInBatch { chunks.append([]) }
    chunks[chunks.count - 1].append(entry)
    count += 1
    if entry.waiter != nil { callers += 1 }
  }

  /// Removes and returns the first batch.
  mutating func takeBatch() -> [Entry] {
    let batch = chunks.removeFirst()
    if chunks.isEmpty {
      var next: [Entry] = []
      // The next batch will probably be as large. Reserve its capacity now, so that the array is not copied as it grows.
      next.reserveCapacity(min(batch.capacity, Self.mostInBatch))
      chunks.append(next)
    }
    count -= batch.count
    callers -= batch.count { $0.waiter != nil }
    return batch
  }

  /// Puts entries before all others.
  mutating func putBack(_ entries: [Entry]) {
    guard !entries.isEmpty else { return }
    count += entries.count
    callers += entries.count { $0.waiter != nil }
    if entries.count + chunks[0].count <= Self.mostInBatch {
      chunks[0] = entries + chunks[0]
    } else {
      chunks.insert(entries, at: 0)
    }
  }

  /// Removes and returns all entries.
  mutating func takeAll() -> [Entry] {
    defer { self = PendingEntries() }
    return all
  }

  /// Removes the callers that match the condition, and their entries if these can be withdrawn. A start that the store may
  /// have already stays, without its caller: its session has to be ended.
  ///
  /// - Returns: the callers.
  mutating func removeCallers(where condition: (Entry) -> Bool) -> [CommitWaiter] {
    guard callers > 0 else { return [] }
    var removed: [CommitWaiter] = []
    func isMeant(_ entry: Entry) -> Bool { entry.waiter != nil && condition(entry) }
    for index in chunks.indices where chunks[index].contains(where: isMeant) {
      removed += chunks[index].filter(isMeant).compactMap(\.waiter)
      chunks[index].removeAll { isMeant($0) && $0.isWithdrawable && !$0.mayHaveStarted }
      for place in chunks[index].indices where isMeant(chunks[index][place]) {
        chunks[index][place].forsake()
      }
    }
    let last = chunks.removeLast()
    chunks.removeAll(where: \.isEmpty)
    chunks.append(last)
    count = chunks.reduce(0) { $0 + $1.count }
    callers -= removed.count
    return removed
  }
}
