import Foundation
import LoadLog
import LoadLogFleet
import Synchronization

/// Ships again and again what a busy host changes, and prints one line of JSON.
///
///     rounds STORE ADDRESS ROUNDS    loads of 20 feeds before each round, whose summaries it ships
@main
struct Rounds {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 4, let rounds = Int(arguments[3]), rounds > 0 else {
      FileHandle.standardError.write(Data("usage: rounds STORE ADDRESS ROUNDS\n".utf8))
      exit(2)
    }
    let store = URL(filePath: arguments[1])
    let loads = try LoadingController(storeAt: store)
    try record(loads)
    let clock = ContinuousClock()
    let progress = Mutex((rounds: 0, began: clock.now, spent: Duration.zero))
    try await FleetSync(storeAt: store, to: arguments[2]).run(every: .zero) { round in
      progress.withLock { progress in
        do {
          _ = try round.get()
          // The first round ships more: the host itself, and the feeds. The last one follows the end of the task.
          if progress.rounds > 0, progress.rounds <= rounds { progress.spent += clock.now - progress.began }
          progress.rounds += 1
          try record(loads)
        } catch {
          fatalError("\(error)")
        }
        if progress.rounds > rounds { withUnsafeCurrentTask { $0?.cancel() } }
        progress.began = clock.now
      }
    }
    try await loads.close()
    print(#"{"rounds": \#(rounds), "seconds": \#(progress.withLock { $0.spent } / .seconds(1))}"#)
  }

  private static func record(_ loads: LoadingController) throws {
    for number in 0..<20 {
      try loads.finishLoading(loads.startLoading(Feed("feeds/\(number)")))
    }
  }
}
