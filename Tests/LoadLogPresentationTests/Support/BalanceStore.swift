import LoadLog
import Synchronization

/// A store that keeps nothing but each feed's balance, for more events than a database takes in a test's time. Its
/// events come from the library's own queue, in the order of the record.
final class BalanceStore: LoadStore {
  struct Balance: Sendable, Hashable {
    var open = 0
    var loads = 0
    var unmatched = 0
  }

  private let state = Mutex(Balance())

  var balance: Balance { state.withLock { $0 } }

  var provider: LoadStoreProvider { LoadStoreProvider { _, _ in { self } } }

  func begin(waiting: Bool) -> Bool { true }

  func commit(_ events: [NumberedEvent], dropped: Int) -> [Receipt] {
    state.withLock { state in
      for event in events {
        switch event.event.kind {
        case .push:
          state.open += 1
          state.loads += 1
        case .pop where state.open > 0: state.open -= 1
        case .pop: state.unmatched += 1
        default: break
        }
      }
      state.unmatched += dropped
    }
    return Array(repeating: Receipt(.recorded), count: events.count)
  }

  func abort() {}
  func maintain() {}
  func synchronize() {}
  func close(finally: Bool) {}
  var maintenance: MaintenanceNeed { .none }
  var verdictsAtOpen: [SessionState: Int] { [:] }
  func judgeDeadOwners() -> [SessionState: Int] { [:] }
  func feeds() -> [Feed] { [] }
  func days(_ filter: LoadFilter) -> [DayNumbers] { [] }
  func prunable(before cutoff: Int64) -> [Feed: Int] { [:] }
  func prune(before cutoff: Int64, limit: Int) -> Int { 0 }
  func dates(of feed: Feed) -> FeedDates? { nil }
  func history(_ filter: LoadFilter) -> LoadPage { LoadPage(loads: [], total: 0) }
  func loads(endingIn tail: String) -> [LoadingSession] { [] }
  func unbalanced(_ filter: LoadFilter) -> [Imbalance] { [] }
  func successes(of feed: Feed, limit: Int) -> [Int64] { [] }

  func status(_ filter: LoadFilter, overdueLimit: Int64?) -> StatusSummary {
    StatusSummary(
      generated: 0, since: nil, until: nil, feeds: [], totals: LoadNumbers(), callSites: [], firstStart: nil)
  }
}
